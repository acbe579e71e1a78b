#pragma once

#include <linden/matrix/dense.hpp>

namespace linden {

/// Approximations of the eigenvectors of M^-1 A with the smallest eigenvalues, from the Krylov space of so many steps
/// of CG for A x = b from x = 0: the Ritz vectors, in the order of their Ritz values, as the columns of an n x count
/// block; fewer where the space has fewer dimensions. As `Deflation::basis` they take out of the systems that follow
/// what was slow in this one, with the same M. [SaadEtAl00]
///
/// A and M: Hermitian positive definite, n x n; M^-1 as an operator, null for M = I.  b: n x 1, not 0. Keeps n x steps
/// values; the recurrence loses orthogonality once a Ritz value has converged, and may give its vector twice, of which
/// deflation drops one. Waits for the executor in each step.
/// @throws DimensionMismatch, InvalidParameter unless 1 <= count <= steps
template <class V>
LINDEN_EXPORT Dense<V> ritz_vectors(const LinOp<V>& matrix, const LinOp<V>* preconditioner, const Dense<V>& b,
                                    size_type steps, size_type count);

}  // namespace linden
