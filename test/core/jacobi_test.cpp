// needs: double int32
#include <linden/error.hpp>
#include <linden/io/problems.hpp>
#include <linden/matrix/dense.hpp>
#include <linden/matrix/identity.hpp>
#include <linden/preconditioner/jacobi.hpp>
#include <linden/solver/cg.hpp>

#include "test/support/backends.hpp"
#include "test/support/pathological.hpp"

namespace linden::test {
namespace {

using I = std::int32_t;
namespace p = pathological;

template <class J>
LinOpPtr<double> csr(const Executor& exec, const CsrData<double, J>& a)
{
    return share(Csr<double, J>(exec, a));
}

std::vector<double> inverse_diagonal(const Jacobi<double>& jacobi) { return jacobi.inverse_diagonal().to_host(); }

TEST(Jacobi, InvertsTheDiagonal)
{
    on_each_executor([](const Executor& exec) {
        for_each_index([&]<class J>() {
            const auto jacobi = Jacobi<double>::factory().generate(csr(exec, p::healthy<double, J>()));
            EXPECT_EQ(jacobi->num_zero_diagonals(), 0);
            auto x = Dense<double>::filled(exec, {3, 1}, 1);
            jacobi->apply(4, Dense<double>::vector(exec, {1, 2, 3}), 1, x);
            EXPECT_EQ(x.to_host(), (std::vector<double>{3, 5, 7}));
        });
    });
}

TEST(Jacobi, CountsWhatIsNotThere)
{
    on_each_executor([](const Executor& exec) {
        const auto missing = Jacobi<double>::factory().generate(csr(exec, p::missing_diagonal<double, I>()));
        EXPECT_EQ(missing->num_zero_diagonals(), 1);
        EXPECT_EQ(inverse_diagonal(*missing), (std::vector<double>{0.5, 1, 0.5}));
        const auto zero = Jacobi<double>::factory().generate(csr(exec, p::zero_diagonal<double, I>()));
        EXPECT_EQ(zero->num_zero_diagonals(), 2);
        EXPECT_EQ(inverse_diagonal(*zero), (std::vector<double>{0.5, 1, 1}));
        const auto empty = Jacobi<double>::factory().generate(csr(exec, p::without_entries<double, I>(4)));
        EXPECT_EQ(empty->num_zero_diagonals(), 4);
    });
}

TEST(Jacobi, FollowsNewValues)
{
    on_each_executor([](const Executor& exec) {
        auto a = p::zero_diagonal<double, I>();
        const auto jacobi = Jacobi<double>::factory().generate(csr(exec, a));
        a.values[0] = 4;
        a.values[3] = 8;
        jacobi->update_values(csr(exec, a));
        EXPECT_EQ(inverse_diagonal(*jacobi), (std::vector<double>{0.25, 0.125, 1}));
        EXPECT_EQ(jacobi->num_zero_diagonals(), 1);
        EXPECT_EQ(dynamic_cast<const Jacobi<double>&>(*jacobi->clone(exec)).num_zero_diagonals(), 1);
    });
}

TEST(Jacobi, NeedsCompressedRows)
{
    try {
        (void)Jacobi<double>::factory().generate(share(Identity<double>(reference_executor(), 3)));
        ADD_FAILURE() << "no exception";
    } catch (const NotSupported& e) {
        EXPECT_EQ(e.op, "Jacobi");
        EXPECT_NE(e.why.find("Identity"), std::string::npos) << e.why;
    }
}

/// D A D with the Laplacian A on a 24 x 24 grid and D = diag(10^-2, ..., 10^2).
CsrData<double, I> badly_scaled()
{
    auto a = generate_problem<double, I>("lap2d:24");
    const auto scale = [](size_type row) { return std::pow(10.0, static_cast<double>(row % 5) - 2); };
    for (size_type row = 0; row < a.size.rows; ++row) {
        for (auto k = a.row_ptrs[row]; k < a.row_ptrs[row + 1]; ++k) {
            a.values[k] *= scale(row) * scale(a.col_idxs[k]);
        }
    }
    return a;
}

TEST(Jacobi, HelpsWhereScalingIsBad)
{
    on_each_executor([](const Executor& exec) {
        const auto a = csr(exec, badly_scaled());
        const auto n = a->size().rows;
        const auto iterations = [&](FactoryPtr<double> preconditioner) {
            const auto solver = Cg<double>::factory({.stop = {.max_iterations = 5000, .relative_residual = 1e-8},
                                                     .preconditioner = std::move(preconditioner)})
                                    .generate(a);
            auto x = Dense<double>::filled(exec, {n, 1}, 0);
            const auto result = solver->solve(Dense<double>::filled(exec, {n, 1}, 1), x);
            EXPECT_TRUE(result.converged()) << result.reason();
            return result.iterations();
        };
        const auto with = iterations(Jacobi<double>::factory());
        EXPECT_LT(with, 200);
        EXPECT_LT(5 * with, iterations(nullptr));
    });
}

}  // namespace
}  // namespace linden::test
