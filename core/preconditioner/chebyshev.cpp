#include <linden/distributed/communicator.hpp>
#include <linden/error.hpp>
#include <linden/matrix/dense.hpp>
#include <linden/preconditioner/chebyshev.hpp>

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/base/check_parameter.hpp"
#include "core/kernels/chebyshev.hpp"
#include "core/kernels/dense.hpp"
#include "core/matrix/block_cache.hpp"
#include "core/matrix/inverse_diagonal.hpp"
#include "core/matrix/new_values.hpp"
#include "core/matrix/own_block.hpp"
#include "core/matrix/square.hpp"
#include "core/spectrum/lanczos.hpp"
#include "core/spectrum/row_sums.hpp"
#include "core/spectrum/spectral_bound.hpp"

// instantiate: class Chebyshev<V>

/// Vector words moved per application with one right-hand side (n rows; the entries of A apart):
///
///                                                   reads          writes   words   times
///     x := D^-1 b / theta                           b d            x        3       1
///     q := A x                                      x              q        2       degree
///     y := c0 x + c2 D^-1 (b - q)                   x b q d        y        5       1
///     y := c0 x + c1 y + c2 D^-1 (b - q)            x y b q d      y        6       degree - 1    total (8 degree + 2)
///     n
///
/// for degree >= 1, x and y in turns; without scaling (7 degree + 1) n. Per degree 2 nnz(A) + 6 n operations.
namespace linden {
namespace {

constexpr std::string_view bound_names[] = {"lanczos", "gershgorin"};
constexpr std::string_view kind_names[] = {"first", "fourth"};

template <class V>
V number(double x)
{
    return V{static_cast<real_t<V>>(x)};
}

template <class Parameters>
void check(const Parameters& p)
{
    constexpr size_type most = 10'000;  // coefficients are computed one by one, and so are as many products
    check_parameter(p.degree >= 0 && p.degree <= most, "degree", static_cast<double>(p.degree), "0 to 10000");
    check_parameter(p.upper >= 0 && std::isfinite(p.upper), "upper", p.upper,
                    "a number greater than 0, or 0 to estimate it");
    check_parameter(p.lower == 0 || (p.lower > 0 && p.lower < p.upper), "lower", p.lower,
                    "0, or between 0 and a given upper");
    check_parameter(p.ratio > 1 && std::isfinite(p.ratio), "ratio", p.ratio, "a number greater than 1");
    check_parameter(p.steps >= 1, "steps", static_cast<double>(p.steps), "at least 1");
    check_parameter(p.safety >= 1 && std::isfinite(p.safety), "safety", p.safety, "a number of at least 1");
}

}  // namespace

template <class V>
struct Chebyshev<V>::Blocks {
    detail::BlockCache<V> cache;                     ///< for q and y
    std::optional<detail::LanczosMemory<V>> bounds;  ///< for estimates, from the first new values on
    std::optional<detail::RowSumMemory<V>> sums;     ///< the same with row sums
};

template <class V>
void Chebyshev<V>::Parameters::describe(ParameterVisitor& v)
{
    v("degree", degree, "degree of the polynomial = products with the matrix per application, at most 10000");
    v("scaling", scaling, "scale the matrix by its diagonal");
    v("upper", upper, "upper end of the interval of eigenvalues; 0: estimated");
    v("lower", lower, "lower end of the interval, only with upper; 0: upper / ratio");
    v("ratio", ratio, "upper / lower where lower is 0");
    v.choice("bound", bound, bound_names, "estimate of the largest eigenvalue");
    v("steps", steps, "bound=lanczos: number of Lanczos steps");
    v("safety", safety, "bound=lanczos: factor on the estimate, at least 1");
    v.choice("kind", kind, kind_names, "of the polynomial; fourth: a smoother, without a lower end");
}

template <class V>
Chebyshev<V>::Chebyshev(Executor exec, Parameters parameters, LinOpPtr<V> matrix)
    : Chebyshev(exec, parameters, std::move(matrix), 0, 0)
{
    find_bounds();
    blocks_->bounds.reset();
    blocks_->sums.reset();
    set_coefficients();
}

template <class V>
Chebyshev<V>::Chebyshev(const Executor& exec, const Parameters& parameters, LinOpPtr<V> matrix, double lower,
                        double upper)
    : LinOp<V>(exec, detail::square("Chebyshev", matrix->size())),
      parameters_(parameters),
      matrix_(std::move(matrix)),
      inverse_(exec, parameters.scaling ? this->size().rows : 0),
      num_zeros_(exec, std::vector<size_type>{0}),
      coefficients_(exec, 0),
      lower_(lower),
      upper_(upper),
      blocks_(new Blocks{detail::BlockCache<V>(exec), {}, {}})
{
    check(parameters_);
    coefficients_.resize(1 + 3 * parameters_.degree);
    invert_diagonal();
}

template <class V>
Chebyshev<V>::~Chebyshev() = default;
template <class V>
Chebyshev<V>::Chebyshev(Chebyshev&&) noexcept = default;
template <class V>
Chebyshev<V>& Chebyshev<V>::operator=(Chebyshev&&) noexcept = default;

template <class V>
void Chebyshev<V>::invert_diagonal()
{
    if (!parameters_.scaling) {
        return;
    }
    visit_own_block("Chebyshev", *matrix_,
                    [&](const auto& csr) { detail::invert_diagonal(csr, inverse_.data(), num_zeros_.data()); });
}

template <class V>
void Chebyshev<V>::find_bounds()
{
    const auto& p = parameters_;
    upper_ = p.upper;
    if (upper_ == 0) {
        if (p.bound == SpectralBound::gershgorin) {
            auto& memory = blocks_->sums ? *blocks_->sums : blocks_->sums.emplace(*matrix_);
            upper_ = detail::largest_row_sum<V>(*matrix_, inverse_, memory);
        } else {
            auto& memory = blocks_->bounds ? *blocks_->bounds : blocks_->bounds.emplace(*matrix_, p.steps);
            upper_ = p.safety * detail::largest_ritz_value<V>(*matrix_, inverse_, p.steps, memory);
        }
    }
    if (!(upper_ > 0) || !std::isfinite(upper_)) {
        upper_ = 1;  // the matrix has no eigenvalues, or is not positive definite
    }
    lower_ = p.lower > 0 ? p.lower : upper_ / p.ratio;
}

/// With the interval's centre theta and half length delta, and sigma = theta / delta: rho_0 = 1 / sigma,
///     rho_k+1 = 1 / (2 sigma - rho_k),
///     x_k+1 = x_k + rho_k+1 rho_k (x_k - x_k-1) + 2 rho_k+1 / delta D^-1 (b - A x_k)
/// from x_0 = D^-1 b / theta and x_-1 = 0. [Saad03, algorithm 12.1]
template <class V>
std::vector<V> Chebyshev<V>::first_kind() const
{
    const double theta = (upper_ + lower_) / 2, delta = (upper_ - lower_) / 2, sigma = theta / delta;
    std::vector<V> coefficients{number<V>(1 / theta)};
    double rho = 1 / sigma;
    for (size_type step = 0; step < parameters_.degree; ++step) {
        const double next = 1 / (2 * sigma - rho);
        coefficients.push_back(number<V>(1 + next * rho));
        coefficients.push_back(step == 0 ? V{} : number<V>(-next * rho));
        coefficients.push_back(number<V>(2 * next / delta));
        rho = next;
    }
    return coefficients;
}

/// x_0 = 4 / (3 upper) D^-1 b,  x_k+1 = x_k + z_k,
///     z_k = (2 k - 1) / (2 k + 3) (x_k - x_k-1) + (8 k + 4) / ((2 k + 3) upper) D^-1 (b - A x_k),  k = 1, 2, ...
/// from x_-1 = 0. [Lottes23, algorithm 3.1]
template <class V>
std::vector<V> Chebyshev<V>::fourth_kind() const
{
    std::vector<V> coefficients{number<V>(4 / (3 * upper_))};
    for (size_type step = 1; step <= parameters_.degree; ++step) {
        const auto k = static_cast<double>(step);
        const double kept = (2 * k - 1) / (2 * k + 3);
        coefficients.push_back(number<V>(1 + kept));
        coefficients.push_back(step == 1 ? V{} : number<V>(-kept));
        coefficients.push_back(number<V>((8 * k + 4) / ((2 * k + 3) * upper_)));
    }
    return coefficients;
}

template <class V>
void Chebyshev<V>::set_coefficients()
{
    const auto coefficients = parameters_.kind == ChebyshevKind::first ? first_kind() : fourth_kind();
    coefficients_.copy_from_host(coefficients.data());
}

template <class V>
Communicator Chebyshev<V>::communicator() const
{
    return matrix_->communicator();
}

template <class V>
bool Chebyshev<V>::is_capturable() const
{
    return matrix_->is_capturable();
}

template <class V>
std::unique_ptr<LinOp<V>> Chebyshev<V>::clone(const Executor& exec) const
{
    std::unique_ptr<Chebyshev> copy(new Chebyshev(exec, parameters_, matrix_->clone(exec), lower_, upper_));
    copy->set_coefficients();
    return copy;
}

template <class V>
void Chebyshev<V>::update_values(LinOpPtr<V> matrix)
{
    matrix = new_values_here(*this, std::move(matrix));
    const bool takes_row_sums = parameters_.upper == 0 && parameters_.bound == SpectralBound::gershgorin;
    if (parameters_.scaling || takes_row_sums) {
        visit_own_block("Chebyshev::update_values", *matrix, [](const auto&) {});  // before anything has changed
    }
    matrix_ = std::move(matrix);
    invert_diagonal();
    if (parameters_.upper == 0) {
        find_bounds();
        set_coefficients();
    }
}

template <class V>
DenseView<const V> Chebyshev<V>::inverse_diagonal() const
{
    return parameters_.scaling ? DenseView<const V>{inverse_.size(), 1, 1, inverse_.data()} : DenseView<const V>{};
}

template <class V>
void Chebyshev<V>::apply_impl(const Dense<V>& b, Dense<V>& x) const
{
    const auto& exec = this->executor();
    const auto degree = parameters_.degree;
    // At least one value, so that a rank without rows allocates when others do: they record loops alike.
    const size_type count = degree > 0 ? std::max<size_type>(b.size().rows * b.size().cols, 1) : 0;
    typename detail::BlockCache<V>::Lease q_lease(blocks_->cache, count), y_lease(blocks_->cache, count);
    auto q = q_lease.block(b.size());
    auto y = y_lease.block(b.size());
    Dense<V>* from = degree % 2 == 0 ? &x : &y;
    Dense<V>* to = degree % 2 == 0 ? &y : &x;

    Scalar<V> first;
    first.data = coefficients_.data();
    if (parameters_.scaling) {  // x := D^-1 b / theta
        dense_scale_rows<V>(exec, inverse_diagonal(), first, b.view(), V{}, from->view());
    } else {
        dense_axpby<V>(exec, first, b.view(), V{}, from->view());
    }
    for (size_type step = 0; step < degree; ++step) {
        matrix_->apply(*from, q);  // q := A x
        // y := c0 x + c1 y + c2 D^-1 (b - q)
        chebyshev_step<V>(exec, coefficients_.data() + 1 + 3 * step, inverse_diagonal(), b.view(),
                          std::as_const(q).view(), std::as_const(*from).view(), to->view());
        std::swap(from, to);
    }
}

}  // namespace linden
