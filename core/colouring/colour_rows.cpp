#include "core/colouring/colouring.hpp"

#include "core/kernels/colour_rows.hpp"
#include "core/kernels/permutation.hpp"
#include "core/kernels/sell.hpp"
#include "core/matrix/key_order.hpp"
#include "core/matrix/row_pointers.hpp"

// instantiate: void detail::sort_rows<I>(const Executor&, PatternView<I>, ColourOrder<I>&, double)

namespace linden::detail {
namespace {

/// Rows with more entries in one triangle are long: one thread would take longer for them than a launch takes.
constexpr size_type long_row = 256;
/// Rows of a sorting window: many slices, so that few mix row lengths, but few enough to keep columns local.
constexpr size_type window_rows = 4096;

/// Whether sorting pays if it reduces the stored entries from `before` to `after`.
constexpr bool is_much_less(size_type after, size_type before) { return 9 * after < 8 * before; }

/// The rows at all positions, measured.
template <class I>
struct RowMeasures {
    RowMeasures(const Executor& exec, PatternView<I> a, const ColourOrder<I>& order)
        : lower(exec, a.rows),
          upper(exec, a.rows),
          windows(exec, a.rows)
    {
        std::vector<I> colour_ptrs;
        for (std::size_t c = 0; c + 1 < order.colour_ptrs.size(); ++c) {
            const auto size = order.colour_ptrs[c + 1] - order.colour_ptrs[c];
            colour_ptrs.push_back(static_cast<I>(order.colour_ptrs[c]));
            window_ptrs.push_back(static_cast<I>(num_windows));
            num_windows += 1 + (size + window_rows - 1) / window_rows;
        }
        Array<I> is_long(exec, a.rows + 1);
        const Array<I> first_rows(exec, colour_ptrs), first_windows(exec, window_ptrs);
        const ColourWindows<I> view{order.order.data(),   order.position.data(), first_rows.data(),
                                    first_windows.data(), first_rows.size(),     window_rows};
        colour_rows_measure<I>(exec, a, view, long_row, lower.data(), upper.data(), is_long.data(), windows.data());
        num_long = make_row_ptrs(is_long, "the long rows");
    }

    Array<I> lower, upper, windows;
    std::vector<I> window_ptrs;
    size_type num_windows = 0, num_long = 0;
};

/// The stored entries of slices that do not end with a colour.
struct Slots {
    size_type used = 0;
    size_type all = 0;

    friend Slots operator+(Slots a, Slots b) { return {a.used + b.used, a.all + b.all}; }
};

template <class I>
Slots count_slots(const Executor& exec, const Array<I>& lengths)
{
    const size_type n = lengths.size();
    Array<I> row_ptrs(exec, n + 1);
    Array<I> widths(exec, (n + colour_slice_rows - 1) / colour_slice_rows + 1);
    copy_bytes(exec, lengths.data(), exec, row_ptrs.data(), lengths.bytes());
    const auto used = make_row_ptrs(row_ptrs, "the rows");
    sell_count_slices<I>(exec, n, row_ptrs.data(), colour_slice_rows, nullptr, widths.data());
    return {used, colour_slice_rows * make_row_ptrs(widths, "the slices")};
}

/// Positions by windows, and within a window by the lengths of their rows in L, then in U.
template <class I>
Array<I> by_lengths(const Executor& exec, const RowMeasures<I>& rows)
{
    constexpr size_type num_lengths = long_row + 1;
    auto places = KeyOrder<I>(exec, rows.upper, num_lengths).order;
    const KeyOrder<I> by_lower(exec, gathered(exec, places, rows.lower), num_lengths);
    places = gathered(exec, by_lower.order, places);
    const KeyOrder<I> by_windows(exec, gathered(exec, places, rows.windows), rows.num_windows);
    return gathered(exec, by_windows.order, places);
}

}  // namespace

template <class I>
void sort_rows(const Executor& exec, PatternView<I> a, ColourOrder<I>& order, double tolerated_padding)
{
    if (a.rows == 0) {
        return;
    }
    const RowMeasures<I> rows(exec, a, order);
    if (rows.num_long * colour_slice_rows > a.rows) {
        return;  // most slices have a long row
    }
    const auto natural = count_slots(exec, rows.lower) + count_slots(exec, rows.upper);
    const bool is_uneven =
        static_cast<double>(natural.all) > (1 + tolerated_padding) * static_cast<double>(natural.used);
    if (!is_uneven && rows.num_long == 0) {
        return;
    }
    const KeyOrder<I> by_windows(exec, rows.windows, rows.num_windows);  // long rows first, else nothing moves
    Array<I> places = by_windows.order.clone();
    if (is_uneven) {
        auto sorted = by_lengths(exec, rows);
        const auto after = count_slots(exec, gathered(exec, sorted, rows.lower)) +
                           count_slots(exec, gathered(exec, sorted, rows.upper));
        if (is_much_less(after.all, natural.all)) {
            places = std::move(sorted);
        }
    }
    order.order = gathered(exec, places, order.order);
    Array<size_type> num_invalid(exec, 1);
    permutation_invert<I>(exec, a.rows, order.order.data(), order.position.data(), num_invalid.data());
    const auto ptrs = by_windows.key_ptrs.to_host();
    for (std::size_t c = 0; c < order.num_long.size(); ++c) {
        const auto window = static_cast<std::size_t>(rows.window_ptrs[c]);
        order.num_long[c] = ptrs[window + 1] - ptrs[window];
    }
}

}  // namespace linden::detail
