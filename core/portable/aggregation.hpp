#pragma once

#include "core/base/math.hpp"
#include "core/kernels/aggregation.hpp"
#include "core/portable/body.hpp"
#include "core/portable/lanes.hpp"
#include "core/portable/search.hpp"

namespace linden {

template <class V, class I>
struct MeasureStrength {
    CsrView<V, I> a;
    real_t<V>* largest;
    real_t<V>* sums;
    I* is_mixed;

    LINDEN_HOST_DEVICE size_type size() const { return a.rows; }
    LINDEN_HOST_DEVICE size_type num_entries() const { return a.num_nonzeros; }
    template <class Lanes>
    LINDEN_HOST_DEVICE void operator()(Lanes, size_type row) const
    {
        const size_type end = a.row_ptrs[row + 1];
        V diagonal{};
        if (is_mixed != nullptr) {
            const size_type at = first_from(a.col_idxs, a.row_ptrs[row], end, row);
            diagonal = at < end && a.col_idxs[at] == row ? conj(a.values[at]) : V{};
        }
        real_t<V> most{}, others{}, own{}, opposed{};
        for (size_type k = a.row_ptrs[row] + Lanes::lane(); k < end; k += Lanes::size) {
            const V value = a.values[k];
            const real_t<V> size_of_entry = magnitude(value);
            if (a.col_idxs[k] == row) {
                own = size_of_entry;
                continue;
            }
            others += size_of_entry;
            most = size_of_entry > most ? size_of_entry : most;
            opposed += real(value * diagonal) > 0 ? size_of_entry : real_t<V>{};
        }
        most = Lanes::max(most);
        others = Lanes::sum(others);
        own = Lanes::sum(own);
        opposed = Lanes::sum(opposed);
        if (Lanes::lane() == 0) {
            largest[row] = most;
            sums[row] = others + own;
            if (is_mixed != nullptr) {
                is_mixed[row] = 10 * opposed > others ? 1 : 0;
            }
        }
    }
};

/// Tells strong entries of a row from weak ones.
template <class V, class I>
struct StrongEntries {
    const CsrView<V, I>& a;
    const StrengthRule<real_t<V>>& rule;
    size_type row;
    V diagonal;

    LINDEN_HOST_DEVICE StrongEntries(const CsrView<V, I>& matrix, const StrengthRule<real_t<V>>& strength, size_type i)
        : a(matrix),
          rule(strength),
          row(i),
          diagonal(diagonal_of(i))
    {
    }

    LINDEN_HOST_DEVICE bool operator()(size_type k) const
    {
        const I col = a.col_idxs[k];
        if (col == row) {
            return true;
        }
        const real_t<V> here = rule.largest[row];
        const real_t<V> there = rule.largest[col];
        const auto limit = static_cast<real_t<V>>(0.9999 * rule.threshold) * (here < there ? here : there);
        if (is_strong(a.values[k], limit, diagonal)) {
            return true;
        }
        if (rule.is_hermitian && !is_strong(real_t<V>(1.001) * a.values[k], limit, diagonal)) {
            return false;
        }
        const size_type mirrored = find_entry<I>(a, col, row);
        return mirrored >= 0 && is_strong(a.values[mirrored], limit, diagonal_of(col));
    }

private:
    LINDEN_HOST_DEVICE V diagonal_of(size_type i) const
    {
        const size_type at = find_entry<I>(a, i, i);
        return at < 0 ? V{} : conj(a.values[at]);
    }
    LINDEN_HOST_DEVICE static bool is_strong(V value, real_t<V> limit, V conjugated_diagonal)
    {
        const real_t<V> size_of_entry = magnitude(value);
        return size_of_entry > 0 && size_of_entry >= limit && !(real(value * conjugated_diagonal) > 0);
    }
};

template <class V, class I>
struct CountStrong {
    CsrView<V, I> a;
    StrengthRule<real_t<V>> rule;
    I* counts;

    LINDEN_HOST_DEVICE size_type size() const { return a.rows; }
    LINDEN_HOST_DEVICE size_type num_entries() const { return a.num_nonzeros; }
    template <class Lanes>
    LINDEN_HOST_DEVICE void operator()(Lanes, size_type row) const
    {
        const StrongEntries<V, I> is_strong(a, rule, row);
        I count = 0;
        for (size_type k = a.row_ptrs[row] + Lanes::lane(); k < a.row_ptrs[row + 1]; k += Lanes::size) {
            count += is_strong(k) ? 1 : 0;
        }
        count = Lanes::sum(count);
        if (Lanes::lane() == 0) {
            counts[row] = count;
        }
    }
};

template <class V, class I>
struct TakeStrong {
    CsrView<V, I> a;
    StrengthRule<real_t<V>> rule;
    const I* row_ptrs;
    I* col_idxs;

    LINDEN_HOST_DEVICE size_type size() const { return a.rows; }
    LINDEN_HOST_DEVICE size_type num_entries() const { return a.num_nonzeros; }
    template <class Lanes>
    LINDEN_HOST_DEVICE void operator()(Lanes lanes, size_type row) const
    {
        const StrongEntries<V, I> is_strong(a, rule, row);
        compact_entries(lanes, a.row_ptrs[row], a.row_ptrs[row + 1], row_ptrs[row], is_strong,
                        [&](size_type at, size_type k) { col_idxs[at] = a.col_idxs[k]; });
    }
};

template <class I>
struct BeginIndependentSet {
    PatternView<I> graph;
    const I* roots;
    std::uint64_t* states;

    LINDEN_HOST_DEVICE size_type size() const { return graph.rows; }
    LINDEN_HOST_DEVICE size_type num_entries() const { return graph.num_nonzeros; }
    template <class Lanes>
    LINDEN_HOST_DEVICE void operator()(Lanes, size_type row) const
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
        int num_free = 0;
        for (size_type k = begin + Lanes::lane(); k < end; k += Lanes::size) {
            num_free += graph.col_idxs[k] != row && roots[graph.col_idxs[k]] < 0 ? 1 : 0;
        }
        num_free = Lanes::sum(num_free);
        constexpr int last_class = IndependentState::most_classes - 1;
        write<Lanes>(row, num_free >= 4 && 2 * num_free >= end - begin - 1,
                     num_free < last_class ? last_class - num_free : 0);
    }

private:
    template <class Lanes>
    LINDEN_HOST_DEVICE void write(size_type row, bool may_be_root, int priority_class) const
    {
        if (Lanes::lane() == 0) {
            states[row] =
                may_be_root ? IndependentState::key(row, 0, priority_class) : std::uint64_t{IndependentState::excluded};
        }
    }
};

template <class I>
struct SpreadKeys {
    PatternView<I> graph;
    const I* roots;
    bool is_first;
    const std::uint64_t* states;
    std::uint64_t* least;

    LINDEN_HOST_DEVICE size_type size() const { return graph.rows; }
    LINDEN_HOST_DEVICE size_type num_entries() const { return graph.num_nonzeros; }
    template <class Lanes>
    LINDEN_HOST_DEVICE void operator()(Lanes, size_type row) const
    {
        if ((!is_first && least[row] == IndependentState::excluded) || (roots != nullptr && roots[row] >= 0)) {
            return;
        }
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
    PatternView<I> graph;
    const I* roots;
    int round;
    const std::uint64_t* least;
    std::uint64_t* states;

    LINDEN_HOST_DEVICE size_type size() const { return graph.rows; }
    LINDEN_HOST_DEVICE size_type num_entries() const { return graph.num_nonzeros; }
    template <class Lanes>
    LINDEN_HOST_DEVICE void operator()(Lanes, size_type row) const
    {
        const std::uint64_t key = states[row];
        if (key == IndependentState::member || key == IndependentState::excluded) {
            return;
        }
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
                          : is_beaten ? IndependentState::key(row, round, IndependentState::class_of(key))
                                      : std::uint64_t{IndependentState::member};
        }
    }
};

template <class I>
struct MarkUndecided {
    size_type n;
    const std::uint64_t* states;
    I* marks;

    LINDEN_HOST_DEVICE size_type size() const { return n; }
    LINDEN_HOST_DEVICE void operator()(size_type i) const
    {
        marks[i] = states[i] != IndependentState::member && states[i] != IndependentState::excluded ? 1 : 0;
    }
};

template <class I>
struct JoinMembers {
    PatternView<I> graph;
    const std::uint64_t* states;
    bool is_first;
    I* roots;

    LINDEN_HOST_DEVICE size_type size() const { return graph.rows; }
    LINDEN_HOST_DEVICE size_type num_entries() const { return graph.num_nonzeros; }
    template <class Lanes>
    LINDEN_HOST_DEVICE void operator()(Lanes, size_type row) const
    {
        if (!is_first && roots[row] >= 0) {
            return;
        }
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

/// One thread per row: few rows have anything to do.
template <class V, class I>
struct JoinRest {
    CsrView<V, I> a;
    PatternView<I> graph;
    const I* before;
    I* after;

    LINDEN_HOST_DEVICE size_type size() const { return a.rows; }
    LINDEN_HOST_DEVICE void operator()(size_type row) const
    {
        after[row] = before[row] >= 0 ? before[row] : strongest_root(row);
    }

private:
    LINDEN_HOST_DEVICE I strongest_root(size_type row) const
    {
        constexpr size_type most_entries = 256;
        const size_type begin = graph.row_ptrs[row];
        const size_type end = graph.row_ptrs[row + 1];
        const size_type last = end - begin < most_entries ? end : begin + most_entries;
        I best = -1;
        real_t<V> most{};
        for (size_type k = begin; k < last; ++k) {
            const I root = before[graph.col_idxs[k]];
            if (root < 0 || root == best) {
                continue;
            }
            const real_t<V> sum = sum_for(row, root, begin, last);
            const real_t<V> tolerance = static_cast<real_t<V>>(1e-3) * most;
            if (best < 0 || sum > most + tolerance || (sum >= most - tolerance && root < best)) {
                best = root;
                most = sum;
            }
        }
        return best;
    }
    LINDEN_HOST_DEVICE real_t<V> sum_for(size_type row, I root, size_type begin, size_type end) const
    {
        real_t<V> sum{};
        size_type at = a.row_ptrs[row];
        for (size_type k = begin; k < end; ++k) {
            const I col = graph.col_idxs[k];
            if (before[col] == root) {
                at = first_from(a.col_idxs, at, a.row_ptrs[row + 1], col);
                sum += magnitude(a.values[at]);
            }
        }
        return sum;
    }
};

template <class I>
struct MarkRoots {
    size_type n;
    const I* roots;
    I* is_root;
    I* has_root;

    LINDEN_HOST_DEVICE size_type size() const { return n; }
    LINDEN_HOST_DEVICE void operator()(size_type i) const
    {
        is_root[i] = roots[i] == i ? 1 : 0;
        has_root[i] = roots[i] >= 0 ? 1 : 0;
    }
};

template <class V, class I>
struct NumberAggregates {
    size_type n;
    const I* roots;
    const I* numbers;
    const I* row_ptrs;
    I* col_idxs;
    V* values;

    LINDEN_HOST_DEVICE size_type size() const { return n; }
    LINDEN_HOST_DEVICE void operator()(size_type i) const
    {
        if (roots[i] >= 0) {
            col_idxs[row_ptrs[i]] = numbers[roots[i]];
            values[row_ptrs[i]] = V{1};
        }
    }
};

template <class F>
void for_each_portable_aggregation(const F& f)
{
    for_each_index([&]<class I>() {
        f(aggregation_begin<I>, BodyOf<BeginIndependentSet<I>>());
        f(aggregation_spread<I>, BodyOf<SpreadKeys<I>>());
        f(aggregation_decide<I>, BodyOf<DecideRows<I>>());
        f(aggregation_mark_undecided<I>, BodyOf<MarkUndecided<I>>());
        f(aggregation_join_members<I>, BodyOf<JoinMembers<I>>());
        f(aggregation_mark<I>, BodyOf<MarkRoots<I>>());
    });
    for_each_value_index([&]<class V, class I>() {
        f(aggregation_measure<V, I>, BodyOf<MeasureStrength<V, I>>());
        f(aggregation_count_strong<V, I>, BodyOf<CountStrong<V, I>>());
        f(aggregation_take_strong<V, I>, BodyOf<TakeStrong<V, I>>());
        f(aggregation_join_rest<V, I>, BodyOf<JoinRest<V, I>>());
        f(aggregation_number<V, I>, BodyOf<NumberAggregates<V, I>>());
    });
}

}  // namespace linden
