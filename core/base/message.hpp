#pragma once

#include <cstddef>

namespace linden {

/// `bytes` bytes to or from a rank.
struct Message {
    int rank = 0;
    void* data = nullptr;
    std::size_t bytes = 0;
};

}  // namespace linden
