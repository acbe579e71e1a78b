#include <linden/error.hpp>
#include <linden/matrix/csr.hpp>
#include <linden/matrix/dense.hpp>
#include <linden/solver/cg.hpp>

#include "core/kernels/cg.hpp"
#include "core/kernels/cg_cluster.hpp"
#include "core/kernels/cg_persistent.hpp"
#include "core/kernels/cg_stencils.hpp"
#include "core/kernels/dense.hpp"
#include "core/matrix/visit_csr.hpp"
#include "core/solver/basis.hpp"
#include "core/solver/cg_steps.hpp"
#include "core/solver/persistent.hpp"

// instantiate: class Cg<V>

/// Vector words moved per iteration and row, without the preconditioner (n rows, matrix apart):
///
///                                             reads        writes   words
///     q := A p, p^H q                         p            q        2
///     r := r - alpha q, r^H r                 r q          r        3
///     x := x + alpha p, p := r + beta p       r p x        p x      5      total 10 n
///
/// A preconditioner adds its own application and, unless it computes r^H z as well, 2 n for that product. Persistent
/// kernels apply a diagonal preconditioner themselves, which costs 1 n.
/// With M a step begins with M^-1 r and x and p, and ends with the residual, so that M is not applied to the last one.
/// On several ranks it ends with M^-1 r, whose product with r goes in one message with ||r||.
/// Single reduction: z and w := A z 2, the joint update of p, s, x and r 9, total 11 n.
/// Pipelined: n := A w 2, the joint update of 6 vectors 13, total 15 n; with M another 5 n, and M's.
/// The limit of an iteration is (10 n V + bytes of A) / bandwidth.
namespace linden {
namespace {

/// Steps of pipelined CG from one residual that is computed to the next.
constexpr size_type replacement_period = 100;

/// The vectors that pipelined CG has beside those of single reduction, where q is A u and z is M^-1 r.
template <class V>
struct PipelinedVectors {
    PipelinedVectors(const Executor& exec, Dim size, bool preconditioned)
        : am(exec, size),
          aq(exec, size),
          m(exec, preconditioned ? size : Dim{}),
          ms(exec, preconditioned ? size : Dim{})
    {
    }
    Dense<V> am, aq;  // A M^-1 w, A M^-1 s
    Dense<V> m, ms;   // M^-1 w, M^-1 s; else w and s
};

template <class V>
struct Workspace final : detail::CgWorkspace<V> {
    Workspace(const Executor& exec, Dim size, bool preconditioned, bool has_image, bool is_pipelined)
        : detail::CgWorkspace<V>(exec, size.rows, size.cols, preconditioned, is_pipelined ? 3 : 2),
          s(exec, has_image ? size : Dim{}),
          pipelined(exec, is_pipelined ? size : Dim{}, preconditioned && is_pipelined),
          persistent(exec, 0)
    {
        this->step_reports_iterations = is_pipelined;
    }

    CgSingleScalars<V> single() { return {this->scalar(0), this->scalar(1), this->scalar(2), this->scalar(3)}; }
    /// Steps that end with the residual leave x one step behind: the last one is made up here.
    void finish(Dense<V>& x) override
    {
        if (moves_first) {
            detail::cg_move(x, *this);
        }
    }

    CgPipelinedVectors<V> all(Dense<V>& x)
    {
        auto& v = pipelined;
        return {.m = std::as_const(image_solved()).view(),
                .n = std::as_const(v.am).view(),
                .p = this->p.view(),
                .s = s.view(),
                .q = direction_solved().view(),
                .z = v.aq.view(),
                .x = x.view(),
                .r = this->r.view(),
                .u = this->preconditioned_residual().view(),
                .w = this->q.view()};
    }
    /// M^-1 w and M^-1 s of pipelined CG.
    Dense<V>& image_solved() { return this->identity ? this->q : pipelined.m; }
    Dense<V>& direction_solved() { return this->identity ? s : pipelined.ms; }

    bool moves_first = false;  // whether a step begins with M^-1 r and the direction
    Dense<V> s;                // A p, with single reduction, where q is A z
    PipelinedVectors<V> pipelined;
    Array<std::byte> persistent;  // of the persistent kernel
};

/// y := M^-1 x, where they are not the same block
template <class V>
void apply(const LinOp<V>* m, const Dense<V>& x, Dense<V>& y)
{
    if (m != nullptr) {
        m->apply(x, y);
    }
}

/// n := A M^-1 w
template <class V>
void pipelined_product(const LinOp<V>& a, const LinOp<V>* m, Workspace<V>& w)
{
    apply(m, w.q, w.image_solved());
    a.apply(w.image_solved(), w.pipelined.am);
}

/// All vectors but p, s, q and z, and the scalars, from the residual.
template <class V>
void pipelined_start(const LinOp<V>& a, const LinOp<V>* m, Workspace<V>& w)
{
    const auto& u = std::as_const(w.preconditioned_residual());
    auto held = w.reduction.hold();
    detail::cg_start(m, w);                                              // u := M^-1 r, gamma := r^H u
    a.apply_dot(u, w.q, {u, w.scalar(2), nullptr, w.reduction.view()});  // w := A u, delta := u^H w
    held.release();
    pipelined_product(a, m, w);
}

template <class V>
void pipelined_iteration(const LinOp<V>& a, const LinOp<V>* m, Dense<V>& x, Workspace<V>& w)
{
    auto held = w.reduction.hold();
    cg_pipelined_step<V>(a.executor(), w.all(x), w.single(), w.identity, w.stop.view(), w.reduction.view());
    held.start();                // gamma, delta and ||r||, which nothing needs
    pipelined_product(a, m, w);  // n := A M^-1 w
    held.release();              // stopping rule
}

/// Computes anew, from x and p, what recurrences have carried along.
template <class V>
void pipelined_replace(const LinOp<V>& a, const LinOp<V>* m, const Dense<V>& x, Workspace<V>& w)
{
    const auto& exec = a.executor();
    a.apply(x, w.r);
    dense_axpby<V>(exec, V{1}, w.b->view(), V{-1}, w.r.view());  // r := b - A x
    a.apply(w.p, w.s);                                           // s := A p
    apply(m, w.s, w.direction_solved());                         // q := M^-1 s
    a.apply(w.direction_solved(), w.pipelined.aq);               // z := A q
    pipelined_start(a, m, w);
}

}  // namespace

template <class V>
void Cg<V>::Parameters::describe(ParameterVisitor& v)
{
    v.group("stop", stop, "stopping rule");
    v.factory("preconditioner", preconditioner, "M, Hermitian positive definite");
    v("single_reduction", single_reduction, "one reduction per iteration (Chronopoulos and Gear)");
    v("pipelined", pipelined, "one reduction per iteration, beside the product and M (Ghysels and Vanroose)");
}

template <class V>
Cg<V>::Cg(Executor exec, Parameters parameters, LinOpPtr<V> matrix)
    : Solver<V>(std::move(exec), std::move(parameters.stop), std::move(parameters.preconditioner), std::move(matrix)),
      single_reduction_(parameters.single_reduction),
      pipelined_(parameters.pipelined)
{
    if (single_reduction_ && pipelined_) {
        throw InvalidParameter("pipelined", "true", "false with single_reduction");
    }
    if (single_reduction_ || pipelined_) {
        return;
    }
    constexpr int num_cluster_vectors = 4, num_grid_vectors = 3;
    const auto& a = this->iteration_matrix();
    const auto* const m = this->iteration_preconditioner();
    persistent_ = detail::plan_cluster<V>(a, m, num_cluster_vectors, cg_cluster_block_bytes<V>);
    if (persistent_ == nullptr) {
        persistent_ = detail::plan_stencils<V>(a, m);
    }
    if (persistent_ == nullptr) {
        persistent_ = detail::plan_grid<V>(a, m, num_grid_vectors);
    }
    if (persistent_ == nullptr) {
        persistent_ = detail::plan_spread<V>(a, m, num_grid_vectors);
    }
}

template <class V>
std::unique_ptr<SolverWorkspace<V>> Cg<V>::make_workspace(const Executor& exec, size_type num_rhs) const
{
    const Dim size{this->size().rows, num_rhs};
    auto workspace = std::make_unique<Workspace<V>>(exec, size, this->preconditioner() != nullptr,
                                                    single_reduction_ || pipelined_, pipelined_);
    workspace->persistent = detail::persistent_workspace<V>(exec, size, persistent_.get());
    return workspace;
}

template <class V>
void Cg<V>::start(Dense<V>&, SolverWorkspace<V>& workspace) const
{
    auto& w = static_cast<Workspace<V>&>(workspace);
    const auto& exec = this->executor();
    const auto& z = std::as_const(w.preconditioned_residual());

    if (pipelined_) {
        exec.state().fill_zero(w.scalar(1), w.cols() * sizeof(V));  // no step before
        pipelined_start(this->iteration_matrix(), this->iteration_preconditioner(), w);
        return;
    }
    const auto* const m = this->iteration_preconditioner();
    w.moves_first = m != nullptr && !single_reduction_ && this->communicator().is_single();
    if (w.moves_first) {
        w.p.fill(V{});
        exec.state().fill_zero(w.cg().alpha, w.cols() * sizeof(V));
        dense_fill<V>(exec, V{1}, {1, w.cols(), w.cols(), w.cg().rho_old});  // any beta will do
        return;
    }
    detail::cg_start(m, w);  // z := M^-1 r, rho := r^H z
    if (single_reduction_) {
        exec.state().fill_zero(w.scalar(1), w.cols() * sizeof(V));  // no step before
        this->iteration_matrix().apply_dot(z, w.q,
                                           {z, w.scalar(2), nullptr, w.reduction.view()});  // w := A z, delta := z^H w
    } else {
        dense_copy<V>(exec, z.view(), w.p.view());  // p := z
    }
}

template <class V>
void Cg<V>::step(Dense<V>& x, SolverWorkspace<V>& workspace) const
{
    auto& w = static_cast<Workspace<V>&>(workspace);
    const auto& exec = this->executor();
    const auto& z = std::as_const(w.preconditioned_residual());
    const auto* const m = this->iteration_preconditioner();
    const auto stop = w.stop.view();

    if (pipelined_) {
        const auto& a = this->iteration_matrix();
        detail::run_steps(w.loop, w.running_flag(), replacement_period, [&](size_type) {
            pipelined_iteration(a, m, x, w);
            if (w.after_iteration) {
                w.after_iteration();
            }
        });
        w.loop.run_if(w.running_flag(), [&] { pipelined_replace(a, m, x, w); });
        return;
    }
    if (single_reduction_) {
        auto held = w.reduction.hold();
        // p := z + beta p, s := A p, x := x + alpha p, r := r - alpha s, stopping rule
        cg_single_reduction_step<V>(
            exec, {.z = z.view(), .w = w.q.view(), .p = w.p.view(), .s = w.s.view(), .x = x.view(), .r = w.r.view()},
            w.single(), w.identity, stop, w.reduction.view());
        if (m != nullptr) {
            m->apply_dot(w.r, w.z, w.rho());  // z := M^-1 r, gamma := r^H z
        }
        this->iteration_matrix().apply_dot(z, w.q,
                                           {z, w.scalar(2), nullptr, w.reduction.view()});  // w := A z, delta := z^H w
        held.release();                                                                     // all sums in one message
        return;
    }
    if (w.moves_first) {
        m->apply_dot(w.r, w.z, w.rho());  // z := M^-1 r, rho := r^H z
        detail::cg_move(x, w);            // x := x + alpha p, p := z + beta p
        detail::cg_first_half(this->iteration_matrix(), w);
        return;
    }
    detail::cg_product(this->iteration_matrix(), w);  // q := A p, p^H q
    auto held = w.reduction.hold();
    detail::cg_residual(this->iteration_matrix(), w);  // r := r - alpha q, stopping rule
    if (m != nullptr) {
        m->apply_dot(w.r, w.z, w.rho());  // z := M^-1 r, rho := r^H z
    }
    held.release();         // of ||r|| and rho in one message
    detail::cg_move(x, w);  // x := x + alpha p, p := z + beta p
}

template <class V>
bool Cg<V>::run_persistent(Dense<V>& x, SolverWorkspace<V>& workspace) const
{
    auto& w = static_cast<Workspace<V>&>(workspace);
    if (persistent_ == nullptr || w.cols() != 1 || x.stride() != 1) {
        return false;
    }
    const auto& plan = *persistent_;
    const auto& exec = this->executor();
    const auto* const d = detail::diagonal_values(this->iteration_preconditioner());
    const auto stop = w.stop.view();
    const WorkspaceView room{w.persistent.data(), w.persistent.size()};
    if (plan.variant == detail::PersistentPlan::Variant::spread) {
        return detail::cg_run_spread_plan<V>(plan, this->iteration_matrix(), this->iteration_preconditioner(),
                                             w.r.view(), x.view(), w.p.view(), room, stop);
    }
    if (plan.variant == detail::PersistentPlan::Variant::stencils) {
        return detail::visit_if_stencil(this->iteration_matrix(), [&]<class I>(const Stencil<V, I>& a) {
            cg_run_stencils<V, I>(exec,
                                  {.a = a.view(), .d = d, .partition = plan.partition, .r = w.r.view(), .x = x.view()},
                                  w.p.view(), room, stop);
        });
    }
    visit_csr(this->name(), this->iteration_matrix(), [&]<class I>(const Csr<V, I>& a) {
        const WholeSolve<V, I> solve{
            .a = a.view(), .d = d, .partition = plan.partition, .r = w.r.view(), .x = x.view()};
        if (plan.variant == detail::PersistentPlan::Variant::cluster) {
            cg_run_cluster<V, I>(exec, solve, w.p.view(), w.q.view(), stop);
        } else {
            cg_run_persistent<V, I>(exec, solve, w.p.view(), room, stop);
        }
    });
    return true;
}

}  // namespace linden
