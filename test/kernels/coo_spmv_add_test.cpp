#include "core/kernels/coo.hpp"
#include "test/support/kernel_cases.hpp"

namespace linden::test {
namespace {

/// x := alpha A b + x
template <class V, class I>
void multiply_coo(const Executor& exec, const MatrixData<V, I>& a, Scalar<V> alpha, const Dense<V>& b, Dense<V>& x)
{
    const Array<I> rows(exec, a.rows);
    const Array<I> cols(exec, a.cols);
    const Array<V> values(exec, a.values);
    const CooView<V, I> view{a.size.rows, a.size.cols, a.num_entries(), rows.data(), cols.data(), values.data()};
    Array<std::byte> workspace(exec, split_workspace_bytes<V>(a.num_entries(), x.size().cols));
    coo_spmv_add<V, I>(exec, view, alpha, b.view(), x.view(), {workspace.data(), workspace.size()});
}

template <class Types>
class CooSpmvAdd : public testing::Test {
};
TYPED_TEST_SUITE(CooSpmvAdd, TestedValueIndices, TypeNames);

TYPED_TEST(CooSpmvAdd, ByHand)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    on_each_executor([](const Executor& exec) {
        // [1 0 2 0; 0 0 0 0; 0 i 0 3]
        const MatrixData<V, I> a{{3, 4}, {0, 0, 2, 2}, {0, 2, 1, 3}, {V{1}, V{2}, number<V>(0, 1), V{3}}};
        const auto b = Dense<V>::from_rows(exec, {{V{1}, V{5}}, {V{2}, V{6}}, {V{3}, V{7}}, {V{4}, V{8}}});
        auto x = Dense<V>::filled(exec, {3, 2}, V{1});
        multiply_coo<V, I>(exec, a, V{2}, b, x);
        EXPECT_EQ(x.to_host(), (std::vector<V>{V{15}, V{39}, V{1}, V{1}, number<V>(25, 4), number<V>(49, 12)}));
    });
}

TYPED_TEST(CooSpmvAdd, LikeReference)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    Random random(231);
    for (const auto pattern : all_patterns) {
        for (const size_type rows : {0, 1, 31, 32, 33, 597, 9000}) {
            const auto a = to_coo(random_csr<V, I>(random, {rows, rows + 2}, 3, pattern));
            for (const size_type cols : {1, 3}) {
                Blocks<V> operands;
                operands.push_back(random_dense<V>(random, reference_executor(), {a.size.cols, cols}, 1));
                operands.push_back(random_dense<V>(random, reference_executor(), {a.size.rows, cols}));
                const V alpha = random.value<V>();
                expect_like_reference(operands, 4 * summation_factor(rows), [&](const Executor& exec, Blocks<V>& x) {
                    multiply_coo<V, I>(exec, a, alpha, x[0], x[1]);
                });
            }
        }
    }
}

}  // namespace
}  // namespace linden::test
