#include <linden/error.hpp>

#include <string>
#include <thread>

#include "test/support/solvers.hpp"

/// What holds for every iterative solver, on every executor and for every value type.
namespace linden::test {
namespace {

template <class V>
class SolverTest : public testing::Test {
protected:
    static Dense<V> zeros(const Executor& exec, size_type rows, size_type cols = 1)
    {
        return Dense<V>::filled(exec, {rows, cols}, V{});
    }
    static Dense<V> ones(const Executor& exec, size_type rows, size_type cols = 1)
    {
        return Dense<V>::filled(exec, {rows, cols}, V{1});
    }
    /// Hermitian positive definite where the method wants it.
    static TestCsr<V> suitable_matrix(Method method, size_type n)
    {
        Random random(n);
        return is_cg(method) ? random_hpd_csr<V, DefaultIndex>(random, n, 4) : random_dominant<V>(random, n);
    }
    static void expect_true_residuals(const SolveResult& result, const TestCsr<V>& a, const Dense<V>& b,
                                      const Dense<V>& x)
    {
        for (std::size_t col = 0; col < result.columns.size(); ++col) {
            const double expected = true_residual(a, b, x, static_cast<size_type>(col));
            const double scale = result.columns[col].rhs_norm + result.columns[col].initial_residual;
            // b - A x rounds as its terms do: x may be huge where A is singular.
            const double terms = product_of_magnitudes(a, x, static_cast<size_type>(col));
            EXPECT_NEAR(result.columns[col].residual, expected, 1e-3 * expected + eps<V> * (1000 * scale + 8 * terms));
        }
    }
};
TYPED_TEST_SUITE(SolverTest, TestedValues, TypeNames);

TYPED_TEST(SolverTest, SolvesSmallSystemsInAtMostAsManyStepsAsRows)
{
    using V = TypeParam;
    on_each_executor_and_method([](const Executor& exec, Method method) {
        const double tolerance = std::sqrt(eps<V>);  // rounding delays the exact solution
        for (const size_type n : {1, 2, 5, 17}) {
            SCOPED_TRACE(n);
            const auto a = TestFixture::suitable_matrix(method, n);
            const auto solver = make_solver<V>(method, matrix_on(exec, a),
                                               {.stop = {.max_iterations = n, .relative_residual = tolerance}});
            Random random(3);
            const auto b = random_dense<V>(random, exec, {n, 1});
            auto x = random_dense<V>(random, exec, {n, 1});
            const auto result = solver->solve(b, x);
            EXPECT_TRUE(result.converged()) << result.reason();
            EXPECT_LE(true_residual(a, b, x), 1.1 * tolerance * result.columns[0].rhs_norm);
        }
    });
}

TYPED_TEST(SolverTest, SolvesWithAPreconditioner)
{
    using V = TypeParam;
    const auto scale_by = [](const Dense<V>& b, Dense<V>& x) {
        x.copy_from(b);
        x.scale(V{real_t<V>(0.01)});
    };
    on_each_executor_and_method([&](const Executor& exec, Method method) {
        const size_type n = 40;
        const auto a = TestFixture::suitable_matrix(method, n);
        const Stop stop{.max_iterations = 100, .relative_residual = 1000 * eps<V>};
        const auto plain = make_solver<V>(method, matrix_on(exec, a), {.stop = stop});
        const auto scaled = make_solver<V>(method, matrix_on(exec, a),
                                           {.stop = stop, .preconditioner = host_preconditioner<V>(scale_by)});
        Random random(4);
        const auto b = random_dense<V>(random, exec, {n, 3});
        auto x = TestFixture::zeros(exec, n, 3);
        auto y = TestFixture::zeros(exec, n, 3);
        const auto expected = plain->solve(b, x);
        const auto result = scaled->solve(b, y);
        EXPECT_TRUE(expected.converged());
        EXPECT_TRUE(result.converged()) << result.reason();
        EXPECT_NEAR(static_cast<double>(result.iterations()), static_cast<double>(expected.iterations()), 2);
        TestFixture::expect_true_residuals(result, a, b, y);
        expect_near(y, x, 1e5);
    });
}

TYPED_TEST(SolverTest, ZeroRightHandSide)
{
    using V = TypeParam;
    on_each_executor_and_method([](const Executor& exec, Method method) {
        const auto a = TestFixture::suitable_matrix(method, 10);
        const auto solver = make_solver<V>(method, matrix_on(exec, a), {.stop = {.relative_residual = 1e-3}});
        const auto b = TestFixture::zeros(exec, 10);
        auto x = TestFixture::zeros(exec, 10);
        auto result = solver->solve(b, x);
        EXPECT_TRUE(result.converged());
        EXPECT_EQ(result.iterations(), 0);
        EXPECT_EQ(result.relative_residual(), 0);

        x.fill(V{1});  // from elsewhere the way back is relative to the initial residual
        result = solver->solve(b, x);
        EXPECT_TRUE(result.converged());
        EXPECT_GT(result.iterations(), 0);
        EXPECT_LE(true_residual(a, b, x), 1.01e-3 * result.columns[0].initial_residual);
    });
}

TYPED_TEST(SolverTest, ExactInitialGuessStaysBitForBit)
{
    using V = TypeParam;
    on_each_executor_and_method([](const Executor& exec, Method method) {
        const auto a = laplace_2d<V>(4);  // small integers: no rounding
        const auto matrix = matrix_on(exec, a);
        auto x = TestFixture::ones(exec, 16);
        auto b = TestFixture::zeros(exec, 16);
        matrix->apply(x, b);
        const auto result = make_solver<V>(method, matrix, {.stop = {.relative_residual = 0}})->solve(b, x);
        EXPECT_TRUE(result.converged());
        EXPECT_EQ(result.iterations(), 0);
        EXPECT_TRUE(same_bits(x.to_host(), std::vector<V>(16, V{1})));
    });
}

TYPED_TEST(SolverTest, EmptySystems)
{
    using V = TypeParam;
    on_each_executor_and_method([](const Executor& exec, Method method) {
        const auto empty = make_solver<V>(method, matrix_on(exec, TestCsr<V>{{0, 0}, {0}, {}, {}}));
        auto x = TestFixture::zeros(exec, 0);
        const auto result = empty->solve(TestFixture::zeros(exec, 0), x);
        EXPECT_TRUE(result.converged());
        EXPECT_EQ(result.iterations(), 0);

        const auto solver = make_solver<V>(method, matrix_on(exec, laplace_2d<V>(3)));
        auto none = TestFixture::zeros(exec, 9, 0);
        EXPECT_TRUE(solver->solve(TestFixture::zeros(exec, 9, 0), none).columns.empty());
    });
}

TYPED_TEST(SolverTest, ColumnsStopOneByOneAndThenStay)
{
    using V = TypeParam;
    /// Keeps x after each iteration.
    struct Watch final : StoppingCriterion {
        explicit Watch(const Dense<V>& watched) : x(watched) {}
        SolveStatus check(const IterationInfo& info) override
        {
            snapshots.push_back(x.to_host());
            statuses.emplace_back(info.statuses.begin(), info.statuses.end());
            return SolveStatus::running;
        }
        const Dense<V>& x;
        std::vector<std::vector<V>> snapshots;
        std::vector<std::vector<SolveStatus>> statuses;
    };
    on_each_executor_and_method([](const Executor& exec, Method method) {
        // A right-hand side of j eigenvectors takes j steps.
        std::vector<V> d;
        for (int i = 0; i < 12; ++i) {
            d.push_back(V{static_cast<real_t<V>>(1 + i)});
        }
        auto a = diagonal_csr(d);
        std::vector<V> rhs(36);
        for (std::size_t i = 0; i < 12; ++i) {
            rhs[3 * i] = V{static_cast<real_t<V>>(i == 3)};
            rhs[3 * i + 1] = V{static_cast<real_t<V>>(i < 2)};
            rhs[3 * i + 2] = V{1};
        }
        const auto b = block_on<V>(exec, {12, 3}, rhs);
        auto x = TestFixture::zeros(exec, 12, 3);
        const auto solver = make_solver<V>(
            method, matrix_on(exec, a), {.stop = {.relative_residual = 1e-4}, .krylov_dim = is_gmres(method) ? 2 : 30});
        const auto watch = std::make_shared<Watch>(x);
        const auto result = solver->solve(b, x, {.criteria = {watch}});
        ASSERT_TRUE(result.converged()) << result.reason();
        EXPECT_EQ(result.columns[0].iterations, 1);
        EXPECT_LT(result.columns[0].iterations, result.columns[1].iterations);
        EXPECT_LT(result.columns[1].iterations, result.columns[2].iterations);
        TestFixture::expect_true_residuals(result, a, b, x);

        const auto last = x.to_host();
        ASSERT_EQ(static_cast<size_type>(watch->snapshots.size()), result.iterations());
        const std::size_t delay = is_gmres(method) ? 2 : 0;  // x changes at the end of a cycle
        for (std::size_t it = 0; it + delay < watch->snapshots.size(); ++it) {
            for (std::size_t col = 0; col < 3; ++col) {
                for (std::size_t row = 0; row < 12 && watch->statuses[it][col] != SolveStatus::running; ++row) {
                    const auto& then = watch->snapshots[it + delay][3 * row + col];
                    ASSERT_TRUE(same_bits<V>({then}, {last[3 * row + col]})) << it << " " << row << " " << col;
                }
            }
        }
    });
}

TYPED_TEST(SolverTest, ColumnsDoNotInfluenceEachOther)
{
    using V = TypeParam;
    on_each_executor_and_method([](const Executor& exec, Method method) {
        const auto a = TestFixture::suitable_matrix(method, 33);
        const auto solver =
            make_solver<V>(method, matrix_on(exec, a), {.stop = {.relative_residual = 100 * eps<V>}, .krylov_dim = 7});
        Random random(5);
        auto b = random_dense<V>(random, exec, {33, 3}, 2);
        auto together = TestFixture::zeros(exec, 33, 3);
        b.columns(1, 1).fill(V{});
        const auto result = solver->solve(b, together);
        for (size_type col = 0; col < 3; ++col) {
            auto x = TestFixture::zeros(exec, 33);
            const auto b_col = b.columns(col, 1).copy();
            const auto single = solver->solve(b_col, x);
            EXPECT_EQ(single.columns[0].status, result.columns[static_cast<std::size_t>(col)].status);
            EXPECT_NEAR(static_cast<double>(single.iterations()),
                        static_cast<double>(result.columns[static_cast<std::size_t>(col)].iterations), 1);
            expect_near(together.columns(col, 1).copy(), x, 1e4);
        }
    });
}

TYPED_TEST(SolverTest, NotANumber)
{
    using V = TypeParam;
    const auto nan = std::numeric_limits<real_t<V>>::quiet_NaN();
    const auto infinity = std::numeric_limits<real_t<V>>::infinity();
    on_each_executor_and_method([&](const Executor& exec, Method method) {
        const auto a = TestFixture::suitable_matrix(method, 10);
        const auto solver = make_solver<V>(method, matrix_on(exec, a));
        for (const auto bad : {nan, infinity}) {
            SCOPED_TRACE(bad);
            std::vector<V> rhs(20, V{1});
            rhs[6] = V{bad};  // row 3 of column 0
            const auto b = block_on<V>(exec, {10, 2}, rhs);
            auto x = TestFixture::zeros(exec, 10, 2);
            const auto result = solver->solve(b, x);
            EXPECT_EQ(result.columns[0].status, SolveStatus::not_a_number);
            EXPECT_EQ(result.columns[0].iterations, 0);
            EXPECT_EQ(result.columns[1].status, SolveStatus::converged);
            EXPECT_EQ(result.status(), SolveStatus::not_a_number);
            EXPECT_EQ(x.to_host()[0], V{});

            auto broken = a;
            broken.values[3] = V{bad};
            x.fill(V{});
            const auto b_fine = TestFixture::ones(exec, 10, 2);
            const auto other = make_solver<V>(method, matrix_on(exec, broken))->solve(b_fine, x);
            EXPECT_EQ(other.columns[0].status, SolveStatus::not_a_number);
            EXPECT_EQ(other.columns[1].status, SolveStatus::not_a_number);
            EXPECT_EQ(x.to_host(), std::vector<V>(20, V{}));  // nothing to show: it stays
        }
    });
}

TYPED_TEST(SolverTest, PreconditionerThatFails)
{
    using V = TypeParam;
    on_each_executor_and_method([](const Executor& exec, Method method) {
        const auto spoil = [](const Dense<V>&, Dense<V>& x) { x.fill(V{std::numeric_limits<real_t<V>>::quiet_NaN()}); };
        const auto solver = make_solver<V>(method, matrix_on(exec, laplace_2d<V>(4)),
                                           {.preconditioner = host_preconditioner<V>(spoil)});
        auto x = TestFixture::ones(exec, 16);
        const auto result = solver->solve(TestFixture::ones(exec, 16), x);
        EXPECT_EQ(result.status(), SolveStatus::not_a_number);
        EXPECT_TRUE(same_bits(x.to_host(), std::vector<V>(16, V{1})));
    });
}

TYPED_TEST(SolverTest, SingularSystemsDoNotEndInSilence)
{
    using V = TypeParam;
    on_each_executor_and_method([](const Executor& exec, Method method) {
        const auto a = neumann_1d<V>(8);
        const auto solver =
            make_solver<V>(method, matrix_on(exec, a), {.stop = {.max_iterations = 60, .relative_residual = 1e-4}});
        std::vector<V> rhs(8);
        rhs[0] = V{1};  // not orthogonal to the constants: there is no solution
        const auto b = Dense<V>::vector(exec, rhs);
        auto x = TestFixture::zeros(exec, 8);
        const auto result = solver->solve(b, x);
        EXPECT_NE(result.status(), SolveStatus::converged);
        EXPECT_NE(result.status(), SolveStatus::running);
        EXPECT_GE(result.columns[0].residual, 0.3);  // at least the distance to the range, 1 / sqrt(8)
        TestFixture::expect_true_residuals(result, a, b, x);

        rhs[7] = V{-1};  // in the range: one of the solutions
        const auto consistent = Dense<V>::vector(exec, rhs);
        x.fill(V{});
        EXPECT_TRUE(solver->solve(consistent, x).converged());
        EXPECT_LE(true_residual(a, consistent, x), 1.5e-4);
    });
}

TYPED_TEST(SolverTest, ZeroMatrixBreaksDownAndLeavesX)
{
    using V = TypeParam;
    on_each_executor_and_method([](const Executor& exec, Method method) {
        const TestCsr<V> a{{5, 5}, {0, 0, 0, 0, 0, 0}, {}, {}};
        auto x = TestFixture::ones(exec, 5);
        const auto result = make_solver<V>(method, matrix_on(exec, a))->solve(TestFixture::ones(exec, 5), x);
        EXPECT_EQ(result.status(), SolveStatus::breakdown);
        EXPECT_EQ(result.iterations(), 0);
        EXPECT_EQ(result.relative_residual(), 1);
        EXPECT_TRUE(same_bits(x.to_host(), std::vector<V>(5, V{1})));
    });
}

TYPED_TEST(SolverTest, ReportsTheTrueResidualAtTheIterationLimit)
{
    using V = TypeParam;
    on_each_executor_and_method([](const Executor& exec, Method method) {
        const auto a = laplace_2d<V>(12);
        Random random(6);
        const auto b = random_dense<V>(random, exec, {144, 2});
        const auto solver = make_solver<V>(method, matrix_on(exec, a),
                                           {.stop = {.max_iterations = 13, .relative_residual = 0}, .krylov_dim = 5});
        for (const size_type limit : {0, 1, 4, 13}) {
            SCOPED_TRACE(limit);
            auto x = random_dense<V>(random, exec, {144, 2});
            const auto result = solver->solve(b, x, {.max_iterations = limit});
            EXPECT_EQ(result.status(), SolveStatus::max_iterations);
            EXPECT_EQ(result.columns[0].iterations, limit);
            EXPECT_EQ(result.columns[1].iterations, limit);
            TestFixture::expect_true_residuals(result, a, b, x);
        }
    });
}

TYPED_TEST(SolverTest, HistoryHoldsTheResidualsOfEachIteration)
{
    using V = TypeParam;
    on_each_executor_and_method([](const Executor& exec, Method method) {
        const auto a = laplace_2d<V>(8);
        const auto b = TestFixture::ones(exec, 64, 2);
        auto x = TestFixture::zeros(exec, 64, 2);
        auto easy = x.columns(1, 1);
        const Stop stop{.relative_residual = 1e-4};
        ASSERT_TRUE(make_solver<V>(method, matrix_on(exec, a), {.stop = {.relative_residual = 5e-3}})
                        ->solve(TestFixture::ones(exec, 64), easy)
                        .converged());
        const auto x0 = x.copy();
        const auto solver = make_solver<V>(method, matrix_on(exec, a), {.stop = stop, .krylov_dim = 6});
        const auto result = solver->solve(b, x, {.history = true});
        ASSERT_TRUE(result.converged());
        ASSERT_EQ(static_cast<size_type>(result.history.size()), result.iterations() + 1);
        ASSERT_LT(result.columns[1].iterations, result.columns[0].iterations);
        for (std::size_t col = 0; col < 2; ++col) {
            EXPECT_EQ(result.history.front()[col], result.columns[col].initial_residual);
            EXPECT_LE(result.history.back()[col], result.columns[col].tolerance);
        }
        for (std::size_t it = static_cast<std::size_t>(result.columns[1].iterations); it < result.history.size();
             ++it) {
            EXPECT_EQ(result.history[it][1], result.history.back()[1]);  // a stopped column keeps its last
        }
        for (size_type it = 1; it < result.iterations(); it += 3) {
            x.copy_from(x0);
            solver->solve(b, x, {.max_iterations = it});
            const double recorded = result.history[static_cast<std::size_t>(it)][0];
            EXPECT_NEAR(true_residual(a, b, x, 0), recorded, 1000 * eps<V> * 8) << "after iteration " << it;
        }
        EXPECT_TRUE(solver->solve(b, x).history.empty());
    });
}

TYPED_TEST(SolverTest, EndsAsStagnatedWhereRoundingForbidsTheTolerance)
{
    using V = TypeParam;
    on_each_executor_and_method([](const Executor& exec, Method method) {
        if (method == Method::cg_pipelined) {
            return;  // runs to its limit
        }
        const auto a = laplace_2d<V>(20);
        Random random(7);
        const auto b = random_dense<V>(random, exec, {400, 1});
        auto x = TestFixture::zeros(exec, 400);
        const auto result = make_solver<V>(method, matrix_on(exec, a),
                                           {.stop = {.max_iterations = 5000, .relative_residual = eps<V> / 100}})
                                ->solve(b, x);
        EXPECT_FALSE(result.converged());
        EXPECT_TRUE(result.status() == SolveStatus::stagnated ||
                    (method == Method::bicgstab && result.status() == SolveStatus::breakdown))
            << result.reason();
        EXPECT_LE(result.relative_residual(), 1e4 * eps<V>);  // but it came as far as it could
        TestFixture::expect_true_residuals(result, a, b, x);
    });
}

TYPED_TEST(SolverTest, GoesOnFromTheTrueResidualWhereTheRecurrenceHasDrifted)
{
    using V = TypeParam;
    on_each_executor_and_method([](const Executor& exec, Method method) {
        if (method == Method::cg_pipelined) {
            return;  // stalls
        }
        // A far initial guess: rounding errors of its size stay in the recurrence's residual.
        const auto a = laplace_2d<V>(10);
        Random random(8);
        auto x = random_dense<V>(random, exec, {100, 1});
        x.scale(V{real_t<V>(1e4)});
        const auto b = random_dense<V>(random, exec, {100, 1});
        const auto result =
            make_solver<V>(method, matrix_on(exec, a), {.stop = {.relative_residual = 300 * eps<V>}})->solve(b, x);
        EXPECT_TRUE(result.converged()) << result.reason();
        EXPECT_LE(true_residual(a, b, x), 400 * eps<V> * result.columns[0].rhs_norm);
    });
}

TYPED_TEST(SolverTest, UpdateValuesSolvesTheNewSystem)
{
    using V = TypeParam;
    on_each_executor_and_method([](const Executor& exec, Method method) {
        const auto a = TestFixture::suitable_matrix(method, 20);
        auto doubled = a;
        for (auto& value : doubled.values) {
            value *= real_t<V>(2);
        }
        const Stop stop{.relative_residual = 100 * eps<V>};
        const auto solver = make_solver<V>(method, matrix_on(exec, a), {.stop = stop});
        const auto b = TestFixture::ones(exec, 20);
        auto x = TestFixture::zeros(exec, 20);
        ASSERT_TRUE(solver->solve(b, x).converged());
        solver->update_values(matrix_on(exec, doubled));
        auto y = TestFixture::zeros(exec, 20);
        ASSERT_TRUE(solver->solve(b, y).converged());
        y.scale(V{2});
        expect_near(y, x, 1e4);
        EXPECT_THROW(solver->update_values(matrix_on(exec, laplace_2d<V>(3))), DimensionMismatch);
    });
}

TYPED_TEST(SolverTest, AppliesAsAnOperatorFromZero)
{
    using V = TypeParam;
    on_each_executor_and_method([](const Executor& exec, Method method) {
        const auto a = TestFixture::suitable_matrix(method, 25);
        // Pipelined recurrences leave the true residual, which `solve` looks at in the end, and `apply` does not.
        const auto tolerance = (method == Method::cg_pipelined ? 10000 : 100) * eps<V>;
        const auto solver = make_solver<V>(method, matrix_on(exec, a), {.stop = {.relative_residual = tolerance}});
        Random random(9);
        const auto b = random_dense<V>(random, exec, {25, 2});
        auto x = TestFixture::zeros(exec, 25, 2);
        solver->solve(b, x);
        auto y = Dense<V>::filled(exec, {25, 2}, V{std::numeric_limits<real_t<V>>::quiet_NaN()});
        solver->apply(b, y);
        EXPECT_TRUE(same_bits(x.to_host(), y.to_host()));
    });
}

TYPED_TEST(SolverTest, WorksOnOperandsOfAnotherExecutor)
{
    using V = TypeParam;
    on_each_executor_and_method([](const Executor& exec, Method method) {
        const auto host = Executor::reference();
        const auto solver =
            make_solver<V>(method, matrix_on(exec, laplace_2d<V>(5)), {.stop = {.relative_residual = 100 * eps<V>}});
        const auto b = TestFixture::ones(host, 25);
        auto x = TestFixture::zeros(host, 25);
        EXPECT_TRUE(solver->solve(b, x).converged());
        EXPECT_LE(true_residual(laplace_2d<V>(5), b, x), 1000 * eps<V>);
    });
}

TYPED_TEST(SolverTest, RefusesWhatDoesNotFit)
{
    using V = TypeParam;
    on_each_executor_and_method([](const Executor& exec, Method method) {
        const auto solver = make_solver<V>(method, matrix_on(exec, laplace_2d<V>(3)));
        auto x = TestFixture::zeros(exec, 9, 2);
        EXPECT_THROW(solver->solve(TestFixture::ones(exec, 9), x), DimensionMismatch);
        auto longer = TestFixture::zeros(exec, 10);
        EXPECT_THROW(solver->solve(TestFixture::ones(exec, 10), longer), DimensionMismatch);
        EXPECT_THROW(solver->solve(x, x), InvalidParameter);
        try {
            make_solver<V>(method, matrix_on(exec, TestCsr<V>{{1, 2}, {0, 0}, {}, {}}));
            ADD_FAILURE() << "a matrix of 1 x 2 is taken";
        } catch (const DimensionMismatch& error) {
            EXPECT_NE(std::string(error.what()).find("Lsqr"), std::string::npos) << error.what();
            EXPECT_EQ(error.size_a, (Dim{1, 2}));
        }
    });
}

TYPED_TEST(SolverTest, WorkspaceIsWhatItSaysAndIsKept)
{
    using V = TypeParam;
    on_each_executor_and_method([](const Executor& exec, Method method) {
        for (const bool preconditioned : {false, true}) {
            const auto copy = [](const Dense<V>& b, Dense<V>& x) { x.copy_from(b); };
            const auto solver =
                make_solver<V>(method, matrix_on(exec, laplace_2d<V>(6)),
                               {.preconditioner = preconditioned ? host_preconditioner<V>(copy) : nullptr});
            const auto b = TestFixture::ones(exec, 36, 3);
            auto x = TestFixture::zeros(exec, 36, 3);
            const auto before = exec.counters();
            solver->solve(b, x);
            const auto after = exec.counters();
            EXPECT_EQ(after.allocated_bytes - before.allocated_bytes,
                      static_cast<std::uint64_t>(solver->workspace_bytes(3)));
            x.fill(V{});
            solver->solve(b, x);
            EXPECT_EQ(exec.counters().allocations, after.allocations);
        }
    });
}

TYPED_TEST(SolverTest, IterationsAllocateNothingAndCallAFixedNumberOfKernels)
{
    using V = TypeParam;
    on_each_executor_and_method([](const Executor& exec, Method method) {
        const size_type m = 10;
        const auto solver =
            make_solver<V>(method, matrix_on(exec, laplace_2d<V>(16)),
                           {.stop = {.max_iterations = 2 * m, .relative_residual = 0}, .krylov_dim = m});
        const auto b = TestFixture::ones(exec, 256);
        auto x = TestFixture::zeros(exec, 256);
        const auto run = [&](size_type iterations) {
            x.fill(V{});
            const auto before = exec.counters();
            EXPECT_EQ(solver->solve(b, x, {.max_iterations = iterations}).iterations(), iterations);
            const auto after = exec.counters();
            return ExecutorCounters{after.kernel_launches - before.kernel_launches,
                                    after.host_synchronizations - before.host_synchronizations,
                                    after.allocations - before.allocations};
        };
        run(m);
        const auto once = run(m);
        const auto twice = run(2 * m);
        EXPECT_EQ(once.allocations, 0u);
        EXPECT_EQ(twice.allocations, 0u);
        // HIP's graphs have no loops: the host waits for each chunk of iterations.
        const std::uint64_t chunks = exec.backend() == Backend::hip ? static_cast<std::uint64_t>(m) / 2 : 0;
        EXPECT_LE(twice.host_synchronizations, once.host_synchronizations + chunks);
        const std::uint64_t expected = method == Method::cg                    ? 3 * m
                                       : method == Method::cg_single_reduction ? 2 * m
                                       : method == Method::cg_pipelined        ? 2 * m
                                       : method == Method::bicgstab            ? 5 * m
                                                                               : 5 * m - 1 + 5;
        if (exec.is_host()) {  // a recorded loop launches its kernels out of sight
            // The last restart of a host loop leaves out the residual it needs no more.
            EXPECT_EQ(twice.kernel_launches - once.kernel_launches, expected);
        }
    });
}

TYPED_TEST(SolverTest, SolvesFromSeveralThreadsAtOnce)
{
    using V = TypeParam;
    on_each_executor_and_method([](const Executor& exec, Method method) {
        const auto a = laplace_2d<V>(10);
        const auto solver = make_solver<V>(method, matrix_on(exec, a), {.stop = {.relative_residual = 1e-5}});
        Random random(10);
        std::vector<Dense<V>> b, x, expected;
        for (int i = 0; i < 2; ++i) {
            b.push_back(random_dense<V>(random, exec, {100, 1 + i}));
            x.push_back(TestFixture::zeros(exec, 100, 1 + i));
            expected.push_back(TestFixture::zeros(exec, 100, 1 + i));
            solver->solve(b.back(), expected.back());
        }
        std::vector<std::thread> threads;
        for (std::size_t i = 0; i < 2; ++i) {
            threads.emplace_back([&, i] {
                for (int repeat = 0; repeat < 5; ++repeat) {
                    x[i].fill(V{});
                    solver->solve(b[i], x[i]);
                }
            });
        }
        for (auto& thread : threads) {
            thread.join();
        }
        for (std::size_t i = 0; i < 2; ++i) {
            EXPECT_TRUE(same_bits(x[i].to_host(), expected[i].to_host()));
        }
    });
}

TYPED_TEST(SolverTest, RepeatsBitForBit)
{
    using V = TypeParam;
    on_each_executor_and_method([](const Executor& exec, Method method) {
        // The host executor of HIP runs one work-item after the other: a smaller problem takes it as far.
        const size_type n = exec.info().name.starts_with("host executor") ? 16 : 40;
        const auto solver = make_solver<V>(method, matrix_on(exec, laplace_2d<V>(n)),
                                           {.stop = {.max_iterations = 60, .relative_residual = 1e-5}});
        Random random(11);
        const auto b = random_dense<V>(random, exec, {n * n, 2});
        auto x = TestFixture::zeros(exec, n * n, 2);
        auto y = TestFixture::zeros(exec, n * n, 2);
        const auto first = solver->solve(b, x, {.history = true});
        const auto second = solver->solve(b, y, {.history = true});
        EXPECT_TRUE(same_bits(x.to_host(), y.to_host()));
        EXPECT_EQ(first.history, second.history);
    });
}

}  // namespace
}  // namespace linden::test
