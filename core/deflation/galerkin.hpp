#pragma once

#include <linden/matrix/csr.hpp>
#include <linden/matrix/dense.hpp>

/// The products Y = Z^H A and E = Z^H A Z with deflation vectors Z, on the executor.
namespace linden::detail {

/// A known property of a matrix.
enum class Symmetry : bool { none, hermitian };

/// Y and E, and the magnitudes |Z|^H |A| |Z| of E's entries without cancellation.
template <class V, class I>
struct SparseGalerkin {
    Csr<V, I> y;
    Csr<V, I> e;
    Csr<V, I> e_magnitudes;
};

/// Y keeps the entries that do not cancel, and E = Y Z.  A: n x n, Z: n x k, on one executor. Waits for it.
/// Work: the products A Z and Y Z, each for values and for magnitudes, and A^H if A is not Hermitian.
template <class V, class I>
SparseGalerkin<V, I> galerkin(const Csr<V, I>& a, const Csr<V, I>& z, Symmetry symmetry);

/// Y and E for a dense Z; all entries of Y are kept.
template <class V>
struct DenseGalerkin {
    Dense<V> y_adjoint;  ///< n x k
    Dense<V> e;
    Array<real_t<V>> scales;  ///< the sums of magnitudes of the terms of E(i, i)
};

template <class V, class I>
DenseGalerkin<V> galerkin(const Csr<V, I>& a, const Dense<V>& z, Symmetry symmetry);

/// The real parts of the diagonal of a square matrix.
template <class V, class I>
Array<real_t<V>> real_diagonal(const Csr<V, I>& a);

/// A^H, without padding.
template <class V>
Dense<V> adjoint(const Dense<V>& a);

}  // namespace linden::detail
