#include "benchmark/support/suite.hpp"

#include "benchmark/support/bandwidth.hpp"

namespace linden::benchmarks {

std::vector<Register>& Suite::all()
{
    static std::vector<Register> registrations;
    return registrations;
}

std::vector<std::string>& matrix_files()
{
    static std::vector<std::string> files;
    return files;
}

std::string short_name(const std::string& spec)
{
    const auto slash = spec.rfind('/');
    const auto name = slash == std::string::npos ? spec : spec.substr(slash + 1);
    return name.substr(0, name.find(".mtx"));
}

benchmark::internal::Benchmark* add(std::string_view name, std::string_view backend, std::string_view types,
                                    std::string_view what, std::function<void(benchmark::State&)> body)
{
    std::string full;
    for (const auto part : {name, backend, types, what}) {
        full += (full.empty() ? "" : "/") + std::string(part);
    }
    return benchmark::RegisterBenchmark(full.c_str(), std::move(body))->UseManualTime()->Unit(benchmark::kMicrosecond);
}

benchmark::internal::Benchmark* add(std::string_view name, const Executor& exec, std::string_view types,
                                    std::string_view what, std::function<void(benchmark::State&)> body)
{
    return add(name, linden::name(exec.backend()), types, what, std::move(body));
}

void count_bytes(benchmark::State& state, const Executor& exec, size_type bytes)
{
    using benchmark::Counter;
    const auto moved = static_cast<double>(bytes);
    state.counters["bytes"] = moved;
    state.counters["GB/s"] = Counter(moved * 1e-9, Counter::kIsIterationInvariantRate);
    state.counters["of_triad"] = Counter(moved / bandwidth(exec).triad, Counter::kIsIterationInvariantRate);
}

}  // namespace linden::benchmarks
