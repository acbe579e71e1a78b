#include "test/support/triangular_segments.hpp"

namespace linden::test {
namespace {

template <class I>
class SegmentsFillHalo : public testing::Test {
};
TYPED_TEST_SUITE(SegmentsFillHalo, TestedIndices);

template <class I>
using SlotsAndHalo = std::pair<std::vector<I>, std::vector<I>>;

template <class I>
SlotsAndHalo<I> filled(const Executor& exec, const HostPattern<I>& a, size_type segment_rows,
                       const std::vector<I>& halo_ptrs)
{
    const Array<I> row_ptrs(exec, a.row_ptrs);
    Array<I> cols(exec, a.col_idxs);
    const Array<I> ptrs(exec, halo_ptrs);
    Array<I> halo(exec, halo_ptrs.back());
    segments_fill_halo<I>(exec, a.size.rows, segment_rows, row_ptrs.data(), cols.data(), ptrs.data(), halo.data());
    return {cols.to_host(), halo.to_host()};
}

TYPED_TEST(SegmentsFillHalo, ByHand)
{
    using I = TypeParam;
    // segments of two rows: {}, {0}, {0, 1}, {0, 2}, {1, 3}
    const HostPattern<I> a{{5, 5}, {0, 0, 1, 3, 5, 7}, {0, 0, 1, 0, 2, 1, 3}};
    on_each_executor([&](const Executor& exec) {
        if (has_segments(exec)) {
            EXPECT_EQ(filled<I>(exec, a, 2, {0, 0, 3, 5}), (SlotsAndHalo<I>{{0, 2, 3, 4, 0, 2, 3}, {0, 1, 0, 1, 3}}));
        }
    });
}

TYPED_TEST(SegmentsFillHalo, LikeReference)
{
    using I = TypeParam;
    Random random(868);
    for (const auto rows : tested_rows) {
        const auto a = random_strict_pattern<I>(random, rows, Pattern::uniform, false);
        const auto ptrs = prefix_sums(halo_sizes_on(reference_executor(), a, Side::lower, 600));
        const auto expected = filled(reference_executor(), a, 600, ptrs);
        on_each_executor([&](const Executor& exec) {
            if (has_segments(exec)) {
                EXPECT_EQ(filled(exec, a, 600, ptrs), expected);
            }
        });
    }
}

}  // namespace
}  // namespace linden::test
