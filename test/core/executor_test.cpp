// needs: double int32
#include <linden/array.hpp>
#include <linden/error.hpp>
#include <linden/executor.hpp>
#include <linden/log/logger.hpp>
#include <linden/matrix/dense.hpp>
#include <linden/memory.hpp>
#include <linden/stopwatch.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "test/support/backends.hpp"

namespace linden {
namespace {

using test::on_each_executor;
using test::tested_executors;

/// Another executor of the same kind.
Executor another(const Executor& exec) { return Executor::create(exec.backend(), {.device = exec.device()}); }

TEST(Executor, CopiesMeanTheSameSpace)
{
    on_each_executor([](const Executor& exec) {
        const Executor copy = exec;
        EXPECT_TRUE(copy == exec);
        EXPECT_EQ(&copy.state(), &exec.state());
        EXPECT_FALSE(another(exec) == exec);
    });
}

TEST(Executor, SharesItsCountersWithItsCopies)
{
    const Executor exec = Executor::reference();
    const Executor copy = exec;
    const Array<int> array(copy, 10);
    EXPECT_EQ(exec.counters().allocations, 1u);
    EXPECT_EQ(Executor::reference().counters().allocations, 0u);
}

TEST(Executor, OutlivesTheHandleThatMadeAnArray)
{
    Array<int> array(Executor::reference(), {1, 2, 3});
    EXPECT_EQ(array.executor().counters().allocated_bytes, 3 * sizeof(int));
    EXPECT_EQ(array.to_host(), (std::vector{1, 2, 3}));
}

TEST(Executor, HasANameThatCreatesIt)
{
    on_each_executor([](const Executor& exec) {
        const std::string backend(name(exec.backend()));
        EXPECT_EQ(exec.name(), exec.is_host() ? backend : backend + ":" + std::to_string(exec.device()));
        EXPECT_EQ(Executor::create(backend).backend(), exec.backend());
        EXPECT_FALSE(exec.info().name.empty());
        EXPECT_GE(exec.info().num_units, 1);
    });
}

TEST(Executor, ReferenceIsSequentialHost)
{
    const auto exec = Executor::reference();
    EXPECT_EQ(exec.backend(), Backend::reference);
    EXPECT_TRUE(exec.is_host());
    EXPECT_EQ(exec.info().num_units, 1);
    EXPECT_EQ(exec.name(), "reference");
}

TEST(Executor, TakesItsOptions)
{
    auto memory = std::make_shared<FaultInjectingMemory>(host_memory());
    const auto exec = Executor::reference({.memory = memory});
    const Array<double> array(exec, 5);
    EXPECT_EQ(memory->num_allocations(), 1);
    if (backend_info(Backend::omp).built) {
        EXPECT_EQ(Executor::omp({.threads = 2}).info().num_units, 2);
    }
}

TEST(Executor, RefusesUnknownNamesWithTheNearest)
{
    try {
        Executor::create("cudda");
        FAIL() << "made an executor called cudda";
    } catch (const InvalidParameter& e) {
        EXPECT_EQ(e.name, "executor");
        EXPECT_EQ(e.value, "cudda");
        EXPECT_NE(e.allowed.find("did you mean 'cuda'?"), std::string::npos) << e.allowed;
        for (const char* known : {"reference", "omp", "cuda", "hip"}) {
            EXPECT_NE(e.allowed.find(known), std::string::npos) << e.allowed;
        }
    }
    EXPECT_THROW(Executor::create(""), InvalidParameter);
}

TEST(Executor, RefusesBackendsThatAreNotThere)
{
    for (int b = 0; b < num_backends; ++b) {
        const auto backend = static_cast<Backend>(b);
        const auto info = backend_info(backend);
        EXPECT_EQ(info.backend, backend);
        if (info.built && info.why_not.empty()) {
            EXPECT_FALSE(info.devices.empty());
            continue;
        }
        EXPECT_FALSE(info.why_not.empty());
        try {
            Executor::create(backend);
            FAIL() << "made an executor on " << name(backend);
        } catch (const BackendNotAvailable& e) {
            EXPECT_EQ(e.backend, backend);
            EXPECT_FALSE(e.why.empty());
            EXPECT_NE(std::string(e.what()).find(name(backend)), std::string::npos) << e.what();
        }
    }
}

TEST(Executor, AllocatesNothingForNoBytes)
{
    on_each_executor([](const Executor& exec) {
        const auto before = exec.counters();
        EXPECT_EQ(exec.allocate(0), nullptr);
        exec.deallocate(nullptr, 0);
        EXPECT_EQ(exec.counters().allocations, before.allocations);
        EXPECT_EQ(exec.counters().allocated_bytes, before.allocated_bytes);
    });
}

TEST(Executor, CountsAllocationsAndTheirPeak)
{
    on_each_executor([](const Executor& tested) {
        const auto exec = another(tested);
        EXPECT_EQ(exec.counters().allocations, 0u);
        {
            const Array<char> a(exec, 1000);
            const Array<char> b(exec, 500);
            EXPECT_EQ(exec.counters().allocations, 2u);
            EXPECT_EQ(exec.counters().allocated_bytes, 1500u);
        }
        const Array<char> c(exec, 200);
        EXPECT_EQ(exec.counters().allocations, 3u);
        EXPECT_EQ(exec.counters().allocated_bytes, 200u);
        EXPECT_EQ(exec.counters().peak_bytes, 1500u);
        exec.reset_peak();
        EXPECT_EQ(exec.counters().peak_bytes, 200u);
        {
            const Array<char> d(exec, 300);
        }
        EXPECT_EQ(exec.counters().peak_bytes, 500u);
    });
}

TEST(Executor, CountsKernelLaunches)
{
    on_each_executor([](const Executor& exec) {
        Dense<double> x(exec, {10, 2});
        const auto before = exec.counters().kernel_launches;
        x.fill(1);
        x.scale(2);
        EXPECT_GE(exec.counters().kernel_launches, before + 2);
    });
}

TEST(Executor, NamesBytesAndItselfWhenMemoryRunsOut)
{
    for (const auto& tested : tested_executors()) {
        if (!tested.is_host()) {
            continue;
        }
        auto memory = std::make_shared<FaultInjectingMemory>(host_memory());
        const auto exec = Executor::create(tested.backend(), {.memory = memory});
        memory->fail_allocation(1);
        try {
            const Array<double> array(exec, 1000);
            FAIL() << "allocated from memory that fails";
        } catch (const OutOfMemory& e) {
            EXPECT_EQ(e.bytes, 8000u);
            EXPECT_EQ(e.executor, exec.name());
            EXPECT_NE(std::string(e.what()).find("8000 bytes on " + exec.name()), std::string::npos) << e.what();
        }
        EXPECT_EQ(exec.counters().allocations, 0u);
        EXPECT_EQ(exec.counters().allocated_bytes, 0u);
        EXPECT_EQ(memory->num_outstanding(), 0);
        EXPECT_EQ(Array<double>(exec, 1000).size(), 1000);
    }
}

TEST(Executor, CopiesBetweenEveryPair)
{
    std::vector<Executor> executors = tested_executors();
    for (const auto& exec : tested_executors()) {
        executors.push_back(another(exec));
        const auto num_devices = static_cast<int>(backend_info(exec.backend()).devices.size());
        for (int device = 1; device < num_devices; ++device) {
            executors.push_back(Executor::create(exec.backend(), {.device = device}));
        }
    }
    std::vector<int> values(1001);
    std::iota(values.begin(), values.end(), -500);
    for (const auto& from : executors) {
        for (const auto& to : executors) {
            SCOPED_TRACE(from.name() + " to " + to.name());
            const Array<int> source(from, values);
            Array<int> target(to, source.size() + 2);
            target.copy_from_host(std::vector<int>(1003, 7).data());
            copy_bytes(from, source.data(), to, target.data() + 1, source.bytes());
            const auto copied = target.to_host();
            EXPECT_TRUE(std::equal(values.begin(), values.end(), copied.begin() + 1));
            EXPECT_EQ(copied.front(), 7);
            EXPECT_EQ(copied.back(), 7);
        }
    }
}

TEST(Stopwatch, RunsWhileTheExecutorWorks)
{
    on_each_executor([](const Executor& exec) {
        auto x = Dense<double>::filled(exec, {1000, 1}, 1);
        Stopwatch watch(exec);
        watch.start();
        x.scale(2);
        const double once = watch.stop();
        EXPECT_GT(once, 0);
        EXPECT_LT(once, 60);
        x.scale(2);
        EXPECT_GE(watch.stop(), once);
        EXPECT_EQ(x.to_host()[999], 4);
    });
}

TEST(Executor, CopiesNothingFromNull)
{
    on_each_executor([](const Executor& exec) { copy_bytes(exec, nullptr, exec, nullptr, 0); });
}

/// Writes down what it sees.
class Recorder final : public Logger {
public:
    void on_kernel_begin(std::string_view kernel, std::string_view types) override
    {
        events.push_back("begin " + std::string(kernel) + "<" + std::string(types) + ">");
    }
    void on_kernel_end(std::string_view kernel, std::string_view) override
    {
        events.push_back("end " + std::string(kernel));
    }
    void on_allocate(std::size_t bytes, const void* data) override
    {
        events.push_back("allocate " + std::to_string(bytes));
        live.push_back(data);
    }
    void on_deallocate(std::size_t bytes, const void* data) override
    {
        events.push_back("deallocate " + std::to_string(bytes));
        std::erase(live, data);
    }
    void on_copy(std::string_view from, std::string_view to, std::size_t bytes) override
    {
        events.push_back("copy " + std::string(from) + " " + std::string(to) + " " + std::to_string(bytes));
    }

    std::vector<std::string> events;
    std::vector<const void*> live;
};

TEST(Logger, SeesEventsInOrder)
{
    on_each_executor([](const Executor& tested) {
        const auto exec = another(tested);
        auto recorder = std::make_shared<Recorder>();
        exec.add_logger(recorder);
        {
            Dense<double> x(exec, {3, 1});
            x.fill(2);
            EXPECT_EQ(recorder->live, (std::vector<const void*>{x.data()}));
            (void)x.to_host();
        }
        const std::vector<std::string> expected{"allocate 24", "begin dense::fill<double>", "end dense::fill",
                                                "copy " + exec.name() + " reference 24", "deallocate 24"};
        EXPECT_EQ(recorder->events, expected);
        EXPECT_TRUE(recorder->live.empty());
    });
}

TEST(Logger, StopsSeeingWhenRemoved)
{
    const auto exec = Executor::reference();
    auto removed = std::make_shared<Recorder>();
    auto kept = std::make_shared<Recorder>();
    exec.add_logger(removed);
    exec.add_logger(kept);
    EXPECT_THROW(exec.add_logger(nullptr), InvalidParameter);
    Dense<double> x(exec, {2, 1});
    exec.remove_logger(removed.get());
    EXPECT_EQ(removed.use_count(), 1);
    x.fill(1);
    EXPECT_EQ(removed->events.size(), 1u);
    EXPECT_EQ(kept->events.size(), 3u);
    exec.remove_logger(removed.get());  // a second time changes nothing
    exec.remove_logger(nullptr);
    x.fill(1);
    EXPECT_EQ(kept->events.size(), 5u);
}

TEST(Logger, SeesCopiesAtBothEndsAndOnceWithin)
{
    const auto from = Executor::reference();
    const auto to = Executor::reference();
    auto at_from = std::make_shared<Recorder>();
    auto at_to = std::make_shared<Recorder>();
    const Array<int> source(from, {1, 2, 3, 4});
    from.add_logger(at_from);
    to.add_logger(at_to);
    const auto target = source.clone(to);
    EXPECT_EQ(at_from->events, (std::vector<std::string>{"copy reference reference 16"}));
    EXPECT_EQ(at_to->events, (std::vector<std::string>{"allocate 16", "copy reference reference 16"}));
    at_to->events.clear();
    (void)target.clone();
    EXPECT_EQ(at_to->events, (std::vector<std::string>{"allocate 16", "copy reference reference 16", "deallocate 16"}));
}

TEST(Logger, SeesNoAllocationThatFailed)
{
    auto memory = std::make_shared<FaultInjectingMemory>(host_memory());
    const auto exec = Executor::reference({.memory = memory});
    auto recorder = std::make_shared<Recorder>();
    exec.add_logger(recorder);
    memory->fail_allocation(1);
    EXPECT_THROW(Array<int>(exec, 3), OutOfMemory);
    EXPECT_TRUE(recorder->events.empty());
}

}  // namespace
}  // namespace linden
