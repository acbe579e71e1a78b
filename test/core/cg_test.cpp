// needs: double int32
#include "test/support/solvers.hpp"

namespace linden::test {
namespace {

/// With a single reduction, and pipelined.
constexpr std::pair<bool, bool> variants[] = {{false, false}, {true, false}, {false, true}};

SolveResult solve_laplace(const Executor& exec, size_type n, const Cg<double>::Parameters& parameters)
{
    const auto b = Dense<double>::filled(exec, {n * n, 1}, 1);
    auto x = Dense<double>::filled(exec, {n * n, 1}, 0);
    return Cg<double>::factory(parameters).generate(matrix_on(exec, laplace_2d<double>(n)))->solve(b, x);
}

TEST(CgTest, KnownIterationCounts)
{
    on_each_executor([](const Executor& exec) {
        // Other libraries and a prototype need 159 for the grid of 100 x 100.
        const auto result = solve_laplace(exec, 100, {.stop = {.relative_residual = 1e-6}});
        EXPECT_TRUE(result.converged());
        EXPECT_NEAR(static_cast<double>(result.iterations()), 159, 2);
        const auto single = solve_laplace(exec, 100, {.stop = {.relative_residual = 1e-6}, .single_reduction = true});
        EXPECT_TRUE(single.converged());
        EXPECT_NEAR(static_cast<double>(single.iterations()), 159, 2);
        const auto pipelined = solve_laplace(exec, 100, {.stop = {.relative_residual = 1e-6}, .pipelined = true});
        EXPECT_TRUE(pipelined.converged());
        EXPECT_NEAR(static_cast<double>(pipelined.iterations()), 159, 2);
    });
}

TEST(CgTest, ConvergesInAsManyStepsAsThereAreEigenvalues)
{
    on_each_executor([](const Executor& exec) {
        std::vector<double> d(50);
        for (std::size_t i = 0; i < d.size(); ++i) {
            d[i] = static_cast<double>(i % 3 + 1);
        }
        for (const auto& [single_reduction, pipelined] : variants) {
            const auto solver = Cg<double>::factory({.stop = {.relative_residual = 1e-12},
                                                     .single_reduction = single_reduction,
                                                     .pipelined = pipelined})
                                    .generate(matrix_on(exec, diagonal_csr(d)));
            auto x = Dense<double>::filled(exec, {50, 1}, 0);
            const auto result = solver->solve(Dense<double>::filled(exec, {50, 1}, 1), x);
            EXPECT_TRUE(result.converged());
            EXPECT_EQ(result.iterations(), 3);
        }
    });
}

/// The identity, which counts how often it is applied.
class Counting final : public LinOp<double> {
public:
    Counting(const LinOpPtr<double>& matrix, int& count) : LinOp(matrix->executor(), matrix->size()), count_(count) {}
    std::string name() const override { return "Counting"; }

protected:
    void apply_impl(const Dense<double>& b, Dense<double>& x) const override
    {
        ++count_;
        x.copy_from(b);
    }

private:
    int& count_;
};

/// M is applied once in an iteration and not to the last residual, and x has all steps, also where columns stop at
/// different ones.
TEST(CgTest, AppliesThePreconditionerOnceInAnIteration)
{
    on_each_executor([](const Executor& exec) {
        const auto a = matrix_on(exec, laplace_2d<double>(20));
        int count = 0;
        const auto counting = make_factory<double>(
            [&](const LinOpPtr<double>& matrix) { return std::make_unique<Counting>(matrix, count); });
        const Stop stop{.relative_residual = 1e-10};
        const auto solver = Cg<double>::factory({.stop = stop, .preconditioner = counting}).generate(a);
        Random random(17);
        auto values = random_dense<double>(random, reference_executor(), {400, 2}).to_host();
        for (std::size_t row = 0; row < 400; ++row) {
            values[2 * row + 1] = row == 0 ? 1 : 0;
        }
        const auto b = Dense<double>::adopt(reference_executor(), {400, 2}, 2, values.data());
        auto x = Dense<double>::filled(exec, {400, 2}, 0);
        const auto result = solver->solve(b.copy(exec), x);
        EXPECT_TRUE(result.converged());
        EXPECT_EQ(count, static_cast<int>(result.iterations()));

        auto plain = Dense<double>::filled(exec, {400, 2}, 0);
        const auto without = Cg<double>::factory({.stop = stop}).generate(a)->solve(b.copy(exec), plain);
        EXPECT_NEAR(static_cast<double>(result.iterations()), static_cast<double>(without.iterations()), 1);
        expect_near(x.to_host(), plain.to_host(), 1e7, scale_of(plain.to_host()));
        for (const auto& column : result.columns) {
            EXPECT_LE(column.residual, 1e-10 * column.rhs_norm);
        }
    });
}

/// By hand: A = [4 1; 1 3], b = (1, 2), x0 = (2, 1), the textbook's example.
TEST(CgTest, OneStepByHand)
{
    on_each_executor([](const Executor& exec) {
        for (const auto& [single_reduction, pipelined] : variants) {
            const auto solver = Cg<double>::factory({.stop = {.max_iterations = 1, .relative_residual = 0},
                                                     .single_reduction = single_reduction,
                                                     .pipelined = pipelined})
                                    .generate(matrix_on(exec, csr_from_rows<double>({{4, 1}, {1, 3}})));
            auto x = Dense<double>::vector(exec, {2, 1});
            const auto result = solver->solve(Dense<double>::vector(exec, {1, 2}), x);
            // r = (-8, -3), r^T r = 73, A r = (-35, -17), alpha = 73 / 331
            expect_near(x.to_host(), {2 - 8 * 73.0 / 331, 1 - 3 * 73.0 / 331}, 4);
            EXPECT_NEAR(result.columns[0].initial_residual, std::sqrt(73), 1e-14);
        }
    });
}

TEST(CgTest, BreaksDownOnIndefiniteMatrices)
{
    on_each_executor([](const Executor& exec) {
        for (const auto& [single_reduction, pipelined] : variants) {
            // p^T A p = 0 in the first step
            const auto solver = Cg<double>::factory({.single_reduction = single_reduction, .pipelined = pipelined})
                                    .generate(matrix_on(exec, csr_from_rows<double>({{1, 0}, {0, -1}})));
            auto x = Dense<double>::filled(exec, {2, 1}, 0);
            const auto result = solver->solve(Dense<double>::filled(exec, {2, 1}, 1), x);
            EXPECT_EQ(result.status(), SolveStatus::breakdown);
            EXPECT_EQ(result.iterations(), 0);
            EXPECT_EQ(x.to_host(), (std::vector<double>{0, 0}));
            EXPECT_NE(result.reason().find("divided by zero"), std::string::npos);
        }
    });
}

TEST(CgTest, PreconditionerThatVanishesBreaksDown)
{
    on_each_executor([](const Executor& exec) {
        const auto nothing = [](const Dense<double>&, Dense<double>& x) { x.fill(0); };
        const auto solver = Cg<double>::factory({.preconditioner = host_preconditioner<double>(nothing)})
                                .generate(matrix_on(exec, laplace_2d<double>(3)));
        auto x = Dense<double>::filled(exec, {9, 1}, 0);
        EXPECT_EQ(solver->solve(Dense<double>::filled(exec, {9, 1}, 1), x).status(), SolveStatus::breakdown);
    });
}

TEST(CgTest, ExactPreconditionerTakesOneStep)
{
    on_each_executor([](const Executor& exec) {
        const std::vector<double> d{1, 2, 4, 8};
        const auto divide = [](const Dense<double>& b, Dense<double>& x) {
            auto values = b.to_host();
            for (std::size_t i = 0; i < values.size(); ++i) {
                values[i] /= static_cast<double>(1 << i);
            }
            x.copy_from(Dense<double>::vector(b.executor(), values));
        };
        for (const auto& [single_reduction, pipelined] : variants) {
            const auto solver = Cg<double>::factory({.preconditioner = host_preconditioner<double>(divide),
                                                     .single_reduction = single_reduction,
                                                     .pipelined = pipelined})
                                    .generate(matrix_on(exec, diagonal_csr(d)));
            auto x = Dense<double>::filled(exec, {4, 1}, 0);
            const auto result = solver->solve(Dense<double>::filled(exec, {4, 1}, 1), x);
            EXPECT_TRUE(result.converged());
            EXPECT_EQ(result.iterations(), 1);
            EXPECT_EQ(x.to_host(), (std::vector<double>{1, 0.5, 0.25, 0.125}));
        }
    });
}

TEST(CgTest, VariantsFollowTheSamePath)
{
    on_each_executor([](const Executor& exec) {
        const auto matrix = matrix_on(exec, laplace_2d<double>(15));
        Random random(1);
        const auto b = random_dense<double>(random, exec, {225, 2});
        std::vector<std::vector<std::vector<double>>> histories;
        for (const auto& [single_reduction, pipelined] : variants) {
            const auto solver = Cg<double>::factory({.stop = {.max_iterations = 20, .relative_residual = 0},
                                                     .single_reduction = single_reduction,
                                                     .pipelined = pipelined})
                                    .generate(matrix);
            auto x = Dense<double>::filled(exec, {225, 2}, 0);
            histories.push_back(solver->solve(b, x, {.history = true}).history);
        }
        for (std::size_t it = 0; it < 21; ++it) {
            expect_near(histories[1][it], histories[0][it], 1e4);
            expect_near(histories[2][it], histories[0][it], 1e5);
        }
    });
}

/// Without residuals that are computed anew, recurrences stall at 1e-9 here.
TEST(CgTest, PipelinedReachesWhatOthersReach)
{
    on_each_executor([](const Executor& exec) {
        const auto matrix = matrix_on(exec, laplace_2d<double>(120));
        const auto b = Dense<double>::filled(exec, {14400, 1}, 1);
        auto x = Dense<double>::filled(exec, b.size(), 0);
        const auto result = Cg<double>::factory({.stop = {.relative_residual = 1e-12}, .pipelined = true})
                                .generate(matrix)
                                ->solve(b, x);
        EXPECT_TRUE(result.converged());
        auto r = b.copy();
        matrix->apply(-1.0, x, 1.0, r);
        double squares = 0;
        for (const double value : r.to_host()) {
            squares += value * value;
        }
        EXPECT_LE(std::sqrt(squares), 1e-10 * 120);
    });
}

TEST(CgTest, PipelinedExcludesSingleReduction)
{
    on_each_executor([](const Executor& exec) {
        EXPECT_THROW(Cg<double>::factory({.single_reduction = true, .pipelined = true})
                         .generate(matrix_on(exec, laplace_2d<double>(3))),
                     InvalidParameter);
    });
}

}  // namespace
}  // namespace linden::test
