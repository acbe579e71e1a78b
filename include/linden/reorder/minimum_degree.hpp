#pragma once

#include <linden/matrix/csr.hpp>

#include <vector>

namespace linden {

/// An ordering of rows and columns for elimination with little fill: row and column i of P A P^T are row and column
/// p[i] of A. Approximate minimum degree of the graph of A + A^T: each step eliminates a vertex that has few
/// neighbours, by a bound of their number that is cheap to keep. Vertices with more than 10 sqrt(n) neighbours go last.
/// [AmestoyEtAl96]
///
/// Deterministic, and the same for matrices on any executor. Runs on the host, with a copy of the pattern. For most
/// patterns it takes about as long as some tens of products with A + A^T. @throws DimensionMismatch if A is not square,
/// OutOfMemory
template <class V, class I>
LINDEN_EXPORT std::vector<I> approximate_minimum_degree(const Csr<V, I>& a);

/// An ordering of columns for elimination with little fill, whichever rows pivots are chosen from: column j of A Q^T is
/// column q[j] of A. Approximate minimum degree of the graph of A^T A; the graph is never formed, since the rows of A
/// are its cliques. Rows with more than 10 sqrt(columns) entries are left out; columns with more than 10 sqrt(min(rows,
/// columns)) go last. A may be rectangular. [DavisEtAl04]
///
/// As approximate_minimum_degree otherwise.
template <class V, class I>
LINDEN_EXPORT std::vector<I> approximate_column_minimum_degree(const Csr<V, I>& a);

}  // namespace linden
