#pragma once

#include <linden/matrix/sell.hpp>

#include <algorithm>
#include <numeric>
#include <vector>

#include "benchmark/support/suite.hpp"
#include "core/kernels/sweep.hpp"

namespace linden::benchmarks {

/// A matrix with ones on its diagonal whose rows stand red before black: those of points with an even x + y + z first.
template <class V, class I>
class RedBlack {
public:
    /// A grid of `edge` points in each direction.
    RedBlack(const Csr<V, I>& a, size_type edge) : order_(a.executor()), scale_(a.executor(), a.size().rows)
    {
        const auto host = a.to_host();
        const size_type n = a.size().rows;
        const auto is_black = [edge](I i) { return (i % edge + i / edge % edge + i / edge / edge) % 2 != 0; };
        std::vector<I> order(static_cast<std::size_t>(n)), position(order.size());
        std::iota(order.begin(), order.end(), 0);
        const auto black = std::stable_partition(order.begin(), order.end(), [&](I i) { return !is_black(i); });
        num_red_ = black - order.begin();
        for (size_type p = 0; p < n; ++p) {
            position[order[p]] = static_cast<I>(p);
        }
        order_ = Array<I>(a.executor(), order);
        scale_ = Array<V>(a.executor(), std::vector<V>(order.size(), V{0.25}));
        for (const bool lower : {true, false}) {
            CsrData<V, I> rows{{lower ? n - num_red_ : num_red_, n}, {0}, {}, {}};
            for (size_type p = lower ? num_red_ : 0; p < (lower ? n : num_red_); ++p) {
                for (I k = host.row_ptrs[order[p]]; k < host.row_ptrs[order[p] + 1]; ++k) {
                    if (host.col_idxs[k] != order[p]) {
                        rows.col_idxs.push_back(position[host.col_idxs[k]]);
                        rows.values.push_back(V{0.25} * host.values[k]);
                    }
                }
                rows.row_ptrs.push_back(static_cast<I>(rows.col_idxs.size()));
            }
            triangles_.push_back(Sell<V, I>::from_csr(Csr<V, I>(a.executor(), rows)));
        }
    }

    ColourView<V, I> lower(bool black) const { return colour(black, black, 0); }
    ColourView<V, I> upper(bool black) const { return colour(black, !black, 1); }
    size_type size() const { return order_.size(); }
    const V* scale() const { return scale_.data(); }
    const I* order() const { return order_.data(); }
    size_type num_nonzeros() const { return triangles_[0].num_nonzeros() + triangles_[1].num_nonzeros(); }

private:
    ColourView<V, I> colour(bool black, bool has_entries, std::size_t triangle) const
    {
        const size_type n = order_.size();
        const size_type rows = black ? n - num_red_ : num_red_;
        SellView<V, I> entries{{rows, n}};
        return {has_entries ? triangles_[triangle].view() : entries, black ? num_red_ : 0};
    }

    size_type num_red_ = 0;
    Array<I> order_;
    Array<V> scale_;
    std::vector<Sell<V, I>> triangles_;  ///< L of the black rows, U of the red ones
};

}  // namespace linden::benchmarks
