// needs: double int32
#include <linden/error.hpp>
#include <linden/factory.hpp>
#include <linden/matrix/csr.hpp>
#include <linden/matrix/dense.hpp>
#include <linden/solver/bicgstab.hpp>
#include <linden/solver/cg.hpp>
#include <linden/solver/richardson.hpp>

#include <gtest/gtest.h>

#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "test/support/backends.hpp"

namespace linden {
namespace {

using test::on_each_executor;
using I = std::int32_t;

constexpr I num_rows = 50;

/// tridiag(-1, 2, -1): CG takes as many iterations as there are rows, less one, for one nonzero in b.
LinOpPtr<double> laplacian(const Executor& exec, I rows = num_rows)
{
    CsrData<double, I> a{{rows, rows}, {0}, {}, {}};
    for (I row = 0; row < rows; ++row) {
        for (I col = std::max<I>(row - 1, 0); col < std::min<I>(row + 2, rows); ++col) {
            a.col_idxs.push_back(col);
            a.values.push_back(col == row ? 2 : -1);
        }
        a.row_ptrs.push_back(static_cast<I>(a.values.size()));
    }
    return share(Csr<double, I>(exec, a));
}

/// Ends with `verdict` after `iterations`, and keeps what it saw.
class After final : public StoppingCriterion {
public:
    After(size_type iterations, SolveStatus verdict) : iterations_(iterations), verdict_(verdict) {}
    SolveStatus check(const IterationInfo& info) override
    {
        seen.push_back(info.iteration);
        residuals.push_back(info.residual_norms[0]);
        num_columns = info.residual_norms.size();
        return info.iteration >= iterations_ ? verdict_ : SolveStatus::running;
    }
    std::vector<size_type> seen;
    std::vector<double> residuals;
    std::size_t num_columns = 0;

private:
    size_type iterations_;
    SolveStatus verdict_;
};

struct Outcome {
    SolveResult result;
    std::vector<double> x;
};

Outcome solve(const Executor& exec, const Stop& stop, const SolveOptions& options = {}, size_type cols = 1)
{
    const auto solver = Cg<double>::factory({.stop = stop}).generate(laplacian(exec));
    auto x = Dense<double>::filled(exec, {num_rows, cols}, 0);
    auto result = solver->solve(Dense<double>::filled(exec, x.size(), 1), x, options);
    return {result, x.to_host()};
}

TEST(StoppingCriterion, EndsTheSolveWithItsVerdict)
{
    on_each_executor([](const Executor& exec) {
        for (const auto verdict : {SolveStatus::converged, SolveStatus::stagnated, SolveStatus::diverged}) {
            const auto criterion = std::make_shared<After>(5, verdict);
            const auto [result, x] = solve(exec, {.relative_residual = 1e-12, .custom = {criterion}});
            EXPECT_EQ(result.status(), verdict);
            EXPECT_EQ(result.iterations(), 5);
            EXPECT_GT(result.relative_residual(), 1e-3);
            EXPECT_EQ(criterion->seen, (std::vector<size_type>{1, 2, 3, 4, 5}));
        }
    });
}

TEST(StoppingCriterion, SaysSoWhenItEndsShortOfTheTolerance)
{
    const auto exec = Executor::reference();
    const auto by_criterion = std::make_shared<After>(5, SolveStatus::converged);
    EXPECT_NE(solve(exec, {.custom = {by_criterion}}).result.reason().find("criterion"), std::string::npos);
    EXPECT_EQ(solve(exec, {}).result.reason().find("criterion"), std::string::npos);
}

TEST(StoppingCriterion, MustNotBeNull)
{
    const auto exec = Executor::reference();
    EXPECT_THROW(solve(exec, {.custom = {nullptr}}), InvalidParameter);
    EXPECT_THROW(solve(exec, {}, {.criteria = {nullptr}}), InvalidParameter);
}

TEST(StoppingCriterion, LeavesThePrescribedNumberOfSteps)
{
    on_each_executor([](const Executor& exec) {
        const auto criterion = std::make_shared<After>(5, SolveStatus::converged);
        const auto by_criterion = solve(exec, {.relative_residual = 1e-12, .custom = {criterion}});
        const auto by_limit = solve(exec, {.max_iterations = 5, .relative_residual = 1e-12});
        EXPECT_EQ(by_limit.result.status(), SolveStatus::max_iterations);
        EXPECT_EQ(by_criterion.x, by_limit.x);
    });
}

TEST(StoppingCriterion, SeesTheResidualsOfTheHistory)
{
    on_each_executor([](const Executor& exec) {
        const auto criterion = std::make_shared<After>(1000, SolveStatus::converged);
        const auto result = solve(exec, {.relative_residual = 1e-6}, {.history = true, .criteria = {criterion}}, 2);
        EXPECT_TRUE(result.result.converged());
        EXPECT_EQ(criterion->num_columns, 2u);
        ASSERT_EQ(result.result.history.size(), criterion->residuals.size() + 1);
        for (std::size_t i = 0; i < criterion->residuals.size(); ++i) {
            EXPECT_EQ(result.result.history[i + 1][0], criterion->residuals[i]);
        }
    });
}

TEST(Stop, CallsNothingConvergedThatIsNotFinite)
{
    using Limits = std::numeric_limits<double>;
    on_each_executor([](const Executor& exec) {
        const auto criterion = std::make_shared<After>(0, SolveStatus::converged);
        for (const double value : {Limits::infinity(), -Limits::infinity(), Limits::quiet_NaN()}) {
            for (const Stop& stop : {Stop{}, Stop{.custom = {criterion}}}) {
                const auto solver = Cg<double>::factory({.stop = stop}).generate(laplacian(exec));
                auto x = Dense<double>::filled(exec, {num_rows, 1}, 0);
                const auto b = Dense<double>::filled(exec, {num_rows, 1}, value);
                EXPECT_EQ(solver->solve(b, x).status(), SolveStatus::not_a_number) << value;
            }
        }
    });
}

TEST(Stop, TakesTimeLimitsWithoutBounds)
{
    on_each_executor([](const Executor& exec) {
        for (const double seconds : {1e300, std::numeric_limits<double>::infinity(), 1e10}) {
            EXPECT_TRUE(solve(exec, {.max_seconds = seconds}).result.converged());
        }
    });
}

/// Ends a solve when it sees it for the `looks`th time.
class Impatient final : public SolveObserver {
public:
    explicit Impatient(int looks) : looks_(looks) {}
    bool observe(const IterationInfo& info) override
    {
        residual = info.residual_norms[0];
        last = info.iteration;
        return ++seen < looks_;
    }
    int seen = 0;
    size_type last = -1;
    double residual = 0;

private:
    int looks_;
};

/// A solve that would take hours: Richardson's iteration with short steps.
template <class Check>
void interrupt(const Executor& exec, int looks, const Check& check)
{
    const auto a = laplacian(exec);
    const auto solver = Richardson<double>::factory(
                            {.stop = {.max_iterations = 1'000'000'000, .relative_residual = 0}, .relaxation = 1e-7})
                            .generate(a);
    const auto b = Dense<double>::filled(exec, {num_rows, 1}, 1.0);
    auto x = Dense<double>::filled(exec, {num_rows, 1}, 0.0);
    const auto observer = std::make_shared<Impatient>(looks);
    const auto result = solver->solve(b, x, {.observer = observer});
    check(result, *observer, x, b, *a);
}

TEST(SolveObserver, EndsASolveWithWhatItHasReached)
{
    on_each_executor([](const Executor& exec) {
        interrupt(exec, 1, [](const SolveResult& result, const Impatient& observer, auto& x, auto& b, auto& a) {
            EXPECT_EQ(result.status(), SolveStatus::interrupted);
            EXPECT_EQ(name(result.status()), "interrupted");
            EXPECT_EQ(observer.seen, 1) << "is not asked again";
            EXPECT_GE(result.iterations(), 1);
            // The residual is that of the x that is returned.
            auto r = b.copy();
            a.apply(-1.0, x, 1.0, r);
            EXPECT_NEAR(r.norm2()[0], result.columns[0].residual, 1e-12);
            EXPECT_LT(r.norm2()[0], b.norm2()[0]);
            EXPECT_NE(result.reason().find("interrupted"), std::string::npos);
        });
    });
}

TEST(SolveObserver, IsAskedAgainWhileItAgrees)
{
    on_each_executor([](const Executor& exec) {
        interrupt(exec, 3, [](const SolveResult& result, const Impatient& observer, auto&, auto&, auto&) {
            EXPECT_EQ(result.status(), SolveStatus::interrupted);
            EXPECT_EQ(observer.seen, 3);
            EXPECT_LE(observer.last, result.iterations());
        });
    });
}

/// Ends a solve once it has seen an iteration.
class OnceItMoves final : public SolveObserver {
public:
    bool observe(const IterationInfo& info) override
    {
        last = info.iteration;
        return last == 0;
    }
    size_type last = -1;
};

/// Systems of this size are solved in one kernel where a device has such.
TEST(SolveObserver, EndsASolveInOneKernel)
{
    constexpr I rows = 100'000;
    on_each_executor([](const Executor& exec) {
        const auto a = laplacian(exec, rows);
        const auto b = Dense<double>::filled(exec, {rows, 1}, 1.0);
        const auto expect_ended = [&](const auto& factory) {
            const auto solver = factory.generate(a);
            auto x = Dense<double>::filled(exec, {rows, 1}, 0.0);
            const auto observer = std::make_shared<OnceItMoves>();
            const auto result = solver->solve(b, x, {.observer = observer});
            EXPECT_EQ(result.status(), SolveStatus::interrupted);
            EXPECT_LE(observer->last, result.iterations());
            auto r = b.copy();
            a->apply(-1.0, x, 1.0, r);
            EXPECT_NEAR(r.norm2()[0], result.columns[0].residual, 1e-6 * result.columns[0].residual);
        };
        const Stop stop{.max_iterations = 1'000'000'000, .relative_residual = 1e-12};
        expect_ended(Cg<double>::factory({.stop = stop}));
        expect_ended(BiCgStab<double>::factory({.stop = stop}));
    });
}

TEST(SolveObserver, LeavesASolveThatConvergesAlone)
{
    on_each_executor([](const Executor& exec) {
        const auto a = laplacian(exec);
        const auto solver = Cg<double>::factory({.stop = {.relative_residual = 1e-10}}).generate(a);
        const auto b = Dense<double>::filled(exec, {num_rows, 1}, 1.0);
        auto x = Dense<double>::filled(exec, {num_rows, 1}, 0.0);
        auto y = x.copy();
        const auto observed = solver->solve(b, x, {.observer = std::make_shared<Impatient>(1'000'000)});
        const auto plain = solver->solve(b, y);
        EXPECT_TRUE(observed.converged());
        EXPECT_EQ(observed.iterations(), plain.iterations());
        EXPECT_EQ(x.to_host(), y.to_host());
    });
}

TEST(SolveOptions, TimeLimitReplacesThatOfTheRule)
{
    on_each_executor([](const Executor& exec) {
        const auto a = laplacian(exec);
        const auto solver = Cg<double>::factory({.stop = {.max_seconds = 3600}}).generate(a);
        const auto b = Dense<double>::filled(exec, {num_rows, 1}, 1.0);
        auto x = Dense<double>::filled(exec, {num_rows, 1}, 0.0);
        EXPECT_EQ(solver->solve(b, x, {.max_seconds = 1e-8}).status(), SolveStatus::time);
        EXPECT_TRUE(solver->solve(b, x).converged());
    });
}

}  // namespace
}  // namespace linden
