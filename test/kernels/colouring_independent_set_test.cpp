#include "test/support/colouring.hpp"

namespace linden::test {
namespace {

template <class I>
class ColouringIndependentSet : public testing::Test {
};
TYPED_TEST_SUITE(ColouringIndependentSet, TestedIndices);

template <class I>
std::vector<I> members(const Executor& exec, const HostPattern<I>& host, const HostVisit<I>& host_visit)
{
    Array<I> is_member(exec, host.size.rows);
    run_visit(exec, host, host_visit, [&](PatternView<I> a, VisitView<I> visit, WorkspaceView workspace) {
        colouring_independent_set<I>(exec, a, visit, is_member.data(), workspace);
    });
    return is_member.to_host();
}

TYPED_TEST(ColouringIndependentSet, ByHand)
{
    using I = TypeParam;
    // a path 0 - 3 - 1 - 4 and row 2 alone, columns in disorder, some diagonal entries
    const HostPattern<I> a{{5, 5}, {0, 2, 5, 5, 7, 9}, {3, 0, 4, 3, 1, 1, 0, 4, 1}};
    on_each_executor([&](const Executor& exec) {
        EXPECT_EQ(members<I>(exec, a, {}), (std::vector<I>{1, 1, 1, 0, 0}));
        EXPECT_EQ(members<I>(exec, a, HostVisit<I>({3, 0, 1, 2, 4})), (std::vector<I>{0, 0, 1, 1, 1}));
        EXPECT_EQ(members<I>(exec, HostPattern<I>{{0, 0}, {0}, {}}, {}), std::vector<I>{});
    });
}

TYPED_TEST(ColouringIndependentSet, OfRandomPatterns)
{
    using I = TypeParam;
    for_each_symmetric_pattern<I>(904, [](const HostPattern<I>& a) {
        for_each_visit<I>(a.size.rows, [&](const HostVisit<I>& visit) {
            expect_equal_to_reference([&](const Executor& exec) { return members(exec, a, visit); });
        });
    });
}

}  // namespace
}  // namespace linden::test
