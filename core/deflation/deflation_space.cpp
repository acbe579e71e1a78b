#include "core/deflation/deflation_space.hpp"
#include "core/kernels/array.hpp"

#include <linden/error.hpp>
#include <linden/matrix/operations.hpp>
#include <linden/matrix/permutation.hpp>

#include <algorithm>
#include <optional>
#include <utility>

#include "core/base/math.hpp"
#include "core/deflation/domains.hpp"
#include "core/deflation/galerkin.hpp"
#include "core/kernels/dense.hpp"
#include "core/kernels/pattern_maps.hpp"
#include "core/kernels/permutation.hpp"
#include "core/matrix/visit_csr.hpp"

// instantiate: class detail::DeflationSpace<V>
// instantiate: std::unique_ptr<detail::DeflationSpace<V>> detail::make_deflation_space<V>(const Deflation<V>&, const LinOp<V>&, const LinOp<V>*, detail::Symmetry)

namespace linden {
namespace detail {

template <class V>
DeflationBlocks<V> DeflationSpace<V>::blocks_in(const Executor& exec, V* memory, size_type cols) const
{
    const auto k = num_vectors();
    const auto block = [&](size_type rows) {
        auto result = Dense<V>::adopt(exec, {rows, cols}, cols, memory);
        memory += rows * cols;
        return result;
    };
    auto scratch = block(scratch_rows());  // a workspace, so it begins where the memory does
    auto sums = block(k), coefficients = block(k), residual_sums = block(k);
    return {std::move(sums), std::move(coefficients), std::move(residual_sums), std::move(scratch), memory};
}

template <class V>
void DeflationSpace<V>::solve(const Dense<V>& b, DeflationBlocks<V>& w) const
{
    restrict_to(b, w.sums, w);
    coarse_.apply(w.sums, w.temporaries, w.coefficients);
}

template <class V>
void DeflationSpace<V>::project(const Dense<V>& z, Scalar<V> alpha, const Dense<V>& r, DeflationBlocks<V>& w) const
{
    sum_projected(z, alpha, r, w);
    coarse_.apply(w.sums, w.temporaries, w.coefficients);
}

template <class V>
void DeflationSpace<V>::first_direction(const Dense<V>& z, const Dense<V>& r, DeflationBlocks<V>& w, Dense<V>& p,
                                        CgScalars<V> s, StopView<real_t<V>> stop) const
{
    restrict_to(r, w.residual_sums, w);
    project(z, V{}, r, w);
    p.copy_from(z);
    add(V{-1}, w, p);
    correct_rho(w, s, stop);
}

template <class V>
void DeflationSpace<V>::sum_projected(const Dense<V>& z, Scalar<V> alpha, const Dense<V>& r,
                                      DeflationBlocks<V>& w) const
{
    if (alpha.data == nullptr && alpha.value == V{}) {
        restricted_matrix().apply(z, w.sums);
        return;
    }
    restricted_matrix().apply(z, w.coefficients);
    restrict_to(r, w.residual_sums, w);
    deflation_difference<V>(w.sums.executor(), alpha, std::as_const(w.coefficients).view(),
                            std::as_const(w.residual_sums).view(), w.sums.view());
}

template <class V>
void DeflationSpace<V>::advance(const Dense<V>& z, const Dense<V>& r, DeflationBlocks<V>& w, Dense<V>& p, Dense<V>& x,
                                CgScalars<V> s, StopView<real_t<V>> stop) const
{
    move(z, r, w, p, x, s, stop);
    correct_rho(w, s, stop);
}

template <class V>
void DeflationSpace<V>::correct_rho(const DeflationBlocks<V>& w, CgScalars<V> s, StopView<real_t<V>> stop) const
{
    deflation_correct_rho<V>(w.sums.executor(), w.residual_sums.view(), w.coefficients.view(), s.rho, stop);
}

template <class V>
void DeflationSpace<V>::move(const Dense<V>& z, const Dense<V>& r, DeflationBlocks<V>& w, Dense<V>& p, Dense<V>& x,
                             CgScalars<V> s, StopView<real_t<V>> stop) const
{
    cg_update_direction<V>(p.executor(), z.view(), p.view(), x.view(), s, stop);
    project(p, Scalar<V>::per_column(s.alpha), r, w);
    add(V{-1}, w, p);
}

}  // namespace detail

namespace {

using detail::DeflationBlocks;
using detail::Symmetry;

struct SpaceTraits {
    Symmetry symmetry;
    CoarseSolve coarse;
};

/// The common base of all spaces, with the permutation `to` from the matrix's ordering to the system's, if any.
template <class V, class I>
class OrderedSpace : public detail::DeflationSpace<V> {
public:
    OrderedSpace(const Csr<V, I>& a, size_type num_vectors, const Permutation<V, I>* to, SpaceTraits traits)
        : detail::DeflationSpace<V>(a.executor(), num_vectors, traits.coarse),
          symmetry_(traits.symmetry),
          label_(a.executor()),
          between_(a.executor()),
          ys_{detail::KeptMemory(a.executor()), detail::KeptMemory(a.executor())}
    {
        if (to != nullptr) {
            const auto n = to->size().rows;
            to_.emplace(to->copy(a.executor()));
            label_ = Array<I>(a.executor(), n);
            Array<size_type> num_invalid(a.executor(), 1);  // none: it is a permutation
            permutation_invert<I>(a.executor(), n, to_->rows(), label_.data(), num_invalid.data());
        }
    }

    void update(const LinOp<V>& matrix) final { form(csr_of<V, I>("deflation", matrix), between_); }

protected:
    /// Y and E^-1. Y goes to `next_y()`, which is the matrix's until the next call.
    virtual void form(const Csr<V, I>& a, detail::KeptMemory& between) = 0;
    /// Forms them for the first time, in memory that is not kept.
    void form_first(const Csr<V, I>& a)
    {
        detail::KeptMemory between(a.executor());
        form(a, between);
    }

    /// Where the next Y is formed: not where the last one is, which stays if something fails.
    detail::KeptMemory& next_y() { return ys_[1 - current_y_]; }
    /// The next Y is there.
    void take_next_y() { current_y_ = 1 - current_y_; }

    /// Y and E of sparse vectors.
    Csr<V, I> form_sparse(const Csr<V, I>& a, const Csr<V, I>& z, detail::KeptMemory& between)
    {
        next_y().restart();
        const I* const label = to_ ? label_.data() : nullptr;
        auto products = detail::galerkin<V, I>(a, z, symmetry_, label, {between, next_y()});
        this->coarse_.factorize(products.e, products.e_magnitudes, between);
        take_next_y();
        return std::move(products.y);
    }

    /// The rows of a block in the ordering of the system.
    void put_in_order(const Dense<V>& block, Dense<V>& result) const
    {
        if (to_) {
            to_->apply(block, result);
        } else {
            result.copy_from(block);
        }
    }

    std::optional<Permutation<V, I>> to_;
    Symmetry symmetry_;

private:
    Array<I> label_;  ///< the inverse of `to`
    detail::KeptMemory between_;
    detail::KeptMemory ys_[2];
    int current_y_ = 0;
};

/// Z of domains.
template <class V, class I>
class DomainSpace final : public OrderedSpace<V, I> {
public:
    DomainSpace(const Csr<V, I>& a, detail::Domains<I> domains, const Permutation<V, I>* to, SpaceTraits traits)
        : OrderedSpace<V, I>(a, domains.num_domains, to, traits),
          exec_(a.executor()),
          given_(domains.of_row.clone()),
          pieces_(in_order(std::move(domains))),
          y_(exec_, Dim{})
    {
        this->form_first(a);
    }

    void add(Scalar<V> alpha, const DeflationBlocks<V>& w, Dense<V>& x) const override
    {
        deflation_add_prolonged<V, I>(exec_, pieces_.view(), alpha, w.coefficients.view(), x.view());
    }

private:
    void move(const Dense<V>& z, const Dense<V>& r, DeflationBlocks<V>& w, Dense<V>& p, Dense<V>& x, CgScalars<V> s,
              StopView<real_t<V>> stop) const override
    {
        const StepView<V> step{r.view(), Scalar<V>::per_column(s.alpha), s.rho, s.rho_old, w.residual_sums.view()};
        deflation_project<V, I>(exec_, pieces_.view(), y_.view(), z.view(), step, w.sums.view(), workspace_in(w));
        this->coarse_.apply(w.sums, w.temporaries, w.coefficients);
        deflation_update_direction<V, I>(exec_, pieces_.view(), std::as_const(w.coefficients).view(), z.view(),
                                         p.view(), x.view(), s, stop);
    }
    size_type scratch_rows() const override { return pieces_.num_pieces(); }
    WorkspaceView workspace_in(DeflationBlocks<V>& w) const
    {
        const auto bytes = w.scratch.size().rows * w.scratch.size().cols * static_cast<size_type>(sizeof(V));
        return {reinterpret_cast<std::byte*>(w.scratch.data()), bytes};
    }
    void restrict_to(const Dense<V>& b, Dense<V>& c, DeflationBlocks<V>& w) const override
    {
        deflation_restrict<V, I>(exec_, pieces_.view(), b.view(), c.view(), workspace_in(w));
    }
    void sum_projected(const Dense<V>& z, Scalar<V> alpha, const Dense<V>& r, DeflationBlocks<V>& w) const override
    {
        deflation_project<V, I>(exec_, pieces_.view(), y_.view(), z.view(), {r.view(), alpha}, w.sums.view(),
                                workspace_in(w));
    }
    const LinOp<V>& restricted_matrix() const override { return y_; }

    detail::Domains<I> in_order(detail::Domains<I> domains) const
    {
        if (this->to_) {
            pattern_compose<I>(exec_, given_.size(), this->to_->rows(), given_.data(), domains.of_row.data());
        }
        return domains;
    }

    void form(const Csr<V, I>& a, detail::KeptMemory& between) override
    {
        const auto n = given_.size();
        between.restart();
        auto row_ptrs = between.array<I>(n + 1);
        array_iota<I>(exec_, n + 1, row_ptrs.data());
        auto ones = between.dense<V>({n, 1});
        ones.fill(V{1});
        const auto z =
            csr_view_unchecked<V, I>(exec_, n, this->num_vectors(), n, row_ptrs.data(), given_.data(), ones.data());
        y_ = this->form_sparse(a, z, between);
    }

    Executor exec_;
    Array<I> given_;  ///< domains, by rows of the given matrix
    detail::DomainPieces<I> pieces_;
    Csr<V, I> y_;
};

/// Z as the user gives it, sparse.
template <class V, class I>
class SparseSpace final : public OrderedSpace<V, I> {
public:
    SparseSpace(const Csr<V, I>& a, const Csr<V, I>& basis, const Permutation<V, I>* to, SpaceTraits traits)
        : OrderedSpace<V, I>(a, basis.size().cols, to, traits),
          given_(basis.copy(a.executor())),
          z_(to == nullptr ? given_.copy() : permute_rows(given_, *this->to_)),
          z_adjoint_(conjugate_transpose(z_)),
          y_(a.executor(), Dim{})
    {
        this->form_first(a);
    }

    void add(Scalar<V> alpha, const DeflationBlocks<V>& w, Dense<V>& x) const override
    {
        z_.apply(alpha, w.coefficients, V{1}, x);
    }

private:
    size_type scratch_rows() const override { return z_.size().rows; }
    void restrict_to(const Dense<V>& b, Dense<V>& c, DeflationBlocks<V>&) const override { z_adjoint_.apply(b, c); }
    const LinOp<V>& restricted_matrix() const override { return y_; }

    void form(const Csr<V, I>& a, detail::KeptMemory& between) override
    {
        between.restart();
        y_ = this->form_sparse(a, given_, between);
    }

    Csr<V, I> given_, z_, z_adjoint_, y_;
};

/// Z as the user gives it, dense.
template <class V, class I>
class BasisSpace final : public OrderedSpace<V, I> {
public:
    BasisSpace(const Csr<V, I>& a, const Dense<V>& basis, const Permutation<V, I>* to, SpaceTraits traits)
        : OrderedSpace<V, I>(a, basis.size().cols, to, traits),
          exec_(a.executor()),
          given_(basis.copy(exec_)),
          z_(exec_, given_.size()),
          z_adjoint_(exec_, {given_.size().cols, given_.size().rows}),
          y_(exec_, z_adjoint_.size())
    {
        this->put_in_order(given_, z_);
        detail::take_adjoint(z_, z_adjoint_);
        this->form_first(a);
    }

    void add(Scalar<V> alpha, const DeflationBlocks<V>& w, Dense<V>& x) const override
    {
        dense_multiply<V>(exec_, z_.view(), alpha, w.coefficients.view(), V{1}, x.view());
    }

private:
    size_type scratch_rows() const override { return z_.size().rows; }
    void restrict_to(const Dense<V>& b, Dense<V>& c, DeflationBlocks<V>&) const override { z_adjoint_.apply(b, c); }
    const LinOp<V>& restricted_matrix() const override { return y_; }

    void form(const Csr<V, I>& a, detail::KeptMemory& between) override
    {
        between.restart();
        const auto products = detail::galerkin(a, given_, this->symmetry_, between);
        auto in_order = between.dense<V>(products.y_adjoint.size());
        this->put_in_order(products.y_adjoint, in_order);
        this->coarse_.factorize(products.e, products.scales, between);
        detail::take_adjoint(in_order, y_);
    }

    Executor exec_;
    Dense<V> given_, z_, z_adjoint_, y_;
};

template <class V>
void check_basis(Dim matrix, const LinOp<V>& basis)
{
    if (basis.size().rows != matrix.rows) {
        throw DimensionMismatch("deflation", "the matrix", matrix, "the basis", basis.size());
    }
    if (basis.size().cols < 1 || basis.size().cols > std::max<size_type>(matrix.rows, 1)) {
        throw InvalidParameter("basis", std::to_string(basis.size().cols) + " columns", "1 to the number of rows");
    }
}

/// `to` as a permutation with the matrix's index type; null for null.
template <class V, class I>
const Permutation<V, I>* permutation_of(const LinOp<V>* to)
{
    const auto* const permutation = dynamic_cast<const Permutation<V, I>*>(to);
    if (to != nullptr && permutation == nullptr) {
        throw NotSupported("deflation", "the preconditioner has an ordering that is no Permutation of the matrix's");
    }
    return permutation;
}

template <class V, class I>
std::unique_ptr<detail::DeflationSpace<V>> space_of(const Deflation<V>& options, const Csr<V, I>& a,
                                                    const Permutation<V, I>* to, Symmetry symmetry)
{
    const SpaceTraits traits{symmetry, options.coarse};
    if (options.basis != nullptr) {
        check_basis<V>(a.size(), *options.basis);
        return std::make_unique<BasisSpace<V, I>>(a, *options.basis, to, traits);
    }
    if (options.sparse_basis != nullptr) {
        check_basis<V>(a.size(), *options.sparse_basis);
        const auto* const z = dynamic_cast<const Csr<V, I>*>(options.sparse_basis.get());
        if (z == nullptr) {
            throw NotSupported("deflation", "sparse_basis must be a Csr with indices of the matrix's type, it is a " +
                                                options.sparse_basis->name());
        }
        return std::make_unique<SparseSpace<V, I>>(a, *z, to, traits);
    }
    return std::make_unique<DomainSpace<V, I>>(a, detail::make_domains(options, a, symmetry), to, traits);
}

}  // namespace

template <class V>
std::unique_ptr<detail::DeflationSpace<V>> detail::make_deflation_space(const Deflation<V>& options,
                                                                        const LinOp<V>& matrix, const LinOp<V>* to,
                                                                        Symmetry symmetry)
{
    auto space = make_spread_deflation_space(options, matrix, to, symmetry);
    if (space != nullptr) {
        return space;
    }
    visit_csr("deflation", matrix,
              [&]<class I>(const Csr<V, I>& a) { space = space_of(options, a, permutation_of<V, I>(to), symmetry); });
    return space;
}

}  // namespace linden
