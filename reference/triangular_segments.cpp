#include "core/kernels/triangular_segments.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace linden::reference {
namespace {

size_type segment_of(size_type row, size_type n, Side side, size_type segment_rows)
{
    return (side == Side::lower ? row : n - 1 - row) / segment_rows;
}

template <class I>
void halo_sizes(const Executor&, PatternView<I> a, Side side, size_type segment_rows, I* sizes)
{
    std::fill_n(sizes, (a.rows + segment_rows - 1) / segment_rows, I{0});
    for (size_type row = 0; row < a.rows; ++row) {
        const size_type segment = segment_of(row, a.rows, side, segment_rows);
        for (I k = a.row_ptrs[row]; k < a.row_ptrs[row + 1]; ++k) {
            const size_type col = a.col_idxs[k];
            const bool is_on_side = side == Side::lower ? col < row : col > row;
            sizes[segment] += is_on_side && segment_of(col, a.rows, side, segment_rows) != segment ? 1 : 0;
        }
    }
}

template <class I>
void order_rows(const Executor&, LevelsView<I> rows, size_type segment_rows, I* order, I* position, WorkspaceView)
{
    const size_type n = rows.num_rows;
    const auto key = [&](I row) {
        return std::tuple(segment_of(row, n, rows.side, segment_rows), rows.levels[row], row);
    };
    std::iota(order, order + n, I{0});
    std::sort(order, order + n, [&](I a, I b) { return key(a) < key(b); });
    for (size_type p = 0; p < n; ++p) {
        position[order[p]] = static_cast<I>(p);
    }
}

template <class I>
void fill_halo(const Executor&, size_type n, size_type segment_rows, const I* row_ptrs, I* cols, const I* halo_ptrs,
               I* halo)
{
    I next = 0;
    for (size_type p = 0; p < n; ++p) {
        const size_type segment = p / segment_rows;
        const auto first = static_cast<I>(segment * segment_rows);
        for (I k = row_ptrs[p]; k < row_ptrs[p + 1]; ++k) {
            if (cols[k] >= first) {
                cols[k] -= first;
            } else {
                halo[next] = cols[k];
                cols[k] = static_cast<I>(segment_rows) + next - halo_ptrs[segment];
                ++next;
            }
        }
    }
}

/// Slots stand for positions: nothing waits here.
template <class V, class S, class I>
void solve_segments(const Executor&, LevelFactorView<V, S, I> f, SegmentsView<I> segments, DenseView<const V> b,
                    DenseView<V> x, SyncFreeState<V> state)
{
    V* const w = state.blocks;
    for (size_type p = 0; p < f.rows; ++p) {
        const size_type segment = p / segments.segment_rows;
        const auto position_of = [&](size_type slot) {
            return slot < segments.segment_rows
                       ? segment * segments.segment_rows + slot
                       : size_type{segments.halo[segments.halo_ptrs[segment] + slot - segments.segment_rows]};
        };
        for (size_type col = 0; col < x.cols; ++col) {
            V sum = b(f.sources[p], col);
            for (I k = f.row_ptrs[p]; k < f.row_ptrs[p + 1]; ++k) {
                sum -= static_cast<V>(f.values[k]) * w[position_of(f.cols[k]) * x.cols + col];
            }
            const V value = f.inverse_diagonal == nullptr ? sum : f.inverse_diagonal[p] * sum;
            w[p * x.cols + col] = value;
            x(f.targets[p], col) = value;
        }
    }
}

}  // namespace

void register_triangular_segments()
{
    for_each_index([]<class I>() {
        segments_halo_sizes<I>.bind(Backend::reference, halo_sizes<I>);
        segments_order<I>.bind(Backend::reference, order_rows<I>);
        segments_fill_halo<I>.bind(Backend::reference, fill_halo<I>);
    });
    for_each_factor_type([]<class V, class S, class I>() {
        triangular_solve_segments<V, S, I>.bind(Backend::reference, solve_segments<V, S, I>);
    });
}

}  // namespace linden::reference
