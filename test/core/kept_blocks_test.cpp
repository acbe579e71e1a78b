#include "core/base/kept_blocks.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace linden::detail::test {
namespace {

constexpr std::size_t most_of_block = 1 << 20;

std::byte memory[3];

TEST(KeptBlocks, SizesGrowByEighths)
{
    const KeptBlocks kept(most_of_block, most_of_block);
    EXPECT_EQ(kept.size_for(1), 512u);
    EXPECT_EQ(kept.size_for(512), 512u);
    EXPECT_EQ(kept.size_for(513), 576u);
    EXPECT_EQ(kept.size_for(1024), 1024u);
    EXPECT_EQ(kept.size_for(1025), 1152u);
    EXPECT_EQ(kept.size_for(most_of_block), most_of_block);
    EXPECT_EQ(kept.size_for(most_of_block + 1), most_of_block + 1);
    for (std::size_t bytes = 512; bytes <= most_of_block; ++bytes) {
        const auto size = kept.size_for(bytes);
        ASSERT_GE(size, bytes);
        ASSERT_LE(8 * (size - bytes), bytes);
        ASSERT_EQ(kept.size_for(size), size) << "a block serves its own size";
    }
}

TEST(KeptBlocks, ABlockServesRequestsOfItsSizeOnce)
{
    KeptBlocks kept(most_of_block, most_of_block);
    EXPECT_EQ(kept.take(1000), nullptr);
    EXPECT_TRUE(kept.keep(memory, 1000));
    EXPECT_EQ(kept.take(960), nullptr) << "of a smaller block";
    EXPECT_EQ(kept.take(1025), nullptr) << "of a larger block";
    EXPECT_EQ(kept.take(1024), memory);
    EXPECT_EQ(kept.take(1000), nullptr);
}

TEST(KeptBlocks, LargeBlocksAndThoseBeyondTheLimitAreNotKept)
{
    KeptBlocks kept(most_of_block, 2048);
    EXPECT_FALSE(kept.keep(memory, most_of_block + 1));
    EXPECT_TRUE(kept.keep(memory, 1024));
    EXPECT_FALSE(kept.keep(memory + 1, 1025));
    EXPECT_TRUE(kept.keep(memory + 1, 1024));
    EXPECT_FALSE(kept.keep(memory + 2, 1));
    EXPECT_NE(kept.take(1024), nullptr);
    EXPECT_TRUE(kept.keep(memory + 2, 1)) << "there is room again";
    KeptBlocks none(0, 2048);
    EXPECT_FALSE(none.keep(memory, 1));
    EXPECT_EQ(none.size_for(1), 1u);
    EXPECT_EQ(none.take(1), nullptr);
}

TEST(KeptBlocks, ReleaseGivesAllBackAndMakesRoom)
{
    KeptBlocks kept(most_of_block, 2048);
    kept.keep(memory, 1);
    kept.keep(memory + 1, 1536);
    std::vector<void*> given;
    kept.release([&](void* data) { given.push_back(data); });
    std::sort(given.begin(), given.end());
    EXPECT_EQ(given, (std::vector<void*>{memory, memory + 1}));
    EXPECT_EQ(kept.take(1), nullptr);
    EXPECT_TRUE(kept.keep(memory, 2048)) << "nothing counts any more";
}

}  // namespace
}  // namespace linden::detail::test
