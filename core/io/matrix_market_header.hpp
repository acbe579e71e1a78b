#pragma once

#include <linden/types.hpp>

#include <cstdint>
#include <string>
#include <string_view>

/// The first lines of a Matrix Market file, and what the parts of the reader share: lines, words, quoting.
namespace linden::matrix_market {

enum class Field : std::uint8_t { real, integer, complex, pattern };
enum class Symmetry : std::uint8_t { general, symmetric, skew_symmetric, hermitian };

struct Header {
    bool is_array = false;
    Field field = Field::real;
    Symmetry symmetry = Symmetry::general;
    Dim size;
    /// Entries stored in the file; for an array, the values of the stored triangle.
    size_type num_entries = 0;
    /// Where the entries begin, and the line that told the size.
    std::size_t body = 0;
    size_type size_line = 0;
};

/// What the types of the caller can hold.
struct Limits {
    size_type max_index;
    bool complex_values;
    std::size_t text_bytes = 0;  ///< of the text, of which only the beginning may be shown; 0: it is all there
};

/// Reads banner and size line. Sizes and field are checked against `limits`, the number of entries against the length
/// of the text; `text` holds the header at least.
/// @throws FileError
Header parse_header(std::string_view text, std::string_view name, Limits limits);

/// Rows (or values) without any entry in the file are allowed up to this number, more only as far as the file is long.
constexpr size_type max_implied = size_type{1} << 26;

constexpr bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r' && c != '\n'); }

/// Takes the next word off `line`; empty at its end.
std::string_view next_word(std::string_view& line);

/// `word` in quotes, printable and short.
std::string quoted(std::string_view word);

/// The 1-based number of the line that holds position `offset`.
size_type line_number(std::string_view text, std::size_t offset);

/// The number of the last line.
size_type last_line(std::string_view text);

}  // namespace linden::matrix_market
