#pragma once

#include <bit>

#include "core/kernels/sell.hpp"
#include "core/portable/stored.hpp"
#include "gpu/device/load_order.cuh"
#include "gpu/vector/column_packs.cuh"

/// Rows of matrices in (sliced) ELLPACK, a thread for each: the entries of neighbouring rows lie side by side.
namespace linden::LINDEN_GPU_NAMESPACE {

/// So many entries of a row are on their way at a time: complex values and 64-bit indices take twice the registers.
template <class V, class J>
inline constexpr int sell_in_flight = sizeof(V) > sizeof(device_real<V>) || sizeof(J) > 4 ? 4 : 8;
/// So many blocks fit beside each other then.
template <class V, class J>
inline constexpr int sell_min_blocks = sizeof(V) > 8 || sizeof(J) > 4 ? 3 : 4;

/// The rows of a matrix, see row_products.cuh. `known_slice_rows`, unless 0: all slices have so many rows, a multiple
/// of 32, in the order of the rows. Then the lanes of a warp of CUDA have as many entries each, and the places of
/// entries are known when a kernel is compiled.
template <class S, class J, int known_slice_rows = 0>
struct SellRows {
    using I = wide_index_t<J>;
    using Unsigned = std::make_unsigned_t<I>;
    struct Found {
        I first_column, last_column, row;
    };

    SellView<S, J> a;
    int slice_bits;  ///< slice_rows = 2^slice_bits where there are slice pointers

    __host__ __device__ size_type num_rows() const { return a.layout.rows; }
    __device__ size_type row(const Found& found, size_type) const { return found.row; }
    __device__ Found find(size_type position) const
    {
        const auto& layout = a.layout;
        if (position >= layout.rows) {
            return {};
        }
        if constexpr (known_slice_rows > 0) {
            const I* const ptrs = layout.slice_ptrs + static_cast<Unsigned>(position) / known_slice_rows;
            return {ptrs[0], ptrs[1], static_cast<I>(position)};
        }
        const I row = layout.row_order == nullptr ? static_cast<I>(position) : layout.row_order[position];
        if (layout.slice_ptrs == nullptr) {
            return {0, static_cast<I>(layout.width), row};
        }
        const I* const ptrs = layout.slice_ptrs + (static_cast<Unsigned>(position) >> slice_bits);
        return {ptrs[0], ptrs[1], row};
    }

    template <class V, class Gather>
    __device__ V product(const Found& found, size_type position, Gather gather) const
    {
        if (found.first_column == found.last_column) {
            return V{};
        }
        const auto slice_rows =
            known_slice_rows > 0 ? Unsigned{known_slice_rows} : static_cast<Unsigned>(a.layout.slice_rows);
        const auto mask = known_slice_rows == 0 && a.layout.slice_ptrs == nullptr ? ~Unsigned{} : slice_rows - 1;
        const size_type entry =
            static_cast<size_type>(found.first_column) * slice_rows + (static_cast<Unsigned>(position) & mask);
        return sum_of<V>(Part<false, known_slice_rows>{a.col_idxs + entry, a.values + entry,
                                                       has_bases ? a.bases + found.first_column : nullptr, slice_rows,
                                                       found.last_column - found.first_column},
                         gather);
    }

    /// The products of a row's entries number lane, lane + num_lanes, ...; the row has a slice to itself.
    template <class V, class Gather>
    __device__ V part_of_product(const Found& found, int lane, int num_lanes, Gather gather) const
    {
        const size_type entry = static_cast<size_type>(found.first_column) + lane;
        const I behind = found.last_column - found.first_column - lane;
        return sum_of<V>(Part<true, 0>{a.col_idxs + entry, a.values + entry, has_bases ? a.bases + entry : nullptr,
                                       static_cast<Unsigned>(num_lanes), behind > 0 ? (behind - 1) / num_lanes + 1 : 0},
                         gather);
    }

private:
    static constexpr bool has_bases = sizeof(J) == 2;

    /// The entries of a row that are still to come. Bases lie as far apart as columns where `bases_apart`.
    template <bool bases_apart, int known_step>
    struct Part {
        const J* cols;
        const S* values;
        const I* bases;
        Unsigned step;
        I count;

        /// Whether all lanes of a warp have as many.
        static constexpr bool is_uniform = known_step > 0;

        /// From an entry to the n-th after it.
        __device__ size_type distance(int n) const
        {
            return static_cast<size_type>(known_step > 0 ? known_step : step) * n;
        }
        __device__ I base(int n) const
        {
            if constexpr (has_bases) {
                return bases[bases_apart ? distance(n) : n];
            } else {
                return 0;
            }
        }
        __device__ void advance(int n)
        {
            cols += distance(n);
            values += distance(n);
            bases += !has_bases ? 0 : bases_apart ? distance(n) : n;
            count -= n;
        }
    };

    template <class V, class Entries, class Gather>
    __device__ static V sum_of(Entries part, Gather gather)
    {
        constexpr int N = sell_in_flight<scalar_of<V>, J>;
        V sum{};
#pragma unroll 1
        for (; part.count >= N; part.advance(N)) {
            add_entries<N, true>(part, gather, sum);
        }
        if constexpr (Entries::is_uniform) {
            add_exactly<0, N - 1>(part, gather, sum);
        } else if (part.count > N / 2) {
            add_entries<N, false>(part, gather, sum);
        } else if (part.count > 0) {
            add_entries<N / 2, false>(part, gather, sum);
        }
        return sum;
    }

    /// Adds the products of the entries, which are `least` to `most`.
    template <int least, int most, class V, class Entries, class Gather>
    __device__ static void add_exactly(const Entries& part, Gather gather, V& sum)
    {
        if constexpr (least < most) {
            constexpr int middle = (least + most) / 2;
            if (part.count <= middle) {
                add_exactly<least, middle>(part, gather, sum);
            } else {
                add_exactly<middle + 1, most>(part, gather, sum);
            }
        } else if constexpr (least > 0) {
            add_entries<least, true>(part, gather, sum);
        }
    }

    /// Adds the products of the next N entries, of those that exist unless there are `all`. Whatever they are, all are
    /// loaded before one is looked at, and b is gathered for each, also for padding: no load waits for another but a
    /// gather for its column.
    template <int N, bool all, class V, class Entries, class Gather>
    __device__ static void add_entries(const Entries& part, Gather gather, V& sum)
    {
        J cols[N];
        S values[N];
        I bases[N];
        LINDEN_UNROLL
        for (int i = 0; i < N; ++i) {
            const int at = all || i < part.count ? i : 0;
            cols[i] = load_streaming(part.cols + part.distance(at));
            values[i] = load_streaming(part.values + part.distance(at));
            bases[i] = part.base(at);
        }
        begin_loads();
        V gathered[N];
        LINDEN_UNROLL
        for (int i = 0; i < N; ++i) {
            gathered[i] = gather(bases[i] + static_cast<I>(cols[i] == no_column<J> ? J{} : cols[i]));
        }
        LINDEN_UNROLL
        for (int i = 0; i < N; ++i) {
            if ((all || i < part.count) && cols[i] != no_column<J>) {
                add_product(sum, to_arithmetic<scalar_of<V>>(values[i]), gathered[i]);
            }
        }
    }
};

template <int known_slice_rows = 0, class S, class J>
SellRows<device_type<S>, J, known_slice_rows> device_rows(const SellView<S, J>& a)
{
    return {{a.layout, a.col_idxs, as_device(a.values), a.bases},
            std::countr_zero(static_cast<std::uint64_t>(a.layout.slice_rows))};
}

}  // namespace linden::LINDEN_GPU_NAMESPACE
