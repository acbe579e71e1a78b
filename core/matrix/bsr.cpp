#include <linden/matrix/bsr.hpp>
#include <linden/matrix/dense.hpp>

#include "core/kernels/bsr.hpp"
#include "core/matrix/formats.hpp"

// instantiate: class Bsr<V, I>

namespace linden {
namespace {

size_type checked_block_size(size_type s)
{
    if (s < 2 || s > max_bsr_block_size) {
        throw InvalidParameter("block_size", std::to_string(s), "2 to " + std::to_string(max_bsr_block_size));
    }
    return s;
}

}  // namespace

template <class V, class I>
Bsr<V, I>::Bsr(Executor exec, Dim size, size_type block_size, Array<I> row_ptrs, Array<I> col_idxs, Array<V> values)
    : detail::SparseMatrix<V, I>(exec, size),
      num_nonzeros_(values.size()),
      block_size_(checked_block_size(block_size)),
      row_ptrs_(std::move(row_ptrs)),
      col_idxs_(std::move(col_idxs)),
      values_(std::move(values))
{
    detail::check_array("row_ptrs", row_ptrs_, exec, (size.rows + block_size - 1) / block_size + 1);
    detail::check_array("col_idxs", col_idxs_, exec, col_idxs_.size());
    detail::check_array("values", values_, exec, col_idxs_.size() * block_size * block_size);
}

template <class V, class I>
void Bsr<V, I>::Parameters::describe(ParameterVisitor& v)
{
    v("block_size", block_size, "rows and columns of a block, 2 to 8");
    detail::describe_max_fill(v, max_fill);
}

template <class V, class I>
Bsr<V, I> Bsr<V, I>::from_csr(const Csr<V, I>& matrix, Parameters parameters)
{
    const auto& exec = matrix.executor();
    const auto s = checked_block_size(parameters.block_size);
    Array<I> row_ptrs(exec, (matrix.size().rows + s - 1) / s + 1);
    bsr_count_blocks<I>(exec, matrix.view(), s, row_ptrs.data());
    const auto num_blocks = detail::make_row_ptrs(row_ptrs, "the blocks");
    detail::check_fill("Bsr", num_blocks * s * s, matrix.num_nonzeros(), matrix.size().rows, parameters.max_fill);
    Array<I> col_idxs(exec, num_blocks);
    bsr_find_blocks<I>(exec, matrix.view(), s, row_ptrs.data(), col_idxs.data());
    Bsr result(exec, matrix.size(), s, std::move(row_ptrs), std::move(col_idxs), Array<V>(exec, num_blocks * s * s));
    result.num_nonzeros_ = matrix.num_nonzeros();
    result.fill(matrix);
    return result;
}

template <class V, class I>
void Bsr<V, I>::fill(const Csr<V, I>& matrix)
{
    Array<size_type> map(this->executor(), values_.size());
    bsr_fill<I>(this->executor(), matrix.view(), layout(), map.data());
    detail::gather_values<V, V>(map, matrix.values(), values_.data());
}

template <class V, class I>
Csr<V, I> Bsr<V, I>::to_csr() const
{
    const auto& exec = this->executor();
    const auto marks = detail::nonzero_marks(values_);
    Array<I> counts(exec, this->size().rows + 1);
    bsr_count_rows<I>(exec, layout(), marks.data(), counts.data());
    return detail::assemble_csr<V, I>(this->size(), std::move(counts), values_.data(),
                                      [&](const I* row_ptrs, I* col_idxs, size_type* map) {
                                          bsr_extract<I>(exec, layout(), marks.data(), row_ptrs, col_idxs, map);
                                      });
}

template <class V, class I>
Bsr<V, I> Bsr<V, I>::copy(const Executor& exec) const
{
    Bsr result(exec, this->size(), block_size_, row_ptrs_.clone(exec), col_idxs_.clone(exec), values_.clone(exec));
    result.num_nonzeros_ = num_nonzeros_;
    return result;
}

template <class V, class I>
void Bsr<V, I>::apply_impl(Scalar<V> alpha, const Dense<V>& b, Scalar<V> beta, Dense<V>& x) const
{
    bsr_spmv<V, I>(this->executor(), view(), alpha, b.view(), beta, x.view());
}

}  // namespace linden
