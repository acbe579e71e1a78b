#include "core/colouring/colouring.hpp"

#include <linden/error.hpp>

#include <algorithm>
#include <numeric>
#include <string>

#include "core/matrix/key_order.hpp"
#include "core/matrix/row_pointers.hpp"

// instantiate: Colouring<I> detail::colour_pattern<I>(const Executor&, PatternView<I>, const ColouringOptions&)
// instantiate: struct detail::ColourOrder<I>

namespace linden::detail {
namespace {

/// An order in which rows are visited, and its inverse.
template <class I>
struct Visit {
    Visit(const Executor& exec, size_type n) : order(exec, n), rank(exec, n) {}
    VisitView<I> view() const { return {order.data(), rank.data()}; }

    Array<I> order, rank;
};

/// First the rows of one colour of a two-colouring of a spanning forest, then the others, each in a hashed order.
/// Chains of waiting rows are short, as in a purely hashed order. That gives 5 colours for the 5-point stencil and 17
/// for the 27-point stencil; this order gives 2 and 8, as the natural order does.
template <class I>
Visit<I> visit_in_short_chains(const Executor& exec, PatternView<I> a)
{
    const size_type n = a.rows;
    Visit<I> scattered(exec, n), visit(exec, n);
    colouring_scattered_order<I>(exec, n, scattered.order.data(), scattered.rank.data());
    Array<I> sides(exec, n);
    Array<std::byte> workspace(exec, colouring_workspace_bytes(n));
    colouring_two_colouring<I>(exec, a, sides.data(), {workspace.data(), workspace.size()});
    const KeyOrder<I> by_sides(exec, gathered(exec, scattered.order, sides), 2);
    visit.order = gathered(exec, by_sides.order, scattered.order);
    visit.rank = gathered(exec, scattered.rank, by_sides.position);
    return visit;
}

/// Colours the rows of a symmetric pattern in this order.
template <class I>
void colour_in_order(const Executor& exec, PatternView<I> a, VisitView<I> visit, Colouring<I>& colouring)
{
    Array<size_type> num_colours(exec, 1);
    Array<std::byte> workspace(exec, colouring_workspace_bytes(a.rows));
    colouring_first_fit<I>(exec, a, visit, colouring.colours.data(), num_colours.data(),
                           {workspace.data(), workspace.size()});
    colouring.num_colours = num_colours.to_host().front();
}

/// Iterated greedy: visits the rows again, colour by colour, the last colour first. Rows of one colour are not coupled,
/// so the t-th visited colour needs at most t colours, and the number never grows. [Culberson92]
template <class I>
void save_colours(const Executor& exec, PatternView<I> a, Colouring<I>& colouring)
{
    constexpr int num_passes = 4;
    for (int pass = 0; pass < num_passes && colouring.num_colours > 2; ++pass) {
        std::vector<I> turns(static_cast<std::size_t>(colouring.num_colours));
        std::iota(turns.rbegin(), turns.rend(), I{0});
        const auto turn_of_row = gathered(exec, colouring.colours, Array<I>(exec, turns));
        const KeyOrder<I> by_turns(exec, turn_of_row, colouring.num_colours);
        colour_in_order(exec, a, {by_turns.order.data(), by_turns.position.data()}, colouring);
    }
}

/// The greedy colours of the natural order. The forest of nearest earlier neighbours has a two-colouring in which each
/// row of colour 1 has an earlier neighbour of colour 0. If it is a valid colouring of the whole graph, it is the
/// greedy one, and no row has to wait.
template <class I>
void colour_in_natural_order(const Executor& exec, PatternView<I> a, Colouring<I>& colouring)
{
    if (!exec.is_host() && a.rows > 0) {
        auto& colours = colouring.colours;
        Array<std::byte> workspace(exec, colouring_workspace_bytes(a.rows));
        Array<size_type> count(exec, 1);
        const auto num_conflicts = [&](size_type num_colours) {
            colouring_validate<I>(exec, a, num_colours, colours.data(), count.data());
            return count.to_host().front();
        };
        colouring_two_colouring<I>(exec, a, colours.data(), {workspace.data(), workspace.size()});
        if (num_conflicts(2) == 0) {
            colouring.num_colours = num_conflicts(1) == 0 ? 1 : 2;
            return;
        }
    }
    colour_in_order(exec, a, {}, colouring);
}

/// Moves the first rows of one colour that fit into another, at most `limit`; returns how many fit. `rows`: the rows
/// that had the colour `from` initially.
template <class I>
size_type move_rows(const Executor& exec, PatternView<I> a, size_type count, const I* rows, I from, I to,
                    size_type limit, Colouring<I>& colouring)
{
    Array<I> fits(exec, count + 1);
    colouring_find_movable<I>(exec, a, count, rows, from, to, colouring.colours.data(), fits.data());
    const size_type num_fitting = make_row_ptrs(fits, "rows that fit");
    colouring_move<I>(exec, count, rows, fits.data(), limit, to, colouring.colours.data());
    return num_fitting;
}

/// Moves rows from colours with more rows than the mean to colours with fewer, the largest and the smallest first. A
/// colour tries a few others only, since each try is a pass over its rows.
/// by_colours, ptrs: the initial rows of each colour.
template <class I>
void balance_sizes(const Executor& exec, PatternView<I> a, const KeyOrder<I>& by_colours,
                   const std::vector<size_type>& ptrs, Colouring<I>& colouring)
{
    constexpr int max_tries = 32;
    auto& sizes = colouring.sizes;
    const size_type num_colours = std::max<size_type>(colouring.num_colours, 1);
    const size_type mean = (a.rows + num_colours - 1) / num_colours;
    std::vector<std::size_t> by_size(sizes.size());
    std::iota(by_size.begin(), by_size.end(), std::size_t{0});
    std::stable_sort(by_size.begin(), by_size.end(), [&](auto c, auto d) { return sizes[c] < sizes[d]; });
    for (auto from = by_size.rbegin(); from != by_size.rend(); ++from) {
        int tries = 0;
        for (const auto to : by_size) {
            const size_type limit = std::min(sizes[*from] - mean, mean - sizes[to]);
            if (limit <= 0 || tries == max_tries) {
                continue;
            }
            ++tries;
            const I* const rows = by_colours.order.data() + ptrs[*from];
            const size_type moved =
                std::min(limit, move_rows(exec, a, ptrs[*from + 1] - ptrs[*from], rows, static_cast<I>(*from),
                                          static_cast<I>(to), limit, colouring));
            sizes[*from] -= moved;
            sizes[to] += moved;
        }
    }
}

}  // namespace

template <class I>
Colouring<I> colour_pattern(const Executor& exec, PatternView<I> a, const ColouringOptions& options)
{
    if (options.block_rows < 1) {
        throw InvalidParameter("block_rows", std::to_string(options.block_rows), "at least 1");
    }
    const auto symmetric = symmetric_pattern(exec, a);
    const auto blocks = block_pattern(exec, symmetric.view(), options.block_rows);
    Colouring<I> result{Array<I>(exec, blocks.view().rows), a.rows, options.block_rows, 0, {}};
    if (options.algorithm == ColouringAlgorithm::greedy) {
        colour_in_natural_order(exec, blocks.view(), result);
    } else {
        colour_in_order(exec, blocks.view(), visit_in_short_chains(exec, blocks.view()).view(), result);
        save_colours(exec, blocks.view(), result);
    }
    const KeyOrder<I> by_colours(exec, result.colours, result.num_colours);
    const auto ptrs = by_colours.key_ptrs.to_host();
    for (std::size_t colour = 0; colour + 1 < ptrs.size(); ++colour) {
        result.sizes.push_back(ptrs[colour + 1] - ptrs[colour]);
    }
    if (options.balance) {
        balance_sizes(exec, blocks.view(), by_colours, {ptrs.begin(), ptrs.end()}, result);
    }
    return result;
}

template <class I>
ColourOrder<I>::ColourOrder(const Executor& exec, const Colouring<I>& colouring)
    : order(exec),
      position(exec),
      colour_ptrs{0}
{
    KeyOrder<I> blocks(exec, colouring.colours, colouring.num_colours);
    for (const auto size : colouring.sizes) {
        colour_ptrs.push_back(colour_ptrs.back() + size * colouring.block_rows);
    }
    num_long.assign(colouring.sizes.size(), 0);
    if (colouring.block_rows == 1) {
        order = std::move(blocks.order);
        position = std::move(blocks.position);
        return;
    }
    order = Array<I>(exec, colouring.num_rows);
    position = Array<I>(exec, colouring.num_rows);
    const ColouredBlocks<I> view{colouring.num_rows, colouring.block_rows, colouring.colours.data(),
                                 blocks.position.data(), blocks.key_ptrs.data()};
    colouring_order_rows<I>(exec, view, order.data(), position.data());
    const size_type absent = view.num_blocks() * view.block_rows - view.num_rows;
    if (absent > 0) {
        I last_colour = 0;
        copy_bytes(exec, view.colours + view.num_blocks() - 1, host(), &last_colour, sizeof last_colour);
        for (std::size_t c = static_cast<std::size_t>(last_colour) + 1; c < colour_ptrs.size(); ++c) {
            colour_ptrs[c] -= absent;
        }
    }
}

template <class I>
std::vector<ColourSegment> ColourOrder<I>::parts() const
{
    std::vector<ColourSegment> parts;
    for (std::size_t c = 0; c + 1 < colour_ptrs.size(); ++c) {
        const auto first = colour_ptrs[c];
        if (num_long[c] > 0) {
            parts.push_back({first, num_long[c], false});
        }
        if (colour_ptrs[c + 1] > first + num_long[c]) {
            parts.push_back({first + num_long[c], colour_ptrs[c + 1] - first - num_long[c], true});
        }
    }
    return parts;
}

}  // namespace linden::detail
