#include "core/kernels/triangular.hpp"

#include <cstring>

#include "core/base/math.hpp"

namespace linden::reference {
namespace {

template <class V, class S, class I>
void solve_levels(const Executor&, LevelFactorView<V, S, I> f, LevelRange range, DenseView<const V> b, DenseView<V> x,
                  V* w)
{
    for (size_type p = range.first_row; p < range.last_row; ++p) {
        for (size_type col = 0; col < x.cols; ++col) {
            V sum = b(f.sources[p], col);
            for (I k = f.row_ptrs[p]; k < f.row_ptrs[p + 1]; ++k) {
                sum -= static_cast<V>(f.values[k]) * w[f.cols[k] * x.cols + col];
            }
            const V value = f.inverse_diagonal == nullptr ? sum : f.inverse_diagonal[p] * sum;
            w[p * x.cols + col] = value;
            x(f.targets[p], col) = value;
        }
    }
}

/// Nobody waits here, so one block is enough and its state is of no interest.
template <class V, class S, class I>
void solve_syncfree(const Executor& exec, LevelFactorView<V, S, I> f, DenseView<const V> b, DenseView<V> x,
                    SyncFreeState<V> state)
{
    solve_levels(exec, f, {0, f.num_levels, 0, f.rows}, b, x, state.blocks);
}

template <class V>
void start_state(const Executor&, size_type count, SyncFreeState<V> state)
{
    if (count > 0) {
        std::memset(static_cast<void*>(state.blocks), 0xFF, static_cast<std::size_t>(count) * sizeof(V));
    }
    *state.tickets = 0;
}

template <class V, class I>
void invert_diagonal(const Executor&, size_type n, const I* order, const I* diagonal, const V* values, bool conjugated,
                     V* inverse_diagonal, size_type* num_zeros)
{
    *num_zeros = 0;
    for (size_type p = 0; p < n; ++p) {
        const size_type row = order == nullptr ? p : size_type{order[p]};
        const V value = diagonal[row] < 0 ? V{} : values[diagonal[row]];
        const bool is_zero = value == V{};
        *num_zeros += is_zero;
        inverse_diagonal[p] = is_zero ? V{1} : V{1} / (conjugated ? conj(value) : value);
    }
}

}  // namespace

void register_triangular()
{
    for_each_factor_type([]<class V, class S, class I>() {
        triangular_solve_levels<V, S, I>.bind(Backend::reference, solve_levels<V, S, I>);
        triangular_solve_syncfree<V, S, I>.bind(Backend::reference, solve_syncfree<V, S, I>);
    });
    for_each_value([]<class V>() { triangular_start_state<V>.bind(Backend::reference, start_state<V>); });
    for_each_value_index(
        []<class V, class I>() { triangular_invert_diagonal<V, I>.bind(Backend::reference, invert_diagonal<V, I>); });
}

}  // namespace linden::reference
