#include "core/inspect/blocks.hpp"

namespace linden::inspect {

void LiveBlocks::on_allocate(std::size_t bytes, const void* data)
{
    const std::lock_guard lock(mutex_);
    bytes_of_[reinterpret_cast<std::uintptr_t>(data)] = bytes;
}

void LiveBlocks::on_deallocate(std::size_t, const void* data)
{
    const std::lock_guard lock(mutex_);
    bytes_of_.erase(reinterpret_cast<std::uintptr_t>(data));
}

std::optional<Block> LiveBlocks::find(const void* address) const
{
    const std::lock_guard lock(mutex_);
    const auto wanted = reinterpret_cast<std::uintptr_t>(address);
    auto next = bytes_of_.upper_bound(wanted);
    if (next == bytes_of_.begin()) {
        return {};
    }
    const auto [begin, bytes] = *--next;
    if (wanted > begin + bytes) {
        return {};
    }
    return Block{reinterpret_cast<std::byte*>(begin), bytes};
}

}  // namespace linden::inspect
