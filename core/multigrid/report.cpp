#include <linden/multigrid/amg.hpp>

#include <algorithm>
#include <iomanip>
#include <numeric>
#include <sstream>

namespace linden {
namespace {

/// The sum of a member over the levels, over that of the first.
double complexity(const std::vector<AmgLevelReport>& levels, size_type AmgLevelReport::*member)
{
    double sum = 0;
    for (const auto& level : levels) {
        sum += static_cast<double>(level.*member);
    }
    return levels.empty() ? 0 : sum / static_cast<double>(std::max<size_type>(levels.front().*member, 1));
}

constexpr std::string_view end_names[] = {"the last level is small enough",
                                          "the last level would hardly become smaller", "max_levels are reached",
                                          "sweeps over the last level do as well as more levels"};

}  // namespace

double AmgReport::operator_complexity() const { return complexity(levels, &AmgLevelReport::nonzeros); }

double AmgReport::grid_complexity() const { return complexity(levels, &AmgLevelReport::rows); }

size_type AmgReport::storage_bytes() const
{
    size_type sum = 0;
    for (const auto& level : levels) {
        sum += level.storage_bytes;
    }
    return sum;
}

std::string AmgReport::text() const
{
    std::ostringstream out;
    out << "level        rows    nonzeros  per row  prolongator       bytes  storage\n";
    for (std::size_t l = 0; l < levels.size(); ++l) {
        const auto& level = levels[l];
        const auto rows = static_cast<double>(std::max<size_type>(level.rows, 1));
        out << std::setw(5) << l << std::setw(12) << level.rows << std::setw(12) << level.nonzeros << std::fixed
            << std::setprecision(1) << std::setw(9) << static_cast<double>(level.nonzeros) / rows << std::setw(13)
            << static_cast<double>(level.prolongator_nonzeros) / rows << std::setw(12) << level.storage_bytes << "  ";
        if (level.index_bits == 0) {
            out << "dense inverse";
        } else if (level.num_stencils > 0) {
            out << level.num_stencils << " stencils; others " << name(level.storage);
        } else {
            out << name(level.storage) << ", " << level.index_bits << "-bit columns";
        }
        if (const auto& points = level.block_points; points[0] > 0) {
            out << "; blocks of " << points[0] << " x " << points[1] << " x " << points[2];
        }
        out << '\n';
    }
    if (num_spread_levels > 0) {
        out << "spread over the ranks: the first " << num_spread_levels << "; each has the others\n";
    }
    out << std::setprecision(2) << "operator complexity " << operator_complexity() << ", grid complexity "
        << grid_complexity() << ", " << storage_bytes() << " bytes; " << end_names[static_cast<int>(end)] << '\n'
        << name(cycle) << " cycle; set-up " << std::setprecision(3)
        << 1e3 * std::accumulate(seconds.begin(), seconds.end(), 0.0) << " ms:";
    for (std::size_t phase = 0; phase < num_amg_phases; ++phase) {
        out << (phase == 0 ? " " : ", ") << name(static_cast<AmgPhase>(phase)) << ' ' << 1e3 * seconds[phase];
    }
    out << '\n';
    return out.str();
}

}  // namespace linden
