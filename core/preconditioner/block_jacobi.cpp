#include <linden/error.hpp>
#include <linden/matrix/dense.hpp>
#include <linden/preconditioner/block_jacobi.hpp>

#include <algorithm>

#include "core/config/parameter_names.hpp"
#include "core/kernels/jacobi.hpp"
#include "core/matrix/new_values.hpp"
#include "core/matrix/square.hpp"
#include "core/matrix/visit_csr.hpp"

// instantiate: class BlockJacobi<V>

namespace linden {
namespace {

/// The first defect of block pointers of a matrix with `rows` rows; empty if there is none.
std::string objection(const std::vector<size_type>& block_ptrs, size_type rows)
{
    if (block_ptrs.front() != 0 || block_ptrs.back() != rows) {
        return "from " + std::to_string(block_ptrs.front()) + " to " + std::to_string(block_ptrs.back());
    }
    for (std::size_t i = 1; i < block_ptrs.size(); ++i) {
        const auto size = block_ptrs[i] - block_ptrs[i - 1];
        if (size < 1 || size > max_jacobi_block_size) {
            return std::to_string(size) + " rows in block " + std::to_string(i - 1);
        }
    }
    return {};
}

}  // namespace

template <class V>
void BlockJacobi<V>::Parameters::describe(ParameterVisitor& v)
{
    v("block_size", block_size, "maximum rows of a block, 1 to 32");
    v.choice("storage", storage, config::storage_names, "precision of the stored blocks, same or single");
}

template <class V>
BlockJacobi<V>::BlockJacobi(Executor exec, Dim size)
    : LinOp<V>(exec, size),
      block_ptrs_(exec),
      value_ptrs_(exec),
      values_(exec),
      num_singular_(exec, 1)
{
}

template <class V>
BlockJacobi<V>::BlockJacobi(Executor exec, Parameters parameters, LinOpPtr<V> matrix)
    : BlockJacobi(std::move(exec), matrix->size())
{
    static_assert(max_block_size == max_jacobi_block_size);
    detail::square("BlockJacobi", this->size());
    if (parameters.block_size < 1 || parameters.block_size > max_block_size) {
        throw InvalidParameter("block_size", std::to_string(parameters.block_size), "1 to 32");
    }
    if (parameters.storage == StoragePrecision::half) {
        throw InvalidParameter("storage", "half", "same or single");  // inverses easily exceed its range
    }
    storage_ = parameters.storage;
    if (parameters.block_ptrs.empty()) {
        find_blocks(*matrix, parameters.block_size);
    } else {
        take_blocks(parameters.block_ptrs);
    }
    invert_blocks_of(*matrix);
}

template <class V>
void BlockJacobi<V>::find_blocks(const LinOp<V>& matrix, size_type max_size)
{
    const auto& exec = this->executor();
    const auto rows = this->size().rows;
    Array<size_type> block_ptrs(exec, rows + 1);
    Array<size_type> value_ptrs(exec, rows + 1);
    Array<DiagonalBlockCounts> counts(exec, 1);
    Array<std::byte> workspace(exec, find_blocks_workspace_bytes(rows));
    visit_csr(name(), matrix, [&]<class I>(const Csr<V, I>& csr) {
        block_jacobi_find_blocks<I>(exec, csr.view(), max_size, block_ptrs.data(), value_ptrs.data(), counts.data(),
                                    {workspace.data(), workspace.size()});
    });
    const auto found = counts.to_host().front();
    max_size_ = found.max_size;
    block_ptrs_.resize(found.num_blocks + 1);
    value_ptrs_.resize(found.num_blocks + 1);
    copy_bytes(exec, block_ptrs.data(), exec, block_ptrs_.data(), block_ptrs_.bytes());
    copy_bytes(exec, value_ptrs.data(), exec, value_ptrs_.data(), value_ptrs_.bytes());
    allocate_values(found.num_values);
}

template <class V>
void BlockJacobi<V>::take_blocks(const std::vector<size_type>& block_ptrs)
{
    if (const auto wrong = objection(block_ptrs, this->size().rows); !wrong.empty()) {
        throw InvalidParameter("block_ptrs", wrong,
                               "from 0 to " + std::to_string(this->size().rows) + ", 1 to 32 rows in each block");
    }
    std::vector<size_type> value_ptrs(block_ptrs.size(), 0);
    for (std::size_t i = 1; i < block_ptrs.size(); ++i) {
        const auto size = block_ptrs[i] - block_ptrs[i - 1];
        value_ptrs[i] = value_ptrs[i - 1] + size * size;
        max_size_ = std::max(max_size_, size);
    }
    block_ptrs_ = Array<size_type>(this->executor(), block_ptrs);
    value_ptrs_ = Array<size_type>(this->executor(), value_ptrs);
    allocate_values(value_ptrs.back());
}

template <class V>
void BlockJacobi<V>::allocate_values(size_type num_values)
{
    const auto size = storage_ == StoragePrecision::same ? sizeof(V) : sizeof(single_precision_t<V>);
    values_.resize((num_values + jacobi_block_padding) * static_cast<size_type>(size));
    this->executor().state().fill_zero(values_.data(), values_.bytes());
}

template <class V>
std::unique_ptr<LinOp<V>> BlockJacobi<V>::clone(const Executor& exec) const
{
    std::unique_ptr<BlockJacobi> copy(new BlockJacobi(exec, this->size()));
    copy->storage_ = storage_;
    copy->max_size_ = max_size_;
    copy->block_ptrs_ = block_ptrs_.clone(exec);
    copy->value_ptrs_ = value_ptrs_.clone(exec);
    copy->values_ = values_.clone(exec);
    copy->num_singular_ = num_singular_.clone(exec);
    return copy;
}

template <class V>
void BlockJacobi<V>::update_values(LinOpPtr<V> matrix)
{
    invert_blocks_of(*new_values_here(*this, std::move(matrix)));
}

/// Calls f(blocks) with the blocks at `values` in their storage type, which are const if the bytes are.
template <class V>
template <class Byte, class F>
void BlockJacobi<V>::with_blocks(Byte* values, F&& f) const
{
    const auto call = [&]<class S>(std::type_identity<S>) {
        using Value = std::conditional_t<std::is_const_v<Byte>, const S, S>;
        f(DiagonalBlocksView<Value>{num_blocks(), max_size_, block_ptrs_.data(), value_ptrs_.data(),
                                    reinterpret_cast<Value*>(values)});
    };
    if (storage_ == StoragePrecision::same) {
        call(std::type_identity<V>());
    } else {
        call(std::type_identity<single_precision_t<V>>());
    }
}

template <class V>
void BlockJacobi<V>::invert_blocks_of(const LinOp<V>& matrix)
{
    visit_csr(name(), matrix, [&]<class I>(const Csr<V, I>& csr) {
        with_blocks(values_.data(), [&]<class S>(DiagonalBlocksView<S> blocks) {
            block_jacobi_generate<V, S, I>(this->executor(), csr.view(), blocks, num_singular_.data());
        });
    });
}

template <class V>
void BlockJacobi<V>::apply_impl(const Dense<V>& b, Dense<V>& x) const
{
    apply_impl(V{1}, b, V{}, x);
}

template <class V>
void BlockJacobi<V>::apply_impl(Scalar<V> alpha, const Dense<V>& b, Scalar<V> beta, Dense<V>& x) const
{
    with_blocks(values_.data(), [&]<class S>(DiagonalBlocksView<const S> blocks) {
        block_jacobi_apply<V, S>(this->executor(), blocks, alpha, b.view(), beta, x.view());
    });
}

template <class V>
void BlockJacobi<V>::apply_dot_impl(const Dense<V>& b, Dense<V>& x, const DotRequest<V>& dots) const
{
    with_blocks(values_.data(), [&]<class S>(DiagonalBlocksView<const S> blocks) {
        block_jacobi_apply_dot<V, S>(this->executor(), blocks, b.view(), x.view(), dots.w.view(), dots.wx, dots.xx,
                                     dots.workspace);
    });
}

}  // namespace linden
