// needs: double int32
#include <linden/solver/flexible_cg.hpp>

#include "test/support/solvers.hpp"

namespace linden::test {
namespace {

constexpr size_type grid = 9;
constexpr size_type rows = grid * grid;

/// Divides every second row by 2, and every third by 4.
FactoryPtr<double> fixed_preconditioner()
{
    return host_preconditioner<double>([](const Dense<double>& b, Dense<double>& x) {
        auto values = b.to_host();
        const auto cols = static_cast<std::size_t>(b.size().cols);
        for (std::size_t k = 0; k < values.size(); ++k) {
            const auto row = k / cols;
            values[k] /= (row % 2 == 0 ? 2 : 1) * (row % 3 == 0 ? 4 : 1);
        }
        copy_bytes(Executor::reference(), values.data(), x.executor(), x.data(), values.size() * sizeof(double));
    });
}

SolveResult solve(const Executor& exec, const FlexibleCg<double>::Parameters& parameters, size_type num_rhs = 1)
{
    Random random(5);
    const auto b = random_dense<double>(random, exec, {rows, num_rhs});
    auto x = Dense<double>::filled(exec, b.size(), 0);
    const auto a = laplace_2d<double>(grid);
    auto result = FlexibleCg<double>::factory(parameters).generate(matrix_on(exec, a))->solve(b, x, {.history = true});
    for (size_type col = 0; col < num_rhs; ++col) {
        const auto& column = result.columns[static_cast<std::size_t>(col)];
        EXPECT_NEAR(column.residual, true_residual(a, b, x, col), 1e-12);
    }
    return result;
}

TEST(FlexibleCgTest, IsCgWithAFixedPreconditioner)
{
    on_each_executor([](const Executor& exec) {
        for (const auto& preconditioner : {FactoryPtr<double>(), fixed_preconditioner()}) {
            Random random(5);
            const auto b = random_dense<double>(random, exec, {rows, 2});
            auto x = Dense<double>::filled(exec, {rows, 2}, 0);
            const Stop stop{.relative_residual = 1e-8};
            const auto cg = make_solver<double>(Method::cg, matrix_on(exec, laplace_2d<double>(grid)),
                                                {.stop = stop, .preconditioner = preconditioner})
                                ->solve(b, x, {.history = true});
            for (const size_type directions : {1, 3}) {
                const auto result =
                    solve(exec, {.stop = stop, .preconditioner = preconditioner, .directions = directions}, 2);
                EXPECT_TRUE(result.converged());
                ASSERT_EQ(result.iterations(), cg.iterations());
                for (std::size_t j = 0; j < cg.history.size(); ++j) {
                    EXPECT_NEAR(result.history[j][0], cg.history[j][0], 1e-7 * cg.history[0][0]) << j;
                    EXPECT_NEAR(result.history[j][1], cg.history[j][1], 1e-7 * cg.history[0][1]) << j;
                }
            }
        }
    });
}

/// CG that stops after some steps is another operator for each residual.
TEST(FlexibleCgTest, TakesInnerSolvers)
{
    on_each_executor([](const Executor& exec) {
        const auto inner = Cg<double>::factory({.stop = {.max_iterations = 4, .relative_residual = 0.1}});
        const Stop stop{.max_iterations = 60, .relative_residual = 1e-10};
        for (const size_type directions : {1, 4}) {
            const auto result = solve(exec, {.stop = stop, .preconditioner = inner, .directions = directions}, 2);
            EXPECT_TRUE(result.converged()) << result.reason();
            EXPECT_LE(result.iterations(), 25);
            for (std::size_t col = 0; col < 2; ++col) {  // what the recurrence says is the truth
                const auto last = static_cast<std::size_t>(result.columns[col].iterations);
                EXPECT_NEAR(result.history[last][col], result.columns[col].residual, 1e-11);
            }
        }
    });
}

/// The second step makes use of all that the first has learnt: with two unknowns it is the last.
TEST(FlexibleCgTest, NewDirectionsAreOrthogonalWhateverThePreconditioner)
{
    on_each_executor([](const Executor& exec) {
        const auto calls = std::make_shared<int>(0);
        const auto skewed = host_preconditioner<double>([calls](const Dense<double>& b, Dense<double>& x) {
            const auto r = b.to_host();
            const std::vector<double> z =
                (*calls)++ == 0 ? std::vector<double>{r[0], r[1] + r[0] / 2} : std::vector<double>{5 * r[0], r[1]};
            copy_bytes(Executor::reference(), z.data(), x.executor(), x.data(), 2 * sizeof(double));
        });
        auto x = Dense<double>::filled(exec, {2, 1}, 0);
        const auto result =
            FlexibleCg<double>::factory({.stop = {.relative_residual = 1e-14}, .preconditioner = skewed})
                .generate(matrix_on(exec, csr_from_rows<double>({{2, 1}, {1, 3}})))
                ->solve(Dense<double>::vector(exec, {3, 4}), x);
        EXPECT_TRUE(result.converged());
        EXPECT_EQ(result.iterations(), 2);
        expect_near(x.to_host(), {1, 1}, 32);
    });
}

TEST(FlexibleCgTest, KeepsAtLeastOneDirection)
{
    const auto a = matrix_on(reference_executor(), diagonal_csr<double>({1, 2}));
    EXPECT_THROW(FlexibleCg<double>::factory({.directions = 0}).generate(a), InvalidParameter);
    EXPECT_EQ(FlexibleCg<double>::factory({.directions = 9}).generate(a)->directions(), 2);
}

}  // namespace
}  // namespace linden::test
