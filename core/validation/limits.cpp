#include <algorithm>
#include <chrono>
#include <functional>

#include <linden/io/problems.hpp>
#include <linden/matrix/dense.hpp>

#include "core/base/type_lists.hpp"
#include "core/kernels/array.hpp"
#include "core/kernels/dense.hpp"
#include "core/kernels/reduction.hpp"
#include "core/validation/runner.hpp"

namespace linden::validation {
namespace {

using V = DefaultValue;

/// The least of some times.
double least_seconds(const Executor& exec, int runs, const std::function<void()>& body)
{
    using Clock = std::chrono::steady_clock;
    body();
    double least = 1e30;
    for (int i = 0; i < runs; ++i) {
        exec.synchronize();
        const auto start = Clock::now();
        body();
        exec.synchronize();
        least = std::min(least, std::chrono::duration<double>(Clock::now() - start).count());
    }
    return least;
}

LimitCheck bandwidth(std::string name, double bytes, double seconds)
{
    return {std::move(name), bytes / seconds / 1e9, "GB/s"};
}

}  // namespace

std::vector<LimitCheck> measure_limits(const Executor& exec, int level)
{
    const bool is_emulated = is_emulation(exec);
    const size_type n = level <= 1 || is_emulated ? size_type{1} << 20 : size_type{1} << 23;
    const int runs = level <= 1 ? 2 : 5;
    const auto bytes = static_cast<double>(n) * sizeof(V);
    auto a = Dense<V>::filled(exec, {n, 1}, V{1});
    auto b = Dense<V>::filled(exec, {n, 1}, V{2});
    auto workspace = ReductionWorkspace::for_values<V>(exec, 1);
    Array<V> sum(exec, 1);
    Array<DefaultIndex> map(exec, n);
    array_iota<DefaultIndex>(exec, n, map.data());
    const auto& b_read = b;
    std::vector<LimitCheck> limits;
    const auto measure = [&](const char* name, double moved, const std::function<void()>& body) {
        limits.push_back(bandwidth(name, moved, least_seconds(exec, runs, body)));
    };
    measure("fill", bytes, [&] { dense_fill<V>(exec, V{3}, a.view()); });
    measure("copy", 2 * bytes, [&] { dense_copy<V>(exec, b_read.view(), a.view()); });
    measure("triad", 3 * bytes, [&] { dense_axpby<V>(exec, V{2}, b_read.view(), V{-1}, a.view()); });
    measure("read", bytes, [&] { dense_dot<V>(exec, b_read.view(), b_read.view(), sum.data(), workspace.view()); });
    measure("gather", 2 * bytes + static_cast<double>(n) * sizeof(DefaultIndex),
            [&] { array_gather<V, V, DefaultIndex>(exec, n, map.data(), b_read.data(), a.data(), Conjugate::no); });
    constexpr int calls = 100;
    auto few = Dense<V>::filled(exec, {1, 1}, V{1});
    const double launched = least_seconds(exec, runs, [&] {
        for (int i = 0; i < calls; ++i) {
            dense_scale<V>(exec, V{1}, few.view());
        }
    });
    limits.push_back({"kernel after kernel", launched / calls * 1e6, "us"});
    const double read = least_seconds(exec, runs, [&] {
        for (int i = 0; i < calls; ++i) {
            (void)few.to_host();
        }
    });
    limits.push_back({"value read by the host", read / calls * 1e6, "us"});
    return limits;
}

}  // namespace linden::validation
