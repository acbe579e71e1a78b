#pragma once

#include "gpu/device/bulk_copy.cuh"
#include "gpu/device/memory.cuh"
#include "gpu/device/reduce.cuh"
#include "gpu/matrix/csr_stages.cuh"

/// The way of a matrix's nonzeros into shared memory, stage by stage. On CUDA the copy engine moves them (no registers,
/// no instructions per nonzero) and is one stage ahead of the threads; elsewhere all threads copy, then all compute.
namespace linden::LINDEN_GPU_NAMESPACE {

namespace detail {

/// Where a stage lies in dynamic shared memory.
template <class V, class I, class Shape>
struct StageMemory {
    V* values;
    I* cols;
    I* row_ptrs;

    __device__ explicit StageMemory(int stage)
    {
        values = reinterpret_cast<V*>(dynamic_shared<std::byte>() + stage * Shape::stage_size);
        cols = reinterpret_cast<I*>(values + Shape::capacity);
        row_ptrs = cols + Shape::capacity;
    }
};

/// target := source, blocks value by value: in one go they would fill a thread's registers.
template <class T>
__device__ inline void assign(T& target, const T& source)
{
    target = source;
}
template <class T, int S>
__device__ inline void assign(DenseBlock<T, S>& target, const DenseBlock<T, S>& source)
{
#pragma unroll 1
    for (int i = 0; i < S * S; ++i) {
        target.values[i] = source.values[i];
    }
}

#if !defined(LINDEN_GPU_HIP)

/// Stages by bulk copies, which move multiples of 16 bytes at multiples of 16 bytes: they start a little early, and one
/// thread adds what is left at the very end of an array. Arrays that are not aligned are copied by all threads.
template <class V, class I, class Shape = StageShape<V, I>>
class Stager {
public:
    __device__ Stager(const Matrix<V, I>& a, int tile_rows)
        : a_(a),
          cursor_(a, tile_rows, shared_place()),
          is_bulk_(is_aligned(a.values) && is_aligned(a.col_idxs) && is_aligned(a.row_ptrs))
    {
        LINDEN_SHARED(barriers, std::uint64_t[num_stages]);
        LINDEN_SHARED(tasks, Task[num_stages]);
        barriers_ = shared_address(barriers);
        tasks_ = tasks;
        if (thread_id() == 0) {
            for (int stage = 0; stage < num_stages; ++stage) {
                barrier_init(barrier(stage));
            }
            fence_bulk_copies();
            cursor_.start();
            for (int stage = 0; stage < num_stages; ++stage) {
                issue(stage);
            }
        }
        block_barrier();
    }

    /// The next stage, which all threads see.
    __device__ Stage<V, I> wait()
    {
        barrier_wait(barrier(stage_), phase_);
        const StageMemory<V, I, Shape> memory(stage_);
        const Task task = tasks_[stage_];
        if (!is_bulk_) {
            copy_by_threads(memory, task);
        }
        return {task.begin, task.end, task.is_last, memory.values, memory.cols, memory.row_ptrs};
    }

    /// All threads have done with the stage.
    __device__ void release()
    {
        block_barrier();
        if (thread_id() == 0) {
            issue(stage_);
        }
        stage_ = stage_ + 1 == num_stages ? 0 : stage_ + 1;
        phase_ ^= stage_ == 0;
    }

private:
    struct Task {
        size_type first_row;
        int num_rows;
        I begin, end;
        bool is_last;
    };

    /// Thread 0's.
    __device__ static StagePlace<I>& shared_place()
    {
        LINDEN_SHARED(place, StagePlace<I>);
        return place;
    }
    __device__ static bool is_aligned(const void* p) { return reinterpret_cast<std::uintptr_t>(p) % 16 == 0; }
    __device__ unsigned barrier(int stage) const
    {
        return barriers_ + static_cast<unsigned>(stage) * static_cast<unsigned>(sizeof(std::uint64_t));
    }

    /// Thread 0 has the stage at the cursor copied.
    __device__ void issue(int stage)
    {
        if (cursor_.is_at_end()) {
            return;
        }
        const Task task{cursor_.first_row(), static_cast<int>(cursor_.num_rows()), cursor_.begin(), cursor_.end(),
                        cursor_.is_last()};
        tasks_[stage] = task;
        unsigned expected = 0;
        if (is_bulk_) {
            const StageMemory<V, I, Shape> memory(stage);
            I end = (task.end + cursor_.granule - 1) / cursor_.granule * cursor_.granule;
            end = end <= a_.num_nonzeros ? end : static_cast<I>(a_.num_nonzeros) / cursor_.granule * cursor_.granule;
            const auto count = static_cast<unsigned>(end > task.begin ? end - task.begin : 0);
            const auto ptrs = static_cast<unsigned>(task.num_rows) / tile_granule * tile_granule;
            for (I k = end; k < task.end; ++k) {
                assign(memory.values[k - task.begin], a_.values[k]);
                memory.cols[k - task.begin] = a_.col_idxs[k];
            }
            for (int i = static_cast<int>(ptrs); i < task.num_rows; ++i) {
                memory.row_ptrs[i] = a_.row_ptrs[task.first_row + i];
            }
            memory.row_ptrs[task.num_rows] = cursor_.tile_end();
            expected = count * static_cast<unsigned>(sizeof(V) + sizeof(I)) + ptrs * static_cast<unsigned>(sizeof(I));
            barrier_arrive(barrier(stage), expected);
            bulk_copy(memory.row_ptrs, a_.row_ptrs + task.first_row, ptrs * sizeof(I), barrier(stage), evict_first_);
            bulk_copy(memory.values, a_.values + task.begin, count * sizeof(V), barrier(stage), evict_first_);
            bulk_copy(memory.cols, a_.col_idxs + task.begin, count * sizeof(I), barrier(stage), evict_first_);
        } else {
            barrier_arrive(barrier(stage), 0);
        }
        cursor_.advance();
    }

    __device__ void copy_by_threads(const StageMemory<V, I, Shape>& memory, const Task& task)
    {
        for (I k = task.begin + thread_id(); k < task.end; k += block_threads()) {
            assign(memory.values[k - task.begin], a_.values[k]);
            memory.cols[k - task.begin] = a_.col_idxs[k];
        }
        for (int i = thread_id(); i <= task.num_rows; i += block_threads()) {
            memory.row_ptrs[i] = a_.row_ptrs[task.first_row + i];
        }
        block_barrier();
    }

    const Matrix<V, I>& a_;
    StageCursor<V, I, Shape, StagePlace<I>&> cursor_;
    bool is_bulk_;
    unsigned barriers_;
    Task* tasks_;
    int stage_ = 0;
    unsigned phase_ = 0;
    // The matrix passes through once per product: it must not drive the vectors out of the L2 cache.
    std::uint64_t evict_first_ = evict_first_policy();
};

#else

/// Stages by all threads.
template <class V, class I, class Shape = StageShape<V, I>>
class Stager {
public:
    __device__ Stager(const Matrix<V, I>& a, int tile_rows) : a_(a), cursor_(a, tile_rows, {}) { cursor_.start(); }

    __device__ Stage<V, I> wait()
    {
        const StageMemory<V, I, Shape> memory(0);
        const I begin = cursor_.begin();
        const I end = cursor_.end();
        copy(memory.values, a_.values + begin, end - begin);
        copy(memory.cols, a_.col_idxs + begin, end - begin);
        block_barrier();
        return {begin, end, cursor_.is_last(), memory.values, memory.cols, a_.row_ptrs + cursor_.first_row()};
    }

    __device__ void release()
    {
        block_barrier();
        cursor_.advance();
    }

private:
    template <class T>
    __device__ static void copy(T* target, const T* source, I count)
    {
        constexpr int unrolled = 8;
        for (I first = thread_id(); first < count; first += unrolled * block_threads()) {
            T loaded[unrolled];
            for (int i = 0; i < unrolled; ++i) {
                const I k = first + i * block_threads();
                loaded[i] = k < count ? load_streaming(source + k) : T{};
            }
            for (int i = 0; i < unrolled; ++i) {
                const I k = first + i * block_threads();
                if (k < count) {
                    target[k] = loaded[i];
                }
            }
        }
    }
    /// Blocks of values go value by value.
    template <class T, int S>
    __device__ static void copy(DenseBlock<T, S>* target, const DenseBlock<T, S>* source, I count)
    {
        copy(target->values, source->values, count * (S * S));
    }

    const Matrix<V, I>& a_;
    StageCursor<V, I, Shape> cursor_;
};

#endif

}  // namespace detail

}  // namespace linden::LINDEN_GPU_NAMESPACE
