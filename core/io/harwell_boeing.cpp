#include "core/io/harwell_boeing.hpp"

#include <linden/error.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <complex>
#include <cstdint>

// instantiate: std::vector<matrix_market::Chunk<V, std::int32_t>> harwell_boeing::parse_entries<V, std::int32_t>(std::string_view, std::string_view, const harwell_boeing::Header&)
// instantiate: std::vector<matrix_market::Chunk<V, std::int64_t>> harwell_boeing::parse_entries<V, std::int64_t>(std::string_view, std::string_view, const harwell_boeing::Header&)
// instantiate: std::vector<V> harwell_boeing::parse_rhs<V>(std::string_view, std::string_view, const harwell_boeing::Header&)

namespace linden::harwell_boeing {
namespace {

using matrix_market::Chunk;
using matrix_market::Field;
using matrix_market::is_blank;
using matrix_market::next_word;
using matrix_market::quoted;
using matrix_market::Symmetry;

constexpr std::string_view column_text(std::string_view line)
{
    return line.ends_with('\r') ? line.substr(0, line.size() - 1) : line;
}

/// Lines one after the other.
class Lines {
public:
    explicit Lines(std::string_view text) : text_(text) {}

    /// False at the end of the text.
    bool next(std::string_view& line)
    {
        if (position_ >= text_.size()) {
            return false;
        }
        const auto end = std::min(text_.find('\n', position_), text_.size());
        line = column_text(text_.substr(position_, end - position_));
        position_ = std::min(end + 1, text_.size());
        ++number_;
        return true;
    }
    void skip_to(size_type line)
    {
        for (std::string_view skipped; number_ + 1 < line && next(skipped);) {
        }
    }
    std::size_t position() const { return position_; }
    size_type number() const { return number_; }

private:
    std::string_view text_;
    std::size_t position_ = 0;
    size_type number_ = 0;
};

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool is_type_line(std::string_view line)
{
    constexpr std::array<std::string_view, 3> letters = {"rcipq", "suhzr", "ae"};
    if (line.size() < 4 || !is_blank(line[3])) {
        return false;
    }
    for (std::size_t k = 0; k < 3; ++k) {
        if (letters[k].find(lower(line[k])) == std::string_view::npos) {
            return false;
        }
    }
    return true;
}

/// Whether the line is four or five numbers.
bool is_line_of_counts(std::string_view line)
{
    int count = 0;
    for (auto word = next_word(line); !word.empty(); word = next_word(line)) {
        ++count;
        if (!std::all_of(word.begin(), word.end(), [](char c) { return c >= '0' && c <= '9'; })) {
            return false;
        }
    }
    return count == 4 || count == 5;
}

class HeaderParser {
public:
    HeaderParser(std::string_view text, std::string_view name, matrix_market::Limits limits)
        : text_(text),
          name_(name),
          limits_(limits),
          lines_(text)
    {
    }

    Header run()
    {
        next_line("the title");
        parse_line_counts();
        parse_type_and_size();
        parse_formats();
        if (header_.rhs.num_lines > 0) {
            parse_rhs_line();
        }
        header_.pointers.first_line = lines_.number() + 1;
        header_.rows.first_line = header_.pointers.first_line + header_.pointers.num_lines;
        header_.values.first_line = header_.rows.first_line + header_.rows.num_lines;
        header_.rhs.first_line = header_.values.first_line + header_.values.num_lines;
        header_.matrix.body = lines_.position();
        require_possible();
        return std::move(header_);
    }

private:
    [[noreturn]] void fail(const std::string& problem) const { throw FileError(name_, lines_.number(), problem); }

    void next_line(const std::string& what)
    {
        if (!lines_.next(line_)) {
            fail("the file ends before " + what);
        }
    }

    size_type count(std::string_view& line, const std::string& what)
    {
        const auto word = next_word(line);
        size_type value = 0;
        const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
        if (word.empty() || error != std::errc() || end != word.data() + word.size() || value < 0) {
            fail("expected " + what + ", a non-negative integer, not " +
                 (word.empty() ? std::string("the end of the line") : quoted(word)));
        }
        return value;
    }

    void parse_line_counts()
    {
        next_line("the line of the numbers of lines");
        auto rest = line_;
        const auto total = count(rest, "the number of all lines after the header");
        header_.pointers.num_lines = count(rest, "the number of lines of column pointers");
        header_.rows.num_lines = count(rest, "the number of lines of row indices");
        header_.values.num_lines = count(rest, "the number of lines of values");
        if (auto more = rest; !next_word(more).empty()) {
            header_.rhs.num_lines = count(rest, "the number of lines of right-hand sides");
        }
        if (const auto surplus = next_word(rest); !surplus.empty()) {
            fail("unexpected " + quoted(surplus) + " after the numbers of lines");
        }
        const std::array<size_type, 4> parts = {header_.pointers.num_lines, header_.rows.num_lines,
                                                header_.values.num_lines, header_.rhs.num_lines};
        size_type sum = 0;
        for (const auto part : parts) {
            if (part > static_cast<size_type>(text_.size())) {
                fail("the header promises " + std::to_string(part) + " lines, more than the file has characters");
            }
            sum += part;
        }
        if (sum != total) {
            fail("the header promises " + std::to_string(total) + " lines, but its parts have " + std::to_string(sum));
        }
    }

    void parse_type()
    {
        auto& m = header_.matrix;
        std::string type(line_.substr(0, std::min<std::size_t>(3, line_.size())));
        std::transform(type.begin(), type.end(), type.begin(), lower);
        const auto field = std::string_view("ricp").find(type.empty() ? '?' : type[0]);
        const auto symmetry = std::string_view("uszhr").find(type.size() < 2 ? '?' : type[1]);
        if (type.size() == 3 && type[2] == 'e') {
            fail("the matrix is not assembled (type " + quoted(type) +
                 "), which is not supported: add its elements up");
        }
        if (field == std::string_view::npos || symmetry == std::string_view::npos || type.size() < 3 ||
            type[2] != 'a') {
            fail("expected the type of an assembled matrix such as 'RUA', [R|C|I|P][S|U|H|Z|R]A, not " + quoted(type));
        }
        constexpr std::array fields = {Field::real, Field::integer, Field::complex, Field::pattern};
        constexpr std::array symmetries = {Symmetry::general, Symmetry::symmetric, Symmetry::skew_symmetric,
                                           Symmetry::hermitian, Symmetry::general};
        m.field = fields[field];
        m.symmetry = symmetries[symmetry];
        if (m.field == Field::complex && !limits_.complex_values) {
            fail("the values are complex and cannot be read as real numbers; read them into a complex type");
        }
        if (m.symmetry == Symmetry::hermitian && m.field != Field::complex) {
            fail("a hermitian matrix must have complex values, type 'CHA', not " + quoted(type));
        }
        if (m.symmetry == Symmetry::skew_symmetric && m.field == Field::pattern) {
            fail("a pattern cannot be skew-symmetric");
        }
    }

    void parse_type_and_size()
    {
        next_line("the line of type and size");
        parse_type();
        auto& m = header_.matrix;
        m.size_line = lines_.number();
        auto rest = line_.substr(3);
        m.size.rows = count(rest, "the number of rows");
        m.size.cols = count(rest, "the number of columns");
        m.num_entries = count(rest, "the number of entries");
        if (m.size.rows > limits_.max_index || m.size.cols > limits_.max_index) {
            fail("the size " + std::to_string(m.size.rows) + " x " + std::to_string(m.size.cols) +
                 " does not fit the index type, which holds at most " + std::to_string(limits_.max_index));
        }
        if (m.symmetry != Symmetry::general && m.size.rows != m.size.cols) {
            fail("a matrix of " + std::to_string(m.size.rows) + " x " + std::to_string(m.size.cols) +
                 " cannot be symmetric, skew-symmetric or hermitian");
        }
        if ((header_.values.num_lines > 0) == (m.field == Field::pattern) && m.num_entries > 0) {
            fail(m.field == Field::pattern ? "a pattern has no values, but the header promises lines of them"
                                           : "the type has values, but the header promises no lines of them");
        }
    }

    /// The next format in parentheses on the line, wherever it stands.
    FortranFormat next_format(std::string_view& rest, const std::string& what)
    {
        const auto begin = rest.find('(');
        std::size_t end = begin;
        for (int depth = 0; end < rest.size(); ++end) {
            depth += rest[end] == '(' ? 1 : rest[end] == ')' ? -1 : 0;
            if (depth == 0) {
                break;
            }
        }
        if (begin == std::string_view::npos || end >= rest.size()) {
            fail("expected the format of " + what + " in parentheses, such as (10I8)");
        }
        const auto text = rest.substr(begin, end + 1 - begin);
        rest.remove_prefix(end + 1);
        try {
            return parse_fortran_format(text);
        } catch (const FortranError& error) {
            fail(error.problem);
        }
    }

    void parse_formats()
    {
        next_line("the line of formats");
        auto rest = line_;
        header_.pointers.format = next_format(rest, "the column pointers");
        header_.rows.format = next_format(rest, "the row indices");
        for (const auto* section : {&header_.pointers, &header_.rows}) {
            if (!section->format.fields.front().is_integer) {
                fail("the formats of column pointers and row indices must be those of integers");
            }
        }
        if (header_.values.num_lines > 0) {
            header_.values.format = next_format(rest, "the values");
        }
        if (header_.rhs.num_lines > 0) {
            header_.rhs.format = header_.values.num_lines > 0 && rest.find('(') == std::string_view::npos
                                     ? header_.values.format
                                     : next_format(rest, "the right-hand sides");
        }
    }

    void parse_rhs_line()
    {
        next_line("the line that describes the right-hand sides");
        const char storage = line_.empty() ? '?' : lower(line_[0]);
        if (storage != 'f' && storage != 'm') {
            fail("expected 'F' or 'M' for the storage of the right-hand sides, not " + quoted(line_.substr(0, 1)));
        }
        auto rest = line_.substr(std::min<std::size_t>(3, line_.size()));
        header_.num_rhs = count(rest, "the number of right-hand sides");
        header_.rhs_is_full = storage == 'f';
        if (!header_.rhs_is_full) {
            header_.num_rhs_entries = count(rest, "the number of entries of right-hand sides");
        }
    }

    /// Memory is bounded by the length of the file: each number takes a character.
    void require_possible() const
    {
        const auto bytes = static_cast<size_type>(text_.size() - header_.matrix.body);
        if (header_.matrix.num_entries > bytes || header_.matrix.size.cols > bytes || header_.num_rhs_entries > bytes ||
            header_.num_rhs > bytes) {
            throw FileError(name_, header_.matrix.size_line,
                            "the header promises more numbers than can be in the " + std::to_string(bytes) +
                                " bytes that follow it");
        }
    }

    std::string_view text_, name_;
    matrix_market::Limits limits_;
    Lines lines_;
    std::string_view line_;
    Header header_;
};

/// The numbers of a section one after the other.
class SectionReader {
public:
    SectionReader(std::string_view text, std::string_view name, const Section& section, std::string what)
        : lines_(text),
          name_(name),
          section_(section),
          what_(std::move(what))
    {
        lines_.skip_to(section.first_line);
        next_ = section.format.fields.size();
    }

    /// @throws FileError unless `count` numbers take as many lines as the header says
    void require_lines(size_type count) const
    {
        const auto per_line = section_.format.per_line();
        const auto lines = count / per_line + (count % per_line != 0);
        if (lines != section_.num_lines) {
            throw FileError(name_, 2,
                            std::to_string(count) + " " + what_ + ", " + std::to_string(per_line) +
                                " on a line, take " + std::to_string(lines) + " lines, but the header promises " +
                                std::to_string(section_.num_lines));
        }
    }

    template <class Read>
    auto number(Read&& read)
    {
        const auto& fields = section_.format.fields;
        if (next_ == fields.size()) {
            if (lines_.number() >= section_.first_line) {
                finish_line();
            }
            if (!lines_.next(line_)) {
                throw FileError(name_, std::max<size_type>(lines_.number(), 1),
                                "the file ends within its " + what_ + ", which are lines " +
                                    std::to_string(section_.first_line) + " to " +
                                    std::to_string(section_.first_line + section_.num_lines - 1));
            }
            next_ = 0;
        }
        const auto& field = fields[next_++];
        try {
            return read(field);
        } catch (const FortranError& error) {
            fail(error.problem);
        }
    }

    size_type integer()
    {
        return number([&](const FortranField& field) { return parse_fortran_integer(field, line_); });
    }
    /// In first to last. @throws FileError
    size_type integer(size_type first, size_type last)
    {
        const auto value = integer();
        if (value < first || value > last) {
            fail("is outside of " + std::to_string(first) + " to " + std::to_string(last));
        }
        return value;
    }
    template <class R>
    R real()
    {
        return number([&](const FortranField& field) { return parse_fortran_real<R>(section_.format, field, line_); });
    }
    template <class V>
    V value(bool is_complex_file)
    {
        const auto first = real<real_t<V>>();
        if constexpr (is_complex<V>) {
            return {first, is_complex_file ? real<real_t<V>>() : 0};
        } else {
            return first;
        }
    }

    /// An error of the last number.
    [[noreturn]] void fail(const std::string& problem) const
    {
        const auto& field = section_.format.fields[next_ - 1];
        throw FileError(name_, lines_.number(),
                        what_ + ": " + quoted(text_of(field, line_)) + " in columns " +
                            std::to_string(field.begin + 1) + " to " + std::to_string(field.begin + field.width) + " " +
                            problem);
    }
    size_type line() const { return lines_.number(); }

    /// @throws FileError if the line has more than numbers that were read
    void finish_line() const
    {
        const auto& last = section_.format.fields[next_ - 1];
        auto rest = line_.substr(std::min(last.begin + last.width, line_.size()));
        if (const auto word = next_word(rest); !word.empty()) {
            throw FileError(name_, lines_.number(),
                            "unexpected " + quoted(word) + " after the " + what_ + ", in column " +
                                std::to_string(word.data() - line_.data() + 1));
        }
    }

private:
    Lines lines_;
    std::string_view name_;
    const Section& section_;
    std::string what_;
    std::string_view line_;
    std::size_t next_ = 0;
};

/// Pointers to the first entry of each of `count` columns, from 0, and behind the last.
std::vector<size_type> parse_pointers(SectionReader& in, size_type count, size_type num_entries)
{
    std::vector<size_type> ptrs;
    ptrs.reserve(static_cast<std::size_t>(count) + 1);
    for (size_type col = 0; col <= count; ++col) {
        const auto least = col == 0 ? 1 : ptrs.back() + 1;
        const auto most = col == 0 ? 1 : num_entries + 1;
        ptrs.push_back(in.integer(col == count ? num_entries + 1 : least, most) - 1);
    }
    in.finish_line();
    return ptrs;
}

/// Adds an entry and its mirror image.
template <class V, class I>
void add(const SectionReader& in, Symmetry symmetry, size_type row, size_type col, V value, Chunk<V, I>& to)
{
    const auto push = [&](size_type i, size_type j, const V& v) {
        to.rows.push_back(static_cast<I>(i));
        to.cols.push_back(static_cast<I>(j));
        to.values.push_back(v);
    };
    ++to.num_stored;
    push(row, col, value);
    if (symmetry == Symmetry::general) {
        return;
    }
    if (row != col) {
        push(col, row, matrix_market::mirrored(symmetry, value));
    } else if (symmetry == Symmetry::skew_symmetric) {
        in.fail("is on the diagonal, which a skew-symmetric file must not store");
    }
}

/// Entries of one piece; enough pieces for threads.
constexpr std::size_t piece_entries = std::size_t{1} << 16;

}  // namespace

bool is_harwell_boeing(std::string_view text)
{
    Lines lines(text.substr(0, std::size_t{1} << 16));
    std::string_view title, counts, type;
    return lines.next(title) && !title.starts_with("%%") && lines.next(counts) && lines.next(type) &&
           (is_line_of_counts(counts) || is_type_line(type));
}

Header parse_header(std::string_view text, std::string_view name, matrix_market::Limits limits)
{
    return HeaderParser(text, name, limits).run();
}

template <class V, class I>
std::vector<Chunk<V, I>> parse_entries(std::string_view text, std::string_view name, const Header& header)
{
    const auto& m = header.matrix;
    const bool has_values = m.field != Field::pattern;
    const bool is_complex_file = m.field == Field::complex;
    SectionReader pointers(text, name, header.pointers, "column pointers");
    SectionReader rows(text, name, header.rows, "row indices");
    SectionReader values(text, name, header.values, "values");
    pointers.require_lines(m.size.cols + 1);
    rows.require_lines(m.num_entries);
    if (has_values && m.num_entries > 0) {
        values.require_lines(m.num_entries * (is_complex_file ? 2 : 1));
    }
    const auto ptrs = parse_pointers(pointers, m.size.cols, m.num_entries);
    std::vector<Chunk<V, I>> chunks(1);
    for (size_type col = 0; col < m.size.cols; ++col) {
        for (auto k = ptrs[col]; k < ptrs[col + 1]; ++k) {
            const auto row = rows.integer(1, m.size.rows) - 1;
            if (m.symmetry != Symmetry::general && row < col) {
                rows.fail("is above the diagonal of column " + std::to_string(col + 1) +
                          ", but a symmetric file stores the lower triangle only");
            }
            const V value = has_values ? values.value<V>(is_complex_file) : V{1};
            if (m.symmetry == Symmetry::hermitian && row == col && std::imag(value) != 0) {
                values.fail("is not 0: the diagonal of a hermitian matrix must be real");
            }
            add(rows, m.symmetry, row, col, value, chunks.back());
        }
        if (chunks.back().values.size() >= piece_entries) {
            chunks.emplace_back();
        }
    }
    if (m.num_entries > 0) {
        rows.finish_line();
        if (has_values) {
            values.finish_line();
        }
    }
    return chunks;
}

template <class V>
std::vector<V> parse_rhs(std::string_view text, std::string_view name, const Header& header)
{
    if (header.num_rhs == 0) {
        throw FileError(name, 2, "the file has a matrix, but no right-hand sides");
    }
    const auto rows = header.matrix.size.rows;
    const bool is_complex_file = header.matrix.field == Field::complex;
    if (rows > static_cast<size_type>(text.size()) / header.num_rhs && header.rhs_is_full) {
        throw FileError(name, 5, "the header promises more right-hand sides than the file can hold");
    }
    if (rows > (matrix_market::max_implied + static_cast<size_type>(text.size())) / header.num_rhs) {
        throw FileError(name, 5, "the right-hand sides would be almost empty");
    }
    std::vector<V> block(static_cast<std::size_t>(rows * header.num_rhs));
    if (header.rhs_is_full) {
        SectionReader in(text, name, header.rhs, "right-hand sides");
        for (size_type col = 0; col < header.num_rhs; ++col) {
            for (size_type row = 0; row < rows; ++row) {
                block[static_cast<std::size_t>(row * header.num_rhs + col)] = in.value<V>(is_complex_file);
            }
        }
        return block;
    }
    // Pointers, rows and values follow each other, each from a new line.
    const auto lines_of = [](const FortranFormat& format, size_type count) {
        return (count + format.per_line() - 1) / format.per_line();
    };
    Section pointers{header.pointers.format, lines_of(header.pointers.format, header.num_rhs + 1),
                     header.rhs.first_line};
    Section indices{header.rows.format, lines_of(header.rows.format, header.num_rhs_entries),
                    pointers.first_line + pointers.num_lines};
    Section numbers{header.rhs.format, header.rhs.num_lines, indices.first_line + indices.num_lines};
    SectionReader pointers_in(text, name, pointers, "pointers of right-hand sides");
    SectionReader rows_in(text, name, indices, "row indices of right-hand sides");
    SectionReader values_in(text, name, numbers, "right-hand sides");
    const auto ptrs = parse_pointers(pointers_in, header.num_rhs, header.num_rhs_entries);
    for (size_type col = 0; col < header.num_rhs; ++col) {
        for (auto k = ptrs[col]; k < ptrs[col + 1]; ++k) {
            const auto row = rows_in.integer(1, rows) - 1;
            block[static_cast<std::size_t>(row * header.num_rhs + col)] += values_in.value<V>(is_complex_file);
        }
    }
    return block;
}

}  // namespace linden::harwell_boeing

namespace linden {

matrix_market::Header parse_file_header(std::string_view text, std::string_view name, matrix_market::Limits limits)
{
    return harwell_boeing::is_harwell_boeing(text) ? harwell_boeing::parse_header(text, name, limits).matrix
                                                   : matrix_market::parse_header(text, name, limits);
}

}  // namespace linden
