// needs: double int32
#include <linden/distributed/matrix.hpp>
#include <linden/preconditioner/chebyshev.hpp>
#include <linden/preconditioner/jacobi.hpp>
#include <linden/solver/bicgstab.hpp>
#include <linden/solver/cg.hpp>
#include <linden/solver/gmres.hpp>

#include "core/base/block_sums.hpp"
#include "core/kernels/reduction.hpp"
#include "test/support/ranks.hpp"

/// Sums that have the same bits on any number of ranks.
namespace linden::test {
namespace {

using distributed::Partition;
using Matrix = distributed::Matrix<double, std::int32_t>;

/// Partitions into whole blocks, also with ranks that own no rows.
std::vector<Partition> partitions_in_blocks(size_type n, int ranks)
{
    std::vector<Partition> result{Partition::stripes(n, ranks, sum_block_rows)};
    if (ranks > 2) {
        std::vector<std::int64_t> firsts(static_cast<std::size_t>(ranks) + 1, n);
        firsts[0] = firsts[1] = 0;
        firsts[2] = sum_block_rows;  // rank 0 nothing, rank 1 one block, rank 2 the rest
        result.emplace_back(firsts);
    }
    return result;
}

TEST(BlockSumsTest, HaveTheSameBitsWhereverBlocksAreCut)
{
    Random random(5);
    for (const int num_blocks : {1, 2, 3, 7, 8, 100}) {
        std::vector<std::array<double, 2>> blocks(static_cast<std::size_t>(num_blocks));
        for (auto& block : blocks) {
            block = {random.value<double>() * std::exp(20 * random.value<double>()), random.value<double>()};
        }
        const auto append = [&](BlockSums<double>& sums, int begin, int end) {
            for (int b = begin; b < end; ++b) {
                sums.append(b, blocks[static_cast<std::size_t>(b)].data(), AddParts{});
            }
        };
        BlockSums<double> whole(2);
        append(whole, 0, num_blocks);
        for (int cut = 0; cut <= num_blocks; ++cut) {
            BlockSums<double> low(2), high(2), all(2);
            append(low, 0, cut);
            append(high, cut, num_blocks);
            EXPECT_LE(high.num_nodes(), BlockSums<double>::most_nodes(num_blocks - cut));
            std::vector<std::byte> written(static_cast<std::size_t>(high.num_nodes()) *
                                           BlockSums<double>::node_bytes(2));
            high.write(written.data());
            all.append(low, AddParts{});
            all.append_written(written.data(), high.num_nodes(), AddParts{});
            EXPECT_EQ(all.total(AddParts{}), whole.total(AddParts{})) << cut << " of " << num_blocks;
        }
    }
}

/// By hand: ((1 + 2) + (4 + 8)) + 16 and nothing of no blocks.
TEST(BlockSumsTest, AddUpAllBlocks)
{
    BlockSums<double> sums(1);
    EXPECT_EQ(sums.total(AddParts{}), std::vector<double>{0});
    for (int b = 0; b < 5; ++b) {
        const double value = 1 << b;
        sums.append(b, &value, AddParts{});
    }
    EXPECT_EQ(sums.num_nodes(), 2);
    EXPECT_EQ(sums.total(AddParts{}), std::vector<double>{31});
}

struct Solution {
    size_type iterations = 0;
    std::vector<double> x;
    bool operator==(const Solution&) const = default;
};

/// A scaled Laplacian, whose products are rounded, so that it matters how they are added.
CsrData<double, std::int32_t> scaled_laplacian(double convection)
{
    auto a = laplace_2d<double>(30, convection);
    const auto scale = random_block<double>({a.size.rows, 1}, 6);
    const auto at = [&](size_type row) { return 1 + 0.3 * scale.values[static_cast<std::size_t>(row)]; };
    for (size_type row = 0; row < a.size.rows; ++row) {
        for (auto k = a.row_ptrs[static_cast<std::size_t>(row)]; k < a.row_ptrs[static_cast<std::size_t>(row) + 1];
             ++k) {
            a.values[static_cast<std::size_t>(k)] *= at(row) * at(a.col_idxs[static_cast<std::size_t>(k)]);
        }
    }
    return a;
}

Solution solve(Backend backend, const Partition& partition, const FactoryPtr<double>& factory, size_type cols)
{
    const auto a = scaled_laplacian(factory->type() == "Cg" ? 0 : 1);
    Solution solution;
    on_ranks(partition.num_ranks(), [&](const Communicator& ranks) {
        const auto exec = rank_executor(backend);
        const auto matrix = share(Matrix::from_whole(exec, ranks.reproducible(), partition, a));
        const auto b = rows_of(exec, random_block<double>({900, cols}, 4), partition, ranks.rank());
        auto x = Dense<double>::filled(exec, b.size(), 0);
        const auto solver = factory->make(matrix);
        const auto result = static_cast<const Solver<double>&>(*solver).solve(b, x);
        EXPECT_TRUE(result.converged()) << factory->type();
        const auto whole = distributed::Vector<double>(ranks, partition, std::move(x)).gather();
        if (ranks.rank() == 0) {
            solution = {result.iterations(), whole.values};
        }
    });
    return solution;
}

void expect_same_bits(const FactoryPtr<double>& factory, size_type cols = 1)
{
    for (const auto backend : rank_backends()) {
        const auto alone = solve(backend, Partition::stripes(900, 1), factory, cols);
        EXPECT_GT(alone.iterations, 5);
        for (const int n : {2, 3, 4}) {
            for (const auto& partition : partitions_in_blocks(900, n)) {
                EXPECT_EQ(solve(backend, partition, factory, cols), alone) << n << " ranks, " << name(backend);
            }
        }
    }
}

const Stop stop{.relative_residual = 1e-9};
const FactoryPtr<double> jacobi = Jacobi<double>::factory();
const FactoryPtr<double> chebyshev = Chebyshev<double>::factory({.degree = 2});

TEST(ReproducibleSumsTest, Cg)
{
    for (const bool single : {false, true}) {
        expect_same_bits(Cg<double>::factory({.stop = stop, .single_reduction = single}));
        expect_same_bits(Cg<double>::factory({.stop = stop, .preconditioner = chebyshev, .single_reduction = single}));
    }
    expect_same_bits(Cg<double>::factory({.stop = stop, .preconditioner = jacobi}), 3);
}

TEST(ReproducibleSumsTest, BiCgStab)
{
    expect_same_bits(BiCgStab<double>::factory({.stop = stop, .preconditioner = jacobi}));
    expect_same_bits(BiCgStab<double>::factory({.stop = stop, .preconditioner = chebyshev}), 3);
}

TEST(ReproducibleSumsTest, Gmres)
{
    expect_same_bits(Gmres<double>::factory({.stop = stop, .preconditioner = jacobi, .krylov_dim = 12}), 3);
    expect_same_bits(Gmres<double>::factory({.stop = stop, .preconditioner = chebyshev}));
}

TEST(ReproducibleSumsTest, NeedPartsOfWholeBlocks)
{
    on_ranks(2, [](const Communicator& ranks) {
        const auto make = [&](const Partition& partition) {
            return Matrix::from_whole(Executor::reference(), ranks.reproducible(), partition, laplace_2d<double>(20));
        };
        EXPECT_THROW(make(Partition::stripes(400, 2)), InvalidParameter);
        EXPECT_EQ(make(Partition::stripes(400, 2, sum_block_rows)).size().rows, ranks.rank() == 0 ? 256 : 144);
    });
    EXPECT_THROW(Partition::stripes(4, 1, 0), InvalidParameter);
}

}  // namespace
}  // namespace linden::test
