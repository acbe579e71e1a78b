#include "test/support/triangular_solves.hpp"

namespace linden::test {
namespace {

template <class Types>
class TriangularSolveSyncfree : public testing::Test {
};
TYPED_TEST_SUITE(TriangularSolveSyncfree, TestedValueIndices, TypeNames);

TYPED_TEST(TriangularSolveSyncfree, ByHand)
{
    solves_by_hand<SolveSyncFree, typename TypeParam::value_type, typename TypeParam::index_type>();
}

TYPED_TEST(TriangularSolveSyncfree, SmallTriangles)
{
    solves_small_triangles<SolveSyncFree, typename TypeParam::value_type, typename TypeParam::index_type>(831);
}

TYPED_TEST(TriangularSolveSyncfree, LargeTriangles)
{
    solves_large_triangles<SolveSyncFree, typename TypeParam::value_type, typename TypeParam::index_type>(832);
}

TYPED_TEST(TriangularSolveSyncfree, InPlace)
{
    solves_in_place<SolveSyncFree, typename TypeParam::value_type, typename TypeParam::index_type>(833);
}

TYPED_TEST(TriangularSolveSyncfree, NotANumber)
{
    solves_with_not_a_number<SolveSyncFree, typename TypeParam::value_type, typename TypeParam::index_type>(834);
}

}  // namespace
}  // namespace linden::test
