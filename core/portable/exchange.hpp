#pragma once

#include "core/kernels/exchange.hpp"
#include "core/portable/body.hpp"
#include "core/portable/search.hpp"

namespace linden {

template <class V, class I>
struct JoinPointers {
    CsrView<V, I> inner;
    CsrView<V, I> rim;
    const I* rim_rows;
    I* row_ptrs;

    LINDEN_HOST_DEVICE size_type size() const { return inner.rows + 1; }
    LINDEN_HOST_DEVICE void operator()(size_type row) const
    {
        row_ptrs[row] = inner.row_ptrs[row] + rim.row_ptrs[first_from(rim_rows, 0, rim.rows, row)];
    }
};

template <class V, class I>
struct JoinRows {
    CsrView<V, I> inner;
    CsrView<V, I> rim;
    const I* rim_rows;
    size_type num_lower;
    const I* row_ptrs;
    I* cols;
    V* values;

    LINDEN_HOST_DEVICE size_type size() const { return inner.rows; }
    LINDEN_HOST_DEVICE I position(I column) const
    {
        if (column >= 0) {
            return static_cast<I>(num_lower) + column;
        }
        const I ghost = -1 - column;
        return ghost < num_lower ? ghost : ghost + static_cast<I>(inner.rows);
    }
    LINDEN_HOST_DEVICE void operator()(size_type row) const
    {
        I target = row_ptrs[row];
        for (I k = inner.row_ptrs[row]; k < inner.row_ptrs[row + 1]; ++k, ++target) {
            cols[target] = position(inner.col_idxs[k]);
            values[target] = inner.values[k];
        }
        if (target < row_ptrs[row + 1]) {
            const size_type at = first_from(rim_rows, 0, rim.rows, row);
            for (I k = rim.row_ptrs[at]; k < rim.row_ptrs[at + 1]; ++k, ++target) {
                cols[target] = position(rim.col_idxs[k]);
                values[target] = rim.values[k];
            }
        }
    }
};

template <class I>
struct LengthsOfRows {
    size_type n;
    const I* rows;
    const I* row_ptrs;
    I* lengths;

    LINDEN_HOST_DEVICE size_type size() const { return n; }
    LINDEN_HOST_DEVICE void operator()(size_type i) const { lengths[i] = row_ptrs[rows[i] + 1] - row_ptrs[rows[i]]; }
};

/// The number of a position among what is seen.
LINDEN_HOST_DEVICE inline std::int64_t number_of(const SeenRows& seen, size_type position)
{
    if (position < seen.num_lower) {
        return seen.ghosts[position];
    }
    const size_type own = position - seen.num_lower;
    return own < seen.num_own ? seen.first + own : seen.ghosts[position - seen.num_own];
}

template <class I>
struct PackRows {
    SeenRows seen;
    PatternView<I> a;
    size_type n;
    const I* rows;
    const I* sent_ptrs;
    std::int64_t* numbers;
    I* entries;

    LINDEN_HOST_DEVICE size_type size() const { return n; }
    LINDEN_HOST_DEVICE void operator()(size_type i) const
    {
        I entry = a.row_ptrs[rows[i]];
        for (I k = sent_ptrs[i]; k < sent_ptrs[i + 1]; ++k, ++entry) {
            numbers[k] = number_of(seen, a.col_idxs[entry]);
            entries[k] = entry;
        }
    }
};

template <class I>
struct FindNumbers {
    SeenRows seen;
    size_type n;
    const std::int64_t* numbers;
    I* positions;

    LINDEN_HOST_DEVICE size_type size() const { return n; }
    LINDEN_HOST_DEVICE void operator()(size_type k) const
    {
        const std::int64_t number = numbers[k];
        if (number >= seen.first && number < seen.first + seen.num_own) {
            positions[k] = static_cast<I>(seen.num_lower + number - seen.first);
            return;
        }
        const size_type ghost = first_from(seen.ghosts, 0, seen.num_ghosts, number);
        const bool is_seen = ghost < seen.num_ghosts && seen.ghosts[ghost] == number;
        positions[k] = is_seen ? static_cast<I>(ghost < seen.num_lower ? ghost : ghost + seen.num_own) : I{-1};
    }
};

template <class I>
struct MarkNumbers {
    size_type n;
    const std::int64_t* numbers;
    std::int64_t first;
    size_type count;
    I* marks;

    LINDEN_HOST_DEVICE size_type size() const { return n; }
    LINDEN_HOST_DEVICE void operator()(size_type k) const
    {
        const std::int64_t at = numbers[k] - first;
        if (at >= 0 && at < count) {
            marks[at] = 1;
        }
    }
};

template <class I>
struct ListMarked {
    size_type count;
    std::int64_t first;
    const I* ends;
    std::int64_t* numbers;

    LINDEN_HOST_DEVICE size_type size() const { return count; }
    LINDEN_HOST_DEVICE void operator()(size_type i) const
    {
        if (ends[i + 1] > ends[i]) {
            numbers[ends[i]] = first + i;
        }
    }
};

template <class I>
struct AddLengths {
    RowPieces<I> pieces;
    I* lengths;

    LINDEN_HOST_DEVICE size_type size() const { return pieces.count; }
    LINDEN_HOST_DEVICE void operator()(size_type i) const
    {
        lengths[pieces.rows == nullptr ? i : pieces.rows[i]] += pieces.row_ptrs[i + 1] - pieces.row_ptrs[i];
    }
};

template <class I>
struct AppendPieces {
    RowPieces<I> pieces;
    const I* map;
    I shift;
    I source;
    I* ends;
    I* cols;
    I* sources;

    LINDEN_HOST_DEVICE size_type size() const { return pieces.count; }
    LINDEN_HOST_DEVICE void operator()(size_type i) const
    {
        const size_type row = pieces.rows == nullptr ? i : pieces.rows[i];
        I target = ends[row];
        for (I k = pieces.row_ptrs[i]; k < pieces.row_ptrs[i + 1]; ++k, ++target) {
            cols[target] = map == nullptr ? pieces.cols[k] + shift : map[pieces.cols[k]];
            sources[target] = source + k;
        }
        ends[row] = target;
    }
};

template <class F>
void for_each_portable_exchange(const F& f)
{
    for_each_index([&]<class I>() {
        f(exchange_row_lengths<I>, BodyOf<LengthsOfRows<I>>());
        f(exchange_pack_rows<I>, BodyOf<PackRows<I>>());
        f(exchange_find<I>, BodyOf<FindNumbers<I>>());
        f(exchange_mark<I>, BodyOf<MarkNumbers<I>>());
        f(exchange_list<I>, BodyOf<ListMarked<I>>());
        f(exchange_add_lengths<I>, BodyOf<AddLengths<I>>());
        f(exchange_append<I>, BodyOf<AppendPieces<I>>());
    });
    for_each_value_index([&]<class V, class I>() {
        f(exchange_join_pointers<V, I>, BodyOf<JoinPointers<V, I>>());
        f(exchange_join_rows<V, I>, BodyOf<JoinRows<V, I>>());
    });
}

}  // namespace linden
