// needs: double int32
#include <linden/error.hpp>
#include <linden/io/problems.hpp>
#include <linden/matrix/dense.hpp>
#include <linden/matrix/formatted.hpp>
#include <linden/matrix/identity.hpp>
#include <linden/matrix/operations.hpp>
#include <linden/matrix/sell.hpp>
#include <linden/preconditioner/ic.hpp>
#include <linden/preconditioner/ilu.hpp>
#include <linden/preconditioner/multicoloured.hpp>
#include <linden/solver/bicgstab.hpp>
#include <linden/solver/cg.hpp>
#include <linden/solver/gmres.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "test/support/compare.hpp"
#include "test/support/matrices.hpp"

/// Multi-coloured SSOR and incomplete factorizations as preconditioners.
namespace linden::test {
namespace {

using I = std::int32_t;
using Data = CsrData<double, I>;

LinOpPtr<double> csr(const Executor& exec, const Data& a) { return share(Csr<double, I>(exec, a)); }

/// The rows colour after colour, in the sequence of blocks.
std::vector<I> sequence(const Data& a, const ColouringOptions& options)
{
    const auto colouring = find_colouring(Csr<double, I>(reference_executor(), a), options);
    const auto colours = colouring.colours.to_host();
    std::vector<I> rows(static_cast<std::size_t>(a.size.rows));
    std::iota(rows.begin(), rows.end(), I{0});
    std::stable_sort(rows.begin(), rows.end(), [&](I i, I j) {
        const auto colour = [&](I row) { return colours[static_cast<std::size_t>(row / options.block_rows)]; };
        return colour(i) < colour(j);
    });
    return rows;
}

/// One sweep in place: for the rows in their order, x_i := (b_i - sum over rows j that come before i of a_ij x_j) *
/// omega / a_ii, with 1 for zeros on the diagonal.
std::vector<double> solve_in_sequence(const Data& a, const std::vector<I>& rows, double omega,
                                      const std::vector<double>& b)
{
    std::vector<double> x(b.size(), 0);
    std::vector<bool> is_found(b.size(), false);
    for (const auto row : rows) {
        const auto i = static_cast<std::size_t>(row);
        double sum = b[i];
        double diagonal = 0;
        for (I k = a.row_ptrs[i]; k < a.row_ptrs[i + 1]; ++k) {
            const auto entry = static_cast<std::size_t>(k);
            const auto j = static_cast<std::size_t>(a.col_idxs[entry]);
            diagonal = i == j ? a.values[entry] : diagonal;
            sum -= is_found[j] ? a.values[entry] * x[j] : 0;
        }
        x[i] = sum * omega / (diagonal == 0 ? 1 : diagonal);
        is_found[i] = true;
    }
    return x;
}

/// (D/omega + U)^-1 (2/omega - 1) D (D/omega + L)^-1 b, or a half of it, row after row.
std::vector<double> ssor(const Data& a, const McSsor<double>::Parameters& p, std::vector<double> x)
{
    auto rows = sequence(a, p.colours.colouring);
    if (p.direction != SweepDirection::backward) {
        x = solve_in_sequence(a, rows, p.omega, x);
    }
    if (p.direction == SweepDirection::symmetric) {
        for (std::size_t i = 0; i < x.size(); ++i) {
            double diagonal = 0;
            for (I k = a.row_ptrs[i]; k < a.row_ptrs[i + 1]; ++k) {
                const auto entry = static_cast<std::size_t>(k);
                diagonal = a.col_idxs[entry] == static_cast<I>(i) ? a.values[entry] : diagonal;
            }
            x[i] *= (2 / p.omega - 1) * (diagonal == 0 ? 1 : diagonal);
        }
    }
    std::reverse(rows.begin(), rows.end());
    return p.direction == SweepDirection::forward ? x : solve_in_sequence(a, rows, p.omega, x);
}

void expect_ssor(const Executor& exec, const Data& a, const McSsor<double>::Parameters& p, double tolerance = 64)
{
    const auto n = static_cast<std::size_t>(a.size.rows);
    Random random(911);
    std::vector<double> b(n);
    std::generate(b.begin(), b.end(), [&] { return random.value<double>(); });
    Dense<double> x(exec, {a.size.rows, 1});
    const auto op = McSsor<double>::factory(p).generate(csr(exec, a));
    op->apply(Dense<double>::vector(exec, b), x);
    expect_near(x.to_host(), ssor(a, p, b), tolerance);
}

/// The 2 x 2 grid has two colours: rows 0 and 3, rows 1 and 2.
TEST(Multicoloured, ByHand)
{
    on_each_executor([](const Executor& exec) {
        const auto op = McSsor<double>::factory().generate(csr(exec, generate_problem<double, I>("lap2d:2")));
        EXPECT_EQ(op->num_colours(), 2);
        EXPECT_EQ(op->colour_sizes(), (std::vector<size_type>{2, 2}));
        EXPECT_EQ(op->num_nonzeros(), 8);
        Dense<double> x(exec, {4, 1});
        op->apply(Dense<double>::vector(exec, {4, 8, 12, 16}), x);
        // y = (1, (8 + 1 + 4) / 4, (12 + 1 + 4) / 4, 4), and x_0 and x_3 once more: y + (y_1 + y_2) / 4
        expect_near(x.to_host(), {1 + 7.5 / 4, 13. / 4, 17. / 4, 4 + 7.5 / 4}, 8);
    });
}

/// A diagonally dominant matrix whose pattern is not symmetric.
Data unsymmetric(size_type n, Pattern pattern)
{
    Random random(912);
    auto a = random_csr<double, I>(random, {n, n}, 4, pattern);
    Data result{a.size, {0}, {}, {}};
    for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i) {
        bool is_placed = false;
        const auto place = [&] {
            result.col_idxs.push_back(static_cast<I>(i));
            result.values.push_back(a.row_ptrs[i + 1] - a.row_ptrs[i] + 2);
            is_placed = true;
        };
        for (I k = a.row_ptrs[i]; k < a.row_ptrs[i + 1]; ++k) {
            const auto entry = static_cast<std::size_t>(k);
            const auto col = static_cast<std::size_t>(a.col_idxs[entry]);
            if (col >= i && !is_placed) {
                place();
            }
            if (col != i) {
                result.col_idxs.push_back(a.col_idxs[entry]);
                result.values.push_back(a.values[entry]);
            }
        }
        if (!is_placed) {
            place();
        }
        result.row_ptrs.push_back(static_cast<I>(result.values.size()));
    }
    return result;
}

TEST(Multicoloured, SweepsRowAfterRow)
{
    on_each_executor([](const Executor& exec) {
        for (const auto direction : {SweepDirection::symmetric, SweepDirection::forward, SweepDirection::backward}) {
            for (const double omega : {1., 0.5, 1.5}) {
                for (const size_type block_rows : {1, 3}) {
                    McSsor<double>::Parameters p{.omega = omega, .direction = direction};
                    p.colours.colouring.block_rows = block_rows;
                    expect_ssor(exec, generate_problem<double, I>("lap2d:13"), p);
                    expect_ssor(exec, generate_problem<double, I>("st27:5"), p);
                    expect_ssor(exec, unsymmetric(101, Pattern::uniform), p);
                    expect_ssor(exec, unsymmetric(101, Pattern::empty_rows), p);
                    expect_ssor(exec, unsymmetric(101, Pattern::dense_row), p);
                }
            }
        }
    });
}

/// Rows in windows by their lengths, long ones in parts of their own, also alone in their colour.
TEST(Multicoloured, SweepsRowsOfDifferentLengths)
{
    on_each_executor([](const Executor& exec) {
        for (const auto direction : {SweepDirection::symmetric, SweepDirection::forward, SweepDirection::backward}) {
            for (const auto* const problem : {"powerlaw:3000:7:1", "powerlaw:2500:30:2"}) {
                expect_ssor(exec, generate_problem<double, I>(problem), {.omega = 1.2, .direction = direction}, 4096);
            }
        }
    });
}

TEST(Multicoloured, TakesZerosOnTheDiagonalForOnes)
{
    on_each_executor([](const Executor& exec) {
        // [2 1 .; 1 0 1; . 1 .], an entry of 0 and none
        const Data a{{3, 3}, {0, 2, 5, 6}, {0, 1, 0, 1, 2, 1}, {2, 1, 1, 0, 1, 1}};
        expect_ssor(exec, a, {});
        EXPECT_EQ(McSsor<double>::factory().generate(csr(exec, a))->num_replaced_pivots(), 2);
        EXPECT_GT(McIlu<double>::factory().generate(csr(exec, a))->num_replaced_pivots(), 0);
        const auto grid = csr(exec, generate_problem<double, I>("lap2d:3"));
        EXPECT_EQ(McSsor<double>::factory().generate(grid)->num_replaced_pivots(), 0);
        EXPECT_EQ(McIlu<double>::factory().generate(grid)->num_replaced_pivots(), 0);
        EXPECT_EQ(McIc<double>::factory().generate(grid)->num_replaced_pivots(), 0);
    });
}

/// M^-1 b as P^T (L U)^-1 P b with factors of P A P^T.
template <class Factorization, class Colours>
void expect_factors(const Executor& exec, const Data& data, const ColouringOptions& options)
{
    const Csr<double, I> a(exec, data);
    const Permutation<double, I> p(exec, sequence(data, options));
    const auto factors = Factorization::factory().generate(share(permute_symmetric(a, p)));
    typename Colours::Parameters parameters;
    parameters.colours.colouring = options;
    const auto op = Colours::factory(parameters).generate(csr(exec, data));
    Random random(913);
    const auto b = random_dense<double>(random, exec, {data.size.rows, 2});
    Dense<double> permuted(exec, b.size()), y(exec, b.size()), expected(exec, b.size()), x(exec, b.size());
    p.apply(b, permuted);
    factors->apply(permuted, y);
    p.inverse().apply(y, expected);
    op->apply(b, x);
    expect_near(x.to_host(), expected.to_host(), 256);
}

TEST(Multicoloured, FactorsAreThoseOfThePermutedMatrix)
{
    on_each_executor([](const Executor& exec) {
        for (const size_type block_rows : {1, 4}) {
            const ColouringOptions options{.block_rows = block_rows};
            for (const auto* const problem : {"lap2d:11", "lap3d:6", "st27:5"}) {
                const auto a = generate_problem<double, I>(problem);
                expect_factors<Ilu0<double>, McIlu<double>>(exec, a, options);
                expect_factors<Ic0<double>, McIc<double>>(exec, a, options);
            }
            expect_factors<Ilu0<double>, McIlu<double>>(exec, unsymmetric(101, Pattern::uniform), options);
            expect_factors<Ilu0<double>, McIlu<double>>(exec, unsymmetric(101, Pattern::dense_row), options);
            expect_factors<Ilu0<double>, McIlu<double>>(exec, generate_problem<double, I>("convdiff3d:5:30"), options);
        }
    });
}

/// A high power of a connected pattern is full, so that factors are exact.
TEST(Multicoloured, IsExactWithAllFill)
{
    on_each_executor([](const Executor& exec) {
        const auto a = csr(exec, generate_problem<double, I>("lap2d:5"));
        Random random(914);
        const auto x = random_dense<double>(random, exec, {25, 3});
        Dense<double> b(exec, x.size()), solution(exec, x.size());
        a->apply(x, b);
        const auto ilu = McIlu<double>::factory({.p = 8}).generate(a);
        EXPECT_EQ(ilu->num_colours(), 25);
        EXPECT_EQ(ilu->num_nonzeros(), 600);
        ilu->apply(b, solution);
        expect_near(solution.to_host(), x.to_host(), 1e4, 1.0);
        McIc<double>::factory({.p = 8}).generate(a)->apply(b, solution);
        expect_near(solution.to_host(), x.to_host(), 1e4, 1.0);
    });
}

SolveResult solve(const Executor& exec, const Data& a, FactoryPtr<double> preconditioner, double tolerance = 1e-8)
{
    const auto solver =
        Cg<double>::factory({.stop = {.relative_residual = tolerance}, .preconditioner = std::move(preconditioner)})
            .generate(csr(exec, a));
    const auto n = static_cast<std::size_t>(a.size.rows);
    auto x = Dense<double>::vector(exec, std::vector<double>(n, 0));
    const auto result = solver->solve(Dense<double>::vector(exec, std::vector<double>(n, 1)), x);
    EXPECT_TRUE(result.converged()) << result.reason();
    return result;
}

/// Counts fall with fill and are those of the reference, in either ordering of the iteration.
TEST(Multicoloured, PreconditionsCgAlikeEverywhere)
{
    const auto data = generate_problem<double, I>("lap2d:50");
    const auto iterations = [&](const Executor& exec, FactoryPtr<double> m) {
        return solve(exec, data, m).iterations();
    };
    on_each_executor([&](const Executor& exec) {
        const auto plain = iterations(exec, nullptr);
        const auto sgs = iterations(exec, McSsor<double>::factory());
        EXPECT_LE(std::abs(2 * sgs - plain), 4);  // red-black ordering: half of the iterations, two products in each
        EXPECT_EQ(sgs, iterations(reference_executor(), McSsor<double>::factory()));
        EXPECT_EQ(sgs, iterations(exec, McSsor<double>::factory({.colours = {.permute_loop = false}})));
        EXPECT_LE(std::abs(iterations(exec, McIlu<double>::factory()) - sgs), 2);
        EXPECT_LE(std::abs(iterations(exec, McIc<double>::factory()) - sgs), 2);
        const auto ilu1 = iterations(exec, McIlu<double>::factory({.p = 1}));
        EXPECT_LT(ilu1, sgs);
        EXPECT_LT(iterations(exec, McIlu<double>::factory({.p = 2})), ilu1);
        for (const auto storage : {StoragePrecision::single, StoragePrecision::half}) {
            EXPECT_LE(iterations(exec, McSsor<double>::factory({.colours = {.storage = storage}})), sgs + 2);
        }
    });
}

/// The solution does not tell in which ordering it was found.
TEST(Multicoloured, PermutesTheLoopOfEverySolver)
{
    const auto data = generate_problem<double, I>("convdiff3d:8:20");
    const auto n = data.size.rows;
    on_each_executor([&](const Executor& exec) {
        const auto a = csr(exec, data);
        Random random(915);
        const auto expected = random_dense<double>(random, exec, {n, 2});
        Dense<double> b(exec, expected.size());
        a->apply(expected, b);
        const auto expect_solved = [&](const auto& factory) {
            const auto solver = factory.generate(a);
            auto x = random_dense<double>(random, exec, expected.size());
            EXPECT_TRUE(solver->solve(b, x, {.history = true}).converged());
            expect_near(x.to_host(), expected.to_host(), 1e7, 1.0);
            Dense<double> y(exec, expected.size());
            solver->apply(b, y);
            expect_near(y.to_host(), expected.to_host(), 1e7, 1.0);
        };
        for (const bool permute_loop : {true, false}) {
            const auto m = McIlu<double>::factory({.colours = {.permute_loop = permute_loop}});
            const Stop stop{.relative_residual = 1e-12};
            expect_solved(BiCgStab<double>::factory({.stop = stop, .preconditioner = m}));
            expect_solved(Gmres<double>::factory({.stop = stop, .preconditioner = m}));
        }
    });
}

TEST(Multicoloured, LeavesOtherFormatsInTheirOrdering)
{
    on_each_executor([](const Executor& exec) {
        const auto source = share(Csr<double, I>(exec, generate_problem<double, I>("lap2d:9")));
        const auto sell = share(Formatted<double>(source, share(Sell<double, I>::from_csr(*source))));
        EXPECT_EQ(McSsor<double>::factory().generate(sell)->reordered_system().matrix, nullptr);
        const auto system = McSsor<double>::factory().generate(source)->reordered_system();
        ASSERT_NE(system.matrix, nullptr);
        Random random(916);
        const auto b = random_dense<double>(random, exec, {81, 1});
        Dense<double> there(exec, {81, 1}), y(exec, {81, 1}), x(exec, {81, 1}), expected(exec, {81, 1});
        system.to->apply(b, there);
        system.matrix->apply(there, y);
        system.back->apply(y, x);
        source->apply(b, expected);
        expect_near(x.to_host(), expected.to_host(), 32);
    });
}

TEST(Multicoloured, TakesNewValues)
{
    on_each_executor([](const Executor& exec) {
        auto data = generate_problem<double, I>("lap2d:12");
        const auto ones = std::vector<double>(144, 1);
        const auto b = Dense<double>::vector(exec, ones);
        const auto check = [&](const auto& factory) {
            auto old = data;
            std::fill(old.values.begin(), old.values.end(), 1.0);
            const auto solver = Cg<double>::factory({.stop = {.relative_residual = 1e-8}, .preconditioner = factory})
                                    .generate(csr(exec, old));
            auto op = factory.generate(csr(exec, old));
            Random random(917);
            for (auto& value : data.values) {
                value *= 1 + 1e-2;
            }
            const auto a = csr(exec, data);
            op->update_values(a);
            solver->update_values(a);
            Dense<double> x(exec, {144, 1}), expected(exec, {144, 1});
            op->apply(b, x);
            factory.generate(a)->apply(b, expected);
            EXPECT_EQ(x.to_host(), expected.to_host());
            auto solution = Dense<double>::vector(exec, std::vector<double>(144, 0));
            EXPECT_TRUE(solver->solve(b, solution).converged());
            a->apply(solution, x);
            expect_near(x.to_host(), ones, 1e9, 1.0);
        };
        check(McSsor<double>::factory());
        check(McIlu<double>::factory());
        check(McIc<double>::factory({.p = 1}));
    });
}

TEST(Multicoloured, RefusesWhatItCannotDo)
{
    on_each_executor([](const Executor& exec) {
        const auto a = csr(exec, generate_problem<double, I>("lap2d:3"));
        EXPECT_THROW(McSsor<double>::factory().generate(share(Identity<double>(exec, 3))), NotSupported);
        EXPECT_THROW(McIlu<double>::factory().generate(share(Csr<double, I>(exec, Dim{2, 3}))), DimensionMismatch);
        EXPECT_THROW(McSsor<double>::factory({.omega = 2}).generate(a), InvalidParameter);
        EXPECT_THROW(McSsor<double>::factory({.omega = 0}).generate(a), InvalidParameter);
        EXPECT_THROW(McSsor<double>::factory({.omega = std::nan("")}).generate(a), InvalidParameter);
        EXPECT_THROW(McIlu<double>::factory({.p = -1}).generate(a), InvalidParameter);
        EXPECT_THROW(McSsor<double>::factory({.colours = {.colouring = {.block_rows = 0}}}).generate(a),
                     InvalidParameter);
        EXPECT_THROW(McSsor<double>::factory().generate(a)->update_values(
                         csr(exec, {{9, 9}, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, {}, {}})),
                     DimensionMismatch);
    });
}

TEST(Multicoloured, EmptyAndOneByOne)
{
    on_each_executor([](const Executor& exec) {
        const auto check = [&](const auto& factory) {
            Dense<double> nothing(exec, {0, 1}), result(exec, {0, 1});
            factory.generate(share(Csr<double, I>(exec, Dim{0, 0})))->apply(nothing, result);
            Dense<double> x(exec, {1, 1});
            factory.generate(csr(exec, {{1, 1}, {0, 1}, {0}, {4}}))->apply(Dense<double>::vector(exec, {2}), x);
            EXPECT_EQ(x.to_host(), (std::vector<double>{0.5}));
        };
        check(McSsor<double>::factory());
        check(McIlu<double>::factory());
        check(McIc<double>::factory());
    });
}

}  // namespace
}  // namespace linden::test
