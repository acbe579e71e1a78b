// needs: double int32
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "core/base/type_lists.hpp"

#include "test/tools/program.hpp"

namespace {

using namespace linden;
using namespace linden::test;

/// The run must fail with exit code 2, print nothing, and one line on standard error with all of `parts`.
void expect_failure(const std::vector<std::string>& arguments, const std::vector<std::string>& parts)
{
    std::string words = "linden";
    for (const auto& argument : arguments) {
        words += " " + argument;
    }
    SCOPED_TRACE(words);
    const auto outcome = run_linden(arguments);
    EXPECT_EQ(outcome.code, 2);
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
    EXPECT_EQ(outcome.err.rfind("linden: ", 0), 0u) << outcome.err;
    for (const auto& part : parts) {
        EXPECT_NE(outcome.err.find(part), std::string::npos) << "no '" << part << "' in " << outcome.err;
    }
}

/// The same for `solve --problem lap2d:5`.
void expect_solve_failure(std::vector<std::string> arguments, const std::vector<std::string>& parts)
{
    arguments.insert(arguments.begin(), {"solve", "--problem", "lap2d:5"});
    expect_failure(arguments, parts);
}

TEST(Usage, CommandsAndOptions)
{
    expect_failure({}, {"no command"});
    expect_failure({"slove"}, {"unknown command 'slove'", "did you mean 'solve'?"});
    expect_failure({"--problem", "lap2d:5"}, {"unknown option '--problem'"});
    expect_failure({"solve"}, {"give a Matrix Market file, or --problem"});
    expect_failure({"solve", "a.mtx", "b.mtx"}, {"unexpected argument 'b.mtx'"});
    expect_failure({"solve", "a.mtx", "--problem", "lap2d:5"}, {"a.mtx", "--problem", "exclude each other"});
    expect_solve_failure({"--sovler", "cg"}, {"unknown option '--sovler'", "did you mean '--solver'?"});
    expect_solve_failure({"--sovler=cg"}, {"unknown option '--sovler'", "did you mean '--solver'?"});
    expect_solve_failure({"--rtol"}, {"--rtol: its value is missing"});
    expect_solve_failure({"--solver", "cg", "--solver", "gmres"}, {"--solver: it is given more than once"});
    expect_solve_failure({"--partition", "stripe"}, {"--partition stripe", "did you mean 'stripes'?"});
    expect_failure({"info", "--executor", "cuda"}, {"--executor goes with --mpi"});
    expect_failure({"info", "--transport", "peer"}, {"--transport goes with --mpi"});
    expect_failure({"generate", "x.mtx"}, {"--problem"});
    expect_failure({"generate", "--problen", "lap2d:5", "x.mtx"}, {"did you mean '--problem'?"});
    expect_failure({"spy", "x.mtx"}, {"spy", "picture"});
    expect_failure({"info", "--kernles"}, {"did you mean '--kernels'?"});
}

/// --rtol was suggested, whose letters are nearer.
TEST(Usage, ABeginningOfANameIsTakenAsThat)
{
    expect_solve_failure({"--sol", "x.mtx"}, {"did you mean '--solver'?"});
    expect_solve_failure({"--precond", "jacobi"}, {"did you mean '--preconditioner'?"});
    expect_solve_failure({"--solver", "bicg"}, {"did you mean 'bicgstab'?"});
    expect_solve_failure({"--solver", "chol"}, {"did you mean 'cholesky'?"});
}

TEST(Usage, NumbersOutOfRange)
{
    expect_solve_failure({"--preconditioner", "ic0:shift=nan"}, {"shift", "'nan'", "expected a number"});
    expect_failure({"validate", "--backends", "opm"}, {"--backends opm: did you mean 'omp'? expected one of"});
    expect_solve_failure({"--rtol", "-1"}, {"--rtol", "at least 0", "'-1'"});
    expect_solve_failure({"--rtol", "small"}, {"--rtol", "'small'"});
    expect_solve_failure({"--rtol", "nan"}, {"--rtol", "'nan'"});
    expect_solve_failure({"--max-iterations", "-1"}, {"--max-iterations", "'-1'"});
    expect_solve_failure({"--max-iterations", "1.5"}, {"--max-iterations", "'1.5'"});
    expect_solve_failure({"--repeat", "0"}, {"--repeat", "at least 1", "'0'"});
    expect_solve_failure({"--threads", "-2"}, {"--threads", "'-2'"});
    expect_solve_failure({"--threads", "99999999999"}, {"--threads", "from 0 to 2147483647"});
    const std::string long_number = "99999999999999999999999";
    for (const auto& number : {long_number, std::string("9223372036854775808")}) {
        const std::string range = "from 0 to 9223372036854775807, not '" + number + "'";
        expect_solve_failure({"--max-iterations", number}, {"--max-iterations: expected an integer " + range});
        expect_failure({"compare", "--problem", "lap2d:5", "--max-iterations", number}, {"--max-iterations", range});
        expect_failure({"validate", "--seed", number}, {"--seed", range});
        expect_failure({"validate", "--case", number}, {"--case", range});
    }
    expect_solve_failure({"--solver", "cg:max_iterations=" + long_number}, {"expected an integer of at most 64 bits"});
    expect_solve_failure({"--max-iterations", "0x10"}, {"--max-iterations", "an integer of at least 0, not '0x10'"});
    for (const std::string number : {"1e999", "1e-999"}) {
        expect_solve_failure({"--rtol", number}, {"--rtol: expected a number of at least 0 that fits a double"});
        expect_solve_failure({"--preconditioner", "ilut:tol=" + number}, {"tol", "a number that fits a double"});
        expect_failure({"solve", "--problem", "aniso2d:5:" + number}, {"EPS", "a number that fits a double"});
    }
    // 010 is ten, not the octal eight.
    EXPECT_NE(run_linden({"solve", "--problem", "lap2d:30", "--solver", "cg", "--max-iterations", "010"})
                  .out.find("\niterations      10\n"),
              std::string::npos);
    expect_solve_failure({"--device", "-1"}, {"--device", "'-1'"});
    expect_solve_failure({"--device", "1"}, {"--device 1 needs --executor cuda or hip"});
    expect_failure({"solve", "--problem", "powerlaw:1000000000000:100000000000:1"}, {"powerlaw", "too many for"});
}

TEST(Usage, Names)
{
    expect_failure({"solve", "--problem", "lap2x:5"}, {"lap2x:5", "did you mean 'lap2d'?"});
    expect_failure({"solve", "--problem", "lap2d"}, {"lap2d"});
    expect_solve_failure({"--solver", "cgg"}, {"--solver cgg", "did you mean 'cg'?"});
    expect_solve_failure({"--solver", "gmres,krylov_dim=5"}, {"parameters follow a colon, as in gmres:KEY=VALUE"});
    expect_solve_failure({"--solver", "gmres=5"}, {"parameters follow a colon, as in gmres:KEY=VALUE"});
    // 'iluk' was suggested, which takes no tolerance either.
    expect_solve_failure({"--preconditioner", "reordered:inner=ilut:k=3"},
                         {"inner = 'ilut:k=3'", "have paths, as in inner=ilut,inner.KEY=VALUE"});
    expect_solve_failure({"--format", "sel"}, {"--format sel", "did you mean 'sell'?"});
    expect_solve_failure({"--format", "bsr:9"}, {"--format bsr:9", "block_size", "2 to 8"});
    expect_solve_failure({"--format", "bsr:x"}, {"--format bsr:x", "block_size", "an integer"});
    expect_solve_failure({"--format", "bsr:blocks=3"}, {"--format", "blocks", "block_size"});
    expect_solve_failure({"--format", "compact:singel"}, {"--format compact:singel", "did you mean 'single'?"});
    expect_solve_failure({"--format", "coo:3"}, {"--format coo:3", "key=value"});
    if constexpr (has_types<std::complex<float>>) {
        expect_solve_failure({"--format", "compact:half", "--value-type", "complex64"},
                             {"--format", "storage", "half"});
    }
    expect_solve_failure({"--solver", "ssorcg", "--preconditioner", "jacobi"}, {"--solver", "has one of its own"});
    expect_solve_failure({"--solver", "none"}, {"--solver none", "not a solver"});
    expect_solve_failure({"--solver", "cg:max_iteration=5"},
                         {"--solver", "max_iteration = '5'", "did you mean 'max_iterations'?"});
    expect_solve_failure({"--solver", "cg:max_iterations=many"}, {"--solver", "'many'", "expected an integer"});
    expect_solve_failure({"--solver", "cg:max_iterations"}, {"--solver", "expected key=value"});
    expect_solve_failure({"--preconditioner", "cgg"}, {"--preconditioner cgg", "did you mean 'cg'?"});
    expect_solve_failure({"--preconditioner", "cg:stp=1"}, {"--preconditioner", "did you mean 'stop'?"});
    expect_solve_failure({"--solver", "cg:preconditioner=cg", "--preconditioner", "cg"}, {"preconditioner"});
    expect_solve_failure({"--executor", "opm"}, {"opm", "did you mean 'omp'?"});
    expect_solve_failure({"--value-type", "doubel"}, {"--value-type doubel", "did you mean 'double'?"});
    expect_solve_failure({"--rhs", "onez"}, {"--rhs onez", "did you mean 'ones'?"});
    expect_solve_failure({"--rhs", "random:x"}, {"--rhs random:x", "seed"});
    expect_solve_failure({"--x0", "ones"}, {"--x0 ones", "zero", "a file"});
    expect_solve_failure({"--solver", "jacobi"},
                         {"--solver jacobi: not a solver (--preconditioner takes it); expected one of cg, "});
    expect_failure({"compare", "--problem", "lap2d:5", "--methods", "cg+"}, {"--methods cg+: expected solver or"});
    expect_failure({"compare"}, {"compare: give a Matrix Market file, or --problem"});
    expect_failure({"compare", "--problem", "lap2d:5", "--methods", "cg+amgg"},
                   {"--methods cg+amgg: ", "did you mean 'amg'?"});
    expect_failure({"compare", "--problem", "lap2d:5", "--methods", "amg"}, {"--methods amg: not a solver"});
    for (const std::string together : {"cg,gmres", "cg gmres"}) {
        expect_failure({"compare", "--problem", "lap2d:5", "--methods", together},
                       {"--methods " + together + ": methods are words of their own"});
    }
}

/// What only the matrix or the method refuses, after the command line has been read.
TEST(Usage, ParametersThatDoNotSuitNameTheirOption)
{
    expect_solve_failure({"--preconditioner", "ilut:k=-3"},
                         {"--preconditioner ilut:k=-3: preconditioner.k = '-3'", "at least 0"});
    expect_solve_failure({"--solver", "gmres:relative_residual=-1e-9"},
                         {"--solver gmres:relative_residual=-1e-9: relative_residual = '-1e-09'", "at least 0"});
    expect_solve_failure({"--solver", "cg", "--preconditioner", "chebyshev:degree=1000000000"},
                         {"--solver cg --preconditioner chebyshev", "degree", "0 to 10000"});
    const ScratchFolder folder;
    const auto file = folder.write("c.json", "{\"type\": \"Gmres\", \"krylov_dim\": 0}");
    expect_solve_failure({"--config", file}, {"--config " + file + ": krylov_dim = '0'", "at least 1"});
    const auto nested = folder.write("n.json",
                                     "{\"type\": \"Gmres\", \"preconditioner\": {\"type\": \"Scaled\", "
                                     "\"inner\": {\"type\": \"Ilut\", \"tol\": -1}}}");
    expect_solve_failure({"--config", nested}, {": preconditioner.inner.tol = '-1'", "at least 0"});
}

TEST(Usage, ValueTypesThatAreNotThere)
{
    for (const auto type : {ValueType::float64, ValueType::float32, ValueType::complex64, ValueType::complex128}) {
        if (!with_value_type(type, []<class V>() {})) {
            const std::string text(name(type));
            expect_solve_failure({"--value-type", text}, {"--value-type " + text, "this build has only double"});
        }
    }
}

TEST(Usage, ExecutorsThatAreNotThere)
{
    expect_solve_failure({"--executor", "cuda", "--device", "999"}, {"cuda"});
    expect_solve_failure({"--executor", "hip", "--device", "999"}, {"hip"});
}

TEST(Input, Configurations)
{
    const ScratchFolder folder;
    const auto expect_refused = [&](const std::string& text, const std::vector<std::string>& parts) {
        expect_solve_failure({"--config", folder.write("c.json", text)}, parts);
    };
    expect_refused("{\"type\": \"Cg\", \"max_iterations\": 5}", {"max_iterations", "stop.max_iterations here"});
    expect_refused("{\"type\": \"Cg\",\n \"stop\": {\"max_iterations\": \"5\"}}",
                   {"stop.max_iterations", "expected an integer", "c.json:2"});
    expect_refused("{\"type\": \"Cg\",\n \"stop\": {\"rtol\": 5}}", {"stop.rtol", "unknown key", "c.json:2"});
    expect_refused("{\"type\": \"Cg\",\n\n stop}", {"c.json:3"});
    expect_refused("{\"type\": \"Cg\",\n}", {"c.json:2", "JSON has no comma before a closing bracket"});
    expect_refused("{\"type\": \"Cg\", \"preconditioner\": [\"Ic0\",]}", {"c.json:1", "JSON has no comma before"});
    EXPECT_EQ(run_linden({"solve", "--problem", "lap2d:5", "--config", folder.write("c.json", "{\"type\": }")})
                  .err.find("comma"),
              std::string::npos);
    expect_refused("{\"solver\": \"Cg\"}", {"type = ''", "missing", "as in {\"type\": \"Cg\"}", "c.json:1"});
    expect_refused("null", {"c.json", "not a solver"});
    const auto good = folder.write("good.json", "\"Cg\"");
    expect_solve_failure({"--config", good, "--solver", "cg"}, {"--config", "--solver"});
    expect_solve_failure({"--config", good, "--preconditioner", "cg"}, {"--config", "--preconditioner"});
    expect_solve_failure({"--config", folder.path("none.json")}, {"none.json"});
}

TEST(Input, Matrices)
{
    const ScratchFolder folder;
    const auto matrix = [&](const std::string& text) {
        return folder.write("m.mtx", "%%MatrixMarket matrix coordinate real general\n" + text);
    };
    expect_failure({"solve", folder.path("none.mtx")}, {"none.mtx"});
    expect_failure({"solve", folder.path("")}, {"directory"});
    expect_failure({"solve", folder.write("t.txt", "no matrix\n")}, {"t.txt:1"});
    expect_failure({"solve", matrix("2 2 2\n1 1 1\n3 1 1\n")}, {"m.mtx:4"});
    expect_failure({"solve", matrix("2 2 2\n1 1 1\n1 x 1\n")}, {"m.mtx:4"});
    expect_failure({"solve", matrix("2 3 1\n1 1 1\n"), "--solver", "cg"}, {"m.mtx", "2 x 3", "square"});
    expect_failure({"partition", matrix("2 2 1\n1 1 1\n"), "--parts", "3"}, {"m.mtx", "--parts 3", "2 rows"});
    expect_failure({"partition", matrix("2 2 1\n1 1 1\n"), "--parts", "2", "--by", "ptscotch"},
                   {"--by ptscotch", "several processes"});
    expect_failure({"partition", matrix("2 2 1\n1 1 1\n"), "--parts", "2", "--by", "scotch"},
                   {"--by scotch", "metis, stripes or ptscotch"});
    expect_failure({"spy", folder.path("none.mtx"), folder.path("s.svg")}, {"none.mtx"});
    expect_failure({"generate", "--problem", "lap2d:x", folder.path("g.mtx")}, {"lap2d:x"});
}

TEST(Input, RightHandSidesThatDoNotFit)
{
    const ScratchFolder folder;
    const auto b = folder.write("b.mtx", "%%MatrixMarket matrix array real general\n4 1\n1\n1\n1\n1\n");
    expect_solve_failure({"--rhs", b}, {"b.mtx", "4 x 1", "25 rows"});
    const auto c = folder.write("c.mtx", "%%MatrixMarket matrix array real general\n4 1\n1\nx\n1\n1\n");
    expect_solve_failure({"--rhs", c}, {"c.mtx:4"});
}

TEST(Input, FilesThatAreNotThereAreNotSuggested)
{
    expect_solve_failure({"--rhs", "nofile"}, {"--rhs nofile: there is no such file; expected one of ones, "});
    expect_solve_failure({"--rhs", "one"}, {"did you mean 'ones'?", ", a file"});
}

TEST(Input, InitialGuessesThatDoNotFit)
{
    const ScratchFolder folder;
    const auto x = folder.write("x.mtx", "%%MatrixMarket matrix array real general\n4 1\n1\n1\n1\n1\n");
    expect_solve_failure({"--x0", x}, {"--x0", "x.mtx", "4 x 1", "25 x 1"});
}

TEST(Input, ComplexFilesNameTheOption)
{
    const ScratchFolder folder;
    const auto a = folder.write("a.mtx", "%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 1 2\n");
    const auto* const option = has_types<std::complex<double>>  ? "--value-type complex128"
                               : has_types<std::complex<float>> ? "--value-type complex64"
                                                                : "this build has none of";
    expect_failure({"solve", a}, {"a.mtx:1", "complex", option});
}

TEST(Input, OnlyOneFileIsStandardInput)
{
    expect_failure({"solve", "-", "--rhs", "-"}, {"only one of the files to read may be -"});
    expect_failure({"solve", "-"}, {"/dev/stdin", "neither a regular file nor a pipe"});  // the tests' own
}

TEST(Output, PicturesAreSvg)
{
    const ScratchFolder folder;
    const auto png = folder.path("p.png");
    expect_solve_failure({"--plot", png}, {"--plot", "p.png", ".svg"});
    expect_failure({"compare", "--problem", "lap2d:5", "--plot", folder.path("p.PDF")}, {"--plot", "p.PDF", ".svg"});
    expect_failure({"spy", folder.path("a.mtx"), png}, {"p.png", ".svg"});
    EXPECT_TRUE(folder.is_empty());
}

TEST(Output, OnlyOneThingGoesToStandardOutput)
{
    expect_solve_failure({"--json", "-", "--solution", "-"}, {"--json -", "--solution -", "exclude"});
    expect_solve_failure({"--history", "-", "--plot", "-"}, {"--history -", "--plot -", "exclude"});
}

/// It used to write files of the name `-`.
TEST(Output, EveryOneMayBeStandardOutput)
{
    const ScratchFolder folder;
    const auto matrix = folder.path("a.mtx");
    ASSERT_EQ(run_linden({"generate", "--problem", "lap2d:20", matrix}).code, 0);
    const auto output_of = [](std::vector<std::string> arguments) {
        const auto outcome = run_linden(arguments);
        EXPECT_EQ(outcome.code, 0) << outcome.err;
        return outcome.out;
    };
    const std::vector<std::string> solve{"solve", matrix, "--solver", "cg", "--preconditioner", "amg"};
    const auto solve_to = [&](const std::string& option) {
        auto arguments = solve;
        arguments.insert(arguments.end(), {option, "-"});
        return output_of(arguments);
    };
    EXPECT_TRUE(solve_to("--history").starts_with("iteration,relative_residual\n0,1\n1,"));
    for (const auto& picture : {solve_to("--plot"), solve_to("--levels"), output_of({"spy", matrix, "-"}),
                                output_of({"compare", matrix, "--methods", "cg", "--plot", "-"})}) {
        EXPECT_TRUE(picture.starts_with("<svg ")) << picture.substr(0, 80);
        EXPECT_EQ(xml_problem(picture), "");
    }
    const auto parts = lines_of(output_of({"partition", matrix, "-", "--parts", "4", "--by", "stripes"}));
    EXPECT_EQ(parts.size(), 400u);
    EXPECT_FALSE(std::filesystem::exists("-"));
}

TEST(Output, APartitionDoesNotOverwriteItsMatrix)
{
    const ScratchFolder folder;
    const auto matrix = folder.path("a.mtx");
    ASSERT_EQ(run_linden({"generate", "--problem", "lap2d:5", matrix}).code, 0);
    const auto before = read_file(matrix);
    expect_failure({"partition", matrix, matrix, "--parts", "2", "--by", "stripes"}, {"PARTS.txt", "overwrite"});
    EXPECT_EQ(read_file(matrix), before);
}

TEST(Output, IsCheckedBeforeAnythingIsWritten)
{
    const ScratchFolder folder;
    const auto kept = folder.write("kept.csv", "old\n");
    for (const char* option : {"--json", "--plot", "--solution"}) {
        const auto missing = folder.path("missing/file");
        expect_solve_failure({"--history", kept, option, missing}, {"missing/file", "cannot be written"});
        expect_solve_failure({"--history", kept, option, folder.path("")}, {"cannot be written"});
        EXPECT_EQ(read_file(kept), "old\n");
    }
    expect_failure({"generate", "--problem", "lap2d:3", folder.path("missing/file")}, {"missing/file"});
    expect_failure({"info", "--json", folder.path("missing/file")}, {"missing/file"});
}

TEST(Output, NothingIsLeftOfARunThatFails)
{
    const ScratchFolder folder;
    expect_failure({"solve", "/nonexistent.mtx", "--json", folder.path("r"), "--history", folder.path("h"), "--plot",
                    folder.path("p"), "--solution", folder.path("s")},
                   {"/nonexistent.mtx"});
    expect_failure({"generate", "--problem", "lap2x:3", folder.path("g")}, {"lap2x"});
    expect_failure({"spy", "/nonexistent.mtx", folder.path("y")}, {"/nonexistent.mtx"});
    EXPECT_TRUE(folder.is_empty());
}

TEST(Output, DoesNotOverwriteInputsOrItself)
{
    const ScratchFolder folder;
    const auto matrix = folder.path("m.mtx");
    ASSERT_EQ(run_linden({"generate", "--problem", "lap2d:3", matrix}).code, 0);
    const auto before = read_file(matrix);
    expect_failure({"solve", matrix, "--solution", matrix}, {"--solution", "m.mtx", "overwrite"});
    expect_failure({"spy", matrix, matrix}, {"m.mtx", "overwrite"});
    expect_failure({"solve", matrix, "--solution", folder.path("o"), "--json", folder.path("./o")},
                   {"--solution", "--json", "same file"});
    EXPECT_EQ(read_file(matrix), before);
}

TEST(Output, FullDisksAreErrors)
{
    if (!std::ofstream("/dev/full")) {
        GTEST_SKIP() << "there is no /dev/full";
    }
    for (const char* option : {"--json", "--history", "--plot", "--solution"}) {
        const auto outcome = run_linden({"solve", "--quiet", "--problem", "lap2d:5", option, "/dev/full"});
        EXPECT_EQ(outcome.code, 2) << option;
        EXPECT_NE(outcome.err.find("/dev/full"), std::string::npos) << outcome.err;
    }
    for (const char* words : {"--help", "solve --help", "--version", "info", "solve --problem lap2d:5"}) {
        const auto outcome = run_linden_in_shell(std::string(words) + " > /dev/full");
        EXPECT_EQ(outcome.code, 2) << words;
        EXPECT_EQ(outcome.err, "linden: standard output: cannot be written: No space left on device\n") << words;
    }
}

TEST(Outcome, IsTheExitCode)
{
    EXPECT_EQ(run_linden({"solve", "--problem", "lap2d:10"}).code, 0);
    EXPECT_EQ(run_linden({"solve", "--problem", "lap2d:10", "--max-iterations", "2"}).code, 1);
    // x = 1e310 is infinite: an outcome of the method, with a line only about the file that cannot hold it.
    const ScratchFolder folder;
    const std::string header = "%%MatrixMarket matrix ";
    const auto matrix = folder.write("a.mtx", header + "coordinate real general\n1 1 1\n1 1 1e-300\n");
    const auto rhs = folder.write("b.mtx", header + "array real general\n1 1\n1e10\n");
    const auto silent = run_linden({"solve", "--solver", "cg", "--quiet", matrix, "--rhs", rhs});
    EXPECT_EQ(silent.code, 1);
    EXPECT_EQ(silent.err, "");
    const auto solution = folder.path("x.mtx");
    const auto refused =
        run_linden({"solve", "--solver", "cg", "--quiet", matrix, "--rhs", rhs, "--solution", solution});
    EXPECT_EQ(refused.code, 1);
    EXPECT_NE(refused.err.find("x.mtx is not written"), std::string::npos) << refused.err;
    EXPECT_FALSE(std::filesystem::exists(solution));
}

}  // namespace
