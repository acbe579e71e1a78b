#include <linden/array.hpp>
#include <linden/error.hpp>
#include <linden/executor.hpp>
#include <linden/memory.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <set>
#include <thread>
#include <utility>
#include <vector>

namespace linden {
namespace {

bool is_aligned(const void* data, std::size_t alignment)
{
    return reinterpret_cast<std::uintptr_t>(data) % alignment == 0;
}

TEST(HostMemory, IsAligned)
{
    const auto memory = host_memory();
    for (const std::size_t bytes : {std::size_t{1}, std::size_t{63}, std::size_t{65}, std::size_t{4} << 20}) {
        void* data = memory->allocate(bytes);
        ASSERT_NE(data, nullptr);
        EXPECT_TRUE(is_aligned(data, bytes >= std::size_t{4} << 20 ? std::size_t{2} << 20 : 64)) << bytes;
        std::memset(data, 1, bytes);
        memory->deallocate(data, bytes);
    }
}

TEST(HostMemory, GivesNullForMoreThanThereCanBe)
{
    EXPECT_EQ(host_memory()->allocate(SIZE_MAX), nullptr);
    EXPECT_EQ(host_memory()->allocate(PTRDIFF_MAX), nullptr);
}

TEST(PoolMemory, HandsFreedBlocksOutAgain)
{
    auto upstream = std::make_shared<FaultInjectingMemory>(host_memory());
    const auto pool = pool_memory(upstream);
    void* first = pool->allocate(1000);
    pool->deallocate(first, 1000);
    EXPECT_EQ(pool->allocate(1000), first);
    pool->deallocate(first, 1000);
    EXPECT_EQ(pool->allocate(600), first);  // both round to 1024
    EXPECT_EQ(upstream->num_allocations(), 1);
    pool->deallocate(first, 600);
}

TEST(PoolMemory, KeepsBlocksOfDifferentSizesApart)
{
    auto upstream = std::make_shared<FaultInjectingMemory>(host_memory());
    const auto pool = pool_memory(upstream);
    void* small = pool->allocate(100);
    pool->deallocate(small, 100);
    void* large = pool->allocate(5000);
    std::memset(large, 1, 5000);
    EXPECT_NE(large, small);
    EXPECT_EQ(upstream->num_allocations(), 2);
    pool->deallocate(large, 5000);
}

TEST(PoolMemory, LargeBlocksServeRequestsOfDownToHalfTheirSize)
{
    constexpr std::size_t mib = std::size_t{1} << 20;
    auto upstream = std::make_shared<FaultInjectingMemory>(host_memory());
    const auto pool = pool_memory(upstream);
    void* const eight = pool->allocate(8 * mib);
    void* const six = pool->allocate(6 * mib);
    pool->deallocate(eight, 8 * mib);
    pool->deallocate(six, 6 * mib);
    EXPECT_EQ(pool->allocate(5 * mib), six);  // the smaller one
    EXPECT_EQ(pool->allocate(4 * mib), eight);
    std::memset(eight, 1, 4 * mib);
    pool->deallocate(eight, 4 * mib);
    EXPECT_EQ(pool->allocate(8 * mib), eight);  // its size has not shrunk
    pool->deallocate(eight, 8 * mib);
    void* const small = pool->allocate(3 * mib);
    EXPECT_NE(small, eight);
    EXPECT_EQ(upstream->num_allocations(), 3);
    pool->deallocate(small, 3 * mib);
    pool->deallocate(six, 5 * mib);
}

TEST(PoolMemory, GivesDistinctBlocksOfTheSizeAskedFor)
{
    const auto pool = pool_memory(host_memory());
    std::set<void*> blocks;
    std::vector<std::pair<void*, std::size_t>> held;
    constexpr std::size_t mib = std::size_t{1} << 20;
    const std::size_t sizes[] = {1, 64, 65, 4097, mib - 1, mib, mib + 1, 3 * mib + 5};
    for (const auto bytes : sizes) {
        void* data = pool->allocate(bytes);
        ASSERT_NE(data, nullptr);
        EXPECT_TRUE(is_aligned(data, 64));
        EXPECT_TRUE(blocks.insert(data).second);
        std::memset(data, 0xab, bytes);
        pool->deallocate(data, bytes);
        EXPECT_EQ(pool->allocate(bytes), data);
        held.emplace_back(data, bytes);
    }
    for (const auto& [data, bytes] : held) {
        pool->deallocate(data, bytes);
    }
}

TEST(PoolMemory, GivesEverythingBackWithItself)
{
    auto upstream = std::make_shared<FaultInjectingMemory>(host_memory());
    {
        const auto pool = pool_memory(upstream);
        for (const std::size_t bytes : {10, 100, 1000, 2'000'000}) {
            pool->deallocate(pool->allocate(bytes), bytes);
        }
        EXPECT_EQ(upstream->num_outstanding(), 4);
    }
    EXPECT_EQ(upstream->num_outstanding(), 0);
}

TEST(PoolMemory, FreesWhatItKeepsBeforeItGivesUp)
{
    auto upstream = std::make_shared<FaultInjectingMemory>(host_memory());
    const auto pool = pool_memory(upstream);
    pool->deallocate(pool->allocate(1000), 1000);
    EXPECT_EQ(upstream->num_outstanding(), 1);
    upstream->fail_allocation(1);
    void* data = pool->allocate(5000);  // the first try fails, the second does not
    EXPECT_NE(data, nullptr);
    EXPECT_EQ(upstream->num_outstanding(), 1);
    pool->deallocate(data, 5000);
    EXPECT_EQ(pool->allocate(SIZE_MAX), nullptr);
    EXPECT_EQ(upstream->num_outstanding(), 0);
}

TEST(PoolMemory, ServesThreadsAtOnce)
{
    const auto pool = pool_memory(host_memory());
    std::vector<std::thread> threads;
    std::vector<int> intact(4, 1);
    for (std::size_t t = 0; t < intact.size(); ++t) {
        threads.emplace_back([&, t] {
            for (std::size_t i = 0; i < 2000; ++i) {
                const std::size_t bytes = 16 + (i * 37 + t * 101) % 3000;
                auto* data = static_cast<unsigned char*>(pool->allocate(bytes));
                std::memset(data, static_cast<int>(t), bytes);
                intact[t] &= data[0] == t && data[bytes / 2] == t && data[bytes - 1] == t;
                pool->deallocate(data, bytes);
            }
        });
    }
    for (auto& thread : threads) {
        thread.join();
    }
    EXPECT_EQ(intact, std::vector<int>(4, 1));
}

TEST(FaultInjectingMemory, FailsTheAskedAllocationOnce)
{
    FaultInjectingMemory memory(host_memory());
    memory.fail_allocation(2);
    void* first = memory.allocate(8);
    EXPECT_NE(first, nullptr);
    EXPECT_EQ(memory.allocate(8), nullptr);
    void* third = memory.allocate(8);
    EXPECT_NE(third, nullptr);
    EXPECT_EQ(memory.num_allocations(), 3);
    EXPECT_EQ(memory.num_outstanding(), 2);
    memory.fail_allocation(1);
    memory.fail_allocation(0);
    void* fourth = memory.allocate(8);
    EXPECT_NE(fourth, nullptr);
    for (void* data : {first, third, fourth}) {
        memory.deallocate(data, 8);
    }
    EXPECT_EQ(memory.num_outstanding(), 0);
}

TEST(ExecutorMemory, CountsFromSeveralThreads)
{
    const auto exec = Executor::reference();
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
        threads.emplace_back([&] {
            for (int i = 0; i < 1000; ++i) {
                const Array<char> array(exec, 100);
            }
        });
    }
    for (auto& thread : threads) {
        thread.join();
    }
    EXPECT_EQ(exec.counters().allocations, 4000u);
    EXPECT_EQ(exec.counters().allocated_bytes, 0u);
    EXPECT_GE(exec.counters().peak_bytes, 100u);
    EXPECT_LE(exec.counters().peak_bytes, 400u);
}

}  // namespace
}  // namespace linden
