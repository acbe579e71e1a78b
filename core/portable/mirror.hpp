#pragma once

#include "core/base/math.hpp"
#include "core/kernels/mirror.hpp"
#include "core/portable/body.hpp"
#include "core/portable/search.hpp"

/// Bodies of mirror: adjoints of matrices with symmetric patterns.
namespace linden {

template <class V, class I>
struct MirrorRows {
    CsrView<V, I> a;
    I* source;
    V* values;

    LINDEN_HOST_DEVICE size_type size() const { return a.rows; }
    LINDEN_HOST_DEVICE size_type num_entries() const { return a.num_nonzeros; }
    LINDEN_HOST_DEVICE size_type length(size_type row) const { return row_length(a, row); }
    template <class Lanes>
    LINDEN_HOST_DEVICE void operator()(Lanes, size_type row) const
    {
        for (size_type k = a.row_ptrs[row] + Lanes::lane(); k < a.row_ptrs[row + 1]; k += Lanes::size) {
            const size_type mirrored = find_mirror(a, row, k);
            source[k] = static_cast<I>(mirrored);
            values[k] = mirrored < 0 ? V{} : conj(a.values[mirrored]);
        }
    }
};

template <class F>
void for_each_portable_mirror(const F& f)
{
    for_each_value_index([&]<class V, class I>() { f(mirror_adjoint<V, I>, BodyOf<MirrorRows<V, I>>()); });
}

}  // namespace linden
