// needs: double int32
#include <linden/distributed/io.hpp>
#include <linden/io/matrix_market.hpp>
#include <linden/io/problems.hpp>

#include <unistd.h>
#include <filesystem>
#include <fstream>

#include "test/support/ranks.hpp"

namespace linden::test {
namespace {

/// A file of a test's own.
class File {
public:
    explicit File(const std::string& content)
        : path((std::filesystem::temp_directory_path() / ("linden_io_" + std::to_string(getpid()) + ".mtx")).string())
    {
        std::ofstream(path, std::ios::binary) << content;
    }
    ~File() { std::filesystem::remove(path); }
    File(const File&) = delete;
    File& operator=(const File&) = delete;

    std::string path;
};

void expect_as_one_process_reads_it(const std::string& content)
{
    const File file(content);
    const auto whole = read_matrix<double, std::int32_t>(file.path);
    for (const int n : {1, 2, 3, 4, 17}) {
        CsrData<double, std::int32_t> joined{whole.size, {0}, {}, {}};
        std::vector<distributed::OwnRows<double>> parts(static_cast<std::size_t>(n),
                                                        {distributed::Partition::stripes(0, 1), {}});
        on_ranks(n, [&](const Communicator& ranks) {
            parts[static_cast<std::size_t>(ranks.rank())] = distributed::read_rows<double>(ranks, file.path);
        });
        for (int r = 0; r < n; ++r) {
            const auto& [partition, rows] = parts[static_cast<std::size_t>(r)];
            EXPECT_EQ(partition, distributed::Partition::stripes(whole.size.rows, n));
            EXPECT_EQ(rows.size, (Dim{partition.num_rows(r), whole.size.cols}));
            const auto before = joined.row_ptrs.back();
            for (std::size_t row = 1; row < rows.row_ptrs.size(); ++row) {
                joined.row_ptrs.push_back(static_cast<std::int32_t>(before + rows.row_ptrs[row]));
            }
            joined.col_idxs.insert(joined.col_idxs.end(), rows.col_idxs.begin(), rows.col_idxs.end());
            joined.values.insert(joined.values.end(), rows.values.begin(), rows.values.end());
        }
        EXPECT_EQ(joined.row_ptrs, whole.row_ptrs) << n << " ranks";
        EXPECT_EQ(joined.col_idxs, whole.col_idxs) << n << " ranks";
        EXPECT_EQ(joined.values, whole.values) << n << " ranks";
    }
}

TEST(DistributedIoTest, MatricesAreThoseOfOneProcess)
{
    expect_as_one_process_reads_it("%%MatrixMarket matrix coordinate real general\n0 0 0\n");
    expect_as_one_process_reads_it("%%MatrixMarket matrix coordinate real general\n3 3 1\n2 3 5");
    // Duplicates, whose sum depends on their order; comments, empty lines, both line ends.
    expect_as_one_process_reads_it(
        "%%MatrixMarket matrix coordinate real general\n% a\n4 4 7\n1 1 1e16\r\n\n1 1 1\n % b\n4 2 3\n1 1 -1e16\n1 1 "
        "1\n"
        "2 4 7\n3 3 9\n");
    std::string text = "%%MatrixMarket matrix coordinate real symmetric\n40 40 79\n";
    for (int row = 1; row <= 40; ++row) {
        text += std::to_string(row) + " " + std::to_string(row) + " " + std::to_string(0.1 * row) + "\n";
        text += row == 40 ? "" : std::to_string(row + 1) + " " + std::to_string(row) + " -1\n";
    }
    expect_as_one_process_reads_it(text);
    expect_as_one_process_reads_it("%%MatrixMarket matrix coordinate real skew-symmetric\n3 3 1\n3 1 2\n");
}

TEST(DistributedIoTest, ProblemsAreThoseOfOneProcess)
{
    for (const auto* const spec : {"lap2d:7", "lap3d:4", "st27:3", "aniso2d:5:0.5", "aniso3d:3:0.25", "convdiff3d:4:2",
                                   "twophase:6:10", "random:30:4:5", "lap2d:1"}) {
        SCOPED_TRACE(spec);
        const auto whole = generate_problem<double, std::int32_t>(spec);
        for (const int n : {1, 3, 4}) {
            on_ranks(n, [&](const Communicator& ranks) {
                const auto [partition, rows] = distributed::generate_rows<double>(ranks, spec);
                EXPECT_EQ(partition, distributed::Partition::stripes(whole.size.rows, n));
                EXPECT_EQ(rows.size, (Dim{partition.num_rows(ranks.rank()), whole.size.cols}));
                const auto first = static_cast<std::size_t>(partition.first(ranks.rank()));
                const auto begin = whole.row_ptrs[first];
                for (std::size_t row = 0; row < rows.row_ptrs.size(); ++row) {
                    EXPECT_EQ(rows.row_ptrs[row], whole.row_ptrs[first + row] - begin);
                }
                for (std::size_t k = 0; k < rows.values.size(); ++k) {
                    EXPECT_EQ(rows.col_idxs[k], whole.col_idxs[static_cast<std::size_t>(begin) + k]);
                    EXPECT_EQ(rows.values[k], whole.values[static_cast<std::size_t>(begin) + k]);
                }
            });
        }
    }
    on_ranks(2, [](const Communicator& ranks) {
        EXPECT_THROW(distributed::generate_rows<double>(ranks, "lap2d:x"), InvalidParameter);
    });
}

/// The line that one process names is named on the rank that read it, and all others hear of it.
TEST(DistributedIoTest, ErrorsNameTheLineOfTheFile)
{
    std::string text = "%%MatrixMarket matrix coordinate real general\n% a comment\n50 50 50\n";
    for (int row = 1; row <= 50; ++row) {
        text += std::to_string(row) + (row == 37 ? " x 1\n" : " 1 1\n");
    }
    const File file(text);
    for (const int n : {1, 2, 4}) {
        int num_file_errors = 0, num_remote_errors = 0;
        for (const auto& failure : failures_on_ranks(
                 n, [&](const Communicator& ranks) { distributed::read_rows<double>(ranks, file.path); })) {
            ASSERT_TRUE(failure);
            try {
                std::rethrow_exception(failure);
            } catch (const FileError& e) {
                EXPECT_EQ(e.line, 40);
                ++num_file_errors;
            } catch (const RemoteError& e) {
                EXPECT_NE(e.message.find(":40:"), std::string::npos) << e.message;
                ++num_remote_errors;
            }
        }
        EXPECT_EQ(num_file_errors, 1);
        EXPECT_EQ(num_remote_errors, n - 1);
    }
}

TEST(DistributedIoTest, WhatCannotBeReadEndsAllRanks)
{
    const File few("%%MatrixMarket matrix coordinate real general\n3 3 2\n1 1 1\n");
    on_ranks(3, [&](const Communicator& ranks) {
        EXPECT_THROW(distributed::read_rows<double>(ranks, few.path), FileError);
        EXPECT_THROW(distributed::read_rows<double>(ranks, few.path + ".missing"), FileError);
        EXPECT_EQ(ranks.all_gather(1).size(), 3u);
    });
}

}  // namespace
}  // namespace linden::test
