#include "core/kernels/sell.hpp"

#include "core/base/math.hpp"
#include "omp/parallel.hpp"

namespace linden::omp {
namespace {

/// So many rows are summed side by side, by vector instructions: their entries of one column lie together.
inline constexpr size_type lanes = 32;

/// sums[i] := (A b)(row at position first + i), for `count` positions of a slice; all lanes if `Full`. Column `col` of
/// b, which is the only one if `Contiguous`.
template <bool Full, bool Contiguous, class V, class S, class J>
void sum_rows(const SellView<S, J>& a, size_type slice, size_type first, size_type count, const V* b, size_type stride,
              V (&result)[lanes])
{
    const auto& layout = a.layout;
    const size_type last = layout.last_column(slice);
    const size_type place = first - slice * layout.slice_rows;
    const size_type used = Full ? lanes : count;
    V sums[lanes]{};
    for (size_type c = layout.first_column(slice); c < last; ++c) {
        const J* const cols = a.col_idxs + c * layout.slice_rows + place;
        const S* const values = a.values + c * layout.slice_rows + place;
        const V* const base = sizeof(J) == 2 ? b + a.bases[c] * (Contiguous ? 1 : stride) : b;
        for (size_type i = 0; i < used; ++i) {
            if (cols[i] != no_column<J>) {
                sums[i] += multiply(static_cast<V>(values[i]), base[cols[i] * (Contiguous ? 1 : stride)]);
            }
        }
    }
    std::copy_n(sums, lanes, result);
}

/// Positions [first, first + count) of a slice, at most `lanes`; all columns, for which the entries stay in the cache.
template <class V, class S, class J>
void multiply_rows(const SellView<S, J>& a, size_type slice, size_type first, size_type count, const Scalar<V>& alpha,
                   DenseView<const V> b, const Scalar<V>& beta, DenseView<V> x)
{
    V sums[lanes];
    for (size_type col = 0; col < x.cols; ++col) {
        if (count == lanes && b.stride == 1) {
            sum_rows<true, true>(a, slice, first, count, b.values + col, b.stride, sums);
        } else if (count == lanes) {
            sum_rows<true, false>(a, slice, first, count, b.values + col, b.stride, sums);
        } else {
            sum_rows<false, false>(a, slice, first, count, b.values + col, b.stride, sums);
        }
        const V factor = alpha[col];
        const V keep = beta[col];
        for (size_type i = 0; i < count; ++i) {
            V& target = x(a.layout.row(first + i), col);
            const V product = multiply(factor, sums[i]);
            target = keep == V{} ? product : product + multiply(keep, target);
        }
    }
}

template <class V, class S, class J>
void spmv(const Executor& exec, SellView<S, J> a, Scalar<V> alpha, DenseView<const V> b, Scalar<V> beta, DenseView<V> x)
{
    const auto& layout = a.layout;
    const auto positions = [&](size_type slice, size_type begin, size_type end) {
        for (size_type first = begin; first < end; first += lanes) {
            multiply_rows(a, slice, first, std::min(lanes, end - first), alpha, b, beta, x);
        }
    };
    if (layout.slice_ptrs == nullptr) {
        parallel_rows(exec, {layout.rows, layout.width * x.cols + 1},
                      [&](size_type begin, size_type end) { positions(0, begin, end); });
        return;
    }
    const NonzeroPartition<typename SellView<S, J>::index_type> slices{layout.slice_ptrs, layout.num_slices()};
    const int parts = slices.work() * layout.slice_rows * x.cols < min_parallel_work ? 1 : num_threads(exec);
    run_parts(slices, parts, [&](int, size_type begin, size_type end) {
        for (size_type slice = begin; slice < end; ++slice) {
            const size_type first = slice * layout.slice_rows;
            positions(slice, first, std::min(first + layout.slice_rows, layout.rows));
        }
    });
}

}  // namespace

void register_sell()
{
    for_each_sell_type([]<class V, class S, class J>() { sell_spmv<V, S, J>.bind(Backend::omp, spmv<V, S, J>); });
}

}  // namespace linden::omp
