#include "core/io/text_file.hpp"

#include <linden/error.hpp>
#include <linden/io/matrix_market.hpp>

#include <charconv>
#include <cmath>
#include <complex>
#include <string>

// instantiate: void write_matrix<V, I>(std::string_view, const CsrData<V, I>&)
// instantiate: void write_dense<V>(std::string_view, const DenseData<V>&)

namespace linden {
namespace {

/// Collects lines and passes them on in large pieces.
class LineWriter {
public:
    /// Takes its memory before the file is there, so that no empty one stays where there is none.
    explicit LineWriter(std::string_view path) : buffer_(reserved()), file_(std::string(path)) {}

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

    void end_line()
    {
        buffer_ += '\n';
        if (buffer_.size() >= flush_at) {
            flush();
        }
    }

    void close()
    {
        flush();
        file_.close();
    }

private:
    static constexpr std::size_t flush_at = std::size_t{1} << 20;

    void flush()
    {
        file_.write(buffer_);
        buffer_.clear();
    }

    static std::string reserved()
    {
        std::string buffer;
        buffer.reserve(2 * flush_at);
        return buffer;
    }

    std::string buffer_;
    TextWriter file_;
};

template <class V>
bool is_finite(const V& value)
{
    return std::isfinite(std::real(value)) && std::isfinite(std::imag(value));
}

[[noreturn]] void fail_not_finite(std::string_view path, size_type row, size_type col)
{
    throw FileError(path, 0,
                    "not written: the value in row " + std::to_string(row + 1) + ", column " + std::to_string(col + 1) +
                        " is not finite, which the format cannot express");
}

template <class V>
std::string banner(std::string_view format)
{
    return "%%MatrixMarket matrix " + std::string(format) + (is_complex<V> ? " complex" : " real") + " general\n";
}

}  // namespace

template <class V, class I>
void write_matrix(std::string_view path, const CsrData<V, I>& matrix)
{
    require_well_formed(matrix);
    for (size_type row = 0; row < matrix.size.rows; ++row) {
        for (auto k = matrix.row_ptrs[row]; k < matrix.row_ptrs[row + 1]; ++k) {
            if (!is_finite(matrix.values[k])) {
                fail_not_finite(path, row, matrix.col_idxs[k]);
            }
        }
    }
    LineWriter out(path);
    out.text(banner<V>("coordinate"));
    out.number(matrix.size.rows);
    out.text(" ");
    out.number(matrix.size.cols);
    out.text(" ");
    out.number(matrix.num_nonzeros());
    out.end_line();
    for (size_type row = 0; row < matrix.size.rows; ++row) {
        for (auto k = matrix.row_ptrs[row]; k < matrix.row_ptrs[row + 1]; ++k) {
            out.number(row + 1);
            out.text(" ");
            out.number(matrix.col_idxs[k] + size_type{1});
            out.text(" ");
            out.number(matrix.values[k]);
            out.end_line();
        }
    }
    out.close();
}

template <class V>
void write_dense(std::string_view path, const DenseData<V>& block)
{
    const auto [rows, cols] = block.size;
    if (rows < 0 || cols < 0 || static_cast<size_type>(block.values.size()) != rows * cols) {
        throw InvalidParameter("number of values", std::to_string(block.values.size()),
                               "expected " + std::to_string(rows) + " x " + std::to_string(cols));
    }
    for (std::size_t k = 0; k < block.values.size(); ++k) {
        if (!is_finite(block.values[k])) {
            fail_not_finite(path, static_cast<size_type>(k) / cols, static_cast<size_type>(k) % cols);
        }
    }
    LineWriter out(path);
    out.text(banner<V>("array"));
    out.number(rows);
    out.text(" ");
    out.number(cols);
    out.end_line();
    for (size_type col = 0; col < cols; ++col) {
        for (size_type row = 0; row < rows; ++row) {
            out.number(block.at(row, col));
            out.end_line();
        }
    }
    out.close();
}

}  // namespace linden
