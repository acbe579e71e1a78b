// needs: int32
#include "core/base/math.hpp"
#include "test/support/eisenstat_cases.hpp"

/// All steps of CG with Eisenstat's trick together.
namespace linden::test {
namespace {

/// A Hermitian, diagonally dominant matrix with real diagonal, dense in host memory, whose positions are those of three
/// colours: rows of a colour meet in a block only.
template <class V>
struct ColouredMatrix {
    using I = std::int32_t;
    static constexpr size_type n = 150;

    std::vector<ColourShape> shapes{{61, 1, 0, 89}, {49, 2, 61, 40}, {40, 3, 110, 0}};
    std::vector<V> values = std::vector<V>(n * n);

    explicit ColouredMatrix(Random& random)
    {
        std::vector<double> sums(n, 1);
        for (size_type i = 0; i < n; ++i) {
            for (size_type j = 0; j < i; ++j) {
                if (unit_of(i) == unit_of(j) || (colour_of(i) != colour_of(j) && random.unit() < 0.03)) {
                    at(i, j) = random.value<V>();
                    at(j, i) = conj(at(i, j));
                    sums[i] += std::abs(at(i, j));
                    sums[j] += std::abs(at(i, j));
                }
            }
        }
        for (size_type i = 0; i < n; ++i) {
            at(i, i) = static_cast<real_t<V>>(sums[i]);
        }
    }

    V& at(size_type i, size_type j) { return values[static_cast<std::size_t>(i * n + j)]; }
    V at(size_type i, size_type j) const { return values[static_cast<std::size_t>(i * n + j)]; }
    real_t<V> d(size_type i) const { return real(at(i, i)); }

    std::size_t colour_of(size_type i) const { return i < 61 ? 0 : i < 110 ? 1 : 2; }
    /// Number of the block, unique.
    size_type unit_of(size_type i) const
    {
        const auto c = colour_of(i);
        const ColourView<V, I> colour{{{shapes[c].rows, n}}, shapes[c].before, shapes[c].block_rows};
        for (size_type block = 0; block < colour.num_blocks(); ++block) {
            for (size_type j = 0; j < colour.rows_of(block); ++j) {
                if (colour.row(j, block) == i - shapes[c].before) {
                    return static_cast<size_type>(c) * n + block;
                }
            }
        }
        return -1;
    }
    CsrData<V, I> triangle(std::size_t c, Side side, real_t<V> omega) const
    {
        CsrData<V, I> a{{shapes[c].rows, n}, {0}, {}, {}};
        for (size_type i = shapes[c].before; i < shapes[c].before + shapes[c].rows; ++i) {
            for (size_type j = 0; j < n; ++j) {
                if (i != j && at(i, j) != V{} && (j < i) == (side == Side::lower)) {
                    a.col_idxs.push_back(static_cast<I>(j));
                    a.values.push_back(omega / d(i) * at(i, j));
                }
            }
            a.row_ptrs.push_back(static_cast<I>(a.col_idxs.size()));
        }
        return a;
    }

    std::vector<V> times(const std::vector<V>& x) const
    {
        std::vector<V> y(x.size());
        for (size_type i = 0; i < n; ++i) {
            for (size_type j = 0; j < n; ++j) {
                y[i] += at(i, j) * x[j];
            }
        }
        return y;
    }
    /// (D / omega + U)^-1 D (D / omega + L)^-1 x
    std::vector<V> precondition(std::vector<V> x, real_t<V> omega) const
    {
        for (size_type i = 0; i < n; ++i) {
            for (size_type j = 0; j < i; ++j) {
                x[i] -= at(i, j) * x[j];
            }
            x[i] *= omega / d(i);
        }
        for (size_type i = n - 1; i >= 0; --i) {
            x[i] *= d(i);
            for (size_type j = i + 1; j < n; ++j) {
                x[i] -= at(i, j) * x[j];
            }
            x[i] *= omega / d(i);
        }
        return x;
    }
};

template <class V>
V product(const std::vector<V>& x, const std::vector<V>& y)
{
    V sum{};
    for (std::size_t i = 0; i < x.size(); ++i) {
        sum += conj(x[i]) * y[i];
    }
    return sum;
}

/// The iterate of the preconditioned method after so many steps from 0.
template <class V>
std::vector<V> preconditioned_iterate(const ColouredMatrix<V>& a, const std::vector<V>& b, real_t<V> omega, int steps)
{
    std::vector<V> x(b.size()), r = b, p(b.size());
    V rho_old{};
    for (int step = 0; step < steps; ++step) {
        const auto z = a.precondition(r, omega);
        const V rho = product(r, z);
        for (std::size_t i = 0; i < x.size(); ++i) {
            p[i] = step == 0 ? z[i] : z[i] + rho / rho_old * p[i];
        }
        const auto q = a.times(p);
        const V alpha = rho / product(p, q);
        for (std::size_t i = 0; i < x.size(); ++i) {
            x[i] += alpha * p[i];
            r[i] -= alpha * q[i];
        }
        rho_old = rho;
    }
    return x;
}

/// What a solve of A x = b from x = 0 gives: all steps until the stopping rule holds.
template <class V>
struct EisenstatSolve {
    using I = std::int32_t;
    using R = real_t<V>;

    EisenstatSolve(const Executor& exec, const ColouredMatrix<V>& a, const std::vector<V>& b, R omega, StopRule rule,
                   std::int64_t period)
        : stop(exec, 1),
          x(Dense<V>::filled(exec, {a.n, 1}, V{}))
    {
        std::vector<R> d;
        std::vector<V> scale;
        for (size_type i = 0; i < a.n; ++i) {
            d.push_back(a.d(i));
            scale.push_back(omega / a.d(i));
        }
        const Array<R> d_here(exec, d), norm(exec, std::vector<R>{std::sqrt(real(product(b, b)))});
        const Array<V> scale_here(exec, scale);
        const auto b_here = Dense<V>::vector(exec, b);
        std::vector<Colour<V, I>> lower, upper;
        for (std::size_t c = 0; c < a.shapes.size(); ++c) {
            lower.emplace_back(exec, a.triangle(c, Side::lower, omega), a.shapes[c], 32);
            upper.emplace_back(exec, a.triangle(c, Side::upper, omega), a.shapes[c], 32);
        }
        const auto nan = not_a_number<V>();
        auto r = Dense<V>::filled(exec, {a.n, 1}, nan), p = r.copy(exec), t = r.copy(exec), w = r.copy(exec);
        Array<V> values(exec, 3);
        Array<R> reals(exec, 2);
        Array<std::int32_t> is_due(exec, 1);
        const EisenstatScalars<V> s{values.data(), values.data() + 1, values.data() + 2,
                                    reals.data(),  reals.data() + 1,  is_due.data()};
        auto workspace = ReductionWorkspace::for_values<V>(exec, 1);
        stop_initialize<R>(exec, rule, norm.data(), norm.data(), stop.view());
        for (const auto& colour : lower) {
            sweep_forward<V, V, I>(exec, colour.view(), scale_here.data(), b_here.view(), nullptr, r.view(), {},
                                   nullptr);
        }
        const auto constant = [](Dense<V>& block) { return std::as_const(block).view(); };
        eisenstat_start<V>(exec, d_here.data(), constant(r), s, stop.view(), workspace.view());
        while (stop.header().to_host()[0].running != 0) {
            for (std::size_t c = upper.size(); c-- > 0;) {
                eisenstat_backward<V, V, I>(exec, upper[c].view(), constant(r), p.view(), t.view(), s, stop.view());
            }
            for (std::size_t c = 0; c < lower.size(); ++c) {
                eisenstat_forward<V, V, I>(exec, lower[c].view(),
                                           {.omega = omega,
                                            .d = d_here.data(),
                                            .p = p.view(),
                                            .t = t.view(),
                                            .w = w.view(),
                                            .is_first = c == 0},
                                           s, stop.view(), workspace.view());
            }
            eisenstat_update<V>(
                exec,
                {.d = d_here.data(), .t = t.view(), .w = w.view(), .x = x.view(), .r = r.view(), .period = period}, s,
                stop.view(), workspace.view());
            for (std::size_t c = 0; c < lower.size(); ++c) {
                eisenstat_residual_norm<V, V, I>(exec, lower[c].view(),
                                                 {.omega = omega,
                                                  .d = d_here.data(),
                                                  .r = r.view(),
                                                  .is_first = c == 0,
                                                  .is_last = c + 1 == lower.size()},
                                                 s, stop.view(), workspace.view());
            }
        }
    }

    StopState<R> stop;
    Dense<V> x;
};

template <class V>
class EisenstatSteps : public testing::Test {
};
TYPED_TEST_SUITE(EisenstatSteps, TestedValues, TypeNames);

template <class R>
StopRule rule_of(std::int64_t max_iterations, R reduction)
{
    return {max_iterations, static_cast<double>(reduction), 0, Baseline::rhs, 0, 1e10, 0, 0};
}

TYPED_TEST(EisenstatSteps, HaveTheIteratesOfThePreconditionedMethod)
{
    using V = TypeParam;
    using R = real_t<V>;
    Random random(626);
    const ColouredMatrix<V> a(random);
    const auto b = random_dense<V>(random, reference_executor(), {a.n, 1}, 0).to_host();
    for (const R omega : {R{1}, R{1.375}}) {
        for (const int steps : {1, 2, 5}) {
            const auto expected = preconditioned_iterate(a, b, omega, steps);
            on_each_executor([&](const Executor& exec) {
                EisenstatSolve<V> solve(exec, a, b, omega, rule_of<R>(steps, R{0}), 100);
                expect_near(solve.x.to_host(), expected, 1000);
                EXPECT_EQ(solve.stop.counts().to_host()[0], steps);
            });
        }
    }
}

TYPED_TEST(EisenstatSteps, StopByTheTrueResidual)
{
    using V = TypeParam;
    using R = real_t<V>;
    Random random(627);
    const ColouredMatrix<V> a(random);
    const auto b = random_dense<V>(random, reference_executor(), {a.n, 1}, 0).to_host();
    const R reduction = std::sqrt(std::numeric_limits<R>::epsilon());
    on_each_executor([&](const Executor& exec) {
        std::int64_t least = 0;
        for (const std::int64_t period : {1, 4, 1000}) {
            EisenstatSolve<V> solve(exec, a, b, R{1.25}, rule_of<R>(100, reduction), period);
            auto r = a.times(solve.x.to_host());
            for (std::size_t i = 0; i < r.size(); ++i) {
                r[i] = b[i] - r[i];
            }
            const R norm = std::sqrt(real(product(r, r)));
            EXPECT_EQ(solve.stop.status().to_host()[0], SolveStatus::converged);
            EXPECT_LE(norm, R{1.01} * reduction * std::sqrt(real(product(b, b))));
            EXPECT_NEAR(solve.stop.norms().to_host()[0] / norm, 1, 0.01);
            const auto iterations = solve.stop.counts().to_host()[0];
            least = period == 1 ? iterations : least;
            EXPECT_GT(iterations, 2);
            EXPECT_LE(iterations - least, 1) << "the estimate was far too high";
        }
    });
}

}  // namespace
}  // namespace linden::test
