#include "core/base/math.hpp"
#include "test/support/triangular.hpp"

namespace linden::test {
namespace {

template <class Types>
class TriangularInvertDiagonal : public testing::Test {
};
TYPED_TEST_SUITE(TriangularInvertDiagonal, TestedValueIndices, TypeNames);

/// The inverses and the number of zeros; `order` may be empty.
template <class V, class I>
std::pair<std::vector<V>, size_type> inverted(const Executor& exec, const std::vector<I>& order,
                                              const std::vector<I>& diagonal, const std::vector<V>& values,
                                              bool conjugated)
{
    const auto n = static_cast<size_type>(diagonal.size());
    const auto here = order.empty() ? Array<I>(exec) : Array<I>(exec, order);
    const Array<I> at(exec, diagonal);
    const Array<V> all(exec, values);
    Array<V> inverse(exec, n);
    Array<size_type> num_zeros(exec, std::vector<size_type>{-1});
    triangular_invert_diagonal<V, I>(exec, n, here.data(), at.data(), all.data(), conjugated, inverse.data(),
                                     num_zeros.data());
    return {inverse.to_host(), num_zeros.to_host()[0]};
}

TYPED_TEST(TriangularInvertDiagonal, ByHand)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    using Inverted = std::pair<std::vector<V>, size_type>;
    const std::vector<V> values{V{2}, V{7}, number<V>(0.5, 0.5), V{0}, V{-4}};
    const std::vector<I> diagonal{0, 3, -1, 4, 2};
    const V last = is_complex<V> ? number<V>(1, -1) : V{2};
    on_each_executor([&](const Executor& exec) {
        EXPECT_EQ(inverted<V>(exec, std::vector<I>{}, diagonal, values, false),
                  (Inverted{{V{0.5}, V{1}, V{1}, V{-0.25}, last}, 2}));
        EXPECT_EQ(inverted<V>(exec, std::vector<I>{4, 0, 3, 2, 1}, diagonal, values, true),
                  (Inverted{{conj(last), V{0.5}, V{-0.25}, V{1}, V{1}}, 2}));
        EXPECT_EQ(inverted<V>(exec, std::vector<I>{}, std::vector<I>{}, values, false), (Inverted{{}, 0}));
        const auto [inverse, num_zeros] =
            inverted<V>(exec, std::vector<I>{}, std::vector<I>{0}, {not_a_number<V>()}, false);
        EXPECT_TRUE(is_nan(inverse[0]));
        EXPECT_EQ(num_zeros, 0);
    });
}

TYPED_TEST(TriangularInvertDiagonal, LikeReference)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    Random random(841);
    for (const size_type n : tested_rows) {
        std::vector<V> values;
        std::vector<I> diagonal;
        for (size_type i = 0; i < n; ++i) {
            values.push_back(i % 5 == 3 ? V{} : number<V>(random.real(0.5, 2), random.real(-1, 1)));
            diagonal.push_back(static_cast<I>(i % 7 == 6 ? -1 : n - 1 - i));
        }
        for (const bool conjugated : {false, true}) {
            const auto run = [&](const Executor& exec) {
                return inverted<V>(exec, conjugated ? mixed_order<I>(n) : std::vector<I>{}, diagonal, values,
                                   conjugated);
            };
            const auto expected = run(reference_executor());
            on_each_other_executor([&](const Executor& exec) {
                const auto actual = run(exec);
                expect_near(actual.first, expected.first, 4);
                EXPECT_EQ(actual.second, expected.second);
            });
        }
    }
}

}  // namespace
}  // namespace linden::test
