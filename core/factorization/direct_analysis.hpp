#pragma once

#include <linden/matrix/csr.hpp>
#include <linden/solver/direct.hpp>

#include <optional>
#include <string_view>
#include <vector>

#include "core/factorization/elimination_tree.hpp"
#include "core/factorization/plain_order.hpp"

namespace linden::detail {

/// What is factorized, and how.
struct DirectPlan {
    std::string_view name{};  ///< in static memory
    bool is_cholesky = false;
    bool is_symmetric = false;  ///< Hermitian, also Cholesky
    /// Pivots are judged as those of Cholesky are: the matrix is definite, but for what pivots' rounding says of it.
    bool judges_by_sign = false;
    FillOrdering ordering = FillOrdering::automatic;
    Pivoting pivoting = Pivoting::fixed;
    PivotMatching matching = PivotMatching::maximum;
    bool has_own_pattern = false;       ///< of L and U, which need not be that of A + A^T
    bool prefers_short_search = false;  ///< to less fill, where supernodes follow
};

/// Rows and columns of A that no entry matches with each other, as many of each; of Cholesky always none.
struct Unmatched {
    std::vector<size_type> rows, columns;
};

/// The order of rows and columns, and the factors' size: the symbolic phase but for the pattern. In host memory.
template <class I>
struct DirectAnalysis {
    std::vector<I> rows, columns;                     ///< row i and column j of the factors are those of A
    std::vector<double> row_scaling, column_scaling;  ///< of the rows and columns of A
    std::vector<I> partner;                           ///< of the rows of A in 2 x 2 pivots; empty: there are none
    std::vector<I> pairs;  ///< first rows of the factors that are of such a pivot, and exchanged with the next
    Unmatched unmatched;
    bool is_hermitian = false;      ///< the scaled matrix, in the order of the factors
    bool had_short_search = false;  ///< or a given order: without preference for that it may be another one
    size_type num_singletons = 0;   ///< first pivots that fill nothing in; only in plans with a pattern of their own
    std::vector<size_type> counts;  ///< entries of the columns of L, with the diagonal; of singletons 1
    HostPattern<I> graph;           ///< of A + A^T in the order of the factors, with the diagonal, without singletons
    std::vector<I> parent;          ///< its elimination tree
    HostPattern<I> whole_graph;     ///< of A + A^T in the order of A's rows, where there are singletons
    /// What has_own_pattern has found, if it was asked.
    std::optional<std::optional<HostPattern<I>>> own;

    /// The elimination tree of A + A^T.
    std::vector<I> tree() const;
    size_type num_lower() const;
};

/// Whether A + A^T, with its diagonal, has few entries that A has not, or its diagonal: hosts factorize such patterns
/// by supernodes where rows are long.
template <class I>
bool is_almost_symmetric(PatternView<I> a, const HostPattern<I>& graph)
{
    return static_cast<double>(graph.num_nonzeros()) <= 1.1 * static_cast<double>(a.num_nonzeros);
}

/// Of a plain order with its pivots fixed, without scalings.
template <class I>
DirectAnalysis<I> analyse(PatternView<I> a, const PlainOrder<I>& plain);

/// a: in host memory. plain: an order that is taken as it is where the matching that is found has its pivots.
template <class V, class I>
DirectAnalysis<I> analyse(const Csr<V, I>& a, const DirectPlan& plan, std::optional<PlainOrder<I>> plain = {});

/// Operations of Lu on a host with fixed pivots, at most: of all entries that factors of A + A^T have. No more than the
/// order is found for it, which of a random pattern takes a hundredth of what the factors' own patterns take.
template <class V>
double most_lu_operations(const LinOp<V>& matrix, FillOrdering ordering);

/// What factors with these column counts of L and so many entries take on a device. num_entries: of A
template <class V, class I>
FactorSize size_of_factors(const DirectPlan& plan, const std::vector<size_type>& counts, size_type entries,
                           size_type num_entries);

}  // namespace linden::detail
