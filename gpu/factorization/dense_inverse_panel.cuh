#pragma once

#include "core/portable/dense_inverse.hpp"
#include "gpu/device/bits.cuh"
#include "gpu/device/reduce.cuh"
#include "gpu/runtime/launch.hpp"

/// Panels of columns that need pivots, and the choice of a pivot by a block of threads.
namespace linden::LINDEN_GPU_NAMESPACE {
namespace {

constexpr int block_rows = galerkin_block_rows;
using Wave = Subgroup<32>;
static_assert(block_rows == Wave::size);

/// A row and the magnitude of its entry in the column that needs a pivot, negative for none.
struct Candidate {
    double magnitude;
    std::int32_t row;
};

template <class W, class R>
struct Panel {
    W* values;  ///< of the matrix
    const R* scales;
    std::int32_t* is_kept;
    double tolerance;
    size_type size;
    size_type first;
    int columns;             ///< of the block
    W* copy;                 ///< block_rows columns of num_rows()
    Candidate* candidates;   ///< 2 x blocks: those of a column's blocks beside those of the column before
    std::int32_t* is_taken;  ///< num_rows()
    std::int32_t* pivots;    ///< block_rows; -1 where a column has none

    __host__ __device__ size_type num_rows() const { return size - first; }
    __device__ W& at(size_type row, int col) const { return values[(first + row) * size + first + col]; }
    __device__ W& copied(size_type row, int col) const { return copy[col * num_rows() + row]; }
    __device__ bool is_pivot(Candidate candidate, int col) const
    {
        return candidate.magnitude > tolerance * static_cast<double>(scales[first + col]);
    }
    __device__ void set_pivot(int col, bool is_found, std::int32_t row) const
    {
        pivots[col] = is_found ? row : -1;
        is_kept[first + col] = is_found ? 1 : 0;
    }
};

/// |value|, or a negative number for one that cannot be a pivot.
template <class W>
__device__ inline double magnitude_of_candidate(bool is_left, W value)
{
    const double size = is_left ? abs(value) : -1;
    return size - size == 0 ? size : -1;
}

template <int B>
using WaveCandidates = Candidate[B / Wave::size];

/// The candidate of the largest magnitude, of several the one of the lowest thread, in all lanes of a wave.
__device__ inline Candidate best_in_wave(Candidate mine)
{
    const double largest = Wave::reduce(mine.magnitude, Max{});
    const int holder = lowest_bit(static_cast<std::uint32_t>(Wave::ballot(mine.magnitude == largest)));
    return {largest, Wave::shuffle(mine.row, holder)};
}

/// The same of a block of B threads, in all of them. of_waves: in shared memory, another than at the call before.
/// Called by all threads; contains a barrier.
template <int B>
__device__ inline Candidate best_in_block(Candidate mine, WaveCandidates<B>& of_waves)
{
    const Candidate best = best_in_wave(mine);
    if (Wave::lane() == 0) {
        of_waves[thread_id() / Wave::size] = best;
    }
    block_barrier();
    return best_in_wave(Wave::lane() < B / Wave::size ? of_waves[Wave::lane()] : Candidate{-1, 0});
}

}  // namespace
}  // namespace linden::LINDEN_GPU_NAMESPACE
