#include "core/kernels/chebyshev.hpp"

#include "core/base/math.hpp"
#include "omp/parallel.hpp"
#include "omp/tiles.hpp"

namespace linden::omp {
namespace {

/// The diagonal's tile is there where the diagonal is.
template <class V>
void step(const Executor& exec, const V* c, DenseView<const V> d, DenseView<const V> b, DenseView<const V> q,
          DenseView<const V> y, DenseView<V> x)
{
    const V of_y = c[0], of_x = c[1], of_residual = c[2];
    const auto body = [=](auto lanes, size_type rows, auto x_tile, auto y_tile, auto b_tile, auto q_tile,
                          auto... d_tile) {
        for (size_type row = 0; row < rows; ++row) {
            for (int lane = 0; lane < lanes.width; ++lane) {
                V correction = multiply(of_residual, b_tile(row, lane) - q_tile(row, lane));
                ((correction = multiply(d_tile(row, lane), correction)), ...);
                const V next = multiply(of_y, y_tile(row, lane)) + correction;
                V& target = x_tile(row, lane);
                target = of_x == V{} ? next : next + multiply(of_x, target);
            }
        }
    };
    parallel_rows(exec, {x.rows, x.cols}, [&](size_type begin, size_type end) {
        if (d.values == nullptr) {
            for_each_tile(begin, end, x.cols, body, x, y, b, q);
        } else {
            for_each_tile(begin, end, x.cols, body, x, y, b, q, PerRowView<const V>{d.values, d.stride});
        }
    });
}

}  // namespace

void register_chebyshev()
{
    for_each_value([]<class V>() { chebyshev_step<V>.bind(Backend::omp, step<V>); });
}

}  // namespace linden::omp
