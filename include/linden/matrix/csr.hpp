#pragma once

#include <linden/array.hpp>
#include <linden/lin_op.hpp>
#include <linden/matrix_data.hpp>

#include <type_traits>

namespace linden {

template <class V, class I>
class CsrSchedule;

/// A sparse matrix in compressed sparse row format; columns are sorted and unique within a row.
///
/// On a device the first product examines the row lengths, waits for the result, and selects the kernel for all later
/// products. A movable value; a moved-from Csr is the empty matrix, 0 x 0.
template <class V, class I>
class LINDEN_EXPORT Csr : public LinOp<V> {
    static_assert(is_index_type<I>, "indices are std::int32_t or std::int64_t");

public:
    using index_type = I;

    /// A matrix without entries. @throws InvalidParameter if a size is negative
    Csr(Executor exec, Dim size);
    /// Takes ownership of arrays on `exec`. row_ptrs: rows + 1, col_idxs and values: nonzeros. The indices are not
    /// read: `require_valid_pattern` checks them.
    /// @throws InvalidParameter if a length does not match the size or an array is on another executor
    Csr(Executor exec, Dim size, Array<I> row_ptrs, Array<I> col_idxs, Array<V> values);
    /// A copy of host data. @throws OutOfMemory, InvalidParameter unless well formed (LINDEN_CHECK_PATTERNS: sorted)
    Csr(Executor exec, const CsrData<V, I>& data);

    std::string name() const override { return "Csr"; }
    bool is_capturable() const override { return true; }
    std::unique_ptr<LinOp<V>> clone(const Executor& exec) const override;
    /// A copy as a value.
    Csr copy(const Executor& exec) const;
    Csr copy() const { return copy(this->executor()); }

    size_type num_nonzeros() const { return col_idxs_.size(); }
    const I* row_ptrs() const { return row_ptrs_.data(); }
    const I* col_idxs() const { return col_idxs_.data(); }
    V* values() { return values_.data(); }
    const V* values() const { return values_.data(); }
    CsrView<V, I> view() const;
    CsrData<V, I> to_host() const;

    /// Takes the values of `matrix`, which has the same pattern. @throws NotSupported, DimensionMismatch
    void update_values(LinOpPtr<V> matrix) override;

protected:
    void apply_impl(const Dense<V>& b, Dense<V>& x) const override;
    void apply_impl(Scalar<V> alpha, const Dense<V>& b, Scalar<V> beta, Dense<V>& x) const override;
    void apply_dot_impl(const Dense<V>& b, Dense<V>& x, const DotRequest<V>& dots) const override;

private:
    Array<I> row_ptrs_;
    Array<I> col_idxs_;
    Array<V> values_;
    std::shared_ptr<CsrSchedule<V, I>> schedule_;
};

/// Reads the pattern once on the matrix's executor, and waits for it; values may be anything.
/// @throws InvalidParameter naming the first row pointer that does not rise from 0 to nnz, the first column index
/// outside of the matrix, or the first row whose columns do not increase strictly
template <class V, class I>
LINDEN_EXPORT void require_valid_pattern(const Csr<V, I>& matrix);

/// `csr_view` of a pattern that is known to be good: nothing is read, and nobody waits.
/// @throws InvalidParameter if a size is negative
template <class V, class I>
Csr<V, I> csr_view_unchecked(const Executor& exec, size_type rows, size_type cols, size_type nnz, const I* row_ptrs,
                             const I* col_idxs, const V* values)
{
    return Csr<V, I>(exec, {rows, cols}, Array<I>::view(exec, rows + 1, const_cast<I*>(row_ptrs)),
                     Array<I>::view(exec, nnz, const_cast<I*>(col_idxs)),
                     Array<V>::view(exec, nnz, const_cast<V*>(values)));
}

/// A Csr over the caller's arrays, without a copy: `row_ptrs` (rows + 1), `col_idxs` and `values` (nnz) are in `exec`'s
/// memory and must outlive the result. Columns are sorted and unique within a row; where they are not,
/// `sort_rows(csr_view_unchecked(...))` makes a sorted copy, which later changes of the arrays do not reach.
/// @throws InvalidParameter if a size is negative, and what `require_valid_pattern` throws
template <class V, class I>
requires(!std::is_const_v<V>) Csr<V, I> csr_view(const Executor& exec, size_type rows, size_type cols, size_type nnz,
                                                 const I* row_ptrs, const I* col_idxs, V* values)
{
    auto matrix = csr_view_unchecked<V, I>(exec, rows, cols, nnz, row_ptrs, col_idxs, values);
    require_valid_pattern(matrix);
    return matrix;
}

/// The same over values that must not change: do not write through the result, by `values()` or `update_values`.
template <class V, class I>
Csr<V, I> csr_view(const Executor& exec, size_type rows, size_type cols, size_type nnz, const I* row_ptrs,
                   const I* col_idxs, const V* values)
{
    return csr_view<V, I>(exec, rows, cols, nnz, row_ptrs, col_idxs, const_cast<V*>(values));
}

}  // namespace linden
