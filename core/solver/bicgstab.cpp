#include <linden/matrix/dense.hpp>
#include <linden/solver/bicgstab.hpp>

#include "core/kernels/bicgstab.hpp"
#include "core/kernels/bicgstab_persistent.hpp"
#include "core/matrix/visit_csr.hpp"
#include "core/solver/persistent.hpp"
#include "core/solver/workspace.hpp"

// instantiate: class BiCgStab<V>

/// Vector words moved per iteration and row, without the preconditioner (n rows, matrix apart):
///
///                                                         reads         writes   words
///     p := r + beta (p - omega v)                         r p v         p        4
///     v := A p, rhat^H v, v^H v                           p rhat        v        3
///     s := r - alpha v, ||s||                             r v           s        3
///     t := A s, s^H t, t^H t                              s             t        2
///     x := x + alpha p + omega s, r := s - omega t,       x p s t rhat  x r      7      total 19 n
///     rhat^H r, ||r||
///
/// s and r share a vector. A preconditioner adds its two applications and one word, for M^-1 s besides s; a diagonal
/// one adds 3 n to the 10 n of the persistent kernel. The limit of an iteration is (19 n V + 2 bytes of A) / bandwidth.
/// Kernels without preconditioner: 5.
namespace linden {
namespace {

template <class V>
struct BiCgStabWorkspace final : SolverWorkspace<V> {
    BiCgStabWorkspace(const Executor& exec, size_type rows, size_type cols, bool preconditioned)
        : SolverWorkspace<V>(exec, rows, cols),
          shadow(exec, {rows, cols}),
          p(exec, {rows, cols}),
          v(exec, {rows, cols}),
          t(exec, {rows, cols}),
          p_hat(exec, preconditioned ? Dim{rows, cols} : Dim{}),
          s_hat(exec, preconditioned ? Dim{rows, cols} : Dim{}),
          persistent(exec, 0),
          values(exec, 8 * cols),
          shadow_norms(exec, cols),
          halfway(exec, cols)
    {
    }

    BiCgStabScalars<V> scalars()
    {
        const auto at = [this](int i) { return values.data() + i * this->cols(); };
        return {at(0), at(1), at(2), at(3), at(4), at(5), at(6), at(7), shadow_norms.data(), halfway.data()};
    }

    void add_details(std::vector<ColumnResult>& columns) const override
    {
        const auto marks = halfway.to_host();
        for (std::size_t col = 0; col < columns.size(); ++col) {
            columns[col].half_step = columns[col].iterations > 0 && marks[col] != 0;
        }
    }

    Dense<V> shadow;              // rhat
    Dense<V> p;                   // the direction
    Dense<V> v;                   // A M^-1 p
    Dense<V> t;                   // A M^-1 s
    Dense<V> p_hat;               // M^-1 p
    Dense<V> s_hat;               // M^-1 s
    Array<std::byte> persistent;  // of the persistent kernel
    Array<V> values;
    Array<real_t<V>> shadow_norms;
    Array<std::int32_t> halfway;
};

/// M^-1 b in `result`, or b itself without M.
template <class V>
const Dense<V>& preconditioned(const LinOp<V>* m, const Dense<V>& b, Dense<V>& result)
{
    if (m == nullptr) {
        return b;
    }
    m->apply(b, result);
    return result;
}

}  // namespace

template <class V>
void BiCgStab<V>::Parameters::describe(ParameterVisitor& v)
{
    v.group("stop", stop, "stopping rule");
    v.factory("preconditioner", preconditioner, "M, applied from the right");
}

template <class V>
BiCgStab<V>::BiCgStab(Executor exec, Parameters parameters, LinOpPtr<V> matrix)
    : Solver<V>(std::move(exec), std::move(parameters.stop), std::move(parameters.preconditioner), std::move(matrix))
{
    constexpr int num_grid_vectors = 3;
    persistent_ = detail::plan_grid<V>(this->iteration_matrix(), this->iteration_preconditioner(), num_grid_vectors);
}

template <class V>
std::unique_ptr<SolverWorkspace<V>> BiCgStab<V>::make_workspace(const Executor& exec, size_type num_rhs) const
{
    const Dim size{this->size().rows, num_rhs};
    auto workspace =
        std::make_unique<BiCgStabWorkspace<V>>(exec, size.rows, size.cols, this->preconditioner() != nullptr);
    workspace->persistent = detail::persistent_workspace<V>(exec, size, persistent_.get());
    return workspace;
}

template <class V>
void BiCgStab<V>::start(Dense<V>&, SolverWorkspace<V>& workspace) const
{
    auto& w = static_cast<BiCgStabWorkspace<V>&>(workspace);
    // rhat := r, rho := rhat^H r
    bicgstab_start<V>(this->executor(), std::as_const(w.r).view(), w.shadow.view(), w.scalars(), w.stop.view());
}

template <class V>
void BiCgStab<V>::step(Dense<V>& x, SolverWorkspace<V>& workspace) const
{
    auto& w = static_cast<BiCgStabWorkspace<V>&>(workspace);
    const auto& exec = this->executor();
    const auto* const m = this->iteration_preconditioner();
    const auto c = w.scalars();
    const auto stop = w.stop.view();
    const auto reduction = w.reduction.view();
    const auto& s = std::as_const(w.r);
    const auto v = std::as_const(w.v).view();

    bicgstab_update_direction<V>(exec, s.view(), v, w.p.view(), c, stop);  // p := r + beta (p - omega v)
    const auto& p_hat = preconditioned(m, w.p, w.p_hat);                   // phat := M^-1 p
    this->iteration_matrix().apply_dot(p_hat, w.v,
                                       {w.shadow, c.sigma, c.vv, reduction});  // v := A phat, rhat^H v, v^H v
    auto held = w.reduction.hold();
    bicgstab_first_half<V>(exec, v, w.r.view(), c, stop, reduction);  // s := r - alpha v, ||s||

    const auto& s_hat = m == nullptr ? s : w.s_hat;
    w.loop.run_if(w.running_flag(), [&] {
        preconditioned(m, s, w.s_hat);                                               // shat := M^-1 s
        this->iteration_matrix().apply_dot(s_hat, w.t, {s, c.st, c.tt, reduction});  // t := A shat, s^H t, t^H t
    });
    held.release();  // of ||s|| and the sums with t in one message
    // x := x + alpha phat + omega shat, r := s - omega t, rhat^H r, stopping rule
    bicgstab_second_half<V>(exec,
                            {.p_hat = p_hat.view(),
                             .s_hat = s_hat.view(),
                             .t = w.t.view(),
                             .shadow = w.shadow.view(),
                             .x = x.view(),
                             .r = w.r.view()},
                            c, stop, reduction);
}

template <class V>
bool BiCgStab<V>::run_persistent(Dense<V>& x, SolverWorkspace<V>& workspace) const
{
    auto& w = static_cast<BiCgStabWorkspace<V>&>(workspace);
    if (persistent_ == nullptr || w.cols() != 1 || x.stride() != 1) {
        return false;
    }
    const auto* const d = detail::diagonal_values(this->iteration_preconditioner());
    visit_csr(this->name(), this->iteration_matrix(), [&]<class I>(const Csr<V, I>& a) {
        bicgstab_run_persistent<V, I>(
            this->executor(),
            {.a = a.view(), .d = d, .partition = persistent_->partition, .r = w.r.view(), .x = x.view()},
            {.shadow = w.shadow.view(), .p = w.p.view(), .p_hat = w.p_hat.view(), .s_hat = w.t.view()},
            w.halfway.data(), {w.persistent.data(), w.persistent.size()}, w.stop.view());
    });
    return true;
}

}  // namespace linden
