// needs: double int32
#include <linden/matrix/formatted.hpp>
#include <linden/matrix/sell.hpp>
#include <linden/preconditioner/multicoloured.hpp>
#include <linden/solver/ssor_cg.hpp>

#include <linden/error.hpp>

#include "test/support/solvers.hpp"

/// Eisenstat's trick: the iterates of CG with multi-coloured SSOR.
namespace linden::test {
namespace {

using I = std::int32_t;

template <class V>
SolveResult solve(const Solver<V>& solver, Dense<V>& x, const SolveOptions& options = {})
{
    const auto b = Dense<V>::filled(x.executor(), x.size(), V{1});
    return solver.solve(b, x, options);
}

/// After the same number of iterations x is the same, whatever the blocks and relaxation, real or complex.
TEST(SsorCg, HasTheIteratesOfPreconditionedCg)
{
    for_each_value([]<class V>() {
        on_each_executor([](const Executor& exec) {
            Random random(931);
            const auto a = share(Csr<V, I>(exec, random_hpd_csr<V, I>(random, 200, 5)));
            for (const double omega : {1., 0.7, 1.4}) {
                for (const size_type block_rows : {1, 3}) {
                    const ColouringOptions colouring{.block_rows = block_rows};
                    const Stop stop{.max_iterations = 6, .relative_residual = 0};
                    const auto trick =
                        SsorCg<V>::factory({.stop = stop, .omega = omega, .colouring = colouring}).generate(a);
                    const auto m = McSsor<V>::factory({.omega = omega, .colours = {.colouring = colouring}});
                    const auto cg = Cg<V>::factory({.stop = stop, .preconditioner = m}).generate(a);
                    auto x = random_dense<V>(random, exec, {200, 2});
                    auto expected = x.copy(exec);
                    EXPECT_EQ(solve(*trick, x).iterations(), 6);
                    EXPECT_EQ(solve(*cg, expected).iterations(), 6);
                    expect_near(x.to_host(), expected.to_host(), 4096);
                }
            }
        });
    });
}

/// So it does where colours have parts: rows 500 and 1501 have 400 entries more than others.
TEST(SsorCg, HasThemWithLongRows)
{
    on_each_executor([](const Executor& exec) {
        const I n = 3000;
        std::vector<std::vector<std::pair<I, double>>> rows(static_cast<std::size_t>(n));
        const auto connect = [&](I i, I j) {
            rows[static_cast<std::size_t>(i)].emplace_back(j, -1. / (1 + i % 3));
            rows[static_cast<std::size_t>(j)].emplace_back(i, -1. / (1 + i % 3));
        };
        for (I i = 1; i < n; ++i) {
            connect(i - 1, i);
        }
        for (I i = 0; i < 400; ++i) {
            connect(2000 + 2 * i, 500);
            connect(2001 + 2 * i, 1501);
        }
        CsrData<double, I> data{{n, n}, {0}, {}, {}};
        for (I row = 0; row < n; ++row) {
            auto& entries = rows[static_cast<std::size_t>(row)];
            entries.emplace_back(row, 1. + static_cast<double>(entries.size()));
            std::sort(entries.begin(), entries.end());
            for (const auto& [col, value] : entries) {
                data.col_idxs.push_back(col);
                data.values.push_back(value);
            }
            data.row_ptrs.push_back(static_cast<I>(data.col_idxs.size()));
        }
        const auto a = matrix_on(exec, data);
        const Stop stop{.max_iterations = 6, .relative_residual = 0};
        const auto trick = SsorCg<double>::factory({.stop = stop, .check_period = 3}).generate(a);
        const auto cg = Cg<double>::factory({.stop = stop, .preconditioner = McSsor<double>::factory()}).generate(a);
        Random random(934);
        for (const size_type k : {1, 2}) {
            auto x = random_dense<double>(random, exec, {n, k});
            auto expected = x.copy(exec);
            EXPECT_EQ(solve(*trick, x).iterations(), 6);
            EXPECT_EQ(solve(*cg, expected).iterations(), 6);
            expect_near(x.to_host(), expected.to_host(), 4096);
        }
    });
}

/// It ends where preconditioned CG does, with the true residual below the tolerance, however seldom that is formed.
TEST(SsorCg, EndsWherePreconditionedCgDoes)
{
    on_each_executor([](const Executor& exec) {
        const auto a = matrix_on(exec, laplace_2d<double>(40));
        const Stop stop{.relative_residual = 1e-8};
        auto x = Dense<double>::filled(exec, {1600, 1}, 0);
        const auto cg = Cg<double>::factory({.stop = stop, .preconditioner = McSsor<double>::factory()}).generate(a);
        const auto expected = solve(*cg, x, {.history = true});
        for (const size_type period : {1, 7, 1000}) {
            x.fill(0);
            const auto trick = SsorCg<double>::factory({.stop = stop, .check_period = period}).generate(a);
            const auto result = solve(*trick, x, {.history = true});
            EXPECT_TRUE(result.converged()) << result.reason();
            EXPECT_LE(result.relative_residual(), 1e-8);
            EXPECT_NEAR(static_cast<double>(result.iterations()), static_cast<double>(expected.iterations()), 1);
            ASSERT_EQ(result.history.size(), static_cast<std::size_t>(result.iterations() + 1));
            for (std::size_t i = 0; i < result.history.size() && period == 1; ++i) {
                if (i < expected.history.size()) {
                    EXPECT_NEAR(result.history[i][0], expected.history[i][0], 1e-6 * expected.history[0][0]);
                }
            }
        }
    });
}

/// What is rounded in memory is another matrix; the true residual brings the iteration back to the one that was given.
TEST(SsorCg, SolvesWithRoundedStorage)
{
    on_each_executor([](const Executor& exec) {
        Random random(932);
        const auto a = share(Csr<double, I>(exec, random_hpd_csr<double, I>(random, 300, 6)));
        for (const auto storage : {StoragePrecision::single, StoragePrecision::half}) {
            auto x = Dense<double>::filled(exec, {300, 1}, 0);
            const auto result = solve(
                *SsorCg<double>::factory({.stop = {.relative_residual = 1e-12}, .storage = storage}).generate(a), x);
            EXPECT_TRUE(result.converged()) << result.reason();
        }
    });
}

TEST(SsorCg, TakesEveryFormatAndNewValues)
{
    on_each_executor([](const Executor& exec) {
        const auto data = laplace_2d<double>(12);
        const auto csr = share(Csr<double, I>(exec, data));
        const auto sell = share(Formatted<double>(csr, share(Sell<double, I>::from_csr(*csr))));
        const auto solver = SsorCg<double>::factory({.stop = {.relative_residual = 1e-10}}).generate(sell);
        EXPECT_EQ(solver->colour_sizes(), (std::vector<size_type>{72, 72}));
        auto x = Dense<double>::filled(exec, {144, 1}, 0);
        EXPECT_TRUE(solve(*solver, x).converged());
        auto expected = x.to_host();
        auto other = data;
        for (auto& value : other.values) {
            value *= 4;
        }
        for (auto& value : expected) {
            value /= 4;
        }
        solver->update_values(share(Csr<double, I>(exec, other)));
        x.fill(0);
        EXPECT_TRUE(solve(*solver, x).converged());
        expect_near(x.to_host(), expected, 1e8);
    });
}

Dense<double> block_of(const Executor& exec, const std::vector<double>& values)
{
    Dense<double> block(exec, {static_cast<size_type>(values.size()) / 3, 3});
    copy_bytes(reference_executor(), values.data(), exec, block.data(), values.size() * sizeof(double));
    return block;
}

/// Columns stop one by one; one begins at the solution, one has b = 0.
TEST(SsorCg, ColumnsStopOneByOne)
{
    on_each_executor([](const Executor& exec) {
        const auto a = matrix_on(exec, laplace_2d<double>(10));
        Random random(933);
        const auto solution = random_dense<double>(random, exec, {100, 3});
        auto values = solution.to_host();
        for (std::size_t i = 2; i < values.size(); i += 3) {
            values[i] = 0;
        }
        const auto exact = block_of(exec, values);
        Dense<double> b(exec, {100, 3});
        a->apply(exact, b);
        for (std::size_t i = 0; i < values.size(); i += 3) {
            values[i] = 0;
        }
        auto x = block_of(exec, values);
        const auto solver = SsorCg<double>::factory({.stop = {.relative_residual = 1e-10}}).generate(a);
        const auto result = solver->solve(b, x);
        EXPECT_TRUE(result.converged());
        EXPECT_GT(result.columns[0].iterations, 5);
        EXPECT_EQ(result.columns[1].iterations, 0);
        EXPECT_EQ(result.columns[2].iterations, 0);
        expect_near(x.to_host(), exact.to_host(), 1e8, 1.0);
    });
}

/// Neither positive definite nor with a diagonal: a status, and never a wrong success.
TEST(SsorCg, NeverReportsAWrongSuccess)
{
    on_each_executor([](const Executor& exec) {
        for (const auto& rows : {std::vector<std::vector<double>>{{0, 1}, {1, 0}},
                                 {{1, 2}, {2, 1}},
                                 {{-2, 1}, {1, -2}},
                                 {{0, 0}, {0, 0}}}) {
            const auto a = matrix_on(exec, csr_from_rows<double>(rows));
            auto x = Dense<double>::vector(exec, {0, 0});
            const auto result = SsorCg<double>::factory().generate(a)->solve(Dense<double>::vector(exec, {1, 3}), x);
            EXPECT_NE(result.status(), SolveStatus::running);
            if (result.converged()) {
                Dense<double> b(exec, {2, 1});
                a->apply(x, b);
                expect_near(b.to_host(), {1, 3}, 1e10);
            }
        }
    });
}

/// Two colours: two kernels for each of both sweeps and one update; for the residual's norm two in every 16th
/// iteration.
TEST(SsorCg, IterationsAllocateNothingAndCallAFixedNumberOfKernels)
{
    on_each_executor([](const Executor& exec) {
        const auto solver = SsorCg<double>::factory({.stop = {.max_iterations = 32, .relative_residual = 0}})
                                .generate(matrix_on(exec, laplace_2d<double>(16)));
        const auto b = Dense<double>::filled(exec, {256, 1}, 1);
        auto x = Dense<double>::filled(exec, {256, 1}, 0);
        const auto run = [&](size_type iterations) {
            x.fill(0);
            const auto before = exec.counters();
            EXPECT_EQ(solver->solve(b, x, {.max_iterations = iterations}).iterations(), iterations);
            const auto after = exec.counters();
            EXPECT_TRUE(iterations == 5 || after.allocations == before.allocations) << "after the first solve";
            return after.kernel_launches - before.kernel_launches;
        };
        run(5);
        const auto once = run(16);
        const auto twice = run(32);
        if (exec.is_host()) {  // a recorded loop launches its kernels out of sight
            EXPECT_EQ(twice - once, 5u * 16 + 2);
        }
    });
}

TEST(SsorCg, RefusesWhatItCannotDo)
{
    on_each_executor([](const Executor& exec) {
        const auto a = matrix_on(exec, laplace_2d<double>(3));
        EXPECT_THROW(SsorCg<double>::factory({.omega = 2}).generate(a), InvalidParameter);
        EXPECT_THROW(SsorCg<double>::factory({.check_period = 0}).generate(a), InvalidParameter);
        EXPECT_THROW(SsorCg<double>::factory().generate(share(Csr<double, I>(exec, Dim{2, 3}))), DimensionMismatch);
        EXPECT_THROW(SsorCg<double>::factory().generate(share(Dense<double>(exec, {2, 2}))), NotSupported);
    });
}

TEST(SsorCg, EmptyAndOneByOne)
{
    on_each_executor([](const Executor& exec) {
        auto nothing = Dense<double>(exec, {0, 1});
        EXPECT_TRUE(
            solve(*SsorCg<double>::factory().generate(share(Csr<double, I>(exec, Dim{0, 0}))), nothing).converged());
        auto x = Dense<double>::vector(exec, {0});
        EXPECT_TRUE(
            solve(*SsorCg<double>::factory().generate(matrix_on(exec, csr_from_rows<double>({{4}}))), x).converged());
        EXPECT_EQ(x.to_host(), (std::vector<double>{0.25}));
    });
}

}  // namespace
}  // namespace linden::test
