#include "test/support/patterns.hpp"

namespace linden::test {
namespace {

template <class I>
class PatternCountColumns : public testing::Test {
};
TYPED_TEST_SUITE(PatternCountColumns, TestedIndices);

template <class I>
std::vector<I> counts_of(const Executor& exec, const HostPattern<I>& host)
{
    const PatternOn<I> a(exec, host);
    Array<I> counts(exec, host.size.cols);
    pattern_count_columns<I>(exec, a.view(), counts.data());
    return counts.to_host();
}

TYPED_TEST(PatternCountColumns, ByHand)
{
    using I = TypeParam;
    on_each_executor([](const Executor& exec) {
        EXPECT_EQ(counts_of(exec, HostPattern<I>{{3, 4}, {0, 2, 2, 4}, {2, 0, 0, 1}}), (std::vector<I>{2, 1, 1, 0}));
    });
}

TYPED_TEST(PatternCountColumns, LikeReference)
{
    using I = TypeParam;
    for_each_disordered_pattern<I>(703, [](const HostPattern<I>& a) {
        expect_equal_to_reference([&](const Executor& exec) { return counts_of(exec, a); });
    });
}

TYPED_TEST(PatternCountColumns, RowsBesideEachOther)
{
    using I = TypeParam;
    const auto a = rows_beside_each_other<I>();
    expect_equal_to_reference([&](const Executor& exec) { return counts_of(exec, a); });
}

}  // namespace
}  // namespace linden::test
