#include "test/support/patterns.hpp"

namespace linden::test {
namespace {

template <class I>
class PatternPermute : public testing::Test {
};
TYPED_TEST_SUITE(PatternPermute, TestedIndices);

template <class I>
Arrays<I> permuted(const Executor& exec, const HostPattern<I>& host, const std::vector<I>& p,
                   const std::vector<I>& label)
{
    const PatternOn<I> a(exec, host);
    const Array<I> rows(exec, p);
    const Array<I> cols(exec, label);
    const I* const rows_or_null = p.empty() ? nullptr : rows.data();
    const I* const cols_or_null = label.empty() ? nullptr : cols.data();
    return filled_pattern<I>(
        exec, host.size.rows, [&](I* counts) { pattern_permute_count<I>(exec, a.view(), rows_or_null, counts); },
        [&](auto& s, WorkspaceView workspace) {
            pattern_permute_fill<I>(exec, a.view(), rows_or_null, cols_or_null, s.row_ptrs.data(), s.col_idxs.data(),
                                    s.source.data(), workspace);
        });
}

TYPED_TEST(PatternPermute, ByHand)
{
    using I = TypeParam;
    // [x x . x; . x x .; x . . .]
    const HostPattern<I> a{{3, 4}, {0, 3, 5, 6}, {0, 1, 3, 1, 2, 0}};
    on_each_executor([&](const Executor& exec) {
        EXPECT_EQ(permuted(exec, a, {2, 0, 1}, {}), (Arrays<I>{{0, 1, 4, 6}, {0, 0, 1, 3, 1, 2}, {5, 0, 1, 2, 3, 4}}));
        EXPECT_EQ(permuted(exec, a, {}, {3, 0, 1, 2}),
                  (Arrays<I>{{0, 3, 5, 6}, {0, 2, 3, 0, 1, 3}, {1, 2, 0, 3, 4, 5}}));
        EXPECT_EQ(permuted(exec, a, {2, 0, 1}, {3, 0, 1, 2}),
                  (Arrays<I>{{0, 1, 4, 6}, {3, 0, 2, 3, 0, 1}, {5, 1, 2, 0, 3, 4}}));
    });
}

TYPED_TEST(PatternPermute, LikeReference)
{
    using I = TypeParam;
    for_each_disordered_pattern<I>(705, [](const HostPattern<I>& a) {
        const auto p = mixed_order<I>(a.size.rows);
        const auto label = mixed_order<I>(a.size.cols);
        expect_equal_to_reference([&](const Executor& exec) {
            return std::make_tuple(permuted(exec, a, p, {}), permuted(exec, a, {}, label), permuted(exec, a, p, label));
        });
    });
}

}  // namespace
}  // namespace linden::test
