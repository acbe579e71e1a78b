#include "core/kernels/nested_dissection.hpp"
#include "test/support/kernel_cases.hpp"

namespace linden::test {
namespace {

template <class V>
class Dissected : public testing::Test {
};
TYPED_TEST_SUITE(Dissected, TestedValues, TypeNames);

/// What elimination leaves of a matrix, in parts.
template <class V>
struct LeftMatrix {
    size_type size = 0;
    std::vector<V> values;
    std::vector<std::int32_t> order;
    std::vector<ColumnRange> ranges;
    size_type separators = 0;
};

/// x, and t in the rows before it.
template <class V>
std::vector<V> products(const Executor& exec, const LeftMatrix<V>& m, const Dense<V>& b)
{
    const Array<V> values(exec, m.values);
    const Array<std::int32_t> order(exec, m.order);
    const Array<ColumnRange> ranges(exec, m.ranges);
    const NestedDissectionView<V> view{m.size, m.separators, values.data(), order.data(), ranges.data()};
    const auto on_exec = b.copy(exec);
    auto t = Dense<V>::filled(exec, {m.size - m.separators, b.size().cols}, not_a_number<V>());
    auto x = Dense<V>::filled(exec, b.size(), not_a_number<V>());
    nested_dissection_gather<V>(exec, view, on_exec.view(), t.view());
    nested_dissection_expand<V>(exec, view, on_exec.view(), std::as_const(t).view(), x.view());
    auto result = t.to_host();
    const auto found = x.to_host();
    result.insert(result.end(), found.begin(), found.end());
    return result;
}

/// Positions 0 and 1 are parts, 2 separates them; the vectors have them in reversed order. What is in no range is no
/// number.
TYPED_TEST(Dissected, ByHand)
{
    using V = TypeParam;
    const V nan = not_a_number<V>();
    const LeftMatrix<V> m{
        3, {V{2}, nan, V{3}, nan, V{4}, V{5}, V{-1}, V{-2}, V{6}}, {2, 1, 0}, {{0, 1}, {1, 2}, {0, 2}}, 2};
    const auto b = Dense<V>::from_rows(reference_executor(), {{V{100}, V{1}}, {V{10}, V{0}}, {V{1}, V{0}}});
    on_each_executor([&](const Executor& exec) {
        // t = 100 - 1 - 20;  x(2) = 2 + 3 t, x(1) = 40 + 5 t, x(0) = 6 t
        EXPECT_EQ(products(exec, m, b), (std::vector<V>{V{79}, V{1}, V{474}, V{6}, V{435}, V{5}, V{239}, V{3}}));
    });
}

/// Few and many columns of the separators, separators of all parts and of some, rows longer than what threads have in
/// flight.
TYPED_TEST(Dissected, LikeReference)
{
    using V = TypeParam;
    Random random(966);
    for (const size_type part : {1, 7, 90, 700}) {
        for (const size_type separators : {1, 5, 300}) {
            for (const size_type cols : {1, 3}) {
                SCOPED_TRACE(std::to_string(part) + " rows, " + std::to_string(separators) + " separators");
                LeftMatrix<V> m;
                m.separators = 4 * part;
                m.size = m.separators + separators;
                for (size_type i = 0; i < m.size; ++i) {
                    m.order.push_back(static_cast<std::int32_t>((i + 5) % m.size));
                    const size_type first = i < m.separators ? i / part : i % 2 * 2;
                    const size_type last = i < m.separators ? first + 1 : 4 - i % 3;
                    m.ranges.push_back(
                        {static_cast<std::int32_t>(first * part), static_cast<std::int32_t>(last * part)});
                }
                m.values.resize(static_cast<std::size_t>(m.size * m.size));
                std::generate(m.values.begin(), m.values.end(), [&] { return random.value<V>(); });
                const auto b = random_dense<V>(random, reference_executor(), {m.size, cols}, 1);
                const auto expected = products(reference_executor(), m, b);
                on_each_executor([&](const Executor& exec) { expect_near(products(exec, m, b), expected, 4096); });
            }
        }
    }
}

}  // namespace
}  // namespace linden::test
