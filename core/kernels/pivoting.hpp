#pragma once

#include <linden/views.hpp>

#include <cstdint>

#include "core/base/kernel.hpp"
#include "core/base/type_lists.hpp"
#include "core/kernels/colouring.hpp"

/// Pivots of one level of a multilevel elimination: entries (i, j) of a general n x n matrix, none in another's row or
/// column, such that the submatrix of their rows and columns is diagonal. For two of them, (i, j) and (i', j'), neither
/// a_ij' nor a_i'j is stored. [Saad05]
///
/// They are found in rounds: each row that can have a pivot names a candidate (pivoting_find_candidates), its key is
/// told to the columns (pivoting_post_candidates), and candidates that have the least key among those they exclude
/// become pivots (pivoting_choose). In the first round a limit is found which products of counts the level takes
/// (pivoting_limit_products). Atomic operations are on integers alone, and sizes of numbers are compared, not summed:
/// so every executor finds the same pivots, in any order of work. Columns of A are sorted and unique within rows.
namespace linden {

/// A candidate's place in the order in which pivots are taken: the least key comes first.
using PivotKey = std::uint64_t;
/// After all others.
inline constexpr PivotKey no_pivot_key = ~PivotKey{0};

/// Keys of the candidates of n rows, by their Markowitz product (r_i - 1) (c_j - 1), where row i has r_i entries and
/// column j has c_j, then by a number that each row has alone. The number has the lower bits, as many as n - 1 needs;
/// products that the other bits cannot hold count as equal.
class PivotKeys {
public:
    /// `hashed`: of equal products the order is one that looks random, in which few candidates wait for others that
    /// wait themselves; else the order of rows.
    constexpr PivotKeys(size_type n, bool hashed) : hashed_order_(n, seed), is_hashed_(hashed)
    {
        while (n > 1 && (static_cast<std::uint64_t>(n) - 1) >> bits_ != 0) {
            ++bits_;
        }
    }
    constexpr PivotKey operator()(size_type row, size_type row_count, size_type col_count) const
    {
        const std::uint64_t product = markowitz_product(row_count, col_count);
        const std::uint64_t most = (PivotKey{1} << (64 - bits_)) - 2;
        const size_type number = is_hashed_ ? hashed_order_(row) : row;
        return (product < most ? product : most) << bits_ | static_cast<std::uint64_t>(number);
    }
    constexpr std::uint64_t product(PivotKey key) const { return key >> bits_; }

private:
    static constexpr std::uint64_t seed = 1;
    static constexpr std::uint64_t markowitz_product(size_type row_count, size_type col_count)
    {
        const auto r = static_cast<std::uint64_t>(row_count - 1);
        const auto c = static_cast<std::uint64_t>(col_count - 1);
        return r == 0 || c == 0 ? 0 : (r | c) >> 32 != 0 ? no_pivot_key : r * c;
    }

    HashedOrder hashed_order_;
    bool is_hashed_;
    int bits_ = 1;
};
template <>
inline constexpr bool holds_no_pointers<PivotKeys> = true;

/// Classes of products, each a quarter of a power of two wide, from 4 on; class p is the product p alone for p < 8.
inline constexpr size_type num_product_classes = 252;

constexpr size_type class_of_product(std::uint64_t product)
{
    int shift = 0;
    while (product >> shift > 7) {
        ++shift;
    }
    return 4 * size_type{shift} + static_cast<size_type>(product >> shift);
}
constexpr std::uint64_t largest_of_class(size_type product_class)
{
    const size_type shift = product_class < 8 ? 0 : product_class / 4 - 1;
    return ((static_cast<std::uint64_t>(product_class - 4 * shift) + 1) << shift) - 1;
}

/// What a column is to the pivots chosen so far.
enum class ColumnUse : std::uint32_t {
    free,      ///< no row of a pivot has an entry in it
    touched,   ///< rows of pivots have, but it is no pivot's column
    of_pivot,  ///< rows with an entry in it can have no pivot
};

/// The state of a search on an n x n matrix.
template <class I>
struct PivotSearch {
    PivotKeys keys;
    const I* column_counts = nullptr;       ///< n: entries of each column
    I* candidates = nullptr;                ///< n: the column of the row's candidate; -1: none, nor later
    PivotKey* row_keys = nullptr;           ///< n: the keys of rows that have a candidate
    PivotKey* least_touching = nullptr;     ///< n: the least key of a candidate whose row has an entry in the column
    PivotKey* least_candidate = nullptr;    ///< n: the least key of a candidate in the column
    ColumnUse* uses = nullptr;              ///< n
    std::uint64_t* class_counts = nullptr;  ///< num_product_classes: candidates of each class
    std::uint64_t* max_product = nullptr;   ///< candidates above it wait for the next level
};

/// Which entries of a row can be its candidate: those of the size delta max_k |a_ik| and more, in free columns. Numbers
/// that are zero, infinite or not a number cannot, nor do they count in the maximum. The size of a complex number is
/// that of its larger part, which is exact.
struct CandidateRule {
    double delta = 0;
    bool diagonal_only = false;  ///< (i, i) alone
};

/// Which products a level takes: those of the least `fraction` of the candidates, and those up to `lowest`.
struct ProductLimit {
    double fraction = 1;
    std::uint64_t lowest = 0;
};

/// The state before the first round: columns[i] := -1, every row may have a candidate, every column is free, there are
/// none of any class.  columns: n values. Deterministic. Writes n rows and columns.
template <class I>
inline constinit kernel<void(size_type n, PivotSearch<I> search, I* columns)> pivoting_start{"pivoting::start",
                                                                                             types_of<I>};

/// For each row i with candidates[i] >= 0: candidates[i] := the column of its candidate, of the entries that `rule`
/// allows the one in the column with the fewest entries, of those the largest, of those the first; -1 if there is none
/// or a column of the row is a pivot's;  row_keys[i] := its key.  least_touching, least_candidate := no_pivot_key.
/// a: n x n. Deterministic. Reads the rows that may have a candidate, and the count and use of each column there.
template <class V, class I>
inline constinit kernel<void(CsrView<V, I> a, CandidateRule rule, PivotSearch<I> search)> pivoting_find_candidates{
    "pivoting::find_candidates", types_of<V, I>};

/// *max_product := the largest product of the first class up to which there are at least `fraction` of the candidates,
/// and one if there is any;  limit.lowest if that is more.  class_counts: zeros before, overwritten. Deterministic. 1.5
/// n words.
template <class I>
inline constinit kernel<void(size_type n, ProductLimit limit, PivotSearch<I> search)> pivoting_limit_products{
    "pivoting::limit_products", types_of<I>};

/// candidates[i] := -1 where the product is above max_product. Of the rows that then have a candidate:
/// least_touching[c] := the least key of a row with an entry in column c;
/// least_candidate[c] := the least key of a row whose candidate is in column c.
/// a: n x n. Deterministic: atomic minima of integers. Reads the columns of rows with candidates, and writes about
/// twice n keys.
template <class I>
inline constinit kernel<void(PatternView<I> a, PivotSearch<I> search)> pivoting_post_candidates{
    "pivoting::post_candidates", types_of<I>};

/// columns[i] := candidates[i] = j where no candidate with a lower key excludes it: no row with an entry in column j,
/// and none whose candidate is in a column of row i. Then uses[j] := of_pivot, uses[c] := touched for the other columns
/// c of row i, candidates[i] := -1.
/// a: n x n; columns: n values, of other rows unchanged. Deterministic. Reads the columns of rows with candidates, and
/// a key for each.
template <class I>
inline constinit kernel<void(PatternView<I> a, PivotSearch<I> search, I* columns)> pivoting_choose{"pivoting::choose",
                                                                                                   types_of<I>};

}  // namespace linden
