#include <linden/matrix/dense.hpp>
#include <linden/preconditioner/multicoloured.hpp>

#include "core/colouring/coloured_sweeps.hpp"
#include "core/config/parameter_names.hpp"
#include "core/matrix/csr_operator.hpp"

// instantiate: class CsrOperator<Multicoloured, V>
// instantiate: class Multicoloured<V>
// instantiate: class McSsor<V>
// instantiate: class MulticolouredFactors<V, false>
// instantiate: class MulticolouredFactors<V, true>

namespace linden {
namespace {

/// The preconditioner in colour ordering.
template <class V>
class ReorderedSweeps final : public LinOp<V> {
public:
    ReorderedSweeps(const Executor& exec, Dim size, std::shared_ptr<const detail::ColouredSweeps<V>> sweeps)
        : LinOp<V>(exec, size),
          sweeps_(std::move(sweeps))
    {
    }
    std::string name() const override { return "Multicoloured"; }
    bool is_capturable() const override { return true; }

protected:
    void apply_impl(const Dense<V>& b, Dense<V>& x) const override { sweeps_->apply_reordered(b, x); }

private:
    std::shared_ptr<const detail::ColouredSweeps<V>> sweeps_;
};

}  // namespace

void MulticolourOptions::describe(ParameterVisitor& v)
{
    colouring.describe(v);
    v.choice("storage", storage, config::storage_names, "precision of the stored factors");
    v("permute_loop", permute_loop, "solvers iterate in colour ordering, with a permuted copy of the matrix");
}

template <class V>
Multicoloured<V>::Multicoloured(Executor exec, detail::MulticolourPlan plan, LinOpPtr<V> matrix)
    : CsrOperator<Multicoloured, V>(std::move(exec), detail::square(plan.name, matrix->size())),
      parameters_(plan),
      matrix_(std::move(matrix)),
      impl_(detail::make_coloured_sweeps<V>(*matrix_, parameters_))
{
}

template <class V>
ReorderedSystem<V> Multicoloured<V>::reordered_system() const
{
    if (!parameters_.options.permute_loop || !visit_if_csr(*matrix_, [](const auto&) {})) {
        return {};
    }
    auto system = impl_->reordered_matrix();
    system.preconditioner = std::make_shared<ReorderedSweeps<V>>(this->executor(), this->size(), impl_);
    return system;
}

template <class V>
size_type Multicoloured<V>::num_colours() const
{
    return static_cast<size_type>(colour_sizes().size());
}

template <class V>
std::vector<size_type> Multicoloured<V>::colour_sizes() const
{
    return impl_->colour_sizes();
}

template <class V>
size_type Multicoloured<V>::num_nonzeros() const
{
    return impl_->num_nonzeros();
}

template <class V>
size_type Multicoloured<V>::storage_bytes() const
{
    return impl_->storage_bytes();
}

template <class V>
size_type Multicoloured<V>::num_replaced_pivots() const
{
    return impl_->num_replaced_pivots();
}

template <class V>
void Multicoloured<V>::apply_impl(const Dense<V>& b, Dense<V>& x) const
{
    impl_->apply(b, x);
}

template <class V>
void McSsor<V>::Parameters::describe(ParameterVisitor& v)
{
    v("omega", omega, "relaxation factor, 0 < omega < 2; 1: Gauss-Seidel");
    v.choice("direction", direction, config::direction_names,
             "sweeps per application; symmetric: forward, then backward");
    colours.describe(v);
}

template <class V>
McSsor<V>::McSsor(Executor exec, Parameters parameters, LinOpPtr<V> matrix)
    : Multicoloured<V>(std::move(exec),
                       {.name = type_name,
                        .factors = detail::ColouredFactors::ssor,
                        .direction = parameters.direction,
                        .omega = parameters.omega,
                        .options = parameters.colours},
                       std::move(matrix))
{
}

template <class V, bool is_cholesky>
void MulticolouredFactors<V, is_cholesky>::Parameters::describe(ParameterVisitor& v)
{
    v("p", p, "fill-in: the factors have the pattern of |A|^(p + 1)");
    v("shift", shift, config::shift_meaning);
    colours.describe(v);
}

template <class V, bool is_cholesky>
MulticolouredFactors<V, is_cholesky>::MulticolouredFactors(Executor exec, Parameters parameters, LinOpPtr<V> matrix)
    : Multicoloured<V>(std::move(exec),
                       {.name = type_name,
                        .factors = is_cholesky ? detail::ColouredFactors::cholesky : detail::ColouredFactors::ilu,
                        .power = parameters.p + 1,
                        .shift = parameters.shift,
                        .options = parameters.colours},
                       std::move(matrix))
{
}

}  // namespace linden
