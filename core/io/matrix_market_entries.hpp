#pragma once

#include "core/io/matrix_market_header.hpp"

#include <linden/types.hpp>

#include <string_view>
#include <vector>

/// The entries of a Matrix Market file: cut at line ends into chunks that are parsed in parallel.
namespace linden::matrix_market {

/// The entries of one chunk, in the order of the file, with the mirror images of symmetric files. For array files
/// without rows, columns and mirror images.
template <class V, class I>
struct Chunk {
    std::vector<I> rows;
    std::vector<I> cols;
    std::vector<V> values;
    /// Entries in the text, that is without mirror images.
    size_type num_stored = 0;
};

/// Characters per chunk; small enough for the cache of a core, large enough to make threads worth it.
constexpr std::size_t default_chunk_bytes = std::size_t{1} << 20;

/// Parses everything after the header; the chunks hold header.num_entries entries together.
/// @throws FileError for the first error in the order of the file, independent of the chunks
template <class V, class I>
std::vector<Chunk<V, I>> parse_entries(std::string_view text, std::string_view name, const Header& header,
                                       std::size_t chunk_bytes = default_chunk_bytes);

/// The line that holds stored entry `entry`, counted from 0. The text must have parsed up to there.
size_type line_of_entry(std::string_view text, const Header& header, size_type entry);

/// For a decimal number outside of the range of its type, without a sign: whether it is too small rather than too
/// large. Its value then rounds to 0.
bool is_tiny(std::string_view number);

/// The value at (j, i) that `value` at (i, j) means in a file of this symmetry.
template <class V>
V mirrored(Symmetry symmetry, const V& value)
{
    if (symmetry == Symmetry::skew_symmetric) {
        return -value;
    }
    if constexpr (is_complex<V>) {
        if (symmetry == Symmetry::hermitian) {
            return {value.real(), -value.imag()};
        }
    }
    return value;
}

}  // namespace linden::matrix_market
