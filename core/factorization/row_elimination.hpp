#pragma once

#include <linden/matrix/csr.hpp>

#include <optional>
#include <vector>

#include "core/factorization/elimination_tree.hpp"

namespace linden::detail {

/// The diagonal is preferred to entries up to 1 / diagonal_preference times as large. [DavisNatarajan10]
inline constexpr double diagonal_preference = 0.001;

/// Rows and columns to eliminate in this order, with scalings of A's rows and columns, and the diagonal blocks of a
/// block triangular form of A: block b has rows and columns from block_ptrs[b] on, and nothing of A is below the
/// blocks.
template <class I>
struct EliminationOrder {
    const std::vector<I>&rows, &columns;
    const std::vector<double>&row_scaling, &column_scaling;
    const std::vector<I>& block_ptrs;
    size_type num_outside;  ///< about how many entries of A are right of the blocks
};

/// L and U of the scaled matrix's diagonal blocks, as ilu_factorize leaves them, and the order of columns that they
/// have.
template <class V, class I>
struct EliminatedRows {
    HostPattern<I> pattern;        ///< closed, rows sorted
    std::vector<V> values;         ///< behind those of the pattern the entries outside
    HostPattern<I> outside;        ///< of the blocks: these entries of the scaled matrix are kept; rows are not sorted
    std::vector<real_t<V>> norms;  ///< of the scaled rows
    std::vector<I> columns;
    std::vector<I> tree;         ///< of elimination, of a symmetric pattern without exchanges; empty: it is not known
    size_type num_updates = 0;   ///< of a value by a product of two
    bool has_exchanges = false;  ///< of columns
    bool is_hermitian = false;   ///< the scaled matrix, without exchanges
    bool is_definite = false;    ///< and all pivots are positive
};

/// L and U of each diagonal block row by row, pattern and values at once: what row i takes from rows before it is found
/// along their entries of U [GilbertPeierls88], as far as each must be followed [EisenstatLiu92]. The pivot is the
/// diagonal entry unless it is less than a thousandth of the largest entry that the row has in its block, which then is
/// exchanged with it. Nothing if L and U have more than `most_entries`, or if a pivot is less than `least_pivot` of the
/// norm of its row of A. a: in host memory. O(operations).
template <class V, class I>
std::optional<EliminatedRows<V, I>> eliminate_rows(CsrView<V, I> a, const EliminationOrder<I>& order,
                                                   size_type most_entries, real_t<V> least_pivot);

}  // namespace linden::detail
