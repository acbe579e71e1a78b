#include "core/kernels/pattern_maps.hpp"
#include "test/support/kernel_cases.hpp"
#include "test/support/patterns.hpp"

namespace linden::test {
namespace {

template <class I>
class PatternCompose : public testing::Test {
};
TYPED_TEST_SUITE(PatternCompose, TestedIndices);

template <class I>
std::vector<I> composed(const Executor& exec, const std::vector<I>& outer, const std::vector<I>& inner)
{
    Array<I> map(exec, outer);
    const Array<I> inner_there(exec, inner);
    pattern_compose<I>(exec, map.size(), map.data(), inner_there.data(), map.data());
    return map.to_host();
}

TYPED_TEST(PatternCompose, ByHand)
{
    using I = TypeParam;
    on_each_executor([](const Executor& exec) {
        EXPECT_EQ(composed<I>(exec, {2, -1, 0, 2}, {7, -1, 5}), (std::vector<I>{5, -1, 7, 5}));
    });
}

TYPED_TEST(PatternCompose, LikeReference)
{
    using I = TypeParam;
    Random random(852);
    for (const auto n : tested_rows) {
        std::vector<I> outer, inner(100);
        for (size_type k = 0; k < n; ++k) {
            outer.push_back(static_cast<I>(random.integer(-1, 100)));
        }
        for (auto& value : inner) {
            value = static_cast<I>(random.integer(-1, 1000));
        }
        expect_equal_to_reference([&](const Executor& exec) { return composed(exec, outer, inner); });
    }
}

}  // namespace
}  // namespace linden::test
