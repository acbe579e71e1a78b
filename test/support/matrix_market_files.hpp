#pragma once

#include <linden/error.hpp>
#include <linden/io/matrix_market.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <unistd.h>

/// What tests of Matrix Market files share.
namespace linden::test {

namespace fs = std::filesystem;

/// A folder of its own for each test.
class MatrixMarketFile : public testing::Test {
protected:
    void SetUp() override
    {
        auto pattern = (fs::temp_directory_path() / "linden-XXXXXX").string();
        ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
        folder_ = pattern;
    }
    void TearDown() override { fs::remove_all(folder_); }

    std::string path(const std::string& name) const { return (folder_ / name).string(); }

    std::string write(const std::string& name, const std::string& content) const
    {
        std::ofstream(path(name), std::ios::binary) << content;
        return path(name);
    }

    static std::string content(const std::string& path)
    {
        std::ifstream file(path, std::ios::binary);
        return {std::istreambuf_iterator<char>(file), {}};
    }

    /// The problem that reading `path` runs into, which must not be a matter of one line.
    static std::string problem(const std::string& path)
    {
        try {
            read_matrix<double, std::int32_t>(path);
        } catch (const FileError& error) {
            EXPECT_EQ(error.path, path);
            EXPECT_EQ(error.line, 0);
            EXPECT_EQ(error.problem.find('\n'), std::string::npos);
            return error.problem;
        }
        return "accepted";
    }

private:
    fs::path folder_;
};

inline const std::string small = "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1.5\n2 2 -2\n";

template <class V, class I>
void expect_same(const CsrData<V, I>& a, const CsrData<V, I>& b)
{
    EXPECT_EQ(a.size, b.size);
    EXPECT_EQ(a.row_ptrs, b.row_ptrs);
    EXPECT_EQ(a.col_idxs, b.col_idxs);
    EXPECT_EQ(a.values, b.values);
}

}  // namespace linden::test
