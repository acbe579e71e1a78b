#pragma once

#include <cstring>
#include <limits>

namespace linden::omp {

/// Sorts n <= lanes different numbers in their place, without branches: each goes where the number of those before it
/// says. There is room for all lanes; what is beyond the numbers is lost.
template <int lanes, class T>
void sort_by_ranks(T* numbers, int n)
{
    using Vector [[gnu::vector_size(lanes * sizeof(T))]] = T;
    alignas(64) T padded[lanes];
    for (int i = 0; i < lanes; ++i) {
        const T number = numbers[i];
        padded[i] = i < n ? number : std::numeric_limits<T>::max();
    }
    Vector own, ranks{};
    std::memcpy(&own, padded, sizeof(own));
    for (int j = 0; j < lanes; ++j) {
        ranks -= padded[j] < own;
    }
    for (int i = 0; i < lanes; ++i) {
        numbers[ranks[i]] = own[i];
    }
}

}  // namespace linden::omp
