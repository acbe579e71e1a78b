#include <linden/error.hpp>
#include <linden/matrix/dense.hpp>
#include <linden/parameters.hpp>
#include <linden/solver/bicgstab_l.hpp>

#include <algorithm>

#include "core/kernels/bicgstab_l.hpp"
#include "core/kernels/dense.hpp"
#include "core/kernels/direct.hpp"
#include "core/solver/basis.hpp"
#include "core/solver/workspace.hpp"

// instantiate: class BiCgStabL<V>

/// Vector words moved per cycle and row, without the preconditioner (n rows, matrix apart):
///
///                                                      reads           writes    words
///     for j = 0 .. l - 1
///       u_i := r_i - beta u_i, i <= j                  r_i u_i         u_i       3 (j + 1)
///       u_(j+1) := A u_j, rhat^H u_(j+1), its square   u_j rhat        u_(j+1)   3
///       x += alpha u_0, r_i -= alpha u_(i+1), i <= j   x u_0 r_i u_i+1 x r_i     3 j + 6
///       r_(j+1) := A r_j, rhat^H r_(j+1), its square   r_j rhat        r_(j+1)   3
///     r_i^H r_c, 1 <= i <= l, of c = 0; i <= c of others  r                      l + 1 + l (l + 3) / 2
///     x += gamma_i r_(i-1), r_0, u_0 likewise          x r u           x r_0 u_0 2 l + 6
///     rhat^H r_0; ||r_0||, stopping rule               rhat r_0; r_0             3
///     total                                                                      3.5 l^2 + 16.5 l + 10
///
/// For l = 1 these are 30 n words per cycle of 2 products, for l = 2 57 n of 4. A preconditioner adds 2 l + 1
/// applications and 3 n words. Kernels without preconditioner: 6 per step of BiCG, l + 7 for the rest.
namespace linden {
namespace {

template <class V>
struct BiCgStabLWorkspace final : SolverWorkspace<V> {
    BiCgStabLWorkspace(const Executor& exec, Dim size, size_type degree, bool preconditioned)
        : SolverWorkspace<V>(exec, size.rows, size.cols, std::max<size_type>(2, degree)),
          l(degree),
          u(exec, l + 1, size),
          rs(exec, l + 1, size),
          shadow(exec, size),
          y(exec, preconditioned ? size : Dim{}),
          z(exec, preconditioned ? size : Dim{}),
          values(exec, (l * (l + 2) + 7) * size.cols),
          shadow_norms(exec, size.cols),
          broken(exec, size.cols)
    {
    }

    BiCgStabLScalars<V> scalars()
    {
        const auto k = this->cols();
        const auto at = [&](size_type i) { return values.data() + i * k; };
        return {l,
                at(0),
                at(1),
                at(2),
                at(3),
                at(4),
                at(5),
                at(6),
                at(7),
                at(7 + l * (l + 1)),
                shadow_norms.data(),
                broken.data()};
    }

    size_type l;
    detail::Basis<V> u;   // A^i u_0
    detail::Basis<V> rs;  // A^i r_0
    Dense<V> shadow;      // rhat
    Dense<V> y;           // the correction of a cycle is M^-1 y
    Dense<V> z;           // M^-1 of a vector
    Array<V> values;
    Array<real_t<V>> shadow_norms;
    Array<std::int32_t> broken;
};

/// to := A M^-1 from, rhat^H to and to^H to
template <class V>
void product(const LinOp<V>& a, const LinOp<V>* m, const Dense<V>& from, Dense<V>& to, V* shadow_dot,
             BiCgStabLWorkspace<V>& w)
{
    const Dense<V>* direction = &from;
    if (m != nullptr) {
        m->apply(from, w.z);
        direction = &w.z;
    }
    a.apply_dot(*direction, to, {w.shadow, shadow_dot, w.scalars().square, w.reduction.view()});
}

/// gram := products of r_1 .. r_l with r_0 .. r_l; of those among themselves one triangle.
template <class V>
void gram(const Executor& exec, BiCgStabLWorkspace<V>& w)
{
    const auto c = w.scalars();
    auto directions = w.rs.first(w.l + 1);
    directions.values += directions.stride;
    for (size_type i = 0; i <= w.l; ++i) {
        gmres_multi_dot<V>(exec, directions.first(i == 0 ? w.l : i), std::as_const(w.rs[i]).view(),
                           c.gram + i * w.l * w.cols(), w.stop.view(), w.reduction.view());
    }
}

}  // namespace

template <class V>
void BiCgStabL<V>::Parameters::describe(ParameterVisitor& v)
{
    v.group("stop", stop, "stopping rule");
    v.factory("preconditioner", preconditioner, "M, applied from the right");
    v("l", l, "directions over which a cycle minimises the residual, 1 to 16; 1 is BiCGStab");
}

template <class V>
BiCgStabL<V>::BiCgStabL(Executor exec, Parameters parameters, LinOpPtr<V> matrix)
    : Solver<V>(std::move(exec), std::move(parameters.stop), std::move(parameters.preconditioner), std::move(matrix)),
      l_(parameters.l)
{
    constexpr size_type largest_degree = 16;
    if (l_ < 1 || l_ > largest_degree) {
        throw InvalidParameter("l", std::to_string(l_), "1 to 16");
    }
}

template <class V>
std::unique_ptr<SolverWorkspace<V>> BiCgStabL<V>::make_workspace(const Executor& exec, size_type num_rhs) const
{
    return std::make_unique<BiCgStabLWorkspace<V>>(exec, Dim{this->size().rows, num_rhs}, l_,
                                                   this->preconditioner() != nullptr);
}

template <class V>
void BiCgStabL<V>::start(Dense<V>&, SolverWorkspace<V>& workspace) const
{
    auto& w = static_cast<BiCgStabLWorkspace<V>&>(workspace);
    // r_0 := rhat := r
    bicgstab_l_start<V>(this->executor(), std::as_const(w.r).view(), w.rs.view(), w.shadow.view(), w.scalars(),
                        w.stop.view());
}

template <class V>
void BiCgStabL<V>::step(Dense<V>& x, SolverWorkspace<V>& workspace) const
{
    auto& w = static_cast<BiCgStabLWorkspace<V>&>(workspace);
    const auto& exec = this->executor();
    const auto& a = this->iteration_matrix();
    const auto* const m = this->iteration_preconditioner();
    const auto c = w.scalars();
    const auto stop = w.stop.view();
    const BiCgStabLVectors<V> vectors{w.u.view(), w.rs.view(), m == nullptr ? x.view() : w.y.view()};

    for (size_type j = 0; j < l_; ++j) {
        bicgstab_l_beta<V>(exec, c, j, stop);
        bicgstab_l_directions<V>(exec, vectors, j, c, stop);  // u_i := r_i - beta u_i
        product(a, m, w.u[j], w.u[j + 1], c.sigma, w);        // u_(j+1) := A M^-1 u_j
        bicgstab_l_alpha<V>(exec, c, j, stop);
        bicgstab_l_step<V>(exec, vectors, j, m != nullptr && j == 0, c,
                           stop);                       // x := x + alpha u_0, r_i := r_i - alpha u_(i+1)
        product(a, m, w.rs[j], w.rs[j + 1], c.rho, w);  // r_(j+1) := A M^-1 r_j
    }
    gram(exec, w);
    bicgstab_l_gamma<V>(exec, c, stop);
    bicgstab_l_minimise<V>(exec, vectors, c, stop);  // x := x + sum of gamma_i r_(i-1), r_0, u_0
    if (m != nullptr) {
        m->apply(w.y, w.z);
        direct_correct<V>(exec, std::as_const(w.z).view(), x.view(), stop);  // x := x + M^-1 y
    }
    const auto r = std::as_const(w.rs[0]).view();
    dense_dot<V>(exec, std::as_const(w.shadow).view(), r, c.rho, w.reduction.view());
    dense_norm2<V>(exec, r, w.r_norms.data(), w.reduction.view());
    stop_check<real_t<V>>(exec, w.r_norms.data(), stop);
    bicgstab_l_finish<V>(exec, c, stop);
}

}  // namespace linden
