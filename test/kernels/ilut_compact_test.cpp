#include "test/support/threshold_cases.hpp"

namespace linden::test {
namespace {

template <class Types>
class IlutCompact : public testing::Test {
};
TYPED_TEST_SUITE(IlutCompact, TestedValueIndices, TypeNames);

/// `a` spread to rows of the same length, and brought together again.
template <class V, class I>
CsrData<V, I> spread_and_compacted(const Executor& exec, const CsrData<V, I>& a, size_type row_limit)
{
    const auto rows = static_cast<std::size_t>(a.size.rows);
    std::vector<I> counts(rows);
    std::vector<I> cols(rows * static_cast<std::size_t>(row_limit), I{-1});
    std::vector<V> values(cols.size(), not_a_number<V>());
    for (std::size_t row = 0; row < rows; ++row) {
        const auto begin = a.row_ptrs[row];
        counts[row] = a.row_ptrs[row + 1] - begin;
        std::copy_n(a.col_idxs.begin() + begin, counts[row], cols.begin() + row * row_limit);
        std::copy_n(a.values.begin() + begin, counts[row], values.begin() + row * row_limit);
    }
    Array<I> counts_there(exec, counts);
    Array<I> cols_there(exec, cols);
    Array<V> values_there(exec, values);
    const Array<I> row_ptrs(exec, a.row_ptrs);
    Array<I> compact_cols(exec, a.num_nonzeros());
    Array<V> compact_values(exec, a.num_nonzeros());
    ilut_compact<V, I>(exec, {a.size.rows, row_limit, counts_there.data(), cols_there.data(), values_there.data()},
                       row_ptrs.data(), compact_cols.data(), compact_values.data());
    return {a.size, a.row_ptrs, compact_cols.to_host(), compact_values.to_host()};
}

template <class V, class I>
void expect_unchanged(const CsrData<V, I>& a, size_type row_limit)
{
    on_each_executor([&](const Executor& exec) {
        const auto compacted = spread_and_compacted(exec, a, row_limit);
        EXPECT_EQ(compacted.col_idxs, a.col_idxs);
        EXPECT_EQ(compacted.values, a.values);
    });
}

TYPED_TEST(IlutCompact, ByHand)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    expect_unchanged(CsrData<V, I>{{3, 3}, {0, 1, 3, 4}, {0, 0, 1, 2}, {V{1}, V{2}, V{3}, V{4}}}, 2);
    expect_unchanged(pathological::without_rows<V, I>(), 1);
}

TYPED_TEST(IlutCompact, BringsRowsTogether)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    Random random(931);
    for (const size_type n : {1, 31, 33, 597, 4000}) {
        for (const auto kind : {Pattern::uniform, Pattern::empty_rows}) {
            const auto a = random_csr<V, I>(random, {n, n}, 4, kind);
            expect_unchanged(a, 8);
            expect_unchanged(a, 11);
        }
    }
}

}  // namespace
}  // namespace linden::test
