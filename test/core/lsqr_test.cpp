// needs: double int32
#include <linden/solver/lsqr.hpp>

#include "test/support/kernel_cases.hpp"
#include "test/support/solvers.hpp"

namespace linden::test {
namespace {

struct Solved {
    SolveResult result;
    std::vector<double> x;
};

Solved solve(const Executor& exec, const TestCsr<double>& a, const std::vector<double>& b,
             const Lsqr<double>::Parameters& parameters = {.stop = {.relative_residual = 1e-12}})
{
    auto x = Dense<double>::filled(exec, {a.size.cols, 1}, 0);
    auto result = Lsqr<double>::factory(parameters)
                      .generate(matrix_on(exec, a))
                      ->solve(Dense<double>::vector(exec, b), x, {.history = true});
    return {std::move(result), x.to_host()};
}

const std::vector<std::vector<double>> tall{{1, 0}, {0, 1}, {1, 1}};

TEST(LsqrTest, SolvesConsistentSystemsOfMoreRows)
{
    on_each_executor([](const Executor& exec) {
        const auto [result, x] = solve(exec, csr_from_rows(tall), {1, 2, 3});
        EXPECT_TRUE(result.converged());
        EXPECT_FALSE(result.columns[0].least_squares);
        EXPECT_LE(result.iterations(), 2);
        EXPECT_LE(result.columns[0].residual, 1e-12 * std::sqrt(14));
        expect_near(x, {1, 2}, 256);
    });
}

/// A^T A = [2 1; 1 2], A^T b = (1, 1), x = (1/3, 1/3), r = (2, 2, -2) / 3, after one step, since A^T b is an
/// eigenvector.
TEST(LsqrTest, InconsistentSystemsHaveTheSolutionOfTheNormalEquations)
{
    on_each_executor([](const Executor& exec) {
        const auto [result, x] = solve(exec, csr_from_rows(tall), {1, 1, 0});
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

TEST(LsqrTest, FindsSolutionsOfMinimalNorm)
{
    on_each_executor([](const Executor& exec) {
        const auto wide = solve(exec, csr_from_rows<double>({{1, 1, 0}, {0, 0, 3}}), {2, 3});
        EXPECT_TRUE(wide.result.converged());
        expect_near(wide.x, {1, 1, 1}, 256);
        // Two equal rows and columns: of rank 1.
        const auto deficient = solve(exec, csr_from_rows<double>({{1, 1}, {1, 1}, {0, 0}}), {1, 3, 5});
        EXPECT_TRUE(deficient.result.columns[0].least_squares);
        expect_near(deficient.x, {1, 1}, 256);
        EXPECT_NEAR(deficient.result.columns[0].residual, std::sqrt(27), 1e-12);
    });
}

TEST(LsqrTest, NothingToDo)
{
    on_each_executor([](const Executor& exec) {
        // b is orthogonal to the range
        const auto orthogonal = solve(exec, csr_from_rows<double>({{1, 0}, {0, 2}, {0, 0}}), {0, 0, 7});
        EXPECT_TRUE(orthogonal.result.converged());
        EXPECT_TRUE(orthogonal.result.columns[0].least_squares);
        EXPECT_EQ(orthogonal.result.iterations(), 0);
        EXPECT_EQ(orthogonal.x, (std::vector<double>{0, 0}));
        const auto zero = solve(exec, csr_from_rows(tall), {0, 0, 0});
        EXPECT_TRUE(zero.result.converged());
        EXPECT_FALSE(zero.result.columns[0].least_squares);
    });
}

/// A least-squares solution, a consistent column, and one that is both solved and inconsistent; started from an x0. New
/// values and a second solve, without marks of the first.
TEST(LsqrTest, ColumnsEndInTheirOwnWay)
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
            Lsqr<double>::factory({.stop = {.relative_residual = 1e-10}, .normal_residual = 1e-11}).generate(matrix);
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

TEST(LsqrTest, RefusesWhatDoesNotFit)
{
    const auto& exec = reference_executor();
    const auto a = matrix_on(exec, csr_from_rows(tall));
    const auto solver = Lsqr<double>::factory().generate(a);
    const auto three = Dense<double>::filled(exec, {3, 1}, 1), two = Dense<double>::filled(exec, {2, 1}, 1);
    auto x = Dense<double>::filled(exec, {3, 1}, 0);
    EXPECT_THROW(solver->solve(three, x), DimensionMismatch);
    EXPECT_THROW(solver->solve(two, x), DimensionMismatch);
    EXPECT_THROW(Lsqr<double>::factory({.normal_residual = -1}).generate(a), InvalidParameter);
    EXPECT_THROW(Lsqr<double>::factory().generate(share(Dense<double>::filled(exec, {3, 2}, 1))), NotSupported);
    EXPECT_THROW(solver->update_values(matrix_on(exec, csr_from_rows<double>({{1, 2, 3}, {4, 5, 6}}))),
                 DimensionMismatch);
}

template <class V>
class LsqrOfType : public testing::Test {
};
TYPED_TEST_SUITE(LsqrOfType, TestedValues, TypeNames);

/// With a complex column A^H is not A^T: A = (1, i, 1)^T, or (1, 1, 1)^T, and b = A + (1, 0, -1)^T.
TYPED_TEST(LsqrOfType, UsesTheConjugateTranspose)
{
    using V = TypeParam;
    on_each_executor([](const Executor& exec) {
        const V i = is_complex<V> ? number<V>(0, 1) : V{1};
        const auto a = csr_from_rows<V>({{V{1}}, {i}, {V{1}}});
        auto x = Dense<V>::filled(exec, {1, 1}, V{0});
        const auto result =
            Lsqr<V>::factory().generate(matrix_on(exec, a))->solve(Dense<V>::vector(exec, {V{2}, i, V{0}}), x);
        EXPECT_TRUE(result.columns[0].least_squares) << result.reason();
        expect_near(x.to_host(), {V{1}}, 16);
    });
}

}  // namespace
}  // namespace linden::test
