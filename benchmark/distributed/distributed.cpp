// needs: double int32
#include <linden/distributed/matrix.hpp>
#include <linden/distributed/session.hpp>
#include <linden/matrix/dense.hpp>
#include <linden/solver/cg.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "core/base/executor_state.hpp"
#include "core/base/rank_link.hpp"
#include "core/kernels/dense.hpp"
#include "core/kernels/reduction.hpp"
#include "core/solver/stop_state.hpp"

/// CG on several devices: time per iteration, messages, launches and synchronizations, and what a sum over ranks adds
/// to a sum. Each case is printed as a line.
///
/// usage: [mpirun -np K] linden_benchmark_distributed [BACKEND] [TRANSPORT] [spread] [RANKS] [sums] GRID...
/// GRID: NX:NY:NZ, the points in each direction; NZ may end with x, for NZ points times the number of ranks. Without
/// mpirun the ranks are threads.
namespace {

using namespace linden;
using Clock = std::chrono::steady_clock;

struct Grid {
    std::int64_t x = 1, y = 1, z = 1;
    bool grows = false;
};

Grid parse(const std::string& text)
{
    Grid grid;
    long x = 0, y = 0, z = 0;
    char times = 0;
    std::sscanf(text.c_str(), "%ld:%ld:%ld%c", &x, &y, &z, &times);
    grid = {x, y, z, times == 'x'};
    return grid;
}

/// The own rows of the 5- or 7-point Laplacian.
CsrData<double, std::int64_t> rows_of(const Grid& grid, std::int64_t first, std::int64_t last)
{
    CsrData<double, std::int64_t> rows;
    const std::int64_t plane = grid.x * grid.y;
    rows.size = {last - first, plane * grid.z};
    rows.row_ptrs.push_back(0);
    const double diagonal = grid.z == 1 ? 4 : 6;
    const auto add = [&](bool exists, std::int64_t col, double value) {
        if (exists) {
            rows.col_idxs.push_back(col);
            rows.values.push_back(value);
        }
    };
    rows.col_idxs.reserve(static_cast<std::size_t>(7 * (last - first)));
    rows.values.reserve(static_cast<std::size_t>(7 * (last - first)));
    for (std::int64_t row = first; row < last; ++row) {
        const auto ix = row % grid.x, iy = row / grid.x % grid.y, iz = row / plane;
        add(iz > 0, row - plane, -1);
        add(iy > 0, row - grid.x, -1);
        add(ix > 0, row - 1, -1);
        add(true, row, diagonal);
        add(ix + 1 < grid.x, row + 1, -1);
        add(iy + 1 < grid.y, row + grid.x, -1);
        add(iz + 1 < grid.z, row + plane, -1);
        rows.row_ptrs.push_back(static_cast<std::int64_t>(rows.col_idxs.size()));
    }
    return rows;
}

struct Way {
    Backend backend = Backend::cuda;
    DeviceTransport transport = DeviceTransport::automatic;
    bool is_spread = false;  ///< one rank, too, has a distributed::Matrix, which no persistent kernel takes
};

Executor own_executor(const Way& way, const Communicator& ranks)
{
    const auto devices = std::max<std::size_t>(1, backend_info(way.backend).devices.size());
    return Executor::create(way.backend,
                            {.device = static_cast<int>(static_cast<std::size_t>(ranks.rank()) % devices)});
}

/// The shortest of some repetitions of `act`, on the slowest rank.
template <class Act>
double seconds_of(const Communicator& ranks, const Executor& exec, int repetitions, const Act& act)
{
    double best = 1e9;
    for (int i = 0; i < repetitions; ++i) {
        exec.synchronize();
        ranks.agree(nullptr);
        const auto begin = Clock::now();
        act();
        exec.synchronize();
        const auto all = ranks.all_gather(std::chrono::duration<double>(Clock::now() - begin).count());
        best = std::min(best, *std::max_element(all.begin(), all.end()));
    }
    return best;
}

std::string_view link_name(const Communicator& ranks, const Executor& exec)
{
    const auto link = ranks.is_single() || exec.is_host() ? nullptr : RankLink::find(ranks, exec);
    return link == nullptr ? ranks.transport_name() : link->name();
}

/// Seconds of `act`, which launches kernels only, in a solver's loop: by the difference of 9 and 1 in a body.
template <class Act>
double seconds_in_loop(const Communicator& ranks, const Executor& exec, bool is_recorded, const Act& act)
{
    const size_type bodies = is_recorded ? 400 : 40;
    constexpr int most = 9;
    const Array<double> one(exec, std::vector<double>{1});
    StopState<double> stop(exec, 1);
    double times[2] = {};
    for (const int repetitions : {1, most}) {
        Loop loop(exec);
        const auto once = [&] {
            const StopRule rule{.max_iterations = bodies,
                                .relative_residual = 0,
                                .absolute_residual = 0,
                                .baseline = Baseline::rhs,
                                .time_limit = 0,
                                .divergence = 1e9,
                                .stagnation_iterations = 0,
                                .history_capacity = 0};
            stop_initialize<double>(exec, rule, one.data(), one.data(), stop.view());
            const std::uintptr_t key[] = {static_cast<std::uintptr_t>(repetitions)};
            loop.run(&stop.view().header->running, key, is_recorded, [&] {
                for (int i = 0; i < repetitions; ++i) {
                    act();
                }
                stop_check<double>(exec, one.data(), stop.view());
            });
        };
        once();
        times[repetitions == 1 ? 0 : 1] = seconds_of(ranks, exec, 5, once) / static_cast<double>(bodies);
    }
    return (times[1] - times[0]) / (most - 1);
}

/// Of a solve that is cut off.
struct Work {
    double sums = 0, exchanges = 0, launches = 0, synchronizations = 0;
};

void time_cg(const Communicator& ranks, const Way& way, const std::string& text)
{
    auto grid = parse(text);
    grid.z *= grid.grows ? ranks.size() : 1;
    const auto n = grid.x * grid.y * grid.z;
    const auto partition = distributed::Partition::stripes(n, ranks.size());
    const auto exec = own_executor(way, ranks);
    const auto rows = rows_of(grid, partition.first(ranks.rank()), partition.first(ranks.rank() + 1));
    LinOpPtr<double> matrix;
    if (ranks.is_single() && !way.is_spread) {  // what one device does best
        matrix = share(
            Csr<double, std::int32_t>(exec, CsrData<double, std::int32_t>{rows.size,
                                                                          {rows.row_ptrs.begin(), rows.row_ptrs.end()},
                                                                          {rows.col_idxs.begin(), rows.col_idxs.end()},
                                                                          rows.values}));
    } else {
        matrix = share(distributed::Matrix<double, std::int32_t>(exec, ranks, partition, rows));
    }
    const auto b = Dense<double>::filled(exec, {matrix->size().rows, 1}, 1);
    auto x = Dense<double>::filled(exec, b.size(), 0);
    const auto solver = Cg<double>::factory({.stop = {.relative_residual = 0}}).generate(matrix);
    const auto run = [&](size_type iterations) {
        x.fill(0);
        return solver->solve(b, x, {.max_iterations = iterations});
    };
    const size_type few = 40, many = n > 4'000'000 ? 240 : 1040;
    run(few);
    const auto time = [&](size_type iterations) { return seconds_of(ranks, exec, 5, [&] { run(iterations); }); };
    const double seconds = (time(many) - time(few)) / static_cast<double>(many - few);
    const double product = seconds_in_loop(ranks, exec, matrix->is_capturable(), [&] { matrix->apply(b, x); });
    const auto count = [&](size_type iterations) {
        const auto before = ranks.counters();
        const auto work = exec.counters();
        run(iterations);
        const auto after = ranks.counters();
        const auto done = exec.counters();
        return Work{static_cast<double>(after.gathers - before.gathers),
                    static_cast<double>(after.exchanges - before.exchanges),
                    static_cast<double>(done.kernel_launches - work.kernel_launches),
                    static_cast<double>(done.host_synchronizations - work.host_synchronizations)};
    };
    const auto low = count(few), high = count(many);
    const auto result = run(100);
    if (ranks.rank() == 0) {
        const auto iterations = static_cast<double>(many - few);
        std::printf(
            "cg %s: %d ranks, %s, %.2f us per iteration, %.2f us per product; per iteration %.2f sums, %.2f "
            "exchanges, %.2f launches, %.3f synchronizations; ||r|| after 100: %.17g\n",
            text.c_str(), ranks.size(), std::string(link_name(ranks, exec)).c_str(), 1e6 * seconds, 1e6 * product,
            (high.sums - low.sums) / iterations, (high.exchanges - low.exchanges) / iterations,
            (high.launches - low.launches) / iterations, (high.synchronizations - low.synchronizations) / iterations,
            result.columns[0].residual);
        std::fflush(stdout);
    }
}

/// Sums of few values: with and without other ranks.
void time_sums(const Communicator& ranks, const Way& way)
{
    const auto exec = own_executor(way, ranks);
    const auto partition = distributed::Partition::stripes(256 * ranks.size(), ranks.size());
    // connects the devices
    const distributed::Matrix<double, std::int32_t> matrix(
        exec, ranks, partition,
        rows_of({256 * ranks.size(), 1, 1, false}, partition.first(ranks.rank()), partition.first(ranks.rank() + 1)));
    const auto x = Dense<double>::filled(exec, {256, 1}, 1);
    Array<double> norms(exec, 1);
    double seconds[2] = {};
    for (const bool is_global : {false, true}) {
        auto workspace = ReductionWorkspace::for_values<double>(exec, 2);
        if (is_global) {
            workspace.sum_over(matrix.communicator());
        }
        seconds[is_global ? 1 : 0] = seconds_in_loop(ranks, exec, !is_global || matrix.is_capturable(), [&] {
            dense_norm2<double>(exec, x.view(), norms.data(), workspace.view());
        });
    }
    if (ranks.rank() == 0) {
        std::printf("sum: %d ranks, %s, %.2f us over the own rows, %.2f us over those of all ranks\n", ranks.size(),
                    std::string(link_name(ranks, exec)).c_str(), 1e6 * seconds[0], 1e6 * seconds[1]);
        std::fflush(stdout);
    }
}

void run(const Communicator& world, const Way& way, const std::vector<std::string>& cases)
{
    const auto ranks = world.with_transport(way.transport);
    ranks.guard([&] {
        for (const auto& text : cases) {
            if (text == "sums") {
                time_sums(ranks, way);
            } else {
                time_cg(ranks, way, text);
            }
        }
    });
}

}  // namespace

int main(int argc, char** argv)
{
    const distributed::Session session;
    Way way;
    int num_threads = 1;
    std::vector<std::string> cases;
    for (int i = 1; i < argc; ++i) {
        const std::string_view word = argv[i];
        if (word == "cuda" || word == "hip" || word == "reference" || word == "omp") {
            way.backend = word == "cuda"  ? Backend::cuda
                          : word == "hip" ? Backend::hip
                          : word == "omp" ? Backend::omp
                                          : Backend::reference;
        } else if (word == "staged" || word == "peer" || word == "nccl" || word == "auto") {
            way.transport = word == "staged" ? DeviceTransport::staged
                            : word == "peer" ? DeviceTransport::peer
                            : word == "nccl" ? DeviceTransport::nccl
                                             : DeviceTransport::automatic;
        } else if (word == "spread") {
            way.is_spread = true;
        } else if (word.find(':') == std::string_view::npos && word != "sums") {
            num_threads = std::atoi(argv[i]);
        } else {
            cases.emplace_back(word);
        }
    }
    try {
        if (!session.world().is_single()) {
            run(session.world(), way, cases);
        } else {
            const auto ranks = Communicator::threads(num_threads);
            std::vector<std::jthread> threads;
            for (const auto& rank : ranks) {
                threads.emplace_back([&] {
                    try {
                        run(rank, way, cases);
                    } catch (const std::exception& e) {
                        std::printf("rank %d: %s\n", rank.rank(), e.what());
                    }
                });
            }
        }
    } catch (const std::exception& e) {
        std::printf("rank %d: %s\n", session.world().rank(), e.what());
        return 1;
    }
    return 0;
}
