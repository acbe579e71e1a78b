#include "core/kernels/richardson.hpp"

#include "gpu/vector/columns.cuh"

namespace linden::LINDEN_GPU_NAMESPACE {
namespace {

/// x := x + alpha z
template <class V>
struct UpdateSolution {
    using R = device_real<V>;
    const V* alpha;
    DenseView<const V> z;
    DenseView<V> x;
    StopView<R> stop;

    /// 0 where the column stays.
    __device__ V prepare(size_type col) const
    {
        const V length = alpha[col];
        return stop.status[col] == SolveStatus::not_a_number ? V{} : length;
    }
    template <int N>
    __device__ void operator()(Place<N> at, V length) const
    {
        if (!(length == V{})) {
            at.store(x, at.load(x) + length * at.load(z));
        }
    }
};

template <class V>
void update_solution(const Executor& exec, const V* alpha, DenseView<const V> z, DenseView<V> x,
                     StopView<real_t<V>> stop)
{
    const UpdateSolution<device_type<V>> step{as_device(alpha), as_device(z), as_device(x), stop};
    map_columns(exec, step, step.x, step.z);
}

}  // namespace

void register_richardson()
{
    for_each_value([]<class V>() { richardson_update_solution<V>.bind(this_backend, update_solution<V>); });
}

}  // namespace linden::LINDEN_GPU_NAMESPACE
