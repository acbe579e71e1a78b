// needs: double int32
#include <linden/distributed/io.hpp>
#include <linden/distributed/matrix.hpp>
#include <linden/matrix/dense.hpp>
#include <linden/preconditioner/neumann.hpp>
#include <linden/solver/cg.hpp>
#include <linden/solver/deflated_cg.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <thread>
#include <vector>

#include <time.h>

/// Deflated CG over ranks, which are threads, against CG with the same truncated Neumann series: iterations, and the
/// processor time of an iteration on all ranks together, which does not hang on what else a machine does.
///
/// usage: linden_benchmark_paper_deflation_ranks N COUNT BOXES ORDER RANKS...
/// bubbles3d:N:COUNT:1000:5, BOXES^3 domains, Neumann series of this order. One thread for each rank.
namespace {

using namespace linden;

double cpu_seconds()
{
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double median(std::vector<double> values)
{
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

struct Task {
    size_type points, bubbles, boxes, order;
};

/// Both methods in turns, so often; rank 0 prints a line.
void compare(const Communicator& ranks, const Task& task)
{
    const auto exec = Executor::create(Backend::omp, {.threads = 1});
    const auto own = distributed::generate_rows<double>(
        ranks, "bubbles3d:" + std::to_string(task.points) + ":" + std::to_string(task.bubbles) + ":1000:5");
    const auto matrix = share(distributed::Matrix<double, std::int32_t>(exec, ranks, own.partition, own.rows));
    const FactoryPtr<double> m = Neumann<double>::factory({.order = task.order});
    const Deflation<double> domains{.kind = DeflationKind::boxes,
                                    .nx = task.points,
                                    .ny = task.points,
                                    .nz = task.points,
                                    .boxes_x = task.boxes,
                                    .boxes_y = task.boxes,
                                    .boxes_z = task.boxes};
    const auto plain = Cg<double>::factory({.preconditioner = m}).generate(matrix);
    const auto start = cpu_seconds();
    const auto deflated = DeflatedCg<double>::factory({.preconditioner = m, .deflation = domains}).generate(matrix);
    const auto set_up = cpu_seconds() - start;
    const auto b = Dense<double>::filled(exec, {matrix->size().rows, 1}, 1);
    auto x = b.copy();
    const auto solve = [&](const Solver<double>& solver, size_type limit) {
        x.fill(0);
        ranks.agree(nullptr);
        const auto begin = cpu_seconds();
        const auto iterations = solver.solve(b, x, {.max_iterations = limit}).iterations();
        ranks.agree(nullptr);
        return std::pair{static_cast<double>(iterations), cpu_seconds() - begin};
    };
    const auto per_iteration = [&](const Solver<double>& solver) {
        return (solve(solver, 50).second - solve(solver, 10).second) / 40;
    };
    std::vector<double> times[2], ratios;
    for (int i = 0; i < 7; ++i) {
        times[0].push_back(per_iteration(*plain));
        times[1].push_back(per_iteration(*deflated));
        ratios.push_back(times[1].back() / times[0].back());
    }
    const auto of_plain = solve(*plain, 10000), of_deflated = solve(*deflated, 10000);
    if (ranks.rank() == 0) {
        std::printf(
            "%d ranks: cg %.0f iterations of %.2f ms, deflated_cg %.0f of %.2f ms, ratio %.2f; solves %.2f and "
            "%.2f s, set-up of deflated_cg %.2f s\n",
            ranks.size(), of_plain.first, 1e3 * median(times[0]), of_deflated.first, 1e3 * median(times[1]),
            median(ratios), of_plain.second, of_deflated.second, set_up);
    }
}

}  // namespace

int main(int argc, char** argv)
{
    if (argc < 6) {
        std::fprintf(stderr, "usage: %s N COUNT BOXES ORDER RANKS...\n", argv[0]);
        return 2;
    }
    const Task task{std::atol(argv[1]), std::atol(argv[2]), std::atol(argv[3]), std::atol(argv[4])};
    for (int i = 5; i < argc; ++i) {
        std::vector<std::jthread> threads;
        for (const auto& ranks : Communicator::threads(std::atoi(argv[i]))) {
            threads.emplace_back([ranks, task] {
                try {
                    ranks.guard([&] { compare(ranks, task); });
                } catch (const std::exception& e) {
                    std::fprintf(stderr, "rank %d: %s\n", ranks.rank(), e.what());
                }
            });
        }
    }
    return 0;
}
