#include "core/kernels/richardson.hpp"

namespace linden::reference {
namespace {

template <class V>
void update_solution(const Executor&, const V* alpha, DenseView<const V> z, DenseView<V> x, StopView<real_t<V>> stop)
{
    for (size_type col = 0; col < x.cols; ++col) {
        if (alpha[col] == V{} || stop.status[col] == SolveStatus::not_a_number) {
            continue;
        }
        for (size_type row = 0; row < x.rows; ++row) {
            x(row, col) += alpha[col] * z(row, col);
        }
    }
}

}  // namespace

void register_richardson()
{
    for_each_value([]<class V>() { richardson_update_solution<V>.bind(Backend::reference, update_solution<V>); });
}

}  // namespace linden::reference
