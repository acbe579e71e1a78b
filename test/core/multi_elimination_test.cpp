// needs: double int32
#include <linden/error.hpp>
#include <linden/io/matrix_market.hpp>
#include <linden/io/problems.hpp>
#include <linden/matrix/dense.hpp>
#include <linden/matrix/identity.hpp>
#include <linden/preconditioner/jacobi.hpp>
#include <linden/preconditioner/multi_elimination.hpp>
#include <linden/solver/cg.hpp>
#include <linden/solver/gmres.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

#include "test/support/compare.hpp"
#include "test/support/matrices.hpp"

/// Multi-elimination as a preconditioner and as a direct solver.
namespace linden::test {
namespace {

using I = std::int32_t;
using Data = CsrData<double, I>;
using Multi = MultiElimination<double>;
using Sizes = std::vector<std::pair<size_type, size_type>>;

LinOpPtr<double> csr(const Executor& exec, const Data& a) { return share(Csr<double, I>(exec, a)); }

Data of_rows(const std::vector<std::vector<double>>& rows)
{
    const auto n = static_cast<size_type>(rows.size());
    Data a{{n, n}, {0}, {}, {}};
    for (const auto& row : rows) {
        for (std::size_t col = 0; col < row.size(); ++col) {
            if (row[col] != 0) {
                a.col_idxs.push_back(static_cast<I>(col));
                a.values.push_back(row[col]);
            }
        }
        a.row_ptrs.push_back(static_cast<I>(a.values.size()));
    }
    return a;
}

/// The 9-point stencil 8, -1 on a grid, as the matrix gr_30_30 of [LukarskiEtAl14] has it.
Data nine_point(size_type width)
{
    Data a{{width * width, width * width}, {0}, {}, {}};
    for (size_type y = 0; y < width; ++y) {
        for (size_type x = 0; x < width; ++x) {
            for (size_type v = std::max<size_type>(y - 1, 0); v <= std::min(y + 1, width - 1); ++v) {
                for (size_type u = std::max<size_type>(x - 1, 0); u <= std::min(x + 1, width - 1); ++u) {
                    a.col_idxs.push_back(static_cast<I>(v * width + u));
                    a.values.push_back(u == x && v == y ? 8 : -1);
                }
            }
            a.row_ptrs.push_back(static_cast<I>(a.values.size()));
        }
    }
    return a;
}

Sizes sizes_of(const Multi& m)
{
    Sizes sizes;
    for (const auto& level : m.levels()) {
        sizes.emplace_back(level.rows, level.nonzeros);
    }
    return sizes;
}

/// Expects x = A^-1 A x0 for random columns x0.
void expect_solves(const Executor& exec, const Data& a, const Multi::Parameters& p, double tolerance = 1e6)
{
    const auto matrix = csr(exec, a);
    const auto m = Multi::factory(p).generate(matrix);
    Random random(1601);
    const auto expected = random_dense<double>(random, exec, {a.size.rows, 3}, 1);
    Dense<double> b(exec, expected.size(), 5), x(exec, expected.size(), 4);
    matrix->apply(expected, b);
    m->apply(b, x);
    expect_near(x.to_host(), expected.to_host(), tolerance, 1.0);
}

constexpr EliminationPivots all_pivots[] = {EliminationPivots::natural, EliminationPivots::degree,
                                            EliminationPivots::off_diagonal, EliminationPivots::hashed,
                                            EliminationPivots::largest_colour};

/// Rows 0 and 2 are eliminated; what is left is 4 - 1/4 - 1/4.
TEST(MultiElimination, OneLevelByHand)
{
    on_each_executor([](const Executor& exec) {
        const auto a = csr(exec, of_rows({{4, -1, 0}, {-1, 4, -1}, {0, -1, 4}}));
        const auto m = Multi::factory({.rule = EliminationRule::paper, .beta = 0, .depth = 1}).generate(a);
        EXPECT_EQ(sizes_of(*m), (Sizes{{3, 7}, {1, 1}}));
        EXPECT_EQ(m->num_nonzeros(), 4);
        EXPECT_EQ(m->num_bad_pivots(), 0);
        Dense<double> x(exec, {3, 1});
        m->apply(Dense<double>::vector(exec, {2, 4, 10}), x);
        expect_near(x.to_host(), {1, 2, 3}, 16);
    });
}

/// Of a path 0 - 1 - ... - 4 natural order and the colour with the most rows take 0, 2, 4; hashed order takes a set
/// that is maximal, the same everywhere.
TEST(MultiElimination, IndependentSetsOfAPath)
{
    const auto path =
        of_rows({{2, -1, 0, 0, 0}, {-1, 2, -1, 0, 0}, {0, -1, 2, -1, 0}, {0, 0, -1, 2, -1}, {0, 0, 0, -1, 2}});
    on_each_executor([&](const Executor& exec) {
        const auto levels = [&](EliminationPivots pivots, const Executor& where) {
            return sizes_of(*Multi::factory({.rule = EliminationRule::paper, .pivots = pivots, .beta = 0, .depth = 1})
                                 .generate(csr(where, path)));
        };
        EXPECT_EQ(levels(EliminationPivots::natural, exec), (Sizes{{5, 13}, {2, 4}}));
        EXPECT_EQ(levels(EliminationPivots::largest_colour, exec), (Sizes{{5, 13}, {2, 4}}));
        const auto hashed = levels(EliminationPivots::hashed, exec);
        EXPECT_EQ(hashed, levels(EliminationPivots::hashed, reference_executor()));
        EXPECT_LE(hashed.back().first, 3);
    });
}

/// The largest class of a star's colouring are its leaves, which natural order does not take.
TEST(MultiElimination, TheLargestColourOfAStar)
{
    std::vector<std::vector<double>> rows(6, std::vector<double>(6, 0.0));
    for (std::size_t i = 0; i < rows.size(); ++i) {
        rows[0][i] = rows[i][0] = 1;
        rows[i][i] = 9;
    }
    on_each_executor([&](const Executor& exec) {
        const auto left = [&](EliminationPivots pivots) {
            return Multi::factory({.rule = EliminationRule::paper, .pivots = pivots, .beta = 0, .depth = 1})
                .generate(csr(exec, of_rows(rows)))
                ->levels()
                .back()
                .rows;
        };
        EXPECT_EQ(left(EliminationPivots::natural), 5);
        EXPECT_EQ(left(EliminationPivots::largest_colour), 1);
    });
}

/// Nothing is dropped between the levels of a block, all that is small behind it.
TEST(MultiElimination, BlocksAreEliminatedExactly)
{
    const auto a = generate_problem<double, I>("lap2d:20");
    on_each_executor([&](const Executor& exec) {
        const auto levels = [&](double beta, size_type block_levels) {
            return sizes_of(*Multi::factory({.beta = beta, .decay = 1, .depth = 2, .block_levels = block_levels})
                                 .generate(csr(exec, a)));
        };
        const auto exact = levels(0, 1), dropped = levels(0.2, 1), blocks = levels(0.2, 2);
        EXPECT_EQ(blocks[1], exact[1]);
        EXPECT_LT(dropped[1].second, exact[1].second);
        EXPECT_LT(blocks[2].second, exact[2].second);
    });
}

TEST(MultiElimination, EndsWhereTheMatrixIsDense)
{
    const auto a = generate_problem<double, I>("lap2d:20");
    on_each_executor([&](const Executor& exec) {
        const auto levels = [&](double density) {
            return Multi::factory({.beta = 0, .bottom_rows = 0, .bottom_density = density})
                .generate(csr(exec, a))
                ->levels();
        };
        const auto sparse = levels(0.1);
        const auto density = [](const Multi::Level& level) {
            return static_cast<double>(level.nonzeros) / static_cast<double>(level.rows * level.rows);
        };
        EXPECT_GE(density(sparse.back()), 0.1);
        EXPECT_LT(density(sparse[sparse.size() - 2]), 0.1);
        EXPECT_LT(sparse.size(), levels(1).size());
        expect_solves(exec, a, {.beta = 0, .omega = 0, .theta = 0, .bottom_rows = 0, .bottom_density = 0.1});
    });
}

/// Table II of [LukarskiEtAl14].
TEST(MultiElimination, LevelsOfThePaper)
{
    const auto nos4 = read_matrix<double, I>(LINDEN_SOURCE_DIR "/test/matrices/nos4.mtx");
    const Multi::Parameters p{.rule = EliminationRule::paper, .beta = 0, .depth = 3};
    on_each_executor([&](const Executor& exec) {
        EXPECT_EQ(sizes_of(*Multi::factory(p).generate(csr(exec, nine_point(30)))),
                  (Sizes{{900, 7744}, {675, 9809}, {555, 10989}, {495, 14585}}));
        EXPECT_EQ(sizes_of(*Multi::factory(p).generate(csr(exec, nos4))),
                  (Sizes{{100, 594}, {61, 599}, {46, 676}, {39, 709}}));
    });
}

TEST(MultiElimination, WithoutDroppingItIsADirectSolver)
{
    Random random(1602);
    const auto symmetric = random_hpd_csr<double, I>(random, 150, 5);
    on_each_executor([&](const Executor& exec) {
        for (const auto pivots : all_pivots) {
            for (const size_type bottom_rows : {0, 40}) {
                SCOPED_TRACE(static_cast<int>(pivots));
                const Multi::Parameters p{
                    .pivots = pivots, .beta = 0, .omega = 0, .theta = 0, .bottom_rows = bottom_rows};
                expect_solves(exec, symmetric, p);
                expect_solves(exec, generate_problem<double, I>("convdiff3d:5:20"), p);
            }
        }
    });
}

Data anti_diagonal(size_type n)
{
    Data a{{n, n}, {0}, {}, {}};
    for (size_type row = 0; row < n; ++row) {
        a.col_idxs.push_back(static_cast<I>(n - 1 - row));
        a.values.push_back(static_cast<double>(row + 2));
        a.row_ptrs.push_back(static_cast<I>(row + 1));
    }
    return a;
}

/// A cycle with zeros on the diagonal.
Data cycle(size_type n)
{
    Data a{{n, n}, {0}, {}, {}};
    for (size_type row = 0; row < n; ++row) {
        const auto next = (row + 1) % n, far = (row + n / 3) % n;
        for (const auto col : {std::min(next, far), std::max(next, far)}) {
            a.col_idxs.push_back(static_cast<I>(col));
            a.values.push_back(col == next ? 3 : 1);
        }
        a.row_ptrs.push_back(static_cast<I>(a.values.size()));
    }
    return a;
}

TEST(MultiElimination, TakesPivotsOffTheDiagonal)
{
    on_each_executor([](const Executor& exec) {
        for (const size_type bottom_rows : {0, 20}) {
            const Multi::Parameters p{.rule = EliminationRule::exact, .bottom_rows = bottom_rows};
            expect_solves(exec, anti_diagonal(70), p);
            expect_solves(exec, cycle(97), p);
        }
    });
}

TEST(MultiElimination, Pathological)
{
    on_each_executor([](const Executor& exec) {
        for (const auto rule : {EliminationRule::modified, EliminationRule::paper, EliminationRule::exact}) {
            for (const size_type bottom_rows : {-1, 0, 2}) {
                const Multi::Parameters p{.rule = rule, .bottom_rows = bottom_rows};
                expect_solves(exec, Data{{0, 0}, {0}, {}, {}}, p);
                expect_solves(exec, of_rows({{3}}), p);
                expect_solves(exec, of_rows({{3, 0, 0}, {0, 4, 0}, {0, 0, 5}}), p);
                expect_solves(exec, of_rows({{2, 1, 0, 0}, {1, 2, 0, 0}, {0, 0, 2, 1}, {0, 0, 1, 2}}), p);
            }
        }
    });
}

/// In a full matrix a set has one row: levels end before the bottom is as small as it was to be.
TEST(MultiElimination, EndsWhereSetsStall)
{
    std::vector<std::vector<double>> rows(80, std::vector<double>(80, 0.0));
    for (std::size_t i = 0; i < rows.size(); ++i) {
        for (std::size_t j = 0; j < rows.size(); ++j) {
            rows[i][j] = i == j ? 40 : 1 / (1 + static_cast<double>(i + j));
        }
    }
    const auto a = of_rows(rows);
    on_each_executor([&](const Executor& exec) {
        for (const auto rule : {EliminationRule::modified, EliminationRule::exact}) {
            const Multi::Parameters p{.rule = rule, .beta = 0, .omega = 0, .theta = 0, .bottom_rows = 10};
            expect_solves(exec, a, p);
            EXPECT_GT(sizes_of(*Multi::factory(p).generate(csr(exec, a))).back().first, 20);
        }
    });
}

/// What is singular is reported, and nothing that was finite becomes NaN.
TEST(MultiElimination, ReportsSingularMatrices)
{
    const auto some = {of_rows({{0}}), of_rows({{1, 1}, {1, 1}}), of_rows({{1, 0, 0}, {0, 0, 0}, {0, 0, 2}})};
    on_each_executor([&](const Executor& exec) {
        for (const auto& a : some) {
            for (const auto rule : {EliminationRule::modified, EliminationRule::exact}) {
                const auto m = Multi::factory({.rule = rule}).generate(csr(exec, a));
                EXPECT_GT(m->num_bad_pivots(), 0);
                Dense<double> x(exec, {a.size.rows, 1});
                m->apply(Dense<double>::filled(exec, {a.size.rows, 1}, 1), x);
                for (const auto value : x.to_host()) {
                    EXPECT_TRUE(std::isfinite(value));
                }
            }
        }
    });
}

SolveResult solve(const Executor& exec, const Data& a, const FactoryPtr<double>& m)
{
    const auto solver =
        Cg<double>::factory({.stop = {.relative_residual = 1e-6}, .preconditioner = m}).generate(csr(exec, a));
    auto x = Dense<double>::filled(exec, {a.size.rows, 1}, 0);
    return solver->solve(Dense<double>::filled(exec, {a.size.rows, 1}, 1), x);
}

SolveResult solve_with_gmres(const Executor& exec, const Data& a, const FactoryPtr<double>& m)
{
    const auto solver =
        Gmres<double>::factory({.stop = {.relative_residual = 1e-10}, .preconditioner = m}).generate(csr(exec, a));
    auto x = Dense<double>::filled(exec, {a.size.rows, 1}, 0);
    return solver->solve(Dense<double>::filled(exec, {a.size.rows, 1}, 1), x);
}

TEST(MultiElimination, PreconditionsCgAlikeEverywhere)
{
    const auto a = generate_problem<double, I>("lap2d:30");
    const auto levels = [&](const Executor& exec, const Multi::Parameters& p) {
        return sizes_of(*Multi::factory(p).generate(csr(exec, a)));
    };
    on_each_executor([&](const Executor& exec) {
        const auto plain = solve(exec, a, nullptr).iterations();
        for (const auto rule : {EliminationRule::modified, EliminationRule::paper}) {
            const Multi::Parameters p{.rule = rule, .bottom_rows = 60};
            const auto result = solve(exec, a, Multi::factory(p));
            EXPECT_TRUE(result.converged()) << result.reason();
            EXPECT_EQ(result.iterations(), solve(reference_executor(), a, Multi::factory(p)).iterations());
            EXPECT_EQ(levels(exec, p), levels(reference_executor(), p));
            EXPECT_LT(result.iterations() * (rule == EliminationRule::modified ? 4 : 2), plain);
        }
        for (const auto storage : {StoragePrecision::single, StoragePrecision::half}) {
            const Multi::Parameters stored{.bottom_rows = 60, .storage = storage, .bottom_storage = storage};
            EXPECT_LE(solve(exec, a, Multi::factory(stored)).iterations(),
                      solve(exec, a, Multi::factory({.bottom_rows = 60})).iterations() + 2);
        }
    });
}

TEST(MultiElimination, HandsTheBottomToAFactory)
{
    const auto a = generate_problem<double, I>("lap2d:20");
    on_each_executor([&](const Executor& exec) {
        const FactoryPtr<double> accurate =
            Gmres<double>::factory({.stop = {.relative_residual = 1e-12}, .krylov_dim = 100});
        const Multi::Parameters exact{.beta = 0, .omega = 0, .theta = 0, .bottom_rows = 60, .bottom = accurate};
        expect_solves(exec, a, exact, 1e8);
        expect_solves(exec, a, {.depth = 0, .bottom_rows = 600, .bottom = accurate}, 1e8);
        EXPECT_TRUE(
            solve(exec, a, Multi::factory({.bottom_rows = 60, .bottom = Jacobi<double>::factory()})).converged());
    });
}

TEST(MultiElimination, TakesNewValues)
{
    on_each_executor([](const Executor& exec) {
        auto data = generate_problem<double, I>("lap2d:18");
        const auto old = data;
        for (auto& value : data.values) {
            value *= 2;
        }
        const auto b = Dense<double>::filled(exec, {324, 1}, 1);
        const auto all = {Multi::Parameters{.bottom_rows = 50}, Multi::Parameters{.bottom_rows = 600},
                          Multi::Parameters{.rule = EliminationRule::exact, .bottom_rows = 40},
                          Multi::Parameters{.bottom_rows = 50, .bottom = Jacobi<double>::factory()}};
        for (const auto& p : all) {
            auto m = Multi::factory(p).generate(csr(exec, old));
            const auto a = csr(exec, data);
            m->update_values(a);
            const auto before = exec.counters().allocations;
            m->update_values(a);
            EXPECT_EQ(exec.counters().allocations, before);
            Dense<double> x(exec, {324, 1}), expected(exec, {324, 1});
            m->apply(b, x);
            Multi::factory(p).generate(a)->apply(b, expected);
            expect_near(x.to_host(), expected.to_host(), 1e3);
        }
    });
}

TEST(MultiElimination, TakesNewValuesOffTheDiagonal)
{
    on_each_executor([](const Executor& exec) {
        const auto old = cycle(97);
        auto data = old;
        for (std::size_t k = 0; k < data.values.size(); ++k) {
            data.values[k] *= 1 + 0.1 * static_cast<double>(k % 7);
        }
        auto m = Multi::factory({.rule = EliminationRule::exact, .bottom_rows = 10}).generate(csr(exec, old));
        EXPECT_GT(m->levels().size(), 2u);
        const auto a = csr(exec, data);
        m->update_values(a);
        Random random(1603);
        const auto expected = random_dense<double>(random, exec, {97, 2});
        Dense<double> b(exec, expected.size()), x(exec, expected.size());
        a->apply(expected, b);
        m->apply(b, x);
        expect_near(x.to_host(), expected.to_host(), 1e5, 1.0);
    });
}

/// Hosts take sparse factors of what their first levels leave.
TEST(MultiElimination, SolvesALargeBottomByFactorsOnHosts)
{
    const auto grid = generate_problem<double, I>("convdiff3d:12:20");
    auto singular = grid;
    std::fill(singular.values.begin() + singular.row_ptrs[700], singular.values.begin() + singular.row_ptrs[701], 0.0);
    on_each_executor([&](const Executor& exec) {
        const auto exact = Multi::factory({.rule = EliminationRule::exact});
        const auto a = csr(exec, grid);
        auto m = exact.generate(a);
        EXPECT_GT(m->levels().back().rows, 65);
        EXPECT_EQ(m->num_bad_pivots(), 0);
        expect_solves(exec, grid, {.rule = EliminationRule::exact});
        m->update_values(a);
        const auto before = exec.counters().allocations;
        m->update_values(a);
        EXPECT_EQ(exec.counters().allocations, before);
        EXPECT_GT(exact.generate(csr(exec, singular))->num_bad_pivots(), 0);
        const Multi::Parameters single{.rule = EliminationRule::exact, .bottom_storage = StoragePrecision::single};
        EXPECT_LE(solve_with_gmres(exec, grid, Multi::factory(single)).iterations(), 3);
    });
}

TEST(MultiElimination, RefusesWhatItCannotDo)
{
    on_each_executor([](const Executor& exec) {
        const auto a = csr(exec, generate_problem<double, I>("lap2d:3"));
        EXPECT_THROW(Multi::factory().generate(share(Identity<double>(exec, 3))), NotSupported);
        EXPECT_THROW(Multi::factory().generate(share(Csr<double, I>(exec, Dim{2, 3}))), DimensionMismatch);
        EXPECT_THROW(Multi::factory({.decay = 2}).generate(a), InvalidParameter);
        EXPECT_THROW(Multi::factory({.omega = 2}).generate(a), InvalidParameter);
        EXPECT_THROW(Multi::factory({.bottom_density = 2}).generate(a), InvalidParameter);
        EXPECT_THROW(Multi::factory({.block_levels = 0}).generate(a), InvalidParameter);
        EXPECT_THROW(Multi::factory({.theta = 1}).generate(a), InvalidParameter);
        EXPECT_THROW(Multi::factory({.delta = std::nan("")}).generate(a), InvalidParameter);
        EXPECT_THROW(Multi::factory({.depth = -1}).generate(a), InvalidParameter);
    });
}

}  // namespace
}  // namespace linden::test
