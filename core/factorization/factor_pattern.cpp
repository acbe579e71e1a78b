#include "core/factorization/factor_pattern.hpp"

#include <algorithm>

#include "core/kernels/ilu_fill.hpp"
#include "core/matrix/pattern_operations.hpp"

// instantiate: detail::Pattern<I> detail::pattern_without_fill<I>(const Executor&, PatternView<I>, bool)
// instantiate: detail::Pattern<I> detail::pattern_with_levels<I>(const Executor&, PatternView<I>, size_type, bool)
// instantiate: Array<I> detail::source_of<I>(const Executor&, PatternView<I>, PatternView<I>)

namespace linden::detail {
namespace {

/// The upper triangle of ILU(k)'s pattern.
template <class I>
Pattern<I> upper_fill(const Executor& host, PatternView<I> a, size_type k)
{
    const auto parts = static_cast<size_type>(std::max(host.info().num_units, 1));
    Array<std::byte> memory(host, ilu_fill_workspace_bytes(a.rows, parts));
    const WorkspaceView workspace{memory.data(), memory.size()};
    return make_pattern<I>(
        host, a.size(), false, [&](I* counts) { ilu_fill_count<I>(host, a, k, counts, workspace); },
        [&](Pattern<I>& u, WorkspaceView) {
            ilu_fill<I>(host, a, k, u.row_ptrs.data(), u.col_idxs.data(), workspace);
        });
}

/// The rows of `lower` without the diagonal, their last entry, followed by those of `upper`. In host memory.
template <class I>
Pattern<I> joined(const Executor& host, const Pattern<I>& lower, const Pattern<I>& upper)
{
    const auto n = upper.size.rows;
    const auto nnz = lower.source.size() + upper.source.size() - n;
    Pattern<I> f{upper.size, Array<I>(host, n + 1), Array<I>(host, nnz)};
    I* out = f.col_idxs.data();
    for (size_type row = 0; row < n; ++row) {
        f.row_ptrs.data()[row] = static_cast<I>(out - f.col_idxs.data());
        const I* const l = lower.row_ptrs.data() + row;
        const I* const u = upper.row_ptrs.data() + row;
        out = std::copy(lower.col_idxs.data() + l[0], lower.col_idxs.data() + l[1] - 1, out);
        out = std::copy(upper.col_idxs.data() + u[0], upper.col_idxs.data() + u[1], out);
    }
    f.row_ptrs.data()[n] = static_cast<I>(nnz);
    return f;
}

}  // namespace

Executor host_beside(const Executor& exec)
{
    if (exec.is_host()) {
        return exec;
    }
    return backend_info(Backend::omp).built ? Executor::omp() : Executor::reference();
}

template <class I>
Array<I> source_of(const Executor& exec, PatternView<I> f, PatternView<I> a)
{
    Array<I> source(exec, f.num_nonzeros);
    pattern_locate<I>(exec, f, a, source.data());
    return source;
}

template <class I>
Pattern<I> pattern_without_fill(const Executor& exec, PatternView<I> a, bool is_cholesky)
{
    if (!is_cholesky) {
        return pattern_with_diagonal(exec, a);
    }
    return triangle_with_diagonal(exec, a, Side::lower, false);
}

template <class I>
Pattern<I> pattern_with_levels(const Executor& exec, PatternView<I> a, size_type k, bool is_cholesky)
{
    const auto host = host_beside(exec);
    Array<I> row_ptrs(host, a.rows + 1);
    Array<I> col_idxs(host, a.num_nonzeros);
    copy_bytes(exec, a.row_ptrs, host, row_ptrs.data(), row_ptrs.bytes());
    copy_bytes(exec, a.col_idxs, host, col_idxs.data(), col_idxs.bytes());
    const PatternView<I> there{a.rows, a.cols, a.num_nonzeros, row_ptrs.data(), col_idxs.data()};
    auto upper = upper_fill(host, there, k);
    // The lower triangle is that of A^T, transposed; a Cholesky factor is the transpose of the upper one.
    const auto other = is_cholesky ? Pattern<I>{{}, Array<I>(host), Array<I>(host)}
                                   : upper_fill(host, transposed_pattern(host, there).view(), k);
    auto lower = transposed_pattern(host, (is_cholesky ? upper : other).view());
    auto f = is_cholesky ? std::move(lower) : joined(host, lower, upper);
    Pattern<I> here{a.size(), f.row_ptrs.clone(exec), f.col_idxs.clone(exec)};
    here.source = source_of(exec, here.view(), a);
    return here;
}

}  // namespace linden::detail
