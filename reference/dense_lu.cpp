#include "core/kernels/dense_lu.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/math.hpp"
#include "core/portable/pivots.hpp"

namespace linden::reference {
namespace {

template <class V, class I>
void load(const Executor&, CsrView<V, I> a, const real_t<V>* row_factors, const real_t<V>* column_factors, DenseLu<V> f,
          real_t<V>* norms)
{
    for (size_type j = 0; j < f.n; ++j) {
        std::fill_n(f.values + j * f.stride, f.n, V{});
    }
    for (size_type i = 0; i < f.n; ++i) {
        real_t<V> sum{};
        for (I k = a.row_ptrs[i]; k < a.row_ptrs[i + 1]; ++k) {
            const size_type j = a.col_idxs[k];
            const V value = a.values[k] * row_factors[i] * column_factors[j];
            f.values[i + j * f.stride] = value;
            sum += abs2(value);
        }
        norms[i] = std::sqrt(sum);
    }
}

template <class V, class I>
void factorize(const Executor&, DenseLu<V> f, PivotLimits<real_t<V>> limits, I* rows, PivotReport* report,
               WorkspaceView)
{
    const auto at = [&f](size_type i, size_type j) -> V& { return f.values[i + j * f.stride]; };
    std::iota(rows, rows + f.n, I{0});
    *report = {};
    for (size_type k = 0; k < f.n; ++k) {
        size_type pivot = k;
        real_t<V> largest = -1;
        for (size_type i = k; i < f.n; ++i) {
            if (magnitude(at(i, k)) > largest) {
                largest = magnitude(at(i, k));
                pivot = i;
            }
        }
        std::swap(rows[k], rows[pivot]);
        for (size_type j = 0; j < f.n; ++j) {
            std::swap(at(k, j), at(pivot, j));
        }
        if (is_bad_pivot(magnitude(at(k, k)), limits, rows[k])) {
            at(k, k) = pivot_instead(at(k, k), limits, rows[k]);
            add_bad_pivot(*report, k);
        }
        for (size_type i = k + 1; i < f.n; ++i) {
            at(i, k) /= at(k, k);
            for (size_type j = k + 1; j < f.n; ++j) {
                at(i, j) -= multiply(at(i, k), at(k, j));
            }
        }
    }
}

template <class V>
void solve(const Executor&, DenseLu<const V> f, DenseView<V> x)
{
    const auto row = [&x](size_type i, size_type j) -> V& { return x.values[i * x.stride + j]; };
    for (size_type col = 0; col < x.cols; ++col) {
        for (size_type k = 0; k < f.n; ++k) {  // x := L^-1 x
            for (size_type i = k + 1; i < f.n; ++i) {
                row(i, col) -= multiply(f.values[i + k * f.stride], row(k, col));
            }
        }
        for (size_type k = f.n; k-- > 0;) {  // x := U^-1 x
            row(k, col) /= f.values[k + k * f.stride];
            for (size_type i = 0; i < k; ++i) {
                row(i, col) -= multiply(f.values[i + k * f.stride], row(k, col));
            }
        }
    }
}

}  // namespace

void register_dense_lu()
{
    for_each_value_index([]<class V, class I>() {
        dense_lu_load<V, I>.bind(Backend::reference, load<V, I>);
        dense_lu_factorize<V, I>.bind(Backend::reference, factorize<V, I>);
    });
    for_each_value([]<class V>() { dense_lu_solve<V>.bind(Backend::reference, solve<V>); });
}

}  // namespace linden::reference
