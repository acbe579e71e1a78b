// needs: double int32
#include <linden/error.hpp>
#include <linden/matrix/dense.hpp>
#include <linden/validate.hpp>

#include <gtest/gtest.h>

#include <algorithm>

#include "core/validation/runner.hpp"
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

/// What a case has left in a report on omp.
MachineReport after(const std::function<void(const Executor&)>& body)
{
    const auto exec = Executor::create(Backend::omp, {.threads = 2});
    MachineReport report;
    report.backend = Backend::omp;
    inspect::Inspector inspector(exec);
    const ValidateOptions options;
    validation::Runner runner(exec, options, inspector, report);
    runner.run("a case", [&] {
        body(runner.executor());
        runner.add({});
    });
    EXPECT_EQ(runner.executor().backend(), Backend::omp) << "the reference does not stay";
    return report;
}

TEST(Machine, RefusalsAreThoseOfTheReference)
{
    if (!backend_info(Backend::omp).built) {
        GTEST_SKIP() << "no second backend on hosts";
    }
    const auto refused = after([](const Executor&) { throw NotSupported("this", "of that"); });
    ASSERT_EQ(refused.refusals.size(), 1u);
    EXPECT_EQ(refused.refusals[0].text, "case 0: a case");
    EXPECT_NE(refused.refusals[0].message.find("of that"), std::string::npos);
    EXPECT_TRUE(refused.faults.empty());
    EXPECT_EQ(refused.verdict(), Verdict::pass);

    const auto here_only = after([](const Executor& exec) {
        if (exec.backend() != Backend::reference) {
            throw InvalidParameter("n", "3", "an even number");
        }
    });
    EXPECT_EQ(here_only.faults.size(), 1u);
    EXPECT_TRUE(here_only.solves.empty()) << "what the reference computes meanwhile is not of the report";
    EXPECT_EQ(here_only.verdict(), Verdict::fail);

    const auto otherwise = after([](const Executor& exec) {
        throw NotSupported("this", exec.backend() == Backend::reference ? "of that" : "at all");
    });
    EXPECT_EQ(otherwise.verdict(), Verdict::fail);
    const auto lacking = after([](const Executor&) { throw KernelNotAvailable("csr::spmv", Backend::omp, "double"); });
    EXPECT_TRUE(lacking.refusals.empty());
    EXPECT_EQ(lacking.verdict(), Verdict::fail);
}

TEST(Machine, RefusalsOfTheReferenceAloneAreFaults)
{
    std::vector<MachineReport> reports(2);
    reports[1].backend = Backend::omp;
    reports[0].refusals = {{"case 1: a", "no"}};
    reports[1].refusals = {{"case 0: a", "no"}};  // one case less before it
    compare_refusals(reports);
    EXPECT_EQ(reports[1].verdict(), Verdict::pass);
    reports[0].refusals.push_back({"case 2: b", "no"});
    compare_refusals(reports);
    EXPECT_EQ(reports[0].verdict(), Verdict::pass);
    ASSERT_EQ(reports[1].faults.size(), 1u);
    EXPECT_EQ(reports[1].faults[0], "case 2: b: not refused here, on reference no");
    reports[1].faults.clear();
    reports[1].device.name = "host executor, waves of 64";
    reports[0].level = reports[1].level = 2;
    compare_refusals(reports);
    EXPECT_TRUE(reports[1].faults.empty()) << "an emulation has other cases";
}

TEST(Machine, SolvesEndLikeThoseOfTheReference)
{
    using S = SolveStatus;
    using validation::disagreement;
    EXPECT_EQ(disagreement({S::converged, 22}, {S::converged, 20}, false), "");
    EXPECT_EQ(disagreement({S::max_iterations, 50}, {S::converged, 49}, false), "");
    EXPECT_EQ(disagreement({S::converged, 27}, {S::converged, 20}, false),
              "the reference ends as converged after 20 iterations");
    EXPECT_NE(disagreement({S::converged, 20}, {S::breakdown, 20}, false), "");
    EXPECT_NE(disagreement({S::converged, 21}, {S::converged, 20}, true), "");
    EXPECT_NE(disagreement({S::max_iterations, 20}, {S::breakdown, 20}, true), "") << "a lost breakdown";
    EXPECT_EQ(disagreement({S::converged, 1}, {S::converged, 5}, false), "") << "its plan may be of its backend";
    EXPECT_NE(disagreement({S::converged, 1}, {S::converged, 5}, true), "");
    EXPECT_EQ(disagreement({S::converged, 1}, {S::stagnated, 5}, false), "") << "factors of all entries";
    EXPECT_NE(disagreement({S::converged, 6}, {S::stagnated, 5}, false), "");
    EXPECT_NE(disagreement({S::stagnated, 5}, {S::converged, 6}, false), "");
    EXPECT_EQ(disagreement({S::breakdown, 3}, {S::breakdown, 3}, true), "");
}

/// Later rounds of a soak inspect again, with other operands, and keep of them what is wrong.
TEST(Machine, ASoakInspectsInEachRound)
{
    const auto& exec = reference_executor();
    MachineReport report;
    inspect::Inspector inspector(exec, {.calls_per_kernel = 1});
    const ValidateOptions options;
    validation::Runner runner(exec, options, inspector, report);
    std::vector<std::uint64_t> seeds;
    bool is_over = false;
    const auto run = [&] {
        runner.run("a case", [&] {
            seeds.push_back(runner.seed());
            Dense<double>::filled(runner.executor(), {3, 1}, 1.0);
            runner.add({});
            throw NotSupported("this", "of that");
        });
    };
    run();
    runner.begin_round(5, [&] { return is_over; });
    run();
    is_over = true;
    run();
    EXPECT_EQ(seeds, (std::vector<std::uint64_t>{1, 5}));
    ASSERT_EQ(inspector.records().size(), 1u);
    EXPECT_EQ(inspector.records().front().num_inspected, 2);
    EXPECT_EQ(report.num_cases, 2);
    EXPECT_EQ(report.solves.size(), 1u);
    EXPECT_EQ(report.refusals.size(), 1u) << "backends have different numbers of rounds";
    SolveCheck wrong;
    wrong.faults = {"other bits"};
    is_over = false;
    runner.run("a case", [&] {
        runner.add(wrong);
        throw std::runtime_error("wrong");
    });
    EXPECT_EQ(report.solves.size(), 2u);
    ASSERT_EQ(report.faults.size(), 1u);
    EXPECT_TRUE(report.faults[0].starts_with("case 2 of seed 5: a case")) << report.faults[0];
}

TEST(Machine, RefusesOtherLevels)
{
    ValidateOptions options;
    options.level = 5;
    EXPECT_THROW((void)validate(Executor::reference(), options), InvalidParameter);
}

}  // namespace
}  // namespace linden::test
