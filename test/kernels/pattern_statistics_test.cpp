#include <cstring>

#include "core/kernels/statistics.hpp"
#include "test/support/patterns.hpp"

namespace linden::test {
namespace {

template <class I>
class PatternStatistics : public testing::Test {
};
TYPED_TEST_SUITE(PatternStatistics, TestedIndices);

template <class I>
PatternCounts counts_of(const Executor& exec, const HostPattern<I>& host)
{
    const PatternOn<I> a(exec, host);
    Array<PatternCounts> counts(exec, 1);
    pattern_statistics<I>(exec, a.view(), counts.data());
    return counts.to_host().front();
}

TYPED_TEST(PatternStatistics, ByHand)
{
    using I = TypeParam;
    // [x . . . x; . . . . .; . x x . .; x x x x .]
    const HostPattern<I> a{{4, 5}, {0, 2, 2, 4, 8}, {0, 4, 1, 2, 0, 1, 2, 3}};
    on_each_executor([&](const Executor& exec) {
        const auto c = counts_of(exec, a);
        EXPECT_EQ(c.shortest_row, 0);
        EXPECT_EQ(c.longest_row, 4);
        EXPECT_EQ(c.squared_lengths, 24);
        EXPECT_EQ((std::vector<size_type>(c.rows_of_class, c.rows_of_class + 5)),
                  (std::vector<size_type>{1, 0, 2, 1, 0}));
        EXPECT_EQ(c.lower_bandwidth, 3);
        EXPECT_EQ(c.upper_bandwidth, 4);
        EXPECT_EQ(c.num_diagonal, 3);
        EXPECT_EQ(c.first_malformed, PatternCounts::no_row);
    });
}

TYPED_TEST(PatternStatistics, FindsTheFirstMalformedRow)
{
    using I = TypeParam;
    on_each_executor([](const Executor& exec) {
        EXPECT_EQ(counts_of<I>(exec, {{3, 3}, {0, 2, 4, 6}, {0, 1, 2, 1, 1, 0}}).first_malformed, 1) << "unsorted";
        EXPECT_EQ(counts_of<I>(exec, {{3, 3}, {0, 2, 4, 6}, {0, 1, 1, 2, 1, 1}}).first_malformed, 2) << "repeated";
        EXPECT_EQ(counts_of<I>(exec, {{3, 3}, {0, 2, 4, 6}, {-1, 1, 1, 2, 0, 1}}).first_malformed, 0) << "negative";
        EXPECT_EQ(counts_of<I>(exec, {{3, 3}, {0, 2, 4, 6}, {0, 1, 1, 3, 0, 1}}).first_malformed, 1) << "too large";
    });
}

template <class I>
void expect_same_counts(const HostPattern<I>& a)
{
    const auto expected = counts_of(reference_executor(), a);
    on_each_other_executor([&](const Executor& exec) {
        const auto actual = counts_of(exec, a);
        EXPECT_EQ(std::memcmp(&actual, &expected, sizeof actual), 0);
    });
}

TYPED_TEST(PatternStatistics, LikeReference)
{
    using I = TypeParam;
    for_each_sorted_pattern<I>(731, [](const HostPattern<I>& a) { expect_same_counts(a); });
    for_each_disordered_pattern<I>(732, [](const HostPattern<I>& a) { expect_same_counts(a); });
    expect_same_counts(one_long_row<I>());
}

}  // namespace
}  // namespace linden::test
