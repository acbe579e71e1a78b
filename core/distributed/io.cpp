#include <linden/distributed/io.hpp>
#include <linden/error.hpp>
#include <linden/io/problems.hpp>

#include <algorithm>
#include <complex>
#include <numeric>
#include <utility>

#include "core/base/type_lists.hpp"
#include "core/distributed/shared_file.hpp"
#include "core/io/stencil_rows.hpp"

// instantiate: distributed::OwnRows<V> distributed::read_rows<V>(const Communicator&, const std::string&)
// instantiate: DenseData<V> distributed::read_block<V>(const Communicator&, const Partition&, const std::string&)
// instantiate: distributed::OwnRows<V> distributed::generate_rows<V>(const Communicator&, const std::string&)
// instantiate: distributed::Matrix<V, I> distributed::generate_matrix<V, I>(const Executor&, const Communicator&, const std::string&)

namespace linden::distributed {
namespace {

Partition stripes_for(const Communicator& ranks, size_type rows)
{
    return Partition::stripes(rows, ranks.size(), ranks.is_reproducible() ? sum_block_rows : 1);
}

/// Rows in CSR of entries that arrive twice, in the order of the file: first they are counted, then taken.
template <class V>
class RowAssembly {
public:
    RowAssembly(std::int64_t first, Dim size) : first_(first)
    {
        out_.size = size;
        out_.row_ptrs.resize(static_cast<std::size_t>(size.rows) + 1);
    }

    void count(const Triplets<V>& triplets)
    {
        for (const auto& rows : triplets.rows) {
            for (const auto row : rows) {
                ++out_.row_ptrs[static_cast<std::size_t>(row - first_) + 1];
            }
        }
    }
    void make_room()
    {
        std::partial_sum(out_.row_ptrs.begin(), out_.row_ptrs.end(), out_.row_ptrs.begin());
        next_ = out_.row_ptrs;
        out_.col_idxs.resize(static_cast<std::size_t>(out_.row_ptrs.back()));
        out_.values.resize(static_cast<std::size_t>(out_.row_ptrs.back()));
    }
    void take(const Triplets<V>& triplets)
    {
        for (std::size_t r = 0; r < triplets.rows.size(); ++r) {
            for (std::size_t i = 0; i < triplets.rows[r].size(); ++i) {
                const auto k =
                    static_cast<std::size_t>(next_[static_cast<std::size_t>(triplets.rows[r][i] - first_)]++);
                out_.col_idxs[k] = triplets.cols[r][i];
                out_.values[k] = triplets.values[r][i];
            }
        }
    }
    /// Sorts rows; duplicates are summed in the order in which they came.
    CsrData<V, std::int64_t> finish();

private:
    std::int64_t first_;
    std::vector<std::int64_t> next_;  ///< place of a row's next entry
    CsrData<V, std::int64_t> out_;
};

template <class V>
CsrData<V, std::int64_t> RowAssembly<V>::finish()
{
    std::vector<std::pair<std::int64_t, V>> entries;
    std::size_t begin = 0;
    std::size_t to = 0;
    for (std::size_t row = 1; row < out_.row_ptrs.size(); ++row) {
        const auto end = static_cast<std::size_t>(out_.row_ptrs[row]);
        entries.clear();
        for (; begin < end; ++begin) {
            entries.emplace_back(out_.col_idxs[begin], out_.values[begin]);
        }
        std::stable_sort(entries.begin(), entries.end(),
                         [](const auto& a, const auto& b) { return a.first < b.first; });
        const auto first = to;
        for (const auto& [col, value] : entries) {
            if (to > first && out_.col_idxs[to - 1] == col) {
                out_.values[to - 1] += value;
            } else {
                out_.col_idxs[to] = col;
                out_.values[to++] = value;
            }
        }
        out_.row_ptrs[row] = static_cast<std::int64_t>(to);
    }
    out_.col_idxs.resize(to);
    out_.values.resize(to);
    return std::move(out_);
}

}  // namespace

template <class V>
OwnRows<V> read_rows(const Communicator& communicator, const std::string& path)
{
    SharedFile file(communicator, path);
    const auto header = file.header(is_complex<V>, SharedFile::Content::matrix);
    const auto partition = stripes_for(communicator, header.size.rows);
    const int rank = communicator.rank();
    auto rows = communicator.agree_after([&] {
        return RowAssembly<V>(partition.first(rank), {partition.num_rows(rank), header.size.cols});
    });
    file.read<V>(header, partition, false, [&](const auto& triplets) { rows.count(triplets); });
    communicator.agree_after([&] { rows.make_room(); });
    file.read<V>(header, partition, true, [&](const auto& triplets) { rows.take(triplets); });
    return OwnRows<V>{partition, communicator.agree_after([&] { return rows.finish(); })};
}

template <class V>
DenseData<V> read_block(const Communicator& communicator, const Partition& partition, const std::string& path)
{
    SharedFile file(communicator, path);
    const auto header = file.header(is_complex<V>, SharedFile::Content::block);
    const auto first = partition.first(communicator.rank());
    auto block = communicator.agree_after([&] {
        if (header.size.rows != partition.num_rows()) {
            throw DimensionMismatch("distributed::read_block", path, header.size, "the rows of the partition",
                                    {partition.num_rows(), header.size.cols});
        }
        const Dim size{partition.num_rows(communicator.rank()), header.size.cols};
        return DenseData<V>{size, std::vector<V>(static_cast<std::size_t>(size.rows * size.cols))};
    });
    file.read<V>(header, partition, true, [&](const auto& triplets) {
        for (std::size_t r = 0; r < triplets.rows.size(); ++r) {
            for (std::size_t i = 0; i < triplets.rows[r].size(); ++i) {
                block.at(triplets.rows[r][i] - first, triplets.cols[r][i]) += triplets.values[r][i];
            }
        }
    });
    return block;
}

template <class V>
OwnRows<V> generate_rows(const Communicator& communicator, const std::string& spec)
{
    return communicator.agree_after([&] {
        const int rank = communicator.rank();
        const auto num_rows = linden::detail::num_stencil_rows(spec);
        if (num_rows >= 0) {
            auto partition = stripes_for(communicator, num_rows);
            auto rows = linden::detail::stencil_rows<V>(spec, partition.first(rank), partition.first(rank + 1));
            return OwnRows<V>{std::move(partition), std::move(rows)};
        }
        const auto whole = generate_problem<V, DefaultIndex>(spec);
        auto partition = stripes_for(communicator, whole.size.rows);
        CsrData<V, std::int64_t> rows{{partition.num_rows(rank), whole.size.cols}, {}, {}, {}};
        const auto begin = whole.row_ptrs.begin() + partition.first(rank);
        const auto end = whole.row_ptrs.begin() + partition.first(rank + 1);
        std::transform(begin, end + 1, std::back_inserter(rows.row_ptrs),
                       [&](auto ptr) { return std::int64_t{ptr} - *begin; });
        rows.col_idxs.assign(whole.col_idxs.begin() + *begin, whole.col_idxs.begin() + *end);
        rows.values.assign(whole.values.begin() + *begin, whole.values.begin() + *end);
        return OwnRows<V>{std::move(partition), std::move(rows)};
    });
}

template <class V, class I>
Matrix<V, I> generate_matrix(const Executor& exec, const Communicator& communicator, const std::string& spec)
{
    const auto num_rows = communicator.agree_after([&] { return linden::detail::num_stencil_rows(spec); });
    if (num_rows < 0) {
        auto own = generate_rows<V>(communicator, spec);
        return Matrix<V, I>(exec, communicator, std::move(own.partition), own.rows);
    }
    const auto partition = stripes_for(communicator, num_rows);
    const auto first = partition.first(communicator.rank());
    return Matrix<V, I>(exec, communicator, partition, [&](size_type begin, size_type end) {
        return linden::detail::stencil_rows<V>(spec, first + begin, first + end);
    });
}

}  // namespace linden::distributed
