#include "core/distributed/spread_statistics.hpp"

#include <algorithm>

#include "core/base/math.hpp"
#include "core/distributed/transport.hpp"
#include "core/matrix/statistics_of_counts.hpp"

// instantiate: MatrixStatistics distributed::spread_statistics(const distributed::Matrix<V, I>&)

namespace linden::distributed {
namespace {

/// An entry whose mirror image another rank has, and the largest magnitude of its row.
template <class V>
struct FarEntry {
    std::int64_t row, col;
    V value;
    double largest;
};

/// The counts of the own rows of a rank.
template <class V>
class RowCounter {
public:
    RowCounter(const Partition& partition, int rank, CsrData<V, std::int64_t> rows)
        : partition_(partition),
          first_(partition.first(rank)),
          rows_(std::move(rows)),
          far_(static_cast<std::size_t>(partition.num_ranks()))
    {
        for (size_type row = 0; row < rows_.size.rows; ++row) {
            count_pattern(row);
            count_values(row);
        }
    }

    /// Entries whose mirror images each of the ranks has.
    const std::vector<std::vector<FarEntry<V>>>& far_entries() const { return far_; }
    /// Entries of other ranks whose mirror images are here.
    void count_mirrored_here(const std::vector<FarEntry<V>>& entries)
    {
        for (const auto& entry : entries) {
            compare(entry, counts_.values);
        }
    }
    const linden::detail::MatrixCounts& counts() const { return counts_; }

private:
    auto begin_of(size_type row) const { return rows_.row_ptrs[static_cast<std::size_t>(row)]; }
    size_type length_of(size_type row) const { return begin_of(row + 1) - begin_of(row); }

    void count_pattern(size_type row)
    {
        auto& c = counts_.pattern;
        const auto length = length_of(row);
        c.shortest_row = std::min(c.shortest_row, length);
        c.longest_row = std::max(c.longest_row, length);
        c.squared_lengths += length * length;
        ++c.rows_of_class[length_class(length)];
        for (auto k = begin_of(row); k < begin_of(row + 1); ++k) {
            const auto distance = rows_.col_idxs[static_cast<std::size_t>(k)] - (first_ + row);
            c.lower_bandwidth = std::max(c.lower_bandwidth, -distance);
            c.upper_bandwidth = std::max(c.upper_bandwidth, distance);
            c.num_diagonal += distance == 0;
        }
    }

    void count_values(size_type row)
    {
        const auto number = first_ + row;
        RowValues found{};
        for (auto k = static_cast<std::size_t>(begin_of(row)); k < static_cast<std::size_t>(begin_of(row + 1)); ++k) {
            const V value = rows_.values[k];
            add_entry(static_cast<double>(std::abs(value)), static_cast<double>(real(value)), value == conj(value),
                      rows_.col_idxs[k] == number, found);
        }
        for (auto k = static_cast<std::size_t>(begin_of(row)); k < static_cast<std::size_t>(begin_of(row + 1)); ++k) {
            const FarEntry<V> entry{number, rows_.col_idxs[k], rows_.values[k], found.largest};
            if (is_own(entry.col)) {
                compare(entry, counts_.values);
            } else {
                far_[static_cast<std::size_t>(partition_.owner(entry.col))].push_back(entry);
            }
        }
        count_row_values(found, length_of(row), true, std::numeric_limits<real_t<V>>::epsilon(), counts_.values);
    }

    bool is_own(std::int64_t number) const { return number >= first_ && number < first_ + rows_.size.rows; }

    /// entry.col is an own row.
    void compare(const FarEntry<V>& entry, ValueCounts& counts) const
    {
        const auto row = entry.col - first_;
        const auto begin = rows_.col_idxs.begin() + begin_of(row);
        const auto end = rows_.col_idxs.begin() + begin_of(row + 1);
        const auto at = std::lower_bound(begin, end, entry.row);
        const bool is_there = at != end && *at == entry.row;
        const V mirrored = is_there ? rows_.values[static_cast<std::size_t>(at - rows_.col_idxs.begin())] : V{};
        count_mirrored(entry.value, mirrored, is_there, entry.largest, counts);
    }

    const Partition& partition_;
    std::int64_t first_;
    CsrData<V, std::int64_t> rows_;
    std::vector<std::vector<FarEntry<V>>> far_;
    linden::detail::MatrixCounts counts_{no_counts(), no_value_counts()};
};

}  // namespace

template <class V, class I>
MatrixStatistics spread_statistics(const Matrix<V, I>& matrix)
{
    const auto ranks = matrix.communicator();
    auto counter = ranks.agree_after([&] { return RowCounter<V>(matrix.partition(), ranks.rank(), matrix.rows()); });
    for (const auto& entries : ranks.guard([&] { return detail::exchange_lists(ranks, counter.far_entries()); })) {
        counter.count_mirrored_here(entries);
    }
    linden::detail::MatrixCounts all{no_counts(), no_value_counts()};
    for (const auto& theirs : ranks.all_gather(counter.counts())) {
        join(all.pattern, theirs.pattern);
        join(all.values, theirs.values);
    }
    size_type num_nonzeros = 0;
    for (const auto theirs : ranks.all_gather(matrix.num_nonzeros())) {
        num_nonzeros += theirs;
    }
    const auto num_rows = matrix.partition().num_rows();
    return linden::detail::statistics_of({num_rows, num_rows}, num_nonzeros, all);
}

}  // namespace linden::distributed
