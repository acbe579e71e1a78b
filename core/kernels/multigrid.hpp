#pragma once

#include <linden/views_formats.hpp>

#include "core/kernels/scaled_view.hpp"
#include "core/kernels/sell.hpp"
#include "core/kernels/stored_types.hpp"

/// Transfers between the levels of algebraic multigrid by smoothed aggregation, and its cycle in additive form.
/// [VanekMandelBrezina96], [VassilevskiYang14]
///
/// Matrices have sorted rows with unique columns. All kernels are deterministic; each reads the entries of the rows
/// that it is about once and writes what it says once.
namespace linden {

/// values := A_F, the strong entries of A: what a has there, but on the diagonal a_ii plus the sum of the weak entries
/// of row i, unless that leaves less than a tenth of it;  sums[i] := the sum of magnitudes of row i of A_F.
/// a: n x n; f: a part of its pattern, with the diagonal; values: as many as f has; sums: n.
template <class V, class I>
inline constinit kernel<void(CsrView<V, I> a, PatternView<I> f, V* values, real_t<V>* sums)> multigrid_filter{
    "multigrid::filter", types_of<V, I>};

/// Rows with more strong entries keep T's row in P: they couple to most of the others anyway.
inline constexpr size_type most_smoothed_entries = 1024;

/// counts[i] := number of entries in row i of P, below: of different aggregates among those of row i and its strong
/// neighbours.  f: n x n, strong entries with the diagonal; aggregates: n, -1 for rows without one.
template <class I>
inline constinit kernel<void(PatternView<I> f, const I* aggregates, I* counts)> multigrid_count_prolongator{
    "multigrid::count_prolongator", types_of<I>};

/// How an aggregate's indicator is smoothed to a column of P.
template <class V, class I>
struct SmoothedAggregates {
    const I* aggregates = nullptr;    ///< of each row, -1 for none
    const real_t<V>* sums = nullptr;  ///< of magnitudes of A_F's rows; 1 / 0 counts as 0
    double damping = 0;
};

/// P = T - damping D^-1 A_F T, D = diag(sums), where T has an entry of 1 in row i and the column of its aggregate:
/// columns, sorted, and values, for the row pointers that the counts add up to. Without col_idxs (null) values alone.
/// f: A_F. Sums over the entries of an aggregate run in the order of the row, on devices in a fixed one.
/// Reads f once for each entry of P in a row, from caches.
template <class V, class I>
inline constinit kernel<void(CsrView<V, I> f, SmoothedAggregates<V, I> rule, const I* row_ptrs, I* col_idxs, V* values)>
    multigrid_prolongator{"multigrid::prolongator", types_of<V, I>, {.eps = 16}};

/// values := P - factor D^-1 C with D = diag(sums), 1 / 0 counting as 0.  p: m x k, on a part of the pattern of c: m x
/// k; sums: m; values: as many as c has, may be those of c.
template <class V, class I>
inline constinit kernel<void(CsrView<V, I> p, CsrView<V, I> c, double factor, const real_t<V>* sums, V* values)>
    multigrid_subtract{"multigrid::subtract", types_of<V, I>};

/// counts[i] := number of entries of row i with magnitudes above threshold times the largest one of the row, or that
/// are not finite; none in rows of zeros.
template <class V, class I>
inline constinit kernel<void(CsrView<V, I> a, double threshold, I* counts)> multigrid_count_large{
    "multigrid::count_large", types_of<V, I>};

/// The columns of these entries, for the row pointers that the counts add up to.
template <class V, class I>
inline constinit kernel<void(CsrView<V, I> a, double threshold, const I* row_ptrs, I* col_idxs)> multigrid_take_large{
    "multigrid::take_large", types_of<V, I>};

/// values := those of a on `kept`, a part of its pattern, where the sum of a row's other entries is added to the
/// largest that is kept, the first of several.  values: as many as `kept` has.
template <class V, class I>
inline constinit kernel<void(CsrView<V, I> a, PatternView<I> kept, V* values)> multigrid_truncate{"multigrid::truncate",
                                                                                                  types_of<V, I>};

/// scales[i] := 1 / sqrt(bound sums[i]), inverses[i] := 1 / scales[i]; both 1 where sums[i] is not positive or not
/// finite.
template <class R>
inline constinit kernel<void(size_type n, const R* sums, double bound, R* scales, R* inverses)> multigrid_scales{
    "multigrid::scales", types_of<R>};

/// inverses[i] := 1 / sums[i], 1 where sums[i] is not positive or not finite.  n values each.
template <class V>
inline constinit kernel<void(size_type n, const real_t<V>* sums, V* inverses)> multigrid_invert_sums{
    "multigrid::invert_sums", types_of<V>};

/// What a multigrid method asks of each row of a matrix, in arrays of n ones and zeros.
template <class I>
struct RowQuestions {
    I* is_incomplete = nullptr;  ///< a_ii, or a_ji of an entry a_ij, is none
    /// |a_ij - conj(a_ji)| > 10^-6 max_{k != i} |a_ik| for an entry off the diagonal, what is none is 0; or
    /// |a_ii - conj(a_ii)| > 10^-6 |a_ii|
    I* is_unhermitian = nullptr;
    I* is_negative = nullptr;  ///< Re(a_ii) < 0
};

/// The answers.  a: n x n. Each entry's mirror image is found by bisection.
template <class V, class I>
inline constinit kernel<void(CsrView<V, I> a, RowQuestions<I> questions)> multigrid_inspect{"multigrid::inspect",
                                                                                            types_of<V, I>};

/// What one pass over a matrix tells, whose entries' order does not matter.
enum SummaryAnswer : int {
    /// 0, but by a chance of 2^-64, if and only if the matrix is Hermitian to the bit and has the mirror images of all
    /// entries: a sum of hashes of the entries right of the diagonal and of the mirror images of those left of it.
    answer_difference,
    answer_num_diagonal,  ///< entries on the diagonal
    answer_num_negative,  ///< those with Re(a_ii) < 0
    answer_largest,       ///< the bits, as of a double, of the largest |Re a_ij| or |Im a_ij|; beyond infinity for NaN
    num_summary_answers
};

/// The answers.  a: n x n; answers: num_summary_answers, overwritten. Reads each entry once.
template <class V, class I>
inline constinit kernel<void(CsrView<V, I> a, std::uint64_t* answers)> multigrid_summarize{
    "multigrid::summarize", types_of<V, I>, {.eps = 0}};

/// Calls `f.operator()<V, S, I>()` for every value type, storage type and index type of a matrix in slices.
template <class F>
void for_each_slice_type(F&& f)
{
    for_each_value([&]<class V>() {
        for_each_index([&]<class I>() { f.template operator()<V, V, I>(); });
        for_each_lower_storage<V>([&]<class S>() { f.template operator()<V, S, std::int32_t>(); });
    });
}

/// The columns of a matrix in slices, for rows in their order and slices as wide as their longest row.
template <class I>
inline constinit kernel<void(SellLayout<I> layout, PatternView<I> a, I* col_idxs)> multigrid_slice_columns{
    "multigrid::slice_columns", types_of<I>};

/// The columns as offsets of 16 bits.  bases[c]: the least column in column c of the slices, 0 if it has none; offsets:
/// what the others are behind it. An entry that is more than 65534 behind waits for the next column, and leaves
/// padding; has_rest[s], has_gaps[s]: 1 where such entries are left behind the last column of slice s, and where there
/// are any, else 0.  layout: slices of level_slice_rows rows. Reads each entry once.
inline constinit kernel<void(SellLayout<std::int32_t> layout, PatternView<std::int32_t> a, std::int32_t* bases,
                             std::uint16_t* offsets, std::int32_t* has_rest, std::int32_t* has_gaps)>
    multigrid_slice_offsets{"multigrid::slice_offsets", "int32"};

/// counts[s] := the columns that leave none of slice s, at least as many as its longest row has entries. Reads each
/// entry once.
inline constinit kernel<void(PatternView<std::int32_t> a, std::int32_t* counts)> multigrid_count_narrow{
    "multigrid::count_narrow", "int32"};

/// stored := the scaled values, rounded to S, in these places, or in those that `offsets` has unless it is null; 0 in
/// padding;  marks[i], unless marks is null, := 1
/// where half precision cannot hold row i: an entry above 65504 or not finite, or one below 2^-14 that is not below
/// 2^-11 times the largest of its row; else 0.
template <class V, class S, class I>
inline constinit kernel<void(SellLayout<I> layout, const std::uint16_t* offsets, ScaledView<V, I> scaled, S* stored,
                             I* marks)>
    multigrid_store{"multigrid::store", types_of<V, S, I>};

/// The same for a matrix whose rows follow each other: stored has as many values as it has entries.
template <class V, class S, class I>
inline constinit kernel<void(ScaledView<V, I> scaled, S* stored, I* marks)> multigrid_store_rows{
    "multigrid::store_rows", types_of<V, S, I>};

/// Calls `f.operator()<V, W>()` for what a vector is converted between: every value type and itself, and the lower
/// precisions that have operators, both ways.
template <class F>
void for_each_conversion(F&& f)
{
    for_each_value([&]<class V>() {
        f.template operator()<V, V>();
        for_each_lower_storage<V>([&]<class W>() {
            if constexpr (!std::is_same_v<W, half>) {
                f.template operator()<V, W>();
                f.template operator()<W, V>();
            }
        });
    });
}

/// The lower precision of two.
template <class V, class W>
using lower_t = std::conditional_t<(sizeof(V) < sizeof(W)), V, W>;

/// to(i, :) := factor scales[i] from(i, :), computed in the higher of both precisions.  from, to: n x k; scales: n, or
/// null for ones.
template <class V, class W>
inline constinit kernel<void(const real_t<lower_t<V, W>>* scales, double factor, DenseView<const V> from,
                             DenseView<W> to)>
    multigrid_convert{"multigrid::convert", types_of<V, W>};

/// Matrices of the kernels below may be read while the kernel before one in the stream ends: what writes them is
/// followed by a copy, a memory set or a kernel that waits.

/// Rows of a slice of the matrices below, which are in their order.
inline constexpr int level_slice_rows = 32;

/// The way down of a level:  x := R b, arithmetic in V.  r: m x n; b: n x k; x: m x k.
/// Bytes: nnz (S + I) + (m + 1) I + (n + m) k V.
template <class V, class S, class I>
inline constinit kernel<void(CsrView<S, I> r, DenseView<const V> b, DenseView<V> x)> multigrid_down{
    "multigrid::down", types_of<V, S, I>, {.eps = 8}};

/// The way up of a level:  z := P y + omega (2 r - omega A r), with the level's matrix A (n x n) in the scaling that
/// makes its rows' sums of magnitudes about 1, and the prolongator P (n x m).  y: m x k; r, z: n x k, not the same.
/// Arithmetic in V; sums from left to right.
/// Bytes: entries of both (S + J) with padding, + (3 n + m) k V.
template <class V, class S, class J>
inline constinit kernel<void(SellView<S, J> p, SellView<S, J> a, double omega, DenseView<const V> y,
                             DenseView<const V> r, DenseView<V> z)>
    multigrid_up{"multigrid::up", types_of<V, S, J>};

/// The same for matrices whose rows follow each other; the order of sums is the backend's.
template <class V, class S, class I>
inline constinit kernel<void(CsrView<S, I> p, CsrView<S, I> a, double omega, DenseView<const V> y, DenseView<const V> r,
                             DenseView<V> z)>
    multigrid_up_rows{"multigrid::up_rows", types_of<V, S, I>, {.eps = 16}};

/// A sweep:  x := z + omega (b - A z), with b = 0 where b.values is null.  A: n x n, see multigrid_up; b, z, x: n x k,
/// x is none of the others. Sums from left to right.
/// Bytes: entries of A (S + J) with padding, + 3 n k V.
template <class V, class S, class J>
inline constinit kernel<void(SellView<S, J> a, double omega, DenseView<const V> b, DenseView<const V> z,
                             DenseView<V> x)>
    multigrid_sweep{"multigrid::sweep", types_of<V, S, J>};

/// The same for a matrix whose rows follow each other; the order of sums is the backend's. b and z may be the same.
template <class V, class S, class I>
inline constinit kernel<void(CsrView<S, I> a, double omega, DenseView<const V> b, DenseView<const V> z, DenseView<V> x)>
    multigrid_sweep_rows{"multigrid::sweep_rows", types_of<V, S, I>, {.eps = 16}};

/// A sweep from 0 and the coarse level's correction:  z := P y + omega r.  P: n x m; y: m x k; r, z: n x k.
/// Bytes: entries of P (S + J) with padding, + (2 n + m) k V.
template <class V, class S, class J>
inline constinit kernel<void(SellView<S, J> p, double omega, DenseView<const V> y, DenseView<const V> r,
                             DenseView<V> z)>
    multigrid_correct{"multigrid::correct", types_of<V, S, J>};

/// Calls `f.operator()<V, W, S, J>()` for every value type V, every type W that a hierarchy for it is computed in, and
/// the types of slices for W.
template <class F>
void for_each_finest_type(F&& f)
{
    for_each_value([&]<class V>() {
        const auto for_storage = [&]<class W, class S>() {
            if constexpr (std::is_same_v<W, S>) {
                for_each_index([&]<class I>() { f.template operator()<V, W, S, I>(); });
            } else {
                f.template operator()<V, W, S, std::int32_t>();
            }
            f.template operator()<V, W, S, std::uint16_t>();
        };
        const auto for_working = [&]<class W>() {
            for_storage.template operator()<W, W>();
            for_each_lower_storage<W>([&]<class S>() { for_storage.template operator()<W, S>(); });
        };
        for_working.template operator()<V>();
        for_each_lower_storage<V>([&]<class W>() {
            if constexpr (has_types<W>) {
                for_working.template operator()<W>();
            }
        });
    });
}

/// The first sweep of a cycle, from 0:  r := S b, rounded to W, t := r - omega A r, with S = diag(scales). A: n x n,
/// see multigrid_up; scales: n; b, r, t: n x k, different ones. Sums from left to right. Bytes: entries of A (S + J)
/// with padding, + n (k V + 2 k W + W).
template <class V, class W, class S, class J>
inline constinit kernel<void(SellView<S, J> a, const real_t<W>* scales, double omega, DenseView<const V> b,
                             DenseView<W> r, DenseView<W> t)>
    multigrid_enter{"multigrid::enter", types_of<V, W, S, J>};

/// How a cycle ends.
template <class W>
struct LeaveRule {
    const real_t<W>* scales = nullptr;
    double factor = 1;
    double omega = 0;
};
/// wx := w^H x, xx := x^H x by columns, neither without wx, only the first without xx (null).
template <class V>
struct WantedDots {
    DenseView<const V> w;
    V* wx = nullptr;
    V* xx = nullptr;
    WorkspaceView workspace{};
};

/// The last sweep of a cycle:  x := factor S (z + omega (r - A z)), in V what is outside of the brackets, with S =
/// diag(scales), and inner products with it.  A: n x n, see multigrid_up; scales: n; r, z, x, w: n x k, x none of the
/// others. Rows' sums from left to right; inner products deterministic.
/// Bytes: entries of A (S + J) with padding, + n (k V + 2 k W + W), and n k V for w.
template <class V, class W, class S, class J>
inline constinit kernel<void(SellView<S, J> a, LeaveRule<W> rule, DenseView<const W> r, DenseView<const W> z,
                             DenseView<V> x, WantedDots<V> dots)>
    multigrid_leave{"multigrid::leave", types_of<V, W, S, J>, {.eps = 16}};

}  // namespace linden
