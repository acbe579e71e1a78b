#pragma once

#include <linden/views.hpp>

#include <optional>
#include <vector>

#include "core/factorization/elimination_tree.hpp"

namespace linden::detail {

/// An order of plain pivots, block by block of A's block triangular form, of minimum degree in each.
template <class I>
struct PlainOrder {
    std::vector<I> matched;        ///< the column of each row's pivot
    std::vector<I> rows, columns;  ///< row i and column j of the factors are those of A
    bool is_symmetric = false;     ///< the pattern, whose pivots are the diagonal
    bool is_hermitian = false;     ///< the values, too
    bool has_one_block = false;
    std::vector<I> block_ptrs;       ///< row and column of the factors with which each block begins, and n
    HostPattern<I> graph;            ///< of A + A^T with these pivots, where there is one block that is not symmetric
    std::vector<I> counts;           ///< entries of the columns of L, with the diagonal, where is_symmetric; but for
                                     ///< dense last columns, which have none
    std::vector<double> roots;       ///< inverse_diagonal_roots where A is Hermitian; else none
    size_type num_coupled_rows = 0;  ///< with several entries; 0: A is no network
    size_type most_entries = 0;      ///< an estimate of those of L + U; they are no more, without exchanges
    size_type num_outside = 0;       ///< entries of A outside of the blocks at most, nearly all of them
};

/// For Hermitian matrices that may be definite, whose pivots are the diagonal, and where `takes_networks` for those
/// that look like a grid's or a circuit's, whose factors find their pivots; nothing for others, and where a matching of
/// plain pivots is not found. a: n x n, rows sorted, in host memory.
template <class V, class I>
std::optional<PlainOrder<I>> plain_order(CsrView<V, I> a, bool takes_networks);

/// The graph of A + A^T with the pivots of a plain order, in the order of A's rows.
template <class I>
HostPattern<I> graph_of(PatternView<I> a, const PlainOrder<I>& plain);

}  // namespace linden::detail
