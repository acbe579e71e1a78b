#pragma once

#include "core/base/math.hpp"
#include "core/kernels/aggregation.hpp"
#include "core/kernels/classical.hpp"
#include "core/portable/chosen_entries.hpp"
#include "core/portable/lanes.hpp"
#include "core/portable/search.hpp"

/// Bodies of classical coarsening: strong dependence, and which rows are points.
namespace linden {

/// Tells what a row depends on strongly, and the diagonal. Made by all lanes of the row.
template <class V, class I, class Lanes>
struct DependenceOfRow {
    const CsrView<V, I>& a;
    size_type row;
    V diagonal{};
    real_t<V> limit{};
    bool is_dominant = false;

    LINDEN_HOST_DEVICE DependenceOfRow(const CsrView<V, I>& matrix, double threshold, size_type i) : a(matrix), row(i)
    {
        const size_type at = find_entry<I>(a, i, i);
        diagonal = at < 0 ? V{} : conj(a.values[at]);
        V sum{};
        for (size_type k = a.row_ptrs[row] + Lanes::lane(); k < a.row_ptrs[row + 1]; k += Lanes::size) {
            sum += a.values[k];
            limit = has_other_sign(k) && magnitude(a.values[k]) > limit ? magnitude(a.values[k]) : limit;
        }
        limit = static_cast<real_t<V>>(0.9999 * threshold) * Lanes::max(limit);
        is_dominant = magnitude(Lanes::sum(sum)) > real_t<V>(0.9) * magnitude(diagonal);
    }
    LINDEN_HOST_DEVICE bool operator()(size_type k) const
    {
        const bool is_strong = has_other_sign(k) && magnitude(a.values[k]) >= limit && !is_dominant;
        return a.col_idxs[k] == row || is_strong;
    }

private:
    LINDEN_HOST_DEVICE bool has_other_sign(size_type k) const
    {
        return a.col_idxs[k] != row && real(a.values[k] * diagonal) < 0;
    }
};

template <class V, class I>
using CountDependence = CountChosen<V, I, DependenceOfRow, double>;
template <class V, class I>
using TakeDependence = TakeChosen<V, I, DependenceOfRow, double>;

template <class I>
struct BeginPoints {
    PatternView<I> dependents;
    std::uint64_t* states;

    LINDEN_HOST_DEVICE size_type size() const { return dependents.rows; }
    LINDEN_HOST_DEVICE void operator()(size_type row) const
    {
        constexpr int last_class = IndependentState::most_classes - 1;
        const size_type count = row_length(dependents, row) - 1;
        const int priority_class = count < last_class ? last_class - static_cast<int>(count) : 0;
        states[row] =
            count > 0 ? IndependentState::key(row, 0, priority_class) : std::uint64_t{IndependentState::excluded};
    }
};

template <class I>
struct DecidePoints {
    PatternView<I> strong, dependents;
    const std::uint64_t* before;
    std::uint64_t* after;

    LINDEN_HOST_DEVICE size_type size() const { return strong.rows; }
    LINDEN_HOST_DEVICE size_type num_entries() const { return strong.num_nonzeros; }
    LINDEN_HOST_DEVICE size_type length(size_type row) const { return row_length(strong, row); }
    template <class Lanes>
    LINDEN_HOST_DEVICE void operator()(Lanes, size_type row) const
    {
        const std::uint64_t key = before[row];
        const bool is_decided = key == IndependentState::member || key == IndependentState::excluded;
        bool is_excluded = false, is_beaten = false;
        if (!is_decided) {
            for (size_type k = strong.row_ptrs[row] + Lanes::lane(); k < strong.row_ptrs[row + 1]; k += Lanes::size) {
                const std::uint64_t other = before[strong.col_idxs[k]];
                is_excluded = is_excluded || other == IndependentState::member;
                is_beaten = is_beaten || other < key;
            }
            for (size_type k = dependents.row_ptrs[row] + Lanes::lane(); k < dependents.row_ptrs[row + 1];
                 k += Lanes::size) {
                const std::uint64_t other = before[dependents.col_idxs[k]];
                is_beaten = is_beaten || (other < key && other != IndependentState::member);
            }
        }
        is_excluded = Lanes::any(is_excluded);
        is_beaten = Lanes::any(is_beaten);
        if (Lanes::lane() == 0) {
            after[row] = is_decided    ? key
                         : is_excluded ? std::uint64_t{IndependentState::excluded}
                         : is_beaten   ? key
                                       : std::uint64_t{IndependentState::member};
        }
    }
};

template <class I>
struct MarkUndecidedPoints {
    size_type n;
    const std::uint64_t* states;
    I* marks;

    LINDEN_HOST_DEVICE size_type size() const { return n; }
    LINDEN_HOST_DEVICE void operator()(size_type i) const
    {
        marks[i] = states[i] != IndependentState::member && states[i] != IndependentState::excluded ? 1 : 0;
    }
};

template <class I>
struct MarkPoints {
    size_type n;
    const std::uint64_t* states;
    I* marks;

    LINDEN_HOST_DEVICE size_type size() const { return n; }
    LINDEN_HOST_DEVICE void operator()(size_type i) const { marks[i] = states[i] == IndependentState::member ? 1 : 0; }
};

}  // namespace linden
