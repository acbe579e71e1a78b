#pragma once

#include "gpu/spgemm/spgemm_merge.cuh"
#include "gpu/spgemm/spgemm_values.cuh"

/// The pattern of C = A B. Columns are found once: they are kept, and copied to their places when these are known,
/// where the room for it suffices. Rows go three ways:
///
/// - short ones, of few entries in A and few products: a thread merges the rows of B. Columns come out sorted and
///   counted without tables; they are not kept, as to merge again costs less than to copy.
/// - medium ones: where several products fall on each column, a few lanes merge the rows of B in shared memory; else a
///   warp puts columns into a hash table there, and sorts them. Those of many products are tried, too, and become long
///   ones where the table has no room.
/// - long ones: a block sets bits in a bitmap of columns, a window of C's row at a time, and reads them off in order.
namespace linden::LINDEN_GPU_NAMESPACE::spgemm {

#if defined(LINDEN_HIP_PLATFORM_HOST)  // small, so that modest matrices have rows of each kind
inline constexpr int short_threads = 64;
inline constexpr int medium_threads = 64;
inline constexpr int long_threads = 128;
inline constexpr int medium_products = 192;
inline constexpr int window_words = 64;
inline constexpr int kept_run = 32;
#else
inline constexpr int short_threads = 256;
inline constexpr int medium_threads = 128;
inline constexpr int long_threads = 512;
inline constexpr int medium_products = 768;
inline constexpr int window_words = 8192;
/// A warp reserves room for kept columns in runs of so many, or for its row if that is longer.
inline constexpr int kept_run = 512;
#endif
/// A short row has at most short_row_entries entries in A, and so many products.
inline constexpr int short_products = 64;
/// Slots of the hash table of a medium row, a power of two.
inline constexpr int medium_slots = medium_products / 3 * 4;
static_assert((medium_slots & (medium_slots - 1)) == 0);
/// So many products of a row are tried in a table.
inline constexpr int tried_products = 4 * medium_products;
/// Longer rows of A are not looked through for their products.
inline constexpr int max_counted_entries = tried_products;

/// Columns of rows that wait for their places in C.
template <class I>
struct KeptColumns {
    I* places;  ///< of each row, -1 where its columns are not kept
    I* columns;
    I* used;
    I room;

    /// The place of n columns, -1 if there is no room; who has been told so does not ask again. Called by one thread.
    __device__ I reserve(int n) const
    {
        const I place = atomic_add(used, static_cast<I>(n));
        return place <= room - n ? place : I{-1};
    }
};

/// Room for kept columns that a warp has reserved.
template <class I>
class KeptRun {
public:
    __device__ explicit KeptRun(const KeptColumns<I>& kept) : kept_(kept) {}

    /// The place of n columns, -1 for none. Called by all lanes of a warp.
    __device__ I take(int n)
    {
        if (left_ < n && has_more_) {
            left_ = n > kept_run ? n : kept_run;
            next_ = Warp::shuffle(Warp::lane() == 0 ? kept_.reserve(left_) : I{0}, 0);
            has_more_ = next_ >= 0;
            left_ = has_more_ ? left_ : 0;
        }
        if (left_ < n) {
            return -1;
        }
        left_ -= n;
        next_ += static_cast<I>(n);
        return next_ - static_cast<I>(n);
    }

private:
    const KeptColumns<I>& kept_;
    I next_ = 0;
    int left_ = 0;
    bool has_more_ = true;
};

/// What becomes of C's rows: their lengths, or their columns at row_ptrs.
template <class I>
struct PatternTarget {
    I* counts;
    const I* row_ptrs;
    I* col_idxs;
    KeptColumns<I> kept;
};

enum { medium_list, long_list, table_list };  // medium rows that are not merged go to tables

template <class I>
struct SymbolicLists : Lists<I> {
    size_type rows, num_kept;

    SymbolicLists(WorkspaceView workspace, PatternView<I> a) : Lists<I>(workspace), rows(a.rows), num_kept(most_kept(a))
    {
    }
    static size_type bytes(PatternView<I> a)
    {
        return Lists<I>::header_bytes + (4 * a.rows + most_kept(a)) * static_cast<size_type>(sizeof(I));
    }
    __host__ __device__ I* first(int list) const { return this->room + list * rows; }
    __host__ __device__ RowList<I> operator[](int list) const { return {first(list), 1, this->counters + list}; }
    /// No fewer entries than A B has.
    static size_type most_entries(PatternView<I> a, PatternView<I> b)
    {
        constexpr size_type most = std::numeric_limits<I>::max();
        return a.rows == 0 || b.cols <= most / a.rows ? a.rows * b.cols : most;
    }
    /// Where values are wanted, too: counters behind its own, and the room of kept columns when these are in their
    /// places.
    ValueLists<I> of_values(WorkspaceView workspace) const
    {
        I* const begin = this->room + 3 * rows;
        const auto* const end = reinterpret_cast<const I*>(workspace.data + workspace.bytes);
        return ValueLists<I>(this->counters + 4, begin, rows, end - begin);
    }
    /// What the workspace has for it.  b: A's right-hand factor.
    static size_type bytes_with_values(PatternView<I> a, PatternView<I> b)
    {
        const size_type words = std::max(a.rows + most_kept(a), ValueLists<I>::room_words(a.rows, most_entries(a, b)));
        return Lists<I>::header_bytes + (3 * a.rows + words) * static_cast<size_type>(sizeof(I));
    }
    KeptColumns<I> kept() const
    {
        return {this->room + 3 * rows, this->room + 4 * rows, this->counters + 3, static_cast<I>(num_kept)};
    }

private:
    /// C has often about as many entries as A: products of multigrid have.
    static size_type most_kept(PatternView<I> a)
    {
        constexpr size_type most_runs = size_type{1} << 14, most = size_type{1} << 30;
        return std::min(most, a.num_nonzeros + a.num_nonzeros / 2 + std::min(a.rows, most_runs) * kept_run);
    }
};

/// The list of a row that is not short.
__device__ inline int list_for(size_type products) { return products <= tried_products ? medium_list : long_list; }

/// Products of a row of A, or more than `tried_products` if there are so many.
template <class I>
__device__ inline size_type products_of_row(PatternView<I> a, PatternView<I> b, I begin, I length)
{
    constexpr int in_flight = 8;
    if (length > max_counted_entries) {
        return tried_products + 1;
    }
    size_type products = 0;
    for (I done = 0; done < length && products <= tried_products; done += in_flight) {
        LINDEN_UNROLL
        for (int i = 0; i < in_flight; ++i) {
            if (i < length - done) {
                const I k = a.col_idxs[begin + done + i];
                products += b.row_ptrs[k + 1] - b.row_ptrs[k];
            }
        }
    }
    return products;
}

}  // namespace linden::LINDEN_GPU_NAMESPACE::spgemm
