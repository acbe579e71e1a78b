// needs: double int32
#include <linden/matrix/diagonal.hpp>
#include <linden/matrix/operations.hpp>
#include <linden/preconditioner/jacobi.hpp>
#include <linden/solver/direct.hpp>
#include <linden/solver/lsmr.hpp>
#include <linden/solver/lsqr.hpp>

#include "test/support/kernel_cases.hpp"
#include "test/support/solvers.hpp"

namespace linden::test {
namespace {

struct Solved {
    SolveResult result;
    std::vector<double> x;
};

template <class Method>
Solved solve(const Executor& exec, const TestCsr<double>& a, const std::vector<double>& b,
             const GolubKahanParameters<double>& parameters = {.stop = {.relative_residual = 1e-12}})
{
    auto x = Dense<double>::filled(exec, {a.size.cols, 1}, 0);
    auto result = Method::factory(parameters)
                      .generate(matrix_on(exec, a))
                      ->solve(Dense<double>::vector(exec, b), x, {.history = true});
    return {std::move(result), x.to_host()};
}

const std::vector<std::vector<double>> tall{{1, 0}, {0, 1}, {1, 1}};

template <class Method>
class GolubKahan : public testing::Test {
};
using Methods = testing::Types<Lsqr<double>, Lsmr<double>>;
TYPED_TEST_SUITE(GolubKahan, Methods);

TYPED_TEST(GolubKahan, SolvesConsistentSystemsOfMoreRows)
{
    on_each_executor([](const Executor& exec) {
        const auto [result, x] = solve<TypeParam>(exec, csr_from_rows(tall), {1, 2, 3});
        EXPECT_TRUE(result.converged());
        EXPECT_FALSE(result.columns[0].least_squares);
        EXPECT_LE(result.iterations(), 2);
        EXPECT_LE(result.columns[0].residual, 1e-12 * std::sqrt(14));
        expect_near(x, {1, 2}, 256);
    });
}

/// A^T A = [2 1; 1 2], A^T b = (1, 1), x = (1/3, 1/3), r = (2, 2, -2) / 3, after one step, since A^T b is an
/// eigenvector.
TYPED_TEST(GolubKahan, InconsistentSystemsHaveTheSolutionOfTheNormalEquations)
{
    on_each_executor([](const Executor& exec) {
        const auto [result, x] = solve<TypeParam>(exec, csr_from_rows(tall), {1, 1, 0});
        EXPECT_TRUE(result.converged());
        EXPECT_TRUE(result.columns[0].least_squares);
        EXPECT_EQ(result.reason(),
                  "b is not in the range of A; x is a least-squares solution: A^H (b - A x) meets its tolerance");
        ASSERT_EQ(result.iterations(), 1);
        ASSERT_EQ(result.history.size(), 2u);
        EXPECT_NEAR(result.history[1][0], 2 / std::sqrt(3), 1e-14);
        EXPECT_NEAR(result.columns[0].residual, 2 / std::sqrt(3), 1e-14);
        EXPECT_GT(result.columns[0].residual, result.columns[0].tolerance);
        expect_near(x, {1.0 / 3, 1.0 / 3}, 16);
    });
}

TYPED_TEST(GolubKahan, FindsSolutionsOfMinimalNorm)
{
    on_each_executor([](const Executor& exec) {
        const auto wide = solve<TypeParam>(exec, csr_from_rows<double>({{1, 1, 0}, {0, 0, 3}}), {2, 3});
        EXPECT_TRUE(wide.result.converged());
        expect_near(wide.x, {1, 1, 1}, 256);
        // Two equal rows and columns: of rank 1.
        const auto deficient = solve<TypeParam>(exec, csr_from_rows<double>({{1, 1}, {1, 1}, {0, 0}}), {1, 3, 5});
        EXPECT_TRUE(deficient.result.columns[0].least_squares);
        expect_near(deficient.x, {1, 1}, 256);
        EXPECT_NEAR(deficient.result.columns[0].residual, std::sqrt(27), 1e-12);
    });
}

TYPED_TEST(GolubKahan, NothingToDo)
{
    on_each_executor([](const Executor& exec) {
        // b is orthogonal to the range
        const auto orthogonal = solve<TypeParam>(exec, csr_from_rows<double>({{1, 0}, {0, 2}, {0, 0}}), {0, 0, 7});
        EXPECT_TRUE(orthogonal.result.converged());
        EXPECT_TRUE(orthogonal.result.columns[0].least_squares);
        EXPECT_EQ(orthogonal.result.iterations(), 0);
        EXPECT_EQ(orthogonal.x, (std::vector<double>{0, 0}));
        const auto zero = solve<TypeParam>(exec, csr_from_rows(tall), {0, 0, 0});
        EXPECT_TRUE(zero.result.converged());
        EXPECT_FALSE(zero.result.columns[0].least_squares);
    });
}

/// A least-squares solution, a consistent column, and one that is both solved and inconsistent; started from an x0. New
/// values and a second solve, without marks of the first.
TYPED_TEST(GolubKahan, ColumnsEndInTheirOwnWay)
{
    on_each_executor([](const Executor& exec) {
        Random random(11);
        const auto a = random_csr<double, DefaultIndex>(random, {60, 20}, 4);
        const auto matrix = matrix_on(exec, a);
        auto b = random_dense<double>(random, exec, {60, 2});
        const auto known = random_dense<double>(random, exec, {20, 2});
        Dense<double> product(exec, {60, 2});
        matrix->apply(known, product);
        auto rhs = b.to_host();
        const auto consistent = product.to_host();
        for (std::size_t k = 1; k < rhs.size(); k += 2) {
            rhs[k] = consistent[k];
        }
        b = block_on<double>(exec, {60, 2}, rhs);
        const auto solver =
            TypeParam::factory({.stop = {.relative_residual = 1e-10}, .normal_residual = 1e-11}).generate(matrix);
        auto x = random_dense<double>(random, exec, {20, 2});
        const auto result = solver->solve(b, x);
        EXPECT_TRUE(result.converged()) << result.reason();
        EXPECT_TRUE(result.columns[0].least_squares);
        EXPECT_FALSE(result.columns[1].least_squares);

        // A^T (b - A x) = 0, with the library's products
        matrix->apply(-1, x, 1, b);
        auto r = b.to_host();
        for (std::size_t col = 0; col < 2; ++col) {
            std::vector<double> normal(20, 0);
            for (std::size_t row = 0; row < 60; ++row) {
                for (auto k = static_cast<std::size_t>(a.row_ptrs[row]);
                     k < static_cast<std::size_t>(a.row_ptrs[row + 1]); ++k) {
                    normal[static_cast<std::size_t>(a.col_idxs[k])] += a.values[k] * r[2 * row + col];
                }
            }
            expect_near(normal, std::vector<double>(20, 0), 1e7, 1);
        }
        EXPECT_EQ(solver->size(), (Dim{20, 60}));

        auto doubled = a;
        for (auto& value : doubled.values) {
            value *= 2;
        }
        solver->update_values(matrix_on(exec, doubled));
        auto half = Dense<double>::filled(exec, {20, 2}, 0);
        const auto second = solver->solve(product, half);
        EXPECT_TRUE(second.converged());
        EXPECT_FALSE(second.columns[0].least_squares);
        auto expected = known.to_host();
        for (auto& value : expected) {
            value /= 2;
        }
        expect_near(half.to_host(), expected, 1e8);
    });
}

/// Columns in units over twelve decades, or scaled back: the same iterations and, in units, the same x. New values, and
/// an x0.
TYPED_TEST(GolubKahan, ColumnScalingMakesUnitsNoMatter)
{
    on_each_executor([](const Executor& exec) {
        Random random(12);
        const auto a = random_csr<double, DefaultIndex>(random, {80, 25}, 4);
        auto in_units = a;
        const auto unit = [](std::size_t col) { return std::ldexp(1.0, static_cast<int>(col * 7 % 41) - 20); };
        for (std::size_t k = 0; k < a.values.size(); ++k) {
            in_units.values[k] *= unit(static_cast<std::size_t>(a.col_idxs[k]));
        }
        const auto b = random_dense<double>(random, exec, {80, 1});
        const GolubKahanParameters<double> parameters{
            .stop = {.max_iterations = 60, .relative_residual = 0}, .normal_residual = 1e-12, .column_scaling = true};
        const auto solved = [&](const Solver<double>& solver, std::vector<double>& x) {
            auto block = Dense<double>::filled(exec, {25, 1}, 0);
            const auto result = solver.solve(b, block);
            EXPECT_TRUE(result.columns[0].least_squares) << result.reason();
            x = block.to_host();
            const auto more = solver.solve(b, block);
            EXPECT_TRUE(more.columns[0].least_squares) << more.reason();
            EXPECT_LE(more.iterations(), 1);
            return result.iterations();
        };
        std::vector<double> plain, units, again;
        const auto solver = TypeParam::factory(parameters).generate(matrix_on(exec, a));
        const auto iterations = solved(*solver, plain);
        EXPECT_EQ(solved(*TypeParam::factory(parameters).generate(matrix_on(exec, in_units)), units), iterations);
        for (std::size_t col = 0; col < 25; ++col) {
            units[col] *= unit(col);
        }
        expect_near(units, plain, 1e6);
        solver->update_values(matrix_on(exec, in_units));
        EXPECT_EQ(solved(*solver, again), iterations);
        auto unscaled = parameters;
        unscaled.column_scaling = false;
        auto x = Dense<double>::filled(exec, {25, 1}, 0);
        EXPECT_FALSE(TypeParam::factory(unscaled).generate(matrix_on(exec, in_units))->solve(b, x).converged());
    });
}

/// Factors of A^H A are exact: one iteration, also for new values. One that is not positive definite breaks down.
TYPED_TEST(GolubKahan, TakesPreconditionersOfTheNormalEquations)
{
    on_each_executor([](const Executor& exec) {
        Random random(13);
        auto a = random_csr<double, DefaultIndex>(random, {60, 20}, 4);
        const auto b = random_dense<double>(random, exec, {60, 2});
        GolubKahanParameters<double> parameters{
            .normal_residual = 1e-10, .preconditioner = Cholesky<double>::factory({.stop = {.max_iterations = 1}})};
        const auto solver = TypeParam::factory(parameters).generate(matrix_on(exec, a));
        const auto solves = [&] {
            auto x = Dense<double>::filled(exec, {20, 2}, 0);
            const auto result = solver->solve(b, x);
            EXPECT_TRUE(result.columns[0].least_squares && result.columns[1].least_squares) << result.reason();
            EXPECT_LE(result.iterations(), 2);
        };
        solves();
        for (std::size_t k = 0; k < a.values.size(); ++k) {
            a.values[k] *= 1 + a.col_idxs[k];
        }
        solver->update_values(matrix_on(exec, a));
        solves();
        parameters.preconditioner = make_factory<double>(
            [](const LinOpPtr<double>& normal) {
                return std::make_unique<Diagonal<double>>(
                    normal->executor(), std::vector<double>(static_cast<std::size_t>(normal->size().rows), -1));
            },
            "negative");
        auto x = Dense<double>::filled(exec, {20, 2}, 0);
        EXPECT_EQ(TypeParam::factory(parameters).generate(matrix_on(exec, a))->solve(b, x).status(),
                  SolveStatus::breakdown);
    });
}

TYPED_TEST(GolubKahan, RefusesWhatDoesNotFit)
{
    const auto& exec = reference_executor();
    const auto a = matrix_on(exec, csr_from_rows(tall));
    const auto solver = TypeParam::factory().generate(a);
    const auto three = Dense<double>::filled(exec, {3, 1}, 1), two = Dense<double>::filled(exec, {2, 1}, 1);
    auto x = Dense<double>::filled(exec, {3, 1}, 0);
    EXPECT_THROW(solver->solve(three, x), DimensionMismatch);
    try {
        solver->solve(two, x);
        ADD_FAILURE() << "b has too few rows";
    } catch (const DimensionMismatch& error) {  // the matrix, not the solver, which is 2 x 3
        EXPECT_EQ(std::string(error.what()),
                  std::string(TypeParam::type_name) + "::solve: the matrix is 3 x 2, b is 2 x 1");
    }
    EXPECT_THROW(TypeParam::factory({.normal_residual = -1}).generate(a), InvalidParameter);
    EXPECT_THROW(TypeParam::factory().generate(share(Dense<double>::filled(exec, {3, 2}, 1))), NotSupported);
    EXPECT_THROW(solver->update_values(matrix_on(exec, csr_from_rows<double>({{1, 2, 3}, {4, 5, 6}}))),
                 DimensionMismatch);
}

template <class V>
class GolubKahanOfType : public testing::Test {
};
TYPED_TEST_SUITE(GolubKahanOfType, TestedValues, TypeNames);

/// With a complex column A^H is not A^T: A = (1, i, 1)^T, or (1, 1, 1)^T, and b = A + (1, 0, -1)^T.
TYPED_TEST(GolubKahanOfType, UsesTheConjugateTranspose)
{
    using V = TypeParam;
    on_each_executor([](const Executor& exec) {
        const V i = is_complex<V> ? number<V>(0, 1) : V{1};
        const auto a = matrix_on(exec, csr_from_rows<V>({{V{1}}, {i}, {V{1}}}));
        const auto check = [&](const auto& factory) {
            auto x = Dense<V>::filled(exec, {1, 1}, V{0});
            const auto result = factory.generate(a)->solve(Dense<V>::vector(exec, {V{2}, i, V{0}}), x);
            EXPECT_TRUE(result.columns[0].least_squares) << result.reason();
            expect_near(x.to_host(), {V{1}}, 16);
        };
        check(Lsqr<V>::factory());
        check(Lsmr<V>::factory());
    });
}

/// A^T A = s^2 [2 1; 1 2], A^T b = s (1, 1), x = (1/3, 1/3) / s, where s^2 is 0 or infinite in the value type.
TYPED_TEST(GolubKahanOfType, SquaresOfValuesMayBeOutOfRange)
{
    using V = TypeParam;
    using R = real_t<V>;
    on_each_executor([](const Executor& exec) {
        constexpr int exponent = std::numeric_limits<R>::max_exponent * 5 / 8;
        for (const R s : {std::ldexp(R{1}, -exponent), std::ldexp(R{1}, exponent)}) {
            const V v{s};
            const auto a = matrix_on(exec, csr_from_rows<V>({{v, V{0}}, {V{0}, v}, {v, v}}));
            const auto check = [&](const Solver<V>& solver) {
                auto x = Dense<V>::filled(exec, {2, 1}, V{0});
                const auto result = solver.solve(Dense<V>::vector(exec, {V{1}, V{1}, V{0}}), x);
                EXPECT_TRUE(result.columns[0].least_squares) << result.reason();
                EXPECT_LE(1, result.iterations());
                auto found = x.to_host();
                for (auto& value : found) {
                    value *= v;
                }
                expect_near(found, {V{R{1} / 3}, V{R{1} / 3}}, 64);
            };
            const GolubKahanParameters<V> plain{.normal_residual = 0},
                in_units{.normal_residual = 0, .column_scaling = true},
                preconditioned{.normal_residual = 0, .preconditioner = Jacobi<V>::factory()};
            for (const auto& parameters : {plain, in_units, preconditioned}) {
                check(*Lsqr<V>::factory(parameters).generate(a));
                const auto solver = Lsmr<V>::factory(parameters).generate(a);
                solver->update_values(a);
                check(*solver);
            }
        }
    });
}

/// ||b - A x|| and ||A^T (b - A x)|| after k steps.
template <class Method>
std::pair<double, double> norms_after(const Executor& exec, const LinOpPtr<double>& a, const LinOp<double>& adjoint,
                                      const Dense<double>& b, size_type k)
{
    auto x = Dense<double>::filled(exec, {a->size().cols, 1}, 0);
    const auto result = Method::factory({.stop = {.max_iterations = k, .relative_residual = 0}, .normal_residual = 0})
                            .generate(a)
                            ->solve(b, x, {.history = true});
    EXPECT_EQ(result.iterations(), k);
    auto r = b.copy();
    a->apply(-1, x, 1, r);
    auto normal = Dense<double>::filled(exec, {a->size().cols, 1}, 0);
    adjoint.apply(r, normal);
    // The norm of the recurrence is that of x.
    EXPECT_NEAR(result.history.back()[0], r.norm2()[0], 1e-10 * b.norm2()[0]);
    return {r.norm2()[0], normal.norm2()[0]};
}

/// Each method makes what it is named for least in the same subspaces. [FongSaunders11]
TEST(GolubKahanTest, LsmrHasTheLeastNormalResidualAndLsqrTheLeastResidual)
{
    on_each_executor([](const Executor& exec) {
        Random random(3);
        auto entries = random_csr<double, DefaultIndex>(random, {80, 30}, 5);
        for (std::size_t k = 0; k < entries.values.size(); ++k) {
            entries.values[k] *= 1 + 20.0 * static_cast<double>(entries.col_idxs[k]);
        }
        const auto a = matrix_on(exec, entries);
        const auto adjoint = transpose(dynamic_cast<const Csr<double, DefaultIndex>&>(*a));
        const auto b = random_dense<double>(random, exec, {80, 1});
        double last = std::numeric_limits<double>::infinity();
        bool is_ever_less = false;
        for (const size_type k : {1, 2, 3, 4, 6, 8, 11, 15, 20}) {
            const auto [lsqr, normal_of_lsqr] = norms_after<Lsqr<double>>(exec, a, adjoint, b, k);
            const auto [lsmr, normal_of_lsmr] = norms_after<Lsmr<double>>(exec, a, adjoint, b, k);
            EXPECT_LE(lsqr, lsmr * (1 + 1e-12));
            EXPECT_LE(normal_of_lsmr, normal_of_lsqr * (1 + 1e-9));
            EXPECT_LE(normal_of_lsmr, last * (1 + 1e-9));
            is_ever_less = is_ever_less || normal_of_lsmr < 0.8 * normal_of_lsqr;
            last = normal_of_lsmr;
        }
        EXPECT_TRUE(is_ever_less);
    });
}

}  // namespace
}  // namespace linden::test
