// needs: double int32
#include <linden/error.hpp>
#include <linden/io/problems.hpp>
#include <linden/matrix/dense.hpp>
#include <linden/matrix/identity.hpp>
#include <linden/preconditioner/block_jacobi.hpp>
#include <linden/preconditioner/jacobi.hpp>
#include <linden/solver/cg.hpp>

#include "test/support/compare.hpp"
#include "test/support/matrices.hpp"
#include "test/support/pathological.hpp"

namespace linden::test {
namespace {

using I = std::int32_t;
using sizes = std::vector<size_type>;
using Parameters = BlockJacobi<double>::Parameters;
namespace p = pathological;

template <class V, class J>
LinOpPtr<V> csr(const Executor& exec, const CsrData<V, J>& a)
{
    return share(Csr<V, J>(exec, a));
}

std::unique_ptr<BlockJacobi<double>> generate(LinOpPtr<double> a, Parameters parameters = {})
{
    return BlockJacobi<double>::factory(std::move(parameters)).generate(std::move(a));
}

std::vector<double> applied(const LinOp<double>& op, const std::vector<double>& b)
{
    Dense<double> x(op.executor(), {op.size().rows, 1});
    op.apply(Dense<double>::vector(op.executor(), b), x);
    return x.to_host();
}

TEST(BlockJacobi, InvertsBlocks)
{
    on_each_executor([](const Executor& exec) {
        // [2 1; 1 2]^-1 = [2 -1; -1 2] / 3, and 1 / 2
        for_each_index([&]<class J>() {
            const auto m = generate(csr(exec, p::healthy<double, J>()), {.block_size = 2});
            EXPECT_EQ(m->block_ptrs(), (sizes{0, 2, 3}));
            EXPECT_EQ(m->num_singular_blocks(), 0);
            expect_near(applied(*m, {3, 6, 3}), {0, 3, 1.5}, 8);
        });
    });
}

TEST(BlockJacobi, OfAWholeMatrixIsItsInverse)
{
    on_each_executor([](const Executor& exec) {
        Random random(402);
        const auto data = random_hpd_csr<double, I>(random, 32, 6);
        const auto a = csr(exec, data);
        const auto m = generate(a, {.block_size = 32});
        const auto b = random_dense<double>(random, exec, {32, 5});
        Dense<double> ab(exec, {32, 5});
        Dense<double> x(exec, {32, 5});
        a->apply(b, ab);
        m->apply(ab, x);
        expect_near(x, b, 256);
    });
}

/// The Laplacian on N points with `size` coupled unknowns at each.
CsrData<double, I> vector_laplacian(size_type points, size_type size)
{
    CsrData<double, I> a{{points * size, points * size}, {0}, {}, {}};
    for (size_type row = 0; row < points * size; ++row) {
        const auto point = row / size;
        for (auto other = std::max<size_type>(point - 1, 0); other < std::min(point + 2, points); ++other) {
            for (size_type unknown = 0; unknown < size; ++unknown) {
                const bool is_diagonal = other * size + unknown == row;
                const double coupling = other == point ? 0.95 : -0.3;
                a.col_idxs.push_back(static_cast<I>(other * size + unknown));
                a.values.push_back(coupling + (is_diagonal ? 0.06 + 2 * 0.3 * static_cast<double>(size) : 0));
            }
        }
        a.row_ptrs.push_back(static_cast<I>(a.values.size()));
    }
    return a;
}

TEST(BlockJacobi, FindsTheUnknownsOfANode)
{
    on_each_executor([](const Executor& exec) {
        const auto a = csr(exec, vector_laplacian(5, 3));
        EXPECT_EQ(generate(a, {.block_size = 3})->block_ptrs(), (sizes{0, 3, 6, 9, 12, 15}));
        EXPECT_EQ(generate(a, {.block_size = 8})->block_ptrs(), (sizes{0, 6, 12, 15})) << "nodes stay whole";
        EXPECT_EQ(generate(a, {.block_size = 2})->block_ptrs(), (sizes{0, 2, 3, 5, 6, 8, 9, 11, 12, 14, 15}))
            << "nodes are cut, and one and two do not fit together";
    });
}

TEST(BlockJacobi, TakesGivenBlocks)
{
    on_each_executor([](const Executor& exec) {
        const auto a = csr(exec, p::healthy<double, I>());
        const auto m = generate(a, {.block_ptrs = {0, 1, 3}});
        EXPECT_EQ(m->num_blocks(), 2);
        expect_near(applied(*m, {4, 3, 6}), {2, 0, 3}, 8);
    });
}

TEST(BlockJacobi, SingularBlocksBecomeTheirDiagonal)
{
    on_each_executor([](const Executor& exec) {
        const auto rank_one = generate(csr(exec, p::rank_one<double, I>()));
        EXPECT_EQ(rank_one->num_singular_blocks(), 1);
        expect_near(applied(*rank_one, {1, 4, 18}), {1, 1, 2}, 4);
        const auto empty = generate(csr(exec, p::without_entries<double, I>(9)), {.block_size = 4});
        EXPECT_EQ(empty->num_singular_blocks(), 3);
        EXPECT_EQ(applied(*empty, {1, 2, 3, 4, 5, 6, 7, 8, 9}), (std::vector<double>{1, 2, 3, 4, 5, 6, 7, 8, 9}));
        const auto missing = generate(csr(exec, p::missing_diagonal<double, I>()), {.block_size = 1});
        EXPECT_EQ(missing->num_singular_blocks(), 1);
        EXPECT_EQ(dynamic_cast<const BlockJacobi<double>&>(*missing->clone(exec)).num_singular_blocks(), 1);
    });
}

TEST(BlockJacobi, FollowsNewValuesInTheSameBlocks)
{
    on_each_executor([](const Executor& exec) {
        auto a = vector_laplacian(4, 2);
        const auto m = generate(csr(exec, a), {.block_size = 2});
        for (auto& value : a.values) {
            value *= 4;
        }
        const auto before = applied(*m, {1, 2, 3, 4, 5, 6, 7, 8});
        const auto launches = exec.counters().kernel_launches;
        m->update_values(csr(exec, a));
        EXPECT_EQ(exec.counters().kernel_launches, launches + 1) << "blocks are not looked for again";
        auto after = applied(*m, {1, 2, 3, 4, 5, 6, 7, 8});
        for (auto& value : after) {
            value *= 4;
        }
        expect_near(after, before, 8);
    });
}

TEST(BlockJacobi, StoresInSinglePrecision)
{
    on_each_executor([](const Executor& exec) {
        Random random(403);
        const auto a = csr(exec, random_hpd_csr<double, I>(random, 500, 6));
        const auto same = generate(a);
        const auto start = exec.counters().allocated_bytes;
        const auto in_single = generate(a, {.storage = StoragePrecision::single});
        const auto bytes_in_single = exec.counters().allocated_bytes - start;
        const auto in_double = generate(a);
        EXPECT_LT(bytes_in_single, exec.counters().allocated_bytes - start - bytes_in_single);
        const auto b = random_dense<double>(random, exec, {500, 1}).to_host();
        const auto expected = applied(*same, b);
        const auto actual = applied(*in_single, b);
        EXPECT_NE(actual, expected);
        expect_near(actual, expected, std::ldexp(1.0, 30));  // 2^30 eps is 2 eps of float
    });
}

TEST(BlockJacobi, RefusesWrongParameters)
{
    const auto a = csr(reference_executor(), p::healthy<double, I>());
    EXPECT_THROW((void)generate(a, {.block_size = 0}), InvalidParameter);
    EXPECT_THROW((void)generate(a, {.block_size = 33}), InvalidParameter);
    for (const sizes& block_ptrs : {sizes{0, 2}, {0, 2, 4}, {1, 3}, {0, 2, 2, 3}, {0, 2, 1, 3}}) {
        EXPECT_THROW((void)generate(a, {.block_ptrs = block_ptrs}), InvalidParameter);
    }
    const auto wide = csr(reference_executor(), p::without_entries<double, I>(40));
    EXPECT_THROW((void)generate(wide, {.block_ptrs = {0, 33, 40}}), InvalidParameter);
    EXPECT_THROW((void)generate(share(Identity<double>(reference_executor(), 3))), NotSupported);
}

TEST(BlockJacobi, NeedsFewerIterationsThanJacobi)
{
    on_each_executor([](const Executor& exec) {
        const auto a = csr(exec, vector_laplacian(200, 4));
        const auto n = a->size().rows;
        const auto iterations = [&](FactoryPtr<double> preconditioner) {
            const auto solver = Cg<double>::factory({.stop = {.max_iterations = 5000, .relative_residual = 1e-8},
                                                     .preconditioner = std::move(preconditioner)})
                                    .generate(a);
            Random random(404);
            auto x = Dense<double>::filled(exec, {n, 1}, 0);
            const auto result = solver->solve(random_dense<double>(random, exec, {n, 1}), x);
            EXPECT_TRUE(result.converged()) << result.reason();
            return result.iterations();
        };
        const auto jacobi = iterations(Jacobi<double>::factory());
        const auto block_jacobi = iterations(BlockJacobi<double>::factory({.block_size = 4}));
        const auto in_single =
            iterations(BlockJacobi<double>::factory({.block_size = 4, .storage = StoragePrecision::single}));
        EXPECT_LT(block_jacobi, jacobi);
        EXPECT_LE(in_single, block_jacobi + 2);
    });
}

}  // namespace
}  // namespace linden::test
