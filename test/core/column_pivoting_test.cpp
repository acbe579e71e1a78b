// needs: double complex64 int32
#include <linden/config/config.hpp>
#include <linden/error.hpp>
#include <linden/io/problems.hpp>
#include <linden/matrix/dense.hpp>
#include <linden/matrix/operations.hpp>
#include <linden/matrix/permutation.hpp>
#include <linden/preconditioner/ic.hpp>
#include <linden/preconditioner/ilu.hpp>
#include <linden/solver/bicgstab.hpp>

#include "core/factorization/column_pivoting.hpp"
#include "test/support/compare.hpp"
#include "test/support/matrices.hpp"

/// ILUTP: ILUT with column pivoting.
namespace linden::test {
namespace {

using I = std::int32_t;

template <class V>
Csr<V, I> csr(const Executor& exec, const CsrData<V, I>& a)
{
    return Csr<V, I>(exec, a);
}

TEST(ColumnPivoting, ByHand)
{
    const auto exec = reference_executor();
    const ThresholdRule all{3, 0};
    // [1 2 .; 4 . 8; . 1 1]: row 0 takes column 1 if 2 * pivoting > 1; then row 1 has (4, ., 8), row 2 (-1/2, ., 1).
    const auto a = csr<double>(exec, {{3, 3}, {0, 2, 4, 6}, {0, 1, 0, 2, 1, 2}, {1, 2, 4, 8, 1, 1}});
    EXPECT_EQ(linden::detail::columns_by_pivots(a, all, 1), (std::vector<I>{1, 2, 0}));
    EXPECT_EQ(linden::detail::columns_by_pivots(a, all, 0), (std::vector<I>{0, 1, 2}));
    // 2 * 0.4 < 1: column 0 stays. Row 1 has -8 in column 1 and 8 in column 2.
    EXPECT_EQ(linden::detail::columns_by_pivots(a, all, 0.4), (std::vector<I>{0, 1, 2}));
    // A row of zeros keeps its column.
    const auto empty = csr<double>(exec, {{2, 2}, {0, 0, 2}, {0, 1}, {5, 6}});
    EXPECT_EQ(linden::detail::columns_by_pivots(empty, all, 1), (std::vector<I>{0, 1}));
}

/// Without dropping the factors are exact, whichever diagonal the matrix has.
template <class V>
void expect_exact(real_t<V> tolerance)
{
    Random random(2904);
    auto data = random_csr<V, I>(random, {30, 30}, 12);
    for (I i = 0; i < 30; ++i) {
        for (I k = data.row_ptrs[i]; k < data.row_ptrs[i + 1]; ++k) {
            data.values[k] = data.col_idxs[k] == i ? V{} : data.values[k];
        }
    }
    on_each_executor([&](const Executor& exec) {
        const auto expected = random_dense<V>(random, exec, {30, 2});
        Dense<V> b(exec, {30, 2}), x(exec, {30, 2});
        const auto m = Ilut<V>::factory({.k = 30, .tol = 0, .pivoting = 1}).generate(share(csr(exec, data)));
        EXPECT_EQ(m->num_bad_pivots(), 0);
        EXPECT_GT(m->num_moved_columns(), 0);
        auto doubled = data;
        for (auto& value : doubled.values) {
            value *= V{2};
        }
        const auto second = share(csr(exec, doubled));
        for (const auto& matrix : {share(csr(exec, data)), second}) {
            m->update_values(matrix);
            matrix->apply(expected, b);
            m->apply(b, x);
            expect_near(x.to_host(), expected.to_host(), tolerance, real_t<V>{1});
        }
        const auto before = exec.counters().allocations;
        m->update_values(second);
        EXPECT_EQ(exec.counters().allocations, before);
        const auto twin = m->clone(exec);
        Dense<V> y(exec, {30, 2});
        twin->apply(b, y);
        expect_near(y.to_host(), x.to_host(), tolerance, real_t<V>{1});
    });
}

TEST(Ilutp, IsExactWithoutDropping)
{
    expect_exact<double>(1e6);
    expect_exact<std::complex<float>>(1e5f);
}

/// A matrix whose columns were shuffled has zeros on its diagonal, where ILUT finds no pivots.
TEST(Ilutp, SolvesWhatIlutCannot)
{
    const auto skew = generate_problem<double, I>("convdiff3d:6:5");
    const auto n = skew.size.rows;
    std::vector<I> order(static_cast<std::size_t>(n));
    for (I i = 0; i < n; ++i) {
        order[i] = static_cast<I>((i * I{7} + 3) % n);
    }
    const Permutation<double, I> shuffle(reference_executor(), order);
    const auto data = permute_columns(Csr<double, I>(reference_executor(), skew), shuffle).to_host();
    on_each_executor([&](const Executor& exec) {
        const auto converges = [&](double pivoting) {
            const auto solver =
                BiCgStab<double>::factory({.stop = {.max_iterations = 40, .relative_residual = 1e-9},
                                           .preconditioner = Ilut<double>::factory({.pivoting = pivoting})})
                    .generate(share(csr(exec, data)));
            auto x = Dense<double>::filled(exec, {n, 1}, 0);
            return solver->solve(Dense<double>::filled(exec, {n, 1}, 1), x).converged();
        };
        EXPECT_FALSE(converges(0));
        EXPECT_TRUE(converges(0.5));
    });
}

TEST(Ilutp, RefusesWhatItCannotDo)
{
    const auto a = share(csr(reference_executor(), generate_problem<double, I>("lap2d:3")));
    EXPECT_THROW(Ilut<double>::factory({.pivoting = -0.1}).generate(a), InvalidParameter);
    EXPECT_THROW(Ilut<double>::factory({.pivoting = 1.1}).generate(a), InvalidParameter);
    EXPECT_THROW(Ilut<double>::factory({.pivoting = 1, .blocks = 2}).generate(a), NotSupported);
    EXPECT_THROW(Ict<double>::factory({.pivoting = 1}).generate(a), NotSupported);
    EXPECT_EQ(Ilut<double>::factory({.pivoting = 0.1}).generate(a)->num_moved_columns(), 0);  // dominant diagonal
    EXPECT_EQ(config::to_short<double>(*config::parse_short<double>("ilut:pivoting=0.5")).text, "ilut:pivoting=0.5");
}

}  // namespace
}  // namespace linden::test
