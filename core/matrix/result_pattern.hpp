#pragma once

#include <linden/error.hpp>
#include <linden/matrix/multiply.hpp>

#include <string>
#include <string_view>

#include "core/matrix/row_pointers.hpp"

/// Common functions of products and sums of sparse matrices.
namespace linden::detail {

/// @throws InvalidParameter if `matrix` is not on `exec`
template <class V, class I>
void require_on(const Executor& exec, std::string_view what, const Csr<V, I>& matrix)
{
    if (!(matrix.executor() == exec)) {
        throw InvalidParameter(what, "on " + matrix.executor().name(), "on the executor of A, " + exec.name());
    }
}

/// The pattern for these operands: `count(counts)` gives the lengths of its rows, `fill(row_ptrs, col_idxs)` its
/// columns.
/// @throws InvalidParameter naming `what` if I cannot hold the number of entries
template <class V, class I, class Count, class Fill>
ResultPattern<I> make_pattern(std::string_view what, const Csr<V, I>& a, const Csr<V, I>& b, Dim size,
                              const Count& count, const Fill& fill)
{
    const auto& exec = a.executor();
    Array<I> row_ptrs(exec, size.rows + 1);
    count(row_ptrs.data());
    Array<I> col_idxs(exec, make_row_ptrs(row_ptrs, what));
    fill(row_ptrs.data(), col_idxs.data());
    return {size, std::move(row_ptrs), std::move(col_idxs), a.size(), b.size(), a.num_nonzeros(), b.num_nonzeros()};
}

/// A matrix that takes ownership of the pattern; its values are unspecified.
template <class V, class I>
Csr<V, I> matrix_of(ResultPattern<I> pattern)
{
    const Executor exec = pattern.row_ptrs.executor();
    Array<V> values(exec, pattern.col_idxs.size());
    return Csr<V, I>(exec, pattern.size, std::move(pattern.row_ptrs), std::move(pattern.col_idxs), std::move(values));
}

/// A matrix with a copy of the pattern.
template <class V, class I>
Csr<V, I> matrix_on(const ResultPattern<I>& pattern)
{
    const Executor& exec = pattern.row_ptrs.executor();
    return Csr<V, I>(exec, pattern.size, pattern.row_ptrs.clone(), pattern.col_idxs.clone(),
                     Array<V>(exec, pattern.col_idxs.size()));
}

template <class V, class I>
void require_like_plan(std::string_view who, std::string_view what, const Csr<V, I>& matrix, const Executor& exec,
                       Dim size, size_type num_nonzeros)
{
    require_on(exec, what, matrix);
    if (matrix.size() != size) {
        throw DimensionMismatch(who, "the plan's " + std::string(what), size, what, matrix.size());
    }
    if (matrix.num_nonzeros() != num_nonzeros) {
        throw InvalidParameter(what, std::to_string(matrix.num_nonzeros()) + " entries",
                               "the " + std::to_string(num_nonzeros) + " entries that the plan was made for");
    }
}

/// @throws DimensionMismatch, InvalidParameter if the matrices differ from those that the pattern was made for
template <class V, class I>
void require_like_plan(std::string_view who, const ResultPattern<I>& pattern, const Csr<V, I>& a, const Csr<V, I>& b,
                       const Csr<V, I>& c)
{
    const Executor& exec = pattern.row_ptrs.executor();
    require_like_plan(who, "A", a, exec, pattern.a_size, pattern.a_nonzeros);
    require_like_plan(who, "B", b, exec, pattern.b_size, pattern.b_nonzeros);
    require_like_plan(who, "C", c, exec, pattern.size, pattern.col_idxs.size());
}

}  // namespace linden::detail
