#include "core/io/fortran_format.hpp"

#include "core/io/matrix_market_entries.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace linden {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
char upper(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }

/// Longer lines are not Fortran's, and a format must not ask for much memory.
constexpr std::size_t max_line = 4096;

/// Recursive descent over the letters of a format without blanks.
class FormatParser {
public:
    explicit FormatParser(std::string_view text) : shown_(matrix_market::quoted(text))
    {
        for (const char c : text) {
            if (!matrix_market::is_blank(c)) {
                text_ += upper(c);
            }
        }
    }

    FortranFormat run()
    {
        if (next() != '(') {
            fail("'('");
        }
        ++at_;
        group(0);
        if (at_ != text_.size()) {
            fail("the end after ')'");
        }
        if (format_.fields.empty()) {
            fail("a number such as I8 or E16.8");
        }
        return std::move(format_);
    }

private:
    [[noreturn]] void fail(const std::string& expected) const
    {
        throw FortranError("cannot read the format " + shown_ + ": expected " + expected + " at its character " +
                           std::to_string(at_ + 1) + ", blanks not counted");
    }
    char next() const { return at_ < text_.size() ? text_[at_] : '\0'; }

    int number(const char* what)
    {
        int value = 0;
        const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
        if (error != std::errc() || value < 0 || value > static_cast<int>(max_line)) {
            fail(std::string(what) + " of at most " + std::to_string(max_line));
        }
        at_ = static_cast<std::size_t>(end - text_.data());
        return value;
    }

    /// Up to and with the closing parenthesis.
    void group(int depth)
    {
        while (!at_end_of_group()) {
            const bool is_negative = next() == '-';
            at_ += is_negative;
            const bool has_count = is_digit(next());
            const int count = has_count ? number("a count") : 1;
            if (next() == 'P' && has_count) {
                scale(is_negative ? -count : count);
            } else if (is_negative) {
                fail("a scale factor such as -1P");
            } else if (next() == '(') {
                repeat_group(count, depth);
            } else {
                item(count);
            }
        }
    }
    bool at_end_of_group()
    {
        while (next() == ',') {
            ++at_;
        }
        if (next() == '\0') {
            fail("')'");
        }
        const bool is_end = next() == ')';
        at_ += is_end;
        return is_end;
    }

    void scale(int factor)
    {
        ++at_;
        if (!format_.fields.empty() && factor != format_.scale) {
            fail("the scale factor before the first number, since it stays for later lines");
        }
        format_.scale = factor;
    }

    void repeat_group(int count, int depth)
    {
        if (depth > 0 || !format_.fields.empty()) {
            fail("no second group: later lines would differ from the first");
        }
        if (count < 1) {
            fail("a group at least once");
        }
        const auto begin = ++at_;
        for (int k = 0; k < count; ++k) {
            at_ = begin;
            group(depth + 1);
        }
        is_closed_ = true;
    }

    void item(int count)
    {
        const char letter = next();
        if (letter == 'X') {
            ++at_;
            skip(static_cast<std::size_t>(count));
            return;
        }
        const bool is_real = letter == 'E' || letter == 'D' || letter == 'F' || letter == 'G';
        if (letter != 'I' && !is_real) {
            fail("I, E, D, F, G, X, a scale factor or a group");
        }
        if (is_closed_) {
            fail("no number after a group: later lines would differ from the first");
        }
        ++at_;
        if (letter == 'E' && (next() == 'S' || next() == 'N')) {
            ++at_;
        }
        FortranField field;
        field.is_integer = letter == 'I';
        field.width = static_cast<std::size_t>(number("a width"));
        if (field.width == 0) {
            fail("a positive width");
        }
        if (next() == '.') {
            ++at_;
            const int digits = number("a number of digits");
            field.decimals = field.is_integer ? 0 : digits;
        }
        if (is_real && next() == 'E') {
            ++at_;
            number("a width of the exponent");
        }
        add(field, count);
    }

    void add(FortranField field, int count)
    {
        for (int k = 0; k < count; ++k) {
            field.begin = column_;
            skip(field.width);
            format_.fields.push_back(field);
        }
    }
    void skip(std::size_t width)
    {
        column_ += width;
        if (column_ > max_line) {
            fail("lines of at most " + std::to_string(max_line) + " characters");
        }
    }

    std::string shown_;
    std::string text_;
    std::size_t at_ = 0, column_ = 0;
    bool is_closed_ = false;
    FortranFormat format_;
};

/// The text as std::from_chars reads numbers: with 'e' before the exponent, with a point, without plus signs.
std::string in_c(std::string_view text, const FortranFormat& format, const FortranField& field)
{
    std::string mantissa, exponent;
    bool in_exponent = false;
    for (std::size_t k = 0; k < text.size(); ++k) {
        const char c = upper(text[k]);
        const bool starts = c == 'E' || c == 'D' || c == 'Q';
        if (matrix_market::is_blank(c)) {
            continue;
        }
        if (!in_exponent && (starts || (k > 0 && (c == '+' || c == '-')))) {
            in_exponent = true;
            exponent = starts ? "" : std::string(1, c);
            continue;
        }
        (in_exponent ? exponent : mantissa) += c;
    }
    for (auto* part : {&mantissa, &exponent}) {
        if (part->starts_with('+')) {
            part->erase(0, 1);
        }
    }
    const auto digits = mantissa.substr(mantissa.starts_with('-'));
    const bool good = std::count(digits.begin(), digits.end(), '.') <= 1 &&
                      std::any_of(digits.begin(), digits.end(), is_digit) &&
                      std::all_of(digits.begin(), digits.end(), [](char c) { return is_digit(c) || c == '.'; });
    int power = 0;
    const auto [end, error] = std::from_chars(exponent.data(), exponent.data() + exponent.size(), power);
    if (!good || (in_exponent && (error != std::errc() || end != exponent.data() + exponent.size()))) {
        throw FortranError("is not a number");
    }
    power -= in_exponent ? 0 : format.scale;
    power -= mantissa.find('.') == std::string::npos ? field.decimals : 0;
    return mantissa + "e" + std::to_string(power);
}

}  // namespace

FortranFormat parse_fortran_format(std::string_view text) { return FormatParser(text).run(); }

std::string_view text_of(const FortranField& field, std::string_view line)
{
    auto text = line.substr(std::min(field.begin, line.size()), field.width);
    while (!text.empty() && matrix_market::is_blank(text.front())) {
        text.remove_prefix(1);
    }
    while (!text.empty() && matrix_market::is_blank(text.back())) {
        text.remove_suffix(1);
    }
    return text;
}

size_type parse_fortran_integer(const FortranField& field, std::string_view line)
{
    auto text = text_of(field, line);
    text.remove_prefix(text.starts_with('+') ? 1 : 0);
    size_type value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) {
        throw FortranError("is not an integer");
    }
    return value;
}

template <class R>
R parse_fortran_real(const FortranFormat& format, const FortranField& field, std::string_view line)
{
    const auto number = in_c(text_of(field, line), format, field);
    R value{};
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
    if (error != std::errc::result_out_of_range && std::isfinite(value)) {
        return value;
    }
    const bool is_negative = number.starts_with('-');
    if (!matrix_market::is_tiny(std::string_view(number).substr(is_negative))) {
        throw FortranError(std::string("is too large for ") + (sizeof(R) == 4 ? "float" : "double"));
    }
    return is_negative ? -R{} : R{};
}

template float parse_fortran_real<float>(const FortranFormat&, const FortranField&, std::string_view);
template double parse_fortran_real<double>(const FortranFormat&, const FortranField&, std::string_view);

}  // namespace linden
