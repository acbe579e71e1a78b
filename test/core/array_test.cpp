#include <linden/array.hpp>
#include <linden/error.hpp>
#include <linden/memory.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <numeric>
#include <type_traits>
#include <vector>

#include "test/support/backends.hpp"

namespace linden {
namespace {

using test::on_each_executor;
using test::tested_executors;

static_assert(!std::is_copy_constructible_v<Array<int>>);
static_assert(std::is_nothrow_move_constructible_v<Array<int>>);
static_assert(std::is_nothrow_move_assignable_v<Array<int>>);

TEST(Array, OwnsWhatItAllocates)
{
    on_each_executor([](const Executor& exec) {
        const auto before = exec.counters().allocated_bytes;
        {
            const Array<double> array(exec, 7);
            EXPECT_EQ(array.size(), 7);
            EXPECT_EQ(array.bytes(), 56u);
            EXPECT_FALSE(array.is_view());
            EXPECT_NE(array.data(), nullptr);
            EXPECT_TRUE(array.executor() == exec);
            EXPECT_EQ(exec.counters().allocated_bytes, before + 56);
        }
        EXPECT_EQ(exec.counters().allocated_bytes, before);
    });
}

TEST(Array, IsEmptyWithoutASize)
{
    const Array<int> none(Executor::reference());
    const Array<int> zero(Executor::reference(), 0);
    for (const auto* array : {&none, &zero}) {
        EXPECT_EQ(array->size(), 0);
        EXPECT_EQ(array->data(), nullptr);
        EXPECT_FALSE(array->is_view());
        EXPECT_TRUE(array->to_host().empty());
        EXPECT_EQ(array->clone().size(), 0);
    }
}

TEST(Array, TakesAndReturnsHostValues)
{
    on_each_executor([](const Executor& exec) {
        const std::vector<std::int64_t> values{3, -1, 4};
        Array<std::int64_t> array(exec, values);
        EXPECT_EQ(array.to_host(), values);
        const std::int64_t other[] = {7, 8, 9};
        array.copy_from_host(other);
        std::int64_t back[3] = {};
        array.copy_to_host(back);
        EXPECT_TRUE(std::equal(other, other + 3, back));
    });
}

TEST(Array, ViewsMemoryOfOthers)
{
    std::vector<int> memory{1, 2, 3};
    {
        const auto exec = Executor::reference();
        auto view = Array<int>::view(exec, 3, memory.data());
        EXPECT_TRUE(view.is_view());
        EXPECT_EQ(view.data(), memory.data());
        view.data()[1] = 20;
        EXPECT_EQ(exec.counters().allocations, 0u);
    }
    EXPECT_EQ(memory, (std::vector{1, 20, 3}));
}

TEST(Array, MovesWithoutACopyAndLeavesEmptiness)
{
    on_each_executor([](const Executor& exec) {
        Array<int> first(exec, {1, 2, 3});
        const int* data = first.data();
        const auto before = exec.counters();
        Array<int> second(std::move(first));
        Array<int> third(exec, {9});
        third = std::move(second);
        EXPECT_EQ(third.data(), data);
        EXPECT_EQ(third.to_host(), (std::vector{1, 2, 3}));
        for (auto* moved : {&first, &second}) {
            EXPECT_EQ(moved->size(), 0);
            EXPECT_EQ(moved->data(), nullptr);
            EXPECT_TRUE(moved->executor() == exec);
            moved->resize(2);
            EXPECT_EQ(moved->size(), 2);
        }
        EXPECT_EQ(exec.counters().allocations, before.allocations + 3);  // 9 and the two resized ones
        EXPECT_EQ(exec.counters().allocated_bytes, before.allocated_bytes + 2 * 2 * sizeof(int));
    });
}

TEST(Array, StandsAMoveToItself)
{
    Array<int> array(Executor::reference(), {1, 2});
    auto& same = array;
    array = std::move(same);
    EXPECT_EQ(array.to_host(), (std::vector{1, 2}));
}

TEST(Array, MovesAcrossExecutorsWithItsMemory)
{
    const auto a = Executor::reference();
    const auto b = Executor::reference();
    Array<int> on_a(a, {1});
    Array<int> on_b(b, {2, 3});
    on_a = std::move(on_b);
    EXPECT_TRUE(on_a.executor() == b);
    EXPECT_EQ(a.counters().allocated_bytes, 0u);
    EXPECT_EQ(on_a.to_host(), (std::vector{2, 3}));
}

TEST(Array, MovedViewStaysAView)
{
    int memory[] = {5, 6};
    auto view = Array<int>::view(Executor::reference(), 2, memory);
    const Array<int> moved(std::move(view));
    EXPECT_TRUE(moved.is_view());
    EXPECT_EQ(moved.data(), memory);
}

TEST(Array, ClonesToEveryExecutor)
{
    std::vector<double> values(100);
    std::iota(values.begin(), values.end(), 0.5);
    for (const auto& from : tested_executors()) {
        const Array<double> original(from, values);
        for (const auto& to : tested_executors()) {
            SCOPED_TRACE(from.name() + " to " + to.name());
            const auto clone = original.clone(to);
            EXPECT_TRUE(clone.executor() == to);
            EXPECT_NE(clone.data(), original.data());
            EXPECT_EQ(clone.to_host(), values);
        }
    }
}

TEST(Array, CloneOfAViewOwns)
{
    std::vector<int> memory{1, 2};
    const auto clone = Array<int>::view(Executor::reference(), 2, memory.data()).clone();
    EXPECT_FALSE(clone.is_view());
    memory[0] = 9;
    EXPECT_EQ(clone.to_host(), (std::vector{1, 2}));
}

TEST(Array, ResizesOnlyWhereItMust)
{
    const auto exec = Executor::reference();
    Array<int> array(exec, {1, 2, 3});
    const int* data = array.data();
    array.resize(3);
    EXPECT_EQ(array.data(), data);
    EXPECT_EQ(array.to_host(), (std::vector{1, 2, 3}));
    array.resize(0);
    EXPECT_EQ(array.data(), nullptr);
    EXPECT_EQ(exec.counters().allocated_bytes, 0u);
    array.resize(5);
    EXPECT_EQ(array.size(), 5);
}

TEST(Array, ResizedViewOwnsItsMemory)
{
    int memory[] = {5, 6};
    auto array = Array<int>::view(Executor::reference(), 2, memory);
    array.resize(2);
    EXPECT_FALSE(array.is_view());
    EXPECT_NE(array.data(), memory);
}

TEST(Array, KeepsItsValuesWhenAResizeFails)
{
    auto memory = std::make_shared<FaultInjectingMemory>(host_memory());
    Array<int> array(Executor::reference({.memory = memory}), {1, 2, 3});
    memory->fail_allocation(1);
    EXPECT_THROW(array.resize(100), OutOfMemory);
    EXPECT_EQ(array.to_host(), (std::vector{1, 2, 3}));
}

TEST(Array, RefusesSizesThatCannotBe)
{
    EXPECT_THROW(Array<int>(Executor::reference(), -1), InvalidParameter);
    on_each_executor([](const Executor& exec) {
        // The bytes of these overflow 64 bits; one of them wraps around to 8.
        for (const size_type size : {std::numeric_limits<size_type>::max(), (size_type{1} << 61) + 1}) {
            EXPECT_THROW(Array<double>(exec, size), OutOfMemory) << size;
        }
    });
}

}  // namespace
}  // namespace linden
