#pragma once

#include "core/base/math.hpp"
#include "core/kernels/colouring.hpp"
#include "core/kernels/multi_elimination.hpp"
#include "core/portable/lanes.hpp"

/// Bodies of multi-elimination: the choice of the pivots of a level, and the numbers of its rows and columns.
namespace linden {

template <class V, class I>
struct MeasureStrengths {
    CsrView<V, I> a;
    double delta;
    real_t<V>* strengths;
    std::uint64_t* keys;

    LINDEN_HOST_DEVICE size_type size() const { return a.rows; }
    LINDEN_HOST_DEVICE size_type num_entries() const { return a.num_nonzeros; }
    LINDEN_HOST_DEVICE size_type length(size_type row) const { return row_length(a, row); }
    template <class Lanes>
    LINDEN_HOST_DEVICE void operator()(Lanes, size_type row) const
    {
        using R = real_t<V>;
        R others = 0, own = 0;
        for (size_type k = a.row_ptrs[row] + Lanes::lane(); k < a.row_ptrs[row + 1]; k += Lanes::size) {
            const R size_of_entry = magnitude(a.values[k]);
            if (a.col_idxs[k] == row) {
                own = size_of_entry;
            } else if (!(size_of_entry <= others) && others == others) {  // NaN stays
                others = size_of_entry;
            }
        }
        others = Lanes::max(others);
        own = Lanes::sum(own);
        if (Lanes::lane() == 0) {
            const bool can_be_pivot = own > 0 && is_finite(own) && own >= static_cast<R>(delta) * others;
            const R most = 10 * others;
            strengths[row] = !can_be_pivot ? R{-1} : own < most ? own : most;
            keys[row] = key_of(row);
        }
    }

private:
    LINDEN_HOST_DEVICE std::uint64_t key_of(size_type row) const
    {
        constexpr int rank_bits = 52;
        constexpr std::uint64_t most = (std::uint64_t{1} << (64 - rank_bits)) - 1;
        const auto count = static_cast<std::uint64_t>(a.row_ptrs[row + 1] - a.row_ptrs[row]);
        const auto rank = static_cast<std::uint64_t>(ScatteredOrder{a.rows}.rank(row));
        return (count < most ? count : most) << rank_bits | rank;
    }
};

template <class V, class I>
struct DecideMembers {
    CsrView<V, I> a;
    NeighbourRule<real_t<V>> rule;
    const I* before;
    I* after;

    LINDEN_HOST_DEVICE size_type size() const { return a.rows; }
    LINDEN_HOST_DEVICE size_type num_entries() const { return a.num_nonzeros; }
    LINDEN_HOST_DEVICE size_type length(size_type row) const
    {
        return decision_before(row) != 0 ? 0 : row_length(a, row);
    }
    template <class Lanes>
    LINDEN_HOST_DEVICE void operator()(Lanes lanes, size_type row) const
    {
        const I old = decision_before(row);
        const I decided = old != 0 ? old : decision(lanes, row);
        if (Lanes::lane() == 0) {
            after[row] = decided;
        }
    }

private:
    LINDEN_HOST_DEVICE I decision_before(size_type row) const
    {
        return before != nullptr ? before[row] : rule.strengths[row] < 0 ? I{2} : I{0};
    }
    template <class Lanes>
    LINDEN_HOST_DEVICE I decision(Lanes, size_type row) const
    {
        using R = real_t<V>;
        const R own = rule.strengths[row];
        const std::uint64_t key = rule.keys[row];
        bool waits = false, sees_member = false;
        for (size_type k = a.row_ptrs[row] + Lanes::lane(); k < a.row_ptrs[row + 1]; k += Lanes::size) {
            const I col = a.col_idxs[k];
            const I its = decision_before(col);
            if (col == row || its == 2 || (its == 0 && rule.keys[col] > key)) {
                continue;
            }
            const R other = rule.strengths[col];
            if (!(magnitude(a.values[k]) < static_cast<R>(rule.theta) * (own < other ? own : other))) {
                sees_member = sees_member || its == 1;
                waits = true;
            }
        }
        return Lanes::any(sees_member) ? 2 : Lanes::any(waits) ? 0 : 1;
    }
};

template <class I>
struct TakeMembers {
    size_type n;
    const I* classes;
    I members;
    I* pivots;

    LINDEN_HOST_DEVICE size_type size() const { return n; }
    LINDEN_HOST_DEVICE void operator()(size_type row) const
    {
        pivots[row] = classes[row] == members ? static_cast<I>(row) : I{-1};
    }
};

template <class I>
struct MarkPivots {
    size_type n;
    const I* pivots;
    I* is_row;
    I* is_column;

    LINDEN_HOST_DEVICE size_type size() const { return n; }
    LINDEN_HOST_DEVICE void operator()(size_type row) const
    {
        const I col = pivots[row];
        is_row[row] = col >= 0 ? 1 : 0;
        if (col >= 0 && is_column != nullptr) {
            is_column[col] = 1;
        }
    }
};

/// Item i numbers row i and, if it is kept, column i; a pivot's row numbers its column.
template <class I>
struct NumberPivots {
    size_type n;
    const I* pivots;
    const I* rows_before;
    const I* columns_before;
    EliminationNumbers<I> numbers;

    LINDEN_HOST_DEVICE size_type size() const { return n; }
    LINDEN_HOST_DEVICE void operator()(size_type i) const
    {
        const I before = rows_before[i];
        const I own = static_cast<I>(i);
        if (pivots[i] >= 0) {
            numbers.rows[i] = static_cast<I>(-1 - before);
            numbers.columns[pivots[i]] = static_cast<I>(-1 - before);
            numbers.pivot_rows[before] = own;
        } else {
            numbers.rows[i] = own - before;
            numbers.kept_rows[own - before] = own;
        }
        const I columns = columns_before[i];
        if (columns_before[i + 1] == columns) {
            numbers.columns[i] = own - columns;
            numbers.kept_columns[own - columns] = own;
        }
    }
};

}  // namespace linden
