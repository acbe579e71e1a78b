#include "test/support/patterns.hpp"

namespace linden::test {
namespace {

template <class I>
class PatternExpandRows : public testing::Test {
};
TYPED_TEST_SUITE(PatternExpandRows, TestedIndices);

template <class I>
std::vector<I> expanded(const Executor& exec, const std::vector<I>& row_ptrs)
{
    const Array<I> here(exec, row_ptrs);
    Array<I> row_idxs(exec, row_ptrs.back());
    pattern_expand_rows<I>(exec, here.size() - 1, row_ptrs.back(), here.data(), row_idxs.data());
    return row_idxs.to_host();
}

TYPED_TEST(PatternExpandRows, ByHand)
{
    using I = TypeParam;
    on_each_executor([](const Executor& exec) {
        EXPECT_EQ(expanded<I>(exec, {0, 0, 2, 3, 3, 6}), (std::vector<I>{1, 1, 2, 4, 4, 4}));
    });
}

TYPED_TEST(PatternExpandRows, LikeReference)
{
    using I = TypeParam;
    for_each_sorted_pattern<I>(708, [](const HostPattern<I>& a) {
        expect_equal_to_reference([&](const Executor& exec) { return expanded(exec, a.row_ptrs); });
    });
}

}  // namespace
}  // namespace linden::test
