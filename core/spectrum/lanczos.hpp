#pragma once

#include <linden/distributed/communicator.hpp>
#include <linden/matrix/dense.hpp>

#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "core/base/math.hpp"
#include "core/kernels/dense.hpp"
#include "core/kernels/lanczos.hpp"
#include "core/kernels/reduction.hpp"
#include "core/spectrum/tridiagonal.hpp"

/// The Lanczos process, from the coefficients of CG. [Saad03, 6.7.3]
namespace linden::detail {

/// What the process computes in, for operators of the size and the ranks of `a`.
template <class V>
class LanczosMemory {
public:
    /// num_steps: of a process whose sums stay on the executor.
    explicit LanczosMemory(const LinOp<V>& a, size_type num_steps = 0)
        : vectors{block_for(a), block_for(a), block_for(a), block_for(a)},
          sums_(a.executor(), 2 * num_steps + 1),
          workspace_(ReductionWorkspace::for_values<V>(a.executor(), 2))
    {
        workspace_.sum_over(a.communicator());
    }

    /// The real part, over the rows of all ranks. Waits for the executor.
    double inner_product(const Dense<V>& a, const Dense<V>& b)
    {
        V result{};
        copy_bytes(a.executor(), leave_inner_product(a, b, 0), host(), &result, sizeof(V));
        return static_cast<double>(real(result));
    }
    /// The same; leaves it on the executor, and returns where. Does not wait.
    const V* leave_inner_product(const Dense<V>& a, const Dense<V>& b, size_type slot)
    {
        dense_dot<V>(a.executor(), a.view(), b.view(), sums_.data() + slot, workspace_.view());
        return sums_.data() + slot;
    }
    /// q := A p, and leaves p^H q in the same way.
    const V* leave_product(const LinOp<V>& a, size_type slot)
    {
        a.apply_dot(vectors.p, vectors.q, {vectors.p, sums_.data() + slot, nullptr, workspace_.view()});
        return sums_.data() + slot;
    }
    /// The real parts of all that have been left. Waits.
    std::vector<double> inner_products() const
    {
        std::vector<double> result;
        for (const V sum : sums_.to_host()) {
            result.push_back(static_cast<double>(real(sum)));
        }
        return result;
    }

    /// n x 1 each
    struct Vectors {
        Dense<V> r, z, p, q;
    } vectors;

private:
    static Dense<V> block_for(const LinOp<V>& a) { return Dense<V>(a.executor(), {a.size().rows, 1}); }

    Array<V> sums_;
    ReductionWorkspace workspace_;
};

/// The matrix T of a process, row by row from the scalars of CG. It ends where rho is rounding, or where A or M prove
/// to be indefinite.
template <class V>
class LanczosMatrix {
public:
    explicit LanczosMatrix(double rho) : rho_(rho), smallest_(rho * eps * eps) {}

    /// rho = r^H z of the residual that came last
    bool has_ended() const { return has_ended_ || !is_positive(rho_); }
    /// Another row, from p^H A p; false, and no row, where the process ends.
    bool add_row(double pq)
    {
        const double last_alpha = alpha_;
        alpha_ = rho_ / pq;
        has_ended_ = !is_positive(alpha_);
        if (has_ended_) {
            return false;
        }
        const bool is_first = t_.diagonal.empty();
        if (!is_first) {
            t_.beside.push_back(std::sqrt(beta_) / last_alpha);
        }
        t_.diagonal.push_back(1 / alpha_ + (is_first ? 0 : beta_ / last_alpha));
        return true;
    }
    void set_rho(double rho)
    {
        has_ended_ = !(rho > smallest_);
        beta_ = rho / rho_;
        rho_ = rho;
    }

    double rho() const { return rho_; }
    double alpha() const { return alpha_; }  ///< of the last row
    double beta() const { return beta_; }    ///< of the last two rho
    const Tridiagonal& rows() const { return t_; }

private:
    static constexpr double eps = std::numeric_limits<real_t<V>>::epsilon();

    static bool is_positive(double x) { return x > 0 && std::isfinite(x); }

    Tridiagonal t_;
    double rho_, smallest_, alpha_ = 0, beta_ = 0;
    bool has_ended_ = false;
};

/// At most `steps` steps of CG with A and M from the residual memory.vectors.r, which is overwritten;
/// precondition(r, z) is z := M^-1 r.  With rho_j = r_j^H z_j, V = (z_0 / sqrt(rho_0), -z_1 / sqrt(rho_1), ...) has
/// V^H M V = I and V^H A V = T, which is returned.  keep(z_j, rho_j) is called for each row of T. The process ends
/// where rho is rounding, or A or M prove to be indefinite. Waits for the executor in each step.
template <class V, class Precondition, class Keep>
Tridiagonal lanczos(const LinOp<V>& a, LanczosMemory<V>& memory, size_type num_steps, const Precondition& precondition,
                    const Keep& keep)
{
    const auto& exec = a.executor();
    auto& [r, z, p, q] = memory.vectors;
    precondition(r, z);
    p.copy_from(z);
    LanczosMatrix<V> t(memory.inner_product(r, z));
    for (size_type step = 0; step < num_steps && !t.has_ended(); ++step) {
        a.apply(p, q);  // q := A p
        if (!t.add_row(memory.inner_product(p, q))) {
            break;
        }
        keep(z, t.rho());
        r.add_scaled(V{static_cast<real_t<V>>(-t.alpha())}, q);  // r := r - alpha q
        precondition(r, z);
        t.set_rho(memory.inner_product(r, z));
        if (!t.has_ended()) {
            dense_axpby<V>(exec, V{1}, std::as_const(z).view(), V{static_cast<real_t<V>>(t.beta())},
                           p.view());  // p := z + beta p
        }
    }
    return t.rows();
}

/// The same for M = D, its inverse given, or the identity where `inverse` is empty, without `keep`: all steps are
/// taken, and those behind the end of the process do not count. `memory` is for as many steps. Waits once.
template <class V>
Tridiagonal lanczos_with_diagonal(const LinOp<V>& a, const Array<V>& inverse, LanczosMemory<V>& memory,
                                  size_type num_steps)
{
    const auto& exec = a.executor();
    auto& [r, z, p, q] = memory.vectors;
    const auto n = r.size().rows;
    if (inverse.size() == 0) {
        z.copy_from(r);
    } else {
        dense_scale_rows<V>(exec, {n, 1, 1, inverse.data()}, V{1}, std::as_const(r).view(), V{}, z.view());
    }
    p.copy_from(z);
    const V* rho = memory.leave_inner_product(r, z, 0);
    for (size_type step = 0; step < num_steps; ++step) {
        const V* const pq = memory.leave_product(a, 2 * step + 1);  // q := A p
        const V* const d = inverse.size() == 0 ? nullptr : inverse.data();
        lanczos_residual<V>(exec, n, d, rho, pq, q.data(), r.data(), z.data());  // r := r - alpha q, z := D^-1 r
        const V* const last_rho = std::exchange(rho, memory.leave_inner_product(r, z, 2 * step + 2));
        lanczos_direction<V>(exec, n, last_rho, rho, z.data(), p.data());  // p := z + beta p
    }
    const auto sums = memory.inner_products();  // rho_0, p_0^H q_0, rho_1, p_1^H q_1, ...
    LanczosMatrix<V> t(sums.front());
    for (std::size_t j = 1; j + 1 < sums.size() && !t.has_ended() && t.add_row(sums[j]); j += 2) {
        t.set_rho(sums[j + 1]);
    }
    return t.rows();
}

}  // namespace linden::detail
