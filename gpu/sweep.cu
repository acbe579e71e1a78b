#include "core/kernels/sweep.hpp"

#include "gpu/sweep_rows.cuh"

namespace linden::LINDEN_GPU_NAMESPACE {
namespace {

/// Where w goes beside itself.
template <class V, class I>
struct Targets {
    DenseView<V> x;
    const I* targets;

    __device__ I find(size_type p) const { return targets == nullptr ? I{} : targets[p]; }
    __device__ void store(I target, size_type col, V value) const
    {
        if (targets != nullptr) {
            x(target, col) = value;
        }
    }
};

/// w := scale b(sources) - sum
template <class V, class I>
struct ForwardStep : NothingToPrepare {
    using value_type = V;
    const V* scale;
    DenseView<const V> b;
    const I* sources;
    DenseView<V> gathered;  ///< w
    Targets<V, I> ends;

    struct Early {
        V scale;
        I source, target;
    };
    __device__ Early find(size_type p) const
    {
        return {scale[p], sources == nullptr ? static_cast<I>(p) : sources[p], ends.find(p)};
    }
    __device__ V load(Nothing, const Early& early, size_type, size_type col) const { return b(early.source, col); }
    __device__ void finish(Nothing, const Early& early, V value, size_type p, size_type col, V sum) const
    {
        const V result = early.scale * value - sum;
        gathered(p, col) = result;
        ends.store(early.target, col, result);
    }
};

/// w := w - sum
template <class V, class I>
struct BackwardStep : NothingToPrepare {
    using value_type = V;
    DenseView<V> gathered;  ///< w
    Targets<V, I> ends;

    __device__ I find(size_type p) const { return ends.find(p); }
    __device__ V load(Nothing, I, size_type p, size_type col) const { return gathered(p, col); }
    __device__ void finish(Nothing, I target, V value, size_type p, size_type col, V sum) const
    {
        const V result = value - sum;
        gathered(p, col) = result;
        ends.store(target, col, result);
    }
};

template <class V, class S, class J>
void forward(const Executor& exec, ColourView<S, J> colour, const V* scale, DenseView<const V> b,
             const wide_index_t<J>* sources, DenseView<V> w, DenseView<V> x, const wide_index_t<J>* targets)
{
    using Step = ForwardStep<device_type<V>, wide_index_t<J>>;
    sweep_colour<sell_min_blocks<V, J>, false>(
        exec, device_rows(colour),
        Step{{}, as_device(scale), as_device(b), sources, as_device(w), {as_device(x), targets}});
}

template <class V, class S, class J>
void backward(const Executor& exec, ColourView<S, J> colour, DenseView<V> w, DenseView<V> x,
              const wide_index_t<J>* targets)
{
    const bool is_empty = colour.entries.layout.slice_ptrs == nullptr && colour.entries.layout.width == 0;
    if (is_empty && targets == nullptr) {
        return;
    }
    using Step = BackwardStep<device_type<V>, wide_index_t<J>>;
    sweep_colour<sell_min_blocks<V, J>, true>(exec, device_rows(colour),
                                              Step{{}, as_device(w), {as_device(x), targets}});
}

}  // namespace

void register_sweep()
{
    for_each_sell_type([]<class V, class S, class J>() {
        sweep_forward<V, S, J>.bind(this_backend, forward<V, S, J>);
        sweep_backward<V, S, J>.bind(this_backend, backward<V, S, J>);
    });
}

}  // namespace linden::LINDEN_GPU_NAMESPACE
