#pragma once

#include <linden/types.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>

/// Where an executor's memory comes from.
namespace linden {

/// An allocator of raw memory. Derive from it to give an executor another allocator.
class LINDEN_EXPORT MemoryResource {
public:
    virtual ~MemoryResource() = default;

    /// At least `bytes` bytes, aligned to at least 64 bytes; null if out of memory. Never called with 0.
    virtual void* allocate(std::size_t bytes) noexcept = 0;
    /// Frees memory that `allocate(bytes)` returned.
    virtual void deallocate(void* data, std::size_t bytes) noexcept = 0;
};

/// Host memory from the system, aligned to 64 bytes, or to 2 MiB for 4 MiB and more (huge pages).
LINDEN_EXPORT std::shared_ptr<MemoryResource> host_memory();

/// A pool that keeps freed blocks and reuses them; its destructor returns all of them to `upstream`. Thread-safe.
/// Sizes are rounded up to a power of two below 1 MiB, and to a multiple of 1 MiB above.
LINDEN_EXPORT std::shared_ptr<MemoryResource> pool_memory(std::shared_ptr<MemoryResource> upstream);

/// Counts outstanding allocations and can fail the k-th one; for tests of error paths.
class LINDEN_EXPORT FaultInjectingMemory : public MemoryResource {
public:
    explicit FaultInjectingMemory(std::shared_ptr<MemoryResource> upstream) : upstream_(std::move(upstream)) {}

    /// The k-th allocation from now (1 is the next) fails, once; 0 disarms.
    void fail_allocation(std::int64_t k) { countdown_ = k; }

    std::int64_t num_outstanding() const { return outstanding_; }
    std::int64_t num_allocations() const { return allocations_; }

    void* allocate(std::size_t bytes) noexcept override;
    void deallocate(void* data, std::size_t bytes) noexcept override;

private:
    std::shared_ptr<MemoryResource> upstream_;
    std::int64_t countdown_ = 0;
    std::int64_t outstanding_ = 0;
    std::int64_t allocations_ = 0;
};

}  // namespace linden
