#include <linden/error.hpp>
#include <linden/matrix/dense.hpp>
#include <linden/parameters.hpp>
#include <linden/solver/fgmres.hpp>

#include <algorithm>
#include <cmath>

#include "core/kernels/arnoldi.hpp"
#include "core/kernels/gmres.hpp"
#include "core/matrix/sell_pattern.hpp"
#include "core/solver/basis.hpp"
#include "core/solver/workspace.hpp"

// instantiate: struct GmresParameters<V>
// instantiate: class GmresBase<V>
// instantiate: class Gmres<V>
// instantiate: class Fgmres<V>

/// Vector words moved per row, without the preconditioner (n rows, matrix apart); k = j + 1 basis vectors in step j:
///
///                                                reads        writes  words
///     w := A v_j                                 v_j          w       2
///     h := V^H w                                 V w                  k + 1
///     w := w - V h, c := V^H w, w^H w            V w          w       k + 2
///     rotations, stopping rule                                        0
///     v_{j+1} := w / ||w||                       w            w       2         (k + 2 where w - V c is needed)
///     total of a step                                                 2 k + 7   (3 k + 7)
///
///     x := x + V y                               V x          x       m + 2
///     v_0 := b - A x, ||v_0||                    x b v_0      v_0 v_0 5
///     v_0 := v_0 / ||v_0||                       v_0          v_0     2
///     total of a restart                                              m + 9
///
/// A full cycle averages m + 9 + 7/m words per iteration: 39 n for m = 30. The last step of a cycle needs no v_m, which
/// saves 2. With delayed second passes a step is
///
///     c := (V, v_j)^H v_j, h := (V, v_j)^H w, w^H w  V v_j w               k + 1
///     second pass of v_j, rotations, stopping rule                         0
///     v_j := (v_j - V c) / alpha, v_{j+1} := ...     V v_j w      w        k + 2        (k + 3 where v_j needs it)
///     total of a step                                                      2 k + 5      (2 k + 6)
///
/// in 4 kernels; a basis in lower precision counts half or a quarter of each of the 2 k, and its new vector is written,
/// too. A preconditioner adds its application, and at the restart one more and 4 n; FGMRES stores the preconditioned
/// basis instead and adds nothing at the restart. Kernels of immediate ones: 5 per step, 4 in the last one, 5 per
/// restart.
namespace linden {
namespace {

constexpr size_type line_bytes = 64;

constexpr size_type round_up(size_type bytes, size_type multiple)
{
    return (bytes + multiple - 1) / multiple * multiple;
}

/// Bytes of a value of a basis that is not stored in V, else 0.
template <class V>
size_type stored_bytes(StoragePrecision storage)
{
    size_type bytes = 0;
    detail::with_stored_type<V, std::int32_t>(
        storage, [&]<class S>() { bytes = std::is_same_v<V, S> ? 0 : static_cast<size_type>(sizeof(S)); });
    return bytes;
}

/// Vectors have norm 1, and n values of about 1 / sqrt(n): over this, values are about 1, and the largest is in range.
double half_unit(size_type rows)
{
    constexpr int most = 15;
    const int exponent = std::ilogb(static_cast<double>(std::max<size_type>(rows, 1))) / 2;
    return std::ldexp(1.0, -std::min(exponent, most));
}

template <class V>
struct GmresWorkspace final : SolverWorkspace<V> {
    GmresWorkspace(const Executor& exec, Dim size, size_type m, bool flexible, bool delayed, StoragePrecision precision)
        : SolverWorkspace<V>(exec, size.rows, size.cols, delayed ? 2 * (m + 2) : m + 2),
          krylov_dim(m),
          storage(precision),
          is_rounded(stored_bytes<V>(storage) != 0),
          v(exec, is_rounded ? 2 : m + 1, size),
          z(exec, flexible ? m : 0, size),
          stored(exec, m * round_up(size.rows * size.cols * stored_bytes<V>(storage), line_bytes)),
          values(exec, (m * m + 7 * m + 6) * size.cols),
          reals(exec, (m + 4) * size.cols),
          marks(exec, 3 * size.cols)
    {
        this->step_reports_iterations = true;
        const std::vector<V> ones(static_cast<std::size_t>(size.cols), V{1});
        copy_bytes(detail::host(), ones.data(), exec, one(), ones.size() * sizeof(V));
    }

    GmresScalars<V> scalars()
    {
        const auto k = this->cols();
        const auto m = krylov_dim;
        V* const upper = values.data() + k;
        V* const h = upper + m * m * k;
        V* const c = h + (m + 1) * k;
        V* const g = c + (m + 1) * k;
        V* const sine = g + (m + 1) * k;
        V* const y = sine + m * k;
        real_t<V>* const cosine = reals.data();
        return {m,    h, c, cosine + m * k,       upper,        cosine,
                sine, g, y, cosine + (m + 1) * k, marks.data(), marks.data() + k};
    }
    ArnoldiScalars<V> delayed_scalars()
    {
        const auto k = this->cols();
        const auto s = scalars();
        V* const column = s.y + krylov_dim * k;
        real_t<V>* const norm = s.scale + k;
        return {s, column, column + (krylov_dim + 1) * k, norm, norm + k, s.used + k};
    }
    /// v_j; of a basis in lower precision the last two of these there are.
    Dense<V>& vector(size_type j) { return v[is_rounded ? j % 2 : j]; }
    /// The first `count` vectors as they are stored.
    template <class S>
    BasisView<StoredVectors<V, S>> basis(size_type count)
    {
        if constexpr (std::is_same_v<V, S>) {
            return v.first(count);
        } else {
            const auto size = v[0].size();
            const auto stride = stored.size() / (krylov_dim * static_cast<size_type>(sizeof(S)));
            return {count, size.rows, size.cols, stride, reinterpret_cast<S*>(stored.data()), half_unit(size.rows)};
        }
    }
    /// k ones, the coefficients for adding a block unscaled.
    V* one() { return values.data(); }

    /// Calls f.operator()<S>() for the type S that the basis is stored in.
    template <class F>
    void with_basis_type(F&& f)
    {
        detail::with_stored_type<V, std::int32_t>(storage, f);
    }

    size_type krylov_dim;
    StoragePrecision storage;
    bool is_rounded;          // whether the basis is in lower precision, also where there are no rows
    detail::Basis<V> v;       // the Krylov basis
    detail::Basis<V> z;       // M^-1 V of the flexible variant
    Array<std::byte> stored;  // the basis in lower precision
    Array<V> values;
    Array<real_t<V>> reals;
    Array<std::int32_t> marks;
};

/// w := A M^-1 v_j, in the place of v_{j+1}
template <class V>
void multiply(const LinOp<V>& a, const LinOp<V>* m, bool flexible, size_type j, GmresWorkspace<V>& w)
{
    const Dense<V>* direction = &w.vector(j);
    if (m != nullptr) {
        auto& z = flexible ? w.z[j] : w.r;
        m->apply(*direction, z);  // z := M^-1 v_j
        direction = &z;
    }
    a.apply(*direction, w.vector(j + 1));
}

/// One step of the Arnoldi process: v_{j+1} from v_j.
template <class V>
void arnoldi_step(const LinOp<V>& a, const LinOp<V>* m, bool flexible, size_type j, GmresWorkspace<V>& w)
{
    const auto& exec = a.executor();
    const auto s = w.scalars();
    const auto stop = w.stop.view();
    const auto basis = w.v.first(j + 1);
    auto& next = w.v[j + 1];
    multiply(a, m, flexible, j, w);                                                              // w := A M^-1 v_j
    gmres_multi_dot<V>(exec, basis, std::as_const(next).view(), s.h, stop, w.reduction.view());  // h := V^H w
    gmres_multi_subtract<V>(exec, basis, next.view(), s, stop, w.reduction.view());  // w := w - V h, c := V^H w, w^H w
    gmres_rotate<V>(exec, s, j, stop);                                               // rotations, stopping rule
    if (j + 1 < w.krylov_dim) {
        gmres_normalize<V>(exec, basis, next.view(), s, stop);  // v_{j+1} := (w - V c) / ||w||
    }
}

/// An Arnoldi step with one sum. v_j may still need its second pass, which shares the sum.
template <class V>
void delayed_arnoldi_step(const LinOp<V>& a, const LinOp<V>* m, bool flexible, size_type j, GmresWorkspace<V>& w)
{
    const auto& exec = a.executor();
    const auto s = w.delayed_scalars();
    const auto stop = w.stop.view();
    const bool is_last = j + 1 == w.krylov_dim;
    auto& v = w.vector(j);
    auto& next = w.vector(j + 1);
    multiply(a, m, flexible, j, w);  // w := A M^-1 v_j
    w.with_basis_type([&]<class S>() {
        const auto basis = w.template basis<S>(j);
        // c := (V, v_j)^H v_j, h := (V, v_j)^H w, w^H w
        arnoldi_project<V, S>(exec, basis.first(j), std::as_const(v).view(), std::as_const(next).view(), s, false, stop,
                              w.reduction.view());
        arnoldi_advance<V>(exec, s, j, flexible, false, stop);  // columns j - 1 and j, rotations, stopping rule
        // v_j := (v_j - V c) / alpha, v_{j+1} := (w - (V, v_j) h) / ||w - (V, v_j) h||
        arnoldi_orthogonalize<V, S>(exec, basis, v.view(), next.view(), s, is_last, stop);
    });
}

/// Completes the last column of a cycle, if the norm of its remainder is not known yet.
template <class V>
void settle(const Executor& exec, bool flexible, GmresWorkspace<V>& w)
{
    const auto s = w.delayed_scalars();
    const auto stop = w.stop.view();
    const auto steps = w.krylov_dim;
    const auto last = std::as_const(w.vector(steps)).view();
    w.with_basis_type([&]<class S>() {
        arnoldi_project<V, S>(exec, w.template basis<S>(steps).first(steps), last, last, s, true, stop,
                              w.reduction.view());
    });
    arnoldi_advance<V>(exec, s, steps, flexible, true, stop);
}

/// x := x + M^-1 V y, the correction of a cycle
template <class V>
void correct(const LinOp<V>* m, bool flexible, Dense<V>& x, GmresWorkspace<V>& w)
{
    const auto& exec = x.executor();
    const auto s = w.scalars();
    const auto steps = w.krylov_dim;
    gmres_solve<V>(exec, s, x.size().cols);  // y := R^-1 g
    const auto combine = [&](bool overwrite, Dense<V>& sum) {
        w.with_basis_type([&]<class S>() {
            gmres_combine<V, S>(exec, w.template basis<S>(steps).first(steps), s.y, s.used, overwrite, sum.view());
        });
    };
    if (m == nullptr) {
        combine(false, x);
        return;
    }
    if (flexible) {
        gmres_combine<V>(exec, w.z.first(steps), s.y, s.used, false, x.view());
        return;
    }
    auto& correction = w.vector(steps);  // free at the end of a cycle
    combine(true, correction);           // u := V y
    m->apply(correction, w.r);           // z := M^-1 u
    const BasisView<const V> block{1, w.r.size().rows, w.r.size().cols, 0, std::as_const(w.r).data()};
    gmres_combine<V>(exec, block, w.one(), s.used, false, x.view());  // x := x + z
}

template <class V>
StoragePrecision checked_storage(const GmresParameters<V>& parameters)
{
    const auto storage = parameters.basis_storage;
    if (storage == StoragePrecision::half && is_complex<V>) {
        throw InvalidParameter("basis_storage", "half", "same or single for complex values");
    }
    if (stored_bytes<V>(storage) != 0 && parameters.orthogonalization == Orthogonalization::immediate) {
        throw InvalidParameter("orthogonalization", "immediate",
                               "delayed or automatic with a basis in lower precision");
    }
    return storage;
}

constexpr std::string_view orthogonalization_names[] = {"automatic", "immediate", "delayed"};

/// A sum less is a kernel less on a device, and a message less between ranks; cores read the basis twice either way.
/// Reproducible sums have the same bits on any number of ranks, so their solves go the same way.
template <class V>
bool is_delayed(Orthogonalization wanted, const LinOp<V>& solver)
{
    const auto ranks = solver.communicator();
    return wanted == Orthogonalization::delayed ||
           (wanted == Orthogonalization::automatic &&
            (!solver.executor().is_host() || !ranks.is_single() || ranks.is_reproducible()));
}

}  // namespace

template <class V>
void GmresParameters<V>::describe(ParameterVisitor& v)
{
    v.group("stop", stop, "stopping rule");
    v.factory("preconditioner", preconditioner, "M, applied from the right");
    v("krylov_dim", krylov_dim, "steps per restart cycle, at least 1");
    v.choice("orthogonalization", orthogonalization, orthogonalization_names,
             "immediate: two sums per step, delayed: one; automatic: delayed on devices and over ranks");
    v.choice("basis_storage", basis_storage, detail::storage_names,
             "precision in which the basis is kept: same, single or half");
}

template <class V>
GmresBase<V>::GmresBase(Executor exec, Parameters parameters, LinOpPtr<V> matrix, bool flexible)
    : Solver<V>(std::move(exec), parameters.stop, std::move(parameters.preconditioner), std::move(matrix)),
      krylov_dim_(std::max(size_type{1}, std::min({parameters.krylov_dim, detail::most_steps<V>(*this),
                                                   parameters.stop.max_iterations}))),
      flexible_(flexible),
      delayed_(is_delayed(parameters.orthogonalization, *this)),
      basis_storage_(checked_storage(parameters))
{
    if (parameters.krylov_dim < 1) {
        throw InvalidParameter("krylov_dim", std::to_string(parameters.krylov_dim), "at least 1");
    }
    delayed_ = delayed_ || stored_bytes<V>(basis_storage_) != 0;
}

template <class V>
std::unique_ptr<SolverWorkspace<V>> GmresBase<V>::make_workspace(const Executor& exec, size_type num_rhs) const
{
    return std::make_unique<GmresWorkspace<V>>(exec, Dim{this->size().rows, num_rhs}, krylov_dim_,
                                               flexible_ && this->preconditioner() != nullptr, delayed_,
                                               basis_storage_);
}

template <class V>
void GmresBase<V>::start(Dense<V>&, SolverWorkspace<V>& workspace) const
{
    auto& w = static_cast<GmresWorkspace<V>&>(workspace);
    // v_0 := r / ||r||
    gmres_start<V>(this->executor(), std::as_const(w.r).view(), w.v[0].view(), w.scalars(), w.stop.view());
}

template <class V>
void GmresBase<V>::step(Dense<V>& x, SolverWorkspace<V>& workspace) const
{
    auto& w = static_cast<GmresWorkspace<V>&>(workspace);
    const auto& exec = this->executor();
    const auto& a = this->iteration_matrix();
    const auto* const m = this->iteration_preconditioner();
    const bool keeps_z = flexible_ && m != nullptr;

    detail::run_steps(w.loop, w.running_flag(), w.krylov_dim, [&](size_type j) {
        if (delayed_) {
            delayed_arnoldi_step(a, m, keeps_z, j, w);
        } else {
            arnoldi_step(a, m, keeps_z, j, w);
        }
        if (w.after_iteration) {
            w.after_iteration();
        }
    });
    if (delayed_) {
        w.loop.run_if(w.running_flag(), [&] { settle(exec, keeps_z, w); });
    }
    correct(m, keeps_z, x, w);
    w.loop.run_if(w.running_flag(), [&] {
        auto& v = w.v[0];
        a.apply(x, v);  // v_0 := b - A x, the true residual
        gmres_residual<V>(exec, w.b->view(), v.view(), w.stop.view(), w.reduction.view());
    });
    // v_0 := v_0 / ||v_0||, and no step is left to correct x with
    gmres_start<V>(exec, std::as_const(w.v[0]).view(), w.v[0].view(), w.scalars(), w.stop.view());
}

}  // namespace linden
