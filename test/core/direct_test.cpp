// needs: double int32
#include <linden/config/config.hpp>
#include <linden/error.hpp>
#include <linden/io/problems.hpp>
#include <linden/matrix/dense.hpp>
#include <linden/solver/direct.hpp>
#include <linden/solver/gmres.hpp>

#include <algorithm>
#include <cmath>
#include <complex>
#include <set>

#include "test/support/compare.hpp"
#include "test/support/entries_of.hpp"
#include "test/support/matrices.hpp"

/// Lu, Cholesky and Ldlt.
namespace linden::test {
namespace {

using I = std::int32_t;

LinOpPtr<double> csr(const Executor& exec, const CsrData<double, I>& a) { return share(Csr<double, I>(exec, a)); }

Dense<double> some_vectors(const Executor& exec, Dim size, std::uint64_t seed)
{
    Random random(seed);
    return random_dense<double>(random, exec, size);
}

/// Solves for two right-hand sides and expects a componentwise backward error of some eps.
template <class Solver>
SolveResult expect_solves(const Solver& solver, const LinOpPtr<double>& a, double factor = 4096)
{
    const auto& exec = a->executor();
    const auto b = some_vectors(exec, {a->size().rows, 2}, 5);
    Dense<double> x(exec, b.size());
    x.fill(0);
    const auto result = solver.solve(b, x);
    EXPECT_TRUE(result.converged()) << result.reason();
    for (const double error : componentwise_backward_error(*a, b, x)) {
        EXPECT_LE(error, factor * std::numeric_limits<double>::epsilon());
    }
    return result;
}

/// A saddle point: zeros on the diagonal that no order of the rows and columns together avoids.
CsrData<double, I> saddle_point(I n)
{
    std::vector<std::vector<double>> rows(2 * n, std::vector<double>(2 * n, 0));
    for (I i = 0; i < n; ++i) {
        rows[i][i] = 4 + i % 3;
        rows[i][(i + 1) % n] += 1;
        rows[i][n + i] = rows[n + i][i] = 1;
        rows[i][n + (i + 5) % n] += 0.5;
        rows[n + (i + 5) % n][i] += 0.5;
    }
    return entries_of(rows);
}

TEST(Direct, SolvesGrids)
{
    on_each_executor([](const Executor& exec) {
        for (const auto* spec : {"lap2d:12", "lap3d:5"}) {
            const auto a = csr(exec, generate_problem<double, I>(spec));
            for (const auto ordering : {FillOrdering::automatic, FillOrdering::rcm, FillOrdering::natural}) {
                expect_solves(*Cholesky<double>::factory({.ordering = ordering}).generate(a), a);
                expect_solves(*Ldlt<double>::factory({.ordering = ordering}).generate(a), a);
            }
            expect_solves(*Lu<double>::factory().generate(a), a);
        }
    });
}

TEST(Direct, SolvesUnsymmetricSystems)
{
    on_each_executor([](const Executor& exec) {
        const auto flow = csr(exec, generate_problem<double, I>("convdiff3d:5:20"));
        expect_solves(*Lu<double>::factory().generate(flow), flow);
        Random random(3);
        for (const size_type n : {1, 2, 17, 150}) {
            auto data = random_csr<double, I>(random, {n, n}, 3);
            for (auto& value : data.values) {
                value = std::ldexp(value, static_cast<int>(random.integer(0, 30)));
            }
            const auto a = csr(exec, data);
            const auto solver = Lu<double>::factory().generate(a);
            LuParameters nearly;
            nearly.matching = PivotMatching::approximate;
            if (solver->num_unmatched_rows() == 0) {
                expect_solves(*solver, a);
                expect_solves(*Lu<double>::factory(nearly).generate(a), a);
            }
        }
    });
}

/// Rows of the identity among those of a grid, as boundary values make them, and others that no row depends on.
CsrData<double, I> with_singletons(CsrData<double, I> a)
{
    CsrData<double, I> result{a.size, {0}, {}, {}};
    const auto is_apart = [](size_type column) { return column % 11 == 5; };
    for (size_type row = 0; row < a.size.rows; ++row) {
        for (auto k = a.row_ptrs[row]; k < a.row_ptrs[row + 1]; ++k) {
            const bool is_boundary = row % 7 == 3 && a.col_idxs[k] != row;
            if (!is_boundary && (!is_apart(a.col_idxs[k]) || a.col_idxs[k] == row)) {
                result.col_idxs.push_back(a.col_idxs[k]);
                result.values.push_back(a.values[k]);
            }
        }
        result.row_ptrs.push_back(static_cast<I>(result.values.size()));
    }
    return result;
}

TEST(Direct, EliminatesFirstWhatFillsNothingIn)
{
    LuParameters by_columns;
    by_columns.pivoting = Pivoting::partial;
    const auto data = with_singletons(generate_problem<double, I>("convdiff3d:5:9"));
    on_each_executor([&](const Executor& exec) {
        const auto a = csr(exec, data);
        const auto solver = Lu<double>::factory().generate(a);
        expect_solves(*solver, a);
        EXPECT_EQ(solver->num_replaced_pivots(), 0);
        EXPECT_EQ(Lu<double>::size_for(*a).entries, solver->factor_size().entries);
        expect_solves(*Lu<double>::factory(by_columns).generate(a), a);
    });
    // All pivots of a triangular matrix are of that kind, with any rows and columns.
    std::vector<std::vector<double>> rows(40, std::vector<double>(40, 0.0));
    size_type entries = 0;
    for (std::size_t i = 0; i < 40; ++i) {
        for (std::size_t j = i; j < 40; ++j) {
            const bool is_entry = j == i || (7 * i + 5 * j) % 9 < 2;
            rows[3 * i % 40][7 * j % 40] = is_entry ? 4.0 + static_cast<double>(j == i) : 0.0;
            entries += is_entry ? 1 : 0;
        }
    }
    const auto triangular = csr(Executor::reference(), entries_of(rows));
    EXPECT_EQ(Lu<double>::size_for(*triangular).entries, entries);
}

/// Central differences of a first derivative each way: the diagonal is small, and no matching of others is symmetric.
CsrData<double, I> waves(I n)
{
    MatrixData<double, I> a{{n * n, n * n}, {}, {}, {}};
    for (I i = 0; i < n; ++i) {
        for (I j = 0; j < n; ++j) {
            const auto add = [&](I x, I y, double value) {
                if (x >= 0 && x < n && y >= 0 && y < n) {
                    a.rows.push_back(i * n + j);
                    a.cols.push_back(x * n + y);
                    a.values.push_back(value);
                }
            };
            add(i, j, 1e-3);
            add(i + 1, j, 1);
            add(i - 1, j, -1);
            add(i, j + 1, 1);
            add(i, j - 1, -1);
        }
    }
    return to_csr(a);
}

/// With the order of A + A^T factors have 33 times the entries of A, with that of A^H A 12.
TEST(Direct, OrdersAnewWherePivotsLeaveTheDiagonal)
{
    const auto a = csr(Executor::reference(), waves(60));
    const auto entries_with = [&](FillOrdering ordering) {
        const auto solver = Lu<double>::factory({{.ordering = ordering}, Pivoting::partial}).generate(a);
        expect_solves(*solver, a);
        return static_cast<double>(solver->factor_size().entries);
    };
    const auto nnz = static_cast<double>(dynamic_cast<const Csr<double, I>&>(*a).num_nonzeros());
    const double asked_for = entries_with(FillOrdering::amd), free = entries_with(FillOrdering::automatic);
    EXPECT_GT(asked_for, 2 * free);
    EXPECT_LT(free, 16 * nnz);
}

TEST(Direct, SolvesSaddlePoints)
{
    on_each_executor([](const Executor& exec) {
        const auto a = csr(exec, saddle_point(30));
        for (const auto pivoting : {Pivoting::automatic, Pivoting::partial}) {
            const auto solver = Lu<double>::factory({{}, pivoting}).generate(a);
            expect_solves(*solver, a);
            EXPECT_EQ(solver->num_unmatched_rows(), 0);
        }
    });
}

/// By 2 x 2 pivots, without a replaced one.
TEST(Direct, FactorizesSaddlePointsSymmetrically)
{
    on_each_executor([](const Executor& exec) {
        const auto a = csr(exec, saddle_point(30));
        for (const auto ordering : {FillOrdering::automatic, FillOrdering::natural, FillOrdering::rcm}) {
            const auto solver = Ldlt<double>::factory({.ordering = ordering}).generate(a);
            expect_solves(*solver, a);
            EXPECT_EQ(solver->num_replaced_pivots(), 0);
            const auto inertia = solver->inertia();
            EXPECT_EQ(inertia.positive, 30);
            EXPECT_EQ(inertia.negative, 30);
            EXPECT_EQ(inertia.zero, 0);
        }
        auto other = saddle_point(30);
        for (auto& value : other.values) {
            value *= -2;
        }
        const auto solver = Ldlt<double>::factory().generate(a);
        const auto b = csr(exec, other);
        const auto before = exec.counters();
        solver->update_values(b);
        EXPECT_EQ(exec.counters().allocations, before.allocations);
        expect_solves(*solver, b);
    });
}

/// Leading 2 x 2 blocks that are nearly singular, which the matching cannot see.
TEST(Direct, SolvesWhereBlocksAreNearlySingular)
{
    std::vector<std::vector<double>> rows(40, std::vector<double>(40, 0));
    for (std::size_t i = 0; i < 40; i += 2) {
        rows[i][i] = rows[i][i + 1] = rows[i + 1][i] = 1;
        rows[i + 1][i + 1] = 1 + 1e-14;
        rows[i][(i + 2) % 40] = 1;
        rows[i + 1][(i + 3) % 40] = -1;
        rows[i + 1][(i + 2) % 40] = 0.5;
    }
    on_each_executor([&](const Executor& exec) {
        const auto a = csr(exec, entries_of(rows));
        const auto partial = Lu<double>::factory({{.ordering = FillOrdering::natural}, Pivoting::partial}).generate(a);
        EXPECT_TRUE(partial->has_partial_pivoting());
        EXPECT_EQ(partial->num_replaced_pivots(), 0);
        expect_solves(*partial, a);
        expect_solves(*Lu<double>::factory({{.ordering = FillOrdering::natural}}).generate(a), a);
    });
}

TEST(Direct, TakesNewValuesWithoutAllocating)
{
    on_each_executor([](const Executor& exec) {
        const auto first = generate_problem<double, I>("convdiff3d:5:20");
        auto second = first;
        for (std::size_t k = 0; k < second.values.size(); ++k) {
            second.values[k] *= 1 + 0.3 * std::sin(static_cast<double>(k));
        }
        const auto a = csr(exec, second);
        const auto solver = Lu<double>::factory().generate(csr(exec, first));
        const auto before = exec.counters();
        solver->update_values(a);
        const auto after = exec.counters();
        EXPECT_EQ(after.allocations, before.allocations);
        expect_solves(*solver, a);
    });
}

/// Blocks of a block triangular form with a few entries above them, as of a circuit; some diagonal entries are small or
/// missing, so that pivots are exchanged.
CsrData<double, I> blocks_in_a_row(I n, double seed)
{
    CsrData<double, I> a{{n, n}, {0}, {}, {}};
    for (I i = 0; i < n; ++i) {
        const I first = i / 6 * 6, last = std::min<I>(first + 6, n) - 1;
        std::set<I> columns{first + (i + 1 - first) % (last + 1 - first), first + (i + 4 - first) % (last + 1 - first)};
        if (i % 9 != 4) {
            columns.insert(i);
        }
        if (i % 3 == 0) {
            columns.insert(std::min<I>(last + 1 + i % 40, n - 1));
        }
        for (const I j : columns) {
            a.col_idxs.push_back(j);
            a.values.push_back((j == i ? (i % 11 == 0 ? 1e-5 : 4) : 1) + 0.3 * std::sin(seed + i + 7 * j));
        }
        a.row_ptrs.push_back(static_cast<I>(a.values.size()));
    }
    return a;
}

/// On any number of threads, without allocation, and with the same bits.
TEST(Direct, SolvesCircuitsAndTheirNewValues)
{
    std::vector<std::vector<double>> solutions;
    constexpr I n = 9000;
    for (const int threads : {1, 2, 3}) {
        const auto exec = Executor::omp({.threads = threads});
        const auto solver = Lu<double>::factory().generate(csr(exec, blocks_in_a_row(n, 0)));
        EXPECT_TRUE(
            solver->has_partial_pivoting());  // not as a last resort: it took fewer entries than fixed pivots do
        expect_solves(*solver, csr(exec, blocks_in_a_row(n, 0)));
        EXPECT_EQ(solver->num_replaced_pivots(), 0);
        EXPECT_EQ(solver->factor_size().entries, Lu<double>::size_for(*csr(exec, blocks_in_a_row(n, 0))).entries);
        for (const double seed : {1e-3, 2e-3}) {
            const auto a = csr(exec, blocks_in_a_row(n, seed));
            const auto before = exec.counters();
            solver->update_values(a);
            EXPECT_EQ(exec.counters().allocations, before.allocations);
            expect_solves(*solver, a);
        }
        Dense<double> b = Dense<double>::filled(exec, {n, 1}, 1.0), x = Dense<double>::filled(exec, {n, 1}, 0.0);
        solver->solve(b, x);
        solutions.push_back(x.to_host());
    }
    EXPECT_EQ(solutions[0], solutions[1]);
    EXPECT_EQ(solutions[0], solutions[2]);
    on_each_executor([](const Executor& exec) {
        const auto a = csr(exec, blocks_in_a_row(100, 0));
        const auto solver = Lu<double>::factory().generate(a);
        expect_solves(*solver, a);
        solver->update_values(csr(exec, blocks_in_a_row(100, 1e-3)));
        expect_solves(*solver, csr(exec, blocks_in_a_row(100, 1e-3)));
    });
}

/// Hermitian matrices with few entries a row: half of the work while new values are Hermitian, too.
TEST(Direct, TakesNewValuesOfHermitianMatrices)
{
    const auto first = generate_problem<double, I>("aniso2d:40:0.1");
    auto same = first, other = first, indefinite = first;
    for (std::size_t k = 0; k < first.values.size(); ++k) {
        same.values[k] *= 3;
        other.values[k] *= 1 + 0.3 * std::sin(static_cast<double>(k));
        indefinite.values[k] -= first.values[k] > 0 ? 0.7 : 0;
    }
    std::vector<std::vector<double>> solutions;
    for (const int threads : {1, 2, 0}) {
        const auto exec = threads > 0 ? Executor::omp({.threads = threads}) : Executor::reference();
        const auto lu = Lu<double>::factory().generate(csr(exec, first));
        const auto ldlt = Ldlt<double>::factory().generate(csr(exec, first));
        expect_solves(*lu, csr(exec, first));
        expect_solves(*ldlt, csr(exec, first));
        EXPECT_EQ(ldlt->inertia().positive, 1600);
        EXPECT_EQ(lu->factor_size().operations, Lu<double>::size_for(*csr(exec, first)).operations);
        EXPECT_EQ(ldlt->factor_size().operations, lu->factor_size().operations);
        for (const auto* values : {&same, &other, &indefinite, &same}) {
            const auto a = csr(exec, *values);
            const auto before = exec.counters();
            lu->update_values(a);
            EXPECT_EQ(exec.counters().allocations, before.allocations);
            expect_solves(*lu, a);
        }
        Dense<double> b = Dense<double>::filled(exec, {1600, 1}, 1.0), x = Dense<double>::filled(exec, {1600, 1}, 0.0);
        lu->solve(b, x);
        if (threads > 0) {
            solutions.push_back(x.to_host());
        }
    }
    EXPECT_EQ(solutions[0], solutions[1]);
}

TEST(Direct, KnowsItsSizeBefore)
{
    const auto exec = Executor::reference();
    const auto a = csr(exec, generate_problem<double, I>("lap2d:20"));
    const auto before = Lu<double>::size_for(*a);
    const auto after = Lu<double>::factory().generate(a)->factor_size();
    EXPECT_EQ(before.entries, after.entries);
    EXPECT_EQ(before.bytes, after.bytes);
    EXPECT_EQ(2 * Cholesky<double>::size_for(*a).entries - 400, before.entries);
    // A dense matrix of order 3: 3 divisions, and 2 * 4 + 2 * 1 operations in the Schur complements
    const auto dense = csr(exec, entries_of({{4, 1, 1}, {1, 4, 1}, {1, 1, 4}}));
    EXPECT_EQ(Lu<double>::size_for(*dense).entries, 9);
    EXPECT_EQ(Lu<double>::size_for(*dense).operations, 13);
}

TEST(Direct, HasTheDeterminant)
{
    on_each_executor([](const Executor& exec) {
        const auto general = csr(exec, entries_of({{1, 2, 0}, {0, 0, 4}, {5, 3, 0}}));  // det = -4 (3 - 10) = 28
        for (const auto pivoting : {Pivoting::fixed, Pivoting::partial}) {
            const auto lu = Lu<double>::factory({{}, pivoting}).generate(general)->log_determinant();
            EXPECT_NEAR(lu.argument * std::exp(lu.log_magnitude), 28, 1e-12);
        }
        const auto negative = csr(exec, entries_of({{0, 1}, {1, 0}}));
        EXPECT_EQ(Lu<double>::factory().generate(negative)->log_determinant().argument, -1);
        const auto definite =
            csr(exec, entries_of({{4, 2, 0}, {2, 5, 3}, {0, 3, 6}}));  // det = 4 (30 - 9) - 2 (12) = 60
        const auto cholesky = Cholesky<double>::factory().generate(definite)->log_determinant();
        EXPECT_NEAR(std::exp(cholesky.log_magnitude), 60, 1e-12);
        EXPECT_EQ(cholesky.argument, 1);
    });
}

TEST(Direct, HasTheInertia)
{
    on_each_executor([](const Executor& exec) {
        const auto a = csr(exec, entries_of({{2, 1, 0, 0}, {1, -3, 0, 0}, {0, 0, 5, 2}, {0, 0, 2, -1}}));
        const auto found = Ldlt<double>::factory().generate(a)->inertia();
        EXPECT_EQ(found.positive, 2);
        EXPECT_EQ(found.negative, 2);
        EXPECT_EQ(found.zero, 0);
        const auto pair = csr(exec, entries_of({{0, 3}, {3, 0}}));  // 3, -3
        EXPECT_EQ(Ldlt<double>::factory().generate(pair)->inertia().negative, 1);
        EXPECT_EQ(Ldlt<double>::factory().generate(pair)->inertia().positive, 1);
        EXPECT_NEAR(Ldlt<double>::factory().generate(pair)->log_determinant().argument, -1, 0);
        const auto odd = csr(exec, entries_of({{0, 1, 1}, {1, 0, 1}, {1, 1, 0}}));  // 2, -1, -1
        EXPECT_EQ(Ldlt<double>::factory().generate(odd)->inertia().negative, 2);
        EXPECT_EQ(Ldlt<double>::factory().generate(odd)->inertia().positive, 1);
        const auto negative = csr(exec, entries_of({{-1, -3, 0}, {-3, -10, 1}, {0, 1, -4}}));
        EXPECT_EQ(Ldlt<double>::factory().generate(negative)->inertia().negative, 3);
        const auto unmatched = csr(exec, entries_of({{0, 1, 1}, {1, 0, 0}, {1, 0, 0}}));
        const auto deficient = Ldlt<double>::factory().generate(unmatched);
        EXPECT_EQ(deficient->num_unmatched_rows(), 1);
        EXPECT_EQ(deficient->inertia().zero, 1);
        const auto singular = csr(exec, entries_of({{1, 1, 0}, {1, 1, 0}, {0, 0, -2}}));
        const auto degenerate = Ldlt<double>::factory().generate(singular)->inertia();
        EXPECT_EQ(degenerate.positive, 1);
        EXPECT_EQ(degenerate.negative, 1);
        EXPECT_EQ(degenerate.zero, 1);
    });
}

/// Pivots of definite matrices and of such with dominant rows may be as small as their rounding allows: they are kept,
/// where entries do not grow.
TEST(Direct, KeepsSmallPivotsThatLetNoEntryGrow)
{
    const auto stiff = generate_problem<double, I>("bubbles:40:20:1e10:2");
    auto dominant = stiff;  // not symmetric: rows in units of their own
    for (size_type row = 0; row < dominant.size.rows; ++row) {
        for (auto k = dominant.row_ptrs[row]; k < dominant.row_ptrs[row + 1]; ++k) {
            dominant.values[k] *= 1 + row % 7 * 0.25;
        }
    }
    on_each_executor([&](const Executor& exec) {
        const auto a = csr(exec, stiff);
        const auto ldlt = Ldlt<double>::factory().generate(a);
        expect_solves(*ldlt, a);
        EXPECT_EQ(ldlt->num_replaced_pivots(), 0);
        EXPECT_EQ(ldlt->inertia().positive, a->size().rows);
        ldlt->update_values(a);
        expect_solves(*ldlt, a);
        for (const auto& data : {stiff, dominant}) {
            const auto b = csr(exec, data);
            const auto lu = Lu<double>::factory({{}, Pivoting::fixed}).generate(b);
            expect_solves(*lu, b);
            EXPECT_EQ(lu->num_replaced_pivots(), 0);
        }
    });
}

TEST(Direct, EstimatesTheCondition)
{
    on_each_executor([](const Executor& exec) {
        const auto diagonal = csr(exec, entries_of({{1, 0, 0}, {0, 1e-3, 0}, {0, 0, 10}}));
        EXPECT_NEAR(Lu<double>::factory().generate(diagonal)->condition_estimate(), 1e4, 1e-7);
        EXPECT_NEAR(Cholesky<double>::factory().generate(diagonal)->condition_estimate(), 1e4, 1e-7);
        // [1 -1; 0 1e-2]: the inverse [1 100; 0 100], ||A||_1 = 1.01, ||A^-1||_1 = 200
        const auto triangle = csr(exec, entries_of({{1, -1}, {0, 1e-2}}));
        EXPECT_NEAR(Lu<double>::factory().generate(triangle)->condition_estimate(), 1.01 * 200, 1e-9);
    });
}

TEST(Direct, TellsOfSingularMatrices)
{
    on_each_executor([](const Executor& exec) {
        const auto structurally = csr(exec, entries_of({{1, 2, 0}, {3, 0, 0}, {4, 0, 0}}));
        for (const auto pivoting : {Pivoting::automatic, Pivoting::fixed, Pivoting::partial}) {
            const auto solver = Lu<double>::factory({{}, pivoting}).generate(structurally);
            EXPECT_EQ(solver->num_unmatched_rows(), 1);
            EXPECT_EQ(solver->unmatched_columns(), std::vector<size_type>{2});
            ASSERT_EQ(solver->unmatched_rows().size(), 1);
            EXPECT_GE(solver->unmatched_rows().front(), 1);  // rows 1 and 2 have column 0 alone
            EXPECT_GE(solver->num_replaced_pivots(), 1);
            EXPECT_TRUE(solver->first_replaced_pivot().has_value());
            const auto b = some_vectors(exec, {3, 1}, 5);
            Dense<double> x(exec, b.size());
            x.fill(0);
            EXPECT_FALSE(solver->solve(b, x).converged());
        }
        const auto zero = csr(exec, CsrData<double, I>{{2, 2}, {0, 0, 0}, {}, {}});
        EXPECT_EQ(Lu<double>::factory().generate(zero)->num_unmatched_rows(), 2);
        const auto null_row = csr(exec, entries_of({{4, 0, 1}, {0, 0, 0}, {1, 0, 3}}));
        const auto symmetric = Ldlt<double>::factory().generate(null_row);
        EXPECT_EQ(symmetric->unmatched_rows(), std::vector<size_type>{1});
        ASSERT_TRUE(symmetric->first_replaced_pivot().has_value());
        EXPECT_EQ(symmetric->first_replaced_pivot()->row, 1);
        EXPECT_EQ(symmetric->first_replaced_pivot()->column, 1);
        const auto regular = csr(exec, entries_of({{0, 1}, {1, 0}}));
        EXPECT_FALSE(Lu<double>::factory().generate(regular)->first_replaced_pivot().has_value());
        const auto indefinite = csr(exec, entries_of({{1, 2}, {2, 1}}));
        const auto cholesky = Cholesky<double>::factory().generate(indefinite);
        EXPECT_FALSE(cholesky->is_positive_definite());
    });
}

/// From a huge x the backward error of a singular system is small whatever b is.
TEST(Direct, DoesNotTakeAHugeVectorForASolution)
{
    on_each_executor([](const Executor& exec) {
        std::vector<std::vector<double>> rows(30, std::vector<double>(30, 0));
        for (std::size_t i = 0; i + 1 < rows.size(); ++i) {  // a path: A 1 = 0
            rows[i][i] += 1;
            rows[i + 1][i + 1] += 1;
            rows[i][i + 1] = rows[i + 1][i] = -1;
        }
        const auto solver = Lu<double>::factory().generate(csr(exec, entries_of(rows)));
        std::vector<double> in_part(30, 0.25);  // a fifth of it outside of the range of A
        in_part[3] += 6;
        in_part[20] -= 6;
        for (const auto& b : {std::vector<double>(30, 1), in_part}) {
            auto x = Dense<double>::filled(exec, {30, 1}, 1e25);
            const auto result = solver->solve(Dense<double>::vector(exec, b), x);
            EXPECT_EQ(result.status(), SolveStatus::stagnated);
            EXPECT_FALSE(result.columns[0].by_backward_error);
        }
    });
}

TEST(Direct, SaysWhereTheBackwardErrorDecided)
{
    on_each_executor([](const Executor& exec) {
        const auto a = csr(exec, entries_of({{1e16, 1}, {1, 3e-16}}));  // of condition 1e32, by its scales alone
        const auto solver = Lu<double>::factory({{.stop = {.relative_residual = 1e-30}}}).generate(a);
        const auto result = expect_solves(*solver, a);
        EXPECT_TRUE(result.columns[0].by_backward_error);
        EXPECT_NE(result.reason().find("backward error"), std::string::npos) << result.reason();
        const auto plain = csr(exec, entries_of({{2, 0}, {0, 4}}));
        EXPECT_FALSE(expect_solves(*Lu<double>::factory().generate(plain), plain).columns[0].by_backward_error);
    });
}

TEST(Direct, TakesSmallAndSimpleMatrices)
{
    on_each_executor([](const Executor& exec) {
        const auto empty = csr(exec, CsrData<double, I>{{0, 0}, {0}, {}, {}});
        EXPECT_EQ(Lu<double>::factory().generate(empty)->factor_size().entries, 0);
        EXPECT_EQ(Cholesky<double>::factory().generate(empty)->factor_size().entries, 0);
        for (const auto& rows : std::vector<std::vector<std::vector<double>>>{
                 {{-3}}, {{2, 0}, {0, -5}}, {{1, 2, 3}, {0, 4, 5}, {0, 0, 6}}, {{0, 0, 1}, {1, 0, 0}, {0, 1, 0}}}) {
            const auto a = csr(exec, entries_of(rows));
            const auto result = expect_solves(*Lu<double>::factory().generate(a), a, 4);
            EXPECT_LE(result.iterations(), 2);
        }
        const auto rectangle = csr(exec, CsrData<double, I>{{2, 3}, {0, 0, 0}, {}, {}});
        EXPECT_THROW(Lu<double>::factory().generate(rectangle), DimensionMismatch);
        const auto one = csr(exec, entries_of({{1}}));
        EXPECT_THROW(Lu<double>::factory({{.backward_error = -1}}).generate(one), InvalidParameter);
    });
}

/// Rows in other units: the residual of the first step is some 1e40 times b, and refinement goes on.
TEST(Direct, RefinesWhateverTheUnitsOfRows)
{
    auto rows = generate_problem<double, I>("lap2d:60");
    for (I i = 0; i < rows.size.rows; ++i) {
        for (I k = rows.row_ptrs[i]; k < rows.row_ptrs[i + 1]; ++k) {
            rows.values[k] *= std::pow(10.0, 7919 * static_cast<std::int64_t>(i) * i % 61 - 30);
        }
    }
    on_each_executor([&](const Executor& exec) {
        const auto a = csr(exec, rows);
        const auto b = some_vectors(exec, {rows.size.rows, 8}, 11);
        auto x = Dense<double>::filled(exec, b.size(), 0);
        const auto result = Lu<double>::factory().generate(a)->solve(b, x);
        for (const auto& column : result.columns) {
            EXPECT_EQ(column.status, SolveStatus::converged);
        }
    });
}

TEST(Direct, ServesAsAPreconditioner)
{
    on_each_executor([](const Executor& exec) {
        const auto a = csr(exec, generate_problem<double, I>("convdiff3d:5:20"));
        Lu<double>::Parameters once;
        once.stop.max_iterations = 1;
        const auto gmres = Gmres<double>::factory({.preconditioner = Lu<double>::factory(once)}).generate(a);
        const auto b = some_vectors(exec, {a->size().rows, 1}, 5);
        Dense<double> x(exec, b.size());
        x.fill(0);
        EXPECT_LE(gmres->solve(b, x).iterations(), 2);
    });
}

TEST(Direct, HasAConfiguration)
{
    const auto factory = config::parse_short<double>("lu:pivoting=partial,ordering=amd,backward_error=1e-10");
    const auto exec = Executor::reference();
    const auto a = csr(exec, saddle_point(8));
    const auto solver = factory->make(a);
    EXPECT_TRUE(dynamic_cast<const Lu<double>&>(*solver).has_partial_pivoting());
}

}  // namespace
}  // namespace linden::test
