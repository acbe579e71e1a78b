// needs: double int32
#include <linden/config/config.hpp>
#include <linden/io/problems.hpp>
#include <linden/preconditioner/incomplete_poisson.hpp>
#include <linden/preconditioner/jacobi.hpp>
#include <linden/preconditioner/multicoloured.hpp>
#include <linden/preconditioner/neumann.hpp>
#include <linden/solver/deflated_cg.hpp>

#include <linden/error.hpp>

#include <numbers>

#include "test/support/solvers.hpp"

/// Conjugate gradients without the space of deflation vectors.
namespace linden::test {
namespace {

using I = std::int32_t;
using Vectors = std::vector<double>;

LinOpPtr<double> problem(const Executor& exec, std::string_view spec)
{
    return share(Csr<double, I>(exec, generate_problem<double, I>(spec)));
}

/// n points, -u'' with Neumann conditions: the constant vector spans the kernel.
TestCsr<double> neumann_1d(size_type n)
{
    TestCsr<double> a{{n, n}, {0}, {}, {}};
    for (size_type row = 0; row < n; ++row) {
        for (const size_type col : {row - 1, row, row + 1}) {
            if (col >= 0 && col < n) {
                a.col_idxs.push_back(static_cast<I>(col));
                a.values.push_back(col != row ? -1 : row == 0 || row == n - 1 ? 1 : 2);
            }
        }
        a.row_ptrs.push_back(static_cast<I>(a.col_idxs.size()));
    }
    return a;
}

SolveResult solve(const Solver<double>& solver, Dense<double>& x, const SolveOptions& options = {})
{
    const auto b = Dense<double>::filled(x.executor(), x.size(), 1);
    return solver.solve(b, x, options);
}

DeflatedCg<double>::Parameters stripes(size_type vectors, double tolerance = 1e-10)
{
    return {.stop = {.relative_residual = tolerance}, .deflation = {.vectors = vectors}};
}

/// diag(1, 2, 3, 4), b = 1, domains {0, 1}, {2, 3}: E = diag(3, 7), so x0 := Q b = (2/3, 2/3, 2/7, 2/7) and
/// r = (1/3, -1/3, 1/7, -1/7). From there CG in the space of those with Z^H A p = 0 takes two steps.
TEST(DeflatedCg, ByHand)
{
    on_each_executor([](const Executor& exec) {
        const auto a = matrix_on(exec, TestCsr<double>{{4, 4}, {0, 1, 2, 3, 4}, {0, 1, 2, 3}, {1, 2, 3, 4}});
        const auto solver = DeflatedCg<double>::factory(stripes(2)).generate(a);
        EXPECT_EQ(solver->num_vectors(), 2);
        EXPECT_EQ(solver->num_dropped_vectors(), 0);
        auto x = Dense<double>::filled(exec, {4, 1}, 0);
        const auto result = solve(*solver, x, {.history = true});
        EXPECT_TRUE(result.converged()) << result.reason();
        EXPECT_EQ(result.iterations(), 2);
        EXPECT_NEAR(result.history[0][0], std::sqrt(2. / 9 + 2. / 49), 1e-15);
        expect_near(x.to_host(), {1, 1. / 2, 1. / 3, 1. / 4}, 64);
    });
}

/// All of the space: the correction at the start is the solution.
TEST(DeflatedCg, SolvesAtOnceWithAsManyVectorsAsRows)
{
    on_each_executor([](const Executor& exec) {
        const auto a = matrix_on(exec, laplace_2d<double>(6));
        const auto solver = DeflatedCg<double>::factory(stripes(36)).generate(a);
        auto x = Dense<double>::filled(exec, {36, 2}, 3);
        const auto result = solve(*solver, x);
        EXPECT_TRUE(result.converged()) << result.reason();
        EXPECT_EQ(result.iterations(), 0);
    });
}

double dot(const Vectors& a, const Vectors& b)
{
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        sum += a[i] * b[i];
    }
    return sum;
}

/// a + factor b
Vectors sum(Vectors a, double factor, const Vectors& b)
{
    for (std::size_t i = 0; i < a.size(); ++i) {
        a[i] += factor * b[i];
    }
    return a;
}

/// The projections by domains as the paper writes them, with a dense E.
struct NaiveDeflation {
    TestCsr<double> a;
    std::vector<size_type> domains;
    std::size_t k;

    Vectors times_a(const Vectors& v) const { return host_product(a, v); }
    Vectors prolonged(const Vectors& c) const
    {
        Vectors v;
        for (const auto domain : domains) {
            v.push_back(c[static_cast<std::size_t>(domain)]);
        }
        return v;
    }
    Vectors restricted(const Vectors& v) const
    {
        Vectors c(k);
        for (std::size_t i = 0; i < v.size(); ++i) {
            c[static_cast<std::size_t>(domains[i])] += v[i];
        }
        return c;
    }
    /// Z E^-1 Z^T v, by elimination
    Vectors q(const Vectors& v) const
    {
        auto c = restricted(v);
        std::vector<Vectors> e;
        for (std::size_t i = 0; i < k; ++i) {
            Vectors unit(k);
            unit[i] = 1;
            e.push_back(restricted(times_a(prolonged(unit))));
        }
        for (std::size_t i = 0; i < k; ++i) {
            for (std::size_t row = 0; row < k; ++row) {
                if (row != i) {
                    const double factor = -e[row][i] / e[i][i];
                    e[row] = sum(e[row], factor, e[i]);
                    c[row] += factor * c[i];
                }
            }
        }
        for (std::size_t i = 0; i < k; ++i) {
            c[i] /= e[i][i];
        }
        return prolonged(c);
    }
    Vectors p(const Vectors& v) const { return sum(v, -1, times_a(q(v))); }
    Vectors p_transposed(const Vectors& v) const { return sum(v, -1, q(times_a(v))); }

    /// Algorithm 1 with M = I from x = 0, so many steps.
    Vectors solve(const Vectors& b, int steps) const
    {
        Vectors x(b.size());
        auto r = p(b);
        auto direction = r;
        for (int step = 0; step < steps; ++step) {
            const auto w = p(times_a(direction));
            const double rho = dot(r, r);
            const double alpha = rho / dot(direction, w);
            x = sum(x, alpha, direction);
            r = sum(r, -alpha, w);
            direction = sum(r, dot(r, r) / rho, direction);
        }
        return sum(q(b), 1, p_transposed(x));
    }
};

/// In another form, the iterates of [GuptaEtAl11, algorithm 1].
TEST(DeflatedCg, HasTheIteratesOfThePaper)
{
    on_each_executor([](const Executor& exec) {
        Random random(945);
        const auto data = laplace_2d<double>(9);
        NaiveDeflation naive{data, {}, 6};
        for (size_type row = 0; row < 81; ++row) {
            naive.domains.push_back(row < 6 ? row : random.integer(0, 6));
        }
        const auto b = random_dense<double>(random, exec, {81, 1});
        for (const int steps : {1, 2, 8}) {
            DeflatedCg<double>::Parameters parameters;
            parameters.stop = {.max_iterations = steps, .relative_residual = 0};
            parameters.deflation.domains = naive.domains;
            const auto solver = DeflatedCg<double>::factory(parameters).generate(matrix_on(exec, data));
            auto x = Dense<double>::filled(exec, {81, 1}, 0);
            EXPECT_EQ(solver->solve(b, x).iterations(), steps);
            expect_near(x.to_host(), naive.solve(b.to_host(), steps), 1e5);
        }
    });
}

size_type iterations(const Solver<double>& solver)
{
    auto x = Dense<double>::filled(solver.executor(), {solver.size().rows, 1}, 0);
    const auto result = solve(solver, x);
    EXPECT_TRUE(result.converged()) << result.reason();
    return result.iterations();
}

/// Fewer and fewer iterations with more domains, as many on all executors but for rounding.
TEST(DeflatedCg, TakesFewerIterationsOnTwoPhases)
{
    std::vector<size_type> reference;
    on_each_executor([&](const Executor& exec) {
        const auto a = problem(exec, "twophase:32:1000");
        const Stop stop{.relative_residual = 1e-8};
        const auto m = Jacobi<double>::factory();
        std::vector<size_type> counts{iterations(*Cg<double>::factory({stop, m}).generate(a))};
        const auto count = [&](const Deflation<double>& deflation) {
            counts.push_back(iterations(*DeflatedCg<double>::factory({stop, m, deflation}).generate(a)));
            EXPECT_LT(counts.back(), counts[counts.size() - 2]);
        };
        count({.vectors = 4});
        count({.vectors = 16});
        count({.vectors = 64});
        count({.kind = DeflationKind::boxes, .nx = 32, .ny = 32, .boxes_x = 8, .boxes_y = 8});
        EXPECT_LT(2 * counts.back(), counts.front());
        if (reference.empty()) {
            reference = counts;
        }
        for (std::size_t i = 0; i < counts.size(); ++i) {
            EXPECT_NEAR(static_cast<double>(counts[i]), static_cast<double>(reference[i]), 2);
        }
    });
}

/// Also where vectors depend on others.
TEST(DeflatedCg, SolvesWithFactorsAsWithTheInverse)
{
    on_each_executor([](const Executor& exec) {
        const auto a = problem(exec, "twophase:32:1000");
        const auto count = [&](CoarseSolve coarse, std::vector<size_type> domains) {
            const Deflation<double> deflation{.vectors = 70, .domains = std::move(domains), .coarse = coarse};
            const auto solver =
                DeflatedCg<double>::factory({{.relative_residual = 1e-8}, Jacobi<double>::factory(), deflation})
                    .generate(a);
            EXPECT_EQ(solver->num_dropped_vectors(), deflation.domains.empty() ? 0 : 9);
            return iterations(*solver);
        };
        std::vector<size_type> some_empty;  // domains 0, 5 and 11
        for (size_type row = 0; row < 1024; ++row) {
            some_empty.push_back(row == 1023 ? 11 : row / 512 * 5);
        }
        for (const auto& domains : {std::vector<size_type>(), some_empty}) {
            EXPECT_NEAR(static_cast<double>(count(CoarseSolve::cholesky, domains)),
                        static_cast<double>(count(CoarseSolve::inverse, domains)), 1);
        }
    });
}

/// 576 boxes, which separators cut into parts; all, and with every third left empty, whose rows are its neighbour's.
TEST(DeflatedCg, SolvesWithADissectedInverseAsWithTheWhole)
{
    on_each_executor([](const Executor& exec) {
        const auto a = problem(exec, "twophase:48:1000");
        for (const size_type left_out : {0, 3}) {
            std::vector<size_type> domains;
            for (size_type row = 0; row < 48 * 48; ++row) {
                const size_type box = row / 96 * 24 + row % 48 / 2;
                domains.push_back(left_out != 0 && box % left_out == 1 ? box + 1 : box);
            }
            const auto count = [&](CoarseSolve coarse) {
                const auto solver = DeflatedCg<double>::factory({{.relative_residual = 1e-8},
                                                                 Jacobi<double>::factory(),
                                                                 {.domains = domains, .coarse = coarse}})
                                        .generate(a);
                EXPECT_EQ(solver->num_vectors(), 576);
                EXPECT_EQ(solver->num_dropped_vectors(), left_out == 0 ? 0 : 192);
                EXPECT_EQ(solver->num_separators() > 0, coarse == CoarseSolve::nested_dissection);
                return static_cast<double>(iterations(*solver));
            };
            EXPECT_NEAR(count(CoarseSolve::nested_dissection), count(CoarseSolve::inverse), 1);
        }
    });
}

/// Stripes along the interface have the solution in their space: after the correction of x0 nothing is left but
/// rounding, with as much of it in the space as outside.
TEST(DeflatedCg, StagnatesWhereOnlyRoundingIsLeft)
{
    on_each_executor([](const Executor& exec) {
        const auto a = problem(exec, "twophase:48:1000:b");
        const auto n = a->size().rows;
        const auto solver =
            DeflatedCg<double>::factory(
                {{.max_iterations = 400, .relative_residual = 1e-14}, Neumann<double>::factory(), {.vectors = 96}})
                .generate(a);
        const auto b = Dense<double>::filled(exec, {n, 1}, 1);
        auto x = Dense<double>::filled(exec, {n, 1}, 0);
        const auto result = solver->solve(b, x);
        EXPECT_EQ(result.status(), SolveStatus::stagnated) << result.reason();
        EXPECT_LT(result.relative_residual(), 1e-11);
    });
}

/// With other values the Galerkin matrix may fall into other parts.
TEST(DeflatedCg, DissectsAnewForNewValues)
{
    on_each_executor([](const Executor& exec) {
        const Deflation<double> boxes{.kind = DeflationKind::boxes, .nx = 48, .ny = 48, .boxes_x = 24, .boxes_y = 24};
        const auto generate = [&](const LinOpPtr<double>& a) {
            return DeflatedCg<double>::factory({{.relative_residual = 1e-8}, Jacobi<double>::factory(), boxes})
                .generate(a);
        };
        const auto first = problem(exec, "twophase:48:1000"), second = problem(exec, "twophase:48:10");
        const auto solver = generate(first);
        iterations(*solver);
        solver->update_values(second);
        const auto anew = generate(second);
        EXPECT_EQ(solver->num_separators(), anew->num_separators());
        EXPECT_EQ(iterations(*solver), iterations(*anew));
    });
}

/// What rounding leaves of Z^H r would make the iteration diverge near the limit of accuracy.
TEST(DeflatedCg, ReachesTightTolerances)
{
    on_each_executor([](const Executor& exec) {
        const auto a = problem(exec, "twophase:32:1e6");
        for (const size_type vectors : {16, 64}) {
            const auto solver = DeflatedCg<double>::factory({{.max_iterations = 300, .relative_residual = 1e-13},
                                                             Jacobi<double>::factory(),
                                                             {.vectors = vectors}})
                                    .generate(a);
            iterations(*solver);
        }
    });
}

/// Step lengths differ much there, by which a direction that kept parts of those before in Z would grow.
TEST(DeflatedCg, ReachesThemWithoutScaling)
{
    on_each_executor([](const Executor& exec) {
        const auto a = problem(exec, "twophase:16:1000");
        const auto unscaled = IncompletePoisson<double>::factory({.scaling = false});
        for (const FactoryPtr<double>& m : {FactoryPtr<double>(), FactoryPtr<double>(unscaled)}) {
            const auto solver =
                DeflatedCg<double>::factory({{.max_iterations = 1000, .relative_residual = 1e-12}, m, {.vectors = 32}})
                    .generate(a);
            iterations(*solver);
        }
    });
}

/// The eigenvectors of the smallest eigenvalues taken out: CG on a diagonal matrix of the others takes as many steps.
TEST(DeflatedCg, HasTheIterationsOfTheRestOfTheSpectrum)
{
    constexpr size_type n = 60;
    constexpr size_type k = 5;
    on_each_executor([](const Executor& exec) {
        auto tridiagonal = neumann_1d(n);
        tridiagonal.values.front() = 2;
        tridiagonal.values.back() = 2;
        Vectors z(n * k), rest(n - k), rhs(n - k);
        const auto entry = [](size_type row, size_type j) {
            return std::sqrt(2. / (n + 1)) * std::sin(std::numbers::pi * (row + 1) * (j + 1) / (n + 1));
        };
        TestCsr<double> others{{n - k, n - k}, {0}, {}, {}};
        for (size_type j = 0; j < n; ++j) {
            double sum = 0;
            for (size_type row = 0; row < n; ++row) {
                sum += (row % 7 == 0 ? 1 : 0.25) * entry(row, j);
                if (j < k) {
                    z[static_cast<std::size_t>(row * k + j)] = entry(row, j);
                }
            }
            if (j >= k) {
                others.col_idxs.push_back(static_cast<I>(j - k));
                others.values.push_back(2 - 2 * std::cos(std::numbers::pi * (j + 1) / (n + 1)));
                others.row_ptrs.push_back(static_cast<I>(j - k + 1));
                rhs[static_cast<std::size_t>(j - k)] = sum;
            }
        }
        Vectors b(n, 0.25);
        for (std::size_t row = 0; row < n; row += 7) {
            b[row] = 1;
        }
        const Stop stop{.max_iterations = 12, .relative_residual = 0};
        auto parameters = stripes(1);
        parameters.stop = stop;
        parameters.deflation.basis = std::make_shared<const Dense<double>>(block_on<double>(exec, {n, k}, z));
        const auto deflated = DeflatedCg<double>::factory(parameters).generate(matrix_on(exec, tridiagonal));
        const auto plain = Cg<double>::factory({.stop = stop}).generate(matrix_on(exec, others));
        auto x = Dense<double>::filled(exec, {n, 1}, 0);
        auto y = Dense<double>::filled(exec, {n - k, 1}, 0);
        const auto result = deflated->solve(Dense<double>::vector(exec, b), x, {.history = true});
        const auto expected = plain->solve(Dense<double>::vector(exec, rhs), y, {.history = true});
        ASSERT_EQ(result.history.size(), expected.history.size());
        for (std::size_t i = 0; i < result.history.size(); ++i) {
            EXPECT_NEAR(result.history[i][0], expected.history[i][0], 1e-10);
        }
    });
}

/// Empty domains and vectors that depend on others are left out and reported.
TEST(DeflatedCg, DropsZeroAndDependentVectors)
{
    on_each_executor([](const Executor& exec) {
        const auto a = matrix_on(exec, laplace_2d<double>(8));
        auto parameters = stripes(1);
        for (size_type row = 0; row < 64; ++row) {
            parameters.deflation.domains.push_back(row % 3 == 0 ? 5 : row / 32);
        }
        const auto solver = DeflatedCg<double>::factory(parameters).generate(a);
        EXPECT_EQ(solver->num_vectors(), 6);
        EXPECT_EQ(solver->num_dropped_vectors(), 3);
        auto x = Dense<double>::filled(exec, {64, 1}, 0);
        EXPECT_TRUE(solve(*solver, x).converged());

        Random random(941);
        auto z = random_dense<double>(random, reference_executor(), {64, 4});
        for (size_type row = 0; row < 64; ++row) {
            z.at(row, 2) = 3 * z.at(row, 0) - z.at(row, 1);
            z.at(row, 3) = 0;
        }
        parameters.deflation.basis = std::make_shared<const Dense<double>>(std::move(z));
        const auto dependent = DeflatedCg<double>::factory(parameters).generate(a);
        EXPECT_EQ(dependent->num_dropped_vectors(), 2);
        x.fill(0);
        EXPECT_TRUE(solve(*dependent, x).converged());
    });
}

/// The constant vector, which the domains sum up to, is in the kernel: one of them is dropped, or the only one.
TEST(DeflatedCg, SolvesSingularConsistentSystems)
{
    on_each_executor([](const Executor& exec) {
        const auto a = matrix_on(exec, neumann_1d(200));
        Vectors b(200, 0);
        b[3] = 1;
        b[150] = -1;
        for (const size_type vectors : {1, 2, 7, 50}) {
            const auto solver = DeflatedCg<double>::factory(stripes(vectors)).generate(a);
            EXPECT_EQ(solver->num_dropped_vectors(), 1) << vectors;
            auto x = Dense<double>::filled(exec, {200, 1}, 0);
            const auto result = solver->solve(Dense<double>::vector(exec, b), x);
            EXPECT_TRUE(result.converged()) << vectors << ": " << result.reason();
        }
    });
}

/// One converges at the start, one has b = 0, one is given the solution.
TEST(DeflatedCg, ColumnsStopOneByOne)
{
    on_each_executor([](const Executor& exec) {
        const auto data = laplace_2d<double>(10);
        const auto a = matrix_on(exec, data);
        Random random(942);
        const auto solution = random_dense<double>(random, exec, {100, 3});
        Dense<double> product(exec, {100, 3});
        a->apply(solution, product);
        auto values = product.to_host();
        auto guess = Vectors(300, 0);
        const auto exact = solution.to_host();
        for (std::size_t i = 0; i < 300; i += 3) {
            values[i + 1] = 0;
            guess[i + 2] = exact[i + 2];
        }
        const auto b = block_on<double>(exec, {100, 3}, values);
        auto x = block_on<double>(exec, {100, 3}, guess);
        const auto result = DeflatedCg<double>::factory(stripes(5)).generate(a)->solve(b, x);
        EXPECT_TRUE(result.converged()) << result.reason();
        EXPECT_GT(result.columns[0].iterations, 5);
        EXPECT_EQ(result.columns[1].iterations, 0);
        EXPECT_EQ(result.columns[2].iterations, 0);
        const auto found = x.to_host();
        for (std::size_t i = 0; i < 300; i += 3) {
            EXPECT_EQ(found[i + 1], 0);
            EXPECT_EQ(found[i + 2], exact[i + 2]);  // untouched
        }
    });
}

/// Boxes of a grid are the partition that they describe; complex matrices; the ordering of a preconditioner.
TEST(DeflatedCg, TakesBoxesComplexMatricesAndOrderings)
{
    on_each_executor([](const Executor& exec) {
        const auto a = problem(exec, "twophase:12:1000");
        auto boxes = stripes(1);
        boxes.deflation = {.kind = DeflationKind::boxes, .nx = 12, .ny = 12, .boxes_x = 3, .boxes_y = 5};
        auto same = stripes(1);
        for (size_type row = 0; row < 144; ++row) {
            const size_type y = row / 12;
            same.deflation.domains.push_back(row % 12 / 4 + 3 * (y < 6 ? y / 3 : 2 + (y - 6) / 2));
        }
        const auto by_boxes = DeflatedCg<double>::factory(boxes).generate(a);
        EXPECT_EQ(by_boxes->num_vectors(), 15);
        EXPECT_EQ(iterations(*by_boxes), iterations(*DeflatedCg<double>::factory(same).generate(a)));

        auto natural = boxes;
        natural.preconditioner = McSsor<double>::factory({.colours = {.permute_loop = false}});
        boxes.preconditioner = McSsor<double>::factory();
        EXPECT_EQ(iterations(*DeflatedCg<double>::factory(boxes).generate(a)),
                  iterations(*DeflatedCg<double>::factory(natural).generate(a)));
    });
    for_each_value([]<class V>() {
        on_each_executor([](const Executor& exec) {
            Random random(943);
            const auto a = share(Csr<V, I>(exec, random_hpd_csr<V, I>(random, 300, 5)));
            const auto b = random_dense<V>(random, exec, {300, 2});
            auto x = Dense<V>::filled(exec, {300, 2}, V{});
            const auto basis = std::make_shared<const Dense<V>>(random_dense<V>(random, exec, {300, 4}));
            for (const auto& z : {std::shared_ptr<const Dense<V>>(), basis}) {
                x.fill(V{});
                const auto solver = DeflatedCg<V>::factory({.stop = {.relative_residual = 200 * eps<V>},
                                                            .deflation = {.vectors = 9, .basis = z}})
                                        .generate(a);
                const auto result = solver->solve(b, x);
                EXPECT_TRUE(result.converged()) << result.reason();
            }
        });
    });
}

TEST(DeflatedCg, TakesNewValues)
{
    on_each_executor([](const Executor& exec) {
        const auto solver = DeflatedCg<double>::factory(stripes(8)).generate(problem(exec, "twophase:16:1000"));
        const auto before = iterations(*solver);
        const auto other = problem(exec, "twophase:16:10");
        solver->update_values(other);
        const auto fresh = DeflatedCg<double>::factory(stripes(8)).generate(other);
        EXPECT_EQ(iterations(*solver), iterations(*fresh));
        EXPECT_NE(iterations(*solver), before);
    });
}

/// The product, the residual, (A Z)^H z, E^-1 of that, the direction, its product with the residual.
TEST(DeflatedCg, IterationsAllocateNothingAndCallAFixedNumberOfKernels)
{
    on_each_executor([](const Executor& exec) {
        auto parameters = stripes(8, 0);
        parameters.stop.max_iterations = 20;
        const auto solver = DeflatedCg<double>::factory(parameters).generate(matrix_on(exec, laplace_2d<double>(16)));
        const auto b = Dense<double>::filled(exec, {256, 1}, 1);
        auto x = Dense<double>::filled(exec, {256, 1}, 0);
        const auto run = [&](size_type steps) {
            x.fill(0);
            const auto before = exec.counters();
            EXPECT_EQ(solver->solve(b, x, {.max_iterations = steps}).iterations(), steps);
            const auto after = exec.counters();
            EXPECT_TRUE(steps == 5 || after.allocations == before.allocations) << "after the first solve";
            return after.kernel_launches - before.kernel_launches;
        };
        run(5);
        const auto once = run(10);
        const auto twice = run(20);
        if (exec.is_host()) {  // a recorded loop launches its kernels out of sight
            EXPECT_EQ(twice - once, 60u);
        }
    });
}

TEST(DeflatedCg, RefusesWhatIsNoPartition)
{
    on_each_executor([](const Executor& exec) {
        const auto a = matrix_on(exec, laplace_2d<double>(4));
        const auto refused = [&](const Deflation<double>& deflation) {
            EXPECT_THROW(DeflatedCg<double>::factory({.deflation = deflation}).generate(a), InvalidParameter);
        };
        refused({.vectors = 0});
        refused({.vectors = 17});
        refused({.kind = DeflationKind::boxes, .nx = 4, .ny = 3});
        refused({.kind = DeflationKind::boxes, .nx = 4, .ny = 4, .boxes_x = 5});
        refused({.kind = DeflationKind::boxes, .nx = 4, .ny = 4, .boxes_y = 0});
        refused({.kind = DeflationKind::boxes, .nx = 0, .ny = 4});
        refused({.domains = std::vector<size_type>(15)});
        refused({.domains = std::vector<size_type>(16, -1)});
        refused({.domains = std::vector<size_type>(16, 16)});
        const Deflation<double> short_basis{
            .basis = std::make_shared<const Dense<double>>(Dense<double>::filled(exec, {15, 2}, 1))};
        EXPECT_THROW(DeflatedCg<double>::factory({.deflation = short_basis}).generate(a), DimensionMismatch);
        const auto dense = share(Dense<double>::filled(exec, {16, 16}, 1));
        EXPECT_THROW(DeflatedCg<double>::factory().generate(dense), NotSupported);
    });
}

TEST(DeflatedCg, ComesFromText)
{
    const auto text = "deflatedcg:kind=boxes,nx=12,ny=12,boxes_x=3,boxes_y=2,coarse=cholesky";
    const auto factory = config::parse_short<double>(text, "jacobi");
    EXPECT_EQ(config::to_short(*factory).text, text);
    const auto json = config::to_json<double>(factory);
    EXPECT_EQ(config::to_json<double>(config::parse_factory<double>(json, "deflated.json")), json);
    const auto parts = "deflatedcg:kind=metis,vectors=8";
    EXPECT_EQ(config::to_short(*config::parse_short<double>(parts, "jacobi")).text, parts);
    const auto made = factory->make(problem(reference_executor(), "twophase:12:10"));
    const auto& solver = dynamic_cast<const DeflatedCg<double>&>(*made);
    EXPECT_EQ(solver.num_vectors(), 6);
    EXPECT_EQ(solver.preconditioner()->name(), "Jacobi");
}

}  // namespace
}  // namespace linden::test
