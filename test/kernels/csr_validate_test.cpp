#include "core/kernels/validate.hpp"
#include "test/support/kernel_cases.hpp"
#include "test/support/pathological.hpp"

namespace linden::test {
namespace {

template <class Types>
class CsrValidate : public testing::Test {
};
TYPED_TEST_SUITE(CsrValidate, TestedValueIndices, TypeNames);

template <class V, class I>
CsrFindings find(const Executor& exec, const CsrData<V, I>& a)
{
    const auto matrix = pathological::unchecked(exec, a);
    Array<CsrFindings> findings(exec, 1);
    csr_validate<V, I>(exec, matrix.view(), findings.data());
    return findings.to_host().front();
}

/// `a` has only this, so often, and for the first time in this row; on every executor.
template <class V, class I>
void expect_only(const CsrData<V, I>& a, Finding finding, size_type count, size_type first_row)
{
    SCOPED_TRACE(name(finding));
    on_each_executor([&](const Executor& exec) {
        const auto found = find(exec, a);
        for (int kind = 0; kind < num_findings; ++kind) {
            const bool is_it = kind == static_cast<int>(finding);
            EXPECT_EQ(found.count[kind], is_it ? count : 0) << name(static_cast<Finding>(kind));
            EXPECT_EQ(found.first_row[kind], is_it && count > 0 ? first_row : CsrFindings::no_row)
                << name(static_cast<Finding>(kind));
        }
    });
}

TYPED_TEST(CsrValidate, Pathological)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    using R = real_t<V>;
    namespace p = pathological;
    expect_only(p::healthy<V, I>(), Finding::unsorted, 0, 0);
    expect_only(p::without_rows<V, I>(), Finding::unsorted, 0, 0);
    expect_only(p::without_entries<V, I>(4), Finding::missing_diagonal, 4, 0);
    expect_only(p::missing_diagonal<V, I>(), Finding::missing_diagonal, 1, 1);
    expect_only(p::zero_diagonal<V, I>(), Finding::zero_diagonal, 2, 1);
    expect_only(p::unsorted<V, I>(), Finding::unsorted, 2, 1);
    expect_only(p::duplicate<V, I>(), Finding::duplicate, 1, 2);
    expect_only(p::out_of_bounds<V, I>(3), Finding::out_of_bounds, 1, 0);
    expect_only(p::with_value<V, I>(not_a_number<V>()), Finding::not_finite, 1, 1);
    expect_only(p::with_value<V, I>(V{-std::numeric_limits<R>::infinity()}), Finding::not_finite, 1, 1);
    expect_only(p::with_value<V, I>(number<V>(1, std::numeric_limits<double>::infinity())), Finding::not_finite,
                is_complex<V> ? 1 : 0, 1);
}

TYPED_TEST(CsrValidate, NegativeColumn)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    on_each_executor([](const Executor& exec) {
        const auto found = find(exec, pathological::out_of_bounds<V, I>(-1));
        EXPECT_EQ(found.count[static_cast<int>(Finding::out_of_bounds)], 1);
        EXPECT_EQ(found.count[static_cast<int>(Finding::missing_diagonal)], 1) << "it stands where the diagonal was";
    });
}

TYPED_TEST(CsrValidate, RowPointers)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    const auto expect_rows = [](std::vector<I> row_ptrs, size_type count, size_type first_row) {
        const auto a = pathological::with_row_ptrs<V, I>(std::move(row_ptrs));
        on_each_executor([&](const Executor& exec) {
            const auto found = find(exec, a);
            EXPECT_EQ(found.count[0], count);
            EXPECT_EQ(found.first_row[0], first_row);
            EXPECT_EQ(found.count[static_cast<int>(Finding::out_of_bounds)], 0) << "read past the end";
        });
    };
    constexpr I far = std::numeric_limits<I>::max();
    expect_rows({0, 5, 2, 7}, 1, 1);
    expect_rows({0, 2, far, 7}, 2, 1);
    expect_rows({0, -2, 5, 7}, 2, 0);
    expect_rows({1, 2, 5, 7}, 1, 0);
    expect_rows({0, 2, 5, 6}, 1, 2);
    expect_rows({far, far, far, far}, 3, 0);
}

TYPED_TEST(CsrValidate, Rectangular)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    // Rows 2 and 3 of a 4 x 2 matrix have no diagonal to miss.
    expect_only(CsrData<V, I>{{4, 2}, {0, 1, 1, 2, 2}, {0, 1}, {V{1}, V{1}}}, Finding::missing_diagonal, 1, 1);
    expect_only(CsrData<V, I>{{1, 4}, {0, 2}, {0, 3}, {V{1}, V{1}}}, Finding::missing_diagonal, 0, 0);
}

TYPED_TEST(CsrValidate, LikeReference)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    Random random(312);
    for (const auto rows : tested_rows) {
        for (const auto pattern : all_patterns) {
            auto a = random_csr<V, I>(random, {rows, rows}, 4, pattern);
            const auto nnz = a.num_nonzeros();
            for (size_type spoilt = 0; spoilt < nnz / 20; ++spoilt) {
                a.col_idxs[random.integer(0, nnz)] = static_cast<I>(random.integer(-1, rows + 2));
                a.values[random.integer(0, nnz)] = spoilt % 2 == 0 ? not_a_number<V>() : V{};
            }
            const auto expected = find(reference_executor(), a);
            on_each_other_executor([&](const Executor& exec) {
                const auto found = find(exec, a);
                EXPECT_EQ(std::memcmp(&found, &expected, sizeof found), 0);
            });
        }
    }
}

}  // namespace
}  // namespace linden::test
