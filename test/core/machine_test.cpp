// needs: double int32
#include <linden/error.hpp>
#include <linden/validate.hpp>

#include <gtest/gtest.h>

#include <algorithm>

#include "test/support/backends.hpp"

namespace linden::test {
namespace {

TEST(Machine, IsRightAtLevelOne)
{
    on_each_executor([](const Executor& exec) {
        if (exec.info().name.starts_with("host executor")) {
            return;  // a device on a processor, which takes a minute
        }
        const auto report = validate(exec);
        EXPECT_EQ(report.verdict(), Verdict::pass);
        EXPECT_TRUE(report.faults.empty()) << report.faults.front();
        EXPECT_FALSE(report.limits.empty());
        EXPECT_FALSE(report.solves.empty());
        const auto inspected = std::count_if(report.kernels.begin(), report.kernels.end(),
                                             [](const KernelCheck& k) { return k.num_inspected > 0; });
        EXPECT_GE(inspected, 100);
        for (const auto& k : report.kernels) {
            EXPECT_TRUE(k.is_right()) << k.kernel << ": " << k.faults.front();
        }
    });
}

TEST(Machine, IsNotRightWhereAnythingIsWrong)
{
    MachineReport report;
    report.level = 2;
    KernelCheck inspected, gap;
    inspected.num_inspected = 1;
    gap.gap = "no case calls it";
    report.kernels = {inspected};
    EXPECT_EQ(report.verdict(), Verdict::pass);
    report.kernels = {inspected, gap};
    EXPECT_EQ(report.verdict(), Verdict::incomplete);
    gap.is_named_gap = true;
    report.kernels = {inspected, gap};
    EXPECT_EQ(report.verdict(), Verdict::pass);
    inspected.num_planted = 2;
    inspected.num_found = 1;
    report.kernels = {inspected};
    EXPECT_EQ(report.verdict(), Verdict::fail);
    SolveCheck solve;
    solve.faults = {"a second solve gives other bits"};
    report.kernels.clear();
    report.solves = {solve};
    EXPECT_EQ(report.verdict(), Verdict::fail);
}

TEST(Machine, RefusesOtherLevels)
{
    ValidateOptions options;
    options.level = 5;
    EXPECT_THROW((void)validate(Executor::reference(), options), InvalidParameter);
}

}  // namespace
}  // namespace linden::test
