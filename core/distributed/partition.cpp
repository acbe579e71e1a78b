#include <linden/distributed/partition.hpp>
#include <linden/error.hpp>

#include <algorithm>
#include <charconv>
#include <string>

#include "core/deflation/metis/partition.hpp"
#include "core/distributed/part_counts.hpp"
#include "core/io/text_file.hpp"

// instantiate: distributed::Parts distributed::Parts::metis<V, I>(const CsrData<V, I>&, int)
// instantiate: distributed::PartitionReport distributed::report<V, I>(const CsrData<V, I>&, const distributed::Parts&)

namespace linden::distributed {
namespace {

void check_num_ranks(std::string_view name, int ranks)
{
    if (ranks < 1) {
        throw InvalidParameter(name, std::to_string(ranks), "at least 1");
    }
}

std::size_t index(std::int64_t i) { return static_cast<std::size_t>(i); }

/// The graph of a matrix's pattern in both directions, without the diagonal.
template <class V, class I>
detail::Graph graph_of(const CsrData<V, I>& a)
{
    const auto n = index(a.size.rows);
    std::vector<std::vector<size_type>> neighbours(n);
    for (std::size_t row = 0; row < n; ++row) {
        for (auto k = a.row_ptrs[row]; k < a.row_ptrs[row + 1]; ++k) {
            const auto col = static_cast<std::size_t>(a.col_idxs[index(k)]);
            if (col != row) {
                neighbours[row].push_back(static_cast<size_type>(col));
                neighbours[col].push_back(static_cast<size_type>(row));
            }
        }
    }
    detail::Graph graph;
    for (auto& list : neighbours) {
        std::sort(list.begin(), list.end());
        list.erase(std::unique(list.begin(), list.end()), list.end());
        graph.neighbours.insert(graph.neighbours.end(), list.begin(), list.end());
        graph.ptrs.push_back(static_cast<size_type>(graph.neighbours.size()));
        list = {};
    }
    return graph;
}

}  // namespace

Partition Partition::stripes(size_type rows, int ranks, size_type block_rows)
{
    check_num_ranks("ranks", ranks);
    if (rows < 0) {
        throw InvalidParameter("rows", std::to_string(rows), "at least 0");
    }
    if (block_rows < 1) {
        throw InvalidParameter("block_rows", std::to_string(block_rows), "at least 1");
    }
    const std::int64_t blocks = rows / block_rows + (rows % block_rows != 0);
    std::vector<std::int64_t> firsts;
    for (std::int64_t r = 0; r <= ranks; ++r) {
        const auto block = blocks / ranks * r + std::min<std::int64_t>(r, blocks % ranks);
        firsts.push_back(block == blocks ? rows : block * block_rows);
    }
    return Partition(std::move(firsts));
}

Partition Partition::by_rows(const Communicator& communicator, size_type local_rows)
{
    communicator.agree_after([&] {
        if (local_rows < 0) {
            throw InvalidParameter("local_rows", std::to_string(local_rows), "at least 0");
        }
    });
    std::vector<std::int64_t> firsts{0};
    for (const auto rows : communicator.all_gather(local_rows)) {
        firsts.push_back(firsts.back() + rows);
    }
    return Partition(std::move(firsts));
}

Partition::Partition(std::vector<std::int64_t> firsts) : firsts_(std::move(firsts))
{
    if (firsts_.size() < 2 || firsts_.front() != 0 || !std::is_sorted(firsts_.begin(), firsts_.end())) {
        throw InvalidParameter("firsts", std::to_string(firsts_.size()) + " numbers",
                               "two or more numbers from 0 on that do not decrease");
    }
}

int Partition::owner(size_type row) const
{
    return static_cast<int>(std::upper_bound(firsts_.begin(), firsts_.end(), row) - firsts_.begin()) - 1;
}

double Partition::imbalance() const
{
    size_type most = 0;
    for (int rank = 0; rank < num_ranks(); ++rank) {
        most = std::max(most, num_rows(rank));
    }
    return num_rows() == 0 ? 1 : static_cast<double>(most) * num_ranks() / static_cast<double>(num_rows());
}

Parts Parts::read(const std::string& path, size_type rows, int num_parts)
{
    check_num_ranks("num_parts", num_parts);
    const auto text = load_text(path);
    const char* at = text.view().data();
    const char* const end = at + text.size();
    const auto is_space = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
    Parts parts{{}, num_parts};
    for (std::int64_t line = 1; at != end; ++line) {
        const char* const line_end = std::find(at, end, '\n');
        at = std::find_if_not(at, line_end, is_space);
        if (at != line_end) {
            std::int32_t part = 0;
            const auto [stop, error] = std::from_chars(at, line_end, part);
            if (error != std::errc{} || std::find_if_not(stop, line_end, is_space) != line_end || part < 0 ||
                part >= num_parts) {
                throw FileError(
                    path, line,
                    "'" + std::string(at, line_end) + "' is not a part from 0 to " + std::to_string(num_parts - 1));
            }
            parts.of_row.push_back(part);
        }
        at = line_end == end ? end : line_end + 1;
    }
    if (static_cast<size_type>(parts.of_row.size()) != rows) {
        throw FileError(
            path, 0, "it has " + std::to_string(parts.of_row.size()) + " parts for " + std::to_string(rows) + " rows");
    }
    return parts;
}

void Parts::write(const std::string& path) const
{
    std::string text;
    for (const auto part : of_row) {
        text += std::to_string(part) + '\n';
    }
    TextWriter file(path);
    file.write(text);
    file.close();
}

template <class V, class I>
Parts Parts::metis(const CsrData<V, I>& matrix, int num_parts)
{
    check_num_ranks("num_parts", num_parts);
    if (matrix.size.rows != matrix.size.cols) {
        throw InvalidParameter("matrix", std::to_string(matrix.size.rows) + " x " + std::to_string(matrix.size.cols),
                               "a square matrix");
    }
    if (matrix.size.rows == 0) {
        return {{}, num_parts};
    }
    const auto found = detail::parts_by_metis(graph_of(matrix), num_parts);
    return {{found.begin(), found.end()}, num_parts};
}

Partition Parts::partition() const
{
    check_num_ranks("num_parts", num_parts);
    std::vector<std::int64_t> firsts(static_cast<std::size_t>(num_parts) + 1);
    for (const auto part : of_row) {
        if (part < 0 || part >= num_parts) {
            throw InvalidParameter("part", std::to_string(part), "from 0 to " + std::to_string(num_parts - 1));
        }
        ++firsts[static_cast<std::size_t>(part) + 1];
    }
    for (std::size_t part = 0; part + 1 < firsts.size(); ++part) {
        firsts[part + 1] += firsts[part];
    }
    return Partition(std::move(firsts));
}

std::vector<std::int64_t> Parts::new_numbers() const
{
    const auto ranges = partition();
    std::vector<std::int64_t> next;
    for (int part = 0; part < num_parts; ++part) {
        next.push_back(ranges.first(part));
    }
    std::vector<std::int64_t> numbers;
    numbers.reserve(of_row.size());
    for (const auto part : of_row) {
        numbers.push_back(next[static_cast<std::size_t>(part)]++);
    }
    return numbers;
}

double PartitionReport::row_imbalance() const
{
    size_type most = 0;
    size_type sum = 0;
    for (const auto& part : parts) {
        most = std::max(most, part.rows);
        sum += part.rows;
    }
    return sum == 0 ? 1 : static_cast<double>(most) * static_cast<double>(parts.size()) / static_cast<double>(sum);
}

size_type PartitionReport::max_ghosts() const
{
    size_type most = 0;
    for (const auto& part : parts) {
        most = std::max(most, part.ghosts);
    }
    return most;
}

size_type PartitionReport::max_neighbours() const
{
    size_type most = 0;
    for (const auto& part : parts) {
        most = std::max(most, part.neighbours);
    }
    return most;
}

template <class V, class I>
PartitionReport report(const CsrData<V, I>& matrix, const Parts& parts)
{
    const auto n = index(matrix.size.rows);
    if (parts.of_row.size() != n || matrix.size.rows != matrix.size.cols) {
        throw InvalidParameter("parts", std::to_string(parts.of_row.size()) + " rows",
                               "as many as the square matrix has, " + std::to_string(n));
    }
    PartitionReport result;
    result.parts.resize(index(parts.num_parts));
    const auto needed = count_rows(
        matrix, parts.of_row, [&](std::int64_t col) { return parts.of_row[index(col)]; }, result);
    count_ghosts(needed, result);
    return result;
}

}  // namespace linden::distributed
