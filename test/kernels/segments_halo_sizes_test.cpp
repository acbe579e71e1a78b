#include "test/support/triangular_segments.hpp"

namespace linden::test {
namespace {

template <class I>
class SegmentsHaloSizes : public testing::Test {
};
TYPED_TEST_SUITE(SegmentsHaloSizes, TestedIndices);

TYPED_TEST(SegmentsHaloSizes, ByHand)
{
    using I = TypeParam;
    // rows 0 1 | 2 3 | 4: [x . . . x; . x x . .; x x x . .; . . x x .; x . . x x]
    const HostPattern<I> a{{5, 5}, {0, 2, 4, 7, 9, 12}, {0, 4, 1, 2, 0, 1, 2, 2, 3, 0, 3, 4}};
    on_each_executor([&](const Executor& exec) {
        if (has_segments(exec)) {
            EXPECT_EQ(halo_sizes_on(exec, a, Side::lower, 2), (std::vector<I>{0, 2, 2}));
            // from the last row: 4 3 | 2 1 | 0
            EXPECT_EQ(halo_sizes_on(exec, a, Side::upper, 2), (std::vector<I>{0, 0, 1}));
        }
    });
}

TYPED_TEST(SegmentsHaloSizes, LikeReference)
{
    using I = TypeParam;
    Random random(866);
    for (const auto rows : tested_rows) {
        const auto a = random_csr<double, I>(random, {rows, rows}, 6);
        const HostPattern<I> pattern{a.size, a.row_ptrs, a.col_idxs};
        for (const auto side : {Side::lower, Side::upper}) {
            const auto expected = halo_sizes_on(reference_executor(), pattern, side, 100);
            on_each_executor([&](const Executor& exec) {
                if (has_segments(exec)) {
                    EXPECT_EQ(halo_sizes_on(exec, pattern, side, 100), expected);
                }
            });
        }
    }
}

}  // namespace
}  // namespace linden::test
