#pragma once

#include <linden/matrix/csr.hpp>

#include <vector>

namespace linden {

/// An ordering of rows and columns that brings entries close to the diagonal: row and column i of P A P^T are row and
/// column p[i] of A. Reverse Cuthill-McKee of the graph of A + A^T: a breadth-first order from a vertex at one end of
/// the graph, neighbours by their degrees, then reversed; each connected part by itself. [GeorgeLiu81, 4.3]
///
/// Deterministic, and the same on any executor. The matrix's executor does the work: all connected parts at once, level
/// after level, O(nnz) for each of the few searches [KarantasisEtAl14]. Devices leave long and narrow graphs, such as
/// chains, to the host: those of more than 512 levels with less than 32 vertices on average.
/// @throws DimensionMismatch if A is not square, OutOfMemory
template <class V, class I>
LINDEN_EXPORT std::vector<I> reverse_cuthill_mckee(const Csr<V, I>& a);

}  // namespace linden
