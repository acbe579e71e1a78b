#include "core/io/matrix_market_lines.hpp"

#include <linden/io/matrix_market.hpp>

#include "core/io/text_file.hpp"

// instantiate: void write_matrix<V, I>(std::string_view, const CsrData<V, I>&)
// instantiate: void write_dense<V>(std::string_view, const DenseData<V>&)

namespace linden {

template <class V, class I>
void write_matrix(std::string_view path, const CsrData<V, I>& matrix)
{
    require_well_formed(matrix);
    matrix_market::require_finite(path, matrix);
    matrix_market::LineBuffer lines;  // its memory comes first, so that no empty file stays where there is none
    TextWriter file{std::string(path)};
    file.write(matrix_market::head<V>("coordinate", {matrix.size.rows, matrix.size.cols, matrix.num_nonzeros()}));
    matrix_market::write_entries(lines, matrix, 0, [&](std::string_view text) { file.write(text); });
    file.close();
}

template <class V>
void write_dense(std::string_view path, const DenseData<V>& block)
{
    const auto [rows, cols] = block.size;
    if (rows < 0 || cols < 0 || static_cast<size_type>(block.values.size()) != rows * cols) {
        throw InvalidParameter("number of values", std::to_string(block.values.size()),
                               "expected " + std::to_string(rows) + " x " + std::to_string(cols));
    }
    matrix_market::require_finite(path, block.values, cols);
    matrix_market::LineBuffer lines;
    TextWriter file{std::string(path)};
    file.write(matrix_market::head<V>("array", {rows, cols}));
    for (size_type col = 0; col < cols; ++col) {
        matrix_market::write_column(lines, block.values, cols, col, [&](std::string_view text) { file.write(text); });
    }
    file.close();
}

}  // namespace linden
