#pragma once

#include <string_view>

#include "core/kernels/spgeam.hpp"
#include "core/kernels/spgemm.hpp"
#include "core/matrix/pattern_operations.hpp"

/// Patterns of products, sums and powers, rows sorted. They wait for the executor.
/// @throws InvalidParameter naming `what` if I cannot hold the number of entries
namespace linden::detail {

/// a b, whose entries have been counted: how many there are is in `num_nonzeros`, on the executor. Making it does not
/// wait.
template <class I>
class CountedProduct {
public:
    CountedProduct(const Executor& exec, PatternView<I> a, PatternView<I> b)
        : a_(a),
          b_(b),
          memory_(exec, workspace_bytes(exec, a, b)),
          row_ptrs_(exec, a.rows + 1),
          num_nonzeros_(exec, 1)
    {
        spgemm_count<I>(exec, a, b, row_ptrs_.data(), workspace());
        scan_counts(row_ptrs_, num_nonzeros_.data());
    }

    const Array<std::int64_t>& num_nonzeros() const { return num_nonzeros_; }
    /// found: what `num_nonzeros` holds. Called once.
    Pattern<I> fill(std::int64_t found, std::string_view what)
    {
        require_fits<I>(found, what);
        const auto& exec = memory_.executor();
        Array<I> col_idxs(exec, found);
        spgemm_fill<I>(exec, a_, b_, row_ptrs_.data(), col_idxs.data(), workspace());
        return {{a_.rows, b_.cols}, std::move(row_ptrs_), std::move(col_idxs)};
    }

private:
    static size_type workspace_bytes(const Executor& exec, PatternView<I> a, PatternView<I> b)
    {
        size_type bytes = 0;
        spgemm_workspace<I>(exec, a, b, 0, &bytes);
        return bytes;
    }
    WorkspaceView workspace() { return {memory_.data(), memory_.size()}; }

    PatternView<I> a_, b_;
    Array<std::byte> memory_;
    Array<I> row_ptrs_;
    Array<std::int64_t> num_nonzeros_;
};

/// a b
template <class I>
Pattern<I> product_of_patterns(const Executor& exec, PatternView<I> a, PatternView<I> b, std::string_view what)
{
    CountedProduct<I> product(exec, a, b);
    return product.fill(product.num_nonzeros().to_host().front(), what);
}

/// a + b
template <class I>
Pattern<I> sum_of_patterns(const Executor& exec, PatternView<I> a, PatternView<I> b, std::string_view what)
{
    return make_plain_pattern<I>(
        exec, a.size(), what, [&](I* counts) { spgeam_count<I>(exec, a, b, counts); },
        [&](Pattern<I>& c) { spgeam_fill<I>(exec, a, b, c.row_ptrs.data(), c.col_idxs.data()); });
}

/// a and the diagonal, to the power of `power` >= 1.  a: n x n, sorted rows.
template <class I>
Pattern<I> pattern_of_power(const Executor& exec, PatternView<I> a, size_type power)
{
    const auto base = pattern_with_diagonal(exec, a);
    Pattern<I> result{a.size(), base.row_ptrs.clone(), base.col_idxs.clone()};
    for (size_type factor = 1; factor < power; ++factor) {
        result = product_of_patterns(exec, result.view(), base.view(), "the power");
    }
    return result;
}

}  // namespace linden::detail
