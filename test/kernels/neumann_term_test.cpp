#include "core/kernels/neumann.hpp"

#include "test/support/kernel_cases.hpp"
#include "test/support/sell_matrix.hpp"

namespace linden::test {
namespace {

template <class Types>
class NeumannTerm : public testing::Test {
};
TYPED_TEST_SUITE(NeumannTerm, TestedSellTypes);

/// T = [. . .; 2 . .; -1 4 .] in two columns, the second of complex numbers where there are any; y(2) is in no product.
TYPED_TEST(NeumannTerm, ByHand)
{
    using V = typename TypeParam::value_type;
    using S = typename TypeParam::stored_type;
    using J = typename TypeParam::column_type;
    const CsrData<V, std::int32_t> t{{3, 3}, {0, 0, 1, 3}, {0, 0, 1}, {V{2}, V{-1}, V{4}}};
    const auto nan = not_a_number<V>();
    on_each_executor([&](const Executor& exec) {
        const SellMatrix<S, J> here(exec, t, 32, false);
        const auto b = Dense<V>::from_rows(exec, {{V{1}, number<V>(1, 1)}, {V{2}, V{4}}, {V{3}, V{0}}});
        const auto y = Dense<V>::from_rows(exec, {{V{1}, number<V>(2, -1)}, {V{-1}, V{3}}, {nan, nan}});
        const Array<V> d(exec, std::vector<V>{V{2}, V{3}, V{-1}});
        auto x = Dense<V>::filled(exec, {3, 2}, nan);
        // T y = (0, 0), (2, 4 - 2i), (-5, 10 + i)
        neumann_term<V, S, J>(exec, here.view(), nullptr, b.view(), y.view(), x.view());
        EXPECT_EQ(x.to_host(),
                  (std::vector<V>{V{1}, number<V>(1, 1), V{0}, number<V>(0, 2), V{8}, number<V>(-10, -1)}));
        neumann_term<V, S, J>(exec, here.view(), d.data(), b.view(), y.view(), x.view());
        EXPECT_EQ(x.to_host(), (std::vector<V>{V{2}, number<V>(2, 2), V{0}, number<V>(0, 6), V{-8}, number<V>(10, 1)}));
    });
}

/// What b may be beside a block of its own.
enum class Operand { own, y, x };

TYPED_TEST(NeumannTerm, LikeReference)
{
    using V = typename TypeParam::value_type;
    using S = typename TypeParam::stored_type;
    using J = typename TypeParam::column_type;
    Random random(431);
    const auto expect_same = [&](size_type rows, size_type cols, size_type padding, Pattern pattern) {
        SCOPED_TRACE(std::to_string(rows) + " rows, " + std::to_string(cols) + " columns");
        const auto a = random_csr<V, std::int32_t>(random, {rows, rows}, 4, pattern);
        std::vector<V> d(static_cast<std::size_t>(rows));
        for (auto& value : d) {
            value = random.value<V>();
        }
        const auto operands = random_blocks<V>(random, 3, {rows, cols}, padding);
        for (const auto b : {Operand::own, Operand::y, Operand::x}) {
            for (const bool is_scaled : {false, true}) {
                expect_like_reference(operands, 4 * summation_factor(rows), [&](const Executor& exec, Blocks<V>& x) {
                    const SellMatrix<S, J> t(exec, a, 64, false);
                    const Array<V> here(exec, d);
                    const auto& of = b == Operand::own ? x[0] : b == Operand::y ? x[1] : x[2];
                    neumann_term<V, S, J>(exec, t.view(), is_scaled ? here.data() : nullptr, std::as_const(of).view(),
                                          std::as_const(x[1]).view(), x[2].view());
                });
            }
        }
    };
    for (const size_type rows : {0, 1, 31, 32, 33, 597}) {
        for (const auto pattern : all_patterns) {
            expect_same(rows, 1, 0, pattern);
            expect_same(rows, 3, 2, pattern);
        }
    }
    expect_same(597, 0, 0, Pattern::uniform);
    expect_same(100, 40, 0, Pattern::uniform);
    expect_same(9000, 1, 0, Pattern::uniform);
}

}  // namespace
}  // namespace linden::test
