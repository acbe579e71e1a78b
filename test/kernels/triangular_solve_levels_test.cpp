#include "test/support/triangular_solves.hpp"

namespace linden::test {
namespace {

template <class Types>
class TriangularSolveLevels : public testing::Test {
};
TYPED_TEST_SUITE(TriangularSolveLevels, TestedValueIndices, TypeNames);

TYPED_TEST(TriangularSolveLevels, ByHand)
{
    solves_by_hand<SolveByLevels, typename TypeParam::value_type, typename TypeParam::index_type>();
    solves_by_hand<SolveByRuns, typename TypeParam::value_type, typename TypeParam::index_type>();
}

TYPED_TEST(TriangularSolveLevels, SmallTriangles)
{
    solves_small_triangles<SolveByLevels, typename TypeParam::value_type, typename TypeParam::index_type>(821);
}

TYPED_TEST(TriangularSolveLevels, LargeTriangles)
{
    solves_large_triangles<SolveByLevels, typename TypeParam::value_type, typename TypeParam::index_type>(822);
}

TYPED_TEST(TriangularSolveLevels, SmallTrianglesOfRuns)
{
    solves_small_triangles<SolveByRuns, typename TypeParam::value_type, typename TypeParam::index_type>(825);
}

TYPED_TEST(TriangularSolveLevels, LargeTrianglesOfRuns)
{
    solves_large_triangles<SolveByRuns, typename TypeParam::value_type, typename TypeParam::index_type>(826);
}

TYPED_TEST(TriangularSolveLevels, InPlace)
{
    solves_in_place<SolveByLevels, typename TypeParam::value_type, typename TypeParam::index_type>(823);
}

TYPED_TEST(TriangularSolveLevels, NotANumber)
{
    solves_with_not_a_number<SolveByLevels, typename TypeParam::value_type, typename TypeParam::index_type>(824);
}

}  // namespace
}  // namespace linden::test
