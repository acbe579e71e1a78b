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

/// What turns of devices are made of, in host memory.
template <class I>
struct TurnsOfSupernodes {
    std::vector<I> tasks, solves, tile_ptrs{0}, child_ptrs{0}, children, places;
};

/// num_sides: of panels, 1 where only L is stored.
template <class I>
TurnsOfSupernodes<I> make_turns(const Supernodes<I>& s, int num_sides);

/// The same where kernels need it.
template <class I>
class SupernodeSchedule {
public:
    /// num_sides: as for make_turns.
    SupernodeSchedule(const Executor& exec, const Supernodes<I>& s, int num_sides)
        : SupernodeSchedule(exec, s, exec.is_host() ? TurnsOfSupernodes<I>() : make_turns(s, num_sides))
    {
    }
    SupernodeView<I> view() const
    {
        return {n_,
                first_.size() - 1,
                first_.data(),
                row_ptrs_.data(),
                rows_.data(),
                value_ptrs_.data(),
                source_ptrs_.data(),
                sources_.data(),
                {task_ptrs_.data(), order_.data(), task_row_ptrs_.data(), task_rows_.data(), task_ptrs_.size() - 1},
                {turns_.data(), turns_.size() / 2, solves_.data(), solves_.size() / 2, tile_ptrs_.data(), num_tiles_,
                 child_ptrs_.data(), children_.data(), places_.data()}};
    }
    /// Values of the workspace of a solve by so many threads.
    template <class V>
    size_type solve_workspace_values(const Executor& exec, size_type threads) const
    {
        return exec.is_host() ? supernodes_solve_workspace_values<V>(n_, task_rows_.size(), threads)
                              : supernodes_solve_device_values<V>(n_, num_tiles_);
    }

private:
    SupernodeSchedule(const Executor& exec, const Supernodes<I>& s, const TurnsOfSupernodes<I>& turns)
        : first_(exec, s.first),
          row_ptrs_(exec, s.row_ptrs),
          rows_(exec, s.rows),
          source_ptrs_(exec, s.source_ptrs),
          sources_(exec, s.sources),
          order_(exec, s.order),
          task_ptrs_(exec, s.task_ptrs),
          task_row_ptrs_(exec, s.task_row_ptrs),
          task_rows_(exec, s.task_rows),
          turns_(exec, turns.tasks),
          solves_(exec, turns.solves),
          tile_ptrs_(exec, turns.tile_ptrs),
          child_ptrs_(exec, turns.child_ptrs),
          children_(exec, turns.children),
          places_(exec, turns.places),
          value_ptrs_(exec, s.value_ptrs),
          n_(s.first.back()),
          num_tiles_(turns.tile_ptrs.back())
    {
    }

    Array<I> first_, row_ptrs_, rows_, source_ptrs_, sources_, order_, task_ptrs_, task_row_ptrs_, task_rows_;
    Array<I> turns_, solves_, tile_ptrs_, child_ptrs_, children_, places_;
    Array<size_type> value_ptrs_;
    size_type n_, num_tiles_;
};

}  // namespace linden::detail
