// needs: double float complex128 complex64 int32 int64
#include <linden/error.hpp>
#include <linden/io/matrix_market.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace linden {
namespace {

using C = std::complex<double>;
using Csr = CsrData<double, std::int32_t>;
using ComplexCsr = CsrData<C, std::int32_t>;

Csr parse(std::string_view text) { return parse_matrix<double, std::int32_t>(text, "test.mtx"); }
ComplexCsr parse_complex(std::string_view text) { return parse_matrix<C, std::int32_t>(text, "test.mtx"); }

template <class V, class I>
void expect_matrix(const CsrData<V, I>& a, Dim size, const std::vector<I>& row_ptrs, const std::vector<I>& col_idxs,
                   const std::vector<V>& values)
{
    EXPECT_EQ(a.size, size);
    EXPECT_EQ(a.row_ptrs, row_ptrs);
    EXPECT_EQ(a.col_idxs, col_idxs);
    EXPECT_EQ(a.values, values);
}

struct BadText {
    std::int64_t line;
    const char* message;
    std::string text;
};

template <class Read>
void expect_file_error(const BadText& bad, Read&& read)
{
    SCOPED_TRACE(bad.text.substr(0, 200));
    try {
        read(bad.text, "test.mtx");
        ADD_FAILURE() << "accepted";
    } catch (const FileError& error) {
        const std::string what = error.what();
        EXPECT_EQ(error.path, "test.mtx");
        EXPECT_EQ(error.line, bad.line) << what;
        EXPECT_NE(what.find(bad.message), std::string::npos) << what;
        EXPECT_EQ(what.find('\n'), std::string::npos) << what;
        EXPECT_LT(what.size(), 300) << what;
        const auto place = bad.line > 0 ? "test.mtx:" + std::to_string(bad.line) + ": " : std::string("test.mtx: ");
        EXPECT_TRUE(what.starts_with(place)) << what;
    }
}

TEST(MatrixMarket, ReadsGeneralCoordinates)
{
    const auto a = parse(
        "%%MatrixMarket matrix coordinate real general\n"
        "% a comment\n"
        "3 4 4\n"
        "3 1 -2.5\n"
        "1 4 1e-3\n"
        "1 2 7\n"
        "3 3 +.5\n");
    expect_matrix(a, {3, 4}, {0, 2, 2, 4}, {1, 3, 0, 2}, {7, 1e-3, -2.5, 0.5});
}

TEST(MatrixMarket, ToleratesWhatPeopleWrite)
{
    // Case, CRLF, tabs, leading and trailing blanks, blank lines, comments between entries, no last line end.
    const auto a = parse(
        "%%matrixmarket MATRIX Coordinate REAL General  \r\n"
        "%\r\n"
        "   \r\n"
        "\t2  2\t2 \r\n"
        "\r\n"
        "  1\t1   1.5  \r\n"
        "  % between\r\n"
        "\r\n"
        "2 2 2.5");
    expect_matrix(a, {2, 2}, {0, 1, 2}, {0, 1}, {1.5, 2.5});
    expect_matrix(parse("%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 4\n\n% end\n  \n"), {1, 1}, {0, 1},
                  {0}, {4.0});
}

TEST(MatrixMarket, SumsDuplicatesAndKeepsZeros)
{
    const auto a = parse(
        "%%MatrixMarket matrix coordinate real general\n"
        "2 2 4\n"
        "2 1 1\n"
        "1 1 0\n"
        "2 1 2\n"
        "2 1 4\n");
    expect_matrix(a, {2, 2}, {0, 1, 2}, {0, 0}, {0.0, 7.0});
}

TEST(MatrixMarket, ReadsEveryField)
{
    expect_matrix(parse("%%MatrixMarket matrix coordinate pattern general\n2 2 2\n1 2\n2 1\n"), {2, 2}, {0, 1, 2},
                  {1, 0}, {1.0, 1.0});
    expect_matrix(parse("%%MatrixMarket matrix coordinate integer general\n1 2 2\n1 1 -3\n1 2 +12345678901234567890\n"),
                  {1, 2}, {0, 2}, {0, 1}, {-3.0, 12345678901234567890.0});
    expect_matrix(parse_complex("%%MatrixMarket matrix coordinate complex general\n1 2 2\n1 1 1 -2\n1 2 0 1e1\n"),
                  {1, 2}, {0, 2}, {0, 1}, {C(1, -2), C(0, 10)});
    expect_matrix(parse_complex("%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 5\n"), {1, 1}, {0, 1}, {0},
                  {C(5, 0)});
}

TEST(MatrixMarket, ExpandsEverySymmetry)
{
    expect_matrix(parse("%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n1 1 4\n2 1 3\n"), {2, 2}, {0, 2, 3},
                  {0, 1, 0}, {4.0, 3.0, 3.0});
    expect_matrix(parse("%%MatrixMarket matrix coordinate pattern symmetric\n2 2 1\n2 1\n"), {2, 2}, {0, 1, 2}, {1, 0},
                  {1.0, 1.0});
    expect_matrix(parse("%%MatrixMarket matrix coordinate integer skew-symmetric\n2 2 1\n2 1 3\n"), {2, 2}, {0, 1, 2},
                  {1, 0}, {-3.0, 3.0});
    expect_matrix(parse_complex("%%MatrixMarket matrix coordinate complex symmetric\n2 2 1\n2 1 3 1\n"), {2, 2},
                  {0, 1, 2}, {1, 0}, {C(3, 1), C(3, 1)});
    expect_matrix(parse_complex("%%MatrixMarket matrix coordinate complex hermitian\n2 2 2\n1 1 5 0\n2 1 3 1\n"),
                  {2, 2}, {0, 2, 3}, {0, 1, 0}, {C(5, 0), C(3, -1), C(3, 1)});
    expect_matrix(parse_complex("%%MatrixMarket matrix coordinate complex skew-symmetric\n2 2 1\n2 1 3 1\n"), {2, 2},
                  {0, 1, 2}, {1, 0}, {C(-3, -1), C(3, 1)});
}

TEST(MatrixMarket, CoordinatesKeepTheOrderOfTheFile)
{
    const auto data = parse_coordinates<double, std::int64_t>(
        "%%MatrixMarket matrix coordinate real symmetric\n3 3 4\n3 1 1\n2 2 2\n3 1 3\n3 2 4\n", "test.mtx");
    EXPECT_EQ(data.size, (Dim{3, 3}));
    EXPECT_EQ(data.rows, (std::vector<std::int64_t>{2, 0, 1, 2, 0, 2, 1}));
    EXPECT_EQ(data.cols, (std::vector<std::int64_t>{0, 2, 1, 0, 2, 1, 2}));
    EXPECT_EQ(data.values, (std::vector<double>{1, 1, 2, 3, 3, 4, 4}));
}

TEST(MatrixMarket, ReadsArrays)
{
    // Column by column in the file, row by row in memory.
    const auto block =
        parse_dense<double>("%%MatrixMarket matrix array real general\n% c\n3 2\n1\n2\n3\n4\n0\n6\n", "test.mtx");
    EXPECT_EQ(block.size, (Dim{3, 2}));
    EXPECT_EQ(block.values, (std::vector<double>{1, 4, 2, 0, 3, 6}));
    expect_matrix(parse("%%MatrixMarket matrix array real general\n3 2\n1\n2\n3\n4\n0\n6\n"), {3, 2}, {0, 2, 3, 5},
                  {0, 1, 0, 0, 1}, {1.0, 4.0, 2.0, 3.0, 6.0});
    expect_matrix(parse("%%MatrixMarket matrix array integer symmetric\n3 3\n1\n2\n3\n4\n5\n6\n"), {3, 3}, {0, 3, 6, 9},
                  {0, 1, 2, 0, 1, 2, 0, 1, 2}, {1., 2., 3., 2., 4., 5., 3., 5., 6.});
    expect_matrix(parse("%%MatrixMarket matrix array real skew-symmetric\n3 3\n1\n2\n3\n"), {3, 3}, {0, 2, 4, 6},
                  {1, 2, 0, 2, 0, 1}, {-1., -2., 1., -3., 2., 3.});
    expect_matrix(parse_complex("%%MatrixMarket matrix array complex hermitian\n2 2\n1 0\n2 3\n4 0\n"), {2, 2},
                  {0, 2, 4}, {0, 1, 0, 1}, {C(1, 0), C(2, -3), C(2, 3), C(4, 0)});
}

TEST(MatrixMarket, ReadsDenseBlocksFromCoordinates)
{
    const auto block =
        parse_dense<float>("%%MatrixMarket matrix coordinate real general\n3 2 3\n2 1 5\n3 2 1\n2 1 0.5\n", "test.mtx");
    EXPECT_EQ(block.size, (Dim{3, 2}));
    EXPECT_EQ(block.values, (std::vector<float>{0, 0, 5.5, 0, 0, 1}));
}

TEST(MatrixMarket, ReadsEmptyMatrices)
{
    expect_matrix(parse("%%MatrixMarket matrix coordinate real general\n0 0 0\n"), {0, 0}, {0}, {}, {});
    expect_matrix(parse("%%MatrixMarket matrix coordinate real general\n2 3 0"), {2, 3}, {0, 0, 0}, {}, {});
    expect_matrix(parse("%%MatrixMarket matrix array real general\n0 3\n"), {0, 3}, {0}, {}, {});
    expect_matrix(parse("%%MatrixMarket matrix array real skew-symmetric\n1 1\n"), {1, 1}, {0, 0}, {}, {});
    EXPECT_TRUE(parse_dense<double>("%%MatrixMarket matrix array real general\n5 0\n", "test.mtx").values.empty());
}

TEST(MatrixMarket, RoundsValuesToTheirType)
{
    const std::string head = "%%MatrixMarket matrix array real general\n1 1\n";
    const auto as_float = [&](const std::string& value) { return parse_dense<float>(head + value, "t").values[0]; };
    const auto as_double = [&](const std::string& value) { return parse_dense<double>(head + value, "t").values[0]; };
    EXPECT_EQ(as_double("0.1"), 0.1);
    EXPECT_EQ(as_float("0.1"), 0.1F);
    EXPECT_EQ(as_float("16777217"), 16777216.0F) << "a tie goes to even";
    EXPECT_EQ(as_float("16777219"), 16777220.0F);
    EXPECT_EQ(as_double("9007199254740993"), 9007199254740992.0);
    EXPECT_EQ(as_double("123456789012345678901234567890"), 123456789012345678901234567890.0);
    EXPECT_EQ(as_double("4.9406564584124654e-324"), 4.9406564584124654e-324) << "the smallest denormal";
    EXPECT_EQ(as_double("1e-400"), 0.0);
    EXPECT_EQ(as_float("1e-60"), 0.0F);
    EXPECT_TRUE(std::signbit(as_double("-1e-400")));
    EXPECT_TRUE(std::signbit(as_double("-0")));
    EXPECT_EQ(as_double("0e99999999999999999999"), 0.0);
    EXPECT_EQ(as_double("0." + std::string(400, '0') + "1"), 0.0);
    EXPECT_EQ(as_double("1e-99999999999999999999"), 0.0);
    EXPECT_EQ(as_double("1" + std::string(400, '0') + "e-400"), 1.0);
    EXPECT_EQ(as_float("3.4e38"), 3.4e38F);
    expect_file_error({3, "value '3.5e38' is too large for float", head + "3.5e38"}, parse_dense<float>);
    expect_file_error({3, "value '1e309' is too large for double", head + "1e309"}, parse_dense<double>);
}

TEST(MatrixMarket, ReadsExponentsOfFortran)
{
    expect_matrix(parse("%%MatrixMarket matrix coordinate real general\n2 2 3\n1 1 1.5d0\n1 2 -1.5D+03\n2 2 +.25d-2"),
                  {2, 2}, {0, 2, 3}, {0, 1, 1}, {1.5, -1500., 0.0025});
    expect_matrix(parse_complex("%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 1d1 2.D-1\n"), {1, 1},
                  {0, 1}, {0}, {C(10, 0.2)});
    const std::string head = "%%MatrixMarket matrix array real general\n4 1\n";
    EXPECT_EQ(parse_dense<double>(head + "0.1d0\n4.9406564584124654D-324\n-1d-400\n0d999\n", "t").values,
              (std::vector<double>{0.1, 4.9406564584124654e-324, 0, 0}));
    EXPECT_EQ(parse_dense<float>(head + "0.1d0\n1.6777217d7\n1d-60\n3.4D38\n", "t").values,
              (std::vector<float>{0.1F, 16777216.0F, 0, 3.4e38F}));
}

const std::string coordinate = "%%MatrixMarket matrix coordinate real general\n";
const std::string complex_coordinate = "%%MatrixMarket matrix coordinate complex general\n";
const std::string symmetric = "%%MatrixMarket matrix coordinate real symmetric\n";

TEST(MatrixMarketErrors, OfTheHeader)
{
    const BadText cases[] = {
        {1, "the file is empty", ""},
        {1, "not a Matrix Market file: it begins with ''", "\n\n"},
        {1, "not a Matrix Market file: it begins with '1'", "1 1 1\n"},
        {1, "the first line ends before the object", "%%MatrixMarket\n"},
        {1, "the first line ends before the symmetry", "%%MatrixMarket matrix coordinate real\n1 1 0\n"},
        {1, "unknown object 'vector'; expected one of matrix", "%%MatrixMarket vector coordinate real general\n"},
        {1, "unknown format 'coordinates'; did you mean 'coordinate'?",
         "%%MatrixMarket matrix coordinates real general\n"},
        {1, "unknown field 'double'", "%%MatrixMarket matrix coordinate double general\n"},
        {1, "unknown symmetry 'symetric'; did you mean 'symmetric'?",
         "%%MatrixMarket matrix coordinate real symetric\n"},
        {1, "unexpected 'extra'", "%%MatrixMarket matrix coordinate real general extra\n1 1 0\n"},
        {1, "an array cannot have the field 'pattern'", "%%MatrixMarket matrix array pattern general\n1 1\n"},
        {1, "hermitian matrix must have the field 'complex'",
         "%%MatrixMarket matrix coordinate real hermitian\n1 1 0\n"},
        {1, "pattern cannot be skew-symmetric", "%%MatrixMarket matrix coordinate pattern skew-symmetric\n1 1 0\n"},
        {1, "complex and cannot be read as real", complex_coordinate + "1 1 1\n1 1 1 0\n"},
        {1, "ends before the line that tells its size", coordinate},
        {3, "ends before the line that tells its size", coordinate + "% c\n\n"},
        {2, "ends before the number of columns", coordinate + "1\n"},
        {2, "ends before the number of entries", coordinate + "1 1\n1 1 1\n"},
        {3, "number of rows 'x' is not a non-negative integer", coordinate + "%\nx 1 1\n"},
        {2, "number of columns '-1' is not a non-negative integer", coordinate + "1 -1 1\n"},
        {2, "number of entries '1.5' is not a non-negative integer", coordinate + "1 1 1.5\n"},
        {2, "number of rows '99999999999999999999' does not fit", coordinate + "99999999999999999999 1 1\n"},
        {2, "unexpected '9' after the entries", coordinate + "1 1 1 9\n1 1 1\n"},
        {2, "unexpected '9' after the columns", "%%MatrixMarket matrix array real general\n1 1 9\n1\n"},
        {2, "does not fit the index type, which holds at most 2147483647", coordinate + "2147483648 1 1\n1 1 1\n"},
        {2, "does not fit the index type", coordinate + "1 3000000000 1\n1 1 1\n"},
        {2, "a matrix of 2 x 3 cannot be symmetric", symmetric + "2 3 1\n1 1 1\n"},
        {2, "promises 1000000000000000 entries, which cannot be in the 6 bytes",
         coordinate + "10 10 1000000000000000\n1 1 1\n"},
        {2, "bytes that follow: the file has been cut off, or its header is wrong", coordinate + "9 9 9\n1 1 1\n"},
        {1, "the text is UTF-16, as PowerShell writes it", std::string("\xff\xfe%\0%\0M\0", 8)},
        {2, "promises 9223372036854775807 entries", coordinate + "10 10 9223372036854775807\n1 1 1\n"},
        {2, "promises 1000000000000 values", "%%MatrixMarket matrix array real general\n1000000 1000000\n1\n"},
        {2, "claims 2000000000 rows", coordinate + "2000000000 1 1\n1 1 1\n"},
    };
    for (const auto& bad : cases) {
        expect_file_error(bad, parse_matrix<double, std::int32_t>);
    }
}

/// As editors on Windows save it.
TEST(MatrixMarket, AByteOrderMarkIsNoPartOfTheText)
{
    const auto data =
        parse_matrix<double, std::int32_t>("\xef\xbb\xbf" + coordinate + "2 2 2\r\n1 1 3\r\n2 2 4\r\n", "m");
    EXPECT_EQ(data.values, (std::vector<double>{3, 4}));
}

TEST(MatrixMarketErrors, OfTheEntries)
{
    const BadText cases[] = {
        {3, "row index '0' is outside of 1 to 2 (indices begin at 1)", coordinate + "2 2 1\n0 1 1\n"},
        {4, "column index '0' is outside of 1 to 2 (indices begin at 1)", coordinate + "2 2 2\n1 1 1\n1 0 1\n"},
        {3, "row index '3' is outside of 1 to 2", coordinate + "2 2 1\n3 1 1\n"},
        {3, "column index '5' is outside of 1 to 2", coordinate + "2 2 1\n1 5 1\n"},
        {3, "row index '-1' is not a positive integer", coordinate + "2 2 1\n-1 1 1\n"},
        {3, "row index '1.0' is not a positive integer", coordinate + "2 2 1\n1.0 1 1\n"},
        {3, "column index '1,1' is not a positive integer", coordinate + "2 2 1\n1 1,1\n"},
        {3, "row index '18446744073709551617' is outside of 1 to 2", coordinate + "2 2 1\n18446744073709551617 1 1\n"},
        {3, "row index '9223372036854775808' is outside of 1 to 2", coordinate + "2 2 1\n9223372036854775808 1 1\n"},
        {3, "the line ends before the column index", coordinate + "2 2 1\n1     \n"},
        {3, "the line ends before the value", coordinate + "2 2 1\n1 1   \n"},
        {3, "value 'x' is not a number", coordinate + "2 2 1\n1 1 x   \n"},
        {3, "value '1.5abc' is not a number", coordinate + "2 2 1\n1 1 1.5abc\n"},
        {3, "value '0x10' is not a number", coordinate + "2 2 1\n1 1 0x10\n"},
        {3, "value '--1' is not a number", coordinate + "2 2 1\n1 1 --1\n"},
        {3, "value '+-1' is not a number", coordinate + "2 2 1\n1 1 +-1\n"},
        {3, "value '+' is not a number", coordinate + "2 2 1\n1 1 +   \n"},
        {3, "value '-' is not a number", coordinate + "2 2 1\n1 1 -   \n"},
        {3, "value '1e' is not a number", coordinate + "2 2 1\n1 1 1e  \n"},
        {3, "value '.' is not a number", coordinate + "2 2 1\n1 1 .   \n"},
        {3, "value '\\x00\\x00' is not a number", coordinate + "2 2 1\n1 1 " + std::string(2, '\0') + "\n"},
        {4, "value 'nan' is not finite", coordinate + "2 2 2\n1 1 1\n2 2 nan\n"},
        {3, "value 'NaN' is not finite", coordinate + "2 2 1\n1 1 NaN\n"},
        {3, "value '-inf' is not finite", coordinate + "2 2 1\n1 1 -inf\n"},
        {3, "value 'Infinity' is not finite", coordinate + "2 2 1\n1 1 Infinity\n"},
        {3, "value '1e309' is too large for ", coordinate + "2 2 1\n1 1 1e309\n"},
        {3, "value '-1e99999999999999999999' is too large", coordinate + "2 2 1\n1 1 -1e99999999999999999999\n"},
        {3, "is too large", coordinate + "2 2 1\n1 1 " + std::string(400, '9') + "\n"},
        {3, "unexpected '7' after the entry", coordinate + "2 2 1\n1 1 1 7\n"},
        {3, "unexpected '5' after the entry", "%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 1 5\n"},
        {3, "value '1.5' is not an integer", "%%MatrixMarket matrix coordinate integer general\n2 2 1\n1 1 1.5\n"},
        {3, "value '1e3' is not an integer", "%%MatrixMarket matrix coordinate integer general\n2 2 1\n1 1 1e3\n"},
        {4, "the file ends after 2 of the 3 entries", coordinate + "2 2 3\n1 1 1\n2 2 222222222"},
        {6, "the file ends after 2 of the 3 entries", coordinate + "2 2 3\n1 1 1\n2 2 222222222\n\n% end\n"},
        {2, "promises 1 entries, which cannot be in the 0 bytes", coordinate + "2 2 1\n"},
        {6, "more entries than the 2 that the header promises", coordinate + "2 2 2\n1 1 1\n%\n2 2 2\n2 1 2\n"},
        {3, "more entries than the 0 that the header promises", coordinate + "2 2 0\n2 1 2\n"},
        {5, "more entries than the 2", coordinate + "2 2 2\n1 1 1\n2 2 2\n2 1 2\nrubbish\n"},
        {4, "row index 'rubbish'", coordinate + "2 2 2\n1 1 1\nrubbish\n2 2 2\n2 1 2\n"},
        {3, "entry (1, 2) is above the diagonal", symmetric + "2 2 1\n1 2 1\n"},
        {3, "write the indices the other way round, or 'general' in", symmetric + "2 2 1\n1 2 1\n"},
        {3, "files without values have 'pattern'", coordinate + "2 2 1\n1 1   \n"},
        {4, "that the header promises: it has been cut off, or", coordinate + "2 2 3\n1 1 1\n2 2 222222222"},
        {3, "entry (1, 2) is above the diagonal",
         "%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n1 2 1\n"},
        {3, "skew-symmetric file must not store the diagonal",
         "%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n1 1 0\n"},
        {4, "unexpected '5' after the entry", "%%MatrixMarket matrix array real general\n2 1\n1\n2 5\n"},
        {4, "the file ends after 2 of the 4 values", "%%MatrixMarket matrix array real general\n2 2\n1\n2       "},
        {6, "more values than the 3", "%%MatrixMarket matrix array real symmetric\n2 2\n1\n2\n3\n4\n"},
    };
    for (const auto& bad : cases) {
        expect_file_error(bad, parse_matrix<double, std::int32_t>);
        expect_file_error(bad, parse_coordinates<float, std::int64_t>);
        expect_file_error(bad, parse_dense<double>);
    }
}

TEST(MatrixMarketErrors, OfExponents)
{
    const BadText cases[] = {
        {3, "value '1.0D' is not a number", coordinate + "2 2 1\n1 1 1.0D \n"},
        {3, "value '1.0D+' is not a number", coordinate + "2 2 1\n1 1 1.0D+\n"},
        {3, "value '1.0dd1' is not a number", coordinate + "2 2 1\n1 1 1.0dd1\n"},
        {3, "value '1d1e1' is not a number", coordinate + "2 2 1\n1 1 1d1e1\n"},
        {3, "value 'd1' is not a number", coordinate + "2 2 1\n1 1 d1\n"},
        {3, "value 'infd1' is not a number", coordinate + "2 2 1\n1 1 infd1\n"},
        {3, "value '1d309' is too large for ", coordinate + "2 2 1\n1 1 1d309\n"},
        {3, "value '1d3' is not an integer", "%%MatrixMarket matrix coordinate integer general\n2 2 1\n1 1 1d3\n"},
    };
    for (const auto& bad : cases) {
        expect_file_error(bad, parse_matrix<double, std::int32_t>);
        expect_file_error(bad, parse_dense<float>);
    }
}

TEST(MatrixMarketErrors, OfComplexEntries)
{
    const BadText cases[] = {
        {3, "the line ends before the value", complex_coordinate + "2 2 1\n1 1 1    \n"},
        {3, "unexpected '3' after the entry", complex_coordinate + "2 2 1\n1 1 1 2 3\n"},
        {3, "the line ends before the value; complex ones have two numbers", complex_coordinate + "2 2 1\n1 1 1   \n"},
        {3, "value 'i' is not a number", complex_coordinate + "2 2 1\n1 1 1 i\n"},
        {4, "the diagonal of a hermitian matrix must be real",
         "%%MatrixMarket matrix coordinate complex hermitian\n2 2 2\n2 1 1 1\n2 2 1 0.5\n"},
        {3, "entry (1, 2) is above the diagonal",
         "%%MatrixMarket matrix coordinate complex hermitian\n2 2 1\n1 2 1 1\n"},
        {6, "the diagonal of a hermitian matrix must be real",
         "%%MatrixMarket matrix array complex hermitian\n2 2\n1 0\n% c\n2 2\n3 1\n"},
    };
    for (const auto& bad : cases) {
        expect_file_error(bad, parse_matrix<C, std::int32_t>);
        expect_file_error(bad, parse_dense<std::complex<float>>);
    }
}

TEST(MatrixMarketErrors, OfImpliedMemory)
{
    const auto tall = coordinate + "1000000000000 3 1\n5 1 1\n";
    expect_file_error({2, "claims 1000000000000 rows, but the file has", tall}, parse_matrix<double, std::int64_t>);
    expect_file_error({2, "claims 3000000000000 values, but the file has", tall}, parse_dense<double>);
    const auto data = parse_coordinates<double, std::int64_t>(tall, "test.mtx");
    EXPECT_EQ(data.rows, std::vector<std::int64_t>{4});
    const auto huge = coordinate + "9223372036854775807 9223372036854775807 1\n9223372036854775807 1 1\n";
    EXPECT_EQ((parse_coordinates<double, std::int64_t>(huge, "t").rows[0]), 9223372036854775806);
    expect_file_error({2, "does not fit 64 bits", huge}, parse_dense<double>);
    expect_file_error({2, "an array of 9223372036854775807 x 2 values does not fit 64 bits",
                       "%%MatrixMarket matrix array real general\n9223372036854775807 2\n1\n"},
                      parse_matrix<double, std::int64_t>);
    // Twenty million rows without an entry are in order.
    EXPECT_EQ(parse(coordinate + "20000000 1 1\n20000000 1 3\n").row_ptrs.size(), 20'000'001);
}

/// A file of `count` entries on the diagonal, long enough for several pieces of parallel work, with comments in
/// between.
std::string long_text(int count)
{
    auto text = coordinate + std::to_string(count) + " " + std::to_string(count) + " " + std::to_string(count) + "\n";
    for (int i = 1; i <= count; ++i) {
        text += std::to_string(i) + " " + std::to_string(i) + " " + std::to_string(i) + ".25\n";
        text += i % 1000 == 0 ? "% comment\n\n" : "";
    }
    return text;
}

/// Where entry i of long_text begins, and its line.
std::pair<std::size_t, std::int64_t> find_entry(const std::string& text, int i)
{
    const auto digits = std::to_string(i);
    const auto at = text.find("\n" + digits + " " + digits + " " + digits + ".") + 1;
    return {at, 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n')};
}

TEST(MatrixMarketParallel, ReadsLongFiles)
{
    constexpr int count = 300'000;
    const auto text = long_text(count);
    ASSERT_GT(text.size(), std::size_t{5} << 20);
    const auto a = parse(text);
    ASSERT_EQ(a.num_nonzeros(), count);
    for (int i = 0; i < count; ++i) {
        ASSERT_EQ(a.row_ptrs[i], i);
        ASSERT_EQ(a.col_idxs[i], i);
        ASSERT_EQ(a.values[i], i + 1.25);
    }
    const auto data = parse_coordinates<double, std::int32_t>(text, "test.mtx");
    EXPECT_EQ(data.rows, a.col_idxs);
    EXPECT_EQ(data.values, a.values);
}

TEST(MatrixMarketParallel, NamesTheFirstBadLine)
{
    const auto good = long_text(300'000);
    for (int bad : {2, 60'001, 150'000, 299'999}) {
        const auto [at, line] = find_entry(good, bad);
        auto text = good;
        text[at] = 'x';
        expect_file_error({line, "row index 'x", text}, parse_matrix<double, std::int32_t>);
        // One more of them later does not matter.
        const auto [later, _] = find_entry(good, 300'000);
        text[later] = 'y';
        expect_file_error({line, "row index 'x", text}, parse_matrix<double, std::int32_t>);
    }
}

TEST(MatrixMarketParallel, NamesTheFirstSurplusLine)
{
    auto text = long_text(300'000);
    const auto promise = text.find(" 300000\n");
    text.replace(promise, 8, " 123456\n");
    const auto [at, line] = find_entry(text, 123'457);
    text[find_entry(text, 250'000).first] = 'x';
    expect_file_error({line, "more entries than the 123456", text}, parse_matrix<double, std::int32_t>);
    // An offence before the surplus comes first.
    const auto [earlier, earlier_line] = find_entry(text, 120'000);
    text[earlier] = '0';
    text[earlier + 1] = 'x';
    expect_file_error({earlier_line, "row index '0x", text}, parse_matrix<double, std::int32_t>);
}

TEST(MatrixMarketParallel, CountsMissingEntries)
{
    auto text = long_text(300'000);
    text.replace(text.find(" 300000\n"), 8, " 300001\n");
    const auto lines = std::count(text.begin(), text.end(), '\n');
    expect_file_error({lines, "ends after 300000 of the 300001 entries", text}, parse_matrix<double, std::int32_t>);
}

}  // namespace
}  // namespace linden
