#include "core/portable/dense_inverse.hpp"

#include "omp/few_rows.hpp"

namespace linden::omp {
namespace {

/// On the calling thread: a panel is a small part of the work, and threads would meet for each of its columns.
template <class V>
void pivot_rows(const Executor&, GalerkinView<V> e, std::int32_t* order, size_type first, WorkspaceView workspace)
{
    pivot_rows_on_host(e, order, first, workspace);
}

/// row b(:, col) with terms in `width` sums.
template <class V, class S>
V row_product(const S* row, const V* b, size_type stride, size_type n)
{
    constexpr int width = static_cast<int>(64 / sizeof(V));
    std::array<V, width> sums{};
    size_type j = 0;
    for (; n - j >= width; j += width) {
        for (int lane = 0; lane < width; ++lane) {
            sums[static_cast<std::size_t>(lane)] += multiply(static_cast<V>(row[j + lane]), b[(j + lane) * stride]);
        }
    }
    V total{};
    for (; j < n; ++j) {
        total += multiply(static_cast<V>(row[j]), b[j * stride]);
    }
    for (const V& sum : sums) {
        total += sum;
    }
    return total;
}

/// `width` columns from `col` on.
template <int width, class V, class S>
void row_products(const S* row, DenseView<const V> b, size_type col, V* x)
{
    std::array<V, width> sums{};
    for (size_type j = 0; j < b.rows; ++j) {
        const V value = static_cast<V>(row[j]);
        const V* const source = &b(j, col);
        for (int lane = 0; lane < width; ++lane) {
            sums[static_cast<std::size_t>(lane)] += multiply(value, source[lane]);
        }
    }
    std::copy(sums.begin(), sums.end(), x + col);
}

template <class V, class S>
void apply(const Executor& exec, DenseView<const S> w, DenseView<const V> b, DenseView<V> x)
{
    parallel_parts(exec, FewRows{x.rows, x.rows * w.cols * x.cols}, [&](size_type begin, size_type end) {
        for (size_type i = begin; i < end; ++i) {
            const S* const row = w.values + i * w.stride;
            V* const out = x.values + i * x.stride;
            size_type col = 0;
            for (; col + 4 <= x.cols; col += 4) {
                row_products<4>(row, b, col, out);
            }
            for (; col < x.cols; ++col) {
                // Where the compiler knows the stride it loads vectors.
                out[col] = b.stride == 1 ? row_product(row, b.values, 1, w.cols)
                                         : row_product(row, b.values + col, b.stride, w.cols);
            }
        }
    });
}

}  // namespace

void register_dense_inverse()
{
    for_each_value([]<class V>() { dense_inverse_pivot_rows<V>.bind(Backend::omp, pivot_rows<V>); });
    for_each_inverse_type([]<class V, class S>() { dense_inverse_apply<V, S>.bind(Backend::omp, apply<V, S>); });
}

}  // namespace linden::omp
