#include "core/kernels/sweep.hpp"

#include "reference/sell_rows.hpp"

namespace linden::reference {
namespace {

template <class V, class S, class J>
void forward(const Executor&, ColourView<S, J> colour, const V* scale, DenseView<const V> b,
             const wide_index_t<J>* sources, DenseView<V> w, DenseView<V> x, const wide_index_t<J>* targets)
{
    for_each_row_forward(colour, [&](size_type row, size_type p) {
        const size_type source = sources == nullptr ? p : sources[p];
        for (size_type col = 0; col < w.cols; ++col) {
            w(p, col) = scale[p] * b(source, col) - row_product<V>(colour.entries, row, w, col);
            if (targets != nullptr) {
                x(targets[p], col) = w(p, col);
            }
        }
    });
}

template <class V, class S, class J>
void backward(const Executor&, ColourView<S, J> colour, DenseView<V> w, DenseView<V> x, const wide_index_t<J>* targets)
{
    for_each_row_backward(colour, [&](size_type row, size_type p) {
        for (size_type col = 0; col < w.cols; ++col) {
            w(p, col) -= row_product<V>(colour.entries, row, w, col);
            if (targets != nullptr) {
                x(targets[p], col) = w(p, col);
            }
        }
    });
}

}  // namespace

void register_sweep()
{
    for_each_sell_type([]<class V, class S, class J>() {
        sweep_forward<V, S, J>.bind(Backend::reference, forward<V, S, J>);
        sweep_backward<V, S, J>.bind(Backend::reference, backward<V, S, J>);
    });
}

}  // namespace linden::reference
