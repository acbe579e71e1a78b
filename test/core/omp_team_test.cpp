// needs: omp double int32
#include <linden/array.hpp>

#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <limits>
#include <thread>
#include <vector>

#include "omp/levels.hpp"
#include "omp/parallel.hpp"
#include "omp/team/load.hpp"
#include "omp/team/processors.hpp"

#include "test/support/backends.hpp"
#include "test/support/triangular_solves.hpp"

namespace linden::test {
namespace {

using namespace linden::omp;

constexpr Nanoseconds ms = 1'000'000;
/// Later than any time that the process sees, and than any pause.
constexpr Nanoseconds far_off = std::numeric_limits<Nanoseconds>::max() / 2;
constexpr int unlimited = std::numeric_limits<int>::max();
/// Two threads' regions: one is held up, with no doubt measured; both at work.
constexpr RegionTimes held_up{4 * ms, 4 * ms, ms / 10};
constexpr RegionTimes at_work{4 * ms, 0, 7 * ms};

/// Runs regions of `times` from `now` on until the load has decided. Returns when.
Nanoseconds run_until_decided(Load& load, int wanted, const RegionTimes& times, Nanoseconds now)
{
    const int limit = load.limit();
    for (int region = 0; region < 4 && load.limit() == limit; ++region) {
        const auto plan = load.plan(wanted, now);
        now += times.span;
        load.report(wanted, plan, times, now);
    }
    return now;
}

TEST(OmpLoad, FewerThreadsWhereRegionsAreHeldUp)
{
    Load load;
    EXPECT_EQ(load.plan(4, 0).threads, 4);
    auto now = run_until_decided(load, 4, held_up, 0);
    EXPECT_EQ(load.limit(), 2);
    now = run_until_decided(load, 2, held_up, now);
    EXPECT_EQ(load.limit(), 1);
    EXPECT_EQ(load.plan(4, now).threads, 1);
    EXPECT_EQ(load.plan(1, far_off).threads, 1);
}

TEST(OmpLoad, ManyThreadsWhereAllWork)
{
    Load load;
    run_until_decided(load, 2, at_work, 0);
    EXPECT_EQ(load.limit(), unlimited);
    EXPECT_EQ(load.plan(2, far_off).threads, 2);
}

TEST(OmpLoad, WaitsForAnUnevenPartAreNoLoad)
{
    Load load;  // the other part is all the work
    run_until_decided(load, 2, {4 * ms, 3 * ms, 4 * ms + 1}, 0);
    EXPECT_EQ(load.limit(), unlimited);
    const auto plan = load.plan(2, 17 * ms);
    EXPECT_FALSE(plan.is_measured);
}

TEST(OmpLoad, TriesAgainEverLessOften)
{
    Load load;
    auto now = run_until_decided(load, 2, held_up, 0);
    Nanoseconds before = 0;
    for (int trial = 0; trial < 4; ++trial) {
        Nanoseconds pause = 0;
        while (load.plan(2, now + pause).threads == 1) {
            pause += ms;
        }
        EXPECT_GT(pause, before) << "trial " << trial;
        before = pause;
        now += pause;
        const auto plan = load.plan(2, now);
        EXPECT_TRUE(plan.is_measured);
        load.report(2, plan, held_up, now + held_up.span);
        now += held_up.span;
        EXPECT_EQ(load.plan(2, now).threads, 1);
    }
    now += 2 * Load::greatest_pause;
    load.report(2, load.plan(2, now), at_work, now + at_work.span);
    EXPECT_EQ(load.limit(), unlimited);
}

TEST(OmpLoad, BeginsAloneOnAFullMachine)
{
    static bool is_full = true;
    Load load([] { return is_full; });
    EXPECT_EQ(load.plan(2, 0).threads, 1);
    EXPECT_EQ(load.plan(2, 1).threads, 1);
    is_full = false;
    const Nanoseconds later = 4 * Load::least_pause;
    ASSERT_EQ(load.plan(2, later).threads, 2);
    load.report(2, {2, true}, at_work, later);
    EXPECT_EQ(load.limit(), unlimited);
}

TEST(OmpLoad, TriesAlsoOnAFullMachineAtLast)
{
    Load load([] { return true; });
    Nanoseconds now = 0;
    while (load.plan(2, now).threads == 1 && now < 10 * Load::greatest_pause) {
        now += ms;
    }
    EXPECT_LT(now, 4 * Load::greatest_pause);
}

/// All regions of the process run on their callers while it lives.
class Alone {
public:
    Alone()
    {
        // Also where a full machine has left one thread already: this puts off the trials of more.
        for (Nanoseconds span = 0; process_load().limit() > 1 || span < Load::verdict_span; span += held_up.span) {
            process_load().report(2, {2, true}, held_up, far_off);
        }
    }
    ~Alone()
    {
        const auto later = far_off + 2 * Load::greatest_pause;
        process_load().report(unlimited, {unlimited, true}, at_work, later);
    }
    Alone(const Alone&) = delete;
    Alone& operator=(const Alone&) = delete;
};

int threads_of_region(int wanted)
{
    int found = 0;
    run_team(wanted, [&](int thread, int threads) { found = thread == 0 ? threads : found; });
    return found;
}

/// Until the caller has had a team, also where others leave one processor for a while.
void wait_for_team()
{
    end_time_alone();
    while (threads_of_region(2) < 2) {
        std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
}

#ifndef __SANITIZE_THREAD__  // which is to see teams from the beginning

TEST(OmpTeam, IsMadeWhereTheCallerHasWorkedForAWhile)
{
    std::thread([] {
        for (int region = 0; region < 3; ++region) {
            EXPECT_EQ(threads_of_region(2), 1);
        }
        run_team(2, [](int, int) { std::this_thread::sleep_for(std::chrono::nanoseconds(time_alone)); });
        EXPECT_TRUE(threads_of_region(2) == 2 || process_load().limit() == 1);
    }).join();
}

TEST(OmpTeam, IsMadeAtOnceForLargeBlocks)
{
    wait_for_team();  // until others leave a processor
    std::thread([] {
        const Array<double> large(Executor::omp({.threads = 2}), size_type{1} << 20);
        EXPECT_TRUE(threads_of_region(2) == 2 || process_load().limit() == 1);
    }).join();
}

#endif

TEST(OmpTeam, PartsStayWhereOneThreadRunsThem)
{
    const Alone alone;
    ASSERT_EQ(process_load().limit(), 1);
    std::vector<int> parts;  // unguarded: the caller alone writes
    run_parts(RowPartition(100'000), 5, [&](int part, size_type, size_type) { parts.push_back(part); });
    EXPECT_EQ(parts, (std::vector{0, 1, 2, 3, 4}));
}

TEST(OmpTeam, KernelsThatWaitEndOnOneThread)
{
    const Alone alone;
    solves_large_triangles<SolveByLevels, double, std::int32_t>(911);
    solves_large_triangles<SolveSyncFree, double, std::int32_t>(912);
}

#ifndef __SANITIZE_THREAD__  // ends children of processes with threads

/// The team's threads stay with the parent: a child that waited for them would never end.
TEST(OmpTeam, ForkedChildrenRunOnTheirCallers)
{
    const auto sum_of_parts = [] {
        std::atomic<int> sum{0};
        run_parts(RowPartition(100'000), 5, [&](int part, size_type, size_type) { sum += part; });
        return sum.load();
    };
    wait_for_team();
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
        alarm(60);
        _exit(sum_of_parts() == 10 ? 0 : 1);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
    EXPECT_EQ(sum_of_parts(), 10);
}

#endif

TEST(OmpTeam, SurvivorAloneGoesOn)
{
    Survivor survivor;
    const auto begin = now() - 10 * least_stall;
    EXPECT_TRUE(survivor.goes_on(0, 2, least_stall - 1, begin));
    EXPECT_TRUE(survivor.goes_on(0, 2, 2 * least_stall, begin)) << "a small share of its time";
    EXPECT_TRUE(survivor.goes_on(1, 2, 20 * least_stall, begin));
    EXPECT_FALSE(survivor.goes_on(0, 2, 0, begin));
    EXPECT_FALSE(survivor.goes_on(0, 2, 20 * least_stall, begin));
    EXPECT_TRUE(survivor.goes_on(1, 2, 0, begin));
}

/// A thread that is off its processor for a while in every level must not hold up each of the levels to come. Where
/// other processes take the other thread off, too, it may look as if both were at work, for a time.
TEST(OmpTeam, OneThreadDoesTheRestOfLevelsAfterStalls)
{
    constexpr int num_levels = 200, rows_per_level = 2048, most_tries = 20;
    std::vector<std::int32_t> level_ptrs(num_levels + 1);
    for (int level = 0; level <= num_levels; ++level) {
        level_ptrs[level] = level * rows_per_level;
    }
    const LevelSchedule<std::int32_t> levels{level_ptrs.data(), {0, num_levels, 0, level_ptrs.back()}, 4};
    int least_stalls = num_levels;
    for (int tries = 0; tries < most_tries && least_stalls >= num_levels / 2; ++tries) {
        std::vector<std::atomic<int>> times_done(level_ptrs.back());
        std::atomic<int> stalls{0};
        LevelTeam team;
        wait_for_team();
        run_team(2, [&](int thread, int threads) {
            run_levels_of_thread(
                levels, thread, threads, team, [](size_type) { return false; },
                [&](size_type begin, size_type end) {
                    for (size_type row = begin; row < end; ++row) {
                        ++times_done[row];
                    }
                    if (thread == 1) {
                        ++stalls;
                        std::this_thread::sleep_for(std::chrono::milliseconds(2));
                    }
                });
        });
        least_stalls = std::min(least_stalls, stalls.load());
        for (const auto& times : times_done) {
            ASSERT_EQ(times, 1);
        }
    }
    EXPECT_LT(least_stalls, num_levels / 2);
}

/// A root of a file system with some files.
class Root {
public:
    Root() { std::filesystem::remove_all(folder_); }
    ~Root() { std::filesystem::remove_all(folder_); }
    Root(const Root&) = delete;
    Root& operator=(const Root&) = delete;

    void write(const std::string& name, const std::string& text) const
    {
        const auto path = folder_ / name;
        std::filesystem::create_directories(path.parent_path());
        std::ofstream(path) << text;
    }
    std::string path() const { return folder_.string(); }

private:
    std::filesystem::path folder_ = std::filesystem::path(testing::TempDir()) / "linden_omp_processors";
};

TEST(OmpProcessors, NoGroupsNoLimit)
{
    const Root root;
    EXPECT_EQ(cgroup_processors(root.path()), 0);
    EXPECT_GE(available_processors(root.path()), 1);
}

TEST(OmpProcessors, QuotaOfVersion2IsTheLeastOfGroupsAround)
{
    const Root root;
    root.write("proc/self/cgroup", "0::/jobs/mine\n");
    root.write("sys/fs/cgroup/jobs/mine/cpu.max", "max 100000\n");
    EXPECT_EQ(cgroup_processors(root.path()), 0);
    root.write("sys/fs/cgroup/jobs/cpu.max", "150000 100000\n");
    EXPECT_EQ(cgroup_processors(root.path()), 2);
    root.write("sys/fs/cgroup/jobs/mine/cpu.max", "50000 100000\n");
    EXPECT_EQ(cgroup_processors(root.path()), 1);
    EXPECT_EQ(available_processors(root.path()), 1);
}

TEST(OmpProcessors, QuotaOfVersion1)
{
    const Root root;
    root.write("proc/self/cgroup", "3:cpuset:/\n1:cpu,cpuacct:/docker/abc\n");
    root.write("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n");
    root.write("sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
    EXPECT_EQ(cgroup_processors(root.path()), 0);
    root.write("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "300000\n");
    EXPECT_EQ(cgroup_processors(root.path()), 3) << "a container's own top";
    root.write("sys/fs/cgroup/cpu,cpuacct/docker/abc/cpu.cfs_quota_us", "100000\n");
    root.write("sys/fs/cgroup/cpu,cpuacct/docker/abc/cpu.cfs_period_us", "100000\n");
    EXPECT_EQ(cgroup_processors(root.path()), 1);
}

}  // namespace
}  // namespace linden::test
