#pragma once

#include <linden/matrix/identity.hpp>
#include <linden/preconditioner/multi_elimination.hpp>

#include "benchmark/papers/chart.hpp"
#include "benchmark/papers/experiment.hpp"

/// What the levels of multi-elimination cost in an application.
namespace linden::benchmarks {

using Elimination = MultiElimination<V>;

struct LevelCost {
    Elimination::Level matrix;   ///< of which the level eliminates pivots
    double factor_nonzeros = 0;  ///< of E and F; of the bottom's inverse
    double stored_bytes = 0;     ///< of E and F with padding; of the inverse
    double moved_bytes = 0;      ///< a model: those, and each element of vectors as often as kernels name it by its row
};

/// Of a rule's preconditioner; the bottom is the last of the levels.
struct EliminationCosts {
    std::string rule;
    std::vector<LevelCost> levels;
    double application_seconds = 0;
    double launches = 0;
    double stored_bytes = 0;
};

/// Median of `repeat` runs of several applications to b = 1.
inline double time_application(const LinOp<V>& op, int repeat)
{
    constexpr int num_applications = 20;
    const auto& exec = op.executor();
    const auto b = Dense<V>::filled(exec, {op.size().rows, 1}, 1);
    Dense<V> x(exec, b.size());
    op.apply(b, x);
    std::vector<double> times;
    for (int i = 0; i < repeat; ++i) {
        times.push_back(tool::timed(exec, [&] {
            for (int k = 0; k < num_applications; ++k) {
                op.apply(b, x);
            }
        }));
    }
    return tool::median(times) / num_applications;
}

inline double count_launches(const LinOp<V>& op)
{
    const auto& exec = op.executor();
    const auto b = Dense<V>::filled(exec, {op.size().rows, 1}, 1);
    Dense<V> x(exec, b.size());
    op.apply(b, x);
    const auto before = exec.counters().kernel_launches;
    op.apply(b, x);
    return static_cast<double>(exec.counters().kernel_launches - before);
}

/// E, F and their bytes are the differences between preconditioners with a level and without it, both with the identity
/// at the bottom.
inline EliminationCosts costs_of(std::string rule, Elimination::Parameters parameters, const LinOpPtr<V>& a, int repeat)
{
    // b, w twice, x and the scale; the order of rows twice.
    constexpr double bytes_per_pivot = 5 * sizeof(V) + 2 * sizeof(I);
    // The product with the inverse reads a copy.
    constexpr double bytes_per_bottom_row = bytes_per_pivot + 4 * sizeof(V);
    const auto whole = Elimination::factory(parameters).generate(a);
    const auto& levels = whole->levels();
    EliminationCosts costs{std::move(rule),
                           {},
                           time_application(*whole, repeat),
                           count_launches(*whole),
                           static_cast<double>(whole->storage_bytes())};
    parameters.bottom = Identity<V>::factory();
    parameters.bottom_rows = a->size().rows + 1;
    auto before = Elimination::factory(parameters).generate(a);
    for (std::size_t l = 0; l + 1 < levels.size(); ++l) {
        parameters.depth = static_cast<size_type>(l + 1);
        auto with_level = Elimination::factory(parameters).generate(a);
        const auto pivots = static_cast<double>(levels[l].rows - levels[l + 1].rows);
        const auto bytes = static_cast<double>(with_level->storage_bytes() - before->storage_bytes());
        const auto nonzeros = static_cast<double>(with_level->num_nonzeros() - before->num_nonzeros());
        costs.levels.push_back({levels[l], nonzeros, bytes, bytes + bytes_per_pivot * pivots});
        before = std::move(with_level);
    }
    const auto rows = static_cast<double>(levels.back().rows);
    const auto bytes = static_cast<double>(whole->storage_bytes() - before->storage_bytes());
    costs.levels.push_back({levels.back(), rows * rows, bytes, bytes + bytes_per_bottom_row * rows});
    return costs;
}

inline std::string label_of(const EliminationCosts& costs, std::size_t level)
{
    return level + 1 < costs.levels.size() ? std::to_string(level + 1) : "bottom";
}

inline void print_costs(const EliminationCosts& costs, const Executor& exec)
{
    const auto n = static_cast<double>(costs.levels.front().matrix.rows);
    double moved_bytes = 0;
    for (const auto& level : costs.levels) {
        moved_bytes += level.moved_bytes;
    }
    std::printf(
        "\n#### Levels of %s, %s\n\nAn application takes %s us and %.0f launches; it stores %.1f bytes per row, and "
        "moves "
        "%.1f, which is %.1f GB/s.\n\n"
        "| level | n | nnz | nonzeros of E and F, of the inverse | bytes stored | bytes moved |\n"
        "|---:|---:|---:|---:|---:|---:|\n",
        costs.rule.c_str(), exec.name().c_str(), seconds_text(costs.application_seconds * 1e6).c_str(), costs.launches,
        costs.stored_bytes / n, moved_bytes / n, moved_bytes * 1e-9 / costs.application_seconds);
    for (std::size_t l = 0; l < costs.levels.size(); ++l) {
        const auto& [matrix, nonzeros, stored, moved] = costs.levels[l];
        std::printf("| %s | %lld | %lld | %.0f | %.0f | %.0f |\n", label_of(costs, l).c_str(),
                    static_cast<long long>(matrix.rows), static_cast<long long>(matrix.nonzeros), nonzeros, stored,
                    moved);
    }
}

/// Three groups of bars.
inline void add_costs(const std::string& problem, const EliminationCosts& costs, BarChart& chart)
{
    BarGroup rows{problem + ", " + costs.rule + ": rows", {}}, nonzeros{"nonzeros of the matrix", {}},
        bytes{"bytes moved, a model", {}};
    for (std::size_t l = 0; l < costs.levels.size(); ++l) {
        const auto label = label_of(costs, l);
        rows.bars.push_back({label, static_cast<double>(costs.levels[l].matrix.rows), 0});
        nonzeros.bars.push_back({label, static_cast<double>(costs.levels[l].matrix.nonzeros), 1});
        bytes.bars.push_back({label, costs.levels[l].moved_bytes, 2});
    }
    chart.groups.insert(chart.groups.end(), {rows, nonzeros, bytes});
}

}  // namespace linden::benchmarks
