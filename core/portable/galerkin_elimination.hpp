#pragma once

#include <algorithm>
#include <array>
#include <cmath>

#include "core/base/math.hpp"
#include "core/kernels/galerkin.hpp"

/// What the bodies of galerkin_gauss_jordan and galerkin_substitute on hosts share.
namespace linden {

/// The block of a step in a part, and the rows and columns that it changes.
template <class V>
struct EliminationStep {
    using W = wide_t<V>;
    static constexpr size_type block_rows = galerkin_block_rows;

    EliminationStep(const GalerkinView<V>& matrix, const GalerkinPartition& parts, size_type part, size_type first_row,
                    Elimination how)
        : e(matrix),
          first(parts.begin_of(part) + first_row),
          end(parts.end_of(part)),
          rows(std::min(block_rows, end - first)),
          begin(how == Elimination::factors ? first : parts.begin_of(part)),
          begin_rows(how == Elimination::trailing ? 0 : begin),
          separators(parts.separators),
          is_ordered(how == Elimination::ordered)
    {
    }

    /// Of the rows that change; they are numbered from 0 on.
    size_type num_rows() const { return end - begin_rows + e.size - separators; }
    size_type row_at(size_type i) const { return begin_rows + i + (begin_rows + i < end ? 0 : separators - end); }
    size_type num_columns() const { return end - begin + e.size - separators; }

    W* row(size_type i) const { return e.values + i * e.size; }
    bool is_in_block(size_type i) const { return i >= first && i < first + rows; }

    /// A pivot relative to its scale; NaN for 0 / 0.
    double ratio(const W* d, size_type i) const
    {
        return magnitude(d[i * block_rows + i]) / static_cast<double>(e.scales[first + i]);
    }
    bool is_pivot(const W* d, size_type i) const { return std::isfinite(ratio(d, i)) && ratio(d, i) > e.tolerance; }

    /// The row of the block that is left and whose pivot is largest relative to its scale, or -1 for none.
    size_type next_pivot(const W* d) const
    {
        size_type best = -1;
        for (size_type i = 0; i < rows; ++i) {
            if (e.is_kept[first + i] == 0 && is_pivot(d, i) && (best < 0 || ratio(d, i) > ratio(d, best))) {
                best = i;
            }
        }
        return best;
    }

    /// d := the inverse of what is kept of the block.
    void invert_block(W* d) const
    {
        for (size_type i = 0; i < rows; ++i) {
            std::copy_n(row(first + i) + first, rows, d + i * block_rows);
        }
        is_ordered ? exchange_in_order(d) : exchange_largest_first(d);
        for (size_type i = 0; i < rows; ++i) {
            for (size_type j = 0; j < rows; ++j) {
                const bool is_known = e.is_kept[first + i] != 0 && e.is_kept[first + j] != 0;
                d[i * block_rows + j] = is_known ? d[i * block_rows + j] : W{};
            }
            if (e.is_kept[first + i] == 0) {
                std::fill(row(first + i) + begin, row(first + i) + end, W{});
                std::fill(row(first + i) + separators, row(first + i) + e.size, W{});
            }
        }
    }

    /// Row i of R, i < rows.
    void form_panel_row(const W* d, size_type i, W* panel) const
    {
        W* const out = panel + i * e.size;
        std::fill(out + begin, out + end, W{});
        std::fill(out + separators, out + e.size, W{});
        std::array<W, block_rows> factors;
        std::transform(d + i * block_rows, d + i * block_rows + rows, factors.begin(), [](W x) { return -x; });
        subtract_rows(out, factors.data(), row(first));  // rows that are not kept are zeros
        std::copy_n(d + i * block_rows, rows, out + first);
    }

    /// Row i of the matrix, with R.
    void update_row(size_type i, const W* panel) const
    {
        if (is_in_block(i)) {
            const W* const source = panel + (i - first) * e.size;
            std::copy(source + begin, source + end, row(i) + begin);
            std::copy(source + separators, source + e.size, row(i) + separators);
            return;
        }
        std::array<W, block_rows> factors;
        for (size_type t = 0; t < rows; ++t) {
            factors[static_cast<std::size_t>(t)] = e.is_kept[first + t] != 0 ? row(i)[first + t] : W{};
        }
        std::fill_n(row(i) + first, rows, W{});
        if (std::any_of(factors.begin(), factors.begin() + rows, [](W factor) { return factor != W{}; })) {
            subtract_rows(row(i), factors.data(), panel);
        }
    }

    GalerkinView<V> e;
    size_type first, end, rows;  ///< of the block; `end` is that of its part
    size_type begin;             ///< the first column that changes
    size_type begin_rows;        ///< the first row that changes
    size_type separators;
    bool is_ordered;

private:
    void exchange_largest_first(W* d) const
    {
        std::fill_n(e.is_kept + first, rows, 0);
        for (auto p = next_pivot(d); p >= 0; p = next_pivot(d)) {
            exchange(d, p);
            e.is_kept[first + p] = 1;
        }
    }
    void exchange_in_order(W* d) const
    {
        for (size_type p = 0; p < rows; ++p) {
            e.is_kept[first + p] = e.is_kept[first + p] != 0 && is_pivot(d, p) ? 1 : 0;
            if (e.is_kept[first + p] != 0) {
                exchange(d, p);
            }
        }
    }

    /// Row p and column p of d change places with those of its inverse.
    void exchange(W* d, size_type p) const
    {
        W* const pivot_row = d + p * block_rows;
        const W inverse = W{1} / pivot_row[p];
        for (size_type j = 0; j < rows; ++j) {
            pivot_row[j] = multiply(pivot_row[j], inverse);
        }
        pivot_row[p] = inverse;
        for (size_type i = 0; i < rows; ++i) {
            W* const target = d + i * block_rows;
            const W factor = target[p];
            if (i == p || factor == W{}) {
                continue;
            }
            target[p] = W{};
            for (size_type j = 0; j < rows; ++j) {
                target[j] -= multiply(factor, pivot_row[j]);
            }
        }
    }

    void subtract_rows(W* target, const W* factors, const W* source) const
    {
        subtract_rows(target, factors, source, begin, end);
        subtract_rows(target, factors, source, separators, e.size);
    }
    /// target := target - sum over t of factors[t] source(t, :), columns [from, to); four rows together, so that the
    /// target is read and written once for all of them.
    void subtract_rows(W* target, const W* factors, const W* source, size_type from, size_type to) const
    {
        const size_type k = e.size;
        size_type t = 0;
        for (; t + 4 <= rows; t += 4) {
            const W* const a = source + t * k;
            for (size_type j = from; j < to; ++j) {
                target[j] -= (multiply(factors[t], a[j]) + multiply(factors[t + 1], a[j + k])) +
                             (multiply(factors[t + 2], a[j + 2 * k]) + multiply(factors[t + 3], a[j + 3 * k]));
            }
        }
        for (; t < rows; ++t) {
            for (size_type j = from; j < to; ++j) {
                target[j] -= multiply(factors[t], source[t * k + j]);
            }
        }
    }
};

/// One column of galerkin_substitute.
template <class V>
void substitute_column(const V* factors, DenseView<const V> b, DenseView<V> x, size_type col)
{
    constexpr size_type block_rows = galerkin_block_rows;
    const size_type k = b.rows;
    // (I + L)^-1: -L stands below the blocks of the diagonal
    for (size_type i = 0; i < k; ++i) {
        V sum = b(i, col);
        for (size_type j = 0; j < i / block_rows * block_rows; ++j) {
            sum += multiply(factors[i * k + j], x(j, col));
        }
        x(i, col) = sum;
    }
    for (size_type first = (k - 1) / block_rows * block_rows; k > 0 && first >= 0; first -= block_rows) {
        const size_type rows = std::min(block_rows, k - first);
        std::array<V, block_rows> found;
        for (size_type i = 0; i < rows; ++i) {
            const V* const row = factors + (first + i) * k;
            V sum{};
            for (size_type j = first; j < first + rows; ++j) {
                sum += multiply(row[j], x(j, col));  // D^-1
            }
            for (size_type j = first + rows; j < k; ++j) {
                sum -= multiply(row[j], x(j, col));  // (I + U)^-1
            }
            found[static_cast<std::size_t>(i)] = sum;
        }
        for (size_type i = 0; i < rows; ++i) {
            x(first + i, col) = found[static_cast<std::size_t>(i)];
        }
    }
}

}  // namespace linden
