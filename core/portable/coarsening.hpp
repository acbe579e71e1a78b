#pragma once

#include <cmath>

#include "core/base/math.hpp"
#include "core/kernels/coarsening.hpp"
#include "core/portable/body.hpp"
#include "core/portable/lanes.hpp"
#include "core/portable/search.hpp"

namespace linden {

template <class V, class I>
struct BlockNorms {
    CsrView<V, I> a;
    size_type block_rows;
    PatternView<I> nodes;
    V* values;

    LINDEN_HOST_DEVICE size_type size() const { return nodes.num_nonzeros; }
    LINDEN_HOST_DEVICE void operator()(size_type block) const
    {
        using std::sqrt;
        const size_type node = row_of(nodes.row_ptrs, nodes.rows, block);
        const size_type first = nodes.col_idxs[block] * block_rows;
        const size_type end = (node + 1) * block_rows < a.rows ? (node + 1) * block_rows : a.rows;
        real_t<V> sum{};
        for (size_type row = node * block_rows; row < end; ++row) {
            const size_type last = a.row_ptrs[row + 1];
            for (size_type k = first_from(a.col_idxs, a.row_ptrs[row], last, first);
                 k < last && a.col_idxs[k] < first + block_rows; ++k) {
                const real_t<V> size_of_entry = magnitude(a.values[k]);
                sum += size_of_entry * size_of_entry;
            }
        }
        const real_t<V> norm = sqrt(sum);
        values[block] = V{nodes.col_idxs[block] == node ? norm : -norm};
    }
};

template <class V, class I>
struct DiagonalSizes {
    CsrView<V, I> a;
    real_t<V>* sizes;

    LINDEN_HOST_DEVICE size_type size() const { return a.rows; }
    LINDEN_HOST_DEVICE void operator()(size_type row) const
    {
        const size_type at = find_entry<I>(a, row, row);
        sizes[row] = at < 0 ? real_t<V>{} : magnitude(a.values[at]);
    }
};

template <class I>
struct MarkAggregated {
    size_type n;
    const I* aggregates;
    I* marks;

    LINDEN_HOST_DEVICE size_type size() const { return n; }
    LINDEN_HOST_DEVICE void operator()(size_type i) const { marks[i] = aggregates[i] >= 0 ? 1 : 0; }
};

template <class I>
struct TakeAggregates {
    size_type n;
    const I* aggregates;
    const I* row_ptrs;
    I* col_idxs;

    LINDEN_HOST_DEVICE size_type size() const { return n; }
    LINDEN_HOST_DEVICE void operator()(size_type i) const
    {
        if (aggregates[i] >= 0) {
            col_idxs[row_ptrs[i]] = aggregates[i];
        }
    }
};

template <class I>
struct ExpandNodes {
    PatternView<I> aggregates;
    NodeShape shape;
    I* row_ptrs;
    I* col_idxs;

    LINDEN_HOST_DEVICE size_type size() const { return aggregates.rows * shape.block_rows + 1; }
    LINDEN_HOST_DEVICE void operator()(size_type row) const
    {
        const size_type node = row / shape.block_rows;
        if (node == aggregates.rows) {
            row_ptrs[row] = static_cast<I>(aggregates.num_nonzeros * shape.block_rows * shape.vectors);
            return;
        }
        const size_type entry = aggregates.row_ptrs[node];
        const bool has_aggregate = aggregates.row_ptrs[node + 1] > entry;
        const size_type before = has_aggregate ? row % shape.block_rows : 0;
        const size_type begin = (entry * shape.block_rows + before) * shape.vectors;
        row_ptrs[row] = static_cast<I>(begin);
        for (size_type c = 0; has_aggregate && c < shape.vectors; ++c) {
            col_idxs[begin + c] = static_cast<I>(aggregates.col_idxs[entry] * shape.vectors + c);
        }
    }
};

/// An aggregate each; lanes share its rows, of which each keeps its own to itself.
template <class V, class I>
struct OrthonormalizeAggregates {
    PatternView<I> members;
    NodeShape shape;
    DenseView<const V> b;
    const I* row_ptrs;
    V* values;
    DenseView<V> coarse;

    LINDEN_HOST_DEVICE size_type size() const { return members.rows; }
    LINDEN_HOST_DEVICE size_type num_entries() const { return members.num_nonzeros * shape.block_rows; }
    template <class Lanes>
    LINDEN_HOST_DEVICE void operator()(Lanes lanes, size_type aggregate) const
    {
        for (size_type c = 0; c < shape.vectors; ++c) {
            for_rows(lanes, aggregate, [&](size_type row, V* q) { q[c] = b(row, c); });
            const real_t<V> length = norm_of(lanes, aggregate, c);
            for (size_type d = 0; d < shape.vectors; ++d) {
                write(lanes, aggregate, d, c, V{});
            }
            for (int pass = 0; pass < 2; ++pass) {
                for (size_type d = 0; d < c; ++d) {
                    subtract_part(lanes, aggregate, d, c);
                }
            }
            const real_t<V> rest = norm_of(lanes, aggregate, c);
            const bool is_new = rest > smallest_part() * length;
            const real_t<V> factor = is_new ? real_t<V>{1} / rest : real_t<V>{};
            for_rows(lanes, aggregate, [&](size_type, V* q) { q[c] = is_new ? factor * q[c] : V{}; });
            write(lanes, aggregate, c, c, V{is_new ? rest : real_t<V>{}});
        }
    }

private:
    /// What remains of a dependent vector is rounding.
    LINDEN_HOST_DEVICE static real_t<V> smallest_part()
    {
        return sizeof(real_t<V>) > 4 ? static_cast<real_t<V>>(3.7e-10) : static_cast<real_t<V>>(2.4e-4);
    }
    /// use(row, its values of T) for the lane's rows of the aggregate.
    template <class Lanes, class Use>
    LINDEN_HOST_DEVICE void for_rows(Lanes, size_type aggregate, const Use& use) const
    {
        const size_type first = members.row_ptrs[aggregate];
        const size_type count = (members.row_ptrs[aggregate + 1] - first) * shape.block_rows;
        for (size_type i = Lanes::lane(); i < count; i += Lanes::size) {
            const size_type row =
                members.col_idxs[first + i / shape.block_rows] * shape.block_rows + i % shape.block_rows;
            use(row, values + row_ptrs[row]);
        }
    }
    template <class Lanes>
    LINDEN_HOST_DEVICE real_t<V> norm_of(Lanes lanes, size_type aggregate, size_type c) const
    {
        using std::sqrt;
        real_t<V> sum{};
        for_rows(lanes, aggregate, [&](size_type, const V* q) {
            const real_t<V> size_of_entry = magnitude(q[c]);
            sum += size_of_entry * size_of_entry;
        });
        return sqrt(Lanes::sum(sum));
    }
    /// q_c := q_c - q_d (q_d^H q_c)
    template <class Lanes>
    LINDEN_HOST_DEVICE void subtract_part(Lanes lanes, size_type aggregate, size_type d, size_type c) const
    {
        V part{};
        for_rows(lanes, aggregate, [&](size_type, const V* q) { part += conj(q[d]) * q[c]; });
        part = Lanes::sum(part);
        for_rows(lanes, aggregate, [&](size_type, V* q) { q[c] -= part * q[d]; });
        if (Lanes::lane() == 0) {
            coarse(aggregate * shape.vectors + d, c) += part;
        }
    }
    template <class Lanes>
    LINDEN_HOST_DEVICE void write(Lanes, size_type aggregate, size_type d, size_type c, V value) const
    {
        if (Lanes::lane() == 0) {
            coarse(aggregate * shape.vectors + d, c) = value;
        }
    }
};

template <class F>
void for_each_portable_coarsening(const F& f)
{
    for_each_value_index([&]<class V, class I>() {
        f(coarsening_block_norms<V, I>, BodyOf<BlockNorms<V, I>>());
        f(coarsening_diagonal_sizes<V, I>, BodyOf<DiagonalSizes<V, I>>());
        f(coarsening_orthonormalize<V, I>, BodyOf<OrthonormalizeAggregates<V, I>>());
    });
    for_each_index([&]<class I>() {
        f(coarsening_mark_members<I>, BodyOf<MarkAggregated<I>>());
        f(coarsening_take_members<I>, BodyOf<TakeAggregates<I>>());
        f(coarsening_expand<I>, BodyOf<ExpandNodes<I>>());
    });
}

}  // namespace linden
