// needs: double int32
#include <linden/error.hpp>
#include <linden/matrix/multiply.hpp>

#include "test/support/backends.hpp"
#include "test/support/compare.hpp"
#include "test/support/matrices.hpp"
#include "test/support/problems.hpp"

namespace linden::test {
namespace {

using I = std::int32_t;
using Matrix = Csr<double, I>;

/// Entries of the product of the 5-point stencil on n x n points with itself: 13 points, less what leaves the grid.
size_type entries_of_square(size_type n)
{
    size_type entries = 0;
    for (size_type dy = -2; dy <= 2; ++dy) {
        for (size_type dx = -2; dx <= 2; ++dx) {
            if (std::abs(dx) + std::abs(dy) <= 2) {
                entries += std::max<size_type>(0, n - std::abs(dx)) * std::max<size_type>(0, n - std::abs(dy));
            }
        }
    }
    return entries;
}

TEST(Multiply, SquareOfAStencil)
{
    on_each_executor([](const Executor& exec) {
        const Matrix a(exec, laplace_2d<double>(20));
        const auto c = multiply(a, a);
        EXPECT_EQ(c.num_nonzeros(), entries_of_square(20));
        const auto data = c.to_host();
        require_well_formed(data);
        // an inner point: 1, 2 -8 2, 1 -8 20 -8 1, ...
        const auto first = static_cast<std::size_t>(data.row_ptrs[20 * 10 + 10]);
        const std::vector<double> row(data.values.begin() + static_cast<std::ptrdiff_t>(first),
                                      data.values.begin() + static_cast<std::ptrdiff_t>(first) + 13);
        EXPECT_EQ(row, (std::vector<double>{1, 2, -8, 2, 1, -8, 20, -8, 1, 2, -8, 2, 1}));
    });
}

TEST(Multiply, PlanTakesNewValues)
{
    on_each_executor([](const Executor& exec) {
        Random random(321);
        auto a_data = random_csr<double, I>(random, {40, 50}, 5);
        auto b_data = random_csr<double, I>(random, {50, 60}, 5);
        MultiplyPlan<double, I> plan(Matrix(exec, a_data), Matrix(exec, b_data));
        auto c = plan.result();
        EXPECT_EQ(plan.size(), (Dim{40, 60}));
        EXPECT_EQ(plan.num_nonzeros(), c.num_nonzeros());
        for (int time = 0; time < 2; ++time) {
            for (auto& value : a_data.values) {
                value = random.value<double>();
            }
            const Matrix a(exec, a_data), b(exec, b_data);
            const auto allocations = exec.counters().allocations;
            plan.compute(a, b, c);
            EXPECT_EQ(exec.counters().allocations, allocations);
            const auto expected = multiply(a, b).to_host();
            EXPECT_EQ(c.to_host().col_idxs, expected.col_idxs);
            EXPECT_EQ(c.to_host().values, expected.values);
        }
    });
}

TEST(Multiply, GalerkinProduct)
{
    on_each_executor([](const Executor& exec) {
        const Matrix r(exec, csr_from_rows<double>({{1, 1, 0, 0}, {0, 0, 1, 1}}));
        const Matrix p(exec, csr_from_rows<double>({{1, 0}, {1, 0}, {0, 1}, {0, 1}}));
        const Matrix a(exec, csr_from_rows<double>({{2, -1, 0, 0}, {-1, 2, -1, 0}, {0, -1, 2, -1}, {0, 0, -1, 2}}));
        EXPECT_EQ(galerkin_product(r, a, p).to_host().values, (std::vector<double>{2, -1, -1, 2}));
    });
}

TEST(Multiply, WithoutRowsColumnsOrEntries)
{
    on_each_executor([](const Executor& exec) {
        EXPECT_EQ(multiply(Matrix(exec, Dim{0, 3}), Matrix(exec, Dim{3, 2})).size(), (Dim{0, 2}));
        EXPECT_EQ(multiply(Matrix(exec, Dim{2, 0}), Matrix(exec, Dim{0, 3})).size(), (Dim{2, 3}));
        EXPECT_EQ(multiply(Matrix(exec, Dim{2, 3}), Matrix(exec, Dim{3, 0})).num_nonzeros(), 0);
        EXPECT_EQ(add(1, Matrix(exec, Dim{0, 0}), 1, Matrix(exec, Dim{0, 0})).size(), (Dim{0, 0}));
    });
}

TEST(Multiply, RefusesWhatDoesNotFit)
{
    const auto& exec = reference_executor();
    const Matrix a(exec, csr_from_rows<double>({{1, 2}, {0, 3}}));
    EXPECT_THROW((void)multiply(a, Matrix(exec, Dim{3, 2})), DimensionMismatch);
    EXPECT_THROW((void)add(1, a, 1, Matrix(exec, Dim{3, 2})), DimensionMismatch);
    MultiplyPlan<double, I> plan(a, a);
    auto c = plan.result();
    const Matrix emptier(exec, Dim{2, 2});
    EXPECT_THROW(plan.compute(emptier, a, c), InvalidParameter);
    EXPECT_THROW(plan.compute(a, Matrix(exec, Dim{2, 3}), c), DimensionMismatch);
    Matrix wrong(exec, Dim{2, 2});
    EXPECT_THROW(plan.compute(a, a, wrong), InvalidParameter);
    on_each_executor([&](const Executor& other) {
        if (!(other == exec)) {
            EXPECT_THROW((void)multiply(a, a.copy(other)), InvalidParameter);
            EXPECT_THROW((void)add(1, a, 1, a.copy(other)), InvalidParameter);
        }
    });
}

TEST(Add, PlanTakesNewValues)
{
    on_each_executor([](const Executor& exec) {
        const Matrix a(exec, csr_from_rows<double>({{1, 2}, {0, 3}}));
        const Matrix b(exec, csr_from_rows<double>({{0, 5}, {7, 0}}));
        const AddPlan<double, I> plan(a, b);
        auto c = plan.result();
        plan.compute(2, a, -1, b, c);
        EXPECT_EQ(c.to_host().values, (std::vector<double>{2, -1, -7, 6}));
        plan.compute(0, a, 1, b, c);
        EXPECT_EQ(c.to_host().values, (std::vector<double>{0, 5, 7, 0}));
        EXPECT_EQ(add(2, a, -1, b).to_host().values, (std::vector<double>{2, -1, -7, 6}));
        EXPECT_THROW(plan.compute(1, b, 1, a, c), InvalidParameter);
    });
}

}  // namespace
}  // namespace linden::test
