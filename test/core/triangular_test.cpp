// needs: double int32
#include <linden/error.hpp>
#include <linden/io/problems.hpp>
#include <linden/matrix/dense.hpp>
#include <linden/matrix/identity.hpp>
#include <linden/solver/triangular.hpp>

#include "core/kernels/vendor_triangular.hpp"
#include "test/support/compare.hpp"
#include "test/support/matrices.hpp"
#include "test/support/pathological.hpp"

namespace linden::test {
namespace {

using I = std::int32_t;
using Parameters = Triangular<double>::Parameters;
using enum TriangularAlgorithm;
namespace p = pathological;

LinOpPtr<double> csr(const Executor& exec, const CsrData<double, I>& a) { return share(Csr<double, I>(exec, a)); }

/// [2 1 .; 4 . 3; -1 2 4], where (1, 1) is absent.
CsrData<double, I> small_matrix() { return {{3, 3}, {0, 2, 4, 7}, {0, 1, 0, 2, 0, 1, 2}, {2, 1, 4, 3, -1, 2, 4}}; }

bool has_vendor(const Executor& exec) { return vendor_triangular_solve<double, I>.available(exec.backend()); }

/// Those that `exec` has.
std::vector<TriangularAlgorithm> exact_algorithms(const Executor& exec)
{
    std::vector<TriangularAlgorithm> algorithms{automatic, levels, syncfree, segments};
    if (has_vendor(exec)) {
        algorithms.push_back(vendor);
    }
    return algorithms;
}

std::vector<double> solved(const Executor& exec, Parameters parameters, const std::vector<double>& b)
{
    const auto t = Triangular<double>::factory(parameters).generate(csr(exec, small_matrix()));
    Dense<double> x(exec, {3, 1});
    t->apply(Dense<double>::vector(exec, b), x);
    EXPECT_EQ(t->num_zero_diagonals(), parameters.unit_diagonal ? 0 : 1);
    return x.to_host();
}

TEST(Triangular, ByHand)
{
    const std::vector<double> b{2, 6, 5};
    on_each_executor([&](const Executor& exec) {
        for (const auto algorithm : exact_algorithms(exec)) {
            const TriangularOptions how{.algorithm = algorithm};
            // [2 . .; 4 1 .; -1 2 4], [1 . .; 4 1 .; -1 2 1]
            EXPECT_EQ(solved(exec, {.solve = how}, b), (std::vector<double>{1, 2, 0.5}));
            EXPECT_EQ(solved(exec, {.unit_diagonal = true, .solve = how}, b), (std::vector<double>{2, -2, 11}));
            // [2 1 .; . 1 3; . . 4] and its transpose
            EXPECT_EQ(solved(exec, {.side = Side::upper, .solve = how}, {2, 6, 8}), (std::vector<double>{1, 0, 2}));
            const auto transposed = MatrixOperation::transpose;
            EXPECT_EQ(solved(exec, {.side = Side::upper, .operation = transposed, .solve = how}, {2, 6, 3}),
                      (std::vector<double>{1, 5, -3}));
            EXPECT_EQ(solved(exec, {.operation = transposed, .solve = how}, {2, 6, 8}),
                      (std::vector<double>{-2, 2, 2}));
        }
    });
}

/// The vendor's library solves as `levels` does: before and after new values, which have a zero on the diagonal, with
/// one and several right-hand sides, in blocks with and without padding.
template <class V, class J>
void expect_vendor_like_levels(const Executor& exec, typename Triangular<V>::Parameters parameters)
{
    Random random(872);
    const auto a = random_hpd_csr<V, J>(random, 300, 4);
    auto other = a;
    for (auto& value : other.values) {
        value *= static_cast<real_t<V>>(0.5 + 0.5 * random.unit());
    }
    other.values[0] = V{};
    auto by_levels = parameters, by_vendor = parameters;
    by_levels.solve.algorithm = levels;
    by_vendor.solve.algorithm = vendor;
    const auto matrix = share(Csr<V, J>(exec, a)), new_values = share(Csr<V, J>(exec, other));
    const auto expected = Triangular<V>::factory(by_levels).generate(matrix);
    const auto actual = Triangular<V>::factory(by_vendor).generate(matrix);
    EXPECT_EQ(actual->algorithm(), vendor);
    for (const bool is_updated : {false, true}) {
        if (is_updated) {
            expected->update_values(new_values);
            actual->update_values(new_values);
        }
        EXPECT_EQ(actual->num_zero_diagonals(), expected->num_zero_diagonals());
        for (const auto& [cols, padding] : {std::pair<size_type, size_type>{1, 0}, {1, 2}, {3, 0}, {3, 1}, {1, 0}}) {
            const auto b = random_dense<V>(random, exec, {300, cols}, padding);
            Dense<V> x(exec, {300, cols}, cols + padding), y(exec, {300, cols});
            expected->apply(b, y);
            actual->apply(b, x);
            expect_near(x, y, 1e3);
        }
    }
}

TEST(Triangular, VendorIsLikeLevels)
{
    on_each_executor([](const Executor& exec) {
        if (!has_vendor(exec)) {
            return;
        }
        using enum MatrixOperation;
        for_each_value_index([&]<class V, class J>() {
            SCOPED_TRACE((types_of<V, J>));
            for (const auto side : {Side::lower, Side::upper}) {
                for (const auto operation : {none, transpose, conjugate_transpose}) {
                    expect_vendor_like_levels<V, J>(exec, {.side = side, .operation = operation});
                    expect_vendor_like_levels<V, J>(exec,
                                                    {.side = side, .unit_diagonal = true, .operation = operation});
                }
            }
        });
    });
}

/// Levels of the rows of the lower triangle; the operator's are of runs on hosts.
size_type num_row_levels(const CsrData<double, I>& a)
{
    std::vector<size_type> level(static_cast<std::size_t>(a.size.rows), 0);
    for (I row = 0; row < a.size.rows; ++row) {
        for (I k = a.row_ptrs[row]; k < a.row_ptrs[row + 1]; ++k) {
            if (a.col_idxs[k] < row) {
                level[row] = std::max(level[row], level[a.col_idxs[k]] + 1);
            }
        }
    }
    return *std::max_element(level.begin(), level.end()) + 1;
}

TEST(Triangular, SweepsThreeTimesUnlessTold)
{
    on_each_executor([](const Executor& exec) {
        const auto matrix = csr(exec, generate_problem<double, I>("lap2d:10"));
        const auto swept = [&](size_type sweeps) {
            const TriangularOptions how{.algorithm = jacobi, .sweeps = sweeps};
            Dense<double> x(exec, {100, 1});
            Triangular<double>::factory({.solve = how})
                .generate(matrix)
                ->apply(Dense<double>::filled(exec, {100, 1}, 1), x);
            return x.to_host();
        };
        EXPECT_EQ(swept(0), swept(3));
        EXPECT_NE(swept(0), swept(2));
    });
}

/// As many sweeps as there are levels are exact: the iteration's matrix is nilpotent.
TEST(Triangular, SweepsBecomeExact)
{
    Random random(871);
    const auto a = random_hpd_csr<double, I>(random, 200, 3);
    on_each_executor([&](const Executor& exec) {
        const auto matrix = csr(exec, a);
        for (const bool unit : {false, true}) {
            const auto exact = Triangular<double>::factory({.unit_diagonal = unit}).generate(matrix);
            const auto b = random_dense<double>(random, exec, {200, 2});
            Dense<double> expected(exec, {200, 2}), x(exec, {200, 2});
            exact->apply(b, expected);
            for (const size_type block_size : {1, 4}) {
                const TriangularOptions how{.algorithm = jacobi, .sweeps = num_row_levels(a), .block_size = block_size};
                Triangular<double>::factory({.unit_diagonal = unit, .solve = how}).generate(matrix)->apply(b, x);
                expect_near(x.to_host(), expected.to_host(), 1e4, scale_of(expected.to_host()));
            }
        }
    });
}

/// Devices count levels of rows, hosts those that their solves take: of runs, here the lines of the grid, or one on one
/// thread; without barriers, hosts count levels of rows too.
TEST(Triangular, CountsLevels)
{
    on_each_executor([](const Executor& exec) {
        const auto matrix = csr(exec, generate_problem<double, I>("lap2d:10"));
        const size_type of_levels = !exec.is_host() ? 19 : exec.info().num_units > 1 ? 10 : 1;
        for (const auto side : {Side::lower, Side::upper}) {
            const auto num_levels = [&](TriangularAlgorithm algorithm) {
                return Triangular<double>::factory({.side = side, .solve = {.algorithm = algorithm}})
                    .generate(matrix)
                    ->num_levels();
            };
            EXPECT_EQ(num_levels(levels), of_levels);
            EXPECT_EQ(num_levels(syncfree), 19);
        }
    });
}

/// Triangles of many long runs, on hosts in the order of levels of runs or of substitution, as in that of levels of
/// rows.
TEST(Triangular, SolvesInRuns)
{
    Random random(872);
    const auto a = generate_problem<double, I>("lap2d:120");
    on_each_executor([&](const Executor& exec) {
        const auto matrix = csr(exec, a);
        const auto b = random_dense<double>(random, exec, {14400, 2});
        for (const auto side : {Side::lower, Side::upper}) {
            for (const auto operation : {MatrixOperation::none, MatrixOperation::transpose}) {
                Dense<double> x(exec, b.size()), expected(exec, b.size());
                const auto solve = [&](TriangularAlgorithm algorithm, Dense<double>& result) {
                    const TriangularOptions how{.algorithm = algorithm};
                    Triangular<double>::factory({.side = side, .operation = operation, .solve = how})
                        .generate(matrix)
                        ->apply(b, result);
                };
                solve(levels, x);
                solve(syncfree, expected);
                expect_near(x.to_host(), expected.to_host(), 100, scale_of(expected.to_host()));
            }
        }
    });
}

TEST(Triangular, ChoosesByLevels)
{
    on_each_executor([](const Executor& exec) {
        const auto algorithm_for = [&](const CsrData<double, I>& a) {
            return Triangular<double>::factory().generate(csr(exec, a))->algorithm();
        };
        const auto thin = generate_problem<double, I>("lap2d:60");
        const auto diagonal = CsrData<double, I>{{2, 2}, {0, 1, 2}, {0, 1}, {1, 1}};
        EXPECT_EQ(algorithm_for(thin), exec.is_host() ? levels : segments);
        EXPECT_EQ(algorithm_for(diagonal), exec.is_host() ? levels : syncfree);
    });
}

TEST(Triangular, RefusesWhatItCannotDo)
{
    on_each_executor([](const Executor& exec) {
        const auto generate = [](LinOpPtr<double> a, TriangularOptions how = {}) {
            return Triangular<double>::factory({.solve = how}).generate(std::move(a));
        };
        EXPECT_THROW(generate(share(Identity<double>(exec, 3))), NotSupported);
        EXPECT_THROW(generate(share(Csr<double, I>(exec, Dim{2, 3}))), DimensionMismatch);
        const auto a = csr(exec, small_matrix());
        EXPECT_THROW(generate(a, {.algorithm = jacobi, .sweeps = -1}), InvalidParameter);
        EXPECT_THROW(generate(a, {.algorithm = jacobi, .block_size = 33}), InvalidParameter);
        EXPECT_THROW(generate(a, {.algorithm = vendor, .storage = StoragePrecision::single}), InvalidParameter);
        if (!has_vendor(exec)) {
            try {
                generate(a, {.algorithm = vendor});
                FAIL() << "nothing was thrown";
            } catch (const NotSupported& e) {
                const std::string text = e.what();
                EXPECT_NE(text.find(name(exec.backend())), std::string::npos) << text;
                EXPECT_NE(text.find(exec.backend() == Backend::cuda ? "cuSPARSE" : "hipSPARSE"), std::string::npos)
                    << text;
            }
        }
        for (const auto algorithm : exact_algorithms(exec)) {
            auto t = generate(a, {.algorithm = algorithm});
            EXPECT_THROW(t->update_values(share(Csr<double, I>(exec, Dim{2, 2}))), DimensionMismatch);
            EXPECT_THROW(t->update_values(share(Csr<double, I>(exec, Dim{3, 3}))), DimensionMismatch);
            EXPECT_THROW(t->update_values(share(Identity<double>(exec, 3))), NotSupported);
        }
    });
}

TEST(Triangular, EmptyAndOneByOne)
{
    on_each_executor([](const Executor& exec) {
        auto algorithms = exact_algorithms(exec);
        algorithms.push_back(jacobi);
        for (const auto algorithm : algorithms) {
            const auto factory = Triangular<double>::factory({.solve = {.algorithm = algorithm}});
            Dense<double> nothing(exec, {0, 3}), result(exec, {0, 3});
            factory.generate(share(Csr<double, I>(exec, Dim{0, 0})))->apply(nothing, result);
            Dense<double> x(exec, {1, 1});
            factory.generate(csr(exec, {{1, 1}, {0, 1}, {0}, {4}}))->apply(Dense<double>::vector(exec, {2}), x);
            EXPECT_EQ(x.to_host(), (std::vector<double>{0.5}));
        }
    });
}

/// Nothing is allocated, and the host waits for nothing, after the first application.
TEST(Triangular, AppliesWithoutAllocations)
{
    on_each_executor([](const Executor& exec) {
        const auto matrix = csr(exec, generate_problem<double, I>("lap2d:40"));
        auto algorithms = exact_algorithms(exec);
        algorithms.push_back(jacobi);
        for (const auto algorithm : algorithms) {
            const auto t = Triangular<double>::factory({.solve = {.algorithm = algorithm}}).generate(matrix);
            const auto b = Dense<double>::vector(exec, std::vector<double>(1600, 1));
            Dense<double> x(exec, {1600, 1});
            t->apply(b, x);
            const auto before = exec.counters();
            t->apply(b, x);
            const auto after = exec.counters();
            EXPECT_EQ(after.allocations, before.allocations);
            EXPECT_EQ(after.host_synchronizations, before.host_synchronizations);
            if (algorithm == syncfree || algorithm == segments || algorithm == vendor) {
                EXPECT_EQ(after.kernel_launches, before.kernel_launches + 1);
            }
        }
    });
}

}  // namespace
}  // namespace linden::test
