#pragma once

#include "core/kernels/multigrid.hpp"
#include "core/portable/body.hpp"
#include "core/portable/stored.hpp"

/// The cycle on levels whose rows follow each other, for hosts, whose hierarchies have slices instead: what the kernels
/// of devices are compared to.
namespace linden {

/// (A x)(row, col), from left to right.
template <class V, class S, class I>
V row_product(const CsrView<S, I>& a, size_type row, DenseView<const V> x, size_type col)
{
    V sum{};
    for (I k = a.row_ptrs[row]; k < a.row_ptrs[row + 1]; ++k) {
        sum += to_arithmetic<V>(a.values[k]) * x(a.col_idxs[k], col);
    }
    return sum;
}

template <class V, class S, class I>
struct GoDownRows {
    CsrView<S, I> r;
    DenseView<const V> b;
    DenseView<V> x;

    size_type size() const { return r.rows; }
    void operator()(size_type row) const
    {
        for (size_type col = 0; col < x.cols; ++col) {
            x(row, col) = row_product(r, row, b, col);
        }
    }
};

template <class V, class S, class I>
struct GoUpRows {
    CsrView<S, I> p, a;
    double omega;
    DenseView<const V> y, r;
    DenseView<V> z;

    size_type size() const { return a.rows; }
    void operator()(size_type row) const
    {
        const auto w = static_cast<real_t<V>>(omega);
        for (size_type col = 0; col < z.cols; ++col) {
            const V smoothed = w * (real_t<V>{2} * r(row, col) - w * row_product(a, row, r, col));
            z(row, col) = row_product(p, row, y, col) + smoothed;
        }
    }
};

template <class V, class S, class I>
struct SweepLevelRows {
    CsrView<S, I> a;
    double omega;
    DenseView<const V> b, z;
    DenseView<V> x;

    size_type size() const { return a.rows; }
    void operator()(size_type row) const
    {
        for (size_type col = 0; col < x.cols; ++col) {
            const V residual = b(row, col) - row_product(a, row, z, col);
            x(row, col) = z(row, col) + static_cast<real_t<V>>(omega) * residual;
        }
    }
};

}  // namespace linden
