#include "core/kernels/stencil.hpp"

#include <linden/matrix/stencil.hpp>

#include "test/support/stencils.hpp"

namespace linden::test {
namespace {

template <class Types>
class StencilSpmv : public testing::Test {
};
TYPED_TEST_SUITE(StencilSpmv, TestedValueIndices, TypeNames);

TYPED_TEST(StencilSpmv, ByHand)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    on_each_executor([](const Executor& exec) {
        // [2 1 . .; . 2 1 .; 3 . . 2; . . . .]
        const Stencil<V, I> a(exec, {4, 4}, Array<std::uint16_t>(exec, std::vector<std::uint16_t>{1, 1, 2, 0}),
                              Array<I>(exec, std::vector<I>{0, 0, 2, 4}), Array<I>(exec, std::vector<I>{0, 1, -2, 1}),
                              Array<V>(exec, std::vector<V>{V{2}, V{1}, V{3}, V{2}}));
        EXPECT_EQ(a.num_nonzeros(), 6);
        EXPECT_EQ(a.view().longest, 2);
        const auto b = Dense<V>::from_rows(exec, {{V{1}, V{4}}, {V{2}, V{5}}, {V{3}, V{6}}, {V{-1}, V{}}});
        auto x = Dense<V>::filled(exec, {4, 2}, V{1});
        stencil_spmv<V, I>(exec, a.view(), V{2}, b.view(), V{-1}, x.view());
        EXPECT_EQ(x.to_host(), (std::vector<V>{V{7}, V{25}, V{13}, V{31}, V{1}, V{23}, V{-1}, V{-1}}));
        auto y = Dense<V>::filled(exec, {4, 1}, not_a_number<V>());
        a.apply(Dense<V>::vector(exec, {V{1}, V{2}, V{3}, V{-1}}), y);
        EXPECT_EQ(y.to_host(), (std::vector<V>{V{4}, V{7}, V{1}, V{}}));
    });
}

/// Infinite values reach the rows that have entries there, and no others.
TYPED_TEST(StencilSpmv, MissingEntriesReadNothing)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    const auto data = rows_of_kinds<V, I>({300, 300}, {-7, 0, 1}, 2);
    std::vector<V> values(300, V{1});
    values[150] = V{std::numeric_limits<real_t<V>>::infinity()};
    on_each_executor([&](const Executor& exec) {
        const auto a = Stencil<V, I>::from_csr(Csr<V, I>(exec, data));
        auto x = Dense<V>::filled(exec, {300, 1}, V{});
        a.apply(Dense<V>::vector(exec, values), x);
        const auto found = x.to_host();
        for (size_type row = 0; row < 300; ++row) {
            bool reads = false;
            for (auto k = data.row_ptrs[row]; k < data.row_ptrs[row + 1]; ++k) {
                reads = reads || data.col_idxs[k] == 150;
            }
            EXPECT_EQ(found[row] - found[row] == V{}, !reads) << row;
        }
    });
}

/// Stencils that threads hold, and longer ones.
TYPED_TEST(StencilSpmv, LikeReference)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    Random random(231);
    for (const size_type length : {3, 5, 7, 9, 14}) {
        for_each_shape([&](Dim size, size_type padding) {
            std::vector<size_type> offsets{-300, -31, -30, -29, -1, 0, 1, 2, 3, 29, 30, 31, 299, 300};
            offsets.erase(offsets.begin(), offsets.end() - length);
            const auto a = rows_of_kinds<V, I>({size.rows, size.rows + 3}, offsets, 5);
            Blocks<V> operands;
            operands.push_back(random_dense<V>(random, reference_executor(), {size.rows + 3, size.cols}, padding));
            operands.push_back(random_dense<V>(random, reference_executor(), size, padding));
            for (const V beta : {V{0}, V{-1}}) {
                expect_like_reference(operands, 100, [&](const Executor& exec, Blocks<V>& x) {
                    const auto here = Stencil<V, I>::from_csr(Csr<V, I>(exec, a));
                    stencil_spmv<V, I>(exec, here.view(), V{2}, std::as_const(x[0]).view(), beta, x[1].view());
                });
            }
        });
    }
}

}  // namespace
}  // namespace linden::test
