#include "core/kernels/dense.hpp"

#include "core/base/math.hpp"
#include "reference/row_sums.hpp"

namespace linden::reference {
namespace {

template <class V>
void fill(const Executor&, V value, DenseView<V> x)
{
    for (size_type row = 0; row < x.rows; ++row) {
        for (size_type col = 0; col < x.cols; ++col) {
            x(row, col) = value;
        }
    }
}

template <class V>
void copy(const Executor&, DenseView<const V> b, DenseView<V> x)
{
    for (size_type row = 0; row < x.rows; ++row) {
        for (size_type col = 0; col < x.cols; ++col) {
            x(row, col) = b(row, col);
        }
    }
}

template <class V>
void scale(const Executor&, Scalar<V> alpha, DenseView<V> x)
{
    for (size_type row = 0; row < x.rows; ++row) {
        for (size_type col = 0; col < x.cols; ++col) {
            x(row, col) = alpha[col] == V{} ? V{} : alpha[col] * x(row, col);
        }
    }
}

/// alpha t + beta x, where beta = 0 means that x is not read.
template <class V>
V combined(V alpha, V t, V beta, const V& x)
{
    return beta == V{} ? alpha * t : alpha * t + beta * x;
}

template <class V>
void combine(const Executor&, Scalar<V> alpha, DenseView<const V> b, Scalar<V> beta, DenseView<V> x)
{
    for (size_type row = 0; row < x.rows; ++row) {
        for (size_type col = 0; col < x.cols; ++col) {
            x(row, col) = combined(alpha[col], b(row, col), beta[col], x(row, col));
        }
    }
}

template <class V>
void dot(const Executor&, DenseView<const V> a, DenseView<const V> b, V* result, WorkspaceView workspace)
{
    for (size_type col = 0; col < a.cols; ++col) {
        RowSums<V> sums(workspace);
        for (size_type row = 0; row < a.rows; ++row) {
            *sums.at(row) += conj(a(row, col)) * b(row, col);
        }
        sums.finish(Later{[result, col](const V* total) { result[col] = *total; }});
    }
}

template <class V>
void norm1(const Executor&, DenseView<const V> x, real_t<V>* result, WorkspaceView workspace)
{
    for (size_type col = 0; col < x.cols; ++col) {
        RowSums<real_t<V>> sums(workspace);
        for (size_type row = 0; row < x.rows; ++row) {
            *sums.at(row) += magnitude(x(row, col));
        }
        result[col] = sums.total();
    }
}

template <class V>
void norm2(const Executor&, DenseView<const V> x, real_t<V>* result, WorkspaceView workspace)
{
    for (size_type col = 0; col < x.cols; ++col) {
        RowSums<real_t<V>> sums(workspace);
        for (size_type row = 0; row < x.rows; ++row) {
            *sums.at(row) += abs2(x(row, col));
        }
        sums.finish(Later{[result, col](const real_t<V>* total) { result[col] = std::sqrt(*total); }});
    }
}

template <class V>
void norm_inf(const Executor&, DenseView<const V> x, real_t<V>* result, WorkspaceView workspace)
{
    for (size_type col = 0; col < x.cols; ++col) {
        const auto enlarge = [](real_t<V>& largest, real_t<V> value) {
            largest = value > largest || std::isnan(value) ? value : largest;
        };
        RowSums<real_t<V>, decltype(enlarge)> largest(workspace, 1, enlarge);
        for (size_type row = 0; row < x.rows; ++row) {
            enlarge(*largest.at(row), magnitude(x(row, col)));
        }
        result[col] = largest.total();
    }
}

template <class V>
void multiply(const Executor&, DenseView<const V> a, Scalar<V> alpha, DenseView<const V> b, Scalar<V> beta,
              DenseView<V> x)
{
    for (size_type row = 0; row < x.rows; ++row) {
        for (size_type col = 0; col < x.cols; ++col) {
            V sum{};
            for (size_type k = 0; k < a.cols; ++k) {
                sum += a(row, k) * b(k, col);
            }
            x(row, col) = combined(alpha[col], sum, beta[col], x(row, col));
        }
    }
}

template <class V>
void scale_rows(const Executor&, DenseView<const V> d, Scalar<V> alpha, DenseView<const V> b, Scalar<V> beta,
                DenseView<V> x)
{
    for (size_type row = 0; row < x.rows; ++row) {
        for (size_type col = 0; col < x.cols; ++col) {
            x(row, col) = combined(alpha[col], d(row, 0) * b(row, col), beta[col], x(row, col));
        }
    }
}

template <class V, class I>
void gather_rows(const Executor&, const I* rows, DenseView<const V> b, DenseView<V> x)
{
    for (size_type row = 0; row < x.rows; ++row) {
        for (size_type col = 0; col < x.cols; ++col) {
            x(row, col) = b(rows[row], col);
        }
    }
}

template <class V, class I>
void scatter_rows(const Executor&, const I* rows, DenseView<const V> b, DenseView<V> x)
{
    for (size_type row = 0; row < b.rows; ++row) {
        for (size_type col = 0; col < b.cols; ++col) {
            x(rows[row], col) = b(row, col);
        }
    }
}

}  // namespace

void register_dense()
{
    for_each_value([]<class V>() {
        dense_fill<V>.bind(Backend::reference, fill<V>);
        dense_copy<V>.bind(Backend::reference, copy<V>);
        dense_scale<V>.bind(Backend::reference, scale<V>);
        dense_axpby<V>.bind(Backend::reference, combine<V>);
        dense_dot<V>.bind(Backend::reference, dot<V>);
        dense_norm1<V>.bind(Backend::reference, norm1<V>);
        dense_norm2<V>.bind(Backend::reference, norm2<V>);
        dense_norm_inf<V>.bind(Backend::reference, norm_inf<V>);
        dense_multiply<V>.bind(Backend::reference, multiply<V>);
        dense_scale_rows<V>.bind(Backend::reference, scale_rows<V>);
    });
    for_each_value_index([]<class V, class I>() {
        dense_gather_rows<V, I>.bind(Backend::reference, gather_rows<V, I>);
        dense_scatter_rows<V, I>.bind(Backend::reference, scatter_rows<V, I>);
    });
}

}  // namespace linden::reference
