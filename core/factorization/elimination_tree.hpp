#pragma once

#include <linden/types.hpp>

#include <vector>

/// What elimination does to a pattern, in host memory. [Davis06, 4]
namespace linden::detail {

/// A square pattern in host memory, rows sorted.
template <class I>
struct HostPattern {
    std::vector<I> row_ptrs{0}, col_idxs;

    size_type rows() const { return static_cast<size_type>(row_ptrs.size()) - 1; }
    size_type num_nonzeros() const { return static_cast<size_type>(col_idxs.size()); }
};

/// parent[j]: the row of the first entry below the diagonal in column j of the Cholesky factor, -1 for roots.
/// a: a symmetric pattern. O(nnz log n). [Liu90]
template <class I>
std::vector<I> elimination_tree(const HostPattern<I>& a);

/// The same of the pattern with rows and columns `order`, in their new numbers; place[order[i]] = i. Does not form it.
template <class I>
std::vector<I> elimination_tree(const HostPattern<I>& a, const std::vector<I>& order, const std::vector<I>& place);

/// The vertices of a forest, each after its children, subtrees together.
template <class I>
std::vector<I> postorder(const std::vector<I>& parent);

/// Entries of each column of the Cholesky factor, with the diagonal. a: a symmetric pattern whose tree is `parent`,
/// in postorder: the parent of a vertex is greater than all vertices of its subtree, which are consecutive. Almost
/// O(nnz): the factor is not formed. [GilbertEtAl94]
template <class I>
std::vector<size_type> column_counts(const HostPattern<I>& a, const std::vector<I>& parent);

/// The pattern of L + U for a symmetric pattern and its tree. counts: of the columns of L.
template <class I>
HostPattern<I> filled_pattern(const HostPattern<I>& a, const std::vector<I>& parent,
                              const std::vector<size_type>& counts);

}  // namespace linden::detail
