// needs: double complex64 int32 int64
// Fuzzes the Matrix Market reader. Whatever the bytes are, every reader either returns or throws a FileError of one
// line that names a line of the text; and neither result nor error depends on where the text is cut for parallel work.
#include "core/io/matrix_market_entries.hpp"
#include "core/io/matrix_market_header.hpp"
#include "core/io/text_file.hpp"

#include <linden/error.hpp>
#include <linden/io/matrix_market.hpp>

#include <algorithm>
#include <complex>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace linden;

constexpr std::string_view file_name = "fuzz.mtx";
/// Larger sizes are allowed but only clear memory; they would make every run slow.
constexpr size_type max_fuzzed_size = 1 << 12;

void require(bool condition, const char* what)
{
    if (!condition) {
        std::fprintf(stderr, "violated: %s\n", what);
        std::abort();
    }
}

void check_error(const FileError& error, std::string_view text)
{
    const std::string_view problem = error.problem;
    require(error.path == file_name, "the error names the file");
    require(error.line >= 0 && error.line <= matrix_market::last_line(text), "the error names a line of the text");
    require(!problem.empty() && problem.size() < 300, "the error is of moderate length");
    require(std::all_of(problem.begin(), problem.end(), [](char c) { return c >= 0x20 && c < 0x7f; }),
            "the error is one printable line");
}

/// What `read` returns to identify its result, or the text of its error.
template <class Read>
std::string outcome(std::string_view text, Read&& read)
{
    try {
        return read();
    } catch (const FileError& error) {
        check_error(error, text);
        return error.what();
    }
}

template <class T>
void append_bytes(std::string& out, const std::vector<T>& values)
{
    if (!values.empty()) {
        out.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
    }
}

template <class T>
void append(std::vector<T>& out, const std::vector<T>& values)
{
    out.insert(out.end(), values.begin(), values.end());
}

template <class V, class I>
std::string parse_in_pieces(std::string_view text, const matrix_market::Header& header, std::size_t chunk_bytes)
{
    return outcome(text, [&] {
        matrix_market::Chunk<V, I> all;
        for (const auto& chunk : matrix_market::parse_entries<V, I>(text, file_name, header, chunk_bytes)) {
            append(all.rows, chunk.rows);
            append(all.cols, chunk.cols);
            append(all.values, chunk.values);
        }
        std::string result;
        append_bytes(result, all.rows);
        append_bytes(result, all.cols);
        append_bytes(result, all.values);
        return result;
    });
}

template <class V, class I>
std::string bytes_of(const CsrData<V, I>& csr)
{
    require_well_formed(csr);
    std::string result;
    append_bytes(result, csr.row_ptrs);
    append_bytes(result, csr.col_idxs);
    append_bytes(result, csr.values);
    return result;
}

template <class V, class I>
std::string read_as_matrix(std::string_view text)
{
    return outcome(text, [&] { return bytes_of(parse_matrix<V, I>(text, file_name)); });
}

template <class V, class I>
void fuzz(std::string_view text)
{
    matrix_market::Header header;
    const auto problem = outcome(text, [&] {
        header = matrix_market::parse_header(text, file_name, {std::numeric_limits<I>::max(), is_complex<V>});
        return std::string();
    });
    if (!problem.empty()) {
        require(read_as_matrix<V, I>(text) == problem, "the reader reports the error of the header");
        return;
    }
    require(parse_in_pieces<V, I>(text, header, 1 + text.size() % 32) ==
                parse_in_pieces<V, I>(text, header, matrix_market::default_chunk_bytes),
            "the outcome does not depend on the pieces");
    if (std::max(header.size.rows, header.size.cols) <= max_fuzzed_size) {
        const auto by_triplets =
            outcome(text, [&] { return bytes_of(to_csr(parse_coordinates<V, I>(text, file_name))); });
        require(read_as_matrix<V, I>(text) == by_triplets, "matrix and coordinates agree");
    }
    if (header.size.rows <= max_fuzzed_size / std::max(size_type{1}, header.size.cols)) {
        outcome(text, [&] {
            parse_dense<V>(text, file_name);
            return std::string();
        });
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    fuzz<double, std::int32_t>(text);
    fuzz<std::complex<float>, std::int64_t>(text);
    if (text.starts_with("\x1f\x8b")) {
        outcome(text, [&] {
            gunzip(text, file_name);
            return std::string();
        });
    }
    return 0;
}
