#pragma once

#include <linden/array.hpp>
#include <linden/views.hpp>

#include "core/matrix/pattern_arithmetic.hpp"

/// Where incomplete factors have entries; `source` says which entry of A each one starts as, -1 for fill.
namespace linden::detail {

/// A's pattern and the diagonal; for Cholesky factors the lower triangle alone.  a: sorted rows.
template <class I>
Pattern<I> pattern_without_fill(const Executor& exec, PatternView<I> a, bool is_cholesky);

/// The same with k levels of fill. Found on a host.
template <class I>
Pattern<I> pattern_with_levels(const Executor& exec, PatternView<I> a, size_type k, bool is_cholesky);

/// A's pattern and the diagonal, to the power of `power` >= 1.  a: n x n, sorted rows.
/// @throws InvalidParameter if I cannot hold the number of entries
template <class I>
Pattern<I> pattern_of_power(const Executor& exec, PatternView<I> a, size_type power);

/// The entries of A that a pattern has.
template <class I>
Array<I> source_of(const Executor& exec, PatternView<I> f, PatternView<I> a);

/// `exec` if it is a host's, else the host's best.
Executor host_beside(const Executor& exec);

}  // namespace linden::detail
