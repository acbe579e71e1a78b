// needs: double int32
#include <linden/error.hpp>
#include <linden/factory.hpp>
#include <linden/matrix/csr.hpp>
#include <linden/matrix/dense.hpp>
#include <linden/solver/cg.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "test/support/backends.hpp"
#include "test/support/compare.hpp"

namespace linden {
namespace {

using test::expect_near;
using test::on_each_executor;
using test::tested_executors;
using I = std::int32_t;

/// tridiag(-1, 4 + shift, -1)
CsrData<double, I> tridiagonal(I n, double shift = 0)
{
    CsrData<double, I> a{{n, n}, {0}, {}, {}};
    for (I row = 0; row < n; ++row) {
        for (I col = std::max<I>(row - 1, 0); col < std::min<I>(row + 2, n); ++col) {
            a.col_idxs.push_back(col);
            a.values.push_back(col == row ? 4 + shift : -1);
        }
        a.row_ptrs.push_back(static_cast<I>(a.values.size()));
    }
    return a;
}

LinOpPtr<double> matrix_on(const Executor& exec, double shift = 0)
{
    return share(Csr<double, I>(exec, tridiagonal(20, shift)));
}

/// ||b - A x|| / ||b|| where b is all ones
double relative_residual(const LinOp<double>& a, const Dense<double>& x)
{
    auto r = Dense<double>::filled(a.executor(), x.size(), 1);
    const double b_norm = r.norm2()[0];
    a.apply(-1, x, 1, r);
    return r.norm2()[0] / b_norm;
}

/// x := factor b, as a preconditioner
class Scaling final : public LinOp<double> {
public:
    Scaling(const LinOpPtr<double>& matrix, double factor) : LinOp(matrix->executor(), matrix->size()), factor_(factor)
    {
    }
    std::string name() const override { return "Scaling"; }
    void update_values(LinOpPtr<double>) override { ++num_updates; }
    int num_updates = 0;

protected:
    void apply_impl(const Dense<double>& b, Dense<double>& x) const override
    {
        x.copy_from(b);
        x.scale(factor_);
    }

private:
    double factor_;
};

TEST(Factory, MakesOperatorsWhereTheMatrixIs)
{
    on_each_executor([](const Executor& exec) {
        const auto a = matrix_on(exec);
        const auto solver = Cg<double>::factory({.stop = {.relative_residual = 1e-10}}).generate(a);
        EXPECT_TRUE(solver->executor() == exec);
        EXPECT_EQ(solver->size(), a->size());
        EXPECT_EQ(solver->matrix(), a);
        EXPECT_EQ(solver->preconditioner(), nullptr);
        Dense<double> x(exec, {20, 1});
        solver->apply(Dense<double>::filled(exec, {20, 1}, 1), x);
        EXPECT_LE(relative_residual(*a, x), 1.1e-10);
    });
}

TEST(Factory, CopiesTheMatrixToItsOwnExecutor)
{
    for (const auto& from : tested_executors()) {
        for (const auto& to : tested_executors()) {
            const auto a = matrix_on(from);
            const auto solver = Cg<double>::factory({.stop = {.relative_residual = 1e-10}}).on(to).generate(a);
            EXPECT_TRUE(solver->executor() == to);
            EXPECT_EQ(solver->matrix() == a, from == to);
            auto x = Dense<double>::filled(from, {20, 1}, 0);
            EXPECT_TRUE(solver->solve(Dense<double>::filled(from, {20, 1}, 1), x).converged());
            EXPECT_TRUE(x.executor() == from);
            EXPECT_LE(relative_residual(*a, x), 1.1e-10);
        }
    }
}

TEST(Factory, KeepsItsParameters)
{
    const auto factory = Cg<double>::factory({.stop = {.max_iterations = 7}, .single_reduction = true});
    EXPECT_EQ(factory.type(), "Cg");
    const auto moved = factory.on(Executor::reference());
    EXPECT_EQ(moved.parameters().stop.max_iterations, 7);
    EXPECT_TRUE(moved.parameters().single_reduction);
    const auto solver = moved.generate(matrix_on(Executor::reference()));
    EXPECT_EQ(solver->stop().max_iterations, 7);
}

TEST(Factory, IsAParameterOfAnother)
{
    on_each_executor([](const Executor& exec) {
        const auto a = matrix_on(exec);
        const auto inner = Cg<double>::factory({.stop = {.relative_residual = 1e-2}});
        const auto solver =
            Cg<double>::factory({.stop = {.relative_residual = 1e-10}, .preconditioner = inner}).generate(a);
        ASSERT_NE(solver->preconditioner(), nullptr);
        EXPECT_EQ(solver->preconditioner()->name(), "Cg");
        auto x = Dense<double>::filled(exec, {20, 1}, 0);
        EXPECT_TRUE(solver->solve(Dense<double>::filled(exec, {20, 1}, 1), x).converged());
        EXPECT_LE(relative_residual(*a, x), 1.1e-10);
    });
}

TEST(Factory, RefusesWhatItCannotTake)
{
    const auto exec = Executor::reference();
    const auto factory = Cg<double>::factory();
    EXPECT_THROW(factory.generate(nullptr), InvalidParameter);
    EXPECT_THROW(factory.generate(share(Csr<double, I>(exec, Dim{2, 3}))), DimensionMismatch);
    for (const Stop& stop : {Stop{.max_iterations = -1}, Stop{.relative_residual = -1e-3},
                             Stop{.relative_residual = std::nan("")}, Stop{.max_seconds = -1}}) {
        EXPECT_THROW(Cg<double>::factory({.stop = stop}).generate(matrix_on(exec)), InvalidParameter);
    }
    EXPECT_EQ(exec.counters().allocated_bytes, 0u);
}

TEST(Factory, RefusesToMoveWhatCannot)
{
    const auto exec = Executor::reference();
    const LinOpPtr<double> a = share(Scaling(matrix_on(exec), 2));
    EXPECT_THROW(Cg<double>::factory().on(Executor::reference()).generate(a), NotSupported);
}

TEST(MakeFactory, CallsTheFunction)
{
    on_each_executor([](const Executor& exec) {
        const auto a = matrix_on(exec);
        int num_calls = 0;
        const auto factory = make_factory<double>(
            [&](LinOpPtr<double> matrix) {
                ++num_calls;
                EXPECT_EQ(matrix, a);
                return std::make_unique<Scaling>(matrix, 0.25);
            },
            "Scaling");
        EXPECT_EQ(factory->type(), "Scaling");
        EXPECT_EQ(factory->copy()->type(), "Scaling");
        EXPECT_EQ(num_calls, 0);
        const auto solver =
            Cg<double>::factory({.stop = {.relative_residual = 1e-10}, .preconditioner = factory}).generate(a);
        EXPECT_EQ(num_calls, 1);
        EXPECT_EQ(solver->preconditioner()->name(), "Scaling");
        auto x = Dense<double>::filled(exec, {20, 1}, 0);
        EXPECT_TRUE(solver->solve(Dense<double>::filled(exec, {20, 1}, 1), x).converged());
        EXPECT_LE(relative_residual(*a, x), 1.1e-10);
    });
}

/// A preconditioner that needs nothing but the matrix.
class Identity final : public LinOp<double> {
public:
    explicit Identity(const LinOpPtr<double>& matrix) : LinOp(matrix->executor(), matrix->size()) {}
    std::string name() const override { return "Identity"; }
    bool is_identity() const override { return true; }

protected:
    void apply_impl(const Dense<double>& b, Dense<double>& x) const override { x.copy_from(b); }
};

TEST(MakeFactory, CallsTheConstructor)
{
    const auto a = matrix_on(Executor::reference());
    EXPECT_EQ(make_factory<Identity>("mine")->type(), "mine");  // a name is not a function
    const auto factory = make_factory<Identity>();
    EXPECT_EQ(factory->make(a)->name(), "Identity");
    // Solvers skip the identity.
    EXPECT_EQ(Cg<double>::factory({.preconditioner = factory}).generate(a)->preconditioner(), nullptr);
}

TEST(MakeFactory, RefusesAPreconditionerOfAnotherSize)
{
    const auto exec = Executor::reference();
    const auto factory = make_factory<double>([&](const LinOpPtr<double>&) {
        return std::make_unique<Scaling>(share(Csr<double, I>(exec, Dim{3, 3})), 1);
    });
    EXPECT_THROW(Cg<double>::factory({.preconditioner = factory}).generate(matrix_on(exec)), DimensionMismatch);
}

TEST(UpdateValues, ReachesThePreconditioner)
{
    on_each_executor([](const Executor& exec) {
        Scaling* preconditioner = nullptr;
        const auto solver =
            Cg<double>::factory({.stop = {.relative_residual = 1e-10},
                                 .preconditioner = make_factory<double>([&](const LinOpPtr<double>& matrix) {
                                     auto made = std::make_unique<Scaling>(matrix, 0.25);
                                     preconditioner = made.get();
                                     return made;
                                 })})
                .generate(matrix_on(exec));
        const auto b = Dense<double>::filled(exec, {20, 1}, 1);
        for (const double shift : {1.0, 2.0}) {
            const auto changed = matrix_on(exec, shift);
            solver->update_values(changed);
            EXPECT_EQ(preconditioner->num_updates, shift);
            auto x = Dense<double>::filled(exec, {20, 1}, 0);
            EXPECT_TRUE(solver->solve(b, x).converged());
            EXPECT_LE(relative_residual(*changed, x), 1.1e-10);
        }
        EXPECT_THROW(solver->update_values(share(Csr<double, I>(exec, Dim{3, 3}))), DimensionMismatch);
        EXPECT_THROW(solver->update_values(nullptr), InvalidParameter);
    });
}

}  // namespace
}  // namespace linden
