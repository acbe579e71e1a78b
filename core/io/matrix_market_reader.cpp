#include "core/base/parallel.hpp"
#include "core/io/harwell_boeing.hpp"
#include "core/io/matrix_market_entries.hpp"
#include "core/io/matrix_market_header.hpp"
#include "core/io/text_file.hpp"
#include "core/matrix/csr_builder.hpp"

#include <linden/error.hpp>
#include <linden/io/matrix_market.hpp>

#include <algorithm>
#include <complex>
#include <limits>
#include <new>
#include <string>
#include <utility>

// instantiate: CsrData<V, I> parse_matrix<V, I>(std::string_view, std::string_view)
// instantiate: MatrixData<V, I> parse_coordinates<V, I>(std::string_view, std::string_view)
// instantiate: DenseData<V> parse_dense<V>(std::string_view, std::string_view)
// instantiate: CsrData<V, I> read_matrix<V, I>(std::string_view)
// instantiate: MatrixData<V, I> read_coordinates<V, I>(std::string_view)
// instantiate: DenseData<V> read_dense<V>(std::string_view)

namespace linden {
namespace {

using matrix_market::Chunk;
using matrix_market::Header;
using matrix_market::Symmetry;

template <class V, class I>
constexpr matrix_market::Limits limits = {std::numeric_limits<I>::max(), is_complex<V>};

/// Runs `read`; running out of memory is reported as an error of the file.
template <class Read>
auto within_memory(std::string_view name, Read&& read)
{
    try {
        return read();
    } catch (const std::bad_alloc&) {
        throw FileError(name, 0, "there is not enough memory to read it");
    }
}

/// Limits memory for rows or values that the file only implies to the order of the file's size.
void require_plausible(std::string_view text, std::string_view name, const Header& header, size_type count,
                       std::string_view what)
{
    if (count > matrix_market::max_implied &&
        count - matrix_market::max_implied > static_cast<size_type>(text.size())) {
        throw FileError(name, header.size_line,
                        "the header claims " + std::to_string(count) + " " + std::string(what) + ", but the file has " +
                            std::to_string(text.size()) + " bytes; almost all would be empty");
    }
}

/// Walks through the positions of the values of an array file: column by column, the stored triangle only.
class ArrayPosition {
public:
    explicit ArrayPosition(const Header& header)
        : num_rows_(header.size.rows),
          is_general_(header.symmetry == Symmetry::general),
          skips_diagonal_(header.symmetry == Symmetry::skew_symmetric),
          row_(skips_diagonal_ ? 1 : 0)
    {
    }
    size_type row() const { return row_; }
    size_type col() const { return col_; }
    void next()
    {
        if (++row_ == num_rows_) {
            ++col_;
            row_ = is_general_ ? 0 : col_ + (skips_diagonal_ ? 1 : 0);
        }
    }

private:
    size_type num_rows_;
    bool is_general_;
    bool skips_diagonal_;
    size_type row_;
    size_type col_ = 0;
};

/// Calls put(row, col, value) for all entries of an array file, mirror images included.
template <class V, class I, class Put>
void for_each_array_entry(std::string_view text, std::string_view name, const Header& header,
                          const std::vector<Chunk<V, I>>& chunks, Put&& put)
{
    ArrayPosition position(header);
    size_type entry = 0;
    for (const auto& chunk : chunks) {
        for (const auto& value : chunk.values) {
            put(position.row(), position.col(), value);
            const bool on_diagonal = position.row() == position.col();
            if (header.symmetry != Symmetry::general && !on_diagonal) {
                put(position.col(), position.row(), mirrored(header.symmetry, value));
            }
            if constexpr (is_complex<V>) {
                if (header.symmetry == Symmetry::hermitian && on_diagonal && value.imag() != 0) {
                    throw FileError(name, line_of_entry(text, header, entry),
                                    "the diagonal of a hermitian matrix must be real");
                }
            }
            position.next();
            ++entry;
        }
    }
}

template <class V, class I>
struct Triplets {
    Header header;
    std::vector<Chunk<V, I>> chunks;
};

/// The entries of any file as chunks with indices; those of an array without its zeros, in one chunk. `check` looks at
/// the header first.
template <class V, class I, class Check>
Triplets<V, I> parse_triplets(std::string_view text, std::string_view name, Check&& check)
{
    if (harwell_boeing::is_harwell_boeing(text)) {
        const auto header = harwell_boeing::parse_header(text, name, limits<V, I>);
        check(header.matrix);
        return {header.matrix, harwell_boeing::parse_entries<V, I>(text, name, header)};
    }
    Triplets<V, I> out{matrix_market::parse_header(text, name, limits<V, I>), {}};
    const auto& header = out.header;
    check(header);
    out.chunks = matrix_market::parse_entries<V, I>(text, name, header);
    if (!header.is_array) {
        return out;
    }
    Chunk<V, I> entries;
    for_each_array_entry(text, name, header, out.chunks, [&](size_type row, size_type col, const V& value) {
        if (value != V{}) {
            entries.rows.push_back(static_cast<I>(row));
            entries.cols.push_back(static_cast<I>(col));
            entries.values.push_back(value);
        }
    });
    out.chunks.clear();
    out.chunks.push_back(std::move(entries));
    return out;
}

template <class V, class I>
CsrData<V, I> compress_chunks(std::string_view name, const Header& header, std::vector<Chunk<V, I>> chunks)
{
    std::vector<TripletView<V, I>> pieces;
    size_type num_entries = 0;
    for (const auto& chunk : chunks) {
        pieces.push_back({chunk.rows, chunk.cols, chunk.values});
        num_entries += static_cast<size_type>(chunk.values.size());
    }
    if (num_entries > std::numeric_limits<I>::max()) {
        throw FileError(name, header.size_line,
                        "the matrix has " + std::to_string(num_entries) +
                            " entries, more than the index type can count; use 64-bit indices");
    }
    auto triplets = group_by_rows<V, I>(header.size, pieces);
    chunks.clear();
    return compress(std::move(triplets));
}

template <class V, class I>
MatrixData<V, I> join_chunks(Dim size, std::vector<Chunk<V, I>> chunks)
{
    if (chunks.size() == 1) {
        return {size, std::move(chunks[0].rows), std::move(chunks[0].cols), std::move(chunks[0].values)};
    }
    std::vector<std::size_t> ptrs = {0};
    for (const auto& chunk : chunks) {
        ptrs.push_back(ptrs.back() + chunk.values.size());
    }
    MatrixData<V, I> out{size, std::vector<I>(ptrs.back()), std::vector<I>(ptrs.back()), std::vector<V>(ptrs.back())};
    parallel_tasks(static_cast<size_type>(chunks.size()), [&](size_type c) {
        const auto to = static_cast<std::ptrdiff_t>(ptrs[c]);
        std::copy(chunks[c].rows.begin(), chunks[c].rows.end(), out.rows.begin() + to);
        std::copy(chunks[c].cols.begin(), chunks[c].cols.end(), out.cols.begin() + to);
        std::copy(chunks[c].values.begin(), chunks[c].values.end(), out.values.begin() + to);
        chunks[c] = {};
    });
    return out;
}

/// The text of a file, and whatever `parse` makes of it.
template <class Parse>
auto read_with(std::string_view path, Parse&& parse)
{
    return within_memory(path, [&] { return parse(load_text(std::string(path)).view(), path); });
}

}  // namespace

template <class V, class I>
CsrData<V, I> parse_matrix(std::string_view text, std::string_view name)
{
    return within_memory(name, [&] {
        auto [header, chunks] = parse_triplets<V, I>(
            text, name, [&](const Header& found) { require_plausible(text, name, found, found.size.rows, "rows"); });
        return compress_chunks(name, header, std::move(chunks));
    });
}

template <class V, class I>
MatrixData<V, I> parse_coordinates(std::string_view text, std::string_view name)
{
    return within_memory(name, [&] {
        auto [header, chunks] = parse_triplets<V, I>(text, name, [](const Header&) {});
        return join_chunks(header.size, std::move(chunks));
    });
}

template <class V>
DenseData<V> parse_dense(std::string_view text, std::string_view name)
{
    using I = std::int64_t;
    return within_memory(name, [&] {
        if (harwell_boeing::is_harwell_boeing(text)) {
            const auto found = harwell_boeing::parse_header(text, name, limits<V, I>);
            return DenseData<V>{{found.matrix.size.rows, found.num_rhs},
                                harwell_boeing::parse_rhs<V>(text, name, found)};
        }
        const auto header = matrix_market::parse_header(text, name, limits<V, I>);
        const auto [rows, cols] = header.size;
        if (cols > 0 && rows > std::numeric_limits<size_type>::max() / cols) {
            throw FileError(name, header.size_line, "the number of values of the dense block does not fit 64 bits");
        }
        require_plausible(text, name, header, rows * cols, "values");
        const auto chunks = matrix_market::parse_entries<V, I>(text, name, header);
        DenseData<V> block{header.size, std::vector<V>(static_cast<std::size_t>(rows * cols))};
        if (header.is_array) {
            for_each_array_entry(text, name, header, chunks,
                                 [&](size_type row, size_type col, const V& value) { block.at(row, col) = value; });
            return block;
        }
        for (const auto& chunk : chunks) {
            for (std::size_t k = 0; k < chunk.values.size(); ++k) {
                block.at(chunk.rows[k], chunk.cols[k]) += chunk.values[k];
            }
        }
        return block;
    });
}

template <class V, class I>
CsrData<V, I> read_matrix(std::string_view path)
{
    return read_with(path, parse_matrix<V, I>);
}

template <class V, class I>
MatrixData<V, I> read_coordinates(std::string_view path)
{
    return read_with(path, parse_coordinates<V, I>);
}

template <class V>
DenseData<V> read_dense(std::string_view path)
{
    return read_with(path, parse_dense<V>);
}

}  // namespace linden
