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
    static Pack filled(V value)
    {
        Pack pack;
        for (int lane = 0; lane < Width; ++lane) {
            pack.lanes[lane] = value;
        }
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
    /// a b, lane by lane
    friend Pack product(const Pack& a, const Pack& b)
    {
        Pack result;
        if constexpr (is_vector) {
            result.lanes = a.lanes * b.lanes;
        } else {
            for (int lane = 0; lane < Width; ++lane) {
                result.lanes[lane] = multiply(a.lanes[lane], b.lanes[lane]);
            }
        }
        return result;
    }
    /// Of all lanes, by halves; Width is a power of 2.
    V sum() const
    {
        if constexpr (Width == 1) {
            return lanes[0];
        } else {
            V values[Width];
            store(values);
            auto half = Pack<V, Width / 2>::load(values);
            half.add(Pack<V, Width / 2>::load(values + Width / 2));
            return half.sum();
        }
    }
    void add(const Pack& b)
    {
        if constexpr (is_vector) {
            lanes += b.lanes;
        } else {
            for (int lane = 0; lane < Width; ++lane) {
                lanes[lane] += b.lanes[lane];
            }
        }
    }
    /// this := this + |a|^2, lane by lane
    void add_square(const Pack& a)
    {
        if constexpr (is_vector) {
            lanes += a.lanes * a.lanes;
        } else {
            for (int lane = 0; lane < Width; ++lane) {
                lanes[lane] += abs2(a.lanes[lane]);
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
