#pragma once

#include <linden/views.hpp>

#include <utility>

#include "core/kernels/multigrid.hpp"

/// The aggregates of rows of few strong entries, by comparisons of all with all: what a processor foretells wrongly
/// when it looks for one after the other costs more.
namespace linden::omp {

/// Rows of up to so many entries are short.
inline constexpr int most_short_entries = 8;

/// The aggregates of the n entries of a row.
template <int n, class I>
class ShortRowAggregates {
public:
    ShortRowAggregates(const I* cols, const I* aggregates)
    {
        for (int k = 0; k < n; ++k) {
            found_[k] = aggregates[cols[k]];
        }
        for (int k = 0; k < n; ++k) {
            int is_new = found_[k] >= 0 ? 1 : 0;
            for (int j = 0; j < k; ++j) {
                is_new &= found_[j] != found_[k] ? 1 : 0;
            }
            is_new_[k] = is_new;
        }
    }

    I operator[](int k) const { return found_[k]; }
    /// Of different ones.
    I count() const
    {
        I count = 0;
        for (int k = 0; k < n; ++k) {
            count += is_new_[k];
        }
        return count;
    }
    /// Where entry k's aggregate stands among the different ones in ascending order; n if it has none.
    int rank(int k) const
    {
        int rank = 0;
        for (int j = 0; j < n; ++j) {
            rank += is_new_[j] & (found_[j] < found_[k] ? 1 : 0);
        }
        return found_[k] < 0 ? n : rank;
    }

private:
    I found_[n];
    I is_new_[n];
};

/// Calls f.operator()<n>() for n = length, from 1 to `most_short_entries`; false for other lengths.
template <class F>
bool with_short_length(size_type length, const F& f)
{
    return [&]<int... before>(std::integer_sequence<int, before...>)
    {
        return ((length == before + 1 && (f.template operator()<before + 1>(), true)) || ...);
    }
    (std::make_integer_sequence<int, most_short_entries>());
}

/// Row `row` of P, whose strong entries are n, as `multigrid_prolongator` says. Writes n entries where there is room
/// for so many up to `end`, those of rows behind among them.
template <int n, class V, class I>
void make_short_row(const CsrView<V, I>& f, const SmoothedAggregates<V, I>& rule, size_type row, const I* row_ptrs,
                    I end, I* col_idxs, V* values)
{
    const ShortRowAggregates<n, I> found(f.col_idxs + f.row_ptrs[row], rule.aggregates);
    const V* const entries = f.values + f.row_ptrs[row];
    I cols[n + 1]{};
    V products[n + 1]{};
    for (int k = 0; k < n; ++k) {
        const int rank = found.rank(k);
        cols[rank] = found[k];
        products[rank] += entries[k];
    }
    const auto sum = rule.sums[row];
    const auto weight = sum > 0 ? static_cast<real_t<V>>(rule.damping) / sum : real_t<V>{};
    const I own = rule.aggregates[row];
    const I begin = row_ptrs[row];
    const auto write = [&](I count) {
        for (I k = 0; k < count; ++k) {
            values[begin + k] = (cols[k] == own ? V{1} : V{}) - weight * products[k];
        }
        for (I k = 0; k < count && col_idxs != nullptr; ++k) {
            col_idxs[begin + k] = cols[k];
        }
    };
    if (end - begin >= n) {
        write(n);
    } else {
        write(row_ptrs[row + 1] - begin);
    }
}

}  // namespace linden::omp
