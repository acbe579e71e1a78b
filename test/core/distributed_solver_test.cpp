// needs: double int32
#include <linden/config/config.hpp>
#include <linden/distributed/schwarz.hpp>
#include <linden/preconditioner/ic.hpp>
#include <linden/preconditioner/ilu.hpp>
#include <linden/preconditioner/jacobi.hpp>
#include <linden/ritz.hpp>
#include <linden/solver/richardson.hpp>
#include <linden/sum.hpp>

#include <map>
#include <stdexcept>

#include "core/config/registry.hpp"
#include "core/kernels/reduction.hpp"
#include "test/support/rank_systems.hpp"
#include "test/support/solvers.hpp"

namespace linden::test {
namespace {

using distributed::Partition;
using distributed::Schwarz;
using Matrix = distributed::Matrix<double, std::int32_t>;
using Data = SpreadSystem::Data;

TEST(DistributedSolverTest, CgTakesAsManyIterationsOnAnyNumberOfRanks)
{
    const auto a = laplace_2d<double>(30);
    for (const bool pipelined : {false, true}) {
        const FactoryPtr<double> factory =
            Cg<double>::factory({.stop = {.relative_residual = 1e-8}, .pipelined = pipelined});
        for (const auto backend : rank_backends()) {
            const auto one = solve(backend, a, Partition::stripes(900, 1), factory);
            EXPECT_EQ(one.status, SolveStatus::converged);
            for (const int n : {2, 3, 4}) {
                for (const auto& partition : partitions(900, n)) {
                    const auto many = solve(backend, a, partition, factory);
                    EXPECT_EQ(many.status, SolveStatus::converged);
                    EXPECT_EQ(many.iterations, one.iterations) << n << " ranks";
                    expect_close(many.x, one.x, 1e-6);
                }
            }
        }
    }
}

/// The same ranks, the same bits: sums are added in the order of ranks whatever their timing.
TEST(DistributedSolverTest, RepeatedSolvesHaveTheSameBits)
{
    const auto a = laplace_2d<double>(20, 3);
    const FactoryPtr<double> factory =
        BiCgStab<double>::factory({.stop = {.relative_residual = 1e-8},
                                   .preconditioner = Schwarz<double>::factory({.local = Ilu0<double>::factory()})});
    for (const auto backend : rank_backends()) {
        const auto first = solve(backend, a, Partition::stripes(400, 3), factory);
        EXPECT_EQ(first.status, SolveStatus::converged);
        EXPECT_EQ(solve(backend, a, Partition::stripes(400, 3), factory).x, first.x);
    }
}

/// Three right-hand sides of which one is solved at once; a dense row; ranks without rows.
TEST(DistributedSolverTest, SeveralRightHandSidesAndADenseRow)
{
    Random random(7);
    auto a = random_dominant<double>(random, 40);
    const FactoryPtr<double> factories[] = {
        BiCgStab<double>::factory({.stop = {.relative_residual = 1e-10}}),
        Gmres<double>::factory({.stop = {.relative_residual = 1e-10}, .krylov_dim = 10}),
        Gmres<double>::factory(
            {.stop = {.relative_residual = 1e-10}, .krylov_dim = 10, .basis_storage = StoragePrecision::single}),
        Gmres<double>::factory(
            {.stop = {.relative_residual = 1e-10}, .krylov_dim = 10, .basis_storage = StoragePrecision::half}),
        Fgmres<double>::factory({.stop = {.relative_residual = 1e-10},
                                 .preconditioner = Schwarz<double>::factory({.local = Jacobi<double>::factory()})})};
    for (const auto& factory : factories) {
        for (const auto backend : rank_backends()) {
            const auto one = solve(backend, a, Partition::stripes(40, 1), factory, 3);
            EXPECT_EQ(one.status, SolveStatus::converged);
            for (const int n : {2, 4}) {
                for (const auto& partition : partitions(40, n)) {
                    const auto many = solve(backend, a, partition, factory, 3);
                    EXPECT_EQ(many.status, SolveStatus::converged) << factory->type();
                    expect_close(many.x, one.x, 1e-8);
                }
            }
        }
    }
}

TEST(DistributedSolverTest, MessagesPerIteration)
{
    const Stop stop{.relative_residual = 0};
    const FactoryPtr<double> m = Schwarz<double>::factory({.local = Jacobi<double>::factory()});
    for (const auto backend : rank_backends()) {
        const auto expect = [&](const FactoryPtr<double>& factory, double sums, double exchanges) {
            const auto found = messages_per_iteration(backend, factory);
            EXPECT_EQ(found.sums, sums) << factory->type() << " on " << name(backend);
            EXPECT_EQ(found.exchanges, exchanges) << factory->type() << " on " << name(backend);
        };
        expect(Cg<double>::factory({.stop = stop}), 2, 1);
        expect(Cg<double>::factory({.stop = stop, .preconditioner = m}), 2, 1);
        expect(Cg<double>::factory({.stop = stop, .single_reduction = true}), 1, 1);
        expect(Cg<double>::factory({.stop = stop, .preconditioner = m, .single_reduction = true}), 1, 1);
        expect(Cg<double>::factory({.stop = stop, .pipelined = true}), 1, 1);
        expect(Cg<double>::factory({.stop = stop, .preconditioner = m, .pipelined = true}), 1, 1);
        expect(BiCgStab<double>::factory({.stop = stop}), 3, 2);
        expect(BiCgStab<double>::factory({.stop = stop, .preconditioner = m}), 3, 2);
        expect(Gmres<double>::factory({.stop = stop, .krylov_dim = 30}), 1, 1);
        expect(Fgmres<double>::factory({.stop = stop, .preconditioner = m, .krylov_dim = 30}), 1, 1);
        expect(
            Gmres<double>::factory({.stop = stop, .krylov_dim = 30, .orthogonalization = Orthogonalization::immediate}),
            2, 1);
    }
}

/// Every preconditioner and solver, made by each rank from its own rows, computes what it does alone.
TEST(DistributedSolverTest, EveryFactoryInSchwarz)
{
    const auto a = laplace_2d<double>(12);
    for (const auto& entry : config::registry<double>()) {
        SCOPED_TRACE(std::string(entry.type));
        if (entry.type == "Schwarz") {
            continue;
        }
        const auto local = config::parse_short<double>(std::string(entry.type));
        for (const auto backend : rank_backends()) {
            for (const int n : {1, 2, 3, 4}) {
                const auto list = partitions(144, n);
                const auto& partition = list[std::min<std::size_t>(1, list.size() - 1)];  // ranks without rows, too
                on_ranks(n, [&](const Communicator& ranks) {
                    SpreadSystem system(ranks, backend, a, partition, 3);
                    auto schwarz = Schwarz<double>::factory({.local = local}).generate(system.matrix);
                    EXPECT_EQ(schwarz->num_local_rows(), system.b.size().rows);
                    schwarz->update_values(system.matrix);
                    schwarz->apply(system.b, system.x);
                    if (system.b.size().rows > 0) {
                        auto expected = system.x.copy();
                        auto alone = local->make(share(system.matrix->local()));
                        alone->update_values(share(system.matrix->local()));
                        alone->apply(system.b, expected);
                        if (entry.type == "Automatic") {  // which method it ends with hangs on the clock
                            expect_close(system.x.to_host(), expected.to_host(), 1e-4);
                        } else {
                            EXPECT_EQ(system.x.to_host(), expected.to_host()) << entry.type;
                        }
                    }
                });
            }
        }
    }
}

/// A factory works on a distributed matrix, and then as on one rank, or says that it does not and what does.
TEST(DistributedSolverTest, EveryFactoryWorksOnADistributedMatrixOrSaysWhatDoes)
{
    const auto a = laplace_2d<double>(8);
    std::map<std::string, int> works;
    for (const auto& entry : config::registry<double>()) {
        SCOPED_TRACE(std::string(entry.type));
        const auto factory = entry.type == "Schwarz" ? config::parse_short<double>("schwarz:local=jacobi")
                                                     : config::parse_short<double>(std::string(entry.type));
        for (const auto backend : rank_backends()) {
            std::vector<double> one;
            for (const int n : {1, 2, 3, 4}) {
                on_ranks(n, [&](const Communicator& ranks) {
                    SpreadSystem system(ranks, backend, a, Partition::stripes(64, n), 3);
                    try {
                        const auto op = factory->make(system.matrix);
                        op->apply(system.b, system.x);
                    } catch (const NotSupported& e) {
                        if (n > 1) {
                            EXPECT_NE(std::string(e.what()).find("Schwarz"), std::string::npos) << e.what();
                        }
                        return;
                    }
                    const auto x = system.gather();
                    if (ranks.rank() == 0 && n == 1) {
                        one = x;
                        ++works[std::string(entry.type)];
                    } else if (ranks.rank() == 0) {
                        expect_close(x, one, 1e-5);  // solvers stop at 1e-6
                    }
                });
            }
        }
    }
    const auto backends = static_cast<int>(rank_backends().size());
    for (const auto* const type : {"Cg", "BiCgStab", "BiCgStabL", "Idr", "Gmres", "Fgmres", "Richardson", "Identity",
                                   "DeflatedCg", "AdaptedDeflation", "Neumann", "Jacobi", "Chebyshev", "Schwarz"}) {
        EXPECT_EQ(works[type], backends) << type;
    }
}

TEST(DistributedSolverTest, NewValuesReachSolverAndPreconditioner)
{
    const auto a = laplace_2d<double>(12);
    auto b = a;
    for (auto& value : b.values) {
        value *= 5;
    }
    const FactoryPtr<double> factory =
        Cg<double>::factory({.stop = {.relative_residual = 1e-9},
                             .preconditioner = Schwarz<double>::factory(
                                 {.local = Ic0<double>::factory(), .overlap = 1, .restricted = false})});
    const auto partition = Partition::stripes(144, 3);
    const auto expected = solve(Backend::reference, b, partition, factory);
    on_ranks(3, [&](const Communicator& ranks) {
        SpreadSystem system(ranks, Backend::reference, a, partition);
        const auto solver = factory->make(system.matrix);
        solver->update_values(share(Matrix::from_whole(system.exec, ranks, partition, b)));
        const auto result = static_cast<const Solver<double>&>(*solver).solve(system.b, system.x);
        EXPECT_EQ(result.iterations(), expected.iterations);
        EXPECT_EQ(system.gather(), expected.x);
    });
}

/// Overlap takes in rows of neighbours: with all rows, the local solver solves the whole system.
TEST(SchwarzTest, OverlapOverAllRowsIsTheLocalSolverOfTheWholeMatrix)
{
    const auto a = laplace_2d<double>(6);
    on_ranks(4, [&](const Communicator& ranks) {
        SpreadSystem system(ranks, Backend::reference, a, Partition::stripes(36, 4));
        const auto ilu = Ilu0<double>::factory();
        const auto schwarz = Schwarz<double>::factory({.local = ilu, .overlap = 6}).generate(system.matrix);
        EXPECT_EQ(schwarz->num_local_rows(), 36);
        schwarz->apply(system.b, system.x);
        const auto whole_b = distributed::Vector<double>(ranks, system.matrix->partition(), system.b.copy()).gather();
        const auto one = Partition::stripes(36, 1);
        const auto alone = ilu.generate(share(Csr<double, std::int32_t>(system.exec, a)));
        auto expected = Dense<double>::filled(system.exec, {36, 1}, 0);
        alone->apply(rows_of(system.exec, whole_b, one, 0), expected);
        EXPECT_EQ(system.gather(), expected.to_host());
    });
}

/// By hand: a chain of 4 rows on 2 ranks with overlap 1 has blocks of 3 rows. With Jacobi every block gives b / 2, and
/// added up the middle rows, which both ranks have, count twice.
TEST(SchwarzTest, RestrictedAndAddedUpByHand)
{
    const auto a = csr_from_rows<double>({{2, -1, 0, 0}, {-1, 2, -1, 0}, {0, -1, 2, -1}, {0, 0, -1, 2}});
    on_ranks(2, [&](const Communicator& ranks) {
        SpreadSystem system(ranks, Backend::reference, a, Partition::stripes(4, 2));
        system.b.fill(6);
        for (const bool restricted : {true, false}) {
            const auto schwarz =
                Schwarz<double>::factory({.local = Jacobi<double>::factory(), .overlap = 1, .restricted = restricted})
                    .generate(system.matrix);
            EXPECT_EQ(schwarz->num_local_rows(), 3);
            schwarz->apply(system.b, system.x);
            const double middle = restricted ? 3 : 6;
            EXPECT_EQ(system.gather(), (std::vector<double>{3, middle, middle, 3}));
        }
    });
}

TEST(SchwarzTest, OverlapSavesIterations)
{
    const auto a = laplace_2d<double>(24, 1);
    const auto count = [&](size_type overlap) {
        return solve(Backend::reference, a, Partition::stripes(576, 4),
                     Gmres<double>::factory({.stop = {.relative_residual = 1e-8},
                                             .preconditioner = Schwarz<double>::factory(
                                                 {.local = Ilu0<double>::factory(), .overlap = overlap})}))
            .iterations;
    };
    EXPECT_LT(count(2), count(0));
}

TEST(SchwarzTest, ParametersAreChecked)
{
    on_ranks(2, [](const Communicator& ranks) {
        SpreadSystem system(ranks, Backend::reference, laplace_2d<double>(4), Partition::stripes(16, 2));
        EXPECT_EQ(Schwarz<double>::factory({}).generate(system.matrix)->local()->name(), "Ilu0");
        EXPECT_THROW(Schwarz<double>::factory({.overlap = -1}).generate(system.matrix), InvalidParameter);
    });
}

/// Operators made of a distributed one are spread as it is: a solver for A + 2 A sums over all ranks.
TEST(DistributedSolverTest, SumsAndCompositionsAreSpreadAsTheirOperatorsAre)
{
    const auto a = laplace_2d<double>(10);
    const auto iterations =
        solve(Backend::reference, a, Partition::stripes(100, 1), Cg<double>::factory({})).iterations;
    on_ranks(3, [&](const Communicator& ranks) {
        SpreadSystem system(ranks, Backend::reference, a, Partition::stripes(100, 3));
        const auto sum = share(Sum<double>({{1, system.matrix}, {2, system.matrix}}));
        EXPECT_TRUE(sum->communicator() == ranks);
        EXPECT_EQ(Cg<double>::factory({}).generate(sum)->solve(system.b, system.x).iterations(), iterations);
        EXPECT_TRUE(Composition<double>({system.matrix, system.matrix}).communicator() == ranks);
        EXPECT_THROW(ritz_vectors<double>(*system.matrix, nullptr, system.b, 3, 1), NotSupported);
    });
}

/// The identity until its seventh application, which fails on one rank.
class Faulty final : public LinOp<double> {
public:
    Faulty(const LinOpPtr<double>& matrix, bool fails)
        : LinOp<double>(matrix->executor(), matrix->size()),
          fails_(fails)
    {
    }
    std::string name() const override { return "Faulty"; }

protected:
    using LinOp<double>::apply_impl;
    void apply_impl(const Dense<double>& b, Dense<double>& x) const override
    {
        if (++num_applications_ == 7 && fails_) {
            throw std::runtime_error("application 7");
        }
        x.copy_from(b);
    }

private:
    bool fails_;
    mutable int num_applications_ = 0;
};

template <class MakeFactory>
void expect_rank_1_ends_all(const MakeFactory& make_factory, bool pipelined = false)
{
    const auto failures = failures_on_ranks(4, [&](const Communicator& ranks) {
        SpreadSystem system(ranks, Backend::reference, laplace_2d<double>(20), Partition::stripes(400, 4));
        const auto solver =
            Cg<double>::factory({.preconditioner = make_factory(ranks.rank() == 1), .pipelined = pipelined})
                .generate(system.matrix);
        solver->solve(system.b, system.x);
    });
    for (std::size_t r = 0; r < failures.size(); ++r) {
        ASSERT_TRUE(failures[r]) << "rank " << r;
        try {
            std::rethrow_exception(failures[r]);
        } catch (const RemoteError& e) {
            EXPECT_NE(r, 1u);
            EXPECT_EQ(e.rank, 1);
            EXPECT_EQ(e.message, "application 7");
        } catch (const std::runtime_error& e) {
            EXPECT_EQ(r, 1u);
        }
    }
}

TEST(DistributedSolverTest, UserCodeThatThrowsInIteration7EndsAllRanks)
{
    for (const bool pipelined : {false, true}) {  // with sums on their way
        expect_rank_1_ends_all(
            [](bool fails) {
                return make_factory<double>(
                    [fails](const LinOpPtr<double>& matrix) { return std::make_unique<Faulty>(matrix, fails); });
            },
            pipelined);
    }
}

TEST(DistributedSolverTest, SoDoesOneThatThrowsWhenItIsMade)
{
    expect_rank_1_ends_all([](bool fails) {
        return make_factory<double>([fails](const LinOpPtr<double>& matrix) {
            if (fails) {
                throw std::runtime_error("application 7");
            }
            return std::make_unique<Faulty>(matrix, false);
        });
    });
}

/// Schwarz's local factory fails on one rank: all hear of it in the same act, and can go on.
TEST(DistributedSolverTest, ALocalFactoryThatThrowsLeavesTheRanksUsable)
{
    on_ranks(3, [](const Communicator& ranks) {
        SpreadSystem system(ranks, Backend::reference, laplace_2d<double>(6), Partition::stripes(36, 3));
        const auto local = make_factory<double>([&](const LinOpPtr<double>& matrix) {
            if (ranks.rank() == 2) {
                throw OutOfMemory(8, "omp");
            }
            return std::make_unique<Faulty>(matrix, false);
        });
        try {
            Schwarz<double>::factory({.local = local}).generate(system.matrix);
            ADD_FAILURE() << "made on rank " << ranks.rank();
        } catch (const OutOfMemory&) {
            EXPECT_EQ(ranks.rank(), 2);
        } catch (const RemoteError& e) {
            EXPECT_EQ(e.type, "OutOfMemory");
        }
    });
}

/// Ends a solve after so many iterations.
class EndAfter final : public StoppingCriterion {
public:
    explicit EndAfter(size_type iterations) : iterations_(iterations) {}
    SolveStatus check(const IterationInfo& info) override
    {
        return info.iteration >= iterations_ ? SolveStatus::stagnated : SolveStatus::running;
    }

private:
    size_type iterations_;
};

TEST(DistributedSolverTest, TheCriterionOfRank0Decides)
{
    on_ranks(3, [](const Communicator& ranks) {
        SpreadSystem system(ranks, Backend::reference, laplace_2d<double>(20), Partition::stripes(400, 3));
        const auto solver = Cg<double>::factory({}).generate(system.matrix);
        const auto criterion = std::make_shared<EndAfter>(5 + ranks.rank());
        const auto result = solver->solve(system.b, system.x, {.criteria = {criterion}});
        EXPECT_EQ(result.iterations(), 5);
        EXPECT_EQ(result.status(), SolveStatus::stagnated);
    });
}

TEST(DistributedSolverTest, TheClockOfRank0Decides)
{
    on_ranks(3, [](const Communicator& ranks) {
        const auto exec = rank_executor(Backend::reference);
        auto workspace = ReductionWorkspace::for_values<double>(exec, 1);
        EXPECT_EQ(workspace.clock(), nullptr);
        workspace.sum_over(ranks);
        for (int round = 0; round < 5; ++round) {
            double sum = ranks.rank() + 1;
            const double own = sum;
            finish_sums(workspace.view(), &own, 1, [&](const double* total) { sum = *total; });
            EXPECT_EQ(sum, 6);
            EXPECT_NE(*workspace.clock(), 0);
            EXPECT_EQ(ranks.from_first([&] { return *workspace.clock(); }), *workspace.clock());
        }
        // Ranks that asked their own clocks would end in different iterations.
        SpreadSystem system(ranks, Backend::reference, laplace_2d<double>(40), Partition::stripes(1600, 3));
        const auto solver =
            Cg<double>::factory(
                {.stop = {.max_iterations = 1000000, .relative_residual = 0, .max_seconds = 0.05, .divergence = 1e300}})
                .generate(system.matrix);
        const auto result = solver->solve(system.b, system.x);
        EXPECT_EQ(ranks.from_first([&] { return result.iterations(); }), result.iterations());
    });
}

}  // namespace
}  // namespace linden::test
