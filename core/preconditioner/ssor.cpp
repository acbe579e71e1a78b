#include <linden/error.hpp>
#include <linden/matrix/dense.hpp>
#include <linden/preconditioner/ssor.hpp>

#include <optional>

#include "core/colouring/relaxation.hpp"
#include "core/config/parameter_names.hpp"
#include "core/kernels/csr_values.hpp"
#include "core/kernels/dense.hpp"
#include "core/matrix/block_cache.hpp"
#include "core/matrix/inverse_diagonal.hpp"
#include "core/matrix/new_values.hpp"
#include "core/matrix/row_blocks.hpp"
#include "core/matrix/square.hpp"
#include "core/matrix/visit_csr.hpp"
#include "core/triangular/triangular_solve.hpp"

// instantiate: class Ssor<V>

namespace linden {
namespace detail {

/// The triangles of omega D^-1 A, for any index type, and the solves with them.
template <class V>
class SsorTriangles {
public:
    virtual ~SsorTriangles() = default;

    /// x := M^-1 b
    virtual void apply(const Dense<V>& b, Dense<V>& x) const = 0;
    virtual void update(const LinOp<V>& matrix) = 0;
    /// Whether `apply` only launches kernels.
    virtual bool is_capturable() const = 0;
    virtual size_type num_zero_diagonals() const = 0;
    /// The first solve of an application.
    virtual const TriangularSolve<V>& first() const = 0;
};

}  // namespace detail

namespace {

/// Vector words of an application with one right-hand side: 3 n for S b, and those of the two solves.
template <class V, class I>
class SsorTrianglesOf final : public detail::SsorTriangles<V> {
public:
    SsorTrianglesOf(const Csr<V, I>& a, const typename Ssor<V>::Parameters& p)
        : exec_(a.executor()),
          omega_(static_cast<real_t<V>>(p.omega)),
          num_nonzeros_(a.num_nonzeros()),
          scaling_(exec_, a.size().rows),
          num_zeros_(exec_, 1),
          inside_(
              detail::pattern_inside<I>(exec_, a.view(), detail::row_blocks(p.blocks, p.block_rows, a.size().rows))),
          between_(exec_)
    {
        const auto f = scaled(a);
        if (p.direction != SweepDirection::backward) {
            lower_ = detail::make_triangular_solve<V, I>(f, {Side::lower, true}, p.triangular, nullptr);
        }
        if (p.direction != SweepDirection::forward) {
            upper_ = detail::make_triangular_solve<V, I>(f, {Side::upper, true}, p.triangular, nullptr);
        }
    }

    /// With S = omega (2 - omega) D^-1, or omega D^-1 for one triangle alone.
    void apply(const Dense<V>& b, Dense<V>& x) const override
    {
        typename detail::BlockCache<V>::Lease lease(between_, b.size().rows * b.size().cols);
        auto y = lease.block(b.size());
        if (lower_ == nullptr || upper_ == nullptr) {
            scale(V{1}, b, y);                                   // y := S b
            (lower_ == nullptr ? upper_ : lower_)->solve(y, x);  // x := (I + T')^-1 y
            return;
        }
        scale(V{2} - omega_, b, x);  // x := S b
        lower_->solve(x, y);         // y := (I + L')^-1 x
        upper_->solve(y, x);         // x := (I + U')^-1 y
    }

    void update(const LinOp<V>& matrix) override
    {
        const auto f = scaled(csr_of<V, I>("Ssor", matrix, num_nonzeros_));
        for (auto* const solve : {lower_.get(), upper_.get()}) {
            if (solve != nullptr) {
                solve->update(f);
            }
        }
    }

    bool is_capturable() const override
    {
        return (lower_ == nullptr || lower_->is_capturable()) && (upper_ == nullptr || upper_->is_capturable());
    }
    size_type num_zero_diagonals() const override { return num_zeros_.to_host().front(); }
    const detail::TriangularSolve<V>& first() const override { return lower_ == nullptr ? *upper_ : *lower_; }

private:
    /// omega D^-1 A without entries that couple different blocks. Solves with it assume a unit diagonal.
    Csr<V, I> scaled(const Csr<V, I>& a)
    {
        detail::invert_diagonal(a, scaling_.data(), num_zeros_.data());
        dense_scale<V>(exec_, omega_, {scaling_.size(), 1, 1, scaling_.data()});
        auto f = inside_ ? detail::restricted_to(*inside_, a) : a.copy();
        csr_scale_rows<V, I>(exec_, f.view(), scaling_.data(), f.values());
        return f;
    }

    /// y := factor omega D^-1 b
    void scale(V factor, const Dense<V>& b, Dense<V>& y) const
    {
        dense_scale_rows<V>(exec_, {scaling_.size(), 1, 1, scaling_.data()}, factor, b.view(), V{}, y.view());
    }

    Executor exec_;
    V omega_;
    size_type num_nonzeros_;  ///< of the matrix
    Array<V> scaling_;        ///< omega D^-1
    Array<size_type> num_zeros_;
    std::optional<detail::Pattern<I>> inside_;  ///< none where all rows are one
    std::unique_ptr<detail::TriangularSolve<V>> lower_, upper_;
    mutable detail::BlockCache<V> between_;
};

}  // namespace

template <class V>
void Ssor<V>::Parameters::describe(ParameterVisitor& v)
{
    v("omega", omega, "relaxation factor, 0 < omega < 2; 1: Gauss-Seidel");
    detail::describe_row_blocks(v, blocks, block_rows);
    v.choice("direction", direction, config::direction_names,
             "sweeps per application; symmetric: forward, then backward");
    triangular.describe(v);
}

template <class V>
Ssor<V>::Ssor(Executor exec, Parameters parameters, LinOpPtr<V> matrix)
    : LinOp<V>(std::move(exec), detail::square("Ssor", matrix->size())),
      parameters_(parameters),
      matrix_(std::move(matrix))
{
    detail::check_relaxation(parameters_.omega);
    visit_csr("Ssor", *matrix_, [&]<class I>(const Csr<V, I>& a) {
        triangles_ = std::make_unique<SsorTrianglesOf<V, I>>(a, parameters_);
    });
}

template <class V>
Ssor<V>::~Ssor() = default;
template <class V>
Ssor<V>::Ssor(Ssor&&) noexcept = default;
template <class V>
Ssor<V>& Ssor<V>::operator=(Ssor&&) noexcept = default;

template <class V>
std::unique_ptr<LinOp<V>> Ssor<V>::clone(const Executor& exec) const
{
    return std::make_unique<Ssor>(exec, parameters_, matrix_->clone(exec));
}

template <class V>
void Ssor<V>::update_values(LinOpPtr<V> matrix)
{
    matrix = new_values_here(*this, std::move(matrix));
    triangles_->update(*matrix);
    matrix_ = std::move(matrix);
}

template <class V>
bool Ssor<V>::is_capturable() const
{
    return triangles_->is_capturable();
}

template <class V>
size_type Ssor<V>::num_zero_diagonals() const
{
    return triangles_->num_zero_diagonals();
}

template <class V>
TriangularAlgorithm Ssor<V>::algorithm() const
{
    return triangles_->first().algorithm();
}

template <class V>
size_type Ssor<V>::num_levels() const
{
    return triangles_->first().num_levels();
}

template <class V>
void Ssor<V>::apply_impl(const Dense<V>& b, Dense<V>& x) const
{
    triangles_->apply(b, x);
}

}  // namespace linden
