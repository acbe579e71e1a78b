#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/math.hpp"
#include "core/kernels/direct.hpp"
#include "core/portable/body.hpp"

namespace linden {

/// Asks for memory that is read soon. Devices have other threads to run instead.
template <class T>
LINDEN_HOST_DEVICE void expect_read([[maybe_unused]] const T* at)
{
#if !defined(__CUDACC__) && !defined(__HIPCC__)
    __builtin_prefetch(at);
#endif
}

template <class V, class I>
struct LoadRows {
    CsrView<V, I> a;
    EntryPlaces<I> to;
    const real_t<V>* scaling;
    V* values;
    real_t<V>* norms;

    /// Rows of A come in any order, which hosts wait for unless they ask early.
    static constexpr size_type rows_ahead = 6;

    LINDEN_HOST_DEVICE size_type size() const { return a.rows; }
    LINDEN_HOST_DEVICE size_type num_entries() const { return a.num_nonzeros; }
    template <class Lanes>
    LINDEN_HOST_DEVICE void operator()(Lanes, size_type row) const
    {
        using std::sqrt;
        real_t<V> sum{};
        const size_type from = to.rows[row];
        const size_type soon = a.row_ptrs[to.rows[row + rows_ahead < a.rows ? row + rows_ahead : row]];
        expect_read(a.values + soon);
        expect_read(to.places + soon);
        expect_read(scaling + soon);
        for (size_type e = a.row_ptrs[from] + Lanes::lane(); e < a.row_ptrs[from + 1]; e += Lanes::size) {
            const V value = scaling[e] * a.values[e];
            const I place = to.places[e];
            if (place >= 0) {
                values[place] = value;
            }
            sum += abs2(value);
        }
        sum = Lanes::sum(sum);
        if (Lanes::lane() == 0) {
            norms[row] = sqrt(sum);
        }
    }
};

template <class V, class I>
struct PermuteScaled {
    const I* rows;
    const real_t<V>* factors;
    DenseView<const V> b;
    DenseView<V> x;

    LINDEN_HOST_DEVICE size_type size() const { return x.rows * x.cols; }
    LINDEN_HOST_DEVICE void operator()(size_type item) const
    {
        const size_type i = item / x.cols, j = item % x.cols;
        x.values[i * x.stride + j] = factors[i] * b.values[rows[i] * b.stride + j];
    }
};

template <class V>
struct CorrectRunning {
    DenseView<const V> z;
    DenseView<V> x;
    StopView<real_t<V>> stop;

    LINDEN_HOST_DEVICE size_type size() const { return x.rows * x.cols; }
    LINDEN_HOST_DEVICE void operator()(size_type item) const
    {
        const size_type i = item / x.cols, j = item % x.cols;
        if (stop.is_running(j)) {
            x.values[i * x.stride + j] += z.values[i * z.stride + j];
        }
    }
};

template <class V, class I>
struct ErrorRatios {
    CsrView<V, I> a;
    DenseView<const V> b, x;
    DenseView<V> r;
    bool has_residual;
    real_t<V>* ratios;

    LINDEN_HOST_DEVICE size_type size() const { return a.rows; }
    LINDEN_HOST_DEVICE size_type num_entries() const { return a.num_nonzeros; }
    template <class Lanes>
    LINDEN_HOST_DEVICE void operator()(Lanes, size_type row) const
    {
        for (size_type j = 0; j < x.cols; ++j) {
            if (!has_residual) {
                V product{};
                for (size_type e = a.row_ptrs[row] + Lanes::lane(); e < a.row_ptrs[row + 1]; e += Lanes::size) {
                    product += a.values[e] * x.values[a.col_idxs[e] * x.stride + j];
                }
                product = Lanes::sum(product);
                if (Lanes::lane() == 0) {
                    r.values[row * r.stride + j] = b.values[row * b.stride + j] - product;
                }
            }
            real_t<V> sum{};
            for (size_type e = a.row_ptrs[row] + Lanes::lane(); e < a.row_ptrs[row + 1]; e += Lanes::size) {
                sum += magnitude(a.values[e]) * magnitude(x.values[a.col_idxs[e] * x.stride + j]);
            }
            sum = Lanes::sum(sum) + magnitude(b.values[row * b.stride + j]);
            const real_t<V> residual = magnitude(r.values[row * r.stride + j]);
            if (Lanes::lane() == 0) {
                ratios[row * x.cols + j] = residual == real_t<V>{} ? real_t<V>{} : residual / sum;
            }
        }
    }
};

template <class R>
struct ErrorMaxima {
    size_type rows, cols;
    const R* ratios;
    R* maxima;

    LINDEN_HOST_DEVICE size_type size() const { return num_error_parts * cols; }
    LINDEN_HOST_DEVICE void operator()(size_type item) const
    {
        const size_type part = item / cols, j = item % cols;
        R most{};
        for (size_type i = part; i < rows; i += num_error_parts) {
            const R ratio = ratios[i * cols + j];
            most = ratio > most || ratio != ratio ? ratio : most;
        }
        maxima[item] = most;
    }
};

template <class R>
struct JudgeRefinement {
    RefinementRule<R> rule;
    const R* norms;
    StopView<R> stop;

    LINDEN_HOST_DEVICE size_type size() const { return stop.cols; }
    LINDEN_HOST_DEVICE void operator()(size_type j) const
    {
        if (!stop.is_running(j)) {
            return;
        }
        R error{};
        for (size_type p = 0; p < num_error_parts; ++p) {
            const R other = rule.maxima[p * stop.cols + j];
            error = other > error || other != other ? other : error;
        }
        const auto iteration = stop.iterations[j] + 1;
        // The first errors have nothing to be compared with.
        const R best = iteration == 1 ? std::numeric_limits<R>::infinity() : rule.best[j];
        const bool progresses = error <= best / R{2};
        const bool is_last = iteration >= stop.header->max_iterations;
        rule.errors[j] = error;
        rule.best[j] = error < best ? error : best;
        if (error <= R(rule.goal) || (error <= R(rule.accepted) && (!progresses || is_last))) {
            stop.tolerance[j] = stop.tolerance[j] < norms[j] ? norms[j] : stop.tolerance[j];
        } else if (!progresses && is_finite(norms[j]) && iteration >= first_hopeless_iteration) {
            stop.status[j] = SolveStatus::stagnated;
            stop.iterations[j] = iteration;
            stop.residual[j] = norms[j];
        }
    }
};

template <class F>
void for_each_portable_direct(const F& f)
{
    for_each_value_index([&]<class V, class I>() {
        f(direct_load_rows<V, I>, BodyOf<LoadRows<V, I>>());
        f(direct_permute<V, I>, BodyOf<PermuteScaled<V, I>>());
        f(direct_error_ratios<V, I>, BodyOf<ErrorRatios<V, I>>());
    });
    for_each_value([&]<class V>() { f(direct_correct<V>, BodyOf<CorrectRunning<V>>()); });
    for_each_real([&]<class R>() {
        f(direct_error_maxima<R>, BodyOf<ErrorMaxima<R>>());
        f(direct_judge<R>, BodyOf<JudgeRefinement<R>>());
    });
}

}  // namespace linden
