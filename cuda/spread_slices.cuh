#pragma once

#include "cuda/persistent_matrix.cuh"

/// How a block of a kernel that runs a whole solve beside those of other ranks lays out its rows of the matrix.
///
/// Slices of 32 rows are stored column by column (sliced ELLPACK): then products read whole cache lines without
/// staging. A part of the matrix stays in the L2 cache from iteration to iteration.
namespace linden::cuda {

/// This part of the lines, above 0, stays in the L2 cache as long as it can, the others leave it first.
__device__ inline std::uint64_t keep_policy(float part)
{
    std::uint64_t policy;
    asm volatile("createpolicy.fractional.L2::evict_last.L2::evict_first.b64 %0, %1;" : "=l"(policy) : "f"(part));
    return policy;
}

/// The entries of a row. Columns are ascending; one below 0 is the ghost -1 - c.
template <class V, class I>
struct RowEntries {
    const I* cols = nullptr;
    const V* values = nullptr;
    I length{};
};

/// Rows of a matrix.
template <class V, class I>
struct WholeRows {
    CsrView<V, I> a;

    __device__ size_type size() const { return a.rows; }
    __device__ RowEntries<V, I> operator[](size_type row) const
    {
        const I begin = a.row_ptrs[row];
        return {a.col_idxs + begin, a.values + begin, a.row_ptrs[row + 1] - begin};
    }
};
template <class V, class I>
WholeRows(CsrView<V, I>) -> WholeRows<V, I>;

/// The slices of a block. `kept_kib` KiB of them are kept in the L2 cache beside the vectors. Columns of other ranks
/// are numbered behind the own ones, and slices that have such come last.
template <class V, class I, int kept_kib>
class SpreadSlices {
public:
    __device__ size_type first_row() const { return first_; }
    __device__ int num_rows() const { return rows_; }
    /// The block's rows of vector i, in shared memory.
    __device__ V* vector(int i) const { return dynamic_shared<V>() + static_cast<size_type>(i) * max_rows_; }

protected:
    static constexpr int slice_rows = static_cast<int>(persistent_slice);
    static constexpr int num_warps = persistent_threads / 32;
    static_assert(slice_rows == 32);
    __device__ static int warp() { return thread_id() / 32; }
    __device__ static int lane() { return thread_id() % 32; }

    /// `num_vectors` vectors of the block's rows come first in shared memory. `layout`: the workspace behind its
    /// header.
    template <class Rows>
    __device__ SpreadSlices(const Rows& rows, PersistentPartition part, int num_vectors, std::byte* layout)
        : max_rows_(static_cast<int>(part.max_rows)),
          first_(block_id() * part.max_rows)
    {
        const size_type rest = rows.size() - first_;
        rows_ = static_cast<int>(rest <= 0 ? 0 : rest < max_rows_ ? rest : max_rows_);
        num_slices_ = (rows_ + slice_rows - 1) / slice_rows;
        begin_ = reinterpret_cast<unsigned*>(vector(num_vectors));
        end_ = begin_ + max_rows_ / slice_rows;
        order_ = end_ + max_rows_ / slice_rows;
        const auto values = reinterpret_cast<V*>(layout);
        values_ = values + block_id() * part.max_nonzeros;
        cols_ = reinterpret_cast<unsigned*>(values + num_blocks() * part.max_nonzeros) + block_id() * part.max_nonzeros;
        lay_out(rows);
    }

    int max_rows_, rows_, num_slices_, num_inner_slices_;
    size_type first_;
    unsigned *begin_, *end_;  // of each slice, in shared memory, in units of 32 nonzeros
    unsigned* order_;         // the slices, those without ghosts first
    V* values_;               // in global memory
    unsigned* cols_;
    std::uint64_t policy_ = 0;

private:
    /// The row of this lane; empty behind the last.
    template <class Rows>
    __device__ auto entries(const Rows& rows, int row) const
    {
        return row < rows_ ? rows[first_ + row] : decltype(rows[0]){};
    }

    /// The longest row of each slice to end_; to begin_ whether it is at the rim.
    template <class Rows>
    __device__ void look_at_slices(const Rows& rows)
    {
        for (int s = warp(); s < num_slices_; s += num_warps) {
            const auto own = entries(rows, s * slice_rows + lane());
            const auto longest = static_cast<unsigned>(Subgroup<32>::reduce(own.length, Max{}));
            const bool at_rim = Subgroup<32>::any(own.length > 0 && (own.cols[0] < 0 || own.cols[own.length - 1] < 0));
            if (lane() == 0) {
                begin_[s] = at_rim ? 1 : 0;
                end_[s] = longest;
            }
        }
        block_barrier();
    }

    template <class Rows>
    __device__ void lay_out(const Rows& rows)
    {
        LINDEN_SHARED(num_inner, int);
        LINDEN_SHARED(kept_part, float);
        look_at_slices(rows);
        if (thread_id() == 0) {
            unsigned sum = 0;
            int inner = 0, rim = num_slices_;
            for (int s = 0; s < num_slices_; ++s) {
                order_[begin_[s] != 0 ? --rim : inner++] = static_cast<unsigned>(s);
                begin_[s] = sum;
                sum += end_[s];
                end_[s] = sum;
            }
            num_inner = inner;
            const float bytes = static_cast<float>(sum) * slice_rows * (sizeof(V) + sizeof(unsigned));
            kept_part = bytes > kept_kib * 1024.0f ? kept_kib * 1024.0f / bytes : 1;
        }
        block_barrier();
        num_inner_slices_ = num_inner;
        policy_ = keep_policy(kept_part);
        for (int s = warp(); s < num_slices_; s += num_warps) {
            lay_out_rows(rows, s);
        }
        block_barrier();
    }

    template <class Rows>
    __device__ void lay_out_rows(const Rows& rows, int slice) const
    {
        const int row = slice * slice_rows + lane();
        const auto own = entries(rows, row);
        for (unsigned j = begin_[slice]; j < end_[slice]; ++j) {
            const I k = static_cast<I>(j - begin_[slice]);
            const bool exists = k < own.length;
            values_[j * slice_rows + lane()] = exists ? own.values[k] : V{};
            // What fills a slice up multiplies 0 with a value that the block uses anyway.
            const auto col = exists ? static_cast<size_type>(own.cols[k]) : first_ + (row < rows_ ? row : 0);
            cols_[j * slice_rows + lane()] = static_cast<unsigned>(col >= 0 ? col : rows.size() - 1 - col);
        }
    }
};

}  // namespace linden::cuda
