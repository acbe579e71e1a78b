// needs: double int32
#include <linden/matrix/validate.hpp>

#include "test/support/backends.hpp"
#include "test/support/pathological.hpp"

namespace linden::test {
namespace {

using I = std::int32_t;
namespace p = pathological;

ValidationReport report_on(const Executor& exec, const CsrData<double, I>& a)
{
    return validate(p::unchecked(exec, a));
}

TEST(Validate, FindsNothingWrongInAHealthyMatrix)
{
    on_each_executor([](const Executor& exec) {
        const auto report = report_on(exec, p::healthy<double, I>());
        EXPECT_TRUE(report.ok());
        EXPECT_TRUE(report.has_full_diagonal());
        EXPECT_EQ(report.text(), "3 x 3, 7 nonzeros: valid\n");
        EXPECT_EQ(report[Finding::unsorted].first_row, -1);
    });
}

TEST(Validate, ZerosOnTheDiagonalAreNoError)
{
    on_each_executor([](const Executor& exec) {
        const auto missing = report_on(exec, p::missing_diagonal<double, I>());
        EXPECT_TRUE(missing.ok());
        EXPECT_FALSE(missing.has_full_diagonal());
        EXPECT_EQ(missing[Finding::missing_diagonal].first_row, 1);
        const auto zero = report_on(exec, p::zero_diagonal<double, I>());
        EXPECT_TRUE(zero.ok());
        EXPECT_FALSE(zero.has_full_diagonal());
        EXPECT_EQ(zero.text(), "3 x 3, 7 nonzeros: valid\nnote: rows with a zero on the diagonal: 2, first in row 1\n");
    });
}

TEST(Validate, SaysWhatIsWrongAndWhere)
{
    on_each_executor([](const Executor& exec) {
        auto a = p::unsorted<double, I>();
        a.col_idxs[6] = 7;
        a.values[0] = std::numeric_limits<double>::infinity();
        const auto report = report_on(exec, a);
        EXPECT_FALSE(report.ok());
        EXPECT_EQ(report.text(),
                  "3 x 3, 7 nonzeros: not valid\n"
                  "error: entries in a column outside of the matrix: 1, first in row 2\n"
                  "error: entries left of their predecessor in the row: 2, first in row 1\n"
                  "error: entries that are NaN or infinite: 1, first in row 0\n"
                  "note: rows without a diagonal entry: 1, first in row 2\n");
    });
}

TEST(Validate, EveryErrorCounts)
{
    const auto& exec = reference_executor();
    EXPECT_FALSE(report_on(exec, p::duplicate<double, I>()).ok());
    EXPECT_FALSE(report_on(exec, p::out_of_bounds<double, I>(-1)).ok());
    EXPECT_FALSE(report_on(exec, p::with_value<double, I>(std::numeric_limits<double>::quiet_NaN())).ok());
    EXPECT_FALSE(report_on(exec, p::with_row_ptrs<double, I>({0, 5, 2, 7})).ok());
    EXPECT_TRUE(report_on(exec, p::without_rows<double, I>()).ok());
    EXPECT_TRUE(report_on(exec, p::without_entries<double, I>(3)).ok());
}

}  // namespace
}  // namespace linden::test
