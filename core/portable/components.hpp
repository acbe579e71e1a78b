#pragma once

#include "core/kernels/components.hpp"
#include "core/portable/body.hpp"

namespace linden {

/// One item: rows are joined one after the other.
template <class I>
struct FindComponents {
    PatternView<I> a;
    I* labels;

    size_type size() const { return 1; }
    void operator()(size_type) const
    {
        for (size_type row = 0; row < a.rows; ++row) {
            labels[row] = static_cast<I>(row);
        }
        for (size_type row = 0; row < a.rows; ++row) {
            I first = first_of(static_cast<I>(row));
            for (I k = a.row_ptrs[row]; k < a.row_ptrs[row + 1]; ++k) {
                const I other = first_of(a.col_idxs[k]);
                (first < other ? labels[other] : labels[first]) = first < other ? first : other;
                first = first < other ? first : other;
            }
        }
        for (size_type row = 0; row < a.rows; ++row) {
            labels[row] = labels[labels[row]];  // those of earlier rows are known
        }
    }

private:
    /// Each label on the way is replaced by the next but one.
    I first_of(I row) const
    {
        while (labels[row] != row) {
            row = labels[row] = labels[labels[row]];
        }
        return row;
    }
};

/// Of hosts alone; devices have their own.
template <class F>
void for_each_host_components(const F& f)
{
    for_each_index([&]<class I>() { f(components_find<I>, BodyOf<FindComponents<I>>()); });
}

}  // namespace linden
