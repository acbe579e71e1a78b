#include "test/support/colouring.hpp"

namespace linden::test {
namespace {

template <class I>
class ColouringCountUnsymmetric : public testing::Test {
};
TYPED_TEST_SUITE(ColouringCountUnsymmetric, TestedIndices);

template <class I>
size_type num_unsymmetric(const Executor& exec, const HostPattern<I>& host)
{
    const PatternOn<I> a(exec, host);
    Array<size_type> count(exec, std::vector<size_type>{-1});
    colouring_count_unsymmetric<I>(exec, a.view(), count.data());
    return count.to_host().front();
}

TYPED_TEST(ColouringCountUnsymmetric, ByHand)
{
    using I = TypeParam;
    // [x x . .; . . x x; . x . .; x . x x]: (0, 1), (1, 3), (3, 0), (3, 2) have no mirror image
    const HostPattern<I> a{{4, 4}, {0, 2, 4, 5, 8}, {0, 1, 2, 3, 1, 0, 2, 3}};
    on_each_executor([&](const Executor& exec) {
        EXPECT_EQ(num_unsymmetric(exec, a), 4);
        EXPECT_EQ(num_unsymmetric(exec, symmetrised(a)), 0);
        EXPECT_EQ(num_unsymmetric(exec, HostPattern<I>{{0, 0}, {0}, {}}), 0);
    });
}

TYPED_TEST(ColouringCountUnsymmetric, OfRandomPatterns)
{
    using I = TypeParam;
    Random random(902);
    for (const size_type n : {1, 31, 32, 33, 597, 20000}) {
        for (const auto kind : all_patterns) {
            const auto a = random_pattern<I>(random, {n, n}, n < 100 ? 6 : 3, kind);
            expect_equal_to_reference([&](const Executor& exec) { return num_unsymmetric(exec, a); });
            const auto s = symmetrised(a);
            on_each_executor([&](const Executor& exec) { EXPECT_EQ(num_unsymmetric(exec, s), 0); });
        }
    }
}

}  // namespace
}  // namespace linden::test
