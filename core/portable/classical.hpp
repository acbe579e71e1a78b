#pragma once

#include "core/base/math.hpp"
#include "core/kernels/aggregation.hpp"
#include "core/kernels/classical.hpp"
#include "core/portable/body.hpp"
#include "core/portable/lanes.hpp"
#include "core/portable/points.hpp"
#include "core/portable/search.hpp"

namespace linden {

/// Which strong entries of a row belong to V and to U.
template <class I>
struct FactorsOfRow {
    const PatternView<I>& strong;
    const std::uint64_t* states;
    size_type row;
    bool is_point;

    LINDEN_HOST_DEVICE FactorsOfRow(const PatternView<I>& pattern, const std::uint64_t* all, size_type i)
        : strong(pattern),
          states(all),
          row(i),
          is_point(all[i] == IndependentState::member)
    {
    }
    LINDEN_HOST_DEVICE bool in_v(size_type k) const
    {
        const I col = strong.col_idxs[k];
        return is_point ? col == row : states[col] != IndependentState::member;
    }
    LINDEN_HOST_DEVICE bool in_u(size_type k) const
    {
        const I col = strong.col_idxs[k];
        return is_point ? col == row : states[col] == IndependentState::member;
    }
};

template <class I>
struct CountFactors {
    PatternView<I> strong;
    const std::uint64_t* states;
    I* num_v;
    I* num_u;

    LINDEN_HOST_DEVICE size_type size() const { return strong.rows; }
    LINDEN_HOST_DEVICE size_type num_entries() const { return strong.num_nonzeros; }
    LINDEN_HOST_DEVICE size_type length(size_type row) const { return row_length(strong, row); }
    template <class Lanes>
    LINDEN_HOST_DEVICE void operator()(Lanes lanes, size_type row) const
    {
        const FactorsOfRow<I> factors(strong, states, row);
        const size_type begin = strong.row_ptrs[row], end = strong.row_ptrs[row + 1];
        const I of_v = count_entries<I>(lanes, begin, end, [&](size_type k) { return factors.in_v(k); });
        const I of_u = count_entries<I>(lanes, begin, end, [&](size_type k) { return factors.in_u(k); });
        if (Lanes::lane() == 0) {
            num_v[row] = of_v;
            num_u[row] = of_u;
        }
    }
};

template <class I>
struct TakeFactor {
    PatternView<I> strong;
    const std::uint64_t* states;
    const I* numbers;
    const I* row_ptrs;
    I* col_idxs;

    LINDEN_HOST_DEVICE size_type size() const { return strong.rows; }
    LINDEN_HOST_DEVICE size_type num_entries() const { return strong.num_nonzeros; }
    LINDEN_HOST_DEVICE size_type length(size_type row) const { return row_length(strong, row); }
    template <class Lanes>
    LINDEN_HOST_DEVICE void operator()(Lanes lanes, size_type row) const
    {
        const FactorsOfRow<I> factors(strong, states, row);
        compact_entries(
            lanes, strong.row_ptrs[row], strong.row_ptrs[row + 1], row_ptrs[row],
            [&](size_type k) { return numbers == nullptr ? factors.in_v(k) : factors.in_u(k); },
            [&](size_type at, size_type k) {
                col_idxs[at] = numbers == nullptr ? strong.col_idxs[k] : numbers[strong.col_idxs[k]];
            });
    }
};

/// a_ij; 0 where there is none.
template <class V, class I>
LINDEN_HOST_DEVICE V value_at(const CsrView<V, I>& a, size_type row, size_type col)
{
    const size_type at = find_entry<I>(a, row, col);
    return at < 0 ? V{} : a.values[at];
}

template <class V, class I>
struct ValuesOfU {
    CsrView<V, I> a;
    PatternView<I> strong;
    const std::uint64_t* states;
    const I* row_ptrs;
    V* values;
    V* sums;

    LINDEN_HOST_DEVICE size_type size() const { return a.rows; }
    LINDEN_HOST_DEVICE size_type num_entries() const { return strong.num_nonzeros; }
    LINDEN_HOST_DEVICE size_type length(size_type row) const { return row_length(strong, row); }
    template <class Lanes>
    LINDEN_HOST_DEVICE void operator()(Lanes lanes, size_type row) const
    {
        const FactorsOfRow<I> factors(strong, states, row);
        V sum{};
        compact_entries(
            lanes, strong.row_ptrs[row], strong.row_ptrs[row + 1], row_ptrs[row],
            [&](size_type k) { return factors.in_u(k); },
            [&](size_type at, size_type k) {
                const V value = factors.is_point ? V{1} : value_at(a, row, strong.col_idxs[k]);
                values[at] = value;
                sum += factors.is_point ? V{} : value;
            });
        sum = Lanes::sum(sum);
        if (Lanes::lane() == 0) {
            sums[row] = sum;
        }
    }
};

template <class V, class I>
struct ValuesOfV {
    CsrView<V, I> a;
    PatternView<I> strong;
    const std::uint64_t* states;
    const V* sums;
    const I* row_ptrs;
    V* values;

    LINDEN_HOST_DEVICE size_type size() const { return a.rows; }
    LINDEN_HOST_DEVICE size_type num_entries() const { return a.num_nonzeros; }
    LINDEN_HOST_DEVICE size_type length(size_type row) const { return row_length(a, row); }
    template <class Lanes>
    LINDEN_HOST_DEVICE void operator()(Lanes lanes, size_type row) const
    {
        const FactorsOfRow<I> factors(strong, states, row);
        const V inverse = factors.is_point ? V{1} : negative_inverse(lanes, row);
        compact_entries(
            lanes, strong.row_ptrs[row], strong.row_ptrs[row + 1], row_ptrs[row],
            [&](size_type k) { return factors.in_v(k); },
            [&](size_type at, size_type k) {
                const size_type col = strong.col_idxs[k];
                values[at] = col == row ? inverse : inverse * share_of(row, col);
            });
    }

private:
    /// q_j
    LINDEN_HOST_DEVICE V share_of(size_type row, size_type col) const
    {
        const V share = value_at(a, row, col) / (sums[col] + value_at(a, col, row));
        return is_finite(share) ? share : V{};
    }
    /// -1 / t
    template <class Lanes>
    LINDEN_HOST_DEVICE V negative_inverse(Lanes, size_type row) const
    {
        V t{};
        const size_type end = strong.row_ptrs[row + 1];
        size_type at = strong.row_ptrs[row];
        for (size_type k = a.row_ptrs[row] + Lanes::lane(); k < a.row_ptrs[row + 1]; k += Lanes::size) {
            const size_type col = a.col_idxs[k];
            at = first_from(strong.col_idxs, at, end, col);
            const bool is_strong = at < end && strong.col_idxs[at] == col && col != row;
            if (!is_strong) {
                t += a.values[k];
            } else if (states[col] != IndependentState::member) {
                const V share = share_of(row, col);
                t += share == V{} ? a.values[k] : share * value_at(a, col, row);
            }
        }
        t = Lanes::sum(t);
        const V inverse = V{real_t<V>{-1}} / t;
        return is_finite(inverse) ? inverse : V{};
    }
};

template <class I>
struct LimitCounts {
    PatternView<I> a;
    size_type most;
    I* counts;

    LINDEN_HOST_DEVICE size_type size() const { return a.rows; }
    LINDEN_HOST_DEVICE void operator()(size_type row) const
    {
        const size_type length = row_length(a, row);
        counts[row] = static_cast<I>(length < most ? length : most);
    }
};

template <class V, class I>
struct TakeLargest {
    CsrView<V, I> a;
    size_type most;
    const I* row_ptrs;
    I* col_idxs;

    LINDEN_HOST_DEVICE size_type size() const { return a.rows; }
    LINDEN_HOST_DEVICE size_type num_entries() const { return a.num_nonzeros; }
    LINDEN_HOST_DEVICE size_type length(size_type row) const { return row_length(a, row); }
    template <class Lanes>
    LINDEN_HOST_DEVICE void operator()(Lanes lanes, size_type row) const
    {
        const size_type begin = a.row_ptrs[row], end = a.row_ptrs[row + 1];
        real_t<V> largest{};
        for (size_type k = begin + Lanes::lane(); k < end; k += Lanes::size) {
            largest = size_of(a.values[k]) > largest ? size_of(a.values[k]) : largest;
        }
        largest = Lanes::max(largest);
        const real_t<V> factor = largest > real_t<V>{} ? static_cast<real_t<V>>(1000) / largest : real_t<V>{};
        compact_entries(
            lanes, begin, end, row_ptrs[row], [&](size_type k) { return rank_of(k, begin, end, factor) < most; },
            [&](size_type at, size_type k) { col_idxs[at] = a.col_idxs[k]; });
    }

private:
    /// How many entries go before entry k.
    LINDEN_HOST_DEVICE size_type rank_of(size_type k, size_type begin, size_type end, real_t<V> factor) const
    {
        const int own = steps_of(a.values[k], factor);
        size_type rank = 0;
        for (size_type other = begin; other < end; ++other) {
            const int there = steps_of(a.values[other], factor);
            rank += there > own || (there == own && other < k) ? 1 : 0;
        }
        return rank;
    }
    /// Sizes in whole numbers, 1000 for the largest.
    LINDEN_HOST_DEVICE static int steps_of(V value, real_t<V> factor)
    {
        const real_t<V> steps = factor * size_of(value) + real_t<V>(0.5);
        return is_finite(steps) ? static_cast<int>(steps) : 0;
    }
    /// What is not finite counts as 0, so that there is an order.
    LINDEN_HOST_DEVICE static real_t<V> size_of(V value)
    {
        const real_t<V> size_of_value = magnitude(value);
        return is_finite(size_of_value) ? size_of_value : real_t<V>{};
    }
};

template <class F>
void for_each_portable_classical(const F& f)
{
    for_each_index([&]<class I>() {
        f(classical_begin<I>, BodyOf<BeginPoints<I>>());
        f(classical_decide<I>, BodyOf<DecidePoints<I>>());
        f(classical_mark_undecided<I>, BodyOf<MarkUndecidedPoints<I>>());
        f(classical_mark<I>, BodyOf<MarkPoints<I>>());
        f(classical_count<I>, BodyOf<CountFactors<I>>());
        f(classical_take<I>, BodyOf<TakeFactor<I>>());
        f(classical_limit<I>, BodyOf<LimitCounts<I>>());
    });
    for_each_value_index([&]<class V, class I>() {
        f(classical_count_strong<V, I>, BodyOf<CountDependence<V, I>>());
        f(classical_take_strong<V, I>, BodyOf<TakeDependence<V, I>>());
        f(classical_values_u<V, I>, BodyOf<ValuesOfU<V, I>>());
        f(classical_values_v<V, I>, BodyOf<ValuesOfV<V, I>>());
        f(classical_take_largest<V, I>, BodyOf<TakeLargest<V, I>>());
    });
}

}  // namespace linden
