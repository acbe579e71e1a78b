#pragma once

#include <linden/views.hpp>

#include "core/kernels/persistent.hpp"
#include "cuda/block_rows.cuh"
#include "gpu/device/reduce.cuh"

/// The rows of a block in a kernel that runs a whole solve (core/kernels/persistent.hpp), and their products.
///
/// Each block lays out its rows of A anew at the start, in slices of 32 rows, column by column (sliced ELLPACK): then
/// products read whole cache lines without staging. A part of A stays in the L2 cache from iteration to iteration.
namespace linden::cuda {

/// Loads of the matrix: no space in the L1 cache, which is for the vector.
template <class T>
__device__ inline T load_matrix(const T* p, std::uint64_t policy)
{
    if constexpr (sizeof(T) == 4) {
        unsigned bits;
        asm volatile("ld.global.L1::no_allocate.L2::cache_hint.b32 %0, [%1], %2;" : "=r"(bits) : "l"(p), "l"(policy));
        return bits_to<T>(bits);
    } else if constexpr (sizeof(T) == 8) {
        unsigned long long bits;
        asm volatile("ld.global.L1::no_allocate.L2::cache_hint.b64 %0, [%1], %2;" : "=l"(bits) : "l"(p), "l"(policy));
        return bits_to<T>(bits);
    } else {
        ulonglong2 bits;
        asm volatile("ld.global.L1::no_allocate.L2::cache_hint.v2.b64 {%0, %1}, [%2], %3;"
                     : "=l"(bits.x), "=l"(bits.y)
                     : "l"(p), "l"(policy));
        return bits_to<T>(bits);
    }
}

/// This part of the lines, above 0, stays in the L2 cache as long as it can, the others leave it first.
__device__ inline std::uint64_t keep_policy(float part)
{
    std::uint64_t policy;
    asm volatile("createpolicy.fractional.L2::evict_last.L2::evict_first.b64 %0, %1;" : "=l"(policy) : "f"(part));
    return policy;
}

/// Slices that another class lays out.
template <class V>
class SlicedRows : public BlockRows<V> {
public:
    /// Calls consume(i, (A b)(i), prefetch(i)) for the block's rows i, where `prefetch` loads what `consume` will want
    /// early. Columns are loaded one batch ahead, so that values and b come together.
    template <class Prefetch, class Consume>
    __device__ void multiply(const V* b, Prefetch prefetch, Consume consume) const
    {
        unsigned next_cols[batch];
        int s = warp();
        unsigned j = s < num_slices_ ? begin_[s] : 0;
        const auto load_cols = [&](int slice, unsigned from) {
            if (slice < num_slices_) {
#pragma unroll
                for (int i = 0; i < batch; ++i) {
                    if (from + i < end_[slice]) {
                        next_cols[i] = load_matrix(cols_ + (from + i) * slice_rows + lane(), policy_);
                    }
                }
            }
        };
        load_cols(s, j);
        V sum{};
        while (s < num_slices_) {
            const unsigned last = end_[s];
            const int row = s * slice_rows + lane();
            V factors[batch], gathered[batch];
#pragma unroll
            for (int i = 0; i < batch; ++i) {
                if (j + i < last) {
                    factors[i] = load_matrix(values_ + (j + i) * slice_rows + lane(), policy_);
                    gathered[i] = b[next_cols[i]];
                }
            }
            const bool row_ends = j + batch >= last;
            const auto early = prefetch(row < rows_ ? row : 0);
            const unsigned here = j;
            s = row_ends ? s + num_warps : s;
            j = !row_ends ? j + batch : s < num_slices_ ? begin_[s] : 0;
            load_cols(s, j);
#pragma unroll
            for (int i = 0; i < batch; ++i) {
                if (here + i < last) {
                    sum += factors[i] * gathered[i];
                }
            }
            if (row_ends) {
                if (row < rows_) {
                    consume(row, sum, early);
                }
                sum = V{};
            }
        }
    }

protected:
    static constexpr int slice_rows = static_cast<int>(persistent_slice);
    static constexpr int num_warps = persistent_threads / 32;
    static_assert(slice_rows == 32);
    /// Nonzeros of a row that are on their way at a time; complex ones take twice the registers.
    static constexpr int batch = sizeof(V) > sizeof(device_real<V>) ? 4 : 8;

    /// Of a matrix of `num_rows` rows. `num_vectors` vectors of the block's rows come first in shared memory. `layout`:
    /// the workspace behind its header.
    __device__ SlicedRows(size_type num_rows, PersistentPartition part, int num_vectors, std::byte* layout)
        : BlockRows<V>(num_rows, part)
    {
        num_slices_ = (rows_ + slice_rows - 1) / slice_rows;
        begin_ = reinterpret_cast<unsigned*>(this->vector(num_vectors));
        end_ = begin_ + max_rows_ / slice_rows;
        const auto values = reinterpret_cast<V*>(layout);
        values_ = values + block_id() * part.max_nonzeros;
        cols_ = reinterpret_cast<unsigned*>(values + num_blocks() * part.max_nonzeros) + block_id() * part.max_nonzeros;
    }

    __device__ static int warp() { return thread_id() / 32; }
    __device__ static int lane() { return thread_id() % 32; }

    using BlockRows<V>::max_rows_, BlockRows<V>::rows_, BlockRows<V>::first_;

    int num_slices_;
    unsigned *begin_, *end_;  // of each slice, in shared memory, in units of 32 nonzeros
    V* values_;               // in global memory
    unsigned* cols_;
    std::uint64_t policy_ = 0;  // set by who lays out
};

}  // namespace linden::cuda
