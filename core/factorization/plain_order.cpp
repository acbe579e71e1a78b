#include "core/factorization/plain_order.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <optional>
#include <utility>

#include "core/base/math.hpp"
#include "core/factorization/diagonal_scaling.hpp"
#include "core/factorization/matched_graph.hpp"
#include "core/factorization/ordered_graph.hpp"
#include "core/factorization/plain_pivots.hpp"
#include "core/matrix/block_triangular.hpp"
#include "core/matrix/quotient_graph.hpp"

// instantiate: std::optional<detail::PlainOrder<I>> detail::plain_order<V, I>(CsrView<V, I>, bool)
// instantiate: detail::HostPattern<I> detail::graph_of<I>(PatternView<I>, const detail::PlainOrder<I>&)

namespace linden::detail {
namespace {

/// Blocks of so many rows keep the order that they have.
constexpr size_type small_block = 2;

/// The diagonal blocks of A's block triangular form, and the rows and columns of those that are worth an order.
template <class I>
class DiagonalBlocks {
public:
    DiagonalBlocks(PatternView<I> a, const std::vector<I>& matched)
        : a_(a),
          matched_(matched),
          form_(block_triangular_form<I>(a, {matched.begin(), matched.end()})),
          block_of_column_(matched.size())
    {
        for (size_type b = 0; b < form_.num_blocks(); ++b) {
            for (auto k = form_.block_ptrs[b]; k < form_.block_ptrs[b + 1]; ++k) {
                block_of_column_[form_.columns[k]] = static_cast<I>(b);
            }
        }
    }
    size_type count() const { return form_.num_blocks(); }

    /// Rows in the order of their blocks, in each by minimum degree; the entries to expect of L + U.
    size_type order(std::vector<I>& rows) const
    {
        size_type fill = 0;
        for (size_type b = 0; b < count(); ++b) {
            const auto size = size_of(b);
            fill += size <= small_block ? size * (size + 1) / 2 : 0;
        }
        const auto inner = large_blocks();
        std::vector<I> order;
        QuotientGraph<I> elimination(view_of(inner.graph));
        order = elimination.eliminate();
        fill += elimination.fill();
        rows.resize(matched_.size());
        std::vector<size_type> next(form_.block_ptrs.begin(), form_.block_ptrs.end() - 1);
        for (const I vertex : order) {
            const I row = inner.rows[vertex];
            rows[next[block_of(row)]++] = row;
        }
        for (size_type b = 0; b < count(); ++b) {
            if (size_of(b) <= small_block) {
                std::copy(form_.rows.begin() + form_.block_ptrs[b], form_.rows.begin() + form_.block_ptrs[b + 1],
                          rows.begin() + form_.block_ptrs[b]);
            }
        }
        return 2 * (fill + inner.num_outside);
    }

private:
    size_type size_of(size_type block) const { return form_.block_ptrs[block + 1] - form_.block_ptrs[block]; }
    I block_of(I row) const { return block_of_column_[matched_[row]]; }
    bool is_large(I block) const { return size_of(block) > small_block; }

    struct Inner {
        std::vector<I> rows;        ///< of A
        HostPattern<I> graph;       ///< of B + B^T, for the entries B in these rows and their blocks
        size_type num_outside = 0;  ///< entries of A outside of all blocks
    };
    Inner large_blocks() const
    {
        Inner inner;
        const auto n = static_cast<I>(matched_.size());
        std::vector<I> name_of_column(matched_.size(), -1), columns;
        I num_columns = 0;
        for (I j = 0; j < n; ++j) {
            if (is_large(block_of_column_[j])) {
                name_of_column[j] = num_columns++;
            }
        }
        HostPattern<I> within;
        inner.rows.reserve(static_cast<std::size_t>(num_columns));
        columns.reserve(static_cast<std::size_t>(num_columns));
        within.row_ptrs.reserve(static_cast<std::size_t>(num_columns) + 1);
        within.col_idxs.resize(static_cast<std::size_t>(a_.num_nonzeros));
        I* to = within.col_idxs.data();
        for (I i = 0; i < n; ++i) {
            const I block = block_of(i);
            I* const begin = to;
            for (I k = a_.row_ptrs[i]; k < a_.row_ptrs[i + 1]; ++k) {
                *to = name_of_column[a_.col_idxs[k]];
                const bool is_within = block_of_column_[a_.col_idxs[k]] == block;
                to += is_within ? 1 : 0;
                inner.num_outside += is_within ? 0 : 1;
            }
            if (!is_large(block)) {
                to = begin;
                continue;
            }
            inner.rows.push_back(i);
            columns.push_back(name_of_column[matched_[i]]);
            within.row_ptrs.push_back(static_cast<I>(to - within.col_idxs.data()));
        }
        within.col_idxs.resize(static_cast<std::size_t>(to - within.col_idxs.data()));
        inner.graph = matched_graph(view_of(within), columns);
        return inner;
    }

    PatternView<I> a_;
    const std::vector<I>& matched_;
    BlockTriangularForm<I> form_;
    std::vector<I> block_of_column_;
};

/// Whether nearly all entries of some rows have a partner across the diagonal. Blocks of symmetric patterns would be
/// apart, and those of almost symmetric ones save little.
template <class I>
bool seems_symmetric(PatternView<I> a, const std::vector<I>& column_of_row, const std::vector<I>& row_of_column)
{
    constexpr I num_samples = 128;
    const auto n = static_cast<I>(a.rows);
    size_type looked_at = 0, alone = 0;
    for (I i = 0; i < n; i += std::max(n / num_samples, I{1})) {
        for (I k = a.row_ptrs[i]; k < a.row_ptrs[i + 1]; ++k) {
            const I across = row_of_column[a.col_idxs[k]];
            const I* const end = a.col_idxs + a.row_ptrs[across + 1];
            alone += std::find(a.col_idxs + a.row_ptrs[across], end, column_of_row[i]) == end ? 1 : 0;
            ++looked_at;
        }
    }
    return 20 * alone <= looked_at;
}

enum class Symmetry { none, of_pattern, of_values };

/// Whether each entry has a partner across the diagonal, and whether these are conjugates. a: rows sorted.
template <class V, class I>
Symmetry symmetry_of(CsrView<V, I> a)
{
    bool is_hermitian = true;
    std::vector<I> next(a.row_ptrs, a.row_ptrs + a.rows);  // of each row: its entry that has not been met yet
    for (I i = 0; i < static_cast<I>(a.rows); ++i) {
        for (I k = a.row_ptrs[i]; k < a.row_ptrs[i + 1]; ++k) {  // Rows meet the entries of column i in their order.
            I& across = next[a.col_idxs[k]];
            if (across == a.row_ptrs[a.col_idxs[k] + 1] || a.col_idxs[across] != i) {
                return Symmetry::none;
            }
            is_hermitian &= a.values[across] == conj(a.values[k]);
            ++across;
        }
    }
    return is_hermitian ? Symmetry::of_values : Symmetry::of_pattern;
}

/// order := that of minimum degree; the entries of its Cholesky factor.
template <class I>
size_type eliminate(PatternView<I> graph, std::vector<I>& order)
{
    QuotientGraph<I> elimination(graph);
    order = elimination.eliminate();
    return elimination.fill();
}

/// The order of a symmetric pattern whose pivots are the diagonal, and the entries to expect.
template <class I>
void order_symmetric(PatternView<I> a, PlainOrder<I>& plain)
{
    plain.is_symmetric = plain.has_one_block = true;
    QuotientGraph<I> elimination(a);
    plain.rows = plain.columns = elimination.eliminate();
    plain.most_entries = 2 * elimination.fill();
    plain.counts = elimination.counts();
}

/// The order of its rows, and the entries to expect.
template <class I>
void order_blocks(PatternView<I> a, PlainOrder<I>& plain)
{
    std::optional<DiagonalBlocks<I>> blocks;
    if (!seems_symmetric(a, plain.matched, inverse_of(plain.matched))) {
        blocks.emplace(a, plain.matched);
    }
    plain.has_one_block = !blocks || blocks->count() == 1;
    if (plain.has_one_block) {
        plain.graph = matched_graph(a, plain.matched);
        plain.most_entries = 2 * eliminate(view_of(plain.graph), plain.rows);
        return;
    }
    plain.most_entries = blocks->order(plain.rows);
}

/// Rows that are coupled with others. Grids and circuits have few entries in a row, and many rows that end a line or
/// continue one; meshes have not.
template <class I>
size_type coupled_rows_of_network(PatternView<I> a)
{
    constexpr size_type most_per_row = 8, rows_per_short_one = 5;
    constexpr I short_row = 4;
    size_type num_coupled = 0, num_short = 0;
    for (size_type i = 0; i < a.rows; ++i) {
        const I count = a.row_ptrs[i + 1] - a.row_ptrs[i];
        num_coupled += count > 1 ? 1 : 0;
        num_short += count > 1 && count <= short_row ? 1 : 0;
    }
    const bool is_network = a.num_nonzeros <= most_per_row * a.rows && rows_per_short_one * num_short >= num_coupled;
    return is_network ? num_coupled : 0;
}

}  // namespace

template <class V, class I>
std::optional<PlainOrder<I>> plain_order(CsrView<V, I> a, bool takes_networks)
{
    PlainOrder<I> result;
    const auto symmetry = symmetry_of(a);
    result.num_coupled_rows = takes_networks ? coupled_rows_of_network<I>(a) : 0;
    result.roots = symmetry == Symmetry::of_values ? inverse_diagonal_roots<V, I>(a) : std::vector<double>{};
    if (!result.roots.empty()) {
        result.matched.resize(result.roots.size());
        std::iota(result.matched.begin(), result.matched.end(), I{0});
        result.is_hermitian = true;
        order_symmetric<I>(a, result);
        return result;
    }
    auto matched = result.num_coupled_rows > 0 ? plain_pivots<V, I>(a) : std::nullopt;
    if (!matched) {
        return std::nullopt;
    }
    result.matched = *std::move(matched);
    if (symmetry != Symmetry::none && std::is_sorted(result.matched.begin(), result.matched.end())) {
        result.is_hermitian = symmetry == Symmetry::of_values;
        order_symmetric<I>(a, result);
        return result;
    }
    order_blocks<I>(a, result);
    result.columns.reserve(result.rows.size());
    for (const I row : result.rows) {
        result.columns.push_back(result.matched[row]);
    }
    return result;
}

template <class I>
HostPattern<I> graph_of(PatternView<I> a, const PlainOrder<I>& plain)
{
    if (plain.is_symmetric) {
        return {{a.row_ptrs, a.row_ptrs + a.rows + 1}, {a.col_idxs, a.col_idxs + a.num_nonzeros}};
    }
    return plain.has_one_block ? plain.graph : matched_graph(a, plain.matched);
}

}  // namespace linden::detail
