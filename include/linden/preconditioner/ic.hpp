#pragma once

#include <linden/preconditioner/incomplete_factorization.hpp>

namespace linden {

/// IC(0): a Cholesky factor L on the pattern of A's lower triangle and its diagonal, with (L L^H)_ij = a_ij on that
/// pattern. A is Hermitian; its upper triangle is not read.
template <class V>
using Ic0 = FactorizationWith<V, ZeroFill, true>;

/// IC(k): incomplete Cholesky on the pattern with k levels of fill.
template <class V>
using Ick = FactorizationWith<V, LevelFill, true>;

/// ICT(k, tol): each row of L^H has at most nnz/n + k entries besides the diagonal, all of magnitude at least
/// tol ||a_i||_2, as the rows of U in ILUT.
template <class V>
using Ict = FactorizationWith<V, ThresholdFill, true>;

/// ParIC: IC(k) approximated by sweeps. A is Hermitian, with both triangles.
template <class V>
using ParIc = FactorizationWith<V, SweptFill, true>;

/// ParICT: incomplete Cholesky with a limited number of entries, pattern and values found by parallel sweeps. A is
/// Hermitian, with both triangles.
template <class V>
using ParIct = FactorizationWith<V, SweptThresholdFill, true>;

}  // namespace linden
