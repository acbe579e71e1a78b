// needs: double int32
#include <linden/config/config.hpp>
#include <linden/error.hpp>
#include <linden/io/matrix_market.hpp>
#include <linden/io/problems.hpp>
#include <linden/linden.hpp>

#include <cmath>
#include <filesystem>
#include <utility>

#include "examples/hexahedra.hpp"
#include "test/support/compare.hpp"
#include "test/support/matrices.hpp"

/// Multigrid for systems of equations, with multiplicative cycles and any smoother.
namespace linden::test {
namespace {

using I = std::int32_t;
using Data = CsrData<double, I>;
using Parameters = Amg<double>::Parameters;

LinOpPtr<double> csr(const Executor& exec, const Data& a) { return share(Csr<double, I>(exec, a)); }

Data problem(const char* spec) { return generate_problem<double, I>(spec); }

struct Bar {
    Data matrix;
    std::shared_ptr<const DenseData<double>> coordinates;
};

Bar bar(size_type nx, size_type ny, size_type nz)
{
    auto made = hexahedra::bar(nx, ny, nz);
    return {to_csr(made.matrix), share(std::move(made.coordinates))};
}

template <class Solver = Cg<double>>
SolveResult solve(const Executor& exec, const Data& a, const Parameters& p)
{
    const auto solver = Solver::factory({.stop = {.max_iterations = 300, .relative_residual = 1e-6},
                                         .preconditioner = Amg<double>::factory(p)})
                            .generate(csr(exec, a));
    auto x = Dense<double>::filled(exec, {a.size.rows, 1}, 0);
    return solver->solve(Dense<double>::filled(exec, {a.size.rows, 1}, 1), x);
}

void expect_iterations(const SolveResult& result, size_type most)
{
    EXPECT_TRUE(result.converged()) << result.reason();
    EXPECT_LE(result.iterations(), most);
}

std::vector<double> applied(const Executor& exec, const LinOp<double>& m, const std::vector<double>& b)
{
    Dense<double> x(exec, {static_cast<size_type>(b.size()), 1});
    m.apply(Dense<double>::vector(exec, b), x);
    return x.to_host();
}

TEST(RigidBodyModes, InThePlane)
{
    on_each_executor([](const Executor& exec) {
        // The centre is (2, 1), the largest coordinate from there on 2.
        const auto modes = rigid_body_modes<double>(exec, {{3, 2}, {0, 1, 4, 0, 2, 2}});
        EXPECT_EQ(modes.to_host(), (std::vector<double>{1, 0, 0, 0, 1, -1,   //
                                                        1, 0, 0.5, 0, 1, 1,  //
                                                        1, 0, -0.5, 0, 1, 0}));
        EXPECT_THROW(rigid_body_modes<double>(exec, {{3, 1}, {0, 1, 2}}), InvalidParameter);
    });
}

/// Forces that they cause are those of the clamped end.
TEST(RigidBodyModes, CauseNoForces)
{
    const auto b = bar(4, 2, 2);
    on_each_executor([&](const Executor& exec) {
        const auto modes = rigid_body_modes<double>(exec, *b.coordinates);
        ASSERT_EQ(modes.size(), (Dim{108, 6}));
        Dense<double> forces(exec, modes.size());
        csr(exec, b.matrix)->apply(modes, forces);
        const auto values = forces.to_host();
        for (std::size_t i = 0; i < values.size(); ++i) {
            if (i / 18 % 4 > 0) {  // nodes of elements that are not clamped
                EXPECT_NEAR(values[i], 0, 1e-14);
            }
        }
    });
}

TEST(AmgSystems, RigidBodyModesOfAClampedBar)
{
    const auto b = bar(12, 4, 4);
    on_each_executor([&](const Executor& exec) {
        expect_iterations(solve(exec, b.matrix, {.coarse_rows = 50, .coordinates = b.coordinates}), 12);
        expect_iterations(
            solve(exec, b.matrix, {.coarse_rows = 50, .storage = AmgStorage::single, .coordinates = b.coordinates}),
            12);
        expect_iterations(solve(exec, b.matrix, {.coarse_rows = 50, .block_rows = 3}), 30);
        const auto modes = share(rigid_body_modes<double>(exec, *b.coordinates));
        const auto by_modes = Amg<double>::factory({.coarse_rows = 50, .block_rows = 3, .near_nullspace = modes});
        const auto by_nodes = Amg<double>::factory({.coarse_rows = 50, .coordinates = b.coordinates});
        const std::vector<double> ones(static_cast<std::size_t>(b.matrix.size.rows), 1);
        EXPECT_EQ(applied(exec, *by_modes.generate(csr(exec, b.matrix)), ones),
                  applied(exec, *by_nodes.generate(csr(exec, b.matrix)), ones));
    });
}

/// The levels are the same on every executor; each aggregate becomes six rows.
TEST(AmgSystems, HasTheSameLevelsEverywhere)
{
    const auto b = bar(12, 4, 4);
    const auto levels = [&](const Executor& exec) {
        std::vector<std::pair<size_type, size_type>> sizes;
        const auto m =
            Amg<double>::factory({.coarse_rows = 20, .coordinates = b.coordinates}).generate(csr(exec, b.matrix));
        for (const auto& level : m->report().levels) {
            sizes.emplace_back(level.rows, level.nonzeros);
            EXPECT_TRUE(&level == &m->report().levels.front() || level.rows % 6 == 0);
        }
        return sizes;
    };
    const auto expected = levels(reference_executor());
    EXPECT_GE(expected.size(), 2u);
    on_each_executor([&](const Executor& exec) { EXPECT_EQ(levels(exec), expected); });
}

TEST(AmgCycles, NeedFewIterations)
{
    const auto a = problem("lap2d:60");
    const Parameters base{.coarse_rows = 20};
    on_each_executor([&](const Executor& exec) {
        for (const auto& [cycle, most] : {std::pair{AmgCycle::v, 10}, std::pair{AmgCycle::w, 9},
                                          std::pair{AmgCycle::f, 9}, std::pair{AmgCycle::k, 9}}) {
            SCOPED_TRACE(name(cycle));
            auto p = base;
            p.cycle = cycle;
            expect_iterations(solve<FlexibleCg<double>>(exec, a, p), most);
        }
        auto p = base;
        p.sweeps = 2;
        expect_iterations(solve(exec, a, p), 8);
        p.sweeps = 1;
        p.method = AmgMethod::unsmoothed;
        const auto v = solve(exec, a, p);
        expect_iterations(v, 30);
        p.cycle = AmgCycle::k;
        const auto k = solve<FlexibleCg<double>>(exec, a, p);
        expect_iterations(k, 22);
        EXPECT_LT(k.iterations(), v.iterations());
        for (const auto& [spec, most] : {std::pair{"convdiff3d:11:20", 12}, std::pair{"convdiff3d:11:1000", 14}}) {
            expect_iterations(solve<BiCgStab<double>>(exec, problem(spec), {.coarse_rows = 20, .cycle = AmgCycle::v}),
                              most);
        }
    });
}

TEST(AmgClassical, NeedsFewIterations)
{
    on_each_executor([](const Executor& exec) {
        for (const auto& [spec, most] :
             {std::pair{"lap2d:60", 8}, std::pair{"lap3d:14", 8}, std::pair{"aniso2d:60:0.01", 7},
              std::pair{"aniso3d:14:0.001", 7}, std::pair{"twophase:64:1000", 8}}) {
            SCOPED_TRACE(spec);
            const auto a = problem(spec);
            const Parameters p{.coarse_rows = 20, .method = AmgMethod::classical};
            expect_iterations(solve(exec, a, p), most);
            const auto sizes = [&](const Executor& other) {
                std::vector<std::pair<size_type, size_type>> all;
                const auto m = Amg<double>::factory(p).generate(csr(other, a));
                for (const auto& level : m->report().levels) {
                    all.emplace_back(level.rows, level.nonzeros);
                }
                return all;
            };
            EXPECT_EQ(sizes(exec), sizes(reference_executor()));
        }
        for (const auto& [spec, most] : {std::pair{"convdiff3d:11:20", 8}, std::pair{"convdiff3d:11:1000", 10}}) {
            SCOPED_TRACE(spec);
            expect_iterations(
                solve<BiCgStab<double>>(exec, problem(spec), {.coarse_rows = 20, .method = AmgMethod::classical}),
                most);
        }
    });
}

TEST(AmgCycles, TakeAnySmoother)
{
    const auto a = problem("lap2d:60");
    const std::pair<FactoryPtr<double>, size_type> smoothers[] = {
        {Jacobi<double>::factory(), 18},
        {Jacobi<double>::factory({.kind = JacobiKind::l1}), 21},
        {Jacobi<double>::factory({.kind = JacobiKind::spai0}), 18},
        {BlockJacobi<double>::factory(), 18},
        {McSsor<double>::factory(), 12},
        {Ilu0<double>::factory(), 10},
        {Ic0<double>::factory(), 10},
        {Chebyshev<double>::factory({.degree = 2, .ratio = 8}), 11},
        {Chebyshev<double>::factory({.degree = 2, .kind = ChebyshevKind::fourth}), 11},
        {make_factory<double>([](LinOpPtr<double> level) {
             return std::unique_ptr<LinOp<double>>(Jacobi<double>::factory().generate(std::move(level)));
         }),
         18}};
    on_each_executor([&](const Executor& exec) {
        for (const auto& [smoother, most] : smoothers) {
            SCOPED_TRACE(smoother->type());
            expect_iterations(solve(exec, a, {.coarse_rows = 20, .smoother = smoother}), most);
        }
    });
}

TEST(AmgCycles, AreSymmetricAndPositive)
{
    const auto a = problem("twophase:40:100");
    Random random(1811);
    on_each_executor([&](const Executor& exec) {
        for (const auto cycle : {AmgCycle::v, AmgCycle::w, AmgCycle::f}) {
            const auto m = Amg<double>::factory({.coarse_rows = 20, .cycle = cycle}).generate(csr(exec, a));
            const auto u = random_dense<double>(random, exec, {a.size.rows, 1});
            const auto v = random_dense<double>(random, exec, {a.size.rows, 1});
            Dense<double> mu(exec, u.size()), mv(exec, u.size());
            m->apply(u, mu);
            m->apply(v, mv);
            const double uu = u.dot(mu).front();
            EXPECT_GT(uu, 0);
            // An F-cycle's second visit is a V-cycle, behind the first one.
            EXPECT_NEAR(u.dot(mv).front(), v.dot(mu).front(), (cycle == AmgCycle::f ? 1e-2 : 1e-12) * uu);
        }
    });
}

/// New values on the same pattern give what a new hierarchy gives; nothing is allocated, nobody waits.
TEST(AmgCycles, TakeNewValues)
{
    const auto b = bar(8, 3, 3);
    const std::pair<Data, Parameters> cases[] = {
        {b.matrix, {.coarse_rows = 30, .coordinates = b.coordinates}},
        {b.matrix, {.coarse_rows = 30, .storage = AmgStorage::single, .block_rows = 3}},
        {problem("aniso2d:32:0.1"), {.coarse_rows = 30, .cycle = AmgCycle::k}},
        {problem("convdiff3d:8:5"), {.coarse_rows = 30, .cycle = AmgCycle::v}},
        {problem("aniso2d:32:0.1"), {.coarse_rows = 30, .method = AmgMethod::classical}},
        {problem("convdiff3d:8:5"), {.coarse_rows = 30, .method = AmgMethod::classical}},
        {problem("lap2d:40"), {.coarse_rows = 30, .smoother = McSsor<double>::factory()}},
    };
    on_each_executor([&](const Executor& exec) {
        for (const auto& [old, p] : cases) {
            auto data = old;
            for (auto& value : data.values) {
                value *= 4;
            }
            const auto a = csr(exec, data);
            auto m = Amg<double>::factory(p).generate(csr(exec, old));
            const std::vector<double> ones(static_cast<std::size_t>(data.size.rows), 1.0);
            applied(exec, *m, ones);
            m->update_values(a);
            const auto before = exec.counters();
            m->update_values(a);
            if (p.smoother == nullptr) {
                EXPECT_EQ(exec.counters().allocations, before.allocations);
                EXPECT_EQ(exec.counters().host_synchronizations, before.host_synchronizations);
            }
            EXPECT_EQ(applied(exec, *m, ones), applied(exec, *Amg<double>::factory(p).generate(a), ones));
        }
    });
}

/// Applications stay on the executor: recorded loops can hold them.
TEST(AmgCycles, StayOnTheExecutor)
{
    const auto a = problem("lap2d:40");
    on_each_executor([&](const Executor& exec) {
        for (const auto cycle : {AmgCycle::v, AmgCycle::w, AmgCycle::f, AmgCycle::k}) {
            const auto m = Amg<double>::factory({.coarse_rows = 20, .cycle = cycle}).generate(csr(exec, a));
            EXPECT_TRUE(m->is_capturable());
            const auto b = Dense<double>::filled(exec, {1600, 2}, 1);
            Dense<double> x(exec, {1600, 2});
            m->apply(b, x);
            const auto before = exec.counters();
            m->apply(b, x);
            EXPECT_EQ(exec.counters().allocations, before.allocations);
            EXPECT_EQ(exec.counters().host_synchronizations, before.host_synchronizations);
        }
    });
}

TEST(AmgCycles, SeveralRightHandSides)
{
    const auto a = problem("lap2d:30");
    Random random(1812);
    on_each_executor([&](const Executor& exec) {
        for (const auto cycle : {AmgCycle::v, AmgCycle::k}) {
            const auto m = Amg<double>::factory({.coarse_rows = 20, .cycle = cycle}).generate(csr(exec, a));
            const auto b = random_dense<double>(random, exec, {900, 3}, 2);
            Dense<double> x(exec, b.size(), 5);
            m->apply(b, x);
            const auto all = x.to_host(), columns = b.to_host();
            for (std::size_t col = 0; col < 3; ++col) {
                std::vector<double> one, expected;
                for (std::size_t row = 0; row < 900; ++row) {
                    one.push_back(columns[row * 3 + col]);
                    expected.push_back(all[row * 3 + col]);
                }
                expect_near(applied(exec, *m, one), expected, 1e4);
            }
        }
    });
}

/// Nothing at all, rows of zeros, rows without neighbours, a hierarchy that ends early.
TEST(AmgCycles, OddMatrices)
{
    on_each_executor([](const Executor& exec) {
        EXPECT_TRUE(
            applied(exec, *Amg<double>::factory({.cycle = AmgCycle::v}).generate(csr(exec, Data{{0, 0}, {0}, {}, {}})),
                    {})
                .empty());
        auto a = problem("lap2d:30");
        for (const std::size_t row : {0, 417}) {
            for (auto k = a.row_ptrs[row]; k < a.row_ptrs[row + 1]; ++k) {
                a.values[static_cast<std::size_t>(k)] = 0;
            }
        }
        for (const auto cycle : {AmgCycle::v, AmgCycle::k}) {
            for (const size_type block_rows : {1, 2, 30}) {
                const auto m = Amg<double>::factory({.coarse_rows = 20, .cycle = cycle, .block_rows = block_rows})
                                   .generate(csr(exec, a));
                for (const double value : applied(exec, *m, std::vector<double>(900, 1.0))) {
                    EXPECT_TRUE(std::isfinite(value));
                }
            }
        }
        Data diagonal{{5000, 5000}, {0}, {}, {}};
        for (I i = 0; i < 5000; ++i) {
            diagonal.col_idxs.push_back(i);
            diagonal.values.push_back(1 + i % 7);
            diagonal.row_ptrs.push_back(i + 1);
        }
        const auto m = Amg<double>::factory({.cycle = AmgCycle::v}).generate(csr(exec, diagonal));
        EXPECT_EQ(m->report().end, AmgEnd::stalled);
        expect_iterations(solve(exec, diagonal, {.cycle = AmgCycle::v}), 3);
    });
}

/// The Laplacian without a boundary. Where b has a part in its null space, x is a least-squares solution without one.
TEST(AmgSystems, SingularProblems)
{
    auto a = problem("lap2d:60");
    for (std::size_t row = 0; row < 3600; ++row) {
        double sum = 0;
        std::size_t diagonal = 0;
        for (auto k = static_cast<std::size_t>(a.row_ptrs[row]); k < static_cast<std::size_t>(a.row_ptrs[row + 1]);
             ++k) {
            diagonal = static_cast<std::size_t>(a.col_idxs[k]) == row ? k : diagonal;
            sum += a.values[k];
        }
        a.values[diagonal] -= sum;
    }
    on_each_executor([&](const Executor& exec) {
        for (const auto cycle : {AmgCycle::additive, AmgCycle::v}) {
            const auto solver =
                Cg<double>::factory(
                    {.stop = {.max_iterations = 100, .relative_residual = 1e-6},
                     .preconditioner = Amg<double>::factory({.coarse_rows = 20, .cycle = cycle, .singular = true})})
                    .generate(csr(exec, a));
            std::vector<double> b(7200);
            for (std::size_t row = 0; row < 3600; ++row) {
                b[2 * row] = row % 2 == 0 ? 1 : -1;
                b[2 * row + 1] = 1 + 0.01 * static_cast<double>(row % 60);
            }
            Dense<double> block(exec, {3600, 2});
            block.copy_from(Dense<double>::adopt(reference_executor(), {3600, 2}, 2, b.data()));
            auto x = Dense<double>::filled(exec, {3600, 2}, 0);
            const auto result = solver->solve(block, x);
            expect_iterations(result, cycle == AmgCycle::v ? 13 : 20);
            EXPECT_FALSE(result.columns[0].least_squares);
            EXPECT_TRUE(result.columns[1].least_squares);
            // All but the mean 1.295 of the second column is met.
            EXPECT_NEAR(result.columns[1].residual, 1.295 * 60, 1e-3);
            EXPECT_NEAR(x.dot(Dense<double>::filled(exec, {3600, 2}, 1))[1], 0, 1e-7);
        }
    });
}

TEST(AmgSystems, ReadsCoordinatesFromAFile)
{
    const auto b = bar(6, 2, 2);
    const auto path = std::filesystem::path(testing::TempDir()) / "linden_amg_coordinates.mtx";
    write_dense(path.string(), *b.coordinates);
    const std::vector<double> ones(static_cast<std::size_t>(b.matrix.size.rows), 1.0);
    on_each_executor([&](const Executor& exec) {
        const auto by_file = Amg<double>::factory({.coarse_rows = 20, .coordinates_file = path.string()});
        const auto by_value = Amg<double>::factory({.coarse_rows = 20, .coordinates = b.coordinates});
        EXPECT_EQ(applied(exec, *by_file.generate(csr(exec, b.matrix)), ones),
                  applied(exec, *by_value.generate(csr(exec, b.matrix)), ones));
    });
    std::filesystem::remove(path);
}

TEST(AmgSystems, RefusesWhatDoesNotFit)
{
    on_each_executor([](const Executor& exec) {
        const auto a = csr(exec, problem("lap2d:5"));
        const auto refuse = [&](const Parameters& p) {
            EXPECT_THROW(Amg<double>::factory(p).generate(a), InvalidParameter);
        };
        refuse({.block_rows = 2});
        refuse({.block_rows = 0});
        refuse({.sweeps = 0});
        refuse({.method = AmgMethod::classical, .max_elements = 0});
        refuse({.method = AmgMethod::classical, .block_rows = 5});
        refuse({.cycle = AmgCycle::additive, .sweeps = 2});
        refuse({.cycle = AmgCycle::additive, .block_rows = 5});
        refuse({.storage = AmgStorage::single, .smoother = Jacobi<double>::factory()});
        const auto vectors = share(Dense<double>::filled(exec, {24, 1}, 1));
        EXPECT_THROW(Amg<double>::factory({.near_nullspace = vectors}).generate(a), DimensionMismatch);
        EXPECT_THROW(Amg<double>::factory({.coordinates_file = "/there/is/none"}).generate(a), FileError);
    });
}

}  // namespace
}  // namespace linden::test
