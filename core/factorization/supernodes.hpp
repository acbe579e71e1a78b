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

    size_type count() const { return static_cast<size_type>(first.size()) - 1; }
    /// Of L with its diagonal, and zeros that supernodes hold.
    size_type num_lower() const;
    /// What the arrays take, in bytes.
    size_type bytes() const;
};

/// Of the Cholesky factor of a symmetric pattern, from its tree in postorder and the entries of its columns, without
/// forming it. Supernodes are joined where that adds few zeros, as those of CHOLMOD [ChenEtAl08], and cut where they
/// are wider than kernels like. Tasks are a matter of the pattern alone.
template <class I>
Supernodes<I> make_supernodes(const HostPattern<I>& graph, const std::vector<I>& parent,
                              const std::vector<size_type>& counts);

/// The same where kernels need it.
template <class I>
class SupernodeSchedule {
public:
    SupernodeSchedule(const Executor& exec, const Supernodes<I>& s)
        : first_(exec, s.first),
          row_ptrs_(exec, s.row_ptrs),
          rows_(exec, s.rows),
          source_ptrs_(exec, s.source_ptrs),
          sources_(exec, s.sources),
          order_(exec, s.order),
          task_ptrs_(exec, s.task_ptrs),
          task_row_ptrs_(exec, s.task_row_ptrs),
          task_rows_(exec, s.task_rows),
          value_ptrs_(exec, s.value_ptrs),
          n_(s.first.back())
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
                {task_ptrs_.data(), order_.data(), task_row_ptrs_.data(), task_rows_.data(), task_ptrs_.size() - 1}};
    }
    size_type num_task_rows() const { return task_rows_.size(); }

private:
    Array<I> first_, row_ptrs_, rows_, source_ptrs_, sources_, order_, task_ptrs_, task_row_ptrs_, task_rows_;
    Array<size_type> value_ptrs_;
    size_type n_;
};

}  // namespace linden::detail
