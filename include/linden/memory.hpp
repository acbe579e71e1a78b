#pragma once

#include <linden/types.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>

/// Where an executor's memory comes from.
namespace linden {

/// Hands out raw memory. Derive from it to plug another allocator under an executor.
class LINDEN_EXPORT MemoryResource {
public:
    virtual ~MemoryResource() = default;

    /// At least `bytes` bytes, aligned to 64 bytes at least; null if there is no memory. Never called with 0.
    virtual void* allocate(std::size_t bytes) noexcept = 0;
    /// Takes back what `allocate(bytes)` gave.
    virtual void deallocate(void* data, std::size_t bytes) noexcept = 0;
};

/// Host memory straight from the system, aligned to 64 bytes (to 2 MiB from 4 MiB on, for large pages).
LINDEN_EXPORT std::shared_ptr<MemoryResource> host_memory();

/// Keeps freed blocks and hands them out again; everything goes back to `upstream` with the pool. Thread-safe.
/// Blocks are rounded up to a power of two below 1 MiB, to 1 MiB above.
LINDEN_EXPORT std::shared_ptr<MemoryResource> pool_memory(std::shared_ptr<MemoryResource> upstream);

/// Counts what is outstanding and fails the k-th allocation from now on request; for tests of error paths.
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
