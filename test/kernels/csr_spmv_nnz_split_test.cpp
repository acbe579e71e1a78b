#include "core/kernels/csr.hpp"
#include "test/support/kernel_cases.hpp"

namespace linden::test {
namespace {

/// x := alpha A b + beta x by nnz split.
template <class V, class I>
void multiply_nnz_split(const Csr<V, I>& a, Scalar<V> alpha, const Dense<V>& b, Scalar<V> beta, Dense<V>& x)
{
    const auto& exec = a.executor();
    Array<I> split_rows(exec, num_splits(a.num_nonzeros()));
    csr_find_split_rows<I>(exec, a.view(), split_rows.data());
    Array<std::byte> workspace(exec, split_workspace_bytes<V>(a.num_nonzeros(), x.size().cols));
    csr_spmv_nnz_split<V, I>(exec, a.view(), split_rows.data(), alpha, b.view(), beta, x.view(),
                             {workspace.data(), workspace.size()});
}

template <class Types>
class CsrSpmvNnzSplit : public testing::Test {
};
TYPED_TEST_SUITE(CsrSpmvNnzSplit, TestedValueIndices, TypeNames);

TYPED_TEST(CsrSpmvNnzSplit, ByHand)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    on_each_executor([](const Executor& exec) {
        // [1 0 2 0; 0 0 0 0; 0 i 0 3]
        const Csr<V, I> a(exec, {{3, 4}, {0, 2, 2, 4}, {0, 2, 1, 3}, {V{1}, V{2}, number<V>(0, 1), V{3}}});
        const auto b = Dense<V>::from_rows(exec, {{V{1}, V{5}}, {V{2}, V{6}}, {V{3}, V{7}}, {V{4}, V{8}}});
        auto x = Dense<V>::filled(exec, {3, 2}, V{1});
        multiply_nnz_split<V, I>(a, V{2}, b, V{-1}, x);
        EXPECT_EQ(x.to_host(), (std::vector<V>{V{13}, V{37}, V{-1}, V{-1}, number<V>(23, 4), number<V>(47, 12)}));
    });
}

TYPED_TEST(CsrSpmvNnzSplit, ZeroBetaDoesNotReadX)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    on_each_executor([](const Executor& exec) {
        const Csr<V, I> a(exec, {{2, 1}, {0, 1, 1}, {0}, {V{2}}});
        const auto b = Dense<V>::filled(exec, {1, 1}, V{1});
        auto x = Dense<V>::filled(exec, {2, 1}, not_a_number<V>());
        multiply_nnz_split<V, I>(a, V{1}, b, V{}, x);
        EXPECT_EQ(x.to_host(), (std::vector<V>{V{2}, V{0}}));
    });
}

/// Rows of these lengths, with random columns and values.
template <class V, class I>
CsrData<V, I> with_row_lengths(Random& random, size_type cols, const std::vector<size_type>& lengths)
{
    CsrData<V, I> a{{static_cast<size_type>(lengths.size()), cols}, {0}, {}, {}};
    for (const auto length : lengths) {
        for (const auto col : detail::distinct_columns(random, cols, length)) {
            a.col_idxs.push_back(static_cast<I>(col));
            a.values.push_back(random.value<V>());
        }
        a.row_ptrs.push_back(static_cast<I>(a.values.size()));
    }
    return a;
}

template <class V, class I>
void expect_like_reference_nnz_split(Random& random, const CsrData<V, I>& a, size_type cols, V beta)
{
    Blocks<V> operands;
    operands.push_back(random_dense<V>(random, reference_executor(), {a.size.cols, cols}));
    operands.push_back(random_dense<V>(random, reference_executor(), {a.size.rows, cols}, cols - 1));
    const V alpha = random.value<V>();
    expect_like_reference(operands, 4 * summation_factor(a.size.cols), [&](const Executor& exec, Blocks<V>& x) {
        multiply_nnz_split<V, I>(Csr<V, I>(exec, a), alpha, x[0], beta, x[1]);
    });
}

TYPED_TEST(CsrSpmvNnzSplit, RowsOverTheEndsOfSplits)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    Random random(221);
    constexpr size_type n = split_nonzeros;
    const std::vector<std::vector<size_type>> cases = {
        {},                                    // no rows
        {0, 0, 0},                             // no nonzeros
        {n},                                   // one full split
        {n, n, 1},                             // rows that end with splits
        {3, 5 * n, 4},                         // a row over several splits, from within one into another
        {n - 1, 2, n - 1, 2},                  // a row that ends with the first nonzero of a split
        {0, 0, 7, 0, 3 * n + 1, 0, 0, n, 0},   // empty rows around long ones
        {1, 0, 0, 2 * n + 5, 2 * n, 3, 2 * n}  // one long row after the other
    };
    for (const auto& lengths : cases) {
        const auto a = with_row_lengths<V, I>(random, 5 * n, lengths);
        expect_like_reference_nnz_split<V, I>(random, a, 1, V{0});
        expect_like_reference_nnz_split<V, I>(random, a, 2, V{-2});
    }
}

TYPED_TEST(CsrSpmvNnzSplit, LikeReference)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    Random random(222);
    for (const auto pattern : all_patterns) {
        for (const size_type rows : {1, 31, 32, 33, 597, 9000}) {
            const auto a = random_csr<V, I>(random, {rows, rows}, 3, pattern);
            expect_like_reference_nnz_split<V, I>(random, a, 1, V{1});
        }
    }
}

}  // namespace
}  // namespace linden::test
