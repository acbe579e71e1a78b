#pragma once

#include <array>
#include <cstring>
#include <type_traits>

#include "core/base/math.hpp"

namespace linden::omp {

/// `Width` values that are worked on together: a vector register for real types, for which compilers do not find it
/// themselves in loops with indirect accesses.
template <class V, int Width>
struct Pack {
    static constexpr bool is_vector = Width > 1 && !is_complex<V>;

    template <bool Vector, class = void>
    struct Storage {
        using type = std::array<V, Width>;
    };
    template <class Unused>
    struct Storage<true, Unused> {
        typedef V type __attribute__((vector_size(Width * sizeof(V))));
    };

    typename Storage<is_vector>::type lanes{};

    static Pack load(const V* values)
    {
        Pack pack;
        std::memcpy(static_cast<void*>(&pack.lanes), values, Width * sizeof(V));
        return pack;
    }
    void store(V* values) const { std::memcpy(static_cast<void*>(values), &lanes, Width * sizeof(V)); }

    /// this := this + a b
    void add_product(V a, const Pack& b)
    {
        if constexpr (is_vector) {
            lanes += a * b.lanes;
        } else {
            for (int lane = 0; lane < Width; ++lane) {
                lanes[lane] += multiply(a, b.lanes[lane]);
            }
        }
    }
    /// this := this + conj(a) b, lane by lane
    void add_inner_product(const Pack& a, const Pack& b)
    {
        if constexpr (is_vector) {
            lanes += a.lanes * b.lanes;
        } else {
            for (int lane = 0; lane < Width; ++lane) {
                lanes[lane] += multiply(conj(a.lanes[lane]), b.lanes[lane]);
            }
        }
    }
};

}  // namespace linden::omp
