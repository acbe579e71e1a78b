#pragma once

#include "gpu/device/system_memory.cuh"

/// Words in windows of peers (core/base/peer_group.hpp), moved two at once: 32 bits of a message beside 32 bits of its
/// number, so that a word that has come says so itself.
namespace linden::cuda {

/// 8 bytes, each half of which has the number of the message beside it. Stored and loaded as two words at once.
__device__ inline void store_message(std::uint64_t* to, std::uint32_t number, std::uint64_t bits)
{
    const std::uint64_t low = std::uint64_t{number} << 32 | static_cast<std::uint32_t>(bits);
    const std::uint64_t high = std::uint64_t{number} << 32 | bits >> 32;
    asm volatile("st.relaxed.sys.global.v2.b64 [%0], {%1, %2};" ::"l"(to), "l"(low), "l"(high) : "memory");
}
/// Whether it is there.
__device__ inline bool load_message(const std::uint64_t* from, std::uint32_t number, std::uint64_t& bits)
{
    std::uint64_t low = 0, high = 0;
    asm volatile("ld.relaxed.sys.global.v2.b64 {%0, %1}, [%2];" : "=l"(low), "=l"(high) : "l"(from) : "memory");
    bits = high << 32 | (low & 0xffffffffu);
    return low >> 32 == number && high >> 32 == number;
}

/// What is in a window for a value of a vector: 32 bits in each of its words, beside the number of the product.
template <class V>
struct GhostWords {
    static constexpr int count = static_cast<int>(sizeof(V) / sizeof(std::uint32_t));
    std::uint64_t words[count];

    __device__ void load(const std::uint64_t* from)
    {
        if constexpr (count == 1) {
            words[0] = load_system(const_cast<std::uint64_t*>(from));
        } else {
            for (int i = 0; i < count; i += 2) {
                asm volatile("ld.relaxed.sys.global.v2.b64 {%0, %1}, [%2];"
                             : "=l"(words[i]), "=l"(words[i + 1])
                             : "l"(from + i)
                             : "memory");
            }
        }
    }
    /// With all bits of the value set: not a number.
    __device__ void spoil()
    {
        for (auto& word : words) {
            word = ~std::uint64_t{};
        }
    }
    __device__ bool is_there(std::uint32_t number) const
    {
        bool result = true;
        for (const auto word : words) {
            result = result && word >> 32 == number;
        }
        return result;
    }
    __device__ V value() const
    {
        std::uint32_t bits[count];
        for (int i = 0; i < count; ++i) {
            bits[i] = static_cast<std::uint32_t>(words[i]);
        }
        V value;
        memcpy(static_cast<void*>(&value), bits, sizeof value);
        return value;
    }
    /// Into a window.
    __device__ static void store(std::uint64_t* to, std::uint32_t number, V value)
    {
        if constexpr (count == 1) {
            store_system(to, std::uint64_t{number} << 32 | bits_to<std::uint32_t>(value));
        } else {
            std::uint64_t bits[count / 2];
            memcpy(bits, &value, sizeof value);
            for (int i = 0; i < count / 2; ++i) {
                store_message(to + 2 * i, number, bits[i]);
            }
        }
    }
};

}  // namespace linden::cuda
