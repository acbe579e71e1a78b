#include <linden/error.hpp>
#include <linden/matrix/dense.hpp>
#include <linden/matrix/formatted.hpp>
#include <linden/solver/ssor_cg.hpp>

#include "core/colouring/eisenstat_sweeps.hpp"
#include "core/config/parameter_names.hpp"
#include "core/solver/workspace.hpp"

// instantiate: class SsorCg<V>

/// Vector words moved per iteration and row (n rows, the matrix apart):
///
///                                                              reads        writes   words
///     p := r + beta p, t := (I + U')^-1 p                      r p t        p t      5
///     w := (I + L')^-1 (p - (2 - omega) t), <p, t + w>_D       p t w D      w        5
///     x := x + alpha t, r := r - alpha (t + w), <r, r>_D       t w x r D    x r      7      total 17 n
///
/// L' and U' are read once, and L' and 2 n words once more in every check_period-th iteration.
/// The limit of an iteration is (17 n V + bytes of L' and U') / bandwidth.
namespace linden {
namespace {

template <class V>
struct SsorCgWorkspace final : SolverWorkspace<V> {
    SsorCgWorkspace(const Executor& exec, size_type rows, size_type cols)
        : SolverWorkspace<V>(exec, rows, cols),
          transformed(exec, {rows, cols}),
          p(exec, {rows, cols}),
          t(exec, {rows, cols}),
          v(exec, {rows, cols}),
          values(exec, 3 * cols),
          norms(exec, 2 * cols),
          is_due(exec, cols)
    {
    }
    EisenstatScalars<V> scalars()
    {
        const auto k = this->cols();
        return {values.data(), values.data() + k, values.data() + 2 * k, norms.data(), norms.data() + k, is_due.data()};
    }

    Dense<V> transformed;  // the residual (I + L')^-1 omega D^-1 (b - A x)
    Dense<V> p;            // the direction
    Dense<V> t;            // (I + U')^-1 p
    Dense<V> v;            // (I + L')^-1 (p - (2 - omega) t)
    Array<V> values;
    Array<real_t<V>> norms;
    Array<std::int32_t> is_due;
};

/// The Csr matrix of an operator, if it has one.
template <class V>
LinOpPtr<V> source_of(LinOpPtr<V> matrix)
{
    const auto* const formatted = dynamic_cast<const Formatted<V>*>(matrix.get());
    return formatted == nullptr ? std::move(matrix) : formatted->source();
}

}  // namespace

template <class V>
void SsorCg<V>::Parameters::describe(ParameterVisitor& v)
{
    v.group("stop", stop, "stopping rule");
    v("omega", omega, "relaxation factor, 0 < omega < 2; 1: symmetric Gauss-Seidel");
    colouring.describe(v);
    v.choice("storage", storage, config::storage_names, "precision of the stored off-diagonal entries");
    v("check_period", check_period, "iterations between true residual norms, far from the tolerance; at least 1");
}

template <class V>
SsorCg<V>::SsorCg(Executor exec, Parameters parameters, LinOpPtr<V> matrix)
    : Solver<V>(std::move(exec), parameters.stop, nullptr, source_of(std::move(matrix))),
      check_period_(parameters.check_period),
      sweeps_(detail::make_eisenstat_sweeps<V>(*this->matrix(), parameters))
{
    if (check_period_ < 1) {
        throw InvalidParameter("check_period", std::to_string(check_period_), "at least 1");
    }
    this->iterate_in(sweeps_->system());
}

template <class V>
SsorCg<V>::~SsorCg() = default;

template <class V>
void SsorCg<V>::update_values(LinOpPtr<V> matrix)
{
    Solver<V>::update_values(matrix == nullptr ? nullptr : source_of(std::move(matrix)));
    sweeps_->update(*this->matrix());
}

template <class V>
std::vector<size_type> SsorCg<V>::colour_sizes() const
{
    return sweeps_->colour_sizes();
}

template <class V>
std::unique_ptr<SolverWorkspace<V>> SsorCg<V>::make_workspace(const Executor& exec, size_type num_rhs) const
{
    return std::make_unique<SsorCgWorkspace<V>>(exec, this->size().rows, num_rhs);
}

template <class V>
void SsorCg<V>::start(Dense<V>&, SolverWorkspace<V>& workspace) const
{
    auto& w = static_cast<SsorCgWorkspace<V>&>(workspace);
    sweeps_->transform(std::as_const(w.r).view(), w.transformed.view());  // r := (I + L')^-1 omega D^-1 (b - A x)
    eisenstat_start<V>(this->executor(), sweeps_->diagonal(), std::as_const(w.transformed).view(), w.scalars(),
                       w.stop.view(), w.reduction.view());
}

template <class V>
void SsorCg<V>::step(Dense<V>& x, SolverWorkspace<V>& workspace) const
{
    auto& w = static_cast<SsorCgWorkspace<V>&>(workspace);
    const auto r = std::as_const(w.transformed).view();
    const auto p = std::as_const(w.p).view();
    const auto t = std::as_const(w.t).view();
    const auto scalars = w.scalars();
    const auto stop = w.stop.view();
    const auto reduction = w.reduction.view();

    sweeps_->backward(r, w.p.view(), w.t.view(), scalars, stop);   // p := r + beta p, t := (I + U')^-1 p
    sweeps_->forward(p, t, w.v.view(), scalars, stop, reduction);  // v := C p - t, <p, C p>_D
    // x := x + alpha t, r := r - alpha C p, <r, r>_D, the stopping rule by an estimate
    eisenstat_update<V>(this->executor(),
                        {.d = sweeps_->diagonal(),
                         .t = t,
                         .w = w.v.view(),
                         .x = x.view(),
                         .r = w.transformed.view(),
                         .period = check_period_},
                        scalars, stop, reduction);
    // ||b - A x|| where it is due, the stopping rule
    const auto find_residual = [&] { sweeps_->residual_norm(r, scalars, stop, reduction); };
    if (w.cols() == 1) {
        w.loop.run_if(scalars.is_due, find_residual);
    } else {
        find_residual();  // which looks at each column by itself
    }
}

}  // namespace linden
