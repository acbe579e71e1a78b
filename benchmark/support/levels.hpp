#pragma once

#include <string>

#include "benchmark/support/suite.hpp"
#include "core/triangular/level_pattern.hpp"

namespace linden::benchmarks {

/// Levels of a matrix's lower triangle, in the executor's memory.
template <class I>
struct Levels {
    size_type num_levels;
    Array<I> order, position, level_ptrs;
};

template <class V, class I>
Levels<I> lower_levels(const Csr<V, I>& a, detail::LevelUnit unit)
{
    const auto& exec = a.executor();
    const detail::RowLevels<I> levels(exec, a.view(), Side::lower, unit);
    detail::LevelOrder<I> by_levels(exec, levels);
    return {levels.count, std::move(by_levels.order), std::move(by_levels.position), std::move(by_levels.level_ptrs)};
}

/// What a value takes that one multiprocessor stores and another polls for, on an H200: a chain of levels through the
/// device's memory takes at least so long for each.
inline constexpr double flag_hop_us = 0.48;

/// The number of levels; on devices with the limit that it sets to what goes from level to level through memory.
inline std::string level_label(const Executor& exec, size_type num_levels)
{
    const auto levels = std::to_string(num_levels) + " levels";
    if (exec.is_host()) {
        return levels;
    }
    const auto limit = static_cast<size_type>(static_cast<double>(num_levels) * flag_hop_us + 0.5);
    return levels + " x 0.48 us hop = " + std::to_string(limit) + " us";
}

/// What a solve with k right-hand sides moves, of a triangle with so many entries beside its diagonal; see
/// triangular_solve_levels. Values are stored as S.
template <class V, class S, class I>
constexpr size_type triangular_solve_bytes(size_type rows, size_type num_nonzeros, size_type k)
{
    constexpr size_type v = sizeof(V), s = sizeof(S), i = sizeof(I);
    return num_nonzeros * (s + i) + rows * (3 * i + v + 3 * k * v);
}

}  // namespace linden::benchmarks
