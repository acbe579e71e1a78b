#include "core/io/matrix_market_entries.hpp"

#include "core/base/parallel.hpp"

#include <linden/error.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>

// instantiate: std::vector<matrix_market::Chunk<V, std::int32_t>> matrix_market::parse_entries<V, std::int32_t>(std::string_view, std::string_view, const matrix_market::Header&, std::size_t)
// instantiate: std::vector<matrix_market::Chunk<V, std::int64_t>> matrix_market::parse_entries<V, std::int64_t>(std::string_view, std::string_view, const matrix_market::Header&, std::size_t)

namespace linden::matrix_market {
namespace {

/// An error in the line that begins at `offset`; becomes a FileError once it is known to be the first.
struct Fault {
    std::size_t offset;
    std::string problem;
};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Parses one chunk line by line. Errors are thrown as Fault.
template <class V, class I>
class ChunkParser {
public:
    ChunkParser(std::string_view text, std::size_t begin, std::size_t end, const Header& header, Chunk<V, I>& out)
        : text_(text.data()),
          at_(text.data() + begin),
          end_(text.data() + end),
          body_bytes_(text.size() - header.body),
          header_(header),
          out_(out)
    {
    }

    void run()
    {
        reserve();
        while (at_ != end_) {
            line_ = at_;
            parse_line();
        }
    }

private:
    /// The header's number of entries, which was found plausible, spread evenly over the text.
    void reserve()
    {
        const auto share = static_cast<double>(end_ - at_) / static_cast<double>(body_bytes_);
        const auto entries = static_cast<std::size_t>(1.02 * share * static_cast<double>(header_.num_entries)) + 16;
        if (header_.is_array) {
            out_.values.reserve(entries);
            return;
        }
        const auto copies = header_.symmetry == Symmetry::general ? entries : 2 * entries;
        out_.rows.reserve(copies);
        out_.cols.reserve(copies);
        out_.values.reserve(copies);
    }

    [[noreturn]] void fail(std::string problem) const
    {
        throw Fault{static_cast<std::size_t>(line_ - text_), std::move(problem)};
    }

    void skip_blanks()
    {
        auto at = at_;
        while (at != end_ && is_blank(*at)) {
            ++at;
        }
        at_ = at;
    }

    bool at_line_end() const { return at_ == end_ || *at_ == '\n'; }
    bool at_word_end() const { return at_line_end() || is_blank(*at_); }

    /// The whole word around a position inside of it.
    std::string_view word(const char* begin) const
    {
        auto end = begin;
        while (end != end_ && *end != '\n' && !is_blank(*end)) {
            ++end;
        }
        return {begin, static_cast<std::size_t>(end - begin)};
    }

    void parse_line()
    {
        skip_blanks();
        if (at_line_end() || *at_ == '%') {
            at_ = std::find(at_, end_, '\n');
            at_ += at_ != end_;
            return;
        }
        if (header_.is_array) {
            out_.values.push_back(parse_value());
        } else {
            const auto row = parse_index("row", header_.size.rows);
            const auto col = parse_index("column", header_.size.cols);
            add(row, col, parse_value());
        }
        ++out_.num_stored;
        skip_blanks();
        if (!at_line_end()) {
            fail("unexpected " + quoted(word(at_)) + " after the entry");
        }
        at_ += at_ != end_;
    }

    /// The value of the digits from here on, modulo 2^64; at_ moves behind them.
    std::uint64_t parse_digits()
    {
        auto at = at_;
        std::uint64_t value = 0;
        for (; at != end_ && is_digit(*at); ++at) {
            value = 10 * value + static_cast<std::uint64_t>(*at - '0');
        }
        at_ = at;
        return value;
    }

    /// A 1-based index in the file, 0-based here.
    I parse_index(const char* what, size_type bound)
    {
        skip_blanks();
        if (at_line_end()) {
            fail(std::string("the line ends before the ") + what + " index");
        }
        const auto begin = at_;
        const auto digits = parse_digits();
        if (at_ == begin || !at_word_end()) {
            fail(std::string(what) + " index " + quoted(word(begin)) + " is not a positive integer");
        }
        const auto index = at_ - begin <= max_safe_digits ? static_cast<size_type>(digits) : long_index(word(begin));
        if (index < 1 || index > bound) {
            fail_index(what, word(begin), bound);
        }
        return static_cast<I>(index - 1);
    }

    /// For digits that may overflow; 0 if they do.
    static size_type long_index(std::string_view digits)
    {
        size_type index = 0;
        std::from_chars(digits.data(), digits.data() + digits.size(), index);
        return index;
    }

    V parse_value()
    {
        switch (header_.field) {
        case Field::integer:
            return V(parse_number(true));
        case Field::real:
            return V(parse_number(false));
        case Field::complex:
            if constexpr (is_complex<V>) {
                const auto real = parse_number(false);
                return V(real, parse_number(false));
            }
            break;  // for a real V the header was refused
        case Field::pattern:
            break;
        }
        return V(1);
    }

    /// A number without point and exponent, for which from_chars would take longer; conversion rounds as it does.
    std::optional<real_t<V>> parse_whole_number()
    {
        const auto begin = at_;
        const bool negative = *at_ == '-';
        at_ += negative;
        const auto first_digit = at_;
        const auto digits = parse_digits();
        if (at_ == first_digit || at_ - first_digit > max_safe_digits || !at_word_end()) {
            at_ = begin;
            return std::nullopt;
        }
        const auto magnitude = static_cast<real_t<V>>(digits);
        return negative ? -magnitude : magnitude;
    }

    real_t<V> parse_number(bool integer)
    {
        skip_blanks();
        if (at_line_end()) {
            fail(std::string("the line ends before the value; ") +
                 (header_.field == Field::complex ? "complex ones have two numbers"
                                                  : "files without values have 'pattern' in their first line"));
        }
        const auto begin = at_;
        // A plus sign is usual in such files, but not for from_chars.
        if (*at_ == '+') {
            ++at_;
            if (at_word_end() || !(is_digit(*at_) || *at_ == '.')) {
                fail_number(begin);
            }
        }
        if (const auto whole = parse_whole_number()) {
            return *whole;
        }
        real_t<V> value{};
        auto [stop, error] = std::from_chars(at_, end_, value);
        if (stop != at_ && stop != end_ && (*stop == 'd' || *stop == 'D')) {
            error = parse_fortran_number(value);
        } else {
            at_ = stop;
        }
        if (error == std::errc::invalid_argument || !at_word_end()) {
            fail_number(begin);
        }
        if (integer) {
            require_integer({begin, static_cast<std::size_t>(at_ - begin)});
        }
        if (error == std::errc::result_out_of_range || !std::isfinite(value)) [[unlikely]] {
            return out_of_range({begin, static_cast<std::size_t>(at_ - begin)});
        }
        return value;
    }

    /// The word at at_, with a d before the exponent, as Fortran writes double precision.
    std::errc parse_fortran_number(real_t<V>& value)
    {
        auto number = std::string(word(at_));
        number[number.find_first_of("dD")] = 'e';
        const auto last = number.data() + number.size();
        const auto [stop, error] = std::from_chars(number.data(), last, value);
        at_ += stop - number.data();
        return error;
    }

    void require_integer(std::string_view number) const
    {
        const auto digits = number.substr(number[0] == '-' || number[0] == '+' ? 1 : 0);
        if (!std::all_of(digits.begin(), digits.end(), is_digit)) {
            fail("value " + quoted(number) + " is not an integer, as the header promises");
        }
    }

    /// The number is NaN, infinite, too large (all refused) or too small (0).
    real_t<V> out_of_range(std::string_view number) const
    {
        const auto magnitude = number.substr(number[0] == '-' || number[0] == '+' ? 1 : 0);
        if (!is_digit(magnitude[0]) && magnitude[0] != '.') {
            fail("value " + quoted(number) + " is not finite");
        }
        if (!is_tiny(magnitude)) {
            fail("value " + quoted(number) + " is too large for " + (sizeof(real_t<V>) == 4 ? "float" : "double"));
        }
        return number[0] == '-' ? -real_t<V>{} : real_t<V>{};
    }

    [[noreturn]] void fail_number(const char* begin) const
    {
        fail("value " + quoted(word(begin)) + " is not a number");
    }

    [[noreturn]] void fail_index(const std::string& what, std::string_view index, size_type bound) const
    {
        fail(what + " index " + quoted(index) + " is outside of 1 to " + std::to_string(bound) +
             (index == "0" ? " (indices begin at 1)" : ""));
    }

    void add(I row, I col, const V& value)
    {
        push(row, col, value);
        if (header_.symmetry == Symmetry::general) {
            return;
        }
        if (col > row) {
            fail("entry (" + std::to_string(row + size_type{1}) + ", " + std::to_string(col + size_type{1}) +
                 ") is above the diagonal, but a symmetric file stores the lower triangle only; write the indices the "
                 "other way round, or 'general' in the first line if both triangles are there");
        }
        if (row != col) {
            push(col, row, mirrored(header_.symmetry, value));
            return;
        }
        if (header_.symmetry == Symmetry::skew_symmetric) {
            fail("a skew-symmetric file must not store the diagonal");
        }
        if constexpr (is_complex<V>) {
            if (header_.symmetry == Symmetry::hermitian && value.imag() != 0) {
                fail("the diagonal of a hermitian matrix must be real");
            }
        }
    }

    void push(I row, I col, const V& value)
    {
        out_.rows.push_back(row);
        out_.cols.push_back(col);
        out_.values.push_back(value);
    }

    /// That many decimal digits fit 63 bits.
    static constexpr std::ptrdiff_t max_safe_digits = std::numeric_limits<size_type>::digits10;

    const char* text_;
    const char* at_;
    const char* end_;
    std::size_t body_bytes_;
    const char* line_ = nullptr;
    const Header& header_;
    Chunk<V, I>& out_;
};

/// Ends of the chunks, each just after a line end.
std::vector<std::size_t> cut(std::string_view text, std::size_t begin, std::size_t chunk_bytes)
{
    std::vector<std::size_t> ptrs = {begin};
    while (ptrs.back() < text.size()) {
        const auto line_end = text.find('\n', std::min(text.size(), ptrs.back() + chunk_bytes - 1));
        ptrs.push_back(line_end == std::string_view::npos ? text.size() : line_end + 1);
    }
    return ptrs;
}

/// Throws if any chunk has a fault or all together have too few or too many entries, whichever comes first.
template <class V, class I>
void check_chunks(std::string_view text, std::string_view name, const Header& header,
                  const std::vector<Chunk<V, I>>& chunks, const std::vector<std::optional<Fault>>& faults)
{
    const std::string what = header.is_array ? " values" : " entries";
    size_type num_stored = 0;
    for (std::size_t c = 0; c < chunks.size(); ++c) {
        num_stored += chunks[c].num_stored;
        if (num_stored > header.num_entries) {
            throw FileError(
                name, line_of_entry(text, header, header.num_entries),
                "more" + what + " than the " + std::to_string(header.num_entries) + " that the header promises");
        }
        if (faults[c]) {
            throw FileError(name, line_number(text, faults[c]->offset), faults[c]->problem);
        }
    }
    if (num_stored < header.num_entries) {
        throw FileError(name, last_line(text),
                        "the file ends after " + std::to_string(num_stored) + " of the " +
                            std::to_string(header.num_entries) + what +
                            " that the header promises: it has been cut off, or its header is wrong");
    }
}

}  // namespace

template <class V, class I>
std::vector<Chunk<V, I>> parse_entries(std::string_view text, std::string_view name, const Header& header,
                                       std::size_t chunk_bytes)
{
    const auto ptrs = cut(text, header.body, chunk_bytes);
    std::vector<Chunk<V, I>> chunks(ptrs.size() - 1);
    std::vector<std::optional<Fault>> faults(chunks.size());
    parallel_tasks(static_cast<size_type>(chunks.size()), [&](size_type c) {
        try {
            ChunkParser<V, I>(text, ptrs[c], ptrs[c + 1], header, chunks[c]).run();
        } catch (Fault& fault) {
            faults[c] = std::move(fault);
        }
    });
    check_chunks(text, name, header, chunks, faults);
    return chunks;
}

size_type line_of_entry(std::string_view text, const Header& header, size_type entry)
{
    auto position = header.body;
    for (auto line = header.size_line + 1;; ++line) {
        const auto end = std::min(text.find('\n', position), text.size());
        auto content = text.substr(position, end - position);
        const auto word = next_word(content);
        const bool is_entry = !word.empty() && word.front() != '%';
        if ((is_entry && entry-- == 0) || end == text.size()) {
            return line;
        }
        position = end + 1;
    }
}

bool is_tiny(std::string_view number)
{
    const auto exponent_at = std::min(number.find_first_of("eEdD"), number.size());
    const auto mantissa = number.substr(0, exponent_at);
    const auto first_digit = mantissa.find_first_of("123456789");
    if (first_digit == std::string_view::npos) {
        return true;
    }
    const auto point = std::min(mantissa.find('.'), mantissa.size());
    // The number is 0.d1 d2 ... * 10^magnitude.
    auto magnitude = static_cast<size_type>(point) - static_cast<size_type>(first_digit);
    if (magnitude < 0) {
        ++magnitude;
    }
    auto exponent_text = number.substr(std::min(exponent_at + 1, number.size()));
    const bool is_negative = exponent_text.starts_with('-');
    if (is_negative || exponent_text.starts_with('+')) {
        exponent_text.remove_prefix(1);
    }
    // Neither texts nor useful exponents come near this, so the sum below is safe and its sign right.
    size_type exponent = std::numeric_limits<size_type>::max() / 2;
    std::from_chars(exponent_text.data(), exponent_text.data() + exponent_text.size(), exponent);
    exponent = std::min(exponent, std::numeric_limits<size_type>::max() / 2);
    return exponent_text.empty() ? magnitude < 0 : (is_negative ? magnitude < exponent : magnitude + exponent < 0);
}

}  // namespace linden::matrix_market
