#include <linden/memory.hpp>

#include <bit>
#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <unordered_map>
#include <vector>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace linden {
namespace {

constexpr std::size_t cache_line_bytes = 64;
constexpr std::size_t huge_page_bytes = std::size_t{2} << 20;

class HostMemory : public MemoryResource {
public:
    void* allocate(std::size_t bytes) noexcept override
    {
        const bool large = bytes >= 2 * huge_page_bytes;
        const std::size_t alignment = large ? huge_page_bytes : cache_line_bytes;
        if (bytes > PTRDIFF_MAX - alignment) {
            return nullptr;
        }
        void* data = std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
#if defined(__linux__)
        if (large && data != nullptr) {
            // Fewer TLB misses in gathers; a refusal costs nothing.
            (void)madvise(data, bytes, MADV_HUGEPAGE);
        }
#endif
        return data;
    }
    void deallocate(void* data, std::size_t) noexcept override { std::free(data); }
};

class PoolMemory : public MemoryResource {
public:
    explicit PoolMemory(std::shared_ptr<MemoryResource> upstream) : upstream_(std::move(upstream)) {}

    ~PoolMemory() override { release(); }

    void* allocate(std::size_t bytes) noexcept override
    {
        const std::size_t size = rounded(bytes);
        const std::lock_guard lock(mutex_);
        if (const auto blocks = free_.find(size); blocks != free_.end() && !blocks->second.empty()) {
            void* data = blocks->second.back();
            blocks->second.pop_back();
            return data;
        }
        void* data = upstream_->allocate(size);
        if (data == nullptr) {
            release();
            data = upstream_->allocate(size);
        }
        return data;
    }

    void deallocate(void* data, std::size_t bytes) noexcept override
    {
        const std::lock_guard lock(mutex_);
        try {
            free_[rounded(bytes)].push_back(data);
        } catch (...) {
            upstream_->deallocate(data, rounded(bytes));
        }
    }

private:
    static std::size_t rounded(std::size_t bytes)
    {
        constexpr std::size_t step = std::size_t{1} << 20;
        if (bytes <= step) {
            return std::bit_ceil(bytes < cache_line_bytes ? cache_line_bytes : bytes);
        }
        return bytes > SIZE_MAX - step ? bytes : (bytes + step - 1) / step * step;
    }

    void release() noexcept
    {
        for (auto& [size, blocks] : free_) {
            for (void* data : blocks) {
                upstream_->deallocate(data, size);
            }
            blocks.clear();
        }
    }

    std::shared_ptr<MemoryResource> upstream_;
    std::mutex mutex_;
    std::unordered_map<std::size_t, std::vector<void*>> free_;
};

}  // namespace

std::shared_ptr<MemoryResource> host_memory() { return std::make_shared<HostMemory>(); }

std::shared_ptr<MemoryResource> pool_memory(std::shared_ptr<MemoryResource> upstream)
{
    return std::make_shared<PoolMemory>(std::move(upstream));
}

void* FaultInjectingMemory::allocate(std::size_t bytes) noexcept
{
    ++allocations_;
    if (countdown_ > 0 && --countdown_ == 0) {
        return nullptr;
    }
    void* data = upstream_->allocate(bytes);
    outstanding_ += data != nullptr;
    return data;
}

void FaultInjectingMemory::deallocate(void* data, std::size_t bytes) noexcept
{
    --outstanding_;
    upstream_->deallocate(data, bytes);
}

}  // namespace linden
