#pragma once

#include "core/kernels/coo.hpp"
#include "core/portable/body.hpp"

namespace linden {

template <class I>
struct FindRowPtrs {
    size_type num_rows;
    size_type num_nonzeros;
    const I* row_idxs;
    I* row_ptrs;

    LINDEN_HOST_DEVICE size_type size() const { return num_rows + 1; }
    /// The first entry that is not before this row.
    LINDEN_HOST_DEVICE void operator()(size_type row) const
    {
        size_type low = 0;
        for (size_type high = num_nonzeros; low < high;) {
            const size_type middle = low + (high - low) / 2;
            if (row_idxs[middle] < row) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        row_ptrs[row] = static_cast<I>(low);
    }
};

template <class F>
void for_each_portable_coo(const F& f)
{
    for_each_index([&]<class I>() { f(coo_find_row_ptrs<I>, BodyOf<FindRowPtrs<I>>()); });
}

}  // namespace linden
