// needs: double int32
#include <linden/error.hpp>
#include <linden/preconditioner/ilu.hpp>
#include <linden/preconditioner/jacobi.hpp>
#include <linden/solver/fgmres.hpp>

#include "test/support/built_types.hpp"
#include "test/support/naive_gmres.hpp"
#include "test/support/solvers.hpp"

namespace linden::test {
namespace {

SolveResult solve(const LinOpPtr<double>& a, const Dense<double>& b, Dense<double>& x,
                  const GmresParameters<double>& parameters, const SolveOptions& options = {})
{
    return Gmres<double>::factory(parameters).generate(a)->solve(b, x, options);
}

/// test(executor, way) with both ways to orthogonalise.
template <class Test>
void on_each_way(const Test& test)
{
    on_each_executor([&](const Executor& exec) {
        for (const auto way : {Orthogonalization::immediate, Orthogonalization::delayed}) {
            SCOPED_TRACE(way == Orthogonalization::delayed ? "delayed" : "immediate");
            test(exec, way);
        }
    });
}

/// By hand: A = [2 1; 0 1], b = (1, 1): v_0 = (1, 1) / sqrt 2, h_00 = v_0^T A v_0 = 2; min ||b - c A b|| at c = 4 / 10.
TEST(GmresTest, OneStepByHand)
{
    on_each_way([](const Executor& exec, Orthogonalization way) {
        const auto a = matrix_on(exec, csr_from_rows<double>({{2, 1}, {0, 1}}));
        auto x = Dense<double>::filled(exec, {2, 1}, 0);
        const auto result = solve(a, Dense<double>::filled(exec, {2, 1}, 1), x,
                                  {.stop = {.max_iterations = 1, .relative_residual = 0}, .orthogonalization = way});
        EXPECT_EQ(result.status(), SolveStatus::max_iterations);
        expect_near(x.to_host(), {0.4, 0.4}, 4);
        EXPECT_NEAR(result.columns[0].residual, std::sqrt(0.04 + 0.36), 1e-15);
    });
}

TEST(GmresTest, FollowsTheBook)
{
    on_each_way([](const Executor& exec, Orthogonalization way) {
        const auto a = laplace_2d<double>(20, 3);
        const std::vector<double> rhs(400, 1);
        const auto b = Dense<double>::vector(exec, rhs);
        for (const size_type m : {1, 5, 12, 30, 200}) {
            SCOPED_TRACE(m);
            const auto expected = naive_fgmres(a, rhs, static_cast<std::size_t>(m), 1e-8 * 20, 1000,
                                               [](const std::vector<double>& v) { return v; });
            auto x = Dense<double>::filled(exec, {400, 1}, 0);
            const auto result = solve(matrix_on(exec, a), b, x,
                                      {.stop = {.relative_residual = 1e-8}, .krylov_dim = m, .orthogonalization = way},
                                      {.history = true});
            EXPECT_EQ(result.converged(), expected.converged);
            EXPECT_NEAR(static_cast<double>(result.iterations()), static_cast<double>(expected.iterations), 1);
            for (std::size_t it = 0; it < std::min(result.history.size(), expected.history.size()); ++it) {
                ASSERT_NEAR(result.history[it][0], expected.history[it], 1e-9 * 20) << it;
            }
        }
    });
}

TEST(GmresTest, ResidualsNeverGrow)
{
    on_each_way([](const Executor& exec, Orthogonalization way) {
        const auto a = laplace_2d<double>(30, 1);
        auto x = Dense<double>::filled(exec, {900, 1}, 0);
        const auto result =
            solve(matrix_on(exec, a), Dense<double>::filled(exec, {900, 1}, 1), x,
                  {.stop = {.relative_residual = 1e-8}, .krylov_dim = 10, .orthogonalization = way}, {.history = true});
        EXPECT_TRUE(result.converged());
        for (std::size_t it = 1; it < result.history.size(); ++it) {
            EXPECT_LE(result.history[it][0], result.history[it - 1][0] * (1 + 1e-7));
        }
    });
}

/// The residual of the cyclic shift stays where it is until step n.
TEST(GmresTest, CyclicShift)
{
    on_each_way([](const Executor& exec, Orthogonalization way) {
        const auto a = matrix_on(exec, cyclic_shift<double>(20));
        std::vector<double> rhs(20);
        rhs[0] = 1;
        const auto b = Dense<double>::vector(exec, rhs);
        auto x = Dense<double>::filled(exec, {20, 1}, 0);
        auto result = solve(a, b, x, {.stop = {.relative_residual = 1e-12}, .orthogonalization = way});
        EXPECT_TRUE(result.converged());
        EXPECT_EQ(result.iterations(), 20);

        x.fill(0);
        result = solve(a, b, x,
                       {.stop = {.relative_residual = 1e-12, .stagnation_iterations = 5}, .orthogonalization = way});
        EXPECT_EQ(result.status(), SolveStatus::stagnated);
        EXPECT_EQ(result.iterations(), 5);

        x.fill(0);
        result = solve(
            a, b, x,
            {.stop = {.max_iterations = 100, .relative_residual = 1e-12}, .krylov_dim = 19, .orthogonalization = way});
        EXPECT_EQ(result.status(), SolveStatus::max_iterations);  // each restart forgets everything
        EXPECT_EQ(result.relative_residual(), 1);
    });
}

TEST(GmresTest, LuckyBreakdownIsTheSolution)
{
    on_each_way([](const Executor& exec, Orthogonalization way) {
        // b is a sum of two eigenvectors: the Krylov space ends at dimension 2, exactly.
        const auto a = matrix_on(exec, diagonal_csr<double>({1, 3, 5, 7, 9}));
        auto x = Dense<double>::filled(exec, {5, 1}, 0);
        const auto result = solve(a, Dense<double>::vector(exec, {0, 3, 0, 7, 0}), x,
                                  {.stop = {.relative_residual = 0}, .orthogonalization = way});
        EXPECT_LE(result.columns[0].residual, 1e-14);
        EXPECT_TRUE(result.status() == SolveStatus::converged || result.status() == SolveStatus::stagnated);
        EXPECT_LE(result.iterations(), 2 * 3);
        expect_near(x.to_host(), {0, 1, 0, 1, 0}, 8);

        // The identity: at the first step.
        auto y = Dense<double>::filled(exec, {3, 1}, 0);
        const auto first =
            solve(matrix_on(exec, diagonal_csr<double>({1, 1, 1})), Dense<double>::vector(exec, {0, 2, 0}), y,
                  {.stop = {.relative_residual = 0}, .orthogonalization = way});
        EXPECT_TRUE(first.converged());
        EXPECT_EQ(first.iterations(), 1);
        EXPECT_EQ(y.to_host(), (std::vector<double>{0, 2, 0}));
    });
}

TEST(GmresTest, BreaksDownOnASingularMatrixAndKeepsTheBestSoFar)
{
    on_each_way([](const Executor& exec, Orthogonalization way) {
        // A = [1 1; 0 0], b = (1, 1): the least residual over the span of b is (0, 1); A b lies in the span of (1, 0).
        const auto a = matrix_on(exec, csr_from_rows<double>({{1, 1}, {0, 0}}));
        auto x = Dense<double>::filled(exec, {2, 1}, 0);
        const auto result = solve(a, Dense<double>::filled(exec, {2, 1}, 1), x,
                                  {.stop = {.relative_residual = 1e-8}, .orthogonalization = way});
        EXPECT_EQ(result.status(), SolveStatus::breakdown);
        EXPECT_NEAR(result.columns[0].residual, 1, 1e-14);
        expect_near(x.to_host(), {0.5, 0.5}, 8);
    });
}

TEST(GmresTest, StandsAgainstLossOfOrthogonality)
{
    on_each_way([](const Executor& exec, Orthogonalization way) {
        // Condition 1e6 and one cycle: once through Gram-Schmidt would lose the basis.
        std::vector<double> d(100);
        for (std::size_t i = 0; i < d.size(); ++i) {
            d[i] = std::pow(10.0, -6.0 * static_cast<double>(i) / 99);
        }
        const std::vector<double> rhs(100, 1);
        const auto expected =
            naive_fgmres(diagonal_csr(d), rhs, 100, 1e-8, 100, [](const std::vector<double>& v) { return v; });
        auto x = Dense<double>::filled(exec, {100, 1}, 0);
        const auto result = solve(matrix_on(exec, diagonal_csr(d)), Dense<double>::vector(exec, rhs), x,
                                  {.stop = {.relative_residual = 1e-9}, .krylov_dim = 100, .orthogonalization = way});
        EXPECT_TRUE(expected.converged);
        EXPECT_TRUE(result.converged()) << result.reason();
        EXPECT_NEAR(static_cast<double>(result.iterations()), static_cast<double>(expected.iterations), 1);
    });
}

TEST(GmresTest, DoesNotClaimConvergenceUnderAChangingPreconditioner)
{
    on_each_way([](const Executor& exec, Orthogonalization way) {
        // GMRES is not made for this. Whatever comes out, the report has to be about the true residual.
        const auto a = laplace_2d<double>(12, 2);
        auto factor = std::make_shared<double>(1);
        const auto changing = [factor](const Dense<double>& b, Dense<double>& x) {
            x.copy_from(b);
            x.scale(*factor);
            *factor = *factor == 1 ? 3 : 1;
        };
        const auto b = Dense<double>::filled(exec, {144, 1}, 1);
        auto x = Dense<double>::filled(exec, {144, 1}, 0);
        const auto result = solve(matrix_on(exec, a), b, x,
                                  {.stop = {.max_iterations = 200, .relative_residual = 1e-10},
                                   .preconditioner = host_preconditioner<double>(changing),
                                   .orthogonalization = way});
        EXPECT_NEAR(result.columns[0].residual, true_residual(a, b, x), 1e-9);
        EXPECT_EQ(result.converged(), true_residual(a, b, x) <= 1.0001 * result.columns[0].tolerance);
    });
}

TEST(GmresTest, BasisIsNoLargerThanUseful)
{
    on_each_executor([](const Executor& exec) {
        const auto a = matrix_on(exec, laplace_2d<double>(4));
        const auto dim = [&](GmresParameters<double> p) { return Gmres<double>::factory(p).generate(a)->krylov_dim(); };
        EXPECT_EQ(dim({}), 16);
        EXPECT_EQ(dim({.krylov_dim = 7}), 7);
        EXPECT_EQ(dim({.stop = {.max_iterations = 3}}), 3);
        EXPECT_EQ(dim({.stop = {.max_iterations = 0}}), 1);
        EXPECT_THROW(dim({.krylov_dim = 0}), InvalidParameter);
        const auto large = matrix_on(exec, laplace_2d<double>(6));
        EXPECT_EQ(Gmres<double>::factory().generate(large)->krylov_dim(), 30);
    });
}

/// Devices record whole cycles, and products with A and M^-1 do not know when a solve has ended (decision 0033). HIP
/// has nothing to leave them out with.
TEST(GmresTest, LeavesOutWhatACycleHasBehindItsLastStep)
{
    on_each_way([](const Executor& exec, Orthogonalization way) {
        if (exec.backend() == Backend::hip) {
            return;
        }
        const auto a = matrix_on(exec, laplace_2d<double>(20));
        const auto b = Dense<double>::filled(exec, {400, 1}, 1);
        size_type iterations = 0;
        const auto launches = [&](size_type krylov_dim) {
            const auto solver = Gmres<double>::factory({.stop = {.relative_residual = 1e-2},
                                                        .preconditioner = Ilu0<double>::factory(),
                                                        .krylov_dim = krylov_dim,
                                                        .orthogonalization = way})
                                    .generate(a);
            std::uint64_t before = 0;
            for (int solve = 0; solve < 2; ++solve) {  // the first may record
                auto x = Dense<double>::filled(exec, b.size(), 0);
                before = exec.counters().kernel_launches;
                const auto result = solver->solve(b, x);
                EXPECT_TRUE(result.converged());
                iterations = result.iterations();
            }
            return exec.counters().kernel_launches - before;
        };
        const auto of_long_cycle = launches(200);
        EXPECT_LT(iterations, 20);
        EXPECT_LT(of_long_cycle, 3 * launches(iterations));
    });
}

TEST(GmresTest, ChoosesHowToOrthogonalise)
{
    on_each_executor([](const Executor& exec) {
        const auto a = matrix_on(exec, laplace_2d<double>(4));
        const auto way = [&](Orthogonalization wanted) {
            return Gmres<double>::factory({.orthogonalization = wanted}).generate(a)->orthogonalization();
        };
        EXPECT_EQ(way(Orthogonalization::immediate), Orthogonalization::immediate);
        EXPECT_EQ(way(Orthogonalization::delayed), Orthogonalization::delayed);
        EXPECT_EQ(way(Orthogonalization::automatic),
                  exec.is_host() ? Orthogonalization::immediate : Orthogonalization::delayed);
    });
}

/// An exact M leaves nothing of the first product, which its sums cannot tell: a limit has to wait for the next one.
TEST(GmresTest, EndsByALimitWithWhatIsKnownAStepLater)
{
    on_each_way([](const Executor& exec, Orthogonalization way) {
        const auto a = matrix_on(exec, diagonal_csr<double>({1, 2, 3, 4, 5, 6, 7, 8}));
        const auto b = Dense<double>::vector(exec, {1, 2, 1, 2, 1, 2, 1, 2});
        for (const bool flexible : {false, true}) {
            for (const size_type krylov_dim : {1, 5}) {
                const GmresParameters<double> p{.stop = {.relative_residual = 1e-12},
                                                .preconditioner = Jacobi<double>::factory(),
                                                .krylov_dim = krylov_dim,
                                                .orthogonalization = way};
                const auto factory = flexible ? FactoryPtr<double>(Fgmres<double>::factory(p))
                                              : FactoryPtr<double>(Gmres<double>::factory(p));
                auto x = Dense<double>::filled(exec, b.size(), 0);
                const auto solver = factory->make(a);
                const auto result = static_cast<const Solver<double>&>(*solver).solve(b, x, {.max_iterations = 1});
                EXPECT_TRUE(result.converged()) << result.reason();
                EXPECT_EQ(result.iterations(), 1);
            }
        }
    });
}

/// I + E with an E of some 1e-5 leaves 1e-10 of the square of a product: its norm shows the step after, and second
/// passes are needed.
TEST(GmresTest, TakesSecondPassesAStepLater)
{
    Random random(31);
    auto a = random_dominant<double>(random, 60);
    for (size_type row = 0; row < 60; ++row) {
        for (auto at = a.row_ptrs[static_cast<std::size_t>(row)]; at < a.row_ptrs[static_cast<std::size_t>(row) + 1];
             ++at) {
            auto& value = a.values[static_cast<std::size_t>(at)];
            value = 1e-6 * value + (a.col_idxs[static_cast<std::size_t>(at)] == row ? 1 : 0);
        }
    }
    on_each_executor([&](const Executor& exec) {
        const auto matrix = matrix_on(exec, a);
        const auto b = random_dense<double>(random, exec, {60, 2});
        for (const size_type m : {1, 2, 30}) {
            SCOPED_TRACE(m);
            const auto iterations = [&](const FactoryPtr<double>& factory) {
                auto x = Dense<double>::filled(exec, b.size(), 0);
                const auto solver = factory->make(matrix);
                const auto result = static_cast<const Solver<double>&>(*solver).solve(b, x);
                EXPECT_TRUE(result.converged()) << result.reason();
                return static_cast<double>(result.iterations());
            };
            GmresParameters<double> p{.stop = {.relative_residual = 1e-14}, .krylov_dim = m};
            p.orthogonalization = Orthogonalization::immediate;
            const auto expected = iterations(Gmres<double>::factory(p));
            p.orthogonalization = Orthogonalization::delayed;
            EXPECT_NEAR(iterations(Gmres<double>::factory(p)), expected, 1);
            p.preconditioner = Jacobi<double>::factory();
            EXPECT_NEAR(iterations(Gmres<double>::factory(p)), expected, 2);
            EXPECT_NEAR(iterations(Fgmres<double>::factory(p)), expected, 2);
        }
    });
}

TEST(GmresTest, ComplexRotations)
{
    where_built<std::complex<double>>([]<class C>() {
        on_each_executor([](const Executor& exec) {
            Random random(12);
            const auto a = random_dominant<C>(random, 30);
            auto rotated = a;
            for (auto& value : rotated.values) {
                value *= C(0, 1);
            }
            const auto b = random_dense<C>(random, exec, {30, 2});
            auto x = Dense<C>::filled(exec, {30, 2}, C{});
            auto y = Dense<C>::filled(exec, {30, 2}, C{});
            const GmresParameters<C> parameters{.stop = {.relative_residual = 1e-12}, .krylov_dim = 5};
            const auto plain = Gmres<C>::factory(parameters).generate(matrix_on(exec, a))->solve(b, x);
            const auto result = Gmres<C>::factory(parameters).generate(matrix_on(exec, rotated))->solve(b, y);
            EXPECT_TRUE(plain.converged());
            EXPECT_TRUE(result.converged());
            EXPECT_EQ(plain.iterations(), result.iterations());  // a phase changes nothing
            y.scale(C(0, 1));
            expect_near(y, x, 1e5);
        });
    });
}

}  // namespace
}  // namespace linden::test
