#pragma once

#include <linden/matrix/csr.hpp>

#include <algorithm>
#include <utility>

#include "core/colouring/colouring.hpp"
#include "core/factorization/pivot_selection.hpp"
#include "core/kernels/multi_elimination.hpp"
#include "core/kernels/multigrid.hpp"
#include "core/matrix/row_pointers.hpp"
#include "core/multi_elimination/level.hpp"

/// The choice of a level's pivots.
namespace linden::detail {

/// More rounds find few more members.
inline constexpr int num_rounds = 6;
/// Of the hashed order, on all levels.
inline constexpr std::uint64_t hash_seed = 1;

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

/// The same in natural or in a hashed order, which is maximal: rows are members or have a neighbour among them. Waits.
template <class I>
Array<I> set_in_order(const Executor& exec, PatternView<I> a, bool is_hashed)
{
    const auto graph = symmetric_pattern<I>(exec, a);
    Array<I> order(exec, is_hashed ? a.rows : 0), rank(exec, order.size()), is_member(exec, a.rows);
    if (is_hashed) {
        colouring_hashed_order<I>(exec, a.rows, hash_seed, order.data(), rank.data());
    }
    Array<std::byte> workspace(exec, colouring_workspace_bytes(a.rows));
    colouring_independent_set<I>(exec, graph.view(),
                                 is_hashed ? VisitView<I>{order.data(), rank.data()} : VisitView<I>{}, is_member.data(),
                                 {workspace.data(), workspace.size()});
    return is_member;
}

/// The colour with the most rows; of several the first.
template <class I>
I largest_class(const Colouring<I>& colouring)
{
    const auto& sizes = colouring.sizes;
    return static_cast<I>(std::max_element(sizes.begin(), sizes.end()) - sizes.begin());
}

/// Whether a is Hermitian but for small differences. Then so are its Schur complements, and an entry that is dropped
/// without its mirror image is about as small as what may be dropped. Waits.
template <class V, class I>
bool is_hermitian(const Executor& exec, CsrView<V, I> a)
{
    const size_type n = a.rows;
    Array<I> marks(exec, 3 * n);
    I* const is_incomplete = marks.data();
    multigrid_inspect<V, I>(exec, a, {is_incomplete, is_incomplete + n, is_incomplete + 2 * n});
    const auto counts = count_marks(marks, 3);
    return counts[0] == 0 && counts[1] == 0;
}

/// The column of each row's pivot, -1 for none. is_hermitian: of the first level's matrix. Waits, unless it is.
template <class V, class I>
Array<I> choose_pivots(const Executor& exec, CsrView<V, I> a, const EliminationPlan& plan, bool is_hermitian,
                       EliminationMemory<V, I>& memory)
{
    if (plan.pivots == EliminationPivots::off_diagonal) {
        return std::move(select_pivots<V, I>(exec, a, {.delta = plan.delta}).column);
    }
    if (plan.pivots == EliminationPivots::degree && !is_hermitian && !is_symmetric<I>(exec, a)) {
        return std::move(select_pivots<V, I>(exec, a, {.delta = plan.delta, .diagonal_only = true}).column);
    }
    Array<I> pivots(exec, a.rows);
    const auto take = [&](const I* classes, I members) {
        multi_elimination_take_members<I>(exec, a.rows, classes, members, pivots.data());
    };
    if (plan.pivots == EliminationPivots::degree) {
        take(set_by_degree<V, I>(exec, a, plan, memory), I{1});
    } else if (plan.pivots == EliminationPivots::largest_colour) {
        const auto colouring = colour_pattern<I>(exec, a, {});
        take(colouring.colours.data(), largest_class(colouring));
    } else {
        take(set_in_order<I>(exec, a, plan.pivots == EliminationPivots::hashed).data(), I{1});
    }
    return pivots;
}

}  // namespace linden::detail
