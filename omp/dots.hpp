#pragma once

#include "core/base/math.hpp"
#include "omp/parallel.hpp"

/// Inner products that kernels form of the rows they have just written, while those are in the cache.
namespace linden::omp {

/// sums[col] += w^H x, sums[cols + col] += x^H x over the rows row_at(first), ..., row_at(last - 1).
template <class V, class RowAt>
void add_dots(size_type first, size_type last, const RowAt& row_at, DenseView<const V> w, DenseView<V> x, V* sums)
{
    for (size_type col = 0; col < x.cols; ++col) {
        V sum_wx{};
        V sum_xx{};
        for (size_type i = first; i < last; ++i) {
            const V value = x(row_at(i), col);
            sum_wx += multiply(conj(w(row_at(i), col)), value);
            sum_xx += abs2(value);
        }
        sums[col] += sum_wx;
        sums[x.cols + col] += sum_xx;
    }
}

/// reduce_parts for such sums.
template <class V, class Partition, class Body>
void reduce_dots(const Executor& exec, const Partition& partition, size_type cols, V* wx, V* xx,
                 WorkspaceView workspace, const Body& body)
{
    reduce_parts<V, 2>(exec, partition, cols, workspace, body, Later{[cols, wx, xx](const V* sums) {
                           std::copy_n(sums, cols, wx);
                           if (xx != nullptr) {
                               std::copy_n(sums + cols, cols, xx);
                           }
                       }});
}

}  // namespace linden::omp
