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

inline bool is_positive(double x) { return x > 0 && std::isfinite(x); }

/// The matrix of a process with these sums, up to its end: rho_0, p_0^H q_0, rho_1, p_1^H q_1, ..., rho_steps.
template <class V>
Tridiagonal tridiagonal_of(const std::vector<double>& sums)
{
    const double eps = std::numeric_limits<real_t<V>>::epsilon();
    const double smallest = sums.front() * eps * eps;
    Tridiagonal t;
    double alpha = 0, beta = 0;
    for (std::size_t j = 0; j + 2 < sums.size() && is_positive(sums[j]); j += 2) {
        const double last_alpha = alpha;
        alpha = sums[j] / sums[j + 1];
        if (!is_positive(alpha)) {
            break;
        }
        if (j > 0) {
            t.beside.push_back(std::sqrt(beta) / last_alpha);
        }
        t.diagonal.push_back(1 / alpha + (j > 0 ? beta / last_alpha : 0));
        beta = sums[j + 2] / sums[j];
        if (!(sums[j + 2] > smallest)) {
            break;
        }
    }
    return t;
}

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
    double rho = memory.inner_product(r, z);
    const double eps = std::numeric_limits<real_t<V>>::epsilon();
    const double smallest = rho * eps * eps;
    Tridiagonal t;
    double alpha = 0, beta = 0;
    for (size_type step = 0; step < num_steps && is_positive(rho); ++step) {
        a.apply(p, q);  // q := A p
        const double last_alpha = alpha;
        alpha = rho / memory.inner_product(p, q);
        if (!is_positive(alpha)) {
            break;
        }
        if (step > 0) {
            t.beside.push_back(std::sqrt(beta) / last_alpha);
        }
        t.diagonal.push_back(1 / alpha + (step > 0 ? beta / last_alpha : 0));
        keep(z, rho);
        r.add_scaled(V{static_cast<real_t<V>>(-alpha)}, q);  // r := r - alpha q
        precondition(r, z);
        const double last_rho = rho;
        rho = memory.inner_product(r, z);
        if (!(rho > smallest)) {
            break;
        }
        beta = rho / last_rho;
        dense_axpby<V>(exec, V{1}, std::as_const(z).view(), V{static_cast<real_t<V>>(beta)},
                       p.view());  // p := z + beta p
    }
    return t;
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
    return tridiagonal_of<V>(memory.inner_products());
}

}  // namespace linden::detail
