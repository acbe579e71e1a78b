#pragma once

#include <linden/error.hpp>
#include <linden/matrix/multiply.hpp>

#include <string_view>

/// What products and sums of sparse matrices share.
namespace linden::detail {

/// @throws InvalidParameter if `matrix` is not on `exec`
template <class V, class I>
void require_on(const Executor& exec, std::string_view what, const Csr<V, I>& matrix)
{
    if (!(matrix.executor() == exec)) {
        throw InvalidParameter(what, "on " + matrix.executor().name(), "on the executor of A, " + exec.name());
    }
}

/// A matrix that takes over the pattern; its values are unspecified.
template <class V, class I>
Csr<V, I> matrix_of(Pattern<I> pattern)
{
    const Executor exec = pattern.row_ptrs.executor();
    Array<V> values(exec, pattern.col_idxs.size());
    return Csr<V, I>(exec, pattern.size, std::move(pattern.row_ptrs), std::move(pattern.col_idxs), std::move(values));
}

}  // namespace linden::detail
