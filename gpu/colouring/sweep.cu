#include "core/kernels/sweep.hpp"

#include "gpu/colouring/sweep_parts.cuh"
#include "gpu/colouring/sweep_rows.cuh"

namespace linden::LINDEN_GPU_NAMESPACE {
namespace {

/// Where w goes beside itself. T: V, or a pack of columns.
template <class T, class I>
struct Targets {
    DenseView<scalar_of<T>> x;
    const I* targets;

    __device__ I find(size_type p) const { return targets == nullptr ? I{} : targets[p]; }
    __device__ void store(I target, size_type col, const T& value) const
    {
        if (targets != nullptr) {
            store_columns(x, target, col, value);
        }
    }
};

/// w := scale b(sources) - sum
template <class T, class I>
struct ForwardStep : NothingToPrepare {
    using value_type = T;
    using V = scalar_of<T>;
    const V* scale;
    DenseView<const V> b;
    const I* sources;
    DenseView<V> gathered;  ///< w
    Targets<T, I> ends;

    struct Early {
        V scale;
        I source, target;
    };
    __device__ Early find(size_type p) const
    {
        return {scale[p], sources == nullptr ? static_cast<I>(p) : sources[p], ends.find(p)};
    }
    __device__ T load(Nothing, const Early& early, size_type, size_type col) const
    {
        return load_columns<T>(b, early.source, col);
    }
    __device__ void finish(Nothing, const Early& early, const T& value, size_type p, size_type col, const T& sum) const
    {
        const T result = early.scale * value - sum;
        store_columns(gathered, p, col, result);
        ends.store(early.target, col, result);
    }
};

/// w := w - sum
template <class T, class I>
struct BackwardStep : NothingToPrepare {
    using value_type = T;
    DenseView<scalar_of<T>> gathered;  ///< w
    Targets<T, I> ends;

    __device__ I find(size_type p) const { return ends.find(p); }
    __device__ T load(Nothing, I, size_type p, size_type col) const { return load_columns<T>(gathered, p, col); }
    __device__ void finish(Nothing, I target, const T& value, size_type p, size_type col, const T& sum) const
    {
        const T result = value - sum;
        store_columns(gathered, p, col, result);
        ends.store(target, col, result);
    }
};

/// Calls make(T) for the step with values of type T, by the shape of the colour and the vectors.
template <bool reversed, class V, class S, class J, class MakeStep, class... Views>
void sweep(const Executor& exec, const ColourRows<S, J>& colour, const MakeStep& make, const Views&... views)
{
    using T = WidePack<V>;
    if (has_long_rows(colour)) {
        sweep_long(exec, colour, make(std::type_identity<V>()));
        return;
    }
    if constexpr (num_columns_of < T >> 1) {
        if ((fits_packs<T>(views) && ...)) {
            sweep_colour_packs<reversed>(exec, colour, make(std::type_identity<T>()));
            return;
        }
    }
    const auto step = make(std::type_identity<V>());
    if (detail::is_one_column(step.gathered) && has_parted_rows(colour)) {
        sweep_in_parts<sell_min_blocks<V, J>>(exec, colour, step);
        return;
    }
    sweep_colour<sell_min_blocks<V, J>, reversed>(exec, colour, step);
}

template <class V, class S, class J>
void forward(const Executor& exec, ColourView<S, J> colour, const V* scale, DenseView<const V> b,
             const wide_index_t<J>* sources, DenseView<V> w, DenseView<V> x, const wide_index_t<J>* targets)
{
    const auto make = [&]<class T>(std::type_identity<T>) {
        return ForwardStep<T, wide_index_t<J>>{{},      as_device(scale), as_device(b),
                                               sources, as_device(w),     {as_device(x), targets}};
    };
    sweep<false, device_type<V>>(exec, device_rows(colour), make, b, w, x);
}

template <class V, class S, class J>
void backward(const Executor& exec, ColourView<S, J> colour, DenseView<V> w, DenseView<V> x,
              const wide_index_t<J>* targets)
{
    const bool is_empty = colour.entries.layout.slice_ptrs == nullptr && colour.entries.layout.width == 0;
    if (is_empty && targets == nullptr) {
        return;
    }
    const auto make = [&]<class T>(std::type_identity<T>) {
        return BackwardStep<T, wide_index_t<J>>{{}, as_device(w), {as_device(x), targets}};
    };
    sweep<true, device_type<V>>(exec, device_rows(colour), make, w, x);
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
