// needs: double int32
#include <linden/preconditioner/chebyshev.hpp>
#include <linden/preconditioner/jacobi.hpp>
#include <linden/solver/bicgstab.hpp>
#include <linden/solver/cg.hpp>
#include <linden/solver/gmres.hpp>

#include "core/base/block_sums.hpp"
#include "core/base/sum_tree.hpp"
#include "core/kernels/reduction.hpp"
#include "test/support/device_ranks.hpp"

/// Sums of devices that have the same bits on any number of ranks.
namespace linden::test {
namespace {

using distributed::Partition;
using Matrix = distributed::Matrix<double, std::int32_t>;

/// What BlockSums does, by the plans that kernels follow: the same nodes, and the same total of all ranks.
TEST(SumTreeTest, HasTheNodesOfBlockSums)
{
    Random random(8);
    for (const int num_blocks : {1, 2, 3, 7, 8, 21}) {
        std::vector<double> blocks(static_cast<std::size_t>(num_blocks));
        for (auto& block : blocks) {
            block = random.value<double>() * std::exp(20 * random.value<double>());
        }
        BlockSums<double> whole(1);
        for (int b = 0; b < num_blocks; ++b) {
            whole.append(b, &blocks[static_cast<std::size_t>(b)], AddParts{});
        }
        for (int cut = 0; cut <= num_blocks; ++cut) {
            std::vector<SumNode> nodes;
            for (const auto& tree : {sum_tree(0, cut), sum_tree(cut, num_blocks)}) {
                const auto own = sum_nodes(tree);
                EXPECT_LE(static_cast<size_type>(own.size()), BlockSums<double>::most_nodes(num_blocks));
                nodes.insert(nodes.end(), own.begin(), own.end());
            }
            std::vector<double> stack;
            std::int64_t next = 0;
            const auto merges = sum_merges(nodes);
            for (std::size_t i = 0; i < nodes.size(); ++i) {
                EXPECT_EQ(nodes[i].index << nodes[i].level, next);  // in the order of blocks, without a gap
                next += std::int64_t{1} << nodes[i].level;
                BlockSums<double> node(1);
                for (auto b = nodes[i].index << nodes[i].level; b < next; ++b) {
                    node.append(b, &blocks[static_cast<std::size_t>(b)], AddParts{});
                }
                stack.push_back(node.total(AddParts{})[0]);
                for (int merge = 0; merge < merges[i]; ++merge) {
                    const double right = stack.back();
                    stack.pop_back();
                    stack.back() += right;
                }
            }
            EXPECT_EQ(next, num_blocks);
            double total = stack.back();
            for (std::size_t i = stack.size() - 1; i-- > 0;) {
                total = stack[i] + total;
            }
            EXPECT_EQ(total, whole.total(AddParts{})[0]) << cut << " of " << num_blocks;
        }
    }
}

struct Solution {
    size_type iterations = 0;
    std::vector<double> x;
    bool operator==(const Solution&) const = default;
};

Solution solve(Backend backend, DeviceTransport transport, const Partition& partition,
               const FactoryPtr<double>& factory, size_type cols)
{
    const auto n = static_cast<size_type>(partition.num_rows());
    const auto a = laplace_2d<double>(std::lround(std::sqrt(n)), factory->type() == "Cg" ? 0 : 1);
    Solution solution;
    in_time(partition.num_ranks(), [&](const Communicator& world) {
        const auto ranks = world.with_transport(transport).reproducible();
        const auto exec = device_executor(backend, ranks.rank());
        const auto matrix = share(Matrix::from_whole(exec, ranks, partition, a));
        const auto b = rows_of(exec, random_block<double>({n, cols}, 4), partition, ranks.rank());
        auto x = Dense<double>::filled(exec, b.size(), 0);
        const auto solver = factory->make(matrix);
        const auto result = static_cast<const Solver<double>&>(*solver).solve(b, x);
        EXPECT_TRUE(result.converged()) << factory->type() << " " << result.reason();
        const auto whole = distributed::Vector<double>(matrix->communicator(), partition, std::move(x)).gather();
        if (ranks.rank() == 0) {
            solution = {result.iterations(), whole.values};
        }
    });
    return solution;
}

/// Also with a rank that owns no rows, and one that has a block between two nodes.
void expect_same_bits(const FactoryPtr<double>& factory, size_type cols = 1, size_type n = 1600)
{
    for (const auto backend : device_backends()) {
        const auto alone = solve(backend, DeviceTransport::automatic, Partition::stripes(n, 1), factory, cols);
        EXPECT_GT(alone.iterations, 5);
        for (const int ranks : {2, 3, 4}) {
            std::vector<Partition> partitions{Partition::stripes(n, ranks, sum_block_rows)};
            if (ranks == 3) {
                partitions.emplace_back(std::vector<std::int64_t>{0, 0, 3 * sum_block_rows, n});
            }
            for_each_way(ranks, [&](Backend other, DeviceTransport transport) {
                if (other != backend) {
                    return;
                }
                for (const auto& partition : partitions) {
                    const auto many = solve(backend, transport, partition, factory, cols);
                    EXPECT_EQ(many.iterations, alone.iterations) << factory->type();
                    EXPECT_TRUE(many.x == alone.x) << factory->type();
                }
            });
        }
    }
}

const Stop stop{.relative_residual = 1e-7};
const FactoryPtr<double> jacobi = Jacobi<double>::factory();
const FactoryPtr<double> chebyshev = Chebyshev<double>::factory({.degree = 2});

TEST(ReproducibleDevicesTest, Cg)
{
    expect_same_bits(Cg<double>::factory({.stop = stop}));
    expect_same_bits(Cg<double>::factory({.stop = stop, .preconditioner = jacobi, .single_reduction = true}));
    expect_same_bits(Cg<double>::factory({.stop = stop, .preconditioner = jacobi}), 3, 900);
    expect_same_bits(Cg<double>::factory({.stop = stop, .preconditioner = chebyshev}));
}

TEST(ReproducibleDevicesTest, BiCgStab)
{
    expect_same_bits(BiCgStab<double>::factory({.stop = stop, .preconditioner = jacobi}));
    expect_same_bits(BiCgStab<double>::factory({.stop = stop, .preconditioner = chebyshev}), 3, 900);
}

TEST(ReproducibleDevicesTest, Gmres)
{
    expect_same_bits(Gmres<double>::factory({.stop = stop, .preconditioner = jacobi, .krylov_dim = 12}), 1, 900);
    expect_same_bits(Gmres<double>::factory({.stop = stop, .preconditioner = chebyshev}), 3, 900);
    expect_same_bits(Gmres<double>::factory(
                         {.stop = stop, .preconditioner = jacobi, .orthogonalization = Orthogonalization::immediate}),
                     1, 900);
}

/// Subgroups sum more than one block of rows each, and ranks begin within what is theirs of one rank.
TEST(ReproducibleDevicesTest, ManyBlocks)
{
    const Stop loose{.relative_residual = 0.15};
    expect_same_bits(Cg<double>::factory({.stop = loose, .preconditioner = jacobi}), 1, 48400);
    expect_same_bits(Gmres<double>::factory({.stop = loose, .krylov_dim = 9}), 1, 48400);
}

}  // namespace
}  // namespace linden::test
