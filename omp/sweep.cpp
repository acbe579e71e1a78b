#include "core/kernels/sweep.hpp"

#include "omp/colours.hpp"
#include "omp/parallel.hpp"

namespace linden::omp {
namespace {

/// x(targets[first + i], col) := w(first + i, col) := values[i]
template <class V, class I>
void store(const V* values, size_type first, size_type count, size_type col, DenseView<V> w, DenseView<V> x,
           const I* targets)
{
    for (size_type i = 0; i < count; ++i) {
        w(first + i, col) = values[i];
    }
    for (size_type i = 0; i < count && targets != nullptr; ++i) {
        x(targets[first + i], col) = values[i];
    }
}

template <class V, class S, class J>
void forward(const Executor& exec, ColourView<S, J> colour, const V* scale, DenseView<const V> b,
             const wide_index_t<J>* sources, DenseView<V> w, DenseView<V> x, const wide_index_t<J>* targets)
{
    const auto step = [&](size_type first, size_type count, size_type col, V* sums) {
        for (size_type i = 0; i < count; ++i) {
            const size_type source = sources == nullptr ? first + i : sources[first + i];
            sums[i] = multiply(scale[first + i], b(source, col)) - sums[i];
        }
        store(sums, first, count, col, w, x, targets);
    };
    parallel_parts(exec, BlockPartition<S, J>{colour, w.cols}, [&](size_type begin, size_type end) {
        for_each_sum<SweepOrder::forward, V>(colour, begin, end, w, step);
    });
}

template <class V, class S, class J>
void backward(const Executor& exec, ColourView<S, J> colour, DenseView<V> w, DenseView<V> x,
              const wide_index_t<J>* targets)
{
    const auto step = [&](size_type first, size_type count, size_type col, V* sums) {
        for (size_type i = 0; i < count; ++i) {
            sums[i] = w(first + i, col) - sums[i];
        }
        store(sums, first, count, col, w, x, targets);
    };
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
