#include <optional>

#include "test/support/same_matrix.hpp"
#include "test/support/sparse_products.hpp"

namespace linden::test {
namespace {

template <class Types>
class SpgemmForm : public testing::Test {
};
TYPED_TEST_SUITE(SpgemmForm, TestedValueIndices, TypeNames);

/// Every executor but those of omp, where no method forms products in one pass.
template <class F>
void on_each_forming_executor(const F& f)
{
    on_each_executor([&](const Executor& exec) {
        if (exec.backend() != Backend::omp) {
            f(exec);
        }
    });
}

/// A B in one pass, none if a row is too long. The values without columns are the same.
template <class V, class I>
std::optional<CsrData<V, I>> formed(const Executor& exec, const Pair<V, I>& operands)
{
    const Csr<V, I> a(exec, operands.a);
    const Csr<V, I> b(exec, operands.b);
    const auto row_ptrs = product_row_ptrs(a, b);
    const auto host = row_ptrs.to_host();
    for (std::size_t row = 0; row + 1 < host.size(); ++row) {
        if (host[row + 1] - host[row] > spgemm_form_entries) {
            return std::nullopt;
        }
    }
    const auto n = static_cast<std::size_t>(host.back());
    Array<I> col_idxs(exec, std::vector<I>(n, -7));
    Array<V> values(exec, std::vector<V>(n, V{-7})), again(exec, std::vector<V>(n, V{-7}));
    spgemm_form<V, I>(exec, a.view(), b.view(), row_ptrs.data(), col_idxs.data(), values.data());
    spgemm_form<V, I>(exec, a.view(), b.view(), row_ptrs.data(), nullptr, again.data());
    EXPECT_TRUE(same_bits(again.to_host(), values.to_host()));
    return CsrData<V, I>{{a.size().rows, b.size().cols}, host, col_idxs.to_host(), values.to_host()};
}

TYPED_TEST(SpgemmForm, ByHand)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    // [1 . 2; . . .; 3 i .] times [. 1 2 .; 3 . . .; 4 . . 5] = [8 1 2 10; . . . .; 3i 3 6 .]
    const Pair<V, I> pair{{{3, 3}, {0, 2, 2, 4}, {0, 2, 0, 1}, {V{1}, V{2}, V{3}, number<V>(0, 1)}},
                          {{3, 4}, {0, 2, 3, 5}, {1, 2, 0, 0, 3}, {V{1}, V{2}, V{3}, V{4}, V{5}}}};
    const Pair<V, I> cancelling{{{1, 2}, {0, 2}, {0, 1}, {V{1}, V{-1}}}, {{2, 1}, {0, 1, 2}, {0, 0}, {V{3}, V{3}}}};
    on_each_forming_executor([&](const Executor& exec) {
        expect_same_matrix(
            *formed(exec, pair),
            {{3, 4}, {0, 4, 4, 7}, {0, 1, 2, 3, 0, 1, 2}, {V{8}, V{1}, V{2}, V{10}, number<V>(0, 3), V{3}, V{6}}});
        expect_same_matrix(*formed(exec, cancelling), {{1, 1}, {0, 1}, {0}, {V{0}}});
    });
}

template <class V, class I>
void expect_like_products(const Pair<V, I>& pair)
{
    on_each_forming_executor([&](const Executor& exec) {
        const auto actual = formed(exec, pair);
        if (!actual) {
            return;
        }
        const auto expected = product_on(reference_executor(), pair);
        EXPECT_EQ(actual->row_ptrs, expected.row_ptrs);
        EXPECT_EQ(actual->col_idxs, expected.col_idxs);
        expect_near(actual->values, expected.values, 4 * summation_factor(300),
                    std::max(1.0, scale_of(expected.values)));
        EXPECT_TRUE(same_bits(actual->values, formed(exec, pair)->values)) << "two runs differ";
    });
}

TYPED_TEST(SpgemmForm, LikeProductsInTwoPhases)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    Random random(304);
    for_each_product_case<V, I>(random, [](const Pair<V, I>& pair) { expect_like_products(pair); });
}

/// Rows of all lengths up to the longest, of few columns and many entries of A, and columns that meet in a table.
TYPED_TEST(SpgemmForm, RowsOfAllLengths)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    Random random(305);
    for (const I stride : {1, 128}) {
        CsrData<V, I> a{{100, 700}, {0}, {}, {}}, b{{700, 256 * stride}, {0}, {}, {}};
        for (I row = 0; row < 100; ++row) {
            // Row k of B has column k / 2 and those of the same parity before it, but one in every five.
            for (I k = row % 3; k < std::min<I>(6 * row, row % 50 == 7 ? 700 : 511); k += 1 + row % 3) {
                a.col_idxs.push_back(k);
                a.values.push_back(random.value<V>());
            }
            a.row_ptrs.push_back(static_cast<I>(a.col_idxs.size()));
        }
        for (I k = 0; k < 700; ++k) {
            for (I col = k % 2; k < 512 && col <= k / 2; col += 2 + k % 5) {
                b.col_idxs.push_back(col * stride);
                b.values.push_back(random.value<V>());
            }
            b.row_ptrs.push_back(static_cast<I>(b.col_idxs.size()));
        }
        expect_like_products(Pair<V, I>{a, b});
    }
    // One column, from many entries of A.
    CsrData<V, I> wide{{2, 3000}, {0, 3000, 3001}, {}, {}}, column{{3000, 1}, {0}, {}, {}};
    for (I k = 0; k < 3000; ++k) {
        wide.col_idxs.push_back(k);
        wide.values.push_back(random.value<V>());
        column.col_idxs.push_back(0);
        column.values.push_back(random.value<V>());
        column.row_ptrs.push_back(k + 1);
    }
    wide.col_idxs.push_back(7);
    wide.values.push_back(V{1});
    expect_like_products(Pair<V, I>{wide, column});
}

}  // namespace
}  // namespace linden::test
