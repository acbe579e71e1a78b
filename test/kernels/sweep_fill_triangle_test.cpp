#include "core/kernels/sweep.hpp"
#include "test/support/kernel_cases.hpp"

namespace linden::test {
namespace {

template <class Types>
class SweepFillTriangle : public testing::Test {
};
TYPED_TEST_SUITE(SweepFillTriangle, TestedValueIndices, TypeNames);

template <class I>
std::vector<I> counts_of(const Executor& exec, PatternView<I> a, Side side)
{
    Array<I> counts(exec, a.rows);
    sweep_count_triangle<I>(exec, a, side, counts.data());
    return counts.to_host();
}

/// Rows 1 and 2 of the upper triangle of a matrix whose rows need not be sorted, scaled.
TYPED_TEST(SweepFillTriangle, ByHand)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    // [1 2 . 3; . 4 5 6; 7 . . 8; 9 . . 1], row 1 as 6 4 5
    const CsrData<V, I> a{{4, 4},
                          {0, 3, 6, 8, 10},
                          {0, 1, 3, 3, 1, 2, 0, 3, 0, 3},
                          {V{1}, V{2}, V{3}, V{6}, V{4}, V{5}, V{7}, V{8}, V{9}, V{1}}};
    on_each_executor([&](const Executor& exec) {
        const Csr<V, I> matrix(exec, a);
        EXPECT_EQ(counts_of<I>(exec, matrix.view(), Side::lower), (std::vector<I>{0, 0, 1, 1}));
        EXPECT_EQ(counts_of<I>(exec, matrix.view(), Side::upper), (std::vector<I>{2, 2, 1, 0}));
        const Array<V> rows(exec, std::vector<V>{V{1}, V{10}, V{100}, V{1}});
        const Array<V> cols(exec, std::vector<V>{V{1}, V{1}, V{2}, number<V>(0, 1)});
        Array<I> col_idxs(exec, 4);
        Array<V> stored(exec, 4);
        const SellLayout<I> layout{2, 4, 2, 2};
        const auto fill = [&](const V* col_factors) {
            sweep_fill_triangle<V, V, I>(
                exec, {.a = matrix.view(), .side = Side::upper, .row_factors = rows.data(), .col_factors = col_factors},
                1, layout, col_idxs.data(), stored.data());
        };
        fill(nullptr);
        EXPECT_EQ(col_idxs.to_host(), (std::vector<I>{3, 3, 2, -1}));
        EXPECT_EQ(stored.to_host(), (std::vector<V>{V{60}, V{800}, V{50}, V{}}));
        fill(cols.data());
        EXPECT_EQ(stored.to_host(), (std::vector<V>{number<V>(0, 60), number<V>(0, 800), V{100}, V{}}));
    });
}

/// Slices of two rows, all but the last full, against row by row.
TYPED_TEST(SweepFillTriangle, SlicesOfARange)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    Random random(921);
    const auto a = random_csr<V, I>(random, {40, 40}, 6, Pattern::dense_row);
    const size_type first = 7, rows = 31, slice_rows = 2, num_slices = 16;
    std::vector<V> factors(40);
    for (auto& factor : factors) {
        factor = random.value<V>();
    }
    on_each_executor([&](const Executor& exec) {
        const Csr<V, I> matrix(exec, a);
        const auto counts = counts_of<I>(exec, matrix.view(), Side::lower);
        std::vector<I> ptrs{0};
        for (size_type slice = 0; slice < num_slices; ++slice) {
            const auto* const count = &counts[static_cast<std::size_t>(first + 2 * slice)];
            ptrs.push_back(ptrs.back() + (slice + 1 < num_slices ? std::max(count[0], count[1]) : count[0]));
        }
        const Array<I> slice_ptrs(exec, ptrs);
        const Array<V> f(exec, factors);
        Array<I> col_idxs(exec, slice_rows * ptrs.back());
        Array<V> stored(exec, slice_rows * ptrs.back());
        sweep_fill_triangle<V, V, I>(
            exec, {.a = matrix.view(), .side = Side::lower, .row_factors = f.data(), .col_factors = f.data()}, first,
            {rows, 40, slice_rows, 0, slice_ptrs.data()}, col_idxs.data(), stored.data());
        std::vector<I> expected_cols(static_cast<std::size_t>(col_idxs.size()), I{-1});
        std::vector<V> expected(expected_cols.size());
        for (size_type position = 0; position < rows; ++position) {
            const auto row = static_cast<std::size_t>(first + position);
            auto entry = static_cast<std::size_t>(ptrs[static_cast<std::size_t>(position / 2)] * 2 + position % 2);
            for (I k = a.row_ptrs[row]; k < a.row_ptrs[row + 1]; ++k) {
                const auto col = static_cast<std::size_t>(a.col_idxs[static_cast<std::size_t>(k)]);
                if (col < row) {
                    expected_cols[entry] = static_cast<I>(col);
                    expected[entry] = factors[row] * a.values[static_cast<std::size_t>(k)] * factors[col];
                    entry += 2;
                }
            }
        }
        EXPECT_EQ(col_idxs.to_host(), expected_cols);
        expect_near(stored.to_host(), expected, 8, 1.0);
    });
}

}  // namespace
}  // namespace linden::test
