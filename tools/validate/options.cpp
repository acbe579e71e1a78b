#include <CLI/CLI.hpp>
#include <cmath>
#include <limits>

#include "tools/validate/command.hpp"
#include "tools/validators.hpp"

namespace linden::tool {

void add_validate(CLI::App& app, ValidateCommand& c)
{
    auto* level = app.add_option("--level", c.level, "1: 2 s, 2: 60 s, 3: 10 min, 4: until --time is over [2]")
                      ->type_name("N")
                      ->transform(integer_from(1, 4));
    auto* backends = app.add_option("--backends", c.backends,
                                    "reference,omp,cuda,hip; those that are not here are missed [all built]")
                         ->type_name("B,...")
                         ->delimiter(',');
    auto* only = app.add_option("--only", c.only, "inspect this kernel only, as in csr::spmv")->type_name("KERNEL");
    auto* seed = app.add_option("--seed", c.seed, "of random operands [1]")
                     ->type_name("S")
                     ->transform(integer_from(0, std::numeric_limits<std::int64_t>::max()));
    auto* only_case = app.add_option("--case", c.only_case, "run this case only")
                          ->type_name("K")
                          ->transform(integer_from(0, std::numeric_limits<std::int64_t>::max()));
    auto* host_loops =
        app.add_flag("--host-loops", c.host_loops, "record no loops, for tools that follow kernels, as sanitizers");
    auto* time = app.add_option("--time", c.time, "seconds of level 4, for each backend [600]")
                     ->type_name("T")
                     ->check(number([](double t) { return t > 0 && std::isfinite(t); }, "a positive number"));
    auto* threads = app.add_option("--threads", c.threads, "threads of the omp executor; 0: all [0]")
                        ->type_name("T")
                        ->transform(integer_from(0, std::numeric_limits<int>::max()));
    app.add_option("--json", c.json, "write the report as JSON; -: to standard output")->type_name("FILE");
    app.add_option("--report", c.report, "write the report as one page of HTML")->type_name("FILE.html");
    app.add_option("--compare", c.compare, "show what differs from another machine's report")->type_name("OTHER.json");
    auto* from =
        app.add_option("--from", c.from, "nothing runs: read this report, to compare it or to write it as HTML")
            ->type_name("FILE.json");
    app.add_option("--baseline", c.baseline,
                   "SLOW where limits, or kernels as fractions of them, are below 0.8 of this report's")
        ->type_name("FILE.json");
    auto* self_test =
        app.add_flag("--self-test", c.self_test, "plant faults in the results of kernels, and count which are found");
    for (auto* of_a_run : {level, backends, only, seed, only_case, host_loops, time, threads, self_test}) {
        from->excludes(of_a_run);
    }
    app.add_flag("--quiet", c.quiet, "print the verdict only");
    app.footer(
        "Runs every kernel of the build as part of methods, formats and operations, compares with the reference,\n"
        "and runs it twice. doc/validation.md explains the report.\n\n"
        "Exit code: 0 PASS, 1 FAIL, 2 bad input or usage, 3 SLOW (only with --baseline), 4 INCOMPLETE.");
}

}  // namespace linden::tool
