#pragma once

#include <linden/array.hpp>
#include <linden/lin_op.hpp>

/// Estimates of the largest eigenvalue of D^-1 A, A Hermitian positive definite. `inverse` has the entries of D^-1;
/// empty means the identity. All are deterministic and wait for the executor.
namespace linden::detail {

template <class V>
class LanczosMemory;
template <class V>
class RowSumMemory;

/// The largest Ritz value after `steps` Lanczos steps from a fixed random vector, from the coefficients of CG: up to
/// rounding a lower bound of the largest eigenvalue. 0 if no step is possible. [Saad03, 6.7.3]
template <class V>
double largest_ritz_value(const LinOp<V>& a, const Array<V>& inverse, size_type num_steps);
/// The same in memory that the caller keeps (core/spectrum/lanczos.hpp), for as many steps: allocates nothing.
template <class V>
double largest_ritz_value(const LinOp<V>& a, const Array<V>& inverse, size_type num_steps, LanczosMemory<V>& memory);

/// The same for M^-1 A with any Hermitian positive definite `preconditioner` M^-1.
template <class V>
double largest_ritz_value(const LinOp<V>& a, const LinOp<V>& preconditioner, size_type num_steps);

/// The largest absolute row sum of D^-1 A, an upper bound (Gershgorin). @throws NotSupported if `a` is not a Csr
template <class V>
double largest_row_sum(const LinOp<V>& a, const Array<V>& inverse);
/// The same in memory that the caller keeps (core/spectrum/row_sums.hpp) for matrices with as many entries: allocates
/// nothing.
template <class V>
double largest_row_sum(const LinOp<V>& a, const Array<V>& inverse, RowSumMemory<V>& memory);

}  // namespace linden::detail
