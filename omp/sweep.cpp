#include "core/kernels/sweep.hpp"

#include "omp/colours.hpp"
#include "omp/parallel.hpp"

namespace linden::omp {
namespace {

template <class V, int Width>
Pack<V, Width> difference(Pack<V, Width> a, const Pack<V, Width>& b)
{
    if constexpr (Pack<V, Width>::is_vector) {
        a.lanes -= b.lanes;
    } else {
        for (int lane = 0; lane < Width; ++lane) {
            a.lanes[lane] -= b.lanes[lane];
        }
    }
    return a;
}

/// x(targets) := w := a value for each row, by columns or packs of them.
template <class V, class I>
struct Ends {
    DenseView<V> w, x;
    const I* targets;

    void store(const V* values, size_type first, size_type count, size_type col) const
    {
        for (size_type i = 0; i < count; ++i) {
            w(first + i, col) = values[i];
        }
        for (size_type i = 0; i < count && targets != nullptr; ++i) {
            x(targets[first + i], col) = values[i];
        }
    }
    template <int Width>
    void store(const Pack<V, Width>& values, size_type p, size_type col) const
    {
        values.store(&w(p, col));
        if (targets != nullptr) {
            values.store(&x(targets[p], col));
        }
    }
};

/// w := scale b(sources) - sum
template <class V, class I>
struct ForwardStep {
    const V* scale;
    DenseView<const V> b;
    const I* sources;
    Ends<V, I> ends;

    size_type source(size_type p) const { return sources == nullptr ? p : size_type{sources[p]}; }
    void operator()(size_type first, size_type count, size_type col, V* sums) const
    {
        for (size_type i = 0; i < count; ++i) {
            sums[i] = multiply(scale[first + i], b(source(first + i), col)) - sums[i];
        }
        ends.store(sums, first, count, col);
    }
    template <int Width>
    void operator()(size_type p, size_type col, const Pack<V, Width>& sum) const
    {
        Pack<V, Width> result;
        result.add_product(scale[p], Pack<V, Width>::load(&b(source(p), col)));
        ends.store(difference(result, sum), p, col);
    }
};

/// w := w - sum
template <class V, class I>
struct BackwardStep {
    Ends<V, I> ends;

    void operator()(size_type first, size_type count, size_type col, V* sums) const
    {
        for (size_type i = 0; i < count; ++i) {
            sums[i] = ends.w(first + i, col) - sums[i];
        }
        ends.store(sums, first, count, col);
    }
    template <int Width>
    void operator()(size_type p, size_type col, const Pack<V, Width>& sum) const
    {
        ends.store(difference(Pack<V, Width>::load(&ends.w(p, col)), sum), p, col);
    }
};

template <class V, class S, class J>
void forward(const Executor& exec, ColourView<S, J> colour, const V* scale, DenseView<const V> b,
             const wide_index_t<J>* sources, DenseView<V> w, DenseView<V> x, const wide_index_t<J>* targets)
{
    const ForwardStep<V, wide_index_t<J>> step{scale, b, sources, {w, x, targets}};
    parallel_parts(exec, BlockPartition<S, J>{colour, w.cols}, [&](size_type begin, size_type end) {
        for_each_sum<SweepOrder::forward, V>(colour, begin, end, w, step);
    });
}

template <class V, class S, class J>
void backward(const Executor& exec, ColourView<S, J> colour, DenseView<V> w, DenseView<V> x,
              const wide_index_t<J>* targets)
{
    const BackwardStep<V, wide_index_t<J>> step{{w, x, targets}};
    const BlockPartition<S, J> partition{colour, w.cols};
    if (targets != nullptr || partition.num_slots() != 0) {
        parallel_parts(exec, partition, [&](size_type begin, size_type end) {
            for_each_sum<SweepOrder::backward, V>(colour, begin, end, w, step);
        });
    }
}

}  // namespace

void register_sweep()
{
    for_each_sell_type([]<class V, class S, class J>() {
        sweep_forward<V, S, J>.bind(Backend::omp, forward<V, S, J>);
        sweep_backward<V, S, J>.bind(Backend::omp, backward<V, S, J>);
    });
}

}  // namespace linden::omp
