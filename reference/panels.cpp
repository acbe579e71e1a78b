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

template <class V, class I>
void solve(const Executor&, PanelFactorView<I> f, const V* values, DenseView<V> x)
{
    const auto& a = f.pattern;
    for (size_type j = 0; j < x.cols; ++j) {
        for (size_type i = 0; i < a.rows; ++i) {  // x := L^-1 x
            for (I k = a.row_ptrs[i]; k < f.diagonal[i]; ++k) {
                x.values[i * x.stride + j] -= values[k] * x.values[a.col_idxs[k] * x.stride + j];
            }
        }
        for (size_type i = a.rows; i-- > 0;) {  // x := U^-1 x
            for (I k = f.diagonal[i] + 1; k < a.row_ptrs[i + 1]; ++k) {
                x.values[i * x.stride + j] -= values[k] * x.values[a.col_idxs[k] * x.stride + j];
            }
            x.values[i * x.stride + j] /= values[f.diagonal[i]];
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
