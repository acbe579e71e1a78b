#pragma once

#include <linden/error.hpp>
#include <linden/io/matrix_market.hpp>
#include <linden/io/problems.hpp>

#include <algorithm>
#include <complex>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>

#include "core/base/type_lists.hpp"
#include "core/io/harwell_boeing.hpp"
#include "core/io/text_file.hpp"

#include "tools/commands.hpp"

namespace linden::tool {

namespace detail {

template <class V, class... I>
std::variant<CsrData<V, I>...> any_csr_data(TypeList<I...>);

template <class... I>
constexpr bool contains_int32(TypeList<I...>)
{
    return (... || std::is_same_v<I, std::int32_t>);
}

inline constexpr bool has_both_indices = std::variant_size_v<decltype(any_csr_data<double>(IndexTypes{}))> == 2;
/// The only index type, where there is one.
using Index = std::conditional_t<contains_int32(IndexTypes{}), std::int32_t, std::int64_t>;

/// Whether 32 bits count what the header of a file tells of: rows, columns, and entries with their mirror
/// images. @throws FileError
template <class V>
bool fits_32_bits(std::string_view text, std::string_view name)
{
    constexpr size_type most = std::numeric_limits<std::int32_t>::max();
    const auto header = parse_file_header(text, name, {std::numeric_limits<std::int64_t>::max(), is_complex<V>});
    const int images = header.symmetry == matrix_market::Symmetry::general ? 1 : 2;
    return header.size.rows <= most && header.size.cols <= most && header.num_entries <= most / images;
}

/// Whether the last line has an entry and no end: a file that has been cut off within a number looks like that, and
/// one of a program that writes no line break after the last entry.
inline bool ends_within_line(std::string_view text)
{
    auto line = text.substr(text.rfind('\n') + 1);
    const auto word = matrix_market::next_word(line);
    return !word.empty() && word.front() != '%' && !matrix_market::is_blank(text.back());
}

}  // namespace detail

/// A line on standard error if `text`, all that is in the file `path` or its end, may have been cut off.
inline void warn_of_last_line(std::string_view text, const std::string& path)
{
    if (detail::ends_within_line(text)) {
        std::fprintf(stderr,
                     "linden: %s ends without a line break; if it was cut off there, its last number is wrong\n",
                     path.c_str());
    }
}

/// The same for a file that several ranks read, each a part. What is compressed would have to be read as a whole.
inline void warn_of_last_line(const std::string& path)
{
    char end[1024];
    TextReader file(path);
    if (file.most_characters() == file.file_bytes()) {
        const auto offset = file.file_bytes() - std::min(file.file_bytes(), sizeof end);
        warn_of_last_line({end, file.read(offset, end, sizeof end)}, path);
    }
}

/// A matrix with indices of 32 bits or, where these cannot count it, of 64, as far as the build has both.
template <class V>
using AnyCsrData = decltype(detail::any_csr_data<V>(IndexTypes{}));

/// The matrix in a Matrix Market, Harwell-Boeing or Rutherford-Boeing file. @throws FileError
template <class V>
AnyCsrData<V> load_file(const std::string& path, bool warns = true)
{
    const auto text = load_text(path);
    auto matrix = [&]() -> AnyCsrData<V> {
        if constexpr (detail::has_both_indices) {
            if (detail::fits_32_bits<V>(text.view(), path)) {
                return parse_matrix<V, std::int32_t>(text.view(), path);
            }
            return parse_matrix<V, std::int64_t>(text.view(), path);
        } else {
            return parse_matrix<V, detail::Index>(text.view(), path);
        }
    }();
    if (warns) {
        warn_of_last_line(text.view(), path);
    }
    return matrix;
}

/// The vectors in such a file. @throws FileError
template <class V>
DenseData<V> load_block(const std::string& path)
{
    const auto text = load_text(path);
    auto block = parse_dense<V>(text.view(), path);
    warn_of_last_line(text.view(), path);
    return block;
}

/// What `read` returns; a file of complex values that a real V cannot hold is refused with the option that reads it.
template <class V, class F>
auto naming_value_type(F&& read)
{
    try {
        return read();
    } catch (const FileError& error) {
        const std::string_view message = error.what();
        if (message.find("values are complex") == std::string_view::npos) {
            throw;
        }
        constexpr bool has_single = has_types<std::complex<float>>, has_double = has_types<std::complex<double>>;
        throw UsageError(std::string(message) + (has_double ? ": --value-type complex128"
                                                 : has_single
                                                     ? ": --value-type complex64"
                                                     : ", which this build has none of; see LINDEN_VALUE_TYPES"));
    }
}

/// make.operator()<I>() with indices that count to `most`, if there are such.
template <class Make>
auto with_indices(size_type most, const Make& make)
{
    if constexpr (detail::has_both_indices) {
        if (most > std::numeric_limits<std::int32_t>::max()) {
            return make.template operator()<std::int64_t>();
        }
    }
    return make.template operator()<detail::Index>();
}

/// The problem that `spec` names. @throws InvalidParameter
template <class V>
AnyCsrData<V> load_problem(const std::string& spec)
{
    if constexpr (detail::has_both_indices) {
        try {
            return generate_problem<V, std::int32_t>(spec);
        } catch (const InvalidParameter&) {
            // It is too large, which is known before anything is generated, or wrong, and refused again.
            return generate_problem<V, std::int64_t>(spec);
        }
    } else {
        return generate_problem<V, detail::Index>(spec);
    }
}

}  // namespace linden::tool
