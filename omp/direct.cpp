#include "core/kernels/direct.hpp"

#include <algorithm>

#include "core/base/math.hpp"
#include "omp/parallel.hpp"

/// As core/portable/direct.hpp, for one column without its loop and without divisions that find an item's row.
namespace linden::omp {
namespace {

/// A column, whose values are `stride` apart.
template <class V>
struct Column {
    V* values;
    size_type stride;

    Column(DenseView<V> x, size_type j) : values(x.values + j), stride(x.stride) {}
    V& operator[](size_type i) const { return values[i * stride]; }
};

/// The same where they stand side by side.
template <class V>
struct DenseColumn {
    V* values;

    DenseColumn(DenseView<V> x, size_type j) : values(x.values + j) {}
    V& operator[](size_type i) const { return values[i]; }
};

template <bool finds_residual, template <class> class In, class V, class I>
void ratios_of_rows(CsrView<V, I> a, In<const V> b, In<const V> x, In<V> r, real_t<V>* ratios, size_type cols,
                    size_type begin, size_type end)
{
    using R = real_t<V>;
    const I *const ptrs = a.row_ptrs, *const col_idxs = a.col_idxs;
    const V* const values = a.values;
    for (size_type row = begin; row < end; ++row) {
        V product{};
        R sum = magnitude(b[row]);
        for (I e = ptrs[row]; e < ptrs[row + 1]; ++e) {
            const V of_x = x[col_idxs[e]];
            sum += magnitude(values[e]) * magnitude(of_x);
            if constexpr (finds_residual) {
                product += multiply(values[e], of_x);
            }
        }
        if constexpr (finds_residual) {
            r[row] = b[row] - product;
        }
        const R size = magnitude(r[row]);
        ratios[row * cols] = size == R{} ? R{} : size / sum;
    }
}

template <template <class> class In, class V, class I>
void ratios_of_column(CsrView<V, I> a, In<const V> b, In<const V> x, In<V> r, bool has_residual, real_t<V>* ratios,
                      size_type cols, size_type begin, size_type end)
{
    if (has_residual) {
        ratios_of_rows<false>(a, b, x, r, ratios, cols, begin, end);
    } else {
        ratios_of_rows<true>(a, b, x, r, ratios, cols, begin, end);
    }
}

template <class V, class I>
void error_ratios(const Executor& exec, CsrView<V, I> a, DenseView<const V> b, DenseView<const V> x, DenseView<V> r,
                  bool has_residual, real_t<V>* ratios)
{
    const bool is_dense = b.stride == 1 && x.stride == 1 && r.stride == 1;
    parallel_parts(exec, by_nonzeros(a), [&](size_type begin, size_type end) {
        if (is_dense) {
            using In = DenseColumn<const V>;
            ratios_of_column(a, In(b, 0), In(x, 0), DenseColumn<V>(r, 0), has_residual, ratios, 1, begin, end);
            return;
        }
        for (size_type j = 0; j < x.cols; ++j) {
            using In = Column<const V>;
            ratios_of_column(a, In(b, j), In(x, j), Column<V>(r, j), has_residual, ratios + j, x.cols, begin, end);
        }
    });
}

/// Row by row, so that values are read as they stand.
template <class R>
void error_maxima(const Executor&, size_type rows, size_type cols, const R* ratios, R* maxima)
{
    const size_type width = num_error_parts * cols, count = rows * cols;
    std::fill_n(maxima, width, R{});
    for (size_type first = 0; first < count; first += width) {
        const size_type end = std::min(width, count - first);
        for (size_type k = 0; k < end; ++k) {
            const R ratio = ratios[first + k], most = maxima[k];
            maxima[k] = static_cast<int>(ratio > most) | static_cast<int>(ratio != ratio) ? ratio : most;
        }
    }
}

template <class V, class I>
void permute(const Executor& exec, const I* rows, const real_t<V>* factors, DenseView<const V> b, DenseView<V> x)
{
    parallel_rows(exec, {x.rows, x.cols}, [=](size_type begin, size_type end) {
        if (x.cols == 1 && x.stride == 1 && b.stride == 1) {
            for (size_type i = begin; i < end; ++i) {
                x.values[i] = factors[i] * b.values[rows[i]];
            }
            return;
        }
        for (size_type i = begin; i < end; ++i) {
            const V* const from = b.values + size_type{rows[i]} * b.stride;
            for (size_type j = 0; j < x.cols; ++j) {
                x.values[i * x.stride + j] = factors[i] * from[j];
            }
        }
    });
}

template <class V>
void correct(const Executor& exec, DenseView<const V> z, DenseView<V> x, StopView<real_t<V>> stop)
{
    parallel_rows(exec, {x.rows, x.cols}, [=](size_type begin, size_type end) {
        for (size_type j = 0; j < x.cols; ++j) {
            if (!stop.is_running(j)) {
                continue;
            }
            for (size_type i = begin; i < end; ++i) {
                x.values[i * x.stride + j] += z.values[i * z.stride + j];
            }
        }
    });
}

}  // namespace

void register_direct()
{
    for_each_value_index([]<class V, class I>() {
        direct_error_ratios<V, I>.bind(Backend::omp, error_ratios<V, I>);
        direct_permute<V, I>.bind(Backend::omp, permute<V, I>);
    });
    for_each_value([]<class V>() { direct_correct<V>.bind(Backend::omp, correct<V>); });
    for_each_real([]<class R>() { direct_error_maxima<R>.bind(Backend::omp, error_maxima<R>); });
}

}  // namespace linden::omp
