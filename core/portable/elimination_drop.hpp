#pragma once

#include <cmath>

#include "core/portable/elimination_row.hpp"
#include "core/portable/search.hpp"

/// Bodies of multi-elimination: what is kept of the Schur complement.
namespace linden {

template <class V, class I>
struct NormsOfRows {
    CsrView<V, I> s;
    real_t<V>* norms;

    LINDEN_HOST_DEVICE size_type size() const { return s.rows; }
    LINDEN_HOST_DEVICE size_type num_entries() const { return s.num_nonzeros; }
    LINDEN_HOST_DEVICE size_type length(size_type row) const { return row_length(s, row); }
    template <class Lanes>
    LINDEN_HOST_DEVICE void operator()(Lanes, size_type row) const
    {
        real_t<V> sum = 0;
        for (size_type k = s.row_ptrs[row] + Lanes::lane(); k < s.row_ptrs[row + 1]; k += Lanes::size) {
            sum += abs2(s.values[k]);
        }
        sum = Lanes::sum(sum);
        using std::sqrt;
        if (Lanes::lane() == 0) {
            norms[row] = sqrt(sum);
        }
    }
};

/// The entries of a row that DropView calls large.
template <class V, class I>
struct LargeEntries {
    CsrView<V, I> s;
    DropView<V> drop;

    /// What a magnitude must exceed; times sqrt(|diagonal[col]|).
    LINDEN_HOST_DEVICE real_t<V> limit_of(size_type row) const
    {
        using std::sqrt;
        auto limit = static_cast<real_t<V>>(drop.factor);
        limit = drop.mean == nullptr ? limit : limit * *drop.mean;
        limit = drop.norms == nullptr ? limit : limit * drop.norms[row];
        return drop.diagonal == nullptr ? limit : limit * sqrt(magnitude(drop.diagonal[row]));
    }
    LINDEN_HOST_DEVICE bool is_large(size_type row, real_t<V> limit, size_type k) const
    {
        using std::sqrt;
        const I col = s.col_idxs[k];
        const auto size_of_entry = magnitude(s.values[k]);
        const auto here = drop.diagonal == nullptr ? limit : limit * sqrt(magnitude(drop.diagonal[col]));
        const bool is_bounded = is_finite(size_of_entry);
        const bool is_small = (size_of_entry <= 0) | (is_bounded & (size_of_entry <= here));
        return (col == row) | !is_small;
    }
};

template <class V, class I>
struct CountLarge {
    CsrView<V, I> s;
    DropView<V> drop;
    I* counts;

    LINDEN_HOST_DEVICE size_type size() const { return s.rows; }
    LINDEN_HOST_DEVICE size_type num_entries() const { return s.num_nonzeros; }
    LINDEN_HOST_DEVICE size_type length(size_type row) const { return row_length(s, row); }
    template <class Lanes>
    LINDEN_HOST_DEVICE void operator()(Lanes lanes, size_type row) const
    {
        const LargeEntries<V, I> large{s, drop};
        const auto limit = large.limit_of(row);
        const I count = count_entries<I>(lanes, s.row_ptrs[row], s.row_ptrs[row + 1],
                                         [&](size_type k) { return large.is_large(row, limit, k); });
        if (Lanes::lane() == 0) {
            counts[row] = count;
        }
    }
};

template <class V, class I>
struct TakeLarge {
    CsrView<V, I> s;
    DropView<V> drop;
    double omega;
    WrittenRows<V, I> kept;

    LINDEN_HOST_DEVICE size_type size() const { return s.rows; }
    LINDEN_HOST_DEVICE size_type num_entries() const { return s.num_nonzeros; }
    template <class Lanes>
    LINDEN_HOST_DEVICE void operator()(Lanes lanes, size_type row) const
    {
        const LargeEntries<V, I> large{s, drop};
        const auto limit = large.limit_of(row);
        size_type diagonal = -1;
        V own{}, dropped{};
        compact_entries(
            lanes, s.row_ptrs[row], s.row_ptrs[row + 1], kept.row_ptrs[row],
            [&](size_type k) {
                const bool is_large = large.is_large(row, limit, k);
                dropped += is_large ? V{} : s.values[k];
                return is_large;
            },
            [&](size_type to, size_type k) {
                kept.col_idxs[to] = s.col_idxs[k];
                kept.values[to] = s.values[k];
                if (s.col_idxs[k] == row) {
                    diagonal = to;
                    own = s.values[k];
                }
            });
        dropped = Lanes::sum(dropped);
        if (diagonal >= 0 && omega != 0) {
            kept.values[diagonal] = lumped(own, V{static_cast<real_t<V>>(omega)} * dropped);
        }
    }
};

template <class V, class I>
struct Compensate {
    CsrView<V, I> s;
    PatternView<I> kept;
    double omega;
    V* values;

    LINDEN_HOST_DEVICE size_type size() const { return s.rows; }
    LINDEN_HOST_DEVICE size_type num_entries() const { return s.num_nonzeros; }
    template <class Lanes>
    LINDEN_HOST_DEVICE void operator()(Lanes, size_type row) const
    {
        const bool keeps_all = s.row_ptrs[row + 1] - s.row_ptrs[row] == kept.row_ptrs[row + 1] - kept.row_ptrs[row];
        const size_type shift = kept.row_ptrs[row] - s.row_ptrs[row];
        size_type diagonal = -1;
        V own{}, dropped{};
        for (size_type k = s.row_ptrs[row] + Lanes::lane(); k < s.row_ptrs[row + 1]; k += Lanes::size) {
            const I col = s.col_idxs[k];
            const size_type to = keeps_all ? k + shift : find_entry(kept, row, col);
            if (to < 0) {
                dropped += s.values[k];
            } else if (col == row) {
                diagonal = to;
                own = s.values[k];
            } else {
                values[to] = s.values[k];
            }
        }
        dropped = Lanes::sum(dropped);
        if (diagonal >= 0) {
            values[diagonal] = omega == 0 ? own : lumped(own, V{static_cast<real_t<V>>(omega)} * dropped);
        }
    }
};

}  // namespace linden
