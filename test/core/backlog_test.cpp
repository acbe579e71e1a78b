#include "core/multigrid/backlog.hpp"

#include <gtest/gtest.h>

#include "test/support/backends.hpp"

namespace linden {
namespace {

using test::tested_executors;

using detail::Backlog;
using detail::PhaseClock;

Array<std::int64_t> numbers(const Executor& exec, const std::vector<std::int64_t>& values)
{
    return Array<std::int64_t>(exec, values);
}

TEST(Backlog, ReadsNumbers)
{
    for (const auto& exec : tested_executors()) {
        AmgReport report;
        PhaseClock clock(report);
        Backlog backlog(exec, clock);
        const auto letter = backlog.post(numbers(exec, {1, 2}));
        EXPECT_EQ(backlog.read(numbers(exec, {3})), Backlog::Numbers({3})) << exec.name();
        EXPECT_EQ(backlog.take(letter, 2), Backlog::Numbers({1, 2})) << exec.name();
    }
}

TEST(Backlog, DoesAllWorkOnceWithItsNumbers)
{
    for (const auto& exec : tested_executors()) {
        AmgReport report;
        PhaseClock clock(report);
        Backlog backlog(exec, clock);
        std::vector<std::int64_t> done;
        backlog.put_off(AmgPhase::cycle, [&] {
            done.push_back(0);
            // work that puts off more: numbers of its own
            backlog.put_off(AmgPhase::cycle, numbers(exec, {7, 8}), [&](const Backlog::Numbers& found) {
                done.push_back(found.at(1));
                backlog.put_off(AmgPhase::cycle, [&] { done.push_back(9); });
            });
        });
        backlog.finish();
        EXPECT_EQ(done, std::vector<std::int64_t>({0, 8, 9})) << exec.name();
        backlog.finish();
        EXPECT_EQ(done.size(), 3u) << exec.name();
    }
}

/// More letters than there are boxes for.
TEST(Backlog, DoesWorkWhereTooMuchOfItWaits)
{
    for (const auto& exec : tested_executors()) {
        AmgReport report;
        PhaseClock clock(report);
        Backlog backlog(exec, clock);
        constexpr std::int64_t many = 3 * detail::Letters::most_untaken;
        std::int64_t sum = 0;
        for (std::int64_t i = 0; i < many; ++i) {
            backlog.put_off(AmgPhase::cycle, numbers(exec, {i}),
                            [&](const Backlog::Numbers& found) { sum += found.at(0); });
        }
        EXPECT_GE(sum, 0) << exec.name();
        backlog.finish();
        EXPECT_EQ(sum, many * (many - 1) / 2) << exec.name();
    }
}

TEST(Backlog, CountsWorkForItsPhase)
{
    for (const auto& exec : tested_executors()) {
        AmgReport report;
        {
            PhaseClock clock(report);
            Backlog backlog(exec, clock);
            clock.enter(AmgPhase::products);
            AmgPhase during = AmgPhase::matrix;
            backlog.put_off(AmgPhase::inverse, [&] { during = clock.phase(); });
            backlog.finish();
            EXPECT_EQ(during, AmgPhase::inverse) << exec.name();
            EXPECT_EQ(clock.phase(), AmgPhase::products) << exec.name();
        }
    }
}

}  // namespace
}  // namespace linden
