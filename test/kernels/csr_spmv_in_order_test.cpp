#include "core/kernels/csr.hpp"

#include <linden/io/problems.hpp>

#include "test/support/kernel_cases.hpp"

namespace linden::test {
namespace {

template <class Types>
class CsrSpmvInOrder : public testing::Test {
};
TYPED_TEST_SUITE(CsrSpmvInOrder, TestedValueIndices, TypeNames);

/// 2 x 3: [1 0 i; 0 3 0]
TYPED_TEST(CsrSpmvInOrder, ByHand)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    on_each_executor([](const Executor& exec) {
        const Csr<V, I> a(exec, CsrData<V, I>{{2, 3}, {0, 2, 3}, {0, 2, 1}, {V{1}, number<V>(0, 1), V{3}}});
        const auto b = Dense<V>::from_rows(exec, {{V{1}, V{4}}, {V{2}, V{5}}, {V{3}, V{6}}});
        auto x = Dense<V>::filled(exec, {2, 2}, V{1});
        csr_spmv_in_order<V, I>(exec, a.view(), V{2}, b.view(), V{-1}, x.view());
        EXPECT_EQ(x.to_host(), (std::vector<V>{number<V>(1, 6), number<V>(7, 12), V{11}, V{29}}));
    });
}

/// Alone in a matrix, among short rows, and among long ones, where lanes would share it.
TYPED_TEST(CsrSpmvInOrder, RowsDoNotKnowOfEachOther)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    Random random(81);
    constexpr I n = 300;
    const auto matrix = [&](int num_rows, const std::vector<V>& first, I other_length) {
        CsrData<V, I> a{{num_rows, n}, {0}, {}, {}};
        for (int row = 0; row < num_rows; ++row) {
            const I length = row == 0 ? static_cast<I>(first.size()) : other_length;
            for (I k = 0; k < length; ++k) {
                a.col_idxs.push_back(row == 0 ? 3 * k : k);
                a.values.push_back(row == 0 ? first[static_cast<std::size_t>(k)] : V{1});
            }
            a.row_ptrs.push_back(static_cast<I>(a.values.size()));
        }
        return a;
    };
    std::vector<V> first(90);
    for (auto& value : first) {
        value = random.value<V>();
    }
    for (const size_type cols : {1, 3}) {
        const auto values = random_dense<V>(random, reference_executor(), {n, cols});
        on_each_executor([&](const Executor& exec) {
            const auto b = values.copy(exec);
            const auto row_of = [&](const CsrData<V, I>& data) {
                const Csr<V, I> a(exec, data);
                auto x = Dense<V>::filled(exec, {data.size.rows, cols}, V{});
                csr_spmv_in_order<V, I>(exec, a.view(), V{1}, b.view(), V{0}, x.view());
                auto all = x.to_host();
                all.resize(static_cast<std::size_t>(cols));
                return all;
            };
            const auto alone = row_of(matrix(1, first, 0));
            EXPECT_TRUE(same_bits(alone, row_of(matrix(400, first, 2))));
            EXPECT_TRUE(same_bits(alone, row_of(matrix(40, first, 280))));
        });
    }
}

}  // namespace
}  // namespace linden::test
