#pragma once

#include "core/kernels/triangular.hpp"
#include "core/portable/stored.hpp"
#include "gpu/device/awaited.cuh"
#include "gpu/vector/elements.cuh"

/// What triangular solves have in common in which rows wait for each other. A unit of work is a row and a right-hand
/// side.
namespace linden::LINDEN_GPU_NAMESPACE {

/// Entries of a row that one lane waits for at a time.
inline constexpr int batch_size = 4;
/// Lanes that wait together.
using Wave = Subgroup<32>;

template <class V, class S, class I>
struct TriangularProblem {
    LevelFactorView<V, S, I> t;
    DenseView<const V> b;
    DenseView<V> x;

    __device__ size_type num_units() const { return t.rows * x.cols; }
};

/// All of a unit but its row's entries, loaded before the row waits.
template <class V>
struct Unit {
    V source, inverse_diagonal;
    V* target;

    template <class S, class I>
    __device__ Unit(const TriangularProblem<V, S, I>& problem, size_type position, size_type col)
        : source(problem.b.values[size_type{problem.t.sources[position]} * problem.b.stride + col]),
          inverse_diagonal(problem.t.inverse_diagonal == nullptr ? V{1} : problem.t.inverse_diagonal[position]),
          target(problem.x.values + size_type{problem.t.targets[position]} * problem.x.stride + col)
    {
    }
};

/// How units are spread over blocks, which take their parts by ticket: a part waits for earlier parts alone, and those
/// are held by blocks that run.
struct TicketRule {
    size_type num_parts;
    size_type tickets_per_solve;  ///< each block draws one that is no part
};

/// The next part of this block, and in which of the two blocks of values this solve works.
struct Ticket {
    size_type part;
    int parity;
};

__device__ inline Ticket draw_ticket(TicketRule rule, std::uint64_t* tickets)
{
    LINDEN_SHARED(drawn, std::uint64_t);
    block_barrier();
    if (thread_id() == 0) {
        drawn = atomic_add(tickets, 1);
    }
    block_barrier();
    const auto per_solve = static_cast<std::uint64_t>(rule.tickets_per_solve);
    return {static_cast<size_type>(drawn % per_solve), static_cast<int>(drawn / per_solve % 2)};
}

template <class V, class S, class I>
TriangularProblem<device_type<V>, device_type<S>, I> device_problem(const LevelFactorView<V, S, I>& t,
                                                                    DenseView<const V> b, DenseView<V> x)
{
    return {{t.rows, t.num_nonzeros, t.row_ptrs, t.cols, as_device(t.values), as_device(t.inverse_diagonal), t.sources,
             t.targets, t.num_levels, t.level_ptrs},
            as_device(b),
            as_device(x)};
}

}  // namespace linden::LINDEN_GPU_NAMESPACE
