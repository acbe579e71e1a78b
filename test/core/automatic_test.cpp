// needs: double int32
#include <linden/config/config.hpp>
#include <linden/error.hpp>
#include <linden/io/problems.hpp>
#include <linden/log/logger.hpp>
#include <linden/matrix/csr.hpp>
#include <linden/matrix/dense.hpp>
#include <linden/solver/automatic.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <thread>

#include "core/automatic/method_queue.hpp"
#include "core/automatic/methods.hpp"
#include "core/automatic/rate_watch.hpp"
#include "test/support/backends.hpp"
#include "test/support/matrices.hpp"

namespace linden::test {
namespace {

using Data = CsrData<double, int>;
using linden::detail::MatrixKind;

LinOpPtr<double> problem(const Executor& exec, const char* spec)
{
    return share(Csr<double, int>(exec, generate_problem<double, int>(spec)));
}

MatrixKind kind(const Data& a)
{
    return linden::detail::kind_of(statistics(Csr<double, int>(reference_executor(), a)));
}

TEST(Automatic, TellsMatricesApart)
{
    const auto of = [](const char* spec) {
        return linden::detail::kind_of(
            statistics(Csr<double, int>(reference_executor(), generate_problem<double, int>(spec))));
    };
    EXPECT_EQ(of("lap2d:10"), MatrixKind::laplacian);
    EXPECT_EQ(of("twophase:16:1000"), MatrixKind::laplacian);
    EXPECT_EQ(of("convdiff3d:6:1"), MatrixKind::dominant);
    // [2 1; 1 2] has not the signs; [1 2; 2 1] and [0 1; 1 0] are indefinite; a diagonal below rounding is none.
    EXPECT_EQ(kind({{2, 2}, {0, 2, 4}, {0, 1, 0, 1}, {2, 1, 1, 2}}), MatrixKind::definite);
    EXPECT_EQ(kind({{2, 2}, {0, 2, 4}, {0, 1, 0, 1}, {-2, 1, 1, -2}}), MatrixKind::laplacian);
    EXPECT_EQ(kind({{2, 2}, {0, 2, 4}, {0, 1, 0, 1}, {2, 1, 1, -2}}), MatrixKind::indefinite);
    EXPECT_EQ(kind({{2, 2}, {0, 1, 2}, {1, 0}, {1, 1}}), MatrixKind::indefinite);
    EXPECT_EQ(kind({{2, 2}, {0, 2, 4}, {0, 1, 0, 1}, {1, 3, 2, 1}}), MatrixKind::general);
    EXPECT_EQ(kind({{2, 2}, {0, 2, 4}, {0, 1, 0, 1}, {1e-12, 3, 2, 1}}), MatrixKind::hollow);
    EXPECT_EQ(kind({{2, 2}, {0, 1, 2}, {1, 0}, {1, 2}}), MatrixKind::hollow);
}

TEST(Automatic, SaysWhatItSees)
{
    const auto of = [](const Data& a) {
        return linden::detail::description_of(statistics(Csr<double, int>(reference_executor(), a)));
    };
    EXPECT_EQ(of({{2, 2}, {0, 2, 3}, {0, 1, 0}, {2, 1, 1}}),
              "2 rows, 3 nonzeros, Hermitian, 1 zero diagonal entry (indefinite)");
    EXPECT_EQ(of({{1, 1}, {0, 1}, {0}, {-2}}),
              "1 row, 1 nonzero, Hermitian, a negative diagonal, diagonally dominant (laplacian)");
    EXPECT_EQ(of({{0, 0}, {0}, {}, {}}), "0 rows, 0 nonzeros, Hermitian, diagonally dominant (laplacian)");
}

/// The first method for a Laplacian matrix with these statistics, as those of lap2d:m and lap3d:m in their natural
/// order.
std::string_view first_method(size_type rows, size_type nonzeros, size_type bandwidth, bool is_device,
                              double contrast = 1)
{
    MatrixStatistics m;
    m.size = {rows, rows};
    m.num_nonzeros = nonzeros;
    m.lower_bandwidth = m.upper_bandwidth = bandwidth;
    m.is_hermitian = m.is_nearly_hermitian = true;
    m.num_dominant_rows = m.num_sign_rows = rows;
    m.row_scale_spread = contrast;
    return linden::detail::methods_for(m, is_device ? 1 : 0).front().name;
}

TEST(Automatic, TakesMultigridOnDevicesWhereCgWouldTakeLonger)
{
    EXPECT_EQ(first_method(10'000, 49'600, 100, true), "cg+jacobi");
    EXPECT_EQ(first_method(1'000'000, 4'996'000, 1000, true), "cg+amg");
    EXPECT_EQ(first_method(1'000'000, 6'940'000, 10'000, true), "cg+jacobi");
    EXPECT_EQ(first_method(16'777'216, 117'047'296, 65'536, true), "cg+amg");
    EXPECT_EQ(first_method(1'000'000, 4'996'000, 999'000, true), "cg+jacobi");  // permuted at random
    EXPECT_EQ(first_method(1, 1, 0, true), "cg+jacobi");
    EXPECT_EQ(first_method(1'000'000, 6'940'000, 10'000, true, 1024), "cg+amg");
    EXPECT_EQ(first_method(1'000'000, 6'940'000, 10'000, true, 16), "cg+jacobi");
}

TEST(Automatic, TakesMultigridOnHostsWhereCgWouldTakeManyIterations)
{
    EXPECT_NE(first_method(10'000, 49'600, 100, false), "cg+amg");
    EXPECT_EQ(first_method(90'000, 448'800, 300, false), "cg+amg");
    EXPECT_NE(first_method(90'000, 448'800, 89'000, false), "cg+amg");  // permuted at random
    EXPECT_NE(first_method(125'000, 860'000, 2500, false), "cg+amg");
    EXPECT_EQ(first_method(1'000'000, 4'996'000, 1000, false), "cg+amg");
}

TEST(Automatic, LeavesOutJacobiWhereTheDiagonalIsConstant)
{
    MatrixStatistics m;
    m.size = {1000, 1000};
    m.num_nonzeros = 5000;
    m.lower_bandwidth = m.upper_bandwidth = 100;
    m.num_dominant_rows = m.num_sign_rows = 1000;
    const auto first = [&](bool is_hermitian, bool is_constant, size_type num_negative) {
        m.is_nearly_hermitian = is_hermitian;
        m.has_constant_diagonal = is_constant;
        m.num_negative_diagonal = num_negative;
        const auto method = linden::detail::methods_for(m, 0).front();
        EXPECT_GT(method.expected_seconds, 0);
        return method.name;
    };
    EXPECT_EQ(first(true, false, 0), "cg+jacobi");
    EXPECT_EQ(first(true, true, 0), "cg");
    EXPECT_EQ(first(false, false, 0), "bicgstab+jacobi");
    EXPECT_EQ(first(false, true, 0), "bicgstab");
    EXPECT_EQ(first(true, true, 1000), "cg+jacobi");  // Jacobi makes it positive
}

TEST(Automatic, HasMethodsForEveryKind)
{
    for (const auto& method : linden::detail::all_methods()) {
        const auto factory = config::parse_factory<double>(method.json, method.name);
        EXPECT_EQ(config::kind_of<double>(factory->type()), config::Kind::solver) << method.name;
    }
    const Data kinds[] = {{{1, 1}, {0, 1}, {0}, {2}},
                          {{2, 2}, {0, 2, 4}, {0, 1, 0, 1}, {2, 1, 1, 2}},
                          {{2, 2}, {0, 1, 2}, {1, 0}, {1, 1}},
                          {{2, 2}, {0, 2, 3}, {0, 1, 1}, {2, 1, 2}},
                          {{2, 2}, {0, 2, 4}, {0, 1, 0, 1}, {1, 3, 2, 1}},
                          {{2, 2}, {0, 1, 2}, {1, 0}, {1, 2}}};
    for (std::size_t i = 0; i < std::size(kinds); ++i) {
        auto matrix = statistics(Csr<double, int>(reference_executor(), kinds[i]));
        EXPECT_EQ(static_cast<std::size_t>(linden::detail::kind_of(matrix)), i);
        for (const bool is_device : {false, true}) {
            for (const size_type rows : {1, 1000, 100'000, 1'000'000'000}) {
                const size_type factor = rows / matrix.size.rows;
                auto larger = matrix;
                larger.size = {rows, rows};
                larger.num_zero_diagonal *= factor;
                larger.num_dominant_rows *= factor;
                larger.num_sign_rows *= factor;
                const auto methods = linden::detail::methods_for(larger, is_device ? 1 : 0);
                ASSERT_FALSE(methods.empty());
                // The last resort is there.
                EXPECT_TRUE(std::any_of(methods.begin(), methods.end(), [](const auto& m) { return m.name == "lu"; }));
            }
        }
    }
}

/// Solves A x = A 1 and returns the report.
AutomaticReport expect_solved(const LinOpPtr<double>& a, double rtol = 1e-6)
{
    const Automatic<double>::Parameters parameters{.stop = {.relative_residual = rtol}, .patience = 3600};
    const auto& exec = a->executor();
    const auto solver = Automatic<double>::factory(parameters).generate(a);
    const auto n = a->size().rows;
    const auto ones = Dense<double>::filled(exec, {n, 1}, 1);
    Dense<double> b(exec, {n, 1});
    a->apply(ones, b);
    auto x = Dense<double>::filled(exec, {n, 1}, 0);
    const auto result = solver->solve(b, x);
    EXPECT_TRUE(result.converged()) << result.reason() << "\n" << solver->report().text();
    EXPECT_LE(result.relative_residual(), parameters.stop.relative_residual * 1.0001) << solver->report().text();
    return solver->report();
}

TEST(Automatic, SolvesModelProblems)
{
    on_each_executor([](const Executor& exec) {
        for (const char* spec : {"lap2d:12", "lap2d:60", "convdiff3d:7:20", "twophase:16:1000"}) {
            SCOPED_TRACE(spec);
            const auto report = expect_solved(problem(exec, spec), 1e-8);
            EXPECT_EQ(report.attempts.size(), 1u) << report.text();
            EXPECT_EQ(report.attempts.front().outcome, "");
            EXPECT_NE(report.text().find("in use: " + report.attempts.front().solver), std::string::npos);
        }
    });
}

/// A saddle point, a matrix without a diagonal, one row, and rows of very different scales.
TEST(Automatic, SolvesOddMatrices)
{
    on_each_executor([](const Executor& exec) {
        const auto solves = [&](const Data& a) { expect_solved(share(Csr<double, int>(exec, a))); };
        solves({{1, 1}, {0, 1}, {0}, {-3}});
        solves({{3, 3}, {0, 2, 4, 6}, {0, 2, 1, 2, 0, 1}, {2, 1, 3, 1, 1, 1}});
        solves({{3, 3}, {0, 1, 2, 3}, {2, 0, 1}, {5, 1e-9, 1e9}});
        Data cycle{{40, 40}, {0}, {}, {}};
        for (int row = 0; row < 40; ++row) {
            cycle.col_idxs.push_back((row + 7) % 40);
            cycle.values.push_back(std::ldexp(1.0, row % 30));
            cycle.row_ptrs.push_back(row + 1);
        }
        solves(cycle);
    });
}

/// Singular, with b outside of the range: every method is tried, none pretends, and x is no worse than it was.
TEST(Automatic, SaysThatNothingHelps)
{
    const auto a = share(Csr<double, int>(reference_executor(), Data{{2, 2}, {0, 2, 4}, {0, 1, 0, 1}, {1, 2, 2, 4}}));
    const auto solver = Automatic<double>::factory().generate(a);
    const auto b = Dense<double>::vector(reference_executor(), {1, 0});
    auto x = Dense<double>::filled(reference_executor(), {2, 1}, 0);
    const auto result = solver->solve(b, x);
    EXPECT_FALSE(result.converged());
    EXPECT_LE(result.relative_residual(), 1);
    auto r = b.copy();
    a->apply(-1.0, x, 1.0, r);
    EXPECT_NEAR(r.norm2()[0], result.columns[0].residual, 1e-12);
    const auto report = solver->report();
    EXPECT_GT(report.attempts.size(), 1u);
    EXPECT_NE(report.text().find("left: "), std::string::npos) << report.text();
}

TEST(Automatic, ItsReportMakesTheSameSolverAgain)
{
    const auto a = problem(reference_executor(), "lap2d:60");
    const auto report = expect_solved(a);
    const auto& method = report.attempts.back();
    const auto from_json = config::parse_factory<double>(method.json, "the report");
    const auto from_words = config::parse_short<double>(method.solver, method.preconditioner);
    EXPECT_EQ(config::to_json<double>(from_json), config::to_json<double>(from_words));
    const auto solver = from_json->make(a);
    const auto b = Dense<double>::filled(reference_executor(), {3600, 1}, 1);
    auto x = Dense<double>::filled(reference_executor(), {3600, 1}, 0);
    EXPECT_TRUE(dynamic_cast<const Solver<double>&>(*solver).solve(b, x).converged());
}

TEST(Automatic, KeepsItsMethodForNewValues)
{
    on_each_executor([](const Executor& exec) {
        // However slow the machine is.
        const auto solver = Automatic<double>::factory({.patience = 3600}).generate(problem(exec, "lap2d:50"));
        auto data = generate_problem<double, int>("lap2d:50");
        for (auto& value : data.values) {
            value *= 3;
        }
        const auto b = Dense<double>::filled(exec, {2500, 1}, 3);
        auto x = Dense<double>::filled(exec, {2500, 1}, 0);
        const auto first = solver->chosen();
        solver->update_values(share(Csr<double, int>(exec, data)));
        ASSERT_TRUE(solver->solve(b, x).converged());
        EXPECT_EQ(solver->chosen(), first);
        auto expected = Dense<double>::filled(exec, {2500, 1}, 0);
        const auto ones = Dense<double>::filled(exec, {2500, 1}, 1);
        ASSERT_TRUE(
            Automatic<double>::factory().generate(problem(exec, "lap2d:50"))->solve(ones, expected).converged());
        const auto found = x.to_host(), wanted = expected.to_host();
        for (std::size_t i = 0; i < found.size(); ++i) {
            ASSERT_NEAR(found[i], wanted[i], 1e-3 * wanted[i]);
        }
    });
}

struct ProductsByStencils final : Logger {
    int count = 0;

    void on_kernel_begin(std::string_view kernel, std::string_view) override
    {
        count += kernel.starts_with("stencil::spmv") ? 1 : 0;
    }
};

/// Large grids with constant coefficients are multiplied by their stencils, also with new values.
TEST(Automatic, TakesTheFastestFormatOfLargeMatrices)
{
    const auto exec = Executor::omp();
    const auto products = [&](const char* spec) {
        const auto data = generate_problem<double, std::int32_t>(spec);
        const auto a = share(Csr<double, std::int32_t>(exec, data));
        auto solver = Automatic<double>::factory({.stop = {.max_iterations = 3}}).generate(a);
        const auto counter = std::make_shared<ProductsByStencils>();
        exec.add_logger(counter);
        const auto b = Dense<double>::filled(exec, {data.size.rows, 1}, 1);
        for (int i = 0; i < 2; ++i) {
            auto x = Dense<double>::filled(exec, b.size(), 0);
            (void)solver->solve(b, x);
            solver->update_values(a);
        }
        exec.remove_logger(counter.get());
        return counter->count;
    };
    EXPECT_GE(products("lap2d:520"), 6);
    EXPECT_EQ(products("lap2d:500"), 0);
}

TEST(Automatic, ServesSeveralThreads)
{
    const auto solver = Automatic<double>::factory().generate(problem(reference_executor(), "lap2d:40"));
    const auto b = Dense<double>::filled(reference_executor(), {1600, 1}, 1);
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
        threads.emplace_back([&] {
            auto x = Dense<double>::filled(reference_executor(), {1600, 1}, 0);
            EXPECT_TRUE(solver->solve(b, x).converged());
        });
    }
    for (auto& thread : threads) {
        thread.join();
    }
}

TEST(Automatic, RefusesWrongOperands)
{
    const auto factory = Automatic<double>::factory();
    const Data wide{{1, 2}, {0, 1}, {0}, {1}};
    EXPECT_THROW(factory.generate(share(Csr<double, int>(reference_executor(), wide))), DimensionMismatch);
    EXPECT_THROW(Automatic<double>::factory({.patience = -1}).generate(problem(reference_executor(), "lap2d:3")),
                 InvalidParameter);
}

/// One column at these residuals with tolerance 1, every few milliseconds: whether the watch has ended the solve.
bool is_left(linden::detail::RateWatch& watch, const std::vector<double>& residuals)
{
    const std::vector<double> tolerance{1};
    const std::vector<SolveStatus> status{SolveStatus::running};
    size_type iteration = 0;
    for (const double residual : residuals) {
        const std::vector<double> norm{residual};
        if (!watch.observe({++iteration, norm, tolerance, status})) {
            return true;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(4));
    }
    return false;
}

TEST(Automatic, LeavesWhatDoesNotArrive)
{
    const std::vector<double> stuck(20, 1e6);
    std::vector<double> on_its_way;
    for (int i = 0; i < 20; ++i) {
        on_its_way.push_back(std::pow(10, 6 - 0.25 * i));
    }
    linden::detail::RateWatch patient(3600, {}, true, nullptr), last(0.01, {}, false, nullptr),
        watch(0.01, {}, true, nullptr), other(0.01, {}, true, nullptr), keen(0.01, {1e-3}, true, nullptr),
        sure(0.01, {3600}, true, nullptr);
    EXPECT_FALSE(is_left(patient, stuck));
    EXPECT_FALSE(is_left(last, stuck));
    EXPECT_TRUE(is_left(watch, stuck));
    EXPECT_TRUE(watch.has_left());
    EXPECT_FALSE(is_left(other, on_its_way));
    // What takes a millisecond elsewhere is not waited for; what takes an hour there may take its time here.
    EXPECT_TRUE(is_left(keen, on_its_way));
    std::vector<double> slow;
    for (int i = 0; i < 20; ++i) {
        slow.push_back(1e6 * (1 - 1e-3 * i));
    }
    EXPECT_FALSE(is_left(sure, slow));
}

TEST(Automatic, LooksCloserAtWhatTheNextMethodTakesBeforeItLeaves)
{
    const std::vector<double> stuck(20, 1e6);
    int looks = 0;
    const auto closer = [&](double seconds) {
        return [&looks, seconds] {
            ++looks;
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
            return seconds;
        };
    };
    linden::detail::RateWatch long_one(0.01, {1e-3, closer(3600)}, true, nullptr),
        short_one(0.01, {1e-3, closer(1e-3)}, true, nullptr);
    EXPECT_FALSE(is_left(long_one, stuck));
    EXPECT_EQ(looks, 1);
    EXPECT_TRUE(is_left(short_one, stuck));
    EXPECT_EQ(looks, 2);
}

/// It used to go on to methods that took several times what was left.
TEST(Automatic, StartsNothingThatTakesLongerThanTheTimeLeft)
{
    const std::vector<double> stuck(20, 1e6);
    linden::detail::RateWatch in_time(0.01, {.seconds = 1e-3, .limit_seconds = 3600}, true, nullptr),
        too_late(0.01, {.seconds = 1e-3, .limit_seconds = 1e-6}, true, nullptr),
        too_late_after_a_look(0.01, {.seconds = 1e-6, .closer = [] { return 0.02; }, .limit_seconds = 0.02}, true,
                              nullptr);
    EXPECT_TRUE(is_left(in_time, stuck));
    EXPECT_FALSE(is_left(too_late, stuck));
    EXPECT_FALSE(is_left(too_late_after_a_look, stuck));

    const auto exec = Executor::reference();
    for (const char* problem : {"lap2d:20", "convdiff3d:12:40"}) {
        const LinOpPtr<double> a = share(Csr<double, int>(exec, generate_problem<double, int>(problem)));
        linden::detail::MethodQueue<double> queue(a, Stop{});
        EXPECT_FALSE(queue.has_time_after(queue.in_use(), 1e-9)) << problem;
        EXPECT_TRUE(queue.has_time_after(queue.in_use(), 3600)) << problem;
    }
}

/// Meshes in space and random patterns fill in, meshes in the plane are left to typical times, networks where Lu is
/// first; of few rows factors are cheap.
TEST(Automatic, AsksTheSymbolicPhaseWhereFillIsLikely)
{
    MatrixStatistics m;
    m.size = {10'000, 10'000};
    m.num_nonzeros = 270'000;
    EXPECT_TRUE(linden::detail::may_fill(m));
    EXPECT_TRUE(linden::detail::may_fill_at_once(m));
    m.num_nonzeros = 70'000;
    EXPECT_TRUE(linden::detail::may_fill(m));
    EXPECT_FALSE(linden::detail::may_fill_at_once(m));
    m.num_nonzeros = 50'000;
    EXPECT_FALSE(linden::detail::may_fill(m));
    m.num_unmirrored = 40'000;
    EXPECT_TRUE(linden::detail::may_fill_at_once(m));
    m.size = {1000, 1000};
    EXPECT_FALSE(linden::detail::may_fill(m));
    EXPECT_DOUBLE_EQ(linden::detail::seconds_of_factors(5e9, 1'000'000), 1 + 1);
}

/// n rows, not Hermitian and not dominant; entry k = 1 ... num_others of row i stands in `column(i, k)`.
template <class Column>
auto general_matrix(const Column& column, int num_others = 10, int n = 4000)
{
    MatrixData<double, int> a{{n, n}, {}, {}, {}};
    const auto add = [&](int row, int col, double value) {
        a.rows.push_back(row);
        a.cols.push_back(col);
        a.values.push_back(value);
    };
    for (int i = 0; i < n; ++i) {
        add(i, i, 3);
        for (int k = 1; k <= num_others; ++k) {
            add(i, column(i, k), k % 3 == 0 ? -0.7 : 0.6);
        }
    }
    return share(Csr<double, int>(Executor::reference(), to_csr(a)));
}

/// Factors of a band are small, those of a graph without any order are nearly dense.
TEST(Automatic, BeginsWithFactorsWhereTheyFillLittle)
{
    const auto first = [](const auto& matrix) {
        return Automatic<double>::factory().generate(matrix)->report().attempts.front().solver.substr(0, 2);
    };
    EXPECT_EQ(first(general_matrix([](int i, int k) { return std::clamp(i + (k > 5 ? k - 5 : -k), 0, 3999); })), "lu");
    const auto scattered = [](int i, int k) { return (i * 7919 + k * k * 104729) % 4000; };
    EXPECT_NE(first(general_matrix(scattered)), "lu");
    EXPECT_NE(first(general_matrix(scattered, 4)), "lu");
}

/// The KKT matrix of an interior point method, [-D, C^T; C, 0] with random C: its factors are nearly dense, and the
/// first method makes no way. It used to go on until its limit of iterations, since factors came next.
TEST(Automatic, GoesOnToOtherMethodsWhereFactorsFill)
{
    constexpr int num_variables = 2500, num_constraints = 2000;
    MatrixData<double, int> kkt{{num_variables + num_constraints, num_variables + num_constraints}, {}, {}, {}};
    const auto add = [&](int row, int col, double value) {
        kkt.rows.push_back(row);
        kkt.cols.push_back(col);
        kkt.values.push_back(value);
    };
    for (int i = 0; i < num_variables; ++i) {
        add(i, i, -std::pow(10.0, i * 7919 % 17 - 8));
    }
    for (int row = 0; row < num_constraints; ++row) {
        for (int k = 1; k <= 12; ++k) {
            const int col = (row * 7919 + k * k * 104729) % num_variables;
            add(num_variables + row, col, k % 3 + 1);
            add(col, num_variables + row, k % 3 + 1);
        }
    }
    const auto a = share(Csr<double, int>(Executor::reference(), to_csr(kkt)));
    linden::detail::MethodQueue<double> queue(a, Stop{});
    const auto first = queue.in_use();
    ASSERT_TRUE(first.may_look_closer);
    const auto next = queue.leave(first.number, "tested");
    EXPECT_EQ(next.solver->name(), "Gmres");
    EXPECT_FALSE(next.may_look_closer);
}

/// Networks of more than 20,000 rows, which had ILUT set up first, for longer than all that Lu takes.
TEST(Automatic, TakesFactorsThatFillLittleBeforeMethodsWithALongSetUp)
{
    const auto third = [](const auto& matrix) {
        linden::detail::MethodQueue<double> queue(matrix, Stop{});
        const auto second = queue.leave(queue.in_use().number, "tested");
        return queue.leave(second.number, "tested").solver->name();
    };
    const auto band = [](int i, int k) { return std::clamp(i + (k > 3 ? k - 3 : -k), 0, 23999); };
    const auto scattered = [](int i, int k) { return (i * 7919 + k * k * 104729) % 24000; };
    EXPECT_EQ(third(general_matrix(band, 6, 24000)), "Lu");
    EXPECT_EQ(third(general_matrix(scattered, 6, 24000)), "Gmres");
}

/// Coefficients of 1e-4 and 1e4 without an order, and an absorption of 1e-6: pivots of Lu are replaced, those of
/// Cholesky are not.
TEST(Automatic, TakesCholeskyWhereADominantDiagonalSaysThatItMay)
{
    const auto methods = [](const LinOpPtr<double>& a) {
        return linden::detail::methods_for(statistics(dynamic_cast<const Csr<double, int>&>(*a)), 0);
    };
    const auto place = [](const auto& order, std::string_view name) {
        return std::find_if(order.begin(), order.end(), [&](const auto& m) { return m.name == name; }) - order.begin();
    };
    const auto diffusion = methods(problem(reference_executor(), "bubbles:30:10:1e8:1"));
    EXPECT_LT(place(diffusion, "cholesky"), place(diffusion, "lu"));
    EXPECT_EQ(diffusion.back().name, "lu");
    EXPECT_EQ(diffusion[place(diffusion, "cholesky")].expected_seconds, diffusion.back().expected_seconds);
    // Not of one sign, or not dominant in one row.
    const Data negative{{2, 2}, {0, 2, 4}, {0, 1, 0, 1}, {-2, 1, 1, -2}};
    const Data not_dominant{{2, 2}, {0, 2, 4}, {0, 1, 0, 1}, {2, -1, -1, 0.5}};
    for (const auto& data : {negative, not_dominant}) {
        const auto others = methods(share(Csr<double, int>(reference_executor(), data)));
        EXPECT_EQ(place(others, "cholesky"), std::ssize(others));
    }
}

TEST(Automatic, PassesOnItsStoppingRule)
{
    const double inf = std::numeric_limits<double>::infinity();
    const Stop stop{.max_iterations = 77, .relative_residual = 1e-5, .divergence = inf, .stagnation_iterations = 33};
    const auto solver = Automatic<double>::factory({.stop = stop}).generate(problem(reference_executor(), "lap2d:9"));
    EXPECT_EQ(solver->report().attempts.front().solver,
              "cg:max_iterations=77,relative_residual=1e-05,divergence=inf,stagnation_iterations=33");
}

TEST(Automatic, TheUsersObserverEndsIt)
{
    struct Ends final : SolveObserver {
        bool observe(const IterationInfo&) override { return false; }
    };
    const auto solver = Automatic<double>::factory({.stop = {.relative_residual = 1e-14}})
                            .generate(problem(reference_executor(), "lap2d:60"));
    const auto b = Dense<double>::filled(reference_executor(), {3600, 1}, 1);
    auto x = Dense<double>::filled(reference_executor(), {3600, 1}, 0);
    EXPECT_EQ(solver->solve(b, x, {.observer = std::make_shared<Ends>()}).status(), SolveStatus::interrupted);
    EXPECT_EQ(solver->report().attempts.size(), 1u);
}

}  // namespace
}  // namespace linden::test
