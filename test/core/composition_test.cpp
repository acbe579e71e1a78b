// needs: double int32
#include <linden/composition.hpp>
#include <linden/error.hpp>
#include <linden/factory.hpp>
#include <linden/matrix/dense.hpp>
#include <linden/matrix/diagonal.hpp>
#include <linden/matrix/identity.hpp>

#include <thread>

#include "core/kernels/reduction.hpp"
#include "test/support/backends.hpp"
#include "test/support/compare.hpp"
#include "test/support/matrices.hpp"

namespace linden::test {
namespace {

using Operators = std::vector<LinOpPtr<double>>;

LinOpPtr<double> dense(const Executor& exec, std::initializer_list<std::initializer_list<double>> rows)
{
    return share(Dense<double>::from_rows(exec, rows));
}

/// An operator that nobody has declared capturable.
class HostOnly final : public LinOp<double> {
public:
    HostOnly(const Executor& exec, size_type n) : LinOp(exec, {n, n}) {}
    std::string name() const override { return "HostOnly"; }

protected:
    void apply_impl(const Dense<double>& b, Dense<double>& x) const override { x.copy_from(b); }
};

TEST(Composition, AppliesTheLastFirst)
{
    on_each_executor([](const Executor& exec) {
        // [1 2] [1 0 1; 0 3 0] [1; 2; 4] = 17
        const Composition<double> product(
            {dense(exec, {{1, 2}}), dense(exec, {{1, 0, 1}, {0, 3, 0}}), dense(exec, {{1}, {2}, {4}})});
        EXPECT_EQ(product.size(), (Dim{1, 1}));
        Dense<double> x(exec, {1, 2});
        product.apply(Dense<double>::from_rows(exec, {{1, 10}}), x);
        EXPECT_EQ(x.to_host(), (std::vector<double>{17, 170}));
    });
}

TEST(Composition, OfOneOperatorIsThatOperator)
{
    const auto& exec = reference_executor();
    const Composition<double> one({dense(exec, {{2, 1}})});
    auto x = Dense<double>::filled(exec, {1, 1}, 1);
    one.apply(3, Dense<double>::vector(exec, {1, 1}), 1, x);
    EXPECT_EQ(x.to_host(), (std::vector<double>{10}));
}

TEST(Composition, ChecksNeighbours)
{
    const auto& exec = reference_executor();
    try {
        const Composition<double> wrong(
            {dense(exec, {{1, 2}}), dense(exec, {{1, 2}, {3, 4}}), dense(exec, {{1}, {2}, {4}})});
        ADD_FAILURE() << "no exception";
    } catch (const DimensionMismatch& e) {
        EXPECT_EQ(e.a, "operator 2");
        EXPECT_EQ(e.size_a, (Dim{2, 2}));
        EXPECT_EQ(e.b, "operator 3");
        EXPECT_EQ(e.size_b, (Dim{3, 1}));
    }
    EXPECT_THROW(Composition<double>(Operators{}), InvalidParameter);
    EXPECT_THROW(Composition<double>(Operators{nullptr}), InvalidParameter);
    EXPECT_THROW(Composition<double>(Operators{dense(exec, {{1}}), nullptr}), InvalidParameter);
}

TEST(Composition, BringsOperatorsToTheFirstOnesExecutor)
{
    on_each_executor([](const Executor& exec) {
        const Composition<double> product({dense(exec, {{2}}), dense(Executor::reference(), {{3}})});
        EXPECT_TRUE(product.executor() == exec);
        EXPECT_TRUE(product.operators()[1]->executor() == exec);
        auto x = Dense<double>::vector(exec, {0});
        product.apply(Dense<double>::vector(exec, {1}), x);
        EXPECT_EQ(x.to_host(), (std::vector<double>{6}));
    });
}

TEST(Composition, IsWhatItsOperatorsAre)
{
    const auto& exec = reference_executor();
    const auto identity = share(Identity<double>(exec, 2));
    const auto diagonal = share(Diagonal<double>(exec, {1, 2}));
    const auto on_host = std::make_shared<const HostOnly>(exec, 2);
    EXPECT_TRUE(Composition<double>({identity, identity}).is_identity());
    EXPECT_FALSE(Composition<double>({identity, diagonal}).is_identity());
    EXPECT_TRUE(Composition<double>({identity, diagonal}).is_capturable());
    EXPECT_FALSE(Composition<double>({on_host, diagonal}).is_capturable());
}

TEST(Composition, KeepsItsBlocks)
{
    on_each_executor([](const Executor& exec) {
        const Composition<double> product(
            {dense(exec, {{1, 2}}), dense(exec, {{1, 0, 1}, {0, 3, 0}}), dense(exec, {{1}, {2}, {4}})});
        const auto b = Dense<double>::from_rows(exec, {{1, 2, 3}});
        Dense<double> x(exec, {1, 3});
        auto first_b = Dense<double>::from_rows(exec, {{1}});
        auto first_x = x.columns(0, 1);
        Array<double> sums(exec, 3);
        auto workspace = ReductionWorkspace::for_values<double>(exec, 6);
        product.apply(b, x);
        const auto before = exec.counters().allocations;
        product.apply(b, x);
        product.apply(2, b, 1, x);
        product.apply_dot(b, x, {b, sums.data(), nullptr, workspace.view()});
        product.apply(first_b, first_x);
        EXPECT_EQ(exec.counters().allocations, before) << "fewer columns fit, too";
    });
}

TEST(Composition, ServesSeveralThreads)
{
    on_each_executor([](const Executor& exec) {
        constexpr size_type n = 300;
        Random random(401);
        const auto a = share(random_dense<double>(random, reference_executor(), {n, n}));
        const LinOpPtr<double> here(a->clone(exec));
        const Composition<double> product({here, here, here});
        const auto b = random_dense<double>(random, exec, {n, 2});
        Dense<double> expected(exec, {n, 2});
        product.apply(b, expected);
        const auto expected_values = expected.to_host();
        std::vector<std::vector<double>> results(4);
        std::vector<std::thread> threads;
        for (auto& result : results) {
            threads.emplace_back([&] {
                for (int repeat = 0; repeat < 5; ++repeat) {
                    Dense<double> x(exec, {n, 2});
                    product.apply(b, x);
                    result = x.to_host();
                }
            });
        }
        for (auto& thread : threads) {
            thread.join();
        }
        for (const auto& result : results) {
            EXPECT_TRUE(same_bits(result, expected_values));
        }
    });
}

}  // namespace
}  // namespace linden::test
