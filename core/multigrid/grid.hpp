#pragma once

#include <linden/matrix/csr.hpp>

#include <cstdint>
#include <optional>
#include <vector>

#include "core/kernels/grid_product.hpp"
#include "core/kernels/prefix_sum.hpp"

/// Aggregates of the rows of a regular grid: blocks of points in place of what a search finds, where coefficients are
/// much the same everywhere. Fewer iterations, products with short and even rows, no search.
namespace linden::detail {

/// Smaller matrices are not looked at: their searches take little.
inline constexpr size_type least_grid_rows = 16384;

/// Rows that are looked at, and their entries.
inline constexpr size_type grid_samples = 64;
inline constexpr size_type grid_sample_width = 32;

/// The grid whose points the rows of a matrix may be, from how far columns are behind the rows in some of these. Steps
/// of its entries are at most one point along each axis.
std::optional<GridShape> find_grid(size_type rows, std::vector<std::int64_t> offsets);

/// Rows of a level that are looked at.
inline constexpr size_type most_flagged_rows = 512;

/// Blocks for a level on a grid, from how many of so many rows have each flag: of two points along each axis in space
/// where entries are along the axes, else of three, along the axes of strong entries. None where rows differ much, or
/// strong entries are aslant to those.
std::optional<GridBlocks> choose_blocks(const GridShape& grid, const std::int64_t* counts, size_type num_samples,
                                        bool is_first);

/// What rows of the product for these blocks touch.
ProductWindow window_of(const GridBlocks& blocks, const std::array<size_type, num_axes>& reach);

/// counts[f] := how many of so many sampled rows have flag f, on the executor.  counts: num_grid_flags.
template <class V, class I>
void count_grid_flags(const Csr<V, I>& a, const Array<real_t<V>>& largest, double threshold, const GridShape& grid,
                      size_type num_samples, std::int64_t* counts)
{
    const auto& exec = a.executor();
    Array<I> flags(exec, num_grid_flags * num_samples);
    grid_flags<V, I>(exec, a.view(), largest.data(), threshold, grid, num_samples, flags.data());
    array_totals<I>(exec, num_samples, num_grid_flags, flags.data(), counts);
}

}  // namespace linden::detail
