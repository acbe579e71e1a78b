#include "core/colouring/colouring.hpp"

#include <linden/error.hpp>

#include <string>

#include "core/matrix/pattern_arithmetic.hpp"
#include "core/matrix/pattern_operations.hpp"
#include "core/matrix/square.hpp"

// instantiate: Colouring<I> find_colouring<V, I>(const Csr<V, I>&, const ColouringOptions&)
// instantiate: size_type num_conflicts<V, I>(const Colouring<I>&, const Csr<V, I>&)
// instantiate: bool is_valid<V, I>(const Colouring<I>&, const Csr<V, I>&)
// instantiate: Array<I> maximal_independent_set<V, I>(const Csr<V, I>&, int, size_type)
// instantiate: detail::Pattern<I> detail::symmetric_pattern<I>(const Executor&, PatternView<I>)
// instantiate: detail::Pattern<I> detail::block_pattern<I>(const Executor&, PatternView<I>, size_type)

namespace linden {
namespace detail {
namespace {

/// The pairs of rows at distance at most two.  a: symmetric.
template <class I>
Pattern<I> squared_pattern(const Executor& exec, PatternView<I> a)
{
    const auto with_diagonal = pattern_with_diagonal(exec, a);
    return product_of_patterns(exec, with_diagonal.view(), with_diagonal.view(), "pairs of distance 2");
}

}  // namespace

template <class I>
Pattern<I> symmetric_pattern(const Executor& exec, PatternView<I> a)
{
    if (is_symmetric(exec, a)) {
        return Pattern<I>::viewing(exec, a);
    }
    return sum_of_patterns(exec, a, transposed_pattern(exec, a).view(), "A + A^T");
}

template <class I>
Pattern<I> block_pattern(const Executor& exec, PatternView<I> a, size_type block_rows)
{
    if (block_rows == 1) {
        return Pattern<I>::viewing(exec, a);
    }
    const size_type num_blocks = (a.rows + block_rows - 1) / block_rows;
    Array<I> row_ptrs(exec, num_blocks + 1);
    Array<I> col_idxs(exec, a.num_nonzeros);
    colouring_quotient<I>(exec, a, block_rows, row_ptrs.data(), col_idxs.data());
    return {{num_blocks, num_blocks}, std::move(row_ptrs), std::move(col_idxs)};
}

}  // namespace detail

namespace {

constexpr std::string_view algorithm_names[] = {"greedy", "jones_plassmann"};

}  // namespace

void ColouringOptions::describe(ParameterVisitor& v)
{
    v.choice("colouring", algorithm, algorithm_names, "colouring algorithm");
    v("block_rows", block_rows, "rows per block; the consecutive rows of a block share a colour");
    v("balance", balance, "move rows from large colours to small ones");
}

template <class V, class I>
Colouring<I> find_colouring(const Csr<V, I>& matrix, const ColouringOptions& options)
{
    detail::square("find_colouring", matrix.size());
    return detail::colour_pattern<I>(matrix.executor(), matrix.view(), options);
}

template <class V, class I>
size_type num_conflicts(const Colouring<I>& colouring, const Csr<V, I>& matrix)
{
    const auto& exec = matrix.executor();
    if (!(colouring.colours.executor() == exec)) {
        throw InvalidParameter("colouring", "on " + colouring.colours.executor().name(),
                               "on the matrix's executor, " + exec.name());
    }
    if (matrix.size() != Dim{colouring.num_rows, colouring.num_rows}) {
        throw DimensionMismatch("num_conflicts", "the colouring", {colouring.num_rows, colouring.num_rows},
                                "the matrix", matrix.size());
    }
    const auto blocks = detail::block_pattern<I>(exec, matrix.view(), colouring.block_rows);
    Array<size_type> count(exec, 1);
    colouring_validate<I>(exec, blocks.view(), colouring.num_colours, colouring.colours.data(), count.data());
    return count.to_host().front();
}

template <class V, class I>
bool is_valid(const Colouring<I>& colouring, const Csr<V, I>& matrix)
{
    return num_conflicts(colouring, matrix) == 0;
}

template <class V, class I>
Array<I> maximal_independent_set(const Csr<V, I>& matrix, int distance, size_type seed)
{
    const auto& exec = matrix.executor();
    const size_type n = detail::square("maximal_independent_set", matrix.size()).rows;
    if (distance != 1 && distance != 2) {
        throw InvalidParameter("distance", std::to_string(distance), "1 or 2");
    }
    auto pattern = detail::symmetric_pattern<I>(exec, matrix.view());
    if (distance == 2) {
        pattern = detail::squared_pattern(exec, pattern.view());
    }
    Array<I> order(exec, n), rank(exec, n), is_member(exec, n);
    colouring_hashed_order<I>(exec, n, static_cast<std::uint64_t>(seed), order.data(), rank.data());
    Array<std::byte> workspace(exec, colouring_workspace_bytes(n));
    colouring_independent_set<I>(exec, pattern.view(), {order.data(), rank.data()}, is_member.data(),
                                 {workspace.data(), workspace.size()});
    return is_member;
}

}  // namespace linden
