// needs: double int32
#include <linden/error.hpp>
#include <linden/matrix/dense.hpp>

#include <gtest/gtest.h>

#include <complex>
#include <limits>
#include <vector>

#include "test/support/backends.hpp"
#include "test/support/built_types.hpp"
#include "test/support/compare.hpp"
#include "test/support/matrices.hpp"
#include "test/support/random.hpp"

namespace linden {
namespace {

using test::expect_near;
using test::on_each_executor;
using test::Random;
using test::random_dense;
using test::tested_executors;

template <class V>
class DenseOf : public testing::Test {
};
TYPED_TEST_SUITE(DenseOf, test::TestedValues, test::TypeNames);

TYPED_TEST(DenseOf, HoldsRowsOfValues)
{
    using V = TypeParam;
    on_each_executor([](const Executor& exec) {
        const auto a = Dense<V>::from_rows(exec, {{1, 2, 3}, {4, 5, 6}});
        EXPECT_EQ(a.size(), (Dim{2, 3}));
        EXPECT_EQ(a.stride(), 3);
        EXPECT_EQ(a.to_host(), (std::vector<V>{1, 2, 3, 4, 5, 6}));
        const auto column = Dense<V>::vector(exec, {7, 8});
        EXPECT_EQ(column.size(), (Dim{2, 1}));
        EXPECT_EQ(column.to_host(), (std::vector<V>{7, 8}));
        EXPECT_EQ(Dense<V>::filled(exec, {2, 2}, V{3}).to_host(), std::vector<V>(4, 3));
    });
}

TYPED_TEST(DenseOf, TakesBlocksOfHostValues)
{
    using V = TypeParam;
    on_each_executor([](const Executor& exec) {
        const DenseData<V> block{{2, 3}, {1, 2, 3, 4, 5, 6}};
        const auto a = Dense<V>::from_host(exec, block);
        EXPECT_EQ(a.size(), (Dim{2, 3}));
        EXPECT_EQ(a.to_host(), block.values);
        EXPECT_THROW(Dense<V>::from_host(exec, {{3, 3}, block.values}), InvalidParameter);
        EXPECT_THROW(Dense<V>::from_host(exec, {{-2, -3}, block.values}), InvalidParameter);
    });
}

TYPED_TEST(DenseOf, CopiesBetweenEveryPairOfExecutorsWhateverTheStrides)
{
    using V = TypeParam;
    Random random(1);
    for (const auto& from : tested_executors()) {
        for (const auto& to : tested_executors()) {
            for (const size_type source_padding : {0, 3}) {
                for (const size_type target_padding : {0, 2}) {
                    SCOPED_TRACE(from.name() + " to " + to.name());
                    const auto source = random_dense<V>(random, from, {5, 4}, source_padding);
                    auto target = random_dense<V>(random, to, {5, 4}, target_padding);
                    const auto before = test::with_padding(target, to);
                    target.copy_from(source);
                    EXPECT_EQ(target.to_host(), source.to_host());
                    test::expect_same_padding(target, before);
                    const auto copy = source.copy(to);
                    EXPECT_EQ(copy.stride(), 4);
                    EXPECT_TRUE(copy.executor() == to);
                    EXPECT_EQ(copy.to_host(), source.to_host());
                }
            }
        }
    }
}

TYPED_TEST(DenseOf, ScalesAndAddsByNumbersAndByMemory)
{
    using V = TypeParam;
    on_each_executor([](const Executor& exec) {
        const auto b = Dense<V>::from_rows(exec, {{1, 2}, {3, 4}});
        auto x = Dense<V>::from_rows(exec, {{1, 1}, {2, 2}});
        x.scale(3);
        x.add_scaled(V{2}, b);
        EXPECT_EQ(x.to_host(), (std::vector<V>{5, 7, 12, 14}));
        const Array<V> factors(exec, {10, -1});
        x.scale(Scalar<V>::per_column(factors.data()));
        EXPECT_EQ(x.to_host(), (std::vector<V>{50, -7, 120, -14}));
        x.add_scaled(Scalar<V>::per_column(factors.data()), b);
        EXPECT_EQ(x.to_host(), (std::vector<V>{60, -9, 150, -18}));
    });
}

TYPED_TEST(DenseOf, ReducesColumnByColumn)
{
    using V = TypeParam;
    using R = real_t<V>;
    on_each_executor([](const Executor& exec) {
        const auto a = Dense<V>::from_rows(exec, {{3, -1}, {-4, 2}});
        const auto b = Dense<V>::from_rows(exec, {{1, 5}, {2, 6}});
        EXPECT_EQ(a.dot(b), (std::vector<V>{-5, 7}));
        EXPECT_EQ(a.norm1(), (std::vector<R>{7, 3}));
        expect_near(a.norm2(), (std::vector<R>{5, std::sqrt(R{5})}), 2);
        EXPECT_EQ(a.norm_inf(), (std::vector<R>{4, 2}));
    });
}

TYPED_TEST(DenseOf, NormsAreRightWhereSquaresAreNot)
{
    using V = TypeParam;
    using R = real_t<V>;
    test::on_each_executor([](const Executor& exec) {
        for (const R unit : {std::numeric_limits<R>::min(), std::numeric_limits<R>::max() / 8}) {
            const auto x = Dense<V>::from_rows(exec, {{V(3 * unit), V(1), V(0)}, {V(4 * unit), V(0), V(0)}});
            const auto norms = x.norm2();
            EXPECT_NEAR(norms[0] / unit, 5, 20 * std::numeric_limits<R>::epsilon());
            EXPECT_EQ(norms[1], 1);
            EXPECT_EQ(norms[2], 0);
        }
    });
}

TYPED_TEST(DenseOf, TakesOperandsFromOtherExecutors)
{
    using V = TypeParam;
    const auto elsewhere = Executor::reference();
    const auto b = Dense<V>::from_rows(elsewhere, {{1, 2}, {3, 4}});
    on_each_executor([&](const Executor& exec) {
        auto x = Dense<V>::from_rows(exec, {{1, 1}, {2, 2}});
        EXPECT_EQ(x.dot(b), (std::vector<V>{7, 10}));
        x.add_scaled(V{2}, b);
        EXPECT_EQ(x.to_host(), (std::vector<V>{3, 5, 8, 10}));
    });
}

TYPED_TEST(DenseOf, WorksOnEmptyBlocks)
{
    using V = TypeParam;
    using R = real_t<V>;
    on_each_executor([](const Executor& exec) {
        for (const Dim size : {Dim{0, 0}, Dim{0, 2}, Dim{3, 0}}) {
            Dense<V> x(exec, size);
            x.fill(1);
            x.scale(2);
            x.add_scaled(V{1}, x.copy());
            const auto cols = static_cast<std::size_t>(size.cols);
            EXPECT_EQ(x.dot(x), std::vector<V>(cols, V{}));
            EXPECT_EQ(x.norm1(), std::vector<R>(cols, R{}));
            EXPECT_EQ(x.norm2(), std::vector<R>(cols, R{}));
            EXPECT_EQ(x.norm_inf(), std::vector<R>(cols, R{}));
            EXPECT_TRUE(x.to_host().empty());
        }
    });
}

TEST(DenseComplex, ConjugatesTheLeftSideOfDot)
{
    test::where_built<std::complex<double>>([]<class V>() {
        on_each_executor([](const Executor& exec) {
            const auto a = Dense<V>::vector(exec, {{1, 2}, {0, -1}});
            const auto b = Dense<V>::vector(exec, {{3, 0}, {1, 1}});
            EXPECT_EQ(a.dot(b), (std::vector<V>{{2, -5}}));  // (1 - 2i) 3 + i (1 + i)
            expect_near(a.norm1(), {std::sqrt(5.0) + 1}, 2);
            EXPECT_EQ(a.dot(a), (std::vector<V>{{6, 0}}));
        });
    });
}

TEST(Dense, ReductionsHaveTheSameBitsEachTime)
{
    Random random(2);
    on_each_executor([&](const Executor& exec) {
        const auto a = random_dense<double>(random, exec, {5000, 3}, 1);
        const auto first = a.dot(a);
        for (int repeat = 0; repeat < 5; ++repeat) {
            EXPECT_TRUE(test::same_bits(a.dot(a), first));
        }
    });
}

TEST(Dense, AdoptsMemoryWithAStride)
{
    std::vector<double> memory{1, 2, -1, 3, 4, -1};
    const auto exec = Executor::reference();
    auto a = Dense<double>::adopt(exec, {2, 2}, 3, memory.data());
    EXPECT_EQ(exec.counters().allocations, 0u);
    EXPECT_EQ(a.data(), memory.data());
    EXPECT_EQ(a.to_host(), (std::vector<double>{1, 2, 3, 4}));
    EXPECT_EQ(a.at(1, 0), 3);
    a.at(1, 1) = 40;
    a.scale(2);
    EXPECT_EQ(memory, (std::vector<double>{2, 4, -1, 6, 80, -1}));
}

TEST(Dense, AdoptsAVectorAsAColumn)
{
    std::vector<double> memory{1, 2, 3};
    auto a = Dense<double>::adopt(Executor::reference(), memory);
    EXPECT_EQ(a.size(), (Dim{3, 1}));
    a.scale(2);
    EXPECT_EQ(memory, (std::vector<double>{2, 4, 6}));
}

TEST(Dense, SharesMemoryWithItsColumns)
{
    on_each_executor([](const Executor& exec) {
        auto a = Dense<double>::from_rows(exec, {{1, 2, 3, 4}, {5, 6, 7, 8}});
        auto middle = a.columns(1, 2);
        EXPECT_EQ(middle.size(), (Dim{2, 2}));
        EXPECT_EQ(middle.stride(), 4);
        EXPECT_EQ(middle.to_host(), (std::vector<double>{2, 3, 6, 7}));
        middle.fill(0);
        EXPECT_EQ(a.to_host(), (std::vector<double>{1, 0, 0, 4, 5, 0, 0, 8}));
        EXPECT_EQ(a.columns(4, 0).size(), (Dim{2, 0}));
        EXPECT_THROW(a.columns(3, 2), InvalidParameter);
        EXPECT_THROW(a.columns(-1, 2), InvalidParameter);
        EXPECT_THROW(a.columns(0, -1), InvalidParameter);
        EXPECT_THROW(a.columns(1, std::numeric_limits<size_type>::max()), InvalidParameter);
    });
}

TEST(Dense, MovesWithoutACopy)
{
    const auto exec = Executor::reference();
    auto a = Dense<double>::from_rows(exec, {{1, 2}});
    const auto* data = a.data();
    Dense<double> b(std::move(a));
    EXPECT_EQ(b.data(), data);
    EXPECT_EQ(b.size(), (Dim{1, 2}));
    EXPECT_EQ(a.size(), (Dim{0, 0}));
    EXPECT_TRUE(a.executor() == exec);
    EXPECT_TRUE(a.to_host().empty());
    a.fill(1);
    EXPECT_EQ(a.norm2(), std::vector<double>{});
    a = std::move(b);
    EXPECT_EQ(a.data(), data);
    EXPECT_EQ(a.to_host(), (std::vector<double>{1, 2}));
    EXPECT_EQ(b.size(), (Dim{0, 0}));
}

TEST(Dense, ClonesAsAnOperator)
{
    for (const auto& to : tested_executors()) {
        const auto a = Dense<double>::from_rows(test::reference_executor(), {{1, 2}, {3, 4}, {5, 6}});
        const std::unique_ptr<LinOp<double>> clone = a.clone(to);
        EXPECT_EQ(clone->size(), a.size());
        auto x = Dense<double>(to, {3, 1});
        clone->apply(Dense<double>::vector(to, {1, -1}), x);
        EXPECT_EQ(x.to_host(), (std::vector<double>{-1, -1, -1}));
    }
}

TEST(Dense, RefusesSizesThatDoNotFit)
{
    const auto exec = Executor::reference();
    auto a = Dense<double>::filled(exec, {2, 3}, 1);
    const auto b = Dense<double>::filled(exec, {3, 2}, 1);
    EXPECT_THROW(a.copy_from(b), DimensionMismatch);
    EXPECT_THROW(a.add_scaled(1, b), DimensionMismatch);
    EXPECT_THROW((void)a.dot(b), DimensionMismatch);
    EXPECT_EQ(a.to_host(), std::vector<double>(6, 1));
    try {
        a.copy_from(b);
    } catch (const DimensionMismatch& e) {
        EXPECT_EQ(e.op, "Dense::copy_from");
        EXPECT_EQ(e.size_a, (Dim{2, 3}));
        EXPECT_EQ(e.size_b, (Dim{3, 2}));
    }
}

TEST(Dense, RefusesSizesThatCannotBe)
{
    const auto exec = Executor::reference();
    constexpr auto huge = std::numeric_limits<size_type>::max();
    EXPECT_THROW(Dense<double>(exec, {-1, 2}), InvalidParameter);
    EXPECT_THROW(Dense<double>(exec, {2, -1}), InvalidParameter);
    EXPECT_THROW(Dense<double>(exec, {2, 3}, 2), InvalidParameter);
    EXPECT_THROW(Dense<double>(exec, {huge, 4}), InvalidParameter);
    EXPECT_THROW(Dense<double>(exec, {huge / 4, 4}), OutOfMemory);
    EXPECT_THROW(Dense<double>::adopt(exec, {2, 3}, 2, nullptr), InvalidParameter);
    EXPECT_THROW(Dense<double>::from_rows(exec, {{1, 2}, {3}}), InvalidParameter);
}

}  // namespace
}  // namespace linden
