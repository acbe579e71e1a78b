// needs: double int32
#include <linden/distributed/schwarz.hpp>
#include <linden/io/problems.hpp>
#include <linden/preconditioner/adapted_deflation.hpp>
#include <linden/preconditioner/ic.hpp>
#include <linden/preconditioner/ilu.hpp>
#include <linden/preconditioner/jacobi.hpp>
#include <linden/preconditioner/neumann.hpp>
#include <linden/solver/bicgstab.hpp>
#include <linden/solver/cg.hpp>
#include <linden/solver/deflated_cg.hpp>
#include <linden/solver/gmres.hpp>

#include <cmath>

#include "core/matrix/metis/dissection.hpp"
#include "test/support/rank_systems.hpp"

/// Deflation vectors of domains over ranks.
namespace linden::test {
namespace {

using distributed::Partition;
using distributed::Schwarz;
using I = std::int32_t;
using Data = SpreadSystem::Data;
using Matrix = SpreadSystem::Matrix;

const FactoryPtr<double> jacobi = Jacobi<double>::factory();

/// A problem of paper 4: slow modes that domains take out.
Data bubbles() { return generate_problem<double, I>("bubbles:24:3:1000:5"); }

Deflation<double> boxes(size_type points, size_type per_side, CoarseSolve coarse = CoarseSolve::nested_dissection)
{
    return {.kind = DeflationKind::boxes,
            .nx = points,
            .ny = points,
            .boxes_x = per_side,
            .boxes_y = per_side,
            .coarse = coarse};
}

FactoryPtr<double> deflated_cg(const Deflation<double>& deflation, FactoryPtr<double> m = jacobi,
                               double tolerance = 1e-8)
{
    return DeflatedCg<double>::factory(
        {.stop = {.relative_residual = tolerance}, .preconditioner = std::move(m), .deflation = deflation});
}

/// On one process, of a Csr.
Outcome solve_alone(Backend backend, const Data& a, const FactoryPtr<double>& factory, size_type cols = 1)
{
    const auto exec = rank_executor(backend);
    const auto solver = factory->make(share(Csr<double, I>(exec, a)));
    const auto b = rows_of(exec, random_block<double>({a.size.rows, cols}, 12), Partition::stripes(a.size.rows, 1), 0);
    auto x = Dense<double>::filled(exec, b.size(), 0);
    const auto result = static_cast<const Solver<double>&>(*solver).solve(b, x);
    return {result.status(), result.iterations(), x.to_host()};
}

double largest(const std::vector<double>& values)
{
    double result = 0;
    for (const double value : values) {
        result = std::max(result, std::abs(value));
    }
    return result;
}

/// The same domains, so the same iterations, wherever the rows are.
void expect_as_alone(const Data& a, const FactoryPtr<double>& factory, size_type cols = 1)
{
    for (const auto backend : rank_backends()) {
        const auto one = solve_alone(backend, a, factory, cols);
        EXPECT_EQ(one.status, SolveStatus::converged);
        EXPECT_GT(one.iterations, 3);
        for (const int n : {1, 2, 3, 4}) {
            for (const auto& partition : partitions(a.size.rows, n)) {
                const auto many = solve(backend, a, partition, factory, cols);
                EXPECT_EQ(many.status, SolveStatus::converged);
                EXPECT_EQ(many.iterations, one.iterations) << n << " ranks on " << name(backend);
                expect_close(many.x, one.x, 1e-6 * largest(one.x));
            }
        }
    }
}

/// Stripes inside ranks and across them, boxes, which all are across, and one domain of all rows.
TEST(DistributedDeflationTest, StripesAndBoxesTakeAsManyIterationsOnAnyNumberOfRanks)
{
    const auto a = bubbles();
    for (const size_type vectors : {1, 7, 12, 48}) {
        expect_as_alone(a, deflated_cg({.vectors = vectors}));
    }
    for (const auto coarse : {CoarseSolve::nested_dissection, CoarseSolve::inverse, CoarseSolve::cholesky}) {
        expect_as_alone(a, deflated_cg(boxes(24, 4, coarse)));
    }
    expect_as_alone(laplace_2d<double>(24), deflated_cg(boxes(24, 4), nullptr));
}

/// So many vectors that E is dissected.
TEST(DistributedDeflationTest, ManyVectors)
{
    const auto a = laplace_2d<double>(40);
    const Deflation<double> stripes{.vectors = 500};
    expect_as_alone(a, deflated_cg(stripes));
    on_ranks(3, [&](const Communicator& ranks) {
        SpreadSystem system(ranks, Backend::reference, a, Partition::stripes(1600, 3));
        const auto solver = DeflatedCg<double>::factory({.deflation = stripes}).generate(system.matrix);
        EXPECT_EQ(solver->num_vectors(), 500);
        EXPECT_EQ(solver->num_dropped_vectors(), 0);
        EXPECT_GT(solver->num_separators(), 0);
    });
}

TEST(DistributedDeflationTest, SeveralRightHandSidesAndADenseRow)
{
    expect_as_alone(bubbles(), deflated_cg(boxes(24, 3)), 3);

    auto dense = laplace_2d<double>(9);  // a row and a column of all, on whichever rank
    Data a{dense.size, {0}, {}, {}};
    for (I row = 0; row < 81; ++row) {
        for (I col = 0; col < 81; ++col) {
            double value = row == col && row == 40 ? 81 : row == 40 || col == 40 ? -0.01 : 0;
            for (auto k = dense.row_ptrs[static_cast<std::size_t>(row)];
                 k < dense.row_ptrs[static_cast<std::size_t>(row) + 1]; ++k) {
                value +=
                    dense.col_idxs[static_cast<std::size_t>(k)] == col ? dense.values[static_cast<std::size_t>(k)] : 0;
            }
            if (value != 0) {
                a.col_idxs.push_back(col);
                a.values.push_back(value);
            }
        }
        a.row_ptrs.push_back(static_cast<I>(a.col_idxs.size()));
    }
    expect_as_alone(a, deflated_cg({.vectors = 6}), 3);
}

/// Diagonal: every product with domains is exact. x := Q b and two steps, as on one process.
TEST(DistributedDeflationTest, ByHand)
{
    const Data a{{4, 4}, {0, 1, 2, 3, 4}, {0, 1, 2, 3}, {1, 2, 3, 4}};
    on_ranks(3, [&](const Communicator& ranks) {
        SpreadSystem system(ranks, Backend::reference, a, Partition({0, 0, 3, 4}));
        system.b.fill(1);
        const auto solver =
            DeflatedCg<double>::factory({.stop = {.relative_residual = 1e-10}, .deflation = {.vectors = 2}})
                .generate(system.matrix);
        const auto result = solver->solve(system.b, system.x, {.history = true});
        EXPECT_EQ(result.iterations(), 2);
        EXPECT_NEAR(result.history[0][0], std::sqrt(2. / 9 + 2. / 49), 1e-15);
        expect_close(system.gather(), {1, 1. / 2, 1. / 3, 1. / 4}, 1e-14);
    });
}

/// Domains that the user gives the own rows, scattered, some without rows; on an executor, too.
TEST(DistributedDeflationTest, GivenDomains)
{
    const auto a = bubbles();
    std::vector<size_type> whole;
    for (size_type row = 0; row < a.size.rows; ++row) {
        whole.push_back(2 * ((row % 24) / 6 + 4 * (row / 24 / 6)));
    }
    const auto expected = solve_alone(Backend::reference, a, deflated_cg({.domains = whole}));
    for (const int n : {1, 2, 3, 4}) {
        for (const auto& partition : partitions(a.size.rows, n)) {
            for (const bool on_executor : {false, true}) {
                on_ranks(n, [&](const Communicator& ranks) {
                    SpreadSystem system(ranks, Backend::reference, a, partition);
                    const std::vector<size_type> mine(whole.begin() + partition.first(ranks.rank()),
                                                      whole.begin() + partition.first(ranks.rank() + 1));
                    Deflation<double> deflation{.domains = mine};
                    if (on_executor) {
                        deflation = {.vectors = 31,
                                     .domain_array = std::make_shared<const Array<I>>(
                                         system.exec, std::vector<I>(mine.begin(), mine.end()))};
                    }
                    const auto solver =
                        DeflatedCg<double>::factory(
                            {.stop = {.relative_residual = 1e-8}, .preconditioner = jacobi, .deflation = deflation})
                            .generate(system.matrix);
                    EXPECT_EQ(solver->num_vectors(), 31);
                    EXPECT_EQ(solver->num_dropped_vectors(), 15);
                    EXPECT_EQ(solver->solve(system.b, system.x).iterations(), expected.iterations);
                    expect_close(system.gather(), expected.x, 1e-6 * largest(expected.x));
                });
            }
        }
    }
}

/// By METIS domains are inside ranks; with as many as on one rank CG gains as much.
TEST(DistributedDeflationTest, DomainsByMetis)
{
    if (!linden::detail::has_metis) {
        GTEST_SKIP() << "a build without METIS";
    }
    const auto a = bubbles();
    const auto factory = deflated_cg({.kind = DeflationKind::metis, .vectors = 36});
    const auto one = solve_alone(Backend::reference, a, factory);
    for (const int n : {1, 2, 3, 4}) {
        for (const auto& partition : partitions(a.size.rows, n)) {
            const auto many = solve(Backend::reference, a, partition, factory);
            EXPECT_EQ(many.status, SolveStatus::converged);
            EXPECT_LE(many.iterations, one.iterations + one.iterations / 2) << n << " ranks";
        }
    }
}

/// Paper 4: truncated Neumann series, of the whole matrix, leave what domains take out.
TEST(DistributedDeflationTest, WithNeumannSeries)
{
    const auto a = bubbles();
    for (const size_type order : {1, 2}) {
        const FactoryPtr<double> neumann = Neumann<double>::factory({.order = order});
        expect_as_alone(a, deflated_cg(boxes(24, 6), neumann), 3);
        const FactoryPtr<double> plain =
            Cg<double>::factory({.stop = {.relative_residual = 1e-8}, .preconditioner = neumann});
        const auto partition = Partition::stripes(a.size.rows, 3);
        const auto with = solve(Backend::reference, a, partition, deflated_cg(boxes(24, 6), neumann));
        EXPECT_LT(2 * with.iterations, solve(Backend::reference, a, partition, plain).iterations);
    }
}

/// A domain for each component, whose constants are the kernel: E is singular, one vector is dropped.
TEST(DistributedDeflationTest, DependentVectorsAreDroppedAlike)
{
    auto a = laplace_2d<double>(8);
    for (std::size_t row = 0; row < 64; ++row) {  // row sums 0
        double sum = 0;
        std::size_t diagonal = 0;
        for (auto k = static_cast<std::size_t>(a.row_ptrs[row]); k < static_cast<std::size_t>(a.row_ptrs[row + 1]);
             ++k) {
            diagonal = a.col_idxs[k] == static_cast<I>(row) ? k : diagonal;
            sum += a.values[k];
        }
        a.values[diagonal] -= sum;
    }
    on_ranks(3, [&](const Communicator& ranks) {
        SpreadSystem system(ranks, Backend::reference, a, Partition::stripes(64, 3));
        system.matrix->apply(system.b.copy(), system.b);  // in the range
        const auto solver =
            DeflatedCg<double>::factory({.stop = {.relative_residual = 1e-8}, .deflation = {.vectors = 5}})
                .generate(system.matrix);
        EXPECT_EQ(solver->num_dropped_vectors(), 1);
        EXPECT_TRUE(solver->solve(system.b, system.x).converged());
    });
}

/// Also of values with which other entries of Z^H A cancel.
TEST(DistributedDeflationTest, NewValuesAreTakenAsIfItWereMadeAnew)
{
    const auto a = laplace_2d<double>(12);
    const auto changed = generate_problem<double, I>("bubbles:12:3:1000:5");
    const auto partition = Partition({0, 50, 50, 144});
    for (const auto backend : rank_backends()) {
        on_ranks(3, [&](const Communicator& ranks) {
            SpreadSystem system(ranks, backend, a, partition, 2), next(ranks, backend, changed, partition, 2);
            const FactoryPtr<double> factories[] = {
                deflated_cg(boxes(12, 3)),
                AdaptedDeflation<double>::factory({.preconditioner = jacobi, .deflation = boxes(12, 3)})};
            for (const auto& factory : factories) {
                const auto updated = factory->make(system.matrix);
                updated->apply(system.b, system.x);
                updated->update_values(next.matrix);
                updated->apply(system.b, system.x);
                auto x = system.x.copy();
                factory->make(next.matrix)->apply(system.b, x);
                EXPECT_EQ(system.x.to_host(), x.to_host()) << factory->type();
                EXPECT_ANY_THROW(updated->update_values(
                    share(Matrix::from_whole(system.exec, ranks, Partition::stripes(144, 3), changed))));
            }
        });
    }
}

/// Z^T (b - A x) = 0 after an application, with domains across ranks and any preconditioner.
TEST(DistributedDeflationTest, AdaptedDeflationLeavesNothingInTheSpace)
{
    const auto a = laplace_2d<double>(10, 0.7);
    const FactoryPtr<double> inner[] = {nullptr, jacobi, Schwarz<double>::factory({.local = Ilu0<double>::factory()})};
    for (const auto backend : rank_backends()) {
        for (const int n : {1, 2, 4}) {
            for (const auto& partition : partitions(100, n)) {
                for (const auto& m : inner) {
                    on_ranks(n, [&](const Communicator& ranks) {
                        SpreadSystem system(ranks, backend, a, partition, 3);
                        const auto op =
                            AdaptedDeflation<double>::factory({.preconditioner = m, .deflation = {.vectors = 7}})
                                .generate(system.matrix);
                        EXPECT_EQ(op->communicator(), system.matrix->communicator());
                        EXPECT_EQ(op->num_vectors(), 7);
                        op->apply(system.b, system.x);
                        system.matrix->apply(-1, system.x, 1, system.b);
                        distributed::Vector<double> r(ranks, partition, system.b.copy());
                        const auto residual = r.gather().values;
                        for (std::size_t col = 0; col < 3; ++col) {
                            std::vector<double> sums(7);
                            for (std::size_t row = 0; row < 100; ++row) {
                                sums[row < 30 ? row / 15 : 2 + (row - 30) / 14] += residual[3 * row + col];
                            }
                            for (const double sum : sums) {
                                EXPECT_NEAR(sum, 0, 1e-12);
                            }
                        }
                    });
                }
            }
        }
    }
}

TEST(DistributedDeflationTest, AdaptedDeflationInBiCgStabAndGmres)
{
    const auto a = laplace_2d<double>(20, 0.5);
    const FactoryPtr<double> m =
        AdaptedDeflation<double>::factory({.preconditioner = jacobi, .deflation = boxes(20, 4)});
    const Stop stop{.relative_residual = 1e-9};
    expect_as_alone(a, BiCgStab<double>::factory({.stop = stop, .preconditioner = m}));
    expect_as_alone(a, Gmres<double>::factory({.stop = stop, .preconditioner = m}), 2);
}

/// The sums of the space go with those of the residual: no more messages of all ranks than Cg has, one exchange more.
TEST(DistributedDeflationTest, MessagesPerIteration)
{
    const Stop stop{.relative_residual = 0};
    for (const auto backend : rank_backends()) {
        const auto expect = [&](const FactoryPtr<double>& factory, double sums, double exchanges) {
            const auto found = messages_per_iteration(backend, factory, bubbles());
            EXPECT_EQ(found.sums, sums) << factory->type() << " on " << name(backend);
            EXPECT_EQ(found.exchanges, exchanges) << factory->type() << " on " << name(backend);
        };
        const auto m = AdaptedDeflation<double>::factory({.preconditioner = jacobi, .deflation = boxes(24, 4)});
        expect(deflated_cg(boxes(24, 4), jacobi, 0), 2, 2);
        expect(deflated_cg(boxes(24, 4), nullptr, 0), 2, 2);
        expect(deflated_cg(boxes(24, 4), Neumann<double>::factory({.order = 2}), 0), 2, 6);
        expect(Gmres<double>::factory({.stop = stop, .preconditioner = m, .krylov_dim = 30}), 2, 2);
    }
}

/// The same bits on any number of ranks if no domain has rows of several; others are refused.
TEST(DistributedDeflationTest, ReproducibleWithDomainsInsideRanks)
{
    const auto a = generate_problem<double, I>("bubbles:32:3:1000:5");
    const Partition bounds[] = {Partition({0, 1024}), Partition({0, 512, 1024}), Partition({0, 256, 768, 1024}),
                                Partition({0, 0, 256, 256, 1024})};
    for (const auto backend : rank_backends()) {
        Outcome first;
        for (const auto& partition : bounds) {
            on_ranks(partition.num_ranks(), [&](const Communicator& ranks) {
                SpreadSystem system(ranks.reproducible(), backend, a, partition, 2);
                const auto solver = deflated_cg({.vectors = 16})->make(system.matrix);
                const auto result = static_cast<const Solver<double>&>(*solver).solve(system.b, system.x);
                EXPECT_TRUE(result.converged());
                const auto x = system.gather();
                if (ranks.is_single()) {
                    first = {result.status(), result.iterations(), x};
                }
                EXPECT_EQ(result.iterations(), first.iterations);
                EXPECT_EQ(x, first.x);
                if (!ranks.is_single()) {
                    EXPECT_THROW(deflated_cg({.vectors = 3})->make(system.matrix), NotSupported);
                }
            });
        }
    }
}

/// What cannot be ends on all ranks, which stay usable.
TEST(DistributedDeflationTest, ParametersAreChecked)
{
    const auto a = laplace_2d<double>(6);
    on_ranks(3, [&](const Communicator& ranks) {
        SpreadSystem system(ranks, Backend::reference, a, Partition::stripes(36, 3));
        const bool is_odd = ranks.rank() == 1;
        const auto make = [&](const Deflation<double>& deflation) { deflated_cg(deflation)->make(system.matrix); };
        EXPECT_THROW(make({.vectors = 0}), InvalidParameter);
        EXPECT_THROW(make({.vectors = 37}), InvalidParameter);
        EXPECT_THROW(make(boxes(5, 2)), InvalidParameter);
        EXPECT_THROW(make(boxes(6, 7)), InvalidParameter);
        EXPECT_THROW(make({.vectors = is_odd ? 3 : 4}), InvalidParameter);
        EXPECT_THROW(make({.basis = std::make_shared<const Dense<double>>(system.b.copy())}), NotSupported);
        EXPECT_THROW(make({.domains = std::vector<size_type>(12, 36)}), InvalidParameter);
        try {
            make({.domains = std::vector<size_type>(is_odd ? 11 : 12, 0)});
            ADD_FAILURE() << "went on";
        } catch (const InvalidParameter&) {
            EXPECT_TRUE(is_odd);
        } catch (const RemoteError& e) {
            EXPECT_EQ(e.rank, 1);
            EXPECT_EQ(e.type, "InvalidParameter");
        }
        if (linden::detail::has_metis) {
            EXPECT_THROW(make({.kind = DeflationKind::metis, .vectors = 2}), InvalidParameter);
        }
        make({.vectors = 4});
    });
}

}  // namespace
}  // namespace linden::test
