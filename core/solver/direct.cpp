#include <linden/error.hpp>
#include <linden/matrix/dense.hpp>
#include <linden/solver/direct.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "core/base/check_parameter.hpp"
#include "core/factorization/direct_factors.hpp"
#include "core/kernels/dense.hpp"
#include "core/matrix/visit_csr.hpp"
#include "core/solver/norm_estimate.hpp"
#include "core/solver/workspace.hpp"

// instantiate: class DirectSolver<V>
// instantiate: class Lu<V>
// instantiate: class Cholesky<V>
// instantiate: class Ldlt<V>
// instantiate: std::vector<double> componentwise_backward_error<V>(const LinOp<V>&, const Dense<V>&, const Dense<V>&)

/// Vector words moved per iteration and row (n rows), besides the factors and twice the matrix:
///
///                                     reads        writes   words
///     z := M^-1 r                     r            z        2, and 8 between the permutations and triangles
///     x := x + z                      z x          x        3
///     r := b - A x, ||r||             b x r r      r r      6
///     |r| / (|A| |x| + |b|)           b x r        ratios   4
///     their maximum                   ratios                1      total 24 n
namespace linden {
namespace {

template <class V>
struct RefinementWorkspace final : SolverWorkspace<V> {
    using R = real_t<V>;

    RefinementWorkspace(const Executor& exec, size_type rows, size_type cols)
        : SolverWorkspace<V>(exec, rows, cols),
          z(exec, {rows, cols}),
          ratios(exec, rows * cols),
          maxima(exec, num_error_parts * cols),
          errors(exec, cols),
          best(exec, cols)
    {
        this->looks_for_zero = true;
    }

    Dense<V> z;  // M^-1 r
    Array<R> ratios, maxima, errors, best;
};

/// In multiples of eps: what refinement strives for, and what is good enough.
constexpr double goal_in_eps = 4, accepted_in_eps = 4096;

template <class V>
double eps_of()
{
    return std::numeric_limits<real_t<V>>::epsilon();
}

template <class V>
double accepted_error(double wanted)
{
    check_parameter(wanted >= 0, "backward_error", wanted, "at least 0");
    return wanted == 0 ? accepted_in_eps * eps_of<V>() : wanted;
}

constexpr detail::DirectPlan lu_plan(const LuParameters& p)
{
    return {.name = "Lu", .ordering = p.ordering, .pivoting = p.pivoting, .matching = p.matching};
}
constexpr detail::DirectPlan cholesky_plan(const DirectParameters& p)
{
    return {.name = "Cholesky", .is_cholesky = true, .is_symmetric = true, .ordering = p.ordering};
}
constexpr detail::DirectPlan ldlt_plan(const DirectParameters& p)
{
    return {.name = "Ldlt", .is_symmetric = true, .ordering = p.ordering};
}

/// Refinement ends where errors no longer fall. A first step whose residual is far above b, as rows of very different
/// units leave it, does not say that the next one fails.
template <class V>
Stop without_divergence(Stop stop)
{
    stop.divergence = std::numeric_limits<real_t<V>>::max();
    return stop;
}

template <class V>
FactoryPtr<V> factors_factory(const detail::DirectPlan& plan, double accepted)
{
    return make_factory<V>(
        [plan, accepted](const LinOpPtr<V>& matrix) { return detail::make_direct_factors<V>(plan, matrix, accepted); },
        std::string(plan.name));
}

}  // namespace

void DirectParameters::describe(ParameterVisitor& v)
{
    static constexpr std::array<std::string_view, 5> orderings{"automatic", "amd", "nested_dissection", "rcm",
                                                               "natural"};
    v.group("stop", stop, "stopping rule, besides the backward error; its divergence does not count");
    v("backward_error", backward_error,
      "largest |b - A x|_i / (|A| |x| + |b|)_i of a solution that counts as converged; 0: 4096 eps");
    v.choice("ordering", ordering, orderings,
             "order of elimination; automatic: amd (minimum degree), or nested dissection where that leaves less fill");
}

void LuParameters::describe(ParameterVisitor& v)
{
    static constexpr std::array<std::string_view, 3> choices{"automatic", "fixed", "partial"};
    DirectParameters::describe(v);
    v.choice(
        "pivoting", pivoting, choices,
        "fixed: on the matched diagonal; partial: by columns, on the host; automatic: fixed if that is accurate, on "
        "hosts either for networks, and partial for nearly full matrices");
    static constexpr std::array<std::string_view, 2> matchings{"true", "approximate"};
    v.choice("matching", matching, matchings,
             "which entries come to the diagonal: those of the largest product, or nearly, found in parallel");
}

template <class V>
DirectSolver<V>::DirectSolver(Executor exec, Method method, DirectParameters parameters, LinOpPtr<V> matrix)
    : Solver<V>(std::move(exec), without_divergence<V>(parameters.stop),
                factors_factory<V>({.name = method.name,
                                    .is_cholesky = method.is_cholesky,
                                    .is_symmetric = method.is_symmetric,
                                    .ordering = parameters.ordering,
                                    .pivoting = method.pivoting,
                                    .matching = method.matching},
                                   accepted_error<V>(parameters.backward_error)),
                std::move(matrix)),
      goal_(std::min(goal_in_eps * eps_of<V>(), accepted_error<V>(parameters.backward_error))),
      accepted_(accepted_error<V>(parameters.backward_error))
{
}

template <class V>
DirectSolver<V>::~DirectSolver() = default;

template <class V>
const detail::DirectFactors<V>& DirectSolver<V>::direct_factors() const
{
    return static_cast<const detail::DirectFactors<V>&>(*this->preconditioner());
}

template <class V>
size_type DirectSolver<V>::num_replaced_pivots() const
{
    return direct_factors().report().num_bad;
}

template <class V>
size_type DirectSolver<V>::num_unmatched_rows() const
{
    return static_cast<size_type>(direct_factors().unmatched().rows.size());
}

template <class V>
std::vector<size_type> DirectSolver<V>::unmatched_rows() const
{
    return direct_factors().unmatched().rows;
}

template <class V>
std::vector<size_type> DirectSolver<V>::unmatched_columns() const
{
    return direct_factors().unmatched().columns;
}

template <class V>
std::optional<PivotPlace> DirectSolver<V>::first_replaced_pivot() const
{
    return direct_factors().first_replaced();
}

template <class V>
FactorSize DirectSolver<V>::factor_size() const
{
    return direct_factors().size_of_factors();
}

template <class V>
bool DirectSolver<V>::has_partial_pivoting() const
{
    return direct_factors().has_partial_pivoting();
}

template <class V>
LinOpPtr<V> DirectSolver<V>::factors() const
{
    return direct_factors().factors();
}

template <class V>
LogDeterminant<V> DirectSolver<V>::log_determinant() const
{
    return direct_factors().log_determinant();
}

template <class V>
Inertia DirectSolver<V>::inertia_of_pivots() const
{
    return direct_factors().inertia();
}

template <class V>
double DirectSolver<V>::condition_estimate() const
{
    const auto adjoint = direct_factors().adjoint();
    return direct_factors().norm1(*this->matrix()) * estimated_norm1(*this->preconditioner(), *adjoint);
}

template <class V>
std::unique_ptr<SolverWorkspace<V>> DirectSolver<V>::make_workspace(const Executor& exec, size_type num_rhs) const
{
    return std::make_unique<RefinementWorkspace<V>>(exec, this->size().rows, num_rhs);
}

template <class V>
void DirectSolver<V>::start(Dense<V>&, SolverWorkspace<V>&) const
{
}

template <class V>
void DirectSolver<V>::step(Dense<V>& x, SolverWorkspace<V>& workspace) const
{
    using R = real_t<V>;
    auto& w = static_cast<RefinementWorkspace<V>&>(workspace);
    const auto& exec = this->executor();
    const auto r = std::as_const(w.r).view();

    direct_factors().apply(w.r, w.z);                                                // z := M^-1 r
    direct_correct<V>(exec, std::as_const(w.z).view(), x.view(), w.stop.view());     // x := x + z
    direct_factors().find_residual(*this->matrix(), *w.b, x, w.r, w.ratios.data());  // r := b - A x
    dense_norm2<V>(exec, r, w.r_norms.data(), w.reduction.view());
    direct_error_maxima<R>(exec, r.rows, r.cols, w.ratios.data(), w.maxima.data());
    direct_judge<R>(exec, {w.maxima.data(), w.errors.data(), w.best.data(), goal_, accepted_}, w.r_norms.data(),
                    w.stop.view());
    stop_check<R>(exec, w.r_norms.data(), w.stop.view());
}

template <class V>
void DirectSolver<V>::apply_impl(const Dense<V>& b, Dense<V>& x) const
{
    if (this->stop().max_iterations == 1) {
        direct_factors().apply(b, x);
    } else {
        Solver<V>::apply_impl(b, x);
    }
}

/// The rule has raised tolerances to residuals of small backward errors; here the columns that needed it are told
/// apart.
template <class V>
SolveResult DirectSolver<V>::solve_here(const Dense<V>& b, Dense<V>& x, const SolveOptions& options) const
{
    auto result = Solver<V>::solve_here(b, x, options);
    const Stop& stop = this->stop();
    for (auto& column : result.columns) {
        const double baseline = stop.baseline == Baseline::rhs ? column.rhs_norm : column.initial_residual;
        const double asked_for = std::max(stop.relative_residual * baseline, stop.absolute_residual);
        const bool has_raised = asked_for < column.residual && column.residual <= column.tolerance;
        if (column.status != SolveStatus::converged || !has_raised) {
            continue;
        }
        // If A is singular up to rounding, x is so large that rounding errors of A make up for b, or for the part of b
        // outside of the range. If all fixed pivots of the scaled matrix are large, A is only badly scaled, and x may
        // have right digits.
        constexpr double most_of_rhs = 0.01;
        const bool is_worthless = column.residual >= most_of_rhs * column.rhs_norm && column.rhs_norm > 0 &&
                                  (direct_factors().may_hide_singularity() || num_replaced_pivots() > 0);
        column.by_backward_error = !is_worthless;
        if (is_worthless) {
            column.status = SolveStatus::stagnated;
            column.tolerance = asked_for;
        }
    }
    return result;
}

template <class V>
Lu<V>::Lu(Executor exec, Parameters parameters, LinOpPtr<V> matrix)
    : DirectSolver<V>(std::move(exec), {type_name, false, false, parameters.pivoting, parameters.matching}, parameters,
                      std::move(matrix)),
      parameters_(std::move(parameters))
{
}

template <class V>
FactorSize Lu<V>::size_for(const LinOp<V>& matrix, const Parameters& parameters)
{
    return detail::predicted_factor_size(lu_plan(parameters), matrix);
}

template <class V>
std::unique_ptr<LinOp<V>> Lu<V>::clone(const Executor& exec) const
{
    return std::make_unique<Lu>(exec, parameters_, this->matrix()->clone(exec));
}

template <class V>
Cholesky<V>::Cholesky(Executor exec, Parameters parameters, LinOpPtr<V> matrix)
    : DirectSolver<V>(std::move(exec), {type_name, true, true, Pivoting::fixed}, parameters, std::move(matrix)),
      parameters_(std::move(parameters))
{
}

template <class V>
FactorSize Cholesky<V>::size_for(const LinOp<V>& matrix, const Parameters& parameters)
{
    return detail::predicted_factor_size(cholesky_plan(parameters), matrix);
}

template <class V>
std::unique_ptr<LinOp<V>> Cholesky<V>::clone(const Executor& exec) const
{
    return std::make_unique<Cholesky>(exec, parameters_, this->matrix()->clone(exec));
}

template <class V>
Ldlt<V>::Ldlt(Executor exec, Parameters parameters, LinOpPtr<V> matrix)
    : DirectSolver<V>(std::move(exec), {type_name, false, true, Pivoting::fixed}, parameters, std::move(matrix)),
      parameters_(std::move(parameters))
{
}

template <class V>
FactorSize Ldlt<V>::size_for(const LinOp<V>& matrix, const Parameters& parameters)
{
    return detail::predicted_factor_size(ldlt_plan(parameters), matrix);
}

template <class V>
std::unique_ptr<LinOp<V>> Ldlt<V>::clone(const Executor& exec) const
{
    return std::make_unique<Ldlt>(exec, parameters_, this->matrix()->clone(exec));
}

template <class V>
std::vector<double> componentwise_backward_error(const LinOp<V>& a, const Dense<V>& b, const Dense<V>& x)
{
    const auto& exec = a.executor();
    const Dense<V> b_here = b.copy(exec), x_here = x.copy(exec);
    if (b.size() != x.size()) {
        throw DimensionMismatch("componentwise_backward_error", "b", b.size(), "x", x.size());
    }
    Dense<V> r(exec, b.size());
    a.apply(x_here, r);
    dense_axpby<V>(exec, V{1}, b_here.view(), V{-1}, r.view());
    Array<real_t<V>> ratios(exec, b.size().rows * b.size().cols);
    visit_csr("componentwise_backward_error", a, [&]<class I>(const Csr<V, I>& csr) {
        direct_error_ratios<V, I>(exec, csr.view(), b_here.view(), x_here.view(), r.view(), true, ratios.data());
    });
    std::vector<double> errors(static_cast<std::size_t>(b.size().cols), 0);
    const auto found = ratios.to_host();
    for (std::size_t k = 0; k < found.size(); ++k) {
        auto& error = errors[k % errors.size()];
        error = found[k] <= error ? error : found[k];
    }
    return errors;
}

}  // namespace linden
