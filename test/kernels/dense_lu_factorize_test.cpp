#include "core/kernels/dense_lu.hpp"

#include <algorithm>
#include <numeric>

#include "test/support/factorizations.hpp"

/// Dense matrices with partial pivoting on hosts, and solves with them.
namespace linden::test {
namespace {

template <class Types>
class DenseLuFactorize : public testing::Test {
};
TYPED_TEST_SUITE(DenseLuFactorize, TestedValueIndices, TypeNames);

/// Nearly full, n x n.
template <class V, class I>
CsrData<V, I> nearly_full(Random& random, I n)
{
    CsrData<V, I> a{{n, n}, {0}, {}, {}};
    for (I i = 0; i < n; ++i) {
        for (I j = 0; j < n; ++j) {
            if ((i + 3 * j) % 11 != 5) {
                a.col_idxs.push_back(j);
                a.values.push_back(random.value<V>());
            }
        }
        a.row_ptrs.push_back(static_cast<I>(a.values.size()));
    }
    return a;
}

template <class V, class I>
struct Result {
    std::vector<V> values;  ///< n x n, by columns: L below the diagonal, U on it and above
    std::vector<I> rows;
    PivotReport report;
    std::vector<V> x;
};

/// Of A with its rows times 2 and its columns divided by it. Columns are five values further apart than they need to
/// be. The right-hand sides are 3.
template <class V, class I>
Result<V, I> factors_of(const Executor& exec, const CsrData<V, I>& a, size_type num_rhs = 1)
{
    using R = real_t<V>;
    const size_type n = a.size.rows, stride = n + 5;
    const Csr<V, I> csr(exec, a);
    const std::vector<V> before(static_cast<std::size_t>(n * stride), V{R{77}});
    Array<V> values(exec, before);
    const Array<R> twos(exec, std::vector<R>(static_cast<std::size_t>(n), R{2})),
        halves(exec, std::vector<R>(static_cast<std::size_t>(n), R(0.5)));
    Array<R> norms(exec, n);
    const DenseLu<V> f{n, stride, values.data()};
    dense_lu_load<V, I>(exec, csr.view(), twos.data(), halves.data(), f, norms.data());
    expect_near(norms.to_host(), row_norms(a), 32);
    const auto threads = std::max<size_type>(exec.info().num_units, 1);
    Array<std::byte> workspace(exec, dense_lu_workspace_bytes<V>(n, threads));
    Array<I> rows(exec, n);
    Array<PivotReport> report(exec, std::vector<PivotReport>{{-7, -7}});
    PivotLimits<R> limits;
    limits.norms = norms.data();
    dense_lu_factorize<V, I>(exec, f, limits, rows.data(), report.data(),
                             WorkspaceView{workspace.data(), workspace.size()});
    auto x = Dense<V>::filled(exec, {n, num_rhs}, V{R{3}});
    dense_lu_solve<V>(exec, DenseLu<const V>{n, stride, values.data()}, x.view());
    Result<V, I> result{{}, rows.to_host(), report.to_host()[0], x.to_host()};
    const auto found = values.to_host();
    for (size_type j = 0; j < n; ++j) {
        result.values.insert(result.values.end(), found.begin() + j * stride, found.begin() + j * stride + n);
        EXPECT_TRUE(std::all_of(found.begin() + j * stride + n, found.begin() + (j + 1) * stride,
                                [](V padding) { return padding == V{R{77}}; }));
    }
    return result;
}

template <class F>
void on_each_host(const F& f)
{
    f(Executor::reference());
    f(Executor::omp({.threads = 1}));
    f(Executor::omp({.threads = 3}));
}

/// |P A - L U| is some eps, no entry of L exceeds 1, and L U x is the right-hand side.
template <class V, class I>
void expect_factors(const CsrData<V, I>& a, const Result<V, I>& f)
{
    Full<V> full(a);
    const size_type n = full.n;
    std::vector<V> expected, product, of_x;
    for (size_type j = 0; j < n; ++j) {
        for (size_type i = 0; i < n; ++i) {
            V sum{};
            for (size_type k = 0; k <= std::min(i, j); ++k) {
                sum += (k == i ? V{1} : f.values[i + k * n]) * f.values[k + j * n];
            }
            product.push_back(sum);
            expected.push_back(full(f.rows[i], j));
            EXPECT_LE(i > j ? std::abs(f.values[i + j * n]) : 0, 1.00001);
        }
    }
    expect_near(product, expected, 40 * std::sqrt(static_cast<double>(n)));
    const size_type num_rhs = n > 0 ? static_cast<size_type>(f.x.size()) / n : 0;
    for (size_type i = 0; i < n; ++i) {
        for (size_type j = 0; j < num_rhs; ++j) {
            V sum{};
            for (size_type k = 0; k < n; ++k) {
                sum += full(f.rows[i], k) * f.x[k * num_rhs + j];
            }
            of_x.push_back(sum);
        }
    }
    expect_near(of_x, std::vector<V>(f.x.size(), V{real_t<V>{3}}), 1e4 * static_cast<double>(n));
}

TYPED_TEST(DenseLuFactorize, ByHand)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    using R = real_t<V>;
    const CsrData<V, I> a{
        {3, 3}, {0, 3, 6, 9}, {0, 1, 2, 0, 1, 2, 0, 1, 2}, {V{1}, V{1}, V{3}, V{-4}, V{4}, V{8}, V{2}, V{2}, V{1}}};
    const CsrData<V, I> empty{{0, 0}, {0}, {}, {}};
    on_each_host([&](const Executor& exec) {
        const auto f = factors_of(exec, a);
        EXPECT_EQ(f.rows, (std::vector<I>{1, 2, 0}));  // of two rows alike the first one
        EXPECT_EQ(f.values, (std::vector<V>{V{-4}, V{-0.5}, V{-0.25}, V{4}, V{4}, V{0.5}, V{8}, V{5}, V{2.5}}));
        expect_same_report(f.report, PivotReport{});
        expect_near(f.x, {V{R(0.825)}, V{R(0.375)}, V{R(0.6)}}, 8);
        expect_same_report(factors_of(exec, empty).report, PivotReport{});
    });
}

TYPED_TEST(DenseLuFactorize, OfAnySize)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    Random random(41);
    for (const I n : {1, 2, 3, 7, 8, 9, 33, 127, 128, 129, 300}) {
        SCOPED_TRACE(std::to_string(n) + " rows");
        const auto a = nearly_full<V, I>(random, n);
        on_each_host([&](const Executor& exec) {
            for (const size_type num_rhs : {1, 3}) {
                const auto f = factors_of(exec, a, num_rhs);
                expect_same_report(f.report, PivotReport{});
                expect_factors(a, f);
            }
        });
    }
}

/// Rows that are multiples of others, or NaN: pivots are replaced, and nothing but rows with NaN holds any.
TYPED_TEST(DenseLuFactorize, ReplacesPivots)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    Random random(42);
    auto a = nearly_full<V, I>(random, I{60});
    for (I k = a.row_ptrs[22]; k < a.row_ptrs[23]; ++k) {
        a.values[k] = V{};
    }
    const auto expected = factors_of(Executor::reference(), a);
    expect_same_report(expected.report, {1, 59});
    EXPECT_EQ(expected.rows.back(), 22);
    EXPECT_EQ(expected.values.back(), V{1});  // for a norm of 0
    auto b = a;
    b.values[a.row_ptrs[30]] = not_a_number<V>();
    on_each_host([&](const Executor& exec) {
        const auto f = factors_of(exec, a);
        expect_same_report(f.report, expected.report);
        EXPECT_EQ(f.rows, expected.rows);
        EXPECT_EQ(f.values.back(), V{1});
        EXPECT_GT(factors_of(exec, b).report.num_bad, 0);
    });
}

TYPED_TEST(DenseLuFactorize, OnAnyNumberOfThreads)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    Random random(43);
    const auto a = nearly_full<V, I>(random, I{700});
    const auto one = factors_of(Executor::omp({.threads = 1}), a, 2),
               two = factors_of(Executor::omp({.threads = 2}), a, 2),
               four = factors_of(Executor::omp({.threads = 4}), a, 2);
    EXPECT_TRUE(same_bits(one.values, two.values));
    EXPECT_TRUE(same_bits(one.values, four.values));
    EXPECT_TRUE(same_bits(one.x, two.x));
    EXPECT_EQ(one.rows, four.rows);
}

}  // namespace
}  // namespace linden::test
