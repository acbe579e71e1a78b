#pragma once

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "core/base/host_device.hpp"
#include "core/base/math.hpp"
#include "core/kernels/jacobi.hpp"
#include "core/portable/body.hpp"
#include "core/portable/lanes.hpp"

/// Scales of rows; and the parts of the block-Jacobi kernels that work on one block at a time, shared by the host
/// backends.
namespace linden {

/// Joins natural blocks to blocks: see block_jacobi_find_blocks. `same(row)` says whether `row` has the columns of
/// row - 1. One thread, O(rows).
template <class Same>
LINDEN_HOST_DEVICE void agglomerate_blocks(size_type rows, size_type max_size, const Same& same, size_type* block_ptrs,
                                           size_type* value_ptrs, DiagonalBlockCounts* counts)
{
    DiagonalBlockCounts c;
    size_type first = 0;  // of the open block
    block_ptrs[0] = 0;
    value_ptrs[0] = 0;
    const auto close_before = [&](size_type end) {
        const size_type size = end - first;
        first = end;
        c.num_values += size * size;
        c.max_size = size > c.max_size ? size : c.max_size;
        ++c.num_blocks;
        block_ptrs[c.num_blocks] = end;
        value_ptrs[c.num_blocks] = c.num_values;
    };
    for (size_type natural = 0, end = 0; natural < rows; natural = end) {
        for (end = natural + 1; end < rows && end - natural < max_size && same(end);) {
            ++end;
        }
        if (end - first > max_size) {
            close_before(natural);
        }
    }
    if (rows > 0) {
        close_before(rows);
    }
    *counts = c;
}

/// Whether `row` > 0 has the columns of row - 1.
template <class I>
LINDEN_HOST_DEVICE bool has_columns_of_previous(const I* row_ptrs, const I* col_idxs, size_type row)
{
    const I begin = row_ptrs[row];
    const I length = row_ptrs[row + 1] - begin;
    if (begin - row_ptrs[row - 1] != length) {
        return false;
    }
    for (I k = begin; k < begin + length; ++k) {
        if (col_idxs[k] != col_idxs[k - length]) {
            return false;
        }
    }
    return true;
}

/// |re x| + |im x|
template <class V>
real_t<V> abs1(V x)
{
    if constexpr (is_complex<V>) {
        return magnitude(x.real()) + magnitude(x.imag());
    } else {
        return magnitude(x);
    }
}

/// a := a^-1 in place, a: n x n, column-major, n <= max_jacobi_block_size. False, with a spoilt, if a is singular to
/// rounding: a difference that is no larger than the rounding error of its terms counts as 0, which, unlike a bound on
/// pivots, does not depend on how rows and columns are scaled.  Gauss-Jordan elimination with partial pivoting.
/// [GolubVanLoan13, 3.4]
template <class V>
bool invert_block(V* a, int n)
{
    constexpr auto rounding = 4 * std::numeric_limits<real_t<V>>::epsilon();
    std::array<int, max_jacobi_block_size> pivots;
    std::array<V, max_jacobi_block_size> factors;
    for (int k = 0; k < n; ++k) {
        V* const pivot_col = a + k * n;
        int p = k;
        for (int i = k + 1; i < n; ++i) {
            p = abs1(pivot_col[i]) > abs1(pivot_col[p]) ? i : p;
        }
        if (pivot_col[p] == V{}) {
            return false;
        }
        pivots[k] = p;
        for (int j = 0; p != k && j < n; ++j) {
            std::swap(a[j * n + k], a[j * n + p]);
        }
        const V inverse = V{1} / pivot_col[k];
        std::copy_n(pivot_col, n, factors.begin());
        std::fill_n(pivot_col, n, V{});
        pivot_col[k] = V{1};
        for (int j = 0; j < n; ++j) {
            V* const col = a + j * n;
            const V scaled = multiply(inverse, col[k]);
            for (int i = 0; i < n; ++i) {
                const V product = multiply(factors[i], scaled);
                const V difference = col[i] - product;
                const bool is_rounding = abs1(difference) <= rounding * (abs1(col[i]) + abs1(product));
                col[i] = is_rounding ? V{} : difference;
            }
            col[k] = scaled;
        }
    }
    for (int k = n - 1; k >= 0; --k) {
        if (pivots[k] != k) {
            std::swap_ranges(a + k * n, a + (k + 1) * n, a + pivots[k] * n);
        }
    }
    return true;
}

/// block := the n x n diagonal block of A from row `first` on, column-major.
template <class V, class I>
void extract_block(CsrView<V, I> a, size_type first, int n, V* block)
{
    std::fill_n(block, n * n, V{});
    for (int i = 0; i < n; ++i) {
        const I* const end = a.col_idxs + a.row_ptrs[first + i + 1];
        const I* entry = std::lower_bound(a.col_idxs + a.row_ptrs[first + i], end, static_cast<I>(first));
        for (; entry != end && *entry < first + n; ++entry) {
            block[(*entry - first) * n + i] = a.values[entry - a.col_idxs];
        }
    }
}

/// Writes the inverse of the n x n diagonal block of A from row `first` on, or, where it has none, that of its
/// diagonal; true if it had to. See block_jacobi_generate.
template <class V, class S, class I>
bool generate_block(CsrView<V, I> a, size_type first, int n, S* inverse)
{
    std::array<V, max_jacobi_block_size * max_jacobi_block_size> block;
    std::array<V, max_jacobi_block_size> diagonal;
    extract_block(a, first, n, block.data());
    for (int i = 0; i < n; ++i) {
        diagonal[i] = block[i * n + i];
    }
    if (invert_block(block.data(), n)) {
        std::transform(block.begin(), block.begin() + n * n, inverse, [](V value) { return static_cast<S>(value); });
        if (std::all_of(inverse, inverse + n * n, is_finite<S>)) {
            return false;
        }
    }
    std::fill_n(inverse, n * n, S{});
    for (int i = 0; i < n; ++i) {
        const S entry = static_cast<S>(V{1} / diagonal[i]);
        inverse[i * n + i] = is_finite(entry) ? entry : S{1};
    }
    return true;
}

template <class V, class I>
struct FindRowScales {
    CsrView<V, I> a;
    RowScale which;
    V* d;

    LINDEN_HOST_DEVICE size_type size() const { return a.rows; }
    LINDEN_HOST_DEVICE size_type num_entries() const { return a.num_nonzeros; }
    LINDEN_HOST_DEVICE size_type length(size_type row) const { return row_length(a, row); }
    template <class Lanes>
    LINDEN_HOST_DEVICE void operator()(Lanes, size_type row) const
    {
        real_t<V> sum{}, size_of_diagonal{};
        for (size_type k = a.row_ptrs[row] + Lanes::lane(); k < a.row_ptrs[row + 1]; k += Lanes::size) {
            const real_t<V> size_of_entry = magnitude(a.values[k]);
            sum += which == RowScale::sum ? size_of_entry : size_of_entry * size_of_entry;
            size_of_diagonal = a.col_idxs[k] == row ? size_of_entry : size_of_diagonal;
        }
        sum = Lanes::sum(sum);
        size_of_diagonal = Lanes::max(size_of_diagonal);
        for (size_type k = a.row_ptrs[row] + Lanes::lane(); k < a.row_ptrs[row + 1]; k += Lanes::size) {
            if (a.col_idxs[k] == row) {
                const real_t<V> size_of_inverse =
                    which == RowScale::sum ? real_t<V>{1} / (sum * size_of_diagonal) : real_t<V>{1} / sum;
                const V inverse = size_of_inverse * conj(a.values[k]);
                d[row] = is_finite(inverse) && size_of_diagonal > real_t<V>{} ? inverse : V{1};
            }
        }
        if (Lanes::lane() == 0 && !(size_of_diagonal > real_t<V>{})) {
            d[row] = V{1};
        }
    }
};

template <class F>
void for_each_portable_jacobi(const F& f)
{
    for_each_value_index([&]<class V, class I>() { f(jacobi_row_scales<V, I>, BodyOf<FindRowScales<V, I>>()); });
}

}  // namespace linden
