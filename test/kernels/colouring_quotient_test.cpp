#include "test/support/colouring.hpp"

namespace linden::test {
namespace {

template <class I>
class ColouringQuotient : public testing::Test {
};
TYPED_TEST_SUITE(ColouringQuotient, TestedIndices);

template <class I>
using Pattern2 = std::pair<std::vector<I>, std::vector<I>>;

template <class I>
Pattern2<I> quotient(const Executor& exec, const HostPattern<I>& host, size_type block_rows)
{
    const PatternOn<I> a(exec, host);
    Array<I> row_ptrs(exec, (host.size.rows + block_rows - 1) / block_rows + 1), col_idxs(exec, host.num_nonzeros());
    colouring_quotient<I>(exec, a.view(), block_rows, row_ptrs.data(), col_idxs.data());
    return {row_ptrs.to_host(), col_idxs.to_host()};
}

TYPED_TEST(ColouringQuotient, ByHand)
{
    using I = TypeParam;
    const HostPattern<I> a{{5, 5}, {0, 2, 3, 3, 5, 8}, {0, 4, 1, 2, 3, 0, 3, 4}};
    on_each_executor([&](const Executor& exec) {
        EXPECT_EQ(quotient(exec, a, 2), (Pattern2<I>{{0, 3, 5, 8}, {0, 2, 0, 1, 1, 0, 1, 2}}));
        EXPECT_EQ(quotient(exec, a, 7), (Pattern2<I>{{0, 8}, {0, 0, 0, 0, 0, 0, 0, 0}}));
        EXPECT_EQ(quotient(exec, HostPattern<I>{{0, 0}, {0}, {}}, 3), (Pattern2<I>{{0}, {}}));
    });
}

TYPED_TEST(ColouringQuotient, OfRandomPatterns)
{
    using I = TypeParam;
    Random random(906);
    for (const size_type n : {1, 31, 32, 33, 597, 20000}) {
        const auto a = random_pattern<I>(random, {n, n}, 4, Pattern::uniform);
        for (const size_type block_rows : {2, 3, 32, 1000}) {
            expect_equal_to_reference([&](const Executor& exec) { return quotient(exec, a, block_rows); });
        }
    }
}

}  // namespace
}  // namespace linden::test
