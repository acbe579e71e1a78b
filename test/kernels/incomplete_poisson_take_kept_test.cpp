#include "core/kernels/incomplete_poisson.hpp"
#include "test/support/kernel_cases.hpp"

namespace linden::test {
namespace {

template <class Types>
class IncompletePoissonTakeKept : public testing::Test {
};
TYPED_TEST_SUITE(IncompletePoissonTakeKept, TestedValueIndices, TypeNames);

/// What is kept, row by row.
template <class V, class I>
CsrData<V, I> kept_of(const Executor& exec, const CsrData<V, I>& a)
{
    const Csr<V, I> matrix(exec, a);
    Array<I> counts(exec, a.size.rows);
    incomplete_poisson_count_kept<V, I>(exec, matrix.view(), matrix.values(), counts.data());
    CsrData<V, I> result{a.size, {0}, {}, {}};
    for (const I count : counts.to_host()) {
        result.row_ptrs.push_back(result.row_ptrs.back() + count);
    }
    const Array<I> row_ptrs(exec, result.row_ptrs);
    Array<I> col_idxs(exec, result.row_ptrs.back());
    Array<V> values(exec, result.row_ptrs.back());
    incomplete_poisson_take_kept<V, I>(exec, matrix.view(), matrix.values(), row_ptrs.data(), col_idxs.data(),
                                       values.data());
    result.col_idxs = col_idxs.to_host();
    result.values = values.to_host();
    return result;
}

TYPED_TEST(IncompletePoissonTakeKept, ByHand)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    // [1 0 2; . . .; 0 i 0] keeps the zero on the diagonal
    const CsrData<V, I> a{{3, 3}, {0, 3, 3, 6}, {0, 1, 2, 0, 1, 2}, {V{1}, V{}, V{2}, V{}, number<V>(0, 1), V{}}};
    on_each_executor([&](const Executor& exec) {
        const auto kept = kept_of<V, I>(exec, a);
        EXPECT_EQ(kept.row_ptrs, (is_complex<V> ? std::vector<I>{0, 2, 2, 4} : std::vector<I>{0, 2, 2, 3}));
        EXPECT_EQ(kept.col_idxs, (is_complex<V> ? std::vector<I>{0, 2, 1, 2} : std::vector<I>{0, 2, 2}));
        EXPECT_EQ(kept.values,
                  (is_complex<V> ? std::vector<V>{V{1}, V{2}, number<V>(0, 1), V{}} : std::vector<V>{V{1}, V{2}, V{}}));
    });
}

TYPED_TEST(IncompletePoissonTakeKept, LikeReference)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    Random random(452);
    for (const size_type rows : {0, 1, 33, 597}) {
        for (const auto pattern : all_patterns) {
            auto a = random_csr<V, I>(random, {rows, rows}, 4, pattern);
            for (auto& value : a.values) {
                value = random.unit() < 0.5 ? V{} : value;
            }
            const auto expected = kept_of<V, I>(reference_executor(), a);
            on_each_other_executor([&](const Executor& exec) {
                const auto kept = kept_of<V, I>(exec, a);
                EXPECT_EQ(kept.row_ptrs, expected.row_ptrs);
                EXPECT_EQ(kept.col_idxs, expected.col_idxs);
                EXPECT_EQ(kept.values, expected.values);
            });
        }
    }
}

}  // namespace
}  // namespace linden::test
