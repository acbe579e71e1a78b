#include "core/kernels/exchange.hpp"

#include "core/base/math.hpp"
#include "core/kernels/reduction.hpp"

namespace linden::reference {
namespace {

template <class V, class I>
V row_product(const RimView<V, I>& rim, const GhostView<V>& ghosts, DenseView<const V> b, size_type row, size_type col)
{
    V sum{};
    for (I k = rim.row_ptrs[row]; k < rim.row_ptrs[row + 1]; ++k) {
        const I c = rim.cols[k];
        sum += rim.values[k] * (c >= 0 ? b(c, col) : ghosts.values(-1 - c, col));
    }
    return sum;
}

template <class V, class I>
void rim_spmv(const Executor&, RimView<V, I> rim, GhostView<V> ghosts, Scalar<V> alpha, DenseView<const V> b,
              DenseView<V> x)
{
    for (size_type row = 0; row < rim.num_rows; ++row) {
        for (size_type col = 0; col < x.cols; ++col) {
            x(rim.rows[row], col) += alpha[col] * row_product(rim, ghosts, b, row, col);
        }
    }
}

template <class V, class I>
void rim_spmv_dot(const Executor&, RimView<V, I> rim, GhostView<V> ghosts, DenseView<const V> b, DenseView<V> x,
                  DenseView<const V> w, RimSums<V> sums, WorkspaceView workspace)
{
    for (size_type col = 0; col < x.cols; ++col) {
        V own[2] = {sums.inner[col], sums.inner[x.cols + col]};
        for (size_type row = 0; row < rim.num_rows; ++row) {
            const V product = row_product(rim, ghosts, b, row, col);
            x(rim.rows[row], col) = product;
            own[0] += conj(w(rim.rows[row], col)) * product;
            own[1] += V{abs2(product)};
        }
        finish_sums(workspace, own, 2, [&](const V* totals) {
            sums.wx[col] = totals[0];
            if (sums.xx != nullptr) {
                sums.xx[col] = totals[1];
            }
        });
    }
}

template <class V>
void receive(const Executor&, GhostView<V> ghosts, size_type num_lower, size_type num_own, DenseView<V> x)
{
    for (size_type ghost = 0; ghost < ghosts.values.rows; ++ghost) {
        for (size_type col = 0; col < x.cols; ++col) {
            x(ghost < num_lower ? ghost : ghost + num_own, col) = ghosts.values(ghost, col);
        }
    }
}

}  // namespace

void register_exchange()
{
    for_each_value([]<class V>() { exchange_receive<V>.bind(Backend::reference, receive<V>); });
    for_each_value_index([]<class V, class I>() {
        exchange_rim_spmv<V, I>.bind(Backend::reference, rim_spmv<V, I>);
        exchange_rim_spmv_dot<V, I>.bind(Backend::reference, rim_spmv_dot<V, I>);
    });
}

}  // namespace linden::reference
