#include "core/matrix/pattern_arithmetic.hpp"
#include "test/support/isai.hpp"

namespace linden::test {
namespace {

template <class Types>
class IsaiInvertTriangle : public testing::Test {
};
TYPED_TEST_SUITE(IsaiInvertTriangle, TestedValueIndices, TypeNames);

/// T = [2 . .; 4 1 .; -2+4i 2 4], whose diagonal is given by its inverse, on all of the triangle and without (2, 1).
TYPED_TEST(IsaiInvertTriangle, ByHand)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    const V x = not_a_number<V>(), corner = number<V>(-2, 4);
    const HostPattern<I> full{{3, 3}, {0, 1, 3, 6}, {0, 0, 1, 0, 1, 2}}, part{{3, 3}, {0, 1, 3, 5}, {0, 0, 1, 0, 2}};
    const std::vector<V> values{x, V{4}, x, corner, V{2}, x};
    const std::vector<V> inverse{number<V>(0.5, 0), V{1}, number<V>(0.25, 0)};
    const V half = inverse[0], quarter = inverse[2];
    on_each_executor([&](const Executor& exec) {
        const auto lower = [&](const HostPattern<I>& m, const std::vector<V>& d) {
            return inverted<V, I>(exec, {Side::lower, full, values, d, m});
        };
        EXPECT_EQ(lower(full, inverse), (std::vector<V>{half, V{-2}, V{1}, number<V>(1.25, -0.5), -half, quarter}));
        EXPECT_EQ(lower(full, {}), (std::vector<V>{V{1}, V{-4}, V{1}, number<V>(10, -4), V{-2}, V{1}}));
        EXPECT_EQ(lower(part, inverse), (std::vector<V>{half, V{-2}, V{1}, number<V>(0.25, -0.5), quarter}));
        EXPECT_EQ(lower(part, {}), (std::vector<V>{V{1}, V{-4}, V{1}, number<V>(2, -4), V{1}}));
    });
}

/// The mirror image: T = [4 2 -2+4i; . 1 4; . . 2].
TYPED_TEST(IsaiInvertTriangle, UpperByHand)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    const V x = not_a_number<V>(), corner = number<V>(-2, 4);
    const HostPattern<I> full{{3, 3}, {0, 3, 5, 6}, {0, 1, 2, 1, 2, 2}}, part{{3, 3}, {0, 2, 4, 5}, {0, 2, 1, 2, 2}};
    const std::vector<V> values{x, V{2}, corner, x, V{4}, x};
    const std::vector<V> inverse{number<V>(0.25, 0), V{1}, number<V>(0.5, 0)};
    const V half = inverse[2], quarter = inverse[0];
    on_each_executor([&](const Executor& exec) {
        const auto upper = [&](const HostPattern<I>& m) {
            return inverted<V, I>(exec, {Side::upper, full, values, inverse, m});
        };
        EXPECT_EQ(upper(full), (std::vector<V>{quarter, -half, number<V>(1.25, -0.5), V{1}, V{-2}, half}));
        EXPECT_EQ(upper(part), (std::vector<V>{quarter, number<V>(0.25, -0.5), V{1}, V{-2}, half}));
    });
}

/// What is not a number is found in the columns that need it, and nowhere else.
TYPED_TEST(IsaiInvertTriangle, LetsNanThrough)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    const V x = not_a_number<V>();
    const HostPattern<I> full{{3, 3}, {0, 1, 3, 6}, {0, 0, 1, 0, 1, 2}};
    on_each_executor([&](const Executor& exec) {
        const auto m = inverted<V, I>(exec, {Side::lower, full, {V{1}, x, V{1}, V{0}, V{0}, V{1}}, {}, full});
        for (const std::size_t k : {1, 3}) {
            EXPECT_TRUE(is_nan(m[k])) << k;
        }
        for (const std::size_t k : {0, 2, 4, 5}) {
            EXPECT_FALSE(is_nan(m[k])) << k;
        }
    });
}

template <class I>
HostPattern<I> power_of(const HostPattern<I>& t, size_type power)
{
    const auto p = ::linden::detail::pattern_of_power<I>(reference_executor(),
                                                         PatternOn<I>(reference_executor(), t).view(), power);
    return {p.size, p.row_ptrs.to_host(), p.col_idxs.to_host()};
}

template <class V>
std::vector<V> random_values(Random& random, size_type count)
{
    std::vector<V> values(static_cast<std::size_t>(count));
    for (auto& value : values) {
        value = random.value<V>();
    }
    return values;
}

/// The same bits as the reference, on the lower triangle and on its mirror image, whose values are the same.
template <class V, class I>
void expect_same_bits(Random& random, const HostPattern<I>& t, const HostPattern<I>& m)
{
    const auto values = random_values<V>(random, t.num_nonzeros());
    const auto diagonal = random_values<V>(random, t.size.rows);
    for (const auto& d : {diagonal, std::vector<V>{}}) {
        const auto lower = inverted<V, I>(reference_executor(), {Side::lower, t, values, d, m});
        auto mirrored_result = lower;
        std::reverse(mirrored_result.begin(), mirrored_result.end());
        const IsaiCase<V, I> image{
            Side::upper, mirrored(t), {values.rbegin(), values.rend()}, {d.rbegin(), d.rend()}, mirrored(m)};
        on_each_executor([&](const Executor& exec) {
            EXPECT_TRUE(same_bits(inverted<V, I>(exec, {Side::lower, t, values, d, m}), lower));
            EXPECT_TRUE(same_bits(inverted(exec, image), mirrored_result));
        });
    }
}

TYPED_TEST(IsaiInvertTriangle, SameBitsAsReference)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    Random random(611);
    for_each_small_triangle<I>(random, [&](const HostPattern<I>& strict) {
        const auto t = with_diagonal(strict);
        expect_same_bits<V>(random, t, t);
        expect_same_bits<V>(random, t, power_of(t, 2));
        // A pattern that has nothing to do with that of T.
        const auto other = random_strict_pattern<I>(random, t.size.rows, Pattern::uniform, true);
        expect_same_bits<V>(random, t, with_diagonal(other));
    });
    const auto large = with_diagonal(layered_pattern<I>(random, {3, 1, 1023, 1024, 70, 3000, 5}, 6));
    expect_same_bits<V>(random, large, large);
}

}  // namespace
}  // namespace linden::test
