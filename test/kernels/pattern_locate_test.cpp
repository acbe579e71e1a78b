#include "core/kernels/pattern_maps.hpp"
#include "test/support/kernel_cases.hpp"
#include "test/support/patterns.hpp"

namespace linden::test {
namespace {

template <class I>
class PatternLocate : public testing::Test {
};
TYPED_TEST_SUITE(PatternLocate, TestedIndices);

template <class I>
std::vector<I> located(const Executor& exec, const HostPattern<I>& f, const HostPattern<I>& a)
{
    const PatternOn<I> f_there(exec, f);
    const PatternOn<I> a_there(exec, a);
    Array<I> source(exec, f.num_nonzeros());
    pattern_locate<I>(exec, f_there.view(), a_there.view(), source.data());
    return source.to_host();
}

TYPED_TEST(PatternLocate, ByHand)
{
    using I = TypeParam;
    // f = [x x .; . . .; x x x], a = [x . x; x . .; . x x]
    const HostPattern<I> f{{3, 3}, {0, 2, 2, 5}, {0, 1, 0, 1, 2}};
    const HostPattern<I> a{{3, 3}, {0, 2, 3, 5}, {0, 2, 0, 1, 2}};
    on_each_executor([&](const Executor& exec) { EXPECT_EQ(located(exec, f, a), (std::vector<I>{0, -1, -1, 3, 4})); });
}

TYPED_TEST(PatternLocate, LikeReference)
{
    using I = TypeParam;
    Random random(851);
    for (const auto rows : tested_rows) {
        for (const auto kind : all_patterns) {
            const auto f = random_csr<double, I>(random, {rows, rows + 2}, 9, kind);
            const auto a = random_csr<double, I>(random, {rows, rows + 2}, 12, Pattern::uniform);
            expect_equal_to_reference([&](const Executor& exec) {
                return located<I>(exec, {f.size, f.row_ptrs, f.col_idxs}, {a.size, a.row_ptrs, a.col_idxs});
            });
        }
    }
}

}  // namespace
}  // namespace linden::test
