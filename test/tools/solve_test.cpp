// needs: double int32
#include <linden/config/config.hpp>
#include <linden/config/format.hpp>
#include <linden/executor.hpp>

#include <gtest/gtest.h>

#include <algorithm>

#include <nlohmann/json.hpp>

#include "core/base/type_lists.hpp"

#include "test/tools/program.hpp"

namespace {

using namespace linden;
using namespace linden::test;
using Json = nlohmann::ordered_json;

/// The JSON of a solve that must end with `code`.
Json solve_json(std::vector<std::string> arguments, int code = 0)
{
    arguments.insert(arguments.begin(), "solve");
    arguments.insert(arguments.end(), {"--json", "-"});
    const auto outcome = run_linden(arguments);
    EXPECT_EQ(outcome.code, code) << outcome.err;
    EXPECT_EQ(outcome.err, "");
    return Json::parse(outcome.out);
}

TEST(Solve, WarnsOfMoreThreadsThanProcessors)
{
    if (!backend_info(Backend::omp).built) {
        GTEST_SKIP() << "no omp backend";
    }
    const auto outcome = run_linden({"solve", "--problem", "lap2d:5", "--threads", "100000"});
    EXPECT_EQ(outcome.code, 0);
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
    EXPECT_NE(outcome.err.find("--threads 100000: only "), std::string::npos) << outcome.err;
    EXPECT_EQ(run_linden({"solve", "--problem", "lap2d:5", "--threads", "1"}).err, "");
    for (const std::vector<std::string>& command :
         {std::vector<std::string>{"compare", "--problem", "lap2d:5", "--methods", "cg"},
          {"validate", "--level", "1", "--backends", "omp", "--case", "0"}}) {
        auto arguments = command;
        arguments.insert(arguments.end(), {"--threads", "100000"});
        EXPECT_NE(run_linden(arguments).err.find("--threads 100000: only "), std::string::npos) << command[0];
    }
}

TEST(SolveJson, HasExactlyTheFieldsOfTheContract)
{
    const auto result = solve_json({"--problem", "lap2d:20", "--executor", "reference", "--solver", "cg"});
    const std::vector<std::pair<std::string, std::string>> expected{
        {"problem", "string"},
        {"rows", "number"},
        {"cols", "number"},
        {"nnz", "number"},
        {"executor", "string"},
        {"device", "string"},
        {"value_type", "string"},
        {"solver", "string"},
        {"preconditioner", "string"},
        {"status", "string"},
        {"iterations", "number"},
        {"relative_residual", "number"},
        {"setup_seconds", "number"},
        {"solve_seconds", "number"},
        {"seconds_per_iteration", "number"},
        {"kernel_launches_per_iteration", "number"},
        {"host_synchronizations_per_iteration", "number"},
        {"allocations_per_iteration", "number"},
        {"peak_bytes", "number"},
        {"version", "string"},
        {"read_seconds", "number"},
        {"reason", "string"},
    };
    std::vector<std::pair<std::string, std::string>> found;
    for (const auto& [key, value] : result.items()) {
        found.emplace_back(key, value.type_name());
    }
    EXPECT_EQ(found, expected);
}

TEST(SolveJson, ValuesAreThoseOfTheSolve)
{
    const auto r = solve_json({"--problem", "lap2d:20", "--executor", "reference", "--rtol", "1e-9", "--solver", "cg"});

    EXPECT_EQ(r["problem"], "lap2d:20");
    EXPECT_EQ(r["rows"], 400);
    EXPECT_EQ(r["cols"], 400);
    EXPECT_EQ(r["nnz"], 5 * 400 - 4 * 20);
    EXPECT_EQ(r["executor"], "reference");
    EXPECT_EQ(r["value_type"], "double");
    EXPECT_EQ(r["solver"], "cg");
    EXPECT_EQ(r["preconditioner"], "none");
    EXPECT_EQ(r["status"], "converged");
    EXPECT_GT(r["iterations"], 20);
    EXPECT_LT(r["iterations"], 60);
    EXPECT_LE(r["relative_residual"].get<double>(), 1e-9);
    EXPECT_GT(r["relative_residual"].get<double>(), 1e-12);
    EXPECT_GT(r["solve_seconds"].get<double>(), 0);
    EXPECT_GE(r["setup_seconds"].get<double>(), 0);
    EXPECT_DOUBLE_EQ(r["seconds_per_iteration"].get<double>(),
                     r["solve_seconds"].get<double>() / r["iterations"].get<double>());
    // The product with its inner product, the residual's update, the direction's.
    EXPECT_EQ(r["kernel_launches_per_iteration"], 3);
    EXPECT_EQ(r["host_synchronizations_per_iteration"], 0);
    EXPECT_EQ(r["allocations_per_iteration"], 0);
    // The matrix with 12 bytes per nonzero, and b, x and three vectors of the method.
    EXPECT_GT(r["peak_bytes"], 12 * 1920 + 5 * 8 * 400);
    EXPECT_LT(r["peak_bytes"], 4 * (12 * 1920 + 5 * 8 * 400));
}

/// Without a solver and a preconditioner, one is chosen, and the report says which and how to have it again.
TEST(SolveJson, SaysWhatWasChosen)
{
    const auto r = solve_json({"--problem", "lap2d:20", "--executor", "reference"});
    EXPECT_EQ(r["solver"], "automatic");
    const auto& attempts = r["automatic"]["attempts"];
    ASSERT_EQ(attempts.size(), 1u);
    EXPECT_EQ(attempts[0]["status"], "converged");
    EXPECT_EQ(attempts[0]["iterations"], r["iterations"]);
    EXPECT_EQ(attempts[0]["outcome"], "");
    EXPECT_NE(r["automatic"]["matrix"].get<std::string>().find("400 rows"), std::string::npos);
    const auto again = solve_json({"--problem", "lap2d:20", "--executor", "reference", "--solver",
                                   attempts[0]["solver"], "--preconditioner", attempts[0]["preconditioner"]});
    EXPECT_EQ(again["iterations"], r["iterations"]);
    EXPECT_EQ(again["relative_residual"], r["relative_residual"]);
    // A limit of iterations is one for all methods.
    const auto limited = solve_json({"--problem", "lap2d:20", "--executor", "reference", "--max-iterations", "2"}, 1);
    EXPECT_EQ(limited["status"], "max_iterations");
    EXPECT_EQ(limited["iterations"], 2);
}

/// A multigrid preconditioner adds its levels to the fields of the contract.
TEST(SolveJson, HasTheLevelsOfMultigrid)
{
    const auto r = solve_json({"--problem", "lap2d:40", "--executor", "reference", "--preconditioner", "amg"});
    const auto& levels = r["multigrid"]["levels"];
    ASSERT_EQ(levels.size(), 2u);
    EXPECT_EQ(levels[0]["rows"], 1600);
    EXPECT_EQ(levels[0]["nnz"], 5 * 1600 - 4 * 40);
    EXPECT_GT(levels[0]["prolongator_nnz"], 1600);
    EXPECT_LT(levels[1]["rows"], 256);
    EXPECT_EQ(levels[1]["storage"], "dense");
    EXPECT_EQ(r["multigrid"]["end"], "small");
    EXPECT_GT(r["multigrid"]["operator_complexity"].get<double>(), 1.2);
    EXPECT_LT(r["multigrid"]["operator_complexity"].get<double>(), 1.6);
    EXPECT_FALSE(solve_json({"--problem", "lap2d:9", "--executor", "reference"}).contains("multigrid"));
    EXPECT_EQ(r["multigrid"]["cycle"], "additive");
    EXPECT_GT(r["multigrid"]["phase_seconds"]["aggregates"].get<double>(), 0);
}

TEST(Solve, ParametersOfMultigridForSystems)
{
    const auto r = solve_json({"--problem", "lap2d:40", "--executor", "reference", "--preconditioner",
                               "amg:block_rows=2,smoother=mc-ssor,coarse_rows=50"});
    EXPECT_EQ(r["status"], "converged");
    EXPECT_EQ(r["multigrid"]["cycle"], "v");
}

TEST(SolveJson, RunsOnEveryExecutorOfThisMachine)
{
    const auto iterations_on = [](std::string_view executor) {
        const auto r = solve_json({"--problem", "lap2d:30", "--solver", "cg", "--executor", std::string(executor)});
        EXPECT_EQ(r["executor"], executor);
        return r["iterations"].get<double>();
    };
    for (int b = 0; b < num_backends; ++b) {
        const auto backend = static_cast<Backend>(b);
        if (backend_info(backend).why_not.empty()) {
            EXPECT_NEAR(iterations_on(name(backend)), iterations_on("reference"), 1);
            EXPECT_EQ(solve_json({"--problem", "lap2d:30", "--executor", std::string(name(backend))})["status"],
                      "converged");
        }
    }
}

TEST(SolveJson, CountsEveryLengthOfSolve)
{
    // b = A 1 with x in the first Krylov spaces ends after few iterations; all counts must be those of one iteration.
    for (const int n : {1, 2, 3, 4, 5}) {
        const auto r =
            solve_json({"--problem", "lap2d:" + std::to_string(n), "--executor", "reference", "--solver", "cg"});
        EXPECT_GE(r["iterations"], 1) << n;
        EXPECT_EQ(r["kernel_launches_per_iteration"], 3) << n;
    }
}

TEST(SolveJson, RunsEveryRegisteredSolver)
{
    for (const auto& solver : config::registered_types<double>(config::Kind::solver)) {
        const std::string preconditioner = solver == "Richardson" ? "ssor" : "none";  // without, A decides alone
        const auto r = solve_json({"--problem", "lap2d:10", "--executor", "reference", "--solver", solver,
                                   "--preconditioner", preconditioner});
        EXPECT_LE(r["relative_residual"].get<double>(), 1e-6) << solver;
        EXPECT_GT(r["kernel_launches_per_iteration"], 0) << solver;
        EXPECT_EQ(r["allocations_per_iteration"], 0) << solver;
    }
    for (const auto& preconditioner : config::registered_types<double>(config::Kind::preconditioner)) {
        // One triangle is not symmetric, nor is adapted deflation.
        const std::string solver = preconditioner == "Triangular"         ? "bicgstab"
                                   : preconditioner == "AdaptedDeflation" ? "gmres"
                                                                          : "cg";
        const auto r = solve_json({"--problem", "lap2d:10", "--executor", "reference", "--solver", solver,
                                   "--preconditioner", preconditioner});
        EXPECT_LE(r["relative_residual"].get<double>(), 1e-6) << preconditioner;
        EXPECT_NE(r["preconditioner"], "none");
    }
}

TEST(SolveJson, SaysTheSolverWithWhatDiffersFromItsDefaults)
{
    const auto r = solve_json({"--problem", "lap2d:5", "--solver", "CG:single_reduction=true", "--preconditioner",
                               "cg:max_iterations=2", "--rtol", "1e-3"});
    EXPECT_EQ(r["solver"], "cg:single_reduction=true");
    EXPECT_EQ(r["preconditioner"], "cg:max_iterations=2");
}

TEST(SolveJson, EveryValueTypeSolves)
{
    for_each_value([]<class V>() {
        const std::string type(name(value_type_of<V>));
        const auto r = solve_json({"--problem", "lap2d:10", "--value-type", type, "--rtol", "1e-4"});
        EXPECT_EQ(r["value_type"], type);
        EXPECT_LE(r["relative_residual"].get<double>(), 1e-4);
    });
}

TEST(SolveJson, StopOptionsReplaceThoseOfTheSolver)
{
    const auto few = solve_json({"--problem", "lap2d:20", "--max-iterations", "3"}, 1);
    EXPECT_EQ(few["status"], "max_iterations");
    EXPECT_EQ(few["iterations"], 3);
    const auto none = solve_json({"--problem", "lap2d:20", "--max-iterations", "0"}, 1);
    EXPECT_EQ(none["iterations"], 0);
    EXPECT_EQ(none["relative_residual"], 1);
    EXPECT_EQ(none["kernel_launches_per_iteration"], 0);
    // What is not given stays as the solver has it.
    EXPECT_EQ(solve_json({"--problem", "lap2d:20", "--solver", "cg:max_iterations=4"}, 1)["iterations"], 4);
    EXPECT_EQ(solve_json({"--problem", "lap2d:20", "--solver", "cg:max_iterations=4", "--max-iterations", "6"},
                         1)["iterations"],
              6);
    const auto loose = solve_json({"--problem", "lap2d:20", "--rtol", "1e-2"});
    EXPECT_LT(loose["iterations"], solve_json({"--problem", "lap2d:20"})["iterations"]);
}

TEST(SolveJson, SmallestProblems) { EXPECT_EQ(solve_json({"--problem", "lap2d:1", "--repeat", "4"})["iterations"], 1); }

TEST(SolveOutput, TableSaysHowItWent)
{
    const auto outcome = run_linden({"solve", "--problem", "lap2d:10", "--repeat", "3", "--executor", "reference"});
    EXPECT_EQ(outcome.code, 0);
    EXPECT_EQ(outcome.err, "");
    for (const char* part : {"lap2d:10, 100 x 100, 460 nonzeros", "reference", "converged", "iterations",
                             "true residual", "setup", "solve", "per iteration"}) {
        EXPECT_NE(outcome.out.find(part), std::string::npos) << part << " in\n" << outcome.out;
    }
    EXPECT_EQ(outcome.out.find('\r'), std::string::npos) << "a live line where there is no terminal";
}

TEST(SolveFormat, GivesTheSameSolution)
{
    for (const char* executor : {"reference", "omp"}) {
        const auto expected = solve_json({"--problem", "lap2d:20", "--executor", executor, "--solver", "cg"});
        std::vector<std::string> formats{
            "bsr:3",          "Bsr:block_size=3,max_fill=30", R"({"type": "bsr", "block_size": 3})", "compact:same",
            "compact:single", "compact:half,index_bits=32"};
        const auto all = config::format_names();
        for (std::string_view names = all; !names.empty();) {
            const auto end = std::min(names.find(" | "), names.size());
            if (const auto name = names.substr(0, end); name != "sparsity-csr") {  // 4 and -1 are not the same
                formats.emplace_back(name);
            }
            names.remove_prefix(std::min(end + 3, names.size()));
        }
        for (const auto& format : formats) {
            SCOPED_TRACE(format);
            const auto found = solve_json(
                {"--problem", "lap2d:20", "--executor", executor, "--format", format, "--preconditioner", "jacobi"});
            EXPECT_EQ(found["status"], "converged");
            EXPECT_EQ(found["iterations"], expected["iterations"]) << "4 and -1 have few bits";
            EXPECT_EQ(found["nnz"], expected["nnz"]);
        }
    }
}

TEST(SolveFormat, ReportsTheResidualOfTheMatrixItself)
{
    // Its coefficients have no 11 bits: what solves the rounded system does not solve this one.
    const auto found = solve_json({"--problem", "aniso2d:20:0.1", "--format", "compact:half", "--rtol", "1e-9"});
    EXPECT_EQ(found["status"], "converged");
    EXPECT_GT(found["relative_residual"].get<double>(), 1e-7);
    EXPECT_LT(found["relative_residual"].get<double>(), 1e-1);
}

TEST(SolveOutput, QuietPrintsNothing)
{
    for (const char* iterations : {"1000", "2"}) {
        const auto outcome = run_linden({"solve", "--problem", "lap2d:10", "--quiet", "--max-iterations", iterations});
        EXPECT_EQ(outcome.code, std::string(iterations) == "2" ? 1 : 0);
        EXPECT_EQ(outcome.out + outcome.err, "");
    }
}

TEST(SolveOutput, TerminalGetsALiveLine)
{
    const auto outcome = run_linden_on_terminal({"solve", "--problem", "lap2d:20", "--executor", "reference"});
    EXPECT_EQ(outcome.code, 0);
    const auto live = outcome.out.find("\riteration 1 ");
    ASSERT_NE(live, std::string::npos) << outcome.out;
    EXPECT_NE(outcome.out.find("iterations/s", live), std::string::npos);
    // The line is cleared before the table.
    EXPECT_NE(outcome.out.find("\r\033[Kproblem", live), std::string::npos) << outcome.out;

    EXPECT_EQ(run_linden_on_terminal({"solve", "--problem", "lap2d:20", "--quiet"}).out, "");
    const auto json = run_linden_on_terminal({"solve", "--problem", "lap2d:20", "--json", "-"}).out;
    EXPECT_EQ(json.front(), '{') << json;
}

TEST(SolveHelp, ShowsEveryParameterOfEveryType)
{
    const auto outcome = run_linden({"solve", "--help"});
    EXPECT_EQ(outcome.code, 0);
    EXPECT_EQ(outcome.err, "");
    EXPECT_NE(outcome.out.find(config::help_text()), std::string::npos);
    EXPECT_NE(outcome.out.find(config::format_help()), std::string::npos);
    for (const char* option : {"--problem",        "--rhs",         "--x0",       "--solver",
                               "--preconditioner", "--config",      "--executor", "--format",
                               "--device",         "--value-type",  "--rtol",     "--max-iterations",
                               "--repeat",         "--threads",     "--json",     "--history",
                               "--plot",           "--solution",    "--quiet",    "convdiff3d:N:C",
                               "Exit code",        "--max-seconds", "--view"}) {
        EXPECT_NE(outcome.out.find(option), std::string::npos) << option;
    }
}

}  // namespace
