#pragma once

#include <linden/views_formats.hpp>

#include "core/kernels/grid.hpp"

/// Products C = R A P on grids many of whose rows are copies: coefficients are the same around their blocks.
///
/// Rows of A are numbered so that rows with the same number have entries of the same values in the same steps. A row of
/// C depends on what is around its block, up to three times as far as entries of A reach. A hash of the numbers there
/// and of the box's rims is its signature; the first row with a signature leads, and the others are copies of it, up to
/// a chance of 2^-64. Leaders alone are multiplied.
namespace linden {

/// What rows of the product touch, in points and blocks along each axis.
struct ProductWindow {
    GridBlocks blocks;
    std::array<size_type, num_axes> reach{1, 1, 1};  ///< of entries of A, and of columns of P beyond their blocks

    /// Points of A's rows that a row of R A may touch; its own block begins behind 2 reach.
    LINDEN_HOST_DEVICE constexpr size_type fine_length(int axis) const
    {
        return blocks.widths[axis] + (blocks.widths[axis] - 1) / 2 + 4 * reach[axis];
    }
    /// Blocks to either side that a row of C may have entries for.
    LINDEN_HOST_DEVICE constexpr size_type coarse_reach(int axis) const
    {
        return (blocks.widths[axis] - 1 + 3 * reach[axis]) / blocks.widths[axis];
    }
    LINDEN_HOST_DEVICE constexpr size_type coarse_length(int axis) const { return 2 * coarse_reach(axis) + 1; }
    LINDEN_HOST_DEVICE constexpr size_type fine_size() const
    {
        return fine_length(0) * fine_length(1) * fine_length(2);
    }
    LINDEN_HOST_DEVICE constexpr size_type coarse_size() const
    {
        return coarse_length(0) * coarse_length(1) * coarse_length(2);
    }
};

/// Tables that rows are entered into by their signatures: a row takes the slot of its signature in each unless one
/// before it has it.
inline constexpr int num_signature_tables = 4;

/// What a search of copies tells.
enum CopiedAnswer : int {
    copies_are_valid,  ///< 1 where rows are copies of those that lead, and there was room; else 0
    copied_leaders,
    copied_entries,   ///< of rows that lead
    copied_nonzeros,  ///< of all rows
    copied_strays,    ///< entries of A or P that reach further than the window
    copied_reach_x,   ///< the farthest steps of C's entries
    copied_reach_y,
    copied_reach_z,
    num_copied_answers
};

/// Rows of a product that are done, and room for what comes of each.
template <class V, class I>
struct ProductRows {
    const I* rows = nullptr;               ///< null: first, first + 1, ...
    size_type first = 0;                   ///< if rows is null
    size_type most = 0;                    ///< how many there may be
    const std::int64_t* num = nullptr;     ///< how many there are, at most `most` of them; null: `most`
    const std::int64_t* unless = nullptr;  ///< if this is not null and not 0, none is done
    V* left = nullptr;                     ///< most x fine_size: their rows of R A
    std::uint8_t* is_left = nullptr;       ///< and where these have entries
    V* whole = nullptr;                    ///< most x coarse_size: their rows of C
    std::uint8_t* is_whole = nullptr;

    LINDEN_HOST_DEVICE bool has(size_type item) const
    {
        return item < most && (num == nullptr || item < *num) && (unless == nullptr || *unless == 0);
    }
    LINDEN_HOST_DEVICE size_type row(size_type item) const { return rows != nullptr ? rows[item] : first + item; }
};

/// after := for each block along an axis a hash of what is before it and up to 3 reach points around, and of the box's
/// rims if these are as near: of `numbers`, or of `before` where that is null. Axes before this one have blocks
/// already. Unless `seed` is null, hashes differ where seeds do.
inline constinit kernel<void(ProductWindow window, int axis, const std::int64_t* is_valid, const std::uint16_t* numbers,
                             const std::uint64_t* before, const std::uint64_t* seed, std::uint64_t* after)>
    grid_product_sign{"grid_product::sign", "int64", {.eps = 0}};

/// Enters rows with these signatures into tables of `slots` each, a power of two: the number of all rows minus that of
/// the first one with a slot.  signatures: n; leaders: num_signature_tables slots, 0 at first.
inline constinit kernel<void(size_type n, size_type slots, const std::uint64_t* signatures, std::uint64_t* leaders)>
    grid_product_enter{"grid_product::enter", "int64", {.eps = 0}};

/// leads[i] := 1 where row i leads, else 0; none leads if *is_valid is 0.  leads: n.
template <class I>
inline constinit kernel<void(size_type n, size_type slots, const std::uint64_t* signatures,
                             const std::uint64_t* leaders, const std::int64_t* is_valid, I* leads)>
    grid_product_mark{"grid_product::mark", types_of<I>, {.eps = 0}};

/// Where the rows that lead and the copies of each go.
template <class I>
struct CopiedNumbers {
    const I* before = nullptr;  ///< n + 1: how many rows lead before each
    size_type most = 0;
    std::uint16_t* numbers = nullptr;  ///< n: that of the row which leads
    I* rows = nullptr;                 ///< most: rows that lead
};

/// Numbers the rows, behind prefix sums of the marks; numbers from `most` on become 0.
template <class I>
inline constinit kernel<void(size_type n, size_type slots, const std::uint64_t* signatures,
                             const std::uint64_t* leaders, CopiedNumbers<I> copied)>
    grid_product_number{"grid_product::number", types_of<I>, {.eps = 0}};

/// left := rows of R A.  r: blocks x points, a: points x points with a symmetric pattern, p: points x blocks, R's
/// pattern is P^H's. Entries of A, and of P, in rows of the blocks that are done, that reach further than the window
/// increase *strays.
template <class V, class I>
inline constinit kernel<void(CsrView<V, I> r, CsrView<V, I> a, PatternView<I> p, ProductWindow window,
                             ProductRows<V, I> rows, std::int64_t* strays)>
    grid_product_left{"grid_product::left", types_of<V, I>};

/// whole := rows of (R A) P.
template <class V, class I>
inline constinit kernel<void(CsrView<V, I> p, ProductWindow window, ProductRows<V, I> rows)> grid_product_whole{
    "grid_product::whole", types_of<V, I>};

/// counts[i] := the entries of item i's row of C, 0 for items that are not done; found[copied_reach_x] and the next two
/// are raised to their farthest steps.  counts: rows.most.
template <class V, class I>
inline constinit kernel<void(ProductWindow window, ProductRows<V, I> rows, I* counts, std::int64_t* found)>
    grid_product_count{"grid_product::count", types_of<V, I>, {.eps = 0}};

/// The entries of rows that lead, as stencils: how far columns are behind rows, and values.  ptrs: rows.most + 1, what
/// the counts add up to; most_entries: that there is room for, else nothing is written.
template <class V, class I>
inline constinit kernel<void(ProductWindow window, ProductRows<V, I> rows, const I* ptrs, size_type most_entries,
                             I* offsets, V* values)>
    grid_product_take{"grid_product::take", types_of<V, I>, {.eps = 0}};

/// found[copies_are_valid] := whether *is_valid is not 0, there are at most so many leaders and entries, and no strays.
inline constinit kernel<void(size_type most, size_type most_entries, const std::int64_t* is_valid, std::int64_t* found)>
    grid_product_judge{"grid_product::judge", "int64"};

/// values := those of the stencils on the pattern of C, if *is_valid is not 0.  row_ptrs: C's.
template <class V, class I>
inline constinit kernel<void(StencilView<V, I> copied, const std::int64_t* is_valid, const I* row_ptrs, V* values)>
    grid_product_fill{"grid_product::fill", types_of<V, I>, {.eps = 0}};

/// values := rows that are done on the pattern of C.
template <class V, class I>
inline constinit kernel<void(PatternView<I> c, ProductWindow window, ProductRows<V, I> rows, V* values)>
    grid_product_store{"grid_product::store", types_of<V, I>, {.eps = 0}};

}  // namespace linden
