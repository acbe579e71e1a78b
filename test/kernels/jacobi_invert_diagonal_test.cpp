#include "core/kernels/jacobi.hpp"
#include "test/support/kernel_cases.hpp"

namespace linden::test {
namespace {

template <class V>
class JacobiInvertDiagonal : public testing::Test {
};
TYPED_TEST_SUITE(JacobiInvertDiagonal, TestedValues, TypeNames);

template <class V>
size_type invert(const Executor& exec, Dense<V>& d)
{
    Array<size_type> num_zeros(exec, std::vector<size_type>{-1});
    jacobi_invert_diagonal<V>(exec, d.view(), num_zeros.data());
    return num_zeros.to_host().front();
}

TYPED_TEST(JacobiInvertDiagonal, ByHand)
{
    using V = TypeParam;
    on_each_executor([](const Executor& exec) {
        auto d = Dense<V>::from_rows(exec, {{V{2}}, {V{0}}, {V{-4}}, {number<V>(0, 1)}, {V{0.5}}});
        EXPECT_EQ(invert(exec, d), is_complex<V> ? 1 : 2);
        const V last_but_one = is_complex<V> ? number<V>(0, -1) : V{1};
        EXPECT_EQ(d.to_host(), (std::vector<V>{V{0.5}, V{1}, V{-0.25}, last_but_one, V{2}}));
    });
}

TYPED_TEST(JacobiInvertDiagonal, KeepsNotANumber)
{
    using V = TypeParam;
    on_each_executor([](const Executor& exec) {
        auto d = Dense<V>::from_rows(exec, {{not_a_number<V>()}, {V{2}}});
        EXPECT_EQ(invert(exec, d), 0);
        EXPECT_TRUE(is_nan(d.to_host()[0]));
    });
}

// One division: 4 eps of the largest inverse, complex or not.
TYPED_TEST(JacobiInvertDiagonal, LikeReference)
{
    using V = TypeParam;
    Random random(301);
    for (const auto rows : tested_rows) {
        for (const size_type padding : {0, 3}) {
            auto d = random_dense<V>(random, reference_executor(), {rows, 1}, padding);
            for (size_type row = 0; row < rows; row += 5) {
                d.at(row, 0) = V{};
            }
            Blocks<V> operands;
            operands.push_back(std::move(d));
            expect_like_reference(operands, 4, [&](const Executor& exec, Blocks<V>& blocks) {
                EXPECT_EQ(invert(exec, blocks[0]), (rows + 4) / 5);
            });
        }
    }
}

}  // namespace
}  // namespace linden::test
