#pragma once

#include <linden/matrix/csr.hpp>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace linden {

/// Defects of a Csr matrix, and properties of its diagonal worth knowing.
enum class Finding : std::uint8_t {
    row_pointers,      ///< rows whose pointers decrease, leave [0, nonzeros], or do not start or end there
    out_of_bounds,     ///< entries whose column is outside of the matrix
    unsorted,          ///< entries with a smaller column than their predecessor
    duplicate,         ///< entries with the column of their predecessor
    not_finite,        ///< entries that are NaN or infinite
    missing_diagonal,  ///< rows without a diagonal entry; not an error
    zero_diagonal      ///< rows with a zero diagonal entry; not an error
};
inline constexpr int num_findings = 7;

constexpr std::string_view name(Finding f)
{
    constexpr std::string_view names[] = {"row_pointers", "out_of_bounds",    "unsorted",     "duplicate",
                                          "not_finite",   "missing_diagonal", "zero_diagonal"};
    return names[static_cast<int>(f)];
}

/// The result of `validate`.
struct ValidationReport {
    struct Item {
        size_type count = 0;
        size_type first_row = -1;  ///< -1 if there is none
    };

    Dim size;
    size_type num_nonzeros = 0;
    std::array<Item, num_findings> items;

    const Item& operator[](Finding f) const { return items[static_cast<std::size_t>(f)]; }
    /// Whether the matrix is valid: no findings except missing or zero diagonal entries.
    bool ok() const;
    /// Whether every diagonal entry is present and nonzero.
    bool has_full_diagonal() const;
    /// One line of summary and one line per finding.
    std::string text() const;
};

/// Checks row pointers, column bounds, column order, duplicates, the diagonal, and that values are finite, in one pass
/// on the matrix's executor, and waits for it. In unsorted rows only adjacent duplicates are found.
template <class V, class I>
LINDEN_EXPORT ValidationReport validate(const Csr<V, I>& matrix);

}  // namespace linden
