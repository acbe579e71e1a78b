#pragma once

#include <linden/executor.hpp>
#include <linden/io/matrix_market.hpp>
#include <linden/io/problems.hpp>
#include <linden/matrix/csr.hpp>
#include <linden/matrix/dense.hpp>
#include <linden/stopwatch.hpp>

#include <benchmark/benchmark.h>

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/type_lists.hpp"

/// What the benchmark programs share. Each source registers its benchmarks for an executor:
///
///     const Suite suite{[](const Executor& exec) { add("dense_dot", exec, "double", "1000000x1", ...); }};
namespace linden::benchmarks {

using Register = void (*)(const Executor&);

/// Makes `registration` known to main(), which calls it for every executor that the command line asks for.
struct Suite {
    explicit Suite(Register registration) { all().push_back(registration); }
    static std::vector<Register>& all();
};

/// Adds the benchmark `name/backend/types/what`; times are what the body sets, in microseconds.
benchmark::internal::Benchmark* add(std::string_view name, std::string_view backend, std::string_view types,
                                    std::string_view what, std::function<void(benchmark::State&)> body);
benchmark::internal::Benchmark* add(std::string_view name, const Executor& exec, std::string_view types,
                                    std::string_view what, std::function<void(benchmark::State&)> body);

/// As in `double_int32`.
template <class... T>
std::string type_names()
{
    std::string names;
    ((names += (names.empty() ? "" : "_") + std::string(types_of<T>)), ...);
    return names;
}

/// Counters of work that moves at least `bytes` bytes per iteration: those, GB/s, and the fraction of the triad's
/// bandwidth. Work in place needs no store of a line that was not read, so that it may come out above 1 on hosts.
void count_bytes(benchmark::State& state, const Executor& exec, size_type bytes);

/// Times `f`, which moves at least `bytes` bytes, after a run to warm up, on the clock of the executor's device.
/// Devices are asked for many runs at a time.
template <class F>
void measure(benchmark::State& state, const Executor& exec, size_type bytes, F&& f)
{
    const int batch = exec.is_host() ? 1 : 20;
    Stopwatch watch(exec);
    f();
    for (auto _ : state) {
        watch.start();
        for (int run = 0; run < batch; ++run) {
            f();
        }
        state.SetIterationTime(watch.stop() / batch);
    }
    count_bytes(state, exec, bytes);
}

/// Files given as `--matrix=FILE.mtx`, for suites that take matrices of the user's.
std::vector<std::string>& matrix_files();

/// A problem as it is, a file without its folder and endings.
std::string short_name(const std::string& spec);

/// The problem called `spec`, or the file of that name, which ends with .mtx or .mtx.gz, on `exec`. The last one is
/// kept, since benchmarks run several times.
template <class V, class I>
std::shared_ptr<const Csr<V, I>> problem(const Executor& exec, const std::string& spec)
{
    static std::string held_spec;
    static std::shared_ptr<const Csr<V, I>> held;
    if (held == nullptr || held_spec != spec || !(held->executor() == exec)) {
        held = nullptr;
        const bool is_file = spec.ends_with(".mtx") || spec.ends_with(".mtx.gz");
        held = share(Csr<V, I>(exec, is_file ? read_matrix<V, I>(spec) : generate_problem<V, I>(spec)));
        held_spec = spec;
    }
    return held;
}

/// Bytes of a matrix in compressed rows: nnz (V + I) + (m + 1) I.
template <class V, class I>
size_type bytes_of(const Csr<V, I>& a)
{
    return a.num_nonzeros() * static_cast<size_type>(sizeof(V) + sizeof(I)) +
           (a.size().rows + 1) * static_cast<size_type>(sizeof(I));
}

/// A block that is no constant: ones, with another value in each column.
template <class V>
Dense<V> block(const Executor& exec, Dim size)
{
    auto x = Dense<V>::filled(exec, size, V{1});
    std::vector<V> factors;
    for (size_type col = 0; col < size.cols; ++col) {
        factors.push_back(static_cast<real_t<V>>(1 + 0.25 * static_cast<double>(col)));
    }
    const Array<V> on_exec(exec, factors);
    x.scale(Scalar<V>::per_column(on_exec.data()));
    exec.synchronize();
    return x;
}

}  // namespace linden::benchmarks
