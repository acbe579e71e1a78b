#include "test/support/colouring.hpp"

namespace linden::test {
namespace {

template <class I>
class ColouringValidate : public testing::Test {
};
TYPED_TEST_SUITE(ColouringValidate, TestedIndices);

template <class I>
size_type conflicts(const Executor& exec, const HostPattern<I>& host, size_type num_colours, const std::vector<I>& of)
{
    const PatternOn<I> a(exec, host);
    const Array<I> colours(exec, of);
    Array<size_type> count(exec, std::vector<size_type>{-1});
    colouring_validate<I>(exec, a.view(), num_colours, colours.data(), count.data());
    return count.to_host().front();
}

TYPED_TEST(ColouringValidate, ByHand)
{
    using I = TypeParam;
    // [x x . .; . . x .; . x x .; x . . x], not symmetric
    const HostPattern<I> a{{4, 4}, {0, 2, 3, 5, 7}, {0, 1, 2, 1, 2, 0, 3}};
    on_each_executor([&](const Executor& exec) {
        EXPECT_EQ(conflicts<I>(exec, a, 2, {0, 1, 0, 1}), 0);
        EXPECT_EQ(conflicts<I>(exec, a, 2, {0, 0, 1, 1}), 1);   // (0, 1)
        EXPECT_EQ(conflicts<I>(exec, a, 1, {0, 0, 0, 0}), 4);   // and (1, 2), (2, 1), (3, 0)
        EXPECT_EQ(conflicts<I>(exec, a, 2, {0, 2, -1, 1}), 2);  // rows 1 and 2
        EXPECT_EQ(conflicts<I>(exec, HostPattern<I>{{0, 0}, {0}, {}}, 0, {}), 0);
    });
}

TYPED_TEST(ColouringValidate, OfRandomColours)
{
    using I = TypeParam;
    Random random(905);
    for (const size_type n : {1, 31, 32, 33, 597, 20000}) {
        for (const auto kind : all_patterns) {
            const auto a = random_pattern<I>(random, {n, n}, n < 100 ? 6 : 3, kind);
            std::vector<I> colours(static_cast<std::size_t>(n));
            std::generate(colours.begin(), colours.end(), [&] { return static_cast<I>(random.integer(-1, 5)); });
            expect_equal_to_reference([&](const Executor& exec) { return conflicts(exec, a, 4, colours); });
        }
    }
}

}  // namespace
}  // namespace linden::test
