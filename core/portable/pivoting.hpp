#pragma once

#include <algorithm>
#include <complex>
#include <numeric>

#include "core/base/math.hpp"
#include "core/kernels/pivoting.hpp"
#include "core/portable/body.hpp"

namespace linden {

/// How large a number re + i im is as a pivot: its larger part, exactly; 0 if it cannot be one.
template <class R>
LINDEN_HOST_DEVICE R pivot_size(R re, R im)
{
    if (!is_finite(re) || !is_finite(im)) {
        return R{};
    }
    const R re_size = magnitude(re);
    const R im_size = magnitude(im);
    return re_size < im_size ? im_size : re_size;
}

/// An entry that can be the candidate of its row.
template <class R, class I>
struct CandidateEntry {
    R size{};
    I col = -1;  ///< none
    I col_count = 0;

    LINDEN_HOST_DEVICE bool exists() const { return col >= 0; }
    /// Whether it is to be preferred, in a strict order.
    LINDEN_HOST_DEVICE bool is_before(const CandidateEntry& other) const
    {
        if (!exists() || !other.exists()) {
            return exists();
        }
        if (col_count != other.col_count) {
            return col_count < other.col_count;
        }
        return size != other.size ? size > other.size : col < other.col;
    }
};

/// Whether so many candidates are the fraction of all of them that a level takes, which is never none.
LINDEN_HOST_DEVICE inline bool is_enough(ProductLimit limit, std::uint64_t count, std::uint64_t num_candidates)
{
    const bool has_one = count > 0 || num_candidates == 0;
    return has_one && static_cast<double>(count) >= limit.fraction * static_cast<double>(num_candidates);
}

/// The largest product that a level takes, from the counts of the classes, on hosts.
inline std::uint64_t largest_product(ProductLimit limit, const std::uint64_t* class_counts)
{
    const auto num_candidates = std::accumulate(class_counts, class_counts + num_product_classes, std::uint64_t{0});
    std::uint64_t count = class_counts[0];
    size_type last = 0;
    while (!is_enough(limit, count, num_candidates)) {
        count += class_counts[++last];
    }
    return std::max(largest_of_class(last), limit.lowest);
}

/// The candidate of a row, on hosts.
template <class V, class I>
CandidateEntry<real_t<V>, I> find_candidate(const CsrView<V, I>& a, size_type row, const CandidateRule& rule,
                                            const PivotSearch<I>& search)
{
    using R = real_t<V>;
    const auto size_of = [&](I k) { return pivot_size<R>(std::real(a.values[k]), std::imag(a.values[k])); };
    R largest{};
    for (I k = a.row_ptrs[row]; k < a.row_ptrs[row + 1]; ++k) {
        if (search.uses[a.col_idxs[k]] == ColumnUse::of_pivot) {
            return {};
        }
        largest = std::max(largest, size_of(k));
    }
    const R least = static_cast<R>(rule.delta) * largest;
    CandidateEntry<R, I> best;
    for (I k = a.row_ptrs[row]; k < a.row_ptrs[row + 1]; ++k) {
        const I col = a.col_idxs[k];
        const R size = size_of(k);
        const bool is_allowed = size > 0 && size >= least && (!rule.diagonal_only || col == row);
        if (is_allowed && search.uses[col] == ColumnUse::free) {
            const CandidateEntry<R, I> entry{size, col, search.column_counts[col]};
            best = entry.is_before(best) ? entry : best;
        }
    }
    return best;
}

/// What pivoting_find_candidates does for a row, on hosts.
template <class V, class I>
void enter_candidate(const CsrView<V, I>& a, size_type row, const CandidateRule& rule, const PivotSearch<I>& search)
{
    search.least_touching[row] = search.least_candidate[row] = no_pivot_key;
    if (search.candidates[row] < 0) {
        return;
    }
    const auto found = find_candidate(a, row, rule, search);
    search.candidates[row] = found.col;
    if (found.exists()) {
        search.row_keys[row] = search.keys(row, a.row_ptrs[row + 1] - a.row_ptrs[row], found.col_count);
    }
}

/// Whether the candidate of a row has the least key of those that it excludes, on hosts.
template <class I>
bool is_least_of_excluded(const PatternView<I>& a, size_type row, const PivotSearch<I>& search)
{
    const PivotKey key = search.row_keys[row];
    return search.least_touching[search.candidates[row]] >= key &&
           std::none_of(a.col_idxs + a.row_ptrs[row], a.col_idxs + a.row_ptrs[row + 1],
                        [&](I col) { return search.least_candidate[col] < key; });
}

template <class I>
struct StartPivotSearch {
    size_type n;
    PivotSearch<I> search;
    I* columns;

    LINDEN_HOST_DEVICE size_type size() const { return n < num_product_classes ? num_product_classes : n; }
    LINDEN_HOST_DEVICE void operator()(size_type i) const
    {
        if (i < n) {
            columns[i] = -1;
            search.candidates[i] = 0;
            search.uses[i] = ColumnUse::free;
        }
        if (i < num_product_classes) {
            search.class_counts[i] = 0;
        }
    }
};

template <class F>
void for_each_portable_pivoting(const F& f)
{
    for_each_index([&]<class I>() { f(pivoting_start<I>, BodyOf<StartPivotSearch<I>>()); });
}

}  // namespace linden
