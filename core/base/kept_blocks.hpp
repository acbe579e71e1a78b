#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <mutex>
#include <vector>

namespace linden::detail {

/// Blocks of memory that were given back, for requests of about their size: a device's own pool takes a microsecond to
/// look for one, and set-ups ask for hundreds of small ones. Blocks of more than `most_of_block` bytes are not kept,
/// nor more than `most_in_all`. Thread-safe.
class KeptBlocks {
public:
    KeptBlocks(std::size_t most_of_block, std::size_t most_in_all)
        : most_of_block_(most_of_block < largest ? most_of_block : largest),
          most_in_all_(most_in_all)
    {
    }

    /// Bytes of a block for a request of so many: at most an eighth more, and 512 at least.
    std::size_t size_for(std::size_t bytes) const { return bytes <= most_of_block_ ? size_of(kind_of(bytes)) : bytes; }

    /// A block of size_for(bytes), null if there is none.
    void* take(std::size_t bytes) noexcept
    {
        if (bytes > most_of_block_) {
            return nullptr;
        }
        const std::lock_guard lock(mutex_);
        auto& blocks = blocks_[kind_of(bytes)];
        if (blocks.empty()) {
            return nullptr;
        }
        void* const data = blocks.back();
        blocks.pop_back();
        bytes_ -= size_for(bytes);
        return data;
    }
    /// Keeps a block of size_for(bytes), unless the result is false.
    bool keep(void* data, std::size_t bytes) noexcept
    {
        if (bytes > most_of_block_) {
            return false;
        }
        const std::lock_guard lock(mutex_);
        if (size_for(bytes) > most_in_all_ - bytes_) {
            return false;
        }
        try {
            blocks_[kind_of(bytes)].push_back(data);
        } catch (...) {
            return false;
        }
        bytes_ += size_for(bytes);
        return true;
    }
    /// Calls give_back(data) for all blocks, and has none then.
    template <class GiveBack>
    void release(GiveBack give_back) noexcept
    {
        const std::lock_guard lock(mutex_);
        for (auto& blocks : blocks_) {
            for (void* const data : blocks) {
                give_back(data);
            }
            blocks.clear();
        }
        bytes_ = 0;
    }

private:
    static constexpr int least_bits = 9, most_bits = 26, parts = 8;
    static constexpr std::size_t largest = std::size_t{1} << most_bits;

    /// Kinds are parts of powers of two: number 8 k + p has (8 + p) 2^k least / 8 bytes.
    static std::size_t kind_of(std::size_t bytes)
    {
        if (bytes <= std::size_t{1} << least_bits) {
            return 0;
        }
        const auto k = static_cast<std::size_t>(std::bit_width(bytes - 1)) - 1 - least_bits;
        const auto step = (std::size_t{1} << (least_bits + k)) / parts;
        return parts * k + (bytes + step - 1) / step - parts;
    }
    static std::size_t size_of(std::size_t kind)
    {
        return (parts + kind % parts) * ((std::size_t{1} << least_bits) / parts << kind / parts);
    }

    std::size_t most_of_block_, most_in_all_;
    std::mutex mutex_;
    std::array<std::vector<void*>, parts*(most_bits - least_bits) + 1> blocks_;
    std::size_t bytes_ = 0;
};

}  // namespace linden::detail
