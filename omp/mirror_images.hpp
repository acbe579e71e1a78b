#pragma once

#include <linden/views.hpp>

#include <algorithm>
#include <vector>

namespace linden::omp {

/// Finds mirror images of the entries of rows, which are visited in their order.
template <class I>
class MirrorImages {
public:
    /// next_of_rows: for each row of A its first entry that no row visited so far has asked for, in the beginning the
    /// first of all; null: each search begins anew.
    MirrorImages(PatternView<I> a, I* next_of_rows) : a_(a), next_(next_of_rows) {}

    /// The place of entry (col, row) if there is one, else -1.
    I find(I row, I col) const
    {
        if (col < 0 || col >= a_.rows) {
            return -1;
        }
        const I begin = a_.row_ptrs[col], end = a_.row_ptrs[col + 1];
        I at = next_ == nullptr ? begin : next_[col];
        if (at == begin && at < end && a_.col_idxs[at] < row) {  // rows before those of this part
            at = static_cast<I>(std::lower_bound(a_.col_idxs + begin, a_.col_idxs + end, row) - a_.col_idxs);
        }
        while (at < end && a_.col_idxs[at] < row) {
            ++at;
        }
        if (next_ != nullptr) {
            next_[col] = at;
        }
        return at < end && a_.col_idxs[at] == row ? at : I{-1};
    }

private:
    PatternView<I> a_;
    I* next_;
};

/// The same for rows in parts. Each part notes where the search in a row of A ended, since the next one goes on from
/// there, unless that would take more memory than the columns of A.
template <class I>
class MirrorSearch {
public:
    /// a: sorted rows, square; else no parts, and nothing is asked for.
    MirrorSearch(PatternView<I> a, int parts)
        : a_(a),
          next_(static_cast<std::size_t>(parts * a.rows <= a.num_nonzeros ? parts * a.rows : 0))
    {
    }

    MirrorImages<I> of_part(int part)
    {
        if (next_.empty()) {
            return {a_, nullptr};
        }
        I* const next = next_.data() + part * a_.rows;
        std::copy_n(a_.row_ptrs, a_.rows, next);
        return {a_, next};
    }

private:
    PatternView<I> a_;
    std::vector<I> next_;
};

}  // namespace linden::omp
