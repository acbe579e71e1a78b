#pragma once

#include "gpu/columns.cuh"

/// Products of matrix rows with a vector, at the speed of memory for rows of any usual length.
///
/// A block takes a tile of 256 / L rows at a time, L lanes to a row. The tile's nonzeros, which lie together in memory,
/// are staged in shared memory as they are; then each row's lanes gather from the vector. Neighbouring rows have
/// neighbouring columns in most matrices, so that gathering row by row touches few cache lines at a time.
///
/// Staging is one bulk copy by the copy engine on CUDA (no registers, no instructions per nonzero), loads by all
/// threads elsewhere. H200, double, int32, seven points, 256^3 rows, 2026-11-21: 452 us (3.85 TB/s, 90 % of a copy) by
/// bulk copies, 491 us staged through registers, 538 us with products staged, 526 us one thread per row without
/// staging.
namespace linden::LINDEN_GPU_NAMESPACE {

inline constexpr int tile_threads = 256;
inline constexpr size_type tile_bytes = 21 * 1024;

template <class V, class I>
struct Matrix {
    size_type rows;
    size_type num_nonzeros;
    const I* row_ptrs;
    const I* col_idxs;
    const V* values;

    /// Nonzeros that are staged at a time.
    static constexpr int capacity = static_cast<int>(tile_bytes / (sizeof(V) + sizeof(I))) / 8 * 8;
    static constexpr size_type shared_bytes = capacity * static_cast<size_type>(sizeof(V) + sizeof(I));
};

template <class V, class I>
Matrix<device_type<V>, I> device_matrix(CsrView<V, I> a)
{
    return {a.rows, a.num_nonzeros, a.row_ptrs, a.col_idxs, as_device(a.values)};
}

/// The fewest lanes to a row with which a tile of average rows can be staged at once.
template <class V, class I>
int lanes_per_row(const Matrix<V, I>& a)
{
    int lanes = 1;
    while (lanes < 32 && a.num_nonzeros * (tile_threads / lanes) > a.rows * Matrix<V, I>::capacity) {
        lanes *= 2;
    }
    return lanes;
}

template <class V, class I>
Grid tile_grid(const Executor& exec, const Matrix<V, I>& a)
{
    const size_type most = std::min<size_type>(
        static_cast<size_type>(gpu(exec).num_multiprocessors()) * blocks_per_multiprocessor, max_reduction_partials);
    return std::max<size_type>(1, std::min(blocks_for(a.rows, tile_threads / lanes_per_row(a)), most));
}

namespace detail {

#if defined(__CUDACC__) && !defined(LINDEN_GPU_HIP)

__device__ inline unsigned shared_address(const void* p) { return static_cast<unsigned>(__cvta_generic_to_shared(p)); }

/// Copies [first, last) of the nonzeros into shared memory by the copy engine. Bulk copies move multiples of 16 bytes
/// at multiples of 16 bytes: they start a little early, and threads add what is left at the very end of the matrix.
template <class V, class I>
class Stager {
    static constexpr int granule = 16 / static_cast<int>(sizeof(V) < sizeof(I) ? sizeof(V) : sizeof(I));

public:
    __device__ Stager(const Matrix<V, I>& a, V* values, I* cols)
        : a_(a),
          values_(values),
          cols_(cols),
          bulk_(is_aligned(a.values) && is_aligned(a.col_idxs))
    {
        LINDEN_SHARED(barrier, std::uint64_t);
        barrier_ = shared_address(&barrier);
        // The matrix passes through once per product: it must not drive the vectors out of the L2 cache.
        asm volatile("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(evict_first_));
        if (thread_id() == 0) {
            asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(barrier_) : "memory");
            asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        }
        block_barrier();
    }

    /// Where staging can begin in order to have nonzero k.
    __device__ static I start(I k) { return k / granule * granule; }

    /// All threads call; all see the nonzeros on return.
    __device__ void stage(I first, I last)
    {
        if (!bulk_) {
            for (I k = first + thread_id(); k < last; k += tile_threads) {
                values_[k - first] = a_.values[k];
                cols_[k - first] = a_.col_idxs[k];
            }
            block_barrier();
            return;
        }
        I end = (last + granule - 1) / granule * granule;
        end = end <= a_.num_nonzeros ? end : static_cast<I>(a_.num_nonzeros) / granule * granule;
        const auto count = static_cast<unsigned>(end - first);
        if (thread_id() == 0) {
            asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier_),
                         "r"(count * static_cast<unsigned>(sizeof(V) + sizeof(I)))
                         : "memory");
            if (count != 0) {
                bulk_copy(values_, a_.values + first, count * sizeof(V));
                bulk_copy(cols_, a_.col_idxs + first, count * sizeof(I));
            }
        }
        if (end < last) {  // the same for all threads
            if (end + thread_id() < last) {
                values_[end + thread_id() - first] = a_.values[end + thread_id()];
                cols_[end + thread_id() - first] = a_.col_idxs[end + thread_id()];
            }
            block_barrier();
        }
        wait();
    }

private:
    __device__ static bool is_aligned(const void* p) { return reinterpret_cast<std::uintptr_t>(p) % 16 == 0; }

    __device__ void bulk_copy(void* target, const void* source, unsigned bytes) const
    {
        asm volatile(
            "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint [%0], [%1], %2, [%3], "
            "%4;" ::"r"(shared_address(target)),
            "l"(source), "r"(bytes), "r"(barrier_), "l"(evict_first_)
            : "memory");
    }

    __device__ void wait()
    {
        unsigned done = 0;
        while (done == 0) {
            asm volatile(
                "{\n.reg .pred p;\nmbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\nselp.u32 %0, 1, 0, p;\n}"
                : "=r"(done)
                : "r"(barrier_), "r"(phase_)
                : "memory");
        }
        phase_ ^= 1;
    }

    const Matrix<V, I>& a_;
    V* values_;
    I* cols_;
    bool bulk_;
    unsigned barrier_;
    unsigned phase_ = 0;
    std::uint64_t evict_first_;
};

#else

/// Copies [first, last) of the nonzeros into shared memory by all threads.
template <class V, class I>
class Stager {
public:
    __device__ Stager(const Matrix<V, I>& a, V* values, I* cols) : a_(a), values_(values), cols_(cols) {}

    __device__ static I start(I k) { return k; }

    __device__ void stage(I first, I last)
    {
        constexpr int unrolled = 4;
        V values[unrolled];
        I cols[unrolled];
        for (I base = first + thread_id(); base < last; base += unrolled * tile_threads) {
            for (int i = 0; i < unrolled; ++i) {
                const I k = base + i * tile_threads;
                values[i] = k < last ? load_streaming(a_.values + k) : V{};
                cols[i] = k < last ? load_streaming(a_.col_idxs + k) : I{};
            }
            for (int i = 0; i < unrolled; ++i) {
                const I k = base + i * tile_threads;
                if (k < last) {
                    values_[k - first] = values[i];
                    cols_[k - first] = cols[i];
                }
            }
        }
        block_barrier();
    }

private:
    const Matrix<V, I>& a_;
    V* values_;
    I* cols_;
};

#endif

}  // namespace detail

/// Where a thread's row lies in the nonzeros, and its tile.
template <class I>
struct TileRow {
    I tile_begin, tile_end, begin, end;
};

template <class V, class I>
__device__ inline TileRow<I> tile_row(const Matrix<V, I>& a, size_type first, int tile_rows, int lanes)
{
    const size_type row = first + thread_id() / lanes;
    const size_type last = first + tile_rows < a.rows ? first + tile_rows : a.rows;
    if (first >= a.rows) {
        return {};
    }
    const bool exists = row < a.rows;
    return {a.row_ptrs[first], a.row_ptrs[last], a.row_ptrs[exists ? row : last], a.row_ptrs[exists ? row + 1 : last]};
}

/// Calls `consume(row, (A b)(row), prefetch(row))` once for every row, spread over the grid; `prefetch` loads what
/// `consume` will want while the nonzeros are on their way. All threads of the grid call it, in blocks of
/// `tile_threads` with `Matrix::shared_bytes` of dynamic shared memory.
template <class V, class I, class Prefetch, class Consume>
__device__ inline void for_each_row_product(const Matrix<V, I>& a, int lanes, const V* b, Prefetch prefetch,
                                            Consume consume)
{
    constexpr int capacity = Matrix<V, I>::capacity;
    V* const values = dynamic_shared<V>();
    I* const cols = reinterpret_cast<I*>(values + capacity);
    detail::Stager<V, I> stager(a, values, cols);
    const int tile_rows = tile_threads / lanes;
    const int lane = thread_id() % lanes;
    const size_type step = static_cast<size_type>(num_blocks()) * tile_rows;
    size_type first = static_cast<size_type>(block_id()) * tile_rows;
    auto next = tile_row(a, first, tile_rows, lanes);
    for (; first < a.rows; first += step) {
        const auto tile = next;
        next = tile_row(a, first + step, tile_rows, lanes);
        const size_type row = first + thread_id() / lanes;
        const bool exists = row < a.rows;
        const auto early = prefetch(exists ? row : 0);
        V sum{};
        for (I chunk = stager.start(tile.tile_begin); chunk < tile.tile_end; chunk += capacity) {
            const I chunk_end = tile.tile_end - chunk < capacity ? tile.tile_end : chunk + capacity;
            stager.stage(chunk, chunk_end);
            const I from = tile.begin > chunk ? tile.begin : chunk;
            const I to = tile.end < chunk_end ? tile.end : chunk_end;
#pragma unroll 4
            for (I k = from + lane; k < to; k += lanes) {
                sum += values[k - chunk] * b[cols[k - chunk]];
            }
            block_barrier();
        }
        for (int distance = lanes / 2; distance > 0; distance /= 2) {
            sum += Subgroup<32>::shuffle_xor(sum, distance);
        }
        if (exists && lane == 0) {
            consume(row, sum, early);
        }
    }
}

}  // namespace linden::LINDEN_GPU_NAMESPACE
