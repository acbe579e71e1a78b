#pragma once

#include <linden/array.hpp>
#include <linden/views.hpp>

#include <algorithm>

#include "core/base/math.hpp"

namespace linden::detail {

/// Where the entries of a symmetric pattern have their partners across the diagonal: tells whether new values are
/// Hermitian.
template <class I>
class EntriesAcross {
public:
    /// Of so many entries; 0: values are not asked about.
    EntriesAcross(const Executor& exec, size_type num_entries) : places_(exec, num_entries) {}

    /// a: the pattern, rows sorted, in host memory. room: an index for each row. Allocates nothing.
    void find(PatternView<I> a, I* room)
    {
        std::copy_n(a.row_ptrs, a.rows, room);  // of each row: its entry that has not been met yet
        for (size_type k = 0; k < places_.size(); ++k) {
            places_.data()[k] = room[a.col_idxs[k]]++;
        }
    }

    /// False where nothing is known.
    template <class V>
    bool are_hermitian(const V* values) const
    {
        const I* const places = places_.data();
        const size_type count = places_.size();
        size_type k = 0;
        while (k < count && values[k] == conj(values[places[k]])) {
            ++k;
        }
        return k > 0 && k == count;
    }

private:
    Array<I> places_;
};

}  // namespace linden::detail
