#include "test/support/patterns.hpp"
#include "test/support/pivoting.hpp"

namespace linden::test {
namespace {

template <class I>
class PivotingStart : public testing::Test {
};
TYPED_TEST_SUITE(PivotingStart, TestedIndices);

TYPED_TEST(PivotingStart, WritesFirstStates)
{
    using I = TypeParam;
    for (const size_type n : {0, 1, 5, 300, 5000}) {
        const auto before = unwritten_state<I>(n);
        auto expected = before;
        std::fill(expected.candidates.begin(), expected.candidates.end(), I{0});
        std::fill(expected.columns.begin(), expected.columns.end(), I{-1});
        std::fill(expected.uses.begin(), expected.uses.end(), ColumnUse::free);
        std::fill(expected.class_counts.begin(), expected.class_counts.end(), 0);
        const CsrData<DefaultValue, I> a{{n, n}, std::vector<I>(static_cast<std::size_t>(n + 1)), {}, {}};
        on_each_executor(
            [&](const Executor& exec) { EXPECT_EQ(after(exec, a, {}, PivotStep::start, before), expected); });
    }
}

TYPED_TEST(PivotingStart, HasKeysInTheOrderOfProductsThatDiffer)
{
    for (const bool hashed : {false, true}) {
        for (const size_type n : {1, 2, 5, 64, 65}) {
            const PivotKeys keys(n, hashed);
            std::vector<PivotKey> seen;
            for (size_type row = 0; row < n; ++row) {
                seen.push_back(keys(row, 4, 3));
                EXPECT_EQ(keys.product(seen.back()), 6u);
                EXPECT_EQ(keys.product(keys(row, 1, 1000)), 0u);
            }
            std::sort(seen.begin(), seen.end());
            EXPECT_EQ(std::adjacent_find(seen.begin(), seen.end()), seen.end());
            EXPECT_LT(seen.back(), keys(0, 2, 8));
        }
        const size_type rows = size_type{1} << 40;  // products that do not fit beside the rows' numbers
        const PivotKeys keys(rows, hashed);
        EXPECT_LT(keys(rows - 1, 1000, 1000), keys(0, rows, 3));
        EXPECT_NE(keys(rows - 1, rows, rows), keys(0, rows, rows));
        EXPECT_LT(keys(rows - 1, rows, rows), no_pivot_key);
    }
}

}  // namespace
}  // namespace linden::test
