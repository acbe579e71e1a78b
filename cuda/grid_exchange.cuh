#pragma once

#include "core/kernels/persistent.hpp"
#include "gpu/device/memory_order.cuh"
#include "gpu/device/reduce.cuh"

/// Barriers and sums over all blocks of a cooperative kernel, which must all be on the device at the same time.
///
/// In a sum a block publishes 8 bytes with the number of the sum beside them, as one access of 16 bytes, in a slot of
/// its own; threads of every block wait for the slots of all. So a sum takes one way through the L2 cache, and runs in
/// fixed order. Two sets of slots in turn are enough: who publishes sum k + 2 has seen all blocks at k + 1, so all of
/// them have read k. At a barrier blocks count themselves at one place, which one thread of each reads.
namespace linden::cuda {

class GridExchange {
public:
    static constexpr int max_blocks = 256;
    static constexpr int num_words = 5;  ///< of a block: values of up to 32 bytes, a note
    /// Of the workspace: aligned to 16, zero before the first kernel that uses it, left alone between kernels.
    static constexpr size_type bytes = 16 * (8 + 2 * num_words * max_blocks) + 128;

    /// Called by all threads; contains a barrier of the block.
    __device__ explicit GridExchange(std::byte* workspace) : slots_(reinterpret_cast<Slot*>(workspace))
    {
        LINDEN_SHARED(start, Slot);
        if (thread_id() == 0) {
            start = *slots_;
        }
        block_barrier();
        num_arrivals_ = start.value;
        number_ = start.number;
    }

    /// values[k] := the sum of each thread's values[k] over the grid, in all threads. At most 32 bytes. `note`: given
    /// by thread 0 of block 0, got by all.
    template <int B, class V, int K>
    __device__ void sum(V (&values)[K], std::uint64_t& note)
    {
        constexpr int words = (K * static_cast<int>(sizeof(V)) + 7) / 8;
        static_assert(words < num_words);
        LINDEN_SHARED(parts, V[max_blocks / 32][K]);
        LINDEN_SHARED(common_note, std::uint64_t);
        ++number_;
        block_reduce<B>(values);
        if (thread_id() == 0) {
            std::uint64_t bits[words] = {};
            memcpy(bits, values, sizeof values);
            for (int word = 0; word < words; ++word) {
                publish(word, bits[word]);
            }
            if (block_id() == 0) {
                publish(num_words - 1, note);
            }
        }
        const int block = thread_id();
        if (block < (num_blocks() + 31) / 32 * 32) {
            V of_block[K]{};
            if (block < num_blocks()) {
                std::uint64_t bits[words];
                for (int word = 0; word < words; ++word) {
                    bits[word] = await(word, block);
                }
                memcpy(of_block, bits, sizeof of_block);
            }
            for (int k = 0; k < K; ++k) {
                const V part = Subgroup<32>::reduce(of_block[k], Sum{});
                if (block % 32 == 0) {
                    parts[block / 32][k] = part;
                }
            }
        }
        if (thread_id() == B - 1) {
            common_note = await(num_words - 1, 0);
        }
        block_barrier();
        note = common_note;
        for (int k = 0; k < K; ++k) {
            values[k] = V{};
            for (int i = 0; i < (num_blocks() + 31) / 32; ++i) {
                values[k] += parts[i][k];
            }
        }
    }

    /// One value; without a note.
    template <int B, class V>
    __device__ V sum(V value)
    {
        V values[1] = {value};
        std::uint64_t note = 0;
        sum<B>(values, note);
        return values[0];
    }

    /// All threads of the grid have come here; what they wrote before is seen by all behind it.
    __device__ void barrier()
    {
        num_arrivals_ += static_cast<std::uint64_t>(num_blocks());
        block_barrier();
        if (thread_id() == 0) {
            std::uint64_t* const arrivals = &slots_[8 + 2 * num_words * max_blocks].value;
            asm volatile("red.release.gpu.global.add.u64 [%0], 1;" ::"l"(arrivals) : "memory");
            while (load_acquire(arrivals) < num_arrivals_) {
            }
        }
        block_barrier();
    }

    /// At the end of the kernel, behind a barrier: the next kernel counts on from here.
    __device__ void finish() const
    {
        if (block_id() == 0 && thread_id() == 0) {
            *slots_ = {num_arrivals_, number_};
        }
    }

private:
    struct alignas(16) Slot {
        std::uint64_t value, number;
    };

    __device__ Slot* slot(int word, int block) const
    {
        return slots_ + 8 + (static_cast<int>(number_ % 2) * num_words + word) * max_blocks + block;
    }
    __device__ void publish(int word, std::uint64_t value) const
    {
        asm volatile("{\n.reg .b128 both;\nmov.b128 both, {%1, %2};\nst.relaxed.gpu.global.b128 [%0], both;\n}" ::"l"(
                         slot(word, block_id())),
                     "l"(value), "l"(number_)
                     : "memory");
    }
    __device__ std::uint64_t await(int word, int block) const
    {
        const Slot* const from = slot(word, block);
        std::uint64_t value = 0;
        std::uint64_t number = 0;
        do {
            asm volatile("{\n.reg .b128 both;\nld.relaxed.gpu.global.b128 both, [%2];\nmov.b128 {%0, %1}, both;\n}"
                         : "=l"(value), "=l"(number)
                         : "l"(from)
                         : "memory");
        } while (number != number_);
        return value;
    }

    Slot* slots_;
    std::uint64_t num_arrivals_;  // at barriers, of all blocks
    std::uint64_t number_;        // of sums
};
static_assert(GridExchange::bytes <= persistent_header_bytes);

}  // namespace linden::cuda
