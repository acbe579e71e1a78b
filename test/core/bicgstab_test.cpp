// needs: double int32
#include "test/support/built_types.hpp"
#include "test/support/solvers.hpp"

namespace linden::test {
namespace {

struct Solved {
    SolveResult result;
    std::vector<double> x;
};

Solved solve(const Executor& exec, const TestCsr<double>& a, const std::vector<double>& b,
             const BiCgStab<double>::Parameters& parameters = {})
{
    auto x = Dense<double>::filled(exec, {a.size.rows, 1}, 0);
    const auto solver = BiCgStab<double>::factory(parameters).generate(matrix_on(exec, a));
    auto result = solver->solve(Dense<double>::vector(exec, b), x);
    return {std::move(result), x.to_host()};
}

/// By hand: A = [2 1; 0 1], b = (1, 1): v = (3, 1), alpha = 2 / 4, s = (-1/2, 1/2), t = (-1/2, 1/2), omega = 1.
TEST(BicgstabTest, OneStepByHand)
{
    on_each_executor([](const Executor& exec) {
        const auto [result, x] = solve(exec, csr_from_rows<double>({{2, 1}, {0, 1}}), {1, 1});
        EXPECT_TRUE(result.converged());
        EXPECT_EQ(result.iterations(), 1);
        EXPECT_FALSE(result.columns[0].half_step);
        expect_near(x, {0, 1}, 4);
    });
}

TEST(BicgstabTest, StopsHalfway)
{
    on_each_executor([](const Executor& exec) {
        // One eigenvalue: alpha p is the solution.
        const auto [result, x] = solve(exec, diagonal_csr<double>({2, 2, 2}), {2, 4, 6});
        EXPECT_TRUE(result.converged());
        EXPECT_EQ(result.iterations(), 1);
        EXPECT_TRUE(result.columns[0].half_step);
        EXPECT_EQ(x, (std::vector<double>{1, 2, 3}));
    });
}

TEST(BicgstabTest, HalfStepsOfOneColumnLeaveTheOthersGoing)
{
    on_each_executor([](const Executor& exec) {
        const auto a = diagonal_csr<double>({2, 2, 3, 5});
        const auto b = block_on<double>(exec, {4, 2}, {2, 1, 4, 1, 0, 1, 0, 1});
        auto x = Dense<double>::filled(exec, {4, 2}, 0);
        const auto solver =
            BiCgStab<double>::factory({.stop = {.relative_residual = 1e-12}}).generate(matrix_on(exec, a));
        const auto result = solver->solve(b, x, {.history = true});
        ASSERT_TRUE(result.converged());
        EXPECT_EQ(result.columns[0].iterations, 1);
        EXPECT_TRUE(result.columns[0].half_step);
        EXPECT_EQ(result.columns[1].iterations, 3);
        EXPECT_LE(result.history[1][0], 1e-14);
        expect_near(x.to_host(), {1, 0.5, 2, 0.5, 0, 1.0 / 3, 0, 0.2}, 100);

        // A mark of the solve before does not stay.
        EXPECT_FALSE(solver->solve(b, x).columns[0].half_step);
    });
}

TEST(BicgstabTest, KnownIterationCounts)
{
    on_each_executor([](const Executor& exec) {
        const std::vector<double> ones(10000, 1);
        const auto laplace = solve(exec, laplace_2d<double>(100), ones, {.stop = {.relative_residual = 1e-6}}).result;
        EXPECT_TRUE(laplace.converged());
        EXPECT_GT(laplace.iterations(), 159 / 2);  // two products each, as CG has one
        EXPECT_LT(laplace.iterations(), 159);
        const auto convection = solve(exec, laplace_2d<double>(40, 5), std::vector<double>(1600, 1),
                                      {.stop = {.relative_residual = 1e-10}});
        EXPECT_TRUE(convection.result.converged());
        EXPECT_LT(convection.result.iterations(), 100);
    });
}

/// rhat^T A p = 0 at once: a skew matrix.
TEST(BicgstabTest, SkewMatrixBreaksDown)
{
    on_each_executor([](const Executor& exec) {
        const auto [result, x] = solve(exec, csr_from_rows<double>({{0, 1}, {-1, 0}}), {1, 0});
        EXPECT_EQ(result.status(), SolveStatus::breakdown);
        EXPECT_EQ(result.iterations(), 0);
        EXPECT_EQ(x, (std::vector<double>{0, 0}));
        EXPECT_EQ(result.relative_residual(), 1);
    });
}

/// s^T A s = 0, so omega = 0: x keeps the half step, whose residual is s.
TEST(BicgstabTest, VanishingOmegaBreaksDown)
{
    on_each_executor([](const Executor& exec) {
        const auto [result, x] = solve(exec, csr_from_rows<double>({{1, 1}, {-1, 0}}), {1, 0});
        EXPECT_EQ(result.status(), SolveStatus::breakdown);
        EXPECT_EQ(result.iterations(), 0);
        EXPECT_EQ(x, (std::vector<double>{1, 0}));
        EXPECT_EQ(result.columns[0].residual, 1);
    });
}

/// A s = 0 with s != 0: singular.
TEST(BicgstabTest, VanishingProductBreaksDown)
{
    on_each_executor([](const Executor& exec) {
        const auto [result, x] = solve(exec, csr_from_rows<double>({{1, 0}, {1, 0}}), {1, 0});
        EXPECT_EQ(result.status(), SolveStatus::breakdown);
        EXPECT_EQ(x, (std::vector<double>{1, 0}));
        EXPECT_EQ(result.columns[0].residual, 1);
    });
}

/// rhat^T r = 0 after the first iteration, as with the matrix jpwh_991: v = (1, 1, 0), s = (0, -1, 0),
/// t = (0, -2, -1), omega = 2/5, r = (0, -1/5, 2/5).
TEST(BicgstabTest, StartsAgainWhereRhoVanishes)
{
    on_each_executor([](const Executor& exec) {
        const auto a = csr_from_rows<double>({{1, 0, 0}, {1, 2, 1}, {0, 1, 3}});
        const auto broken = solve(exec, a, {1, 0, 0}, {.stop = {.max_iterations = 1}});
        expect_near(broken.x, {1, -0.4, 0}, 4);
        EXPECT_NEAR(broken.result.columns[0].residual, std::sqrt(0.2), 1e-15);

        const auto [result, x] = solve(exec, a, {1, 0, 0});
        EXPECT_TRUE(result.converged()) << result.reason();
        EXPECT_GE(result.iterations(), 2);
        expect_near(x, {1, -0.6, 0.2}, 1e4);

        // GMRES does not care.
        auto y = Dense<double>::filled(exec, {3, 1}, 0);
        EXPECT_TRUE(Gmres<double>::factory({.stop = {.relative_residual = 1e-12}})
                        .generate(matrix_on(exec, a))
                        ->solve(Dense<double>::vector(exec, {1, 0, 0}), y)
                        .converged());
    });
}

TEST(BicgstabTest, PreconditionedFromTheRight)
{
    on_each_executor([](const Executor& exec) {
        // The residuals are those of A x = b whatever M is.
        const auto a = laplace_2d<double>(12, 2);
        const auto rough = [](const Dense<double>& b, Dense<double>& x) {
            x.copy_from(b);
            x.scale(1e3);
        };
        const auto b = Dense<double>::filled(exec, {144, 1}, 1);
        auto x = Dense<double>::filled(exec, {144, 1}, 0);
        const auto result = BiCgStab<double>::factory({.stop = {.max_iterations = 9, .relative_residual = 0},
                                                       .preconditioner = host_preconditioner<double>(rough)})
                                .generate(matrix_on(exec, a))
                                ->solve(b, x, {.history = true});
        EXPECT_NEAR(result.history[9][0], true_residual(a, b, x), 1e-12);
    });
}

TEST(BicgstabTest, ComplexSystems)
{
    where_built<std::complex<double>>([]<class C>() {
        on_each_executor([](const Executor& exec) {
            // i times a definite matrix: needs the conjugates where they belong.
            auto a = laplace_2d<C>(10);
            for (auto& value : a.values) {
                value *= C(0.6, 0.8);
            }
            Random random(2);
            const auto b = random_dense<C>(random, exec, {100, 2});
            auto x = Dense<C>::filled(exec, {100, 2}, C{});
            const auto result =
                BiCgStab<C>::factory({.stop = {.relative_residual = 1e-10}}).generate(matrix_on(exec, a))->solve(b, x);
            EXPECT_TRUE(result.converged());
            auto y = Dense<C>::filled(exec, {100, 2}, C{});
            auto rotated = b.copy();
            rotated.scale(C(0.6, -0.8));
            const auto plain = BiCgStab<C>::factory({.stop = {.relative_residual = 1e-10}})
                                   .generate(matrix_on(exec, laplace_2d<C>(10)))
                                   ->solve(rotated, y);
            EXPECT_NEAR(static_cast<double>(result.iterations()), static_cast<double>(plain.iterations()), 2);
        });
    });
}

}  // namespace
}  // namespace linden::test
