// needs: double int32
#include <linden/error.hpp>
#include <linden/factory.hpp>
#include <linden/matrix/dense.hpp>
#include <linden/matrix/diagonal.hpp>
#include <linden/matrix/identity.hpp>

#include "test/support/backends.hpp"

namespace linden::test {
namespace {

std::vector<double> applied(const LinOp<double>& op, const std::vector<double>& b)
{
    Dense<double> x(op.executor(), {op.size().rows, 1});
    op.apply(Dense<double>::vector(op.executor(), b), x);
    return x.to_host();
}

TEST(Diagonal, ScalesRows)
{
    on_each_executor([](const Executor& exec) {
        EXPECT_EQ(applied(Diagonal<double>(exec, {2, 0, -1}), {1, 2, 3}), (std::vector<double>{2, 0, -3}));
    });
}

TEST(Diagonal, HasAnInverse)
{
    on_each_executor([](const Executor& exec) {
        const Diagonal<double> d(exec, {2, 4, -1});
        EXPECT_EQ(d.inverse().to_host(), (std::vector<double>{0.5, 0.25, -1}));
        EXPECT_EQ(d.to_host(), (std::vector<double>{2, 4, -1}));
    });
}

TEST(Diagonal, WithZerosHasNoInverse)
{
    on_each_executor([](const Executor& exec) {
        try {
            (void)Diagonal<double>(exec, {1, 0, 0}).inverse();
            ADD_FAILURE() << "no exception";
        } catch (const InvalidParameter& e) {
            EXPECT_EQ(e.value, "2 zeros");
        }
    });
}

TEST(Diagonal, ViewsMemoryOfTheUser)
{
    const auto& exec = reference_executor();
    double values[] = {1, 2};
    const Diagonal<double> d(exec, Array<double>::view(exec, 2, values));
    values[1] = 5;
    EXPECT_EQ(applied(d, {1, 1}), (std::vector<double>{1, 5}));
}

TEST(Diagonal, TakesNewValues)
{
    on_each_executor([](const Executor& exec) {
        Diagonal<double> d(exec, {1, 2});
        d.update_values(share(Diagonal<double>(reference_executor(), {3, 4})));
        EXPECT_EQ(d.to_host(), (std::vector<double>{3, 4}));
        EXPECT_THROW(d.update_values(share(Diagonal<double>(exec, {3, 4, 5}))), DimensionMismatch);
        EXPECT_THROW(d.update_values(share(Identity<double>(exec, 2))), NotSupported);
    });
}

TEST(Diagonal, RefusesArraysOfAnotherExecutor)
{
    EXPECT_THROW(Diagonal<double>(reference_executor(), Array<double>(Executor::reference(), 2)), InvalidParameter);
}

}  // namespace
}  // namespace linden::test
