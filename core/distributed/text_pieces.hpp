#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/io/text_file.hpp"

namespace linden::distributed {

/// Whole lines of a text.
struct TextPiece {
    std::size_t offset = 0;  ///< of the first one
    std::string_view lines;
    bool is_behind_end = false;
};

/// The text of a file, decompressed where need be, in pieces of whole lines, of which one is in memory.
class TextPieces {
public:
    /// @throws FileError, here and wherever it reads
    TextPieces(const std::string& path, std::size_t piece_bytes) : reader_(path), piece_bytes_(piece_bytes) {}

    /// The beginning up to the first line that is neither empty nor a comment (`%`), or more. Valid until the next call
    /// of a function.
    std::string_view head();
    /// The lines that begin among characters [number * piece_bytes, (number + 1) * piece_bytes). Valid as above.
    TextPiece piece(std::size_t number);
    std::size_t most_characters() const { return reader_.most_characters(); }

private:
    /// The characters [begin, end) of the text, fewer where it ends.
    std::string_view load(std::size_t begin, std::size_t end);

    TextReader reader_;
    std::size_t piece_bytes_;
    std::vector<char> loaded_;
    std::size_t offset_ = 0;  ///< of what is loaded
};

}  // namespace linden::distributed
