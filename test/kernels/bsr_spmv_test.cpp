#include "core/kernels/bsr.hpp"

#include <linden/matrix/bsr.hpp>

#include "test/support/kernel_cases.hpp"

namespace linden::test {
namespace {

template <class Types>
class BsrSpmv : public testing::Test {
};
TYPED_TEST_SUITE(BsrSpmv, TestedValueIndices, TypeNames);

TYPED_TEST(BsrSpmv, ByHand)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    on_each_executor([](const Executor& exec) {
        // [1 2 5; 3 4 6; . . 7] in blocks of 2, what lies outside of the matrix is not a number
        const V out = not_a_number<V>();
        Array<I> row_ptrs(exec, std::vector<I>{0, 2, 3});
        Array<I> cols(exec, std::vector<I>{0, 1, 1});
        Array<V> values(exec, std::vector<V>{V{1}, V{3}, V{2}, V{4}, V{5}, V{6}, out, out, V{7}, out, out, out});
        const auto a = bsr_view<V, I>(exec, {3, 3}, 2, 3, row_ptrs.data(), cols.data(), values.data());
        const auto b = Dense<V>::from_rows(exec, {{V{1}, V{4}}, {V{2}, V{5}}, {V{3}, V{6}}});
        auto x = Dense<V>::filled(exec, {3, 2}, V{1});
        bsr_spmv<V, I>(exec, a.view(), V{2}, b.view(), V{-1}, x.view());
        EXPECT_EQ(x.to_host(), (std::vector<V>{V{39}, V{87}, V{57}, V{135}, V{41}, V{83}}));
        auto y = Dense<V>::filled(exec, {3, 1}, out);
        a.apply(Dense<V>::vector(exec, {V{1}, V{2}, V{3}}), y);
        EXPECT_EQ(y.to_host(), (std::vector<V>{V{20}, V{29}, V{21}}));
        EXPECT_EQ(a.to_csr().to_host().col_idxs, (std::vector<I>{0, 1, 2, 0, 1, 2, 2}));
    });
}

TYPED_TEST(BsrSpmv, LikeReference)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    Random random(222);
    const auto expect_same = [&](size_type rows, size_type cols, size_type padding, size_type block, Pattern pattern) {
        SCOPED_TRACE(std::to_string(rows) + " rows, blocks of " + std::to_string(block));
        const auto a = random_csr<V, I>(random, {rows, rows + 3}, 4, pattern);
        Blocks<V> operands;
        operands.push_back(random_dense<V>(random, reference_executor(), {rows + 3, cols}, padding));
        operands.push_back(random_dense<V>(random, reference_executor(), {rows, cols}, padding));
        for (const V beta : {V{0}, V{-1}}) {
            expect_like_reference(operands, 4 * summation_factor(rows), [&](const Executor& exec, Blocks<V>& x) {
                const auto here = Bsr<V, I>::from_csr(Csr<V, I>(exec, a), {.block_size = block, .max_fill = 100});
                bsr_spmv<V, I>(exec, here.view(), V{2}, std::as_const(x[0]).view(), beta, x[1].view());
            });
        }
    };
    for (const size_type rows : {0, 1, 31, 32, 33, 597}) {
        for (size_type block = 2; block <= 8; ++block) {
            expect_same(rows, 1 + block % 3, block % 2, block, all_patterns[block % 3]);
        }
    }
    for (size_type block = 2; block <= 8; ++block) {
        expect_same(33, 1, 0, block, Pattern::uniform);
        expect_same(1201, 1, 0, block, all_patterns[block % 3]);
    }
    expect_same(597, 0, 0, 3, Pattern::uniform);
    expect_same(597, 9, 0, 3, Pattern::uniform);
    expect_same(5000, 1, 0, 4, Pattern::uniform);
}

}  // namespace
}  // namespace linden::test
