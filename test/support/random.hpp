#pragma once

#include <linden/types.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <string>

namespace linden::test {

/// Random numbers that are the same on every platform. Failures in its scope print the seed.
class Random {
public:
    explicit Random(std::uint64_t seed)
        : trace_(__FILE__, __LINE__, "random numbers from seed " + std::to_string(seed)),
          engine_(seed)
    {
    }

    /// Uniform in [0, 1).
    double unit() { return static_cast<double>(engine_() >> 11) * 0x1p-53; }
    /// Uniform in [low, high).
    double real(double low, double high) { return low + (high - low) * unit(); }
    /// Uniform in [low, high), low < high.
    size_type integer(size_type low, size_type high)
    {
        return low + static_cast<size_type>(unit() * static_cast<double>(high - low));
    }
    /// Uniform in [-1, 1), for complex types in both parts.
    template <class V>
    V value()
    {
        using R = real_t<V>;
        if constexpr (is_complex<V>) {
            const auto re = static_cast<R>(real(-1, 1));
            return V(re, static_cast<R>(real(-1, 1)));
        } else {
            return static_cast<R>(real(-1, 1));
        }
    }

private:
    testing::ScopedTrace trace_;
    std::mt19937_64 engine_;
};

}  // namespace linden::test
