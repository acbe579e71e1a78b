#pragma once

#include <linden/multigrid/amg.hpp>

#include <memory>
#include <optional>
#include <utility>

#include "core/matrix/inverse_diagonal.hpp"
#include "core/matrix/product.hpp"
#include "core/multigrid/classical.hpp"
#include "core/multigrid/interpolation.hpp"
#include "core/multigrid/nodes.hpp"
#include "core/multigrid/phases.hpp"
#include "core/spectrum/spectral_bound.hpp"

namespace linden::detail {

/// How levels are made, with what the matrix decides.
struct CoarseningRule {
    AmgMethod method = AmgMethod::smoothed;
    double threshold = 0;
    double prolongator_damping = 0;  ///< of scalar levels, times 1 / sums of magnitudes
    double most_kept = 0;            ///< of the rows of a level by the next one
    size_type max_elements = 4;      ///< of a row of a prolongator by points
    PhaseClock* clock = nullptr;
};

/// A level of any kind: its matrix A, of nodes with `block_rows` rows, the transfers P and R, and the next level's
/// matrix R A P. Values have a symbolic phase before them, in which the constructor and `coarsen` wait; `update`
/// repeats them alone.
template <class V, class I>
class GeneralLevel {
public:
    using Matrix = std::shared_ptr<Csr<V, I>>;

    /// vectors: the near-null space, rows x vectors; none: constants, for nodes of one row.
    GeneralLevel(Matrix a, size_type block_rows, std::optional<Dense<V>> vectors, bool is_hermitian)
        : a_(std::move(a)),
          block_rows_(block_rows),
          vectors_(std::move(vectors)),
          is_hermitian_(is_hermitian)
    {
        find_bound();
    }

    /// The transfers and the next level; none if it would have no fewer rows than the rule allows.
    std::optional<GeneralLevel> coarsen(const CoarseningRule& rule)
    {
        rule.clock->enter(AmgPhase::aggregates);
        if (rule.method == AmgMethod::classical ? !find_points_of(rule) : !find_aggregates(rule)) {
            return std::nullopt;
        }
        restriction_.emplace(updatable_conjugate_transpose(left().prolongator()));
        rule.clock->enter(AmgPhase::products);
        multiply_galerkin();
        rule.clock->enter(AmgPhase::cycle);  // the next level's bound
        const size_type vectors = coarse_vectors_ ? coarse_vectors_->size().cols : 1;
        return GeneralLevel(next_, vectors, std::exchange(coarse_vectors_, std::nullopt), is_hermitian_);
    }

    /// The transfers and the next level's values for new values of A.
    void update(Matrix a)
    {
        a_ = std::move(a);
        if (!right_) {
            return;
        }
        right_->update(*a_);
        if (left_) {
            adjoint_->update(*a_);
            left_->update(adjoint_->result);
        }
        restriction_->update(left().prolongator());
        compute_galerkin();
    }

    const Executor& exec() const { return a_->executor(); }
    size_type rows() const { return a_->size().rows; }
    const Matrix& matrix() const { return a_; }
    /// None on the last level.
    const Matrix& next_matrix() const { return next_; }
    const Csr<V, I>& prolongator() const { return right_->prolongator(); }
    const Csr<V, I>& restriction() const { return restriction_->result; }
    /// At least the largest eigenvalue of D^-1 A, D its diagonal, unless Lanczos' method missed it by a tenth.
    double bound() const { return bound_; }
    bool is_hermitian() const { return is_hermitian_; }

    AmgLevelReport report() const
    {
        AmgLevelReport result{rows(), a_->num_nonzeros(), 0, bytes(*a_), StoragePrecision::same, 8 * sizeof(I)};
        if (right_) {
            result.prolongator_nonzeros = prolongator().num_nonzeros();
            result.storage_bytes += bytes(prolongator()) + bytes(restriction());
        }
        return result;
    }

private:
    bool is_few(size_type num_coarse, const CoarseningRule& rule) const
    {
        return num_coarse > 0 && static_cast<double>(num_coarse) <= rule.most_kept * static_cast<double>(rows());
    }

    /// The prolongators by aggregates; false if there are too many.
    bool find_aggregates(const CoarseningRule& rule)
    {
        std::optional<Csr<V, I>> nodes;
        if (vectors_) {
            nodes.emplace(node_matrix(*a_, block_rows_));
        }
        auto [strong, aggregates] = aggregates_of(nodes ? *nodes : *a_, rule.threshold, is_hermitian_);
        const NodeShape shape{block_rows_, vectors_ ? vectors_->size().cols : 1};
        if (!is_few(aggregates.count * shape.vectors, rule)) {
            return false;
        }
        rule.clock->enter(AmgPhase::prolongators);
        if (vectors_) {
            auto system = tentative_system(aggregates, shape, *vectors_);
            tentative_ = std::make_unique<Csr<V, I>>(std::move(system.prolongator));
            coarse_vectors_.emplace(std::move(system.coarse));
        } else if (rule.method == AmgMethod::unsmoothed) {
            tentative_ = std::make_unique<Csr<V, I>>(indicators_of<V>(aggregates));
        } else {
            aggregates_ = std::make_unique<Aggregates<I>>(std::move(aggregates));
        }
        right_ = interpolation(rule, *a_, strong);
        if (!is_hermitian_) {
            adjoint_.emplace(updatable_conjugate_transpose(*a_));
            left_ = interpolation(rule, adjoint_->result, strong);
        }
        return true;
    }
    /// The prolongators by points; false if there are too many.
    bool find_points_of(const CoarseningRule& rule)
    {
        auto strong = dependence_pattern(*a_, rule.threshold);
        const auto points = find_points<I>(exec(), strong);
        if (!is_few(points.count, rule)) {
            return false;
        }
        rule.clock->enter(AmgPhase::prolongators);
        right_ = std::make_unique<ClassicalInterpolation<V, I>>(*a_, std::move(strong), points, rule.max_elements);
        if (!is_hermitian_) {
            adjoint_.emplace(updatable_conjugate_transpose(*a_));
            left_ = std::make_unique<ClassicalInterpolation<V, I>>(
                adjoint_->result, dependence_pattern(adjoint_->result, rule.threshold), points, rule.max_elements);
        }
        return true;
    }

    std::unique_ptr<Interpolation<V, I>> interpolation(const CoarseningRule& rule, const Csr<V, I>& a,
                                                       const Pattern<I>& strong) const
    {
        if (rule.method == AmgMethod::unsmoothed) {
            return std::make_unique<TentativeInterpolation<V, I>>(*tentative_);
        }
        if (vectors_) {
            return std::make_unique<SmoothedInterpolation<V, I>>(a, *tentative_, 4.0 / 3 / bound_);
        }
        Pattern<I> own{strong.size, strong.row_ptrs.clone(exec()), strong.col_idxs.clone(exec())};
        return std::make_unique<FilteredInterpolation<V, I>>(a, std::move(own), *aggregates_, rule.prolongator_damping);
    }
    const Interpolation<V, I>& left() const { return left_ ? *left_ : *right_; }

    void multiply_galerkin()
    {
        product_.emplace(*a_, prolongator());
        galerkin_.emplace(restriction(), product_->result());
        next_ = std::make_shared<Csr<V, I>>(std::move(galerkin_->result()));
    }
    void compute_galerkin()
    {
        product_->compute(*a_, prolongator());
        galerkin_->compute(restriction(), product_->result(), *next_);
    }

    void find_bound()
    {
        constexpr size_type num_steps = 12;
        constexpr double safety = 1.1;
        Array<V> inverse(exec(), rows());
        Array<size_type> num_zeros(exec(), 1);
        invert_diagonal(*a_, inverse.data(), num_zeros.data());
        bound_ =
            is_hermitian_ ? safety * largest_ritz_value<V>(*a_, inverse, num_steps) : largest_row_sum<V>(*a_, inverse);
        bound_ = bound_ > 0 && std::isfinite(bound_) ? bound_ : 1;
    }

    static size_type bytes(const Csr<V, I>& a)
    {
        return a.num_nonzeros() * static_cast<size_type>(sizeof(V) + sizeof(I)) +
               (a.size().rows + 1) * static_cast<size_type>(sizeof(I));
    }

    Matrix a_, next_;
    size_type block_rows_;
    std::optional<Dense<V>> vectors_, coarse_vectors_;
    bool is_hermitian_;
    double bound_ = 1;
    std::unique_ptr<Csr<V, I>> tentative_;       ///< interpolations refer to it
    std::unique_ptr<Aggregates<I>> aggregates_;  ///< and to these
    std::optional<Rearrangement<V, I>> adjoint_, restriction_;
    std::unique_ptr<Interpolation<V, I>> right_, left_;  ///< `left_` of nonsymmetric matrices
    std::optional<Product<V, I>> product_, galerkin_;    ///< A P and R A P, whose matrix is next_
};

}  // namespace linden::detail
