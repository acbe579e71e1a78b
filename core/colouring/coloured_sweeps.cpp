#include "core/colouring/coloured_sweeps.hpp"

#include <linden/error.hpp>
#include <linden/matrix/dense.hpp>
#include <linden/matrix/operations.hpp>

#include <optional>

#include "core/colouring/coloured_matrix.hpp"
#include "core/colouring/relaxation.hpp"
#include "core/colouring/stored_triangle.hpp"
#include "core/factorization/factor_pattern.hpp"
#include "core/factorization/numeric_factorization.hpp"
#include "core/matrix/block_cache.hpp"
#include "core/matrix/pattern_arithmetic.hpp"
#include "core/matrix/visit_csr.hpp"

// instantiate: std::shared_ptr<detail::ColouredSweeps<V>> detail::make_coloured_sweeps(const LinOp<V>&, const MulticolourPlan&)

namespace linden::detail {
namespace {

/// result := values^2
template <class V>
void square(const Array<V>& values, Array<V>& result)
{
    const DenseView<const V> view{values.size(), 1, 1, values.data()};
    dense_scale_rows<V>(values.executor(), view, V{1}, view, V{}, {values.size(), 1, 1, result.data()});
}

template <class V, class I>
class ColouredSweepsOf final : public ColouredSweeps<V> {
public:
    ColouredSweepsOf(const Csr<V, I>& a, const MulticolourPlan& plan)
        : exec_(a.executor()),
          plan_(plan),
          ordered_(ordered(a)),
          diagonal_(exec_, a.size().rows),
          scale_(exec_, a.size().rows),
          report_(exec_, 1),
          between_(exec_)
    {
        make_triangles();
        fill();
    }

    void apply(const Dense<V>& b, Dense<V>& x) const override
    {
        typename BlockCache<V>::Lease lease(between_, b.size().rows * b.size().cols);
        auto w = lease.block(b.size());
        const I* const rows = order().order.data();
        sweep(b.view(), rows, w.view(), x.view(), rows);
    }

    void apply_reordered(const Dense<V>& b, Dense<V>& x) const override
    {
        sweep(b.view(), nullptr, x.view(), {}, nullptr);
    }

    void update(const LinOp<V>& matrix) override
    {
        ordered_.update(csr_of<V, I>(plan_.name, matrix, ordered_.source.size()));
        fill();
    }

    ReorderedSystem<V> reordered_matrix() const override { return ordered_.system(); }

    std::vector<size_type> colour_sizes() const override { return ordered_.colour_sizes(); }
    size_type num_nonzeros() const override { return lower_->num_nonzeros() + upper_->num_nonzeros(); }
    size_type storage_bytes() const override
    {
        return lower_->bytes() + upper_->bytes() + static_cast<size_type>(scale_.bytes());
    }
    size_type num_replaced_pivots() const override
    {
        return numeric_ == nullptr ? diagonal_.num_zeros.to_host().front() : report_.to_host().front().num_bad;
    }

private:
    const ColourOrder<I>& order() const { return ordered_.order; }
    bool is_cholesky() const { return plan_.factors == ColouredFactors::cholesky; }

    ColouredMatrix<V, I> ordered(const Csr<V, I>& a) const
    {
        if (plan_.power == 1) {
            return {a, a.view(), plan_.options.colouring};
        }
        const auto power = pattern_of_power<I>(exec_, a.view(), plan_.power);
        return {a, power.view(), plan_.options.colouring};
    }

    /// The pattern of the factors, in colour ordering.
    Pattern<I> factor_pattern() const
    {
        const PatternView<I> a = ordered_.matrix->view();
        if (plan_.power == 1) {
            return pattern_without_fill<I>(exec_, a, is_cholesky());
        }
        const auto power = pattern_of_power<I>(exec_, a, plan_.power);
        auto f = pattern_without_fill<I>(exec_, power.view(), is_cholesky());
        f.source = source_of<I>(exec_, f.view(), a);
        return f;
    }

    void make_factors()
    {
        auto f = factor_pattern();
        const auto nnz = f.source.size();
        factors_ = std::make_shared<Csr<V, I>>(exec_, ordered_.matrix->size(), std::move(f.row_ptrs),
                                               std::move(f.col_idxs), Array<V>(exec_, nnz));
        const auto lower = lower_levels(*factors_);
        numeric_ = std::make_unique<NumericFactorization<V, I>>(factors_, std::move(f.source),
                                                                NumericRule{is_cholesky(), plan_.shift}, lower);
    }

    void make_triangles()
    {
        PatternView<I> lower = ordered_.matrix->view();
        if (plan_.factors != ColouredFactors::ssor) {
            make_factors();
            lower = factors_->view();
        }
        PatternView<I> upper = lower;
        if (is_cholesky()) {
            adjoint_.emplace(updatable_conjugate_transpose(*factors_));
            upper = adjoint_->result.view();
        }
        const auto make = [&](PatternView<I> a, Side side, bool is_wanted) {
            return std::make_unique<StoredTriangle<V, I>>(exec_, a, side, is_wanted, order().parts(),
                                                          plan_.options.colouring.block_rows, plan_.options.storage);
        };
        lower_ = make(lower, Side::lower, plan_.direction != SweepDirection::backward);
        upper_ = make(upper, Side::upper, plan_.direction != SweepDirection::forward);
    }

    /// Computes L, U and S from the current values of the matrix.
    void fill()
    {
        if (numeric_ == nullptr) {
            fill_from(*ordered_.matrix);
            return;
        }
        numeric_->factorize(*ordered_.matrix, report_.data());
        if (is_cholesky()) {
            adjoint_->update(*factors_);
        }
        fill_from_factors();
    }

    /// With the strict triangles A_L, A_U and the diagonal D of A:
    ///     L = omega D^-1 A_L,  U = omega D^-1 A_U,  S = omega (2 - omega) D^-1, for one sweep omega D^-1.
    void fill_from(const Csr<V, I>& a)
    {
        diagonal_.update(a);
        const auto omega = static_cast<real_t<V>>(plan_.omega);
        scale(V{omega}, diagonal_.inverse, scale_);
        lower_->fill({a.view(), scale_.data(), nullptr});
        upper_->fill({a.view(), scale_.data(), nullptr});
        if (plan_.direction == SweepDirection::symmetric) {
            scale(V{omega * (2 - omega)}, diagonal_.inverse, scale_);
        }
    }

    /// With factors (I + F_L) (D + F_U):     L = D^-1 F_L D,             U = D^-1 F_U,    S = D^-1;
    /// with (D + F) (D + F)^H and D real:    L = D^-2 F D,               U = D^-1 F^H,    S = D^-2.
    void fill_from_factors()
    {
        diagonal_.update(*factors_);
        if (is_cholesky()) {
            square(diagonal_.inverse, scale_);
        } else {
            scale(V{1}, diagonal_.inverse, scale_);
        }
        lower_->fill({factors_->view(), scale_.data(), diagonal_.diagonal.data()});
        upper_->fill({(is_cholesky() ? adjoint_->result : *factors_).view(), diagonal_.inverse.data(), nullptr});
    }

    /// x(targets) := (I + U)^-1 (I + L)^-1 S b(sources), through w; without targets w is the result.
    void sweep(DenseView<const V> b, const I* sources, DenseView<V> w, DenseView<V> x, const I* targets) const
    {
        const size_type num_parts = lower_->num_parts();
        size_type turn = num_parts;  // rows of U are empty from there on
        while (turn > 0 && upper_->is_empty(turn - 1)) {
            --turn;
        }
        for (size_type part = 0; part < num_parts; ++part) {
            lower_->with_part(part, [&]<class S, class J>(const ColourView<S, J>& rows) {
                sweep_forward<V, S, J>(exec_, rows, scale_.data(), b, sources, w, x, part < turn ? nullptr : targets);
            });
        }
        for (size_type part = turn; part-- > 0;) {
            if (targets == nullptr && upper_->is_empty(part)) {
                continue;
            }
            upper_->with_part(part, [&]<class S, class J>(const ColourView<S, J>& rows) {
                sweep_backward<V, S, J>(exec_, rows, w, x, targets);
            });
        }
    }

    Executor exec_;
    MulticolourPlan plan_;
    ColouredMatrix<V, I> ordered_;
    std::shared_ptr<Csr<V, I>> factors_;
    std::unique_ptr<NumericFactorization<V, I>> numeric_;
    std::optional<Rearrangement<V, I>> adjoint_;  // of Cholesky factors
    std::unique_ptr<StoredTriangle<V, I>> lower_, upper_;
    InvertedDiagonal<V, I> diagonal_;  // of the matrix, or of the factors
    Array<V> scale_;
    Array<PivotReport> report_;
    mutable BlockCache<V> between_;
};

}  // namespace

template <class V>
std::shared_ptr<ColouredSweeps<V>> make_coloured_sweeps(const LinOp<V>& matrix, const MulticolourPlan& plan)
{
    std::shared_ptr<ColouredSweeps<V>> sweeps;
    visit_csr(plan.name, matrix, [&]<class I>(const Csr<V, I>& a) {
        check_relaxation(plan.omega);
        check_storage<V, I>(plan.options.storage);
        if (plan.power < 1) {
            throw InvalidParameter("p", std::to_string(plan.power - 1), "at least 0");
        }
        sweeps = std::make_shared<ColouredSweepsOf<V, I>>(a, plan);
    });
    return sweeps;
}

}  // namespace linden::detail
