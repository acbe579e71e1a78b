#pragma once

#include <linden/matrix/dense.hpp>

namespace linden {

/// Approximate eigenvectors of M^-1 A for the smallest eigenvalues: Ritz vectors from the Krylov space of `steps` CG
/// steps for A x = b from x = 0. Returns them as the columns of an n x count block, in ascending order of their Ritz
/// values; fewer columns if the Krylov space has fewer dimensions. As `Deflation::basis` they speed up later systems
/// with the same or a similar matrix and the same M. [SaadEtAl00]
///
/// A and M: Hermitian positive definite, n x n; `preconditioner` applies M^-1, null for M = I.  b: n x 1, not 0. Stores
/// n x steps values. The recurrence loses orthogonality once a Ritz value has converged and may return its vector
/// twice; deflation drops the duplicate. Waits for the executor in each step.
/// @throws DimensionMismatch, InvalidParameter unless 1 <= count <= steps
template <class V>
LINDEN_EXPORT Dense<V> ritz_vectors(const LinOp<V>& matrix, const LinOp<V>* preconditioner, const Dense<V>& b,
                                    size_type steps, size_type count);

}  // namespace linden
