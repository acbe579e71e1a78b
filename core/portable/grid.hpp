#pragma once

#include <type_traits>

#include "core/base/math.hpp"
#include "core/kernels/grid.hpp"
#include "core/portable/body.hpp"

namespace linden {

template <class I>
struct SampleOffsets {
    PatternView<I> a;
    size_type num_samples;
    size_type width;
    std::int64_t* offsets;

    LINDEN_HOST_DEVICE size_type size() const { return num_samples; }
    LINDEN_HOST_DEVICE void operator()(size_type s) const
    {
        const size_type row = sampled_row(s, num_samples, a.rows);
        const size_type begin = a.row_ptrs[row];
        const size_type length = a.row_ptrs[row + 1] - begin;
        for (size_type k = 0; k < width; ++k) {
            offsets[s * width + k] = length > width ? a.rows : k < length ? a.col_idxs[begin + k] - row : 0;
        }
    }
};

template <class V, class I>
struct FlagRows {
    CsrView<V, I> a;
    const real_t<V>* largest;
    double threshold;
    GridShape grid;
    size_type num_samples;
    I* flags;

    LINDEN_HOST_DEVICE size_type size() const { return num_samples; }
    LINDEN_HOST_DEVICE void operator()(size_type s) const
    {
        const size_type row = sampled_point(grid, s, num_samples);
        const auto limit = static_cast<real_t<V>>(threshold) * largest[row];
        V diagonal{};
        for (size_type k = a.row_ptrs[row]; k < a.row_ptrs[row + 1]; ++k) {
            diagonal = a.col_idxs[k] == row ? a.values[k] : diagonal;
        }
        unsigned found = 0, directions = 0;
        for (size_type k = a.row_ptrs[row]; k < a.row_ptrs[row + 1]; ++k) {
            if (a.col_idxs[k] == row) {
                continue;
            }
            const bool is_strong = magnitude(a.values[k]) >= limit && real(a.values[k] * conj(diagonal)) <= real_t<V>{};
            const auto step = step_of(grid, a.col_idxs[k] - row);
            const unsigned axes = axes_of(step);
            found |= axes << (is_strong ? is_strong_along_x : is_weak_along_x);
            found |= (axes & (axes - 1)) != 0 ? 1U << has_diagonals : 0U;
            directions |= is_strong ? directions_of(step) : 0U;
        }
        found |= (directions >> num_axes) != (directions & all_axes) ? 1U << is_aslant : 0U;
        for (int flag = 0; flag < num_grid_flags; ++flag) {
            flags[flag * num_samples + s] = static_cast<I>(found >> flag & 1U);
        }
    }

private:
    static constexpr unsigned all_axes = (1U << num_axes) - 1;

    /// A bit for each axis along which there is a step.
    LINDEN_HOST_DEVICE static unsigned axes_of(const GridStep& step)
    {
        return (step.along[0] != 0 ? 1U : 0U) | (step.along[1] != 0 ? 2U : 0U) | (step.along[2] != 0 ? 4U : 0U);
    }
    /// A bit for each pair of axes with steps in the same direction, and behind them for those in opposite ones.
    LINDEN_HOST_DEVICE static unsigned directions_of(const GridStep& step)
    {
        unsigned bits = 0;
        for (int axis = 0; axis < num_axes; ++axis) {
            const auto product = step.along[axis] * step.along[(axis + 1) % num_axes];
            bits |= product > 0 ? 1U << axis : product < 0 ? 1U << (axis + num_axes) : 0U;
        }
        return bits;
    }
};

template <class I>
struct AggregateBlocks {
    GridBlocks blocks;
    I* aggregates;

    LINDEN_HOST_DEVICE size_type size() const { return blocks.fine.size(); }
    LINDEN_HOST_DEVICE void operator()(size_type row) const
    {
        using U = std::make_unsigned_t<I>;  // divides faster than size_type where it is shorter
        auto rest = static_cast<U>(row);
        U block = 0, stride = 1;
        for (int axis = 0; axis < num_axes; ++axis) {
            const auto points = static_cast<U>(blocks.fine.points[axis]);
            const auto count = static_cast<U>(blocks.coarse.points[axis]);
            const U at = (axis + 1 < num_axes ? rest % points : rest) / static_cast<U>(blocks.widths[axis]);
            block += stride * (at < count ? at : count - 1);
            rest /= points;
            stride *= count;
        }
        aggregates[row] = static_cast<I>(block);
    }
};

template <class F>
void for_each_portable_grid(const F& f)
{
    for_each_index([&]<class I>() {
        f(grid_sample<I>, BodyOf<SampleOffsets<I>>());
        f(grid_aggregates<I>, BodyOf<AggregateBlocks<I>>());
    });
    for_each_value_index([&]<class V, class I>() { f(grid_flags<V, I>, BodyOf<FlagRows<V, I>>()); });
}

}  // namespace linden
