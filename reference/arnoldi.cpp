#include "core/kernels/arnoldi.hpp"

#include "core/base/host_clock.hpp"
#include "core/base/math.hpp"
#include "core/portable/stored_basis.hpp"
#include "reference/row_sums.hpp"

namespace linden::reference {
namespace {

template <class V, class S>
void project(const Executor&, BasisView<const S> basis, DenseView<const V> v, DenseView<const V> w,
             ArnoldiScalars<V> scalars, bool settles, StopView<real_t<V>> stop, WorkspaceView workspace)
{
    if (settles && !arnoldi_is_open(scalars, stop)) {
        return;
    }
    const auto& s = scalars.gmres;
    const size_type count = basis.count + 1;
    for (size_type col = 0; col < w.cols; ++col) {
        if (!stop.is_running(col)) {
            continue;
        }
        RowSums<V> sums(workspace, 2 * count + 1);
        for (size_type row = 0; row < w.rows; ++row) {
            V* const sum = sums.at(row);
            for (size_type i = 0; i < count; ++i) {
                const V of_basis = conj(i < basis.count ? basis_value<V>(basis, i, row, col) : v(row, col));
                sum[i] += of_basis * v(row, col);
                sum[count + i] += of_basis * w(row, col);
            }
            sum[2 * count] += abs2(w(row, col));
        }
        sums.finish([&](const V* totals) {
            for (size_type i = 0; i < count; ++i) {
                s.c[i * w.cols + col] = totals[i];
                s.h[i * w.cols + col] = totals[count + i];
            }
            s.ww[col] = real(totals[2 * count]);
        });
    }
}

template <class V>
void advance(const Executor&, ArnoldiScalars<V> scalars, size_type j, bool flexible, bool settles,
             StopView<real_t<V>> stop)
{
    arnoldi_advance_columns(scalars, j, flexible, settles, stop, host_clock_ns(stop));
}

/// x := factor (x - the sum of coefficients[i k + col] v_i)
template <class V, class S>
void subtract(const BasisView<S>& basis, const V* coefficients, real_t<V> factor, DenseView<V> x, size_type col)
{
    for (size_type row = 0; row < x.rows; ++row) {
        V rest = x(row, col);
        for (size_type i = 0; i < basis.count; ++i) {
            rest -= coefficients[i * x.cols + col] * basis_value<V>(basis, i, row, col);
        }
        x(row, col) = factor * rest;
    }
}

template <class V, class S>
void orthogonalize(const Executor&, BasisView<StoredVectors<V, S>> basis, DenseView<V> v, DenseView<V> w,
                   ArnoldiScalars<V> scalars, bool is_last, StopView<real_t<V>> stop)
{
    const auto& s = scalars.gmres;
    const bool changes_w = !is_last || arnoldi_is_open(scalars, stop);
    for (size_type col = 0; col < w.cols; ++col) {
        if (s.again[col] != 0) {
            subtract(basis, s.c, scalars.correct[col], v, col);
        }
        if constexpr (!std::is_same_v<V, S>) {
            for (size_type row = 0; row < v.rows; ++row) {
                basis(basis.count, row, col) = stored_value(basis, v(row, col));
            }
        }
        if (!changes_w) {
            continue;
        }
        if (!stop.is_running(col)) {
            for (size_type row = 0; row < w.rows; ++row) {
                w(row, col) = V{};
            }
            continue;
        }
        for (size_type row = 0; row < w.rows; ++row) {
            w(row, col) -= s.h[basis.count * w.cols + col] * v(row, col);
        }
        subtract(basis, s.h, s.scale[col], w, col);
    }
}

}  // namespace

void register_arnoldi()
{
    for_each_value([]<class V>() { arnoldi_advance<V>.bind(Backend::reference, advance<V>); });
    for_each_basis_storage([]<class V, class S>() {
        arnoldi_project<V, S>.bind(Backend::reference, project<V, S>);
        arnoldi_orthogonalize<V, S>.bind(Backend::reference, orthogonalize<V, S>);
    });
}

}  // namespace linden::reference
