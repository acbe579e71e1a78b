// needs: double int32
#include <linden/composition.hpp>
#include <linden/error.hpp>
#include <linden/factory.hpp>
#include <linden/matrix/dense.hpp>
#include <linden/matrix/permutation.hpp>

#include "test/support/backends.hpp"

namespace linden::test {
namespace {

template <class I>
class PermutationOp : public testing::Test {
};
using TestedIndices = decltype(detail::as_types(IndexTypes{}));
TYPED_TEST_SUITE(PermutationOp, TestedIndices);

std::vector<double> applied(const LinOp<double>& op, const std::vector<double>& b)
{
    Dense<double> x(op.executor(), {op.size().rows, 1});
    op.apply(Dense<double>::vector(op.executor(), b), x);
    return x.to_host();
}

TYPED_TEST(PermutationOp, GathersRows)
{
    on_each_executor([](const Executor& exec) {
        const Permutation<double, TypeParam> p(exec, {2, 0, 1});
        EXPECT_EQ(applied(p, {10, 20, 30}), (std::vector<double>{30, 10, 20}));
    });
}

TYPED_TEST(PermutationOp, InverseUndoes)
{
    using P = Permutation<double, TypeParam>;
    on_each_executor([](const Executor& exec) {
        const P p(exec, {2, 0, 1, 3});
        EXPECT_EQ(p.inverse().to_host(), (std::vector<TypeParam>{1, 2, 0, 3}));
        const Composition<double> both({share(p.inverse()), share(p.copy())});
        EXPECT_EQ(applied(both, {1, 2, 3, 4}), (std::vector<double>{1, 2, 3, 4}));
    });
}

TYPED_TEST(PermutationOp, RefusesWhatIsNone)
{
    using P = Permutation<double, TypeParam>;
    on_each_executor([](const Executor& exec) {
        for (const std::vector<TypeParam>& rows : {std::vector<TypeParam>{0, 0}, {0, 2}, {-1, 0}}) {
            try {
                const P p(exec, rows);
                ADD_FAILURE() << "no exception";
            } catch (const InvalidParameter& e) {
                EXPECT_EQ(e.name, "rows");
                EXPECT_EQ(e.value, "1 of 2 entries out of range or repeated");
            }
        }
    });
    EXPECT_THROW(P(reference_executor(), Array<TypeParam>(Executor::reference(), std::vector<TypeParam>{0})),
                 InvalidParameter);
}

}  // namespace
}  // namespace linden::test
