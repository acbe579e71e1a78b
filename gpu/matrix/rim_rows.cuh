#pragma once

#include "core/kernels/exchange.hpp"
#include "gpu/device/peers.cuh"
#include "gpu/matrix/csr_rows.cuh"
#include "gpu/vector/partials.cuh"

/// Rows at the rim, which need values of other ranks: how these are sent, awaited where they are needed, and
/// acknowledged.
namespace linden::LINDEN_GPU_NAMESPACE {

/// Threads that share a row at the rim, and the entries that each of them has on their way at a time.
inline constexpr int rim_lanes = 4;
inline constexpr int rim_entries = 2;

/// A value in words of 32 bits.
template <class V>
inline constexpr int words_of = static_cast<int>(sizeof(V) / sizeof(std::uint32_t));

/// The number of this product. It is the last one's until the rim has been done, also where a kernel asks before it has
/// waited for the one before.
__device__ inline std::uint32_t product_number(const PeerHalo& halo) { return load_relaxed(halo.number) + 1; }

/// Writes the rows of b that neighbours need into their windows, by all threads of the grid.
template <class V, class I>
__device__ inline void send_values(const I* rows, DenseView<const V> b, const PeerHalo& halo)
{
    const std::uint32_t number = product_number(halo);
    if (thread_id() < halo.num_sends) {  // has the receiver read what lies there?
        std::uint64_t* const acknowledged = halo.acknowledged[thread_id()];
        wait_for_rank(halo.group, halo.send_ranks[thread_id()],
                      [&] { return has_reached(static_cast<std::uint32_t>(load_system(acknowledged)), number - 2); });
    }
    block_barrier();
    const size_type num_values = halo.send_first[halo.num_sends] * b.cols;
    for (size_type i = global_id(); i < num_values; i += grid_threads()) {
        const size_type row = i / b.cols;
        int n = 0;
        while (row >= halo.send_first[n + 1]) {
            ++n;
        }
        std::uint32_t bits[words_of<V>];
        memcpy(bits, static_cast<const void*>(&b(rows[row], i % b.cols)), sizeof bits);
        std::uint64_t* const target =
            halo.targets[n] + (number % 2) * halo.target_strides[n] + (i - halo.send_first[n] * b.cols) * words_of<V>;
        for (int word = 0; word < words_of<V>; ++word) {
            store_system(target + word, std::uint64_t{number} << 32 | bits[word]);
        }
    }
    if (global_id() == 0) {
        halo.group.counts[2] += static_cast<std::uint64_t>(num_values) * sizeof(V);
    }
}

/// The values of the ghosts, of which each is waited for where it is needed.
template <class V>
struct Ghosts {
    const V* values;  // null: neighbours write them
    const std::uint64_t* words = nullptr;
    std::uint32_t number = 0;
    const PeerGroup& group;

    __device__ explicit Ghosts(const GhostView<V>& ghosts) : values(ghosts.values.values), group(ghosts.halo.group)
    {
        if (group.size != 0) {
            number = product_number(ghosts.halo);
            words = ghosts.halo.ghosts + (number % 2) * ghosts.halo.ghost_stride;
        }
    }
    /// What stands where neighbours write a ghost.
    struct Seen {
        std::uint64_t words[words_of<V>];
    };
    __device__ Seen look(size_type i) const
    {
        Seen seen;
        for (int word = 0; word < words_of<V>; ++word) {
            seen.words[word] = load_system(const_cast<std::uint64_t*>(words + i * words_of<V> + word));
        }
        return seen;
    }
    /// The value of a ghost, for which this waits unless it has been seen.
    __device__ V value(size_type i, Seen seen) const
    {
        const auto is_there = [&] {
            bool all = true;
            for (int word = 0; word < words_of<V>; ++word) {
                all = all && static_cast<std::uint32_t>(seen.words[word] >> 32) == number;
            }
            return all;
        };
        const bool has_come = is_there() || wait_for_rank(group, -1, [&] {
                                  seen = look(i);
                                  return is_there();
                              });
        std::uint32_t bits[words_of<V>];
        for (int word = 0; word < words_of<V>; ++word) {
            bits[word] = has_come ? static_cast<std::uint32_t>(seen.words[word]) : 0xffffffffu;
        }
        V value;
        memcpy(static_cast<void*>(&value), bits, sizeof value);
        return value;
    }
    __device__ V operator[](size_type i) const { return words == nullptr ? values[i] : value(i, look(i)); }
};

/// By all threads of the last block, when no other reads ghosts of product `number` any more: their owners may send the
/// next but one.
__device__ inline void acknowledge_ghosts(const PeerHalo& halo, std::uint32_t number)
{
    if (halo.group.size == 0) {
        return;
    }
    // What was read has been used before the block was counted, so that this store needs no order of its own.
    if (thread_id() < halo.num_receives) {
        store_system(halo.acknowledged_there[thread_id()], number);
    }
    if (thread_id() == block_threads() - 1) {  // the first one may have more to do
        *halo.number = number;
        ++halo.group.counts[1];
    }
}

/// At the end of a kernel that has read ghosts.
template <class V>
__device__ inline void leave_ghosts(const PeerHalo& halo, const Ghosts<V>& ghosts)
{
    if (halo.group.size != 0) {
        block_barrier();
        if (detail::is_last_block(halo.num_blocks)) {
            acknowledge_ghosts(halo, ghosts.number);
        }
    }
}

/// Adds entries first, first + step, ... of those before `last`, so many at a time that they are on their way together.
template <class V, class I>
__device__ inline void add_entries(const RimView<V, I>& rim, const Ghosts<V>& ghosts, DenseView<const V> b,
                                   size_type col, I first, I last, int step, V& sum)
{
    constexpr int N = rim_entries;
    const auto ghost_at = [&](I c) { return static_cast<size_type>(-1 - c) * b.cols + col; };
    for (I k = first; k < last; k += N * step) {
        I cols[N];
        V factors[N], values[N];
        typename Ghosts<V>::Seen seen[N];
        LINDEN_UNROLL
        for (int i = 0; i < N; ++i) {
            const I at = k + i * step < last ? k + i * step : k;
            cols[i] = rim.cols[at];
            factors[i] = rim.values[at];
        }
        LINDEN_UNROLL
        for (int i = 0; i < N; ++i) {
            if (cols[i] >= 0) {
                values[i] = load_cached_global(&b(cols[i], col));
            } else if (ghosts.words != nullptr) {
                seen[i] = ghosts.look(ghost_at(cols[i]));
            } else {
                values[i] = ghosts.values[ghost_at(cols[i])];
            }
        }
        LINDEN_UNROLL
        for (int i = 0; i < N; ++i) {
            if (k + i * step < last) {
                const bool may_wait = cols[i] < 0 && ghosts.words != nullptr;
                sum += factors[i] * (may_wait ? ghosts.value(ghost_at(cols[i]), seen[i]) : values[i]);
            }
        }
    }
}

/// use(row, (A b)(row, col), prefetch(row)) by the first lane of each row at the rim, of those in [first, last). All
/// lanes of a group go through the same rows.
template <class V, class I, class Prefetch, class Use>
__device__ inline void for_rim_rows(size_type first, size_type last, const RimView<V, I>& rim, const Ghosts<V>& ghosts,
                                    DenseView<const V> b, size_type col, const Prefetch& prefetch, const Use& use)
{
    const int lane = thread_id() % rim_lanes;
    const int lanes = rim.in_order ? 1 : rim_lanes;
    for (size_type i = first + global_id() / rim_lanes; i < last; i += grid_threads() / rim_lanes) {
        const I row = rim.rows[i];
        const I begin = rim.row_ptrs[i], end = rim.row_ptrs[i + 1];
        const auto early = prefetch(row);
        V sum{};
        add_entries(rim, ghosts, b, col, begin + lane, lane < lanes ? end : begin, lanes, sum);
        sum = Subgroup<rim_lanes>::reduce(sum, Sum{});
        if (lane == 0) {
            use(row, sum, early);
        }
    }
}

/// The same for all rows at the rim.
template <class V, class I, class Prefetch, class Use>
__device__ inline void for_each_rim_row(const RimView<V, I>& rim, const Ghosts<V>& ghosts, DenseView<const V> b,
                                        size_type col, const Prefetch& prefetch, const Use& use)
{
    for_rim_rows(0, rim.num_rows, rim, ghosts, b, col, prefetch, use);
}

template <class V, class I>
RimView<device_type<V>, I> device_rim(const RimView<V, I>& rim)
{
    return {rim.num_rows, rim.rows, rim.row_ptrs, rim.cols, as_device(rim.values), rim.in_order};
}
template <class V>
GhostView<device_type<V>> device_ghosts(const GhostView<V>& ghosts)
{
    return {as_device(ghosts.values), ghosts.halo};
}

}  // namespace linden::LINDEN_GPU_NAMESPACE
