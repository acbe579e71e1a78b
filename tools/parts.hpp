#pragma once

#include <linden/distributed/partition.hpp>

#include <string>
#include <vector>

/// Parts of a matrix that each rank has as a whole.
namespace linden::tool {

/// The parts that --partition names. @throws UsageError, FileError, NotSupported
template <class V, class I>
distributed::Parts parts_of(const std::string& partition, const CsrData<V, I>& matrix, int num_parts)
{
    if (partition == "metis") {
        return distributed::Parts::metis(matrix, num_parts);
    }
    if (partition != "stripes") {
        return distributed::Parts::read(partition, matrix.size.rows, num_parts);
    }
    const auto stripes = distributed::Partition::stripes(matrix.size.rows, num_parts);
    distributed::Parts parts{{}, num_parts};
    for (int part = 0; part < num_parts; ++part) {
        parts.of_row.insert(parts.of_row.end(), static_cast<std::size_t>(stripes.num_rows(part)), part);
    }
    return parts;
}

/// The rows of one rank, with rows and columns numbered part after part.
template <class V, class I>
CsrData<V, std::int64_t> renumbered_rows(const CsrData<V, I>& whole, const distributed::Parts& parts,
                                         const std::vector<std::int64_t>& numbers, int rank)
{
    CsrData<V, std::int64_t> rows;
    rows.size.cols = whole.size.cols;
    rows.row_ptrs.push_back(0);
    for (std::size_t row = 0; row < numbers.size(); ++row) {
        if (parts.of_row[row] != rank) {
            continue;
        }
        for (auto k = static_cast<std::size_t>(whole.row_ptrs[row]);
             k < static_cast<std::size_t>(whole.row_ptrs[row + 1]); ++k) {
            rows.col_idxs.push_back(numbers[static_cast<std::size_t>(whole.col_idxs[k])]);
            rows.values.push_back(whole.values[k]);
        }
        rows.row_ptrs.push_back(static_cast<std::int64_t>(rows.col_idxs.size()));
        ++rows.size.rows;
    }
    return rows;
}

}  // namespace linden::tool
