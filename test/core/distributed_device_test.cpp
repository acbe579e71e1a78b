// needs: double int32
#include <linden/distributed/schwarz.hpp>
#include <linden/log/logger.hpp>
#include <linden/multigrid/amg.hpp>
#include <linden/preconditioner/adapted_deflation.hpp>
#include <linden/preconditioner/jacobi.hpp>
#include <linden/preconditioner/neumann.hpp>
#include <linden/solver/bicgstab.hpp>
#include <linden/solver/cg.hpp>
#include <linden/solver/deflated_cg.hpp>
#include <linden/solver/gmres.hpp>

#include <stdexcept>

#include "core/base/rank_link.hpp"
#include "test/support/device_ranks.hpp"

/// Ranks on devices, also on those of the host executor: products, sums and failures by both ways in which devices
/// reach each other.
namespace linden::test {
namespace {

using distributed::Partition;
using Matrix = distributed::Matrix<double, std::int32_t>;
using Data = CsrData<double, std::int32_t>;

struct Outcome {
    std::vector<double> x;
    size_type iterations = 0;
    double sums = 0, exchanges = 0, launches = 0, synchronizations = 0;  // of the whole solve
};

Outcome solve(Backend backend, DeviceTransport transport, const Data& a, const Partition& partition,
              const FactoryPtr<double>& factory, size_type cols = 1, size_type max_iterations = -1)
{
    Outcome outcome;
    in_time(partition.num_ranks(), [&](const Communicator& world) {
        const auto ranks = world.with_transport(transport);
        const auto exec = device_executor(backend, ranks.rank());
        const auto matrix = share(Matrix::from_whole(exec, ranks, partition, a));
        const auto b = rows_of(exec, random_block<double>({a.size.rows, cols}, 12), partition, ranks.rank());
        auto x = Dense<double>::filled(exec, b.size(), 0);
        const auto solver = factory->make(matrix);
        const auto before = ranks.counters();
        const auto work_before = exec.counters();
        const auto result = static_cast<const Solver<double>&>(*solver).solve(b, x, {.max_iterations = max_iterations});
        const auto after = ranks.counters();
        const auto work_after = exec.counters();
        EXPECT_EQ(ranks.from_first([&] { return result.columns[0].residual; }), result.columns[0].residual);
        const auto all = distributed::Vector<double>(matrix->communicator(), partition, x.copy()).gather();
        if (ranks.rank() == 0) {
            outcome = {all.values, result.iterations()};
            outcome.sums = static_cast<double>(after.gathers - before.gathers);
            outcome.exchanges = static_cast<double>(after.exchanges - before.exchanges);
            outcome.launches = static_cast<double>(work_after.kernel_launches - work_before.kernel_launches);
            outcome.synchronizations =
                static_cast<double>(work_after.host_synchronizations - work_before.host_synchronizations);
        }
    });
    return outcome;
}

void expect_close(const std::vector<double>& x, const std::vector<double>& expected, double tolerance)
{
    ASSERT_EQ(x.size(), expected.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
        ASSERT_NEAR(x[i], expected[i], tolerance) << "value " << i;
    }
}

TEST(DistributedDeviceTest, ProductsAreThoseOfOneRank)
{
    Random random(5);
    const auto a = random_dominant<double>(random, 60);  // unsymmetric, with a dense row
    for (const size_type cols : {1, 3}) {
        const auto whole = random_block<double>({60, cols}, 3);
        const auto alone = Executor::reference();
        auto expected = Dense<double>::filled(alone, {60, cols}, 0.5);
        const auto whole_b = rows_of(alone, whole, Partition::stripes(60, 1), 0);
        Csr<double, std::int32_t>(alone, a).apply(2.0, whole_b, -1.0, expected);
        for (const int n : {1, 2, 3, 4}) {
            for_each_way(n, [&](Backend backend, DeviceTransport transport) {
                for (const auto& partition : partitions(60, n)) {
                    in_time(n, [&](const Communicator& world) {
                        const auto ranks = world.with_transport(transport);
                        const auto exec = device_executor(backend, ranks.rank());
                        const auto matrix = Matrix::from_whole(exec, ranks, partition, a);
                        const auto b = rows_of(exec, whole, partition, ranks.rank());
                        auto x = Dense<double>::filled(exec, b.size(), 0.5);
                        matrix.apply(2.0, b, -1.0, x);
                        // Five more: ghosts take turns.
                        for (int i = 0; i < 5; ++i) {
                            auto again = Dense<double>::filled(exec, b.size(), 0.5);
                            matrix.apply(2.0, b, -1.0, again);
                            EXPECT_EQ(again.to_host(), x.to_host());
                        }
                        const auto all = distributed::Vector<double>(ranks, partition, x.copy()).gather();
                        expect_close(all.values, expected.to_host(), 1e-12);
                    });
                }
            });
        }
    }
}

/// Whether Cg runs in one kernel on each device, whose blocks add in another order than its steps do.
bool is_one_kernel(Backend backend, DeviceTransport transport, size_type cols)
{
    return backend == Backend::cuda && transport == DeviceTransport::peer && cols == 1;
}

TEST(DistributedDeviceTest, SolvesHaveTheSameBitsByEachTransport)
{
    const auto a = laplace_2d<double>(7);
    const Stop stop{.relative_residual = 1e-8};
    const FactoryPtr<double> factories[] = {
        Cg<double>::factory({.stop = stop}), Cg<double>::factory({.stop = stop, .single_reduction = true}),
        Cg<double>::factory({.stop = stop, .pipelined = true}), BiCgStab<double>::factory({.stop = stop}),
        Gmres<double>::factory({.stop = stop, .krylov_dim = 20})};
    for (const auto& factory : factories) {
        for (const size_type cols : {1, 2}) {
            const int n = static_cast<int>(cols) + 1;
            for (const auto& partition : partitions(49, n)) {
                struct Way {
                    Backend backend;
                    bool is_one_kernel;
                    Outcome outcome;
                };
                std::vector<Way> ways;
                for_each_way(n, [&](Backend backend, DeviceTransport transport) {
                    ways.push_back({backend, factory == factories[0] && is_one_kernel(backend, transport, cols),
                                    solve(backend, transport, a, partition, factory, cols)});
                    const auto& now = ways.back().outcome;
                    EXPECT_GT(now.iterations, 5);
                    for (const auto& [other, others_kernel, before] : ways) {
                        if (other != backend) {
                            continue;
                        }
                        EXPECT_EQ(now.iterations, before.iterations) << factory->type();
                        if (ways.back().is_one_kernel || others_kernel) {
                            expect_close(now.x, before.x, 1e-6);
                        } else {
                            EXPECT_EQ(now.x, before.x) << factory->type();
                        }
                    }
                });
            }
        }
    }
}

/// Per iteration, from solves that are cut off.
TEST(DistributedDeviceTest, MessagesAndSynchronizationsPerIteration)
{
    const auto a = laplace_2d<double>(20);
    const FactoryPtr<double> factory = Cg<double>::factory({.stop = {.relative_residual = 0}});
    for_each_way(2, [&](Backend backend, DeviceTransport transport) {
        const auto partition = Partition::stripes(400, 2);
        const auto few = solve(backend, transport, a, partition, factory, 1, 4);
        const auto many = solve(backend, transport, a, partition, factory, 1, 24);
        // Recorded bodies run four times before the flag is looked at.
        EXPECT_EQ(many.sums - few.sums, 40);
        EXPECT_EQ(many.exchanges - few.exchanges, 20);
        if (transport == DeviceTransport::peer) {
            // product, which sends; rim, which forms sums over ranks; residual, which does; direction
            EXPECT_LE(many.launches - few.launches, 20 * 4 + 5);
            // On CUDA none; HIP looks at a flag after each batch of iterations.
            EXPECT_LE(many.synchronizations - few.synchronizations, backend == Backend::cuda ? 0 : 5);
        }
        if (transport == DeviceTransport::nccl) {
            EXPECT_EQ(many.synchronizations - few.synchronizations, 20);  // the flag that ends the loop
        }
    });
}

/// A step of GMRES has one sum, and a cycle of 12 one more, for the residual behind it.
TEST(DistributedDeviceTest, GmresFormsOneSumInAStep)
{
    const auto a = laplace_2d<double>(20);
    const FactoryPtr<double> factory = Gmres<double>::factory({.stop = {.relative_residual = 0}, .krylov_dim = 12});
    for_each_way(2, [&](Backend backend, DeviceTransport transport) {
        const auto partition = Partition::stripes(400, 2);
        const auto few = solve(backend, transport, a, partition, factory, 1, 12);
        const auto many = solve(backend, transport, a, partition, factory, 1, 36);
        // What is recorded has a sum for columns to be settled in each cycle; staged, the host takes part in it.
        const double settled = transport == DeviceTransport::peer ? 0 : 2;
        EXPECT_EQ(many.sums - few.sums, 2 * 13 + settled);
        if (transport != DeviceTransport::peer) {  // what is recorded has products behind the last step
            EXPECT_EQ(many.exchanges - few.exchanges, 2 * 13);
        }
    });
}

/// Two levels are spread, so that an iteration has an exchange for the product, three and four for the levels, and one
/// that takes the residual of the third one to all ranks.
TEST(DistributedDeviceTest, MultigridBetweenPeersDoesNotWait)
{
    const auto a = laplace_2d<double>(40);
    const FactoryPtr<double> factory = Cg<double>::factory(
        {.stop = {.relative_residual = 0},
         .preconditioner = Amg<double>::factory({.coarse_rows = 8, .additive_rows = 60, .gathered_rows = 60})});
    for_each_way(2, [&](Backend backend, DeviceTransport transport) {
        const auto partition = Partition::stripes(1600, 2);
        const auto few = solve(backend, transport, a, partition, factory, 1, 4);
        const auto many = solve(backend, transport, a, partition, factory, 1, 12);
        if (transport == DeviceTransport::peer) {
            EXPECT_EQ(many.exchanges - few.exchanges, 8 * (1 + 3 + 4 + 1));
            EXPECT_LE(many.synchronizations - few.synchronizations, backend == Backend::cuda ? 0 : 3);
        }
        if (transport == DeviceTransport::nccl) {
            EXPECT_EQ(many.exchanges - few.exchanges, 8 * (1 + 3 + 4 + 1));
            EXPECT_EQ(many.synchronizations - few.synchronizations, 8);
        }
        const auto staged = solve(backend, DeviceTransport::staged, a, partition, factory, 1, 12);
        EXPECT_EQ(many.x, staged.x);
    });
}

/// In one kernel on each device: whatever the number of iterations, the same launches.
TEST(DistributedDeviceTest, WholeSolvesTakeOneKernel)
{
    const auto a = laplace_2d<double>(90);
    const FactoryPtr<double> preconditioners[] = {nullptr, Jacobi<double>::factory()};
    for (const auto& preconditioner : preconditioners) {
        const FactoryPtr<double> factory =
            Cg<double>::factory({.stop = {.relative_residual = 1e-8}, .preconditioner = preconditioner});
        for (const auto& partition : partitions(a.size.rows, 2)) {
            for_each_way(2, [&](Backend backend, DeviceTransport transport) {
                if (!is_one_kernel(backend, transport, 1)) {
                    return;
                }
                const auto alone =
                    solve(backend, DeviceTransport::staged, a, Partition::stripes(a.size.rows, 1), factory);
                const auto once = solve(backend, transport, a, partition, factory);
                EXPECT_NEAR(static_cast<double>(once.iterations), static_cast<double>(alone.iterations), 1);
                expect_close(once.x, alone.x, 1e-5);
                EXPECT_EQ(solve(backend, transport, a, partition, factory).x, once.x);
                const auto few = solve(backend, transport, a, partition, factory, 1, 5);
                EXPECT_EQ(few.iterations, 5);
                EXPECT_EQ(few.launches, once.launches);
                EXPECT_EQ(few.synchronizations, once.synchronizations);
                EXPECT_EQ(once.sums - few.sums, 2 * static_cast<double>(once.iterations - 5));
                EXPECT_EQ(once.exchanges - few.exchanges, static_cast<double>(once.iterations - 5));
            });
        }
    }
}

/// Products and solves take turns in the same windows.
TEST(DistributedDeviceTest, WholeSolvesAndProductsTakeTurns)
{
    const auto a = laplace_2d<double>(40);
    const auto partition = Partition::stripes(a.size.rows, 2);
    for_each_way(2, [&](Backend backend, DeviceTransport transport) {
        in_time(2, [&](const Communicator& world) {
            const auto ranks = world.with_transport(transport);
            const auto exec = device_executor(backend, ranks.rank());
            const auto matrix = share(Matrix::from_whole(exec, ranks, partition, a));
            const auto first = Cg<double>::factory({.stop = {.relative_residual = 1e-8}}).generate(matrix);
            const auto second = Cg<double>::factory({.stop = {.relative_residual = 1e-4}}).generate(matrix);
            const auto b = rows_of(exec, random_block<double>({a.size.rows, 1}, 4), partition, ranks.rank());
            std::vector<double> expected;
            for (int i = 0; i < 4; ++i) {
                auto x = Dense<double>::filled(exec, b.size(), 0);
                auto y = x.copy();
                EXPECT_TRUE(second->solve(b, y).converged());
                EXPECT_TRUE(first->solve(b, x).converged());
                for (int k = 0; k < i; ++k) {
                    matrix->apply(x, y);
                }
                if (i == 0) {
                    expected = x.to_host();
                }
                EXPECT_EQ(x.to_host(), expected);
            }
        });
    });
}

/// Throws where a kernel would be launched.
class FailsAt final : public Logger {
public:
    explicit FailsAt(std::string_view kernel) : kernel_(kernel) {}
    void on_kernel_begin(std::string_view kernel, std::string_view) override
    {
        if (kernel == kernel_) {
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
            throw std::runtime_error("no launch");
        }
    }

private:
    std::string_view kernel_;
};

/// The others' kernels are under way, and wait for the part of this rank's.
TEST(DistributedDeviceTest, WholeSolvesEndWhereARankFails)
{
    for_each_way(2, [&](Backend backend, DeviceTransport transport) {
        if (!is_one_kernel(backend, transport, 1)) {
            return;
        }
        const auto failures = failures_in_time(2, [&](const Communicator& world) {
            const auto ranks = world.with_transport(transport);
            const auto exec = device_executor(backend, ranks.rank());
            const auto matrix =
                share(Matrix::from_whole(exec, ranks, Partition::stripes(3600, 2), laplace_2d<double>(60)));
            const auto solver = Cg<double>::factory().generate(matrix);
            const auto b = Dense<double>::filled(exec, {matrix->size().rows, 1}, 1);
            auto x = Dense<double>::filled(exec, b.size(), 0);
            solver->solve(b, x);
            if (ranks.rank() == 1) {
                exec.add_logger(std::make_shared<FailsAt>("cg::run_spread"));
            }
            solver->solve(b, x);
        });
        ASSERT_TRUE(failures[0] && failures[1]);
        EXPECT_EQ(text_of(failures[1]), "no launch");
        try {
            std::rethrow_exception(failures[0]);
        } catch (const RemoteError& e) {
            EXPECT_EQ(e.rank, 1);
            EXPECT_EQ(e.message, "no launch");
        }
    });
}

/// Throws in its seventh application.
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

/// The others wait for its part in a kernel.
TEST(DistributedDeviceTest, ARankThatThrowsEndsTheWaitsOfTheOthers)
{
    for (const int n : {2, 3}) {
        for_each_way(n, [&](Backend backend, DeviceTransport transport) {
            const auto failures = failures_in_time(n, [&](const Communicator& world) {
                const auto ranks = world.with_transport(transport);
                const auto exec = device_executor(backend, ranks.rank());
                const auto matrix =
                    share(Matrix::from_whole(exec, ranks, Partition::stripes(144, n), laplace_2d<double>(12)));
                const auto faulty = make_factory<double>(
                    [&](const LinOpPtr<double>& op) { return std::make_unique<Faulty>(op, ranks.rank() == 1); });
                const auto b = Dense<double>::filled(exec, {matrix->size().rows, 1}, 1);
                auto x = Dense<double>::filled(exec, b.size(), 0);
                Cg<double>::factory({.preconditioner = faulty}).generate(matrix)->solve(b, x);
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
                    EXPECT_EQ(r, 1u) << e.what();
                }
            }
        });
    }
}

/// The error names the files that were looked for, or the ranks that share a device.
TEST(DistributedDeviceTest, MessagesOfALibraryThatAreNotToBeHadAreRefused)
{
    for (const auto backend : device_backends()) {
        const int n = static_cast<int>(backend_info(backend).devices.size()) + 1;
        const auto why_not = why_no_library(backend);
        const auto failures = failures_in_time(n, [&](const Communicator& world) {
            const auto ranks = world.with_transport(DeviceTransport::nccl);
            Matrix::from_whole(device_executor(backend, ranks.rank()), ranks, Partition::stripes(36, n),
                               laplace_2d<double>(6));
        });
        for (const auto& failure : failures) {
            ASSERT_TRUE(failure);
            const auto text = text_of(failure);
            EXPECT_NE(text.find("the transport nccl on " + std::string(name(backend))), std::string::npos) << text;
            const std::string expected = !why_not.empty()           ? "ccl.so: cannot open"
                                         : backend == Backend::cuda ? "shares its device with rank"
                                                                    : "";
            EXPECT_NE(text.find(expected), std::string::npos) << text;
        }
    }
}

/// All ranks take the same way, and say why.
TEST(DistributedDeviceTest, RanksThatCannotBePeersAreStaged)
{
    for (const auto backend : device_backends()) {
        const int n = max_peers + 1;
        in_time(n, [&](const Communicator& ranks) {
            const auto exec = device_executor(backend, ranks.rank());
            const auto a = laplace_2d<double>(6);
            const auto matrix = share(Matrix::from_whole(exec, ranks, Partition::stripes(36, n), a));
            const auto link = RankLink::find(ranks, exec);
            EXPECT_EQ(link->name(), "staged");
            EXPECT_NE(link->why().find("more than 16 ranks"), std::string::npos) << link->why();
            EXPECT_THROW(
                Matrix::from_whole(exec, ranks.with_transport(DeviceTransport::peer), Partition::stripes(36, n), a),
                NotSupported);
            const auto b = Dense<double>::filled(exec, {matrix->size().rows, 1}, 1);
            auto x = Dense<double>::filled(exec, b.size(), 0);
            EXPECT_TRUE(
                Cg<double>::factory({.stop = {.relative_residual = 1e-8}}).generate(matrix)->solve(b, x).converged());
        });
    }
}

TEST(DistributedDeviceTest, HostsAndDevicesTogetherAreRefused)
{
    for (const auto backend : device_backends()) {
        const auto failures = failures_in_time(2, [&](const Communicator& ranks) {
            const auto exec = ranks.rank() == 0 ? Executor::reference() : device_executor(backend, 0);
            Matrix::from_whole(exec, ranks, Partition::stripes(36, 2), laplace_2d<double>(6));
        });
        EXPECT_TRUE(failures[0] && failures[1]);
    }
}

/// Rims of 144 KB are sent beside the product of inner rows, also where a loop records a part of its body apart.
TEST(DistributedDeviceTest, LargeRimsInParts)
{
    constexpr std::int32_t n = 36'000;
    Data a{{n, n}, {0}, {}, {}};
    for (std::int32_t row = 0; row < n; ++row) {
        const std::int32_t other = (row + n / 2) % n;
        a.col_idxs.insert(a.col_idxs.end(), {std::min(row, other), std::max(row, other)});
        a.values.insert(a.values.end(), {row < other ? 3.0 + row % 3 : 1.0, row < other ? -1.0 : 4.0});
        a.row_ptrs.push_back(2 * row + 2);
    }
    for_each_way(2, [&](Backend backend, DeviceTransport transport) {
        if (backend == Backend::hip) {
            return;  // no parts, and slow on the host executor
        }
        const auto partition = Partition::stripes(n, 2);
        const FactoryPtr<double> factories[] = {BiCgStab<double>::factory({.stop = {.relative_residual = 1e-8}}),
                                                Gmres<double>::factory({.stop = {.relative_residual = 1e-8}})};
        for (const auto& factory : factories) {
            const auto now = solve(backend, transport, a, partition, factory);
            EXPECT_GT(now.iterations, 1) << factory->type();
            EXPECT_EQ(now.x, solve(backend, DeviceTransport::staged, a, partition, factory).x) << factory->type();
        }
    });
}

/// An iteration has an exchange for the product of Cg, one for that of M, and two for sums of domains.
TEST(DistributedDeviceTest, CoarseSpacesBetweenPeersDoNotWait)
{
    const auto a = laplace_2d<double>(40);
    const FactoryPtr<double> factory = Cg<double>::factory(
        {.stop = {.relative_residual = 0},
         .preconditioner = distributed::Schwarz<double>::factory(
             {.local = Jacobi<double>::factory(), .coarse = 5, .coarse_kind = distributed::CoarseDomains::stripes})});
    for_each_way(2, [&](Backend backend, DeviceTransport transport) {
        for (const auto& partition : partitions(1600, 2)) {  // also with a rank that owns no rows
            const auto few = solve(backend, transport, a, partition, factory, 1, 4);
            const auto many = solve(backend, transport, a, partition, factory, 1, 12);
            if (partition == Partition::stripes(1600, 2)) {  // by messages, a rank without rows exchanges nothing
                EXPECT_EQ(many.exchanges - few.exchanges, transport == DeviceTransport::staged ? 8 * 2 : 8 * 4);
            }
            if (transport == DeviceTransport::peer) {
                EXPECT_LE(many.synchronizations - few.synchronizations, backend == Backend::cuda ? 0 : 3);
            }
            EXPECT_EQ(many.x, solve(backend, DeviceTransport::staged, a, partition, factory, 1, 12).x);
        }
    });
}

TEST(DistributedDeviceTest, CoarseSpacesOfSchwarzAreThoseOfHosts)
{
    const auto a = laplace_2d<double>(16);
    const auto iterations = [&](const Communicator& ranks, const Executor& exec) {
        const auto partition = Partition::stripes(256, ranks.size());
        const auto matrix = share(Matrix::from_whole(exec, ranks, partition, a));
        const auto m = distributed::Schwarz<double>::factory(
            {.local = Jacobi<double>::factory(), .coarse = 4, .coarse_kind = distributed::CoarseDomains::stripes});
        const auto solver =
            Cg<double>::factory({.stop = {.relative_residual = 1e-8}, .preconditioner = m}).generate(matrix);
        const auto b = rows_of(exec, random_block<double>({256, 2}, 3), partition, ranks.rank());
        auto x = Dense<double>::filled(exec, b.size(), 0);
        const auto result = solver->solve(b, x);
        EXPECT_TRUE(result.converged()) << result.reason();
        return result.iterations();
    };
    size_type expected = 0;
    on_ranks(2, [&](const Communicator& ranks) {
        const auto here = iterations(ranks, Executor::reference());
        if (ranks.rank() == 0) {
            expected = here;
        }
    });
    for_each_way(2, [&](Backend backend, DeviceTransport transport) {
        in_time(2, [&](const Communicator& ranks) {
            const auto here = iterations(ranks.with_transport(transport), device_executor(backend, ranks.rank()));
            EXPECT_NEAR(static_cast<double>(here), static_cast<double>(expected), 1);
        });
    });
}

/// Domains across ranks, and Neumann series of all rows. Between peers an iteration has exchanges for the product, for
/// the four terms of M, for z, and for the sums of domains.
TEST(DistributedDeviceTest, DeflationIsThatOfHosts)
{
    const auto a = laplace_2d<double>(12);
    const auto alone = Executor::reference();
    const Deflation<double> boxes{.kind = DeflationKind::boxes, .nx = 12, .ny = 12, .boxes_x = 3, .boxes_y = 4};
    const FactoryPtr<double> neumann = Neumann<double>::factory({.order = 2});
    const auto deflated_cg = [&](double tolerance) {
        return DeflatedCg<double>::factory(
            {.stop = {.relative_residual = tolerance}, .preconditioner = neumann, .deflation = boxes});
    };
    const FactoryPtr<double> factories[] = {
        deflated_cg(1e-9), BiCgStab<double>::factory({.stop = {.relative_residual = 1e-9},
                                                      .preconditioner = AdaptedDeflation<double>::factory(
                                                          {.preconditioner = neumann, .deflation = boxes})})};
    for (const auto& factory : factories) {
        const auto b = rows_of(alone, random_block<double>({144, 2}, 12), Partition::stripes(144, 1), 0);
        auto expected = Dense<double>::filled(alone, b.size(), 0);
        const auto solver = factory->make(share(Csr<double, std::int32_t>(alone, a)));
        const auto result = static_cast<const Solver<double>&>(*solver).solve(b, expected);
        for (const int n : {1, 3}) {
            for_each_way(n, [&](Backend backend, DeviceTransport transport) {
                for (const auto& partition : partitions(144, n)) {
                    const auto now = solve(backend, transport, a, partition, factory, 2);
                    EXPECT_NEAR(static_cast<double>(now.iterations), static_cast<double>(result.iterations()), 1);
                    expect_close(now.x, expected.to_host(), 1e-6);
                    EXPECT_EQ(now.x, solve(backend, DeviceTransport::staged, a, partition, factory, 2).x);
                }
            });
        }
    }
    for_each_way(2, [&](Backend backend, DeviceTransport transport) {
        const FactoryPtr<double> endless = deflated_cg(0);
        const auto few = solve(backend, transport, a, Partition::stripes(144, 2), endless, 1, 4);
        const auto many = solve(backend, transport, a, Partition::stripes(144, 2), endless, 1, 12);
        EXPECT_EQ(many.exchanges - few.exchanges, 8 * (transport == DeviceTransport::staged ? 6 : 7));
        if (transport == DeviceTransport::peer) {
            EXPECT_LE(many.synchronizations - few.synchronizations, backend == Backend::cuda ? 0 : 3);
        }
    });
}

}  // namespace
}  // namespace linden::test
