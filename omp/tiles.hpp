#pragma once

#include <linden/views.hpp>

#include <algorithm>
#include <array>
#include <type_traits>

#include "omp/pack.hpp"

/// Loops over the rows of multivectors that turn into vector instructions whatever the number of columns.
///
/// A tile is a block of rows, `width` values wide, so that inner loops over its lanes have a constant length:
/// - a contiguous vector (k = 1) is folded: `width` successive values make one row of the tile, all of column 0;
/// - k columns are covered by tiles 8, 4, 2 and 1 columns wide, a block of rows at a time, so that the row's cache
///   lines are still there for the next tile.
/// Sums are formed per tile and then added up, which also keeps their rounding errors apart: they grow with the number
/// of blocks plus the length of a block, not with the number of rows.
namespace linden::omp {

inline constexpr size_type rows_per_tile = 256;

/// The lanes of a tile and the columns they belong to.
template <int Width, bool Folded>
struct Lanes {
    static constexpr int width = Width;
    static constexpr bool folded = Folded;
    size_type first_column;

    size_type column(int lane) const { return Folded ? 0 : first_column + lane; }

    /// f(column) for each lane.
    template <class F>
    auto gather(F&& f) const
    {
        std::array<std::remove_cvref_t<decltype(f(size_type{}))>, Width> values;
        for (int lane = 0; lane < Width; ++lane) {
            values[lane] = f(column(lane));
        }
        return values;
    }
    template <class Predicate>
    bool all(Predicate&& holds) const
    {
        for (int lane = 0; lane < (Folded ? 1 : Width); ++lane) {
            if (!holds(column(lane))) {
                return false;
            }
        }
        return true;
    }
    /// sums[column] := sums[column] + sum[lane], lane by lane.
    template <class T, class Values>
    void add(const Values& sum, T* sums) const
    {
        for (int lane = 0; lane < Width; ++lane) {
            sums[column(lane)] += sum[lane];
        }
    }
};

/// Part of a block; `Stride` is the distance of rows where the compiler may know it, else 0.
template <class V, size_type Stride, bool PerRow = false>
struct Tile {
    V* values;
    size_type stride;

    V& operator()(size_type row, int lane) const
    {
        return values[row * (Stride == 0 ? stride : Stride) + (PerRow ? 0 : lane)];
    }
    /// The lanes of a row.
    template <int Width>
    auto pack(size_type row) const
    {
        using Value = std::remove_const_t<V>;
        return PerRow ? Pack<Value, Width>::filled((*this)(row, 0)) : Pack<Value, Width>::load(&(*this)(row, 0));
    }
};

/// One value per row, for all columns: a diagonal matrix.
template <class V>
struct PerRowView {
    V* values;
    size_type stride;
};

template <int Width, class V>
Tile<V, Width> folded_tile(const DenseView<V>& view, size_type row)
{
    return {view.values + row, Width};
}
template <int Width, class V>
Tile<V, Width> folded_tile(const PerRowView<V>& view, size_type row)
{
    return {view.values + row, Width};
}
template <class V>
Tile<V, 0> column_tile(const DenseView<V>& view, size_type row, size_type col)
{
    return {view.values + row * view.stride + col, view.stride};
}
template <class V>
Tile<V, 0, true> column_tile(const PerRowView<V>& view, size_type row, size_type)
{
    return {view.values + row * view.stride, view.stride};
}

/// Covers [begin, end) x [0, cols) by tiles: body(lanes, first row, last row + 1).
template <class Body>
void for_each_column_tile(size_type begin, size_type end, size_type cols, const Body& body)
{
    for (size_type row = begin; row < end; row += rows_per_tile) {
        const size_type last = std::min(row + rows_per_tile, end);
        size_type col = 0;
        for (; cols - col >= 8; col += 8) {
            body(Lanes<8, false>{col}, row, last);
        }
        if (cols - col >= 4) {
            body(Lanes<4, false>{col}, row, last);
            col += 4;
        }
        if (cols - col >= 2) {
            body(Lanes<2, false>{col}, row, last);
            col += 2;
        }
        if (cols - col == 1) {
            body(Lanes<1, false>{col}, row, last);
        }
    }
}

/// Covers the rows [begin, end) of blocks with `cols` columns: body(lanes, number of tile rows, tiles of the views...).
template <class Body, class View, class... Views>
void for_each_tile(size_type begin, size_type end, size_type cols, const Body& body, const View& view,
                   const Views&... views)
{
    if (cols != 1 || view.stride != 1 || (... || (views.stride != 1))) {
        for_each_column_tile(begin, end, cols, [&](auto lanes, size_type first, size_type last) {
            body(lanes, last - first, column_tile(view, first, lanes.first_column),
                 column_tile(views, first, lanes.first_column)...);
        });
        return;
    }
    // One cache line of values.
    constexpr int width = static_cast<int>(64 / sizeof(*view.values));
    while (end - begin >= width) {
        const size_type packs = std::min((end - begin) / width, rows_per_tile);
        body(Lanes<width, true>{0}, packs, folded_tile<width>(view, begin), folded_tile<width>(views, begin)...);
        begin += packs * width;
    }
    body(Lanes<1, true>{0}, end - begin, folded_tile<1>(view, begin), folded_tile<1>(views, begin)...);
}

}  // namespace linden::omp
