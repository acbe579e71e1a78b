// needs: double int32
#include <linden/error.hpp>
#include <linden/factory.hpp>
#include <linden/io/problems.hpp>
#include <linden/matrix/csr.hpp>
#include <linden/matrix/dense.hpp>
#include <linden/memory.hpp>
#include <linden/multigrid/amg.hpp>
#include <linden/preconditioner/adapted_deflation.hpp>
#include <linden/preconditioner/ilu.hpp>
#include <linden/preconditioner/multi_elimination.hpp>
#include <linden/solver/cg.hpp>

#include <gtest/gtest.h>

#include <vector>

#include "test/support/backends.hpp"

/// Every allocation of an operation fails once: the operation throws OutOfMemory, leaks nothing, leaves what it was
/// given as it was, and works when it is tried again.
namespace linden {
namespace {

using I = std::int32_t;

const CsrData<double, I> data{{3, 3}, {0, 2, 5, 7}, {0, 1, 0, 1, 2, 1, 2}, {4, -1, -1, 4, -1, -1, 4}};
const std::vector<double> rhs{2, 4, 10};  // A (1, 2, 3)
const std::vector<double> solution{1, 2, 3};
const std::vector<double> product{0, 4, 36};  // A (2, 4, 10) - (4, 0, 0)

/// Two executors of one backend that share memory which fails on demand, without a pool that could save the day.
class FaultInjection : public testing::TestWithParam<Backend> {
protected:
    /// Fails allocation 1, 2, ... of `operation` until it succeeds. Returns how many there were to fail.
    /// `check` looks at the arguments after each failure.
    template <class Operation, class Check>
    int fail_each_allocation(Operation&& operation, Check&& check)
    {
        for (int k = 1;; ++k) {
            SCOPED_TRACE("allocation " + std::to_string(k) + " fails");
            const auto outstanding = memory_->num_outstanding();
            memory_->fail_allocation(k);
            try {
                operation();
                memory_->fail_allocation(0);
                EXPECT_EQ(memory_->num_outstanding(), outstanding);
                operation();
                EXPECT_EQ(memory_->num_outstanding(), outstanding);
                return k - 1;
            } catch (const OutOfMemory& e) {
                EXPECT_EQ(e.executor, here_.name());
                EXPECT_GT(e.bytes, 0u);
            }
            EXPECT_EQ(memory_->num_outstanding(), outstanding);
            check();
            if (HasFailure() || k == 2000) {
                ADD_FAILURE() << "gave up";
                return k;
            }
        }
    }
    template <class Operation>
    int fail_each_allocation(Operation&& operation)
    {
        return fail_each_allocation(operation, [] {});
    }

    Csr<double, I> matrix() const { return Csr<double, I>(here_, data); }
    static Cg<double>::Parameters accurate() { return {.stop = {.relative_residual = 1e-12}}; }

    std::shared_ptr<FaultInjectingMemory> memory_ = std::make_shared<FaultInjectingMemory>(host_memory());
    Executor here_ = Executor::create(GetParam(), {.threads = 2, .memory = memory_});
    Executor there_ = Executor::create(GetParam(), {.threads = 2, .memory = memory_});
};

void expect_solution(const Dense<double>& x)
{
    const auto values = x.to_host();
    ASSERT_EQ(values.size(), solution.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
        EXPECT_NEAR(values[i], solution[i], 1e-10);
    }
}

TEST_P(FaultInjection, MakingCsr)
{
    const int failed = fail_each_allocation([&] { EXPECT_EQ(matrix().to_host().values, data.values); });
    EXPECT_EQ(failed, 3);
    EXPECT_EQ(fail_each_allocation([&] { Csr<double, I>(here_, Dim{5, 5}); }), 1);
}

TEST_P(FaultInjection, MakingDense)
{
    EXPECT_EQ(fail_each_allocation([&] { Dense<double>(here_, {3, 2}, 4); }), 1);
    EXPECT_EQ(fail_each_allocation([&] { EXPECT_EQ(Dense<double>::vector(here_, rhs).to_host(), rhs); }), 1);
    EXPECT_EQ(fail_each_allocation([&] { Dense<double>::from_rows(here_, {{1, 2}, {3, 4}}); }), 1);
}

TEST_P(FaultInjection, Cloning)
{
    const auto a = matrix();
    const auto b = Dense<double>::vector(here_, rhs);
    EXPECT_EQ(fail_each_allocation([&] { EXPECT_EQ(a.copy(there_).to_host().values, data.values); }), 3);
    EXPECT_EQ(fail_each_allocation([&] { (void)a.clone(there_); }), 3);
    EXPECT_EQ(fail_each_allocation([&] { EXPECT_EQ(b.copy(there_).to_host(), rhs); }), 1);
    EXPECT_EQ(a.to_host().values, data.values);
}

TEST_P(FaultInjection, CopyingAcrossStrides)
{
    Dense<double> block(here_, {3, 3});
    auto column = block.columns(1, 1);
    column.copy_from(Dense<double>::vector(here_, rhs));
    Dense<double> target_block(there_, {3, 2});
    auto target = target_block.columns(0, 1);
    EXPECT_GE(fail_each_allocation([&] { target.copy_from(column); }), 2);
    EXPECT_EQ(target.to_host(), rhs);
}

TEST_P(FaultInjection, Reducing)
{
    const auto b = Dense<double>::vector(here_, rhs);
    const auto c = Dense<double>::vector(there_, rhs);
    EXPECT_EQ(fail_each_allocation([&] { EXPECT_EQ(b.dot(b), std::vector<double>{120}); }), 2);
    EXPECT_EQ(fail_each_allocation([&] { EXPECT_EQ(b.dot(c), std::vector<double>{120}); }), 3);
    EXPECT_EQ(fail_each_allocation([&] { EXPECT_EQ(b.norm_inf(), std::vector<double>{10}); }), 2);
}

TEST_P(FaultInjection, ApplyingAcrossExecutors)
{
    const auto a = matrix();
    const auto b = Dense<double>::vector(there_, rhs);
    const std::vector<double> start{4, 0, 0};
    auto x = Dense<double>::vector(there_, start);
    const auto arguments_stay = [&] {
        EXPECT_EQ(x.to_host(), start);
        EXPECT_EQ(b.to_host(), rhs);
        EXPECT_EQ(a.to_host().values, data.values);
    };
    const int failed = fail_each_allocation(
        [&] {
            a.apply(1, b, -1, x);
            EXPECT_EQ(x.to_host(), product);
            x.copy_from(Dense<double>::adopt(there_, {3, 1}, 1, const_cast<double*>(start.data())));
        },
        arguments_stay);
    EXPECT_EQ(failed, 2);
}

TEST_P(FaultInjection, ApplyingThroughADefaultTemporary)
{
    class Twice final : public LinOp<double> {
    public:
        explicit Twice(const Executor& exec) : LinOp(exec, {3, 3}) {}
        std::string name() const override { return "Twice"; }
        void apply_impl(const Dense<double>& b, Dense<double>& x) const override
        {
            x.copy_from(b);
            x.scale(2);
        }
    };
    const Twice twice(here_);
    const auto b = Dense<double>::vector(here_, rhs);
    auto x = Dense<double>::vector(here_, solution);
    EXPECT_EQ(fail_each_allocation([&] { static_cast<const LinOp<double>&>(twice).apply(1, b, 0, x); },
                                   [&] { EXPECT_EQ(x.to_host(), solution); }),
              1);
    EXPECT_EQ(x.to_host(), (std::vector<double>{4, 8, 20}));
}

TEST_P(FaultInjection, GeneratingASolver)
{
    const LinOpPtr<double> a = share(matrix());
    const auto inner = Cg<double>::factory(accurate());
    auto parameters = accurate();
    parameters.preconditioner = inner;
    EXPECT_EQ(fail_each_allocation([&] { (void)inner.generate(a); }), 0);
    EXPECT_EQ(fail_each_allocation([&] { (void)Cg<double>::factory(parameters).on(there_).generate(a); }), 3);
    EXPECT_EQ(a.use_count(), 1);
}

TEST_P(FaultInjection, SolvingAndApplyingASolver)
{
    const LinOpPtr<double> a = share(matrix());
    for (const bool single_reduction : {false, true}) {
        auto inner = accurate();
        inner.stop.relative_residual = 1e-2;
        auto parameters = accurate();
        parameters.single_reduction = single_reduction;
        parameters.preconditioner = Cg<double>::factory(inner);
        for (const auto& operands_on : {here_, there_}) {
            const auto b = Dense<double>::vector(operands_on, rhs);
            auto x = Dense<double>::filled(operands_on, {3, 1}, 0);
            const auto rhs_stays = [&] { EXPECT_EQ(b.to_host(), rhs); };
            const auto solve = [&] {
                x.fill(0);
                const auto solver = Cg<double>::factory(parameters).generate(a);
                EXPECT_TRUE(solver->solve(b, x, {.history = true}).converged());
                expect_solution(x);
            };
            const auto apply = [&] {
                Cg<double>::factory(parameters).generate(a)->apply(b, x);
                expect_solution(x);
            };
            EXPECT_GE(fail_each_allocation(solve, rhs_stays), 20);
            EXPECT_GE(fail_each_allocation(apply, rhs_stays), 20);
        }
    }
}

TEST_P(FaultInjection, SolverThatFailedSolvesTheNextTime)
{
    const auto before = memory_->num_outstanding();
    {
        const LinOpPtr<double> a = share(matrix());
        const auto solver = Cg<double>::factory(accurate()).generate(a);
        const auto b = Dense<double>::vector(there_, rhs);
        auto x = Dense<double>::filled(there_, {3, 1}, 0);
        for (int k = 1; k <= 25; ++k) {
            memory_->fail_allocation(k);
            try {
                (void)solver->solve(b, x, {.history = true});
            } catch (const OutOfMemory&) {
            }
            memory_->fail_allocation(0);
            x.fill(0);
            EXPECT_TRUE(solver->solve(b, x).converged());
            expect_solution(x);
        }
    }
    EXPECT_EQ(memory_->num_outstanding(), before);
}

TEST_P(FaultInjection, UpdatingValues)
{
    const auto solver = Cg<double>::factory(accurate()).generate(share(matrix()));
    const auto doubled = [&] {
        auto twice = data;
        for (auto& value : twice.values) {
            value *= 2;
        }
        return share(Csr<double, I>(there_, twice));
    }();
    const auto old = solver->matrix();
    memory_->fail_allocation(2);
    EXPECT_THROW(solver->update_values(doubled), OutOfMemory);
    EXPECT_EQ(solver->matrix(), old);
    solver->update_values(doubled);
    auto x = Dense<double>::filled(here_, {3, 1}, 0);
    EXPECT_TRUE(solver->solve(Dense<double>::vector(here_, {4, 8, 20}), x).converged());
    expect_solution(x);
}

/// Generating and the first application.
TEST_P(FaultInjection, Amg)
{
    for (const char* spec : {"lap2d:7", "convdiff3d:4:5"}) {
        const LinOpPtr<double> a = share(Csr<double, I>(here_, generate_problem<double, I>(spec)));
        const auto b = Dense<double>::filled(here_, {a->size().rows, 2}, 1);
        Dense<double> x(here_, b.size());
        const auto factory = linden::Amg<double>::factory({.coarse_rows = 8});
        const auto applied = [&] {
            const auto m = factory.generate(a);
            EXPECT_GE(m->report().levels.size(), 2u);
            m->apply(b, x);
            return x.to_host();
        };
        const auto expected = applied();
        EXPECT_GE(fail_each_allocation([&] { EXPECT_EQ(applied(), expected); }), 100);
    }
}

/// Generating, the first application, and new values from its own executor and from another one.
TEST_P(FaultInjection, MultiElimination)
{
    using Multi = linden::MultiElimination<double>;
    const auto old = generate_problem<double, I>("lap2d:6");
    auto doubled = old;
    for (auto& value : doubled.values) {
        value *= 2;
    }
    const LinOpPtr<double> a = share(Csr<double, I>(here_, old));
    const LinOpPtr<double> twice_here = share(Csr<double, I>(here_, doubled));
    const LinOpPtr<double> twice_there = share(Csr<double, I>(there_, doubled));
    const auto b = Dense<double>::filled(here_, {36, 2}, 1);
    Dense<double> x(here_, {36, 2});
    const auto applied = [&](const LinOp<double>& m) {
        m.apply(b, x);
        return x.to_host();
    };
    for (const auto& p :
         {Multi::Parameters{.bottom_rows = 5}, Multi::Parameters{.rule = EliminationRule::exact, .bottom_rows = 5},
          Multi::Parameters{.bottom_rows = 5, .bottom = Cg<double>::factory(accurate())}}) {
        const auto factory = Multi::factory(p);
        const auto expected = applied(*factory.generate(a));
        const auto expected_of_twice = applied(*factory.generate(twice_here));
        const auto generate_and = [&](const auto& use) {
            return fail_each_allocation([&] { use(*factory.generate(a)); });
        };
        const int to_generate = generate_and([](const Multi& m) { EXPECT_GE(m.levels().size(), 3u); });
        const int to_apply = generate_and([&](const Multi& m) { EXPECT_EQ(applied(m), expected); });
        EXPECT_GE(to_generate, 100);
        EXPECT_GT(to_apply, to_generate);
        for (const auto& twice : {twice_here, twice_there}) {
            const int to_update = generate_and([&](Multi& m) {
                m.update_values(twice);
                EXPECT_EQ(applied(m), expected_of_twice);
            });
            EXPECT_GE(to_update, to_apply + (twice == twice_there ? 3 : 0));
            // One that has failed works the next time.
            const auto outstanding = memory_->num_outstanding();
            for (int k = 1; k <= to_update - to_generate; ++k) {
                const auto m = factory.generate(a);
                const auto update_and_apply = [&] {
                    m->update_values(twice);
                    EXPECT_EQ(applied(*m), expected_of_twice);
                };
                memory_->fail_allocation(k);
                EXPECT_THROW(update_and_apply(), OutOfMemory);
                memory_->fail_allocation(0);
                update_and_apply();
            }
            EXPECT_EQ(memory_->num_outstanding(), outstanding);
        }
    }
}

/// New values with which other entries of A Z cancel: an update that fails leaves the old space.
TEST_P(FaultInjection, DeflationSpace)
{
    const auto old = generate_problem<double, I>("twophase:8:1000");
    auto other = old;
    for (std::size_t k = 0; k < other.values.size(); ++k) {
        other.values[k] *= 2 + static_cast<double>(k % 7);
    }
    const LinOpPtr<double> a = share(Csr<double, I>(here_, old)), changed = share(Csr<double, I>(here_, other));
    const auto n = a->size().rows;
    const auto b = Dense<double>::filled(here_, {n, 1}, 1);
    Dense<double> x(here_, {n, 1});
    const auto applied = [&](const LinOp<double>& m) {
        m.apply(b, x);
        return x.to_host();
    };
    auto basis = Dense<double>::filled(here_, {n, 2}, 1);
    for (size_type row = 0; row < n; ++row) {
        basis.at(row, 1) = static_cast<double>(row);
    }
    const auto dense = std::make_shared<const Dense<double>>(std::move(basis));
    for (const auto& space : {Deflation<double>{.vectors = 6}, Deflation<double>{.basis = dense}}) {
        const auto factory = AdaptedDeflation<double>::factory({.deflation = space});
        const auto expected = applied(*factory.generate(a)), expected_of_changed = applied(*factory.generate(changed));
        EXPECT_NE(expected, expected_of_changed);
        EXPECT_GE(fail_each_allocation([&] { factory.generate(a); }), 10);
        int k = 1;
        for (bool has_failed = true; has_failed; k += has_failed ? 1 : 0) {
            SCOPED_TRACE("allocation " + std::to_string(k) + " fails");
            const auto m = factory.generate(a);
            memory_->fail_allocation(k);
            try {
                m->update_values(changed);
                has_failed = false;
            } catch (const OutOfMemory&) {
                memory_->fail_allocation(0);
                EXPECT_EQ(applied(*m), expected);
                m->update_values(changed);
            }
            memory_->fail_allocation(0);
            EXPECT_EQ(applied(*m), expected_of_changed);
        }
        EXPECT_GE(k, 10);
    }
}

TEST_P(FaultInjection, ParIlut)
{
    const LinOpPtr<double> a = share(Csr<double, I>(here_, generate_problem<double, I>("convdiff3d:4:10")));
    const auto b = Dense<double>::filled(here_, {64, 2}, 1);
    Dense<double> x(here_, {64, 2});
    const auto applied = [&](const LinOp<double>& m) {
        m.apply(b, x);
        return x.to_host();
    };
    for (const auto& p : {SweptThresholdFill{.triangular = {.algorithm = TriangularAlgorithm::isai}},
                          SweptThresholdFill{}, SweptThresholdFill{.sweep_order = SweepOrder::in_place}}) {
        auto parameters = p;
        parameters.steps = 2;
        parameters.fill = 1.2;
        const auto factory = linden::ParIlut<double>::factory(parameters);
        const auto expected = applied(*factory.generate(a));
        const int count = fail_each_allocation([&] { EXPECT_EQ(applied(*factory.generate(a)), expected); });
        EXPECT_GE(count, 50);
    }
}

std::vector<Backend> host_backends()
{
    std::vector<Backend> backends;
    for (const auto& exec : test::tested_executors()) {
        if (exec.is_host()) {
            backends.push_back(exec.backend());
        }
    }
    return backends;
}

INSTANTIATE_TEST_SUITE_P(Host, FaultInjection, testing::ValuesIn(host_backends()),
                         [](const auto& suite) { return std::string(name(suite.param)); });

}  // namespace
}  // namespace linden
