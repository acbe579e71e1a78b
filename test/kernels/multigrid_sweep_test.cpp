#include "core/kernels/multigrid.hpp"
#include "test/support/kernel_cases.hpp"
#include "test/support/sell_matrix.hpp"
#include "test/support/stored_rows.hpp"

/// Sweeps of a level, and its correction by the coarser one.
namespace linden::test {
namespace {

using I = std::int32_t;

template <class Types>
class MultigridSweep : public testing::Test {
};
TYPED_TEST_SUITE(MultigridSweep, TestedSellTypes);

/// x := z + omega (b - A z), without b where `has_b` is not; blocks: b, z, x.
template <class S, class J, class V>
void sweep(const Executor& exec, const CsrData<V, I>& a, double omega, bool has_b, Blocks<V>& blocks)
{
    const SellMatrix<S, J> matrix(exec, a, 32, false);
    const DenseView<const V> none{a.size.rows, blocks[2].size().cols, blocks[2].size().cols, nullptr};
    multigrid_sweep<V, S, J>(exec, matrix.view(), omega, has_b ? std::as_const(blocks[0]).view() : none,
                             std::as_const(blocks[1]).view(), blocks[2].view());
}

/// The same, always with b, for a matrix whose rows follow each other.
template <class S, class V>
void sweep_rows(const Executor& exec, const CsrData<V, I>& a, double omega, Blocks<V>& blocks)
{
    const StoredRows<S> matrix(exec, a);
    multigrid_sweep_rows<V, S, I>(exec, matrix.view(), omega, std::as_const(blocks[0]).view(),
                                  std::as_const(blocks[1]).view(), blocks[2].view());
}

/// z := P y + omega r; blocks: y, r, z.
template <class S, class J, class V>
void correct(const Executor& exec, const CsrData<V, I>& p, double omega, Blocks<V>& blocks)
{
    const SellMatrix<S, J> matrix(exec, p, 32, false);
    multigrid_correct<V, S, J>(exec, matrix.view(), omega, std::as_const(blocks[0]).view(),
                               std::as_const(blocks[1]).view(), blocks[2].view());
}

TYPED_TEST(MultigridSweep, ByHand)
{
    using V = typename TypeParam::value_type;
    using S = typename TypeParam::stored_type;
    using J = typename TypeParam::column_type;
    // A = [2 . 1; . . .; -1 4 2], P = [1 .; . .; -4 3]
    const CsrData<V, I> a{{3, 3}, {0, 2, 2, 5}, {0, 2, 0, 1, 2}, {V{2}, V{1}, V{-1}, V{4}, V{2}}};
    const CsrData<V, I> p{{3, 2}, {0, 1, 1, 3}, {0, 0, 1}, {V{1}, V{-4}, V{3}}};
    const CsrData<V, I> nothing{{3, 0}, {0, 0, 0, 0}, {}, {}};
    on_each_executor([&](const Executor& exec) {
        Blocks<V> blocks;
        blocks.push_back(Dense<V>::from_rows(exec, {{V{1}, V{2}}, {V{3}, number<V>(1, 4)}, {V{}, V{}}}));
        blocks.push_back(Dense<V>::from_rows(exec, {{V{2}, V{}}, {V{4}, V{1}}, {V{6}, V{-2}}}));
        blocks.push_back(Dense<V>::filled(exec, {3, 2}, not_a_number<V>()));
        // A z = (10, -2; 0, 0; 26, 0)
        sweep<S, J>(exec, a, 0.5, true, blocks);
        EXPECT_EQ(blocks[2].to_host(),
                  (std::vector<V>{V(-2.5), V{2}, V(5.5), number<V>(1.5, is_complex<V> ? 2 : 0), V{-7}, V{-2}}));
        sweep<S, J>(exec, a, 0.5, false, blocks);
        EXPECT_EQ(blocks[2].to_host(), (std::vector<V>{V{-3}, V{1}, V{4}, V{1}, V{-7}, V{-2}}));

        blocks[0] = Dense<V>::from_rows(exec, {{V{1}, V{2}}, {V{3}, number<V>(1, 4)}});
        correct<S, J>(exec, p, 0.5, blocks);  // P y = (1, 2; 0, 0; 5, -5)
        EXPECT_EQ(blocks[2].to_host(),
                  (std::vector<V>{V{2}, V{2}, V{2}, V(0.5), V{8}, number<V>(-6, is_complex<V> ? 12 : 0)}));
        blocks[0] = Dense<V>(exec, {0, 2});
        correct<S, J>(exec, nothing, 0.5, blocks);
        EXPECT_EQ(blocks[2].to_host(), (std::vector<V>{V{1}, V{}, V{2}, V(0.5), V{3}, V{-1}}));
    });
}

template <class V>
using Wide = std::conditional_t<is_complex<V>, std::complex<double>, double>;

/// alpha u + beta v + gamma A w in double precision, row by row.
template <class S, class V>
std::vector<V> combined(const CsrData<V, I>& a, double alpha, const std::vector<V>& u, double beta,
                        const std::vector<V>& v, double gamma, const std::vector<V>& w, size_type cols)
{
    std::vector<V> result;
    for (size_type row = 0; row < a.size.rows; ++row) {
        for (size_type col = 0; col < cols; ++col) {
            Wide<V> sum{};
            for (I k = a.row_ptrs[row]; k < a.row_ptrs[row + 1]; ++k) {
                const auto stored = static_cast<V>(static_cast<S>(a.values[k]));
                sum += Wide<V>(stored) * Wide<V>(w[a.col_idxs[k] * cols + col]);
            }
            const auto at = static_cast<std::size_t>(row * cols + col);
            result.push_back(V(alpha * Wide<V>(u[at]) + beta * Wide<V>(v[at]) + gamma * sum));
        }
    }
    return result;
}

TYPED_TEST(MultigridSweep, ByDefinition)
{
    using V = typename TypeParam::value_type;
    using S = typename TypeParam::stored_type;
    using J = typename TypeParam::column_type;
    Random random(2143);
    const auto expect_sweeps = [&](size_type rows, size_type cols, size_type padding, Pattern pattern) {
        SCOPED_TRACE(std::to_string(rows) + " rows, " + std::to_string(cols) + " columns");
        const size_type coarse = 1 + rows / 3;
        const auto a = random_csr<V, I>(random, {rows, rows}, 4, pattern);
        const auto p = random_csr<V, I>(random, {rows, coarse}, 2, pattern);
        Blocks<V> operands;
        for (const size_type pad : {padding, std::min<size_type>(padding, 1), 2 * padding}) {
            operands.push_back(random_dense<V>(random, reference_executor(), {rows, cols}, pad));
        }
        const auto b = operands[0].to_host(), z = operands[1].to_host();
        const auto y = random_dense<V>(random, reference_executor(), {coarse, cols}, padding);
        const auto swept = combined<S>(a, 1, z, 0.9, b, -0.9, z, cols);
        const auto from_zero = combined<S>(a, 1, z, 0, b, -0.9, z, cols);
        const auto corrected = combined<S>(p, 0.9, z, 0, b, 1, y.to_host(), cols);
        on_each_executor([&](const Executor& exec) {
            auto blocks = copies(operands, exec);
            const auto expect = [&](const std::vector<V>& expected) {
                expect_near(blocks[2].to_host(), expected, 4 * summation_factor(rows),
                            std::max(1.0, scale_of(expected)));
                expect_same_padding(blocks[2], operands[2]);
                EXPECT_TRUE(same_bits(blocks[1].to_host(), z));
            };
            sweep<S, J>(exec, a, 0.9, true, blocks);
            expect(swept);
            EXPECT_TRUE(same_bits(blocks[0].to_host(), b));
            sweep<S, J>(exec, a, 0.9, false, blocks);
            expect(from_zero);
            sweep_rows<S>(exec, a, 0.9, blocks);
            expect(swept);
            blocks[0] = y.copy(exec);
            correct<S, J>(exec, p, 0.9, blocks);
            expect(corrected);
        });
    };
    for (const size_type rows : {0, 1, 31, 32, 33, 597}) {
        for (const auto pattern : all_patterns) {
            expect_sweeps(rows, 1, 0, pattern);
            expect_sweeps(rows, 3, 2, pattern);
        }
    }
    expect_sweeps(9000, 1, 0, Pattern::uniform);
    expect_sweeps(97, 8, 3, Pattern::uniform);
}

}  // namespace
}  // namespace linden::test
