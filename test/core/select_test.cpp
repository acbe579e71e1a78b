#include <linden/error.hpp>
#include <linden/select.hpp>

#include <algorithm>
#include <string>

#include "test/support/kernel_cases.hpp"

/// Thresholds of magnitudes, as a user asks for them.
namespace linden::test {
namespace {

template <class V>
class Select : public testing::Test {
};
TYPED_TEST_SUITE(Select, TestedValues, TypeNames);

TYPED_TEST(Select, ByHand)
{
    using V = TypeParam;
    using R = real_t<V>;
    on_each_executor([](const Executor& exec) {
        const Array<V> values(exec, {V{-3}, V{1}, V{0}, V{-2}});
        for (size_type rank = 0; rank < 4; ++rank) {
            EXPECT_EQ(select_threshold(values, rank), static_cast<R>(rank));
            EXPECT_EQ(select_threshold(values, rank, Selection::approximate), static_cast<R>(rank));
        }
    });
}

/// As many magnitudes as the rank says are smaller; the approximate one is not far off.
TYPED_TEST(Select, SplitsMagnitudes)
{
    using V = TypeParam;
    using R = real_t<V>;
    Random random(431);
    std::vector<V> host;
    for (int i = 0; i < 30000; ++i) {
        host.push_back(random.value<V>());
    }
    on_each_executor([&](const Executor& exec) {
        const Array<V> values(exec, host);
        for (const size_type rank : {0, 700, 15000, 29999}) {
            // hypot may round otherwise on a device: two numbers more or less
            const auto smaller = [&](R threshold, R factor) {
                return std::count_if(host.begin(), host.end(), [&](V v) { return std::abs(v) < factor * threshold; });
            };
            constexpr R eps = 2 * std::numeric_limits<R>::epsilon();
            const R threshold = select_threshold(values, rank);
            EXPECT_LE(smaller(threshold, 1 - eps), rank);
            EXPECT_GT(smaller(threshold, 1 + eps), rank);
            EXPECT_NEAR(static_cast<double>(smaller(select_threshold(values, rank, Selection::approximate), 1)),
                        static_cast<double>(rank), 600);
        }
    });
}

TYPED_TEST(Select, RefusesRanksThatNoValueHas)
{
    using V = TypeParam;
    on_each_executor([](const Executor& exec) {
        const Array<V> values(exec, {V{1}, V{2}, V{3}});
        EXPECT_THROW(select_threshold(values, -1), InvalidParameter);
        try {
            select_threshold(values, 3);
            FAIL() << "rank 3 of 3 values";
        } catch (const InvalidParameter& e) {
            EXPECT_EQ(e.name, "rank");
            EXPECT_EQ(e.value, "3");
            EXPECT_EQ(e.allowed, "from 0 to 2, for 3 values");
        }
        EXPECT_THROW(select_threshold(Array<V>(exec), 0), InvalidParameter);
        EXPECT_THROW(select_threshold(Array<V>(exec), 0, Selection::approximate), InvalidParameter);
    });
}

}  // namespace
}  // namespace linden::test
