// needs: double int32
#include <linden/distributed/repartition.hpp>
#include <linden/distributed/schwarz.hpp>
#include <linden/io/problems.hpp>
#include <linden/multigrid/amg.hpp>
#include <linden/preconditioner/ic.hpp>
#include <linden/solver/bicgstab.hpp>
#include <linden/solver/cg.hpp>
#include <linden/solver/deflated_cg.hpp>
#include <linden/solver/gmres.hpp>

#include <gtest/gtest.h>

#include "test/support/rank_systems.hpp"

/// What ranks exchange, on any number of them up to 17: more than there are cores, rows for the last ones, or messages
/// for some. Each kind of message is here once, so that the sanitizers see it.
namespace linden::test {
namespace {

using distributed::Partition;
using distributed::Schwarz;

constexpr int most_ranks = 17;

/// Even stripes on odd numbers of ranks; on even ones the first rank and the last own nothing.
Partition some_partition(size_type rows, int ranks)
{
    const auto all = partitions(rows, ranks);
    return all[ranks > 2 && ranks % 2 == 0 ? 1 : 0];
}

void expect_solution_on_any_number_of_ranks(const FactoryPtr<double>& factory)
{
    const auto a = generate_problem<double, std::int32_t>("lap2d:13");
    for (const auto backend : rank_backends()) {
        const auto expected = solve(backend, a, Partition::stripes(169, 1), factory).x;
        for (int n = 2; n <= most_ranks; ++n) {
            SCOPED_TRACE(std::to_string(n) + " ranks on " + std::string(name(backend)));
            const auto found = solve(backend, a, some_partition(169, n), factory);
            EXPECT_EQ(found.status, SolveStatus::converged);
            expect_close(found.x, expected, 1e-7);
        }
    }
}

const Stop stop{.relative_residual = 1e-10};

FactoryPtr<double> additive_schwarz()
{
    return Schwarz<double>::factory({.local = Ic0<double>::factory(), .overlap = 1, .restricted = false});
}

TEST(DistributedManyRanksTest, SumsOnTheirWay)
{
    expect_solution_on_any_number_of_ranks(
        Cg<double>::factory({.stop = stop, .preconditioner = additive_schwarz(), .pipelined = true}));
}

TEST(DistributedManyRanksTest, SumsInOneMessage)
{
    expect_solution_on_any_number_of_ranks(
        Cg<double>::factory({.stop = stop, .preconditioner = additive_schwarz(), .single_reduction = true}));
}

TEST(DistributedManyRanksTest, CoarseSpaceOfSchwarz)
{
    expect_solution_on_any_number_of_ranks(BiCgStab<double>::factory(
        {.stop = stop,
         .preconditioner = Schwarz<double>::factory(
             {.local = Ic0<double>::factory(), .coarse = 2, .coarse_kind = distributed::CoarseDomains::stripes})}));
}

TEST(DistributedManyRanksTest, SumsOfGmres)
{
    expect_solution_on_any_number_of_ranks(Gmres<double>::factory({.stop = stop, .krylov_dim = 12}));
}

TEST(DistributedManyRanksTest, Deflation)
{
    expect_solution_on_any_number_of_ranks(DeflatedCg<double>::factory({.stop = stop, .deflation = {.vectors = 9}}));
}

TEST(DistributedManyRanksTest, Multigrid)
{
    expect_solution_on_any_number_of_ranks(Cg<double>::factory(
        {.stop = stop,
         .preconditioner = Amg<double>::factory({.coarse_rows = 8, .additive_rows = 30, .gathered_rows = 30})}));
}

/// Rows go to other ranks, are solved for there, and the solution comes back.
TEST(DistributedManyRanksTest, RowsThatAreMoved)
{
    const auto whole = generate_problem<double, std::int32_t>("lap2d:13");
    const FactoryPtr<double> factory = Cg<double>::factory({.stop = stop});
    const auto b = random_block<double>({169, 1}, 12);
    const auto expected = solve(Backend::reference, whole, Partition::stripes(169, 1), factory).x;
    for (int n = 1; n <= most_ranks; ++n) {
        SCOPED_TRACE(n);
        on_ranks(n, [&](const Communicator& ranks) {
            const auto exec = Executor::reference();
            const auto own = distributed::generate_rows<double>(ranks, "lap2d:13");
            const auto first = own.partition.first(ranks.rank()), rows = own.partition.num_rows(ranks.rank());
            std::vector<std::int32_t> parts;
            for (auto row = first; row < first + rows; ++row) {
                parts.push_back(static_cast<std::int32_t>(row * row % 31 % n));
            }
            const auto report = distributed::report(ranks, own, {parts, n});
            EXPECT_EQ(report.edge_cut > 0, n > 1);
            const distributed::Repartition moved(ranks, own.partition, parts);
            const auto there = moved.rows(own);
            const auto matrix = share(SpreadSystem::Matrix(exec, ranks, there.partition, there.rows));
            const auto b_there =
                moved.block(DenseData<double>{{rows, 1}, {b.values.begin() + first, b.values.begin() + first + rows}});
            auto values = b_there.values;
            auto x = Dense<double>::filled(exec, b_there.size, 0);
            const auto rhs = Dense<double>::adopt(exec, b_there.size, 1, values.data());
            const auto solver = factory->make(matrix);
            EXPECT_TRUE(static_cast<const Solver<double>&>(*solver).solve(rhs, x).converged());
            const auto back = moved.block_back(DenseData<double>{x.size(), x.to_host()});
            for (size_type row = 0; row < rows; ++row) {
                EXPECT_NEAR(back.at(row, 0), expected[static_cast<std::size_t>(first + row)], 1e-7);
            }
        });
    }
}

}  // namespace
}  // namespace linden::test
