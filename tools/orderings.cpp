#include "tools/orderings.hpp"

#include <algorithm>

#include "tools/report.hpp"

namespace linden::tool {

size_type OrderingsReport::largest_block() const
{
    return block_sizes.empty() ? 0 : *std::max_element(block_sizes.begin(), block_sizes.end());
}

size_type OrderingsReport::num_single_blocks() const
{
    return std::count(block_sizes.begin(), block_sizes.end(), size_type{1});
}

std::string OrderingsReport::text() const
{
    const auto column = [](std::string text, std::size_t width) {
        return std::string(width - std::min(width, text.size()), ' ') + text;
    };
    const auto fill = [&](size_type entries) {
        return column(std::to_string(entries), 14) +
               column(bytes(static_cast<std::uint64_t>(entries * bytes_of_entry)), 13);
    };
    std::string text =
        "\nordering            bandwidth      profile    Cholesky L        bytes        LU L+U        bytes"
        "      LU bound    order in\n";
    for (const auto& row : orderings) {
        text += row.name + column("", 18 - row.name.size());
        if (!row.why_not.empty()) {
            text += "  " + row.why_not + "\n";
            continue;
        }
        text += column(std::to_string(row.sizes.bandwidth), 11) + column(std::to_string(row.sizes.profile), 13) +
                fill(row.sizes.cholesky) + fill(row.sizes.lu) + column(std::to_string(row.sizes.lu_bound), 14) +
                column(tool::seconds(row.seconds), 12) + "\n";
    }
    text += "Entries of factors of A + A^T";
    text += is_matched ? ", columns matched with rows first" : "";
    text += "; LU bound: of L + U with any row pivots.\n\n";
    text += "block triangular    " + std::to_string(block_sizes.size()) + " blocks, the largest of " +
            std::to_string(largest_block()) + " rows, " + std::to_string(num_single_blocks()) + " of one row\n";
    if (horizontal_columns > 0 || vertical_rows > 0) {
        text += "                    and " + std::to_string(horizontal_rows) + " rows with " +
                std::to_string(horizontal_columns) + " columns, " + std::to_string(vertical_rows) + " rows with " +
                std::to_string(vertical_columns) + " columns: it is singular for any values\n";
    }
    return text;
}

}  // namespace linden::tool
