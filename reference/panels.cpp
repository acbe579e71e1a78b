#include "core/kernels/panels.hpp"

#include "core/base/math.hpp"
#include "reference/lu_rows.hpp"

namespace linden::reference {
namespace {

template <class V, class I>
void factorize(const Executor&, PanelFactorView<I> f, PivotLimits<real_t<V>> limits, V* values, PivotReport* report,
               WorkspaceView)
{
    factorize_lu_rows(f.pattern, f.diagonal, limits, values, report);
}

/// x(i, j) -= the sum of values[k] x(cols[k], j), begin <= k < end
template <class V, class I>
void subtract_row(const I* cols, const V* values, I begin, I end, size_type i, size_type j, DenseView<V> x)
{
    for (I k = begin; k < end; ++k) {
        x.values[i * x.stride + j] -= values[k] * x.values[cols[k] * x.stride + j];
    }
}

template <class V, class I>
void solve(const Executor&, PanelFactorView<I> f, const V* values, DenseView<V> x)
{
    const auto &a = f.pattern, &out = f.outside.pattern;
    const bool has_blocks = f.outside.num_blocks > 0;
    for (size_type j = 0; j < x.cols; ++j) {
        for (size_type b = has_blocks ? f.outside.num_blocks : 1; b-- > 0;) {
            const size_type begin = has_blocks ? size_type{f.outside.block_ptrs[b]} : 0;
            const size_type end = has_blocks ? size_type{f.outside.block_ptrs[b + 1]} : a.rows;
            for (size_type i = begin; i < end; ++i) {  // x := L^-1 (x - what is outside)
                if (has_blocks) {
                    subtract_row(out.col_idxs, values + a.num_nonzeros, out.row_ptrs[i], out.row_ptrs[i + 1], i, j, x);
                }
                subtract_row(a.col_idxs, values, a.row_ptrs[i], f.diagonal[i], i, j, x);
            }
            for (size_type i = end; i-- > begin;) {  // x := U^-1 x
                subtract_row(a.col_idxs, values, I(f.diagonal[i] + 1), a.row_ptrs[i + 1], i, j, x);
                x.values[i * x.stride + j] /= values[f.diagonal[i]];
            }
        }
    }
}

}  // namespace

void register_panels()
{
    for_each_value_index([]<class V, class I>() {
        panels_factorize<V, I>.bind(Backend::reference, factorize<V, I>);
        panels_solve<V, I>.bind(Backend::reference, solve<V, I>);
    });
}

}  // namespace linden::reference
