#pragma once

#include "cuda/cooperative.cuh"
#include "cuda/spread_slices.cuh"

/// The rows of a block in a kernel that runs a whole solve beside those of other ranks, and their products.
namespace linden::cuda {

/// The vector of a product in memory. Others, too, begin to load a value by `load` and have it from `value`.
template <class V>
struct Gather {
    const V* b;
    /// Nonzeros of a row that are on their way at a time; complex ones take twice the registers.
    static constexpr int batch = sizeof(V) > sizeof(device_real<V>) ? 4 : 8;

    __device__ V load(unsigned col) const { return b[col]; }
    __device__ V value(unsigned, V loaded) const { return loaded; }
};
template <class V>
Gather(const V*) -> Gather<V>;

/// The rows of a block, by slices.
template <class V, class I, int kept_kib>
class SpreadMatrix : public SpreadSlices<V, I, kept_kib> {
    using Slices = SpreadSlices<V, I, kept_kib>;

public:
    /// `num_vectors` vectors of the block's rows come first in shared memory. `layout`: the workspace behind its
    /// header.
    template <class Rows>
    __device__ SpreadMatrix(const Rows& rows, PersistentPartition part, int num_vectors, std::byte* layout)
        : Slices(rows, part, num_vectors, layout)
    {
    }

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

    /// Calls consume(i, (A b)(i), prefetch(i)) for the block's rows i, where `prefetch` loads what `consume` will want
    /// early. Columns are loaded one batch ahead, so that values and b, a Gather, come together.
    template <class B, class Prefetch, class Consume>
    __device__ void multiply(const B& b, Prefetch prefetch, Consume consume) const
    {
        multiply_slices(0, num_inner_slices_, b, prefetch, consume);
    }
    /// Then the rows that need ghosts, of which b has values, too.
    template <class B, class Prefetch, class Consume>
    __device__ void multiply_rim(const B& b, Prefetch prefetch, Consume consume) const
    {
        multiply_slices(num_inner_slices_, num_slices_, b, prefetch, consume);
    }

private:
    using Slices::begin_, Slices::end_, Slices::order_, Slices::values_, Slices::cols_, Slices::policy_, Slices::rows_,
        Slices::num_slices_, Slices::num_inner_slices_;
    using Slices::slice_rows, Slices::num_warps, Slices::warp, Slices::lane;

    /// The slice at place `k` of the order in which they are multiplied.
    __device__ int slice_at(int k) const { return k < num_slices_ ? static_cast<int>(order_[k]) : num_slices_; }

    /// Begins to load the columns of a slice from `from` on.
    template <int batch>
    __device__ void load_cols(int slice, unsigned from, unsigned (&cols)[batch]) const
    {
#pragma unroll
        for (int i = 0; i < batch; ++i) {
            if (from + i < end_[slice]) {
                cols[i] = load_matrix(cols_ + (from + i) * slice_rows + lane(), policy_);
            }
        }
    }

    /// For the slices at places [first, last).
    template <class B, class Prefetch, class Consume>
    __device__ void multiply_slices(int first, int last, const B& b, Prefetch prefetch, Consume consume) const
    {
        constexpr int batch = B::batch;
        unsigned next_cols[batch];
        int place = first + warp();
        int s = slice_at(place);
        unsigned j = 0;
        if (place < last) {
            j = begin_[s];
            load_cols(s, j, next_cols);
        }
        V sum{};
        while (place < last) {
            const unsigned end = end_[s];
            const int row = s * slice_rows + lane();
            V factors[batch];
            unsigned cols[batch];
            decltype(b.load(0)) gathered[batch];
#pragma unroll
            for (int i = 0; i < batch; ++i) {
                if (j + i < end) {
                    factors[i] = load_matrix(values_ + (j + i) * slice_rows + lane(), policy_);
                    cols[i] = next_cols[i];
                    gathered[i] = b.load(cols[i]);
                }
            }
            const bool row_ends = j + batch >= end;
            const auto early = prefetch(row < rows_ ? row : 0);
            const unsigned here = j;
            place += row_ends ? num_warps : 0;
            s = slice_at(place);
            if (place < last) {
                j = row_ends ? begin_[s] : j + batch;
                load_cols(s, j, next_cols);
            }
#pragma unroll
            for (int i = 0; i < batch; ++i) {
                if (here + i < end) {
                    sum += factors[i] * b.value(cols[i], gathered[i]);
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
};

}  // namespace linden::cuda
