#include <linden/memory.hpp>

#include <bit>
#include <cstdint>
#include <cstdlib>
#include <map>
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
        const std::size_t room = (bytes + alignment - 1) / alignment * alignment;
        void* data = std::aligned_alloc(alignment, room);
#if defined(__linux__)
        if (large && data != nullptr) {
            // Fewer TLB misses in gathers and, with the last huge page whole, fewer faults; a refusal costs nothing.
            (void)madvise(data, room, MADV_HUGEPAGE);
        }
#endif
        return data;
    }
    void deallocate(void* data, std::size_t) noexcept override { std::free(data); }
};

/// Keeps what is given back. Small blocks are of sizes that are powers of two; a large one serves requests of down to
/// half its size, so that the shrinking levels of a set-up go where those before them were.
class PoolMemory : public MemoryResource {
public:
    explicit PoolMemory(std::shared_ptr<MemoryResource> upstream) : upstream_(std::move(upstream)) {}

    ~PoolMemory() override { release(); }

    void* allocate(std::size_t bytes) noexcept override
    {
        const std::size_t size = rounded(bytes);
        const std::lock_guard lock(mutex_);
        for (auto blocks = free_.lower_bound(size); blocks != free_.end() && serves(blocks->first, size); ++blocks) {
            if (!blocks->second.empty()) {
                void* const data = blocks->second.back();
                blocks->second.pop_back();
                return data;
            }
        }
        return new_block(size);
    }

    void deallocate(void* data, std::size_t bytes) noexcept override
    {
        const std::lock_guard lock(mutex_);
        const std::size_t size = size_of(data, bytes);
        try {
            free_[size].push_back(data);
        } catch (...) {
            give_back(data, size);
        }
    }

private:
    static constexpr std::size_t largest_small = std::size_t{1} << 20;

    static std::size_t rounded(std::size_t bytes)
    {
        constexpr std::size_t step = largest_small;
        if (bytes <= step) {
            return std::bit_ceil(bytes < cache_line_bytes ? cache_line_bytes : bytes);
        }
        return bytes > SIZE_MAX - step ? bytes : (bytes + step - 1) / step * step;
    }

    /// Whether a block is given to requests of `size`, which is no more.
    static bool serves(std::size_t block, std::size_t size)
    {
        return size <= largest_small ? block == size : block / 2 <= size;
    }

    std::size_t size_of(void* data, std::size_t bytes) const
    {
        const std::size_t size = rounded(bytes);
        return size <= largest_small ? size : large_.at(data);
    }

    void* new_block(std::size_t size) noexcept
    {
        void* data = upstream_->allocate(size);
        if (data == nullptr) {
            release();
            data = upstream_->allocate(size);
        }
        if (data != nullptr && size > largest_small) {
            try {
                large_.emplace(data, size);
            } catch (...) {
                upstream_->deallocate(data, size);
                return nullptr;
            }
        }
        return data;
    }

    void give_back(void* data, std::size_t size) noexcept
    {
        large_.erase(data);
        upstream_->deallocate(data, size);
    }

    void release() noexcept
    {
        for (auto& [size, blocks] : free_) {
            for (void* data : blocks) {
                give_back(data, size);
            }
            blocks.clear();
        }
    }

    std::shared_ptr<MemoryResource> upstream_;
    std::mutex mutex_;
    std::map<std::size_t, std::vector<void*>> free_;  ///< by size
    std::unordered_map<void*, std::size_t> large_;    ///< the sizes of large blocks, also of those in use
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
