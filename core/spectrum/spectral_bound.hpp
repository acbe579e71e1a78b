#pragma once

#include <linden/array.hpp>
#include <linden/lin_op.hpp>

/// Bounds of the eigenvalues of D^-1 A, A Hermitian positive definite. `inverse` has the entries of D^-1; empty, it
/// stands for the identity. All are deterministic and wait for the executor.
namespace linden::detail {

/// The largest eigenvalue on the Krylov space of so many steps from a fixed random vector: never more than the largest
/// eigenvalue but for rounding. 0 where no step can be made. By the coefficients of CG. [Saad03, 6.7.3]
template <class V>
double largest_ritz_value(const LinOp<V>& a, const Array<V>& inverse, size_type num_steps);

/// The largest sum of magnitudes of a row of D^-1 A. @throws NotSupported if `a` is no Csr
template <class V>
double largest_row_sum(const LinOp<V>& a, const Array<V>& inverse);

}  // namespace linden::detail
