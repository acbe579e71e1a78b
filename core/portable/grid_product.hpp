#pragma once

#include "core/base/math.hpp"
#include "core/kernels/grid_product.hpp"
#include "core/portable/atomics.hpp"
#include "core/portable/body.hpp"
#include "core/portable/grid_signatures.hpp"
#include "core/portable/grid_window.hpp"
#include "core/portable/lanes.hpp"

/// Products on grids, see core/kernels/grid_product.hpp.
namespace linden {

/// Lanes share the entries of each of A's rows; rows come one after the other.
template <class V, class I>
struct LeftOfProduct {
    CsrView<V, I> r;
    CsrView<V, I> a;
    PatternView<I> p;
    ProductWindow window;
    ProductRows<V, I> rows;
    std::int64_t* strays;

    LINDEN_HOST_DEVICE size_type size() const { return rows.most; }
    LINDEN_HOST_DEVICE size_type num_entries() const { return rows.most * (a.num_nonzeros / a.rows + 1); }
    template <class Lanes>
    LINDEN_HOST_DEVICE void operator()(Lanes, size_type item) const
    {
        if (!rows.has(item)) {
            return;
        }
        const size_type row = rows.row(item);
        const WindowOfRow<I> here(window, row);
        V* const left = rows.left + item * window.fine_size();
        std::uint8_t* const is_left = rows.is_left + item * window.fine_size();
        for (size_type place = Lanes::lane(); place < window.fine_size(); place += Lanes::size) {
            left[place] = V{};
            is_left[place] = 0;
        }
        Lanes::sync();
        std::uint64_t num_strays = 0;
        for (size_type k = r.row_ptrs[row]; k < r.row_ptrs[row + 1]; ++k) {
            const size_type i = r.col_idxs[k];
            const auto from = point_of<I>(window.blocks.fine.points, i);
            const bool is_own = here.is_near(from, here.block, 0);
            for (size_type e = a.row_ptrs[i] + Lanes::lane(); e < a.row_ptrs[i + 1]; e += Lanes::size) {
                const auto to = point_of<I>(window.blocks.fine.points, a.col_idxs[e]);
                const size_type place = here.place_of(to);
                num_strays += place < 0 || (is_own && !is_within(to, from, window.reach)) ? 1 : 0;
                if (place >= 0) {
                    left[place] += r.values[k] * a.values[e];
                    is_left[place] = 1;
                }
            }
            if (is_own) {
                num_strays += strays_of_columns(Lanes(), i, from);
            }
            Lanes::sync();
        }
        if (num_strays > 0) {
            atomic_increase(reinterpret_cast<std::uint64_t*>(strays), num_strays);
        }
    }

private:
    /// How many columns of P a point is too far from.
    template <class Lanes>
    LINDEN_HOST_DEVICE std::uint64_t strays_of_columns(Lanes, size_type i, const GridPoint& point) const
    {
        std::uint64_t result = 0;
        for (size_type e = p.row_ptrs[i] + Lanes::lane(); e < p.row_ptrs[i + 1]; e += Lanes::size) {
            const WindowOfRow<I> other(window, p.col_idxs[e]);
            result += other.is_near(point, other.block, 1) ? 0 : 1;
        }
        return result;
    }
};

/// Lanes share the entries of each of P's rows.
template <class V, class I>
struct WholeProduct {
    CsrView<V, I> p;
    ProductWindow window;
    ProductRows<V, I> rows;

    LINDEN_HOST_DEVICE size_type size() const { return rows.most; }
    LINDEN_HOST_DEVICE size_type num_entries() const { return rows.most * (p.num_nonzeros / p.rows + 1); }
    template <class Lanes>
    LINDEN_HOST_DEVICE void operator()(Lanes, size_type item) const
    {
        if (!rows.has(item)) {
            return;
        }
        const WindowOfRow<I> here(window, rows.row(item));
        const V* const left = rows.left + item * window.fine_size();
        const std::uint8_t* const is_left = rows.is_left + item * window.fine_size();
        V* const whole = rows.whole + item * window.coarse_size();
        std::uint8_t* const is_whole = rows.is_whole + item * window.coarse_size();
        for (size_type place = Lanes::lane(); place < window.coarse_size(); place += Lanes::size) {
            whole[place] = V{};
            is_whole[place] = 0;
        }
        Lanes::sync();
        for (size_type base = 0; base < window.fine_size(); base += Lanes::size) {
            const size_type own = base + Lanes::lane();
            const int is_there = own < window.fine_size() ? is_left[own] : 0;
            for (int lane = 0; lane < Lanes::size; ++lane) {
                if (Lanes::of_lane(is_there, lane) == 0) {
                    continue;
                }
                const size_type k = here.row_at(base + lane);
                for (size_type e = p.row_ptrs[k] + Lanes::lane(); e < p.row_ptrs[k + 1]; e += Lanes::size) {
                    const size_type place =
                        here.coarse_place_of(point_of<I>(window.blocks.coarse.points, p.col_idxs[e]));
                    if (place >= 0) {
                        whole[place] += left[base + lane] * p.values[e];
                        is_whole[place] = 1;
                    }
                }
                Lanes::sync();
            }
        }
    }
};

template <class V, class I>
struct CountProduct {
    ProductWindow window;
    ProductRows<V, I> rows;
    I* counts;
    std::int64_t* found;

    LINDEN_HOST_DEVICE size_type size() const { return rows.most; }
    LINDEN_HOST_DEVICE size_type num_entries() const { return rows.most * window.coarse_size(); }
    template <class Lanes>
    LINDEN_HOST_DEVICE void operator()(Lanes, size_type item) const
    {
        I count = 0;
        GridPoint reach{};
        const size_type end = rows.has(item) ? window.coarse_size() : 0;
        for (size_type place = Lanes::lane(); place < end; place += Lanes::size) {
            if (rows.is_whole[item * window.coarse_size() + place] == 0) {
                continue;
            }
            ++count;
            const auto point = point_of<I>(coarse_lengths(window), place);
            for (int axis = 0; axis < num_axes; ++axis) {
                const size_type step = point[axis] - window.coarse_reach(axis);
                const size_type steps = step < 0 ? -step : step;
                reach[axis] = steps > reach[axis] ? steps : reach[axis];
            }
        }
        count = Lanes::sum(count);
        for (int axis = 0; axis < num_axes; ++axis) {
            const auto farthest = Lanes::max(static_cast<I>(reach[axis]));
            if (Lanes::lane() == 0 && farthest > 0) {
                atomic_raise(reinterpret_cast<std::uint64_t*>(found + copied_reach_x + axis),
                             static_cast<std::uint64_t>(farthest));
            }
        }
        if (Lanes::lane() == 0) {
            counts[item] = count;
        }
    }
};

template <class V, class I>
struct TakeProduct {
    ProductWindow window;
    ProductRows<V, I> rows;
    const I* ptrs;
    size_type most_entries;
    I* offsets;
    V* values;

    LINDEN_HOST_DEVICE size_type size() const { return rows.most; }
    LINDEN_HOST_DEVICE size_type num_entries() const { return rows.most * window.coarse_size(); }
    template <class Lanes>
    LINDEN_HOST_DEVICE void operator()(Lanes lanes, size_type item) const
    {
        if (!rows.has(item) || ptrs[rows.most] > most_entries) {
            return;
        }
        const size_type first = item * window.coarse_size();
        compact_entries(
            lanes, 0, window.coarse_size(), ptrs[item],
            [&](size_type place) { return rows.is_whole[first + place] != 0; },
            [&](size_type at, size_type place) {
                auto step = point_of<I>(coarse_lengths(window), place);
                for (int axis = 0; axis < num_axes; ++axis) {
                    step[axis] -= window.coarse_reach(axis);
                }
                offsets[at] = static_cast<I>(number_of(window.blocks.coarse.points, step));
                values[at] = rows.whole[first + place];
            });
    }
};

struct JudgeCopies {
    size_type most;
    size_type most_entries;
    const std::int64_t* is_valid;
    std::int64_t* found;

    LINDEN_HOST_DEVICE size_type size() const { return 1; }
    LINDEN_HOST_DEVICE void operator()(size_type) const
    {
        const bool has_room = found[copied_leaders] <= most && found[copied_entries] <= most_entries;
        found[copies_are_valid] = *is_valid != 0 && has_room && found[copied_strays] == 0 ? 1 : 0;
    }
};

template <class V, class I>
struct FillCopies {
    StencilView<V, I> copied;
    const std::int64_t* is_valid;
    const I* row_ptrs;
    V* values;

    LINDEN_HOST_DEVICE size_type size() const { return copied.rows; }
    LINDEN_HOST_DEVICE size_type num_entries() const { return copied.num_nonzeros; }
    template <class Lanes>
    LINDEN_HOST_DEVICE void operator()(Lanes, size_type row) const
    {
        if (*is_valid == 0) {
            return;
        }
        const size_type begin = row_ptrs[row], length = row_ptrs[row + 1] - begin;
        const V* const source = copied.values + copied.ptrs[copied.stencils[row]];
        for (size_type k = Lanes::lane(); k < length; k += Lanes::size) {
            values[begin + k] = source[k];
        }
    }
};

template <class V, class I>
struct StoreProduct {
    PatternView<I> c;
    ProductWindow window;
    ProductRows<V, I> rows;
    V* values;

    LINDEN_HOST_DEVICE size_type size() const { return rows.most; }
    LINDEN_HOST_DEVICE size_type num_entries() const { return rows.most * 32; }
    template <class Lanes>
    LINDEN_HOST_DEVICE void operator()(Lanes, size_type item) const
    {
        if (!rows.has(item)) {
            return;
        }
        const size_type row = rows.row(item);
        const WindowOfRow<I> here(window, row);
        for (size_type e = c.row_ptrs[row] + Lanes::lane(); e < c.row_ptrs[row + 1]; e += Lanes::size) {
            const auto block = point_of<I>(window.blocks.coarse.points, c.col_idxs[e]);
            values[e] = rows.whole[item * window.coarse_size() + here.coarse_place_of(block)];
        }
    }
};

template <class F>
void for_each_portable_grid_product(const F& f)
{
    f(grid_product_sign, BodyOf<SignBlocks>());
    f(grid_product_enter, BodyOf<EnterSignatures>());
    f(grid_product_judge, BodyOf<JudgeCopies>());
    for_each_index([&]<class I>() {
        f(grid_product_mark<I>, BodyOf<MarkSignatures<I>>());
        f(grid_product_number<I>, BodyOf<NumberCopies<I>>());
    });
    for_each_value_index([&]<class V, class I>() {
        f(grid_product_left<V, I>, BodyOf<LeftOfProduct<V, I>>());
        f(grid_product_whole<V, I>, BodyOf<WholeProduct<V, I>>());
        f(grid_product_count<V, I>, BodyOf<CountProduct<V, I>>());
        f(grid_product_take<V, I>, BodyOf<TakeProduct<V, I>>());
        f(grid_product_fill<V, I>, BodyOf<FillCopies<V, I>>());
        f(grid_product_store<V, I>, BodyOf<StoreProduct<V, I>>());
    });
}

}  // namespace linden
