#pragma once

#include <cmath>

#include "core/base/math.hpp"
#include "core/kernels/isai.hpp"
#include "core/portable/body.hpp"
#include "core/portable/lanes.hpp"
#include "core/portable/search.hpp"

namespace linden {

template <class V, class I>
struct CompleteDiagonal {
    size_type n;
    const I* diagonal;
    bool is_unit;
    V* values;

    LINDEN_HOST_DEVICE size_type size() const { return n; }
    LINDEN_HOST_DEVICE void operator()(size_type i) const
    {
        V& value = values[diagonal[i]];
        if (is_unit || value == V{}) {
            value = V{1};
        }
    }
};

/// Until the row is done, values[p] is m_ij t_jj, as far as it is known: the terms of a column are subtracted from all
/// others once its unknown is final.
template <class V, class I>
struct InvertTriangle {
    CsrView<V, I> t;
    Side side;
    const V* inverse_diagonal;
    PatternView<I> m;
    V* values;

    LINDEN_HOST_DEVICE size_type size() const { return m.rows; }
    LINDEN_HOST_DEVICE size_type num_entries() const { return m.num_nonzeros; }
    template <class Lanes>
    LINDEN_HOST_DEVICE void operator()(Lanes lanes, size_type row) const
    {
        const size_type begin = m.row_ptrs[row], end = m.row_ptrs[row + 1];
        const bool is_lower = side == Side::lower;
        const size_type diagonal = is_lower ? end - 1 : begin;
        for (size_type p = begin + Lanes::lane(); p < end; p += Lanes::size) {
            values[p] = p == diagonal ? V{1} : V{};
        }
        for (size_type done = 0; done + 1 < end - begin; ++done) {
            Lanes::sync();
            if (is_lower) {
                subtract_terms(lanes, diagonal - done, begin, diagonal - done);
            } else {
                subtract_terms(lanes, diagonal + done, diagonal + done + 1, end);
            }
        }
        Lanes::sync();
        for (size_type p = begin + Lanes::lane(); p < end; p += Lanes::size) {
            values[p] = divided_by_diagonal(p);
        }
    }

private:
    /// m_ik for entry p = (i, k), from m_ik t_kk.
    LINDEN_HOST_DEVICE V divided_by_diagonal(size_type p) const
    {
        return inverse_diagonal == nullptr ? values[p] : product(values[p], inverse_diagonal[m.col_idxs[p]]);
    }
    /// Subtracts m_ik t_kj, k being the column of p, from the unknowns at [low, high) that row k of T has columns of.
    template <class Lanes>
    LINDEN_HOST_DEVICE void subtract_terms(Lanes, size_type p, size_type low, size_type high) const
    {
        const I k = m.col_idxs[p];
        const V m_ik = divided_by_diagonal(p);
        const size_type first = t.row_ptrs[k] + (side == Side::lower ? 0 : 1);
        const size_type last = t.row_ptrs[k + 1] - (side == Side::lower ? 1 : 0);
        for (size_type e = first + Lanes::lane(); e < last; e += Lanes::size) {
            const I j = t.col_idxs[e];
            const size_type at = first_from(m.col_idxs, low, high, j);
            if (at < high && m.col_idxs[at] == j) {
                values[at] = minus_product(values[at], m_ik, t.values[e]);
            }
        }
    }

    // Every product that a compiler could fuse with a sum is, so that all of them round alike.
    LINDEN_HOST_DEVICE static V product(V a, V b)
    {
        if constexpr (is_complex<V>) {
            return V(std::fma(-imag(a), imag(b), real(a) * real(b)), std::fma(imag(a), real(b), real(a) * imag(b)));
        } else {
            return a * b;
        }
    }
    /// c - a b
    LINDEN_HOST_DEVICE static V minus_product(V c, V a, V b)
    {
        if constexpr (is_complex<V>) {
            return V(std::fma(imag(a), imag(b), std::fma(-real(a), real(b), real(c))),
                     std::fma(-imag(a), real(b), std::fma(-real(a), imag(b), imag(c))));
        } else {
            return std::fma(-a, b, c);
        }
    }
};

template <class F>
void for_each_portable_isai(const F& f)
{
    for_each_value_index([&]<class V, class I>() {
        f(isai_complete_diagonal<V, I>, BodyOf<CompleteDiagonal<V, I>>());
        f(isai_invert_triangle<V, I>, BodyOf<InvertTriangle<V, I>>());
    });
}

}  // namespace linden
