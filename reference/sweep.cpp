#include "core/kernels/sweep.hpp"

namespace linden::reference {
namespace {

/// Sum over the entries of row `row` of the colour of values[k] w(cols[k], col).
template <class V, class S, class J>
V row_product(const SellView<S, J>& a, size_type row, DenseView<V> w, size_type col)
{
    const auto& layout = a.layout;
    const size_type slice = layout.slice_of(row);
    V sum{};
    for (size_type c = layout.first_column(slice); c < layout.last_column(slice); ++c) {
        const size_type entry = c * layout.slice_rows + row - slice * layout.slice_rows;
        if (a.col_idxs[entry] != no_column<J>) {
            const size_type base = a.bases == nullptr ? 0 : a.bases[c];
            sum += static_cast<V>(a.values[entry]) * w(base + a.col_idxs[entry], col);
        }
    }
    return sum;
}

template <class V, class S, class J>
void forward(const Executor&, ColourView<S, J> colour, const V* scale, DenseView<const V> b,
             const wide_index_t<J>* sources, DenseView<V> w, DenseView<V> x, const wide_index_t<J>* targets)
{
    for (size_type block = 0; block < colour.num_blocks(); ++block) {
        for (size_type j = 0; j < colour.rows_of(block); ++j) {
            const size_type row = colour.row(j, block);
            const size_type p = colour.first + row;
            const size_type source = sources == nullptr ? p : sources[p];
            for (size_type col = 0; col < w.cols; ++col) {
                w(p, col) = scale[p] * b(source, col) - row_product(colour.entries, row, w, col);
                if (targets != nullptr) {
                    x(targets[p], col) = w(p, col);
                }
            }
        }
    }
}

template <class V, class S, class J>
void backward(const Executor&, ColourView<S, J> colour, DenseView<V> w, DenseView<V> x, const wide_index_t<J>* targets)
{
    for (size_type block = 0; block < colour.num_blocks(); ++block) {
        for (size_type j = colour.rows_of(block) - 1; j >= 0; --j) {
            const size_type row = colour.row(j, block);
            const size_type p = colour.first + row;
            for (size_type col = 0; col < w.cols; ++col) {
                w(p, col) -= row_product(colour.entries, row, w, col);
                if (targets != nullptr) {
                    x(targets[p], col) = w(p, col);
                }
            }
        }
    }
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
