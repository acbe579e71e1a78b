// needs: double int32
#include <linden/distributed/io.hpp>
#include <linden/distributed/matrix.hpp>
#include <linden/distributed/repartition.hpp>
#include <linden/distributed/schwarz.hpp>
#include <linden/distributed/vector.hpp>
#include <linden/io/problems.hpp>
#include <linden/preconditioner/adapted_deflation.hpp>
#include <linden/preconditioner/ic.hpp>
#include <linden/preconditioner/neumann.hpp>
#include <linden/solver/bicgstab.hpp>
#include <linden/solver/cg.hpp>
#include <linden/solver/deflated_cg.hpp>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <optional>
#include <string>

#include <unistd.h>

#include "core/base/rank_link.hpp"
#include "core/distributed/transport.hpp"
#include "test/mpi/world.hpp"
#include "test/support/ranks.hpp"

/// What is MPI's own; everything else is tested on threads.
namespace linden::test {
namespace {

using distributed::Partition;
using Matrix = distributed::Matrix<double, std::int32_t>;

TEST(MpiTest, EveryRankHearsFromEveryOther)
{
    const auto& ranks = world();
    std::vector<int> expected(static_cast<std::size_t>(ranks.size()));
    std::iota(expected.begin(), expected.end(), 5);
    EXPECT_EQ(ranks.all_gather(5 + ranks.rank()), expected);
    EXPECT_EQ(ranks.transport_name(), ranks.is_single() ? "self" : "mpi");
}

/// Lists from empty to 2 MB, which go through other protocols than short ones.
TEST(MpiTest, ListsOfAnyLengthReachTheirRank)
{
    const auto& ranks = world();
    const auto n = static_cast<std::size_t>(ranks.size());
    const auto length = [](std::size_t from, std::size_t to) { return from * to * 100000; };
    const auto me = static_cast<std::size_t>(ranks.rank());
    std::vector<std::vector<int>> lists(n);
    for (std::size_t r = 0; r < n; ++r) {
        lists[r].assign(length(me, r), static_cast<int>(10 * me + r));
    }
    const auto theirs = linden::detail::exchange_lists(ranks, lists);
    for (std::size_t r = 0; r < n; ++r) {
        EXPECT_EQ(theirs[r], std::vector<int>(length(r, me), static_cast<int>(10 * r + me)));
    }
}

/// Parts of one size, cut at fewer entries than stripes are, and the same again; also from ranks that own no rows.
TEST(MpiTest, PtScotchCutsWhatIsSpread)
{
    const auto& ranks = world();
    const auto own = distributed::generate_rows<double>(ranks, "lap2d:24");
    const auto cut_parts = [&](const distributed::OwnRows<double>& rows) {
        return distributed::Repartition::ptscotch(ranks, rows);
    };
    std::optional<distributed::Repartition> moved;
    try {
        moved = cut_parts(own);
    } catch (const NotSupported& e) {
        GTEST_SKIP() << e.what();
    }
    EXPECT_LE(moved->partition().imbalance(), 1.1);
    EXPECT_EQ(cut_parts(own).new_numbers(), moved->new_numbers());
    const Matrix stripes(Executor::reference(), ranks, own.partition, own.rows);
    const auto rows = moved->rows(own);
    const Matrix parts(Executor::reference(), ranks, rows.partition, rows.rows);
    const auto all = [&](size_type mine) {
        const auto each = ranks.all_gather(mine);
        return std::accumulate(each.begin(), each.end(), size_type{0});
    };
    EXPECT_EQ(all(parts.num_nonzeros()), all(stripes.num_nonzeros()));
    EXPECT_LE(all(parts.num_ghosts()), all(stripes.num_ghosts()));

    // All rows are the last rank's.
    std::vector<std::int64_t> firsts(static_cast<std::size_t>(ranks.size()) + 1);
    firsts.back() = own.partition.num_rows();
    const bool is_last = ranks.rank() == ranks.size() - 1;
    distributed::OwnRows<double> uneven{Partition(firsts), {{0, firsts.back()}, {0}, {}, {}}};
    if (is_last) {
        uneven.rows = distributed::generate_rows<double>(Communicator::self(), "lap2d:24").rows;
    }
    EXPECT_LE(cut_parts(uneven).partition().imbalance(), 1.1);
}

/// As many parts as are asked for, whatever the number of ranks.
TEST(MpiTest, PtScotchCutsMoreOrFewerPartsThanRanks)
{
    const auto& ranks = world();
    const auto own = distributed::generate_rows<double>(ranks, "lap2d:24");
    for (const int num_parts : {1, 2, ranks.size() + 4}) {
        distributed::Parts parts;
        try {
            parts = distributed::ptscotch_parts(ranks, own, num_parts);
        } catch (const NotSupported& e) {
            GTEST_SKIP() << e.what();
        }
        const auto report = distributed::report(ranks, own, parts);
        ASSERT_EQ(report.parts.size(), static_cast<std::size_t>(num_parts));
        EXPECT_LE(report.row_imbalance(), 1.1);
        EXPECT_EQ(report.edge_cut > 0, num_parts > 1);
    }
}

TEST(MpiTest, AgreementEndsOnAllRanksAndLeavesThemUsable)
{
    const auto& ranks = world();
    const bool fails = ranks.rank() == ranks.size() - 1;
    try {
        ranks.agree_after([&] {
            if (fails) {
                throw OutOfMemory(8, "omp");
            }
        });
        ADD_FAILURE() << "went on";
    } catch (const OutOfMemory&) {
        EXPECT_TRUE(fails);
    } catch (const RemoteError& e) {
        EXPECT_EQ(e.rank, ranks.size() - 1);
        EXPECT_EQ(e.type, "OutOfMemory");
    }
    EXPECT_EQ(ranks.all_gather(1), std::vector<int>(static_cast<std::size_t>(ranks.size()), 1));
}

/// Bits of products and counts of iterations are those of one process, which each rank is by itself.
TEST(MpiTest, ProductsAndSolvesAreThoseOfOneProcess)
{
    const auto& ranks = world();
    const auto a = laplace_2d<double>(30);
    const auto b = random_block<double>({900, 1}, 3);
    for (const auto backend : rank_backends()) {
        const auto exec = rank_executor(backend);
        const auto run = [&](const Communicator& those, const Partition& partition) {
            const auto matrix = share(Matrix::from_whole(exec, those, partition, a));
            const auto b_here = rows_of(exec, b, partition, those.rank());
            auto x = Dense<double>::filled(exec, b_here.size(), 0);
            matrix->apply(b_here, x);
            auto product = distributed::Vector<double>(those, partition, x.copy()).gather().values;
            x.fill(0);
            const auto result =
                Cg<double>::factory({.stop = {.relative_residual = 1e-8}}).generate(matrix)->solve(b_here, x);
            EXPECT_TRUE(result.converged());
            return std::pair{product, result.iterations()};
        };
        const auto alone = run(Communicator::self(), Partition::stripes(900, 1));
        for (const auto& partition : partitions(900, ranks.size())) {
            EXPECT_EQ(run(ranks, partition), alone) << name(backend);
        }
    }
}

/// Domains are those of the whole matrix, and so are iterations; the sums of domains go with those of the residual.
TEST(MpiTest, DeflationIsThatOfOneProcess)
{
    const auto& ranks = world();
    const auto a = generate_problem<double, std::int32_t>("bubbles:24:3:1000:5");
    const auto b = random_block<double>({576, 3}, 3);
    const Deflation<double> boxes{.kind = DeflationKind::boxes, .nx = 24, .ny = 24, .boxes_x = 4, .boxes_y = 4};
    const FactoryPtr<double> neumann = Neumann<double>::factory({.order = 2});
    const FactoryPtr<double> factories[] = {
        DeflatedCg<double>::factory(
            {.stop = {.relative_residual = 1e-8}, .preconditioner = neumann, .deflation = boxes}),
        BiCgStab<double>::factory({.stop = {.relative_residual = 1e-6},
                                   .preconditioner = AdaptedDeflation<double>::factory(
                                       {.preconditioner = neumann, .deflation = {.vectors = 10}})})};
    for (const auto& factory : factories) {
        const auto run = [&](const Communicator& those, const Partition& partition) {
            const auto exec = rank_executor(Backend::reference);
            const auto matrix = share(Matrix::from_whole(exec, those, partition, a));
            const auto b_here = rows_of(exec, b, partition, those.rank());
            auto x = Dense<double>::filled(exec, b_here.size(), 0);
            const auto solver = factory->make(matrix);
            const auto result = static_cast<const Solver<double>&>(*solver).solve(b_here, x);
            EXPECT_TRUE(result.converged());
            return result.iterations();
        };
        const auto alone = run(Communicator::self(), Partition::stripes(576, 1));
        for (const auto& partition : partitions(576, ranks.size())) {
            EXPECT_NEAR(static_cast<double>(run(ranks, partition)), static_cast<double>(alone),
                        factory->type() == "BiCgStab" ? 2 : 0);  // which rounding moves
        }
    }
}

TEST(MpiTest, SchwarzWithOverlapConverges)
{
    const auto& ranks = world();
    const auto exec = rank_executor(Backend::reference);
    const auto partition = Partition::stripes(900, ranks.size());
    const auto matrix = share(Matrix::from_whole(exec, ranks, partition, laplace_2d<double>(30)));
    const auto solver = Cg<double>::factory({.preconditioner = distributed::Schwarz<double>::factory(
                                                 {.local = Ic0<double>::factory(), .overlap = 2, .restricted = false})})
                            .generate(matrix);
    const auto b = Dense<double>::filled(exec, {matrix->size().rows, 1}, 1);
    auto x = Dense<double>::filled(exec, b.size(), 0);
    EXPECT_TRUE(solver->solve(b, x).converged());
}

/// A number of kilobytes that the system knows of this process, in bytes; 0 if it does not.
std::size_t status_of_process(const std::string& key)
{
    std::ifstream status("/proc/self/status");
    for (std::string word; status >> word;) {
        std::size_t kilobytes = 0;
        if (word == key + ":" && status >> kilobytes) {
            return kilobytes * 1024;
        }
    }
    return 0;
}

/// Collective. The largest number of bytes that `act` has a rank use on top of what it did before; 0 if unknown.
template <class Act>
std::size_t most_bytes_of(const Communicator& ranks, const Act& act)
{
    std::ofstream("/proc/self/clear_refs") << 5;  // the peak begins anew
    const auto before = status_of_process("VmRSS");
    act();
    const auto peak = status_of_process("VmHWM");
    const auto all = ranks.all_gather(peak - std::min(peak, before));
    return *std::max_element(all.begin(), all.end());
}

/// A rank's memory is its share and some pieces of the text. The whole text, or the share twice more, would be too
/// much, and so would a matrix that is made of copies of its rows.
TEST(MpiTest, AFileIsReadInTheMemoryOfAShare)
{
    const auto& ranks = world();
    if (ranks.size() < 4 || status_of_process("VmHWM") == 0) {
        GTEST_SKIP() << "for 4 ranks, on systems that say how much memory a process uses";
    }
    const auto number = ranks.from_first([] { return static_cast<std::int64_t>(getpid()); });
    const auto path =
        (std::filesystem::temp_directory_path() / ("linden_mpi_" + std::to_string(number) + ".mtx")).string();
    {
        const auto written = distributed::generate_rows<double>(ranks, "st27:60");
        distributed::write_rows(ranks, path, written);
    }
    std::optional<distributed::OwnRows<double>> own;
    const auto to_read = most_bytes_of(ranks, [&] { own = distributed::read_rows<double>(ranks, path); });
    const auto text = std::filesystem::file_size(path);
    const auto num_entries = own->rows.values.size();
    const auto num_rows = own->rows.row_ptrs.size();
    const auto share = 16 * num_entries + 8 * num_rows;
    constexpr std::size_t pieces = std::size_t{40} << 20;
    ASSERT_GT(std::min<std::size_t>(text, 3 * share), share + pieces);
    EXPECT_LT(to_read, share + pieces);

    std::optional<Matrix> matrix;
    const auto to_make =
        most_bytes_of(ranks, [&] { matrix.emplace(Executor::reference(), ranks, own->partition, own->rows); });
    EXPECT_LT(to_make, 12 * num_entries + 8 * num_rows + (std::size_t{8} << 20));
    ranks.from_first([&] { return std::filesystem::remove(path) ? 1 : 0; });
}

/// Processes take the devices in turn: those that have one each may be peers, others are staged.
TEST(MpiTest, DevicesSolveAsOneProcess)
{
    const auto& ranks = world();
    const auto a = laplace_2d<double>(12);
    const auto b = random_block<double>({144, 1}, 3);
    for (const auto backend : {Backend::cuda, Backend::hip}) {
        const auto num_devices = static_cast<int>(backend_info(backend).devices.size());
        if (num_devices == 0) {
            continue;
        }
        const auto exec = Executor::create(backend, {.device = ranks.rank() % num_devices});
        const auto run = [&](const Communicator& those) {
            const auto partition = Partition::stripes(144, those.size());
            const auto matrix = share(Matrix::from_whole(exec, those, partition, a));
            const auto b_here = rows_of(exec, b, partition, those.rank());
            auto x = Dense<double>::filled(exec, b_here.size(), 0);
            const auto solver = Cg<double>::factory({.stop = {.relative_residual = 1e-10}}).generate(matrix);
            const auto result = solver->solve(b_here, x);
            EXPECT_TRUE(result.converged()) << result.reason();
            const auto all = distributed::Vector<double>(those, partition, x.copy()).gather().values;
            return std::pair{result.iterations(), all};
        };
        const auto alone = run(Communicator::self());
        const auto together = run(ranks);
        EXPECT_EQ(together.first, alone.first);
        for (std::size_t i = 0; i < alone.second.size(); ++i) {
            EXPECT_NEAR(together.second[i], alone.second[i], 1e-8);
        }
        if (!ranks.is_single()) {
            const auto link = RankLink::find(ranks, exec);
            EXPECT_TRUE(link->name() == "staged" || num_devices >= ranks.size()) << link->why();
            const auto staged = run(ranks.with_transport(DeviceTransport::staged));
            EXPECT_EQ(staged.first, together.first);
            if (link->name() != "peer") {  // whose whole solves are one kernel, and add in another order
                EXPECT_EQ(staged.second, together.second);
            }
            try {
                EXPECT_EQ(run(ranks.with_transport(DeviceTransport::nccl)), staged);
            } catch (const NotSupported& e) {  // on all ranks
                EXPECT_EQ(e.op, "the transport nccl on " + exec.name()) << e.what();
            }
        }
    }
}

}  // namespace
}  // namespace linden::test
