#pragma once

#include "cuda/sliced_rows.cuh"

/// The rows of a block in a kernel that runs a whole solve beside those of other ranks, and their products.
namespace linden::cuda {

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

/// The rows of a block: each slice has its own columns first, then those of other ranks, the ghosts. `kept_kib` KiB are
/// kept in the L2 cache beside the vectors.
template <class V, class I, int kept_kib>
class SpreadMatrix : public SlicedRows<V> {
    using Slices = SlicedRows<V>;

public:
    /// `num_vectors` vectors of the block's rows come first in shared memory. `layout`: the workspace behind its
    /// header.
    template <class Rows>
    __device__ SpreadMatrix(const Rows& rows, PersistentPartition part, int num_vectors, std::byte* layout)
        : Slices(rows.size(), part, num_vectors, layout),
          ghosts_end_(end_ + part.max_rows / slice_rows)
    {
        lay_out(rows);
    }

    /// Behind `multiply`, which leaves ghosts out: calls add(i, A(i, g) ghost(g)) for the block's rows i and their
    /// ghosts g, in the thread that has consumed row i. `load(g, words)` begins to load what `value(g, words)` then
    /// gives.
    template <class Ghosts, class Add>
    __device__ void multiply_ghosts(const Ghosts& ghosts, Add add) const
    {
        if (!has_ghosts_) {
            return;
        }
        Place next{warp(), 0};
        next.entry = next.slice < num_slices_ ? end_[next.slice] : 0;
        skip_ends(next);
        while (next.slice < num_slices_) {
            int rows[ghosts_batch];
            V factors[ghosts_batch];
            unsigned cols[ghosts_batch];
            typename Ghosts::Words words[ghosts_batch];
#pragma unroll
            for (int i = 0; i < ghosts_batch; ++i) {
                cols[i] = no_column;
                if (next.slice < num_slices_) {
                    const auto at = next.entry * slice_rows + lane();
                    cols[i] = load_matrix(cols_ + at, policy_);
                    factors[i] = load_matrix(values_ + at, policy_);
                    rows[i] = next.slice * slice_rows + lane();
                    ++next.entry;
                    skip_ends(next);
                }
            }
#pragma unroll
            for (int i = 0; i < ghosts_batch; ++i) {
                if (cols[i] != no_column) {
                    ghosts.load(cols[i], words[i]);
                }
            }
#pragma unroll
            for (int i = 0; i < ghosts_batch; ++i) {
                if (cols[i] != no_column) {
                    add(rows[i], factors[i] * ghosts.value(cols[i], words[i]));
                }
            }
        }
    }

private:
    using Slices::begin_, Slices::end_, Slices::values_, Slices::cols_, Slices::policy_, Slices::rows_, Slices::first_,
        Slices::num_slices_;
    using Slices::slice_rows, Slices::num_warps, Slices::warp, Slices::lane, Slices::batch;

    static constexpr unsigned no_column = ~0u;
    /// Ghosts that are on their way at a time: their words take twice the registers of values.
    static constexpr int ghosts_batch = batch / 2;

    /// The next entry of a slice.
    struct Place {
        int slice;
        unsigned entry;
    };
    /// From the end of a slice to the first entry of the warp's next one that has ghosts.
    __device__ void skip_ends(Place& place) const
    {
        while (place.slice < num_slices_ && place.entry == ghosts_end_[place.slice]) {
            place.slice += num_warps;
            place.entry = place.slice < num_slices_ ? end_[place.slice] : 0;
        }
    }

    /// Where the own columns of a row are among its entries; lower ghosts are before them, higher ones behind.
    struct OwnEntries {
        I begin{}, end{};
    };
    __device__ static OwnEntries own_part(const RowEntries<V, I>& row)
    {
        OwnEntries own{0, row.length};
        while (own.begin < own.end && row.cols[own.begin] < 0) {
            ++own.begin;
        }
        while (own.begin < own.end && row.cols[own.end - 1] < 0) {
            --own.end;
        }
        return own;
    }

    /// The row of this lane; empty behind the last.
    template <class Rows>
    __device__ RowEntries<V, I> entries(const Rows& rows, int row) const
    {
        return row < rows_ ? rows[first_ + row] : RowEntries<V, I>{};
    }

    template <class Rows>
    __device__ void lay_out(const Rows& rows)
    {
        for (int s = warp(); s < num_slices_; s += num_warps) {
            const auto row = entries(rows, s * slice_rows + lane());
            const auto own = own_part(row);
            const auto count = static_cast<unsigned>(own.end - own.begin);
            const unsigned width = Subgroup<32>::reduce(count, Max{});
            const unsigned ghosts_width = Subgroup<32>::reduce(static_cast<unsigned>(row.length) - count, Max{});
            if (lane() == 0) {
                end_[s] = width;
                ghosts_end_[s] = ghosts_width;
            }
        }
        block_barrier();
        place_slices();
        for (int s = warp(); s < num_slices_; s += num_warps) {
            lay_out_row(entries(rows, s * slice_rows + lane()), s);
        }
        block_barrier();
    }

    /// From the widths of slices to where they are. Contains barriers of the block.
    __device__ void place_slices()
    {
        LINDEN_SHARED(num_ghosts, unsigned);
        LINDEN_SHARED(num_columns, unsigned);
        if (thread_id() == 0) {
            unsigned sum = 0, ghosts = 0;
            for (int s = 0; s < num_slices_; ++s) {
                begin_[s] = sum;
                ghosts += ghosts_end_[s];
                sum += end_[s];
                end_[s] = sum;
                sum += ghosts_end_[s];
                ghosts_end_[s] = sum;
            }
            num_ghosts = ghosts;
            num_columns = sum;
        }
        block_barrier();
        has_ghosts_ = num_ghosts > 0;
        const float bytes = static_cast<float>(num_columns) * slice_rows * (sizeof(V) + sizeof(unsigned));
        policy_ = keep_policy(bytes > kept_kib * 1024.0f ? kept_kib * 1024.0f / bytes : 1);
    }

    /// This lane's row of a slice.
    __device__ void lay_out_row(const RowEntries<V, I>& row, int slice) const
    {
        const int i = slice * slice_rows + lane();
        const auto own = own_part(row);
        const auto store = [&](unsigned at, bool exists, I k, unsigned col) {
            values_[at * slice_rows + lane()] = exists ? row.values[k] : V{};
            cols_[at * slice_rows + lane()] = col;
        };
        // What fills a slice up multiplies 0 with a value that the block uses anyway.
        const auto filling = static_cast<unsigned>(first_ + (i < rows_ ? i : 0));
        for (unsigned j = begin_[slice]; j < end_[slice]; ++j) {
            const I k = own.begin + static_cast<I>(j - begin_[slice]);
            const bool exists = k < own.end;
            store(j, exists, k, exists ? static_cast<unsigned>(row.cols[k]) : filling);
        }
        for (unsigned j = end_[slice]; j < ghosts_end_[slice]; ++j) {
            const I count = static_cast<I>(j - end_[slice]);
            const I k = count < own.begin ? count : count + own.end - own.begin;
            const bool exists = k < row.length;
            store(j, exists, k, exists ? static_cast<unsigned>(-1 - row.cols[k]) : no_column);
        }
    }

    bool has_ghosts_ = false;
    unsigned* ghosts_end_;  // of each slice, as end_: its ghosts are from end_ to here
};

}  // namespace linden::cuda
