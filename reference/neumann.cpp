#include "core/kernels/neumann.hpp"

#include "reference/sell_rows.hpp"

namespace linden::reference {
namespace {

template <class V, class S, class J>
void term(const Executor&, SellView<S, J> t, const V* d, DenseView<const V> b, DenseView<const V> y, DenseView<V> x)
{
    for (size_type row = 0; row < x.rows; ++row) {
        for (size_type col = 0; col < x.cols; ++col) {
            const V difference = b(row, col) - row_product(t, row, y, col);
            x(row, col) = d == nullptr ? difference : d[row] * difference;
        }
    }
}

}  // namespace

void register_neumann()
{
    for_each_sell_type(
        []<class V, class S, class J>() { neumann_term<V, S, J>.bind(Backend::reference, term<V, S, J>); });
}

}  // namespace linden::reference
