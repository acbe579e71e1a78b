#include "core/kernels/jacobi.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/math.hpp"
#include "core/portable/jacobi.hpp"
#include "omp/pack.hpp"
#include "omp/parallel.hpp"
#include "omp/tiles.hpp"

namespace linden::omp {
namespace {

/// d := invert(d), where an entry 0 turns into 1
template <class V, class Invert>
void invert_nonzeros(const Executor& exec, DenseView<V> d, size_type* num_zeros, const Invert& invert)
{
    *num_zeros = 0;
    parallel_rows(exec, d.rows, [&](size_type begin, size_type end) {
        size_type zeros = 0;
        for (size_type row = begin; row < end; ++row) {
            const bool is_zero = d(row, 0) == V{};
            zeros += is_zero;
            d(row, 0) = is_zero ? V{1} : invert(d(row, 0));
        }
#pragma omp atomic
        *num_zeros += zeros;
    });
}

template <class V>
void invert_diagonal(const Executor& exec, DenseView<V> d, size_type* num_zeros)
{
    invert_nonzeros(exec, d, num_zeros, [](V value) { return V{1} / value; });
}

template <class V>
void inverse_root(const Executor& exec, DenseView<V> d, size_type* num_zeros)
{
    invert_nonzeros(exec, d, num_zeros, [](V value) { return V{1 / std::sqrt(magnitude(value))}; });
}

/// Brings the sums w^H x and x^H x of each column to their place.
template <class V>
auto to_results(size_type cols, V* wx, V* xx)
{
    return Later{[=](const V* sums) {
        std::copy_n(sums, cols, wx);
        if (xx != nullptr) {
            std::copy_n(sums + cols, cols, xx);
        }
    }};
}

template <class V>
void apply_dot(const Executor& exec, DenseView<const V> d, DenseView<const V> b, DenseView<V> x, DenseView<const V> w,
               V* wx, V* xx, WorkspaceView workspace)
{
    const auto body = [&](size_type begin, size_type end, V* sums) {
        const auto tile = [&](auto lanes, size_type rows, auto x_tile, auto d_tile, auto b_tile, auto w_tile) {
            constexpr int width = lanes.width;
            Pack<V, width> sum_wx, sum_xx;
            for (size_type row = 0; row < rows; ++row) {
                const auto value = product(d_tile.template pack<width>(row), b_tile.template pack<width>(row));
                value.store(&x_tile(row, 0));
                sum_wx.add_inner_product(w_tile.template pack<width>(row), value);
                sum_xx.add_square(value);
            }
            lanes.add(sum_wx.lanes, sums);
            lanes.add(sum_xx.lanes, sums + x.cols);
        };
        for_each_tile(begin, end, x.cols, tile, x, PerRowView<const V>{d.values, d.stride}, b, w);
    };
    reduce_rows<V, 2>(exec, x.rows, x.cols, workspace, body, to_results(x.cols, wx, xx));
}

template <class I>
void find_blocks(const Executor& exec, PatternView<I> a, size_type max_size, size_type* block_ptrs,
                 size_type* value_ptrs, DiagonalBlockCounts* counts, WorkspaceView workspace)
{
    std::byte* const same = workspace.data;
    parallel_parts(exec, NonzeroPartition<I>{a.row_ptrs, a.rows}, [&](size_type begin, size_type end) {
        for (size_type row = begin; row < end; ++row) {
            same[row] = std::byte{row > 0 && has_columns_of_previous(a.row_ptrs, a.col_idxs, row)};
        }
    });
    agglomerate_blocks(
        a.rows, max_size, [&](size_type row) { return same[row] != std::byte{}; }, block_ptrs, value_ptrs, counts);
}

/// Blocks in parts of equal number, of which each has about `values_per_row` values for each of its rows.
template <class S>
RowPartition by_blocks(const DiagonalBlocksView<S>& m, size_type values_per_row)
{
    return {m.num_blocks, m.max_size * values_per_row};
}

template <class V, class S, class I>
void generate_blocks(const Executor& exec, CsrView<V, I> a, DiagonalBlocksView<S> m, size_type* num_singular)
{
    *num_singular = 0;
    parallel_rows(exec, by_blocks(m, m.max_size * m.max_size), [&](size_type begin, size_type end) {
        size_type singular = 0;
        for (size_type block = begin; block < end; ++block) {
            const size_type first = m.block_ptrs[block];
            const auto size = static_cast<int>(m.block_ptrs[block + 1] - first);
            singular += generate_block(a, first, size, m.values + m.value_ptrs[block]);
        }
#pragma omp atomic
        *num_singular += singular;
    });
}

/// The product of a block and `Width` columns: its value for row i and a lane is [i * Width + lane].
template <class V, int Width>
using BlockProduct = std::array<V, max_jacobi_block_size * Width>;

/// product := B b for one column. Rows go by whole cache lines of values, past the end of short columns: what is read
/// there belongs to the next column or to the padding, and is not used.
template <class V, class S>
void multiply_block(const S* values, size_type n, const V* b, size_type stride, BlockProduct<V, 1>& product)
{
    constexpr int width = static_cast<int>(64 / sizeof(V));
    static_assert(width <= jacobi_block_padding && max_jacobi_block_size % width == 0);
    for (size_type first = 0; first < n; first += width) {
        std::array<V, width> sum{};
        const S* column = values + first;
        for (size_type j = 0; j < n; ++j, column += n) {
            for (int lane = 0; lane < width; ++lane) {
                sum[lane] += multiply(V(column[lane]), b[j * stride]);
            }
        }
        std::copy_n(sum.begin(), width, product.begin() + first);
    }
}

/// product := B b for several columns.
template <class V, class S, std::size_t Size>
void multiply_block(const S* values, size_type n, const V* b, size_type stride, std::array<V, Size>& product)
{
    constexpr int width = static_cast<int>(Size / max_jacobi_block_size);
    for (size_type i = 0; i < n; ++i) {
        std::array<V, width> sum{};
        for (size_type j = 0; j < n; ++j) {
            for (int lane = 0; lane < width; ++lane) {
                sum[lane] += multiply(V(values[j * n + i]), b[j * stride + lane]);
            }
        }
        std::copy_n(sum.begin(), width, product.begin() + i * width);
    }
}

/// Calls use(row, lane, value) for B b in the blocks [begin, end) and the columns of a tile.
template <class V, class S, class L, class Use>
void for_each_product(L lanes, size_type begin, size_type end, const DiagonalBlocksView<const S>& m,
                      const DenseView<const V>& b, const Use& use)
{
    BlockProduct<V, L::width> product;
    for (size_type block = begin; block < end; ++block) {
        const size_type first = m.block_ptrs[block];
        const size_type size = m.block_ptrs[block + 1] - first;
        multiply_block(m.values + m.value_ptrs[block], size, &b(first, lanes.first_column), b.stride, product);
        for (size_type i = 0; i < size; ++i) {
            for (int lane = 0; lane < L::width; ++lane) {
                use(first + i, lane, product[i * L::width + lane]);
            }
        }
    }
}

template <class V, class S>
void apply_blocks(const Executor& exec, DiagonalBlocksView<const S> m, Scalar<V> alpha, DenseView<const V> b,
                  Scalar<V> beta, DenseView<V> x)
{
    const auto tile = [&](auto lanes, size_type begin, size_type end) {
        const auto factor = lanes.gather([&](size_type col) { return alpha[col]; });
        const auto keep = lanes.gather([&](size_type col) { return beta[col]; });
        for_each_product<V, S>(lanes, begin, end, m, b, [&](size_type row, int lane, V product) {
            V& value = x(row, lanes.first_column + lane);
            const V t = multiply(factor[lane], product);
            value = keep[lane] == V{} ? t : t + multiply(keep[lane], value);
        });
    };
    parallel_rows(exec, by_blocks(m, m.max_size + x.cols),
                  [&](size_type begin, size_type end) { for_each_column_tile(begin, end, x.cols, tile); });
}

template <class V, class S>
void apply_blocks_dot(const Executor& exec, DiagonalBlocksView<const S> m, DenseView<const V> b, DenseView<V> x,
                      DenseView<const V> w, V* wx, V* xx, WorkspaceView workspace)
{
    const auto body = [&](size_type begin, size_type end, V* sums) {
        for_each_column_tile(begin, end, x.cols, [&](auto lanes, size_type first, size_type last) {
            std::array<V, lanes.width> sum_wx{};
            std::array<V, lanes.width> sum_xx{};
            for_each_product<V, S>(lanes, first, last, m, b, [&](size_type row, int lane, V product) {
                const auto col = lanes.first_column + lane;
                x(row, col) = product;
                sum_wx[lane] += multiply(conj(w(row, col)), product);
                sum_xx[lane] += abs2(product);
            });
            lanes.add(sum_wx, sums);
            lanes.add(sum_xx, sums + x.cols);
        });
    };
    reduce_parts<V, 2>(exec, by_blocks(m, m.max_size + x.cols), x.cols, workspace, body, to_results(x.cols, wx, xx));
}

}  // namespace

void register_jacobi()
{
    for_each_value([]<class V>() {
        jacobi_invert_diagonal<V>.bind(Backend::omp, invert_diagonal<V>);
        jacobi_inverse_root<V>.bind(Backend::omp, inverse_root<V>);
        jacobi_apply_dot<V>.bind(Backend::omp, apply_dot<V>);
    });
    for_each_index([]<class I>() { block_jacobi_find_blocks<I>.bind(Backend::omp, find_blocks<I>); });
    for_each_value_storage([]<class V, class S>() {
        block_jacobi_apply<V, S>.bind(Backend::omp, apply_blocks<V, S>);
        block_jacobi_apply_dot<V, S>.bind(Backend::omp, apply_blocks_dot<V, S>);
        for_each_index([]<class I>() { block_jacobi_generate<V, S, I>.bind(Backend::omp, generate_blocks<V, S, I>); });
    });
}

}  // namespace linden::omp
