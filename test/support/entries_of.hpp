#pragma once

#include <linden/matrix_data.hpp>

#include <cstdint>
#include <vector>

namespace linden::test {

/// The square matrix with these rows, zeros left out.
inline CsrData<double, std::int32_t> entries_of(const std::vector<std::vector<double>>& rows)
{
    const auto n = static_cast<size_type>(rows.size());
    CsrData<double, std::int32_t> a{{n, n}, {0}, {}, {}};
    for (const auto& row : rows) {
        for (std::size_t j = 0; j < row.size(); ++j) {
            if (row[j] != 0) {
                a.col_idxs.push_back(static_cast<std::int32_t>(j));
                a.values.push_back(row[j]);
            }
        }
        a.row_ptrs.push_back(static_cast<std::int32_t>(a.values.size()));
    }
    return a;
}

}  // namespace linden::test
