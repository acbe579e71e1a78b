#pragma once

#include <cmath>

#include "core/base/math.hpp"
#include "core/kernels/golub_kahan.hpp"
#include "core/portable/body.hpp"

namespace linden {

template <class V>
struct GolubKahanAdvance {
    DenseView<const V> b;
    const real_t<V>* s;
    const real_t<V>* t;
    DenseView<V> x;
    StopView<real_t<V>> stop;

    LINDEN_HOST_DEVICE size_type size() const { return x.rows; }
    LINDEN_HOST_DEVICE void operator()(size_type row) const
    {
        using R = real_t<V>;
        for (size_type col = 0; col < x.cols; ++col) {
            const R length = s[col];
            if (stop.is_running(col)) {
                x(row, col) = length == R{} ? V{} : (R{1} / length) * b(row, col) - (length / t[col]) * x(row, col);
            }
        }
    }
};

template <class V>
struct GolubKahanLength {
    const V* squares;
    real_t<V>* alpha;
    StopView<real_t<V>> stop;

    LINDEN_HOST_DEVICE size_type size() const { return stop.cols; }
    LINDEN_HOST_DEVICE void operator()(size_type col) const
    {
        using std::sqrt;
        using R = real_t<V>;
        const R square = real(squares[col]);
        if (!stop.is_running(col)) {
            return;
        }
        if (!is_finite(square)) {
            stop.status[col] = SolveStatus::not_a_number;
        } else if (square < R{}) {
            stop.status[col] = SolveStatus::breakdown;
        } else {
            alpha[col] = sqrt(square);
        }
    }
};

template <class V, class I>
struct GolubKahanWeights {
    CsrView<V, I> a;
    V* weights;

    LINDEN_HOST_DEVICE size_type size() const { return a.rows; }
    LINDEN_HOST_DEVICE size_type num_entries() const { return a.num_nonzeros; }
    template <class Lanes>
    LINDEN_HOST_DEVICE void operator()(Lanes, size_type row) const
    {
        using R = real_t<V>;
        R sum{};
        for (size_type k = a.row_ptrs[row] + Lanes::lane(); k < a.row_ptrs[row + 1]; k += Lanes::size) {
            sum += abs2(a.values[k]);
        }
        sum = Lanes::sum(sum);
        if (Lanes::lane() == 0) {
            const R weight = R{1} / sum;
            weights[row] = V{weight > R{} && is_finite(weight) ? weight : R{1}};
        }
    }
};

/// Running columns whose residual is orthogonal to the range of A before any step have ended; what stopped with a mark
/// in an earlier part of the solve keeps it.
template <class R>
LINDEN_HOST_DEVICE void mark_at_start(const GolubKahanScalars<R>& s, const StopView<R>& stop, size_type col)
{
    const bool is_solved = stop.is_running(col) && s.alpha[col] == R{};
    if (is_solved) {
        stop.status[col] = SolveStatus::stagnated;
    }
    s.marks[col] = is_solved || (stop.status[col] == SolveStatus::stagnated && s.marks[col] != 0) ? 1 : 0;
}

/// Ends a running column if ||A^H r|| = normal <= max(tolerance, eps) ||A|| ||r||, and ||r|| is above the tolerance of
/// the rule, which asks for more.
template <class R>
LINDEN_HOST_DEVICE void end_if_least_squares(const GolubKahanScalars<R>& s, const StopView<R>& stop, size_type col,
                                             double tolerance, R normal, R residual)
{
    using std::sqrt;
    constexpr R eps = unit_roundoff<R>;
    const R limit = R(tolerance) < eps ? eps : R(tolerance);
    if (!(normal <= limit * sqrt(s.square[col]) * residual) || !(residual > stop.tolerance[col])) {
        return;
    }
    const auto iteration = stop.iterations[col] + 1;
    stop.iterations[col] = iteration;
    stop.residual[col] = residual;
    if (iteration < stop.header->history_capacity) {
        stop.history[iteration * stop.cols + col] = residual;
    }
    stop.status[col] = SolveStatus::stagnated;
    s.marks[col] = 1;
}

template <class F>
void for_each_portable_golub_kahan(const F& f)
{
    for_each_value([&]<class V>() {
        f(golub_kahan_advance<V>, BodyOf<GolubKahanAdvance<V>>());
        f(golub_kahan_length<V>, BodyOf<GolubKahanLength<V>>());
    });
    for_each_value_index([&]<class V, class I>() { f(golub_kahan_weights<V, I>, BodyOf<GolubKahanWeights<V, I>>()); });
}

}  // namespace linden
