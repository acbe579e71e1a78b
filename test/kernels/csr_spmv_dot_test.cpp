#include "core/kernels/csr.hpp"
#include "test/support/kernel_cases.hpp"

namespace linden::test {
namespace {

template <class Types>
class CsrSpmvDot : public testing::Test {
};
TYPED_TEST_SUITE(CsrSpmvDot, TestedValueIndices, TypeNames);

TYPED_TEST(CsrSpmvDot, ByHand)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    on_each_executor([](const Executor& exec) {
        // [1 2; 0 i]
        const Csr<V, I> a(exec, CsrData<V, I>{{2, 2}, {0, 2, 3}, {0, 1, 1}, {V{1}, V{2}, number<V>(0, 1)}});
        const auto b = Dense<V>::from_rows(exec, {{V{1}}, {V{3}}});
        const auto w = Dense<V>::from_rows(exec, {{V{2}}, {number<V>(1, 1)}});
        Dense<V> x(exec, {2, 1});
        auto workspace = ReductionWorkspace::for_values<V>(exec, 2);
        Array<V> sums(exec, 2);
        csr_spmv_dot<V, I>(exec, a.view(), b.view(), x.view(), w.view(), sums.data(), sums.data() + 1,
                           workspace.view());
        EXPECT_EQ(x.to_host(), (std::vector<V>{V{7}, number<V>(0, 3)}));
        // w^H x = 14 + (1 - i) 3i, x^H x = 49 + 9; without the imaginary parts 14 and 49
        EXPECT_EQ(sums.to_host(),
                  is_complex<V> ? (std::vector<V>{number<V>(17, 3), V{58}}) : (std::vector<V>{V{14}, V{49}}));
    });
}

/// x, wx and xx of one run, with the same bits as a second run. With `w_is_b` the product is b^H A b.
template <class V>
struct Outcome {
    std::vector<V> x, sums;
};

template <class V, class I>
Outcome<V> run(const Executor& exec, const CsrData<V, I>& a, const Blocks<V>& operands, bool w_is_b, bool wants_xx)
{
    const auto cols = operands[0].size().cols;
    const Csr<V, I> here(exec, a);
    auto blocks = copies(operands, exec);
    const auto b = std::as_const(blocks[0]).view();
    const auto w = w_is_b ? b : std::as_const(blocks[2]).view();
    auto workspace = ReductionWorkspace::for_values<V>(exec, 2 * cols);
    const auto once = [&] {
        Array<V> sums(exec, std::vector<V>(static_cast<std::size_t>(2 * cols), V{77}));
        csr_spmv_dot<V, I>(exec, here.view(), b, blocks[1].view(), w, sums.data(),
                           wants_xx ? sums.data() + cols : nullptr, workspace.view());
        return Outcome<V>{blocks[1].to_host(), sums.to_host()};
    };
    const auto first = once();
    const auto second = once();
    EXPECT_TRUE(same_bits(first.x, second.x) && same_bits(first.sums, second.sums)) << "two runs differ";
    expect_same_padding(blocks[1], operands[1]);
    expect_clean_header(exec, workspace.view());
    return first;
}

template <class V, class I>
void expect_same_outcome(Random& random, const CsrData<V, I>& a, size_type cols, size_type padding, size_type longest)
{
    const auto rows = a.size.rows;
    const auto operands = random_blocks<V>(random, 3, {rows, cols}, padding);
    const double k = 4 * summation_factor(longest);
    for (const bool w_is_b : {false, true}) {
        for (const bool wants_xx : {false, true}) {
            const auto expected = run(reference_executor(), a, operands, w_is_b, wants_xx);
            // |w^H x| and x^H x are at most 2 n max |x|^2, rows of which x has `rows`
            const double largest = std::max(1.0, scale_of(expected.x));
            const double scale = static_cast<double>(rows) * largest * largest;
            on_each_other_executor([&](const Executor& exec) {
                const auto actual = run(exec, a, operands, w_is_b, wants_xx);
                expect_near(actual.x, expected.x, k);
                expect_near(actual.sums, expected.sums, k + summation_factor(rows), scale);
            });
        }
    }
}

TYPED_TEST(CsrSpmvDot, LikeReference)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    Random random(203);
    for_each_shape([&](Dim size, size_type padding) {
        const auto a = random_csr<V, I>(random, {size.rows, size.rows}, 4);
        expect_same_outcome<V, I>(random, a, size.cols, padding, 9);
    });
}

TYPED_TEST(CsrSpmvDot, UnevenRows)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    Random random(204);
    for (const auto pattern : all_patterns) {
        for (const size_type rows : {33, 597, 9000}) {
            const auto a = random_csr<V, I>(random, {rows, rows}, 3, pattern);
            expect_same_outcome<V, I>(random, a, 1, 0, rows);
        }
    }
}

}  // namespace
}  // namespace linden::test
