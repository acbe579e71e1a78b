#include "test/support/triangular_parts.hpp"

namespace linden::test {
namespace {

template <class Types>
class TriangularSolveParts : public testing::Test {
};
TYPED_TEST_SUITE(TriangularSolveParts, TestedValueIndices, TypeNames);

TYPED_TEST(TriangularSolveParts, ByHand)
{
    solves_by_hand<SolveByParts, typename TypeParam::value_type, typename TypeParam::index_type>();
}

TYPED_TEST(TriangularSolveParts, SmallTriangles)
{
    solves_small_triangles<SolveByParts, typename TypeParam::value_type, typename TypeParam::index_type>(861);
}

TYPED_TEST(TriangularSolveParts, LargeTriangles)
{
    solves_large_triangles<SolveByParts, typename TypeParam::value_type, typename TypeParam::index_type>(862);
}

TYPED_TEST(TriangularSolveParts, InPlace)
{
    solves_in_place<SolveByParts, typename TypeParam::value_type, typename TypeParam::index_type>(863);
}

TYPED_TEST(TriangularSolveParts, NotANumber)
{
    solves_with_not_a_number<SolveByParts, typename TypeParam::value_type, typename TypeParam::index_type>(864);
}

/// A part may hold as many rows and halo entries as fit.
TYPED_TEST(TriangularSolveParts, LargePart)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    Random random(865);
    std::vector<size_type> widths(400, 40);
    const auto t = random_triangle<V, I>(random, layered_pattern<I>(random, widths, 0), Side::lower, false);
    const auto ends = Ends<I>::natural(t.rows());
    EXPECT_LE(prefix_sums(halo_sizes_on(reference_executor(), t.pattern, t.side, 8000)).back(), 100);
    expect_solves_in_a_row<SolveByParts, V>(random, t, ends, 1, 0, 2);
}

}  // namespace
}  // namespace linden::test
