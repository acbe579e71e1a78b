#include "core/io/matrix_market_header.hpp"

#include "core/base/nearest_name.hpp"

#include <linden/error.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <utility>
#include <vector>

namespace linden::matrix_market {
namespace {

/// In the order of the enumerations.
constexpr std::array<std::string_view, 4> fields = {"real", "integer", "complex", "pattern"};
constexpr std::array<std::string_view, 4> symmetries = {"general", "symmetric", "skew-symmetric", "hermitian"};
constexpr std::array<std::string_view, 2> formats = {"coordinate", "array"};
constexpr std::array<std::string_view, 1> objects = {"matrix"};

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool same_word(std::string_view a, std::string_view b)
{
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) { return lower(x) == lower(y); });
}

/// Reads line after line and says which one was read last.
class HeaderReader {
public:
    HeaderReader(std::string_view text, std::string_view name) : text_(text), name_(name) {}

    /// False at the end of the text.
    bool next_line(std::string_view& line)
    {
        if (position_ >= text_.size()) {
            return false;
        }
        const auto end = std::min(text_.find('\n', position_), text_.size());
        line = text_.substr(position_, end - position_);
        position_ = std::min(end + 1, text_.size());
        ++line_;
        return true;
    }
    [[noreturn]] void fail(const std::string& problem) const { throw FileError(name_, line_, problem); }
    std::string_view name() const { return name_; }
    std::size_t position() const { return position_; }
    size_type line() const { return line_; }

private:
    std::string_view text_;
    std::string_view name_;
    std::size_t position_ = 0;
    size_type line_ = 0;
};

/// The index of the next word of the banner in `known`.
template <std::size_t N>
int banner_word(const HeaderReader& in, std::string_view& line, std::string_view what,
                const std::array<std::string_view, N>& known)
{
    const auto word = next_word(line);
    for (std::size_t i = 0; i < N; ++i) {
        if (same_word(word, known[i])) {
            return static_cast<int>(i);
        }
    }
    const std::vector<std::string> names(known.begin(), known.end());
    if (word.empty()) {
        in.fail("the first line ends before the " + std::string(what) + "; " + expected_one_of(word, names));
    }
    in.fail("unknown " + std::string(what) + " " + quoted(word) + "; " + expected_one_of(word.substr(0, 64), names));
}

/// What a file is compressed with that is not read here, by its first characters; empty if nothing is known.
std::string_view compression_of(std::string_view beginning)
{
    using Known = std::pair<std::string_view, std::string_view>;
    constexpr Known known[] = {{"\xfd\x37zXZ", "xz"},
                               {"BZh", "bzip2"},
                               {"\x28\xb5\x2f\xfd", "zstd"},
                               {"PK\x03\x04", "zip"},
                               {"\x1f\x9d", "compress"}};
    for (const auto& [magic, name] : known) {
        if (beginning.starts_with(magic)) {
            return name;
        }
    }
    return {};
}

void parse_banner(HeaderReader& in, Header& header)
{
    std::string_view line;
    if (!in.next_line(line)) {
        throw FileError(in.name(), 1, "the file is empty");
    }
    constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";  // of UTF-8, as editors on Windows write it
    if (line.starts_with(byte_order_mark)) {
        line.remove_prefix(byte_order_mark.size());
    }
    if (line.starts_with("\xff\xfe") || line.starts_with("\xfe\xff")) {
        in.fail("the text is UTF-16, as PowerShell writes it; save it as ASCII or UTF-8");
    }
    const auto banner = next_word(line);
    if (const auto compression = compression_of(banner); !compression.empty()) {
        in.fail("it is compressed with " + std::string(compression) + ", and only gzip is read: decompress it first");
    }
    if (!same_word(banner, "%%MatrixMarket")) {
        in.fail("not a Matrix Market file: it begins with " + quoted(banner) +
                " instead of '%%MatrixMarket'; nor a Harwell-Boeing file, whose third line begins with a type such as "
                "'RUA'");
    }
    banner_word(in, line, "object", objects);
    header.is_array = banner_word(in, line, "format", formats) == 1;
    header.field = static_cast<Field>(banner_word(in, line, "field", fields));
    header.symmetry = static_cast<Symmetry>(banner_word(in, line, "symmetry", symmetries));
    if (const auto surplus = next_word(line); !surplus.empty()) {
        in.fail("unexpected " + quoted(surplus) + " after the symmetry");
    }
    if (header.is_array && header.field == Field::pattern) {
        in.fail("an array cannot have the field 'pattern'");
    }
    if (header.symmetry == Symmetry::hermitian && header.field != Field::complex) {
        in.fail("a hermitian matrix must have the field 'complex'");
    }
    if (header.symmetry == Symmetry::skew_symmetric && header.field == Field::pattern) {
        in.fail("a pattern cannot be skew-symmetric");
    }
}

size_type parse_count(const HeaderReader& in, std::string_view& line, std::string_view what)
{
    const auto word = next_word(line);
    if (word.empty()) {
        in.fail("the size line ends before the number of " + std::string(what));
    }
    size_type count = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), count);
    if (error == std::errc::result_out_of_range && end == word.data() + word.size() && word.front() != '-') {
        in.fail("the number of " + std::string(what) + " " + quoted(word) + " does not fit 64 bits");
    }
    if (error != std::errc() || end != word.data() + word.size() || count < 0) {
        in.fail("the number of " + std::string(what) + " " + quoted(word) + " is not a non-negative integer");
    }
    return count;
}

/// The first line that is neither blank nor a comment.
std::string_view size_line(HeaderReader& in)
{
    std::string_view line;
    while (in.next_line(line)) {
        auto rest = line;
        const auto word = next_word(rest);
        if (!word.empty() && word.front() != '%') {
            return line;
        }
    }
    in.fail("the file ends before the line that tells its size");
}

/// The values that an array file stores. The product of the sizes was checked to fit.
size_type stored_values(const Header& header)
{
    const auto n = header.size.rows;
    switch (header.symmetry) {
    case Symmetry::general:
        return header.size.rows * header.size.cols;
    case Symmetry::skew_symmetric:
        return (n * n - n) / 2;
    case Symmetry::symmetric:
    case Symmetry::hermitian:
        break;
    }
    return (n * n - n) / 2 + n;
}

/// The shortest line an entry can have, with its end.
size_type min_entry_bytes(const Header& header)
{
    const size_type indices = header.is_array ? 0 : 4;
    const size_type values = header.field == Field::pattern ? 0 : header.field == Field::complex ? 4 : 2;
    return indices + values;
}

std::string text(Dim size) { return std::to_string(size.rows) + " x " + std::to_string(size.cols); }

void check_size(const HeaderReader& in, const Header& header, size_type max_index)
{
    const auto [rows, cols] = header.size;
    if (rows > max_index || cols > max_index) {
        in.fail("the size " + text(header.size) + " does not fit the index type, which holds at most " +
                std::to_string(max_index));
    }
    if (header.symmetry != Symmetry::general && rows != cols) {
        in.fail("a matrix of " + text(header.size) + " cannot be " +
                std::string(symmetries[static_cast<std::size_t>(header.symmetry)]));
    }
    if (header.is_array && cols > 0 && rows > std::numeric_limits<size_type>::max() / cols) {
        in.fail("an array of " + text(header.size) + " values does not fit 64 bits");
    }
}

}  // namespace

std::string_view next_word(std::string_view& line)
{
    std::size_t begin = 0;
    while (begin < line.size() && is_blank(line[begin])) {
        ++begin;
    }
    auto end = begin;
    while (end < line.size() && !is_blank(line[end])) {
        ++end;
    }
    const auto word = line.substr(begin, end - begin);
    line.remove_prefix(end);
    return word;
}

std::string quoted(std::string_view word)
{
    constexpr std::size_t max_length = 40;
    constexpr std::string_view digits = "0123456789abcdef";
    std::string out = "'";
    for (char c : word.substr(0, max_length)) {
        const auto code = static_cast<unsigned char>(c);
        if (code >= 0x20 && code < 0x7f) {
            out += c;
        } else {
            out += {'\\', 'x', digits[code >> 4], digits[code & 15]};
        }
    }
    return out + (word.size() > max_length ? "...'" : "'");
}

size_type line_number(std::string_view text, std::size_t offset)
{
    return 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(offset), '\n');
}

size_type last_line(std::string_view text) { return text.empty() ? 1 : line_number(text, text.size() - 1); }

Header parse_header(std::string_view text, std::string_view name, Limits limits)
{
    HeaderReader in(text, name);
    Header header;
    parse_banner(in, header);
    if (header.field == Field::complex && !limits.complex_values) {
        in.fail("the values are complex and cannot be read as real numbers; read them into a complex type");
    }
    auto line = size_line(in);
    header.size.rows = parse_count(in, line, "rows");
    header.size.cols = parse_count(in, line, "columns");
    if (!header.is_array) {
        header.num_entries = parse_count(in, line, "entries");
    }
    if (const auto surplus = next_word(line); !surplus.empty()) {
        in.fail("unexpected " + quoted(surplus) + " after the " + (header.is_array ? "columns" : "entries"));
    }
    check_size(in, header, limits.max_index);
    if (header.is_array) {
        header.num_entries = stored_values(header);
    }
    header.body = in.position();
    header.size_line = in.line();
    const auto body_bytes = static_cast<size_type>(std::max(text.size(), limits.text_bytes) - header.body);
    if (header.num_entries > (body_bytes + 1) / min_entry_bytes(header)) {
        in.fail("the header promises " + std::to_string(header.num_entries) +
                (header.is_array ? " values" : " entries") + ", which cannot be in the " + std::to_string(body_bytes) +
                " bytes that follow: the file has been cut off, or its header is wrong");
    }
    return header;
}

}  // namespace linden::matrix_market
