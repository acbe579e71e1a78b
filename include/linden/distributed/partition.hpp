#pragma once

#include <linden/distributed/communicator.hpp>
#include <linden/matrix_data.hpp>

#include <string>

namespace linden::distributed {

/// Which rank owns which rows of a matrix or vector: rank r has the rows [first(r), first(r + 1)) of the numbering that
/// all ranks use. Ranks may own no rows. A value of P + 1 numbers, the same on all ranks.
class LINDEN_EXPORT Partition {
public:
    /// Ranges of equal length; where they do not come out even the first ranks have one row more.
    /// All ranges begin with multiples of `block_rows`, as reproducible sums need it of `sum_block_rows`.
    /// @throws InvalidParameter if a number is negative, there are no ranks or block_rows < 1
    static Partition stripes(size_type rows, int ranks, size_type block_rows = 1);
    /// Collective. Rank r owns as many rows as it says, in the order of ranks. @throws InvalidParameter, RemoteError
    static Partition by_rows(const Communicator& communicator, size_type local_rows);
    /// firsts: P + 1 numbers from 0 on that do not decrease. @throws InvalidParameter
    explicit Partition(std::vector<std::int64_t> firsts);

    int num_ranks() const { return static_cast<int>(firsts_.size()) - 1; }
    /// Of all ranks together.
    size_type num_rows() const { return firsts_.back(); }
    size_type first(int rank) const { return firsts_[static_cast<std::size_t>(rank)]; }
    size_type num_rows(int rank) const { return first(rank + 1) - first(rank); }
    /// The rank that owns a row in [0, num_rows()).
    int owner(size_type row) const;
    /// The largest number of rows of a rank over the mean one; 1 without rows.
    double imbalance() const;

    friend bool operator==(const Partition&, const Partition&) = default;

private:
    std::vector<std::int64_t> firsts_;
};

/// A part for each row, in any order, as graph partitioners give them. To be owned by ranks, rows are numbered anew:
/// part after part, and within a part in their old order.
struct LINDEN_EXPORT Parts {
    std::vector<std::int32_t> of_row;
    int num_parts = 0;

    /// Reads a file of METIS's form, one part per line, counted from 0.
    /// @throws FileError naming the line if it cannot be read, a number is not in [0, num_parts) or there are not
    /// `rows` of them
    static Parts read(const std::string& path, size_type rows, int num_parts);
    /// @throws FileError
    void write(const std::string& path) const;
    /// By METIS, so that few entries lie between parts. Parts may be empty where there are few rows.
    /// @throws NotSupported if the build has no METIS, InvalidParameter if the matrix is not square
    template <class V, class I>
    static Parts metis(const CsrData<V, I>& matrix, int num_parts);

    /// Rank r owns part r. @throws InvalidParameter if a part is not in [0, num_parts)
    Partition partition() const;
    /// The new number of each row.
    std::vector<std::int64_t> new_numbers() const;
};

/// What a partition costs: the numbers of each part.
struct LINDEN_EXPORT PartitionReport {
    struct Part {
        size_type rows = 0, nonzeros = 0;
        size_type ghosts = 0;      ///< rows of other parts whose values its product needs
        size_type neighbours = 0;  ///< parts that own them
    };
    std::vector<Part> parts;
    size_type edge_cut = 0;  ///< entries whose row and column belong to different parts

    double row_imbalance() const;  ///< the most rows over the mean
    size_type max_ghosts() const;
    size_type max_neighbours() const;
};

/// @throws InvalidParameter if there are not as many rows as the parts say
template <class V, class I>
LINDEN_EXPORT PartitionReport report(const CsrData<V, I>& matrix, const Parts& parts);

}  // namespace linden::distributed
