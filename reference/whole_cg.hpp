#pragma once

#include <algorithm>
#include <vector>

#include "core/base/host_clock.hpp"
#include "core/base/math.hpp"
#include "core/kernels/cg.hpp"
#include "core/kernels/persistent.hpp"

namespace linden::reference {

/// x(:, 0)^H y(:, 0), block after block: row after row, 10^5 roundings would be more than all others of a solve.
template <class V>
V product(DenseView<V> x, DenseView<V> y)
{
    constexpr size_type block_rows = 256;
    V sum{};
    for (size_type begin = 0; begin < x.rows; begin += block_rows) {
        V of_block{};
        for (size_type row = begin; row < std::min(begin + block_rows, x.rows); ++row) {
            of_block += conj(x(row, 0)) * y(row, 0);
        }
        sum += of_block;
    }
    return sum;
}

/// z := M^-1 r; returns r^H z.
template <class V>
V precondition(const V* d, DenseView<V> r, DenseView<V> z)
{
    for (size_type row = 0; row < r.rows; ++row) {
        z(row, 0) = d == nullptr ? r(row, 0) : d[row] * r(row, 0);
    }
    return product(r, z);
}

/// A whole solve, with multiply(row) for (A p)(row): what kernels for different matrices do.
template <class V, class Solve, class Multiply>
void run_cg_with(const Solve& solve, const Multiply& multiply, DenseView<V> p, DenseView<V> q, StopView<real_t<V>> stop)
{
    const V* const d = solve.d;
    const DenseView<V> r = solve.r, x = solve.x;
    std::vector<V> values(static_cast<std::size_t>(r.rows));
    const DenseView<V> z{r.rows, 1, 1, values.data()};
    V rho = precondition(d, r, z);
    for (size_type row = 0; row < r.rows; ++row) {
        p(row, 0) = z(row, 0);
    }
    while (stop.header->running != 0) {
        for (size_type row = 0; row < r.rows; ++row) {
            q(row, 0) = multiply(row);
        }
        V alpha{};
        const bool moves = cg_step_length(rho, product(p, q), stop.status[0], alpha);
        for (size_type row = 0; row < r.rows && moves; ++row) {
            x(row, 0) += alpha * p(row, 0);
            r(row, 0) -= alpha * q(row, 0);
        }
        const V rho_old = rho;
        rho = precondition(d, r, z);
        end_iteration(stop, host_clock_ns(),
                      [&](size_type) { return moves ? std::sqrt(real(product(r, r))) : stop.residual[0]; });
        for (size_type row = 0; row < r.rows; ++row) {
            p(row, 0) = z(row, 0) + rho / rho_old * p(row, 0);
        }
    }
}

/// What cg_run_cluster and cg_run_persistent do.
template <class V, class I>
void run_cg(const Executor&, WholeSolve<V, I> solve, DenseView<V> p, DenseView<V> q, StopView<real_t<V>> stop)
{
    const CsrView<V, I> a = solve.a;
    const auto multiply = [&](size_type row) {
        V sum{};
        for (I k = a.row_ptrs[row]; k < a.row_ptrs[row + 1]; ++k) {
            sum += a.values[k] * p(a.col_idxs[k], 0);
        }
        return sum;
    };
    run_cg_with(solve, multiply, p, q, stop);
}

}  // namespace linden::reference
