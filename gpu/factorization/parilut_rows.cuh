#pragma once

#include "core/portable/parilut.hpp"
#include "gpu/device/bisection.cuh"
#include "gpu/vector/row_groups.cuh"

/// Rows of W = A - (L U without its diagonal) on devices: a subgroup merges the row of A and the rows of U that the
/// row of L multiplies, column after column, and stores nothing of what it does not keep.
namespace linden::LINDEN_GPU_NAMESPACE::parilut {

/// So many rows of U each lane merges from registers; where there are more, the others are searched for each column.
inline constexpr int rows_per_lane = 4;

template <class I>
inline constexpr I no_column = std::numeric_limits<I>::max();

struct Least {
    template <class I>
    __device__ constexpr I operator()(I a, I b) const
    {
        return a < b ? a : b;
    }
};

template <class Group, class V, class I>
class RowOfW {
public:
    __device__ RowOfW(const CsrView<V, I>& a, const FixedPointView<V, I>& f, size_type row)
        : a_(a),
          f_(f),
          row_(static_cast<I>(row)),
          begin_(f.s.row_ptrs[row]),
          end_(f.diagonal[row]),
          a_at_(a.row_ptrs[row]),
          a_end_(a.row_ptrs[row + 1])
    {
        LINDEN_UNROLL
        for (int i = 0; i < rows_per_lane; ++i) {
            const I l = entry(i);
            at_[i] = l < end_ ? f_.diagonal[f_.s.col_idxs[l]] : I{};
            advance(i);
        }
    }

    /// Calls use(col, value) for each entry of the row, by columns, in all lanes.
    template <class Use>
    __device__ void for_each_entry(Use use)
    {
        I last = -1;
        while ((last = next_column(last)) != no_column<I>) {
            use(last, take(last));
        }
    }

private:
    /// The entry of L's row that this lane's i-th row of U belongs to.
    __device__ I entry(int i) const { return begin_ + static_cast<I>(i * Group::size + Group::lane()); }
    __device__ I first_searched() const { return begin_ + static_cast<I>(rows_per_lane * Group::size); }
    __device__ void advance(int i)
    {
        const I l = entry(i);
        ++at_[i];
        cols_[i] = l < end_ && at_[i] < f_.s.row_ptrs[f_.s.col_idxs[l] + 1] ? f_.s.col_idxs[at_[i]] : no_column<I>;
    }
    /// The place in row k of U of its first column that is not less than `col`.
    __device__ I place_in(I k, I col) const
    {
        return lower_bound(f_.s.col_idxs, f_.diagonal[k] + 1, f_.s.row_ptrs[k + 1], col);
    }

    __device__ I next_column(I last) const
    {
        I least = cols_[0];
        LINDEN_UNROLL
        for (int i = 1; i < rows_per_lane; ++i) {
            least = Least()(least, cols_[i]);
        }
        for (I base = first_searched(); base < end_; base += Group::size) {
            if (const I l = base + static_cast<I>(Group::lane()); l < end_) {
                const I k = f_.s.col_idxs[l];
                const I at = place_in(k, last + 1);
                least = at < f_.s.row_ptrs[k + 1] ? Least()(least, f_.s.col_idxs[at]) : least;
            }
        }
        least = Group::reduce(least, Least());
        least = last < row_ ? Least()(least, row_) : least;
        return a_at_ < a_end_ ? Least()(least, a_.col_idxs[a_at_]) : least;
    }

    /// The value in that column, which all rows leave.
    __device__ V take(I col)
    {
        V value{};
        if (a_at_ < a_end_ && a_.col_idxs[a_at_] == col) {
            value = a_.values[a_at_++];
        }
        LINDEN_UNROLL
        for (int i = 0; i < rows_per_lane; ++i) {
            const bool has_product = cols_[i] == col;
            subtract(value, has_product, entry(i), at_[i]);
            if (has_product) {
                advance(i);
            }
        }
        for (I base = first_searched(); base < end_; base += Group::size) {
            const I l = base + static_cast<I>(Group::lane());
            I at{};
            bool has_product = false;
            if (l < end_) {
                const I k = f_.s.col_idxs[l];
                at = place_in(k, col);
                has_product = at < f_.s.row_ptrs[k + 1] && f_.s.col_idxs[at] == col;
            }
            subtract(value, has_product, l, at);
        }
        return value;
    }

    /// Subtracts the products s_ik s_kj / s_kk of the lanes that have one, lane after lane.
    __device__ void subtract(V& value, bool has_product, I l, I u) const
    {
        LaneMask lanes = Group::ballot(has_product);
        if (lanes == 0) {
            return;
        }
        const V product =
            has_product ? triple_product(f_.s.values[l], f_.s.values[u], f_.inverses[f_.s.col_idxs[l]]) : V{};
        for (; lanes != 0; lanes &= lanes - 1) {
            const int lane = popcount((lanes & (~lanes + 1)) - 1);
            value = value - Group::shuffle(product, lane);
        }
    }

    const CsrView<V, I>& a_;
    const FixedPointView<V, I>& f_;
    I row_, begin_, end_, a_at_, a_end_;
    I at_[rows_per_lane];    ///< where this lane's rows of U stand
    I cols_[rows_per_lane];  ///< the columns there
};

}  // namespace linden::LINDEN_GPU_NAMESPACE::parilut
