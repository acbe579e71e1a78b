// needs: double int32 zlib
#include <gtest/gtest.h>

#include "test/tools/program.hpp"

namespace {

using namespace linden::test;

TEST(Gzip, WritesAndSolvesWhatIsCompressed)
{
    const ScratchFolder folder;
    const auto matrix = folder.path("a.mtx.gz");
    ASSERT_EQ(run_linden({"generate", "--problem", "aniso2d:12:0.01", matrix}).code, 0);
    EXPECT_EQ(read_file(matrix).substr(0, 2), "\x1f\x8b");
    EXPECT_EQ(run_linden({"solve", matrix, "--quiet"}).code, 0);
}

}  // namespace
