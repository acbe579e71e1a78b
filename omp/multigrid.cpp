#include "core/kernels/multigrid.hpp"

#include <atomic>
#include <bit>

#include "core/portable/level_storage.hpp"
#include "core/portable/search.hpp"
#include "core/portable/transfers.hpp"
#include "omp/dots.hpp"
#include "omp/row_summary.hpp"
#include "omp/row_tiles.hpp"
#include "omp/sell_partition.hpp"
#include "omp/short_row_aggregates.hpp"
#include "omp/short_rows.hpp"
#include "omp/short_strong_rows.hpp"
#include "omp/slice_offsets.hpp"

namespace linden::omp {
namespace {

/// Calls rows_up(slice, first, count) for runs of up to sell_lanes rows of a slice, all in parallel.
template <class S, class J, class RowsUp>
void for_each_run(const Executor& exec, const SellView<S, J>& a, size_type cols, const RowsUp& rows_up)
{
    with_partition(a, cols, [&](const auto& partition, const auto& positions) {
        parallel_parts(exec, partition, [&](size_type begin, size_type end) {
            positions(begin, end, [&](size_type slice, size_type run_begin, size_type run_end) {
                for (size_type first = run_begin; first < run_end; first += sell_lanes) {
                    rows_up(slice, first, std::min(sell_lanes, run_end - first));
                }
            });
        });
    });
}

/// x(i, col) := combine(product, i, col) with the products of `count` rows of a with b. Products of one contiguous
/// column are vectors.
template <class V, class W, class S, class J, class Combine>
void combine_run(const SellView<S, J>& a, size_type slice, size_type first, size_type count, DenseView<const V> b,
                 DenseView<W> x, const Combine& combine)
{
    if (x.cols == 1 && count == sell_lanes && b.stride == 1) {
        V products[sell_lanes];
        sum_rows_of_column<true, true>(a, slice, first, count, b.values, 1, products);
        for (size_type i = 0; i < sell_lanes; ++i) {
            x(first + i, 0) = combine(products[i], first + i, 0);
        }
        return;
    }
    sum_rows(a, slice, first, count, b, [&](size_type col, const V* sums) {
        for (size_type i = 0; i < count; ++i) {
            x(first + i, col) = combine(sums[i], first + i, col);
        }
    });
}

/// The same for all rows.
template <class V, class W, class S, class J, class Combine>
void combine_products(const Executor& exec, const SellView<S, J>& a, DenseView<const V> b, DenseView<W> x,
                      const Combine& combine)
{
    for_each_run(exec, a, x.cols, [&](size_type slice, size_type first, size_type count) {
        combine_run(a, slice, first, count, b, x, combine);
    });
}

template <class V, class S, class J>
void up(const Executor& exec, SellView<S, J> p, SellView<S, J> a, double omega, DenseView<const V> y,
        DenseView<const V> r, DenseView<V> z)
{
    const auto w = static_cast<real_t<V>>(omega);
    const auto rows_up = [&](size_type slice, size_type first, size_type count) {
        if (z.cols == 1 && count == sell_lanes && y.stride == 1 && r.stride == 1 && z.stride == 1) {
            V products[sell_lanes], corrections[sell_lanes];
            sum_rows_of_column<true, true>(a, slice, first, count, r.values, 1, products);
            sum_rows_of_column<true, true>(p, slice, first, count, y.values, 1, corrections);
            const V* const here = r.values + first;
            V* const to = z.values + first;
            for (size_type i = 0; i < sell_lanes; ++i) {
                to[i] = corrections[i] + w * (real_t<V>{2} * here[i] - w * products[i]);
            }
            return;
        }
        sum_rows(a, slice, first, count, r, [&](size_type col, const V* sums) {
            for (size_type i = 0; i < count; ++i) {
                z(first + i, col) = w * (real_t<V>{2} * r(first + i, col) - w * sums[i]);
            }
        });
        sum_rows(p, slice, first, count, y, [&](size_type col, const V* sums) {
            for (size_type i = 0; i < count; ++i) {
                z(first + i, col) = sums[i] + z(first + i, col);
            }
        });
    };
    for_each_run(exec, a, z.cols, rows_up);
}

template <class V, class S, class J>
void sweep(const Executor& exec, SellView<S, J> a, double omega, DenseView<const V> b, DenseView<const V> z,
           DenseView<V> x)
{
    const auto w = static_cast<real_t<V>>(omega);
    if (b.values == nullptr) {
        combine_products(exec, a, z, x, [=](V product, size_type i, size_type col) { return z(i, col) - w * product; });
    } else {
        combine_products(exec, a, z, x,
                         [=](V product, size_type i, size_type col) { return z(i, col) + w * (b(i, col) - product); });
    }
}

template <class V, class S, class J>
void correct(const Executor& exec, SellView<S, J> p, double omega, DenseView<const V> y, DenseView<const V> r,
             DenseView<V> z)
{
    const auto w = static_cast<real_t<V>>(omega);
    combine_products(exec, p, y, z, [=](V product, size_type i, size_type col) { return product + w * r(i, col); });
}

template <class V, class I, class Body>
void for_each_row(const Executor& exec, const CsrView<V, I>& a, const Body& body)
{
    parallel_parts(exec, by_nonzeros(a), [&](size_type begin, size_type end) {
        for (size_type row = begin; row < end; ++row) {
            body(row);
        }
    });
}

/// `value` where `is_kept`, else 0, without the branch that compilers make of a choice.
template <class V>
V value_if(bool is_kept, V value)
{
    using R = real_t<V>;
    using Bits = std::conditional_t<sizeof(R) == 8, std::uint64_t, std::uint32_t>;
    const Bits mask = Bits{0} - static_cast<Bits>(is_kept);
    const auto part = [mask](R x) { return std::bit_cast<R>(std::bit_cast<Bits>(x) & mask); };
    if constexpr (is_complex<V>) {
        return {part(value.real()), part(value.imag())};
    } else {
        return part(value);
    }
}

template <class V, class S>
void round_values(const V (&values)[sell_lanes], S* to)
{
    if constexpr (has_half_rows<V, S, std::uint16_t>) {
        round_half_row(values, to);
        round_half_row(values + 16, to + 16);
    } else {
        for (size_type i = 0; i < sell_lanes; ++i) {
            to[i] = static_cast<S>(values[i]);
        }
    }
}

/// What HalfRange does, for a row in each lane.
template <class V, class R = real_t<V>>
void look_at_range(const V (&values)[sell_lanes], R (&most)[sell_lanes], R (&lost)[sell_lanes],
                   int (&is_beyond)[sell_lanes])
{
    for (size_type i = 0; i < sell_lanes; ++i) {
        const R size = magnitude(values[i]);
        most[i] = size > most[i] ? size : most[i];
        is_beyond[i] |= size <= 65504 ? 0 : 1;
        const R small = size < R(0x1p-14) ? size : R{};
        lost[i] = small > lost[i] ? small : lost[i];
    }
}

/// A vector, or each of several.
template <class V, class W>
void convert(const Executor& exec, const real_t<lower_t<V, W>>* scales, double factor, DenseView<const V> from,
             DenseView<W> to)
{
    using Higher = std::conditional_t<(sizeof(W) > sizeof(V)), W, V>;
    using R = real_t<Higher>;
    const bool is_vector = to.cols == 1 && from.stride == 1 && to.stride == 1;
    parallel_rows(exec, {to.rows, to.cols}, [&](size_type begin, size_type end) {
        for (size_type row = begin; is_vector && row < end; ++row) {
            const R scale = scales == nullptr ? R{1} : static_cast<R>(scales[row]);
            to.values[row] = static_cast<W>(static_cast<R>(factor) * scale * static_cast<Higher>(from.values[row]));
        }
        for (size_type row = begin; !is_vector && row < end; ++row) {
            const R scale = static_cast<R>(factor) * (scales == nullptr ? R{1} : static_cast<R>(scales[row]));
            for (size_type col = 0; col < to.cols; ++col) {
                to(row, col) = static_cast<W>(scale * static_cast<Higher>(from(row, col)));
            }
        }
    });
}

template <class V, class W, class S, class J>
void enter(const Executor& exec, SellView<S, J> a, const real_t<W>* scales, double omega, DenseView<const V> b,
           DenseView<W> r, DenseView<W> t)
{
    convert<V, W>(exec, scales, 1, b, r);
    sweep<W, S, J>(exec, a, omega, {}, r, t);
}

template <class V, class W, class S, class J>
void leave(const Executor& exec, SellView<S, J> a, LeaveRule<W> rule, DenseView<const W> r, DenseView<const W> z,
           DenseView<V> x, WantedDots<V> dots)
{
    const auto w = static_cast<real_t<W>>(rule.omega);
    const auto combine = [&](W product, size_type i, size_type col) {
        const auto scale = static_cast<real_t<V>>(rule.factor) * static_cast<real_t<V>>(rule.scales[i]);
        return scale * static_cast<V>(z(i, col) + w * (r(i, col) - product));
    };
    if (dots.wx == nullptr) {
        combine_products(exec, a, z, x, combine);
        return;
    }
    const auto row_at = [](size_type i) { return i; };
    with_partition(a, x.cols, [&](const auto& partition, const auto& positions) {
        reduce_dots<V>(exec, partition, x.cols, dots.wx, dots.xx, dots.workspace,
                       [&](size_type begin, size_type end, V* sums) {
                           positions(begin, end, [&](size_type slice, size_type run_begin, size_type run_end) {
                               for (size_type first = run_begin; first < run_end; first += sell_lanes) {
                                   const size_type count = std::min(sell_lanes, run_end - first);
                                   combine_run(a, slice, first, count, z, x, combine);
                                   add_dots(first, first + count, row_at, dots.w, x, sums);
                               }
                           });
                       });
    });
}

template <class V, class I>
void inspect(const Executor& exec, CsrView<V, I> a, RowQuestions<I> questions)
{
    const auto inspect_row = [&](size_type row) {
        const I begin = a.row_ptrs[row];
        const I end = a.row_ptrs[row + 1];
        real_t<V> most{};
        for (I k = begin; k < end; ++k) {
            const bool is_most = (a.col_idxs[k] != row) & (magnitude(a.values[k]) > most);
            most = is_most ? magnitude(a.values[k]) : most;
        }
        bool is_incomplete = false, is_unhermitian = false, has_diagonal = false, is_negative = false;
        for (I k = begin; k < end; ++k) {
            const bool is_diagonal = a.col_idxs[k] == row;
            const V value = a.values[k];
            const size_type mirrored = is_diagonal ? size_type{k} : find_mirror(a, row, k);
            const V other = mirrored < 0 ? V{} : conj(a.values[mirrored]);
            const auto tolerance = static_cast<real_t<V>>(1e-6) * (is_diagonal ? magnitude(value) : most);
            is_incomplete |= mirrored < 0;
            is_unhermitian |= magnitude(value - other) > tolerance;
            has_diagonal |= is_diagonal;
            is_negative |= is_diagonal & (real(value) < 0);
        }
        questions.is_incomplete[row] = is_incomplete || !has_diagonal ? 1 : 0;
        questions.is_unhermitian[row] = is_unhermitian ? 1 : 0;
        questions.is_negative[row] = is_negative ? 1 : 0;
    };
    for_each_row(exec, a, inspect_row);
}

template <class V, class I>
void summarize(const Executor& exec, CsrView<V, I> a, std::uint64_t* answers)
{
    std::atomic<std::uint64_t> sums[answer_largest]{}, largest{};
    parallel_parts(exec, by_nonzeros(a), [&](size_type begin, size_type end) {
        const EntrySummary summary = summary_of_rows(a, begin, end);
        sums[answer_difference] += summary.difference;
        sums[answer_num_diagonal] += summary.num_diagonal;
        sums[answer_num_negative] += summary.num_negative;
        auto seen = largest.load();
        while (seen < summary.largest && !largest.compare_exchange_weak(seen, summary.largest)) {
        }
    });
    std::copy(std::begin(sums), std::end(sums), answers);
    answers[answer_largest] = largest;
}

/// In what follows a row of a part of a pattern is gone through beside the whole row: where an entry of the part is
/// next it is written before it is known whether the entry at hand is that one, without a branch, and stays when it is.
template <class V, class I>
void filter(const Executor& exec, CsrView<V, I> a, PatternView<I> f, V* values, real_t<V>* sums)
{
    for_each_row(exec, a, [&](size_type row) {
        V weak{}, diagonal{};
        real_t<V> sum{};
        I at = f.row_ptrs[row];
        I diagonal_at = at;
        const I end = f.row_ptrs[row + 1];
        const I last = a.row_ptrs[row + 1];
        I k = a.row_ptrs[row];
        for (; k < last && at < end; ++k) {
            const V value = a.values[k];
            const bool is_strong = f.col_idxs[at] == a.col_idxs[k];
            const bool is_diagonal = a.col_idxs[k] == row;
            values[at] = value;
            diagonal_at = is_diagonal ? at : diagonal_at;
            diagonal = is_diagonal ? value : diagonal;
            sum += value_if(is_strong & !is_diagonal, magnitude(value));
            weak += value_if(!is_strong, value);
            at += is_strong ? 1 : 0;
        }
        for (; k < last; ++k) {
            weak += a.values[k];
        }
        const V lumped = diagonal + weak;
        const V kept = magnitude(lumped) < real_t<V>(0.1) * magnitude(diagonal) ? diagonal : lumped;
        values[diagonal_at] = kept;
        sums[row] = sum + magnitude(kept);
    });
}

template <class I>
void count_prolongator(const Executor& exec, PatternView<I> f, const I* aggregates, I* counts)
{
    const CountProlongator<I> count_any{f, aggregates, counts};
    parallel_parts(exec, NonzeroPartition<I>{f.row_ptrs, f.rows}, [&](size_type begin, size_type end) {
        for (size_type row = begin; row < end; ++row) {
            const auto count_short = [&]<int n>() {
                counts[row] = ShortRowAggregates<n, I>(f.col_idxs + f.row_ptrs[row], aggregates).count();
            };
            if (!with_short_length(row_length(f, row), count_short)) {
                count_any(OneLane(), row);
            }
        }
    });
}

template <class V, class I>
void prolongator(const Executor& exec, CsrView<V, I> f, SmoothedAggregates<V, I> rule, const I* row_ptrs, I* col_idxs,
                 V* values)
{
    const MakeProlongator<V, I> make_any{f, rule, row_ptrs, col_idxs, values};
    parallel_parts(exec, by_nonzeros(f), [&](size_type begin, size_type end) {
        for (size_type row = begin; row < end; ++row) {
            if constexpr (has_short_strong_rows<V, I>) {
                if (row_length(f, row) <= most_short_entries) {
                    make_short_row(f, rule, row, row_ptrs[row], col_idxs, values);
                    continue;
                }
            }
            const auto make_short = [&]<int n>() {
                make_short_row<n>(f, rule, row, row_ptrs, row_ptrs[end], col_idxs, values);
            };
            if (!with_short_length(row_length(f, row), make_short)) {
                make_any(OneLane(), row);
            }
        }
    });
}

template <class V, class I>
void subtract(const Executor& exec, CsrView<V, I> p, CsrView<V, I> c, double factor, const real_t<V>* sums, V* values)
{
    for_each_row(exec, c, [&](size_type row) {
        const auto sum = sums[row];
        const auto weight = sum > 0 ? static_cast<real_t<V>>(factor) / sum : real_t<V>{};
        if constexpr (has_short_rows<V, I>) {
            const ShortRow part(p, row), whole(c, row);
            if (whole.fits() && part.length <= ShortRow::most_wanted) {
                return subtract(part, whole, weight, values + c.row_ptrs[row]);
            }
        }
        const I end = p.row_ptrs[row + 1];
        const I last = c.row_ptrs[row + 1];
        I at = p.row_ptrs[row];
        I k = c.row_ptrs[row];
        for (; k < last && at < end; ++k) {
            const bool is_there = p.col_idxs[at] == c.col_idxs[k];
            values[k] = value_if(is_there, p.values[at]) - weight * c.values[k];
            at += is_there ? 1 : 0;
        }
        for (; k < last; ++k) {
            values[k] = V{} - weight * c.values[k];
        }
    });
}

/// Above that an entry is large.
template <class V, class I>
real_t<V> limit_of_row(const CsrView<V, I>& a, double threshold, size_type row)
{
    real_t<V> most{};
    for (I k = a.row_ptrs[row]; k < a.row_ptrs[row + 1]; ++k) {
        const real_t<V> size = magnitude(a.values[k]);
        const bool is_most = (size > most) & is_finite(size);
        most = is_most ? size : most;
    }
    return static_cast<real_t<V>>(threshold) * most;
}
template <class R>
bool is_large(R size, R limit)
{
    return (size > limit) | !is_finite(size);
}

template <class V, class I>
void count_large(const Executor& exec, CsrView<V, I> a, double threshold, I* counts)
{
    for_each_row(exec, a, [&](size_type row) {
        if constexpr (has_short_rows<V, I>) {
            if (const ShortRow entries(a, row); entries.fits()) {
                counts[row] = std::popcount(static_cast<unsigned>(find_large(entries, threshold)));
                return;
            }
        }
        const auto limit = limit_of_row(a, threshold, row);
        I count = 0;
        for (I k = a.row_ptrs[row]; k < a.row_ptrs[row + 1]; ++k) {
            count += is_large(magnitude(a.values[k]), limit) ? 1 : 0;
        }
        counts[row] = count;
    });
}

template <class V, class I>
void take_large(const Executor& exec, CsrView<V, I> a, double threshold, const I* row_ptrs, I* col_idxs)
{
    for_each_row(exec, a, [&](size_type row) {
        const I end = row_ptrs[row + 1];
        if constexpr (has_short_rows<V, I>) {
            if (const ShortRow entries(a, row); entries.fits()) {
                return take_large(entries, threshold, end - row_ptrs[row], col_idxs + row_ptrs[row]);
            }
        }
        const auto limit = limit_of_row(a, threshold, row);
        for (I k = a.row_ptrs[row], at = row_ptrs[row]; at < end; ++k) {
            col_idxs[at] = a.col_idxs[k];
            at += is_large(magnitude(a.values[k]), limit) ? 1 : 0;
        }
    });
}

template <class V, class I>
void truncate(const Executor& exec, CsrView<V, I> a, PatternView<I> kept, V* values)
{
    for_each_row(exec, a, [&](size_type row) {
        const I begin = kept.row_ptrs[row];
        const I end = kept.row_ptrs[row + 1];
        const I last = a.row_ptrs[row + 1];
        if constexpr (has_short_rows<V, I>) {
            if (const ShortRow entries(a, row); entries.fits() && end - begin <= ShortRow::most_wanted) {
                return truncate(entries, kept.col_idxs + begin, end - begin, values + begin);
            }
        }
        V rest{}, largest{};
        real_t<V> most = -1;
        I largest_at = -1;
        I at = begin;
        I k = a.row_ptrs[row];
        for (; k < last && at < end; ++k) {
            const V value = a.values[k];
            const bool is_kept = kept.col_idxs[at] == a.col_idxs[k];
            const bool is_larger = is_kept & (magnitude(value) > most);
            values[at] = value;
            rest += value_if(!is_kept, value);
            most = is_larger ? magnitude(value) : most;
            largest = is_larger ? value : largest;
            largest_at = is_larger ? at : largest_at;
            at += is_kept ? 1 : 0;
        }
        for (; k < last; ++k) {
            rest += a.values[k];
        }
        if (largest_at >= 0) {
            values[largest_at] = largest + rest;
        }
    });
}

/// Calls body(slice, first row, rows that there are).
template <class I, class Body>
void for_each_slice(const Executor& exec, const SellLayout<I>& layout, const Body& body)
{
    const SlicePartition<I> partition{{layout.slice_ptrs, layout.num_slices()}, layout.slice_rows};
    parallel_parts(exec, partition, [&](size_type begin, size_type end) {
        for (size_type slice = begin; slice < end; ++slice) {
            const size_type first = slice * layout.slice_rows;
            body(slice, first, std::min(layout.slice_rows, layout.rows - first));
        }
    });
}

template <class I>
void slice_columns(const Executor& exec, SellLayout<I> layout, PatternView<I> a, I* col_idxs)
{
    for_each_slice(exec, layout, [&](size_type slice, size_type first, size_type count) {
        std::fill(col_idxs + layout.first_column(slice) * layout.slice_rows,
                  col_idxs + layout.last_column(slice) * layout.slice_rows, no_column<I>);
        for (size_type i = 0; i < count; ++i) {
            I* to = col_idxs + layout.first_column(slice) * layout.slice_rows + i;
            for (I k = a.row_ptrs[first + i]; k < a.row_ptrs[first + i + 1]; ++k, to += layout.slice_rows) {
                *to = a.col_idxs[k];
            }
        }
    });
}

void slice_offsets(const Executor& exec, SellLayout<std::int32_t> layout, PatternView<std::int32_t> a,
                   std::int32_t* bases, std::uint16_t* offsets, std::int32_t* has_rest, std::int32_t* has_gaps)
{
    const OffsetsOfSlices of_slices({layout, a, bases, offsets, has_rest, has_gaps});
    for_each_slice(exec, layout,
                   [&](size_type slice, size_type first, size_type count) { of_slices.find(slice, first, count); });
}

/// Scaled values column by column, some columns of some rows at a time, in which compilers find vectors. Padding is 0.
template <class V, class S, class I>
void store(const Executor& exec, SellLayout<I> layout, const std::uint16_t* offsets, ScaledView<V, I> scaled, S* stored,
           I* marks)
{
    using R = real_t<V>;
    if (offsets != nullptr) {  // few matrices have gaps
        const StoreSlices<V, S, I> with_gaps{layout, offsets, scaled, stored, marks};
        parallel_rows(exec, with_gaps.size(), [&](size_type begin, size_type end) {
            for (size_type row = begin; row < end; ++row) {
                with_gaps(row);
            }
        });
        return;
    }
    const auto store_rows = [&](size_type slice, size_type place, size_type first, size_type count) {
        R most[sell_lanes]{}, lost[sell_lanes]{};
        int is_beyond[sell_lanes]{};
        const size_type last = layout.last_column(slice);
        for (size_type begin = layout.first_column(slice), k = 0; begin < last;
             begin += tile_columns, k += tile_columns) {
            const size_type width = std::min(tile_columns, last - begin);
            alignas(64) V tile[tile_columns][sell_lanes];
            read_scaled(scaled, first, count, k, width, tile);
            for (size_type c = 0; c < width; ++c) {
                round_values(tile[c], stored + (begin + c) * layout.slice_rows + place);
                if (marks != nullptr) {
                    look_at_range(tile[c], most, lost, is_beyond);
                }
            }
        }
        for (size_type i = 0; marks != nullptr && i < count; ++i) {
            const bool is_lost = lost[i] > 0 && lost[i] >= most[i] * R(0x1p-11);
            marks[first + i] = is_beyond[i] != 0 || is_lost ? 1 : 0;
        }
    };
    for_each_slice(exec, layout, [&](size_type slice, size_type first, size_type count) {
        for (size_type place = 0; place < layout.slice_rows; place += sell_lanes) {
            store_rows(slice, place, first + place, std::clamp<size_type>(count - place, 0, sell_lanes));
        }
    });
}

}  // namespace

void register_multigrid()
{
    multigrid_slice_offsets.bind(Backend::omp, slice_offsets);
    for_each_index([]<class I>() {
        multigrid_slice_columns<I>.bind(Backend::omp, slice_columns<I>);
        multigrid_count_prolongator<I>.bind(Backend::omp, count_prolongator<I>);
    });
    for_each_value_index([]<class V, class I>() {
        multigrid_inspect<V, I>.bind(Backend::omp, inspect<V, I>);
        multigrid_summarize<V, I>.bind(Backend::omp, summarize<V, I>);
        multigrid_filter<V, I>.bind(Backend::omp, filter<V, I>);
        multigrid_prolongator<V, I>.bind(Backend::omp, prolongator<V, I>);
        multigrid_subtract<V, I>.bind(Backend::omp, subtract<V, I>);
        multigrid_count_large<V, I>.bind(Backend::omp, count_large<V, I>);
        multigrid_take_large<V, I>.bind(Backend::omp, take_large<V, I>);
        multigrid_truncate<V, I>.bind(Backend::omp, truncate<V, I>);
    });
    for_each_slice_type(
        []<class V, class S, class I>() { multigrid_store<V, S, I>.bind(Backend::omp, store<V, S, I>); });
    for_each_conversion([]<class V, class W>() { multigrid_convert<V, W>.bind(Backend::omp, convert<V, W>); });
    for_each_sell_type([]<class V, class S, class J>() {
        multigrid_up<V, S, J>.bind(Backend::omp, up<V, S, J>);
        multigrid_sweep<V, S, J>.bind(Backend::omp, sweep<V, S, J>);
        multigrid_correct<V, S, J>.bind(Backend::omp, correct<V, S, J>);
    });
    for_each_finest_type([]<class V, class W, class S, class J>() {
        multigrid_enter<V, W, S, J>.bind(Backend::omp, enter<V, W, S, J>);
        multigrid_leave<V, W, S, J>.bind(Backend::omp, leave<V, W, S, J>);
    });
}

}  // namespace linden::omp
