// needs: double int32
#include <linden/error.hpp>
#include <linden/io/problems.hpp>
#include <linden/matrix/dense.hpp>
#include <linden/memory.hpp>
#include <linden/solver/direct.hpp>

#include <cmath>
#include <numbers>

#include "core/matrix/metis/dissection.hpp"
#include "test/support/backends.hpp"
#include "test/support/compare.hpp"
#include "test/support/entries_of.hpp"
#include "test/support/matrices.hpp"

/// Direct solvers whose factors have long rows, which are eliminated by supernodes, and what factors take.
namespace linden::test {
namespace {

using I = std::int32_t;

LinOpPtr<double> csr(const Executor& exec, const CsrData<double, I>& a) { return share(Csr<double, I>(exec, a)); }

/// A - shift I
CsrData<double, I> shifted(CsrData<double, I> a, double shift)
{
    for (I row = 0; row < a.size.rows; ++row) {
        for (I k = a.row_ptrs[row]; k < a.row_ptrs[row + 1]; ++k) {
            a.values[k] -= a.col_idxs[k] == row ? shift : 0;
        }
    }
    return a;
}

/// The solution for b = (1, 2, ...), of a componentwise backward error of some eps.
template <class Solver>
std::vector<double> solve(const Solver& solver, const LinOpPtr<double>& a)
{
    std::vector<double> values;
    for (size_type i = 0; i < a->size().rows; ++i) {
        values.push_back(static_cast<double>(i + 1));
    }
    const auto b = Dense<double>::vector(a->executor(), values);
    auto x = Dense<double>::filled(a->executor(), b.size(), 0.0);
    const auto result = solver.solve(b, x);
    EXPECT_TRUE(result.converged()) << result.reason();
    EXPECT_LE(componentwise_backward_error(*a, b, x).front(), 4096 * std::numeric_limits<double>::epsilon());
    return x.to_host();
}

/// With new values, which allocate nothing. Returns the solution with those.
template <class Solver>
std::vector<double> expect_takes_new_values_on(const Executor& exec, const CsrData<double, I>& first,
                                               const CsrData<double, I>& second)
{
    const auto solver = Solver::factory().generate(csr(exec, first));
    EXPECT_NE(solver->factors(), solver->factors()) << "no supernodes: it was no copy";
    solve(*solver, csr(exec, first));
    const auto a = csr(exec, second);
    const auto before = exec.counters();
    solver->update_values(a);
    EXPECT_EQ(exec.counters().allocations, before.allocations);
    EXPECT_EQ(solver->num_replaced_pivots(), 0);
    return solve(*solver, a);
}

/// The same bits on any number of threads, and in two runs on a device.
template <class Solver>
void expect_takes_new_values(const CsrData<double, I>& first, const CsrData<double, I>& second)
{
    const auto on = [&](const Executor& exec) { return expect_takes_new_values_on<Solver>(exec, first, second); };
    const auto solution = on(Executor::omp({.threads = 1}));
    for (const int threads : {2, 3}) {
        EXPECT_EQ(solution, on(Executor::omp({.threads = threads})));
    }
    on_each_executor([&](const Executor& exec) {
        const auto found = on(exec);
        if (!exec.is_host()) {
            EXPECT_EQ(found, on(exec));
        }
    });
}

TEST(SupernodalFactors, TakeNewValues)
{
    const auto mesh = generate_problem<double, I>("lap3d:14"), flow = generate_problem<double, I>("convdiff3d:12:20");
    auto other = flow;
    for (std::size_t k = 0; k < other.values.size(); ++k) {
        other.values[k] *= 1 + 0.3 * std::sin(static_cast<double>(k));
    }
    expect_takes_new_values<Cholesky<double>>(mesh, shifted(mesh, -1));
    expect_takes_new_values<Ldlt<double>>(mesh, shifted(mesh, 0.3));
    expect_takes_new_values<Lu<double>>(flow, other);
}

TEST(SupernodalFactors, AreThoseOfEachOther)
{
    const auto a = csr(Executor::omp({.threads = 1}), generate_problem<double, I>("lap3d:9"));
    const auto of_lu = Lu<double>::factory({{.ordering = FillOrdering::natural}}).generate(a)->factors(),
               of_ldlt = Ldlt<double>::factory({.ordering = FillOrdering::natural}).generate(a)->factors(),
               of_cholesky = Cholesky<double>::factory({.ordering = FillOrdering::natural}).generate(a)->factors();
    const auto host = [](const LinOpPtr<double>& f) { return dynamic_cast<const Csr<double, I>&>(*f).to_host(); };
    const auto lu = host(of_lu), ldlt = host(of_ldlt), cholesky = host(of_cholesky);
    expect_near(lu.values, ldlt.values, 100);
    EXPECT_EQ(lu.col_idxs, ldlt.col_idxs);
    std::vector<double> pivots, expected;
    for (I row = 0; row < ldlt.size.rows; ++row) {
        for (I k = ldlt.row_ptrs[row]; k < ldlt.row_ptrs[row + 1]; ++k) {
            if (ldlt.col_idxs[k] == row) {
                pivots.push_back(ldlt.values[k]);
                expected.push_back(std::sqrt(ldlt.values[k]));
            } else if (ldlt.col_idxs[k] < row) {
                expected.push_back(ldlt.values[k] * std::sqrt(pivots[ldlt.col_idxs[k]]));
            }
        }
    }
    expect_near(cholesky.values, expected, 100);
}

/// Of the grid's n^3 eigenvalues some are below the shift.
TEST(SupernodalFactors, TellOfIndefiniteMatrices)
{
    constexpr I n = 10;
    constexpr double shift = 3.1;
    size_type num_negative = 0;
    const auto part = [](I i) { return 2 - 2 * std::cos(std::numbers::pi * i / (n + 1)); };
    for (I i = 1; i <= n; ++i) {
        for (I j = 1; j <= n; ++j) {
            for (I k = 1; k <= n; ++k) {
                num_negative += part(i) + part(j) + part(k) < shift ? 1 : 0;
            }
        }
    }
    ASSERT_GT(num_negative, 50);
    const auto mesh = generate_problem<double, I>("lap3d:10");
    on_each_executor([&](const Executor& exec) {
        const auto definite = csr(exec, mesh), indefinite = csr(exec, shifted(mesh, shift));
        const auto ldlt = Ldlt<double>::factory().generate(indefinite);
        EXPECT_EQ(ldlt->inertia().negative, num_negative);
        EXPECT_EQ(ldlt->inertia().positive, n * n * n - num_negative);
        EXPECT_EQ(ldlt->log_determinant().argument, num_negative % 2 == 0 ? 1 : -1);
        EXPECT_FALSE(Cholesky<double>::factory().generate(indefinite)->is_positive_definite());
        const auto cholesky = Cholesky<double>::factory().generate(definite);
        EXPECT_TRUE(cholesky->is_positive_definite());
        cholesky->update_values(indefinite);
        EXPECT_FALSE(cholesky->is_positive_definite());
        cholesky->update_values(definite);
        EXPECT_TRUE(cholesky->is_positive_definite());
        EXPECT_NEAR(cholesky->log_determinant().log_magnitude,
                    Lu<double>::factory().generate(definite)->log_determinant().log_magnitude, 1e-9);
    });
}

/// Short rows of definite matrices are eliminated one by one, and new values need not be definite.
TEST(SupernodalFactors, TellOfIndefiniteMatricesWithShortRows)
{
    const auto grid = generate_problem<double, I>("lap2d:12");
    for (const auto& exec : {Executor::reference(), Executor::omp({.threads = 2})}) {
        const auto definite = csr(exec, grid), indefinite = csr(exec, shifted(grid, 0.5));
        const auto cholesky = Cholesky<double>::factory().generate(definite);
        for (int times = 0; times < 2; ++times) {
            EXPECT_TRUE(cholesky->is_positive_definite());
            solve(*cholesky, definite);
            cholesky->update_values(indefinite);
            EXPECT_FALSE(cholesky->is_positive_definite());
            cholesky->update_values(definite);
        }
        const auto factor = dynamic_cast<const Csr<double, I>&>(*cholesky->factors()).to_host();
        EXPECT_EQ(factor.num_nonzeros(), cholesky->factor_size().entries);
        EXPECT_EQ(2 * factor.num_nonzeros() - 144, Ldlt<double>::size_for(*definite).entries);
        EXPECT_FALSE(Cholesky<double>::factory().generate(indefinite)->is_positive_definite());
    }
}

/// n x n, with `tenths` of ten entries and a diagonal.
std::vector<std::vector<double>> random_entries(std::size_t n, int tenths)
{
    Random random(12);
    std::vector<std::vector<double>> rows(n, std::vector<double>(n, 0));
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) {
            rows[i][j] = i == j || random.integer(0, 9) < tenths ? random.value<double>() : 0;
        }
    }
    return rows;
}

/// Unsymmetric patterns take supernodes where their factors are nearly full, with rows and columns in any order.
TEST(SupernodalFactors, TakePatternsWhoseFactorsAreNearlyFull)
{
    for (const int tenths : {2, 4}) {
        const auto first = random_entries(150, tenths);
        auto second = first;
        for (std::size_t i = 0; i < first.size(); ++i) {
            for (std::size_t j = 0; j < first.size(); ++j) {
                second[i][j] *= 1 + 1e-3 * std::sin(static_cast<double>(i * j));
            }
        }
        expect_takes_new_values<Lu<double>>(entries_of(first), entries_of(second));
        const auto a = csr(Executor::omp({.threads = 1}), entries_of(first));
        const auto size = Lu<double>::factory().generate(a)->factor_size();
        EXPECT_EQ(size.entries, Lu<double>::size_for(*a).entries);
        EXPECT_EQ(size.bytes, Lu<double>::size_for(*a).bytes);
        EXPECT_GT(size.entries, 150 * 150 / 2);
    }
}

/// Those of Hessenberg matrices have no fill, which A + A^T does not tell.
TEST(SupernodalFactors, LeaveHessenbergMatrices)
{
    constexpr std::size_t n = 120;
    auto rows = random_entries(n, 10);
    for (std::size_t i = 0; i < n; ++i) {
        std::fill_n(rows[i].begin(), i < 1 ? 0 : i - 1, 0.0);
        rows[i][i] += 8;
    }
    const auto a = csr(Executor::omp({.threads = 1}), entries_of(rows));
    const auto solver = Lu<double>::factory().generate(a);
    EXPECT_EQ(solver->factors(), solver->factors()) << "it was a copy, of supernodes";
    EXPECT_LT(solver->factor_size().entries, static_cast<size_type>(n * n) * 6 / 10);
    solve(*solver, a);
}

/// A grid with dense rows and columns, which come last: each adds no more than itself to the factors.
TEST(SupernodalFactors, HaveDenseRowsLast)
{
    constexpr I grid = 30, n = grid * grid;
    const auto mesh = generate_problem<double, I>("lap2d:30");
    const auto entries = Lu<double>::size_for(*csr(Executor::reference(), mesh)).entries;
    for (const I num_dense : {1, 7}) {
        const I size = n + num_dense;
        CsrData<double, I> a{{size, size}, {0}, {}, {}};
        for (I row = 0; row < size; ++row) {
            for (I column = 0; column < (row < num_dense ? size : num_dense); ++column) {
                a.col_idxs.push_back(column);
                a.values.push_back(row == column ? size : 1);
            }
            for (I k = row < num_dense ? 0 : mesh.row_ptrs[row - num_dense];
                 row >= num_dense && k < mesh.row_ptrs[row - num_dense + 1]; ++k) {
                a.col_idxs.push_back(mesh.col_idxs[k] + num_dense);
                a.values.push_back(mesh.values[k]);
            }
            a.row_ptrs.push_back(static_cast<I>(a.values.size()));
        }
        for (const auto ordering : {FillOrdering::automatic, FillOrdering::amd}) {
            const auto size_of = Lu<double>::size_for(*csr(Executor::reference(), a), {{.ordering = ordering}});
            EXPECT_LE(size_of.entries, 1.2 * static_cast<double>(entries) + 2.0 * num_dense * size);
        }
    }
}

/// By 2 x 2 pivots: a dense saddle point.
TEST(SupernodalFactors, HavePivotsOfTwoRows)
{
    constexpr std::size_t m = 60, n = 90;
    Random random(11);
    std::vector<std::vector<double>> rows(n, std::vector<double>(n, 0));
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j <= i && j < m; ++j) {
            rows[i][j] = rows[j][i] = i == j ? 1e-3 : random.value<double>();
        }
    }
    on_each_executor([&](const Executor& exec) {
        const auto a = csr(exec, entries_of(rows));
        const auto solver = Ldlt<double>::factory().generate(a);
        EXPECT_NE(solver->factors(), solver->factors()) << "no supernodes: it was no copy";
        solve(*solver, a);
        const auto lu = Lu<double>::factory({{}, Pivoting::partial}).generate(a);
        EXPECT_NEAR(solver->log_determinant().log_magnitude, lu->log_determinant().log_magnitude, 1e-8);
        EXPECT_EQ(solver->log_determinant().argument, lu->log_determinant().argument);
        EXPECT_EQ(solver->inertia().negative % 2 == 0 ? 1 : -1, lu->log_determinant().argument);
    });
}

/// Pivots that are less than their rounding by n eps, of a definite matrix.
TEST(SupernodalFactors, OfLdltJudgePivotsAsCholeskyDoesWhereOthersFail)
{
    const auto stiff = generate_problem<double, I>("bubbles:150:130:1e12:2");
    for (const auto& exec : {Executor::reference(), Executor::omp({.threads = 1})}) {
        const auto a = csr(exec, stiff);
        const auto ldlt = Ldlt<double>::factory().generate(a);
        EXPECT_EQ(ldlt->num_replaced_pivots(), 0);
        EXPECT_EQ(ldlt->inertia().positive, a->size().rows);
        ldlt->update_values(a);
        EXPECT_EQ(ldlt->num_replaced_pivots(), 0);
        auto x = Dense<double>::filled(exec, {a->size().rows, 1}, 0);
        EXPECT_TRUE(ldlt->solve(Dense<double>::filled(exec, {a->size().rows, 1}, 1), x).converged());
    }
}

TEST(SupernodalFactors, EstimateTheCondition)
{
    on_each_executor([](const Executor& exec) {
        const auto mesh = csr(exec, generate_problem<double, I>("lap3d:9")),
                   flow = csr(exec, generate_problem<double, I>("convdiff3d:9:20"));
        const double expected = Lu<double>::factory({{}, Pivoting::partial}).generate(mesh)->condition_estimate();
        EXPECT_NEAR(Cholesky<double>::factory().generate(mesh)->condition_estimate(), expected, 1e-6 * expected);
        EXPECT_NEAR(Lu<double>::factory().generate(mesh)->condition_estimate(), expected, 1e-6 * expected);
        EXPECT_NEAR(Lu<double>::factory().generate(flow)->condition_estimate(),
                    Lu<double>::factory({{}, Pivoting::partial}).generate(flow)->condition_estimate(), 1e-6 * expected);
    });
}

/// What the executor counts while a solver is set up, gets new values and solves. Devices have solves whose memory is
/// the matter of levels, and up to a megabyte for any matrix.
template <class Solver>
void expect_knows_its_bytes(const Executor& exec, const std::string& spec,
                            const typename Solver::Parameters& parameters = {})
{
    const double least = exec.is_host() ? 0.97 : 0.7, most = exec.is_host() ? 1 : 1.3;
    const double for_any = exec.is_host() ? 0 : 1 << 20;
    const auto a = csr(exec, generate_problem<double, I>(spec));
    const auto b = Dense<double>::filled(exec, {a->size().rows, 1}, 1.0);
    auto x = Dense<double>::filled(exec, b.size(), 0.0);
    const auto expected = Solver::size_for(*a, parameters);
    exec.reset_peak();
    const auto before = exec.counters().allocated_bytes;
    const auto solver = Solver::factory(parameters).generate(a);
    solver->update_values(a);
    solver->solve(b, x);
    const auto seen = static_cast<double>(exec.counters().peak_bytes - before);
    const std::string what = spec + " by " + std::string(Solver::type_name) + ", order " +
                             std::to_string(static_cast<int>(parameters.ordering));
    EXPECT_EQ(solver->factor_size().bytes, expected.bytes) << what;
    EXPECT_EQ(solver->factor_size().entries, expected.entries) << what;
    EXPECT_LE(seen, for_any + most * static_cast<double>(expected.bytes)) << what;
    EXPECT_GE(seen, least * static_cast<double>(expected.bytes)) << what;
}

TEST(SupernodalFactors, KnowTheirBytes)
{
    const auto on_host = [](const Executor& exec) {
        for (const auto* spec : {"lap2d:60", "lap3d:12"}) {
            expect_knows_its_bytes<Cholesky<double>>(exec, spec);
            expect_knows_its_bytes<Ldlt<double>>(exec, spec);
            expect_knows_its_bytes<Lu<double>>(exec, spec);
        }
        expect_knows_its_bytes<Lu<double>>(exec, "random:3000:3:1");
        expect_knows_its_bytes<Lu<double>>(exec, "convdiff3d:12:20");
    };
    on_host(Executor::reference());
    on_host(Executor::omp({.threads = 1}));
    on_host(Executor::omp({.threads = 2}));
    on_each_executor([](const Executor& exec) {
        if (!exec.is_host()) {
            expect_knows_its_bytes<Cholesky<double>>(exec, "lap2d:60");
            expect_knows_its_bytes<Lu<double>>(exec, "lap2d:60");
            expect_knows_its_bytes<Ldlt<double>>(exec, "lap3d:12");
            expect_knows_its_bytes<Lu<double>>(exec, "convdiff3d:12:20");
        }
    });
}

TEST(SupernodalFactors, KnowTheirBytesInAnyOrder)
{
    for (const auto& exec : {Executor::reference(), Executor::omp({.threads = 1}), Executor::omp({.threads = 2})}) {
        for (const auto ordering : {FillOrdering::automatic, FillOrdering::amd, FillOrdering::nested_dissection,
                                    FillOrdering::rcm, FillOrdering::natural}) {
            if (ordering == FillOrdering::nested_dissection && !linden::detail::has_metis) {
                continue;
            }
            for (const auto* spec : {"lap2d:1", "lap2d:2", "lap2d:4", "lap2d:10", "lap3d:6", "lap2d:40", "lap3d:10"}) {
                expect_knows_its_bytes<Cholesky<double>>(exec, spec, {.ordering = ordering});
                expect_knows_its_bytes<Ldlt<double>>(exec, spec, {.ordering = ordering});
                expect_knows_its_bytes<Lu<double>>(exec, spec, {{.ordering = ordering}});
            }
            for (const auto* spec :
                 {"convdiff3d:4:20", "convdiff3d:9:20", "random:30:3:1", "random:300:3:1", "powerlaw:300:4:1"}) {
                expect_knows_its_bytes<Lu<double>>(exec, spec, {{.ordering = ordering}});
            }
        }
    }
}

TEST(SupernodalFactors, SayWhatLacks)
{
    for (const auto* spec : {"lap2d:30", "lap3d:9"}) {
        const auto memory = std::make_shared<FaultInjectingMemory>(host_memory());
        const auto exec = Executor::omp({.threads = 1, .memory = memory});
        const auto a = csr(exec, generate_problem<double, I>(spec));
        const auto expected = Cholesky<double>::size_for(*a).bytes;
        for (const int allocation : {2, 4, 6}) {
            memory->fail_allocation(allocation);
            try {
                Cholesky<double>::factory().generate(a);
                ADD_FAILURE() << "no allocation failed";
            } catch (const OutOfMemory& e) {
                EXPECT_EQ(e.bytes, static_cast<std::uint64_t>(expected)) << spec << " " << allocation;
                EXPECT_NE(std::string(e.what()).find("factors of Cholesky"), std::string::npos);
            }
            memory->fail_allocation(0);
        }
    }
}

/// Of several right-hand sides at a time, on the device whose memory is the host's.
TEST(SupernodalFactors, SolveForOneColumnWhereThereIsNoRoomForMore)
{
    on_each_executor([](const Executor& tested) {
        if (tested.backend() != Backend::hip || tested.info().name.find("host executor") == std::string::npos) {
            return;
        }
        const auto memory = std::make_shared<FaultInjectingMemory>(host_memory());
        const auto exec = Executor::hip({.memory = memory});
        const auto a = csr(exec, generate_problem<double, I>("lap3d:10"));
        DenseData<double> block{{a->size().rows, 5}, {}};
        for (size_type i = 0; i < a->size().rows * 5; ++i) {
            block.values.push_back(static_cast<double>(1 + i % 5));
        }
        const auto b = Dense<double>::from_host(exec, block);
        const auto solve_without = [&](int allocation) {
            const auto solver = Lu<double>::factory().generate(a);
            auto x = Dense<double>::filled(exec, b.size(), 0.0);
            memory->fail_allocation(allocation);
            const auto before = memory->num_allocations();
            solver->solve(b, x);
            const auto count = memory->num_allocations() - before;
            memory->fail_allocation(0);
            return std::pair(x.to_host(), count);
        };
        const auto [expected, count] = solve_without(0);
        int num_solved = 0;
        for (int k = 1; k <= count; ++k) {
            try {
                EXPECT_EQ(solve_without(k).first, expected);
                ++num_solved;
            } catch (const OutOfMemory&) {
                memory->fail_allocation(0);
            }
        }
        EXPECT_EQ(num_solved, 1) << "of " << count << " allocations, of which one is the room to hand on";
    });
}

}  // namespace
}  // namespace linden::test
