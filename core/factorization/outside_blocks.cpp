#include "core/factorization/outside_blocks.hpp"

#include <algorithm>

#include "core/base/math.hpp"

// instantiate: CsrData<V, I> detail::joined_factors<V, I>(const CsrData<V, I>&, CsrView<V, I>)

namespace linden::detail {

template <class V, class I>
CsrData<V, I> joined_factors(const CsrData<V, I>& lu, CsrView<V, I> outside)
{
    CsrData<V, I> whole{lu.size, {0}, {}, {}};
    const auto n = static_cast<std::size_t>(lu.size.rows);
    std::vector<V> x(n, V{});
    std::vector<I> seen(n, -1), columns, right(n);  // right: where each row of `whole` leaves its block
    const auto add = [&](I i, I column, V value) {
        if (seen[column] != i) {
            seen[column] = i;
            columns.push_back(column);
        }
        x[column] += value;
    };
    for (I i = 0; i < static_cast<I>(n); ++i) {
        columns.clear();
        for (I k = outside.row_ptrs[i]; k < outside.row_ptrs[i + 1]; ++k) {
            add(i, outside.col_idxs[k], outside.values[k]);
        }
        for (I k = lu.row_ptrs[i]; k < lu.row_ptrs[i + 1]; ++k) {
            const I pivot = lu.col_idxs[k];
            whole.col_idxs.push_back(pivot);
            whole.values.push_back(lu.values[k]);
            for (I e = pivot < i ? right[pivot] : I{0}, end = pivot < i ? whole.row_ptrs[pivot + 1] : I{0}; e < end;
                 ++e) {
                add(i, whole.col_idxs[e], -multiply(lu.values[k], whole.values[e]));
            }
        }
        right[i] = static_cast<I>(whole.col_idxs.size());
        std::sort(columns.begin(), columns.end());
        for (const I column : columns) {
            whole.col_idxs.push_back(column);
            whole.values.push_back(x[column]);
            x[column] = V{};
        }
        whole.row_ptrs.push_back(static_cast<I>(whole.col_idxs.size()));
    }
    return whole;
}

}  // namespace linden::detail
