#pragma once

#include <algorithm>
#include <array>
#include <cmath>

#include "core/base/math.hpp"
#include "core/kernels/dense_inverse.hpp"
#include "core/portable/body.hpp"

/// Kernels on the values of inverses, and the exchange of rows that all backends share.
namespace linden {

template <class V, class W>
struct DenseInverseWiden {
    size_type num_rows;
    const V* a;
    const std::int32_t* order;
    W* values;

    LINDEN_HOST_DEVICE size_type size() const { return num_rows * num_rows; }
    LINDEN_HOST_DEVICE void operator()(size_type i) const
    {
        values[i] = static_cast<W>(a[order[i / num_rows] * num_rows + i % num_rows]);
    }
};

/// A column each.
template <class V, class R>
struct DenseInverseScales {
    size_type num_rows;
    const V* a;
    R* scales;

    LINDEN_HOST_DEVICE size_type size() const { return num_rows; }
    LINDEN_HOST_DEVICE size_type num_entries() const { return num_rows * num_rows; }
    template <class Lanes>
    LINDEN_HOST_DEVICE void operator()(Lanes, size_type j) const
    {
        R largest{};
        for (size_type i = Lanes::lane(); i < num_rows; i += Lanes::size) {
            const R size_ij = magnitude(a[i * num_rows + j]);
            largest = size_ij > largest && is_finite(size_ij) ? size_ij : largest;
        }
        largest = Lanes::max(largest);
        if (Lanes::lane() == 0) {
            scales[j] = largest;
        }
    }
};

template <class W, class S>
struct DenseInverseRound {
    PivotedInverse<W> inverse;
    size_type stride;
    S* stored;

    LINDEN_HOST_DEVICE size_type size() const { return inverse.size * inverse.size; }
    LINDEN_HOST_DEVICE void operator()(size_type k) const
    {
        const size_type i = k / inverse.size, j = k % inverse.size;
        const size_type p = inverse.positions[j];
        const bool is_known = inverse.is_kept[i] != 0 && inverse.is_kept[p] != 0;
        stored[i * stride + j] = is_known ? static_cast<S>(inverse.values[i * inverse.size + p]) : S{};
    }
};

/// The rows that come to the places of a block, `pivots`, and where its own rows go. All are counted from `first`.
struct RowExchange {
    const std::int32_t* pivots;
    int rows;  ///< of the block

    LINDEN_HOST_DEVICE bool is_pivot(std::int32_t row) const
    {
        for (int c = 0; c < rows; ++c) {
            if (pivots[c] == row) {
                return true;
            }
        }
        return false;
    }
    /// The place from beyond the block that row t of it goes to, or -1 if it is a pivot.
    LINDEN_HOST_DEVICE std::int32_t target(int t) const
    {
        if (is_pivot(t)) {
            return -1;
        }
        int before = 0;
        for (int i = 0; i < t; ++i) {
            before += is_pivot(i) ? 0 : 1;
        }
        int c = 0;
        for (; before > 0 || pivots[c] < rows; ++c) {
            before -= pivots[c] < rows ? 0 : 1;
        }
        return pivots[c];
    }
};

/// Gives the columns without pivot, which have -1, the first rows of the block that are no pivots.
LINDEN_HOST_DEVICE inline void fill_pivots(std::int32_t* pivots, int rows)
{
    const RowExchange exchange{pivots, rows};
    for (int c = 0; c < rows; ++c) {
        for (std::int32_t row = 0; pivots[c] < 0; ++row) {
            pivots[c] = exchange.is_pivot(row) ? -1 : row;
        }
    }
}

/// dense_inverse_pivot_rows on hosts.
template <class V>
struct PivotRowSearch {
    using W = wide_t<V>;
    static constexpr size_type block_rows = galerkin_block_rows;
    using Pivots = std::array<std::int32_t, block_rows>;

    PivotRowSearch(const GalerkinView<V>& matrix, size_type first_row)
        : e(matrix),
          first(first_row),
          rows(std::min(block_rows, e.size - first)),
          candidates(e.size - first)
    {
    }

    /// panel: the block's columns of rows first, ..., block_rows values each, which are eliminated. is_left: a mark for
    /// each row.
    Pivots find(W* panel, std::int32_t* is_left) const
    {
        for (size_type i = 0; i < candidates; ++i) {
            std::copy_n(e.values + (first + i) * e.size + first, rows, panel + i * block_rows);
        }
        std::fill_n(is_left, candidates, 1);
        Pivots pivots;
        for (size_type c = 0; c < rows; ++c) {
            const auto p = best(panel, is_left, c);
            pivots[static_cast<std::size_t>(c)] = static_cast<std::int32_t>(p);
            e.is_kept[first + c] = p >= 0 ? 1 : 0;
            if (p >= 0) {
                is_left[p] = 0;
                eliminate(panel, is_left, c, p);
            }
        }
        fill_pivots(pivots.data(), static_cast<int>(rows));
        return pivots;
    }

    /// block: memory for its rows.
    void exchange(const Pivots& pivots, std::int32_t* order, W* block) const
    {
        const size_type n = e.size;
        const RowExchange to{pivots.data(), static_cast<int>(rows)};
        W* const from = e.values + first * n;
        std::copy_n(from, rows * n, block);
        Pivots block_order;
        std::copy_n(order + first, rows, block_order.begin());
        for (size_type c = 0; c < rows; ++c) {
            const size_type p = pivots[static_cast<std::size_t>(c)];
            std::copy_n(p < rows ? block + p * n : from + p * n, n, from + c * n);
            order[first + c] = p < rows ? block_order[static_cast<std::size_t>(p)] : order[first + p];
        }
        for (size_type t = 0; t < rows; ++t) {
            const auto p = to.target(static_cast<int>(t));
            if (p >= 0) {
                std::copy_n(block + t * n, n, from + p * n);
                order[first + p] = block_order[static_cast<std::size_t>(t)];
            }
        }
    }

    GalerkinView<V> e;
    size_type first, rows;  ///< of the block
    size_type candidates;   ///< rows first, ...

private:
    /// The row with the pivot of column c, or -1.
    size_type best(const W* panel, const std::int32_t* is_left, size_type c) const
    {
        size_type found = -1;
        double largest = e.tolerance * static_cast<double>(e.scales[first + c]);
        for (size_type i = 0; i < candidates; ++i) {
            const double size = magnitude(panel[i * block_rows + c]);
            if (is_left[i] != 0 && std::isfinite(size) && size > largest) {
                found = i;
                largest = size;
            }
        }
        return found;
    }

    /// Eliminates column c of the rows that are left by row p.
    void eliminate(W* panel, const std::int32_t* is_left, size_type c, size_type p) const
    {
        const W* const pivot_row = panel + p * block_rows;
        const W inverse = W{1} / pivot_row[c];
        for (size_type i = 0; i < candidates; ++i) {
            W* const row = panel + i * block_rows;
            if (is_left[i] != 0 && row[c] != W{}) {
                const W factor = multiply(row[c], inverse);
                for (size_type j = c + 1; j < rows; ++j) {
                    row[j] -= multiply(factor, pivot_row[j]);
                }
            }
        }
    }
};

/// What hosts do for dense_inverse_pivot_rows.
template <class V>
void pivot_rows_on_host(GalerkinView<V> e, std::int32_t* order, size_type first, WorkspaceView workspace)
{
    const PivotRowSearch<V> search(e, first);
    auto* const panel = reinterpret_cast<wide_t<V>*>(workspace.data);
    auto* const is_left = reinterpret_cast<std::int32_t*>(panel + galerkin_block_rows * e.size);
    search.exchange(search.find(panel, is_left), order, panel);
}

template <class F>
void for_each_portable_dense_inverse(const F& f)
{
    for_each_value([&]<class V>() {
        f(dense_inverse_widen<V>, BodyOf<DenseInverseWiden<V, wide_t<V>>>());
        f(dense_inverse_scales<V>, BodyOf<DenseInverseScales<V, real_t<V>>>());
    });
    for_each_inverse_type(
        [&]<class V, class S>() { f(dense_inverse_round<V, S>, BodyOf<DenseInverseRound<wide_t<V>, S>>()); });
}

}  // namespace linden
