#pragma once

#include <linden/log/logger.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>

namespace linden::inspect {

/// Memory of an executor, as it was allocated.
struct Block {
    std::byte* data = nullptr;
    std::size_t bytes = 0;
};

/// The live allocations of the executor that this is a logger of; those from before are unknown.
class LiveBlocks final : public Logger {
public:
    void on_allocate(std::size_t bytes, const void* data) override;
    void on_deallocate(std::size_t bytes, const void* data) override;

    /// The block that `address` is in, or, where none is, the one that ends there.
    std::optional<Block> find(const void* address) const;

private:
    mutable std::mutex mutex_;
    std::map<std::uintptr_t, std::size_t> bytes_of_;
};

}  // namespace linden::inspect
