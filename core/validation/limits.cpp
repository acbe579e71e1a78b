#include <algorithm>
#include <chrono>
#include <functional>

#include <linden/io/problems.hpp>
#include <linden/matrix/dense.hpp>

#include "core/base/type_lists.hpp"
#include "core/kernels/array.hpp"
#include "core/kernels/dense.hpp"
#include "core/kernels/limits.hpp"
#include "core/kernels/persistent.hpp"
#include "core/kernels/reduction.hpp"
#include "core/kernels/stop.hpp"
#include "core/solver/stop_state.hpp"
#include "core/validation/runner.hpp"

namespace linden::validation {
namespace {

using V = DefaultValue;
using Body = std::function<void()>;

/// Measures on one executor.
class Limits {
public:
    Limits(const Executor& exec, int level) : exec_(exec), level_(level) {}

    void add_bandwidths();
    void add_latencies();
    std::vector<LimitCheck> take() { return std::move(limits_); }

private:
    /// Seconds of a call of `body`: of a few rounds of `calls`, between which the host waits, the fastest one's.
    double seconds_of(int calls, const Body& body) const;
    /// Microseconds of an iteration of a loop whose body is a check of the stopping rule and `num_kernels` more.
    double microseconds_of_iteration(int num_kernels) const;
    void add(const char* name, double value, const char* unit) { limits_.push_back({name, value, unit}); }

    const Executor& exec_;
    int level_;
    std::vector<LimitCheck> limits_;
};

double Limits::seconds_of(int calls, const Body& body) const
{
    using Clock = std::chrono::steady_clock;
    const int rounds = level_ <= 1 ? 2 : 5;
    body();
    double least = 1e30;
    for (int round = 0; round < rounds; ++round) {
        exec_.synchronize();
        const auto start = Clock::now();
        for (int i = 0; i < calls; ++i) {
            body();
        }
        exec_.synchronize();
        least = std::min(least, std::chrono::duration<double>(Clock::now() - start).count() / calls);
    }
    return least;
}

/// Numbers whose bandwidth is memory's: several times what caches hold, and a small part of the memory. Emulations are
/// as slow in caches.
size_type large_size(const Executor& exec, int level)
{
    if (is_emulation(exec)) {
        return size_type{1} << 15;
    }
    if (level <= 1) {
        return size_type{1} << 20;
    }
    if (exec.is_host()) {
        return size_type{1} << 23;
    }
    const auto most = static_cast<size_type>(exec.info().memory_bytes / (16 * sizeof(V)));
    return std::clamp(most, size_type{1} << 20, size_type{1} << 26);
}

void Limits::add_bandwidths()
{
    const auto n = large_size(exec_, level_);
    const int calls = exec_.is_host() ? 1 : 10;
    const auto bytes = static_cast<double>(n) * sizeof(V);
    auto a = Dense<V>::filled(exec_, {n, 1}, V{1});
    auto b = Dense<V>::filled(exec_, {n, 1}, V{2});
    auto workspace = ReductionWorkspace::for_values<V>(exec_, 1);
    Array<V> sum(exec_, 1);
    Array<DefaultIndex> map(exec_, n);
    array_iota<DefaultIndex>(exec_, n, map.data());
    const auto& a_read = a;
    const auto& b_read = b;
    const auto rate = [&](double moved, const Body& body) { return moved / seconds_of(calls, body) / 1e9; };
    const auto measure = [&](const char* name, double moved, const Body& body) {
        add(name, rate(moved, body), "GB/s");
    };
    measure("fill", bytes, [&] { dense_fill<V>(exec_, V{3}, a.view()); });
    // A device's own copies are faster than a kernel's, those of many threads than the system's.
    add("copy",
        std::max(rate(2 * bytes, [&] { dense_copy<V>(exec_, b_read.view(), a.view()); }),
                 rate(2 * bytes,
                      [&] { copy_bytes(exec_, b_read.data(), exec_, a.data(), static_cast<std::size_t>(bytes)); })),
        "GB/s");
    measure("triad", 3 * bytes, [&] { dense_axpby<V>(exec_, V{2}, b_read.view(), V{-1}, a.view()); });
    measure("read", 2 * bytes,
            [&] { dense_dot<V>(exec_, a_read.view(), b_read.view(), sum.data(), workspace.view()); });
    measure("gather", 2 * bytes + static_cast<double>(n) * sizeof(DefaultIndex),
            [&] { array_gather<V, V, DefaultIndex>(exec_, n, map.data(), b_read.data(), a.data(), Conjugate::no); });
}

double Limits::microseconds_of_iteration(int num_kernels) const
{
    constexpr int iterations = 1000;
    StopState<real_t<V>> state(exec_, 1);
    const Array<real_t<V>> norm(exec_, std::vector<real_t<V>>{1});
    auto few = Dense<V>::filled(exec_, {1, 1}, V{1});
    Loop loop(exec_);
    const StopRule rule{iterations, 0, 0, Baseline{}, 0, 1e3, 0, 0};
    const auto seconds = seconds_of(1, [&] {
        stop_initialize<real_t<V>>(exec_, rule, norm.data(), norm.data(), state.view());
        loop.run(&state.view().header->running, {}, true, [&] {
            for (int i = 0; i < num_kernels; ++i) {
                dense_scale<V>(exec_, V{1}, few.view());
            }
            stop_check<real_t<V>>(exec_, norm.data(), state.view());
        });
    });
    return seconds / iterations * 1e6;
}

void Limits::add_latencies()
{
    constexpr int calls = 100;
    auto few = Dense<V>::filled(exec_, {1, 1}, V{1});
    add("kernel after kernel", seconds_of(calls, [&] { dense_scale<V>(exec_, V{1}, few.view()); }) * 1e6, "us");
    constexpr int more = 8;
    const double least = microseconds_of_iteration(0);
    add("iteration of a loop", least, "us");
    add("kernel after kernel in a loop", (microseconds_of_iteration(more) - least) / more, "us");
    if (exec_.state().grid_memory().num_blocks > 0 && limits_meet.available(exec_.backend())) {
        constexpr std::int32_t count = 1000;
        Array<std::int32_t> met(exec_, 1);
        Array<std::byte> workspace(exec_, persistent_header_bytes);
        exec_.state().fill_zero(workspace.data(), persistent_header_bytes);
        const auto meet = [&] { limits_meet(exec_, count, met.data(), {workspace.data(), workspace.size()}); };
        add("barrier of all blocks", seconds_of(1, meet) / count * 1e6, "us");
    }
    add("value read by the host", seconds_of(calls, [&] { (void)few.to_host(); }) * 1e6, "us");
}

}  // namespace

std::vector<LimitCheck> measure_limits(const Executor& exec, int level)
{
    Limits limits(exec, level);
    limits.add_bandwidths();
    limits.add_latencies();
    return limits.take();
}

}  // namespace linden::validation
