#pragma once

#include "core/base/math.hpp"
#include "core/kernels/aggregation.hpp"
#include "core/kernels/multigrid.hpp"
#include "core/portable/lanes.hpp"
#include "core/portable/search.hpp"

/// Bodies of aggregation and multigrid: the matrix of strong entries.
namespace linden {

/// The diagonal of a row that weak entries are added to.
template <class V>
LINDEN_HOST_DEVICE V lumped_diagonal(V diagonal, V weak)
{
    const V lumped = diagonal + weak;
    return magnitude(lumped) < real_t<V>(0.1) * magnitude(diagonal) ? diagonal : lumped;
}

template <class V, class I>
struct FilterRows {
    CsrView<V, I> a;
    PatternView<I> f;
    V* values;
    real_t<V>* sums;

    LINDEN_HOST_DEVICE size_type size() const { return a.rows; }
    LINDEN_HOST_DEVICE size_type num_entries() const { return a.num_nonzeros; }
    LINDEN_HOST_DEVICE size_type length(size_type row) const { return row_length(a, row); }
    template <class Lanes>
    LINDEN_HOST_DEVICE void operator()(Lanes, size_type row) const
    {
        const size_type begin = f.row_ptrs[row];
        const size_type end = f.row_ptrs[row + 1];
        V weak{}, diagonal{};
        real_t<V> sum{};
        size_type at = begin;
        for (size_type k = a.row_ptrs[row] + Lanes::lane(); k < a.row_ptrs[row + 1]; k += Lanes::size) {
            const I col = a.col_idxs[k];
            const V value = a.values[k];
            at = first_from(f.col_idxs, at, end, col);
            if (col == row) {
                diagonal = value;
            } else if (at < end && f.col_idxs[at] == col) {
                values[at] = value;
                sum += magnitude(value);
            } else {
                weak += value;
            }
        }
        weak = Lanes::sum(weak);
        diagonal = Lanes::sum(diagonal);
        sum = Lanes::sum(sum);
        if (Lanes::lane() == 0) {
            const V kept = lumped_diagonal(diagonal, weak);
            values[first_from(f.col_idxs, begin, end, row)] = kept;
            sums[row] = sum + magnitude(kept);
        }
    }
};

template <class V, class I>
struct TakeMarkedRows {
    CsrView<V, I> a;
    const std::uint8_t* marks;
    const I* row_ptrs;
    I* col_idxs;
    V* values;
    real_t<V>* sums;

    LINDEN_HOST_DEVICE size_type size() const { return a.rows; }
    LINDEN_HOST_DEVICE size_type num_entries() const { return a.num_nonzeros; }
    LINDEN_HOST_DEVICE size_type length(size_type row) const { return row_length(a, row); }
    template <class Lanes>
    LINDEN_HOST_DEVICE void operator()(Lanes lanes, size_type row) const
    {
        V weak{}, diagonal{};
        real_t<V> sum{};
        size_type place = -1;  // of the diagonal
        const auto keep = [&](size_type k) {
            if (marks[k] == 0) {
                weak += a.values[k];
            }
            return marks[k] != 0;
        };
        const auto take = [&](size_type at, size_type k) {
            const I col = a.col_idxs[k];
            const V value = a.values[k];
            col_idxs[at] = col;
            if (col == row) {
                diagonal = value;
                place = at;
            } else {
                values[at] = value;
                sum += magnitude(value);
            }
        };
        compact_entries(lanes, a.row_ptrs[row], a.row_ptrs[row + 1], row_ptrs[row], keep, take);
        weak = Lanes::sum(weak);
        diagonal = Lanes::sum(diagonal);
        sum = Lanes::sum(sum);
        place = Lanes::max(place);
        if (Lanes::lane() == 0) {
            const V kept = lumped_diagonal(diagonal, weak);
            values[place] = kept;
            sums[row] = sum + magnitude(kept);
        }
    }
};

}  // namespace linden
