#include "test/support/patterns.hpp"

namespace linden::test {
namespace {

template <class I>
class PatternCompressRows : public testing::Test {
};
TYPED_TEST_SUITE(PatternCompressRows, TestedIndices);

template <class I>
std::vector<I> compressed(const Executor& exec, size_type rows, const std::vector<I>& row_idxs)
{
    const Array<I> here(exec, row_idxs);
    Array<I> row_ptrs(exec, rows + 1);
    pattern_compress_rows<I>(exec, rows, here.size(), here.data(), row_ptrs.data());
    return row_ptrs.to_host();
}

TYPED_TEST(PatternCompressRows, ByHand)
{
    using I = TypeParam;
    on_each_executor([](const Executor& exec) {
        EXPECT_EQ(compressed<I>(exec, 6, {1, 1, 2, 4, 4, 4}), (std::vector<I>{0, 0, 2, 3, 3, 6, 6}));
        EXPECT_EQ(compressed<I>(exec, 0, {}), (std::vector<I>{0}));
    });
}

TYPED_TEST(PatternCompressRows, GivesTheRowPointersBack)
{
    using I = TypeParam;
    for_each_sorted_pattern<I>(709, [](const HostPattern<I>& a) {
        std::vector<I> row_idxs;
        for (std::size_t row = 0; row + 1 < a.row_ptrs.size(); ++row) {
            row_idxs.resize(static_cast<std::size_t>(a.row_ptrs[row + 1]), static_cast<I>(row));
        }
        on_each_executor([&](const Executor& exec) { EXPECT_EQ(compressed(exec, a.size.rows, row_idxs), a.row_ptrs); });
    });
}

}  // namespace
}  // namespace linden::test
