#pragma once

#include <linden/matrix/csr.hpp>

#include <utility>

#include "core/colouring/colouring.hpp"
#include "core/factorization/pivot_selection.hpp"
#include "core/kernels/multi_elimination.hpp"
#include "core/multi_elimination/level.hpp"

/// The choice of a level's pivots.
namespace linden::detail {

/// More rounds find few more members.
inline constexpr int num_rounds = 6;

/// 1 for the members of an independent set, greedily by the number of a row's entries; other values for other rows.
template <class V, class I>
const I* set_by_degree(const Executor& exec, CsrView<V, I> a, const EliminationPlan& plan,
                       EliminationMemory<V, I>& memory)
{
    const size_type n = a.rows;
    real_t<V>* const strengths = memory.room(memory.strengths, n);
    std::uint64_t* const keys = memory.room(memory.keys, n);
    multi_elimination_measure<V, I>(exec, a, plan.delta, strengths, keys);
    const NeighbourRule<real_t<V>> rule{keys, strengths, plan.theta};
    I* before = memory.room(memory.before, n + 1);
    I* after = memory.room(memory.after, n + 1);
    multi_elimination_decide<V, I>(exec, a, rule, nullptr, after);
    for (int round = 1; round < num_rounds; ++round) {
        std::swap(before, after);
        multi_elimination_decide<V, I>(exec, a, rule, before, after);
    }
    return after;
}

/// The same in natural order, which is maximal: rows are members or have a neighbour among them. Waits.
template <class I>
Array<I> set_in_natural_order(const Executor& exec, PatternView<I> a)
{
    const auto graph = symmetric_pattern<I>(exec, a);
    Array<I> is_member(exec, a.rows);
    Array<std::byte> workspace(exec, colouring_workspace_bytes(a.rows));
    colouring_independent_set<I>(exec, graph.view(), {}, is_member.data(), {workspace.data(), workspace.size()});
    return is_member;
}

/// The column of each row's pivot, -1 for none. Waits.
template <class V, class I>
Array<I> choose_pivots(const Executor& exec, CsrView<V, I> a, const EliminationPlan& plan,
                       EliminationMemory<V, I>& memory)
{
    if (plan.pivots == EliminationPivots::off_diagonal) {
        return std::move(select_pivots<V, I>(exec, a, {.delta = plan.delta}).column);
    }
    if (plan.pivots == EliminationPivots::degree && !is_symmetric<I>(exec, a)) {
        return std::move(select_pivots<V, I>(exec, a, {.delta = plan.delta, .diagonal_only = true}).column);
    }
    Array<I> pivots(exec, a.rows);
    const auto take = [&](const I* is_member) {
        multi_elimination_take_members<I>(exec, a.rows, is_member, pivots.data());
    };
    if (plan.pivots == EliminationPivots::natural) {
        take(set_in_natural_order<I>(exec, a).data());
    } else {
        take(set_by_degree<V, I>(exec, a, plan, memory));
    }
    return pivots;
}

}  // namespace linden::detail
