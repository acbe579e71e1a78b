#include <linden/distributed/own_block.hpp>
#include <linden/io/matrix_market.hpp>
#include <linden/matrix/dense.hpp>
#include <linden/multigrid/amg.hpp>
#include <linden/multigrid/near_nullspace.hpp>

#include <complex>

#include "core/base/check_parameter.hpp"
#include "core/matrix/csr_operator.hpp"
#include "core/matrix/null_space.hpp"
#include "core/multigrid/general_hierarchy.hpp"
#include "core/multigrid/nodes.hpp"
#include "core/multigrid/spread_hierarchy.hpp"

// instantiate: class CsrOperator<Amg, V>
// instantiate: class Amg<V>

namespace linden {
namespace {

constexpr std::string_view storage_names[] = {"automatic", "half", "single", "same"};
constexpr std::string_view method_names[] = {"smoothed", "unsmoothed", "classical"};
constexpr std::string_view cycle_names[] = {"automatic", "additive", "v", "w", "f", "k"};

template <class V>
using Parameters = typename Amg<V>::Parameters;

template <class V>
void check(const Parameters<V>& p)
{
    check_parameter(p.threshold < 1, "threshold", p.threshold, "less than 1");
    check_parameter(p.prolongator_damping < 2, "prolongator_damping", p.prolongator_damping, "less than 2");
    check_parameter(p.damping < 2 && p.damping != 0, "damping", p.damping, "less than 2, not 0");
    check_parameter(p.truncation >= 0 && p.truncation < 1, "truncation", p.truncation, "0 to less than 1");
    check_parameter(p.coarse_rows >= 1, "coarse_rows", static_cast<double>(p.coarse_rows), "at least 1");
    check_parameter(p.max_levels >= 1, "max_levels", static_cast<double>(p.max_levels), "at least 1");
    check_parameter(p.additive_rows >= 0, "additive_rows", static_cast<double>(p.additive_rows), "at least 0");
    check_parameter(p.gathered_rows >= 1, "gathered_rows", static_cast<double>(p.gathered_rows), "at least 1");
    check_parameter(p.sweeps >= 1, "sweeps", static_cast<double>(p.sweeps), "at least 1");
    check_parameter(p.max_elements >= 1, "max_elements", static_cast<double>(p.max_elements), "at least 1");
    check_parameter(p.block_rows >= 1, "block_rows", static_cast<double>(p.block_rows), "at least 1");
    if (p.storage == AmgStorage::half && is_complex<V>) {
        throw InvalidParameter("storage", "half", "automatic, single or same for complex values");
    }
}

/// The additive cycle is for one unknown per node, constants, its own sweeps and smoothed prolongators.
template <class V>
bool is_additive(const Parameters<V>& p)
{
    const bool has_vectors = p.near_nullspace != nullptr || p.coordinates != nullptr ||
                             !p.near_nullspace_file.empty() || !p.coordinates_file.empty();
    const bool can_be =
        p.block_rows == 1 && !has_vectors && p.smoother == nullptr && p.sweeps == 1 && p.method == AmgMethod::smoothed;
    if (p.cycle == AmgCycle::additive && !can_be) {
        throw InvalidParameter("cycle", "additive",
                               "automatic, v, w, f or k for systems, other methods, smoothers or sweeps");
    }
    return p.cycle == AmgCycle::additive || (p.cycle == AmgCycle::automatic && can_be);
}

template <class V>
detail::AmgPlan plan_of(const Parameters<V>& p)
{
    const double automatic = p.method == AmgMethod::classical ? 0.25 : 0.4;
    return {p.threshold < 0 ? automatic : p.threshold,
            {p.prolongator_damping, p.damping, p.truncation},
            p.coarse_rows,
            p.max_levels,
            p.additive_rows,
            p.storage,
            p.grid_blocks};
}

template <class V>
Dense<V> read_vectors(const Executor& exec, const std::string& path)
{
    const auto data = read_dense<V>(path);
    const Array<V> values(exec, data.values);
    auto result = Dense<V>(exec, data.size);
    result.copy_from(Dense<V>::adopt(exec, data.size, data.size.cols, const_cast<V*>(values.data())));
    return result;
}

/// The real parts, which are all there is.
template <class V>
DenseData<double> read_coordinates_of_nodes(const std::string& path)
{
    const auto data = read_dense<V>(path);
    DenseData<double> result{data.size, {}};
    for (const auto& value : data.values) {
        result.values.push_back(static_cast<double>(std::real(value)));
    }
    return result;
}

/// The near-null space that is given, in whatever form, and how many unknowns a node has.
template <class V>
struct NearNullSpace {
    std::shared_ptr<const Dense<V>> vectors;  ///< null: constants of each unknown
    size_type block_rows = 1;
};

template <class V>
NearNullSpace<V> near_nullspace_of(const Executor& exec, const Parameters<V>& p)
{
    if (p.coordinates != nullptr || !p.coordinates_file.empty()) {
        const auto points =
            p.coordinates != nullptr ? *p.coordinates : read_coordinates_of_nodes<V>(p.coordinates_file);
        return {share(rigid_body_modes<V>(exec, points)), points.size.cols};
    }
    if (!p.near_nullspace_file.empty()) {
        return {share(read_vectors<V>(exec, p.near_nullspace_file)), p.block_rows};
    }
    return {p.near_nullspace, p.block_rows};
}

template <class V>
detail::GeneralPlan<V> general_plan_of(const Executor& exec, const Parameters<V>& p)
{
    const auto given = near_nullspace_of<V>(exec, p);
    const bool is_scalar = given.vectors == nullptr && given.block_rows == 1;
    if (p.method == AmgMethod::classical && !is_scalar) {
        throw InvalidParameter("method", "classical", "smoothed or unsmoothed for systems of equations");
    }
    if (p.smoother != nullptr && p.storage == AmgStorage::single) {
        throw InvalidParameter("storage", "single", "automatic or same with a smoother of its own");
    }
    detail::GeneralPlan<V> plan{plan_of<V>(p)};
    plan.method = p.method;
    plan.cycle = p.cycle == AmgCycle::automatic ? AmgCycle::v : p.cycle;
    plan.smoother = p.smoother;
    plan.sweeps = p.sweeps;
    plan.max_elements = p.max_elements;
    plan.vectors = given.vectors;
    plan.block_rows = given.block_rows;
    return plan;
}

/// Collective.
template <class V>
std::shared_ptr<detail::AmgHierarchy<V>> spread_hierarchy_for(const LinOp<V>& matrix, const Parameters<V>& p)
{
    const auto ranks = matrix.communicator();
    ranks.agree_after([&] {
        check<V>(p);
        if (!is_additive<V>(p) || p.singular) {
            throw NotSupported("Amg over several ranks",
                               "it is there for one unknown per node and the default method, cycle and smoother, not "
                               "with singular; Schwarz makes any other from the rows of each rank");
        }
    });
    return ranks.guard([&] { return detail::make_spread_hierarchy<V>(matrix, plan_of<V>(p), p.gathered_rows); });
}

/// The hierarchy of a matrix that could be spread and is not.
template <class V>
class OfOneRank final : public detail::AmgHierarchy<V> {
public:
    template <class Make>
    OfOneRank(LinOpPtr<V> block, const Make& make) : block_(std::move(block)),
                                                     inner_(make(*block_))
    {
        this->report = inner_->report;
    }
    void apply(const Dense<V>& b, Dense<V>& x) const override { inner_->apply(b, x); }
    bool is_capturable() const override { return inner_->is_capturable(); }
    void update(const LinOp<V>& matrix) override
    {
        const auto* const one = dynamic_cast<const distributed::OwnBlock<V>*>(&matrix);
        auto block = one != nullptr ? one->own_block() : LinOpPtr<V>(LinOpPtr<V>(), &matrix);
        inner_->update(*block);
        block_ = std::move(block);
    }

private:
    LinOpPtr<V> block_;  ///< whose pattern the hierarchy may view
    std::shared_ptr<detail::AmgHierarchy<V>> inner_;
};

template <class V>
std::shared_ptr<detail::AmgHierarchy<V>> hierarchy_for(const LinOp<V>& matrix, const Parameters<V>& p)
{
    if (!matrix.communicator().is_single()) {
        return spread_hierarchy_for<V>(matrix, p);
    }
    check<V>(p);
    const auto make = [&](const LinOp<V>& a) {
        return is_additive<V>(p) ? detail::make_hierarchy<V>(a, plan_of<V>(p))
                                 : detail::make_general<V>(a, general_plan_of<V>(a.executor(), p));
    };
    if (const auto* const one = dynamic_cast<const distributed::OwnBlock<V>*>(&matrix); one != nullptr) {
        return std::make_shared<OfOneRank<V>>(one->own_block(), make);
    }
    return make(matrix);
}

template <class V>
std::shared_ptr<const detail::NullSpace<V>> null_space_for(const LinOp<V>& matrix, const Parameters<V>& p)
{
    if (!p.singular) {
        return nullptr;
    }
    const auto& exec = matrix.executor();
    const auto [vectors, block_rows] = near_nullspace_of<V>(exec, p);
    return std::make_shared<const detail::NullSpace<V>>(
        vectors != nullptr ? vectors->copy(exec)
                           : detail::constants_of_unknowns<V>(exec, matrix.size().rows, block_rows));
}

}  // namespace

template <class V>
void Amg<V>::Parameters::describe(ParameterVisitor& v)
{
    v("threshold", threshold,
      "entries are strong from that share of their row's largest on; negative: 0.4, classical 0.25");
    v("prolongator_damping", prolongator_damping,
      "how far prolongators are smoothed; negative: 1.6, and 1 for matrices that are not Hermitian");
    v("damping", damping, "of the sweeps, less than 2; negative: 1.8, and 1.5 for matrices that are not Hermitian");
    v("truncation", truncation, "prolongators lose entries below that share of their row's largest");
    v("coarse_rows", coarse_rows, "a level of at most so many rows is inverted");
    v("max_levels", max_levels, "the most levels");
    v("additive_rows", additive_rows,
      "levels of at most so many rows take the additive form of the cycle: fewer kernels, longer set-up");
    v("gathered_rows", gathered_rows, "of several ranks, each has a level of at most so many rows as a whole");
    v("grid_blocks", grid_blocks, "rows of a regular grid, whose coefficients are alike, are aggregated in blocks");
    v.choice("storage", storage, storage_names, "precision of the levels; automatic: half where its range suffices");
    v.choice("method", method, method_names,
             "aggregates with smoothed or constant prolongators, or points to interpolate from");
    v.choice("cycle", cycle, cycle_names, "automatic: additive, and v for systems, other methods, smoothers or sweeps");
    v.factory("smoother", smoother, "any operator, made of each level's matrix; none: a polynomial of degree 2");
    v("sweeps", sweeps, "of the smoother before and behind the correction by the next level");
    v("max_elements", max_elements, "method=classical: the most entries of a prolongator's row");
    v("block_rows", block_rows, "successive rows that are the unknowns of a node");
    v("singular", singular, "take the null space, constants unless vectors are given, out of b and x");
    v("near_nullspace_file", near_nullspace_file, "Matrix Market file of vectors that the matrix takes to about 0");
    v("coordinates_file", coordinates_file, "Matrix Market file of the nodes' 2 or 3 coordinates: rigid-body modes");
}

template <class V>
Amg<V>::Amg(Executor exec, Parameters parameters, LinOpPtr<V> matrix)
    : CsrOperator<Amg, V>(std::move(exec), detail::square(type_name, matrix->size())),
      parameters_(std::move(parameters)),
      matrix_(std::move(matrix)),
      impl_(hierarchy_for<V>(*matrix_, parameters_)),
      null_space_(null_space_for<V>(*matrix_, parameters_))
{
}

template <class V>
Communicator Amg<V>::communicator() const
{
    return matrix_->communicator();
}

template <class V>
const AmgReport& Amg<V>::report() const
{
    return impl_->report;
}

template <class V>
void Amg<V>::apply_impl(const Dense<V>& b, Dense<V>& x) const
{
    if (null_space_ == nullptr) {
        impl_->apply(b, x);
        return;
    }
    null_space_->with_projected(b, [&](const Dense<V>& projected) { impl_->apply(projected, x); });
    null_space_->project(x);
}

template <class V>
void Amg<V>::apply_dot_impl(const Dense<V>& b, Dense<V>& x, const DotRequest<V>& dots) const
{
    if (null_space_ != nullptr || !impl_->apply_dot(b, x, dots)) {
        LinOp<V>::apply_dot_impl(b, x, dots);
    }
}

}  // namespace linden
