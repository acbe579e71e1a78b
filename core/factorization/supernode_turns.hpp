#pragma once

#include <algorithm>
#include <vector>

#include "core/factorization/supernodes.hpp"

namespace linden::detail {

/// What turns of devices are made of, in host memory: see SupernodeTurns.
template <class I>
struct TurnsOfSupernodes {
    std::vector<I> tasks, solves;
    std::vector<I> sources;  ///< those of Supernodes, of each supernode in the order in which they should be solved
    std::vector<I> part_ptrs{0}, parts;
    std::vector<I> tile_ptrs{0}, child_ptrs{0}, children, places;
};

/// Tasks come in the order in which they could begin if there were blocks of threads for all, by what they take. So
/// few wait long for what they need. num_sides: of panels, 1 where only L is stored.
template <class I>
TurnsOfSupernodes<I> make_turns(const Supernodes<I>& s, int num_sides);

/// What the turns take on devices beside the supernodes, in bytes, or a little more.
template <class I>
size_type bytes_of_turns(const Supernodes<I>& s, int num_sides);

/// Supernodes where kernels need them.
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
                {turns_.data(), turns_.size() / 2, part_ptrs_.data(), parts_.data(), solves_.data(), solves_.size() / 2,
                 tile_ptrs_.data(), num_tiles_, child_ptrs_.data(), children_.data(), places_.data()}};
    }
    /// Bytes of the workspace of a factorization by so many threads.
    template <class V>
    size_type workspace_bytes(size_type threads) const
    {
        return first_.executor().is_host() ? supernodes_workspace_bytes<V>(n_, threads)
                                           : supernodes_device_bytes(first_.size() - 1, num_tiles_);
    }
    /// Values of that of a solve for `columns` right-hand sides. It has room for several at a time, for so many that
    /// what is handed on takes no more than half of what the factors do, which have num_values.
    template <class V>
    size_type solve_workspace_values(size_type threads, size_type columns, size_type num_values) const
    {
        const auto values = [&](size_type count) {
            return first_.executor().is_host()
                       ? supernodes_solve_workspace_values<V>(n_, task_rows_.size(), threads, count)
                       : supernodes_solve_device_values<V>(n_, num_tiles_, count);
        };
        const size_type of_column = std::max<size_type>(1, values(2) - values(1));
        return values(std::max<size_type>(1, std::min(num_values / (2 * of_column), columns)));
    }

private:
    SupernodeSchedule(const Executor& exec, const Supernodes<I>& s, const TurnsOfSupernodes<I>& turns)
        : first_(exec, s.first),
          row_ptrs_(exec, s.row_ptrs),
          rows_(exec, s.rows),
          source_ptrs_(exec, s.source_ptrs),
          sources_(exec, exec.is_host() ? s.sources : turns.sources),
          order_(exec, s.order),
          task_ptrs_(exec, s.task_ptrs),
          task_row_ptrs_(exec, s.task_row_ptrs),
          task_rows_(exec, s.task_rows),
          turns_(exec, turns.tasks),
          part_ptrs_(exec, turns.part_ptrs),
          parts_(exec, turns.parts),
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
    Array<I> turns_, part_ptrs_, parts_, solves_, tile_ptrs_, child_ptrs_, children_, places_;
    Array<size_type> value_ptrs_;
    size_type n_, num_tiles_;
};

}  // namespace linden::detail
