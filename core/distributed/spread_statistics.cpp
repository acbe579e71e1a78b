#include "core/distributed/spread_statistics.hpp"

#include <algorithm>

#include "core/base/math.hpp"
#include "core/distributed/matrix_parts.hpp"
#include "core/distributed/transport.hpp"
#include "core/kernels/array.hpp"
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

/// The rows at the rim, on the host: what they have in columns of other ranks, and those have in theirs.
template <class V, class I>
class RimRows {
public:
    template <class Parts>
    explicit RimRows(const Parts& parts)
        : first_(parts.first_row()),
          ghosts_(parts.halo.map().ghosts),
          num_lower_(parts.num_lower_ghosts),
          num_own_(parts.rim_own.size()),
          rows_(parts.rim_rows.to_host()),
          rim_(parts.rim.to_host())
    {
    }

    /// Calls f(entry) for each entry in a column of another rank.
    template <class F>
    void for_each_far(const F& f) const
    {
        for (std::size_t i = 0; i < rows_.size(); ++i) {
            const auto begin = static_cast<std::size_t>(rim_.row_ptrs[i]);
            const auto end = static_cast<std::size_t>(rim_.row_ptrs[i + 1]);
            double largest = 0;
            for (auto k = begin; k < end; ++k) {
                const auto size = static_cast<double>(magnitude(rim_.values[k]));
                largest = size > largest ? size : largest;
            }
            for (auto k = begin; k < end; ++k) {
                const auto col = static_cast<size_type>(rim_.col_idxs[k]);
                if (col < num_lower_ || col >= num_lower_ + num_own_) {
                    const auto ghost = static_cast<std::size_t>(col < num_lower_ ? col : col - num_own_);
                    f(FarEntry<V>{first_ + rows_[i], ghosts_[ghost], rim_.values[k], largest});
                }
            }
        }
    }
    /// Compares an entry of another rank, whose column is an own row, with its mirror image.
    void count_mirrored_here(const FarEntry<V>& entry, ValueCounts& counts) const
    {
        V mirrored{};
        bool is_there = false;
        const auto row = std::lower_bound(rows_.begin(), rows_.end(), static_cast<I>(entry.col - first_));
        const auto ghost = std::lower_bound(ghosts_.begin(), ghosts_.end(), entry.row);
        if (row != rows_.end() && *row == entry.col - first_ && ghost != ghosts_.end() && *ghost == entry.row) {
            const auto place = ghost - ghosts_.begin();
            const auto col = static_cast<I>(place < num_lower_ ? place : place + num_own_);
            const auto i = static_cast<std::size_t>(row - rows_.begin());
            const auto begin = rim_.col_idxs.begin() + rim_.row_ptrs[i],
                       end = rim_.col_idxs.begin() + rim_.row_ptrs[i + 1];
            const auto at = std::lower_bound(begin, end, col);
            is_there = at != end && *at == col;
            mirrored = is_there ? rim_.values[static_cast<std::size_t>(at - rim_.col_idxs.begin())] : V{};
        }
        count_mirrored(entry.value, mirrored, is_there, entry.largest, counts);
    }

private:
    std::int64_t first_;
    const std::vector<std::int64_t>& ghosts_;
    size_type num_lower_, num_own_;
    std::vector<I> rows_;
    CsrData<V, I> rim_;
};

/// What the kernels count of the own rows, to whom columns of other ranks lie outside of the matrix: their entries
/// count as if there were no mirror images.
template <class V, class I>
linden::detail::MatrixCounts counts_of_own(const Matrix<V, I>& matrix, size_type num_lower_ghosts)
{
    const auto& exec = matrix.executor();
    const auto rows = matrix.with_ghosts();
    Array<I> cols(exec, rows.num_nonzeros());
    array_shift<I>(exec, cols.size(), static_cast<I>(-num_lower_ghosts), rows.col_idxs(), cols.data());
    const auto n = rows.size().rows;
    const CsrView<V, I> own{n, n, cols.size(), rows.row_ptrs(), cols.data(), rows.values()};
    Array<PatternCounts> pattern(exec, 1);
    Array<ValueCounts> values(exec, 1);
    pattern_statistics<I>(exec, own, pattern.data());
    csr_statistics<V, I>(exec, own, values.data());
    linden::detail::MatrixCounts counts{pattern.to_host().front(), values.to_host().front()};
    counts.pattern.first_malformed = PatternCounts::no_row;
    return counts;
}

void take_back(const ValueCounts& some, ValueCounts& counts)
{
    counts.num_unmirrored -= some.num_unmirrored;
    counts.num_unsymmetric -= some.num_unsymmetric;
    counts.num_not_hermitian -= some.num_not_hermitian;
    counts.num_skew -= some.num_skew;
}

}  // namespace

template <class V, class I>
MatrixStatistics spread_statistics(const Matrix<V, I>& matrix)
{
    const auto ranks = matrix.communicator();
    const auto& parts = linden::detail::SpreadParts<V, I>::of(matrix);
    std::vector<std::vector<FarEntry<V>>> far(static_cast<std::size_t>(ranks.size()));
    auto [rim, counts] = ranks.agree_after([&] {
        return std::pair{RimRows<V, I>(parts), counts_of_own(matrix, parts.num_lower_ghosts)};
    });
    ValueCounts unknown{};
    rim.for_each_far([&](const FarEntry<V>& entry) {
        // Positions among what a rank sees are no farther apart than numbers.
        counts.pattern.lower_bandwidth = std::max(counts.pattern.lower_bandwidth, entry.row - entry.col);
        counts.pattern.upper_bandwidth = std::max(counts.pattern.upper_bandwidth, entry.col - entry.row);
        count_mirrored(entry.value, V{}, false, entry.largest, unknown);
        far[static_cast<std::size_t>(matrix.partition().owner(entry.col))].push_back(entry);
    });
    take_back(unknown, counts.values);
    for (const auto& entries : ranks.guard([&] { return detail::exchange_lists(ranks, far); })) {
        for (const auto& entry : entries) {
            rim.count_mirrored_here(entry, counts.values);
        }
    }
    linden::detail::MatrixCounts all{no_counts(), no_value_counts()};
    for (const auto& theirs : ranks.all_gather(counts)) {
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
