#pragma once

#include <linden/views.hpp>

#include <algorithm>
#include <cstdint>

#include "core/portable/level_storage.hpp"
#include "omp/row_tiles.hpp"

namespace linden::omp {

/// What SliceOffsets does for the `count` rows of a slice from `first` on. Where each column is narrow enough for all
/// of its rows, as in most slices, rows are read one after the other for some columns at a time, in which compilers
/// find vectors.
class OffsetsOfSlices {
public:
    explicit OffsetsOfSlices(const SliceOffsets& any) : any_(any) {}

    void find(size_type slice, size_type first, size_type count) const
    {
        const auto& layout = any_.layout;
        any_.has_rest[slice] = 0;
        any_.has_gaps[slice] = 0;
        const size_type last = layout.last_column(slice);
        for (size_type begin = layout.first_column(slice), k = 0; begin < last; begin += columns, k += columns) {
            alignas(64) std::int32_t tile[columns][level_slice_rows];
            read(first, count, k, tile);
            for (size_type c = 0; c < std::min(columns, last - begin); ++c) {
                if (!store(tile[c], begin + c)) {
                    any_(OneLane(), slice);
                    return;
                }
            }
        }
    }

private:
    static constexpr size_type columns = tile_columns;

    /// Entries number k, k + 1, ... of each row.
    void read(size_type first, size_type count, size_type k, std::int32_t (&tile)[columns][level_slice_rows]) const
    {
        if constexpr (has_row_tiles<float, std::int32_t>) {
            if (count == level_slice_rows) {
                read_tile(any_.a, first, k, no_column<std::int32_t>, tile);
                return;
            }
        }
        std::fill_n(&tile[0][0], columns * level_slice_rows, no_column<std::int32_t>);
        for (size_type i = 0; i < count; ++i) {
            const std::int32_t begin = any_.a.row_ptrs[first + i];
            const std::int32_t* const from = any_.a.col_idxs + begin;
            const size_type end = std::min<size_type>(k + columns, any_.a.row_ptrs[first + i + 1] - begin);
            for (size_type j = k; j < end; ++j) {
                tile[j - k][i] = from[j];
            }
        }
    }
    /// Whether offsets are narrow enough.
    bool store(const std::int32_t (&cols)[level_slice_rows], size_type column) const
    {
        std::int32_t highest = no_column<std::int32_t>;
        std::uint32_t lowest = ~std::uint32_t{0};  // as padding is without sign
        for (int i = 0; i < level_slice_rows; ++i) {
            highest = std::max(highest, cols[i]);
            lowest = std::min(lowest, static_cast<std::uint32_t>(cols[i]));
        }
        const std::int32_t base = highest < 0 ? 0 : static_cast<std::int32_t>(lowest);
        std::uint16_t* const to = any_.offsets + column * level_slice_rows;
        for (int i = 0; i < level_slice_rows; ++i) {
            const auto offset = static_cast<std::uint16_t>(cols[i] - base);
            to[i] = cols[i] < 0 ? no_column<std::uint16_t> : offset;
        }
        any_.bases[column] = base;
        return highest - base <= max_short_offset;
    }

    SliceOffsets any_;
};

}  // namespace linden::omp
