#pragma once

#include "core/base/math.hpp"
#include "core/kernels/aggregation.hpp"
#include "core/portable/body.hpp"
#include "core/portable/join_rest.hpp"
#include "core/portable/lanes.hpp"
#include "core/portable/strength.hpp"
#include "core/portable/strong_rows.hpp"

namespace linden {

template <class V, class I>
struct SweepRows {
    CsrView<V, I> a;
    const real_t<V>* sums;
    SweepRule rule;
    const V* before;
    V* after;
    I* is_slow;

    LINDEN_HOST_DEVICE size_type size() const { return a.rows; }
    LINDEN_HOST_DEVICE size_type num_entries() const { return a.num_nonzeros; }
    LINDEN_HOST_DEVICE size_type length(size_type row) const { return row_length(a, row); }
    template <class Lanes>
    LINDEN_HOST_DEVICE void operator()(Lanes, size_type row) const
    {
        V product{};
        for (size_type k = a.row_ptrs[row] + Lanes::lane(); k < a.row_ptrs[row + 1]; k += Lanes::size) {
            product += before == nullptr ? a.values[k] : a.values[k] * before[a.col_idxs[k]];
        }
        product = Lanes::sum(product);
        if (Lanes::lane() == 0) {
            const V here = before == nullptr ? V{1} : before[row];
            const V result = sums[row] > 0 ? here - static_cast<real_t<V>>(rule.damping / sums[row]) * product : V{};
            after[row] = result;
            if (is_slow != nullptr) {
                is_slow[row] = magnitude(result) <= static_cast<real_t<V>>(rule.limit) ? 0 : 1;
            }
        }
    }
};

template <class I>
struct BeginIndependentSet {
    PatternView<I> graph;
    size_type first;
    const I* roots;
    std::uint64_t* states;

    LINDEN_HOST_DEVICE size_type size() const { return graph.rows; }
    LINDEN_HOST_DEVICE size_type num_entries() const { return graph.num_nonzeros; }
    LINDEN_HOST_DEVICE size_type length(size_type row) const { return row_length(graph, row); }
    template <class Lanes>
    LINDEN_HOST_DEVICE void operator()(Lanes lanes, size_type row) const
    {
        const size_type begin = graph.row_ptrs[row];
        const size_type end = graph.row_ptrs[row + 1];
        if (roots == nullptr) {
            write<Lanes>(row, end - begin > 1, 0);
            return;
        }
        if (roots[row] >= 0) {
            write<Lanes>(row, false, 0);
            return;
        }
        const int num_free = count_entries<int>(
            lanes, begin, end, [&](size_type k) { return graph.col_idxs[k] != row && roots[graph.col_idxs[k]] < 0; });
        constexpr int last_class = IndependentState::most_classes - 1;
        write<Lanes>(row, num_free >= 4 && 2 * num_free >= end - begin - 1,
                     num_free < last_class ? last_class - num_free : 0);
    }

private:
    template <class Lanes>
    LINDEN_HOST_DEVICE void write(size_type row, bool may_be_root, int priority_class) const
    {
        if (Lanes::lane() == 0) {
            states[row] = may_be_root ? IndependentState::key(first + row, 0, priority_class)
                                      : std::uint64_t{IndependentState::excluded};
        }
    }
};

template <class I>
struct SpreadKeys {
    static constexpr bool is_often_idle = true;

    PatternView<I> graph;
    const I* roots;
    bool is_first;
    const std::uint64_t* states;
    std::uint64_t* least;

    LINDEN_HOST_DEVICE size_type size() const { return graph.rows; }
    LINDEN_HOST_DEVICE size_type num_entries() const { return graph.num_nonzeros; }
    LINDEN_HOST_DEVICE size_type length(size_type row) const
    {
        const bool is_done =
            (!is_first && least[row] == IndependentState::excluded) || (roots != nullptr && roots[row] >= 0);
        return is_done ? -1 : row_length(graph, row);
    }
    template <class Lanes>
    LINDEN_HOST_DEVICE void operator()(Lanes, size_type row) const
    {
        // The greatest of the complements: lanes have a maximum.
        std::uint64_t complement = 0;
        for (size_type k = graph.row_ptrs[row] + Lanes::lane(); k < graph.row_ptrs[row + 1]; k += Lanes::size) {
            const std::uint64_t other = ~states[graph.col_idxs[k]];
            complement = other > complement ? other : complement;
        }
        const std::uint64_t found = ~Lanes::max(complement);
        if (Lanes::lane() == 0) {
            least[row] = found == IndependentState::member ? std::uint64_t{IndependentState::excluded} : found;
        }
    }
};

template <class I>
struct DecideRows {
    static constexpr bool is_often_idle = true;

    PatternView<I> graph;
    size_type first;
    const I* roots;
    int round;
    const std::uint64_t* least;
    std::uint64_t* states;

    LINDEN_HOST_DEVICE size_type size() const { return graph.rows; }
    LINDEN_HOST_DEVICE size_type num_entries() const { return graph.num_nonzeros; }
    LINDEN_HOST_DEVICE size_type length(size_type row) const
    {
        const bool is_done = states[row] == IndependentState::member || states[row] == IndependentState::excluded;
        return is_done ? -1 : row_length(graph, row);
    }
    template <class Lanes>
    LINDEN_HOST_DEVICE void operator()(Lanes, size_type row) const
    {
        const std::uint64_t key = states[row];
        bool is_excluded = false, is_beaten = false;
        for (size_type k = graph.row_ptrs[row] + Lanes::lane(); k < graph.row_ptrs[row + 1]; k += Lanes::size) {
            const I col = graph.col_idxs[k];
            if (roots == nullptr || roots[col] < 0) {
                is_excluded = is_excluded || least[col] == IndependentState::excluded;
                is_beaten = is_beaten || least[col] != key;
            }
        }
        is_excluded = Lanes::any(is_excluded);
        is_beaten = Lanes::any(is_beaten);
        if (Lanes::lane() == 0) {
            states[row] = is_excluded ? std::uint64_t{IndependentState::excluded}
                          : is_beaten ? IndependentState::key(first + row, round, IndependentState::class_of(key))
                                      : std::uint64_t{IndependentState::member};
        }
    }
};

template <class I>
struct JoinMembers {
    static constexpr bool is_often_idle = true;

    PatternView<I> graph;
    const std::uint64_t* states;
    bool is_first;
    I* roots;

    LINDEN_HOST_DEVICE size_type size() const { return graph.rows; }
    LINDEN_HOST_DEVICE size_type num_entries() const { return graph.num_nonzeros; }
    LINDEN_HOST_DEVICE size_type length(size_type row) const
    {
        return !is_first && roots[row] >= 0 ? -1 : row_length(graph, row);
    }
    template <class Lanes>
    LINDEN_HOST_DEVICE void operator()(Lanes, size_type row) const
    {
        I root = -1;
        for (size_type k = graph.row_ptrs[row] + Lanes::lane(); k < graph.row_ptrs[row + 1]; k += Lanes::size) {
            const I col = graph.col_idxs[k];
            root = states[col] == IndependentState::member && col > root ? col : root;
        }
        root = Lanes::max(root);
        if (Lanes::lane() == 0) {
            roots[row] = root;
        }
    }
};

template <class I>
struct MarkRoots {
    size_type n;
    const I* roots;
    I* is_root;

    LINDEN_HOST_DEVICE size_type size() const { return n; }
    LINDEN_HOST_DEVICE void operator()(size_type i) const { is_root[i] = roots[i] == i ? 1 : 0; }
};

template <class I>
struct NumberAggregates {
    size_type n;
    const I* roots;
    const I* numbers;
    I* aggregates;

    LINDEN_HOST_DEVICE size_type size() const { return n; }
    LINDEN_HOST_DEVICE void operator()(size_type i) const
    {
        const I root = roots[i];
        aggregates[i] = root >= 0 ? numbers[root] : I{-1};
    }
};

template <class F>
void for_each_portable_aggregation(const F& f)
{
    for_each_index([&]<class I>() {
        f(aggregation_begin<I>, BodyOf<BeginIndependentSet<I>>());
        f(aggregation_spread<I>, BodyOf<SpreadKeys<I>>());
        f(aggregation_decide<I>, BodyOf<DecideRows<I>>());
        f(aggregation_join_members<I>, BodyOf<JoinMembers<I>>());
        f(aggregation_mark_roots<I>, BodyOf<MarkRoots<I>>());
        f(aggregation_number<I>, BodyOf<NumberAggregates<I>>());
    });
    for_each_value_index([&]<class V, class I>() {
        f(aggregation_measure<V, I>, BodyOf<MeasureStrength<V, I>>());
        f(aggregation_sweep<V, I>, BodyOf<SweepRows<V, I>>());
        f(aggregation_count_strong<V, I>, BodyOf<CountStrong<V, I>>());
        f(aggregation_take_marked<V, I>, BodyOf<TakeMarkedRows<V, I>>());
        f(aggregation_take_strong<V, I>, BodyOf<TakeStrong<V, I>>());
        f(aggregation_join_rest<V, I>, BodyOf<JoinRest<V, I>>());
    });
}

}  // namespace linden
