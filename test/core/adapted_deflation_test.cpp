// needs: double int32
#include <linden/config/config.hpp>
#include <linden/io/problems.hpp>
#include <linden/preconditioner/adapted_deflation.hpp>
#include <linden/preconditioner/jacobi.hpp>

#include "test/support/solvers.hpp"

/// Preconditioners with a coarse correction by deflation vectors.
namespace linden::test {
namespace {

using I = std::int32_t;

LinOpPtr<double> problem(const Executor& exec, std::string_view spec)
{
    return share(Csr<double, I>(exec, generate_problem<double, I>(spec)));
}

/// x := y + Q (b - A y) with y = M^-1 b: the residual has no part in the space, and with all of it none at all.
TEST(AdaptedDeflation, TakesTheSpaceOutOfTheResidual)
{
    on_each_executor([](const Executor& exec) {
        Random random(944);
        const auto data = random_hpd_csr<double, I>(random, 50, 4);
        const auto a = share(Csr<double, I>(exec, data));
        const auto b = random_dense<double>(random, exec, {50, 2});
        for (const size_type vectors : {1, 5, 50}) {
            const auto m = AdaptedDeflation<double>::factory(
                               {.preconditioner = Jacobi<double>::factory(), .deflation = {.vectors = vectors}})
                               .generate(a);
            EXPECT_EQ(m->num_vectors(), vectors);
            EXPECT_EQ(m->num_dropped_vectors(), 0);
            Dense<double> x(exec, {50, 2});
            m->apply(b, x);
            Dense<double> residual(exec, {50, 2});
            a->apply(x, residual);
            residual.scale(-1);
            residual.add_scaled(1, b);
            const auto r = residual.to_host();
            for (std::size_t first = 0; first < 100; first += 100 / static_cast<std::size_t>(vectors)) {
                for (std::size_t col = 0; col < 2; ++col) {
                    double sum = 0;
                    for (std::size_t i = first; i < first + 100 / static_cast<std::size_t>(vectors); i += 2) {
                        sum += r[i + col];
                    }
                    EXPECT_NEAR(sum, 0, 1e-12);
                }
            }
        }
    });
}

TEST(AdaptedDeflation, HelpsBiCgStabAndGmres)
{
    on_each_executor([](const Executor& exec) {
        const auto a = problem(exec, "twophase:24:1000");
        const auto m = Jacobi<double>::factory();
        const auto adapted = AdaptedDeflation<double>::factory(
            {m, {.kind = DeflationKind::boxes, .nx = 24, .ny = 24, .boxes_x = 6, .boxes_y = 6}});
        const Stop stop{.relative_residual = 1e-8};
        Random random(946);
        const auto b = random_dense<double>(random, exec, {576, 1});
        const auto count = [&](const Solver<double>& solver) {
            auto x = Dense<double>::filled(exec, {576, 1}, 0);
            const auto result = solver.solve(b, x);
            EXPECT_TRUE(result.converged()) << result.reason();
            return result.iterations();
        };
        EXPECT_LT(3 * count(*BiCgStab<double>::factory({stop, adapted}).generate(a)),
                  2 * count(*BiCgStab<double>::factory({stop, m}).generate(a)));
        EXPECT_LT(2 * count(*Gmres<double>::factory({stop, adapted}).generate(a)),
                  count(*Gmres<double>::factory({stop, m}).generate(a)));
    });
}

/// b in the space of the vectors: from x = 0 the method would break down in its first step.
TEST(AdaptedDeflation, WantsAStartForBiCgStab)
{
    on_each_executor([](const Executor& exec) {
        const auto a = problem(exec, "twophase:24:1000");
        const auto adapted = AdaptedDeflation<double>::factory({Jacobi<double>::factory(), {.vectors = 48}});
        const auto solver = BiCgStab<double>::factory({{.relative_residual = 1e-8}, adapted}).generate(a);
        const auto b = Dense<double>::filled(exec, {576, 1}, 1);
        Dense<double> x(exec, {576, 1});
        solver->preconditioner()->apply(b, x);
        const auto result = solver->solve(b, x);
        EXPECT_TRUE(result.converged()) << result.reason();
        EXPECT_LT(result.iterations(), 45);
    });
}

/// Y = Z^H A is not (A Z)^H there.
TEST(AdaptedDeflation, OfMatricesThatAreNotSymmetric)
{
    on_each_executor([](const Executor& exec) {
        auto data = laplace_2d<double>(7);
        for (std::size_t k = 0; k < data.values.size(); ++k) {
            data.values[k] *= 1 + 0.01 * static_cast<double>(k % 13);
        }
        const auto a = matrix_on(exec, data);
        const auto m = AdaptedDeflation<double>::factory({.deflation = {.vectors = 49}}).generate(a);
        const auto b = Dense<double>::filled(exec, {49, 1}, 1);
        Dense<double> x(exec, {49, 1});
        m->apply(b, x);  // A^-1
        EXPECT_LT(true_residual(data, b, x), 1e-13 * 49);
    });
}

TEST(AdaptedDeflation, ComesFromText)
{
    const auto adapted = config::parse_short<double>("adapted_deflation:vectors=4", "jacobi");
    const auto preconditioner = adapted->make(problem(reference_executor(), "twophase:12:10"));
    EXPECT_EQ(dynamic_cast<const AdaptedDeflation<double>&>(*preconditioner).num_vectors(), 4);
}

}  // namespace
}  // namespace linden::test
