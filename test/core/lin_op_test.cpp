// needs: double int32
#include <linden/error.hpp>
#include <linden/factory.hpp>
#include <linden/matrix/csr.hpp>
#include <linden/matrix/dense.hpp>

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "core/kernels/reduction.hpp"
#include "test/support/backends.hpp"

namespace linden {
namespace {

using test::on_each_executor;
using test::tested_executors;
using I = std::int32_t;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// x := 2 b by way of copy_from and scale, which run on any executor; all else by default.
class Twice final : public LinOp<double> {
public:
    Twice(const Executor& exec, size_type n) : LinOp(exec, {n, n}) {}
    std::string name() const override { return "Twice"; }

protected:
    void apply_impl(const Dense<double>& b, Dense<double>& x) const override
    {
        EXPECT_TRUE(b.executor() == executor());
        EXPECT_TRUE(x.executor() == executor());
        x.copy_from(b);
        x.scale(2);
    }
};

/// 1 2 .
/// . . 3
Csr<double, I> two_by_three(const Executor& exec) { return {exec, {{2, 3}, {0, 2, 3}, {0, 1, 2}, {1, 2, 3}}}; }

TEST(LinOp, AppliesToOperandsOfEveryExecutor)
{
    for (const auto& here : tested_executors()) {
        const auto a = two_by_three(here);
        for (const auto& b_on : tested_executors()) {
            for (const auto& x_on : tested_executors()) {
                SCOPED_TRACE(here.name() + ", b on " + b_on.name() + ", x on " + x_on.name());
                const auto b = Dense<double>::from_rows(b_on, {{1, -1}, {2, 0}, {3, 5}});
                auto x = Dense<double>::filled(x_on, {2, 2}, nan);
                a.apply(b, x);
                EXPECT_EQ(x.to_host(), (std::vector<double>{5, -1, 9, 15}));
                a.apply(2, b, -1, x);
                EXPECT_EQ(x.to_host(), (std::vector<double>{5, -1, 9, 15}));
                EXPECT_TRUE(x.executor() == x_on);
            }
        }
    }
}

TEST(LinOp, CrossesExecutorsWithStrides)
{
    for (const auto& here : tested_executors()) {
        const auto elsewhere = Executor::reference();
        const auto a = two_by_three(here);
        auto operands = Dense<double>::from_rows(elsewhere, {{1, 0, 7}, {2, 0, 7}, {3, 0, 7}});
        auto results = Dense<double>::filled(elsewhere, {2, 3}, -1);
        auto b = operands.columns(0, 1);
        auto x = results.columns(1, 1);
        a.apply(b, x);
        EXPECT_EQ(results.to_host(), (std::vector<double>{-1, 5, -1, -1, 9, -1}));
    }
}

TEST(LinOp, DoesNotReadXWithoutBeta)
{
    on_each_executor([](const Executor& exec) {
        const auto b = Dense<double>::vector(exec, {1, 2, 3});
        auto x = Dense<double>::filled(exec, {2, 1}, nan);
        two_by_three(exec).apply(2, b, 0, x);
        EXPECT_EQ(x.to_host(), (std::vector<double>{10, 18}));
        auto y = Dense<double>::filled(exec, {3, 1}, nan);
        Twice(exec, 3).apply(3, b, 0, y);
        EXPECT_EQ(y.to_host(), (std::vector<double>{6, 12, 18}));
    });
}

TEST(LinOp, TakesScalarsFromItsExecutorPerColumn)
{
    on_each_executor([](const Executor& exec) {
        const Array<double> alpha(exec, {1.0, 10.0});
        const Array<double> beta(exec, {0.0, -1.0});
        const auto b = Dense<double>::from_rows(exec, {{1, 1}, {2, 2}, {3, 3}});
        const auto per_column = [](const auto& array) { return Scalar<double>::per_column(array.data()); };

        auto x = Dense<double>::from_rows(exec, {{nan, 1}, {nan, 2}});
        two_by_three(exec).apply(per_column(alpha), b, per_column(beta), x);
        EXPECT_EQ(x.to_host(), (std::vector<double>{5, 49, 9, 88}));

        auto y = Dense<double>::from_rows(exec, {{nan, 1}, {nan, 2}, {nan, 3}});
        Twice(exec, 3).apply(per_column(alpha), b, per_column(beta), y);
        EXPECT_EQ(y.to_host(), (std::vector<double>{2, 19, 4, 38, 6, 57}));

        // Operands from elsewhere, scalars from here.
        const auto elsewhere = Executor::reference();
        auto z = Dense<double>::from_rows(elsewhere, {{nan, 1}, {nan, 2}});
        two_by_three(exec).apply(per_column(alpha), b, per_column(beta), z);
        EXPECT_EQ(z.to_host(), (std::vector<double>{5, 49, 9, 88}));
    });
}

TEST(LinOp, FormsInnerProductsOnTheWay)
{
    on_each_executor([](const Executor& exec) {
        const auto b = Dense<double>::from_rows(exec, {{1, 0}, {2, 1}, {3, 0}});
        const auto w = Dense<double>::from_rows(exec, {{1, 1}, {-1, 2}});
        auto workspace = ReductionWorkspace::for_values<double>(exec, 4);
        Array<double> wx(exec, 2);
        Array<double> xx(exec, 2);
        Dense<double> x(exec, {2, 2});
        const auto a = two_by_three(exec);
        a.apply_dot(b, x, {w, wx.data(), xx.data(), workspace.view()});
        EXPECT_EQ(x.to_host(), (std::vector<double>{5, 2, 9, 0}));
        EXPECT_EQ(wx.to_host(), (std::vector<double>{-4, 2}));
        EXPECT_EQ(xx.to_host(), (std::vector<double>{106, 4}));

        Dense<double> y(exec, {3, 2});
        Twice(exec, 3).apply_dot(b, y, {b, wx.data(), nullptr, workspace.view()});
        EXPECT_EQ(wx.to_host(), (std::vector<double>{28, 2}));
        EXPECT_EQ(xx.to_host(), (std::vector<double>{106, 4}));
        const auto wrong = Dense<double>(exec, {3, 2});
        EXPECT_THROW(a.apply_dot(b, x, {wrong, wx.data(), nullptr, workspace.view()}), DimensionMismatch);
    });
}

TEST(LinOp, RefusesOperandsThatDoNotFit)
{
    const auto exec = Executor::reference();
    const auto a = two_by_three(exec);
    const auto b = Dense<double>::filled(exec, {3, 2}, 1);
    auto x = Dense<double>::filled(exec, {2, 2}, -1);
    auto long_x = Dense<double>::filled(exec, {3, 2}, -1);
    auto wide_x = Dense<double>::filled(exec, {2, 3}, -1);
    EXPECT_THROW(a.apply(x, long_x), DimensionMismatch);
    EXPECT_THROW(a.apply(b, long_x), DimensionMismatch);
    EXPECT_THROW(a.apply(b, wide_x), DimensionMismatch);
    EXPECT_THROW(a.apply(2, b, 1, wide_x), DimensionMismatch);
    EXPECT_EQ(wide_x.to_host(), std::vector<double>(6, -1));
    try {
        a.apply(x, long_x);
    } catch (const DimensionMismatch& e) {
        EXPECT_EQ(e.op, "Csr::apply");
        EXPECT_EQ(e.size_a, (Dim{2, 3}));
        EXPECT_EQ(e.size_b, (Dim{2, 2}));
    }
}

TEST(LinOp, RefusesToWorkInPlace)
{
    const auto exec = Executor::reference();
    auto x = Dense<double>::filled(exec, {3, 2}, 1);
    const Twice twice(exec, 3);
    EXPECT_THROW(twice.apply(x, x), InvalidParameter);
    EXPECT_THROW(twice.apply(2, x, 1, x), InvalidParameter);
    auto same = Dense<double>::adopt(exec, {3, 2}, 2, x.data());
    EXPECT_THROW(twice.apply(x, same), InvalidParameter);
    // Columns beside each other do not overlap.
    auto left = x.columns(0, 1);
    auto right = x.columns(1, 1);
    twice.apply(left, right);
    EXPECT_EQ(x.to_host(), (std::vector<double>{1, 2, 1, 2, 1, 2}));
}

TEST(LinOp, SaysWhatItCannotDo)
{
    const auto exec = Executor::reference();
    Twice twice(exec, 2);
    EXPECT_THROW(twice.clone(exec), NotSupported);
    EXPECT_THROW(twice.update_values(share(Twice(exec, 2))), NotSupported);
    EXPECT_FALSE(twice.is_capturable());
    EXPECT_FALSE(twice.is_identity());
}

TEST(LinOp, AppliesToNoColumnsAndNoRows)
{
    on_each_executor([](const Executor& exec) {
        Dense<double> x(exec, {2, 0});
        two_by_three(exec).apply(Dense<double>(exec, {3, 0}), x);
        Dense<double> none(exec, {0, 2});
        const Csr<double, I> empty(exec, Dim{0, 3});
        empty.apply(Dense<double>::filled(exec, {3, 2}, 1), none);
        const Csr<double, I> wide(exec, Dim{2, 0});
        auto y = Dense<double>::filled(exec, {2, 1}, nan);
        wide.apply(Dense<double>(exec, {0, 1}), y);
        EXPECT_EQ(y.to_host(), (std::vector<double>{0, 0}));
    });
}

}  // namespace
}  // namespace linden
