#pragma once

#include <linden/distributed/communicator.hpp>
#include <linden/matrix/dense.hpp>

#include <cmath>
#include <limits>

#include "core/base/math.hpp"
#include "core/kernels/dense.hpp"
#include "core/kernels/reduction.hpp"
#include "core/spectrum/tridiagonal.hpp"

/// The Lanczos process, from the coefficients of CG. [Saad03, 6.7.3]
namespace linden::detail {

/// What the process computes in, for operators of the size and the ranks of `a`.
template <class V>
class LanczosMemory {
public:
    explicit LanczosMemory(const LinOp<V>& a)
        : vectors{block_for(a), block_for(a), block_for(a), block_for(a)},
          result_(a.executor(), 1),
          workspace_(ReductionWorkspace::for_values<V>(a.executor(), 1))
    {
        workspace_.sum_over(a.communicator());
    }

    /// The real part, over the rows of all ranks. Waits for the executor.
    double inner_product(const Dense<V>& a, const Dense<V>& b)
    {
        dense_dot<V>(a.executor(), a.view(), b.view(), result_.data(), workspace_.view());
        V result{};
        result_.copy_to_host(&result);
        return static_cast<double>(real(result));
    }

    /// n x 1 each
    struct Vectors {
        Dense<V> r, z, p, q;
    } vectors;

private:
    static Dense<V> block_for(const LinOp<V>& a) { return Dense<V>(a.executor(), {a.size().rows, 1}); }

    Array<V> result_;
    ReductionWorkspace workspace_;
};

inline bool is_positive(double x) { return x > 0 && std::isfinite(x); }

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

}  // namespace linden::detail
