#include "test/support/triangular_segments.hpp"

namespace linden::test {
namespace {

template <class I>
class SegmentsOrder : public testing::Test {
};
TYPED_TEST_SUITE(SegmentsOrder, TestedIndices);

TYPED_TEST(SegmentsOrder, ByHand)
{
    using I = TypeParam;
    const Levels<I> levels{3, {0, 2, 1, 0, 0}, {0, 0, 0, 0, 0}, {}, {}};
    on_each_executor([&](const Executor& exec) {
        if (has_segments(exec)) {
            const auto lower = segments_on(exec, levels, Side::lower, 3);
            EXPECT_EQ(lower.order, (std::vector<I>{0, 2, 1, 3, 4}));
            EXPECT_EQ(lower.position, (std::vector<I>{0, 2, 1, 3, 4}));
            const auto upper = segments_on(exec, levels, Side::upper, 3);
            EXPECT_EQ(upper.order, (std::vector<I>{3, 4, 2, 0, 1}));
            EXPECT_EQ(upper.position, (std::vector<I>{3, 4, 2, 0, 1}));
        }
    });
}

TYPED_TEST(SegmentsOrder, LikeReference)
{
    using I = TypeParam;
    Random random(867);
    for (const auto rows : tested_rows) {
        for (const size_type num_levels : {1, 7, 300, 70000}) {
            Levels<I> levels{num_levels, {}, std::vector<I>(static_cast<std::size_t>(rows)), {}, {}};
            for (size_type row = 0; row < rows; ++row) {
                levels.levels.push_back(static_cast<I>(random.integer(0, num_levels)));
            }
            for (const auto side : {Side::lower, Side::upper}) {
                const auto expected = segments_on(reference_executor(), levels, side, 64);
                on_each_executor([&](const Executor& exec) {
                    if (has_segments(exec)) {
                        EXPECT_EQ(segments_on(exec, levels, side, 64), expected);
                    }
                });
            }
        }
    }
}

}  // namespace
}  // namespace linden::test
