#include "core/preconditioner/coloured_sweeps.hpp"

#include <linden/error.hpp>
#include <linden/matrix/dense.hpp>
#include <linden/matrix/operations.hpp>
#include <linden/matrix/permutation.hpp>

#include <optional>

#include "core/factorization/factor_pattern.hpp"
#include "core/factorization/numeric_factorization.hpp"
#include "core/kernels/csr.hpp"
#include "core/kernels/dense.hpp"
#include "core/kernels/triangular.hpp"
#include "core/matrix/parts.hpp"
#include "core/matrix/pattern_operations.hpp"
#include "core/matrix/visit_csr.hpp"
#include "core/preconditioner/stored_triangle.hpp"
#include "core/reorder/colouring.hpp"

// instantiate: std::shared_ptr<detail::ColouredSweeps<V>> detail::make_coloured_sweeps(const LinOp<V>&, const MulticolourPlan&)

namespace linden::detail {
namespace {

/// The ordering by colours of a matrix, and the matrix in it.
template <class V, class I>
struct OrderedMatrix {
    OrderedMatrix(const Csr<V, I>& a, PatternView<I> coloured, const ColouringOptions& options)
        : order(a.executor(), colour_pattern(a.executor(), coloured, options)),
          source(a.executor())
    {
        const auto& exec = a.executor();
        auto pattern = permuted_pattern<I>(exec, a.view(), order.order.data(), order.position.data());
        source = std::move(pattern.source);
        matrix = std::make_shared<Csr<V, I>>(exec, a.size(), std::move(pattern.row_ptrs), std::move(pattern.col_idxs),
                                             Array<V>(exec, source.size()));
        update(a);
    }
    void update(const Csr<V, I>& a)
    {
        array_gather<V, I>(a.executor(), source.size(), source.data(), a.values(), matrix->values(), Conjugate::no);
    }

    ColourOrder<I> order;
    Array<I> source;
    std::shared_ptr<Csr<V, I>> matrix;
};

/// The diagonal of a matrix, and its inverse with 1 in place of 1 / 0.
template <class V, class I>
struct InvertedDiagonal {
    InvertedDiagonal(const Csr<V, I>& a, size_type* num_zeros)
        : diagonal(a.executor(), a.size().rows),
          inverse(a.executor(), a.size().rows)
    {
        const auto& exec = a.executor();
        const auto n = a.size().rows;
        Array<I> entries(exec, n);
        pattern_find_diagonal<I>(exec, a.view(), entries.data());
        triangular_invert_diagonal<V, I>(exec, n, nullptr, entries.data(), a.values(), false, inverse.data(),
                                         num_zeros);
        csr_extract_diagonal<V, I>(exec, a.view(), {n, 1, 1, diagonal.data()});
    }

    Array<V> diagonal, inverse;
};

template <class V>
Array<V> scaled(V alpha, const Array<V>& values)
{
    auto result = values.clone();
    dense_scale<V>(values.executor(), alpha, {values.size(), 1, 1, result.data()});
    return result;
}

template <class V>
Array<V> squared(const Array<V>& values)
{
    Array<V> result(values.executor(), values.size());
    const DenseView<const V> view{values.size(), 1, 1, values.data()};
    dense_scale_rows<V>(values.executor(), view, V{1}, view, V{}, {values.size(), 1, 1, result.data()});
    return result;
}

template <class V, class I>
class SweepsOf final : public ColouredSweeps<V> {
public:
    SweepsOf(const Csr<V, I>& a, const MulticolourPlan& plan)
        : exec_(a.executor()),
          plan_(plan),
          ordered_(ordered(a)),
          scale_(exec_),
          num_zeros_(exec_, 1),
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

    ReorderedSystem<V> reordered_matrix() const override
    {
        const auto to = std::make_shared<Permutation<V, I>>(exec_, order().order.clone());
        return {to, std::make_shared<Permutation<V, I>>(to->inverse()), ordered_.matrix, nullptr};
    }

    std::vector<size_type> colour_sizes() const override
    {
        std::vector<size_type> sizes;
        const auto& ptrs = order().colour_ptrs;
        for (std::size_t c = 0; c + 1 < ptrs.size(); ++c) {
            sizes.push_back(ptrs[c + 1] - ptrs[c]);
        }
        return sizes;
    }
    size_type num_nonzeros() const override { return lower_->num_nonzeros() + upper_->num_nonzeros(); }
    size_type storage_bytes() const override
    {
        return lower_->bytes() + upper_->bytes() + static_cast<size_type>(scale_.bytes());
    }
    size_type num_replaced_pivots() const override
    {
        return numeric_ == nullptr ? num_zeros_.to_host().front() : report_.to_host().front().num_bad;
    }

private:
    const ColourOrder<I>& order() const { return ordered_.order; }
    bool is_cholesky() const { return plan_.factors == ColouredFactors::cholesky; }

    OrderedMatrix<V, I> ordered(const Csr<V, I>& a) const
    {
        if (plan_.power == 1) {
            return {a, a.view(), plan_.options.colouring};
        }
        const auto power = pattern_of_power<I>(exec_, a.view(), plan_.power);
        return {a, view_of(power), plan_.options.colouring};
    }

    /// The factors' pattern, in the ordering by colours.
    NewPattern<I> factor_pattern() const
    {
        const PatternView<I> a = ordered_.matrix->view();
        if (plan_.power == 1) {
            return pattern_without_fill<I>(exec_, a, is_cholesky());
        }
        const auto power = pattern_of_power<I>(exec_, a, plan_.power);
        auto f = pattern_without_fill<I>(exec_, view_of(power), is_cholesky());
        f.source = source_of<I>(exec_, view_of(f), a);
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
            return std::make_unique<StoredTriangle<V, I>>(exec_, a, side, is_wanted, order().colour_ptrs,
                                                          plan_.options.colouring.block_rows, plan_.options.storage);
        };
        lower_ = make(lower, Side::lower, plan_.direction != SweepDirection::backward);
        upper_ = make(upper, Side::upper, plan_.direction != SweepDirection::forward);
    }

    /// L, U and S for the values that the matrix has.
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
        const InvertedDiagonal<V, I> d(a, num_zeros_.data());
        const auto omega = static_cast<real_t<V>>(plan_.omega);
        const auto factors = scaled(V{omega}, d.inverse);
        lower_->fill({a.view(), factors.data(), nullptr});
        upper_->fill({a.view(), factors.data(), nullptr});
        const bool both = plan_.direction == SweepDirection::symmetric;
        scale_ = scaled(V{both ? omega * (2 - omega) : omega}, d.inverse);
    }

    /// With factors (I + F_L) (D + F_U):     L = D^-1 F_L D,             U = D^-1 F_U,    S = D^-1;
    /// with (D + F) (D + F)^H and D real:    L = D^-2 F D,               U = D^-1 F^H,    S = D^-2.
    void fill_from_factors()
    {
        const InvertedDiagonal<V, I> d(*factors_, num_zeros_.data());
        scale_ = is_cholesky() ? squared(d.inverse) : d.inverse.clone();
        lower_->fill({factors_->view(), scale_.data(), d.diagonal.data()});
        upper_->fill({(is_cholesky() ? adjoint_->result : *factors_).view(), d.inverse.data(), nullptr});
    }

    /// x(targets) := (I + U)^-1 (I + L)^-1 S b(sources), through w; without targets w is the result.
    void sweep(DenseView<const V> b, const I* sources, DenseView<V> w, DenseView<V> x, const I* targets) const
    {
        const auto num_colours = static_cast<size_type>(order().colour_ptrs.size()) - 1;
        const size_type last = num_colours - 1;
        const bool turns_at_last = num_colours > 0 && upper_->is_empty(last);  // which then is found at once
        for (size_type c = 0; c < num_colours; ++c) {
            const bool is_found = c == last && turns_at_last;
            lower_->with_colour(c, [&]<class S, class J>(const ColourView<S, J>& rows) {
                sweep_forward<V, S, J>(exec_, rows, scale_.data(), b, sources, w, x, is_found ? targets : nullptr);
            });
        }
        for (size_type c = turns_at_last ? last - 1 : last; c >= 0; --c) {
            if (targets == nullptr && upper_->is_empty(c)) {
                continue;
            }
            upper_->with_colour(c, [&]<class S, class J>(const ColourView<S, J>& rows) {
                sweep_backward<V, S, J>(exec_, rows, w, x, targets);
            });
        }
    }

    Executor exec_;
    MulticolourPlan plan_;
    OrderedMatrix<V, I> ordered_;
    std::shared_ptr<Csr<V, I>> factors_;
    std::unique_ptr<NumericFactorization<V, I>> numeric_;
    std::optional<Rearrangement<V, I>> adjoint_;  // of Cholesky factors
    std::unique_ptr<StoredTriangle<V, I>> lower_, upper_;
    Array<V> scale_;
    Array<size_type> num_zeros_;
    Array<PivotReport> report_;
    mutable BlockCache<V> between_;
};

void check(const MulticolourPlan& plan, bool is_complex_valued, bool is_wide)
{
    if (!(plan.omega > 0 && plan.omega < 2)) {
        throw InvalidParameter("omega", std::to_string(plan.omega), "0 < omega < 2");
    }
    if (plan.power < 1) {
        throw InvalidParameter("p", std::to_string(plan.power - 1), "at least 0");
    }
    if (plan.options.storage == StoragePrecision::half && is_complex_valued) {
        throw InvalidParameter("storage", "half", "same or single for complex values");
    }
    if (plan.options.storage != StoragePrecision::same && is_wide) {
        throw InvalidParameter("storage", "lower precision", "same with 64-bit indices");
    }
}

}  // namespace

template <class V>
std::shared_ptr<ColouredSweeps<V>> make_coloured_sweeps(const LinOp<V>& matrix, const MulticolourPlan& plan)
{
    std::shared_ptr<ColouredSweeps<V>> sweeps;
    visit_csr(plan.name, matrix, [&]<class I>(const Csr<V, I>& a) {
        check(plan, is_complex<V>, sizeof(I) > 4);
        sweeps = std::make_shared<SweepsOf<V, I>>(a, plan);
    });
    return sweeps;
}

}  // namespace linden::detail
