#include "core/kernels/csr.hpp"
#include "test/support/kernel_cases.hpp"

namespace linden::test {
namespace {

template <class Types>
class CsrExtractDiagonal : public testing::Test {
};
TYPED_TEST_SUITE(CsrExtractDiagonal, TestedValueIndices, TypeNames);

TYPED_TEST(CsrExtractDiagonal, ByHand)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    on_each_executor([](const Executor& exec) {
        // [5 1 0; 0 0 2; 0 0 0; 3 0 0] has no entry at (1, 1), and an empty row
        const Csr<V, I> a(exec, CsrData<V, I>{{4, 3}, {0, 2, 3, 3, 4}, {0, 1, 2, 0}, {V{5}, V{1}, V{2}, V{3}}});
        auto d = Dense<V>::filled(exec, {3, 1}, not_a_number<V>());
        csr_extract_diagonal<V, I>(exec, a.view(), d.view());
        EXPECT_EQ(d.to_host(), (std::vector<V>{V{5}, V{0}, V{0}}));
    });
}

TYPED_TEST(CsrExtractDiagonal, LikeReference)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    Random random(205);
    for (const auto rows : tested_rows) {
        for (const auto pattern : all_patterns) {
            if (rows == 20000 && pattern == Pattern::dense_row) {
                continue;  // a row of 20000 entries says no more than one of 597
            }
            for (const size_type cols : {rows, rows / 2, 2 * rows}) {
                const auto a = random_csr<V, I>(random, {rows, cols}, std::min<size_type>(4, cols), pattern);
                Blocks<V> d;
                d.push_back(random_dense<V>(random, reference_executor(), {std::min(rows, cols), 1}, 1));
                expect_like_reference(d, 0, [&](const Executor& exec, Blocks<V>& blocks) {
                    const Csr<V, I> here(exec, a);
                    csr_extract_diagonal<V, I>(exec, here.view(), blocks[0].view());
                });
            }
        }
    }
}

}  // namespace
}  // namespace linden::test
