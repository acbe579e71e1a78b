#include "core/kernels/exchange.hpp"

#include <algorithm>

#include "core/base/math.hpp"
#include "core/kernels/csr.hpp"
#include "core/kernels/reduction.hpp"
#include "reference/row_sums.hpp"

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

template <class V, class I>
void form_parts(const Executor&, size_type count, const I* which, DenseView<const V> x, DenseView<const V> w, V* parts)
{
    for (size_type i = 0; i < count; ++i) {
        const size_type first = which[i] * sum_part_rows;
        V* const sums = parts + 2 * static_cast<size_type>(which[i]);
        sums[0] = sums[1] = V{};
        for (size_type row = first; row < std::min(first + sum_part_rows, x.rows); ++row) {
            sums[0] += conj(w(row, 0)) * x(row, 0);
            sums[1] += V{abs2(x(row, 0))};
        }
    }
}

template <class V, class I>
void spmv_parts(const Executor& exec, CsrView<V, I> a, DenseView<const V> b, DenseView<V> x, DenseView<const V> w,
                V* parts)
{
    csr_spmv_in_order<V, I>(exec, a, V{1}, b, V{}, x);
    for (I part = 0; part < num_sum_parts(a.rows); ++part) {
        form_parts<V, I>(exec, 1, &part, x, w, parts);
    }
}

template <class V>
void sum_parts(const Executor&, size_type rows, const V* parts, V* wx, V* xx, WorkspaceView workspace)
{
    RowSums<V> sums(workspace, 2);
    for (size_type part = 0; part < num_sum_parts(rows); ++part) {
        V* const of_block = sums.at(part * sum_part_rows);
        of_block[0] += parts[2 * part];
        of_block[1] += parts[2 * part + 1];
    }
    sums.finish(Later{[wx, xx](const V* totals) {
        *wx = totals[0];
        if (xx != nullptr) {
            *xx = totals[1];
        }
    }});
}

}  // namespace

void register_exchange()
{
    for_each_value([]<class V>() {
        exchange_receive<V>.bind(Backend::reference, receive<V>);
        exchange_sum_parts<V>.bind(Backend::reference, sum_parts<V>);
    });
    for_each_value_index([]<class V, class I>() {
        exchange_rim_spmv<V, I>.bind(Backend::reference, rim_spmv<V, I>);
        exchange_rim_spmv_dot<V, I>.bind(Backend::reference, rim_spmv_dot<V, I>);
        exchange_spmv_parts<V, I>.bind(Backend::reference, spmv_parts<V, I>);
        exchange_form_parts<V, I>.bind(Backend::reference, form_parts<V, I>);
    });
}

}  // namespace linden::reference
