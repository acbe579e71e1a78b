#pragma once

#include <linden/matrix/csr.hpp>

#include <vector>

namespace linden {

/// An ordering of rows and columns that brings entries close to the diagonal: row and column i of P A P^T are row and
/// column p[i] of A. Reverse Cuthill-McKee of the graph of A + A^T: breadth-first from a vertex that is far from
/// another, neighbours by their degrees, the whole backwards; each connected part by itself. [GeorgeLiu81, 4.3]
///
/// Deterministic, and the same for matrices on any executor, which finds it: all connected parts at once, level after
/// level, O(nnz) for each of the few searches [KarantasisEtAl14]. Devices leave graphs of long and narrow shape, such
/// as chains, to the host: those of more than 512 levels with less than 32 vertices on average.
/// @throws DimensionMismatch if A is not square, OutOfMemory
template <class V, class I>
LINDEN_EXPORT std::vector<I> reverse_cuthill_mckee(const Csr<V, I>& a);

}  // namespace linden
