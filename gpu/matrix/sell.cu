#include "core/kernels/sell.hpp"

#include "gpu/matrix/row_products.cuh"
#include "gpu/matrix/sell_rows.cuh"

namespace linden::LINDEN_GPU_NAMESPACE {
namespace {

template <class V, class S, class J>
void spmv(const Executor& exec, SellView<S, J> a, Scalar<V> alpha, DenseView<const V> b, Scalar<V> beta, DenseView<V> x)
{
    using D = device_type<V>;
    multiply_rows<sell_min_blocks<V, J>>(exec, device_rows(a), as_device(b),
                                         StoreRow<D>{as_device(alpha), as_device(beta), as_device(x)});
}

template <class V, class S, class J>
void spmv_dot(const Executor& exec, SellView<S, J> a, DenseView<const V> b, DenseView<V> x, DenseView<const V> w, V* wx,
              V* xx, WorkspaceView workspace)
{
    multiply_rows_dot(exec, device_rows(a), as_device(b), as_device(x), as_device(w), as_device(wx), as_device(xx),
                      workspace);
}

}  // namespace

void register_sell()
{
    for_each_sell_type([]<class V, class S, class J>() {
        sell_spmv<V, S, J>.bind(this_backend, spmv<V, S, J>);
        sell_spmv_dot<V, S, J>.bind(this_backend, spmv_dot<V, S, J>);
    });
}

}  // namespace linden::LINDEN_GPU_NAMESPACE
