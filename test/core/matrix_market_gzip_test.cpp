// needs: double int32 zlib
#include <linden/io/problems.hpp>

#include "test/support/matrix_market_files.hpp"

namespace linden {
namespace {

using namespace test;

class MatrixMarketGzip : public MatrixMarketFile {};

TEST_F(MatrixMarketGzip, RoundTrips)
{
    const auto large = generate_problem<double, std::int32_t>("convdiff3d:40:0.3");
    write_matrix(path("large.mtx"), large);
    write_matrix(path("large.mtx.gz"), large);
    EXPECT_LT(fs::file_size(path("large.mtx.gz")), fs::file_size(path("large.mtx")) / 2);
    expect_same(read_matrix<double, std::int32_t>(path("large.mtx.gz")), large);
    const DenseData<double> block{{2, 2}, {1, -0.1, 1e300, 0}};
    write_dense(path("b.mtx.gz"), block);
    EXPECT_EQ(read_dense<double>(path("b.mtx.gz")).values, block.values);
}

TEST_F(MatrixMarketGzip, TellsGzipByContent)
{
    const auto a = generate_problem<double, std::int32_t>("lap2d:5");
    write_matrix(path("a.mtx.gz"), a);
    fs::rename(path("a.mtx.gz"), path("renamed.mtx"));
    expect_same(read_matrix<double, std::int32_t>(path("renamed.mtx")), a);
    EXPECT_EQ((read_matrix<double, std::int32_t>(write("plain.gz", small)).num_nonzeros()), 2);
}

TEST_F(MatrixMarketGzip, ReadsAllMembersOfAGzipFile)
{
    const auto a = generate_problem<double, std::int32_t>("lap2d:5");
    write_matrix(path("a.mtx.gz"), a);
    const auto member = content(path("a.mtx.gz"));
    // The second member repeats the file: its banner is a comment then, its size line a surplus entry.
    write("twice.gz", member + member);
    try {
        read_matrix<double, std::int32_t>(path("twice.gz"));
        FAIL() << "accepted";
    } catch (const FileError& error) {
        EXPECT_EQ(error.line, 2 + a.num_nonzeros() + 2) << error.what();
        EXPECT_NE(error.problem.find("more entries"), std::string::npos) << error.what();
    }
    write("padded.gz", member + std::string(512, '\0'));
    expect_same(read_matrix<double, std::int32_t>(path("padded.gz")), a);
    write("appended.gz", member + "text");
    EXPECT_EQ(problem(path("appended.gz")), "the gzip file has other data after its end");
}

TEST_F(MatrixMarketGzip, RefusesDamagedGzip)
{
    write_matrix(path("a.mtx.gz"), generate_problem<double, std::int32_t>("random:300:9:1"));
    const auto whole = content(path("a.mtx.gz"));
    ASSERT_GT(whole.size(), 20'000);
    for (std::size_t length : {std::size_t{2}, std::size_t{5}, std::size_t{10}, whole.size() / 2, whole.size() - 9,
                               whole.size() - 8, whole.size() - 1}) {
        write("cut.gz", whole.substr(0, length));
        EXPECT_EQ(problem(path("cut.gz")), "the gzip file is truncated") << length;
    }
    auto flipped = whole;
    flipped[whole.size() - 6] ^= 1;
    EXPECT_EQ(problem(write("flipped.gz", flipped)), "the gzip file is corrupt: incorrect data check");
    flipped = whole;
    flipped[2] = 3;
    EXPECT_EQ(problem(write("method.gz", flipped)), "the gzip file is corrupt: unknown compression method");
}

}  // namespace
}  // namespace linden
