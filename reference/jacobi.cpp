#include "core/kernels/jacobi.hpp"

#include <cmath>

#include "core/base/math.hpp"
#include "core/portable/jacobi.hpp"
#include "reference/column_dots.hpp"

namespace linden::reference {
namespace {

template <class V>
void invert_diagonal(const Executor&, DenseView<V> d, size_type* num_zeros)
{
    *num_zeros = 0;
    for (size_type row = 0; row < d.rows; ++row) {
        const bool is_zero = d(row, 0) == V{};
        *num_zeros += is_zero;
        d(row, 0) = is_zero ? V{1} : V{1} / d(row, 0);
    }
}

template <class V>
void inverse_root(const Executor&, DenseView<V> d, size_type* num_zeros)
{
    *num_zeros = 0;
    for (size_type row = 0; row < d.rows; ++row) {
        const bool is_zero = d(row, 0) == V{};
        *num_zeros += is_zero;
        d(row, 0) = is_zero ? V{1} : V{1 / std::sqrt(magnitude(d(row, 0)))};
    }
}

template <class V>
void apply_dot(const Executor&, DenseView<const V> d, DenseView<const V> b, DenseView<V> x, DenseView<const V> w, V* wx,
               V* xx, WorkspaceView workspace)
{
    for (size_type row = 0; row < x.rows; ++row) {
        for (size_type col = 0; col < x.cols; ++col) {
            x(row, col) = d(row, 0) * b(row, col);
        }
    }
    column_dots(w, x, wx, xx, workspace);
}

template <class I>
void find_blocks(const Executor&, PatternView<I> a, size_type max_size, size_type* block_ptrs, size_type* value_ptrs,
                 DiagonalBlockCounts* counts, WorkspaceView)
{
    agglomerate_blocks(
        a.rows, max_size, [&](size_type row) { return has_columns_of_previous(a.row_ptrs, a.col_idxs, row); },
        block_ptrs, value_ptrs, counts);
}

template <class V, class S, class I>
void generate_blocks(const Executor&, CsrView<V, I> a, DiagonalBlocksView<S> m, size_type* num_singular)
{
    *num_singular = 0;
    for (size_type block = 0; block < m.num_blocks; ++block) {
        const size_type first = m.block_ptrs[block];
        const auto size = static_cast<int>(m.block_ptrs[block + 1] - first);
        *num_singular += generate_block(a, first, size, m.values + m.value_ptrs[block]);
    }
}

template <class V, class S>
void apply_blocks(const Executor&, DiagonalBlocksView<const S> m, Scalar<V> alpha, DenseView<const V> b, Scalar<V> beta,
                  DenseView<V> x)
{
    for (size_type block = 0; block < m.num_blocks; ++block) {
        const size_type first = m.block_ptrs[block];
        const size_type size = m.block_ptrs[block + 1] - first;
        const S* const values = m.values + m.value_ptrs[block];
        for (size_type i = 0; i < size; ++i) {
            for (size_type col = 0; col < x.cols; ++col) {
                V sum{};
                for (size_type j = 0; j < size; ++j) {
                    sum += V(values[j * size + i]) * b(first + j, col);
                }
                V& target = x(first + i, col);
                target = beta[col] == V{} ? alpha[col] * sum : alpha[col] * sum + beta[col] * target;
            }
        }
    }
}

template <class V, class S>
void apply_blocks_dot(const Executor& exec, DiagonalBlocksView<const S> m, DenseView<const V> b, DenseView<V> x,
                      DenseView<const V> w, V* wx, V* xx, WorkspaceView workspace)
{
    apply_blocks<V, S>(exec, m, V{1}, b, V{}, x);
    column_dots(w, x, wx, xx, workspace);
}

}  // namespace

void register_jacobi()
{
    for_each_value([]<class V>() {
        jacobi_invert_diagonal<V>.bind(Backend::reference, invert_diagonal<V>);
        jacobi_inverse_root<V>.bind(Backend::reference, inverse_root<V>);
        jacobi_apply_dot<V>.bind(Backend::reference, apply_dot<V>);
    });
    for_each_index([]<class I>() { block_jacobi_find_blocks<I>.bind(Backend::reference, find_blocks<I>); });
    for_each_value_storage([]<class V, class S>() {
        block_jacobi_apply<V, S>.bind(Backend::reference, apply_blocks<V, S>);
        block_jacobi_apply_dot<V, S>.bind(Backend::reference, apply_blocks_dot<V, S>);
        for_each_index(
            []<class I>() { block_jacobi_generate<V, S, I>.bind(Backend::reference, generate_blocks<V, S, I>); });
    });
}

}  // namespace linden::reference
