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

/// Blocks of so many rows keep the order that they have, of a search in depth, whose leaves come first: minimum degree
/// takes longer than their elimination and saves little (adder_dcop_05: 116 us for 2 % of the entries).
constexpr size_type small_block = 8;

/// The pattern of B + B^T without the diagonal, rows not sorted.
template <class I>
HostPattern<I> united_with_transpose(const HostPattern<I>& b)
{
    const auto n = static_cast<I>(b.rows());
    HostPattern<I> sum{std::vector<I>(b.row_ptrs.size(), 0), std::vector<I>(2 * b.col_idxs.size())};
    std::vector<I> next(b.row_ptrs.size(), 0), seen(b.row_ptrs.size(), -1);
    for (I i = 0; i < n; ++i) {
        next[i + 1] += b.row_ptrs[i + 1] - b.row_ptrs[i];
        for (I k = b.row_ptrs[i]; k < b.row_ptrs[i + 1]; ++k) {
            ++next[b.col_idxs[k] + 1];
        }
    }
    std::partial_sum(next.begin(), next.end(), next.begin());
    const auto begin_of = next;
    for (I i = 0; i < n; ++i) {
        for (I k = b.row_ptrs[i]; k < b.row_ptrs[i + 1]; ++k) {
            const I j = b.col_idxs[k];
            sum.col_idxs[next[i]++] = j;
            sum.col_idxs[next[j]++] = i;
        }
    }
    I* to = sum.col_idxs.data();
    for (I i = 0; i < n; ++i) {
        seen[i] = i;
        for (I k = begin_of[i]; k < begin_of[i + 1]; ++k) {
            const I j = sum.col_idxs[k];
            const bool is_new = seen[j] != i;
            seen[j] = i;
            *to = j;
            to += is_new ? 1 : 0;
        }
        sum.row_ptrs[i + 1] = static_cast<I>(to - sum.col_idxs.data());
    }
    sum.col_idxs.resize(static_cast<std::size_t>(sum.row_ptrs.back()));
    return sum;
}

/// The diagonal blocks of A's block triangular form, and the graph of those that are worth an order.
template <class I>
class DiagonalBlocks {
public:
    DiagonalBlocks(PatternView<I> a, const std::vector<I>& matched)
        : a_(a),
          form_(block_triangular_form<I>(a, {matched.begin(), matched.end()}))
    {
    }
    size_type count() const { return form_.num_blocks(); }

    /// Rows in the order of their blocks, in each by minimum degree, and the entries to expect.
    void order(PlainOrder<I>& plain)
    {
        plain.block_ptrs.assign(form_.block_ptrs.begin(), form_.block_ptrs.end());
        plain.rows = std::move(form_.rows);
        size_type filled = 0, within = 0;  // entries of small blocks that are full, and of those with the fewest
        for (size_type b = 0; b < count(); ++b) {
            const auto size = size_of(b);
            if (size > small_block) {
                blocks_.push_back({plain.block_ptrs[b], static_cast<I>(vertices_.size())});
                vertices_.insert(vertices_.end(), plain.rows.begin() + plain.block_ptrs[b],
                                 plain.rows.begin() + plain.block_ptrs[b + 1]);
            } else {
                filled += size * size;
                within += size == 1 ? 1 : 2 * size;
            }
        }
        const auto graph = graph_of_large(plain.matched);
        QuotientGraph<I> elimination(view_of(graph));
        std::vector<I> next(blocks_.size());
        std::transform(blocks_.begin(), blocks_.end(), next.begin(), [](const Block& b) { return b.first_row; });
        for (const I vertex : elimination.eliminate()) {
            plain.rows[next[block_of_[vertex]]++] = vertices_[vertex];
        }
        plain.most_entries = 2 * elimination.fill() + filled;
        plain.num_outside = a_.num_nonzeros - num_within_ - within;
    }

private:
    struct Block {
        I first_row, first_vertex;
    };
    size_type size_of(size_type block) const { return form_.block_ptrs[block + 1] - form_.block_ptrs[block]; }

    /// Of B + B^T, for the entries B of A in large blocks.
    HostPattern<I> graph_of_large(const std::vector<I>& matched)
    {
        const auto n = static_cast<I>(vertices_.size());
        std::vector<I> vertex_of(matched.size(), -1);  // of each column
        for (I v = 0; v < n; ++v) {
            vertex_of[matched[vertices_[v]]] = v;
        }
        const I *const names = vertex_of.data(), *const ptrs = a_.row_ptrs, *const cols = a_.col_idxs;
        HostPattern<I> within{{0}, std::vector<I>(static_cast<std::size_t>(a_.num_nonzeros))};
        within.row_ptrs.reserve(vertices_.size() + 1);
        I* to = within.col_idxs.data();
        block_of_.reserve(vertices_.size());
        for (std::size_t b = 0; b < blocks_.size(); ++b) {
            const I first = blocks_[b].first_vertex, last = b + 1 < blocks_.size() ? blocks_[b + 1].first_vertex : n;
            block_of_.insert(block_of_.end(), static_cast<std::size_t>(last - first), static_cast<I>(b));
            for (I v = first; v < last; ++v) {
                for (I k = ptrs[vertices_[v]], end = ptrs[vertices_[v] + 1]; k < end; ++k) {
                    const I w = names[cols[k]];
                    *to = w;
                    to += (first <= w) & (w < last) ? 1 : 0;
                }
                within.row_ptrs.push_back(static_cast<I>(to - within.col_idxs.data()));
            }
        }
        within.col_idxs.resize(static_cast<std::size_t>(within.row_ptrs.back()));
        num_within_ = within.num_nonzeros();
        return united_with_transpose(within);
    }

    PatternView<I> a_;
    BlockTriangularForm<I> form_;
    std::vector<Block> blocks_;           ///< the large ones
    std::vector<I> vertices_, block_of_;  ///< their rows
    size_type num_within_ = 0;
};

/// Whether nearly all entries of some rows have a partner across the diagonal. Blocks of symmetric patterns would be
/// apart, and those of almost symmetric ones save little.
template <class I>
bool seems_symmetric(PatternView<I> a, const std::vector<I>& column_of_row, const std::vector<I>& row_of_column)
{
    constexpr I num_samples = 128;
    const auto n = static_cast<I>(a.rows), step = std::max(n / num_samples, I{1});
    size_type count = 0, alone = 0;
    for (I i = 0; i < n; i += step) {
        count += a.row_ptrs[i + 1] - a.row_ptrs[i];
    }
    for (I i = 0; i < n && 20 * alone <= count; i += step) {
        for (I k = a.row_ptrs[i]; k < a.row_ptrs[i + 1]; ++k) {
            const I across = row_of_column[a.col_idxs[k]];
            const I* const end = a.col_idxs + a.row_ptrs[across + 1];
            alone += std::find(a.col_idxs + a.row_ptrs[across], end, column_of_row[i]) == end ? 1 : 0;
        }
    }
    return 20 * alone <= count;
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
    plain.block_ptrs = {0, static_cast<I>(a.rows)};
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
        plain.block_ptrs = {0, static_cast<I>(a.rows)};
        plain.graph = matched_graph(a, plain.matched);
        plain.most_entries = 2 * eliminate(view_of(plain.graph), plain.rows);
        return;
    }
    blocks->order(plain);
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
    result.columns.resize(result.rows.size());
    std::transform(result.rows.begin(), result.rows.end(), result.columns.begin(),
                   [&](I row) { return result.matched[row]; });
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
