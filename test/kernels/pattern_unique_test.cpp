#include "test/support/patterns.hpp"

namespace linden::test {
namespace {

template <class I>
class PatternUnique : public testing::Test {
};
TYPED_TEST_SUITE(PatternUnique, TestedIndices);

template <class I>
Arrays<I> unique(const Executor& exec, const HostPattern<I>& host)
{
    const PatternOn<I> a(exec, host);
    return filled_pattern<I>(
        exec, host.size.rows, [&](I* counts) { pattern_unique_count<I>(exec, a.view(), counts); },
        [&](auto& s, WorkspaceView) {
            pattern_unique_fill<I>(exec, a.view(), s.row_ptrs.data(), s.col_idxs.data(), s.source.data());
        });
}

TYPED_TEST(PatternUnique, ByHand)
{
    using I = TypeParam;
    const HostPattern<I> a{{4, 4}, {0, 3, 3, 5, 9}, {0, 0, 2, 2, 2, 2, 3, 3, 3}};
    on_each_executor([&](const Executor& exec) {
        EXPECT_EQ(unique(exec, a), (Arrays<I>{{0, 2, 2, 3, 5}, {0, 2, 2, 2, 3}, {0, 2, 3, 5, 6}}));
    });
}

TYPED_TEST(PatternUnique, LikeReference)
{
    using I = TypeParam;
    for_each_disordered_pattern<I>(707, [](HostPattern<I> a) {
        for (std::size_t row = 0; row + 1 < a.row_ptrs.size(); ++row) {
            std::sort(a.col_idxs.begin() + a.row_ptrs[row], a.col_idxs.begin() + a.row_ptrs[row + 1]);
        }
        expect_equal_to_reference([&](const Executor& exec) { return unique(exec, a); });
    });
}

}  // namespace
}  // namespace linden::test
