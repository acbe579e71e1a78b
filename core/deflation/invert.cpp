#include "core/deflation/invert.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <functional>

#include "core/base/math.hpp"

namespace linden::detail {
namespace {

/// Rows of a block: as many rows of E as stay in a cache while all others are updated by them.
constexpr std::size_t block_rows = 32;
/// Rows that an update takes together, so that the target is read and written once for all of them.
constexpr std::size_t rows_together = 4;

/// One step: row p and column p of the matrix change places with those of its inverse.
template <class W>
void eliminate(std::vector<W>& e, std::size_t k, std::size_t p)
{
    W* const pivot_row = e.data() + p * k;
    const W inverse = W{1} / pivot_row[p];
    for (std::size_t j = 0; j < k; ++j) {
        pivot_row[j] = multiply(pivot_row[j], inverse);
    }
    pivot_row[p] = inverse;
    for (std::size_t i = 0; i < k; ++i) {
        W* const row = e.data() + i * k;
        const W factor = row[p];
        if (i == p || factor == W{}) {
            continue;
        }
        row[p] = W{};
        for (std::size_t j = 0; j < k; ++j) {
            row[j] -= multiply(factor, pivot_row[j]);
        }
    }
}

/// The row among those that are left whose pivot is largest relative to `scales`, or k if none is above `tolerance`.
template <class W>
std::size_t next_pivot(const std::vector<W>& e, const double* scales, const std::vector<bool>& done, double tolerance)
{
    const std::size_t k = done.size();
    std::size_t best = k;
    double largest = tolerance;
    for (std::size_t i = 0; i < k; ++i) {
        const double ratio = done[i] ? 0 : std::abs(e[i * k + i]) / scales[i];  // NaN for 0 / 0
        if (std::isfinite(ratio) && ratio > largest) {
            best = i;
            largest = ratio;
        }
    }
    return best;
}

/// d := the inverse of what is kept of d, k x k; returns which rows those are.
template <class W>
std::vector<bool> invert_block(std::vector<W>& d, std::size_t k, const double* scales, double tolerance)
{
    std::vector<bool> kept(k);
    for (auto p = next_pivot(d, scales, kept, tolerance); p != k; p = next_pivot(d, scales, kept, tolerance)) {
        eliminate(d, k, p);
        kept[p] = true;
    }
    for (std::size_t i = 0; i < k * k; ++i) {
        d[i] = kept[i / k] && kept[i % k] ? d[i] : W{};
    }
    return kept;
}

/// row := row - sum over t of factors[t] rows(t, :), count rows of length k
template <class W>
void subtract_rows(W* row, const W* factors, const W* rows, std::size_t count, std::size_t k)
{
    std::size_t t = 0;
    for (; t + rows_together <= count; t += rows_together) {
        const W* const a = rows + t * k;
        for (std::size_t j = 0; j < k; ++j) {
            row[j] -= (multiply(factors[t], a[j]) + multiply(factors[t + 1], a[j + k])) +
                      (multiply(factors[t + 2], a[j + 2 * k]) + multiply(factors[t + 3], a[j + 3 * k]));
        }
    }
    for (; t < count; ++t) {
        for (std::size_t j = 0; j < k; ++j) {
            row[j] -= multiply(factors[t], rows[t * k + j]);
        }
    }
}

/// Rows and columns [first, first + d's rows) of the matrix change places with those of its inverse; d is the inverse
/// of their block.
template <class W>
void eliminate_block(std::vector<W>& e, std::size_t k, std::size_t first, const std::vector<W>& d, std::size_t rows)
{
    // R := D E(block, :), with D itself in the block's columns
    std::vector<W> panel(rows * k);
    for (std::size_t i = 0; i < rows; ++i) {
        std::vector<W> factors(rows);
        std::transform(d.begin() + static_cast<std::ptrdiff_t>(i * rows),
                       d.begin() + static_cast<std::ptrdiff_t>((i + 1) * rows), factors.begin(), std::negate<>());
        subtract_rows(&panel[i * k], factors.data(), &e[first * k], rows, k);
        std::copy_n(&d[i * rows], rows, &panel[i * k + first]);
    }
    std::copy(panel.begin(), panel.end(), e.begin() + static_cast<std::ptrdiff_t>(first * k));
    // E(i, :) := E(i, :) - E(i, block) R, where the old E(i, block) itself goes
    std::vector<W> factors(rows);
    for (std::size_t i = 0; i < k; ++i) {
        if (i >= first && i < first + rows) {
            continue;
        }
        W* const row = &e[i * k];
        std::copy_n(row + first, rows, factors.begin());
        if (std::any_of(factors.begin(), factors.end(), [](W factor) { return factor != W{}; })) {
            std::fill_n(row + first, rows, W{});
            subtract_rows(row, factors.data(), panel.data(), rows, k);
        }
    }
}

}  // namespace

template <class W>
size_type invert_with_diagonal_pivots(std::vector<W>& e, const std::vector<double>& scales, double tolerance)
{
    const std::size_t k = scales.size();
    std::vector<bool> kept;
    for (std::size_t first = 0; first < k; first += block_rows) {
        const std::size_t rows = std::min(block_rows, k - first);
        std::vector<W> d(rows * rows);
        for (std::size_t i = 0; i < rows; ++i) {
            std::copy_n(&e[(first + i) * k + first], rows, &d[i * rows]);
        }
        const auto kept_here = invert_block(d, rows, &scales[first], tolerance);
        eliminate_block(e, k, first, d, rows);
        kept.insert(kept.end(), kept_here.begin(), kept_here.end());
    }
    for (std::size_t i = 0; i < k * k; ++i) {
        e[i] = kept[i / k] && kept[i % k] ? e[i] : W{};
    }
    return std::count(kept.begin(), kept.end(), false);
}

template size_type invert_with_diagonal_pivots(std::vector<double>&, const std::vector<double>&, double);
template size_type invert_with_diagonal_pivots(std::vector<std::complex<double>>&, const std::vector<double>&, double);

}  // namespace linden::detail
