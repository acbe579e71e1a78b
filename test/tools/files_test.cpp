// needs: double int32
#include <linden/io/matrix_market.hpp>
#include <linden/io/problems.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "core/base/type_lists.hpp"

#include "test/tools/program.hpp"

namespace {

using namespace linden;
using namespace linden::test;

/// Runs `solve` on the executor that every build has, which must end with exit code 0 and in silence.
void solve_quietly(std::vector<std::string> arguments)
{
    arguments.insert(arguments.begin(), {"solve", "--quiet", "--executor", "reference"});
    const auto outcome = run_linden(arguments);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(outcome.out + outcome.err, "");
}

/// The largest |b - A x| of a column.
double residual(const CsrData<double, std::int32_t>& a, const DenseData<double>& x, size_type col,
                const std::vector<double>& b)
{
    double largest = 0;
    for (size_type row = 0; row < a.size.rows; ++row) {
        double sum = b[static_cast<std::size_t>(row)];
        for (auto k = a.row_ptrs[row]; k < a.row_ptrs[row + 1]; ++k) {
            sum -= a.values[k] * x.at(a.col_idxs[k], col);
        }
        largest = std::max(largest, std::abs(sum));
    }
    return largest;
}

std::vector<double> numbers(const std::string& line)
{
    std::vector<double> values;
    std::size_t at = 0;
    for (std::size_t comma = 0; comma != std::string::npos; at = comma + 1) {
        comma = line.find(',', at);
        values.push_back(std::stod(line.substr(at, comma - at)));
    }
    return values;
}

TEST(SolveFiles, SolutionSolvesTheSystem)
{
    const ScratchFolder folder;
    const auto path = folder.path("x.mtx");
    solve_quietly({"--problem", "convdiff3d:6:5", "--solver", "gmres", "--rtol", "1e-10", "--solution", path});

    const auto a = generate_problem<double, std::int32_t>("convdiff3d:6:5");
    const auto x = read_dense<double>(path);
    ASSERT_EQ(x.size, (Dim{216, 1}));
    // ||r|| <= 1e-10 ||b|| with b = ones bounds each component.
    EXPECT_LE(residual(a, x, 0, std::vector<double>(216, 1.0)), 1e-10 * std::sqrt(216.0));
}

TEST(SolveFiles, RightHandSidesComeFromAFile)
{
    const ScratchFolder folder;
    DenseData<double> b{{25, 3}, std::vector<double>(75)};
    for (size_type row = 0; row < 25; ++row) {
        b.at(row, 0) = 1;
        b.at(row, 1) = static_cast<double>(row);
        b.at(row, 2) = row % 2 == 0 ? 1e3 : -1e3;
    }
    write_dense<double>(folder.path("b.mtx"), b);
    solve_quietly({"--problem", "lap2d:5", "--rhs", folder.path("b.mtx"), "--rtol", "1e-10", "--solution",
                   folder.path("x.mtx"), "--history", folder.path("h.csv"), "--plot", folder.path("p.svg"), "--json",
                   folder.path("r.json")});

    const auto a = generate_problem<double, std::int32_t>("lap2d:5");
    const auto x = read_dense<double>(folder.path("x.mtx"));
    ASSERT_EQ(x.size, (Dim{25, 3}));
    for (size_type col = 0; col < 3; ++col) {
        std::vector<double> column;
        double norm = 0;
        for (size_type row = 0; row < 25; ++row) {
            column.push_back(b.at(row, col));
            norm = std::hypot(norm, b.at(row, col));
        }
        EXPECT_LE(residual(a, x, col, column), 1e-10 * norm) << col;
    }
    const auto rows = lines_of(read_file(folder.path("h.csv")));
    EXPECT_EQ(rows.front(), "iteration,relative_residual_1,relative_residual_2,relative_residual_3");
    EXPECT_EQ(numbers(rows.back()).size(), 4u);
    const auto svg = read_file(folder.path("p.svg"));
    EXPECT_EQ(xml_problem(svg), "");
    EXPECT_NE(svg.find("column 3"), std::string::npos);
}

TEST(SolveFiles, RightHandSidesByName)
{
    const ScratchFolder folder;
    const auto solution = [&](const std::string& rhs, const std::string& x0) {
        solve_quietly(
            {"--problem", "lap2d:8", "--rhs", rhs, "--x0", x0, "--rtol", "1e-12", "--solution", folder.path("x.mtx")});
        return read_file(folder.path("x.mtx"));
    };
    solution("a-times-ones", "zero");
    const auto ones = read_dense<double>(folder.path("x.mtx"));
    for (const double value : ones.values) {
        // ||A^-1|| ||b|| rtol: the smallest eigenvalue is 8 sin(pi / 18)^2 = 0.24, ||b|| < 10.
        EXPECT_NEAR(value, 1, 1e-12 * 10 / 0.24);
    }
    EXPECT_EQ(solution("random:3", "zero"), solution("random:3", "zero"));
    EXPECT_EQ(solution("random", "zero"), solution("random:1", "zero"));
    EXPECT_NE(solution("random:3", "zero"), solution("random:4", "zero"));
    EXPECT_NE(solution("ones", "random:5"), solution("ones", "random:6"));
    EXPECT_NE(solution("ones", "random:5"), solution("ones", "zero"));
}

TEST(SolveFiles, HistoryHasARowPerIteration)
{
    const ScratchFolder folder;
    solve_quietly({"--problem", "lap2d:20", "--history", folder.path("h.csv"), "--json", folder.path("r.json")});

    const auto result = nlohmann::json::parse(read_file(folder.path("r.json")));
    auto rows = lines_of(read_file(folder.path("h.csv")));
    EXPECT_EQ(rows.front(), "iteration,relative_residual");
    rows.erase(rows.begin());
    ASSERT_EQ(rows.size(), result["iterations"].get<std::size_t>() + 1);
    for (std::size_t j = 0; j < rows.size(); ++j) {
        EXPECT_EQ(numbers(rows[j])[0], static_cast<double>(j));
    }
    EXPECT_EQ(numbers(rows.front())[1], 1);  // x0 = 0
    EXPECT_LE(numbers(rows.back())[1], 1e-6);
    EXPECT_GT(numbers(rows[rows.size() - 2])[1], 1e-6);
}

TEST(SolveFiles, PlotIsALabelledPicture)
{
    const ScratchFolder folder;
    const auto matrix = folder.path("a & b <c>.mtx");
    ASSERT_EQ(run_linden({"generate", "--problem", "lap2d:10", matrix}).code, 0);
    solve_quietly({matrix, "--plot", folder.path("p.svg")});

    const auto svg = read_file(folder.path("p.svg"));
    EXPECT_EQ(xml_problem(svg), "");
    for (const char* part : {"<svg xmlns=\"http://www.w3.org/2000/svg\"", ">iteration</text>",
                             ">relative residual ||r|| / ||b||</text>", ">tolerance</text>", "a &amp; b &lt;c&gt;.mtx",
                             "converged after", "10<tspan dy=\"-5\" font-size=\"10\">-6</tspan>", "<path d=\"M80 "}) {
        EXPECT_NE(svg.find(part), std::string::npos) << part;
    }
}

TEST(SolveFiles, PlotOfASolveThatNeverBegan)
{
    const ScratchFolder folder;
    const auto outcome = run_linden(
        {"solve", "--quiet", "--problem", "lap2d:10", "--max-iterations", "0", "--plot", folder.path("p.svg")});
    EXPECT_EQ(outcome.code, 1);
    EXPECT_EQ(xml_problem(read_file(folder.path("p.svg"))), "");
}

TEST(SolveFiles, ConfigIsTheSameRunAsItsShortForm)
{
    const ScratchFolder folder;
    const auto config = folder.write("c.json", R"({
        "type": "Gmres",
        "krylov_dim": 7,
        "stop": {"relative_residual": 1e-9, "max_iterations": 500},
        "preconditioner": {"type": "Cg", "stop": {"max_iterations": 3, "relative_residual": 0}}
    })");
    const auto run = [&](const std::string& name, std::vector<std::string> arguments) {
        arguments.insert(arguments.end(), {"--problem", "lap2d:15", "--solution", folder.path(name + ".mtx"),
                                           "--history", folder.path(name + ".csv"), "--json", folder.path(name)});
        solve_quietly(arguments);
    };
    run("a", {"--config", config});
    run("b", {"--solver", "gmres:krylov_dim=7,relative_residual=1e-9,max_iterations=500", "--preconditioner",
              "cg:max_iterations=3,relative_residual=0"});

    EXPECT_EQ(read_file(folder.path("a.mtx")), read_file(folder.path("b.mtx")));
    EXPECT_EQ(read_file(folder.path("a.csv")), read_file(folder.path("b.csv")));
    const auto a = nlohmann::json::parse(read_file(folder.path("a")));
    const auto b = nlohmann::json::parse(read_file(folder.path("b")));
    for (const char* key : {"solver", "preconditioner", "iterations", "relative_residual", "status"}) {
        EXPECT_EQ(a[key], b[key]) << key;
    }
    EXPECT_EQ(a["preconditioner"], "cg:max_iterations=3,relative_residual=0");
}

TEST(SolveFiles, AFileIsTheSameRunAsTheProblemInIt)
{
    const ScratchFolder folder;
    const auto matrix = folder.path("a.mtx");
    ASSERT_EQ(run_linden({"generate", "--problem", "aniso2d:12:0.01", matrix}).code, 0);
    solve_quietly({matrix, "--solution", folder.path("x.mtx")});
    solve_quietly({"--problem", "aniso2d:12:0.01", "--solution", folder.path("y.mtx")});
    EXPECT_EQ(read_file(folder.path("x.mtx")), read_file(folder.path("y.mtx")));
}

/// CG without a preconditioner used to be what a file alone got, symmetric or not.
TEST(SolveFiles, ANonsymmetricFileAloneIsSolved)
{
    const ScratchFolder folder;
    // The second has a diagonal of zeros, on which preconditioners fail, too.
    const auto cyclic =
        folder.write("cyclic.mtx",
                     "%%MatrixMarket matrix coordinate real general\n4 4 6\n1 2 1\n2 3 2\n3 4 3\n4 1 4\n"
                     "1 3 -0.5\n3 1 0.25\n");
    const auto flow = folder.path("flow.mtx");
    ASSERT_EQ(run_linden({"generate", "--problem", "convdiff3d:8:40", flow}).code, 0);
    for (const auto& file : {flow, cyclic}) {
        SCOPED_TRACE(file);
        const auto outcome = run_linden({"solve", file});
        EXPECT_EQ(outcome.code, 0) << outcome.err << outcome.out;
        EXPECT_EQ(outcome.err, "");
        for (const char* part :
             {"\nsolver          automatic", "not Hermitian", "\nin use: ", ": converged\nagain: "}) {
            EXPECT_NE(outcome.out.find(part), std::string::npos) << part << " in\n" << outcome.out;
        }
        // What it says to type has the method again.
        const auto at = outcome.out.find("\nagain: ") + 8;
        std::vector<std::string> arguments{"solve", file};
        std::istringstream words(outcome.out.substr(at, outcome.out.find('\n', at) - at));
        for (std::string word; words >> word;) {
            arguments.push_back(word);
        }
        const auto again = run_linden(arguments);
        EXPECT_EQ(again.code, 0) << again.err;
        EXPECT_NE(again.out.find("\nsolver          " + arguments[3] + "\n"), std::string::npos) << again.out;
    }
}

TEST(SolveFiles, ARectangularFileAloneIsSolved)
{
    const ScratchFolder folder;
    const auto matrix =
        folder.write("m.mtx", "%%MatrixMarket matrix coordinate real general\n3 2 4\n1 1 2\n2 2 1\n3 1 1\n3 2 1\n");
    const auto outcome = run_linden({"solve", matrix, "--json", "-"});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(nlohmann::json::parse(outcome.out)["solver"], "lsqr");
    EXPECT_NE(run_linden({"info", matrix}).out.find("--solver lsqr"), std::string::npos);
    const auto in_units =
        folder.write("u.mtx", "%%MatrixMarket matrix coordinate real general\n3 2 4\n1 1 2e6\n2 2 1\n3 1 1e6\n3 2 1\n");
    const auto scaled = run_linden({"solve", in_units, "--json", "-"});
    EXPECT_EQ(scaled.code, 0) << scaled.err;
    EXPECT_EQ(nlohmann::json::parse(scaled.out)["solver"], "lsqr:column_scaling=true");
    const auto preconditioned = run_linden({"solve", in_units, "--solver", "lsmr", "--preconditioner", "ic0"});
    EXPECT_EQ(preconditioned.code, 0) << preconditioned.err;
}

TEST(CompareFiles, RectangularOnesAreForLeastSquares)
{
    const ScratchFolder folder;
    const auto matrix =
        folder.write("u.mtx", "%%MatrixMarket matrix coordinate real general\n3 2 4\n1 1 2e6\n2 2 1\n3 1 1e6\n3 2 1\n");
    const auto chosen = run_linden({"compare", matrix, "--json", "-"});
    EXPECT_EQ(chosen.code, 0) << chosen.err;
    std::vector<std::string> methods;
    const auto report = nlohmann::json::parse(chosen.out);
    for (const auto& method : report["methods"]) {
        EXPECT_EQ(method["status"], "converged") << method;
        methods.push_back(method["method"]);
    }
    EXPECT_EQ(methods,
              (std::vector<std::string>{"lsqr:column_scaling=true", "lsmr:column_scaling=true", "lsqr", "lsmr"}));
    const auto square = run_linden({"compare", matrix, "--methods", "cg", "lsqr"});
    EXPECT_EQ(square.code, 0) << square.err;
    EXPECT_NE(square.out.find("needs a square matrix; lsqr and lsmr do not"), std::string::npos) << square.out;
}

/// A number that has been cut off is one, too; complete files that end so are read, and their results are the same.
TEST(SolveFiles, ALastLineWithoutLineBreakIsToldOf)
{
    const ScratchFolder folder;
    const std::string head = "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 2\n";
    const auto warning_of = [&](const std::string& end, const std::vector<std::string>& command) {
        auto arguments = command;
        const auto path = folder.write("a.mtx", head + end);
        arguments.insert(arguments.begin() + 1, path);
        const auto outcome = run_linden(arguments);
        EXPECT_EQ(outcome.code, 0) << outcome.err;
        const auto at = outcome.err.find(path);
        return at == std::string::npos ? outcome.err : outcome.err.substr(at + path.size());
    };
    const std::string warning = " ends without a line break; if it was cut off there, its last number is wrong\n";
    for (const auto& command :
         {std::vector<std::string>{"solve", "--quiet"}, {"info"}, {"compare", "--seconds", "5"}}) {
        EXPECT_EQ(warning_of("2 2 4.5", command), warning);
        EXPECT_EQ(warning_of("2 2 4.5\n", command), "");
    }
    for (const std::string complete : {"2 2 4.5\r\n", "2 2 4.5 ", "2 2 4.5\n\n", "2 2 4.5\n% the end", "2 2 4.5\n  "}) {
        EXPECT_EQ(warning_of(complete, {"solve", "--quiet"}), "") << complete;
    }
    const auto rhs = folder.write("b.mtx", "%%MatrixMarket matrix array real general\n2 1\n1\n2");
    EXPECT_EQ(run_linden({"solve", folder.write("c.mtx", head + "2 2 4.5\n"), "--rhs", rhs, "--quiet"}).err,
              "linden: " + rhs + warning);
    const auto json = run_linden({"solve", folder.path("a.mtx"), "--json", "-"});
    EXPECT_EQ(nlohmann::json::parse(json.out)["status"], "converged");
}

TEST(SolveFiles, CompressionsOtherThanGzipAreNamed)
{
    const ScratchFolder folder;
    for (const auto& [beginning, name] : {std::pair<std::string, std::string>{"\xfd\x37zXZ", "xz"},
                                          {"BZh91AY", "bzip2"},
                                          {"\x28\xb5\x2f\xfd$", "zstd"},
                                          {"PK\x03\x04", "zip"}}) {
        const auto path = folder.write("a.mtx", beginning);
        EXPECT_EQ(run_linden({"solve", path}).err, "linden: " + path + ":1: it is compressed with " + name +
                                                       ", and only gzip is read: decompress it first\n");
    }
    const auto outcome = run_linden({"generate", "--problem", "lap2d:4", folder.path("b.mtx.xz")});
    EXPECT_EQ(outcome.code, 2);
    EXPECT_NE(outcome.err.find("b.mtx.xz: only gzip is written"), std::string::npos) << outcome.err;
    EXPECT_FALSE(std::filesystem::exists(folder.path("b.mtx.xz")));
}

TEST(SolveFiles, OneFileMayBeStandardInput)
{
    const ScratchFolder folder;
    const auto matrix = folder.write("a.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 2\n2 2 4\n");
    const auto rhs = folder.write("b.mtx", "%%MatrixMarket matrix array real general\n2 1\n2\n8\n");
    const auto solution_of = [&](const std::string& words) {
        const auto outcome = run_linden_in_shell("solve " + words + " --solution -");
        EXPECT_EQ(outcome.code, 0) << outcome.err;
        return outcome.out;
    };
    const auto x = solution_of(matrix + " --rhs " + rhs);
    EXPECT_NE(x.find("\n1\n2\n"), std::string::npos) << x;
    EXPECT_EQ(solution_of("- --rhs " + rhs + " < " + matrix), x);
    EXPECT_EQ(solution_of(matrix + " --rhs - < " + rhs), x);
}

TEST(Generate, WritesToStandardOutput)
{
    const auto outcome = run_linden({"generate", "--problem", "lap2d:1", "-"});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_NE(outcome.out.find("1 1 4"), std::string::npos) << outcome.out;
}

TEST(Generate, WritesWhatTheLibraryGenerates)
{
    const ScratchFolder folder;
    const auto outcome = run_linden({"generate", "--problem", "random:50:5:7", folder.path("a.mtx")});
    EXPECT_EQ(outcome.code, 0);
    EXPECT_EQ(outcome.out + outcome.err, "");
    const auto written = read_matrix<double, std::int32_t>(folder.path("a.mtx"));
    const auto expected = generate_problem<double, std::int32_t>("random:50:5:7");
    EXPECT_EQ(written.size, expected.size);
    EXPECT_EQ(written.col_idxs, expected.col_idxs);
    EXPECT_EQ(written.values, expected.values);
}

TEST(Spy, DrawsEverySize)
{
    const ScratchFolder folder;
    for (const auto& [problem, picture_of] :
         {std::pair{"lap2d:3", "9 x 9, 33 nonzeros"}, std::pair{"lap2d:40", "each square stands for 6 x 6"}}) {
        ASSERT_EQ(run_linden({"generate", "--problem", problem, folder.path("a.mtx")}).code, 0);
        const auto outcome = run_linden({"spy", folder.path("a.mtx"), folder.path("a.svg")});
        EXPECT_EQ(outcome.code, 0) << outcome.err;
        const auto svg = read_file(folder.path("a.svg"));
        EXPECT_EQ(xml_problem(svg), "");
        for (const char* part : {picture_of, ">row</text>", ">column</text>", ">0</text>", "a.mtx"}) {
            EXPECT_NE(svg.find(part), std::string::npos) << part;
        }
    }
}

TEST(Spy, DrawsComplexRectangularAndEmptyPatterns)
{
    const ScratchFolder folder;
    const auto picture = [&](const std::string& matrix) {
        const auto path = folder.write("m.mtx", "%%MatrixMarket matrix coordinate " + matrix);
        EXPECT_EQ(run_linden({"spy", path, folder.path("m.svg")}).code, 0);
        return read_file(folder.path("m.svg"));
    };
    constexpr bool has_complex = has_types<std::complex<float>> || has_types<std::complex<double>>;
    const auto wide =
        picture(has_complex ? "complex general\n2 5 2\n1 1 1 2\n2 5 0 1\n" : "real general\n2 5 2\n1 1 1\n2 5 1\n");
    EXPECT_EQ(xml_problem(wide), "");
    EXPECT_NE(wide.find("2 x 5, 2 nonzeros"), std::string::npos);
    // 560 / 5 units a square: the last one begins at 76 + 4 * 112, one below the top.
    EXPECT_NE(wide.find("M524 204h112v112h-112z"), std::string::npos) << wide;
    EXPECT_EQ(xml_problem(picture("pattern general\n3 3 0\n")), "");
}

}  // namespace
