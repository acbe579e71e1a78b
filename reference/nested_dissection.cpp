#include "core/portable/nested_dissection.hpp"

namespace linden::reference {
namespace {

template <class V>
void gather(const Executor&, NestedDissectionView<V> m, DenseView<const V> b, DenseView<V> t)
{
    for (size_type row = 0; row < t.rows; ++row) {
        for (size_type col = 0; col < t.cols; ++col) {
            t(row, col) = gathered(m, b, row, col);
        }
    }
}

template <class V>
void expand(const Executor&, NestedDissectionView<V> m, DenseView<const V> b, DenseView<const V> t, DenseView<V> x)
{
    for (size_type position = 0; position < m.size; ++position) {
        for (size_type col = 0; col < x.cols; ++col) {
            x(m.order[position], col) = expanded(m, b, t, position, col);
        }
    }
}

}  // namespace

void register_nested_dissection()
{
    for_each_value([]<class V>() {
        nested_dissection_gather<V>.bind(Backend::reference, gather<V>);
        nested_dissection_expand<V>.bind(Backend::reference, expand<V>);
    });
}

}  // namespace linden::reference
