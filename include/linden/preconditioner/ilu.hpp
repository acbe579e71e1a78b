#pragma once

#include <linden/preconditioner/incomplete_factorization.hpp>

namespace linden {

/// ILU(0): L and U on the pattern of A and its diagonal, with (L U)_ij = a_ij on that pattern. [Saad03, 10.3.2]
template <class V>
using Ilu0 = FactorizationWith<V, ZeroFill, false>;

/// ILU(k): incomplete LU on the pattern with k levels of fill. [Saad03, 10.3.3], [HysomPothen02]
template <class V>
using Iluk = FactorizationWith<V, LevelFill, false>;

/// ILUT(k, tol): each row of L and of U has at most nnz/n + k entries besides the diagonal, all of magnitude at least
/// tol ||a_i||_2. [Naumov11, 5], [Saad94]
template <class V>
using Ilut = FactorizationWith<V, ThresholdFill, false>;

/// ParILU: ILU(k) approximated by sweeps. [ChowPatel15]
template <class V>
using ParIlu = FactorizationWith<V, SweptFill, false>;

/// ParILUT: L and U with a limited number of entries, pattern and values found by parallel sweeps. [AnztEtAl19b]
template <class V>
using ParIlut = FactorizationWith<V, SweptThresholdFill, false>;

}  // namespace linden
