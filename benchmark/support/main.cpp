#include <linden/error.hpp>

#include <cstring>
#include <iostream>

#include "benchmark/support/bandwidth.hpp"
#include "benchmark/support/suite.hpp"

namespace linden::benchmarks {
namespace {

constexpr std::string_view executors_flag = "--executors=";
constexpr std::string_view matrix_flag = "--matrix=";

std::vector<std::string> split(std::string_view list)
{
    std::vector<std::string> names;
    while (!list.empty()) {
        const auto comma = list.find(',');
        names.emplace_back(list.substr(0, comma));
        list = comma == std::string_view::npos ? std::string_view{} : list.substr(comma + 1);
    }
    return names;
}

std::vector<std::string> usable_backends()
{
    std::vector<std::string> names;
    for (int b = 0; b < num_backends; ++b) {
        const auto info = backend_info(static_cast<Backend>(b));
        if (info.built && info.why_not.empty()) {
            names.emplace_back(name(info.backend));
        }
    }
    return names;
}

/// Takes `--executors=a,b`, by default all that can be used, and every `--matrix=FILE` out of the arguments.
std::vector<std::string> take_own_flags(int& argc, char** argv)
{
    auto names = usable_backends();
    int kept = 1;
    for (int i = 1; i < argc; ++i) {
        const std::string_view argument = argv[i];
        if (argument.starts_with(executors_flag)) {
            names = split(argument.substr(executors_flag.size()));
        } else if (argument.starts_with(matrix_flag)) {
            matrix_files().emplace_back(argument.substr(matrix_flag.size()));
        } else {
            argv[kept++] = argv[i];
        }
    }
    argc = kept;
    argv[argc] = nullptr;
    return names;
}

/// What the fractions are fractions of, as rows of the same table.
void add_bandwidth(const Executor& exec)
{
    const auto add_row = [&](const char* what, double Bandwidth::*which, int words) {
        const auto full_name = "bandwidth/" + std::string(name(exec.backend())) + "/double/" + what;
        benchmark::RegisterBenchmark(full_name.c_str(),
                                     [=](benchmark::State& state) {
                                         const double bytes = words * double{128 << 20};
                                         for ([[maybe_unused]] auto _ : state) {
                                             state.SetIterationTime(bytes / (bandwidth(exec).*which));
                                         }
                                         count_bytes(state, exec, static_cast<size_type>(bytes));
                                     })
            ->UseManualTime()
            ->Iterations(1)
            ->Unit(benchmark::kMicrosecond);
    };
    add_row("copy", &Bandwidth::copy, 2);
    add_row("triad", &Bandwidth::triad, 3);
}

int run(int argc, char** argv)
{
    for (const auto& name : take_own_flags(argc, argv)) {
        const auto exec = Executor::create(name);
        const auto info = exec.info();
        benchmark::AddCustomContext(exec.name(), info.name + ", " + std::to_string(info.num_units) + " units");
        add_bandwidth(exec);
        for (const auto registration : Suite::all()) {
            registration(exec);
        }
    }
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) {
        return 2;
    }
    benchmark::RunSpecifiedBenchmarks();
    benchmark::Shutdown();
    return 0;
}

}  // namespace
}  // namespace linden::benchmarks

int main(int argc, char** argv)
{
    try {
        return linden::benchmarks::run(argc, argv);
    } catch (const linden::Error& e) {
        std::cerr << e.what() << '\n';
        return 2;
    }
}
