#include "core/kernels/cg_persistent.hpp"

#include <vector>

#include "reference/whole_cg.hpp"

namespace linden::reference {
namespace {

/// Hosts keep no vectors in fast memory: the steps are those of the cluster variant.
template <class V, class I>
void run_persistent(const Executor& exec, WholeSolve<V, I> solve, DenseView<V> p, WorkspaceView,
                    StopView<real_t<V>> stop)
{
    std::vector<V> q(static_cast<std::size_t>(p.rows));
    run_cg<V, I>(exec, solve, p, {p.rows, 1, 1, q.data()}, stop);
}

}  // namespace

void register_cg_persistent()
{
    for_each_value_index(
        []<class V, class I>() { cg_run_persistent<V, I>.bind(Backend::reference, run_persistent<V, I>); });
}

}  // namespace linden::reference
