#include "test/support/triangular.hpp"

namespace linden::test {
namespace {

template <class I>
class LevelsFind : public testing::Test {
};
TYPED_TEST_SUITE(LevelsFind, TestedIndices);

template <class I>
std::pair<std::vector<I>, size_type> found(const Executor& exec, const HostPattern<I>& host, Side side)
{
    const PatternOn<I> a(exec, host);
    Array<I> levels(exec, host.size.rows);
    Array<size_type> num_levels(exec, std::vector<size_type>{-1});
    levels_find<I>(exec, a.view(), side, levels.data(), num_levels.data());
    return {levels.to_host(), num_levels.to_host()[0]};
}

TYPED_TEST(LevelsFind, ByHand)
{
    using I = TypeParam;
    // [x . . . x; x x . . .; . . . x .; . x x . .; x . . . .], rows in disorder, one entry twice
    const HostPattern<I> a{{5, 5}, {0, 2, 5, 6, 8, 9}, {4, 0, 1, 0, 0, 3, 2, 1, 0}};
    using Found = std::pair<std::vector<I>, size_type>;
    on_each_executor([&](const Executor& exec) {
        EXPECT_EQ(found(exec, a, Side::lower), (Found{{0, 1, 0, 2, 1}, 3}));
        EXPECT_EQ(found(exec, a, Side::upper), (Found{{1, 0, 1, 0, 0}, 2}));
        EXPECT_EQ(found(exec, HostPattern<I>{{0, 0}, {0}, {}}, Side::lower), (Found{{}, 0}));
    });
}

/// Every row is one level above the highest that it needs.
template <class I>
void expect_levels(const HostPattern<I>& a, Side side, const std::vector<I>& levels, size_type num_levels)
{
    I highest = -1;
    for (std::size_t row = 0; row < levels.size(); ++row) {
        I expected = 0;
        for (I k = a.row_ptrs[row]; k < a.row_ptrs[row + 1]; ++k) {
            const auto col = static_cast<std::size_t>(a.col_idxs[k]);
            if (side == Side::lower ? col < row : col > row) {
                expected = std::max(expected, static_cast<I>(levels[col] + 1));
            }
        }
        ASSERT_EQ(levels[row], expected) << "row " << row;
        highest = std::max(highest, expected);
    }
    EXPECT_EQ(num_levels, size_type{highest} + 1);
}

TYPED_TEST(LevelsFind, OfDisorder)
{
    using I = TypeParam;
    Random random(801);
    for (const size_type n : {1, 31, 32, 33, 597, 3000}) {
        for (const auto kind : all_patterns) {
            const auto a = random_disorder<I>(random, {n, n}, n < 100 ? 3 : 2, kind);
            for (const auto side : {Side::lower, Side::upper}) {
                on_each_executor([&](const Executor& exec) {
                    const auto [levels, num_levels] = found(exec, a, side);
                    expect_levels(a, side, levels, num_levels);
                });
            }
        }
    }
}

TYPED_TEST(LevelsFind, OfTriangles)
{
    using I = TypeParam;
    Random random(802);
    const auto check = [](const HostPattern<I>& a) {
        const auto b = mirrored(a);
        on_each_executor([&](const Executor& exec) {
            const auto [lower, num_lower] = found(exec, a, Side::lower);
            expect_levels(a, Side::lower, lower, num_lower);
            const auto [upper, num_upper] = found(exec, b, Side::upper);
            EXPECT_TRUE(std::equal(lower.begin(), lower.end(), upper.rbegin(), upper.rend()));
            EXPECT_EQ(num_upper, num_lower);
            const auto [others, num_others] = found(exec, a, Side::upper);
            EXPECT_EQ(others, std::vector<I>(lower.size()));
            EXPECT_EQ(num_others, lower.empty() ? 0 : 1);
        });
    };
    for_each_small_triangle<I>(random, check);
    for_each_large_triangle<I>(random, check);
}

TYPED_TEST(LevelsFind, OfALongChain)
{
    using I = TypeParam;
    Random random(803);
    const auto a = layered_pattern<I>(random, std::vector<size_type>(5000, 1), 0);
    std::vector<I> expected(5000);
    std::iota(expected.begin(), expected.end(), I{0});
    on_each_executor([&](const Executor& exec) {
        const auto [levels, num_levels] = found(exec, a, Side::lower);
        EXPECT_EQ(levels, expected);
        EXPECT_EQ(num_levels, 5000);
    });
}

}  // namespace
}  // namespace linden::test
