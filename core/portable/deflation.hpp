#pragma once

#include "core/base/math.hpp"
#include "core/kernels/deflation.hpp"

/// The kernels of deflation.hpp on blocks of k coefficients alone, for hosts: too little work for several threads.
namespace linden::host {

template <class V>
void deflation_begin(const Executor&, DenseView<V> c, StopView<real_t<V>> stop)
{
    for (size_type col = 0; col < stop.cols; ++col) {
        if (stop.is_running(col)) {
            --stop.iterations[col];
            continue;
        }
        for (size_type row = 0; row < c.rows; ++row) {
            c(row, col) = V{};
        }
    }
}

template <class V>
void deflation_difference(const Executor&, Scalar<V> alpha, DenseView<const V> products, DenseView<const V> restricted,
                          DenseView<V> sums)
{
    for (size_type row = 0; row < sums.rows; ++row) {
        for (size_type col = 0; col < sums.cols; ++col) {
            const V correction = alpha[col] == V{} ? V{} : restricted(row, col) / alpha[col];
            sums(row, col) = products(row, col) - correction;
        }
    }
}

template <class V>
void deflation_correct_rho(const Executor&, DenseView<const V> s, DenseView<const V> c, V* rho,
                           StopView<real_t<V>> stop)
{
    for (size_type col = 0; col < c.cols; ++col) {
        V sum{};
        for (size_type row = 0; row < c.rows && stop.is_running(col); ++row) {
            sum += multiply(conj(s(row, col)), c(row, col));
        }
        rho[col] -= sum;
    }
}

/// Binds them.
inline void bind_deflation_blocks(Backend backend)
{
    for_each_value([backend]<class V>() {
        linden::deflation_begin<V>.bind(backend, deflation_begin<V>);
        linden::deflation_difference<V>.bind(backend, deflation_difference<V>);
        linden::deflation_correct_rho<V>.bind(backend, deflation_correct_rho<V>);
    });
}

}  // namespace linden::host
