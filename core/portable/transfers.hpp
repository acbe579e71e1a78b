#pragma once

#include <limits>

#include "core/base/math.hpp"
#include "core/kernels/multigrid.hpp"
#include "core/portable/chosen_entries.hpp"
#include "core/portable/lanes.hpp"
#include "core/portable/search.hpp"

/// Bodies of multigrid: transfers between levels.
namespace linden {

/// The aggregates among the strong neighbours of a row, one after the other in ascending order. A row is looked through
/// once for each of them: what lanes find there stays in registers where it is little.
template <class I, class Lanes>
class AggregatesOfRow {
public:
    LINDEN_HOST_DEVICE AggregatesOfRow(PatternView<I> f, const I* aggregates, size_type row)
        : cols_(f.col_idxs),
          aggregates_(aggregates),
          begin_(f.row_ptrs[row]),
          end_(f.row_ptrs[row + 1]),
          own_(aggregates[row]),
          is_kept_(end_ - begin_ <= size_type{most_kept} * Lanes::size)
    {
        for (int i = 0; i < most_kept; ++i) {
            const size_type k = entry(i);
            kept_[i] = is_kept_ && k < end_ ? aggregates[cols_[k]] : I{-1};
        }
        current_ = is_long() ? own_ : after(-1);
    }

    /// -1 behind the last.
    LINDEN_HOST_DEVICE I current() const { return current_; }
    LINDEN_HOST_DEVICE I own() const { return own_; }
    /// Of a row that is not smoothed.
    LINDEN_HOST_DEVICE bool is_long() const { return end_ - begin_ > most_smoothed_entries; }
    LINDEN_HOST_DEVICE void next() { current_ = is_long() ? I{-1} : after(current_); }
    /// The same, and the sum of what `values` has for the entries of the one that is left.
    template <class V>
    LINDEN_HOST_DEVICE V next_with_sum(const V* values)
    {
        if (is_long()) {
            current_ = -1;
            return V{};
        }
        V sum{};
        const I last = current_;
        current_ = after(last, [&](size_type k, I aggregate) { sum += aggregate == last ? values[k] : V{}; });
        return Lanes::sum(sum);
    }

private:
    struct Nothing {
        LINDEN_HOST_DEVICE void operator()(size_type, I) const {}
    };
    /// Entry number i of this lane.
    LINDEN_HOST_DEVICE size_type entry(int i) const { return begin_ + Lanes::lane() + size_type{i} * Lanes::size; }
    /// The least aggregate above `last`; calls see(k, aggregate) for each entry, perhaps with -1 for what is behind.
    template <class See = Nothing>
    LINDEN_HOST_DEVICE I after(I last, const See& see = {}) const
    {
        constexpr I none = std::numeric_limits<I>::min();
        I negated = none;  // lanes have a maximum
        const auto look = [&](size_type k, I aggregate) {
            see(k, aggregate);
            negated = aggregate > last && -aggregate > negated ? -aggregate : negated;
        };
        if (is_kept_) {
            for (int i = 0; i < most_kept; ++i) {
                look(entry(i), kept_[i]);
            }
        } else {
            for (size_type k = entry(0); k < end_; k += Lanes::size) {
                look(k, aggregates_[cols_[k]]);
            }
        }
        negated = Lanes::max(negated);
        return negated == none ? I{-1} : -negated;
    }

    const I* cols_;
    const I* aggregates_;
    size_type begin_, end_;
    I own_, current_;
    static constexpr int most_kept = 8;  ///< entries of a lane
    bool is_kept_;
    I kept_[most_kept];  ///< their aggregates
};

template <class I>
struct CountProlongator {
    PatternView<I> f;
    const I* aggregates;
    I* counts;

    LINDEN_HOST_DEVICE size_type size() const { return f.rows; }
    LINDEN_HOST_DEVICE size_type num_entries() const { return f.num_nonzeros; }
    LINDEN_HOST_DEVICE size_type length(size_type row) const { return row_length(f, row); }
    template <class Lanes>
    LINDEN_HOST_DEVICE void operator()(Lanes, size_type row) const
    {
        I count = 0;
        for (AggregatesOfRow<I, Lanes> found(f, aggregates, row); found.current() >= 0; found.next()) {
            ++count;
        }
        if (Lanes::lane() == 0) {
            counts[row] = count;
        }
    }
};

template <class V, class I>
struct MakeProlongator {
    CsrView<V, I> f;
    SmoothedAggregates<V, I> rule;
    const I* row_ptrs;
    I* col_idxs;
    V* values;

    LINDEN_HOST_DEVICE size_type size() const { return f.rows; }
    LINDEN_HOST_DEVICE size_type num_entries() const { return f.num_nonzeros; }
    LINDEN_HOST_DEVICE size_type length(size_type row) const { return row_length(f, row); }
    template <class Lanes>
    LINDEN_HOST_DEVICE void operator()(Lanes, size_type row) const
    {
        const auto sum = rule.sums[row];
        const auto weight = sum > 0 ? static_cast<real_t<V>>(rule.damping) / sum : real_t<V>{};
        size_type at = row_ptrs[row];
        AggregatesOfRow<I, Lanes> found(PatternView<I>(f), rule.aggregates, row);
        while (found.current() >= 0) {
            const I aggregate = found.current();
            const V product = found.next_with_sum(f.values);
            if (Lanes::lane() == 0) {
                if (col_idxs != nullptr) {
                    col_idxs[at] = aggregate;
                }
                values[at] = (aggregate == found.own() ? V{1} : V{}) - weight * product;
            }
            ++at;
        }
    }
};

template <class V, class I>
struct SubtractRows {
    CsrView<V, I> p;
    CsrView<V, I> c;
    double factor;
    const real_t<V>* sums;
    V* values;

    LINDEN_HOST_DEVICE size_type size() const { return c.rows; }
    LINDEN_HOST_DEVICE size_type num_entries() const { return c.num_nonzeros; }
    LINDEN_HOST_DEVICE size_type length(size_type row) const { return row_length(c, row); }
    template <class Lanes>
    LINDEN_HOST_DEVICE void operator()(Lanes, size_type row) const
    {
        const auto sum = sums[row];
        const auto weight = sum > 0 ? static_cast<real_t<V>>(factor) / sum : real_t<V>{};
        const size_type end = p.row_ptrs[row + 1];
        size_type at = p.row_ptrs[row];
        for (size_type k = c.row_ptrs[row] + Lanes::lane(); k < c.row_ptrs[row + 1]; k += Lanes::size) {
            const I col = c.col_idxs[k];
            at = first_from(p.col_idxs, at, end, col);
            const V old = at < end && p.col_idxs[at] == col ? p.values[at] : V{};
            values[k] = old - weight * c.values[k];
        }
    }
};

/// Tells the large entries of a row from others.
template <class V, class I, class Lanes>
struct LargeEntriesOfRow {
    const CsrView<V, I>& a;
    real_t<V> limit{};

    LINDEN_HOST_DEVICE LargeEntriesOfRow(const CsrView<V, I>& matrix, double threshold, size_type row) : a(matrix)
    {
        for (size_type k = a.row_ptrs[row] + Lanes::lane(); k < a.row_ptrs[row + 1]; k += Lanes::size) {
            const real_t<V> size_of_entry = magnitude(a.values[k]);
            limit = size_of_entry > limit && is_finite(size_of_entry) ? size_of_entry : limit;
        }
        limit = static_cast<real_t<V>>(threshold) * Lanes::max(limit);
    }
    LINDEN_HOST_DEVICE bool operator()(size_type k) const
    {
        const real_t<V> size_of_entry = magnitude(a.values[k]);
        return size_of_entry > limit || !is_finite(size_of_entry);
    }
};

template <class V, class I>
using CountLargeOfRows = CountChosen<V, I, LargeEntriesOfRow, double>;
template <class V, class I>
using TakeLargeOfRows = TakeChosen<V, I, LargeEntriesOfRow, double>;

template <class V, class I>
struct TruncateRows {
    CsrView<V, I> a;
    PatternView<I> kept;
    V* values;

    LINDEN_HOST_DEVICE size_type size() const { return a.rows; }
    LINDEN_HOST_DEVICE size_type num_entries() const { return a.num_nonzeros; }
    template <class Lanes>
    LINDEN_HOST_DEVICE void operator()(Lanes, size_type row) const
    {
        const size_type begin = kept.row_ptrs[row];
        const size_type end = kept.row_ptrs[row + 1];
        V rest{}, value_there{};
        real_t<V> most = -1;
        size_type first = -1;  // of the lane's largest entries
        size_type at = begin;
        for (size_type k = a.row_ptrs[row] + Lanes::lane(); k < a.row_ptrs[row + 1]; k += Lanes::size) {
            const V value = a.values[k];
            at = first_from(kept.col_idxs, at, end, a.col_idxs[k]);
            if (at < end && kept.col_idxs[at] == a.col_idxs[k]) {
                values[at] = value;
                if (magnitude(value) > most) {
                    most = magnitude(value);
                    first = at;
                    value_there = value;
                }
            } else {
                rest += value;
            }
        }
        rest = Lanes::sum(rest);
        const real_t<V> most_of_all = Lanes::max(most);
        const size_type chosen = -Lanes::max(first >= 0 && most == most_of_all ? -first : -end);
        if (first == chosen && first >= 0) {
            values[chosen] = value_there + rest;
        }
    }
};

}  // namespace linden
