#pragma once

#include "benchmark/support/suite.hpp"
#include "core/kernels/levels.hpp"

namespace linden::benchmarks {

/// Levels of a matrix's lower triangle, in the executor's memory.
template <class I>
struct Levels {
    size_type num_levels;
    Array<I> order, position, level_ptrs;
};

template <class V, class I>
Levels<I> lower_levels(const Csr<V, I>& a)
{
    const auto& exec = a.executor();
    const size_type n = a.size().rows;
    Array<I> levels(exec, n);
    Array<size_type> num(exec, 1);
    levels_find<I>(exec, a.view(), Side::lower, levels.data(), num.data());
    const size_type num_levels = num.to_host()[0];
    Levels<I> result{num_levels, Array<I>(exec, n), Array<I>(exec, n), Array<I>(exec, num_levels + 1)};
    Array<std::byte> workspace(exec, levels_order_workspace_bytes<I>(n));
    levels_order<I>(exec, n, num_levels, levels.data(), result.order.data(), result.position.data(),
                    result.level_ptrs.data(), {workspace.data(), workspace.size()});
    return result;
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
