#pragma once

#include "cuda/cooperative.cuh"
#include "cuda/sliced_rows.cuh"

/// The rows of a block in a kernel that runs a whole solve on one device.
namespace linden::cuda {

/// `kept_eighths` of the matrix are kept in the L2 cache beside the vectors.
template <class V, class I, int kept_eighths>
class PersistentMatrix : public SlicedRows<V> {
    using Slices = SlicedRows<V>;

public:
    /// `num_vectors` vectors of the block's rows come first in shared memory. `layout`: the workspace behind its
    /// header.
    __device__ PersistentMatrix(const CsrView<V, I>& a, PersistentPartition part, int num_vectors, std::byte* layout)
        : Slices(a.rows, part, num_vectors, layout)
    {
        policy_ = keep_policy(kept_eighths / 8.0f);
        lay_out(a);
    }

private:
    using Slices::begin_, Slices::end_, Slices::values_, Slices::cols_, Slices::policy_, Slices::rows_, Slices::first_,
        Slices::num_slices_;
    using Slices::slice_rows, Slices::num_warps, Slices::warp, Slices::lane;

    __device__ void lay_out(const CsrView<V, I>& a) const
    {
        const auto length_of = [&](int row) {
            return row < rows_ ? a.row_ptrs[first_ + row + 1] - a.row_ptrs[first_ + row] : I{};
        };
        for (int s = warp(); s < num_slices_; s += num_warps) {
            const I longest = Subgroup<32>::reduce(length_of(s * slice_rows + lane()), Max{});
            if (lane() == 0) {
                end_[s] = static_cast<unsigned>(longest);
            }
        }
        block_barrier();
        if (thread_id() == 0) {
            unsigned sum = 0;
            for (int s = 0; s < num_slices_; ++s) {
                begin_[s] = sum;
                sum += end_[s];
                end_[s] = sum;
            }
        }
        block_barrier();
        for (int s = warp(); s < num_slices_; s += num_warps) {
            const int row = s * slice_rows + lane();
            const I length = length_of(row);
            for (unsigned j = begin_[s]; j < end_[s]; ++j) {
                const I k = static_cast<I>(j - begin_[s]);
                const bool exists = k < length;
                const I from = exists ? a.row_ptrs[first_ + row] + k : I{};
                values_[j * slice_rows + lane()] = exists ? a.values[from] : V{};
                // What fills a slice up multiplies 0 with a value that the block uses anyway.
                cols_[j * slice_rows + lane()] = static_cast<unsigned>(exists ? static_cast<size_type>(a.col_idxs[from])
                                                                              : first_ + (row < rows_ ? row : 0));
            }
        }
        block_barrier();
    }
};

/// Launches a kernel of one block per `partition.max_rows` rows, all on the device at the same time.
template <class V, class... P>
void launch_persistent(const Executor& exec, void (*kernel)(P...), size_type num_rows, PersistentPartition partition,
                       int num_vectors, std::type_identity_t<P>... arguments)
{
    launch_cooperative(exec, kernel, (num_rows + partition.max_rows - 1) / partition.max_rows, persistent_threads,
                       persistent_block_bytes<V>(partition.max_rows, num_vectors), arguments...);
}

}  // namespace linden::cuda
