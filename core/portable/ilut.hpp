#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>

#include "core/base/math.hpp"
#include "core/kernels/ilut.hpp"
#include "core/portable/ilut_arithmetic.hpp"
#include "core/portable/pivots.hpp"

/// The elimination of one row by ILUT and by ICT, shared by the host backends.
namespace linden {

/// What these kernels are called with.
template <class V, class I>
struct ThresholdProblem {
    CsrView<V, I> a;
    ThresholdRule rule;
    real_t<V> shift;
    LimitedRowsView<V, I> f;

    size_type end_of(size_type row) const { return row * f.capacity + f.counts[row]; }
    real_t<V> norm_of(size_type row) const
    {
        real_t<V> sum{};
        for (I e = a.row_ptrs[row]; e < a.row_ptrs[row + 1]; ++e) {
            sum += abs2(a.values[e]);
        }
        return std::sqrt(sum);
    }
};

/// a / b
template <class V>
V divide(V a, V b)
{
    if constexpr (is_complex<V>) {
        const auto result = quotient<real_t<V>>({a.real(), a.imag()}, {b.real(), b.imag()});
        return {result.re, result.im};
    } else {
        return a / b;
    }
}

/// |x|
template <class V>
real_t<V> size_of(V x)
{
    if constexpr (is_complex<V>) {
        return absolute_value<real_t<V>>({x.real(), x.imag()});
    } else {
        return magnitude(x);
    }
}

/// |x|, infinite where x is not a number: the order of magnitudes is total.
template <class V>
real_t<V> magnitude_of(V x)
{
    const auto magnitude = size_of(x);
    return magnitude == magnitude ? magnitude : std::numeric_limits<real_t<V>>::infinity();
}

/// The row under elimination: the set of its columns, their values in a dense row of zeros, and the entries off the
/// diagonal that are done, by columns.
template <class V, class I>
class WorkingRow {
public:
    /// In memory of ilut_part_bytes<V, I>(n).
    WorkingRow(std::byte* memory, size_type n)
        : pending_(memory, n),
          kept_(reinterpret_cast<Entry*>(memory + ColumnSet::bytes(n))),
          values_(reinterpret_cast<V*>(kept_ + n)),
          magnitudes_(reinterpret_cast<real_t<V>*>(values_ + n))
    {
        std::fill_n(values_, n, V{});
    }

    void insert(size_type col) { pending_.insert(col); }
    void add(size_type col, V value)
    {
        pending_.insert(col);
        values_[col] += value;
    }
    /// Adds the multiple of `count` entries of a row of f.
    void add_multiple(V factor, const I* cols, const V* values, size_type count)
    {
        V* const row = values_;
        for (size_type e = 0; e < count; ++e) {
            const I col = cols[e];
            pending_.insert(col);
            row[col] += multiply(factor, values[e]);
        }
    }
    /// The next column in increasing order; none is less than `bound`.
    size_type take(size_type bound) { return pending_.take_least(bound); }
    /// The value of a column that was taken; zero from now on.
    V take_value(size_type col) { return std::exchange(values_[col], V{}); }

    /// Keeps this entry unless it is below `cutoff`; whether it did.
    bool keep(size_type col, V value, real_t<V> cutoff)
    {
        const auto magnitude = magnitude_of(value);
        if (magnitude < cutoff) {
            return false;
        }
        kept_[num_kept_++] = {value, magnitude, static_cast<I>(col)};
        return true;
    }

    /// Writes the diagonal and, of either side, the `most` largest of the entries kept to row `row` of f, and makes
    /// ready for the next row. Returns where the diagonal stands.
    size_type store(size_type row, V diagonal, size_type most, const LimitedRowsView<V, I>& f)
    {
        const auto is_lower = [row](const Entry& entry) { return entry.col < row; };
        const size_type middle = std::partition_point(kept_, kept_ + num_kept_, is_lower) - kept_;
        num_kept_ = limit(middle, num_kept_, limit(0, middle, 0, most), most);
        size_type at = row * f.capacity;
        size_type next = 0;
        const auto put = [&](size_type col, V value) {
            f.cols[at] = static_cast<I>(col);
            f.values[at++] = value;
        };
        for (; next < num_kept_ && kept_[next].col < row; ++next) {
            put(kept_[next].col, kept_[next].value);
        }
        const size_type diagonal_at = at;
        put(row, diagonal);
        for (; next < num_kept_; ++next) {
            put(kept_[next].col, kept_[next].value);
        }
        f.counts[row] = static_cast<I>(num_kept_ + 1);
        num_kept_ = 0;
        return diagonal_at;
    }

private:
    using Entry = ThresholdEntry<V, I>;
    using R = real_t<V>;

    /// Moves the `most` largest of the entries [begin, end) to `to`, in their order. Returns where they end.
    size_type limit(size_type begin, size_type end, size_type to, size_type most)
    {
        if (end - begin <= most) {
            return std::move(kept_ + begin, kept_ + end, kept_ + to) - kept_;
        }
        const auto magnitude = [](const Entry& entry) { return entry.magnitude; };
        R* const last = std::transform(kept_ + begin, kept_ + end, magnitudes_, magnitude);
        std::nth_element(magnitudes_, magnitudes_ + most, last, std::greater{});
        const R bound = magnitudes_[most];  // the largest that need not stay
        auto equal_ones = std::count(magnitudes_, magnitudes_ + most, bound);
        for (size_type i = begin; i < end; ++i) {
            const Entry entry = kept_[i];
            if (entry.magnitude > bound || (entry.magnitude == bound && equal_ones-- > 0)) {
                kept_[to++] = entry;
            }
        }
        return to;
    }

    ColumnSet pending_;
    Entry* kept_;
    V* values_;
    real_t<V>* magnitudes_;  ///< in disorder
    size_type num_kept_ = 0;
};

/// Row `row` of f := that of ILUT; `finish(k)` waits until row k < row is done and returns where its diagonal stands.
/// Returns where that of this row does.
template <class V, class I, class Finish>
size_type factorize_ilut_row(const ThresholdProblem<V, I>& p, size_type row, WorkingRow<V, I>& w, const Finish& finish,
                             PivotReport& report)
{
    const real_t<V> norm = p.norm_of(row);
    const real_t<V> cutoff = static_cast<real_t<V>>(p.rule.tolerance) * norm;
    w.add(row, V{p.shift * norm});
    for (I e = p.a.row_ptrs[row]; e < p.a.row_ptrs[row + 1]; ++e) {
        w.add(p.a.col_idxs[e], p.a.values[e]);
    }
    size_type k = 0;
    while ((k = w.take(k)) < row) {
        const size_type diagonal = finish(k);
        // l_ik := a_ik / u_kk
        const V multiplier = divide(w.take_value(k), p.f.values[diagonal]);
        // a_ij := a_ij - l_ik u_kj
        if (w.keep(k, multiplier, cutoff)) {
            const size_type first = diagonal + 1;
            w.add_multiple(-multiplier, p.f.cols + first, p.f.values + first, p.end_of(k) - first);
        }
    }
    V pivot = w.take_value(row);
    if (is_bad_pivot(size_of(pivot), norm)) {
        pivot = V{pivot_for_norm(norm)};
        add_bad_pivot(report, row);
    }
    while ((k = w.take(k)) != ColumnSet::none) {
        w.keep(k, w.take_value(k), cutoff);
    }
    return w.store(row, pivot, p.rule.row_limit, p.f);
}

/// As above for ICT. Columns k < row of the row are those that rows of U may have an entry (k, row) for.
template <class V, class I, class Finish>
size_type factorize_ict_row(const ThresholdProblem<V, I>& p, size_type row, WorkingRow<V, I>& w, const Finish& finish,
                            PivotReport& report)
{
    using R = real_t<V>;
    const R norm = p.norm_of(row);
    const R cutoff = static_cast<R>(p.rule.tolerance) * norm;
    w.add(row, V{p.shift * norm});
    for (I e = p.a.row_ptrs[row]; e < p.a.row_ptrs[row + 1]; ++e) {
        w.add(p.a.col_idxs[e], p.a.col_idxs[e] < row ? V{} : p.a.values[e]);
    }
    size_type k = 0;
    while ((k = w.take(k)) < row) {
        const I* const first = p.f.cols + finish(k);
        const I* const end = p.f.cols + p.end_of(k);
        const I* entry = std::lower_bound(first, end, static_cast<I>(row));
        if (entry == end || *entry != row) {
            continue;
        }
        std::for_each(first + 1, entry, [&](I col) { w.insert(col); });
        // a_ij := a_ij - conj(u_ki) u_kj
        const V factor = -conj(p.f.values[entry - p.f.cols]);
        w.add_multiple(factor, entry, p.f.values + (entry - p.f.cols), end - entry);
    }
    // u_ii := sqrt(a_ii),  u_ij := a_ij / u_ii
    R radicand = real(w.take_value(row));
    if (is_bad_pivot(radicand, norm)) {
        radicand = pivot_for_norm(norm);
        add_bad_pivot(report, row);
    }
    const R root = std::sqrt(radicand);
    while ((k = w.take(k)) != ColumnSet::none) {
        w.keep(k, w.take_value(k) / root, cutoff);
    }
    return w.store(row, V{root}, p.rule.row_limit, p.f);
}

}  // namespace linden
