#pragma once

#include <linden/array.hpp>

#include <vector>

#include "core/factorization/elimination_tree.hpp"
#include "core/kernels/supernodes.hpp"

namespace linden::detail {

/// A SupernodeView in host memory.
template <class I>
struct Supernodes {
    std::vector<I> first{0}, row_ptrs{0}, rows;
    std::vector<size_type> value_ptrs{0};
    std::vector<I> source_ptrs{0}, sources;
    std::vector<I> order, task_ptrs, task_row_ptrs{0}, task_rows;
    std::vector<I> parents;

    size_type count() const { return static_cast<size_type>(first.size()) - 1; }
    /// Rows of supernode s below those of its columns.
    size_type rows_below(size_type s) const { return row_ptrs[s + 1] - row_ptrs[s] - (first[s + 1] - first[s]); }
    /// Of L with its diagonal, and zeros that supernodes hold.
    size_type num_lower() const;
    /// What the arrays take, in bytes.
    size_type bytes() const;
};

/// Of the Cholesky factor of a symmetric pattern, from its tree in postorder and the entries of its columns, without
/// forming it. Supernodes are joined where that adds few zeros, as those of CHOLMOD [ChenEtAl08], and cut where they
/// have more than most_columns. Tasks are a matter of the pattern alone.
template <class I>
Supernodes<I> make_supernodes(const HostPattern<I>& graph, const std::vector<I>& parent,
                              const std::vector<size_type>& counts, size_type most_columns = most_supernode_columns);

/// Columns of a supernode at most, for an executor's kernels.
template <class V>
size_type most_columns_for(const Executor& exec)
{
    return exec.is_host() ? most_supernode_columns : supernode_tile_columns<V>;
}

}  // namespace linden::detail
