#include "core/kernels/mirror.hpp"
#include "test/support/aggregation.hpp"

namespace linden::test {
namespace {

template <class Types>
class MirrorAdjoint : public testing::Test {
};
TYPED_TEST_SUITE(MirrorAdjoint, TestedValueIndices, TypeNames);

template <class V, class I>
std::pair<std::vector<I>, std::vector<V>> mirrored(const Executor& exec, const CsrData<V, I>& host)
{
    const Csr<V, I> a(exec, host);
    Array<I> source(exec, std::vector<I>(host.values.size(), -7));
    Array<V> values(exec, std::vector<V>(host.values.size(), V{-7}));
    mirror_adjoint<V, I>(exec, a.view(), source.data(), values.data());
    return {source.to_host(), values.to_host()};
}

TYPED_TEST(MirrorAdjoint, ByHand)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    // [. 1 2 .; 3 4 . .; 5 . . 6; . . . 7]: (2, 3) has no mirror image
    CsrData<V, I> a{{4, 4}, {0, 2, 4, 6, 7}, {1, 2, 0, 1, 0, 3, 3}, {}};
    for (int i = 1; i <= 7; ++i) {
        a.values.push_back(number<V>(i, -i));
    }
    const auto adjoint = [](int i) { return number<V>(i, i); };
    on_each_executor([&](const Executor& exec) {
        const auto [source, values] = mirrored(exec, a);
        EXPECT_EQ(source, (std::vector<I>{2, 4, 0, 3, 1, -1, 6}));
        EXPECT_EQ(values,
                  (std::vector<V>{adjoint(3), adjoint(5), adjoint(1), adjoint(4), adjoint(2), V{}, adjoint(7)}));
        EXPECT_EQ(mirrored(exec, CsrData<V, I>{{0, 0}, {0}, {}, {}}).first, std::vector<I>{});
    });
}

/// On symmetric patterns, by the search of each entry, on every executor to the bit.
TYPED_TEST(MirrorAdjoint, ByDefinition)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    Random random(2140);
    for_each_graph<I>(random, [&](const HostPattern<I>& graph) {
        const auto a = random_values<V>(random, graph);
        std::vector<I> source;
        std::vector<V> values;
        for (I row = 0; row < a.size.rows; ++row) {
            for (I k = a.row_ptrs[row]; k < a.row_ptrs[row + 1]; ++k) {
                source.push_back(entry_at(a, a.col_idxs[k], row));
                values.push_back(source.back() < 0 ? V{} : conjugate(a.values[source.back()]));
            }
        }
        on_each_executor([&](const Executor& exec) { EXPECT_EQ(mirrored(exec, a), std::pair(source, values)); });
    });
}

}  // namespace
}  // namespace linden::test
