// needs: double int32 zlib
#include <linden/distributed/io.hpp>
#include <linden/error.hpp>
#include <linden/io/matrix_market.hpp>
#include <linden/io/problems.hpp>

#include <unistd.h>
#include <cmath>
#include <filesystem>

#include "core/distributed/text_pieces.hpp"
#include "test/support/ranks.hpp"

namespace linden::test {
namespace {

/// A file of a test's own.
class File {
public:
    explicit File(std::string_view content, const std::string& suffix = "")
        : path((std::filesystem::temp_directory_path() / ("linden_io_" + std::to_string(getpid()) + ".mtx" + suffix))
                   .string())
    {
        TextWriter writer(path);
        writer.write(content);
        writer.close();
    }
    ~File() { std::filesystem::remove(path); }
    File(const File&) = delete;
    File& operator=(const File&) = delete;

    std::string path;
};

void expect_as_one_process_reads_it(const std::string& content, const std::string& suffix = "",
                                    const std::vector<int>& num_ranks = {1, 2, 3, 4, 17})
{
    const File file(content, suffix);
    const auto whole = read_matrix<double, std::int32_t>(file.path);
    for (const int n : num_ranks) {
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

void expect_block_as_one_process_reads_it(const std::string& content, const std::string& suffix = "")
{
    const File file(content, suffix);
    const auto whole = read_dense<double>(file.path);
    for (const int n : {1, 2, 3, 4, 17}) {
        const auto partition = distributed::Partition::stripes(whole.size.rows, n);
        std::vector<double> joined(whole.values.size());
        on_ranks(n, [&](const Communicator& ranks) {
            const auto own = distributed::read_block<double>(ranks, partition, file.path);
            EXPECT_EQ(own.size, (Dim{partition.num_rows(ranks.rank()), whole.size.cols}));
            std::copy(own.values.begin(), own.values.end(),
                      joined.begin() + partition.first(ranks.rank()) * whole.size.cols);
        });
        EXPECT_EQ(joined, whole.values) << n << " ranks";
    }
}

TEST(DistributedIoTest, BlocksAreThoseOfOneProcess)
{
    expect_block_as_one_process_reads_it("%%MatrixMarket matrix array real general\n% b\n3 1\n1.5\n\n-2\n% c\n3e1\n");
    // Columns one after the other; pieces of the file end within them.
    std::string text = "%%MatrixMarket matrix array real general\n700 3\n";
    for (int i = 0; i < 2100; ++i) {
        text += std::to_string(0.37 * i) + (i % 5 == 0 ? "\r\n" : "\n");
    }
    expect_block_as_one_process_reads_it(text);
    expect_block_as_one_process_reads_it(text, ".gz");
    // Few values, and a sum that depends on their order.
    expect_block_as_one_process_reads_it(
        "%%MatrixMarket matrix coordinate real general\n5 2 5\n4 2 3\n1 1 1e16\n1 1 1\n1 1 -1e16\n5 1 2\n");
}

TEST(DistributedIoTest, BlocksThatDoNotFit)
{
    const auto failures = [](const std::string& content, std::int64_t rows) {
        const File file(content);
        return failures_on_ranks(3, [&](const Communicator& ranks) {
            distributed::read_block<double>(ranks, distributed::Partition::stripes(rows, 3), file.path);
        });
    };
    const std::string head = "%%MatrixMarket matrix array real general\n4 1\n";
    for (const auto& failure : failures(head + "1\n2\n3\n4\n", 5)) {
        EXPECT_THROW(std::rethrow_exception(failure), DimensionMismatch);
    }
    for (const auto& failure : failures("%%MatrixMarket matrix array real symmetric\n1 1\n4\n", 1)) {
        EXPECT_THROW(std::rethrow_exception(failure), NotSupported);
    }
    // Some ranks may hear of it before they see it.
    const auto lines = [&](const std::string& content) {
        std::vector<size_type> found;
        for (const auto& failure : failures(content, 4)) {
            try {
                std::rethrow_exception(failure);
            } catch (const FileError& error) {
                found.push_back(error.line);
            } catch (const RemoteError&) {
            }
        }
        return found;
    };
    EXPECT_FALSE(lines(head + "1\n2\n3\n").empty());        // too few
    EXPECT_FALSE(lines(head + "1\n2\n3\n4\n5\n").empty());  // too many
    EXPECT_EQ(lines(head + "1\n2\nx\n4\n"), std::vector<size_type>{5});
}

TEST(DistributedIoTest, MatricesAreThoseOfOneProcess)
{
    expect_as_one_process_reads_it("%%MatrixMarket matrix coordinate real general\n0 0 0\n");
    expect_as_one_process_reads_it("%%MatrixMarket matrix coordinate real general\n3 3 1\n2 3 5");
    expect_as_one_process_reads_it(
        "%%MatrixMarket matrix coordinate real general\n3 3 3\n1 1 1.5d0\n2 2 2D-1\n3 3 1e1\n");
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

/// Of more than a round of pieces.
TEST(DistributedIoTest, LargeAndCompressedMatricesAreThoseOfOneProcess)
{
    constexpr int rows = 150'000;
    std::string text = "%%MatrixMarket matrix coordinate real general\n% comment\n" + std::to_string(rows) + " " +
                       std::to_string(rows) + " " + std::to_string(3 * rows) + "\n";
    for (int pass = 0; pass < 3; ++pass) {
        for (int row = 1; row <= rows; ++row) {
            const auto col = pass == 1 ? rows + 1 - row : row;
            text += std::to_string(row) + " " + std::to_string(col) + " " + std::to_string(1e15 / (row + pass)) + "\n";
        }
    }
    expect_as_one_process_reads_it(text, "", {1, 2});
    expect_as_one_process_reads_it(text, ".gz", {1, 3});
}

TEST(DistributedIoTest, PiecesAreTheLinesOfTheText)
{
    const std::string text = "%\n\n1 2\na line that is longer than many pieces are\n\n\nx\nthe last one has no end";
    for (const auto* const suffix : {"", ".gz"}) {
        const File file(text, suffix);
        for (std::size_t bytes = 1; bytes < text.size() + 2; ++bytes) {
            distributed::TextPieces pieces(file.path, bytes);
            EXPECT_EQ(pieces.head().substr(0, 3), text.substr(0, 3));
            for (int round = 0; round < 2; ++round) {
                std::string joined;
                std::size_t number = 0;
                for (auto piece = pieces.piece(0); !piece.is_behind_end; piece = pieces.piece(++number)) {
                    EXPECT_TRUE(piece.lines.empty() || piece.offset == joined.size());
                    EXPECT_TRUE(piece.lines.empty() || piece.offset / bytes == number);
                    joined += piece.lines;
                }
                EXPECT_EQ(joined, text) << bytes << suffix;
                EXPECT_EQ(number, (text.size() + bytes - 1) / bytes);
            }
        }
    }
}

std::string text_in(const std::string& path) { return std::string(load_text(path).view()); }

/// Parts of `whole`, written by n ranks to the file of `target`, which is then `expected`.
template <class V>
void expect_written(const CsrData<V, std::int32_t>& whole, const std::string& target, const std::string& expected,
                    int n)
{
    for (const auto& partition : partitions(whole.size.rows, n)) {
        std::filesystem::remove(target);
        on_ranks(n, [&](const Communicator& ranks) {
            const auto exec = Executor::reference();
            const auto matrix = distributed::Matrix<V, std::int32_t>::from_whole(exec, ranks, partition, whole);
            distributed::write_rows<V>(ranks, target, {partition, matrix.rows()});
        });
        EXPECT_EQ(text_in(target), expected) << n << " ranks";
    }
}

/// Texts are those of one process: in one file to which all write, in its place or, compressed, through rank 0.
TEST(DistributedIoTest, MatricesAreWrittenAsByOneProcess)
{
    for (const auto* const spec : {"lap2d:1", "convdiff3d:4:2", "random:60:4:5"}) {
        const auto whole = generate_problem<double, std::int32_t>(spec);
        for (const auto* const suffix : {"", ".gz"}) {
            const File one("", "");
            write_matrix(one.path, whole);
            const File many("a longer text, of which nothing is to be left", std::string(".many") + suffix);
            for (const int n : {1, 2, 3, 4}) {
                expect_written(whole, many.path, text_in(one.path), n);
            }
        }
    }
}

/// With pieces of more than a buffer on each rank, and what was longer in the file before.
TEST(DistributedIoTest, VectorsAreWrittenAsByOneProcess)
{
    for (const auto size : {Dim{0, 1}, Dim{3, 1}, Dim{61, 3}, Dim{200'000, 2}}) {
        const auto whole = random_block<double>(size, 7);
        const File one("");
        write_dense(one.path, whole);
        for (const auto* const suffix : {".many", ".many.gz"}) {
            const File many(std::string(100, 'x'), suffix);
            for (const int n : {1, 2, 4}) {
                for (const auto& partition : partitions(size.rows, n)) {
                    on_ranks(n, [&](const Communicator& ranks) {
                        distributed::write_vector(
                            many.path,
                            distributed::Vector<double>(
                                ranks, partition, rows_of(Executor::reference(), whole, partition, ranks.rank())));
                    });
                    ASSERT_TRUE(text_in(many.path) == text_in(one.path)) << n << " ranks" << suffix;
                }
            }
        }
    }
}

/// The rank that has the value names its row in the whole matrix; there is no file, and the ranks go on.
TEST(DistributedIoTest, WhatCannotBeWrittenEndsAllRanks)
{
    const auto folder = std::filesystem::temp_directory_path().string();
    const auto target = folder + "/linden_io_not_written_" + std::to_string(getpid()) + ".mtx";
    on_ranks(3, [&](const Communicator& ranks) {
        const auto partition = distributed::Partition::stripes(6, 3);
        const bool has_it = ranks.rank() == 2;
        auto x = Dense<double>::filled(Executor::reference(), {2, 1}, has_it ? std::nan("") : 1.0);
        const distributed::Vector<double> vector(ranks, partition, std::move(x));
        const auto text_of_failure = [&](const auto& act) {
            try {
                act();
            } catch (const FileError& e) {
                return has_it ? std::string(e.what()) : "its own";
            } catch (const RemoteError& e) {
                return has_it ? "not its own" : e.message;
            }
            return std::string();
        };
        const auto not_finite = text_of_failure([&] { distributed::write_vector(target, vector); });
        EXPECT_NE(not_finite.find("row 5, column 1"), std::string::npos) << not_finite;
        EXPECT_FALSE(std::filesystem::exists(target));
        EXPECT_ANY_THROW(distributed::write_vector(
            folder,
            distributed::Vector<double>(ranks, partition, Dense<double>::filled(Executor::reference(), {2, 1}, 1))));
        const distributed::OwnRows<double> wrong{partition, {{has_it ? 1 : 2, 6}, {0, 0}, {}, {}}};
        EXPECT_ANY_THROW(distributed::write_rows(ranks, target, wrong));
        const distributed::OwnRows<double> wide{partition, {{2, has_it ? 7 : 6}, {0, 0, 0}, {}, {}}};
        EXPECT_ANY_THROW(distributed::write_rows(ranks, target, wide));
        EXPECT_FALSE(std::filesystem::exists(target));
        EXPECT_EQ(ranks.all_gather(1).size(), 3u);
    });
}

/// A device that is always full takes no more: rank 0 writes there, and all ranks hear of it.
TEST(DistributedIoTest, AFullDiskEndsAllRanks)
{
    if (!std::filesystem::exists("/dev/full")) {
        GTEST_SKIP() << "there is no /dev/full";
    }
    on_ranks(3, [&](const Communicator& ranks) {
        const auto partition = distributed::Partition::stripes(300'000, 3);
        const distributed::Vector<double> x(Executor::reference(), ranks, partition);
        EXPECT_ANY_THROW(distributed::write_vector("/dev/full", x));
        EXPECT_EQ(ranks.all_gather(1).size(), 3u);
    });
}

TEST(DistributedIoTest, ATruncatedGzipFileIsAnError)
{
    const File whole("%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1\n2 2 2\n", ".gz");
    std::filesystem::resize_file(whole.path, std::filesystem::file_size(whole.path) - 9);
    on_ranks(2, [&](const Communicator& ranks) {
        EXPECT_THROW(distributed::read_rows<double>(ranks, whole.path), FileError);
    });
}

void expect_same_rows(const CsrData<double, std::int64_t>& a, const CsrData<double, std::int64_t>& b)
{
    EXPECT_EQ(a.size, b.size);
    EXPECT_EQ(a.row_ptrs, b.row_ptrs);
    EXPECT_EQ(a.col_idxs, b.col_idxs);
    EXPECT_EQ(a.values, b.values);
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
                const auto matrix =
                    distributed::generate_matrix<double, std::int32_t>(Executor::reference(), ranks, spec);
                EXPECT_EQ(matrix.partition(), partition);
                expect_same_rows(matrix.rows(), rows);
            });
        }
    }
    on_ranks(2, [](const Communicator& ranks) {
        EXPECT_THROW(distributed::generate_rows<double>(ranks, "lap2d:x"), InvalidParameter);
        EXPECT_THROW((distributed::generate_matrix<double, std::int32_t>(Executor::reference(), ranks, "lap2d:x")),
                     InvalidParameter);
    });
}

/// Ranks of several blocks of rows, with a rim in the first and in the last.
TEST(DistributedIoTest, ProblemsAreMadeInBlocks)
{
    on_ranks(3, [](const Communicator& ranks) {
        const auto own = distributed::generate_rows<double>(ranks, "lap2d:380");
        const auto matrix =
            distributed::generate_matrix<double, std::int32_t>(Executor::reference(), ranks, "lap2d:380");
        expect_same_rows(matrix.rows(), own.rows);
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
