// needs: int32 int64
#include <linden/error.hpp>

#include <gtest/gtest.h>

#include "core/kernels/csr.hpp"
#include "core/matrix/row_pointers.hpp"
#include "test/support/backends.hpp"

/// Numbers of nonzeros that 32 bits do not hold, without the memory that such matrices take.
namespace linden::test {
namespace {

constexpr size_type billion = 1'000'000'000;

TEST(LargeSizes, ChunksAndTheirWorkspace)
{
    static_assert(num_splits(5 * billion) == (5 * billion + split_nonzeros - 1) / split_nonzeros);
    static_assert(split_workspace_bytes<double>(5 * billion, 32) == 2 * 32 * 8 * num_splits(5 * billion));
    static_assert(split_workspace_bytes<double>(100 * billion, 32) == 50 * billion);
}

/// Reads row pointers only.
TEST(LargeSizes, LengthsOfRows)
{
    const std::vector<std::int64_t> row_ptrs{0, 5, 5 + 3 * billion, 5 + 3 * billion, 9 + 3 * billion};
    on_each_executor([&](const Executor& exec) {
        const Array<std::int64_t> ptrs(exec, row_ptrs);
        Array<RowLengths> lengths(exec, 1);
        csr_row_lengths<std::int64_t>(
            exec, PatternView<std::int64_t>{4, 4 * billion, row_ptrs.back(), ptrs.data(), nullptr}, lengths.data());
        EXPECT_EQ(lengths.to_host().front().longest, 3 * billion);
        EXPECT_EQ(lengths.to_host().front().sum_of_squares, 9 * billion * billion + 25 + 16);
    });
}

TEST(LargeSizes, RowPointers)
{
    on_each_executor([](const Executor& exec) {
        Array<std::int64_t> counts(exec, std::vector<std::int64_t>{2 * billion, 0, 2 * billion, 1, 0});
        EXPECT_EQ(linden::detail::make_row_ptrs(counts, "the result"), 4 * billion + 1);
        EXPECT_EQ(counts.to_host(),
                  (std::vector<std::int64_t>{0, 2 * billion, 2 * billion, 4 * billion, 4 * billion + 1}));
    });
}

TEST(LargeSizes, RowPointersThatInt32DoesNotHoldAreRefused)
{
    on_each_executor([](const Executor& exec) {
        Array<std::int32_t> counts(exec, std::vector<std::int32_t>{2'000'000'000, 147'483'648, 0});
        try {
            linden::detail::make_row_ptrs(counts, "the result");
            ADD_FAILURE() << "2^31 entries fit";
        } catch (const InvalidParameter& e) {
            EXPECT_NE(std::string(e.what()).find("2147483648 entries"), std::string::npos) << e.what();
        }
        Array<std::int32_t> most(exec, std::vector<std::int32_t>{2'000'000'000, 147'483'647, 0});
        EXPECT_EQ(linden::detail::make_row_ptrs(most, "the result"), 2'147'483'647);
    });
}

}  // namespace
}  // namespace linden::test
