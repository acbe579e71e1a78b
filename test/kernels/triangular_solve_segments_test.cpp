#include "test/support/triangular_segments.hpp"

namespace linden::test {
namespace {

template <class Types>
class TriangularSolveSegments : public testing::Test {
};
TYPED_TEST_SUITE(TriangularSolveSegments, TestedValueIndices, TypeNames);

TYPED_TEST(TriangularSolveSegments, ByHand)
{
    solves_by_hand<SolveBySegments, typename TypeParam::value_type, typename TypeParam::index_type>();
}

TYPED_TEST(TriangularSolveSegments, SmallTriangles)
{
    solves_small_triangles<SolveBySegments, typename TypeParam::value_type, typename TypeParam::index_type>(861);
}

TYPED_TEST(TriangularSolveSegments, LargeTriangles)
{
    solves_large_triangles<SolveBySegments, typename TypeParam::value_type, typename TypeParam::index_type>(862);
}

TYPED_TEST(TriangularSolveSegments, InPlace)
{
    solves_in_place<SolveBySegments, typename TypeParam::value_type, typename TypeParam::index_type>(863);
}

TYPED_TEST(TriangularSolveSegments, NotANumber)
{
    solves_with_not_a_number<SolveBySegments, typename TypeParam::value_type, typename TypeParam::index_type>(864);
}

/// A segment may hold as many rows and halo entries as fit.
TYPED_TEST(TriangularSolveSegments, LargeSegments)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    Random random(865);
    std::vector<size_type> widths(400, 40);
    const auto t = random_triangle<V, I>(random, layered_pattern<I>(random, widths, 0), Side::lower, false);
    const auto ends = Ends<I>::natural(t.rows());
    EXPECT_LE(prefix_sums(halo_sizes_on(reference_executor(), t.pattern, t.side, 8000)).back(), 100);
    expect_solves_in_a_row<SolveBySegments, V>(random, t, ends, 1, 0, 2);
}

}  // namespace
}  // namespace linden::test
