#include "core/kernels/selection.hpp"

#include <algorithm>
#include <functional>

#include "core/portable/selection.hpp"
#include "test/support/kernel_cases.hpp"

namespace linden::test {
namespace {

template <class R>
R selected(const Executor& exec, const std::vector<R>& values, size_type rank, Selection how)
{
    const auto n = static_cast<size_type>(values.size());
    const Array<R> on_exec(exec, values);
    Array<R> result(exec, std::vector<R>{R{-7}});
    Array<std::byte> workspace(exec, selection_workspace_bytes<R>(n));
    selection_select<R>(exec, n, on_exec.data(), rank, how, result.data(), {workspace.data(), workspace.size()});
    EXPECT_TRUE(same_bits(on_exec.to_host(), values)) << "the values have changed";
    return result.to_host().front();
}

/// NaN last, and all of the same bits, as zeros are.
template <class R>
std::vector<R> sorted(std::vector<R> values)
{
    for (auto& value : values) {
        value = is_nan(value) ? std::numeric_limits<R>::quiet_NaN() : value + R{};
    }
    std::sort(values.begin(), values.end(), [](R a, R b) { return is_nan(b) ? !is_nan(a) : a < b; });
    return values;
}

template <class R>
void expect_same(R actual, R expected)
{
    EXPECT_TRUE(same_bits<R>({actual}, {expected})) << actual << " instead of " << expected;
}

/// The exact value is what sorting finds, on every executor; the approximate one is the reference's.
template <class R>
void expect_selected(const std::vector<R>& values)
{
    const auto n = static_cast<size_type>(values.size());
    const auto in_order = sorted(values);
    for (const size_type rank : {size_type{0}, n / 3, n - 1}) {
        SCOPED_TRACE("rank " + std::to_string(rank) + " of " + std::to_string(n));
        const R nearest = selected(reference_executor(), values, rank, Selection::approximate);
        on_each_executor([&](const Executor& exec) {
            expect_same(selected(exec, values, rank, Selection::exact), in_order[static_cast<std::size_t>(rank)]);
            expect_same(selected(exec, values, rank, Selection::approximate), nearest);
        });
    }
}

template <class R>
std::vector<R> made(size_type n, const std::function<double(size_type)>& value)
{
    std::vector<R> values;
    for (size_type i = 0; i < n; ++i) {
        values.push_back(static_cast<R>(value(i)));
    }
    return values;
}

template <class R>
class SelectionSelect : public testing::Test {
};
TYPED_TEST_SUITE(SelectionSelect, TestedReals, TypeNames);

TYPED_TEST(SelectionSelect, ByHand)
{
    using R = TypeParam;
    on_each_executor([](const Executor& exec) {
        const std::vector<R> values{3, 1, 4, 1, 5};
        for (const auto how : {Selection::exact, Selection::approximate}) {
            EXPECT_EQ(selected(exec, values, 0, how), R{1});
            EXPECT_EQ(selected(exec, values, 1, how), R{1});
            EXPECT_EQ(selected(exec, values, 2, how), R{3});
            EXPECT_EQ(selected(exec, values, 3, how), R{4});
            EXPECT_EQ(selected(exec, values, 4, how), R{5});
        }
    });
}

/// Around the number of samples, tiles, and what one block or one thread takes.
TYPED_TEST(SelectionSelect, RandomValues)
{
    using R = TypeParam;
    Random random(411);
    for (const size_type n : {1,    2,    3,    4,    5,    31,   127,  128,   129,   1023,  1024,
                              1025, 2047, 2048, 2049, 8191, 8192, 8193, 20000, 32769, 100001}) {
        expect_selected(made<R>(n, [&](size_type) { return random.unit(); }));
    }
}

TYPED_TEST(SelectionSelect, RepeatedValues)
{
    using R = TypeParam;
    Random random(412);
    for (const size_type n : {5, 1025, 70001}) {
        expect_selected(made<R>(n, [](size_type) { return 2.5; }));
        expect_selected(made<R>(n, [&](size_type) { return random.integer(0, 3); }));
        expect_selected(made<R>(n, [&](size_type) { return random.integer(0, 300); }));
        expect_selected(made<R>(n, [&](size_type i) { return i == n / 2 ? 1 : 0; }));
        // Next to each other among the numbers there are: a splitter that is put one up is a value, too.
        const R two = 2;
        const R above = std::nextafter(two, R{3});
        expect_selected(made<R>(n, [&](size_type i) { return i % 3 == 0 ? above : two; }));
    }
}

TYPED_TEST(SelectionSelect, OrderedValues)
{
    using R = TypeParam;
    for (const size_type n : {1025, 70001}) {
        expect_selected(made<R>(n, [](size_type i) { return i; }));
        expect_selected(made<R>(n, [](size_type i) { return -i; }));
        expect_selected(made<R>(n, [](size_type i) { return std::ldexp(1 + i % 7, static_cast<int>(i % 120) - 60); }));
        expect_selected(made<R>(n, [](size_type i) { return i % 5 == 0 ? 4 + 1e-4 * i : -1; }));
    }
}

TYPED_TEST(SelectionSelect, SpecialValues)
{
    using R = TypeParam;
    constexpr R infinity = std::numeric_limits<R>::infinity();
    constexpr R nan = std::numeric_limits<R>::quiet_NaN();
    constexpr R largest = std::numeric_limits<R>::max();
    constexpr R smallest = std::numeric_limits<R>::denorm_min();
    const std::vector<R> values{nan, infinity, 0, -0.0, largest, smallest, 1, -nan, -infinity, -1};
    for (const size_type n : {3, 10, 1500, 70001}) {
        expect_selected(made<R>(n, [&](size_type i) { return values[static_cast<std::size_t>(i % 10)]; }));
        expect_selected(made<R>(n, [&](size_type) { return nan; }));
        expect_selected(made<R>(n, [&](size_type i) { return i % 2 == 0 ? -0.0 : 0.0; }));
    }
}

/// The sample shows nothing of the other values: nearly all are in one bucket, for one block or for another level.
TYPED_TEST(SelectionSelect, UnlikelySamples)
{
    using R = TypeParam;
    Random random(413);
    for (const size_type n : {2500, 20000, 150000}) {
        auto values = made<R>(n, [&](size_type) { return 1 + random.unit(); });
        for (int i = 0; i < num_selection_samples; ++i) {
            values[static_cast<std::size_t>(sample_position(n, i))] = 0;
        }
        expect_selected(values);
        for (int i = 0; i < num_selection_samples; ++i) {
            values[static_cast<std::size_t>(sample_position(n, i))] = static_cast<R>(3 + i % 2);
        }
        expect_selected(values);
    }
}

/// Two levels on the host executor of devices.
TYPED_TEST(SelectionSelect, ManyValues)
{
    using R = TypeParam;
    Random random(415);
    const auto values = made<R>(600000, [&](size_type) { return random.unit(); });
    const R expected = sorted(values)[400000];
    on_each_executor(
        [&](const Executor& exec) { expect_same(selected(exec, values, 400000, Selection::exact), expected); });
}

/// Within 2 % of the wanted rank.
TYPED_TEST(SelectionSelect, ApproximatesRanks)
{
    using R = TypeParam;
    Random random(414);
    for (const size_type n : {1025, 5000, 100000}) {
        const auto values = made<R>(n, [&](size_type i) { return i + 0.5 * random.unit(); });
        for (const double part : {0.0, 0.1, 0.5, 0.77, 1.0}) {
            const auto rank = std::min(static_cast<size_type>(part * static_cast<double>(n)), n - 1);
            const auto nearest = selected(reference_executor(), values, rank, Selection::approximate);
            EXPECT_NEAR(static_cast<double>(nearest), static_cast<double>(rank), 0.02 * static_cast<double>(n));
        }
    }
}

}  // namespace
}  // namespace linden::test
