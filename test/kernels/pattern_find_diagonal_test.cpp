#include "core/kernels/ilu.hpp"
#include "test/support/patterns.hpp"

namespace linden::test {
namespace {

template <class I>
class PatternFindDiagonal : public testing::Test {
};
TYPED_TEST_SUITE(PatternFindDiagonal, TestedIndices);

template <class I>
std::vector<I> found(const Executor& exec, const HostPattern<I>& host)
{
    const PatternOn<I> a(exec, host);
    Array<I> diagonal(exec, host.size.rows);
    pattern_find_diagonal<I>(exec, a.view(), diagonal.data());
    return diagonal.to_host();
}

TYPED_TEST(PatternFindDiagonal, ByHand)
{
    using I = TypeParam;
    on_each_executor([](const Executor& exec) {
        // Row 1 has its diagonal twice, rows 2 and 3 have none; row 4 is below the columns.
        const HostPattern<I> a{{5, 4}, {0, 2, 6, 6, 8, 9}, {3, 0, 2, 1, 0, 1, 2, 0, 3}};
        EXPECT_EQ(found(exec, a), (std::vector<I>{1, 3, -1, -1, -1}));
    });
}

TYPED_TEST(PatternFindDiagonal, LikeReference)
{
    using I = TypeParam;
    for_each_disordered_pattern<I>(861, [](const HostPattern<I>& a) {
        expect_equal_to_reference([&](const Executor& exec) { return found(exec, a); });
    });
}

TYPED_TEST(PatternFindDiagonal, InALongRow)
{
    using I = TypeParam;
    expect_equal_to_reference([](const Executor& exec) { return found(exec, one_long_row<I>()); });
}

}  // namespace
}  // namespace linden::test
