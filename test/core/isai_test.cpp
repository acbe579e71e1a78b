// needs: double int32
#include <linden/config/config.hpp>
#include <linden/error.hpp>
#include <linden/io/problems.hpp>
#include <linden/log/logger.hpp>
#include <linden/matrix/dense.hpp>
#include <linden/preconditioner/ic.hpp>
#include <linden/preconditioner/ilu.hpp>
#include <linden/solver/cg.hpp>
#include <linden/solver/gmres.hpp>
#include <linden/solver/triangular.hpp>

#include "core/base/math.hpp"
#include "core/matrix/pattern_checks/pattern_checks.hpp"
#include "test/support/compare.hpp"
#include "test/support/matrices.hpp"

/// Triangular solves by incomplete sparse approximate inverses.
namespace linden::test {
namespace {

using I = std::int32_t;
using enum TriangularAlgorithm;
using enum MatrixOperation;

template <class V>
LinOpPtr<V> csr(const Executor& exec, const CsrData<V, I>& a)
{
    return share(Csr<V, I>(exec, a));
}

/// A square matrix by rows.
template <class V>
class Full {
public:
    explicit Full(size_type n, std::vector<V> by_rows = {}) : n_(n), values_(std::move(by_rows))
    {
        values_.resize(static_cast<std::size_t>(n * n));
    }
    size_type size() const { return n_; }
    V& operator()(size_type i, size_type j) { return values_[static_cast<std::size_t>(i * n_ + j)]; }
    V operator()(size_type i, size_type j) const { return values_[static_cast<std::size_t>(i * n_ + j)]; }
    const std::vector<V>& values() const { return values_; }

    Full operator*(const Full& b) const
    {
        Full c(n_);
        for (size_type i = 0; i < n_; ++i) {
            for (size_type k = 0; k < n_; ++k) {
                for (size_type j = 0; j < n_; ++j) {
                    c(i, j) += (*this)(i, k) * b(k, j);
                }
            }
        }
        return c;
    }
    /// The same, its transpose or its adjoint.
    Full operated(MatrixOperation operation) const
    {
        Full c(n_);
        for (size_type i = 0; i < n_; ++i) {
            for (size_type j = 0; j < n_; ++j) {
                const V value = (*this)(j, i);
                c(i, j) = operation == none ? (*this)(i, j) : operation == transpose ? value : conj(value);
            }
        }
        return c;
    }

private:
    size_type n_;
    std::vector<V> values_;
};

template <class V>
Full<V> identity(size_type n)
{
    Full<V> result(n);
    for (size_type i = 0; i < n; ++i) {
        result(i, i) = V{1};
    }
    return result;
}

/// What `op` is, by its columns.
template <class V>
Full<V> full(const LinOp<V>& op)
{
    const auto n = op.size().rows;
    const auto one = identity<V>(n);
    const auto& exec = op.executor();
    Dense<V> b(exec, {n, n}), x(exec, {n, n});
    copy_bytes(::linden::detail::host(), one.values().data(), exec, b.data(), one.values().size() * sizeof(V));
    op.apply(b, x);
    return Full<V>(n, x.to_host());
}

/// The triangle of a matrix that is meant, where zero or missing diagonal entries count as 1.
template <class V>
Full<V> triangle_of(const CsrData<V, I>& a, Side side, bool is_unit)
{
    Full<V> t(a.size.rows);
    for (I i = 0; i < a.size.rows; ++i) {
        for (I k = a.row_ptrs[i]; k < a.row_ptrs[i + 1]; ++k) {
            if (side == Side::lower ? a.col_idxs[k] <= i : a.col_idxs[k] >= i) {
                t(i, a.col_idxs[k]) = a.values[k];
            }
        }
        t(i, i) = is_unit || t(i, i) == V{} ? V{1} : t(i, i);
    }
    return t;
}

/// Ones where the power of a matrix of no cancellation has entries.
template <class V>
Full<double> pattern_of_power(const Full<V>& t, size_type power)
{
    const auto n = t.size();
    Full<double> base(n);
    for (size_type i = 0; i < n; ++i) {
        for (size_type j = 0; j < n; ++j) {
            base(i, j) = t(i, j) == V{} ? 0 : 1;
        }
    }
    auto result = base;
    for (size_type factor = 1; factor < power; ++factor) {
        result = result * base;
    }
    return result;
}

/// (M T)_ij = delta_ij on the pattern, and M is zero elsewhere. M of a transpose is the transpose of M.
template <class V>
void expect_inverse_on_pattern(const Executor& exec, const CsrData<V, I>& a, Side side, bool is_unit, size_type power)
{
    SCOPED_TRACE(std::string(side == Side::lower ? "lower" : "upper") + (is_unit ? ", unit" : "") + ", power " +
                 std::to_string(power));
    const auto n = a.size.rows;
    const auto generate = [&](MatrixOperation operation) {
        return Triangular<V>::factory({.side = side,
                                       .unit_diagonal = is_unit,
                                       .operation = operation,
                                       .solve = {.algorithm = isai, .power = power}})
            .generate(csr(exec, a));
    };
    const auto op = generate(none);
    EXPECT_EQ(op->algorithm(), isai);
    EXPECT_EQ(op->num_levels(), 0);
    EXPECT_TRUE(op->is_capturable());
    const auto t = triangle_of(a, side, is_unit);
    const auto s = pattern_of_power(t, power);
    const auto m = full(*op);
    const auto product = m * t;
    std::vector<V> on_pattern, expected, elsewhere;
    for (size_type i = 0; i < n; ++i) {
        for (size_type j = 0; j < n; ++j) {
            if (s(i, j) != 0) {
                on_pattern.push_back(product(i, j));
                expected.push_back(i == j ? V{1} : V{});
            } else {
                elsewhere.push_back(m(i, j));
            }
        }
    }
    expect_near(on_pattern, expected, 16, std::max(1.0, scale_of(m.values()) * scale_of(t.values())));
    EXPECT_EQ(elsewhere, std::vector<V>(elsewhere.size()));
    for (const auto operation : {transpose, conjugate_transpose}) {
        EXPECT_EQ(full(*generate(operation)).values(), m.operated(operation).values());
    }
}

/// Of stencils products are taken by diagonals, of other matrices by rows.
TEST(Isai, InvertsOnThePattern)
{
    Random random(881);
    const auto check = [&]<class V>(const CsrData<V, I>& a) {
        on_each_executor([&](const Executor& exec) {
            for (const auto side : {Side::lower, Side::upper}) {
                for (const bool is_unit : {false, true}) {
                    for (const size_type power : {1, 2, 3}) {
                        expect_inverse_on_pattern(exec, a, side, is_unit, power);
                    }
                }
            }
        });
    };
    for_each_value([&]<class V>() {
        auto a = random_hpd_csr<V, I>(random, 40, 4);
        for (auto& value : a.values) {
            value *= static_cast<real_t<V>>(0.5 + 0.5 * random.unit());  // both triangles are different
        }
        a.values[0] = V{};  // (0, 0)
        check(a);
        check(generate_problem<V, I>("lap2d:6"));
        check(random_csr<V, I>(random, {33, 33}, 3, Pattern::empty_rows));  // with missing diagonal entries
    });
}

TEST(Isai, CountsZeroDiagonals)
{
    on_each_executor([](const Executor& exec) {
        // [0 . .; 1 2 .; . 3 .]: (2, 2) is absent
        const auto a = csr<double>(exec, {{3, 3}, {0, 1, 3, 4}, {0, 0, 1, 1}, {0, 1, 2, 3}});
        const auto num_zeros = [&](bool is_unit) {
            return Triangular<double>::factory({.unit_diagonal = is_unit, .solve = {.algorithm = isai}})
                .generate(a)
                ->num_zero_diagonals();
        };
        EXPECT_EQ(num_zeros(false), 2);
        EXPECT_EQ(num_zeros(true), 0);
    });
}

std::vector<double> solved(const Executor& exec, const CsrData<double, I>& a, Triangular<double>::Parameters parameters)
{
    Random random(882);
    const auto b = random_dense<double>(random, exec, {a.size.rows, 2}, 1);
    Dense<double> x(exec, b.size(), 4);
    Triangular<double>::factory(parameters).generate(csr(exec, a))->apply(b, x);
    return x.to_host();
}

void expect_exact(const Executor& exec, const CsrData<double, I>& a, TriangularOptions how)
{
    how.algorithm = isai;
    for (const auto side : {Side::lower, Side::upper}) {
        for (const auto operation : {none, transpose}) {
            const auto expected =
                solved(exec, a, {.side = side, .operation = operation, .solve = {.algorithm = levels}});
            const auto x = solved(exec, a, {.side = side, .operation = operation, .solve = how});
            expect_near(x, expected, 1e4, scale_of(expected));
        }
    }
}

/// Where the inverse has no entries beyond the pattern.
TEST(Isai, BecomesExact)
{
    Random random(883);
    CsrData<double, I> band{{12, 12}, {0}, {}, {}}, dense{{20, 20}, {0}, {}, {}};
    for (I i = 0; i < 12; ++i) {
        for (I j = std::max(i - 1, 0); j < std::min(i + 2, 12); ++j) {
            band.col_idxs.push_back(j);
            band.values.push_back(i == j ? 2 : random.real(0.5, 1));
        }
        band.row_ptrs.push_back(static_cast<I>(band.col_idxs.size()));
    }
    for (I i = 0; i < 20; ++i) {
        for (I j = 0; j < 20; ++j) {
            dense.col_idxs.push_back(j);
            dense.values.push_back(i == j ? 10 : random.real(-1, 1));
        }
        dense.row_ptrs.push_back(static_cast<I>(dense.col_idxs.size()));
    }
    const auto grid = generate_problem<double, I>("lap2d:12");
    on_each_executor([&](const Executor& exec) {
        expect_exact(exec, band, {.power = 11});
        expect_exact(exec, dense, {});
        // Or where there are as many sweeps as level sets: I - M T is nilpotent.
        expect_exact(exec, grid, {.sweeps = 23});
        expect_exact(exec, grid, {.sweeps = 12, .power = 2});
    });
}

/// Each sweep, and each power, comes closer.
TEST(Isai, ComesCloserToTheSolution)
{
    const auto a = generate_problem<double, I>("lap2d:20");
    on_each_executor([&](const Executor& exec) {
        const auto expected = solved(exec, a, {.solve = {.algorithm = levels}});
        const auto error = [&](size_type sweeps, size_type power) {
            const auto x = solved(exec, a, {.solve = {.algorithm = isai, .sweeps = sweeps, .power = power}});
            double square = 0;
            for (std::size_t i = 0; i < x.size(); ++i) {
                square += (x[i] - expected[i]) * (x[i] - expected[i]);
            }
            return std::sqrt(square);
        };
        EXPECT_EQ(error(0, 1), error(1, 1)) << "one sweep, unless told";
        EXPECT_LT(error(2, 1), 0.5 * error(1, 1));
        EXPECT_LT(error(3, 1), 0.5 * error(2, 1));
        EXPECT_LT(error(1, 2), 0.5 * error(1, 1));
        EXPECT_LT(error(1, 3), 0.5 * error(1, 2));
    });
}

template <class Solver>
std::int64_t iterations(const Executor& exec, const char* problem, FactoryPtr<double> preconditioner)
{
    const auto a = generate_problem<double, I>(problem);
    const auto solver =
        Solver::factory({.stop = {.relative_residual = 1e-8}, .preconditioner = std::move(preconditioner)})
            .generate(csr(exec, a));
    auto x = Dense<double>::filled(exec, {a.size.rows, 1}, 0);
    const auto result = solver->solve(Dense<double>::filled(exec, {a.size.rows, 1}, 1), x);
    EXPECT_TRUE(result.converged()) << result.reason();
    return result.iterations();
}

/// Few more iterations than with exact solves, the fewer the larger the pattern.
template <class Solver, class Factors>
void expect_few_more_iterations(const Executor& exec)
{
    const auto with = [&](TriangularOptions how) {
        return iterations<Solver>(exec, "lap2d:30", Factors::factory({.triangular = how}));
    };
    const auto plain = iterations<Solver>(exec, "lap2d:30", nullptr);
    const auto exact = with({});
    EXPECT_LT(with({.algorithm = isai}), std::min(plain, 2 * exact));
    EXPECT_LE(with({.algorithm = isai, .power = 2}), exact + 6);
    EXPECT_LE(with({.algorithm = isai, .power = 3}), exact + 2);
    EXPECT_LE(with({.algorithm = isai, .sweeps = 2}), exact + 2);
}

TEST(Isai, SolvesForIncompleteFactors)
{
    on_each_executor([](const Executor& exec) {
        expect_few_more_iterations<Gmres<double>, Ilu0<double>>(exec);
        expect_few_more_iterations<Cg<double>, Ilu0<double>>(exec);
        expect_few_more_iterations<Cg<double>, Ic0<double>>(exec);
    });
}

/// M of L^H is the adjoint of that of L, and not one of its own.
TEST(Isai, KeepsCholeskyHermitian)
{
    Random random(884);
    for_each_value([&]<class V>() {
        const auto a = random_hpd_csr<V, I>(random, 60, 5);
        on_each_executor([&](const Executor& exec) {
            for (const size_type sweeps : {1, 2}) {
                for (const size_type power : {1, 2}) {
                    const TriangularOptions how{.algorithm = isai, .sweeps = sweeps, .power = power};
                    const auto p = full(*Ic0<V>::factory({.triangular = how}).generate(csr(exec, a)));
                    expect_near(p.operated(conjugate_transpose).values(), p.values(), 16);
                }
            }
        });
    });
}

/// New values give what a new operator has, without allocations.
TEST(Isai, TakesNewValues)
{
    Random random(885);
    const auto check = [&](const CsrData<double, I>& a, const Triangular<double>::Parameters& parameters) {
        auto other = a;
        for (auto& value : other.values) {
            value *= random.real(0.5, 1.5);
        }
        other.values[0] = 0;
        on_each_executor([&](const Executor& exec) {
            const auto old_values = csr(exec, a), new_values = csr(exec, other);
            const auto factory = Triangular<double>::factory(parameters);
            const auto op = factory.generate(old_values);
            const auto first = full(*op);
            const auto before = exec.counters();
            op->update_values(new_values);
            EXPECT_EQ(exec.counters().allocations, before.allocations);
            if (!linden::detail::checks_patterns()) {
                EXPECT_EQ(exec.counters().host_synchronizations, before.host_synchronizations);
            }
            EXPECT_EQ(full(*op).values(), full(*factory.generate(new_values)).values());
            EXPECT_EQ(op->num_zero_diagonals(), 1);
            op->update_values(old_values);
            EXPECT_EQ(full(*op).values(), first.values());
            EXPECT_EQ(op->num_zero_diagonals(), 0);
            EXPECT_THROW(op->update_values(share(Csr<double, I>(exec, a.size))), DimensionMismatch);
        });
    };
    for (const auto& a : {random_hpd_csr<double, I>(random, 50, 4), generate_problem<double, I>("lap2d:7")}) {
        check(a, {.solve = {.algorithm = isai}});
        check(a, {.side = Side::upper, .operation = transpose, .solve = {.algorithm = isai, .sweeps = 2, .power = 2}});
    }
}

/// The kernels that are launched.
class Kernels final : public Logger {
public:
    void on_kernel_begin(std::string_view kernel, std::string_view) override { names.emplace_back(kernel); }

    std::vector<std::string> names;
};

/// One product, by diagonals for stencils; with two sweeps two more and a copy. No allocations, and nothing to wait
/// for.
TEST(Isai, MultipliesOnly)
{
    Random random(886);
    const auto irregular = random_hpd_csr<double, I>(random, 1600, 4), grid = generate_problem<double, I>("lap2d:40");
    on_each_executor([&](const Executor& exec) {
        for (const auto& [a, spmv] : {std::pair{grid, "dia::spmv"}, {irregular, "csr::spmv"}}) {
            const std::vector<std::string> one{spmv}, two{spmv, "dense::copy", spmv, spmv};
            for (const size_type sweeps : {1, 2}) {
                const TriangularOptions how{.algorithm = isai, .sweeps = sweeps};
                const auto t = Triangular<double>::factory({.solve = how}).generate(csr(exec, a));
                const auto b = Dense<double>::filled(exec, {1600, 1}, 1);
                Dense<double> x(exec, {1600, 1});
                t->apply(b, x);
                const auto kernels = std::make_shared<Kernels>();
                exec.add_logger(kernels);
                const auto before = exec.counters();
                t->apply(b, x);
                const auto after = exec.counters();
                exec.remove_logger(kernels.get());
                EXPECT_EQ(kernels->names, sweeps == 1 ? one : two);
                EXPECT_EQ(after.allocations, before.allocations);
                EXPECT_EQ(after.host_synchronizations, before.host_synchronizations);
            }
        }
    });
}

TEST(Isai, EmptyAndOneByOne)
{
    on_each_executor([](const Executor& exec) {
        const auto factory = Triangular<double>::factory({.solve = {.algorithm = isai, .sweeps = 2, .power = 2}});
        Dense<double> nothing(exec, {0, 3}), result(exec, {0, 3});
        factory.generate(share(Csr<double, I>(exec, Dim{0, 0})))->apply(nothing, result);
        Dense<double> x(exec, {1, 1});
        factory.generate(csr<double>(exec, {{1, 1}, {0, 1}, {0}, {4}}))->apply(Dense<double>::vector(exec, {2}), x);
        EXPECT_EQ(x.to_host(), (std::vector<double>{0.5}));
    });
}

TEST(Isai, RefusesWhatItCannotDo)
{
    on_each_executor([](const Executor& exec) {
        const auto a = csr(exec, generate_problem<double, I>("lap2d:3"));
        const auto refused = [&](TriangularOptions how) -> std::string {
            how.algorithm = isai;
            try {
                (void)Triangular<double>::factory({.solve = how}).generate(a);
            } catch (const InvalidParameter& e) {
                return e.name + ": " + e.allowed;
            }
            return "accepted";
        };
        EXPECT_EQ(refused({.power = 0}), "power: at least 1");
        EXPECT_EQ(refused({.sweeps = -1}), "sweeps: at least 0");
        EXPECT_EQ(refused({.storage = StoragePrecision::single}), "storage: same with trisolve=isai");
        EXPECT_EQ(refused({}), "accepted");
    });
}

TEST(Isai, ComesFromText)
{
    const std::string text = "ic0:trisolve=isai,sweeps=2,power=3";
    const auto factory = config::parse_short<double>(text);
    const auto how = dynamic_cast<const Factory<Ic0<double>>&>(*factory).parameters().triangular;
    EXPECT_EQ(how.algorithm, isai);
    EXPECT_EQ(how.sweeps, 2);
    EXPECT_EQ(how.power, 3);
    EXPECT_EQ(config::to_short<double>(*factory).text, text);
    const auto json = config::to_json<double>(factory);
    EXPECT_EQ(config::to_json<double>(config::parse_factory<double>(json, "isai.json")), json);
}

}  // namespace
}  // namespace linden::test
