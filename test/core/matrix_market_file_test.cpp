// needs: double int32
#include <linden/io/problems.hpp>

#include <bit>
#include <cmath>
#include <complex>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <random>
#include <string>
#include <thread>

#include <sys/stat.h>
#include <unistd.h>

#include "core/base/type_lists.hpp"

#include "test/support/built_types.hpp"
#include "test/support/matrix_market_files.hpp"

namespace linden {
namespace {

using namespace test;

/// A finite number whose bits are random, so of any magnitude.
template <class R>
R any_finite(std::mt19937_64& random)
{
    using Bits = std::conditional_t<sizeof(R) == 4, std::uint32_t, std::uint64_t>;
    while (true) {
        const auto value = std::bit_cast<R>(static_cast<Bits>(random()));
        if (std::isfinite(value)) {
            return value;
        }
    }
}

template <class V>
V any_value(std::mt19937_64& random)
{
    if constexpr (is_complex<V>) {
        const auto real = any_finite<real_t<V>>(random);
        return {real, any_finite<real_t<V>>(random)};
    } else {
        return any_finite<V>(random);
    }
}

TEST_F(MatrixMarketFile, RoundTripsEveryValueOfEveryType)
{
    std::mt19937_64 random(7);
    const auto check = [&]<class V, class I>() {
        auto a = generate_problem<V, I>("random:700:5:1");
        for (auto& value : a.values) {
            value = any_value<V>(random);
        }
        write_matrix(path("a.mtx"), a);
        expect_same(read_matrix<V, I>(path("a.mtx")), a);
        DenseData<V> block{{50, 3}, {}};
        for (int k = 0; k < 150; ++k) {
            block.values.push_back(any_value<V>(random));
        }
        write_dense(path("b.mtx"), block);
        const auto again = read_dense<V>(path("b.mtx"));
        EXPECT_EQ(again.size, block.size);
        EXPECT_EQ(again.values, block.values);
    };
    for_each_value_index(check);
}

TEST_F(MatrixMarketFile, WritesTheExpectedText)
{
    const CsrData<double, std::int32_t> a{{2, 3}, {0, 2, 3}, {0, 2, 1}, {4, -0.1, 1e300}};
    write_matrix(path("a.mtx"), a);
    EXPECT_EQ(content(path("a.mtx")),
              "%%MatrixMarket matrix coordinate real general\n2 3 3\n1 1 4\n1 3 -0.1\n2 2 1e+300\n");
    where_built<std::complex<float>>([&]<class V>() {
        const DenseData<V> b{{2, 2}, {{1, 2}, {3, 0}, {0.5F, 0}, {0, -1}}};
        write_dense(path("b.mtx"), b);
        EXPECT_EQ(content(path("b.mtx")), "%%MatrixMarket matrix array complex general\n2 2\n1 2\n0.5 0\n3 0\n0 -1\n");
    });
}

TEST_F(MatrixMarketFile, RoundTripsLargeAndEmptyMatrices)
{
    const auto large = generate_problem<double, std::int32_t>("convdiff3d:40:0.3");
    write_matrix(path("large.mtx"), large);
    expect_same(read_matrix<double, std::int32_t>(path("large.mtx")), large);
    const CsrData<double, std::int32_t> empty{{0, 5}, {0}, {}, {}};
    write_matrix(path("empty.mtx"), empty);
    expect_same(read_matrix<double, std::int32_t>(path("empty.mtx")), empty);
}

TEST_F(MatrixMarketFile, SaysWhyGzipCannotBeRead)
{
    const auto why = problem(write("cut.gz", "\x1f\x8b"));
    EXPECT_TRUE(why == "the gzip file is truncated" || why.ends_with("configure with LINDEN_ZLIB=ON")) << why;
}

TEST_F(MatrixMarketFile, RefusesWhatIsNotAFile)
{
    EXPECT_EQ(problem(path("missing.mtx")), "cannot be opened: No such file or directory");
    EXPECT_EQ(problem(path("")), "is a directory, not a file");
    EXPECT_EQ(problem("/dev/zero"), "is neither a regular file nor a pipe");
    write("file", small);
    EXPECT_EQ(problem(path("file/below")), "cannot be opened: Not a directory");
    EXPECT_EQ(problem(""), "cannot be opened: No such file or directory");
}

TEST_F(MatrixMarketFile, NeedsPermission)
{
    const auto secret = write("secret.mtx", small);
    ASSERT_EQ(::chmod(secret.c_str(), 0), 0);
    ASSERT_EQ(::chmod(path("").c_str(), 0755), 0);
    // Root may read everything, so it becomes nobody for a moment.
    const auto user = ::geteuid();
    constexpr uid_t nobody = 65534;
    if (user == 0 && ::seteuid(nobody) != 0) {
        GTEST_SKIP() << "cannot give up the rights of root";
    }
    const auto text = problem(secret);
    if (user == 0) {
        ASSERT_EQ(::seteuid(0), 0);
    }
    EXPECT_EQ(text, "cannot be opened: Permission denied");
}

TEST_F(MatrixMarketFile, ReadsFromAPipe)
{
    ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
    const auto a = generate_problem<double, std::int32_t>("lap2d:120");
    std::thread writer([&] { write_matrix(path("pipe"), a); });
    const auto b = read_matrix<double, std::int32_t>(path("pipe"));
    writer.join();
    expect_same(b, a);
}

TEST_F(MatrixMarketFile, ReportsLinesOfFiles)
{
    const auto file = write("bad.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 1\n\n9 1 1\n");
    try {
        read_matrix<double, std::int32_t>(file);
        FAIL() << "accepted";
    } catch (const FileError& error) {
        EXPECT_EQ(error.what(), file + ":4: row index '9' is outside of 1 to 2");
    }
}

TEST_F(MatrixMarketFile, RefusesToWriteWhatCannotBeRead)
{
    constexpr auto nan = std::numeric_limits<double>::quiet_NaN();
    constexpr auto infinity = std::numeric_limits<double>::infinity();
    const auto file = write("kept.mtx", small);
    const auto message = [&](const auto& data) {
        try {
            if constexpr (requires { data.row_ptrs; }) {
                write_matrix(file, data);
            } else {
                write_dense(file, data);
            }
        } catch (const FileError& error) {
            return error.problem;
        } catch (const InvalidParameter& error) {
            return error.name;
        }
        return std::string("written");
    };
    using Csr = CsrData<double, std::int32_t>;
    EXPECT_EQ(message(Csr{{2, 2}, {0, 1, 2}, {0, 1}, {1, nan}}),
              "not written: the value in row 2, column 2 is not finite, which the format cannot express");
    where_built<std::complex<double>>([&]<class V>() {
        EXPECT_EQ(message(DenseData<V>{{2, 2}, {{1, 0}, {0, infinity}, {1, 0}, {1, 0}}}),
                  "not written: the value in row 1, column 2 is not finite, which the format cannot express");
    });
    EXPECT_EQ(message(Csr{{2, 2}, {0, 1, 2}, {0, 2}, {1, 1}}), "col_idxs[1]");
    EXPECT_EQ(message(DenseData<double>{{2, 2}, {1, 2, 3}}), "number of values");
    EXPECT_EQ(content(file), small) << "the file that was there is untouched";
}

TEST_F(MatrixMarketFile, ReportsFailedWrites)
{
    const auto a = generate_problem<double, std::int32_t>("lap2d:200");
    const auto message = [&](const std::string& path) {
        try {
            write_matrix(path, a);
        } catch (const FileError& error) {
            EXPECT_EQ(error.path, path);
            return error.problem;
        }
        return std::string("written");
    };
    EXPECT_EQ(message(path("no/such/folder.mtx")), "cannot be opened for writing: No such file or directory");
    EXPECT_EQ(message(path("")), "cannot be opened for writing: Is a directory");
    if (fs::exists("/dev/full")) {
        EXPECT_EQ(message("/dev/full"), "cannot be written and is incomplete: No space left on device");
    }
}

}  // namespace
}  // namespace linden
