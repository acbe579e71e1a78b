#include "benchmark/support/bandwidth.hpp"

#include <linden/array.hpp>
#include <linden/matrix/dense.hpp>
#include <linden/stopwatch.hpp>

#include <algorithm>
#include <barrier>
#include <chrono>
#include <functional>
#include <map>
#include <thread>
#include <vector>

namespace linden::benchmarks {
namespace {

constexpr int num_runs = 10;
constexpr size_type host_values = size_type{16} << 20;    // 128 MiB a block
constexpr size_type device_values = size_type{32} << 20;  // 256 MiB a block

template <class F>
double seconds_of(F&& f)
{
    const auto start = std::chrono::steady_clock::now();
    f();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// The shortest time of `body(begin, end)` over all of the values, spread over threads that stay where they are.
double shortest_on_threads(int num_threads, size_type values, const std::function<void(size_type, size_type)>& body)
{
    std::barrier gate(num_threads + 1);
    std::vector<std::thread> threads;
    for (int t = 0; t < num_threads; ++t) {
        threads.emplace_back([&, t] {
            for (int run = 0; run < num_runs; ++run) {
                gate.arrive_and_wait();
                body(values * t / num_threads, values * (t + 1) / num_threads);
                gate.arrive_and_wait();
            }
        });
    }
    double shortest = 1e300;
    for (int run = 0; run < num_runs; ++run) {
        shortest = std::min(shortest, seconds_of([&] {
                                gate.arrive_and_wait();
                                gate.arrive_and_wait();
                            }));
    }
    for (auto& thread : threads) {
        thread.join();
    }
    return shortest;
}

Bandwidth measure_host(const Executor& exec)
{
    const Array<double> a_block(exec, host_values), b_block(exec, host_values), c_block(exec, host_values);
    auto* const a = const_cast<double*>(a_block.data());
    auto* const b = const_cast<double*>(b_block.data());
    auto* const c = const_cast<double*>(c_block.data());
    const int threads = std::max(exec.info().num_units, 1);
    shortest_on_threads(threads, host_values, [=](size_type begin, size_type end) {
        std::fill(a + begin, a + end, 1.0);
        std::fill(b + begin, b + end, 2.0);
        std::fill(c + begin, c + end, 3.0);
    });
    const double copy = shortest_on_threads(
        threads, host_values, [=](size_type begin, size_type end) { std::copy(b + begin, b + end, a + begin); });
    const double triad = shortest_on_threads(threads, host_values, [=](size_type begin, size_type end) {
        for (size_type i = begin; i < end; ++i) {
            a[i] = b[i] + 0.5 * c[i];
        }
    });
    return {2.0 * sizeof(double) * host_values / copy, 3.0 * sizeof(double) * host_values / triad};
}

template <class F>
double shortest_on_device(const Executor& exec, F&& f)
{
    double shortest = 1e300;
    Stopwatch watch(exec);
    for (int run = 0; run < num_runs; ++run) {
        watch.start();
        f();
        shortest = std::min(shortest, watch.stop());
    }
    return shortest;
}

Bandwidth measure_device(const Executor& exec)
{
    auto x = Dense<double>::filled(exec, {device_values, 1}, 1);
    auto b = Dense<double>::filled(exec, {device_values, 1}, 2);
    const auto bytes = static_cast<std::size_t>(device_values) * sizeof(double);
    const double copy = shortest_on_device(exec, [&] { copy_bytes(exec, b.data(), exec, x.data(), bytes); });
    const double triad = shortest_on_device(exec, [&] { x.add_scaled(0.5, b); });
    return {2.0 * static_cast<double>(bytes) / copy, 3.0 * static_cast<double>(bytes) / triad};
}

}  // namespace

const Bandwidth& bandwidth(const Executor& exec)
{
    static std::map<Backend, Bandwidth> measured;
    const auto found = measured.find(exec.backend());
    return found != measured.end()
               ? found->second
               : measured.emplace(exec.backend(), exec.is_host() ? measure_host(exec) : measure_device(exec))
                     .first->second;
}

}  // namespace linden::benchmarks
