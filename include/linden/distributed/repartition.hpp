#pragma once

#include <linden/distributed/io.hpp>

#include <cstdint>
#include <vector>

namespace linden::distributed {

/// Collective. A part for each own row by PT-Scotch, so that few entries lie between parts: in parallel, of the graph
/// of A + A^T as it is spread. Two calls with the same rows on as many ranks give the same parts; there may be more or
/// fewer of them than ranks. [ChevalierPellegrini08]
/// @throws InvalidParameter if num_parts < 1 or ranks want different numbers; NotSupported if the build has no
/// PT-Scotch, the ranks are not those of MPI, or there are more rows or entries than its integers count; on other ranks
/// RemoteError
template <class V>
LINDEN_EXPORT Parts ptscotch_parts(const Communicator& communicator, const OwnRows<V>& own, int num_parts);

/// Collective. What parts of all rows cost, the same on all ranks. parts: of the own rows.
/// @throws InvalidParameter if there are not as many parts as own rows, or one is not in [0, num_parts); on other ranks
/// RemoteError
template <class V>
LINDEN_EXPORT PartitionReport report(const Communicator& communicator, const OwnRows<V>& own, const Parts& parts);

/// Rows that ranks pass on to each other. They are numbered anew, part after part, and within a part in their old
/// order, as in Parts. But no rank knows more rows than those that it has before or after, and the columns in them.
class LINDEN_EXPORT Repartition {
public:
    /// Collective. Rank r gets the rows of part r. parts: of the own rows of `old`.
    /// @throws InvalidParameter if there are not as many parts as own rows, or one is no rank; on other ranks
    /// RemoteError
    Repartition(Communicator communicator, Partition old, std::vector<std::int32_t> parts);
    /// Collective. By ptscotch_parts, a part for each rank. @throws what it throws
    template <class V>
    static Repartition ptscotch(const Communicator& communicator, const OwnRows<V>& own);

    const Partition& old_partition() const { return old_; }
    const Partition& partition() const { return new_; }
    /// Of the own rows of the old partition.
    const std::vector<std::int64_t>& new_numbers() const { return numbers_; }

    /// Collective. The own rows of the new partition, with columns in its numbers, from those of the old one.
    template <class V>
    OwnRows<V> rows(const OwnRows<V>& own) const;
    /// Collective. The same of vectors, on the host.
    template <class V>
    DenseData<V> block(const DenseData<V>& own) const;
    /// Collective. From the new partition to the old one.
    template <class V>
    DenseData<V> block_back(const DenseData<V>& own) const;

private:
    Communicator communicator_;
    Partition old_, new_;
    std::vector<std::int32_t> parts_;    // where each own row of the old partition goes
    std::vector<std::int32_t> senders_;  // whence each of the new one comes: in the order of ranks
    std::vector<std::int64_t> numbers_;
};

}  // namespace linden::distributed
