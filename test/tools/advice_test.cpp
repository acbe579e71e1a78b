// needs: double int32
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "test/tools/program.hpp"

namespace {

using namespace linden::test;

/// The advice on a solve that must not converge.
std::string advice_on(const std::string& matrix, std::vector<std::string> options)
{
    const ScratchFolder folder;
    std::vector<std::string> arguments{"solve",    folder.write("a.mtx", matrix), "--json", "-", "--executor",
                                       "reference"};
    if (std::find(options.begin(), options.end(), "--solver") == options.end()) {
        arguments.insert(arguments.end(), {"--solver", "cg"});
    }
    arguments.insert(arguments.end(), options.begin(), options.end());
    const auto outcome = run_linden(arguments);
    EXPECT_EQ(outcome.code, 1) << outcome.err;
    const auto report = nlohmann::json::parse(outcome.out);
    return report.value("advice", "none");
}

std::string general(const std::string& entries) { return "%%MatrixMarket matrix coordinate real general\n" + entries; }

void expect_parts(const std::string& text, const std::vector<std::string>& parts)
{
    for (const auto& part : parts) {
        EXPECT_NE(text.find(part), std::string::npos) << part << " in " << text;
    }
    EXPECT_EQ(text.find('\n'), std::string::npos) << text;
}

const std::vector<std::string> two_iterations{"--max-iterations", "2"};

std::vector<std::string> with_two(std::vector<std::string> options)
{
    options.insert(options.end(), two_iterations.begin(), two_iterations.end());
    return options;
}

/// -u'' on n points; `first` is the first diagonal entry.
std::string laplacian(int n, const std::string& first = "2", double below = -1)
{
    std::string text = std::to_string(n) + " " + std::to_string(n) + " " + std::to_string(3 * n - 2) + "\n";
    for (int i = 1; i <= n; ++i) {
        const auto row = std::to_string(i) + " ";
        text += row + row + (i == 1 ? first : "2") + "\n";
        if (i > 1) {
            text += row + std::to_string(i - 1) + " " + std::to_string(below) + "\n";
        }
        if (i < n) {
            text += row + std::to_string(i + 1) + " -1\n";
        }
    }
    return general(text);
}

TEST(Advice, CgOnANonsymmetricMatrix)
{
    expect_parts(advice_on(laplacian(9, "2", -1.5), two_iterations),
                 {"not symmetric", "||A - A^T|| =", "cg needs", "--solver gmres --preconditioner ilu0"});
}

TEST(Advice, IlutWithCg)
{
    expect_parts(advice_on(laplacian(40), {"--max-iterations", "0", "--preconditioner", "ilut"}),
                 {"ilut is not symmetric", "--preconditioner ict", "--solver gmres"});
}

TEST(Advice, IndefiniteMatrixWithCg)
{
    expect_parts(advice_on(laplacian(9, "-3"), two_iterations), {"not positive definite", "gmres"});
}

TEST(Advice, IndefiniteMatrixWithAPositiveDiagonal)
{
    expect_parts(advice_on(laplacian(40, "0.1"), with_two({"--preconditioner", "ssor"})), {"indefinite", "ldlt"});
}

TEST(Advice, DirectSolverWhereTheStrongestPreconditionerFails)
{
    expect_parts(advice_on(laplacian(40, "2", -1.5), {"--solver", "gmres:krylov_dim=1", "--preconditioner",
                                                      "reordered:inner=jacobi", "--max-iterations", "2"}),
                 {"--solver lu"});
}

TEST(Advice, NoPreconditioner)
{
    expect_parts(advice_on(laplacian(40), two_iterations), {"no preconditioner", "--solver cg --preconditioner amg"});
    expect_parts(advice_on(laplacian(40, "2", -1.5), with_two({"--solver", "bicgstab"})),
                 {"no preconditioner", "--solver gmres --preconditioner ilu0"});
}

TEST(Advice, ZeroDiagonalWantsAMatching)
{
    expect_parts(advice_on(general("3 3 4\n1 2 1\n2 3 1\n3 1 1\n3 2 2\n"),
                           {"--solver", "gmres", "--preconditioner", "ilu0", "--max-iterations", "0"}),
                 {"3 diagonal entries are zero or missing", "matching=true"});
}

TEST(Advice, BadScalesWantScaling)
{
    expect_parts(advice_on(general("3 3 7\n1 1 2e9\n1 2 1e9\n2 1 1\n2 2 3\n2 3 1\n3 2 1\n3 3 4\n"),
                           {"--solver", "gmres", "--preconditioner", "ilut", "--max-iterations", "0"}),
                 {"badly scaled", "--preconditioner scaled:inner=ilut"});
}

TEST(Advice, RightHandSideOutsideOfTheRange)
{
    const std::string neumann = "3 3 7\n1 1 1\n1 2 -1\n2 1 -1\n2 2 2\n2 3 -1\n3 2 -1\n3 3 1\n";
    expect_parts(advice_on(general(neumann), {}), {"A 1 = 0", "outside of its range", "subtract the mean"});
}

TEST(Advice, StructurallySingular)
{
    expect_parts(advice_on(general("3 3 4\n1 1 1\n2 1 1\n3 1 1\n3 3 1\n"), {"--solver", "gmres", "--rhs", "random"}),
                 {"structural rank 2 of 3"});
}

TEST(Advice, IncompleteCholeskyOfANonsymmetricMatrix)
{
    expect_parts(
        advice_on(laplacian(40, "2", -1.5), {"--solver", "gmres", "--preconditioner", "ic0", "--max-iterations", "0"}),
        {"not symmetric", "ic0 needs"});
}

TEST(Advice, TimeLimit)
{
    expect_parts(advice_on(laplacian(3000), {"--max-seconds", "1e-9"}), {"raise --max-seconds", "--x0 FILE", "amg"});
}

/// It used to get no advice at all.
TEST(Advice, Diverged)
{
    const auto diverges = [](const std::string& matrix, const std::string& solver, const std::string& preconditioner) {
        const ScratchFolder folder;
        const auto outcome = run_linden({"solve", folder.write("a.mtx", matrix), "--executor", "reference", "--solver",
                                         solver, "--preconditioner", preconditioner});
        EXPECT_EQ(outcome.code, 1) << outcome.err;
        EXPECT_NE(outcome.out.find("\nstatus          diverged"), std::string::npos) << outcome.out;
        const auto begin = outcome.out.find("\nadvice ");
        EXPECT_NE(begin, std::string::npos) << outcome.out;
        return begin == std::string::npos
                   ? ""
                   : outcome.out.substr(begin + 1, outcome.out.find('\n', begin + 1) - begin - 1);
    };
    expect_parts(diverges(laplacian(9, "2", -4), "richardson", "none"),
                 {"richardson converges for few matrices", "--solver gmres --preconditioner ilu0"});
    expect_parts(diverges(laplacian(40, "2", -4), "cg", "none"), {"not symmetric", "cg needs", "--solver gmres"});
}

TEST(Advice, SymmetryThatOthersNeed)
{
    const auto flow = general(
        "6 6 15\n1 1 2\n2 2 3\n3 3 4\n1 4 -1\n1 5 1\n2 5 -1\n2 6 1\n3 6 -1\n3 4 1\n"
        "4 1 -1\n5 1 1\n5 2 -1\n6 2 1\n6 3 -1\n4 3 1\n");
    const auto islands = general("5 5 9\n1 1 1\n1 2 -1\n2 1 -1\n2 2 1\n3 3 2\n4 4 3\n4 5 -3\n5 4 -3\n5 5 3\n");
    for (const char* solver : {"lu", "automatic", "gmres"}) {
        expect_parts(advice_on(flow, {"--solver", solver}), {"rows without a positive diagonal", "sum to 0"});
        expect_parts(advice_on(islands, {"--solver", solver}), {"connected components", "sum to 0"});
    }
}

TEST(Advice, WhereLuWasTried)
{
    const auto singular = general("3 3 9\n1 1 1\n1 2 2\n1 3 3\n2 1 2\n2 2 3\n2 3 5\n3 1 4\n3 2 5\n3 3 9\n");
    expect_parts(advice_on(singular, {"--solver", "automatic", "--rhs", "random"}),
                 {"may be singular", "lu did not solve it either", "condition"});
}

/// [-1 2.5 -1] on 30 points; rows in turn in units of 1, 10^exponent and 10^-exponent.
std::string chain_in_units(const std::string& exponent)
{
    std::string text = "30 30 88\n";
    for (int i = 1; i <= 30; ++i) {
        const auto unit = i % 3 == 0 ? "e" + exponent : i % 3 == 1 ? "e-" + exponent : "";
        const auto row = std::to_string(i) + " ";
        text += row + row + "2.5" + unit + "\n";
        for (const int j : {i - 1, i + 1}) {
            text += j < 1 || j > 30 ? "" : row + std::to_string(j) + " -1" + unit + "\n";
        }
    }
    return general(text);
}

/// Rows that differ by 1e60: rounding of the basis hides the small ones.
TEST(Advice, BasisInLowerPrecision)
{
    expect_parts(advice_on(chain_in_units("30"), {"--solver", "gmres:basis_storage=half", "--rtol", "1e-12", "--rhs",
                                                  "a-times-ones", "--preconditioner", "jacobi"}),
                 {"lower precision", "basis_storage=same"});
}

/// It used to be -nan where the processor makes such.
TEST(SolveOutput, NotANumberHasNoSign)
{
    const ScratchFolder folder;
    const auto outcome = run_linden({"solve", folder.write("a.mtx", chain_in_units("300")), "--solver", "lu"});
    EXPECT_EQ(outcome.code, 1);
    EXPECT_NE(outcome.out.find("true residual   nan relative"), std::string::npos) << outcome.out;
}

TEST(Advice, ScalesThatAPreconditionerDoesNotMind)
{
    const auto scaled = general("3 3 7\n1 1 2e9\n1 2 1e9\n2 1 1\n2 2 3\n2 3 1\n3 2 1\n3 3 4\n");
    expect_parts(
        advice_on(scaled, {"--solver", "bicgstab", "--preconditioner", "block-jacobi", "--max-iterations", "0"}),
        {"badly scaled", "block-jacobi does not mend", "--solver gmres --preconditioner scaled:inner=ilut"});
}

/// Far above eps, but x is large: a chain of springs, every other one 10^7 times as stiff.
TEST(Advice, ResidualsAtTheLevelOfRounding)
{
    constexpr int n = 20;
    std::string text = "20 20 58\n";
    const auto stiffness = [](int spring) { return spring % 2 == 0 ? 1 : 10000000; };
    for (int i = 1; i <= n; ++i) {
        const auto row = std::to_string(i) + " ";
        text += row + row + std::to_string(stiffness(i - 1) + stiffness(i)) + "\n";
        if (i > 1) {
            text += row + std::to_string(i - 1) + " -" + std::to_string(stiffness(i - 1)) + "\n";
        }
        if (i < n) {
            text += row + std::to_string(i + 1) + " -" + std::to_string(stiffness(i)) + "\n";
        }
    }
    expect_parts(advice_on(general(text), {"--preconditioner", "jacobi", "--rtol", "1e-13"}),
                 {"level of rounding errors", "raise --rtol"});
}

TEST(Advice, LeastSquares)
{
    expect_parts(advice_on(general("3 2 4\n1 1 1e6\n2 2 1\n3 1 2e6\n3 2 1\n"),
                           {"--solver", "lsqr", "--max-iterations", "1", "--rhs", "random"}),
                 {"columns of A differ by", "--solver lsqr:column_scaling=true"});
    expect_parts(advice_on(general("3 2 4\n1 1 1e6\n2 2 1\n3 1 2e6\n3 2 1\n"),
                           {"--solver", "lsmr:column_scaling=true", "--max-iterations", "1", "--rhs", "random"}),
                 {"raise --max-iterations", "--preconditioner ic0"});
    expect_parts(advice_on(laplacian(40), {"--solver", "lsqr", "--max-iterations", "2"}),
                 {"A^H A", "--solver cg --preconditioner amg"});
}

TEST(Advice, NoneWhereItConverged)
{
    const auto outcome = run_linden({"solve", "--problem", "lap2d:9", "--json", "-"});
    EXPECT_FALSE(nlohmann::json::parse(outcome.out).contains("advice"));
}

TEST(Info, SaysWhatMatters)
{
    const ScratchFolder folder;
    const auto file = folder.write("a.mtx", general("4 4 8\n1 1 0\n1 2 3\n2 1 3\n2 2 1e-12\n3 3 1e6\n3 4 -1\n4 3 -1.5\n"
                                                    "4 4 -2\n"));
    const auto outcome = run_linden({"info", file, "--json", "-"});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    const auto matrix = nlohmann::json::parse(outcome.out)["matrix"];
    EXPECT_EQ(matrix["diagonal_entries"], 4);
    EXPECT_EQ(matrix["zero_diagonal"], 1);
    EXPECT_EQ(matrix["tiny_diagonal"], 1);
    EXPECT_EQ(matrix["missing_diagonal"], 0);
    EXPECT_EQ(matrix["positive_diagonal"], 2);
    EXPECT_EQ(matrix["negative_diagonal"], 1);
    EXPECT_EQ(matrix["norm_1"], 1000001.5);
    EXPECT_EQ(matrix["norm_inf"], 1000001.0);
    EXPECT_NEAR(matrix["asymmetry"].get<double>(), std::sqrt(2 * 0.25) / 1e6, 1e-12);
    EXPECT_EQ(matrix["structural_rank"], 4);
    EXPECT_EQ(matrix["row_magnitudes"]["smallest"], 2);
    const auto text = run_linden({"info", file}).out;
    for (const char* part : {"0 missing, 1 zero, 1 tiny", "asymmetry           ||A - A^T|| = 7.07e-07 ||A||",
                             "structural rank     4 of 4", "advice ", "matching=true"}) {
        EXPECT_NE(text.find(part), std::string::npos) << part << " in\n" << text;
    }
}

TEST(Info, SingularByItsSums)
{
    const ScratchFolder folder;
    const auto info = [&](const std::string& entries) {
        return run_linden({"info", folder.write("a.mtx", general(entries))}).out;
    };
    EXPECT_NE(info("2 2 4\n1 1 -1\n1 2 2\n2 1 1\n2 2 -2\n").find("its columns sum to 0: A is singular"),
              std::string::npos);
    EXPECT_NE(info("2 2 4\n1 1 -1\n1 2 1\n2 1 2\n2 2 -2\n").find("A 1 = 0: A is singular"), std::string::npos);
    EXPECT_EQ(info("0 0 0\n").find("singular"), std::string::npos);
}

TEST(Info, EntriesWithoutAMirrorImageCountTwice)
{
    const ScratchFolder folder;
    const auto asymmetry = [&](const std::string& entries) {
        const auto outcome = run_linden({"info", folder.write("a.mtx", general(entries)), "--json", "-"});
        return nlohmann::json::parse(outcome.out)["matrix"]["asymmetry"].get<double>();
    };
    EXPECT_NEAR(asymmetry("2 2 2\n1 1 3\n1 2 4\n"), std::sqrt(2 * 16) / 5, 1e-15);
    EXPECT_NEAR(asymmetry("2 2 2\n1 1 3\n2 1 4\n"), std::sqrt(2 * 16) / 5, 1e-15);
    EXPECT_EQ(asymmetry("3 3 5\n1 1 3\n1 3 4\n2 2 0\n3 1 4\n3 3 1\n"), 0);
}

TEST(Advice, SaysThatSquaresAreOutOfRange)
{
    const auto large = general("2 2 4\n1 1 2e200\n1 2 1e200\n2 1 -1e200\n2 2 2e200\n");
    expect_parts(advice_on(large, {"--solver", "bicgstab"}), {"2e+200", "double precision", "divide A and b"});
}

/// Rows of very different units: lu ends where rounding the entries of A changes as much as is left, a lot beside b.
TEST(Advice, SaysThatAResidualIsLargeBesideB)
{
    const ScratchFolder folder;
    const auto file = folder.write("a.mtx", general("3 3 7\n1 1 2e12\n1 2 -1e12\n2 1 -1e-12\n2 2 2e-12\n2 3 -1e-12\n"
                                                    "3 2 -1\n3 3 2\n"));
    const auto outcome = run_linden({"solve", file, "--json", "-", "--executor", "reference", "--solver", "lu"});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    const auto report = nlohmann::json::parse(outcome.out);
    EXPECT_GT(report.at("relative_residual").get<double>(), 1e-2);
    expect_parts(report.value("advice", "none"), {"rounding the values of A", "--condition"});
}

}  // namespace
