#include "core/kernels/jacobi.hpp"
#include "test/support/kernel_cases.hpp"

namespace linden::test {
namespace {

template <class V>
class JacobiInverseRoot : public testing::Test {
};
TYPED_TEST_SUITE(JacobiInverseRoot, TestedValues, TypeNames);

template <class V>
size_type invert(const Executor& exec, Dense<V>& d)
{
    Array<size_type> num_zeros(exec, std::vector<size_type>{-1});
    jacobi_inverse_root<V>(exec, d.view(), num_zeros.data());
    return num_zeros.to_host().front();
}

TYPED_TEST(JacobiInverseRoot, ByHand)
{
    using V = TypeParam;
    on_each_executor([](const Executor& exec) {
        auto d = Dense<V>::from_rows(exec, {{V{4}}, {V{0}}, {V{-16}}, {number<V>(9, 0)}, {V{0.25}}});
        EXPECT_EQ(invert(exec, d), 1);
        expect_near(d.to_host(), {V{0.5}, V{1}, V{0.25}, V{real_t<V>{1} / 3}, V{2}}, 2);
        if (is_complex<V>) {
            auto z = Dense<V>::from_rows(exec, {{number<V>(0, -4)}, {number<V>(3, 4) * V{4}}});
            EXPECT_EQ(invert(exec, z), 0);
            expect_near(z.to_host(), {V{0.5}, V{1 / std::sqrt(real_t<V>{20})}}, 4);
        }
    });
}

TYPED_TEST(JacobiInverseRoot, KeepsNotANumber)
{
    using V = TypeParam;
    on_each_executor([](const Executor& exec) {
        auto d = Dense<V>::from_rows(exec, {{not_a_number<V>()}, {V{2}}});
        EXPECT_EQ(invert(exec, d), 0);
        EXPECT_TRUE(is_nan(d.to_host()[0]));
    });
}

// An absolute value, a root and a division: 8 eps of the largest.
TYPED_TEST(JacobiInverseRoot, LikeReference)
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
            expect_like_reference(operands, 8, [&](const Executor& exec, Blocks<V>& blocks) {
                EXPECT_EQ(invert(exec, blocks[0]), (rows + 4) / 5);
            });
        }
    }
}

}  // namespace
}  // namespace linden::test
