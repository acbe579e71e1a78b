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

template <class F>
void for_each_portable_exchange(const F& f)
{
    for_each_value_index([&]<class V, class I>() {
        f(exchange_join_pointers<V, I>, BodyOf<JoinPointers<V, I>>());
        f(exchange_join_rows<V, I>, BodyOf<JoinRows<V, I>>());
    });
}

}  // namespace linden
