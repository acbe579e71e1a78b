#include <linden/matrix/dense.hpp>
#include <linden/preconditioner/multi_elimination.hpp>

#include "core/base/check_parameter.hpp"
#include "core/config/parameter_names.hpp"
#include "core/matrix/csr_operator.hpp"
#include "core/multi_elimination/factors.hpp"

// instantiate: class CsrOperator<MultiElimination, V>
// instantiate: class MultiElimination<V>

namespace linden {
namespace {

constexpr std::string_view rule_names[] = {"modified", "paper", "exact"};
constexpr std::string_view pivots_names[] = {"by_rule",      "natural", "degree",
                                             "off_diagonal", "hashed",  "largest_colour"};
constexpr std::string_view threshold_names[] = {"by_rule", "mean", "row", "diagonal"};

/// What each rule means.
constexpr detail::EliminationPlan plans[] = {
    {EliminationPivots::degree, EliminationThreshold::diagonal, 0.02, 0.8, 1, 0.06, 1024},
    {EliminationPivots::natural, EliminationThreshold::mean, 0.1, 1, 0, 0, 12000},
    {EliminationPivots::off_diagonal, EliminationThreshold::row, 0, 1, 0, 0, 640},
};

/// Processors take longer than devices to invert a bottom, and levels cost them less.
constexpr size_type host_bottom_rows = 256;
/// With pivots off the diagonal, sparse factors take processors less time than levels with a smaller share of pivots,
/// and than the inverse of more rows.
constexpr double host_least_share = 0.2;
constexpr size_type most_inverted_on_hosts = 64;

template <class V>
detail::EliminationPlan plan_of(const typename MultiElimination<V>::Parameters& p, const Executor& exec)
{
    auto plan = plans[static_cast<int>(p.rule)];
    if (exec.is_host() && p.rule != EliminationRule::paper) {
        plan.bottom_rows = host_bottom_rows;
    }
    const auto set = [](auto& value, auto given) { value = given < 0 ? value : given; };
    plan.pivots = p.pivots == EliminationPivots::by_rule ? plan.pivots : p.pivots;
    plan.threshold = p.threshold == EliminationThreshold::by_rule ? plan.threshold : p.threshold;
    set(plan.beta, p.beta);
    set(plan.decay, p.decay);
    set(plan.omega, p.omega);
    set(plan.theta, p.theta);
    set(plan.bottom_rows, p.bottom_rows);
    const bool has_sparse_bottom =
        exec.is_host() && plan.pivots == EliminationPivots::off_diagonal && p.bottom_storage == StoragePrecision::same;
    if (has_sparse_bottom) {
        plan.most_inverted = most_inverted_on_hosts;
        plan.least_share = p.bottom_rows < 0 && p.depth == 0 && p.bottom == nullptr ? host_least_share : 0;
    }
    plan.delta = p.delta;
    plan.depth = p.depth;
    plan.bottom_density = p.bottom_density;
    plan.block_levels = p.block_levels;
    plan.storage = p.storage;
    plan.bottom_storage = p.bottom_storage;
    check_parameter(plan.decay <= 1, "decay", plan.decay, "at most 1");
    check_parameter(plan.omega <= 1, "omega", plan.omega, "at most 1");
    check_parameter(plan.theta < 1, "theta", plan.theta, "less than 1");
    check_parameter(plan.delta >= 0 && plan.delta <= 1, "delta", plan.delta, "0 to 1");
    check_parameter(plan.depth >= 0, "depth", static_cast<double>(plan.depth), "at least 0");
    check_parameter(plan.bottom_density >= 0 && plan.bottom_density <= 1, "bottom_density", plan.bottom_density,
                    "0 to 1");
    check_parameter(plan.block_levels >= 1, "block_levels", static_cast<double>(plan.block_levels), "at least 1");
    return plan;
}

}  // namespace

template <class V>
void MultiElimination<V>::Parameters::describe(ParameterVisitor& v)
{
    v.choice("rule", rule, rule_names,
             "defaults of the other parameters; modified: for diffusion; paper: as published; exact: no dropping");
    v.choice("pivots", pivots, pivots_names, "rows that are eliminated together");
    v.choice("threshold", threshold, threshold_names,
             "entries are dropped up to beta times: the mean of magnitudes, the row's norm, sqrt(|s_ii s_jj|)");
    v("beta", beta, "factor of the drop threshold; negative: by the rule");
    v("decay", decay, "beta is multiplied by it from level to level; negative: by the rule");
    v("omega", omega, "share of dropped entries that is added to the diagonal, 0 to 1; negative: by the rule");
    v("theta", theta,
      "neighbours may be pivots together if |a_ij| < theta min(|a_ii|, 10 max |a_ik|) in both rows; negative: by the "
      "rule");
    v("delta", delta, "pivots are at least delta times the largest magnitude of their row");
    v("depth", depth, "number of levels; 0: until fewer than bottom_rows rows are left");
    v("bottom_rows", bottom_rows, "no more levels for fewer rows; negative: by the rule");
    v("bottom_density", bottom_density,
      "no more levels for a matrix with that share of nonzeros, unless depth is given");
    v("block_levels", block_levels,
      "levels that eliminate a block independent set; entries are dropped after the last of them");
    v.choice("storage", storage, config::storage_names, "precision of the stored levels");
    v.choice("bottom_storage", bottom_storage, config::storage_names, "precision of the inverse at the bottom");
    v.factory("bottom", bottom,
              "solves with the last matrix; none: its inverse, on hosts by the rule exact sparse factors");
}

template <class V>
MultiElimination<V>::MultiElimination(Executor exec, Parameters parameters, LinOpPtr<V> matrix)
    : CsrOperator<MultiElimination, V>(std::move(exec), detail::square(type_name, matrix->size())),
      parameters_(std::move(parameters)),
      matrix_(std::move(matrix)),
      impl_(detail::make_multi_elimination<V>(*matrix_, plan_of<V>(parameters_, this->executor()), parameters_.bottom))
{
}

template <class V>
const std::vector<typename MultiElimination<V>::Level>& MultiElimination<V>::levels() const
{
    return impl_->levels;
}

template <class V>
size_type MultiElimination<V>::num_nonzeros() const
{
    return impl_->num_nonzeros();
}

template <class V>
size_type MultiElimination<V>::storage_bytes() const
{
    return impl_->storage_bytes();
}

template <class V>
size_type MultiElimination<V>::num_bad_pivots() const
{
    return impl_->num_bad_pivots();
}

template <class V>
void MultiElimination<V>::apply_impl(const Dense<V>& b, Dense<V>& x) const
{
    impl_->apply(b, x);
}

}  // namespace linden
