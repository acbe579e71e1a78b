// needs: double int32
#include <linden/error.hpp>
#include <linden/matrix/diagonal.hpp>
#include <linden/preconditioner/jacobi.hpp>
#include <linden/preconditioner/ssor.hpp>
#include <linden/solver/richardson.hpp>

#include "test/support/solvers.hpp"

namespace linden::test {
namespace {

using Values = std::vector<double>;
using Parameters = Richardson<double>::Parameters;

FactoryPtr<double> gauss_seidel() { return Ssor<double>::factory({.direction = SweepDirection::forward}); }

/// k iterations and nothing that ends them before.
Stop iterations(size_type k) { return {.max_iterations = k, .relative_residual = 0}; }

/// x_i := (1 - omega) x_i + omega (b_i - sum over j != i of a_ij x_j) / a_ii, row after row: SOR as textbooks have it.
Values swept(const TestCsr<double>& a, const Values& b, Values x, double omega)
{
    for (std::size_t row = 0; row < b.size(); ++row) {
        double sum = b[row], diagonal = 1;
        for (auto k = a.row_ptrs[row]; k < a.row_ptrs[row + 1]; ++k) {
            const auto col = static_cast<std::size_t>(a.col_idxs[k]);
            diagonal = col == row ? a.values[k] : diagonal;
            sum -= col == row ? 0 : a.values[k] * x[col];
        }
        x[row] = (1 - omega) * x[row] + omega * sum / diagonal;
    }
    return x;
}

/// By hand: A = [4 1; 1 3], b = (1, 2), x0 = (2, 1).
TEST(Richardson, OneStepByHand)
{
    const auto step = [](const Executor& exec, FactoryPtr<double> preconditioner, double relaxation) {
        const auto solver = Richardson<double>::factory({iterations(1), std::move(preconditioner), relaxation})
                                .generate(matrix_on(exec, csr_from_rows<double>({{4, 1}, {1, 3}})));
        auto x = Dense<double>::vector(exec, {2, 1});
        const auto result = solver->solve(Dense<double>::vector(exec, {1, 2}), x);
        EXPECT_EQ(result.status(), SolveStatus::max_iterations);
        EXPECT_EQ(result.iterations(), 1);
        EXPECT_NEAR(result.columns[0].initial_residual, std::sqrt(73), 1e-14);
        return x.to_host();
    };
    on_each_executor([&](const Executor& exec) {
        // r = (-8, -3)
        expect_near(step(exec, nullptr, 1), Values{-6, -2}, 4);
        expect_near(step(exec, nullptr, 0.25), Values{0, 0.25}, 4);
        expect_near(step(exec, Jacobi<double>::factory(), 1), Values{0, 0}, 4, 1);
        expect_near(step(exec, Jacobi<double>::factory(), 0.5), Values{1, 0.5}, 4);
        // (1 - 1) / 4, then (2 - 0) / 3
        expect_near(step(exec, gauss_seidel(), 1), Values{0, 2. / 3}, 4, 1);
    });
}

TEST(Richardson, IsGaussSeidelAndSor)
{
    Random random(421);
    auto a = random_dominant<double>(random, 20);
    const auto b = random_dense<double>(random, reference_executor(), {20, 1}).to_host();
    const auto x0 = random_dense<double>(random, reference_executor(), {20, 1}).to_host();
    on_each_executor([&](const Executor& exec) {
        for (const double omega : {1.0, 1.3, 0.6}) {
            auto from_x0 = x0;
            Values from_zero(20, 0.0);
            for (size_type k = 1; k <= 4; ++k) {
                SCOPED_TRACE(k);
                from_x0 = swept(a, b, from_x0, omega);
                from_zero = swept(a, b, from_zero, omega);
                const auto solver =
                    Richardson<double>::factory({.stop = iterations(k),
                                                 .preconditioner = Ssor<double>::factory(
                                                     {.omega = omega, .direction = SweepDirection::forward})})
                        .generate(matrix_on(exec, a));
                auto x = Dense<double>::vector(exec, x0);
                EXPECT_EQ(solver->solve(Dense<double>::vector(exec, b), x).iterations(), k);
                expect_near(x.to_host(), from_x0, 64, 1);
                x.fill(7);
                solver->apply(Dense<double>::vector(exec, b), x);
                expect_near(x.to_host(), from_zero, 64, 1);
            }
        }
    });
}

/// What `apply` does without tolerance is what it does with one that is out of reach.
TEST(Richardson, ApplicationsWithAndWithoutToleranceAgree)
{
    on_each_executor([](const Executor& exec) {
        const auto a = matrix_on(exec, laplace_2d<double>(12, 0.5));
        Random random(422);
        const auto b = random_dense<double>(random, exec, {144, 3});
        for (const auto& preconditioner : {FactoryPtr<double>(), FactoryPtr<double>(Jacobi<double>::factory())}) {
            const double relaxation = preconditioner == nullptr ? 0.2 : 0.8;
            for (const size_type k : {0, 1, 2, 5}) {
                Stop unreachable = iterations(k);
                unreachable.absolute_residual = 1e-300;
                Dense<double> x(exec, b.size()), y(exec, b.size());
                Richardson<double>::factory({iterations(k), preconditioner, relaxation}).generate(a)->apply(b, x);
                Richardson<double>::factory({unreachable, preconditioner, relaxation}).generate(a)->apply(b, y);
                expect_near(x, y, 64);
            }
        }
    });
}

TEST(Richardson, ConvergesOnTheLaplacian)
{
    const auto data = laplace_2d<double>(16);
    const auto solved = [&](const Executor& exec, FactoryPtr<double> preconditioner, double relaxation = 1) {
        const auto solver = Richardson<double>::factory({{.relative_residual = 1e-6}, preconditioner, relaxation})
                                .generate(matrix_on(exec, data));
        const auto b = Dense<double>::filled(exec, {256, 1}, 1);
        auto x = Dense<double>::filled(exec, {256, 1}, 0);
        const auto result = solver->solve(b, x);
        EXPECT_TRUE(result.converged()) << result.reason();
        EXPECT_LE(true_residual(data, b, x), 1.001e-6 * 16);
        return result.iterations();
    };
    on_each_executor([&](const Executor& exec) {
        const auto jacobi = solved(exec, Jacobi<double>::factory());
        const auto forward = solved(exec, gauss_seidel());
        const auto symmetric = solved(exec, Ssor<double>::factory());
        EXPECT_NEAR(static_cast<double>(jacobi), 2.0 * static_cast<double>(forward), 0.06 * jacobi)
            << "Gauss-Seidel takes half the iterations of Jacobi's method [Saad03, 4.2]";
        EXPECT_LT(symmetric, forward);
        EXPECT_LT(jacobi, solved(exec, Jacobi<double>::factory(), 0.7));
        EXPECT_LT(solved(exec, Ssor<double>::factory({.omega = 1.7})), symmetric);
        // 1 - 0.25 lambda, lambda of A: Jacobi's method, since the diagonal is 4
        EXPECT_EQ(solved(exec, nullptr, 0.25), jacobi);
    });
}

TEST(Richardson, ColumnsStopOneByOne)
{
    on_each_executor([](const Executor& exec) {
        const auto a = matrix_on(exec, laplace_2d<double>(8));
        Random random(423);
        const auto solver = Richardson<double>::factory({.preconditioner = Ssor<double>::factory()}).generate(a);
        auto b = random_dense<double>(random, exec, {64, 3});
        auto x = Dense<double>::filled(exec, {64, 3}, 0);
        // The second column starts at its solution, and the third near it.
        Values start(192, 0.0), rhs = b.to_host();
        for (std::size_t row = 0; row < 64; ++row) {
            rhs[3 * row + 1] = 0;
            rhs[3 * row + 2] = row == 0 ? 4 : row == 1 || row == 8 ? -1 : 0;
            start[3 * row + 2] = row == 0 ? 1.0001 : 0;
        }
        b = block_on<double>(exec, {64, 3}, rhs);
        x = block_on<double>(exec, {64, 3}, start);
        const auto result = solver->solve(b, x);
        EXPECT_TRUE(result.converged()) << result.reason();
        EXPECT_EQ(result.columns[1].iterations, 0);
        EXPECT_LT(result.columns[2].iterations, result.columns[0].iterations);
        EXPECT_GT(result.columns[2].iterations, 0);
        const auto values = x.to_host();
        for (std::size_t row = 0; row < 64; ++row) {
            EXPECT_EQ(values[3 * row + 1], 0);
            EXPECT_NEAR(values[3 * row + 2], row == 0 ? 1 : 0, 1e-5);
        }
    });
}

TEST(Richardson, SaysThatItDiverges)
{
    on_each_executor([](const Executor& exec) {
        const auto solver = Richardson<double>::factory().generate(matrix_on(exec, laplace_2d<double>(8)));
        auto x = Dense<double>::filled(exec, {64, 1}, 0);
        EXPECT_EQ(solver->solve(Dense<double>::filled(exec, {64, 1}, 1), x).status(), SolveStatus::diverged);
    });
}

/// What is not a number stays out of x, and out of other columns.
TEST(Richardson, NotANumber)
{
    const auto nan = std::numeric_limits<double>::quiet_NaN();
    on_each_executor([&](const Executor& exec) {
        const auto a = matrix_on(exec, laplace_2d<double>(4));
        Values rhs(32, 1.0);
        rhs[6] = nan;  // row 3 of column 0
        auto x = Dense<double>::filled(exec, {16, 2}, 0);
        const auto solver = Richardson<double>::factory({.preconditioner = Ssor<double>::factory()}).generate(a);
        const auto result = solver->solve(block_on<double>(exec, {16, 2}, rhs), x);
        EXPECT_EQ(result.columns[0].status, SolveStatus::not_a_number);
        EXPECT_EQ(result.columns[0].iterations, 0);
        EXPECT_EQ(result.columns[1].status, SolveStatus::converged);
        for (std::size_t at = 0; at < 32; at += 2) {
            EXPECT_EQ(x.to_host()[at], 0);
        }

        const auto spoil = [nan](const Dense<double>&, Dense<double>& z) { z.fill(nan); };
        const auto spoilt =
            Richardson<double>::factory({.preconditioner = host_preconditioner<double>(spoil)}).generate(a);
        x = Dense<double>::filled(exec, {16, 1}, 1);
        EXPECT_EQ(spoilt->solve(Dense<double>::filled(exec, {16, 1}, 1), x).status(), SolveStatus::not_a_number);
        EXPECT_EQ(x.to_host(), Values(16, 1.0));
    });
}

TEST(Richardson, RefusesRelaxationsThatAreNone)
{
    const auto a = matrix_on(reference_executor(), laplace_2d<double>(2));
    for (const double relaxation :
         {0.0, -1.0, std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
        try {
            (void)Richardson<double>::factory({.relaxation = relaxation}).generate(a);
            ADD_FAILURE() << "no exception for " << relaxation;
        } catch (const InvalidParameter& e) {
            EXPECT_NE(std::string(e.what()).find("greater than 0"), std::string::npos) << e.what();
        }
    }
}

TEST(Richardson, ComplexAndEmpty)
{
    on_each_executor([](const Executor& exec) {
        for_each_value([&]<class V>() {
            Random random(424);
            const auto a = random_hpd_csr<V, std::int32_t>(random, 80, 3);
            const auto solver = Richardson<V>::factory(
                                    {.stop = {.relative_residual = 100 * eps<V>}, .preconditioner = Ssor<V>::factory()})
                                    .generate(matrix_on(exec, a));
            const auto b = random_dense<V>(random, exec, {80, 2});
            auto x = Dense<V>::filled(exec, b.size(), 0);
            EXPECT_TRUE(solver->solve(b, x).converged());
            const auto none = Richardson<V>::factory({.stop = iterations(2), .preconditioner = Jacobi<V>::factory()})
                                  .generate(matrix_on(exec, TestCsr<V>{{0, 0}, {0}, {}, {}}));
            Dense<V> nothing(exec, {0, 1});
            none->apply(Dense<V>(exec, {0, 1}), nothing);
        });
    });
}

TEST(Richardson, IterationsAllocateNothingAndCallAFixedNumberOfKernels)
{
    on_each_executor([](const Executor& exec) {
        const auto solver = Richardson<double>::factory({.stop = iterations(20), .preconditioner = gauss_seidel()})
                                .generate(matrix_on(exec, laplace_2d<double>(16)));
        const auto b = Dense<double>::filled(exec, {256, 1}, 1);
        auto x = Dense<double>::filled(exec, {256, 1}, 0);
        const auto cost = [&](size_type k) {
            const auto before = exec.counters();
            EXPECT_EQ(solver->solve(b, x, {.max_iterations = k}).iterations(), k);
            const auto after = exec.counters();
            return ExecutorCounters{after.kernel_launches - before.kernel_launches,
                                    after.host_synchronizations - before.host_synchronizations,
                                    after.allocations - before.allocations};
        };
        cost(10);
        const auto few = cost(10), many = cost(20);
        EXPECT_EQ(few.allocations, 0u);
        EXPECT_EQ(many.allocations, 0u);
        const std::uint64_t chunks = exec.backend() == Backend::hip ? 5 : 0;
        EXPECT_LE(many.host_synchronizations, few.host_synchronizations + chunks);
        if (exec.is_host()) {  // M^-1 in two, A z, r and the rule, x
            EXPECT_EQ(many.kernel_launches - few.kernel_launches, 10u * 5);
        }
    });
}

/// A smoother of k iterations applies M^-1 so often, A once less, and looks at nothing.
TEST(Richardson, SmoothersDoNoMoreThanTheyMust)
{
    on_each_executor([](const Executor& exec) {
        const auto smoother = [&](size_type k) {
            return Richardson<double>::factory({.stop = iterations(k), .preconditioner = Jacobi<double>::factory()})
                .generate(matrix_on(exec, laplace_2d<double>(16)));
        };
        const auto b = Dense<double>::filled(exec, {256, 1}, 1);
        Dense<double> x(exec, {256, 1});
        for (const size_type k : {1, 3}) {
            const auto solver = smoother(k);
            EXPECT_TRUE(solver->is_capturable());
            solver->apply(b, x);
            const auto before = exec.counters();
            solver->apply(b, x);
            const auto after = exec.counters();
            EXPECT_EQ(after.allocations, before.allocations);
            EXPECT_EQ(after.host_synchronizations, before.host_synchronizations);
            // M^-1 b; then A x, b - A x, M^-1 r, x each time
            EXPECT_EQ(after.kernel_launches - before.kernel_launches, 1u + 4u * static_cast<std::uint64_t>(k - 1));
        }
    });
}

}  // namespace
}  // namespace linden::test
