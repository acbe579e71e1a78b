#include "core/kernels/prefix_sum.hpp"

#include "test/support/kernel_cases.hpp"

namespace linden::test {
namespace {

/// The prefix sums on `exec`, and the total.
template <class I>
std::pair<std::vector<I>, std::int64_t> prefix_sums(const Executor& exec, std::vector<I> counts)
{
    counts.push_back(I{-7});  // is not read
    Array<I> values(exec, counts);
    Array<std::int64_t> total(exec, 1);
    Array<std::byte> workspace(exec, prefix_sum_workspace_bytes);
    prefix_sum<I>(exec, values.size() - 1, values.data(), total.data(), {workspace.data(), workspace.size()});
    return {values.to_host(), total.to_host().front()};
}

template <class I>
class ArrayPrefixSum : public testing::Test {
};
using TestedIndices = decltype(detail::as_types(IndexTypes{}));
TYPED_TEST_SUITE(ArrayPrefixSum, TestedIndices);

TYPED_TEST(ArrayPrefixSum, ByHand)
{
    using I = TypeParam;
    on_each_executor([](const Executor& exec) {
        const auto [sums, total] = prefix_sums<I>(exec, {3, 0, 4, 1});
        EXPECT_EQ(sums, (std::vector<I>{0, 3, 3, 7, 8}));
        EXPECT_EQ(total, 8);
    });
}

/// Devices treat tiles of 1024 or 2048 values, up to four of them by one block.
TYPED_TEST(ArrayPrefixSum, LikeReference)
{
    using I = TypeParam;
    Random random(211);
    for (const size_type n :
         {0, 1, 31, 32, 33, 597, 1023, 1024, 1025, 2049, 4095, 4096, 4097, 8191, 8192, 8193, 20000, 300001}) {
        std::vector<I> counts(static_cast<std::size_t>(n));
        for (auto& count : counts) {
            count = static_cast<I>(random.integer(0, 20));
        }
        const auto expected = prefix_sums(reference_executor(), counts);
        on_each_other_executor([&](const Executor& exec) { EXPECT_EQ(prefix_sums(exec, counts), expected) << n; });
    }
}

TYPED_TEST(ArrayPrefixSum, TellsWhatDoesNotFit)
{
    on_each_executor([](const Executor& exec) {
        const auto huge = std::vector<TypeParam>(5, std::numeric_limits<std::int32_t>::max());
        EXPECT_EQ(prefix_sums<TypeParam>(exec, huge).second,
                  5 * std::int64_t{std::numeric_limits<std::int32_t>::max()});
    });
}

}  // namespace
}  // namespace linden::test
