#include <algorithm>

#include "test/support/patterns.hpp"

namespace linden::test {
namespace {

template <class I>
class PatternTranspose : public testing::Test {
};
TYPED_TEST_SUITE(PatternTranspose, TestedIndices);

template <class I>
Arrays<I> transposed(const Executor& exec, const HostPattern<I>& host)
{
    const PatternOn<I> a(exec, host);
    return filled_pattern<I>(
        exec, host.size.cols, [&](I* counts) { pattern_count_columns<I>(exec, a.view(), counts); },
        [&](auto& t, WorkspaceView workspace) {
            pattern_transpose<I>(exec, a.view(), t.row_ptrs.data(), t.col_idxs.data(), t.source.data(), workspace);
        });
}

TYPED_TEST(PatternTranspose, ByHand)
{
    using I = TypeParam;
    // [x . x .; . . . .; x x . .]
    on_each_executor([](const Executor& exec) {
        const HostPattern<I> a{{3, 4}, {0, 2, 2, 4}, {2, 0, 0, 1}};
        EXPECT_EQ(transposed(exec, a), (Arrays<I>{{0, 2, 3, 4, 4}, {0, 2, 2, 0}, {1, 2, 3, 0}}));
    });
}

TYPED_TEST(PatternTranspose, LikeReference)
{
    using I = TypeParam;
    for_each_disordered_pattern<I>(702, [](const HostPattern<I>& a) {
        expect_equal_to_reference([&](const Executor& exec) { return transposed(exec, a); });
    });
}

TYPED_TEST(PatternTranspose, LongRowAndBack)
{
    using I = TypeParam;
    const auto a = one_long_row<I>();
    expect_equal_to_reference([&](const Executor& exec) {
        const auto [row_ptrs, cols, source] = transposed(exec, a);
        return std::make_pair(Arrays<I>{row_ptrs, cols, source},
                              transposed(exec, HostPattern<I>{{20000, 3}, row_ptrs, cols}));
    });
}

TYPED_TEST(PatternTranspose, AnyNumberOfThreads)
{
    using I = TypeParam;
    HostPattern<I> a{{4000, 300}, {0}, {}};
    for (I row = 0; row < 4000; ++row) {
        for (I k = 0; k < row % 7; ++k) {
            a.col_idxs.push_back((row / 16 + 40 * k) % 300);
        }
        std::sort(a.col_idxs.begin() + a.row_ptrs.back(), a.col_idxs.end());
        a.row_ptrs.push_back(static_cast<I>(a.col_idxs.size()));
    }
    if (!backend_info(Backend::omp).built) {
        GTEST_SKIP();
    }
    const auto expected = transposed(Executor::reference(), a);
    for (const int threads : {1, 2, 3, 4, 5}) {
        EXPECT_EQ(transposed(Executor::omp({.threads = threads}), a), expected) << threads;
    }
}

TYPED_TEST(PatternTranspose, RowsBesideEachOther)
{
    using I = TypeParam;
    const auto a = rows_beside_each_other<I>();
    expect_equal_to_reference([&](const Executor& exec) { return transposed(exec, a); });
}

}  // namespace
}  // namespace linden::test
