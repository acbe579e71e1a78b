#include "core/base/pool.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <thread>
#include <vector>

namespace linden::detail {
namespace {

auto take(Pool<int>& pool, int value)
{
    return pool.take([value](int item) { return item == value; }, [value] { return value; });
}

TEST(Pool, LendsEachItemOnceAtATime)
{
    Pool<int> pool;
    const auto first = take(pool, 7), second = take(pool, 7);
    EXPECT_EQ(*first, 7);
    EXPECT_EQ(*second, 7);
    EXPECT_NE(&*first, &*second);
}

TEST(Pool, LendsWhatFitsAgainAtItsAddress)
{
    Pool<int> pool;
    const int* seven = &*take(pool, 7);
    const int* eight = &*take(pool, 8);
    EXPECT_NE(seven, eight);
    EXPECT_EQ(&*take(pool, 8), eight);
    EXPECT_EQ(&*take(pool, 7), seven);
}

TEST(Pool, LeavesItemsWhereTheyAre)
{
    Pool<int> pool;
    const auto first = take(pool, 0);
    const int* const address = &*first;
    for (int i = 1; i < 1000; ++i) {
        take(pool, i);
    }
    EXPECT_EQ(&*first, address);
    EXPECT_EQ(*address, 0);
}

TEST(Pool, IsAsBeforeWhereMakingFails)
{
    Pool<int> pool;
    const auto nothing_fits = [](int) { return false; };
    const auto fail = []() -> int { throw std::runtime_error("no memory"); };
    const int* seven = &*take(pool, 7);
    EXPECT_THROW(pool.take(nothing_fits, fail), std::runtime_error);
    EXPECT_EQ(&*take(pool, 7), seven);
}

TEST(Pool, LendsToThreads)
{
    Pool<int> pool;
    std::vector<std::thread> threads;
    for (int thread = 0; thread < 4; ++thread) {
        threads.emplace_back([&pool] {
            for (int i = 0; i < 1000; ++i) {
                const auto lease = pool.take([](int) { return true; }, [] { return 0; });
                *lease += 1;  // the thread sanitizer sees whether somebody else has the item
            }
        });
    }
    for (auto& thread : threads) {
        thread.join();
    }
    const auto any = [&pool] { return pool.take([](int) { return true; }, [] { return 0; }); };
    const auto first = any(), second = any(), third = any(), fourth = any();
    EXPECT_EQ(*first + *second + *third + *fourth, 4000);
}

}  // namespace
}  // namespace linden::detail
