#include "core/kernels/aggregation.hpp"
#include "core/kernels/classical.hpp"
#include "test/support/aggregation.hpp"

/// The factors of a prolongator by points, and its largest entries.
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
class ClassicalFactors : public testing::Test {
};
TYPED_TEST_SUITE(ClassicalFactors, TestedValueIndices, TypeNames);

template <class V, class I>
struct Factors {
    CsrData<V, I> v, u;
    std::vector<V> sums;
};

/// All entries of a are strong.
template <class V, class I>
Factors<V, I> factors(const Executor& exec, const CsrData<V, I>& host, const std::vector<std::uint64_t>& host_states)
{
    const Csr<V, I> a(exec, host);
    const auto n = static_cast<std::size_t>(host.size.rows);
    const Array<std::uint64_t> states(exec, host_states);
    std::vector<I> marks;
    for (const auto state : host_states) {
        marks.push_back(state == IndependentState::member ? 1 : 0);
    }
    const auto host_numbers = prefix_sums(marks);
    const Array<I> point_numbers(exec, host_numbers);
    Array<I> num_v(exec, std::vector<I>(n, -7)), num_u(exec, std::vector<I>(n, -7));
    classical_count<I>(exec, a.view(), states.data(), num_v.data(), num_u.data());
    Factors<V, I> result{{host.size, prefix_sums(num_v.to_host()), {}, {}},
                         {{host.size.rows, host_numbers.back()}, prefix_sums(num_u.to_host()), {}, {}},
                         {}};
    const Array<I> v_ptrs(exec, result.v.row_ptrs), u_ptrs(exec, result.u.row_ptrs);
    Array<I> v_cols(exec, result.v.row_ptrs.back()), u_cols(exec, result.u.row_ptrs.back());
    classical_take<I>(exec, a.view(), states.data(), nullptr, v_ptrs.data(), v_cols.data());
    classical_take<I>(exec, a.view(), states.data(), point_numbers.data(), u_ptrs.data(), u_cols.data());
    Array<V> v_values(exec, v_cols.size()), u_values(exec, u_cols.size()), sums(exec, host.size.rows);
    classical_values_u<V, I>(exec, a.view(), a.view(), states.data(), u_ptrs.data(), u_values.data(), sums.data());
    classical_values_v<V, I>(exec, a.view(), a.view(), states.data(), sums.data(), v_ptrs.data(), v_values.data());
    result.v.col_idxs = v_cols.to_host();
    result.u.col_idxs = u_cols.to_host();
    result.v.values = v_values.to_host();
    result.u.values = u_values.to_host();
    result.sums = sums.to_host();
    return result;
}

/// The Laplacian on a line with points 0 and 3: V U interpolates linearly, 2/3 and 1/3 in row 1.
TYPED_TEST(ClassicalFactors, ByHand)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    constexpr auto in = IndependentState::member, out = IndependentState::excluded;
    const CsrData<V, I> a{{5, 5},
                          {0, 2, 5, 8, 11, 13},
                          {0, 1, 0, 1, 2, 1, 2, 3, 2, 3, 4, 3, 4},
                          numbers<V>({2, -1, -1, 2, -1, -1, 2, -1, -1, 2, -1, -1, 2})};
    on_each_executor([&](const Executor& exec) {
        const auto f = factors(exec, a, {in, out, out, in, out});
        EXPECT_EQ(f.v.row_ptrs, (std::vector<I>{0, 1, 3, 5, 6, 7}));
        EXPECT_EQ(f.v.col_idxs, (std::vector<I>{0, 1, 2, 1, 2, 3, 4}));
        expect_near(f.v.values, numbers<V>({1, -2. / 3, -1. / 3, -1. / 3, -2. / 3, 1, -0.5}), 4);
        EXPECT_EQ(f.u.row_ptrs, (std::vector<I>{0, 1, 2, 3, 4, 5}));
        EXPECT_EQ(f.u.col_idxs, (std::vector<I>{0, 0, 1, 1, 1}));
        EXPECT_EQ(f.u.values, numbers<V>({1, -1, -1, 1, -1}));
        EXPECT_EQ(f.sums, numbers<V>({0, -1, -1, 0, -1}));
    });
}

TYPED_TEST(ClassicalFactors, AgreesWithTheReference)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    Random random(1833);
    for_each_graph<I>(random, [&](const HostPattern<I>& graph) {
        auto a = random_values<V>(random, graph);
        for (I row = 0; row < graph.size.rows; ++row) {
            a.values[entry_at(a, row, row)] = V{100};  // far from cancellation
        }
        std::vector<std::uint64_t> states;
        for (I row = 0; row < graph.size.rows; ++row) {
            states.push_back(random.integer(0, 3) == 0 ? IndependentState::member : IndependentState::excluded);
        }
        const auto expected = factors(reference_executor(), a, states);
        on_each_executor([&](const Executor& exec) {
            const auto actual = factors(exec, a, states);
            EXPECT_EQ(actual.v.row_ptrs, expected.v.row_ptrs);
            EXPECT_EQ(actual.v.col_idxs, expected.v.col_idxs);
            EXPECT_EQ(actual.u.row_ptrs, expected.u.row_ptrs);
            EXPECT_EQ(actual.u.col_idxs, expected.u.col_idxs);
            EXPECT_EQ(actual.u.values, expected.u.values);
            expect_near(actual.sums, expected.sums, 256);
        });
    });
}

TYPED_TEST(ClassicalFactors, LargestByHand)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    const V nan = V{std::numeric_limits<real_t<V>>::quiet_NaN()};
    CsrData<V, I> host{
        {4, 5}, {0, 5, 7, 7, 10}, {0, 1, 2, 3, 4, 1, 3, 0, 2, 4}, numbers<V>({1, -3, 2, 3, -2, 0, 5, 1, 0, 2})};
    host.values[8] = nan;
    on_each_executor([&](const Executor& exec) {
        const Csr<V, I> a(exec, host);
        Array<I> counts(exec, std::vector<I>(4, -7));
        classical_limit<I>(exec, a.view(), 2, counts.data());
        EXPECT_EQ(counts.to_host(), (std::vector<I>{2, 2, 0, 2}));
        const Array<I> row_ptrs(exec, prefix_sums(counts.to_host()));
        Array<I> col_idxs(exec, std::vector<I>(6, -7));
        classical_take_largest<V, I>(exec, a.view(), 2, row_ptrs.data(), col_idxs.data());
        EXPECT_EQ(col_idxs.to_host(), (std::vector<I>{1, 3, 1, 3, 0, 4}));
    });
}

}  // namespace
}  // namespace linden::test
