#pragma once

#include <linden/types.hpp>

#include "core/base/arguments.hpp"

/// How kernels of several ranks reach each other: addresses in memory that all of them see. Passed to kernels by value.
namespace linden {

/// The most ranks whose kernels exchange values by themselves.
inline constexpr int max_peers = 16;
/// A message of a sum has so many words of 32 bits for values, behind two for the time: those of a step of GMRES with 30
/// vectors in double precision are one.
inline constexpr int peer_sum_words = 128;
inline constexpr int peer_message_words = peer_sum_words + 2;

/// Why a wait of a kernel ended without what it waited for.
enum class PeerFailure : std::int32_t {
    none = 0,
    aborted = 1,   ///< another rank failed
    too_late = 2,  ///< or 3 + the rank that was waited for, if that is known
};

/// The ranks of a communicator whose kernels form sums together.
///
/// Each rank has a window, memory that the others write to. There it has, for each of two turns and each rank, a slot
/// of `peer_message_words` words of 64 bits: 32 bits of the message beside 32 bits of its number, so that a word that
/// has come says so itself. Two turns are enough: who publishes message k + 2 has seen those of all at k + 1.
struct PeerGroup {
    int rank = 0;
    int size = 0;                          ///< 0: the ranks do not reach each other in kernels
    std::uint64_t* slots[max_peers] = {};  ///< in the window of each rank: [2][size][peer_message_words]
    std::uint32_t* number = nullptr;       ///< of the last message, in own memory
    std::uint64_t* counts = nullptr;       ///< in own memory: sums, products, bytes sent by products
    std::uint32_t* aborted = nullptr;      ///< in the own window: not 0 once a rank has failed
    std::int32_t* failure = nullptr;       ///< PeerFailure, in page-locked memory of the host
    std::uint64_t patience_ns = 0;         ///< the longest wait
};

/// The neighbours with whom a product's values are exchanged. A window holds a word `acknowledged` of each rank, and
/// the ghosts twice, for products in turn, in words of 64 bits: 32 bits of a value beside the number of the product, so
/// that a value that has come says so itself. Who has read the ghosts of product k says so to their owner, who may then
/// send those of k + 2.
struct PeerHalo {
    int num_sends = 0, num_receives = 0;
    size_type send_first[max_peers + 1] = {};  ///< of the rows to send, by receiver
    std::uint64_t* targets[max_peers] = {};    ///< in the receiver's window: where they go in even products
    size_type target_strides[max_peers] = {};  ///< words from there to where they go in odd ones
    std::uint64_t* acknowledged[max_peers] = {};
    std::uint64_t* acknowledged_there[max_peers] = {};
    int send_ranks[max_peers] = {};
    std::uint64_t* ghosts = nullptr;      ///< in the own window: those of even products
    size_type ghost_stride = 0;           ///< words from there to those of odd ones
    std::uint32_t* number = nullptr;      ///< of the last product, in own memory
    std::uint32_t* num_blocks = nullptr;  ///< that have come to their end; 0 between kernels
    PeerGroup group;
};

template <>
inline constexpr bool holds_no_pointers<PeerGroup> = true;
template <>
inline constexpr bool holds_no_pointers<PeerHalo> = true;

/// What the last step of a device's sum over ranks adds up.
struct RankParts {
    std::byte* mine = nullptr;       ///< what this rank's kernel has left
    const std::byte* all = nullptr;  ///< where the host has fetched them: of each rank, behind its time
    size_type stride = 0;            ///< bytes from one rank to the next
    int num_ranks = 1;
    std::int64_t* clock = nullptr;  ///< becomes the time of rank 0
    PeerGroup peers;                ///< else
    /// Of reproducible sums: the most nodes of a rank, each with all sums, in the order of its blocks; and behind each
    /// node of each rank so many merges of the last two, or `no_node`. 0 of others, which have one part of each rank.
    int max_nodes = 0;
    const std::uint8_t* merges = nullptr;
    std::byte* received = nullptr;  ///< room for what peers send of these
};
inline constexpr std::uint8_t no_node = 255;
/// In front of the sums of each rank in `RankParts::all`: its time.
inline constexpr size_type rank_parts_header_bytes = 16;

}  // namespace linden
