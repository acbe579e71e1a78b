#include "core/kernels/jacobi.hpp"
#include "test/support/aggregation.hpp"

/// Diagonals in place of a matrix's own.
namespace linden::test {
namespace {

template <class V>
std::vector<V> numbers(const std::vector<double>& values)
{
    std::vector<V> result;
    for (const double value : values) {
        result.push_back(V{static_cast<real_t<V>>(value)});
    }
    return result;
}

template <class Types>
class JacobiRowScales : public testing::Test {
};
TYPED_TEST_SUITE(JacobiRowScales, TestedValueIndices, TypeNames);

template <class V, class I>
std::vector<V> row_scales(const Executor& exec, const CsrData<V, I>& host, RowScale which)
{
    const Csr<V, I> a(exec, host);
    Array<V> d(exec, std::vector<V>(static_cast<std::size_t>(host.size.rows), V{-7}));
    jacobi_row_scales<V, I>(exec, a.view(), which, d.data());
    return d.to_host();
}

TYPED_TEST(JacobiRowScales, ByHand)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    // [2 -2 .  .; 1 . . .; . . . .; 4 . 4 -8], the second row without diagonal
    const CsrData<V, I> a{{4, 4}, {0, 2, 3, 3, 6}, {0, 1, 0, 0, 2, 3}, numbers<V>({2, -2, 1, 4, 4, -8})};
    on_each_executor([&](const Executor& exec) {
        EXPECT_EQ(row_scales(exec, a, RowScale::sum), numbers<V>({0.25, 1, 1, -0.0625}));
        expect_near(row_scales(exec, a, RowScale::nearest), numbers<V>({0.25, 1, 1, -1.0 / 12}), 4);
    });
}

TYPED_TEST(JacobiRowScales, AgreesWithTheReference)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    Random random(1823);
    for_each_graph<I>(random, [&](const HostPattern<I>& graph) {
        const auto a = random_values<V>(random, graph);
        for (const auto which : {RowScale::sum, RowScale::nearest}) {
            const auto expected = row_scales(reference_executor(), a, which);
            on_each_executor([&](const Executor& exec) { expect_near(row_scales(exec, a, which), expected, 32); });
        }
    });
}

}  // namespace
}  // namespace linden::test
