#pragma once

#include <linden/types.hpp>

#include "core/kernels/persistent.hpp"
#include "gpu/vector/elements.cuh"

namespace linden::cuda {

inline constexpr int persistent_threads = 512;

/// The rows of a block in a kernel that runs a whole solve (core/kernels/persistent.hpp), with vectors of them in
/// shared memory.
template <class V>
class BlockRows {
public:
    /// Of `num_rows` rows in all.
    __device__ BlockRows(size_type num_rows, PersistentPartition part)
        : max_rows_(static_cast<int>(part.max_rows)),
          first_(block_id() * part.max_rows)
    {
        rows_ = static_cast<int>(first_ >= num_rows              ? 0
                                 : num_rows - first_ < max_rows_ ? num_rows - first_
                                                                 : max_rows_);
    }

    __device__ size_type first_row() const { return first_; }
    __device__ int num_rows() const { return rows_; }
    /// The block's rows of vector i, in shared memory.
    __device__ V* vector(int i) const { return dynamic_shared<V>() + static_cast<size_type>(i) * max_rows_; }

    /// Calls f(i) for the block's rows i of this thread.
    template <class F>
    __device__ void for_rows(F f) const
    {
        for (int i = thread_id(); i < rows_; i += persistent_threads) {
            f(i);
        }
    }
    /// Calls f(i, load(i)) likewise, with several loads on their way at a time.
    template <class Load, class F>
    __device__ void for_loaded_rows(Load load, F f) const
    {
        constexpr int in_flight = sizeof(decltype(load(0))) > 32 ? 2 : 4;
        for (int base = thread_id(); base < rows_; base += in_flight * persistent_threads) {
            decltype(load(0)) loaded[in_flight];
#pragma unroll
            for (int k = 0; k < in_flight; ++k) {
                const int i = base + k * persistent_threads;
                loaded[k] = load(i < rows_ ? i : base);
            }
#pragma unroll
            for (int k = 0; k < in_flight; ++k) {
                const int i = base + k * persistent_threads;
                if (i < rows_) {
                    f(i, loaded[k]);
                }
            }
        }
    }

protected:
    int max_rows_, rows_;
    size_type first_;
};

}  // namespace linden::cuda
