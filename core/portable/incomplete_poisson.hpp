#pragma once

#include "core/base/math.hpp"
#include "core/kernels/incomplete_poisson.hpp"
#include "core/portable/body.hpp"
#include "core/portable/search.hpp"

namespace linden {

template <class V, class I>
struct PoissonValues {
    PatternView<I> a;
    const V* values;
    const V* inverse;
    PatternView<I> p;
    bool is_scaled;
    double threshold;
    V* result;

    LINDEN_HOST_DEVICE size_type size() const { return p.num_nonzeros; }
    LINDEN_HOST_DEVICE void operator()(size_type entry) const
    {
        const size_type row = row_of(p.row_ptrs, p.rows, entry);
        const size_type col = p.col_idxs[entry];
        if (row == col) {
            const V sum = product_of_rows(row, row);
            result[entry] = is_scaled ? inverse[row] * (V{1} + sum * inverse[row]) : V{1} + sum;
        } else {
            const V value = row > col ? below_diagonal(row, col) : conj(below_diagonal(col, row));
            result[entry] = is_dropped(value, row, col) ? V{} : value;
        }
    }

private:
    /// The entry (i, j) of L E L^H, or of L E^2 L^H, j <= i.
    LINDEN_HOST_DEVICE V product_of_rows(size_type i, size_type j) const
    {
        V sum{};
        I s = a.row_ptrs[i], t = a.row_ptrs[j];
        while (s < a.row_ptrs[i + 1] && t < a.row_ptrs[j + 1]) {
            const I left = a.col_idxs[s], right = a.col_idxs[t];
            if (right >= j) {
                break;
            }
            if (left == right) {
                const V weight = is_scaled ? inverse[left] : inverse[left] * inverse[left];
                sum += values[s] * conj(values[t]) * weight;
            }
            s += left <= right ? 1 : 0;
            t += right <= left ? 1 : 0;
        }
        return sum;
    }
    LINDEN_HOST_DEVICE V below_diagonal(size_type i, size_type j) const
    {
        const size_type at = find_entry(a, i, j);
        const V entry = at < 0 ? V{} : values[at];
        const V sum = product_of_rows(i, j);
        return is_scaled ? inverse[i] * inverse[j] * (sum - entry) : sum - entry * inverse[j];
    }
    LINDEN_HOST_DEVICE bool is_dropped(V value, size_type row, size_type col) const
    {
        const double square = static_cast<double>(real(value * conj(value)));
        const double outer = static_cast<double>(real(inverse[row])) * real(inverse[col]);
        return square < threshold * threshold * (!is_scaled ? 1 : outer < 0 ? -outer : outer);
    }
};

template <class V, class I>
LINDEN_HOST_DEVICE bool is_kept(const PatternView<I>& p, const V* values, size_type row, I entry)
{
    return p.col_idxs[entry] == row || !(values[entry] == V{});
}

template <class V, class I>
struct CountKept {
    PatternView<I> p;
    const V* values;
    I* counts;

    LINDEN_HOST_DEVICE size_type size() const { return p.rows; }
    LINDEN_HOST_DEVICE void operator()(size_type row) const
    {
        I count = 0;
        for (I k = p.row_ptrs[row]; k < p.row_ptrs[row + 1]; ++k) {
            count += is_kept(p, values, row, k);
        }
        counts[row] = count;
    }
};

template <class V, class I>
struct TakeKept {
    PatternView<I> p;
    const V* values;
    const I* row_ptrs;
    I* col_idxs;
    V* kept;

    LINDEN_HOST_DEVICE size_type size() const { return p.rows; }
    LINDEN_HOST_DEVICE void operator()(size_type row) const
    {
        I target = row_ptrs[row];
        for (I k = p.row_ptrs[row]; k < p.row_ptrs[row + 1]; ++k) {
            if (is_kept(p, values, row, k)) {
                col_idxs[target] = p.col_idxs[k];
                kept[target] = values[k];
                ++target;
            }
        }
    }
};

template <class F>
void for_each_portable_incomplete_poisson(const F& f)
{
    for_each_value_index([&]<class V, class I>() {
        f(incomplete_poisson_values<V, I>, BodyOf<PoissonValues<V, I>>());
        f(incomplete_poisson_count_kept<V, I>, BodyOf<CountKept<V, I>>());
        f(incomplete_poisson_take_kept<V, I>, BodyOf<TakeKept<V, I>>());
    });
}

}  // namespace linden
