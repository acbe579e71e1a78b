// needs: double int32
#include <linden/config/config.hpp>
#include <linden/error.hpp>
#include <linden/io/problems.hpp>
#include <linden/matrix/dense.hpp>
#include <linden/matrix/identity.hpp>
#include <linden/preconditioner/jacobi.hpp>
#include <linden/preconditioner/neumann.hpp>
#include <linden/preconditioner/ssor.hpp>
#include <linden/solver/cg.hpp>

#include <limits>

#include "test/support/applied.hpp"
#include "test/support/compare.hpp"
#include "test/support/kernel_cases.hpp"
#include "test/support/matrices.hpp"
#include "test/support/pathological.hpp"
#include "test/support/problems.hpp"

namespace linden::test {
namespace {

using I = std::int32_t;
using Parameters = Neumann<double>::Parameters;
namespace p = pathological;

/// x := M^-1 b as the class defines it, one column: both sums power by power, with the dense triangles.
template <class V, class J>
std::vector<V> expected_result(const CsrData<V, J>& a, size_type order, const std::vector<V>& b)
{
    const auto n = static_cast<std::size_t>(a.size.rows);
    std::vector<std::vector<V>> dense(n, std::vector<V>(n));
    for (std::size_t row = 0; row < n; ++row) {
        for (auto k = a.row_ptrs[row]; k < a.row_ptrs[row + 1]; ++k) {
            dense[row][static_cast<std::size_t>(a.col_idxs[k])] = a.values[k];
        }
        dense[row][row] = dense[row][row] == V{} ? V{1} : dense[row][row];
    }
    const auto series = [&](const auto& entry, std::vector<V> power) {
        auto sum = power;
        for (size_type j = 1; j <= order; ++j) {
            std::vector<V> next(n);
            for (std::size_t row = 0; row < n; ++row) {
                for (std::size_t col = 0; col < n; ++col) {
                    next[row] -= entry(row, col) * power[col];
                }
                sum[row] += next[row];
            }
            power = next;
        }
        return sum;
    };
    auto x = series([&](auto row, auto col) { return col < row ? dense[row][col] / dense[col][col] : V{}; }, b);
    for (std::size_t row = 0; row < n; ++row) {
        x[row] /= dense[row][row];
    }
    return series([&](auto row, auto col) { return col > row ? dense[row][col] / dense[row][row] : V{}; }, x);
}

/// A = [4 2 -1; 2 1 .; -1 . 2], D^-1/2 A D^-1/2 = I + L~ + L~^T.
CsrData<double, I> small_matrix() { return {{3, 3}, {0, 3, 5, 7}, {0, 1, 2, 0, 1, 0, 2}, {4, 2, -1, 2, 1, -1, 2}}; }

TEST(Neumann, ByHand)
{
    using Values = std::vector<double>;
    on_each_executor([](const Executor& exec) {
        const auto solved = [&](size_type order, const Values& b) {
            return applied(*Neumann<double>::factory({.order = order}).generate(csr(exec, small_matrix())), b);
        };
        EXPECT_EQ(solved(0, {8, 3, 4}), (Values{2, 3, 2}));
        // L D^-1 = [. . .; 1/2 . .; -1/4 . .]: (8, 3 - 4, 4 + 2); D^-1: (2, -1, 3);
        // D^-1 U = [. 1/2 -1/4; . . .; . . .]: (2 + 1/2 + 3/4, -1, 3). Higher powers are 0.
        for (const size_type order : {1, 2, 5}) {
            EXPECT_EQ(solved(order, {8, 3, 4}), (Values{3.25, -1, 3}));
        }
    });
}

/// A = [2 -1 . .; -1 2 -1 .; . -1 2 -1; . . -1 2]: every order up to 3 is different.
TEST(Neumann, OrdersOfAChain)
{
    const CsrData<double, I> chain{
        {4, 4}, {0, 2, 5, 8, 10}, {0, 1, 0, 1, 2, 1, 2, 3, 2, 3}, {2, -1, -1, 2, -1, -1, 2, -1, -1, 2}};
    on_each_executor([&](const Executor& exec) {
        const auto solved = [&](size_type order) {
            return applied(*Neumann<double>::factory({.order = order}).generate(csr(exec, chain)), {16, 0, 0, 0});
        };
        // y = sum (L D^-1)^j b = (16, 8, 4, 2) as far as the order goes; D^-1: half of it; the same upwards
        EXPECT_EQ(solved(0), (std::vector<double>{8, 0, 0, 0}));
        EXPECT_EQ(solved(1), (std::vector<double>{10, 4, 0, 0}));
        EXPECT_EQ(solved(2), (std::vector<double>{10.5, 5, 2, 0}));
        EXPECT_EQ(solved(3), (std::vector<double>{10.625, 5.25, 2.5, 1}));
        EXPECT_EQ(solved(4), solved(3));
        EXPECT_EQ(solved(7), solved(3));
    });
}

/// The factory's operator on one and three columns, before and after new values.
template <class V, class J>
void expect_as_defined(const CsrData<V, J>& data, const typename Neumann<V>::Parameters& parameters, double k)
{
    Random random(441);
    auto other = data;
    for (auto& value : other.values) {
        value *= static_cast<real_t<V>>(0.75 + 0.25 * random.unit());
    }
    const auto n = data.size.rows;
    const auto b = random_dense<V>(random, reference_executor(), {n, 3}, 1);
    const auto b_host = b.to_host();
    on_each_executor([&](const Executor& exec) {
        const auto neumann = Neumann<V>::factory(parameters).generate(csr(exec, data));
        for (const bool is_updated : {false, true}) {
            if (is_updated) {
                neumann->update_values(csr(exec, other));
            }
            Dense<V> x(exec, {n, 3}, 5);
            neumann->apply(b.copy(exec), x);
            const auto x_host = x.to_host();
            for (std::size_t col = 0; col < 3; ++col) {
                std::vector<V> b_column, x_column;
                for (std::size_t at = col; at < b_host.size(); at += 3) {
                    b_column.push_back(b_host[at]);
                    x_column.push_back(x_host[at]);
                }
                expect_near(x_column, expected_result(is_updated ? other : data, parameters.order, b_column), k);
                if (col == 0) {
                    expect_near(applied(*neumann, b_column), x_column, k);
                }
            }
        }
    });
}

TEST(Neumann, IsWhatItIsDefinedAs)
{
    for_each_value_index([]<class V, class J>() {
        SCOPED_TRACE((types_of<V, J>));
        Random random(442);
        const auto hermitian = random_hpd_csr<V, J>(random, 103, 4);
        auto other = hermitian;  // unsymmetric: another sign above the diagonal
        for (size_type row = 0; row < other.size.rows; ++row) {
            for (auto k = other.row_ptrs[row]; k < other.row_ptrs[row + 1]; ++k) {
                other.values[k] *= other.col_idxs[k] > row ? real_t<V>(-0.5) : real_t<V>(1);
            }
        }
        for (const auto& a : {hermitian, other}) {
            for (const size_type order : {0, 1, 2, 3, 6}) {
                SCOPED_TRACE(order);
                expect_as_defined<V, J>(a, {.order = order}, 256);
            }
        }
    });
    Random random(443);
    const auto a = random_hpd_csr<double, I>(random, 203, 4);
    for (const auto& [storage, unit] : {std::pair{StoragePrecision::single, std::ldexp(1.0, -24)},
                                        std::pair{StoragePrecision::half, std::ldexp(1.0, -11)}}) {
        const double k = 32 * unit / std::numeric_limits<double>::epsilon();
        expect_as_defined<double, I>(a, {.order = 2, .storage = storage}, k);
    }
}

/// A matrix with Hermitian M: (y, M^-1 x) = (M^-1 y, x), and with (x, M^-1 x) > 0 positive.
TEST(Neumann, IsHermitianPositiveDefinite)
{
    for_each_value_index([]<class V, class J>() {
        Random random(444);
        const auto data = random_hpd_csr<V, J>(random, 80, 4);
        on_each_executor([&](const Executor& exec) {
            for (const size_type order : {1, 2}) {
                const auto neumann = Neumann<V>::factory({.order = order}).generate(csr(exec, data));
                const auto x = random_dense<V>(random, exec, {80, 1}, 0);
                const auto y = random_dense<V>(random, exec, {80, 1}, 0);
                Dense<V> mx(exec, {80, 1}), my(exec, {80, 1});
                neumann->apply(x, mx);
                neumann->apply(y, my);
                expect_near(y.dot(mx), my.dot(x), 1024, 1.0);
                EXPECT_GT(std::real(x.dot(mx).front()), 0);
            }
        });
    });
}

TEST(Neumann, OrderZeroIsJacobiAndHighOrdersAreGaussSeidel)
{
    Random random(445);
    const auto data = random_hpd_csr<double, I>(random, 90, 5);
    std::vector<double> b(90);
    for (auto& value : b) {
        value = random.value<double>();
    }
    on_each_executor([&](const Executor& exec) {
        const auto a = csr(exec, data);
        const auto of_order = [&](size_type order) {
            return applied(*Neumann<double>::factory({.order = order}).generate(a), b);
        };
        EXPECT_EQ(of_order(0), applied(*Jacobi<double>::factory().generate(a), b));
        expect_near(of_order(90), applied(*Ssor<double>::factory().generate(a), b), 256);
    });
}

TEST(Neumann, CountsZeroDiagonals)
{
    on_each_executor([](const Executor& exec) {
        auto data = p::zero_diagonal<double, I>();
        const auto neumann = Neumann<double>::factory({.order = 2}).generate(csr(exec, data));
        EXPECT_EQ(neumann->num_zero_diagonals(), 2);
        const std::vector<double> b{1, -2, 3};
        expect_near(applied(*neumann, b), expected_result(data, 2, b), 16);
        data.values[3] = 8;
        neumann->update_values(csr(exec, data));
        EXPECT_EQ(neumann->num_zero_diagonals(), 1);
        const auto copy = neumann->clone(exec);
        EXPECT_EQ(dynamic_cast<const Neumann<double>&>(*copy).num_zero_diagonals(), 1);
        EXPECT_EQ(applied(*copy, b), applied(*neumann, b));
    });
}

TEST(Neumann, EmptyAndOneByOne)
{
    on_each_executor([](const Executor& exec) {
        for (const size_type order : {0, 1, 2}) {
            const auto factory = Neumann<double>::factory({.order = order});
            const auto none = factory.generate(csr(exec, p::without_rows<double, I>()));
            EXPECT_EQ(applied(*none, {}), std::vector<double>());
            EXPECT_EQ(none->num_zero_diagonals(), 0);
            const CsrData<double, I> four{{1, 1}, {0, 1}, {0}, {4}};
            EXPECT_EQ(applied(*factory.generate(csr(exec, four)), {2}), (std::vector<double>{0.5}));
            const auto bare = factory.generate(csr(exec, p::without_entries<double, I>(3)));
            EXPECT_EQ(applied(*bare, {1, 2, 3}), (std::vector<double>{1, 2, 3}));
            EXPECT_EQ(bare->num_zero_diagonals(), 3);
            EXPECT_EQ(bare->num_nonzeros(), 0);
            const auto b = Dense<double>::from_rows(exec, {{1, 4}, {2, 5}, {3, 6}});
            Dense<double> x(exec, {3, 2});
            bare->apply(b, x);
            EXPECT_EQ(x.to_host(), b.to_host());
        }
    });
}

TEST(Neumann, StoresTriangles)
{
    on_each_executor([](const Executor& exec) {
        const auto a = csr(exec, laplace_2d<double>(20));
        const auto bytes = [&](const Parameters& parameters) {
            const auto neumann = Neumann<double>::factory(parameters).generate(a);
            EXPECT_EQ(neumann->num_nonzeros(), parameters.order == 0 ? 0 : 4 * 20 * 19);
            return neumann->storage_bytes();
        };
        EXPECT_LT(bytes({.storage = StoragePrecision::single}), bytes({}));
        EXPECT_LT(bytes({.storage = StoragePrecision::half}), bytes({.storage = StoragePrecision::single}));
        EXPECT_EQ(bytes({.order = 2}), bytes({.order = 1}));
        EXPECT_LT(bytes({.order = 0}), bytes({.order = 1}));
    });
}

TEST(Neumann, ComesFromText)
{
    const auto factory = config::parse_short<double>("neumann:order=2,storage=single");
    const auto& parameters = dynamic_cast<const Factory<Neumann<double>>&>(*factory).parameters();
    EXPECT_EQ(parameters.order, 2);
    EXPECT_EQ(parameters.storage, StoragePrecision::single);
    EXPECT_EQ(config::to_short<double>(*factory).text, "neumann:order=2,storage=single");
}

TEST(Neumann, RefusesWhatItCannotDo)
{
    const auto& exec = reference_executor();
    const auto a = csr(exec, p::healthy<double, I>());
    EXPECT_THROW((void)Neumann<double>::factory({.order = -1}).generate(a), InvalidParameter);
    EXPECT_THROW((void)Neumann<double>::factory().generate(share(Identity<double>(exec, 3))), NotSupported);
    EXPECT_THROW((void)Neumann<double>::factory().generate(csr(exec, CsrData<double, I>{{1, 2}, {0, 0}, {}, {}})),
                 DimensionMismatch);
    for_each_value_index([&]<class V, class J>() {
        const auto h = csr(exec, p::healthy<V, J>());
        const bool is_kept_in_half = !is_complex<V> && sizeof(J) == 4;
        const auto generate = [&](StoragePrecision storage) {
            (void)Neumann<V>::factory({.storage = storage}).generate(h);
        };
        if (is_kept_in_half) {
            EXPECT_NO_THROW(generate(StoragePrecision::half));
        } else {
            EXPECT_THROW(generate(StoragePrecision::half), InvalidParameter);
        }
    });
    const auto neumann = Neumann<double>::factory().generate(a);
    EXPECT_THROW(neumann->update_values(nullptr), InvalidParameter);
    EXPECT_THROW(neumann->update_values(csr(exec, laplace_2d<double>(3))), DimensionMismatch);
    EXPECT_THROW(neumann->update_values(csr(exec, p::without_entries<double, I>(3))), DimensionMismatch);
    EXPECT_THROW(neumann->update_values(share(Identity<double>(exec, 3))), NotSupported);
}

/// As the paper has it: Neu1 is better than the diagonal, Neu2 than Neu1, on contrasts of 1e3, too. [GuptaEtAl11]
TEST(Neumann, PreconditionsCgAlikeEverywhere)
{
    auto contrast = generate_problem<double, I>("lap2d:40");
    const auto factor = [](size_type i) { return i < 800 ? 1.0 : 1e-3; };
    for (size_type row = 0; row < 1600; ++row) {
        for (auto k = contrast.row_ptrs[row]; k < contrast.row_ptrs[row + 1]; ++k) {
            contrast.values[k] *= std::sqrt(factor(row) * factor(contrast.col_idxs[k]));
        }
    }
    for (const auto& data : {generate_problem<double, I>("lap2d:40"), contrast}) {
        std::vector<size_type> expected;
        on_each_executor([&](const Executor& exec) {
            std::vector<size_type> counts;
            for (const size_type order : {0, 1, 2, 6}) {
                const auto solver = Cg<double>::factory({.stop = {.relative_residual = 1e-6},
                                                         .preconditioner = Neumann<double>::factory({.order = order})})
                                        .generate(csr(exec, data));
                auto x = Dense<double>::filled(exec, {1600, 1}, 0);
                const auto result = solver->solve(Dense<double>::filled(exec, {1600, 1}, 1), x);
                EXPECT_TRUE(result.converged()) << result.reason();
                counts.push_back(result.iterations());
            }
            EXPECT_LT(counts[1], counts[0]);
            EXPECT_LT(counts[2], counts[1]);
            EXPECT_LE(counts[3], counts[2]);
            expected = expected.empty() ? counts : expected;
            EXPECT_EQ(counts, expected);
        });
    }
}

TEST(Neumann, AllocatesNothingAfterTheFirstApplication)
{
    on_each_executor([](const Executor& exec) {
        for (const size_type order : {0, 1, 3}) {
            const auto neumann = Neumann<double>::factory({.order = order}).generate(csr(exec, laplace_2d<double>(20)));
            const auto b = Dense<double>::filled(exec, {400, 2}, 1);
            Dense<double> x(exec, {400, 2});
            neumann->apply(b, x);
            const auto before = exec.counters();
            neumann->apply(b, x);
            EXPECT_EQ(exec.counters().allocations, before.allocations);
            // one for each term
            EXPECT_EQ(exec.counters().kernel_launches - before.kernel_launches,
                      static_cast<std::uint64_t>(order == 0 ? 1 : 2 * order));
            EXPECT_TRUE(neumann->is_capturable());
        }
    });
}

/// New values repeat none of the analysis, whose kernels work on patterns.
TEST(Neumann, NewValuesTakeAFewKernels)
{
    on_each_executor([](const Executor& exec) {
        const auto a = csr(exec, laplace_2d<double>(20));
        const auto neumann = Neumann<double>::factory().generate(a);
        const auto launches = exec.counters().kernel_launches;
        neumann->update_values(a);
        // the diagonal, its inverse, the values of both triangles
        EXPECT_EQ(exec.counters().kernel_launches - launches, 4u);
    });
}

}  // namespace
}  // namespace linden::test
