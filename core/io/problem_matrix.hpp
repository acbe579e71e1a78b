#pragma once

#include <linden/error.hpp>
#include <linden/matrix_data.hpp>

#include <algorithm>
#include <cstdint>
#include <exception>
#include <initializer_list>
#include <limits>
#include <string>
#include <vector>

#include "core/io/problem_spec.hpp"

/// Helpers of model problems: grids, allocation of a matrix, random numbers.
namespace linden::detail {

/// n points in each of 2 or 3 directions.
struct Grid {
    size_type n;
    int dimensions;
};

/// The product of the factors; the largest size_type where it does not fit.
inline size_type saturating_product(std::initializer_list<size_type> factors)
{
    size_type product = 1;
    for (auto factor : factors) {
        if (factor > 0 && product > std::numeric_limits<size_type>::max() / factor) {
            return std::numeric_limits<size_type>::max();
        }
        product *= factor;
    }
    return product;
}

template <class I>
void require_fits(const ProblemSpec& spec, size_type rows, size_type max_nonzeros)
{
    constexpr size_type limit = std::numeric_limits<I>::max();
    if (rows >= limit || max_nonzeros >= limit) {
        const auto text = [](size_type count) {
            const bool saturated = count == std::numeric_limits<size_type>::max();
            return saturated ? "more than 2^63" : std::to_string(count);
        };
        spec.fail("it has " + text(rows) + " rows and " + text(max_nonzeros) + " entries, too many for " +
                  std::string(name(index_type_of<I>)) + " indices");
    }
}

template <class V, class I>
OutOfMemory no_room(size_type rows, size_type nonzeros)
{
    const auto bytes = static_cast<double>(rows) * sizeof(I) + static_cast<double>(nonzeros) * (sizeof(I) + sizeof(V));
    return OutOfMemory(static_cast<std::uint64_t>(std::min(bytes, 1.8e19)), "host");
}

/// @throws OutOfMemory if the host refuses room for so many entries, which is not kept
template <class V, class I>
void require_room(size_type rows, size_type nonzeros)
{
    try {
        std::vector<V> values;
        values.reserve(static_cast<std::size_t>(nonzeros));
    } catch (const std::exception&) {  // bad_alloc or length_error
        throw no_room<V, I>(rows, nonzeros);
    }
}

/// An allocated matrix; sizes were checked.
template <class V, class I>
CsrData<V, I> allocate(size_type rows, size_type nonzeros)
{
    try {
        CsrData<V, I> matrix;
        matrix.size = {rows, rows};
        matrix.row_ptrs.resize(rows + 1);
        matrix.col_idxs.resize(nonzeros);
        matrix.values.resize(nonzeros);
        return matrix;
    } catch (const std::exception&) {  // bad_alloc or length_error
        throw no_room<V, I>(rows, nonzeros);
    }
}

/// SplitMix64 [SteeleEtAl14]; the distributions of the standard library differ between platforms.
class SplitMix64 {
public:
    explicit SplitMix64(std::uint64_t state) : state_(state) {}

    std::uint64_t next()
    {
        auto z = state_ += 0x9e3779b97f4a7c15u;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        return z ^ (z >> 31);
    }
    /// In [0, bound); the bias is below bound / 2^64.
    size_type below(size_type bound) { return static_cast<size_type>(next() % static_cast<std::uint64_t>(bound)); }
    /// In [-1, 1), a multiple of 2^-52.
    double symmetric() { return static_cast<double>(next() >> 11) * 0x1p-52 - 1; }

private:
    std::uint64_t state_;
};

}  // namespace linden::detail
