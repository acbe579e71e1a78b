#pragma once

#include <linden/matrix/csr.hpp>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace linden {

/// What can be wrong with a Csr matrix, or worth knowing.
enum class Finding : std::uint8_t {
    row_pointers,      ///< rows whose pointers decrease, leave [0, nonzeros], or do not start or end there
    out_of_bounds,     ///< entries whose column is not in the matrix
    unsorted,          ///< entries left of their predecessor
    duplicate,         ///< entries in the column of their predecessor
    not_finite,        ///< entries with NaN or infinity
    missing_diagonal,  ///< rows without an entry on the diagonal; no error
    zero_diagonal      ///< rows with a zero there; no error
};
inline constexpr int num_findings = 7;

constexpr std::string_view name(Finding f)
{
    constexpr std::string_view names[] = {"row_pointers", "out_of_bounds",    "unsorted",     "duplicate",
                                          "not_finite",   "missing_diagonal", "zero_diagonal"};
    return names[static_cast<int>(f)];
}

/// What `validate` found.
struct LINDEN_EXPORT ValidationReport {
    struct Item {
        size_type count = 0;
        size_type first_row = -1;  ///< -1 if there is none
    };

    Dim size;
    size_type num_nonzeros = 0;
    std::array<Item, num_findings> items;

    const Item& operator[](Finding f) const { return items[static_cast<std::size_t>(f)]; }
    /// Whether operators may work with the matrix: nothing but, perhaps, zeros on the diagonal.
    bool ok() const;
    /// Whether every diagonal entry is there and not zero.
    bool has_full_diagonal() const;
    /// A line for the whole and one for each finding.
    std::string text() const;
};

/// Checks row pointers, column bounds and order, duplicates, the diagonal, and that values are finite, in one pass on
/// the matrix's executor, and waits for it. In rows that are not sorted a duplicate is seen only next to its twin.
template <class V, class I>
LINDEN_EXPORT ValidationReport validate(const Csr<V, I>& matrix);

}  // namespace linden
