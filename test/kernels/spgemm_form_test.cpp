#include <algorithm>

#include "test/support/sparse_products.hpp"

/// spgemm_form and spgemm_take.
namespace linden::test {
namespace {

template <class Types>
class SpgemmForm : public testing::Test {
};
TYPED_TEST_SUITE(SpgemmForm, TestedValueIndices, TypeNames);

/// Calls f(exec) with executors that have these kernels; hosts do.
template <class V, class I, class F>
void on_each_that_forms(const F& f)
{
    on_each_executor([&](const Executor& exec) {
        const bool forms = spgemm_form<V, I>.available(exec.backend());
        EXPECT_TRUE(forms || !exec.is_host()) << exec.name();
        if (forms) {
            f(exec);
        }
    });
}

template <class V, class I>
void expect_formed(const Executor& exec, const Pair<V, I>& pair)
{
    const auto expected = product_on(exec, pair);
    const auto formed = formed_on(exec, pair);
    EXPECT_EQ(formed.row_ptrs, expected.row_ptrs) << exec.name();
    EXPECT_EQ(formed.col_idxs, expected.col_idxs) << exec.name();
    EXPECT_TRUE(same_bits(formed.values, expected.values)) << exec.name();
}

TYPED_TEST(SpgemmForm, LikeItsSteps)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    Random random(304);
    for_each_product_case<V, I>(random, [](const Pair<V, I>& pair) {
        on_each_that_forms<V, I>([&](const Executor& exec) { expect_formed(exec, pair); });
    });
}

TYPED_TEST(SpgemmForm, RowsOfEveryLength)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    Random random(305);
    // Row i of A has the first i columns; rows of B have one to twenty columns of thirty.
    constexpr I n = 24;
    CsrData<V, I> a{{n, n}, {0}, {}, {}}, b{{n, 30}, {0}, {}, {}};
    for (I row = 0; row < n; ++row) {
        for (I col = 0; col < row; ++col) {
            a.col_idxs.push_back(col);
            a.values.push_back(number<V>(random.real(-1, 1), 0));
        }
        for (I k = 0; k < 1 + row % 20; ++k) {
            b.col_idxs.push_back(k + row % 11);
            b.values.push_back(number<V>(random.real(-1, 1), 0));
        }
        a.row_ptrs.push_back(static_cast<I>(a.col_idxs.size()));
        b.row_ptrs.push_back(static_cast<I>(b.col_idxs.size()));
    }
    on_each_that_forms<V, I>([&](const Executor& exec) { expect_formed<V, I>(exec, {a, b}); });
}

TYPED_TEST(SpgemmForm, RowsOfFewProducts)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    Random random(306);
    // Up to six rows of B to a row of A, of up to three columns each, far apart and not in order from row to row; the
    // rows of B at both ends are read, too.
    constexpr I n = 400;
    CsrData<V, I> a{{n, n}, {0}, {}, {}}, b{{n, 500}, {0}, {}, {}};
    for (I row = 0; row < n; ++row) {
        for (I k = 0; k < 1 + row % 6; ++k) {
            a.col_idxs.push_back((row + 67 * k) % n);
            a.values.push_back(number<V>(random.real(-1, 1), 0));
        }
        std::sort(a.col_idxs.begin() + a.row_ptrs.back(), a.col_idxs.end());
        for (I k = 0; k < row % 4; ++k) {
            b.col_idxs.push_back(7 * row % 29 + (row % 5 == 0 ? 150 * k : k));
            b.values.push_back(number<V>(random.real(-1, 1), 0));
        }
        a.row_ptrs.push_back(static_cast<I>(a.col_idxs.size()));
        b.row_ptrs.push_back(static_cast<I>(b.col_idxs.size()));
    }
    on_each_that_forms<V, I>([&](const Executor& exec) { expect_formed<V, I>(exec, {a, b}); });
}

TYPED_TEST(SpgemmForm, EntriesThatCancelStay)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    const Pair<V, I> pair{{{1, 2}, {0, 2}, {0, 1}, {V{1}, V{-1}}}, {{2, 1}, {0, 1, 2}, {0, 0}, {V{3}, V{3}}}};
    on_each_that_forms<V, I>(
        [&](const Executor& exec) { EXPECT_EQ(formed_on(exec, pair).values, (std::vector<V>{V{0}})) << exec.name(); });
}

}  // namespace
}  // namespace linden::test
