#include "core/kernels/richardson.hpp"

#include "core/base/math.hpp"
#include "omp/parallel.hpp"
#include "omp/tiles.hpp"

namespace linden::omp {
namespace {

template <class V>
void update_solution(const Executor& exec, const V* alpha, DenseView<const V> z, DenseView<V> x,
                     StopView<real_t<V>> stop)
{
    const auto moves = [&](size_type col) {
        return alpha[col] != V{} && stop.status[col] != SolveStatus::not_a_number;
    };
    const auto body = [&](auto lanes, size_type rows, auto x_tile, auto z_tile) {
        const auto factor = lanes.gather([&](size_type col) { return alpha[col]; });
        const auto moving = lanes.gather(moves);
        const auto loop = [&](auto all) {
            for (size_type row = 0; row < rows; ++row) {
                for (int lane = 0; lane < lanes.width; ++lane) {
                    const V old = x_tile(row, lane);
                    x_tile(row, lane) = all || moving[lane] ? old + multiply(factor[lane], z_tile(row, lane)) : old;
                }
            }
        };
        if (lanes.all(moves)) {
            loop(std::true_type{});
        } else {
            loop(std::false_type{});
        }
    };
    parallel_rows(exec, {x.rows, x.cols},
                  [&](size_type begin, size_type end) { for_each_tile(begin, end, x.cols, body, x, z); });
}

}  // namespace

void register_richardson()
{
    for_each_value([]<class V>() { richardson_update_solution<V>.bind(Backend::omp, update_solution<V>); });
}

}  // namespace linden::omp
