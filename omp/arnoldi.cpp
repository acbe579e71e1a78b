#include "core/kernels/arnoldi.hpp"

#include "core/base/host_clock.hpp"
#include "core/base/math.hpp"
#include "omp/basis.hpp"

namespace linden::omp {
namespace {

template <class V, class S>
void project(const Executor& exec, BasisView<const S> basis, DenseView<const V> v, DenseView<const V> w,
             ArnoldiScalars<V> scalars, bool settles, StopView<real_t<V>> stop, WorkspaceView workspace)
{
    if (!any_running(stop) || (settles && !arnoldi_is_open(scalars, stop))) {
        return;
    }
    const auto& s = scalars.gmres;
    const size_type of_v = basis.count * w.cols;
    const size_type num_products = of_v + w.cols;
    const size_type sums_per_row = 2 * num_products + w.cols;
    const auto body = [&](size_type begin, size_type end, V* sums) {
        for_each_chunk(basis, begin, end, [&](size_type first, size_type last) {
            // (V, v)^H v, (V, v)^H w, w^H w
            add_products<V>(basis, v, first, last, sums);
            add_product<V>(v, v, first, last, sums + of_v);
            add_products<V>(basis, w, first, last, sums + num_products);
            add_product<V>(v, w, first, last, sums + num_products + of_v);
            add_squares<V>(w, first, last, sums + 2 * num_products);
        });
    };
    reduce_parts<V, 1>(exec, RowPartition{w.rows, sums_per_row}, sums_per_row, workspace, body, [&](const V* sums) {
        for (size_type i = 0; i < num_products; ++i) {
            const bool runs = stop.is_running(i % w.cols);
            s.c[i] = runs ? sums[i] : s.c[i];
            s.h[i] = runs ? sums[num_products + i] : s.h[i];
        }
        for (size_type col = 0; col < w.cols; ++col) {
            s.ww[col] = stop.is_running(col) ? real(sums[2 * num_products + col]) : s.ww[col];
        }
    });
}

template <class V>
void advance(const Executor&, ArnoldiScalars<V> scalars, size_type j, bool flexible, bool settles,
             StopView<real_t<V>> stop)
{
    arnoldi_advance_columns(scalars, j, flexible, settles, stop, host_clock_ns(stop));
}

/// w := w - v h over the rows [begin, end), where a column runs
template <class V>
void subtract_last(DenseView<const V> v, DenseView<V> w, const V* h, const StopView<real_t<V>>& stop, size_type begin,
                   size_type end)
{
    const auto tile = [&](auto lanes, size_type rows, auto w_tile, auto v_tile) {
        const auto factors = lanes.gather([&](size_type col) { return stop.is_running(col) ? h[col] : V{}; });
        for (size_type row = 0; row < rows; ++row) {
            for (int lane = 0; lane < lanes.width; ++lane) {
                const V next = w_tile(row, lane) - multiply(factors[lane], v_tile(row, lane));
                w_tile(row, lane) = factors[lane] != V{} ? next : w_tile(row, lane);
            }
        }
    };
    for_each_tile(begin, end, w.cols, tile, w, v);
}

template <class V, class S>
void orthogonalize(const Executor& exec, BasisView<StoredVectors<V, S>> basis, DenseView<V> v, DenseView<V> w,
                   ArnoldiScalars<V> scalars, bool is_last, StopView<real_t<V>> stop)
{
    using R = real_t<V>;
    const auto& s = scalars.gmres;
    const bool changes_w = !is_last || arnoldi_is_open(scalars, stop);
    const bool changes_v = std::any_of(s.again, s.again + w.cols, [](std::int32_t again) { return again != 0; });
    constexpr bool stores = !std::is_same_v<V, S>;
    const size_type passes = (changes_w ? 1 : 0) + (changes_v ? 1 : 0);
    if (passes == 0 && !stores) {
        return;
    }
    parallel_rows(
        exec, {w.rows, std::max<size_type>(passes * (basis.count + 2), 1) * w.cols},
        [&](size_type begin, size_type end) {
            for_each_chunk(basis, begin, end, [&](size_type first, size_type last) {
                if (changes_v) {  // v := (v - V c) / alpha
                    add_vectors<V>(basis, basis.count, v, first, last, {s.c, -1, nullptr, nullptr, s.again});
                    update_columns(
                        v, first, last, [&](size_type col) { return s.again[col] != 0 ? scalars.correct[col] : R{1}; },
                        [](R factor, V value) { return factor * value; });
                }
                if constexpr (stores) {
                    store_vector<V>(basis, v, first, last);
                }
                if (changes_w) {  // w := scale (w - (V, v) h); 0 where a column has stopped
                    add_vectors<V>(basis, basis.count, w, first, last, {s.h, -1, nullptr, stop.status});
                    subtract_last<V>(v, w, s.h + basis.count * w.cols, stop, first, last);
                    update_columns(
                        w, first, last, [&](size_type col) { return stop.is_running(col) ? s.scale[col] : R{}; },
                        [](R scale, V value) { return scale == R{} ? V{} : scale * value; });
                }
            });
        });
}

}  // namespace

void register_arnoldi()
{
    for_each_value([]<class V>() { arnoldi_advance<V>.bind(Backend::omp, advance<V>); });
    for_each_basis_storage([]<class V, class S>() {
        arnoldi_project<V, S>.bind(Backend::omp, project<V, S>);
        arnoldi_orthogonalize<V, S>.bind(Backend::omp, orthogonalize<V, S>);
    });
}

}  // namespace linden::omp
