#pragma once

#include "core/io/fortran_format.hpp"
#include "core/io/matrix_market_entries.hpp"

#include <string>
#include <string_view>
#include <vector>

/// Files of the Harwell-Boeing [DuffEtAl89] and Rutherford-Boeing [DuffEtAl97] collections with an assembled matrix:
/// four or five lines of header, then columns of numbers in Fortran formats, which the header tells. Both are read
/// alike: they differ in the right-hand sides, which only Harwell-Boeing files have behind the matrix.
namespace linden::harwell_boeing {

/// Lines whose numbers have one format.
struct Section {
    FortranFormat format;
    size_type num_lines = 0;
    size_type first_line = 0;  ///< 1-based
};

struct Header {
    matrix_market::Header matrix;  ///< size, field, symmetry, number of stored entries and the line of the size
    Section pointers, rows, values, rhs;
    bool rhs_is_full = true;  ///< else stored as the columns of a sparse matrix
    size_type num_rhs = 0;
    size_type num_rhs_entries = 0;  ///< of sparse right-hand sides
};

/// Whether a text that is no Matrix Market file looks like one of these: by the line of sizes or the type of the
/// matrix.
bool is_harwell_boeing(std::string_view text);

/// Reads the first lines. Sizes and field are checked against `limits`, the number of entries against the length of
/// the text.
/// @throws FileError, also for matrices that are not assembled
Header parse_header(std::string_view text, std::string_view name, matrix_market::Limits limits);

/// The entries in the order of the file, with the mirror images of symmetric files. Pieces are for parallel work.
/// @throws FileError
template <class V, class I>
std::vector<matrix_market::Chunk<V, I>> parse_entries(std::string_view text, std::string_view name,
                                                      const Header& header);

/// The right-hand sides: rows x num_rhs, row by row.
/// @throws FileError, also if there are none
template <class V>
std::vector<V> parse_rhs(std::string_view text, std::string_view name, const Header& header);

}  // namespace linden::harwell_boeing

namespace linden {

/// Size, field, symmetry and stored entries of the matrix in a file of any kind. @throws FileError
matrix_market::Header parse_file_header(std::string_view text, std::string_view name, matrix_market::Limits limits);

}  // namespace linden
