// needs: double int32
#include <linden/error.hpp>
#include <linden/preconditioner/ilu.hpp>
#include <linden/solver/fgmres.hpp>

#include "test/support/built_types.hpp"
#include "test/support/solvers.hpp"

namespace linden::test {
namespace {

GmresParameters<double> stored_in(StoragePrecision storage)
{
    return {.stop = {.max_iterations = 2000, .relative_residual = 1e-10}, .krylov_dim = 20, .basis_storage = storage};
}

/// Iterations to a true residual of 1e-10.
template <class Method>
size_type iterations(const Executor& exec, GmresParameters<double> parameters, size_type num_rhs = 1)
{
    const auto a = matrix_on(exec, laplace_2d<double>(40, 3));
    auto b = Dense<double>::filled(exec, {1600, num_rhs}, 1);
    auto x = Dense<double>::filled(exec, {1600, num_rhs}, 0);
    const auto result = Method::factory(std::move(parameters)).generate(a)->solve(b, x);
    EXPECT_TRUE(result.converged()) << result.reason();
    const auto norms = b.norm2();
    a->apply(-1, x, 1, b);
    for (std::size_t col = 0; col < norms.size(); ++col) {
        EXPECT_LE(b.norm2()[col], 1.001e-10 * norms[col]);
    }
    return result.iterations();
}

TEST(GmresBasisStorage, ConvergesAsFarInLowerPrecision)
{
    on_each_executor([](const Executor& exec) {
        const auto same = static_cast<double>(iterations<Gmres<double>>(exec, stored_in(StoragePrecision::same)));
        const auto single = static_cast<double>(iterations<Gmres<double>>(exec, stored_in(StoragePrecision::single)));
        const auto half = static_cast<double>(iterations<Gmres<double>>(exec, stored_in(StoragePrecision::half)));
        EXPECT_NEAR(single, same, 0.1 * same);
        EXPECT_LE(half, 1.5 * same);
    });
}

TEST(GmresBasisStorage, GoesWithPreconditionersAndSeveralRightHandSides)
{
    on_each_executor([](const Executor& exec) {
        for (const auto storage : {StoragePrecision::single, StoragePrecision::half}) {
            auto parameters = stored_in(storage);
            parameters.preconditioner = Ilu0<double>::factory();
            EXPECT_LT(iterations<Gmres<double>>(exec, parameters, 3), 60);
            EXPECT_LT(iterations<Fgmres<double>>(exec, parameters), 60);
        }
    });
}

/// 30 vectors of 10^4 rows: 2.4 MB, 1.2 in single and 0.6 in half precision, and two in double precision.
TEST(GmresBasisStorage, TakesLessMemory)
{
    on_each_executor([](const Executor& exec) {
        const auto a = matrix_on(exec, laplace_2d<double>(100));
        const auto b = Dense<double>::filled(exec, {10'000, 1}, 1);
        const auto bytes = [&](StoragePrecision storage) {
            const auto solver = Gmres<double>::factory({.stop = {.max_iterations = 30},
                                                        .orthogonalization = Orthogonalization::delayed,
                                                        .basis_storage = storage})
                                    .generate(a);
            auto x = Dense<double>::filled(exec, b.size(), 0);
            const auto before = exec.counters().allocated_bytes;
            solver->solve(b, x);
            return static_cast<double>(exec.counters().allocated_bytes - before);
        };
        const double same = bytes(StoragePrecision::same);
        EXPECT_NEAR(same - bytes(StoragePrecision::single), 29 * 80e3 - 30 * 40e3, 20e3);
        EXPECT_NEAR(same - bytes(StoragePrecision::half), 29 * 80e3 - 30 * 20e3, 20e3);
    });
}

TEST(GmresBasisStorage, RefusesWhatDoesNotGo)
{
    const auto a = matrix_on(reference_executor(), laplace_2d<double>(4));
    auto parameters = stored_in(StoragePrecision::single);
    EXPECT_EQ(Gmres<double>::factory(parameters).generate(a)->orthogonalization(), Orthogonalization::delayed);
    parameters.orthogonalization = Orthogonalization::immediate;
    EXPECT_THROW(Gmres<double>::factory(parameters).generate(a), InvalidParameter);
}

}  // namespace
}  // namespace linden::test
