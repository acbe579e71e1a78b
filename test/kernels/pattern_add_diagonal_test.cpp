#include "test/support/patterns.hpp"

namespace linden::test {
namespace {

template <class I>
class PatternAddDiagonal : public testing::Test {
};
TYPED_TEST_SUITE(PatternAddDiagonal, TestedIndices);

template <class I>
Arrays<I> with_diagonal(const Executor& exec, const HostPattern<I>& host)
{
    const PatternOn<I> a(exec, host);
    return filled_pattern<I>(
        exec, host.size.rows, [&](I* counts) { pattern_add_diagonal_count<I>(exec, a.view(), counts); },
        [&](auto& s, WorkspaceView) {
            pattern_add_diagonal_fill<I>(exec, a.view(), s.row_ptrs.data(), s.col_idxs.data(), s.source.data());
        });
}

TYPED_TEST(PatternAddDiagonal, ByHand)
{
    using I = TypeParam;
    // [. x .; x . x; . . .; . . x; . . .]: the last two rows have no diagonal
    const HostPattern<I> a{{5, 3}, {0, 1, 3, 3, 4, 4}, {1, 0, 2, 2}};
    on_each_executor([&](const Executor& exec) {
        EXPECT_EQ(with_diagonal(exec, a),
                  (Arrays<I>{{0, 2, 5, 6, 7, 7}, {0, 1, 0, 1, 2, 2, 2}, {-1, 0, 1, -1, 2, -1, 3}}));
    });
}

TYPED_TEST(PatternAddDiagonal, LikeReference)
{
    using I = TypeParam;
    for_each_sorted_pattern<I>(706, [](const HostPattern<I>& a) {
        expect_equal_to_reference([&](const Executor& exec) { return with_diagonal(exec, a); });
    });
}

}  // namespace
}  // namespace linden::test
