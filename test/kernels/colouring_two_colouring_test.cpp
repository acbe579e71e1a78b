#include "test/support/colouring.hpp"

namespace linden::test {
namespace {

template <class I>
class ColouringTwoColouring : public testing::Test {
};
TYPED_TEST_SUITE(ColouringTwoColouring, TestedIndices);

template <class I>
std::vector<I> sides_of(const Executor& exec, const HostPattern<I>& host)
{
    const PatternOn<I> a(exec, host);
    Array<I> sides(exec, host.size.rows);
    Array<std::byte> workspace(exec, colouring_workspace_bytes(host.size.rows));
    colouring_two_colouring<I>(exec, a.view(), sides.data(), {workspace.data(), workspace.size()});
    return sides.to_host();
}

TYPED_TEST(ColouringTwoColouring, ByHand)
{
    using I = TypeParam;
    // neighbours of 0: 1, 3; of 1: 0, 3, 4; of 2: none; of 3: 0, 1; of 4: 1; in disorder
    const HostPattern<I> a{{5, 5}, {0, 3, 6, 6, 8, 10}, {3, 0, 1, 4, 0, 3, 1, 0, 4, 1}};
    on_each_executor([&](const Executor& exec) {
        EXPECT_EQ(sides_of(exec, a), (std::vector<I>{0, 1, 0, 0, 0}));
        EXPECT_EQ(sides_of(exec, HostPattern<I>{{0, 0}, {0}, {}}), std::vector<I>{});
    });
}

TYPED_TEST(ColouringTwoColouring, AlternateAlongAPath)
{
    using I = TypeParam;
    const auto a = pattern_of_distances<I>(5000, {1});
    on_each_executor([&](const Executor& exec) {
        const auto sides = sides_of(exec, a);
        for (std::size_t row = 0; row < sides.size(); ++row) {
            ASSERT_EQ(sides[row], static_cast<I>(row % 2)) << row;
        }
    });
}

TYPED_TEST(ColouringTwoColouring, OfRandomPatterns)
{
    using I = TypeParam;
    for_each_symmetric_pattern<I>(901, [](const HostPattern<I>& a) {
        expect_equal_to_reference([&](const Executor& exec) { return sides_of(exec, a); });
    });
}

}  // namespace
}  // namespace linden::test
