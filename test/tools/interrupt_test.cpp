// needs: double int32
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "test/tools/program.hpp"

namespace {

using namespace linden::test;

/// A solve that goes on until something ends it, or its time is over.
std::vector<std::string> long_solve(std::vector<std::string> more, const std::string& max_seconds = "120")
{
    std::vector<std::string> arguments{
        "solve", "--problem",  "lap2d:300", "--solver",         "richardson", "--preconditioner", "jacobi",   "--rtol",
        "0",     "--executor", "reference", "--max-iterations", "1000000000", "--max-seconds",    max_seconds};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
}

TEST(Interrupt, EndsWithTheReportAndThePartialSolution)
{
    for (const int signal : {SIGINT, SIGTERM}) {
        const ScratchFolder folder;
        const auto x = folder.path("x.mtx");
        const auto outcome = run_linden_and_signal(
            long_solve({"--solution", x, "--json", folder.path("r.json"), "--history", folder.path("h.csv")}), signal);
        EXPECT_EQ(outcome.code, 130);
        EXPECT_NE(outcome.out.find("status          interrupted"), std::string::npos) << outcome.out;
        EXPECT_NE(outcome.out.find("--x0 FILE"), std::string::npos) << outcome.out;
        const auto report = nlohmann::json::parse(read_file(folder.path("r.json")));
        EXPECT_EQ(report["status"], "interrupted");
        const int iterations = report["iterations"];
        EXPECT_GE(iterations, 1);
        EXPECT_EQ(std::ssize(lines_of(read_file(folder.path("h.csv")))), std::min(iterations + 2, 1000002));

        // What was reached is where the next solve starts.
        const auto next = run_linden({"solve", "--problem", "lap2d:300", "--x0", x, "--max-iterations", "0", "--json",
                                      "-", "--executor", "reference"});
        EXPECT_EQ(next.code, 1);
        EXPECT_NEAR(nlohmann::json::parse(next.out)["relative_residual"].get<double>(),
                    report["relative_residual"].get<double>(), 1e-12);
    }
}

/// An iteration of 1.5 s: a line says what is waited for.
TEST(Interrupt, SaysThatAnIterationIsWaitedFor)
{
    const auto outcome = run_linden_and_signal(
        {"solve", "--problem", "lap2d:300", "--solver", "richardson", "--preconditioner",
         "richardson:preconditioner=jacobi,relative_residual=0,max_iterations=1000000000,max_seconds=1.5", "--rtol",
         "0", "--executor", "reference"},
        SIGINT);
    EXPECT_EQ(outcome.code, 130);
    const auto line = outcome.out.find("linden: interrupted; ends after this set-up or iteration");
    EXPECT_NE(line, std::string::npos) << outcome.out;
    EXPECT_LT(line, outcome.out.find("status          interrupted")) << outcome.out;
}

TEST(Interrupt, AComparisonNamesWhatWasNotTried)
{
    const auto outcome =
        run_linden_and_signal({"compare", "--problem", "lap2d:300", "--methods", "richardson+jacobi", "cg", "--rtol",
                               "0", "--executor", "reference", "--max-iterations", "1000000000", "--seconds", "240"},
                              SIGINT);
    EXPECT_EQ(outcome.code, 130);
    EXPECT_NE(outcome.out.find("\nrichardson+jacobi  interrupted"), std::string::npos) << outcome.out;
    EXPECT_NE(outcome.out.find("\ncg                 failed: not tried, interrupted"), std::string::npos)
        << outcome.out;
}

/// The second one may come before or after the report; in no case is something empty left.
TEST(Interrupt, TwiceLeavesNothingEmpty)
{
    const ScratchFolder folder;
    const auto outcome = run_linden_and_signal(
        long_solve({"--solution", folder.path("x.mtx"), "--json", folder.path("r.json")}), SIGINT, 2);
    EXPECT_EQ(outcome.code, 130);
    for (const auto& name : {"x.mtx", "r.json"}) {
        const auto path = folder.path(name);
        EXPECT_TRUE(!std::filesystem::exists(path) || std::filesystem::file_size(path) > 0) << name;
    }
}

TEST(Solution, GoesToStandardOutput)
{
    const auto outcome =
        run_linden({"solve", "--problem", "lap2d:3", "--rhs", "a-times-ones", "--rtol", "1e-14", "--solution", "-"});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    const auto lines = lines_of(outcome.out);
    ASSERT_EQ(lines.size(), 11u) << outcome.out;
    EXPECT_EQ(lines[0], "%%MatrixMarket matrix array real general");
    EXPECT_EQ(lines[1], "9 1");
    EXPECT_NEAR(std::stod(lines[2]), 1, 1e-12);
}

TEST(InitialGuess, ContinuesFromAFile)
{
    const ScratchFolder folder;
    const auto solve = [&](std::vector<std::string> more, int code) {
        std::vector<std::string> arguments{"solve",      "--problem", "lap2d:30", "--solver", "cg",
                                           "--executor", "reference", "--json",   "-"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        const auto outcome = run_linden(arguments);
        EXPECT_EQ(outcome.code, code) << outcome.err;
        return nlohmann::json::parse(outcome.out);
    };
    const auto x = folder.path("x.mtx");
    const auto first = solve({"--max-iterations", "40", "--solution", x}, 1);
    const auto second = solve({"--x0", x, "--max-iterations", "0"}, 1);
    EXPECT_EQ(first["relative_residual"], second["relative_residual"]);
    EXPECT_LT(solve({"--x0", x}, 0)["iterations"], solve({}, 0)["iterations"]);
}

/// One set-up and one solve: counts and history are those of the solve that is reported, and nothing else takes time.
TEST(Honesty, OneSolveAndItsHistory)
{
    const ScratchFolder folder;
    const auto csv = folder.path("h.csv");
    const auto begin = std::chrono::steady_clock::now();
    const auto outcome = run_linden(long_solve({"--history", csv, "--json", "-"}, "1.5"));
    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - begin;
    EXPECT_EQ(outcome.code, 1) << outcome.err;
    const auto report = nlohmann::json::parse(outcome.out);
    EXPECT_EQ(report["status"], "time");
    EXPECT_EQ(std::ssize(lines_of(read_file(csv))), report["iterations"].get<int>() + 2);
    const double reported = report["read_seconds"].get<double>() + report["setup_seconds"].get<double>() +
                            report["solve_seconds"].get<double>();
    EXPECT_GE(reported, 1.4);
    EXPECT_LE(wall.count(), 1.6 * reported) << "it used to be 2 to 4 times as much";
}

TEST(View, ShowsTheTreeOfTheSolver)
{
    const auto expect_view = [](const std::vector<std::string>& method, const std::vector<std::string>& parts) {
        std::vector<std::string> arguments{"solve", "--problem", "lap2d:20", "--view", "--executor", "reference"};
        arguments.insert(arguments.end(), method.begin(), method.end());
        const auto outcome = run_linden(arguments);
        EXPECT_EQ(outcome.code, 0) << outcome.err;
        for (const auto& part : parts) {
            EXPECT_NE(outcome.out.find(part), std::string::npos) << part << " in\n" << outcome.out;
        }
    };
    // Names are spelled as in the help.
    expect_view(
        {"--preconditioner", "symmetric-scaling:inner=ic0"},
        {"\ncg, 400 x 400", "\n  matrix: csr, 400 x 400, 1920 entries, int32", "\n  preconditioner: symmetric-scaling",
         "\n    inner: ic0, 400 x 400, 1160 entries (0.604 times those of A), 15.16 KiB, ", " level set",
         "workspace: "});
    expect_view({"--solver", "lu"}, {"\nlu, 400 x 400, ", " times those of A), ", " KiB\n  matrix: csr"});
    expect_view({"--solver", "deflatedcg:vectors=5"}, {"\ndeflatedcg, 400 x 400, 5 deflated vectors\n"});
    expect_view({"--preconditioner", "mc-ssor"}, {"\n  preconditioner: mcssor, ", " colours, "});
    expect_view({"--preconditioner", "block-jacobi:block_size=4"}, {"block-jacobi, 400 x 400, 100 blocks"});
    expect_view({"--format", "sell", "--solver", "cg"},
                {"matrix: sell of csr", "products: sell, 400 x 400, 1920 entries"});
}

TEST(Solve, SpellsNamesOfItsRemarksAsTheHelp)
{
    const ScratchFolder folder;
    const auto matrix = folder.write("a.mtx",
                                     "%%MatrixMarket matrix coordinate real symmetric\n3 3 6\n1 1 1\n2 1 0.9\n"
                                     "2 2 1\n3 1 -0.9\n3 2 0.9\n3 3 1\n");
    const auto outcome = run_linden({"solve", matrix, "--solver", "gmres", "--preconditioner", "IC0"});
    EXPECT_NE(outcome.out.find("; ic0 took shift="), std::string::npos) << outcome.out;
}

TEST(Compare, TableJsonAndPicture)
{
    const ScratchFolder folder;
    const auto svg = folder.path("c.svg"), json = folder.path("c.json");
    const auto outcome = run_linden(
        {"compare", "--problem", "lap2d:20", "--methods", "cg", "cg+ic0", "gmres+ilu0", "--plot", svg, "--json", json});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    for (const char* part : {"\ncg ", "\ncg+ic0 ", "\ngmres+ilu0 ", "converged"}) {
        EXPECT_NE(outcome.out.find(part), std::string::npos) << part << " in\n" << outcome.out;
    }
    const auto report = nlohmann::json::parse(read_file(json));
    ASSERT_EQ(report["methods"].size(), 3u);
    EXPECT_EQ(report["methods"][1]["method"], "cg+ic0");
    EXPECT_LT(report["methods"][1]["iterations"], report["methods"][0]["iterations"]);
    const auto picture = read_file(svg);
    EXPECT_EQ(xml_problem(picture), "");
    EXPECT_NE(picture.find(">gmres+ilu0</text>"), std::string::npos);
    // Without names, by the matrix; a method that cannot run does not end the others.
    const auto chosen = run_linden({"compare", "--problem", "convdiff3d:6:1"});
    EXPECT_EQ(chosen.code, 0);
    const auto automatic = chosen.out.find("\nautomatic ");
    EXPECT_LT(automatic, chosen.out.find("\ngmres+ilu0 ")) << chosen.out;
    EXPECT_LT(chosen.out.find("  took ", automatic), chosen.out.find('\n', automatic + 1)) << chosen.out;
    EXPECT_EQ(run_linden({"compare", "--problem", "lap2d:20", "--methods", "cg", "--max-iterations", "2"}).code, 1);
    // No time for the first set-up, and none for a second method.
    const auto late = run_linden({"compare", "--problem", "lap3d:30", "--methods", "lu", "cg", "--seconds", "1e-6"});
    EXPECT_EQ(late.code, 1);
    EXPECT_NE(late.out.find("\ncg      failed: not tried, the time was over\n"), std::string::npos) << late.out;
}

}  // namespace
