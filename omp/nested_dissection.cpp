#include "core/portable/nested_dissection.hpp"

#include "omp/few_rows.hpp"

namespace linden::omp {
namespace {

template <class V>
void gather(const Executor& exec, NestedDissectionView<V> m, DenseView<const V> b, DenseView<V> t)
{
    parallel_parts(exec, FewRows{t.rows, t.rows * m.separators * t.cols}, [&](size_type begin, size_type end) {
        for (size_type row = begin; row < end; ++row) {
            for (size_type col = 0; col < t.cols; ++col) {
                t(row, col) = gathered(m, b, row, col);
            }
        }
    });
}

template <class V>
void expand(const Executor& exec, NestedDissectionView<V> m, DenseView<const V> b, DenseView<const V> t, DenseView<V> x)
{
    const size_type work = m.size * (m.size - m.separators + 1) * x.cols;
    parallel_parts(exec, FewRows{m.size, work}, [&](size_type begin, size_type end) {
        for (size_type position = begin; position < end; ++position) {
            for (size_type col = 0; col < x.cols; ++col) {
                x(m.order[position], col) = expanded(m, b, t, position, col);
            }
        }
    });
}

}  // namespace

void register_nested_dissection()
{
    for_each_value([]<class V>() {
        nested_dissection_gather<V>.bind(Backend::omp, gather<V>);
        nested_dissection_expand<V>.bind(Backend::omp, expand<V>);
    });
}

}  // namespace linden::omp
