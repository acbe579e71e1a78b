#include "core/kernels/prefix_sum.hpp"
#include "test/support/kernel_cases.hpp"

/// Totals of runs of marks.
namespace linden::test {
namespace {

template <class I>
std::vector<std::int64_t> totals(const Executor& exec, size_type n, const std::vector<I>& host)
{
    const Array<I> values(exec, host);
    const size_type num_runs = n == 0 ? 2 : values.size() / n;
    Array<std::int64_t> result(exec, std::vector<std::int64_t>(static_cast<std::size_t>(num_runs), -7));
    array_totals<I>(exec, n, num_runs, values.data(), result.data());
    return result.to_host();
}

template <class I>
class ArrayTotals : public testing::Test {
};
TYPED_TEST_SUITE(ArrayTotals, decltype(detail::as_types(IndexTypes{})));

TYPED_TEST(ArrayTotals, ByHand)
{
    using I = TypeParam;
    constexpr I most = std::numeric_limits<std::int32_t>::max();
    on_each_executor([&](const Executor& exec) {
        EXPECT_EQ(totals<I>(exec, 3, {1, 0, 1, 0, 0, 0, 1, 1, 1}), (std::vector<std::int64_t>{2, 0, 3}));
        EXPECT_EQ(totals<I>(exec, 4, {most, most, most, 1}), std::vector<std::int64_t>{3 * std::int64_t{most} + 1});
        EXPECT_EQ(totals<I>(exec, 0, {}), (std::vector<std::int64_t>{0, 0}));
    });
}

TYPED_TEST(ArrayTotals, LikeTheStandardLibrary)
{
    using I = TypeParam;
    Random random(212);
    for (const size_type n : {1, 31, 32, 33, 597, 2049, 300001}) {
        std::vector<I> values(static_cast<std::size_t>(3 * n));
        for (auto& value : values) {
            value = static_cast<I>(random.integer(0, 100000));
        }
        std::vector<std::int64_t> expected;
        for (auto run = values.begin(); run != values.end(); run += n) {
            expected.push_back(std::accumulate(run, run + n, std::int64_t{}));
        }
        on_each_executor([&](const Executor& exec) {
            EXPECT_EQ(totals<I>(exec, n, values), expected);
        });
    }
}

}  // namespace
}  // namespace linden::test
