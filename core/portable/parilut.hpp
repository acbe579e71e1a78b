#pragma once

#include <cmath>
#include <limits>

#include "core/portable/body.hpp"
#include "core/portable/lanes.hpp"
#include "core/portable/parilut_arithmetic.hpp"
#include "core/portable/search.hpp"

/// Bodies of fixed-point iterations for incomplete factors. Backends bind them in files that are compiled without fused
/// multiply-adds, which core/portable/kernels.hpp is not.
namespace linden {

/// A block of rows, one after the other, by the lanes together. They subtract row k of U after the other from the row:
/// each entry has its products in the order of k, and s_ik is done when its turn comes.
template <class V, class I>
struct SweepBlocks {
    FixedPointView<V, I> f;
    const V* a;
    PivotRule<real_t<V>> rule;
    size_type block_rows;
    V* values;

    LINDEN_HOST_DEVICE size_type size() const { return (f.s.rows + block_rows - 1) / block_rows; }
    LINDEN_HOST_DEVICE size_type num_entries() const { return f.s.num_nonzeros; }
    template <class Lanes>
    LINDEN_HOST_DEVICE void operator()(Lanes, size_type block) const
    {
        const size_type first = block * block_rows;
        const size_type last = f.s.rows - first < block_rows ? f.s.rows : first + block_rows;
        for (size_type row = first; row < last; ++row) {
            const size_type begin = f.s.row_ptrs[row], end = f.s.row_ptrs[row + 1];
            for (size_type at = begin + Lanes::lane(); at < end; at += Lanes::size) {
                values[at] = a[at];
            }
            Lanes::sync();
            for (size_type l = begin; l < f.diagonal[row]; ++l) {
                const size_type k = f.s.col_idxs[l];
                if (k < first) {
                    subtract_row<Lanes>(f.s.values, f.inverses[k], l, end);
                } else {
                    bool is_bad = false;
                    const V pivot = judged_pivot(values[f.diagonal[k]], rule.norms[k], rule.is_hermitian, is_bad);
                    subtract_row<Lanes>(values, inverse_pivot(pivot), l, end);
                }
                Lanes::sync();
            }
        }
    }

private:
    /// values[l + 1, end) -= s_ik s_k* / s_kk, where entry l is s_ik, `from` has s_k*, and the inverse is of s_kk.
    template <class Lanes>
    LINDEN_HOST_DEVICE void subtract_row(const V* from, V inverse, size_type l, size_type end) const
    {
        const size_type k = f.s.col_idxs[l];
        const V lower = values[l];
        size_type at = l + 1;
        for (size_type u = f.diagonal[k] + 1 + Lanes::lane(); u < f.s.row_ptrs[k + 1]; u += Lanes::size) {
            const I col = f.s.col_idxs[u];
            if constexpr (Lanes::size == 1) {
                while (at < end && f.s.col_idxs[at] < col) {
                    ++at;
                }
            } else {
                at = first_from(f.s.col_idxs, at, end, col);
            }
            if (at == end) {
                return;
            }
            if (f.s.col_idxs[at] == col) {
                values[at] = values[at] - triple_product(lower, from[u], inverse);
            }
        }
    }
};

template <class V, class I>
struct MeasureEntries {
    CsrView<V, I> w;
    RowSelection<I> selection;
    const real_t<V>* scales;
    real_t<V>* magnitudes;

    LINDEN_HOST_DEVICE size_type size() const { return w.rows; }
    LINDEN_HOST_DEVICE size_type num_entries() const { return w.num_nonzeros; }
    template <class Lanes>
    LINDEN_HOST_DEVICE void operator()(Lanes, size_type i) const
    {
        const size_type row = selection.rows == nullptr ? i : selection.rows[i];
        for (size_type at = w.row_ptrs[i] + Lanes::lane(); at < w.row_ptrs[i + 1]; at += Lanes::size) {
            const size_type col = w.col_idxs[at];
            magnitudes[at] = col == row ? std::numeric_limits<real_t<V>>::infinity()
                                        : relative_magnitude(w.values[at], scales[row], scales[col]);
        }
    }
};

template <class V, class I>
struct CountLargeEntries {
    CsrView<V, I> w;
    const real_t<V>* scales;
    const real_t<V>* threshold;
    I* counts;

    LINDEN_HOST_DEVICE size_type size() const { return w.rows; }
    LINDEN_HOST_DEVICE size_type num_entries() const { return w.num_nonzeros; }
    template <class Lanes>
    LINDEN_HOST_DEVICE void operator()(Lanes lanes, size_type row) const
    {
        const KeptEntries<V> keeps{scales, threshold};
        const I count = count_entries<I>(lanes, w.row_ptrs[row], w.row_ptrs[row + 1],
                                         [&](size_type at) { return keeps(row, w.col_idxs[at], w.values[at]); });
        if (Lanes::lane() == 0) {
            counts[row] = count;
        }
    }
};

template <class V, class I>
struct TakeLargeEntries {
    CsrView<V, I> w;
    const real_t<V>* scales;
    const real_t<V>* threshold;
    FormedRows<V, I> kept;

    LINDEN_HOST_DEVICE size_type size() const { return w.rows; }
    LINDEN_HOST_DEVICE size_type num_entries() const { return w.num_nonzeros; }
    template <class Lanes>
    LINDEN_HOST_DEVICE void operator()(Lanes lanes, size_type row) const
    {
        const KeptEntries<V> keeps{scales, threshold};
        compact_entries(
            lanes, w.row_ptrs[row], w.row_ptrs[row + 1], kept.row_ptrs[row],
            [&](size_type at) { return keeps(row, w.col_idxs[at], w.values[at]); },
            [&](size_type to, size_type at) {
                kept.col_idxs[to] = w.col_idxs[at];
                kept.values[to] = w.values[at];
            });
    }
};

template <class V, class I>
struct ScaleFactors {
    PatternView<I> s;
    bool is_cholesky;
    const V* inverses;
    const real_t<V>* scales;
    V* values;

    LINDEN_HOST_DEVICE size_type size() const { return s.rows; }
    LINDEN_HOST_DEVICE size_type num_entries() const { return s.num_nonzeros; }
    template <class Lanes>
    LINDEN_HOST_DEVICE void operator()(Lanes, size_type row) const
    {
        for (size_type at = s.row_ptrs[row] + Lanes::lane(); at < s.row_ptrs[row + 1]; at += Lanes::size) {
            const size_type col = s.col_idxs[at];
            if (is_cholesky) {
                using std::sqrt;
                values[at] = col == row ? V{sqrt(real(values[at]))} : values[at] * scales[col];
            } else if (col < row) {
                values[at] = triple_product(values[at], inverses[col], V{real_t<V>{1}});
            }
        }
    }
};

template <class F>
void for_each_portable_parilut(const F& f)
{
    for_each_value_index([&]<class V, class I>() {
        f(parilut_sweep_in_place<V, I>, BodyOf<SweepBlocks<V, I>>());
        f(parilut_measure<V, I>, BodyOf<MeasureEntries<V, I>>());
        f(parilut_count_large<V, I>, BodyOf<CountLargeEntries<V, I>>());
        f(parilut_take_large<V, I>, BodyOf<TakeLargeEntries<V, I>>());
        f(parilut_scale<V, I>, BodyOf<ScaleFactors<V, I>>());
    });
}

}  // namespace linden
