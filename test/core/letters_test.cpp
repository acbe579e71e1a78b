#include "core/base/letters.hpp"

#include <linden/array.hpp>

#include <gtest/gtest.h>

#include "core/base/executor_state.hpp"
#include "test/support/backends.hpp"

namespace linden {
namespace {

using test::tested_executors;

using detail::Letters;

Array<std::int64_t> numbers_of(const Executor& exec, std::int64_t first)
{
    return Array<std::int64_t>(exec, std::vector<std::int64_t>{first, first + 1});
}

TEST(Letters, HoldWhatWasThereWhenTheyWerePosted)
{
    for (const auto& exec : tested_executors()) {
        const auto letters = detail::make_letters(exec);
        auto numbers = numbers_of(exec, 7);
        const auto letter = letters->post(numbers.data(), numbers.bytes());
        exec.state().fill_zero(numbers.data(), numbers.bytes());
        std::int64_t found[2]{};
        letters->take(letter, found, sizeof found);
        EXPECT_EQ(found[0], 7) << exec.name();
        EXPECT_EQ(found[1], 8) << exec.name();
    }
}

TEST(Letters, AreTakenInAnyOrder)
{
    for (const auto& exec : tested_executors()) {
        const auto letters = detail::make_letters(exec);
        std::vector<std::int64_t> posted;
        for (std::int64_t i = 0; i < Letters::most_untaken; ++i) {
            const auto numbers = numbers_of(exec, i);
            posted.push_back(letters->post(numbers.data(), numbers.bytes()));
        }
        const auto take = [&](std::int64_t letter) {
            std::int64_t found[2]{};
            letters->take(letter, found, sizeof found);
            return found[0];
        };
        EXPECT_EQ(take(posted[40]), 40) << exec.name();
        const auto numbers = numbers_of(exec, 1000);
        posted[40] = letters->post(numbers.data(), numbers.bytes());  // in the place of the one that was taken
        for (std::int64_t i = Letters::most_untaken; i-- > 0;) {
            EXPECT_EQ(take(posted[static_cast<std::size_t>(i)]), i == 40 ? 1000 : i) << exec.name();
        }
    }
}

TEST(Letters, OfFourAndOfSixtyFourBytesComeWhole)
{
    for (const auto& exec : tested_executors()) {
        const auto letters = detail::make_letters(exec);
        const Array<std::int32_t> few(exec, std::vector<std::int32_t>{5});
        const Array<std::int64_t> many(exec, std::vector<std::int64_t>{1, 2, 3, 4, 5, 6, 7, 1LL << 40});
        const auto first = letters->post(few.data(), few.bytes());
        const auto second = letters->post(many.data(), many.bytes());
        std::vector<std::int64_t> found(8);
        letters->take(second, found.data(), many.bytes());
        EXPECT_EQ(found, many.to_host()) << exec.name();
        std::int32_t one = 0;
        letters->take(first, &one, sizeof one);
        EXPECT_EQ(one, 5) << exec.name();
        EXPECT_TRUE(letters->has_come(letters->post(few.data(), few.bytes())) || !exec.is_host());
    }
}

TEST(Letters, LeftUntakenDoNotComeToTheNextOwner)
{
    for (const auto& exec : tested_executors()) {
        for (std::int64_t round = 0; round < 4; ++round) {
            const auto letters = detail::make_letters(exec);
            const auto numbers = numbers_of(exec, 10 * round), left = numbers_of(exec, -1);
            const auto letter = letters->post(numbers.data(), numbers.bytes());
            (void)letters->post(left.data(), left.bytes());
            std::int64_t found[2]{};
            letters->take(letter, found, sizeof found);
            EXPECT_EQ(found[0], 10 * round) << exec.name();
        }
    }
}

}  // namespace
}  // namespace linden
