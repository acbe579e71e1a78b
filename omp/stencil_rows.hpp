#pragma once

#include <linden/views_formats.hpp>

#include <algorithm>
#include <type_traits>

#include "core/base/math.hpp"
#include "omp/dots.hpp"

/// Rows of matrices of a few stencils: neighbouring rows with the same stencil read values of b that lie side by side,
/// so that an entry is done for some of them at a time by vector instructions.
namespace linden::omp {

/// So many rows are done at a time, whose sums stay in registers; fewer at the end of a run of equal stencils.
inline constexpr int stencil_lanes = 32;

/// Calls f(first, lanes) for groups of `lanes` rows with the same stencil, in their order: integral constants of 32, 8
/// and 1.
template <class V, class I, class F>
void for_each_stencil_group(const StencilView<V, I>& a, size_type begin, size_type end, const F& f)
{
    constexpr size_type most_rows = 1024;
    for (size_type first = begin; first < end;) {
        const auto* const most = a.stencils + std::min(end, first + most_rows);
        const auto* const other =
            std::find_if(a.stencils + first, most, [&](std::uint16_t s) { return s != a.stencils[first]; });
        const size_type last = other - a.stencils;
        const auto take = [&](auto lanes) {
            for (; first + lanes <= last; first += lanes) {
                f(first, lanes);
            }
        };
        take(std::integral_constant<int, stencil_lanes>{});
        take(std::integral_constant<int, stencil_lanes / 4>{});
        take(std::integral_constant<int, 1>{});
    }
}

/// sums[i] := the sum of values[k] get(column of entry k of row first + i) over the entries k, from left to right, for
/// a group of rows.
template <int lanes, class V, class I, class Get>
void sum_stencil_group(const StencilView<V, I>& a, const V* values, size_type first, const Get& get, V (&sums)[lanes])
{
    const auto stencil = a.stencils[first];
    const I end = a.ptrs[stencil + 1];
    V own[lanes]{};
    for (I k = a.ptrs[stencil]; k < end; ++k) {
        const V value = values[k];
        const size_type col = first + a.offsets[k];
        for (int i = 0; i < lanes; ++i) {
            own[i] += multiply(value, get(col + i));
        }
    }
    std::copy_n(own, lanes, sums);
}

/// The same with a column of a block, rounded to V.
template <int lanes, class V, class I, class U>
void sum_stencil_group(const StencilView<V, I>& a, const V* values, size_type first, DenseView<const U> b,
                       size_type col, V (&sums)[lanes])
{
    const U* const from = b.values + col;
    if (b.stride == 1) {
        sum_stencil_group(
            a, values, first, [&](size_type row) { return static_cast<V>(from[row]); }, sums);
    } else {
        sum_stencil_group(
            a, values, first, [&](size_type row) { return static_cast<V>(from[row * b.stride]); }, sums);
    }
}

/// Inner products of groups of rows with one column, lane by lane.
template <class V>
class GroupDots {
public:
    template <int lanes>
    void add(const V* w, const V* x)
    {
        for (int i = 0; i < lanes; ++i) {
            wx_[i] += multiply(conj(w[i]), x[i]);
            xx_[i] += abs2(x[i]);
        }
    }
    void add_to(V& wx, V& xx) const
    {
        for (int i = 0; i < stencil_lanes; ++i) {
            wx += wx_[i];
            xx += xx_[i];
        }
    }

private:
    V wx_[stencil_lanes]{}, xx_[stencil_lanes]{};
};

/// reduce_dots for rows in groups: do_rows(begin, end, use) writes x, and calls use(first, lanes) behind each group.
template <class V, class Partition, class DoRows>
void reduce_group_dots(const Executor& exec, const Partition& partition, DenseView<const V> w, DenseView<V> x, V* wx,
                       V* xx, WorkspaceView workspace, const DoRows& do_rows)
{
    const bool is_column = x.cols == 1 && x.stride == 1 && w.stride == 1;
    reduce_dots<V>(exec, partition, x.cols, wx, xx, workspace, [&](size_type begin, size_type end, V* sums) {
        GroupDots<V> dots;
        do_rows(begin, end, [&](size_type first, auto lanes) {
            if (is_column) {
                dots.template add<lanes>(w.values + first, x.values + first);
            } else {
                add_dots(
                    first, first + lanes, [](size_type row) { return row; }, w, x, sums);
            }
        });
        if (is_column) {
            dots.add_to(sums[0], sums[1]);
        }
    });
}

}  // namespace linden::omp
