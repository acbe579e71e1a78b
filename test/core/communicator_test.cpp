#include <linden/distributed/communicator.hpp>

#include <atomic>
#include <cstring>
#include <numeric>
#include <stdexcept>

#include "core/distributed/transport.hpp"
#include "test/support/ranks.hpp"

namespace linden::test {
namespace {

const RemoteError* remote_error(std::exception_ptr failure)
{
    static thread_local std::unique_ptr<RemoteError> found;
    found = nullptr;
    try {
        std::rethrow_exception(failure);
    } catch (const RemoteError& e) {
        found = std::make_unique<RemoteError>(e);
    } catch (...) {
    }
    return found.get();
}

TEST(CommunicatorTest, SelfIsOneRank)
{
    const auto self = Communicator::self();
    EXPECT_EQ(self.rank(), 0);
    EXPECT_EQ(self.size(), 1);
    EXPECT_TRUE(self.is_single());
    EXPECT_EQ(self.transport_name(), "self");
    EXPECT_EQ(self.all_gather(7), std::vector<int>{7});
    EXPECT_EQ(self.from_first([] { return 5; }), 5);
    EXPECT_THROW(self.agree(std::make_exception_ptr(Error("no"))), Error);
    EXPECT_EQ(self, Communicator::self());
    EXPECT_THROW(Communicator::threads(0), InvalidParameter);
}

TEST(CommunicatorTest, EveryRankHearsFromEveryOther)
{
    for (const int n : {1, 2, 3, 4, 17}) {
        on_ranks(n, [&](const Communicator& ranks) {
            ASSERT_EQ(ranks.size(), n);
            for (int round = 0; round < 20; ++round) {
                std::vector<int> expected(static_cast<std::size_t>(n));
                std::iota(expected.begin(), expected.end(), 100 * round);
                EXPECT_EQ(ranks.all_gather(100 * round + ranks.rank()), expected);
            }
            EXPECT_EQ(ranks.from_first([&] { return 3 + ranks.rank(); }), 3);
        });
    }
}

TEST(CommunicatorTest, ListsOfAnyLengthReachTheirRank)
{
    for (const int n : {1, 2, 5}) {
        on_ranks(n, [&](const Communicator& ranks) {
            std::vector<std::vector<double>> lists(static_cast<std::size_t>(n));
            for (int r = 0; r < n; ++r) {
                lists[static_cast<std::size_t>(r)].assign(static_cast<std::size_t>(ranks.rank() + 2 * r),
                                                          ranks.rank() + 10.0 * r);
            }
            const auto theirs = linden::detail::exchange_lists(ranks, lists);
            for (int r = 0; r < n; ++r) {
                EXPECT_EQ(theirs[static_cast<std::size_t>(r)],
                          std::vector<double>(static_cast<std::size_t>(r + 2 * ranks.rank()), r + 10.0 * ranks.rank()));
            }
        });
    }
}

/// If ranks fail in the same act, the failing ones throw their own exception and the others hear of the first.
TEST(CommunicatorTest, AgreementEndsOnAllRanksAndLeavesThemUsable)
{
    on_ranks(4, [](const Communicator& ranks) {
        try {
            ranks.agree_after([&] {
                if (ranks.rank() == 1 || ranks.rank() == 3) {
                    throw InvalidParameter("n", std::to_string(ranks.rank()), "less");
                }
            });
            ADD_FAILURE() << "rank " << ranks.rank() << " went on";
        } catch (const InvalidParameter& e) {
            EXPECT_EQ(e.value, std::to_string(ranks.rank()));
            EXPECT_EQ(ranks.rank() % 2, 1);
        } catch (const RemoteError& e) {
            EXPECT_EQ(ranks.rank() % 2, 0);
            EXPECT_EQ(e.rank, 1);
            EXPECT_EQ(e.type, "InvalidParameter");
            EXPECT_NE(e.message.find("'1'"), std::string::npos);
        }
        EXPECT_EQ(ranks.all_gather(ranks.rank()), (std::vector<int>{0, 1, 2, 3}));
    });
}

/// What all ranks have learned of may pass guards.
TEST(CommunicatorTest, AnAgreedFailurePassesGuardsAndLeavesRanksUsable)
{
    on_ranks(3, [](const Communicator& ranks) {
        std::exception_ptr failure;
        try {
            ranks.guard([&] {
                ranks.agree_after([&] {
                    if (ranks.rank() == 1) {
                        throw std::out_of_range("rank 1's mistake");
                    }
                });
            });
        } catch (...) {
            failure = std::current_exception();
            EXPECT_TRUE(ranks.is_agreed(failure));
        }
        EXPECT_FALSE(ranks.is_agreed(std::make_exception_ptr(Error("another one"))));
        EXPECT_FALSE(ranks.is_agreed(nullptr));
        EXPECT_EQ(ranks.all_gather(ranks.rank()), (std::vector<int>{0, 1, 2}));
        // Later it is news.
        EXPECT_FALSE(ranks.is_agreed(failure));
    });
}

/// A rank that throws between collective acts ends those that wait for it, whatever they wait for.
TEST(CommunicatorTest, AFailureEndsAllThatWait)
{
    for (int waits = 0; waits < 3; ++waits) {
        const auto failures = failures_on_ranks(4, [&](const Communicator& ranks) {
            if (ranks.rank() == 2) {
                throw std::out_of_range("rank 2's mistake");
            }
            double value = 0;
            if (waits == 0) {
                ranks.all_gather(1);
            } else if (waits == 1) {
                const Message from{2, &value, sizeof value};
                ranks.transport().start({}, {&from, 1})->wait();
            } else {
                linden::detail::exchange_lists(ranks, std::vector<std::vector<int>>(4));
            }
        });
        for (std::size_t r = 0; r < failures.size(); ++r) {
            ASSERT_TRUE(failures[r]) << "rank " << r;
            if (r == 2) {
                EXPECT_THROW(std::rethrow_exception(failures[r]), std::out_of_range);
                continue;
            }
            const auto* const e = remote_error(failures[r]);
            ASSERT_NE(e, nullptr);
            EXPECT_EQ(e->rank, 2);
            EXPECT_EQ(e->type, "std::exception");
            EXPECT_EQ(e->message, "rank 2's mistake");
        }
    }
}

TEST(CommunicatorTest, AfterAFailureEveryActThrows)
{
    const auto failures = failures_on_ranks(2, [](const Communicator& ranks) {
        ranks.fail(std::make_exception_ptr(OutOfMemory(10, "omp")));
        EXPECT_THROW(ranks.all_gather(1), RemoteError);
        EXPECT_THROW(ranks.agree(nullptr), RemoteError);
    });
    EXPECT_FALSE(failures[0] || failures[1]);
}

TEST(CommunicatorTest, ActsThatDoNotBelongTogetherAreErrors)
{
    const auto failures = failures_on_ranks(2, [](const Communicator& ranks) {
        std::vector<double> all(4);
        const double mine[2] = {};
        ranks.all_gather(mine, ranks.rank() == 0 ? 8 : 16, all.data());
    });
    EXPECT_TRUE(failures[0] && failures[1]);
}

/// Long texts are cut, not overrun.
TEST(CommunicatorTest, LongMessagesAreCut)
{
    const auto failures = failures_on_ranks(2, [](const Communicator& ranks) {
        if (ranks.rank() == 0) {
            throw Error(std::string(10000, 'x'));
        }
        ranks.all_gather(1);
    });
    const auto* const e = remote_error(failures[1]);
    ASSERT_NE(e, nullptr);
    EXPECT_EQ(e->message.find_first_not_of('x'), std::string::npos);
    EXPECT_GT(e->message.size(), 100u);
}

}  // namespace
}  // namespace linden::test
