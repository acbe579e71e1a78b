#pragma once

#include "core/base/math.hpp"
#include "core/kernels/aggregation.hpp"
#include "core/portable/lanes.hpp"
#include "core/portable/search.hpp"

/// A body of aggregation: rows that independent sets have left over join an aggregate.
namespace linden {

/// The root whose entries have the largest sum, of several that are about as large the least, in the order in which
/// they are compared.
template <class R, class I>
struct BestRoot {
    I root = -1;
    R most{};

    LINDEN_HOST_DEVICE void compare(I other, R sum)
    {
        if (other < 0 || other == root) {
            return;
        }
        const R tolerance = static_cast<R>(1e-3) * most;
        if (root < 0 || sum > most + tolerance || (sum >= most - tolerance && other < root)) {
            root = other;
            most = sum;
        }
    }
};

/// Lanes find the sums of different entries' roots, and compare them in the order of the row.
template <class V, class I>
struct JoinRest {
    static constexpr bool is_often_idle = true;

    CsrView<V, I> a;
    PatternView<I> graph;
    const I* before;
    I* after;

    LINDEN_HOST_DEVICE size_type size() const { return a.rows; }
    LINDEN_HOST_DEVICE size_type num_entries() const { return graph.num_nonzeros; }
    LINDEN_HOST_DEVICE size_type length(size_type row) const { return before[row] >= 0 ? -1 : row_length(graph, row); }
    template <class Lanes>
    LINDEN_HOST_DEVICE void operator()(Lanes, size_type row) const
    {
        constexpr size_type most_entries = 256;
        const size_type begin = graph.row_ptrs[row];
        const size_type end = graph.row_ptrs[row + 1];
        if constexpr (Lanes::size == 1) {
            if (end - begin <= ShortRow::most_entries) {
                after[row] = ShortRow(*this, row).best();
                return;
            }
        }
        const size_type last = end - begin < most_entries ? end : begin + most_entries;
        if constexpr (Lanes::size == 1) {
            const FewRoots roots(*this, row, begin, last);
            if (roots.are_all()) {
                after[row] = roots.best(*this, begin, last);
                return;
            }
        }
        BestRoot<real_t<V>, I> best;
        for (size_type first = begin; first < last; first += Lanes::size) {
            const size_type k = first + Lanes::lane();
            const I own = k < last ? before[graph.col_idxs[k]] : I{-1};
            const bool is_wanted = own >= 0 && (Lanes::size > 1 || own != best.root);
            const real_t<V> own_sum = is_wanted ? sum_for(row, own, begin, last) : real_t<V>{};
            for (int lane = 0; lane < Lanes::size; ++lane) {
                best.compare(Lanes::of_lane(own, lane), Lanes::of_lane(own_sum, lane));
            }
        }
        if (Lanes::lane() == 0) {
            after[row] = best.root;
        }
    }

private:
    /// A row of few strong entries, each of which is looked at once.
    class ShortRow {
    public:
        static constexpr int most_entries = 8;

        LINDEN_HOST_DEVICE ShortRow(const JoinRest& rest, size_type row)
        {
            const auto& matrix = rest.a;
            const auto& strong = rest.graph;
            const size_type begin = strong.row_ptrs[row];
            const size_type length = strong.row_ptrs[row + 1] - begin;
            for (int k = 0; k < most_entries; ++k) {
                owns_[k] = k < length ? rest.before[strong.col_idxs[begin + k]] : I{-1};
            }
            size_type at = matrix.row_ptrs[row];
            for (int k = 0; k < most_entries; ++k) {
                sizes_[k] = real_t<V>{};
                if (owns_[k] >= 0) {
                    at = first_from(matrix.col_idxs, at, matrix.row_ptrs[row + 1], strong.col_idxs[begin + k]);
                    sizes_[k] = magnitude(matrix.values[at]);
                }
            }
        }

        LINDEN_HOST_DEVICE I best() const
        {
            BestRoot<real_t<V>, I> found;
            for (int k = 0; k < most_entries; ++k) {
                real_t<V> sum{};
                for (int m = 0; m < most_entries; ++m) {
                    sum += owns_[m] == owns_[k] ? sizes_[m] : real_t<V>{};
                }
                found.compare(owns_[k], sum);
            }
            return found.root;
        }

    private:
        I owns_[most_entries];
        real_t<V> sizes_[most_entries];
    };

    /// A row of any length near few roots, whose sums are formed together.
    class FewRoots {
    public:
        LINDEN_HOST_DEVICE FewRoots(const JoinRest& rest, size_type row, size_type begin, size_type end)
        {
            const size_type row_end = rest.a.row_ptrs[row + 1];
            size_type at = rest.a.row_ptrs[row];
            for (size_type k = begin; k < end && are_all_; ++k) {
                const I col = rest.graph.col_idxs[k];
                const I root = rest.before[col];
                if (root >= 0) {
                    at = first_from(rest.a.col_idxs, at, row_end, col);
                    add(root, magnitude(rest.a.values[at]));
                }
            }
        }
        LINDEN_HOST_DEVICE bool are_all() const { return are_all_; }
        LINDEN_HOST_DEVICE I best(const JoinRest& rest, size_type begin, size_type end) const
        {
            BestRoot<real_t<V>, I> found;
            for (size_type k = begin; k < end; ++k) {
                const I root = rest.before[rest.graph.col_idxs[k]];
                real_t<V> sum{};
                for (int m = 0; m < most_roots; ++m) {
                    sum = roots_[m] == root ? sums_[m] : sum;
                }
                found.compare(root, sum);
            }
            return found.root;
        }

    private:
        static constexpr int most_roots = 8;

        LINDEN_HOST_DEVICE void add(I root, real_t<V> size)
        {
            bool is_added = false;
            for (int m = 0; m < most_roots; ++m) {
                const bool is_here = !is_added && (roots_[m] == root || roots_[m] < 0);
                roots_[m] = is_here ? root : roots_[m];
                sums_[m] += is_here ? size : real_t<V>{};
                is_added = is_added || is_here;
            }
            are_all_ = is_added;
        }

        I roots_[most_roots] = {-1, -1, -1, -1, -1, -1, -1, -1};
        real_t<V> sums_[most_roots] = {};
        bool are_all_ = true;
    };

    LINDEN_HOST_DEVICE real_t<V> sum_for(size_type row, I root, size_type begin, size_type end) const
    {
        real_t<V> sum{};
        size_type at = a.row_ptrs[row];
        for (size_type k = begin; k < end; ++k) {
            const I col = graph.col_idxs[k];
            if (before[col] == root) {
                at = first_from(a.col_idxs, at, a.row_ptrs[row + 1], col);
                sum += magnitude(a.values[at]);
            }
        }
        return sum;
    }
};

}  // namespace linden
