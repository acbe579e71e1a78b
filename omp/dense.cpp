#include "core/kernels/dense.hpp"

#include <cmath>
#include <cstring>

#include "core/base/math.hpp"
#include "omp/parallel.hpp"
#include "omp/tiles.hpp"

namespace linden::omp {
namespace {

/// A contiguous block as one column.
template <class V>
DenseView<V> flattened(DenseView<V> x)
{
    return {x.rows * x.cols, 1, 1, x.values};
}

/// Whether one value holds for all columns.
template <class V>
bool is_uniform(Scalar<V> s)
{
    return s.data == nullptr || s.stride == 0;
}

/// Calls body(lanes, rows, tiles...) for tiles of all rows, in parallel.
template <class Body, class View, class... Views>
void parallel_tiles(const Executor& exec, size_type rows, size_type cols, const Body& body, const View& view,
                    const Views&... views)
{
    parallel_rows(exec, {rows, cols},
                  [&](size_type begin, size_type end) { for_each_tile(begin, end, cols, body, view, views...); });
}

template <class V>
void fill(const Executor& exec, V value, DenseView<V> x)
{
    if (x.is_contiguous()) {
        x = flattened(x);
    }
    parallel_rows(exec, {x.rows, x.cols}, [&](size_type begin, size_type end) {
        if (x.cols == 1 && x.stride == 1) {
            std::fill(x.values + begin, x.values + end, value);
            return;
        }
        for (size_type row = begin; row < end; ++row) {
            std::fill_n(x.values + row * x.stride, x.cols, value);
        }
    });
}

template <class V>
void copy(const Executor& exec, DenseView<const V> b, DenseView<V> x)
{
    if (b.is_contiguous() && x.is_contiguous()) {
        b = flattened(b);
        x = flattened(x);
    }
    parallel_rows(exec, {x.rows, x.cols}, [&](size_type begin, size_type end) {
        if (x.cols == 1 && b.stride == 1 && x.stride == 1) {
            std::copy(b.values + begin, b.values + end, x.values + begin);
            return;
        }
        for (size_type row = begin; row < end; ++row) {
            std::copy_n(b.values + row * b.stride, x.cols, x.values + row * x.stride);
        }
    });
}

template <class V>
void scale(const Executor& exec, Scalar<V> alpha, DenseView<V> x)
{
    if (x.is_contiguous() && is_uniform(alpha)) {
        x = flattened(x);
    }
    const auto body = [=](auto lanes, size_type rows, auto x_tile) {
        const auto a = lanes.gather([&](size_type col) { return alpha[col]; });
        for (size_type row = 0; row < rows; ++row) {
            for (int lane = 0; lane < lanes.width; ++lane) {
                V& value = x_tile(row, lane);
                value = a[lane] == V{} ? V{} : multiply(a[lane], value);
            }
        }
    };
    parallel_tiles(exec, x.rows, x.cols, body, x);
}

/// x := alpha t + beta x for a tile, where term(row, lane, tiles...) gives t; x is not read where beta = 0.
template <class V, class L, class T, class Term, class... Tiles>
void combine_tile(L lanes, size_type rows, Scalar<V> alpha, Scalar<V> beta, T x, const Term& term, Tiles... tiles)
{
    const auto a = lanes.gather([&](size_type col) { return alpha[col]; });
    const auto b = lanes.gather([&](size_type col) { return beta[col]; });
    if (lanes.all([&](size_type col) { return beta[col] == V{}; })) {
        for (size_type row = 0; row < rows; ++row) {
            for (int lane = 0; lane < L::width; ++lane) {
                x(row, lane) = multiply(a[lane], term(row, lane, tiles...));
            }
        }
        return;
    }
    for (size_type row = 0; row < rows; ++row) {
        for (int lane = 0; lane < L::width; ++lane) {
            V& value = x(row, lane);
            const V t = multiply(a[lane], term(row, lane, tiles...));
            value = b[lane] == V{} ? t : t + multiply(b[lane], value);
        }
    }
}

template <class V>
void combine(const Executor& exec, Scalar<V> alpha, DenseView<const V> b, Scalar<V> beta, DenseView<V> x)
{
    if (b.is_contiguous() && x.is_contiguous() && is_uniform(alpha) && is_uniform(beta)) {
        b = flattened(b);
        x = flattened(x);
    }
    const auto body = [=](auto lanes, size_type rows, auto x_tile, auto b_tile) {
        const auto term = [](size_type row, int lane, auto t) { return t(row, lane); };
        combine_tile(lanes, rows, alpha, beta, x_tile, term, b_tile);
    };
    parallel_tiles(exec, x.rows, x.cols, body, x, b);
}

template <class V>
void scale_rows(const Executor& exec, DenseView<const V> d, Scalar<V> alpha, DenseView<const V> b, Scalar<V> beta,
                DenseView<V> x)
{
    const auto body = [=](auto lanes, size_type rows, auto x_tile, auto d_tile, auto b_tile) {
        const auto term = [](size_type row, int lane, auto diagonal, auto t) {
            return multiply(diagonal(row, lane), t(row, lane));
        };
        combine_tile(lanes, rows, alpha, beta, x_tile, term, d_tile, b_tile);
    };
    parallel_tiles(exec, x.rows, x.cols, body, x, PerRowView<const V>{d.values, d.stride}, b);
}

/// result[col] := finish(sum_i term(row i of the views, col)); T is the type of the terms.
template <class T, class Term, class Finish, class View, class... Views>
void reduce_columns(const Executor& exec, T* result, WorkspaceView workspace, const Term& term, const Finish& finish,
                    const View& view, const Views&... views)
{
    const auto body = [&](size_type begin, size_type end, T* sums) {
        const auto tile = [&](auto lanes, size_type rows, auto... tiles) {
            std::array<T, lanes.width> sum{};
            for (size_type row = 0; row < rows; ++row) {
                for (int lane = 0; lane < lanes.width; ++lane) {
                    sum[lane] += term(tiles(row, lane)...);
                }
            }
            lanes.add(sum, sums);
        };
        for_each_tile(begin, end, view.cols, tile, view, views...);
    };
    reduce_rows<T, 1>(exec, view.rows, view.cols, workspace, body,
                      Later{[result, finish, cols = view.cols](const T* sums) {
                          std::transform(sums, sums + cols, result, finish);
                      }});
}

template <class V>
void dot(const Executor& exec, DenseView<const V> a, DenseView<const V> b, V* result, WorkspaceView workspace)
{
    const auto identity = [](V sum) { return sum; };
    if (a.values == b.values && a.stride == b.stride) {
        reduce_columns(
            exec, result, workspace, [](V x) { return V{abs2(x)}; }, identity, a);
        return;
    }
    reduce_columns(
        exec, result, workspace, [](V x, V y) { return multiply(conj(x), y); }, identity, a, b);
}

template <class V>
void norm1(const Executor& exec, DenseView<const V> x, real_t<V>* result, WorkspaceView workspace)
{
    reduce_columns(
        exec, result, workspace, [](V value) { return magnitude(value); }, [](real_t<V> sum) { return sum; }, x);
}

template <class V>
void norm2(const Executor& exec, DenseView<const V> x, real_t<V>* result, WorkspaceView workspace)
{
    reduce_columns(
        exec, result, workspace, [](V value) { return abs2(value); }, [](real_t<V> sum) { return std::sqrt(sum); }, x);
}

/// The larger one; NaN once there was one.
template <class R>
R larger(R largest, R value)
{
    return value > largest || value != value ? value : largest;
}

template <class V>
void norm_inf(const Executor& exec, DenseView<const V> x, real_t<V>* result, WorkspaceView workspace)
{
    using R = real_t<V>;
    const auto body = [&](size_type begin, size_type end, R* largest) {
        const auto tile = [&](auto lanes, size_type rows, auto x_tile) {
            std::array<R, lanes.width> found{};
            for (size_type row = 0; row < rows; ++row) {
                for (int lane = 0; lane < lanes.width; ++lane) {
                    found[lane] = larger<R>(found[lane], magnitude(x_tile(row, lane)));
                }
            }
            for (int lane = 0; lane < lanes.width; ++lane) {
                R& of_column = largest[lanes.column(lane)];
                of_column = larger(of_column, found[lane]);
            }
        };
        for_each_tile(begin, end, x.cols, tile, x);
    };
    reduce_parts<R, 1>(
        exec, RowPartition{x.rows, x.cols}, x.cols, workspace, body,
        [&](const R* largest) { std::copy_n(largest, x.cols, result); },
        [](R& total, const R& part) { total = larger(total, part); });
}

/// a^T b over `n` values, b with this stride
template <class V>
V row_product(const V* a, const V* b, size_type stride, size_type n)
{
    constexpr int width = static_cast<int>(64 / sizeof(V));
    std::array<V, width> sum{};
    size_type k = 0;
    for (; n - k >= width; k += width) {
        for (int lane = 0; lane < width; ++lane) {
            sum[lane] += multiply(a[k + lane], b[(k + lane) * stride]);
        }
    }
    V total{};
    for (; k < n; ++k) {
        total += multiply(a[k], b[k * stride]);
    }
    for (const V& s : sum) {
        total += s;
    }
    return total;
}

template <class V>
void multiply_dense(const Executor& exec, DenseView<const V> a, Scalar<V> alpha, DenseView<const V> b, Scalar<V> beta,
                    DenseView<V> x)
{
    const auto tile = [&](auto lanes, size_type first, size_type last) {
        const auto col = lanes.first_column;
        for (size_type row = first; row < last; ++row) {
            const V* const a_row = a.values + row * a.stride;
            std::array<V, lanes.width> sum{};
            if constexpr (lanes.width == 1) {
                sum[0] = b.stride == 1 ? row_product(a_row, b.values, 1, a.cols)
                                       : row_product(a_row, b.values + col, b.stride, a.cols);
            } else {
                for (size_type k = 0; k < a.cols; ++k) {
                    for (int lane = 0; lane < lanes.width; ++lane) {
                        sum[lane] += multiply(a_row[k], b(k, col + lane));
                    }
                }
            }
            const auto term = [&](size_type, int lane) { return sum[lane]; };
            combine_tile(lanes, 1, alpha, beta, column_tile(x, row, col), term);
        }
    };
    parallel_rows(exec, {x.rows, (a.cols + 1) * x.cols},
                  [&](size_type begin, size_type end) { for_each_column_tile(begin, end, x.cols, tile); });
}

template <class V, class I>
void gather_rows(const Executor& exec, const I* rows, DenseView<const V> b, DenseView<V> x)
{
    parallel_rows(exec, {x.rows, x.cols}, [&](size_type begin, size_type end) {
        for_each_column_tile(begin, end, x.cols, [&](auto lanes, size_type first, size_type last) {
            for (size_type row = first; row < last; ++row) {
                for (int lane = 0; lane < lanes.width; ++lane) {
                    x(row, lanes.column(lane)) = b(rows[row], lanes.column(lane));
                }
            }
        });
    });
}

template <class V, class I>
void scatter_rows(const Executor& exec, const I* rows, DenseView<const V> b, DenseView<V> x)
{
    parallel_rows(exec, {b.rows, b.cols}, [&](size_type begin, size_type end) {
        for_each_column_tile(begin, end, b.cols, [&](auto lanes, size_type first, size_type last) {
            for (size_type row = first; row < last; ++row) {
                for (int lane = 0; lane < lanes.width; ++lane) {
                    x(rows[row], lanes.column(lane)) = b(row, lanes.column(lane));
                }
            }
        });
    });
}

}  // namespace

void register_dense()
{
    for_each_value([]<class V>() {
        dense_fill<V>.bind(Backend::omp, fill<V>);
        dense_copy<V>.bind(Backend::omp, copy<V>);
        dense_scale<V>.bind(Backend::omp, scale<V>);
        dense_axpby<V>.bind(Backend::omp, combine<V>);
        dense_dot<V>.bind(Backend::omp, dot<V>);
        dense_norm1<V>.bind(Backend::omp, norm1<V>);
        dense_norm2<V>.bind(Backend::omp, norm2<V>);
        dense_norm_inf<V>.bind(Backend::omp, norm_inf<V>);
        dense_multiply<V>.bind(Backend::omp, multiply_dense<V>);
        dense_scale_rows<V>.bind(Backend::omp, scale_rows<V>);
    });
    for_each_value_index([]<class V, class I>() {
        dense_gather_rows<V, I>.bind(Backend::omp, gather_rows<V, I>);
        dense_scatter_rows<V, I>.bind(Backend::omp, scatter_rows<V, I>);
    });
}

}  // namespace linden::omp
