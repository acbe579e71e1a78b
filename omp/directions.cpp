#include "core/kernels/directions.hpp"

#include <algorithm>
#include <array>
#include <type_traits>

#include "core/base/math.hpp"
#include "omp/parallel.hpp"

namespace linden::omp {
namespace {

/// So many values of a column at a time: they stay in the first-level cache while the directions pass, each from its
/// own place in memory. Row by row, as the portable body goes, GCR takes twice as long with one thread and four
/// times with two (90,000 rows, 30 directions).
constexpr size_type chunk = 512;

/// p_slot := z - sum of y_i p_i in one column of the rows [begin, end), at most `chunk`; Step: the distance of rows in
/// p.
template <class V, class Step>
void combine_chunk(DenseView<const V> z, const V* y, size_type count, size_type slot, const BasisView<V>& p,
                   size_type col, size_type begin, size_type end, Step step)
{
    std::array<V, chunk> sum;
    const size_type rows = end - begin;
    for (size_type row = 0; row < rows; ++row) {
        sum[row] = z(begin + row, col);
    }
    for (size_type i = 0; i < count; ++i) {
        const V weight = y[i * p.cols + col];
        if (weight == V{}) {
            continue;
        }
        const V* const values = &p(i, begin, col);
        for (size_type row = 0; row < rows; ++row) {
            sum[row] = sum[row] - multiply(weight, values[row * step]);
        }
    }
    V* const result = &p(slot, begin, col);
    for (size_type row = 0; row < rows; ++row) {
        result[row * step] = sum[row];
    }
}

template <class V>
void combine(const Executor& exec, DenseView<const V> z, const V* y, size_type count, size_type slot, BasisView<V> p,
             StopView<real_t<V>> stop)
{
    parallel_rows(exec, {z.rows, z.cols * (count + 2)}, [&](size_type begin, size_type end) {
        for (size_type first = begin; first < end; first += chunk) {
            const size_type last = std::min(first + chunk, end);
            for (size_type col = 0; col < stop.cols; ++col) {
                if (!stop.is_running(col)) {
                    continue;
                }
                if (p.cols == 1) {
                    combine_chunk(z, y, count, slot, p, col, first, last, std::integral_constant<size_type, 1>{});
                } else {
                    combine_chunk(z, y, count, slot, p, col, first, last, p.cols);
                }
            }
        }
    });
}

}  // namespace

void register_directions()
{
    for_each_value([]<class V>() { directions_combine<V>.bind(Backend::omp, combine<V>); });
}

}  // namespace linden::omp
