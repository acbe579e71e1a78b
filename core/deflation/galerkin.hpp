#pragma once

#include <linden/matrix/csr.hpp>
#include <linden/matrix/dense.hpp>

#include "core/deflation/kept_memory.hpp"

/// The products Y = Z^H A and E = Z^H A Z with deflation vectors Z, on the executor.
namespace linden::detail {

/// A known property of a matrix.
enum class Symmetry : bool { none, hermitian };

/// Where the products are formed: what is needed in between, and E; and what stays, Y.
struct GalerkinMemory {
    KeptMemory& between;
    KeptMemory& y;
};

/// Y and E, and the magnitudes |Z|^H |A| |Z| of E's entries without cancellation. In the memory that it was made in.
template <class V, class I>
struct SparseGalerkin {
    Csr<V, I> y;
    Csr<V, I> e;
    Csr<V, I> e_magnitudes;
};

/// Y keeps the entries that do not cancel, and E = Y Z. Column j of Y becomes column label[j]; null for the identity.
/// A: n x n, Z: n x k, on one executor. Waits for it.
/// Work: the products A Z and Y Z, each for values and for magnitudes, and A^H if A is not Hermitian.
template <class V, class I>
SparseGalerkin<V, I> galerkin(const Csr<V, I>& a, const Csr<V, I>& z, Symmetry symmetry, const I* label,
                              GalerkinMemory memory);
/// The same for some rows of a larger matrix: Y = Z^H A, E = Y W.  A: n x m, Z: n x k of its rows, W: m x l of its
/// columns; E: k x l.
template <class V, class I>
SparseGalerkin<V, I> galerkin_of_rows(const Csr<V, I>& a, const Csr<V, I>& z, const Csr<V, I>& w,
                                      GalerkinMemory memory);

/// Y^H and E for a dense Z, in the given memory; all entries of Y are kept.
template <class V>
struct DenseGalerkin {
    Dense<V> y_adjoint;  ///< n x k
    Dense<V> e;
    Array<real_t<V>> scales;  ///< the sums of magnitudes of the terms of E(i, i)
};

template <class V, class I>
DenseGalerkin<V> galerkin(const Csr<V, I>& a, const Dense<V>& z, Symmetry symmetry, KeptMemory& memory);

/// The real parts of the diagonal of a square matrix, in the given memory.
template <class V, class I>
Array<real_t<V>> real_diagonal(const Csr<V, I>& a, KeptMemory& memory);

/// result := A^H, both without padding.
template <class V>
void take_adjoint(const Dense<V>& a, Dense<V>& result);

/// Rows p, with columns renamed by `label`, in the given memory. Null stands for the identity. Waits for the executor.
template <class V, class I>
Csr<V, I> rearranged(const Csr<V, I>& a, const I* p, const I* label, KeptMemory& memory);

}  // namespace linden::detail
