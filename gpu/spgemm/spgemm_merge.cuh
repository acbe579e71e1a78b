#pragma once

#include "gpu/spgemm/spgemm_rows.cuh"

/// Rows of C that a thread makes by itself: it merges the rows of B that a short row of A leads to, one column of C
/// after the other, in order. [GremseHoefterSchwenKiesslingNaumann15]
namespace linden::LINDEN_GPU_NAMESPACE::spgemm {

/// The most entries of such a row of A.
inline constexpr int short_row_entries = 8;

/// How far the rows of B are merged, in registers.
template <class I>
class Merge {
public:
    /// For the `entries` <= short_row_entries entries of A from a_begin on.
    __device__ Merge(PatternView<I> a, PatternView<I> b, I a_begin, int entries)
    {
        LINDEN_UNROLL
        for (int e = 0; e < short_row_entries; ++e) {
            at_[e] = 0;
            end_[e] = 0;
            if (e < entries) {
                const I k = a.col_idxs[a_begin + e];
                at_[e] = b.row_ptrs[k];
                end_[e] = b.row_ptrs[k + 1];
            }
        }
    }

    __device__ size_type num_products() const
    {
        size_type result = 0;
        LINDEN_UNROLL
        for (int e = 0; e < short_row_entries; ++e) {
            result += end_[e] - at_[e];
        }
        return result;
    }

    /// Calls come(e, j) for the next entries j of B, of entries number e of A.
    template <class Come>
    __device__ void start(PatternView<I> b, Come come)
    {
        LINDEN_UNROLL
        for (int e = 0; e < short_row_entries; ++e) {
            read(b, e, come);
        }
    }

    /// The next column of C, no_column behind the last.
    __device__ I least() const
    {
        I result = next_[0];
        LINDEN_UNROLL
        for (int e = 1; e < short_row_entries; ++e) {
            result = next_[e] < result ? next_[e] : result;
        }
        return result;
    }

    /// Goes past column `col` = least() of C. Calls use(e) for its products, of entries number e of A with those of B
    /// that came last, in the order of e, and come(e, j) for those that are next.
    template <class Use, class Come>
    __device__ void take(PatternView<I> b, I col, Use use, Come come)
    {
        LINDEN_UNROLL
        for (int e = 0; e < short_row_entries; ++e) {
            if (next_[e] == col) {
                use(e);
                ++at_[e];
                read(b, e, come);
            }
        }
    }

    /// Merges columns alone, from the start to the end: calls use(col) for each, and returns how many there are.
    template <class Use>
    __device__ int run(PatternView<I> b, Use use)
    {
        const auto ignore = [](int, I) {};
        int count = 0;
        start(b, ignore);
        for (I col = least(); col != no_column<I>; col = least()) {
            take(
                b, col, [](int) {}, ignore);
            use(col);
            ++count;
        }
        return count;
    }

private:
    template <class Come>
    __device__ void read(PatternView<I> b, int e, Come come)
    {
        next_[e] = no_column<I>;
        if (at_[e] < end_[e]) {
            next_[e] = b.col_idxs[at_[e]];
            come(e, at_[e]);
        }
    }

    I at_[short_row_entries], end_[short_row_entries], next_[short_row_entries];
};

/// Places for what the threads of a warp write of 32 successive rows of C, each its own: in shared memory, which goes
/// to its place as a whole, where these rows are all written, and few. Members are called by all lanes of a warp.
template <class T, class I, int BlockThreads>
class StagedRows {
public:
    __device__ StagedRows()
    {
        LINDEN_SHARED(room, T[BlockThreads * usual_entries]);
        room_ = room + thread_id() / 32 * (32 * usual_entries);
    }

    /// Where this thread writes row `row`, if it is written.
    __device__ T* start(size_type num_rows, size_type row, const I* row_ptrs, bool is_written, T* values)
    {
        const I begin = row_ptrs[row < num_rows ? row : num_rows];
        const I end = row_ptrs[row < num_rows ? row + 1 : num_rows];
        first_ = Warp::shuffle(begin, 0);
        const I all = Warp::shuffle(end, 31) - first_;
        const bool is_staged = Warp::all(is_written || begin == end) && all <= 32 * usual_entries;
        count_ = is_staged ? static_cast<int>(all) : 0;
        return is_staged ? room_ + (begin - first_) : values + begin;
    }
    __device__ void finish(T* values)
    {
        Warp::sync();
        for (int i = Warp::lane(); i < count_; i += 32) {
            values[first_ + i] = room_[i];
        }
        Warp::sync();
    }

private:
    static constexpr int usual_entries = 16;

    T* room_;
    I first_ = 0;
    int count_ = 0;
};

}  // namespace linden::LINDEN_GPU_NAMESPACE::spgemm
