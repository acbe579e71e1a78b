#include "core/kernels/exchange.hpp"

#include <algorithm>

#include "core/base/math.hpp"
#include "core/kernels/csr.hpp"
#include "omp/csr_rows.hpp"
#include "omp/pack.hpp"
#include "omp/parallel.hpp"
#include "omp/tiles.hpp"

namespace linden::omp {
namespace {

/// sums[0] := w^H x, sums[1] := x^H x over the rows of a part.
template <class V>
void form_part(size_type rows, const V* x, const V* w, V* sums)
{
    constexpr int width = 64 / sizeof(V);
    Pack<V, width> wx, xx;
    size_type row = 0;
    for (; row + width <= rows; row += width) {
        const auto values = Pack<V, width>::load(x + row);
        wx.add_inner_product(Pack<V, width>::load(w + row), values);
        xx.add_square(values);
    }
    sums[0] = wx.sum();
    sums[1] = xx.sum();
    for (; row < rows; ++row) {
        sums[0] += multiply(conj(w[row]), x[row]);
        sums[1] += abs2(x[row]);
    }
}

/// The parts of the rows [begin, end), where begin is that of a part.
template <class V>
void form_parts_of_rows(size_type begin, size_type end, const V* x, const V* w, V* parts)
{
    for (size_type row = begin; row < end; row += sum_part_rows) {
        form_part(std::min(sum_part_rows, end - row), x + row, w + row, parts + 2 * (row / sum_part_rows));
    }
}

/// The sums of some rows are formed while these are in the cache. Not of complex ones: GCC 12 fuses their products and
/// sums in some loops whatever it is told, and rows have the bits that they have at the rim if one loop forms both.
template <class V, class I>
void spmv_parts(const Executor& exec, CsrView<V, I> a, DenseView<const V> b, DenseView<V> x, DenseView<const V> w,
                V* parts)
{
    static_assert(rows_per_tile % sum_part_rows == 0 && sum_block_rows % sum_part_rows == 0);
    if constexpr (is_complex<V>) {
        csr_spmv_in_order<V, I>(exec, a, V{1}, b, V{}, x);
    }
    const auto partition = by_nonzeros(a);
    const PartitionInBlocks<NonzeroPartition<I>> in_blocks{partition, a.rows};
    run_parts(in_blocks, num_parts(exec, partition), [&](int, size_type begin, size_type end) {
        for (size_type row = begin; row < end; row += rows_per_tile) {
            const size_type last = std::min(row + rows_per_tile, end);
            if constexpr (!is_complex<V>) {
                const auto store = [to = x.values](size_type i, V product) { to[i] = product; };
                for_each_row_product(a, row, last, b.values, store);
            }
            form_parts_of_rows<V>(row, last, x.values, w.values, parts);
        }
    });
}

template <class V, class I>
void form_parts(const Executor& exec, size_type count, const I* which, DenseView<const V> x, DenseView<const V> w,
                V* parts)
{
    parallel_rows(exec, {count, 2 * sum_part_rows}, [&](size_type begin, size_type end) {
        for (size_type i = begin; i < end; ++i) {
            const size_type row = which[i] * sum_part_rows;
            form_parts_of_rows<V>(row, std::min(row + sum_part_rows, x.rows), x.values, w.values, parts);
        }
    });
}

template <class V>
void sum_parts(const Executor& exec, size_type rows, const V* parts, V* wx, V* xx, WorkspaceView workspace)
{
    const auto body = [&](size_type begin, size_type end, V* sums) {
        for (size_type part = begin / sum_part_rows; part < num_sum_parts(end); ++part) {
            sums[0] += parts[2 * part];
            sums[1] += parts[2 * part + 1];
        }
    };
    const Later finish{[wx, xx](const V* sums) {
        *wx = sums[0];
        if (xx != nullptr) {
            *xx = sums[1];
        }
    }};
    reduce_parts<V, 2>(exec, RowPartition{rows}, 1, workspace, body, finish);
}

}  // namespace

void register_exchange()
{
    for_each_value([]<class V>() { exchange_sum_parts<V>.bind(Backend::omp, sum_parts<V>); });
    for_each_value_index([]<class V, class I>() {
        exchange_spmv_parts<V, I>.bind(Backend::omp, spmv_parts<V, I>);
        exchange_form_parts<V, I>.bind(Backend::omp, form_parts<V, I>);
    });
}

}  // namespace linden::omp
