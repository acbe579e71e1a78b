#include "test/support/sparse_products.hpp"

namespace linden::test {
namespace {

template <class Types>
class SpgeamAdd : public testing::Test {
};
TYPED_TEST_SUITE(SpgeamAdd, TestedValueIndices, TypeNames);

TYPED_TEST(SpgeamAdd, ByHand)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    // 2 [1 . 2; . . .; . 3 .] - [. 4 i; . . .; . 6 .], whose last entry cancels and stays
    const Pair<V, I> pair{{{3, 3}, {0, 2, 2, 3}, {0, 2, 1}, {V{1}, V{2}, V{3}}},
                          {{3, 3}, {0, 2, 2, 3}, {1, 2, 1}, {V{4}, number<V>(0, 1), V{6}}}};
    on_each_executor([&](const Executor& exec) {
        const auto c = sum_on(exec, V{2}, V{-1}, pair);
        EXPECT_EQ(c.row_ptrs, (std::vector<I>{0, 3, 3, 4}));
        EXPECT_EQ(c.col_idxs, (std::vector<I>{0, 1, 2, 1}));
        EXPECT_EQ(c.values, (std::vector<V>{V{2}, V{-4}, number<V>(4, -1), V{0}}));
    });
}

/// Counts, columns and values.
TYPED_TEST(SpgeamAdd, LikeReference)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    Random random(311);
    const auto alpha = random.value<V>();
    const auto beta = random.value<V>();
    const auto compare = [&](Dim size, size_type mean_a, Pattern pattern_a, size_type mean_b, Pattern pattern_b) {
        const Pair<V, I> pair{random_csr<V, I>(random, size, mean_a, pattern_a),
                              random_csr<V, I>(random, size, mean_b, pattern_b)};
        const auto expected = sum_on(reference_executor(), alpha, beta, pair);
        require_well_formed(expected);
        on_each_other_executor([&](const Executor& exec) {
            const auto actual = sum_on(exec, alpha, beta, pair);
            EXPECT_EQ(actual.row_ptrs, expected.row_ptrs);
            EXPECT_EQ(actual.col_idxs, expected.col_idxs);
            expect_near(actual.values, expected.values, 8, 4);
        });
    };
    for (const size_type rows : {0, 1, 31, 32, 33, 597, 6000}) {
        compare({rows, rows + 2}, 3, Pattern::uniform, 4, Pattern::uniform);
    }
    for (const auto pattern_a : all_patterns) {
        for (const auto pattern_b : all_patterns) {
            compare({130, 170}, 3, pattern_a, 4, pattern_b);
            compare({60, 400}, 30, pattern_a, 50, pattern_b);
        }
    }
    compare({5, 0}, 0, Pattern::uniform, 0, Pattern::uniform);
}

}  // namespace
}  // namespace linden::test
