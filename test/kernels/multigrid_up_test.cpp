#include "core/kernels/multigrid.hpp"
#include "test/support/kernel_cases.hpp"
#include "test/support/sell_matrix.hpp"
#include "test/support/stored_rows.hpp"

/// The way up of a level.
namespace linden::test {
namespace {

using I = std::int32_t;

template <class Types>
class MultigridUp : public testing::Test {
};
TYPED_TEST_SUITE(MultigridUp, TestedSellTypes);

/// Stands for matrices whose rows follow each other, in the place of the number of rows of a slice.
constexpr size_type no_slices = 0;

/// y, r and z in an executor's memory, and the kernel on them.
template <class S, class J, class V>
void go_up(const Executor& exec, const CsrData<V, I>& p, const CsrData<V, I>& a, double omega, Blocks<V>& blocks,
           size_type slice_rows = 32)
{
    if constexpr (std::is_same_v<J, I>) {
        if (slice_rows == no_slices) {
            const StoredRows<S> prolongator(exec, p), matrix(exec, a);
            multigrid_up_rows<V, S, I>(exec, prolongator.view(), matrix.view(), omega, std::as_const(blocks[0]).view(),
                                       std::as_const(blocks[1]).view(), blocks[2].view());
            return;
        }
    }
    slice_rows = std::max<size_type>(slice_rows, 32);  // 16-bit columns are those of slices
    const SellMatrix<S, J> prolongator(exec, p, slice_rows, false), matrix(exec, a, slice_rows, false);
    multigrid_up<V, S, J>(exec, prolongator.view(), matrix.view(), omega, std::as_const(blocks[0]).view(),
                          std::as_const(blocks[1]).view(), blocks[2].view());
}

/// P = [1 .; . .; -4 3], A = [2 . 1; . . .; -1 4 2]
template <class V>
CsrData<V, I> small_prolongator()
{
    return {{3, 2}, {0, 1, 1, 3}, {0, 0, 1}, {V{1}, V{-4}, V{3}}};
}
template <class V>
CsrData<V, I> small_matrix()
{
    return {{3, 3}, {0, 2, 2, 5}, {0, 2, 0, 1, 2}, {V{2}, V{1}, V{-1}, V{4}, V{2}}};
}

TYPED_TEST(MultigridUp, ByHand)
{
    using V = typename TypeParam::value_type;
    using S = typename TypeParam::stored_type;
    using J = typename TypeParam::column_type;
    on_each_executor([](const Executor& exec) {
        for (const size_type slice_rows : {size_type{32}, size_type{64}, no_slices}) {
            Blocks<V> blocks;
            blocks.push_back(Dense<V>::from_rows(exec, {{V{1}, V{2}}, {V{3}, number<V>(1, 4)}}));
            blocks.push_back(Dense<V>::from_rows(exec, {{V{2}, V{}}, {V{4}, V{1}}, {V{6}, V{-2}}}));
            blocks.push_back(Dense<V>::filled(exec, {3, 2}, not_a_number<V>()));
            // A r = (10, -2; 0, 0; 26, 0), (2 r - A r / 2) / 2 = (-0.5, 0.5; 4, 1; -0.5, -2), P y = (1, 2; 0, 0; 5, -5)
            go_up<S, J>(exec, small_prolongator<V>(), small_matrix<V>(), 0.5, blocks, slice_rows);
            EXPECT_EQ(blocks[2].to_host(),
                      (std::vector<V>{V(0.5), V(2.5), V{4}, V{1}, V(4.5), number<V>(-7, is_complex<V> ? 12 : 0)}));
            // Without corrections, and without columns.
            CsrData<V, I> nothing{{3, 0}, {0, 0, 0, 0}, {}, {}};
            blocks[0] = Dense<V>(exec, {0, 2});
            go_up<S, J>(exec, nothing, small_matrix<V>(), 0.5, blocks, slice_rows);
            EXPECT_EQ(blocks[2].to_host(), (std::vector<V>{V(-0.5), V(0.5), V{4}, V{1}, V(-0.5), V{-2}}));
            Blocks<V> one;
            for (const V value : {V{3}, V{2}, not_a_number<V>()}) {
                one.push_back(Dense<V>::vector(exec, {value}));
            }
            const CsrData<V, I> single{{1, 1}, {0, 1}, {0}, {V{5}}};
            go_up<S, J>(exec, single, single, 0.5, one, slice_rows);
            EXPECT_EQ(one[2].to_host(), std::vector<V>{V(14.5)});
        }
    });
}

/// The values as S holds them.
template <class S, class V>
CsrData<V, I> rounded(CsrData<V, I> a)
{
    for (V& value : a.values) {
        value = static_cast<V>(static_cast<S>(value));
    }
    return a;
}

template <class V>
using Wide = std::conditional_t<is_complex<V>, std::complex<double>, double>;

/// P y + omega (2 r - omega A r) in double precision.
template <class V>
std::vector<V> up_by_definition(const CsrData<V, I>& p, const CsrData<V, I>& a, double omega, const Blocks<V>& blocks)
{
    const auto cols = blocks[2].size().cols;
    const auto y = blocks[0].to_host(), r = blocks[1].to_host();
    const auto product = [&](const CsrData<V, I>& matrix, size_type row, const std::vector<V>& x, size_type col) {
        Wide<V> sum{};
        for (I k = matrix.row_ptrs[row]; k < matrix.row_ptrs[row + 1]; ++k) {
            sum += Wide<V>(matrix.values[k]) * Wide<V>(x[matrix.col_idxs[k] * cols + col]);
        }
        return sum;
    };
    std::vector<V> z;
    for (size_type row = 0; row < a.size.rows; ++row) {
        for (size_type col = 0; col < cols; ++col) {
            const Wide<V> smoothed = omega * (2. * Wide<V>(r[row * cols + col]) - omega * product(a, row, r, col));
            z.push_back(V(product(p, row, y, col) + smoothed));
        }
    }
    return z;
}

TYPED_TEST(MultigridUp, ByDefinition)
{
    using V = typename TypeParam::value_type;
    using S = typename TypeParam::stored_type;
    using J = typename TypeParam::column_type;
    Random random(2140);
    const auto expect_up = [&](size_type rows, size_type cols, size_type padding, Pattern pattern,
                               size_type slice_rows) {
        SCOPED_TRACE(std::to_string(rows) + " rows, " + std::to_string(cols) + " columns, slices of " +
                     std::to_string(slice_rows));
        const size_type coarse = 1 + rows / 3;
        const auto p = rounded<S>(random_csr<V, I>(random, {rows, coarse}, 2, pattern));
        const auto a = rounded<S>(random_csr<V, I>(random, {rows, rows}, 4, pattern));
        Blocks<V> operands;
        operands.push_back(random_dense<V>(random, reference_executor(), {coarse, cols}, padding));
        operands.push_back(random_dense<V>(random, reference_executor(), {rows, cols}, padding == 0 ? 0 : 1));
        operands.push_back(random_dense<V>(random, reference_executor(), {rows, cols}, 2 * padding));
        const auto expected = up_by_definition(p, a, 0.9, operands);
        on_each_executor([&](const Executor& exec) {
            auto blocks = copies(operands, exec);
            go_up<S, J>(exec, p, a, 0.9, blocks, slice_rows);
            expect_near(blocks[2].to_host(), expected, 4 * summation_factor(rows), std::max(1.0, scale_of(expected)));
            for (std::size_t i = 0; i < blocks.size(); ++i) {
                expect_same_padding(blocks[i], operands[i]);
            }
            EXPECT_TRUE(same_bits(blocks[0].to_host(), operands[0].to_host()));
            EXPECT_TRUE(same_bits(blocks[1].to_host(), operands[1].to_host()));
        });
    };
    for (const size_type rows : {0, 1, 31, 32, 33, 64, 597}) {
        for (const auto pattern : all_patterns) {
            expect_up(rows, 1, 0, pattern, 32);
            expect_up(rows, 1, 1, pattern, 64);
            expect_up(rows, 3, 2, pattern, 64);
            expect_up(rows, 1, 0, pattern, no_slices);
            expect_up(rows, 3, 2, pattern, no_slices);
        }
    }
    for (const size_type cols : {0, 2, 4, 8, 15}) {
        expect_up(200, cols, 0, Pattern::uniform, 32);
        expect_up(97, cols, 3, Pattern::uniform, 32);
    }
    expect_up(9000, 1, 0, Pattern::uniform, 64);
    expect_up(9000, 1, 0, Pattern::uniform, no_slices);
}

/// A band and its prolongator, columns of which follow each other from row to row.
TYPED_TEST(MultigridUp, RunsOfColumns)
{
    using V = typename TypeParam::value_type;
    using S = typename TypeParam::stored_type;
    using J = typename TypeParam::column_type;
    Random random(2141);
    const auto band = [&](size_type cols, const std::vector<I>& offsets) {
        CsrData<V, I> a{{300, cols}, {0}, {}, {}};
        for (I row = 0; row < 300; ++row) {
            for (const I offset : offsets) {
                const I col = row + offset;
                if (col >= 0 && col < cols && row + 7 * offset != 100) {
                    a.col_idxs.push_back(col);
                    a.values.push_back(random.value<V>());
                }
            }
            a.row_ptrs.push_back(static_cast<I>(a.col_idxs.size()));
        }
        return rounded<S>(a);
    };
    const auto p = band(290, {-12, 0, 1}), a = band(300, {-17, -1, 0, 1, 17});
    for (const size_type cols : {1, 2}) {
        Blocks<V> operands;
        operands.push_back(random_dense<V>(random, reference_executor(), {290, cols}));
        operands.push_back(random_dense<V>(random, reference_executor(), {300, cols}));
        operands.push_back(random_dense<V>(random, reference_executor(), {300, cols}));
        const auto expected = up_by_definition(p, a, 1.8, operands);
        on_each_executor([&](const Executor& exec) {
            auto blocks = copies(operands, exec);
            go_up<S, J>(exec, p, a, 1.8, blocks);
            expect_near(blocks[2].to_host(), expected, 50);
        });
    }
}

/// Column 0, which padding might take by mistake, has no entry, or that of row 0 alone. What z holds before is not
/// read.
TYPED_TEST(MultigridUp, PaddingReadsNothing)
{
    using V = typename TypeParam::value_type;
    using S = typename TypeParam::stored_type;
    using J = typename TypeParam::column_type;
    Random random(2142);
    const V nan = not_a_number<V>();
    for (const size_type rows : {5, 70}) {
        auto p = random_csr<V, I>(random, {rows, rows}, 3), a = random_csr<V, I>(random, {rows, rows - 1}, 3);
        // P has no entries in columns 0 and 2, A one in column 0, that of row 0.
        for (auto& col : p.col_idxs) {
            col += col == 0 ? 1 : 2;
        }
        p.size.cols = rows + 2;
        for (auto& col : a.col_idxs) {
            ++col;
        }
        a.size.cols = rows;
        a.col_idxs.insert(a.col_idxs.begin(), 0);
        a.values.insert(a.values.begin(), V{1});
        std::for_each(a.row_ptrs.begin() + 1, a.row_ptrs.end(), [](I& ptr) { ++ptr; });
        for (const size_type cols : {1, 2}) {
            std::vector<V> y(static_cast<std::size_t>((rows + 2) * cols), V{1}),
                r(static_cast<std::size_t>(rows * cols), V{1});
            for (size_type col = 0; col < cols; ++col) {
                y[col] = y[2 * cols + col] = r[col] = nan;
            }
            on_each_executor([&](const Executor& exec) {
                Blocks<V> blocks;
                blocks.push_back(Dense<V>::adopt(reference_executor(), {rows + 2, cols}, cols, y.data()).copy(exec));
                blocks.push_back(Dense<V>::adopt(reference_executor(), {rows, cols}, cols, r.data()).copy(exec));
                blocks.push_back(Dense<V>::filled(exec, {rows, cols}, nan));
                go_up<S, J>(exec, p, a, 0.9, blocks);
                const auto z = blocks[2].to_host();
                for (size_type i = 0; i < rows * cols; ++i) {
                    EXPECT_EQ(is_nan(z[i]), i < cols) << "value " << i;
                }
            });
        }
    }
}

}  // namespace
}  // namespace linden::test
