#pragma once

#include <linden/matrix/validate.hpp>
#include <linden/views.hpp>

#include "core/base/host_device.hpp"
#include "core/base/kernel.hpp"
#include "core/base/type_lists.hpp"

/// Checks of what users bring.
namespace linden {

/// Counts and first rows of what a matrix has, by `Finding`.
struct CsrFindings {
    static constexpr size_type no_row = INT64_MAX;

    size_type count[num_findings];
    size_type first_row[num_findings];  ///< no_row if there is none
};

/// What one row of A has: calls add(finding, how often). Reads nothing outside of A's arrays, whatever they hold: the
/// entries of a row with bad pointers are left out. Shared by the backends; `is_finite(value)` is theirs.
template <class V, class I, class IsFinite, class Add>
LINDEN_HOST_DEVICE void find_in_row(CsrView<V, I> a, size_type row, const IsFinite& is_finite, const Add& add)
{
    const I begin = a.row_ptrs[row];
    const I end = a.row_ptrs[row + 1];
    const bool is_range = 0 <= begin && begin <= end && end <= a.num_nonzeros;
    const bool covers = (row > 0 || begin == 0) && (row + 1 < a.rows || end == a.num_nonzeros);
    add(Finding::row_pointers, !is_range || !covers);
    if (!is_range) {
        return;
    }
    size_type out_of_bounds = 0, unsorted = 0, duplicate = 0, not_finite = 0;
    bool has_diagonal = false, has_zero = false;
    for (I k = begin; k < end; ++k) {
        const I col = a.col_idxs[k];
        out_of_bounds += col < 0 || col >= a.cols;
        unsorted += k > begin && col < a.col_idxs[k - 1];
        duplicate += k > begin && col == a.col_idxs[k - 1];
        not_finite += !is_finite(a.values[k]);
        has_diagonal |= col == row;
        has_zero |= col == row && a.values[k] == V{};
    }
    add(Finding::out_of_bounds, out_of_bounds);
    add(Finding::unsorted, unsorted);
    add(Finding::duplicate, duplicate);
    add(Finding::not_finite, not_finite);
    add(Finding::missing_diagonal, row < a.cols && !has_diagonal);
    add(Finding::zero_diagonal, has_zero);
}

/// *findings := what the rows of A have, see `find_in_row`. A has m + 1 row pointers and num_nonzeros columns and
/// values; nothing else is sure. Deterministic. Reads A once.
template <class V, class I>
inline constinit kernel<void(CsrView<V, I> a, CsrFindings* findings)> csr_validate{"csr::validate", types_of<V, I>};

}  // namespace linden
