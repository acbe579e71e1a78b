#pragma once

#include <linden/views_formats.hpp>

#include "core/base/kernel.hpp"
#include "core/base/type_lists.hpp"
#include "core/kernels/scaled_view.hpp"

/// Matrices whose rows are copies of a few stencils, as those of grids are: products read two bytes of a row, and the
/// stencils from the nearest cache.
namespace linden {

/// x := alpha A b + beta x.  b: n x k, x: m x k.  With beta = 0 the old x is not read. Sums from left to right.
/// Bytes: 2 m + (n + m) k V.
template <class V, class I>
inline constinit kernel<void(StencilView<V, I> a, Scalar<V> alpha, DenseView<const V> b, Scalar<V> beta,
                             DenseView<V> x)>
    stencil_spmv{"stencil::spmv", types_of<V, I>};

/// x := A b;  wx[col] := w(:, col)^H x(:, col);  xx[col] := x(:, col)^H x(:, col) unless xx is null.
/// b: n x k, x and w: m x k; w may be b.  Deterministic. Workspace: reduction_workspace_bytes<V>(2 k).
template <class V, class I>
inline constinit kernel<void(StencilView<V, I> a, DenseView<const V> b, DenseView<V> x, DenseView<const V> w, V* wx,
                             V* xx, WorkspaceView workspace)>
    stencil_spmv_dot{"stencil::spmv_dot", types_of<V, I>};

// How the stencils of a matrix are found. Each row has a hash, and with it a slot in each of a few tables, where the
// first of the rows with this slot leads. Rows with the same stencil have the same slots, so that a row that leads is
// the first with its stencil; it is looked for in all tables, since another stencil may have taken a slot. Scalings, of
// which either both or none are given, are part of a stencil: rows with the same entries but other factors differ.

inline constexpr int num_stencil_tables = 4;
/// Rows with more entries are no stencils.
inline constexpr size_type longest_stencil = 128;
/// What a search tells, of the matrix as a whole.
enum StencilAnswer : int {
    stencils_found,
    entries_found,  ///< of all stencils
    rows_without_stencil,
    longest_found,       ///< entries of a stencil
    stencils_are_valid,  ///< 1 where every row has one, and there was room; else 0
    num_stencil_answers
};

/// Tables of rows that lead, one after the other, and what is known of their slots.
template <class I>
struct StencilTables {
    size_type slots = 0;               ///< of each, a power of two
    size_type most = 0;                ///< stencils; where there are more, nothing else is found
    std::uint64_t* leaders = nullptr;  ///< m minus the row that leads, 0 where none has the slot
    I* numbers = nullptr;              ///< of stencils before each slot, and their number at the end
    I* ptrs = nullptr;                 ///< of entries of stencils before each slot, and their number at the end
    std::int64_t* found = nullptr;     ///< num_stencil_answers
};

/// Chunks of so many rows begin with one that counts as new whatever was before it.
inline constexpr size_type rows_of_chunk = 32;

/// Enters rows 0, step, 2 step, ... into the tables; *used is increased by the slots of the first table that become
/// used. Nothing at all where *gate, unless it is null, is more than `most`. With `is_new` (m, unless null) step is 1,
/// and rows are entered that are not like the one before them; is_new[i] := 1 for these and where a chunk begins, else
/// 0. scaled.a: m x n; tables.leaders: num_stencil_tables slots, 0 at first.  Reads each entry twice, from caches once.
template <class V, class I>
inline constinit kernel<void(ScaledView<V, I> scaled, size_type step, const std::uint64_t* gate,
                             StencilTables<I> tables, std::uint64_t* used, std::uint8_t* is_new)>
    stencil_enter{"stencil::enter", types_of<V, I>, {.eps = 0}};

/// numbers[i] := 1 for each slot i whose row leads and is in no table before, ptrs[i] := the entries of that row; 0 for
/// other slots. found[longest_found] is raised to the most entries.  tables.numbers, tables.ptrs: num_stencil_tables
/// slots + 1.
template <class V, class I>
inline constinit kernel<void(ScaledView<V, I> scaled, StencilTables<I> tables)> stencil_mark{
    "stencil::mark", types_of<V, I>, {.eps = 0}};

/// Stencils one after the other, with what their scalings make of them.
template <class V, class I>
struct StencilEntries {
    size_type most = 0;         ///< entries; where there are more, none is written
    I* ptrs = nullptr;          ///< as many as there may be stencils, + 1
    I* offsets = nullptr;       ///< of columns behind the row
    V* values = nullptr;        ///< scaled
    real_t<V>* left = nullptr;  ///< the scaling of the rows of each stencil
    V* entering = nullptr;      ///< values, times the scaling of their columns once more
};

/// The stencils and, where there are scalings, theirs, behind prefix sums of numbers and ptrs.
template <class V, class I>
inline constinit kernel<void(ScaledView<V, I> scaled, StencilTables<I> tables, StencilEntries<V, I> entries)>
    stencil_take{"stencil::take", types_of<V, I>, {.eps = 0}};

/// stencils[i] := that of row i; 0 where it has none, which increases found[rows_without_stencil].  is_new: as
/// stencil_enter leaves it; stencils: m. Reads the entries of rows that are new, and of those that lead.
template <class V, class I>
inline constinit kernel<void(ScaledView<V, I> scaled, StencilTables<I> tables, const std::uint8_t* is_new,
                             std::uint16_t* stencils)>
    stencil_assign{"stencil::assign", types_of<V, I>, {.eps = 0}};

/// found[stencils_are_valid] := whether there are at most so many stencils and entries, and no row has none.
inline constinit kernel<void(size_type most, size_type most_entries, std::int64_t* found)> stencil_judge{
    "stencil::judge", "int64"};

/// counts[i] := entries of row i.  counts: m.
template <class I>
inline constinit kernel<void(size_type num_rows, const std::uint16_t* stencils, const I* ptrs, I* counts)>
    stencil_count_rows{"stencil::count_rows", types_of<I>};

/// The entries of all rows, for the row pointers that the counts add up to.
template <class V, class I>
inline constinit kernel<void(StencilView<V, I> a, const I* row_ptrs, I* col_idxs, V* values)> stencil_expand{
    "stencil::expand", types_of<V, I>, {.eps = 0}};

}  // namespace linden
