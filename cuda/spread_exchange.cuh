#pragma once

#include "core/kernels/cg_spread.hpp"
#include "cuda/peer_messages.cuh"
#include "gpu/device/memory_order.cuh"
#include "gpu/device/peers.cuh"
#include "gpu/device/reduce.cuh"

/// What the blocks of the cooperative kernels of several devices exchange: sums, and values of vectors at the rim.
///
/// In a sum every block writes its part into the windows of all ranks, and waits in the own window for the parts of all
/// blocks: one way over the link, and no block that others have to wait for twice. All sum up in the same order. Two
/// sets of slots in turn are enough: who publishes sum k + 2 has seen all blocks at k + 1, so all of them have read k.
/// That holds for ghosts, too, since there is a sum between two products. Every wait ends when another rank has failed,
/// and after the group's patience; what was waited for is then not a number.
namespace linden::cuda {

/// V: of the vectors.
template <class V, class I>
class SpreadExchange {
public:
    /// Called by all threads; contains a barrier of the block. `workspace`: aligned to 16, zero before the first kernel
    /// that uses it. The block has rows [first_row, first_row + num_rows) of those of `send_rows`.
    __device__ SpreadExchange(std::byte* workspace, const PeerGrid& grid, const PeerHalo& halo, const I* send_rows,
                              size_type first_row, int num_rows)
        : grid_(grid),
          halo_(halo),
          arrivals_(reinterpret_cast<std::uint64_t*>(workspace)),
          number_(*grid.number),
          product_(*halo.number),
          send_rows_(send_rows),
          first_row_(first_row)
    {
        LINDEN_SHARED(start, std::uint64_t);
        LINDEN_SHARED(sends, Sends[max_peers]);
        if (thread_id() == 0) {
            start = arrivals_[1];
        }
        if (const int n = thread_id(); n < halo.num_sends) {
            const auto first_from = [&](size_type row) {  // the first that is not below `row`
                size_type low = halo.send_first[n], high = halo.send_first[n + 1];
                while (low < high) {
                    const size_type middle = (low + high) / 2;
                    (send_rows[middle] < row ? low : high) = send_rows[middle] < row ? middle + 1 : middle;
                }
                return low;
            };
            const size_type begin = first_from(first_row), end = first_from(first_row + num_rows);
            const bool is_run = begin < end && send_rows[end - 1] - send_rows[begin] == end - 1 - begin;
            sends[n] = {begin, static_cast<int>(end - begin),
                        is_run ? static_cast<int>(send_rows[begin] - first_row) : -1};
        }
        block_barrier();
        num_arrivals_ = start;
        sends_ = sends;
    }

    /// values[k] := the sum of each thread's values[k] over the blocks of all ranks, in all threads. At most 32 bytes.
    /// `note`: given by thread 0 of block 0 of rank 0, got by all.
    template <int B, int K>
    __device__ void sum(V (&values)[K], std::uint64_t& note)
    {
        constexpr int words = (K * static_cast<int>(sizeof(V)) + 7) / 8;
        static_assert(words < peer_grid_words);
        LINDEN_SHARED(parts, V[B / 32][K]);
        LINDEN_SHARED(common_note, std::uint64_t);
        ++number_;
        block_reduce<B>(values);
        publish<words>(values, note);
        const int num_blocks = grid_.first_blocks[grid_.group.size];
        V total[K]{};
        for (int block = thread_id(); block < num_blocks; block += B) {
            std::uint64_t bits[words];
            for (int word = 0; word < words; ++word) {
                bits[word] = await(slot(grid_.group.rank, word, block));
            }
            V of_block[K];
            memcpy(static_cast<void*>(of_block), bits, sizeof of_block);
            for (int k = 0; k < K; ++k) {
                total[k] += of_block[k];
            }
        }
        if (thread_id() == B - 1) {
            common_note = await(slot(grid_.group.rank, peer_grid_words - 1, 0));
        }
        const int num_warps = num_blocks < B ? (num_blocks + 31) / 32 : B / 32;
        if (thread_id() / 32 < num_warps) {
            for (int k = 0; k < K; ++k) {
                const V part = Subgroup<32>::reduce(total[k], Sum{});
                if (thread_id() % 32 == 0) {
                    parts[thread_id() / 32][k] = part;
                }
            }
        }
        block_barrier();
        note = common_note;
        for (int k = 0; k < K; ++k) {
            values[k] = V{};
            for (int i = 0; i < num_warps; ++i) {
                values[k] += parts[i][k];
            }
        }
    }

    /// The device's blocks have come here and see what others wrote; neighbours are sent what they need of the block's
    /// rows i, p(i), if `goes_on`, which thread 0 has set.
    template <class P>
    __device__ void publish_direction(P p, const bool& goes_on)
    {
        num_arrivals_ += static_cast<std::uint64_t>(num_blocks());
        block_barrier();
        std::uint64_t* const arrivals = arrivals_ + 16;
        if (thread_id() == 0) {
            asm volatile("red.release.gpu.global.add.u64 [%0], 1;" ::"l"(arrivals) : "memory");
        }
        if (goes_on) {
            ++product_;
            for (int n = 0; n < halo_.num_sends; ++n) {
                send(n, p);
            }
        }
        if (thread_id() == 0) {
            (void)wait_for_rank(grid_.group, grid_.group.rank, [&] { return load_acquire(arrivals) >= num_arrivals_; });
        }
        block_barrier();
    }

    /// The ghosts of the last direction that was published.
    struct Ghosts {
        using Words = GhostWords<V>;
        const SpreadExchange& exchange;

        __device__ void load(unsigned i, Words& words) const { words.load(exchange.ghost(i)); }
        /// Where `words` were loaded too early, they are waited for.
        __device__ V value(unsigned i, Words& words) const
        {
            const auto number = exchange.product_;
            if (!words.is_there(number) && !wait_for_rank(exchange.grid_.group, -1, [&] {
                    load(i, words);
                    return words.is_there(number);
                })) {
                words.spoil();
            }
            return words.value();
        }
    };

    /// At the end of the kernel, behind publish_direction: the next one counts on from here.
    __device__ void finish() const
    {
        if (block_id() != 0) {
            return;
        }
        if (thread_id() < halo_.num_receives) {  // a product outside looks for it
            store_system(halo_.acknowledged_there[thread_id()], product_);
        }
        if (thread_id() == 0) {
            const std::uint32_t products = product_ - *halo_.number;
            grid_.group.counts[0] += number_ - *grid_.number;
            grid_.group.counts[1] += products;
            grid_.group.counts[2] +=
                products * static_cast<std::uint64_t>(halo_.send_first[halo_.num_sends]) * sizeof(V);
            arrivals_[1] = num_arrivals_;
            *grid_.number = number_;
            *halo_.number = product_;
        }
    }

private:
    /// What a block sends: rows of send_rows. Where they are consecutive, the first one, counted in the block, else -1.
    struct Sends {
        size_type begin;
        int count, first_row;
    };

    __device__ const std::uint64_t* ghost(size_type i) const
    {
        return halo_.ghosts + (product_ % 2) * halo_.ghost_stride + i * GhostWords<V>::count;
    }
    __device__ std::uint64_t* slot(int rank, int word, int block) const
    {
        const int num_blocks = grid_.first_blocks[grid_.group.size];
        const auto turn = static_cast<int>(number_ % 2);
        return grid_.slots[rank] + 2 * static_cast<size_type>((turn * peer_grid_words + word) * num_blocks + block);
    }
    /// What was sent; all ones if the wait was given up.
    __device__ std::uint64_t await(const std::uint64_t* from, std::uint32_t number, int rank) const
    {
        std::uint64_t bits = 0;
        const bool is_there = wait_for_rank(grid_.group, rank, [&] { return load_message(from, number, bits); });
        return is_there ? bits : ~std::uint64_t{};
    }
    __device__ std::uint64_t await(const std::uint64_t* from) const { return await(from, number_, -1); }

    /// The block's part, in thread 0's values, to all ranks.
    template <int words, int K>
    __device__ void publish(const V (&values)[K], std::uint64_t note) const
    {
        LINDEN_SHARED(mine, std::uint64_t[peer_grid_words]);
        if (thread_id() >= 32) {
            return;
        }
        if (thread_id() == 0) {
            mine[words - 1] = 0;
            memcpy(mine, values, sizeof values);
            mine[peer_grid_words - 1] = note;
        }
        Subgroup<32>::sync();
        const PeerGroup& group = grid_.group;
        const int count = group.rank == 0 && block_id() == 0 ? words + 1 : words;
        for (int i = thread_id(); i < group.size * count; i += 32) {
            const int word = i % count < words ? i % count : peer_grid_words - 1;
            store_message(slot(i / count, word, grid_.first_blocks[group.rank] + block_id()), number_, mine[word]);
        }
    }

    /// The block's rows of p that neighbour n needs.
    template <class P>
    __device__ void send(int n, const P& p) const
    {
        using Words = GhostWords<V>;
        const Sends part = sends_[n];
        std::uint64_t* const target = halo_.targets[n] + (product_ % 2) * halo_.target_strides[n] +
                                      (part.begin - halo_.send_first[n]) * Words::count;
        for (int k = thread_id(); k < part.count; k += block_threads()) {
            const int row =
                part.first_row >= 0 ? part.first_row + k : static_cast<int>(send_rows_[part.begin + k] - first_row_);
            Words::store(target + k * Words::count, product_, p(row));
        }
    }
    const PeerGrid& grid_;
    const PeerHalo& halo_;
    std::uint64_t* arrivals_;     // [1]: at the start of the kernel; [16]: the counter
    std::uint64_t num_arrivals_;  // of the device's blocks
    std::uint32_t number_;        // of sums
    std::uint32_t product_;       // of directions
    const I* send_rows_;
    size_type first_row_;
    const Sends* sends_;  // to each neighbour, in shared memory
};

}  // namespace linden::cuda
