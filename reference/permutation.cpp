#include "core/kernels/permutation.hpp"

#include <algorithm>

namespace linden::reference {
namespace {

template <class I>
void invert(const Executor&, size_type n, const I* p, I* inverse, size_type* num_invalid)
{
    const auto in_range = [&](I row) { return row >= 0 && row < n; };
    for (size_type i = 0; i < n; ++i) {
        if (in_range(p[i])) {
            inverse[p[i]] = static_cast<I>(i);
        }
    }
    *num_invalid = 0;
    for (size_type i = 0; i < n; ++i) {
        *num_invalid += !in_range(p[i]) || inverse[p[i]] != i;
    }
}

template <class V, class I>
void apply(const Executor&, const I* p, Scalar<V> alpha, DenseView<const V> b, Scalar<V> beta, DenseView<V> x)
{
    for (size_type row = 0; row < x.rows; ++row) {
        for (size_type col = 0; col < x.cols; ++col) {
            const V gathered = alpha[col] * b(p[row], col);
            x(row, col) = beta[col] == V{} ? gathered : gathered + beta[col] * x(row, col);
        }
    }
}

}  // namespace

void register_permutation()
{
    for_each_index([]<class I>() { permutation_invert<I>.bind(Backend::reference, invert<I>); });
    for_each_value_index([]<class V, class I>() { permutation_apply<V, I>.bind(Backend::reference, apply<V, I>); });
}

}  // namespace linden::reference
