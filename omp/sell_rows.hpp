#pragma once

#include <linden/views_formats.hpp>

#include <algorithm>
#include <type_traits>

#include "core/base/math.hpp"
#include "omp/pack.hpp"
#include "omp/sell_vectors.hpp"

/// Rows of matrices in (sliced) ELLPACK, many side by side by vector instructions: their entries of one column lie
/// together.
namespace linden::omp {

inline constexpr size_type sell_lanes = 32;

/// Whether the columns of so many rows follow each other, as those of neighbouring grid points mostly do. Then what is
/// gathered lies together, too.
template <class J>
bool is_run(const J* cols)
{
    using Unsigned = std::make_unsigned_t<J>;
    const auto first = static_cast<Unsigned>(cols[0]);
    if (static_cast<Unsigned>(static_cast<Unsigned>(cols[sell_lanes - 1]) - first) != sell_lanes - 1) {
        return false;
    }
    Unsigned differences = 0;
    for (size_type i = 0; i < sell_lanes; ++i) {
        differences |= static_cast<Unsigned>(static_cast<Unsigned>(cols[i]) - first - static_cast<Unsigned>(i));
    }
    return differences == 0 && first <= static_cast<Unsigned>(no_column<J>) - sell_lanes;
}

/// sums[i] := (A b)(row at position first + i), for `count` positions of a slice; all lanes if `Full`. One column of b,
/// whose rows lie `stride` apart; side by side if `Contiguous`.
template <bool Full, bool Contiguous, class V, class S, class J>
void sum_rows_of_column(const SellView<S, J>& a, size_type slice, size_type first, size_type count, const V* b,
                        size_type stride, V (&result)[sell_lanes])
{
    if constexpr (Full && Contiguous && has_half_rows<V, S, J>) {
        sum_half_rows(a, slice, first, b, result);
        return;
    }
    const auto& layout = a.layout;
    const size_type last = layout.last_column(slice);
    const size_type place = first - slice * layout.slice_rows;
    const size_type used = Full ? sell_lanes : count;
    V sums[sell_lanes]{};
    for (size_type c = layout.first_column(slice); c < last; ++c) {
        const J* const cols = a.col_idxs + c * layout.slice_rows + place;
        const S* const values = a.values + c * layout.slice_rows + place;
        const V* const base = sizeof(J) == 2 ? b + a.bases[c] * (Contiguous ? 1 : stride) : b;
        if (Full && Contiguous && is_run(cols)) {
            const V* const run = base + cols[0];
            for (size_type i = 0; i < sell_lanes; ++i) {
                sums[i] += multiply(static_cast<V>(values[i]), run[i]);
            }
            continue;
        }
        // Without branches, in loops that compilers turn into vector instructions. Padding takes the value of b at the
        // first column of the slice's column, and leaves it.
        J found[sell_lanes];
        for (size_type i = 0; i < used; ++i) {
            found[i] = static_cast<J>(cols[i] & -static_cast<J>(cols[i] != no_column<J>));
        }
        V gathered[sell_lanes];
        for (size_type i = 0; i < used; ++i) {
            gathered[i] = base[found[i] * (Contiguous ? 1 : stride)];
        }
        for (size_type i = 0; i < used; ++i) {
            const V product = multiply(static_cast<V>(values[i]), gathered[i]);
            sums[i] += cols[i] == no_column<J> ? V{} : product;
        }
    }
    std::copy_n(sums, sell_lanes, result);
}

/// Calls f(i, sums) row by row with the same for `Width` columns of b from one on, which lie side by side, as a pack.
template <int Width, class V, class S, class J, class F>
void for_each_row_sum(const SellView<S, J>& a, size_type slice, size_type first, size_type count, const V* b,
                      size_type stride, const F& f)
{
    const auto& layout = a.layout;
    const size_type first_column = layout.first_column(slice);
    const size_type num_columns = layout.last_column(slice) - first_column;
    const size_type first_entry = first_column * layout.slice_rows + first - slice * layout.slice_rows;
    for (size_type i = 0; i < count; ++i) {
        const J* const cols = a.col_idxs + first_entry + i;
        const S* const values = a.values + first_entry + i;
        Pack<V, Width> sum;
        for (size_type c = 0; c < num_columns; ++c) {
            const J col = cols[c * layout.slice_rows];
            if (col != no_column<J>) {
                const size_type base = sizeof(J) == 2 ? a.bases[first_column + c] : 0;
                sum.add_product(static_cast<V>(values[c * layout.slice_rows]),
                                Pack<V, Width>::load(b + (base + col) * stride));
            }
        }
        f(i, sum);
    }
}

/// Calls f(col, sums) for the columns of b, with sums[i] = (A b)(row at position first + i, col) for `count` positions
/// of a slice, at most `sell_lanes`. `f` may change the sums. Where f takes them, it is called with rows of a pack of
/// columns from one on: f(i, col, pack).
template <class V, class S, class J, class F>
void sum_rows(const SellView<S, J>& a, size_type slice, size_type first, size_type count, DenseView<const V> b,
              const F& f)
{
    size_type col = 0;
    const auto sum_columns = [&](auto width) {
        const auto for_each_row = [&](const auto& use) {
            for_each_row_sum<width>(a, slice, first, count, b.values + col, b.stride, use);
        };
        for (; b.cols - col >= width; col += width) {
            if constexpr (std::is_invocable_v<F, size_type, size_type, Pack<V, width>>) {
                for_each_row([&](size_type i, const Pack<V, width>& sum) { f(i, col, sum); });
            } else {
                V sums[width][sell_lanes];
                for_each_row([&](size_type i, const Pack<V, width>& sum) {
                    for (int j = 0; j < width; ++j) {
                        sums[j][i] = sum.lanes[j];
                    }
                });
                for (int j = 0; j < width; ++j) {
                    f(col + j, static_cast<V*>(sums[j]));
                }
            }
        }
    };
    sum_columns(std::integral_constant<int, 8>{});
    sum_columns(std::integral_constant<int, 4>{});
    sum_columns(std::integral_constant<int, 2>{});
    V sums[sell_lanes];
    for (; col < b.cols; ++col) {
        if (count == 1) {
            for_each_row_sum<1>(a, slice, first, count, b.values + col, b.stride,
                                [&](size_type, const Pack<V, 1>& sum) { sums[0] = sum.lanes[0]; });
        } else if (count == sell_lanes && b.stride == 1) {
            sum_rows_of_column<true, true>(a, slice, first, count, b.values + col, b.stride, sums);
        } else if (count == sell_lanes) {
            sum_rows_of_column<true, false>(a, slice, first, count, b.values + col, b.stride, sums);
        } else {
            sum_rows_of_column<false, false>(a, slice, first, count, b.values + col, b.stride, sums);
        }
        f(col, static_cast<V*>(sums));
    }
}

}  // namespace linden::omp
