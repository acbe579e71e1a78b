#include "core/kernels/cg_stencils.hpp"

#include <vector>

#include "reference/stencil_rows.hpp"
#include "reference/whole_cg.hpp"

namespace linden::reference {
namespace {

/// Hosts keep no vectors in fast memory: the steps are those of the cluster variant.
template <class V, class I>
void run_stencils(const Executor&, WholeStencilSolve<V, I> solve, DenseView<V> p, WorkspaceView,
                  StopView<real_t<V>> stop)
{
    std::vector<V> q(static_cast<std::size_t>(p.rows));
    const auto multiply = [&](size_type row) {
        return stencil_product(solve.a, solve.a.values, row, [&](size_type j) { return p(j, 0); });
    };
    run_cg_with(solve, multiply, p, {p.rows, 1, 1, q.data()}, stop);
}

}  // namespace

void register_cg_stencils()
{
    for_each_value_index(
        []<class V, class I>() { cg_run_stencils<V, I>.bind(Backend::reference, run_stencils<V, I>); });
}

}  // namespace linden::reference
