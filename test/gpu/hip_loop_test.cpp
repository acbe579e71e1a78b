#include <linden/array.hpp>
#include <linden/error.hpp>

#include <gtest/gtest.h>

#include <array>

#include "core/base/executor_state.hpp"
#include "gpu/runtime/launch.hpp"

/// The loop of the HIP backend: batchs of recorded bodies, and what it does not do.
namespace linden::hip {
namespace {

bool has_device() { return backend_info(Backend::hip).why_not.empty(); }

/// A body that lowers a counter in the executor's memory until it is 0, and counts how often it was called.
struct Countdown {
    explicit Countdown(const Executor& exec, std::int32_t from) : counter(exec, std::vector<std::int32_t>{from, 0}) {}
    Array<std::int32_t> counter;
    int num_calls = 0;
};

__global__ void count_down(std::int32_t* counter)
{
    if (counter[0] != 0) {
        --counter[0];
        ++counter[1];
    }
}

TEST(HipLoop, RunsABodyUntilTheFlagDropsWhetherRecordedOrNot)
{
    if (!has_device()) {
        GTEST_SKIP();
    }
    const auto exec = Executor::hip();
    for (const bool capturable : {true, false}) {
        Loop loop(exec);
        for (const std::int32_t from : {0, 1, 7, 8, 9, 100}) {
            Countdown state(exec, from);
            const auto body = [&] {
                ++state.num_calls;
                auto& gpu = static_cast<GpuExecutor&>(exec.state());
                check(launch(count_down, 1, 1, 0, gpu.stream(), state.counter.data()), "LaunchKernel");
                gpu.count_launches(1);
            };
            const std::array key{reinterpret_cast<std::uintptr_t>(state.counter.data())};
            const auto before = exec.counters();
            loop.run(state.counter.data(), key, capturable, body);
            EXPECT_EQ(state.counter.to_host(), (std::vector<std::int32_t>{0, from}));
            const auto waits = exec.counters().host_synchronizations - before.host_synchronizations;
            if (capturable) {
                EXPECT_LE(state.num_calls, 8) << "bodies of one batch";
                EXPECT_LE(waits, static_cast<std::uint64_t>(from) / 8 + 2) << "one for each batch, and the result";
            } else {
                EXPECT_EQ(state.num_calls, from);
            }
        }
    }
}

TEST(HipLoop, SolveInsideACaptureSaysThatItCannot)
{
    if (!has_device()) {
        GTEST_SKIP();
    }
    hipStream_t stream = nullptr;
    ASSERT_EQ(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking), hipSuccess);
    {
        const auto exec = Executor::hip({.stream = stream});
        Loop loop(exec);
        Countdown state(exec, 3);
        const std::array key{reinterpret_cast<std::uintptr_t>(state.counter.data())};
        ASSERT_EQ(hipStreamBeginCapture(stream, hipStreamCaptureModeRelaxed), hipSuccess);
        EXPECT_THROW(loop.run(state.counter.data(), key, true, [] {}), NotSupported);
        hipGraph_t graph = nullptr;
        ASSERT_EQ(hipStreamEndCapture(stream, &graph), hipSuccess);
        EXPECT_EQ(hipGraphDestroy(graph), hipSuccess);
        EXPECT_EQ(state.counter.to_host(), (std::vector<std::int32_t>{3, 0}));
    }
    EXPECT_EQ(hipStreamDestroy(stream), hipSuccess);
}

}  // namespace
}  // namespace linden::hip
