#pragma once

#include <linden/matrix_data.hpp>

#include <string_view>

/// Matrix Market files (R. F. Boisvert, R. Pozo, K. A. Remington, The Matrix Market Exchange Formats: Initial Design,
/// NISTIR 5935, 1996).
///
/// Accepted: coordinate and array; real, integer, complex and pattern (all values 1); general, symmetric,
/// skew-symmetric and hermitian, which are expanded; plain or gzip, recognised by content; keywords in any case, any
/// line endings, comments and blank lines anywhere; exponents as in 1.5e3 and as Fortran's 1.5D+03. Parsing uses all
/// cores; results and errors do not depend on their number.
///
/// Rejected, with file and line: violations of the format, complex values for a real V, NaN and infinity, values too
/// large for V (too small ones become 0), entries above the diagonal of a symmetric file, indices that do not fit I.
/// A file that is cut off within its last number cannot be told from a complete one that ends without a line break, as
/// some programs write; it is read as it is.
/// The header's sizes are not trusted: memory is bounded by the size of the content plus at most 2^26 empty rows.
///
/// Harwell-Boeing and Rutherford-Boeing files with an assembled matrix are read by the same functions, recognised by
/// content as well: real, integer, complex and pattern; symmetric, skew-symmetric, hermitian and rectangular ones;
/// numbers in any Fortran format that is the same on each line. Their right-hand sides are what `read_dense` reads;
/// guesses and solutions behind them are skipped. [DuffEtAl89] [DuffEtAl97]
///
/// V is float, double, std::complex<float> or std::complex<double>; I is std::int32_t or std::int64_t.
/// All functions throw FileError.
namespace linden {

/// The matrix in `path`, duplicates summed in the order of the file. Zeros in a coordinate file are kept, zeros in an
/// array file are dropped.
template <class V, class I>
LINDEN_EXPORT CsrData<V, I> read_matrix(std::string_view path);

/// The entries in `path` in the order of the file, duplicates kept; each entry below the diagonal of a symmetric file
/// is followed by its mirror image. Needs no memory for empty rows.
template <class V, class I>
LINDEN_EXPORT MatrixData<V, I> read_coordinates(std::string_view path);

/// The vectors in `path`, one per column, from an array or a coordinate file (where duplicates are summed):
/// Dense<V>::from_host makes the block of a solve of them.
template <class V>
LINDEN_EXPORT DenseData<V> read_dense(std::string_view path);

/// Reads from `text`, the uncompressed content of a file; errors refer to it as `name`.
template <class V, class I>
LINDEN_EXPORT CsrData<V, I> parse_matrix(std::string_view text, std::string_view name);
template <class V, class I>
LINDEN_EXPORT MatrixData<V, I> parse_coordinates(std::string_view text, std::string_view name);
template <class V>
LINDEN_EXPORT DenseData<V> parse_dense(std::string_view text, std::string_view name);

/// Writes `matrix` as a general coordinate file, row by row, with the fewest digits that read back as the same values.
/// The file is compressed if `path` ends with `.gz`. NaN and infinity are rejected before the file is opened.
/// @throws InvalidParameter if `matrix` is not well formed
template <class V, class I>
LINDEN_EXPORT void write_matrix(std::string_view path, const CsrData<V, I>& matrix);

/// Writes `block` as an array file; otherwise like `write_matrix`.
template <class V>
LINDEN_EXPORT void write_dense(std::string_view path, const DenseData<V>& block);

}  // namespace linden
