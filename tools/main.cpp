#include <linden/config.hpp>
#include <linden/config/config.hpp>
#include <linden/config/format.hpp>
#include <linden/distributed/session.hpp>
#include <linden/io/problems.hpp>

#include <algorithm>
#include <CLI/CLI.hpp>
#include <cmath>
#include <cstdio>
#include <functional>
#include <new>
#include <sstream>

#include "core/base/nearest_name.hpp"

#include "tools/commands.hpp"
#include "tools/interrupt.hpp"
#include "tools/output_file.hpp"
#include "tools/validate/command.hpp"
#include "tools/validators.hpp"

namespace linden::tool {
namespace {

constexpr char matrix_file[] =
    "a Matrix Market, Harwell-Boeing or Rutherford-Boeing file, plain or gzip; -: standard input";

/// The options of all commands, and what runs the one that was given.
struct CommandLine {
    CLI::App app{"Linden: linear operators for sparse linear systems", "linden"};
    SolveCommand solve;
    InfoCommand info;
    GenerateCommand generate;
    SpyCommand spy;
    CompareCommand compare;
    PartitionCommand partition;
    ValidateCommand validate;
    std::function<int()> run;
};

std::string solve_footer()
{
    return "Problems P; grid points are numbered with x fastest:\n" + problem_help() +
           "\nS and M are `name` or `name:key=value,key=value`. Keys are the parameters below, or paths such as\n"
           "preconditioner.KEY; the prefix `stop.` may be omitted. --rtol and --max-iterations set\n"
           "stop.relative_residual and stop.max_iterations of the outermost solver. ||a_i||_2 is the norm of row i\n"
           "of the matrix A, n its number of rows, nnz its number of nonzeros.\n\n" +
           config::help_text() +
           "\nF is `name` or `name:key=value,key=value`; the first value may omit its key, as in bsr:3.\n\n" +
           config::format_help() +
           "\nThe set-up counts towards --max-seconds, but is not cut off; automatic starts no method that would take "
           "longer\n"
           "than what is left. Ctrl-C (and SIGTERM) ends the solve with "
           "its report and the x "
           "that it\n"
           "has reached, a second one at once; --x0 FILE continues from what --solution FILE wrote.\n"
           "One of the files to read may be -, standard input; one of those to write -, standard output, which then "
           "has\n"
           "nothing else.\n"
           "Exit code: 0 converged, 1 not converged, 2 bad input or usage (one line on standard error), 130 "
           "interrupted.";
}

void add_solve(CommandLine& line)
{
    auto& c = line.solve;
    auto* solve = line.app.add_subcommand("solve", "Solve A x = b");
    const auto option = [&](const char* name, auto& value, const char* type, const std::string& meaning) {
        return solve->add_option(name, value, meaning)->type_name(type);
    };
    constexpr auto int_max = std::numeric_limits<int>::max();
    option("FILE.mtx", c.file, "", matrix_file);
    option("--problem", c.problem, "P", "a generated problem instead of a file, see below");
    option("--rhs", c.rhs, "B",
           "right-hand sides: ones | a-times-ones | random[:SEED] | a file, also FILE if it has some [ones]");
    option("--x0", c.x0, "X0", "initial guess: zero | random[:SEED] | a file [zero]");
    option("--solver", c.solver, "S",
           "solver, see below [automatic; if A is not square lsqr, with column_scaling where columns differ; with "
           "--preconditioner or --format: cg]");
    option("--preconditioner", c.preconditioner, "M", "preconditioner, see below [none]");
    option("--config", c.config, "FILE.json", "solver and preconditioner as JSON, instead of the two options above");
    option("--format", c.format, "F", "matrix format of products, see below: " + config::format_names() + " [csr]");
    option("--executor", c.executor, "E", "reference | omp | cuda | hip [omp if built, else reference]");
    option("--device", c.device, "N", "number of the GPU [0; processes take one after the other]")
        ->transform(integer_from(0, int_max));
    option("--threads", c.threads, "T", "threads of the omp executor; 0: all [0]")->transform(integer_from(0, int_max));
    option("--value-type", c.value_type, "V", "double | float | complex64 | complex128 [double if built]");
    option("--rtol", c.rtol, "R", "stop at ||r|| <= R ||b||; replaces the solver's relative_residual")
        ->check(number([](double r) { return r >= 0 && std::isfinite(r); }, "a number of at least 0"));
    option("--max-iterations", c.max_iterations, "N", "iteration limit; replaces the solver's max_iterations")
        ->transform(integer_from(0, std::numeric_limits<std::int64_t>::max()));
    option("--max-seconds", c.max_seconds, "S", "time limit of set-up and solve; replaces the solver's max_seconds")
        ->check(number([](double t) { return t >= 0 && std::isfinite(t); }, "a number of at least 0"));
    option("--repeat", c.repeat, "K", "number of timed runs; with more than one, medians after a warm-up [1]")
        ->transform(integer_from(1, int_max));
    option("--partition", c.partition, "P",
           "rows of each process under mpirun: stripes | metis | ptscotch, in parallel | a file with a part per line "
           "[stripes]");
    option("--transport", c.transport, "T",
           "between GPUs of several processes: auto | peer (kernels write to each other's memory) | nccl (messages of "
           "NCCL or RCCL) | staged (copies through the host) [auto]");
    solve->add_flag("--reproducible", c.reproducible,
                    "sums with the same bits on any number of processes, threads and GPUs");
    option("--json", c.json, "FILE", "write the result as JSON; -: to standard output, without other output");
    option("--history", c.history, "FILE.csv", "write the relative residuals of all iterations");
    option("--plot", c.plot, "FILE.svg", "plot the relative residuals of all iterations");
    option("--levels", c.levels, "FILE.svg", "draw the levels of the preconditioner amg and the phases of its set-up");
    option("--solution", c.solution, "FILE.mtx", "write x; -: to standard output, without other output");
    solve->add_flag("--view", c.view, "show the solver as it was built: sizes, entries, fill, levels, bytes");
    solve->add_flag("--quiet", c.quiet, "print nothing but errors and warnings");
    solve->footer(solve_footer);
    solve->final_callback([&line] { line.run = [&line] { return tool::solve(line.solve); }; });
}

void add_compare(CommandLine& line)
{
    auto& c = line.compare;
    auto* compare = line.app.add_subcommand("compare", "Solve A x = b by several methods under one time budget");
    const auto option = [&](const char* name, auto& value, const char* type, const std::string& meaning) {
        return compare->add_option(name, value, meaning)->type_name(type);
    };
    option("FILE.mtx", c.solve.file, "", matrix_file);
    option("--problem", c.solve.problem, "P", "a generated problem instead of a file, see linden solve --help");
    option("--methods", c.methods, "S+M",
           "methods as solver+preconditioner, each as for linden solve [automatic, and others by the matrix; lsqr and "
           "lsmr if A is not square]");
    option("--seconds", c.seconds, "S", "time budget of all methods, shared evenly by those that are left [60]")
        ->check(number([](double t) { return t > 0 && std::isfinite(t); }, "a positive number"));
    option("--rhs", c.solve.rhs, "B", "right-hand side, as for linden solve [ones]");
    option("--executor", c.solve.executor, "E", "reference | omp | cuda | hip [omp if built, else reference]");
    option("--device", c.solve.device, "N", "number of the GPU [0]")
        ->transform(integer_from(0, std::numeric_limits<int>::max()));
    option("--threads", c.solve.threads, "T", "threads of the omp executor; 0: all [0]")
        ->transform(integer_from(0, std::numeric_limits<int>::max()));
    option("--value-type", c.solve.value_type, "V", "double | float | complex64 | complex128 [double if built]");
    option("--rtol", c.solve.rtol, "R", "stop at ||r|| <= R ||b||")
        ->check(number([](double r) { return r >= 0 && std::isfinite(r); }, "a number of at least 0"));
    option("--max-iterations", c.solve.max_iterations, "N", "iteration limit of each method")
        ->transform(integer_from(0, std::numeric_limits<std::int64_t>::max()));
    option("--json", c.solve.json, "FILE", "write the results as JSON; -: to standard output, without other output");
    option("--plot", c.solve.plot, "FILE.svg", "draw time against residual, all methods in one picture");
    compare->footer(
        "A set-up that takes longer than the share of its method is cut off before its next kernel. What one kernel or "
        "the\n"
        "host does is not cut off, such as orders for direct solvers; methods for which no time is left are not "
        "tried.\n"
        "Exit code: 0 if a method converged, 1 if none did, 2 bad input or usage, 130 interrupted.");
    compare->final_callback([&line] { line.run = [&line] { return tool::compare(line.compare); }; });
}

void add_others(CommandLine& line)
{
    auto* info = line.app.add_subcommand("info", "Show versions, backends and devices, or statistics of a matrix");
    info->add_option("FILE.mtx", line.info.file, "a matrix file to show statistics of")->type_name("");
    info->add_flag("--kernels", line.info.kernels, "list all kernels and the backends that have them");
    info->add_flag("--orderings", line.info.orderings, "fill of factors by ordering, and the block triangular form");
    info->add_option("--matching", line.info.matching,
                     "with --orderings: the matching before them, true | approximate [true]")
        ->type_name("M");
    info->add_flag("--condition", line.info.condition,
                   "estimate the condition number, by a factorization and ten solves");
    info->add_flag("--mpi", line.info.mpi, "show the processes, their hosts, and how they reach each other and why");
    info->add_option("--executor", line.info.executor, "with --mpi: how devices reach each other, cuda | hip")
        ->type_name("E");
    info->add_option("--transport", line.info.transport, "with --mpi: as for linden solve [auto]")->type_name("T");
    info->add_option("--json", line.info.json, "write everything as JSON; -: to standard output")->type_name("FILE");
    info->final_callback([&line] { line.run = [&line] { return tool::info(line.info); }; });

    auto* generate = line.app.add_subcommand("generate", "Write a model problem as a Matrix Market file");
    generate->add_option("--problem", line.generate.problem, "the problem, see below")->type_name("P");
    generate
        ->add_option("FILE.mtx", line.generate.file,
                     "the file to write, compressed if it ends with .gz; -: to standard output")
        ->type_name("");
    generate->footer([] { return "Problems P; grid points are numbered with x fastest:\n" + problem_help(); });
    generate->final_callback([&line] { line.run = [&line] { return tool::generate(line.generate); }; });

    auto* spy = line.app.add_subcommand("spy", "Draw the sparsity pattern of a matrix");
    spy->add_option("FILE.mtx", line.spy.file, matrix_file)->type_name("");
    spy->add_option("IMAGE.svg", line.spy.image, "the picture to write")->type_name("");
    spy->final_callback([&line] { line.run = [&line] { return tool::spy(line.spy); }; });

    auto* validate = line.app.add_subcommand("validate", "Check that this machine computes what it should");
    add_validate(*validate, line.validate);
    validate->final_callback([&line] { line.run = [&line] { return tool::validate(line.validate); }; });
}

void add_partition(CommandLine& line)
{
    auto& c = line.partition;
    auto* partition = line.app.add_subcommand("partition", "Divide the rows of a matrix into parts for processes");
    partition->add_option("FILE.mtx", c.file, matrix_file)->type_name("");
    partition->add_option("PARTS.txt", c.output, "the file to write, a part per line")->type_name("");
    partition->add_option("--problem", c.problem, "a generated problem instead of a file")->type_name("P");
    partition->add_option("--parts", c.parts, "number of parts")
        ->type_name("K")
        ->transform(integer_from(1, std::numeric_limits<int>::max()));
    partition
        ->add_option(
            "--by", c.by,
            "metis | stripes, on one process | ptscotch, in parallel by those of mpirun, of which none has the "
            "whole matrix [metis; on several processes ptscotch]")
        ->type_name("WAY");
    partition->final_callback([&line] { line.run = [&line] { return tool::partition(line.partition); }; });
}

/// The names of what `app` takes: its options, or its commands.
std::vector<std::string> known_names(const CLI::App& app, bool options)
{
    std::vector<std::string> names;
    if (options) {
        for (const auto* option : app.get_options()) {
            for (const auto& name : option->get_lnames()) {
                names.push_back("--" + name);
            }
        }
    } else {
        for (const auto* command : app.get_subcommands([](const CLI::App*) { return true; })) {
            names.push_back(command->get_name());
        }
    }
    return names;
}

/// Refuses the first word of the command line that nothing took; options first, since they explain the rest.
void refuse_unknown(const CLI::App& app, const std::string& where, bool takes_commands)
{
    auto words = app.remaining();
    std::stable_partition(words.begin(), words.end(), [](const auto& word) { return word.starts_with("-"); });
    if (words.empty()) {
        return;
    }
    const auto word = words.front().substr(0, words.front().find('='));
    const bool is_option = word.starts_with("-");
    const auto what = is_option ? "unknown option '" : takes_commands ? "unknown command '" : "unexpected argument '";
    const auto nearest = is_option || takes_commands ? nearest_name(word, known_names(app, is_option)) : std::string();
    throw UsageError(where + what + word + "'" +
                     (nearest.empty() ? "; see --help" : "; did you mean '" + nearest + "'?"));
}

/// One of the files to read may be `-`, standard input. @throws UsageError if several are
void open_standard_input(CommandLine& line)
{
    int count = 0;
    for (auto* path : {&line.solve.file, &line.solve.rhs, &line.solve.x0, &line.solve.config, &line.compare.solve.file,
                       &line.compare.solve.rhs, &line.info.file, &line.spy.file, &line.partition.file}) {
        if (*path == "-") {
            *path = "/dev/stdin";
            ++count;
        }
    }
    if (count > 1) {
        throw UsageError("only one of the files to read may be -, standard input");
    }
}

int run(int argc, char** argv, const Communicator& ranks)
{
    CommandLine line;
    line.solve.ranks = ranks;
    line.info.ranks = ranks;
    line.partition.ranks = ranks;
    line.app.set_version_flag("--version", "linden " LINDEN_VERSION);
    line.app.require_subcommand(0, 1);
    line.app.allow_extras();
    add_solve(line);
    add_compare(line);
    add_others(line);
    add_partition(line);
    for (auto* command : line.app.get_subcommands([](CLI::App*) { return true; })) {
        command->allow_extras();
        command->get_formatter()->column_width(28);
    }
    try {
        line.app.parse(argc, argv);
    } catch (const CLI::Success& wanted) {
        std::ostringstream text;  // help or version
        line.app.exit(wanted, text, text);
        print_to_standard_output(text.str());
        return success;
    } catch (const CLI::ArgumentMismatch& error) {
        const std::string message = error.what();
        const bool is_repeated = message.find("At Most") != std::string::npos;
        throw UsageError(message.substr(0, message.find(':')) +
                         (is_repeated ? ": it is given more than once" : ": its value is missing"));
    }
    for (const auto* command : line.app.get_subcommands()) {
        refuse_unknown(*command, command->get_name() + ": ", false);
    }
    refuse_unknown(line.app, "", true);
    open_standard_input(line);
    if (line.run == nullptr) {
        throw UsageError("no command; see linden --help");
    }
    if (!ranks.is_single() && !line.app.got_subcommand("solve") && !line.app.got_subcommand("partition") &&
        !line.info.mpi) {
        throw UsageError("only solve, partition and info --mpi run on several processes");
    }
    return line.run();
}

/// `run` on these ranks. What remains to do after it must not be interrupted: the launcher ends all ranks when the
/// first of them has failed, which would then have another exit code and say so.
int run_to_end(int argc, char** argv, const Communicator& ranks)
{
    struct Ignore {
        const Communicator& ranks;
        ~Ignore()
        {
            if (!ranks.is_single()) {
                ignore_signals();
            }
        }
    };
    const Ignore ignore{ranks};
    return ranks.guard([&] { return run(argc, argv, ranks); });
}

/// The message as one line on standard error, which of several processes only the first writes.
int fail(std::string message, bool is_first)
{
    if (!is_first) {
        return failure;
    }
    std::replace(message.begin(), message.end(), '\n', ' ');
    std::fprintf(stderr, "linden: %s\n", message.c_str());
    return failure;
}

}  // namespace
}  // namespace linden::tool

int main(int argc, char** argv)
{
    using linden::tool::fail;
    linden::tool::catch_signals();
    bool is_first = true;
    try {
        const linden::distributed::Session session;
        const auto& ranks = session.world();
        is_first = ranks.rank() == 0;
        try {
            return linden::tool::run_to_end(argc, argv, ranks);
        } catch (const std::bad_alloc&) {
            return fail("out of memory", is_first);
        } catch (const std::exception& error) {
            return fail(error.what(), is_first);
        }
    } catch (const std::exception& error) {
        return fail(error.what(), is_first);
    }
}
