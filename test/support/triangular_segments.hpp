#pragma once

#include <numeric>

#include "core/kernels/triangular_segments.hpp"
#include "test/support/triangular_solves.hpp"

/// Factors in segments, by the kernels of an executor.
namespace linden::test {

template <class I>
std::vector<I> halo_sizes_on(const Executor& exec, const HostPattern<I>& host, Side side, size_type segment_rows)
{
    const PatternOn<I> a(exec, host);
    Array<I> sizes(exec, (host.size.rows + segment_rows - 1) / segment_rows);
    segments_halo_sizes<I>(exec, a.view(), side, segment_rows, sizes.data());
    return sizes.to_host();
}

/// The order and positions of rows in segments; `levels` as levels_on gives them.
template <class I>
Levels<I> segments_on(const Executor& exec, Levels<I> levels, Side side, size_type segment_rows)
{
    const auto n = static_cast<size_type>(levels.order.size());
    const Array<I> there(exec, levels.levels);
    Array<I> order(exec, n), position(exec, n);
    Array<std::byte> workspace(exec, levels_order_workspace_bytes<I>(n));
    segments_order<I>(exec, {.num_rows = n, .num_levels = levels.num_levels, .levels = there.data(), .side = side},
                      segment_rows, order.data(), position.data(), {workspace.data(), workspace.size()});
    levels.order = order.to_host();
    levels.position = position.to_host();
    return levels;
}

template <class I>
std::vector<I> prefix_sums(const std::vector<I>& sizes)
{
    std::vector<I> ptrs{0};
    std::partial_sum(sizes.begin(), sizes.end(), std::back_inserter(ptrs));
    return ptrs;
}

/// Executors that cut factors into segments: all but omp, as doc/kernel-gaps.md says.
inline bool has_segments(const Executor& exec) { return exec.backend() != Backend::omp; }

/// Solves by segments of few rows, or where that would be too many segments for a test, of more; without barriers where
/// an executor has no segments.
template <class V, class S, class I>
class SolveBySegments {
public:
    SolveBySegments(const Executor& exec, const LevelFactor<V, S, I>& factor, size_type k)
        : segment_rows_(std::max<size_type>(factor.view().rows / 20, 64)),
          factor_(exec, factor.triangle(), factor.ends(),
                  has_segments(exec) ? segments_on(exec, factor.levels(), factor.triangle().side, segment_rows_)
                                     : factor.levels()),
          halo_ptrs_(exec),
          halo_(exec),
          blocks_(exec, 2 * factor.view().rows * k),
          tickets_(exec, 1)
    {
        triangular_start_state<V>(exec, blocks_.size(), {blocks_.data(), tickets_.data()});
        if (!has_segments(exec)) {
            return;
        }
        const auto& t = factor.triangle();
        const auto sizes = halo_sizes_on(exec, t.pattern, t.side, segment_rows_);
        const auto ptrs = prefix_sums(sizes);
        max_slots_ = segment_rows_ + (sizes.empty() ? 0 : *std::max_element(sizes.begin(), sizes.end()));
        halo_ptrs_ = Array<I>(exec, ptrs);
        halo_ = Array<I>(exec, ptrs.back());
        segments_fill_halo<I>(exec, t.rows(), segment_rows_, factor_.view().row_ptrs, factor_.cols(), halo_ptrs_.data(),
                              halo_.data());
    }

    void solve(DenseView<const V> b, DenseView<V> x)
    {
        const SyncFreeState<V> state{blocks_.data(), tickets_.data()};
        if (has_segments(executor())) {
            triangular_solve_segments<V, S, I>(
                executor(), factor_.view(), {segment_rows_, max_slots_, halo_ptrs_.data(), halo_.data()}, b, x, state);
        } else {
            triangular_solve_syncfree<V, S, I>(executor(), factor_.view(), b, x, state);
        }
    }
    const Executor& executor() const { return blocks_.executor(); }

private:
    size_type segment_rows_, max_slots_ = 0;
    LevelFactor<V, S, I> factor_;
    Array<I> halo_ptrs_, halo_;
    Array<V> blocks_;
    Array<std::uint64_t> tickets_;
};

}  // namespace linden::test
