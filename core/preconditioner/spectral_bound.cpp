#include "core/preconditioner/spectral_bound.hpp"

#include <linden/matrix/dense.hpp>
#include <linden/matrix/operations.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/base/math.hpp"
#include "core/kernels/csr_values.hpp"
#include "core/kernels/dense.hpp"
#include "core/matrix/visit_csr.hpp"

// instantiate: double detail::largest_ritz_value(const LinOp<V>&, const Array<V>&, size_type)
// instantiate: double detail::largest_row_sum(const LinOp<V>&, const Array<V>&)

namespace linden::detail {
namespace {

/// A real symmetric tridiagonal matrix.
struct Tridiagonal {
    std::vector<double> diagonal;
    std::vector<double> beside;  ///< beside[i] couples i and i + 1

    std::size_t size() const { return diagonal.size(); }
    double beside_of(std::size_t i) const { return i < beside.size() ? std::abs(beside[i]) : 0; }

    /// Whether all eigenvalues are less than x: all pivots of T - x I are negative. [GolubVanLoan13, 8.4.1]
    bool is_below(double x) const
    {
        double pivot = diagonal[0] - x;
        for (std::size_t i = 1; i < size() && pivot < 0; ++i) {
            pivot = diagonal[i] - x - beside[i - 1] * beside[i - 1] / pivot;
        }
        return pivot < 0;
    }
    /// By bisection between Gershgorin's bound and the largest entry of the diagonal; 0 of nothing.
    double largest_eigenvalue() const
    {
        double low = 0, high = 0;
        for (std::size_t i = 0; i < size(); ++i) {
            low = std::max(low, diagonal[i]);
            high = std::max(high, diagonal[i] + beside_of(i) + (i > 0 ? beside_of(i - 1) : 0));
        }
        for (int i = 0; i < 60 && low < high; ++i) {
            const double middle = low + (high - low) / 2;
            (is_below(middle) ? high : low) = middle;
        }
        return high;
    }
};

/// Values in [-1, 1) that are the same everywhere. [SteeleEtAl14]
template <class V>
Dense<V> fixed_start(const Executor& exec, size_type rows)
{
    std::vector<V> values(static_cast<std::size_t>(rows));
    std::uint64_t state = 0;
    for (auto& value : values) {
        std::uint64_t z = state += 0x9E3779B97F4A7C15u;
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
        value = V{static_cast<real_t<V>>(static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-52 - 1)};
    }
    return Dense<V>::vector(exec, values);
}

template <class V>
double inner_product(const Dense<V>& a, const Dense<V>& b)
{
    return static_cast<double>(real_part(a.dot(b).front()));
}

bool is_positive(double x) { return x > 0 && std::isfinite(x); }

}  // namespace

template <class V>
double largest_ritz_value(const LinOp<V>& a, const Array<V>& inverse, size_type num_steps)
{
    const auto& exec = a.executor();
    const auto n = a.size().rows;
    if (n == 0) {
        return 0;
    }
    auto r = fixed_start<V>(exec, n);
    Dense<V> z(exec, {n, 1}), q(exec, {n, 1});
    const auto precondition = [&] {  // z := D^-1 r
        if (inverse.size() == 0) {
            z.copy_from(r);
        } else {
            dense_scale_rows<V>(exec, {n, 1, 1, inverse.data()}, V{1}, std::as_const(r).view(), V{}, z.view());
        }
    };
    precondition();
    auto p = z.copy();
    double rho = inner_product(r, z);
    const double smallest = rho * std::numeric_limits<real_t<V>>::epsilon() * std::numeric_limits<real_t<V>>::epsilon();
    Tridiagonal t;
    double alpha = 0, beta = 0;
    for (size_type step = 0; step < num_steps && is_positive(rho); ++step) {
        a.apply(p, q);  // q := A p
        const double last_alpha = alpha;
        alpha = rho / inner_product(p, q);
        if (!is_positive(alpha)) {
            break;
        }
        if (step > 0) {
            t.beside.push_back(std::sqrt(beta) / last_alpha);
        }
        t.diagonal.push_back(1 / alpha + (step > 0 ? beta / last_alpha : 0));
        r.add_scaled(V{static_cast<real_t<V>>(-alpha)}, q);  // r := r - alpha q
        precondition();
        const double last_rho = rho;
        rho = inner_product(r, z);
        if (!(rho > smallest)) {
            break;
        }
        beta = rho / last_rho;
        dense_combine<V>(exec, V{1}, std::as_const(z).view(), V{static_cast<real_t<V>>(beta)},
                         p.view());  // p := z + beta p
    }
    return t.largest_eigenvalue();
}

template <class V>
double largest_row_sum(const LinOp<V>& a, const Array<V>& inverse)
{
    double result = 0;
    visit_csr("Chebyshev", a, [&]<class I>(const Csr<V, I>& csr) {
        const auto& exec = csr.executor();
        const auto n = csr.size().rows;
        if (n == 0) {
            return;
        }
        auto magnitudes = absolute(csr);
        if (inverse.size() > 0) {
            Array<V> factors(exec, n);
            array_absolute<V>(exec, n, inverse.data(), factors.data());
            csr_scale_rows<V, I>(exec, magnitudes.view(), factors.data(), magnitudes.values());
        }
        Dense<V> sums(exec, {n, 1});
        magnitudes.apply(Dense<V>::filled(exec, {n, 1}, V{1}), sums);
        result = static_cast<double>(sums.norm_inf().front());
    });
    return result;
}

}  // namespace linden::detail
