#pragma once

#include "core/kernels/stencil.hpp"
#include "core/portable/atomics.hpp"
#include "core/portable/body.hpp"
#include "core/portable/lanes.hpp"
#include "core/portable/stencil_rows.hpp"

/// How the stencils of a matrix are found, see core/kernels/stencil.hpp.
namespace linden {

/// The slot of a hash in table t, counted over all tables.
template <class I>
LINDEN_HOST_DEVICE size_type slot_of(const StencilTables<I>& tables, std::uint64_t hash, int t)
{
    const std::uint64_t in_table =
        mixed(hash + static_cast<std::uint64_t>(t)) & static_cast<std::uint64_t>(tables.slots - 1);
    return t * tables.slots + static_cast<size_type>(in_table);
}

template <class I>
LINDEN_HOST_DEVICE bool has_too_many(const StencilTables<I>& tables)
{
    return tables.found[stencils_found] > tables.most;
}

template <class V, class I>
struct EnterStencils {
    ScaledView<V, I> scaled;
    size_type step;
    const std::uint64_t* gate;
    StencilTables<I> tables;
    std::uint64_t* used;
    std::uint8_t* is_new;

    LINDEN_HOST_DEVICE size_type size() const { return (scaled.a.rows + step - 1) / step; }
    LINDEN_HOST_DEVICE void operator()(size_type item) const
    {
        if (gate != nullptr && *gate > static_cast<std::uint64_t>(tables.most)) {
            return;
        }
        const StencilRows<V, I> rows{scaled};
        const size_type row = item * step;
        const bool is_short = rows.length(row) <= longest_stencil;
        const bool is_like_last = is_new != nullptr && row > 0 && is_short && rows.are_same(row, row - 1);
        if (is_new != nullptr) {
            is_new[row] = is_like_last && row % rows_of_chunk != 0 ? 0 : 1;
        }
        if (is_like_last || !is_short) {
            return;
        }
        const auto hash = rows.hash(row);
        const auto leader = static_cast<std::uint64_t>(scaled.a.rows - row);
        for (int t = 0; t < num_stencil_tables; ++t) {
            const bool is_first = atomic_raise(tables.leaders + slot_of(tables, hash, t), leader) == 0;
            if (is_first && t == 0) {
                atomic_increase(used, 1);
            }
        }
    }
};

template <class V, class I>
struct MarkLeaders {
    ScaledView<V, I> scaled;
    StencilTables<I> tables;

    LINDEN_HOST_DEVICE size_type size() const { return num_stencil_tables * tables.slots; }
    LINDEN_HOST_DEVICE void operator()(size_type slot) const
    {
        const auto leader = tables.leaders[slot];
        const size_type row = scaled.a.rows - static_cast<size_type>(leader);
        bool leads = leader != 0;
        if (leads && slot >= tables.slots) {
            const auto hash = StencilRows<V, I>{scaled}.hash(row);
            for (int t = 0; t < static_cast<int>(slot / tables.slots); ++t) {
                leads = leads && tables.leaders[slot_of(tables, hash, t)] != leader;
            }
        }
        const size_type length = leads ? row_length(scaled.a, row) : 0;
        tables.numbers[slot] = leads ? 1 : 0;
        tables.ptrs[slot] = static_cast<I>(length);
        if (leads) {
            atomic_raise(reinterpret_cast<std::uint64_t*>(tables.found + longest_found),
                         static_cast<std::uint64_t>(length));
        }
    }
};

template <class V, class I>
struct TakeStencils {
    ScaledView<V, I> scaled;
    StencilTables<I> tables;
    StencilEntries<V, I> entries;

    LINDEN_HOST_DEVICE size_type size() const { return num_stencil_tables * tables.slots + 1; }
    LINDEN_HOST_DEVICE void operator()(size_type slot) const
    {
        if (has_too_many(tables) || tables.found[entries_found] > entries.most) {
            return;
        }
        const I number = tables.numbers[slot];
        const I first = tables.ptrs[slot];
        if (slot == size() - 1) {
            entries.ptrs[number] = first;
            return;
        }
        if (tables.numbers[slot + 1] == number) {
            return;
        }
        const StencilRows<V, I> rows{scaled};
        const size_type row = scaled.a.rows - static_cast<size_type>(tables.leaders[slot]);
        const size_type begin = rows.begin(row), n = rows.length(row);
        entries.ptrs[number] = first;
        for (size_type k = 0; k < n; ++k) {
            entries.offsets[first + k] = rows.offset(row, begin + k);
            entries.values[first + k] = rows.value(row, begin + k);
        }
        if (scaled.left != nullptr) {
            entries.left[number] = scaled.left[row];
            for (size_type k = 0; k < n; ++k) {
                entries.entering[first + k] = rows.value(row, begin + k) * rows.right(begin + k);
            }
        }
    }
};

/// A chunk of rows, of which those that are like the ones before them have the same stencils.
template <class V, class I>
struct AssignStencils {
    ScaledView<V, I> scaled;
    StencilTables<I> tables;
    const std::uint8_t* is_new;
    std::uint16_t* stencils;

    LINDEN_HOST_DEVICE size_type size() const { return (scaled.a.rows + rows_of_chunk - 1) / rows_of_chunk; }
    LINDEN_HOST_DEVICE void operator()(size_type chunk) const
    {
        if (has_too_many(tables)) {
            return;
        }
        const size_type begin = chunk * rows_of_chunk;
        const size_type end = begin + rows_of_chunk < scaled.a.rows ? begin + rows_of_chunk : scaled.a.rows;
        I stencil = 0;
        std::uint64_t num_without = 0;
        for (size_type row = begin; row < end; ++row) {
            stencil = is_new[row] != 0 ? find(row) : stencil;
            num_without += stencil < 0 ? 1 : 0;
            stencils[row] = stencil < 0 ? std::uint16_t{0} : static_cast<std::uint16_t>(stencil);
        }
        if (num_without > 0) {
            atomic_increase(reinterpret_cast<std::uint64_t*>(tables.found + rows_without_stencil), num_without);
        }
    }

private:
    /// The number of a row's stencil, -1 if it has none.
    LINDEN_HOST_DEVICE I find(size_type row) const
    {
        const StencilRows<V, I> rows{scaled};
        if (rows.length(row) > longest_stencil) {
            return -1;
        }
        const auto hash = rows.hash(row);
        for (int t = 0; t < num_stencil_tables; ++t) {
            const size_type slot = slot_of(tables, hash, t);
            const auto leader = static_cast<size_type>(tables.leaders[slot]);
            if (leader > 0 && rows.are_same(row, scaled.a.rows - leader)) {
                return tables.numbers[slot];
            }
        }
        return -1;
    }
};

struct JudgeStencils {
    size_type most;
    size_type most_entries;
    std::int64_t* found;

    LINDEN_HOST_DEVICE size_type size() const { return 1; }
    LINDEN_HOST_DEVICE void operator()(size_type) const
    {
        const bool has_room = found[stencils_found] <= most && found[entries_found] <= most_entries;
        found[stencils_are_valid] = has_room && found[rows_without_stencil] == 0 ? 1 : 0;
    }
};

template <class I>
struct CountStencilRows {
    size_type num_rows;
    const std::uint16_t* stencils;
    const I* ptrs;
    I* counts;

    LINDEN_HOST_DEVICE size_type size() const { return num_rows; }
    LINDEN_HOST_DEVICE void operator()(size_type row) const
    {
        counts[row] = ptrs[stencils[row] + 1] - ptrs[stencils[row]];
    }
};

template <class V, class I>
struct ExpandStencils {
    StencilView<V, I> a;
    const I* row_ptrs;
    I* col_idxs;
    V* values;

    LINDEN_HOST_DEVICE size_type size() const { return a.rows; }
    LINDEN_HOST_DEVICE size_type num_entries() const { return a.num_nonzeros; }
    template <class Lanes>
    LINDEN_HOST_DEVICE void operator()(Lanes, size_type row) const
    {
        const I first = a.ptrs[a.stencils[row]];
        const size_type begin = row_ptrs[row];
        for (size_type k = Lanes::lane(); k < row_ptrs[row + 1] - begin; k += Lanes::size) {
            col_idxs[begin + k] = static_cast<I>(row + a.offsets[first + k]);
            values[begin + k] = a.values[first + k];
        }
    }
};

template <class F>
void for_each_portable_stencil(const F& f)
{
    for_each_value_index([&]<class V, class I>() {
        f(stencil_enter<V, I>, BodyOf<EnterStencils<V, I>>());
        f(stencil_mark<V, I>, BodyOf<MarkLeaders<V, I>>());
        f(stencil_take<V, I>, BodyOf<TakeStencils<V, I>>());
        f(stencil_assign<V, I>, BodyOf<AssignStencils<V, I>>());
        f(stencil_expand<V, I>, BodyOf<ExpandStencils<V, I>>());
    });
    f(stencil_judge, BodyOf<JudgeStencils>());
    for_each_index([&]<class I>() { f(stencil_count_rows<I>, BodyOf<CountStencilRows<I>>()); });
}

}  // namespace linden
