#include "test/support/pivoting.hpp"

namespace linden::test {
namespace {

template <class T>
class PivotingFindCandidates : public testing::Test {
};
TYPED_TEST_SUITE(PivotingFindCandidates, TestedValueIndices, TypeNames);

TYPED_TEST(PivotingFindCandidates, ByHand)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    const auto a = pivot_example<V, I>();
    auto before = pivot_example_candidates<I>();
    before.candidates = {0, 0, 0, 0, 0};
    before.row_keys = {7, 7, 7, 7, 7};
    before.least_touching = before.least_candidate = {1, 2, 3, 4, 5};
    on_each_executor([&](const Executor& exec) {
        EXPECT_EQ(after(exec, a, pivot_example_settings(), PivotStep::find_candidates, before),
                  pivot_example_candidates<I>());
    });
}

/// Row 1 is out already, row 3 has an entry in a pivot's column, and column 1 of row 2 is touched.
TYPED_TEST(PivotingFindCandidates, AfterPivots)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    using enum ColumnUse;
    const CsrData<V, I> a{{4, 4}, {0, 2, 3, 5, 7}, {1, 3, 0, 1, 2, 2, 3}, {V{2}, V{1}, V{1}, V{9}, V{5}, V{1}, V{1}}};
    auto before = unwritten_state<I>(4);
    before.candidates = {-1, -1, 1, 2};
    before.uses = {free, touched, free, of_pivot};
    auto expected = before;
    expected.candidates = {-1, -1, 2, -1};
    expected.row_keys[2] = 4 * 1 + 2;
    expected.least_touching = expected.least_candidate = std::vector<PivotKey>(4, no_pivot_key);
    on_each_executor([&](const Executor& exec) {
        EXPECT_EQ(after(exec, a, {{0.5, false}, {}, false}, PivotStep::find_candidates, before), expected);
    });
}

/// The columns of the candidates of a matrix without pivots.
template <class V, class I>
std::vector<I> candidates(const Executor& exec, const CsrData<V, I>& a, CandidateRule rule)
{
    auto before = unwritten_state<I>(a.size.rows);
    std::fill(before.candidates.begin(), before.candidates.end(), I{0});
    std::fill(before.uses.begin(), before.uses.end(), ColumnUse::free);
    return after(exec, a, {rule, {}, false}, PivotStep::find_candidates, before).candidates;
}

TYPED_TEST(PivotingFindCandidates, PrefersShortColumnsThenLargeNumbersThenFirstOnes)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    const V i = number<V>(0, 1) == V{} ? V{-1} : number<V>(0, 1);
    const CsrData<V, I> a{{4, 4},
                          {0, 4, 7, 10, 11},
                          {0, 1, 2, 3, 0, 1, 2, 0, 1, 2, 0},
                          {V{5}, V{5}, V{5}, V{1}, V{4}, V{3} * i, V{-7} * i, V{4}, V{-5}, V{5} * i, V{1}}};
    on_each_executor([&](const Executor& exec) {
        EXPECT_EQ(candidates(exec, a, {0.1, false}), (std::vector<I>{3, 2, 1, 0}));
        EXPECT_EQ(candidates(exec, a, {0.21, false}), (std::vector<I>{1, 2, 1, 0}));
        EXPECT_EQ(candidates(exec, a, {0.1, true}), (std::vector<I>{0, 1, 2, -1}));
        EXPECT_EQ(candidates(exec, a, {0.5, true}), (std::vector<I>{0, -1, 2, -1}));
    });
}

TYPED_TEST(PivotingFindCandidates, PassesOverWhatIsNoPivot)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    const V nan = not_a_number<V>();
    const V infinity{std::numeric_limits<real_t<V>>::infinity()};
    const CsrData<V, I> a{{3, 3}, {0, 3, 5, 6}, {0, 1, 2, 0, 1, 0}, {nan, infinity, V{1}, V{}, nan, -infinity}};
    on_each_executor([&](const Executor& exec) {
        EXPECT_EQ(candidates(exec, a, {0.1, false}), (std::vector<I>{2, -1, -1}));
        EXPECT_EQ(candidates(exec, a, {0, false}), (std::vector<I>{2, -1, -1}));
    });
}

TYPED_TEST(PivotingFindCandidates, OfRandomMatrices)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    for_each_pivot_problem<V, I>(1401, [](const CsrData<V, I>& a, const PivotSettings& settings) {
        expect_step_like_reference(pivoting_find_candidates<V, I>, PivotStep::find_candidates, a, settings);
    });
}

}  // namespace
}  // namespace linden::test
