// needs: double int32
#include <linden/config/config.hpp>
#include <linden/error.hpp>
#include <linden/io/problems.hpp>
#include <linden/matrix/dense.hpp>
#include <linden/matrix/identity.hpp>
#include <linden/preconditioner/ic.hpp>
#include <linden/preconditioner/ilu.hpp>
#include <linden/preconditioner/jacobi.hpp>
#include <linden/preconditioner/symmetric_scaling.hpp>
#include <linden/solver/cg.hpp>

#include <cmath>

#include "test/support/compare.hpp"
#include "test/support/matrices.hpp"
#include "test/support/pathological.hpp"

namespace linden::test {
namespace {

using I = std::int32_t;
using Scaling = SymmetricScaling<double>;
using Values = std::vector<double>;
namespace p = pathological;

LinOpPtr<double> csr(const Executor& exec, const CsrData<double, I>& a) { return share(Csr<double, I>(exec, a)); }

Values applied(const LinOp<double>& op, const Values& b)
{
    Dense<double> x(op.executor(), {op.size().rows, 1});
    op.apply(Dense<double>::vector(op.executor(), b), x);
    return x.to_host();
}

/// [4 2 .; 2 -16 .; 1 . .], whose last diagonal entry is absent
CsrData<double, I> small_matrix() { return {{3, 3}, {0, 2, 4, 5}, {0, 1, 0, 1, 0}, {4, 2, 2, -16, 1}}; }

/// Rows and columns of very different sizes.
CsrData<double, I> badly_scaled(std::string_view problem)
{
    auto a = generate_problem<double, I>(problem);
    const auto weight = [](size_type row) { return std::ldexp(1.0, static_cast<int>(row * 7 % 12)); };
    for (size_type row = 0; row < a.size.rows; ++row) {
        for (auto k = a.row_ptrs[row]; k < a.row_ptrs[row + 1]; ++k) {
            a.values[k] *= weight(row) * weight(a.col_idxs[k]);
        }
    }
    return a;
}

Values norms_of_residual(const CsrData<double, I>& a, const Values& b, const Values& x, std::size_t cols)
{
    Values norms(cols);
    for (std::size_t row = 0; row < static_cast<std::size_t>(a.size.rows); ++row) {
        for (std::size_t col = 0; col < cols; ++col) {
            double r = b[row * cols + col];
            for (auto k = a.row_ptrs[row]; k < a.row_ptrs[row + 1]; ++k) {
                r -= a.values[k] * x[static_cast<std::size_t>(a.col_idxs[k]) * cols + col];
            }
            norms[col] += r * r;
        }
    }
    for (auto& norm : norms) {
        norm = std::sqrt(norm);
    }
    return norms;
}

TEST(SymmetricScaling, ByHand)
{
    on_each_executor([](const Executor& exec) {
        CsrData<double, I> seen;
        const auto spy = make_factory<double>([&](LinOpPtr<double> matrix) {
            seen = dynamic_cast<const Csr<double, I>&>(*matrix).to_host();
            return Ilu0<double>::factory().generate(std::move(matrix));
        });
        const auto op = Scaling::factory({.inner = spy}).generate(csr(exec, small_matrix()));
        EXPECT_EQ(op->scaling().to_host(), (Values{0.5, 0.25, 1}));
        EXPECT_EQ(op->num_zero_diagonals(), 1);
        EXPECT_EQ(seen.values, (Values{1, 0.25, 0.25, -1, 0.5}));
        EXPECT_EQ(seen.col_idxs, small_matrix().col_idxs);
        EXPECT_EQ(op->inner()->name(), "Ilu0");
        const auto identity = Scaling::factory().generate(csr(exec, small_matrix()));
        EXPECT_EQ(identity->inner(), nullptr);
        EXPECT_EQ(applied(*identity, {8, 32, 3}), (Values{2, 2, 3}));
        EXPECT_EQ(Scaling::factory({.inner = Identity<double>::factory()}).generate(csr(exec, small_matrix()))->inner(),
                  nullptr);
    });
}

/// [4 2; 2 10]: IC(0) is exact, scaled or not.
TEST(SymmetricScaling, OfAnExactInverseIsOne)
{
    on_each_executor([](const Executor& exec) {
        const auto a = csr(exec, {{2, 2}, {0, 2, 4}, {0, 1, 0, 1}, {4, 2, 2, 10}});
        const auto op = Scaling::factory({.inner = Ic0<double>::factory()}).generate(a);
        expect_near(applied(*op, {8, 22}), {1, 2}, 64);
        op->update_values(csr(exec, {{2, 2}, {0, 2, 4}, {0, 1, 0, 1}, {100, 2, 2, 1}}));
        EXPECT_EQ(op->scaling().to_host(), (Values{0.1, 1}));
        expect_near(applied(*op, {104, 4}), {1, 2}, 64);
        expect_near(applied(*op->clone(reference_executor()), {104, 4}), {1, 2}, 64);
    });
}

/// Jacobi is not changed by scaling, IC(0) neither: (D^-1/2 L)(D^-1/2 L)^T.
TEST(SymmetricScaling, LeavesInvariantPreconditionersAsTheyAre)
{
    const auto data = badly_scaled("twophase:9:50");
    Random random(71);
    on_each_executor([&](const Executor& exec) {
        const auto a = csr(exec, data);
        const auto b = random_dense<double>(random, reference_executor(), {81, 1}).to_host();
        const auto jacobi = applied(*Jacobi<double>::factory().generate(a), b);
        expect_near(applied(*Scaling::factory().generate(a), b), jacobi, 16);
        expect_near(applied(*Scaling::factory({.inner = Jacobi<double>::factory()}).generate(a), b), jacobi, 16);
        const auto ic = applied(*Ic0<double>::factory().generate(a), b);
        expect_near(applied(*Scaling::factory({.inner = Ic0<double>::factory()}).generate(a), b), ic, 4096);
    });
}

TEST(SymmetricScaling, SolvesTheScaledSystem)
{
    const auto data = badly_scaled("twophase:12:1000");
    Random random(72);
    const auto rhs = random_dense<double>(random, reference_executor(), {144, 2});
    const auto b_host = rhs.to_host();
    on_each_executor([&](const Executor& exec) {
        const auto a = csr(exec, data);
        const auto b = rhs.copy(exec);
        const auto cg = Cg<double>::factory({.stop = {.relative_residual = 1e-12}});
        const auto op = Scaling::factory({.inner = cg}).generate(a);
        auto x = Dense<double>::filled(exec, {144, 2}, 0);
        const auto result = op->solve(b, x, {.history = true});
        ASSERT_TRUE(result.converged()) << result.reason();
        const auto residuals = norms_of_residual(data, b_host, x.to_host(), 2);
        const auto initial = norms_of_residual(data, b_host, Values(288), 2);
        for (std::size_t col = 0; col < 2; ++col) {
            EXPECT_NEAR(result.columns[col].residual, residuals[col], 1e-9 * initial[col]);
            EXPECT_NEAR(result.columns[col].initial_residual, initial[col], 1e-12 * initial[col]);
            EXPECT_NEAR(result.columns[col].rhs_norm, initial[col], 1e-12 * initial[col]);
        }
        EXPECT_LT(result.relative_residual(), 1e-12 * 2048 * std::sqrt(1000.)) << "as far as D^1/2 can stretch it";
        EXPECT_EQ(result.history.size(), static_cast<std::size_t>(result.iterations()) + 1);
        EXPECT_EQ(op->solve(b, x).iterations(), 0) << "it starts from the solution";

        Dense<double> y(exec, {144, 2});
        op->apply(b, y);
        expect_near(y.to_host(), x.to_host(), 1e8);
        const auto& host = reference_executor();
        auto there = Dense<double>::filled(host, {144, 2}, 0);
        EXPECT_EQ(op->solve(b.copy(host), there).iterations(), result.iterations());
        expect_near(there.to_host(), x.to_host(), 1e4);
    });
}

/// Cg with it as the preconditioner is Cg for the scaled system, but for the norm that ends it.
TEST(SymmetricScaling, PreconditionsAsTheScaledSystemIsSolved)
{
    const auto data = generate_problem<double, I>("bubbles:24:5:1000:2");
    on_each_executor([&](const Executor& exec) {
        const auto a = csr(exec, data);
        const auto b = Dense<double>::filled(exec, {576, 1}, 1);
        const auto solve = [&](const auto& op) {
            auto x = Dense<double>::filled(exec, {576, 1}, 0);
            op.solve(b, x, {.max_iterations = 12});
            return x.to_host();
        };
        for (const FactoryPtr<double>& inner : {FactoryPtr<double>(), FactoryPtr<double>(Ic0<double>::factory())}) {
            const auto wrapped =
                Scaling::factory({.inner = Cg<double>::factory({.preconditioner = inner})}).generate(a);
            const auto with = Cg<double>::factory({.preconditioner = Scaling::factory({.inner = inner})}).generate(a);
            expect_near(solve(*with), solve(*wrapped), 1e5);
        }
    });
}

TEST(SymmetricScaling, ComesFromText)
{
    const auto factory = config::parse_short<double>("cg", "symmetric-scaling:inner=ic0,inner.block_rows=8");
    const auto& cg = dynamic_cast<const Factory<Cg<double>>&>(*factory).parameters();
    const auto& scaling = dynamic_cast<const Factory<Scaling>&>(*cg.preconditioner).parameters();
    EXPECT_EQ(dynamic_cast<const Factory<Ic0<double>>&>(*scaling.inner).parameters().block_rows, 8);
    const auto text = config::to_json<double>(factory);
    EXPECT_EQ(config::to_json<double>(config::parse_factory<double>(text, "scaling.json")), text);
    const auto solver =
        config::parse_factory<double>(R"({"type": "SymmetricScaling", "inner": {"type": "Cg"}})", "scaling.json");
    const auto made = solver->make(csr(reference_executor(), generate_problem<double, I>("lap2d:3")));
    const auto& op = dynamic_cast<const Scaling&>(*made);
    auto x = Dense<double>::filled(reference_executor(), {9, 1}, 0);
    EXPECT_TRUE(op.solve(Dense<double>::filled(reference_executor(), {9, 1}, 1), x).converged());
}

TEST(SymmetricScaling, RefusesWhatItCannotDo)
{
    const auto& exec = reference_executor();
    const auto a = csr(exec, generate_problem<double, I>("lap2d:3"));
    const auto block = [&](size_type rows, size_type cols) { return Dense<double>::filled(exec, {rows, cols}, 0); };
    EXPECT_THROW((void)Scaling::factory().generate(share(Identity<double>(exec, 3))), NotSupported);
    EXPECT_THROW((void)Scaling::factory().generate(share(Csr<double, I>(exec, Dim{2, 3}))), DimensionMismatch);
    auto x = block(9, 1);
    const auto jacobi = Scaling::factory({.inner = Jacobi<double>::factory()}).generate(a);
    EXPECT_THROW((void)jacobi->solve(block(9, 1), x), NotSupported);
    EXPECT_THROW((void)Scaling::factory().generate(a)->solve(block(9, 1), x), NotSupported);
    const auto cg = Scaling::factory({.inner = Cg<double>::factory()}).generate(a);
    EXPECT_THROW((void)cg->solve(block(8, 1), x), DimensionMismatch);
    EXPECT_THROW((void)cg->solve(block(9, 2), x), DimensionMismatch);
    EXPECT_THROW((void)cg->solve(x, x), InvalidParameter);
    EXPECT_THROW(cg->update_values(share(Identity<double>(exec, 9))), NotSupported);
    EXPECT_THROW(cg->update_values(csr(exec, generate_problem<double, I>("lap2d:2"))), DimensionMismatch);
    const auto none = Scaling::factory({.inner = Cg<double>::factory()}).generate(share(Csr<double, I>(exec, Dim{})));
    EXPECT_EQ(applied(*none, {}), Values());
}

}  // namespace
}  // namespace linden::test
