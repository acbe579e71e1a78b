#pragma once

#include <cmath>

#include "core/base/math.hpp"
#include "core/kernels/ilu.hpp"
#include "core/portable/body.hpp"
#include "core/portable/imaginary_part.hpp"

namespace linden {

/// Sums in double, in which squares of single precision neither overflow nor vanish.
template <class V, class I>
struct PrepareRows {
    PatternView<I> a;
    const I* diagonal;
    real_t<V> shift;
    V* values;
    real_t<V>* norms;

    LINDEN_HOST_DEVICE size_type size() const { return a.rows; }
    LINDEN_HOST_DEVICE size_type num_entries() const { return a.num_nonzeros; }
    template <class Lanes>
    LINDEN_HOST_DEVICE void operator()(Lanes, size_type row) const
    {
        using std::sqrt;
        double sum = 0;
        for (size_type k = a.row_ptrs[row] + Lanes::lane(); k < a.row_ptrs[row + 1]; k += Lanes::size) {
            sum += abs2(static_cast<double>(real(values[k]))) + abs2(static_cast<double>(imaginary_part(values[k])));
        }
        sum = Lanes::sum(sum);
        if (Lanes::lane() == 0) {
            const auto norm = static_cast<real_t<V>>(sqrt(sum));
            norms[row] = norm;
            if (shift != real_t<V>{} && diagonal[row] >= 0) {
                values[diagonal[row]] += V{shift * norm};
            }
        }
    }
};

template <class F>
void for_each_portable_ilu(const F& f)
{
    for_each_value_index([&]<class V, class I>() { f(ilu_prepare_rows<V, I>, BodyOf<PrepareRows<V, I>>()); });
}

}  // namespace linden
