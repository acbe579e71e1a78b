#include <linden/error.hpp>
#include <linden/matrix/dense.hpp>
#include <linden/preconditioner/ssor.hpp>

#include <optional>

#include "core/colouring/relaxation.hpp"
#include "core/config/parameter_names.hpp"
#include "core/kernels/array.hpp"
#include "core/kernels/csr_values.hpp"
#include "core/kernels/dense.hpp"
#include "core/matrix/block_cache.hpp"
#include "core/matrix/csr_operator.hpp"
#include "core/matrix/inverse_diagonal.hpp"
#include "core/matrix/row_blocks.hpp"
#include "core/triangular/triangular_solve.hpp"

// instantiate: class CsrOperator<Ssor, V>
// instantiate: class Ssor<V>

namespace linden {
namespace detail {

/// The triangles of omega D^-1 A, for any index type, and the solves with them.
template <class V>
class SsorTriangles {
public:
    SsorTriangles(const Executor& exec, size_type rows) : scaling(exec, rows), num_zeros(exec, 1), between(exec) {}
    virtual ~SsorTriangles() = default;

    virtual void update(const LinOp<V>& matrix) = 0;

    bool is_capturable() const
    {
        return (lower == nullptr || lower->is_capturable()) && (upper == nullptr || upper->is_capturable());
    }
    /// The first solve of an application.
    const TriangularSolve<V>& first() const { return lower == nullptr ? *upper : *lower; }

    Array<V> scaling;  ///< omega D^-1
    Array<size_type> num_zeros;
    std::unique_ptr<TriangularSolve<V>> lower, upper;  ///< null for the triangle that the direction leaves out
    mutable BlockCache<V> between;
};

}  // namespace detail

namespace {

template <class V, class I>
class SsorTrianglesOf final : public detail::SsorTriangles<V> {
public:
    SsorTrianglesOf(const Csr<V, I>& a, const typename Ssor<V>::Parameters& p)
        : detail::SsorTriangles<V>(a.executor(), a.size().rows),
          omega_(static_cast<real_t<V>>(p.omega)),
          num_nonzeros_(a.num_nonzeros()),
          inside_(detail::pattern_inside<I>(a.executor(), a.view(),
                                            detail::row_blocks(p.blocks, p.block_rows, a.size().rows))),
          values_(a.executor())
    {
        Array<V> values(a.executor());
        const auto f = scaled(a, values);
        if (p.direction != SweepDirection::backward) {
            this->lower = detail::make_triangular_solve<V, I>(f, {Side::lower, true}, p.triangular, nullptr);
        }
        if (p.direction != SweepDirection::forward) {
            this->upper = detail::make_triangular_solve<V, I>(f, {Side::upper, true}, p.triangular, nullptr);
        }
    }

    void update(const LinOp<V>& matrix) override
    {
        const auto f = scaled(csr_of<V, I>("Ssor", matrix, num_nonzeros_), values_);
        for (auto* const solve : {this->lower.get(), this->upper.get()}) {
            if (solve != nullptr) {
                solve->update(f);
            }
        }
    }

private:
    /// omega D^-1 A without entries that couple different blocks, in `values`, on a pattern that is `a`'s where rows
    /// are one block. Solves with it assume a unit diagonal.
    Csr<V, I> scaled(const Csr<V, I>& a, Array<V>& values)
    {
        const auto& exec = a.executor();
        V* const factors = this->scaling.data();
        detail::invert_diagonal(a, factors, this->num_zeros.data());
        dense_scale<V>(exec, omega_, {a.size().rows, 1, 1, factors});
        const PatternView<I> pattern = inside_ ? inside_->view() : a.view();
        values.resize(pattern.num_nonzeros);
        if (inside_) {
            array_gather<V, V, I>(exec, values.size(), inside_->source.data(), a.values(), values.data(),
                                  Conjugate::no);
        } else {
            copy_bytes(exec, a.values(), exec, values.data(), values.bytes());
        }
        csr_scale_rows<V, I>(exec, pattern, factors, values.data());
        return csr_view_unchecked<V, I>(exec, pattern.rows, pattern.cols, pattern.num_nonzeros, pattern.row_ptrs,
                                        pattern.col_idxs, values.data());
    }

    V omega_;
    size_type num_nonzeros_;                    ///< of the matrix
    std::optional<detail::Pattern<I>> inside_;  ///< none where all rows are one
    Array<V> values_;                           ///< of the scaled matrix, from the first new values on
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
    : CsrOperator<Ssor, V>(std::move(exec), detail::square("Ssor", matrix->size())),
      parameters_(parameters),
      matrix_(std::move(matrix))
{
    detail::check_relaxation(parameters_.omega);
    visit_csr("Ssor", *matrix_,
              [&]<class I>(const Csr<V, I>& a) { impl_ = std::make_unique<SsorTrianglesOf<V, I>>(a, parameters_); });
}

template <class V>
size_type Ssor<V>::num_zero_diagonals() const
{
    return impl_->num_zeros.to_host().front();
}

template <class V>
TriangularAlgorithm Ssor<V>::algorithm() const
{
    return impl_->first().algorithm();
}

template <class V>
size_type Ssor<V>::num_levels() const
{
    return impl_->first().num_levels();
}

/// With S = omega (2 - omega) D^-1, or omega D^-1 for one triangle alone. Vector words with one right-hand side: 3 n
/// for S b, and those of the solves.
template <class V>
void Ssor<V>::apply_impl(const Dense<V>& b, Dense<V>& x) const
{
    const auto& t = *impl_;
    const auto scale = [&](V factor, Dense<V>& y) {  // y := factor omega D^-1 b
        dense_scale_rows<V>(this->executor(), {t.scaling.size(), 1, 1, t.scaling.data()}, factor, b.view(), V{},
                            y.view());
    };
    typename detail::BlockCache<V>::Lease lease(t.between, b.size().rows * b.size().cols);
    auto y = lease.block(b.size());
    if (t.lower == nullptr || t.upper == nullptr) {
        scale(V{1}, y);         // y := S b
        t.first().solve(y, x);  // x := (I + T')^-1 y
        return;
    }
    scale(V{2} - static_cast<real_t<V>>(parameters_.omega), x);  // x := S b
    t.lower->solve(x, y);                                        // y := (I + L')^-1 x
    t.upper->solve(y, x);                                        // x := (I + U')^-1 y
}

}  // namespace linden
