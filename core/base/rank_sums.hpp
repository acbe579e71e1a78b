#pragma once

#include <linden/distributed/communicator.hpp>

#include <algorithm>
#include <cstring>
#include <vector>

namespace linden {

/// Makes sums over the rows of one rank those of all ranks. Each rank adds the parts of all ranks in the order of
/// ranks, so that all get the same bits, in every run. Owned by a workspace of host executors, whose header points to
/// it.
class RankSums {
public:
    explicit RankSums(Communicator communicator) : communicator_(std::move(communicator)) {}

    /// values[i * stride] := the parts of all ranks, combined by add(total, part). Collective.
    template <class T, class Add>
    void combine(T* values, size_type count, size_type stride, const Add& add)
    {
        const auto bytes = static_cast<std::size_t>(count) * sizeof(T);
        T* const mine = reinterpret_cast<T*>(room_for(bytes));
        for (size_type i = 0; i < count; ++i) {
            mine[i] = values[i * stride];
        }
        exchange(bytes);
        for (size_type i = 0; i < count; ++i) {
            T total = of_rank<T>(0, bytes)[i];
            for (int rank = 1; rank < communicator_.size(); ++rank) {
                add(total, of_rank<T>(rank, bytes)[i]);
            }
            values[i * stride] = total;
        }
    }

    /// The time on rank 0 at the last `combine`, in nanoseconds of its clock.
    const std::int64_t* clock() const { return &clock_; }

private:
    /// In front of the values of each message: the time of its rank. Keeps them aligned.
    static constexpr std::size_t header_bytes = 16;

    std::byte* room_for(std::size_t bytes);
    void exchange(std::size_t bytes);
    template <class T>
    const T* of_rank(int rank, std::size_t bytes) const
    {
        return reinterpret_cast<const T*>(all_.data() + static_cast<std::size_t>(rank) * message_bytes(bytes) +
                                          header_bytes);
    }
    static std::size_t message_bytes(std::size_t bytes) { return header_bytes + (bytes + 15) / 16 * 16; }

    Communicator communicator_;
    std::vector<std::byte> mine_, all_;
    std::int64_t clock_ = 0;
};

}  // namespace linden
