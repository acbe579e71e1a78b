#pragma once

#include <algorithm>
#include <vector>

#include "core/factorization/direct_analysis.hpp"
#include "core/factorization/direct_factors.hpp"
#include "core/factorization/ordered_factors.hpp"
#include "core/factorization/plain_factors.hpp"
#include "core/factorization/row_panels.hpp"

/// Panels of factors on hosts, and what factors take there.
namespace linden::detail {

/// What hosts need besides the values.
template <class I>
struct HostPanels {
    /// tree: of the pattern; has_steps: as for make_row_panels.
    HostPanels(const HostPattern<I>& pattern, const std::vector<I>& tree, bool has_steps)
        : rows(make_row_panels(pattern, tree, has_steps)),
          updates(count_updates(rows.view(view_of(pattern)), most_updates_per_entry))
    {
    }
    RowPanels<I> rows;
    UpdateSizes updates;
};

/// Panels of an analysis's pattern. One thread has no use for several tasks, and finds the same bits.
template <class I>
HostPanels<I> panels_of(const Executor& exec, const DirectPlan& plan, const HostPattern<I>& pattern,
                        const DirectAnalysis<I>& analysis)
{
    const bool has_tasks = plan.pivoting == Pivoting::fixed && exec.info().num_units > 1;
    return {pattern, has_tasks ? analysis.tree() : std::vector<I>{}, true};
}

template <class V, class I>
HostPanels<I> panels_of(const PlainFactors<V, I>& factors)
{
    const auto& found = factors.found;
    const bool has_steps = !UpdateList<I>::has_all(found.pattern.rows(), found.pattern.num_nonzeros(),
                                                   found.num_updates, most_updates_per_entry);
    return {found.pattern, found.tree, has_steps};
}

template <class V, class I>
size_type panels_workspace(const Executor& exec, size_type n)
{
    return std::max(panels_workspace_bytes<V>(n, num_threads_of(exec)), UpdateList<I>::workspace_bytes(n));
}

/// The bytes of factors with this pattern on a host, their set-up's and a solve's vectors among them. num_entries: of A
template <class V, class I>
size_type bytes_on_host(const Executor& exec, size_type num_entries, const HostPattern<I>& pattern,
                        const HostPanels<I>& panels, bool may_be_hermitian)
{
    using R = real_t<V>;
    const size_type n = pattern.rows(), of_across = may_be_hermitian && panels.updates.is_there ? num_entries : 0;
    return pattern.num_nonzeros() * static_cast<size_type>(sizeof(V) + sizeof(I)) +
           num_entries * static_cast<size_type>(sizeof(I) + sizeof(R)) +
           (of_across + 1 + 4 * n) * static_cast<size_type>(sizeof(I)) + 3 * n * static_cast<size_type>(sizeof(R)) +
           panels.rows.bytes() + panels.updates.template bytes<I>() + panels_workspace<V, I>(exec, n) +
           bytes_of_trial<V>(n) + static_cast<size_type>(sizeof(PivotReport));
}

/// Cholesky factors hold both triangles, and are one.
template <class I>
size_type entries_on_host(const DirectPlan& plan, const HostPattern<I>& pattern)
{
    return plan.is_cholesky ? (pattern.num_nonzeros() + pattern.rows()) / 2 : pattern.num_nonzeros();
}

template <class V, class I>
FactorSize size_on_host(const Executor& exec, const DirectPlan& plan, size_type num_entries,
                        const PlainFactors<V, I>& factors, const HostPanels<I>& panels)
{
    const auto& pattern = factors.found.pattern;
    const auto bytes = bytes_on_host<V, I>(exec, num_entries, pattern, panels, factors.found.is_hermitian);
    if (factors.block_ptrs.size() <= 2) {
        return {entries_on_host(plan, pattern), bytes, 0};
    }
    const size_type outside = factors.found.outside.num_nonzeros();
    const auto indices = static_cast<size_type>(factors.block_ptrs.size()) + pattern.rows() + 1 + outside;
    return {pattern.num_nonzeros() + outside,
            bytes + outside * static_cast<size_type>(sizeof(V)) + indices * static_cast<size_type>(sizeof(I)), 0};
}

}  // namespace linden::detail
