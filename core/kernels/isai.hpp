#pragma once

#include <linden/side.hpp>
#include <linden/views.hpp>

#include "core/base/kernel.hpp"
#include "core/base/type_lists.hpp"

/// Incomplete sparse approximate inverses of triangular matrices: numeric phase. [AnztEtAl18]
namespace linden {

/// values[diagonal[i]] := 1 where it is 0, with `is_unit` for all i.
/// diagonal: n indices of entries, all of them there. Deterministic. Bytes: n (I + 2 V).
template <class V, class I>
inline constinit kernel<void(size_type n, const I* diagonal, bool is_unit, V* values)> isai_complete_diagonal{
    "isai::complete_diagonal", types_of<V, I>};

/// values := those of M ~ T^-1 with (M T)_ij = delta_ij on M's pattern m. Row i of M, whose columns are J, is the
/// solution of a triangular system, M(i, J) T(J, J) = e_i(J)^T, by substitution from the diagonal on:
///     m_ij := (delta_ij - sum over k in J of m_ik t_kj) / t_jj,
/// where k runs over the columns between j and the diagonal, from the diagonal on.
/// T, M: n x n, triangles on `side`; rows are sorted and hold their diagonal entry. Those of T are not read:
/// inverse_diagonal[j] = 1 / t_jj, null where they are 1.  Rows may have any length. No workspace.
/// Deterministic, and the same bits on every backend: each term is subtracted by fused multiply-add.
/// Bytes: for each entry (i, k) of M, 2 V + I, row k of T (I each) and its entries in J (3 V each).
template <class V, class I>
inline constinit kernel<void(CsrView<V, I> t, Side side, const V* inverse_diagonal, PatternView<I> m, V* values)>
    isai_invert_triangle{"isai::invert_triangle", types_of<V, I>};

}  // namespace linden
