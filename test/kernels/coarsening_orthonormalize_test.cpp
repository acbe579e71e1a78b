#include "core/kernels/coarsening.hpp"
#include "test/support/aggregation.hpp"

/// Near-null spaces on aggregates: T and B_c with T B_c = B.
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
class CoarseningOrthonormalize : public testing::Test {
};
TYPED_TEST_SUITE(CoarseningOrthonormalize, TestedValueIndices, TypeNames);

template <class V>
struct Tentative {
    std::vector<V> values, coarse;
};

/// members: aggregates x nodes, each node once; b: rows x vectors.
template <class V, class I>
Tentative<V> orthonormalized(const Executor& exec, const HostPattern<I>& members, NodeShape shape,
                             const std::vector<V>& b)
{
    const PatternOn<I> on(exec, members);
    const size_type rows = members.size.cols * shape.block_rows;
    std::vector<I> row_ptrs;
    for (size_type row = 0; row <= rows; ++row) {
        row_ptrs.push_back(static_cast<I>(row * shape.vectors));
    }
    const Array<I> ptrs(exec, row_ptrs);
    const Array<V> given(exec, b);
    Array<V> values(exec, std::vector<V>(b.size(), V{-7}));
    const size_type coarse_rows = members.size.rows * shape.vectors;
    Array<V> coarse(exec, std::vector<V>(static_cast<std::size_t>(coarse_rows * shape.vectors), V{-7}));
    coarsening_orthonormalize<V, I>(exec, on.view(), shape, {rows, shape.vectors, shape.vectors, given.data()},
                                    ptrs.data(), values.data(),
                                    {coarse_rows, shape.vectors, shape.vectors, coarse.data()});
    return {values.to_host(), coarse.to_host()};
}

/// Two aggregates, nodes 0, 2 and 1: (3 6; 4 8) depends on its first column, (0 2) has a zero.
TYPED_TEST(CoarseningOrthonormalize, ByHand)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    const HostPattern<I> members{{2, 3}, {0, 2, 3}, {0, 2, 1}};
    on_each_executor([&](const Executor& exec) {
        const auto t = orthonormalized(exec, members, {1, 2}, numbers<V>({3, 6, 0, 2, 4, 8}));
        expect_near(t.values, numbers<V>({0.6, 0, 0, 1, 0.8, 0}), 8);
        expect_near(t.coarse, numbers<V>({5, 10, 0, 0, 0, 0, 0, 2}), 8);
    });
}

/// T B_c is B, the columns of T are orthonormal, on every executor.
TYPED_TEST(CoarseningOrthonormalize, RandomVectors)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    Random random(1822);
    constexpr I nodes = 90, aggregates = 7;
    constexpr std::size_t s = 3, k = 6;
    HostPattern<I> members{{aggregates, nodes}, {0}, {}};
    for (I aggregate = 0; aggregate < aggregates; ++aggregate) {
        for (I node = aggregate; node < nodes; node += aggregates) {
            members.col_idxs.push_back(node);
        }
        members.row_ptrs.push_back(static_cast<I>(members.col_idxs.size()));
    }
    std::vector<V> b;
    for (std::size_t i = 0; i < nodes * s * k; ++i) {
        b.push_back(random.value<V>());
    }
    on_each_executor([&](const Executor& exec) {
        const auto t = orthonormalized(exec, members, {s, k}, b);
        std::vector<V> product(b.size()), grams(aggregates * k * k), identities(aggregates * k * k);
        for (std::size_t row = 0; row < nodes * s; ++row) {
            const std::size_t aggregate = row / s % aggregates;
            for (std::size_t c = 0; c < k; ++c) {
                for (std::size_t d = 0; d < k; ++d) {
                    product[row * k + c] += t.values[row * k + d] * t.coarse[(aggregate * k + d) * k + c];
                    grams[(aggregate * k + d) * k + c] += conjugate(t.values[row * k + d]) * t.values[row * k + c];
                    identities[(aggregate * k + d) * k + c] = d == c ? V{1} : V{};
                }
            }
        }
        expect_near(product, b, 100);
        expect_near(grams, identities, 100);
    });
}

}  // namespace
}  // namespace linden::test
