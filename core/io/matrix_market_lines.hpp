#pragma once

#include <linden/error.hpp>
#include <linden/matrix_data.hpp>

#include <charconv>
#include <cmath>
#include <complex>
#include <string>
#include <string_view>

/// The lines of Matrix Market files, in pieces of about a megabyte: what writers on one and on several ranks share.
namespace linden::matrix_market {

/// Lines that are passed on in large pieces.
class LineBuffer {
public:
    LineBuffer() { buffer_.reserve(2 * full_at); }

    void text(std::string_view text) { buffer_ += text; }

    template <class Number>
    void number(Number value)
    {
        // The longest double is -1.7976931348623157e+308, the longest integer has 20 characters.
        char digits[32];
        const auto [end, error] = std::to_chars(digits, digits + sizeof(digits), value);
        buffer_.append(digits, end);
    }

    template <class R>
    void number(const std::complex<R>& value)
    {
        number(value.real());
        buffer_ += ' ';
        number(value.imag());
    }

    /// Passes the lines on, if they are many.
    template <class Sink>
    void end_line(const Sink& sink)
    {
        buffer_ += '\n';
        if (buffer_.size() >= full_at) {
            flush(sink);
        }
    }

    template <class Sink>
    void flush(const Sink& sink)
    {
        sink(std::string_view(buffer_));
        buffer_.clear();
    }

private:
    static constexpr std::size_t full_at = std::size_t{1} << 20;
    std::string buffer_;
};

template <class V>
bool is_finite(const V& value)
{
    return std::isfinite(std::real(value)) && std::isfinite(std::imag(value));
}

[[noreturn]] inline void fail_not_finite(std::string_view path, size_type row, size_type col)
{
    throw FileError(path, 0,
                    "not written: the value in row " + std::to_string(row + 1) + ", column " + std::to_string(col + 1) +
                        " is not finite, which the format cannot express");
}

/// `rows` begin with row `first_row` of what is written. @throws FileError naming the first value that is not finite
template <class V, class I>
void require_finite(std::string_view path, const CsrData<V, I>& rows, size_type first_row = 0)
{
    for (size_type row = 0; row < rows.size.rows; ++row) {
        for (auto k = rows.row_ptrs[row]; k < rows.row_ptrs[row + 1]; ++k) {
            if (!is_finite(rows.values[k])) {
                fail_not_finite(path, first_row + row, rows.col_idxs[k]);
            }
        }
    }
}

/// As above. values: rows x cols, row after row
template <class V>
void require_finite(std::string_view path, const std::vector<V>& values, size_type cols, size_type first_row = 0)
{
    for (std::size_t k = 0; k < values.size(); ++k) {
        if (!is_finite(values[k])) {
            fail_not_finite(path, first_row + static_cast<size_type>(k) / cols, static_cast<size_type>(k) % cols);
        }
    }
}

/// The first lines of a file of `format`, coordinate or array; counts: what its line of sizes holds.
template <class V>
std::string head(std::string_view format, std::initializer_list<size_type> counts)
{
    auto text = "%%MatrixMarket matrix " + std::string(format) + (is_complex<V> ? " complex" : " real") + " general\n";
    for (const auto count : counts) {
        text += std::to_string(count) + ' ';
    }
    text.back() = '\n';
    return text;
}

/// A line for each entry; what is left in the buffer is flushed. `sink` takes the pieces.
template <class V, class I, class Sink>
void write_entries(LineBuffer& out, const CsrData<V, I>& rows, size_type first_row, const Sink& sink)
{
    for (size_type row = 0; row < rows.size.rows; ++row) {
        for (auto k = rows.row_ptrs[row]; k < rows.row_ptrs[row + 1]; ++k) {
            out.number(first_row + row + 1);
            out.text(" ");
            out.number(rows.col_idxs[k] + size_type{1});
            out.text(" ");
            out.number(rows.values[k]);
            out.end_line(sink);
        }
    }
    out.flush(sink);
}

/// As above, for a column of values: rows x cols, row after row.
template <class V, class Sink>
void write_column(LineBuffer& out, const std::vector<V>& values, size_type cols, size_type col, const Sink& sink)
{
    for (auto k = static_cast<std::size_t>(col); k < values.size(); k += static_cast<std::size_t>(cols)) {
        out.number(values[k]);
        out.end_line(sink);
    }
    out.flush(sink);
}

}  // namespace linden::matrix_market
