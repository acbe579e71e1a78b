// needs: double int32
#include <linden/error.hpp>
#include <linden/factory.hpp>
#include <linden/matrix/dense.hpp>
#include <linden/matrix/diagonal.hpp>
#include <linden/matrix/identity.hpp>
#include <linden/sum.hpp>

#include "test/support/backends.hpp"

namespace linden::test {
namespace {

using Terms = std::vector<Sum<double>::Term>;

/// 2 [1 2; 3 4] - I
Sum<double> small_sum(const Executor& exec, double first = 2, double second = -1)
{
    return Sum<double>(
        {{first, share(Dense<double>::from_rows(exec, {{1, 2}, {3, 4}}))}, {second, share(Identity<double>(exec, 2))}});
}

TEST(Sum, AddsScaledOperators)
{
    on_each_executor([](const Executor& exec) {
        const auto sum = small_sum(exec);
        const auto b = Dense<double>::vector(exec, {1, 10});
        Dense<double> x(exec, {2, 1});
        sum.apply(b, x);
        EXPECT_EQ(x.to_host(), (std::vector<double>{41, 76}));
        sum.apply(-1, b, 2, x);
        EXPECT_EQ(x.to_host(), (std::vector<double>{41, 76}));
    });
}

TEST(Sum, TakesAlphaFromMemory)
{
    on_each_executor([](const Executor& exec) {
        const auto b = Dense<double>::from_rows(exec, {{1, 1}, {10, 0}});
        const Array<double> alpha(exec, std::vector<double>{1, 3});
        auto x = Dense<double>::filled(exec, {2, 2}, 1);
        small_sum(exec).apply(Scalar<double>::per_column(alpha.data()), b, 1, x);
        EXPECT_EQ(x.to_host(), (std::vector<double>{42, 4, 77, 19}));
        x.fill(1);
        small_sum(exec, 1, 1).apply(Scalar<double>::per_column(alpha.data()), b, 1, x);
        EXPECT_EQ(x.to_host(), (std::vector<double>{23, 7, 54, 10}));
    });
}

TEST(Sum, AllocatesNothingAgain)
{
    on_each_executor([](const Executor& exec) {
        const auto sum = small_sum(exec);
        const auto b = Dense<double>::vector(exec, {1, 10});
        const Array<double> alpha(exec, std::vector<double>{1});
        auto x = Dense<double>::filled(exec, {2, 1}, 1);
        const auto start = exec.counters().allocations;
        sum.apply(b, x);
        sum.apply(2, b, 1, x);
        EXPECT_EQ(exec.counters().allocations, start) << "without alpha in memory there is nothing to keep";
        sum.apply(Scalar<double>::per_column(alpha.data()), b, 1, x);
        const auto once = exec.counters().allocations;
        sum.apply(Scalar<double>::per_column(alpha.data()), b, 1, x);
        EXPECT_EQ(exec.counters().allocations, once);
    });
}

TEST(Sum, ChecksSizes)
{
    const auto& exec = reference_executor();
    const auto identity = share(Identity<double>(exec, 2));
    try {
        const Sum<double> wrong({{1, identity}, {1, share(Identity<double>(exec, 3))}});
        ADD_FAILURE() << "no exception";
    } catch (const DimensionMismatch& e) {
        EXPECT_EQ(e.size_a, (Dim{2, 2}));
        EXPECT_EQ(e.b, "operator 2");
        EXPECT_EQ(e.size_b, (Dim{3, 3}));
    }
    EXPECT_THROW(Sum<double>(Terms{}), InvalidParameter);
    EXPECT_THROW(Sum<double>(Terms{{1, nullptr}}), InvalidParameter);
    EXPECT_THROW(Sum<double>(Terms{{1, identity}, {1, nullptr}}), InvalidParameter);
    EXPECT_TRUE(Sum<double>(Terms{{1, identity}}).is_capturable());
}

}  // namespace
}  // namespace linden::test
