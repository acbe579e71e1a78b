#include <bit>
#include <limits>

#include "core/kernels/multigrid.hpp"
#include "test/support/aggregation.hpp"
#include "test/support/kernel_cases.hpp"

/// What one pass over a matrix tells.
namespace linden::test {
namespace {

template <class Types>
class MultigridSummarize : public testing::Test {
};
TYPED_TEST_SUITE(MultigridSummarize, TestedValueIndices, TypeNames);

template <class V, class I>
std::vector<std::uint64_t> summary_of(const Executor& exec, const CsrData<V, I>& host)
{
    const Csr<V, I> a(exec, host);
    Array<std::uint64_t> answers(exec, std::vector<std::uint64_t>(num_summary_answers + 1, 7));
    multigrid_summarize<V, I>(exec, a.view(), answers.data());
    auto result = answers.to_host();
    EXPECT_EQ(result.back(), 7u) << "behind the answers";
    result.pop_back();
    return result;
}

double largest_of(const std::vector<std::uint64_t>& answers) { return std::bit_cast<double>(answers[answer_largest]); }

TYPED_TEST(MultigridSummarize, ByHand)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    // [-2 1 .; 1 . -5; . -5 4], a_11 is missing.
    CsrData<V, I> a{{3, 3}, {0, 2, 4, 6}, {0, 1, 0, 2, 1, 2}, {V{-2}, V{1}, V{1}, V{-5}, V{-5}, V{4}}};
    on_each_executor([&](const Executor& exec) {
        const auto answers = summary_of(exec, a);
        EXPECT_EQ(answers[answer_difference], 0u);
        EXPECT_EQ(answers[answer_num_diagonal], 2u);
        EXPECT_EQ(answers[answer_num_negative], 1u);
        EXPECT_EQ(largest_of(answers), 5);
        auto b = a;
        b.values[4] = V{5};
        EXPECT_NE(summary_of(exec, b)[answer_difference], 0u);
        b = {{3, 3}, {0, 2, 3, 5}, {0, 1, 2, 1, 2}, {V{-2}, V{1}, V{-5}, V{-5}, V{4}}};
        EXPECT_NE(summary_of(exec, b)[answer_difference], 0u) << "the mirror image of a_01 is missing";
        EXPECT_EQ(summary_of(exec, CsrData<V, I>{{0, 0}, {0}, {}, {}}),
                  std::vector<std::uint64_t>(num_summary_answers));
        if constexpr (is_complex<V>) {
            const V i = number<V>(0, 1);
            CsrData<V, I> c{{2, 2}, {0, 2, 4}, {0, 1, 0, 1}, {V{1}, i, -i, V{2}}};
            EXPECT_EQ(summary_of(exec, c)[answer_difference], 0u);
            EXPECT_EQ(largest_of(summary_of(exec, c)), 2);
            c.values[2] = i;
            EXPECT_NE(summary_of(exec, c)[answer_difference], 0u);
            c.values = {V{1}, i, -i, number<V>(2, -3)};
            EXPECT_NE(summary_of(exec, c)[answer_difference], 0u) << "a diagonal that is not real";
            EXPECT_EQ(largest_of(summary_of(exec, c)), 3);
        }
    });
}

TYPED_TEST(MultigridSummarize, ZerosHaveOneSignAndNothingIsBeyondNoNumber)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    using R = real_t<V>;
    CsrData<V, I> a{{2, 2}, {0, 2, 4}, {0, 1, 0, 1}, {V{1}, V{R{0}}, V{-R{0}}, V{1}}};
    on_each_executor([&](const Executor& exec) {
        EXPECT_EQ(summary_of(exec, a)[answer_difference], 0u);
        auto b = a;
        b.values[0] = V{std::numeric_limits<R>::infinity()};
        EXPECT_EQ(largest_of(summary_of(exec, b)), std::numeric_limits<double>::infinity());
        b.values[3] = V{-std::numeric_limits<R>::quiet_NaN()};
        EXPECT_TRUE(std::isnan(largest_of(summary_of(exec, b))));
    });
}

/// Hermitian matrices, and the same with an entry changed in its last place or left out.
TYPED_TEST(MultigridSummarize, TellsHermitianMatrices)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    using R = real_t<V>;
    Random random(2141);
    for_each_graph<I>(random, [&](const HostPattern<I>& graph) {
        const auto a = hermitian(random_values<V>(random, graph));
        auto changed = a;
        CsrData<V, I> less{a.size, {0}, {}, {}};
        bool is_changed = false;
        for (I row = 0; row < a.size.rows; ++row) {
            for (I k = a.row_ptrs[row]; k < a.row_ptrs[row + 1]; ++k) {
                if (!is_changed && a.col_idxs[k] != row) {
                    changed.values[k] = V{std::nextafter(std::real(a.values[k]), R{100})};
                    is_changed = true;
                } else {
                    less.col_idxs.push_back(a.col_idxs[k]);
                    less.values.push_back(a.values[k]);
                }
            }
            less.row_ptrs.push_back(static_cast<I>(less.col_idxs.size()));
        }
        on_each_executor([&](const Executor& exec) {
            EXPECT_EQ(summary_of(exec, a)[answer_difference], 0u);
            EXPECT_EQ(summary_of(exec, a)[answer_num_diagonal], static_cast<std::uint64_t>(a.size.rows));
            EXPECT_EQ(summary_of(exec, changed)[answer_difference] != 0, is_changed);
            EXPECT_EQ(summary_of(exec, less)[answer_difference] != 0, is_changed);
        });
    });
}

TYPED_TEST(MultigridSummarize, LikeReference)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    Random random(2142);
    for (const auto kind : all_patterns) {
        for (const auto& [n, mean] : {std::pair{33, 3}, std::pair{300, 40}, std::pair{3000, 5}}) {
            const auto a = random_csr<V, I>(random, {n, n}, mean, kind);
            const auto expected = summary_of(reference_executor(), a);
            on_each_other_executor([&](const Executor& exec) { EXPECT_EQ(summary_of(exec, a), expected); });
        }
    }
}

}  // namespace
}  // namespace linden::test
