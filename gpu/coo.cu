#include "core/kernels/coo.hpp"

#include "gpu/chunks.cuh"

namespace linden::LINDEN_GPU_NAMESPACE {
namespace {

template <class V, class I>
void spmv_add(const Executor& exec, CooView<V, I> a, Scalar<V> alpha, DenseView<const V> b, DenseView<V> x,
              WorkspaceView workspace)
{
    multiply_by_chunks<device_type<V>, I>(exec, CooRows<I>{a.num_nonzeros, a.row_idxs}, a.num_nonzeros, a.col_idxs,
                                          as_device(a.values), as_device(alpha), as_device(b), as_device(x), workspace);
}

}  // namespace

void register_coo()
{
    for_each_value_index([]<class V, class I>() { coo_spmv_add<V, I>.bind(this_backend, spmv_add<V, I>); });
}

}  // namespace linden::LINDEN_GPU_NAMESPACE
