#include <limits>

#include "core/kernels/dense_inverse.hpp"
#include "test/support/dense_inverse.hpp"
#include "test/support/kernel_cases.hpp"

namespace linden::test {
namespace {

using Marks = std::vector<std::int32_t>;

template <class V>
class DenseInversePivotRows : public testing::Test {
};
TYPED_TEST_SUITE(DenseInversePivotRows, TestedValues, TypeNames);

template <class V>
struct Pivoted {
    std::vector<wide_t<V>> values;
    Marks order, is_kept;
};

/// One step, with scales 1 and a tolerance of 1e-3.
template <class V>
Pivoted<V> pivoted(const Executor& exec, const std::vector<wide_t<V>>& a, const Marks& order, size_type first)
{
    const auto n = static_cast<size_type>(order.size());
    Array<wide_t<V>> values(exec, a);
    const Array<real_t<V>> scales(exec, std::vector<real_t<V>>(order.size(), 1));
    Array<std::int32_t> rows(exec, order), is_kept(exec, Marks(order.size(), 7));
    Array<std::byte> workspace(exec, dense_inverse_workspace_bytes<V>(n));
    const GalerkinView<V> view{n, values.data(), scales.data(), is_kept.data(), 1e-3};
    dense_inverse_pivot_rows<V>(exec, view, rows.data(), first, {workspace.data(), workspace.size()});
    return {values.to_host(), rows.to_host(), is_kept.to_host()};
}

/// 4 is the largest of column 0; it leaves 3 and 1 in column 1, then 2.
TYPED_TEST(DenseInversePivotRows, ByHand)
{
    using V = TypeParam;
    using W = wide_t<V>;
    on_each_executor([](const Executor& exec) {
        const auto result = pivoted<V>(exec, {0, 1, 2, 4, 0, 0, 2, 3, 1}, {5, 6, 7}, 0);
        EXPECT_EQ(result.values, (std::vector<W>{4, 0, 0, 2, 3, 1, 0, 1, 2}));
        EXPECT_EQ(result.order, (Marks{6, 7, 5}));
        EXPECT_EQ(result.is_kept, (Marks{1, 1, 1}));
    });
}

TYPED_TEST(DenseInversePivotRows, TakesTheFirstOfEqualPivots)
{
    using V = TypeParam;
    using W = wide_t<V>;
    on_each_executor([](const Executor& exec) {
        const auto result = pivoted<V>(exec, {1, 0, 0, -2, 1, 0, 2, 0, 1}, {0, 1, 2}, 0);
        EXPECT_EQ(result.values, (std::vector<W>{-2, 1, 0, 2, 0, 1, 1, 0, 0}));
        EXPECT_EQ(result.order, (Marks{1, 2, 0}));
    });
}

/// Column 0 has nothing above the tolerance, column 2 is not finite in the row that is left for it.
TYPED_TEST(DenseInversePivotRows, LeavesColumnsWithoutPivot)
{
    using V = TypeParam;
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    on_each_executor([](const Executor& exec) {
        const auto result = pivoted<V>(exec, {0.0005, 1, 0, 0, 2, 0, 0, 0, nan}, {0, 1, 2}, 0);
        EXPECT_EQ(result.order, (Marks{0, 1, 2}));
        EXPECT_EQ(result.is_kept, (Marks{0, 1, 0}));
    });
}

/// Rows of a permutation come to their places, in a block and from beyond it, and from `first` on.
TYPED_TEST(DenseInversePivotRows, OrdersPermutations)
{
    using V = TypeParam;
    using W = wide_t<V>;
    for (const size_type n : {5, 40, 150}) {
        for (const size_type first : {0, 32}) {
            const auto shift = shifted_order(n - std::min(first, n - 1));
            const auto begin = n - static_cast<size_type>(shift.size());
            auto a = identity<W>(n);
            Marks rows(static_cast<std::size_t>(n));
            for (size_type i = 0; i < n; ++i) {
                rows[i] = static_cast<std::int32_t>(i < begin ? i : begin + shift[i - begin]);
                a[i * n + i] = 0;
            }
            for (size_type i = 0; i < n; ++i) {
                a[rows[i] * n + i] = 1;  // the pivot of column i stands in row rows[i]
            }
            on_each_executor([&](const Executor& exec) {
                const auto result = pivoted<V>(exec, a, rows, begin);
                const auto end = std::min(begin + galerkin_block_rows, n);
                for (size_type i = begin; i < end; ++i) {
                    ASSERT_EQ(result.values[i * n + i], W{1}) << "row " << i;
                    ASSERT_EQ(result.order[i], rows[rows[i]]) << "row " << i;
                }
                auto sorted = result.order;
                std::sort(sorted.begin(), sorted.end());
                for (size_type i = 0; i < n; ++i) {
                    ASSERT_EQ(sorted[i], i);
                }
            });
        }
    }
}

/// With the elimination between the steps: the same pivots, and an inverse of the rows in their order.
TYPED_TEST(DenseInversePivotRows, LikeReference)
{
    using V = TypeParam;
    Random random(971);
    for (const size_type n : {0, 1, 2, 31, 32, 33, 70, 130, 170}) {
        for (const bool singular : {false, true}) {
            SCOPED_TRACE(std::to_string(n) + " rows");
            auto a = random_general<V>(random, n);
            for (size_type i = 0; singular && i < n; ++i) {
                a[i * n + n / 2] = 0;
                a[i * n + n - 1] = n > 3 ? a[i * n + 1] : V{};
            }
            const auto expected = inverted<V>(reference_executor(), a, n);
            if (!singular) {
                EXPECT_EQ(std::count(expected.is_kept.begin(), expected.is_kept.end(), 0), 0);
                expect_close(product<wide_t<V>>(n, with_rows(a, expected.order), expected.values),
                             identity<wide_t<V>>(n), 1e-9);
            }
            on_each_executor([&](const Executor& exec) {
                const auto result = inverted<V>(exec, a, n);
                EXPECT_EQ(result.order, expected.order);
                EXPECT_EQ(result.is_kept, expected.is_kept);
                expect_close(result.values, expected.values, 1e-8);
                const auto again = inverted<V>(exec, a, result.order, result.is_kept, PivotStep::none);
                EXPECT_TRUE(same_bits(again.values, result.values)) << "other bits with the pivots known before";
            });
        }
    }
}

}  // namespace
}  // namespace linden::test
