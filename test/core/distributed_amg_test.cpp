// needs: double float int32
#include <linden/error.hpp>
#include <linden/io/problems.hpp>
#include <linden/memory.hpp>
#include <linden/multigrid/amg.hpp>
#include <linden/preconditioner/ic.hpp>
#include <linden/solver/bicgstab.hpp>
#include <linden/solver/cg.hpp>

#include <utility>

#include "test/support/ranks.hpp"

/// Algebraic multigrid over several ranks: the hierarchy of one.
namespace linden::test {
namespace {

using I = std::int32_t;
using distributed::Partition;
using Matrix = distributed::Matrix<double, I>;
using Data = CsrData<double, I>;
using Parameters = Amg<double>::Parameters;
using Sizes = std::vector<std::pair<size_type, size_type>>;

Data problem(const char* spec) { return generate_problem<double, I>(spec); }

/// Small levels are gathered, and additive, so that the larger ones are spread and sweeps on any number of ranks.
Parameters with_spread_levels(size_type gathered_rows)
{
    return {.coarse_rows = 16, .additive_rows = gathered_rows, .gathered_rows = gathered_rows};
}

Sizes sizes_of(const Amg<double>& m)
{
    Sizes sizes;
    for (const auto& level : m.report().levels) {
        sizes.emplace_back(level.rows, level.nonzeros);
    }
    return sizes;
}

/// M^-1 b for a random b, and what is known of M.
struct Applied {
    std::vector<double> x;
    Sizes sizes;
    AmgEnd end = AmgEnd::small;
    size_type num_spread_levels = 0;
    double exchanges = 0, gathers = 0;
};

Applied on_one(const Executor& exec, const Data& a, const Parameters& p, size_type cols = 1,
               const Data* new_values = nullptr)
{
    auto m = Amg<double>::factory(p).generate(share(Csr<double, I>(exec, a)));
    if (new_values != nullptr) {
        m->update_values(share(Csr<double, I>(exec, *new_values)));
    }
    const auto whole = Partition::stripes(a.size.rows, 1);
    const auto b = rows_of(exec, random_block<double>({a.size.rows, cols}, 12), whole, 0);
    auto x = Dense<double>::filled(exec, b.size(), 0);
    m->apply(b, x);
    return {x.to_host(), sizes_of(*m), m->report().end};
}

Applied on_many(const std::vector<Executor>& execs, const Data& a, const Partition& partition, const Parameters& p,
                size_type cols = 1, const Data* new_values = nullptr,
                DeviceTransport transport = DeviceTransport::automatic)
{
    Applied result;
    on_ranks(partition.num_ranks(), [&](const Communicator& world) {
        const auto ranks = world.with_transport(transport);
        const auto& exec = execs[static_cast<std::size_t>(ranks.rank()) % execs.size()];
        const auto matrix = share(Matrix::from_whole(exec, ranks, partition, a));
        auto m = Amg<double>::factory(p).generate(matrix);
        EXPECT_TRUE(m->communicator() == ranks);
        if (new_values != nullptr) {
            m->update_values(share(Matrix::from_whole(exec, ranks, partition, *new_values)));
        }
        const auto b = rows_of(exec, random_block<double>({a.size.rows, cols}, 12), partition, ranks.rank());
        auto x = Dense<double>::filled(exec, b.size(), 0);
        m->apply(b, x);
        const auto before = ranks.counters();
        m->apply(b, x);
        const auto after = ranks.counters();
        const auto all = distributed::Vector<double>(ranks, partition, x.copy()).gather();
        if (ranks.rank() == 0) {
            result = {all.values,
                      sizes_of(*m),
                      m->report().end,
                      m->report().num_spread_levels,
                      static_cast<double>(after.exchanges - before.exchanges),
                      static_cast<double>(after.gathers - before.gathers)};
        }
    });
    return result;
}
Applied on_many(Backend backend, const Data& a, const Partition& partition, const Parameters& p, size_type cols = 1,
                const Data* new_values = nullptr)
{
    return on_many(std::vector<Executor>{rank_executor(backend)}, a, partition, p, cols, new_values);
}

/// Entries are stored in half precision, below the gathered level in another scaling than on one rank.
constexpr double half_rounding = 2e-3;

void expect_close(const std::vector<double>& x, const std::vector<double>& expected, double tolerance)
{
    ASSERT_EQ(x.size(), expected.size());
    double largest = 0;
    for (const double value : expected) {
        largest = std::max(largest, std::abs(value));
    }
    for (std::size_t i = 0; i < x.size(); ++i) {
        ASSERT_NEAR(x[i], expected[i], tolerance * largest) << "value " << i;
    }
}

/// Nonsymmetric values, a one-sided pattern, rows without neighbours, and rows without a diagonal entry.
Data difficult()
{
    auto a = problem("convdiff3d:9:20");
    Data result{a.size, {0}, {}, {}};
    for (std::size_t row = 0; row < static_cast<std::size_t>(a.size.rows); ++row) {
        for (auto k = static_cast<std::size_t>(a.row_ptrs[row]); k < static_cast<std::size_t>(a.row_ptrs[row + 1]);
             ++k) {
            const auto col = static_cast<std::size_t>(a.col_idxs[k]);
            const bool is_isolated = row % 97 == 5 || col % 97 == 5;
            const bool is_one_sided = col == row + 1 && row % 7 == 3;
            if (col == row ? row % 101 != 5 : !is_isolated && !is_one_sided) {
                result.col_idxs.push_back(a.col_idxs[k]);
                result.values.push_back(a.values[k]);
            }
        }
        result.row_ptrs.push_back(static_cast<I>(result.col_idxs.size()));
    }
    return result;
}

TEST(DistributedAmgTest, IsThatOfOneRank)
{
    const std::pair<const char*, Data> problems[] = {{"laplace", problem("lap2d:40")},
                                                     {"anisotropic", problem("aniso3d:12:0.01")},
                                                     {"convection", problem("convdiff3d:12:20")},
                                                     {"difficult", difficult()}};
    for (const auto& [name, a] : problems) {
        SCOPED_TRACE(name);
        const auto p = with_spread_levels(60);
        for (const auto backend : rank_backends()) {
            const auto one = on_one(rank_executor(backend), a, p, 2);
            ASSERT_GE(one.sizes.size(), 3u);
            std::vector<double> bits;
            for (const int n : {2, 3, 4}) {
                for (const auto& partition : partitions(a.size.rows, n)) {
                    const auto many = on_many(backend, a, partition, p, 2);
                    EXPECT_EQ(many.sizes, one.sizes) << n << " ranks";
                    EXPECT_GE(many.num_spread_levels, 1);
                    expect_close(many.x, one.x, half_rounding);
                    bits = bits.empty() ? many.x : bits;
                    EXPECT_EQ(many.x, bits) << n << " ranks";
                }
            }
        }
    }
}

TEST(DistributedAmgTest, InSinglePrecisionToo)
{
    const auto a = problem("lap2d:40");
    auto p = with_spread_levels(60);
    p.storage = AmgStorage::single;
    const auto one = on_one(Executor::reference(), a, p);
    expect_close(on_many(Backend::reference, a, Partition::stripes(1600, 3), p).x, one.x, 1e-5);
    p.storage = AmgStorage::same;
    const auto exact = on_one(Executor::reference(), a, p);
    expect_close(on_many(Backend::reference, a, Partition::stripes(1600, 3), p).x, exact.x, 1e-12);
}

/// Mixed signs have a bound of the spectrum, from a random vector of each partition.
TEST(DistributedAmgTest, MixedSignsHaveABoundOverRanks)
{
    auto a = problem("lap3d:10");
    for (std::size_t row = 0; row < static_cast<std::size_t>(a.size.rows); ++row) {
        for (auto k = static_cast<std::size_t>(a.row_ptrs[row]); k < static_cast<std::size_t>(a.row_ptrs[row + 1]);
             ++k) {
            const auto distance = std::abs(a.col_idxs[k] - static_cast<I>(row));
            a.values[k] *= distance == 1 ? -0.5 : 1;
        }
    }
    const auto p = with_spread_levels(100);
    const auto one = on_one(Executor::reference(), a, p);
    const auto many = on_many(Backend::reference, a, Partition::stripes(a.size.rows, 3), p);
    EXPECT_EQ(many.sizes.front(), one.sizes.front());
    expect_close(many.x, one.x, 0.2);
}

struct Solved {
    SolveStatus status = SolveStatus::running;
    size_type iterations = 0;
};

template <class Solver>
Solved solve(int n, const Data& a, const Parameters& p)
{
    Solved result;
    on_ranks(n, [&](const Communicator& ranks) {
        const auto exec = rank_executor(rank_backends().back());
        const auto partition = Partition::stripes(a.size.rows, n);
        const auto matrix = share(Matrix::from_whole(exec, ranks, partition, a));
        const auto solver = Solver::factory({.stop = {.max_iterations = 200, .relative_residual = 1e-8},
                                             .preconditioner = Amg<double>::factory(p)})
                                .generate(matrix);
        auto x = Dense<double>::filled(exec, {partition.num_rows(ranks.rank()), 1}, 0);
        const auto found = solver->solve(Dense<double>::filled(exec, x.size(), 1), x);
        if (ranks.rank() == 0) {
            result = {found.status(), found.iterations()};
        }
    });
    return result;
}

TEST(DistributedAmgTest, SolversTakeAsManyIterations)
{
    const auto p = with_spread_levels(300);
    for (const int n : {2, 3, 4}) {
        const auto laplace = problem("lap2d:60");
        const auto cg = solve<Cg<double>>(n, laplace, p);
        EXPECT_EQ(cg.status, SolveStatus::converged);
        EXPECT_EQ(cg.iterations, solve<Cg<double>>(1, laplace, p).iterations) << n << " ranks";
        const auto convection = problem("convdiff3d:16:20");
        const auto bicgstab = solve<BiCgStab<double>>(n, convection, p);
        EXPECT_EQ(bicgstab.status, SolveStatus::converged);
        EXPECT_NEAR(static_cast<double>(bicgstab.iterations),
                    static_cast<double>(solve<BiCgStab<double>>(1, convection, p).iterations), 1);
    }
}

TEST(DistributedAmgTest, NewValuesAreThoseOfOneRank)
{
    for (const char* const spec : {"lap2d:30", "convdiff3d:8:20"}) {
        const auto a = problem(spec);
        auto b = a;
        for (std::size_t k = 0; k < b.values.size(); ++k) {
            b.values[k] *= 1 + 0.01 * static_cast<double>(k % 7);
        }
        const auto p = with_spread_levels(50);
        const auto partition = Partition::stripes(a.size.rows, 3);
        const auto fresh = on_many(Backend::reference, a, partition, p);
        EXPECT_EQ(on_many(Backend::reference, a, partition, p, 1, &a).x, fresh.x) << spec;
        const auto updated = on_many(Backend::reference, b, partition, p, 1, &a);
        EXPECT_NE(updated.x, fresh.x) << spec;  // aggregates are those of the old values
        expect_close(updated.x, on_one(Executor::reference(), b, p, 1, &a).x, half_rounding);
    }
}

/// Four exchanges for each spread level (the residual, behind each sweep, the correction), three for the first one, and
/// one gather for the first level that is not spread.
TEST(DistributedAmgTest, MessagesOfAnApplication)
{
    const auto a = problem("lap2d:40");
    const auto partition = Partition::stripes(a.size.rows, 3);
    const auto some = on_many(Backend::reference, a, partition, with_spread_levels(60));
    EXPECT_EQ(some.exchanges, 4 * static_cast<double>(some.num_spread_levels) - 1);
    EXPECT_EQ(some.gathers, 1);
    const auto none = on_many(Backend::reference, a, partition, with_spread_levels(1600));
    EXPECT_EQ(none.num_spread_levels, 0);
    EXPECT_EQ(none.exchanges, 0);
    EXPECT_EQ(none.gathers, 1);
}

TEST(DistributedAmgTest, LevelsThatDoNotGetSmallerAreSmoothedOrGathered)
{
    for (const auto& [rows, end] : {std::pair(2000, AmgEnd::swept), std::pair(40000, AmgEnd::stalled)}) {
        Data diagonal{{rows, rows}, {0}, {}, {}};
        for (I row = 0; row < rows; ++row) {
            diagonal.col_idxs.push_back(row);
            diagonal.values.push_back(2);
            diagonal.row_ptrs.push_back(row + 1);
        }
        const auto partition = Partition::stripes(rows, 3);
        const auto smoothed = on_many(Backend::reference, diagonal, partition, with_spread_levels(2));
        EXPECT_EQ(smoothed.end, end);
        EXPECT_EQ(smoothed.num_spread_levels, 1);
        expect_close(smoothed.x, on_one(Executor::reference(), diagonal, {.coarse_rows = 2, .additive_rows = 2}).x,
                     1e-5);
        EXPECT_EQ(on_many(Backend::reference, diagonal, partition, with_spread_levels(rows / 2)).num_spread_levels, 0);
    }
    auto one_level = with_spread_levels(10);
    one_level.max_levels = 1;
    EXPECT_EQ(on_many(Backend::reference, problem("lap2d:20"), Partition::stripes(400, 2), one_level).end,
              AmgEnd::max_levels);
}

/// The levels that one rank has, where sweeps over the last do as well as more, be it spread or gathered.
TEST(DistributedAmgTest, LevelsEndWhereSweepsDoAsWell)
{
    auto a = problem("lap2d:64");
    for (I row = 0; row < a.size.rows; ++row) {
        for (auto k = static_cast<std::size_t>(a.row_ptrs[row]); k < static_cast<std::size_t>(a.row_ptrs[row + 1]);
             ++k) {
            a.values[k] += a.col_idxs[k] == row ? 0.673 : 0;
        }
    }
    for (const size_type gathered_rows : {200, 500}) {
        const auto p = with_spread_levels(gathered_rows);
        const auto one = on_one(Executor::reference(), a, p);
        EXPECT_EQ(one.end, AmgEnd::swept);
        for (const int num_ranks : {2, 5}) {
            const auto many = on_many(Backend::reference, a, Partition::stripes(a.size.rows, num_ranks), p);
            EXPECT_EQ(many.end, AmgEnd::swept);
            EXPECT_EQ(many.sizes, one.sizes);
            EXPECT_EQ(many.num_spread_levels, gathered_rows == 200 ? 1 : 0);
            expect_close(many.x, one.x, half_rounding);
        }
    }
}

TEST(DistributedAmgTest, WhatIsNotThereSaysSoAndWhatDoesInstead)
{
    const auto a = problem("lap2d:12");
    on_ranks(2, [&](const Communicator& ranks) {
        const auto exec = Executor::reference();
        const auto partition = Partition::stripes(144, 2);
        const auto matrix = share(Matrix::from_whole(exec, ranks, partition, a));
        const Parameters missing[] = {{.method = AmgMethod::classical},
                                      {.cycle = AmgCycle::w},
                                      {.smoother = Ic0<double>::factory()},
                                      {.block_rows = 2},
                                      {.singular = true}};
        for (const auto& p : missing) {
            try {
                Amg<double>::factory(p).generate(matrix);
                ADD_FAILURE() << "no exception";
            } catch (const NotSupported& e) {
                EXPECT_NE(std::string(e.what()).find("Schwarz"), std::string::npos) << e.what();
            }
        }
        EXPECT_THROW(Amg<double>::factory({.gathered_rows = 0}).generate(matrix), InvalidParameter);
        EXPECT_NO_THROW(Amg<double>::factory({}).generate(matrix));  // the ranks can still be used
    });
}

/// Allocations of one rank fail in their turn, those of the set-up and of an application: all ranks end by errors.
TEST(DistributedAmgTest, ARankWithoutMemoryEndsAll)
{
    const auto a = problem("lap2d:20");
    const auto partition = Partition::stripes(a.size.rows, 3);
    const auto memory = std::make_shared<FaultInjectingMemory>(host_memory());
    int num_failed = 0;
    for (int k = 1;; k += 7) {
        const auto failures = failures_on_ranks(3, [&](const Communicator& ranks) {
            const bool is_faulty = ranks.rank() == 1;
            const auto exec =
                is_faulty ? Executor::create(Backend::reference, {.memory = memory}) : Executor::reference();
            const auto matrix = share(Matrix::from_whole(exec, ranks, partition, a));
            const auto b = Dense<double>::filled(exec, {matrix->size().rows, 1}, 1);
            auto x = b.copy();
            ranks.all_gather(0);
            if (is_faulty) {
                memory->fail_allocation(k);
            }
            Amg<double>::factory(with_spread_levels(60)).generate(matrix)->apply(b, x);
        });
        memory->fail_allocation(0);
        if (!failures[1]) {
            break;
        }
        ++num_failed;
        EXPECT_THROW(std::rethrow_exception(failures[1]), OutOfMemory);
        for (const std::size_t rank : {0u, 2u}) {
            ASSERT_TRUE(failures[rank]) << "allocation " << k << " on rank " << rank;
            EXPECT_THROW(std::rethrow_exception(failures[rank]), RemoteError);
        }
    }
    EXPECT_GE(num_failed, 20);
}

/// Set-ups and new values, from device to device where they are peers, and through the host.
TEST(DistributedAmgTest, OnDevices)
{
    const auto symmetric = problem("lap2d:24"), other = problem("convdiff3d:9:20");
    const auto p = with_spread_levels(60);
    for (const auto backend : {Backend::cuda, Backend::hip}) {
        const auto& devices = backend_info(backend).devices;
        if (!backend_info(backend).built || devices.empty()) {
            continue;
        }
        std::vector<Executor> execs;
        for (int device = 0; device < static_cast<int>(devices.size()) && device < 2; ++device) {
            execs.push_back(Executor::create(backend, {.device = device}));
        }
        for (const auto& a : {symmetric, other}) {
            auto old = a;
            for (auto& value : old.values) {
                value *= 3;
            }
            const auto expected = on_one(Executor::reference(), old, p, 1, &a);
            for (const auto transport : {DeviceTransport::automatic, DeviceTransport::staged}) {
                const auto found = on_many(execs, old, Partition::stripes(a.size.rows, 2), p, 1, &a, transport);
                EXPECT_EQ(found.sizes, expected.sizes) << name(backend);
                expect_close(found.x, expected.x, half_rounding);
            }
        }
    }
}

}  // namespace
}  // namespace linden::test
