#pragma once

#include <linden/array.hpp>
#include <linden/views.hpp>

#include "core/matrix/make_pattern.hpp"

/// Patterns of incomplete factors (symbolic phase); `source` maps each entry to the entry of A it starts from, -1 for
/// fill-in.
namespace linden::detail {

/// A's pattern and the diagonal; for Cholesky factors the lower triangle only.  a: sorted rows.
template <class I>
Pattern<I> pattern_without_fill(const Executor& exec, PatternView<I> a, bool is_cholesky);

/// The pattern with k levels of fill. Computed on the host.
template <class I>
Pattern<I> pattern_with_levels(const Executor& exec, PatternView<I> a, size_type k, bool is_cholesky);

/// The entries of A that a pattern has.
template <class I>
Array<I> source_of(const Executor& exec, PatternView<I> f, PatternView<I> a);

/// `exec` if it is a host executor, else the best host executor.
Executor host_beside(const Executor& exec);

}  // namespace linden::detail
