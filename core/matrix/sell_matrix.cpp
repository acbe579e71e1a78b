#include <linden/matrix/dense.hpp>
#include <linden/matrix/sell_matrix.hpp>

#include <complex>
#include <optional>

#include "core/kernels/sell.hpp"
#include "core/matrix/sell_pattern.hpp"

// instantiate: class detail::SellMatrix<V, I>

namespace linden::detail {

template <class V, class I>
template <class F>
void SellMatrix<V, I>::with_storage(F&& f) const
{
    with_stored_type<V, I>(storage_, std::forward<F>(f));
}

/// Calls f(view) with the matrix in the types that it is stored in.
template <class V, class I>
template <class F>
void SellMatrix<V, I>::with_view(F&& f) const
{
    with_storage([&]<class S>() {
        const auto layout = pattern_.layout(this->size());
        const auto* const values = reinterpret_cast<const S*>(values_.data());
        if constexpr (sizeof(I) == 4) {
            if (pattern_.has_offsets) {
                f(SellView<S, std::uint16_t>{layout, pattern_.offsets.data(), values, pattern_.bases.data()});
                return;
            }
        }
        f(SellView<S, I>{layout, pattern_.col_idxs.data(), values});
    });
}

template <class V, class I>
SellMatrix<V, I>::SellMatrix(const Executor& exec, Dim size, SellPattern<I> pattern, Array<V> values)
    : SparseMatrix<V, I>(exec, size),
      pattern_(std::move(pattern)),
      values_(exec),
      adopted_(std::move(values))
{
    check_array("col_idxs", pattern_.col_idxs, exec, num_entries());
    check_array("values", adopted_, exec, num_entries());
    values_ = Array<std::byte>::view(exec, static_cast<size_type>(adopted_.bytes()),
                                     reinterpret_cast<std::byte*>(adopted_.data()));
}

template <class V, class I>
SellMatrix<V, I>::SellMatrix(const Csr<V, I>& matrix, SellPattern<I> pattern, StoragePrecision storage)
    : SparseMatrix<V, I>(matrix.executor(), matrix.size()),
      pattern_(std::move(pattern)),
      storage_(storage),
      values_(matrix.executor()),
      adopted_(matrix.executor()),
      num_nonzeros_(matrix.num_nonzeros())
{
    with_storage([&]<class S>() { values_.resize(num_entries() * static_cast<size_type>(sizeof(S))); });
    fill(pattern_, matrix);
}

template <class V, class I>
SellMatrix<V, I>::SellMatrix(const SellMatrix& other, const Executor& exec)
    : SparseMatrix<V, I>(exec, other.size()),
      pattern_(other.pattern_.clone(exec)),
      storage_(other.storage_),
      values_(other.values_.clone(exec)),
      adopted_(exec),
      num_nonzeros_(other.num_nonzeros_)
{
}

/// Fills the columns of `pattern` and this matrix's values.
template <class V, class I>
void SellMatrix<V, I>::fill(SellPattern<I>& pattern, const Csr<V, I>& matrix)
{
    Array<size_type> map(this->executor(), pattern.num_entries());
    fill_sell<I>(pattern, matrix.view(), map.data());
    with_storage([&]<class S>() { gather_values<V, S>(map, matrix.values(), reinterpret_cast<S*>(values_.data())); });
}

template <class V, class I>
void SellMatrix<V, I>::fill(const Csr<V, I>& matrix)
{
    if (pattern_.has_offsets) {
        auto with_columns = pattern_.clone(this->executor());
        fill(with_columns, matrix);
    } else {
        fill(pattern_, matrix);
    }
}

template <class V, class I>
Csr<V, I> SellMatrix<V, I>::to_csr() const
{
    const auto& exec = this->executor();
    const auto layout = pattern_.layout(this->size());
    Array<I> expanded(exec);
    if constexpr (sizeof(I) == 4) {
        if (pattern_.has_offsets) {
            expanded.resize(num_entries());
            sell_expand(exec, pattern_.slice_rows, pattern_.num_columns, pattern_.bases.data(), pattern_.offsets.data(),
                        expanded.data());
        }
    }
    const I* const columns = pattern_.has_offsets ? expanded.data() : pattern_.col_idxs.data();
    std::optional<Csr<V, I>> result;
    with_storage([&]<class S>() {
        result = assemble_csr<V, I>(this->size(), count_sell(exec, layout, columns),
                                    reinterpret_cast<const S*>(values_.data()),
                                    [&](const I* row_ptrs, I* col_idxs, size_type* map) {
                                        sell_extract<I>(exec, layout, columns, row_ptrs, col_idxs, map);
                                    });
    });
    return std::move(*result);
}

template <class V, class I>
size_type SellMatrix<V, I>::num_nonzeros() const
{
    if (num_nonzeros_ >= 0) {
        return num_nonzeros_;
    }
    auto counts = count_sell(this->executor(), pattern_.layout(this->size()), pattern_.col_idxs.data());
    return make_row_ptrs(counts, "the matrix");
}

template <class V, class I>
void SellMatrix<V, I>::apply_impl(Scalar<V> alpha, const Dense<V>& b, Scalar<V> beta, Dense<V>& x) const
{
    with_view([&]<class S, class J>(const SellView<S, J>& view) {
        sell_spmv<V, S, J>(this->executor(), view, alpha, b.view(), beta, x.view());
    });
}

template <class V, class I>
void SellMatrix<V, I>::apply_dot_impl(const Dense<V>& b, Dense<V>& x, const DotRequest<V>& dots) const
{
    with_view([&]<class S, class J>(const SellView<S, J>& view) {
        sell_spmv_dot<V, S, J>(this->executor(), view, b.view(), x.view(), dots.w.view(), dots.wx, dots.xx,
                               dots.workspace);
    });
}

}  // namespace linden::detail
