#include <linden/matrix/dense.hpp>
#include <linden/multigrid/amg.hpp>

#include "core/base/check_parameter.hpp"
#include "core/matrix/csr_operator.hpp"
#include "core/multigrid/hierarchy.hpp"

// instantiate: class CsrOperator<Amg, V>
// instantiate: class Amg<V>

namespace linden {
namespace {

constexpr std::string_view storage_names[] = {"automatic", "half", "single", "same"};

template <class V>
detail::AmgPlan plan_of(const typename Amg<V>::Parameters& p)
{
    check_parameter(p.threshold >= 0 && p.threshold < 1, "threshold", p.threshold, "0 to less than 1");
    check_parameter(p.prolongator_damping < 2, "prolongator_damping", p.prolongator_damping, "less than 2");
    check_parameter(p.damping < 2 && p.damping != 0, "damping", p.damping, "less than 2, not 0");
    check_parameter(p.truncation >= 0 && p.truncation < 1, "truncation", p.truncation, "0 to less than 1");
    check_parameter(p.coarse_rows >= 1, "coarse_rows", static_cast<double>(p.coarse_rows), "at least 1");
    check_parameter(p.max_levels >= 1, "max_levels", static_cast<double>(p.max_levels), "at least 1");
    check_parameter(p.additive_rows >= 0, "additive_rows", static_cast<double>(p.additive_rows), "at least 0");
    if (p.storage == AmgStorage::half && is_complex<V>) {
        throw InvalidParameter("storage", "half", "automatic, single or same for complex values");
    }
    return {p.threshold, {p.prolongator_damping, p.damping, p.truncation}, p.coarse_rows, p.max_levels, p.additive_rows,
            p.storage};
}

}  // namespace

template <class V>
void Amg<V>::Parameters::describe(ParameterVisitor& v)
{
    v("threshold", threshold, "entries are strong from that share of their row's largest on");
    v("prolongator_damping", prolongator_damping,
      "how far prolongators are smoothed; negative: 1.6, and 1 for matrices that are not Hermitian");
    v("damping", damping, "of the sweeps, less than 2; negative: 1.8, and 1.5 for matrices that are not Hermitian");
    v("truncation", truncation, "prolongators lose entries below that share of their row's largest");
    v("coarse_rows", coarse_rows, "a level of at most so many rows is inverted");
    v("max_levels", max_levels, "the most levels");
    v("additive_rows", additive_rows,
      "levels of at most so many rows take the additive form of the cycle: fewer kernels, longer set-up");
    v.choice("storage", storage, storage_names, "precision of the levels; automatic: half where its range suffices");
}

template <class V>
Amg<V>::Amg(Executor exec, Parameters parameters, LinOpPtr<V> matrix)
    : CsrOperator<Amg, V>(std::move(exec), detail::square(type_name, matrix->size())),
      parameters_(std::move(parameters)),
      matrix_(std::move(matrix)),
      impl_(detail::make_hierarchy<V>(*matrix_, plan_of<V>(parameters_)))
{
}

template <class V>
const AmgReport& Amg<V>::report() const
{
    return impl_->report;
}

template <class V>
void Amg<V>::apply_impl(const Dense<V>& b, Dense<V>& x) const
{
    impl_->apply(b, x);
}

}  // namespace linden
