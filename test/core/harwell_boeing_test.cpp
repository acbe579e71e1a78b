// needs: double complex64 int32
#include <linden/error.hpp>
#include <linden/io/matrix_market.hpp>

#include <gtest/gtest.h>

#include <complex>
#include <cstdint>
#include <string>
#include <vector>

#include "core/io/fortran_format.hpp"

namespace linden {
namespace {

using C = std::complex<float>;
using Csr = CsrData<double, std::int32_t>;

Csr parse(const std::string& text) { return parse_matrix<double, std::int32_t>(text, "test.rua"); }

/// What `parse` says of a text.
std::string error_of(const std::string& text)
{
    try {
        parse(text);
    } catch (const FileError& error) {
        return error.what();
    }
    return "accepted";
}

std::string replaced(std::string text, const std::string& from, const std::string& to)
{
    const auto at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return text.replace(at, from.size(), to);
}

/// (4 0 -1; 0 1.5 0; -1 0 0.002) with two right-hand sides.
const std::string general =
    "A title of the matrix, 72 characters at most                            KEY\n"
    "             7             1             1             3             2\n"
    "RUA                        3             3             5             0\n"
    "(4I4)           (5I3)           (2D12.4)            (3F8.2)\n"
    "FGX                        2             0\n"
    "   1   3   4   6\n"
    "  1  3  2  1  3\n"
    "  4.0000D+00 -1.0000D+00\n"
    "  1.5000D+00 -1.0000D+00\n"
    "  2.0000D-03\n"
    "    1.00    2.00    3.00\n"
    "   -1.00   -2.00   -3.50\n";

TEST(HarwellBoeing, ReadsGeneralMatricesAndRightHandSides)
{
    const auto a = parse(general);
    EXPECT_EQ(a.size, (Dim{3, 3}));
    EXPECT_EQ(a.row_ptrs, (std::vector<std::int32_t>{0, 2, 3, 5}));
    EXPECT_EQ(a.col_idxs, (std::vector<std::int32_t>{0, 2, 1, 0, 2}));
    EXPECT_EQ(a.values, (std::vector<double>{4, -1, 1.5, -1, 0.002}));
    const auto b = parse_dense<double>(general, "test.rua");
    EXPECT_EQ(b.size, (Dim{3, 2}));
    EXPECT_EQ(b.values, (std::vector<double>{1, -1, 2, -2, 3, -3.5}));
    const auto triplets = parse_coordinates<double, std::int32_t>(general, "test.rua");
    EXPECT_EQ(triplets.rows, (std::vector<std::int32_t>{0, 2, 1, 0, 2}));
}

TEST(HarwellBoeing, ReadsSparseRightHandSides)
{
    auto text = replaced(general, "             7             1             1             3             2\n",
                         "             8             1             1             3             3\n");
    text = replaced(text, "FGX                        2             0", "M                          2             3");
    text = text.substr(0, text.find("    1.00")) + "   1   2   4\n  3  1  2\n    7.00    8.00    9.00\n";
    const auto b = parse_dense<double>(text, "test.rua");
    EXPECT_EQ(b.values, (std::vector<double>{0, 8, 0, 9, 7, 0}));
}

/// A Rutherford-Boeing file: four counts of lines, small letters. Lower triangle of 2 x 2.
std::string lower(const std::string& type, const std::string& values_format, const std::string& values)
{
    const auto num_lines = std::to_string(values.empty() ? 0 : 1);
    return "Rutherford-Boeing|1\r\n " + std::to_string(2 + (values.empty() ? 0 : 1)) + " 1 1 " + num_lines + "\r\n" +
           type + "            2             2             3             0\r\n(3I2)           (10I5)          " +
           values_format + "\r\n 1 3 4\r\n    1    2    2\r\n" + values + (values.empty() ? "" : "\r\n");
}

TEST(HarwellBoeing, ExpandsSymmetries)
{
    EXPECT_EQ(parse(lower("rsa", "(1P,3E9.1)", "  2.0E+00      3.5   -1.0+1")).values,
              (std::vector<double>{2, 0.35, 0.35, -10}));
    EXPECT_EQ(parse(lower("psa", "", "")).values, (std::vector<double>{1, 1, 1, 1}));
    EXPECT_EQ(parse(lower("isa", "(3I3)", "  5 -6  7")).values, (std::vector<double>{5, -6, -6, 7}));
    const auto h = parse_matrix<C, std::int32_t>(lower("cha", "(6F4.1)", " 1.0 0.0 2.0 3.0 4.0 0.0"), "h.rb");
    EXPECT_EQ(h.values, (std::vector<C>{1, {2, -3}, {2, 3}, 4}));
    const auto s = parse_matrix<C, std::int32_t>(lower("csa", "(6F4.1)", " 1.0 5.0 2.0 3.0 4.0 0.0"), "s.rb");
    EXPECT_EQ(s.values, (std::vector<C>{{1, 5}, {2, 3}, {2, 3}, 4}));
    auto skew =
        replaced(lower("rza", "(1F4.1)", " 2.5"), "2             2             3", "2             2             1");
    skew = replaced(replaced(skew, " 1 3 4", " 1 2 2"), "    1    2    2", "    2");
    EXPECT_EQ(parse(skew).values, (std::vector<double>{-2.5, 2.5}));
}

TEST(HarwellBoeing, EveryMistakeHasALineAndWhatWasExpected)
{
    const struct {
        const char *from, *to, *message;
    } cases[] = {
        {"RUA", "RUE", "test.rua:3: the matrix is not assembled (type 'rue')"},
        {"RUA", "RXA", "test.rua:3: expected the type of an assembled matrix"},
        {"RUA", "CUA", "test.rua:3: the values are complex"},
        {"RUA", "RHA", "test.rua:3: a hermitian matrix must have complex values"},
        {"RUA", "PUA", "test.rua:3: a pattern has no values"},
        {"             7  ", "             9  ", "test.rua:2: the header promises 9 lines, but its parts have 7"},
        {"             7             1", "             8             2", "test.rua:2: 4 column pointers, 4 on a line"},
        {"3             3             5", "3             3             x",
         "test.rua:3: expected the number of entries"},
        {"3             3             5", "3             3           999",
         "test.rua:3: the header promises more numbers"},
        {"(4I4) ", "(4I4  ", "test.rua:4: expected the format of the column pointers in parentheses"},
        {"(4I4) ", "(4E4.1) ", "test.rua:4: the formats of column pointers and row indices must be those of integers"},
        {"(5I3)", "(5Z3)", "expected I, E, D, F, G, X"},
        {"(5I3)", "(0I3)", "expected a number such as I8"},
        {"(2D12.4)", "(2D12.4,4(I8))", "expected no second group"},
        {"(2D12.4)", "        ", "test.rua:2: 5 values, 3 on a line, take 2 lines"},
        {"FGX", "XGX", "test.rua:5: expected 'F' or 'M'"},
        {"   1   3   4   6", "   0   3   4   6",
         "test.rua:6: column pointers: '0' in columns 1 to 4 is outside of 1 to 1"},
        {"   1   3   4   6", "   1   3   2   6",
         "test.rua:6: column pointers: '2' in columns 9 to 12 is outside of 3 to 6"},
        {"   1   3   4   6", "   1   3   4   5", "'5' in columns 13 to 16 is outside of 6 to 6"},
        {"   1   3   4   6", "   1   3   4   6 7",
         "test.rua:6: unexpected '7' after the column pointers, in column 18"},
        {"  1  3  2  1  3", "  1  4  2  1  3", "test.rua:7: row indices: '4' in columns 4 to 6 is outside of 1 to 3"},
        {"  1  3  2  1  3", "  1  3  2  1   ", "test.rua:7: row indices: '' in columns 13 to 15 is not an integer"},
        {"  1.5000D+00", "  1.5000D+0x", "test.rua:9: values: '1.5000D+0x' in columns 1 to 12 is not a number"},
        {"  1.5000D+00", " 1.5000D+400",
         "test.rua:9: values: '1.5000D+400' in columns 1 to 12 is too large for double"},
    };
    for (const auto& c : cases) {
        const auto error = error_of(replaced(general, c.from, c.to));
        EXPECT_NE(error.find(c.message), std::string::npos) << c.to << ": " << error;
    }
    EXPECT_NE(
        error_of(general.substr(0, general.find("  2.0000D"))).find("test.rua:9: the file ends within its values"),
        std::string::npos);
    EXPECT_NE(
        error_of(general.substr(0, general.find("(4I4)"))).find("test.rua:3: the file ends before the line of formats"),
        std::string::npos);
    EXPECT_NE(error_of(replaced(lower("rsa", "(3F4.1)", " 1.0 2.0 3.0"), "    1    2    2", "    1    2    1"))
                  .find("test.rua:6: row indices: '1' in columns 11 to 15 is above the diagonal of column 2"),
              std::string::npos);
    EXPECT_THROW(parse_dense<double>(lower("psa", "", ""), "test.rb"), FileError);
}

TEST(FortranFormat, NumbersMeanWhatFortranReads)
{
    const auto read = [](const std::string& format, const std::string& line, std::size_t field = 0) {
        const auto parsed = parse_fortran_format(format);
        return parse_fortran_real<double>(parsed, parsed.fields[field], line);
    };
    EXPECT_EQ(read("(5E8.3)", "   12345"), 12.345);  // the point is 3 digits before the end
    EXPECT_EQ(read("(5E8.3)", "  1.25+2"), 125);
    EXPECT_EQ(read("( 1p , 2( 2x, d 10.2 ) )", "    3.5       xx   1.25d1", 0), 0.35);
    EXPECT_EQ(read("(1P,2(2X,D10.2))", "  3.5         xx", 0), 0.35);
    EXPECT_EQ(read("(2(2X,D10.2))", "  3.5       xx    1.25d1", 1), 12.5);
    EXPECT_EQ(read("(-1P3G9.2E3)", "   +.5E+0"), 0.5);
    EXPECT_EQ(read("(ES12.4)", "-1.0000D-999"), 0);
    for (const auto* bad : {"", "(", "()", "(I8", "(I0)", "(8)", "(I8)x", "(A8)", "(I8/)", "(99999I8)", "((I8),I8)",
                            "(E8.2,2PE8.2)", "(3(2(I8)))"}) {
        EXPECT_THROW(parse_fortran_format(bad), FortranError) << bad;
    }
}

}  // namespace
}  // namespace linden
