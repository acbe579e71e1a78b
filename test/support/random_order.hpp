#pragma once

#include <cstddef>
#include <numeric>
#include <utility>
#include <vector>

#include "test/support/random.hpp"

namespace linden::test {

/// 0, ..., n - 1 in a random order.
template <class I>
std::vector<I> random_order(Random& random, I n)
{
    std::vector<I> order(static_cast<std::size_t>(n));
    std::iota(order.begin(), order.end(), I{0});
    for (auto i = order.size(); i-- > 1;) {
        std::swap(order[i], order[static_cast<std::size_t>(random.integer(0, static_cast<size_type>(i) + 1))]);
    }
    return order;
}

}  // namespace linden::test
