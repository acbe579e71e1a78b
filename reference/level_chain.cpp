#include "core/kernels/level_chain.hpp"

#include "reference/sell_rows.hpp"

namespace linden::reference {
namespace {

template <class V, class S, class I>
void forward(const Executor&, ColourView<S, I> rows, const V* scale, DenseView<const V> b, const I* sources,
             DenseView<V> w, DenseView<V> last, WorkspaceView)
{
    const size_type first_last = rows.num_rows() - last.rows;
    for (size_type row = 0; row < rows.num_rows(); ++row) {
        const size_type p = rows.first + row;
        w(p, 0) = scale[p] * b(sources[p], 0) - row_product<V>(rows.entries, row, w, 0);
        if (row >= first_last) {
            last(row - first_last, 0) = w(p, 0);
        }
    }
}

template <class V, class S, class I>
void backward(const Executor&, ColourView<S, I> rows, DenseView<V> w, DenseView<V> x, const I* targets, WorkspaceView)
{
    for (size_type row = rows.num_rows() - 1; row >= 0; --row) {
        const size_type p = rows.first + row;
        w(p, 0) -= row_product<V>(rows.entries, row, w, 0);
        x(targets[p], 0) = w(p, 0);
    }
}

}  // namespace

void register_level_chain()
{
    for_each_chain_type([]<class V, class S, class I>() {
        level_chain_forward<V, S, I>.bind(Backend::reference, forward<V, S, I>);
        level_chain_backward<V, S, I>.bind(Backend::reference, backward<V, S, I>);
    });
}

}  // namespace linden::reference
