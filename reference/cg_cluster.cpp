#include "core/kernels/cg_cluster.hpp"

#include "reference/whole_cg.hpp"

namespace linden::reference {

void register_cg_cluster()
{
    for_each_value_index([]<class V, class I>() { cg_run_cluster<V, I>.bind(Backend::reference, run_cg<V, I>); });
}

}  // namespace linden::reference
