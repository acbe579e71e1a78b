#pragma once

#include "core/distributed/spread_adjoint.hpp"
#include "core/matrix/result_plan.hpp"
#include "core/multigrid/level.hpp"
#include "core/multigrid/spread_operator.hpp"

namespace linden::detail {

/// A level whose rows are spread over ranks, in the multiplicative form of AmgLevel: A, P and R = P^H, whose aggregates
/// and entries are those that one rank would find.
template <class V, class I>
class SpreadLevel {
public:
    using R = real_t<V>;
    using Rows = distributed::SpreadRows<V, I>;

    /// A matrix with who owns which row.
    struct Matrix {
        distributed::Partition partition;
        Rows rows;
    };

    /// Collective. a: rows of a symmetric pattern with its diagonal.
    SpreadLevel(const Communicator& ranks, Matrix a, bool is_hermitian)
        : partition_(std::move(a.partition)),
          a_(std::move(a.rows)),
          seen_{ranks, a_.columns, make_ghost_map(ranks, partition_, a_.columns.ghosts())},
          square_(distributed::StackedRows<V, I>::square(ranks, seen_.map, a_)),
          largest_(exec(), a_.columns.size()),
          sums_(exec(), a_.columns.size()),
          is_hermitian_(is_hermitian)
    {
        a_.own = square_.own(Array<I>::view(exec(), a_.own.size().rows + 1, const_cast<I*>(a_.own.row_ptrs())).clone());
        Array<I> is_mixed(exec(), a_.columns.size());
        measure(is_mixed.data());
        const auto own_marks = Array<I>::view(exec(), a_.columns.num_own(), is_mixed.data() + a_.columns.num_lower());
        if (is_hermitian_ && sum_over_ranks(count_marks(own_marks).front()) * 4 > partition_.num_rows()) {
            find_bound();
        }
    }

    /// Collective. The transfers, and the next level's matrix; none if sweeps are not slow anywhere, or there would be
    /// no fewer rows than `most_kept` of these.
    std::optional<Matrix> coarsen(const AmgPlan& plan, double most_kept)
    {
        plan.clock->enter(AmgPhase::aggregates);
        if (asks_for_slow_rows(rows()) && num_slow_rows(plan.transfer.damping / bound_) == 0) {
            end_ = AmgEnd::swept;
            return std::nullopt;
        }
        const auto& square = square_.matrix();
        auto pattern = strong_pattern(square, plan.threshold, is_hermitian_, largest_, sums_);
        const auto roots = find_spread_roots<V, I>(seen_, square, pattern.view());
        auto aggregates = SpreadNumbers<I>(seen_, partition_, roots).take();
        const auto num_coarse = aggregates.partition.num_rows();
        if (num_coarse == 0 || static_cast<double>(num_coarse) > most_kept * static_cast<double>(rows())) {
            return std::nullopt;
        }
        plan.clock->enter(AmgPhase::prolongators);
        numbers_ = std::move(aggregates.numbers);
        aggregates_.emplace(Aggregates<I>{numbers_.size(), std::move(aggregates.of_rows)});
        strong_.emplace(matrix_of<V>(std::move(pattern)));
        strong_sums_.emplace(exec(), a_.columns.size());
        filter();
        const TransferRule rule{plan.transfer.prolongator_damping / bound_, plan.transfer.damping / bound_, 0};
        right_.emplace(Side{rule, *this, *strong_});
        if (!is_hermitian_) {
            strong_rows_.emplace(own_rows(*strong_));
            strong_adjoint_.emplace(seen_.ranks, partition_, partition_, Rows{strong_rows_->rows.copy(), a_.columns});
            padded_adjoint_.emplace(strong_adjoint_->result(), a_.columns, a_.columns);
            left_.emplace(Side{rule, *this, padded_strong_adjoint()});
        }
        restriction_.emplace(seen_.ranks, partition_, aggregates.partition, left().view(numbers_));
        plan.clock->enter(AmgPhase::products);
        product_.emplace(seen_.ranks, seen_.map, a_, right_->view(numbers_));
        const auto& r = restriction_->result();
        galerkin_.emplace(seen_.ranks, make_ghost_map(seen_.ranks, partition_, r.columns.ghosts()), r,
                          product_->view());
        plan.clock->enter(AmgPhase::matrix);
        return Matrix{std::move(aggregates.partition), galerkin_->take()};
    }

    /// Collective. All values again, of which A's own are new; those of the next level's matrix to `next`, if any.
    void update(Csr<V, I>* next)
    {
        square_.update(a_.own.values());
        measure(nullptr);
        if (!right_) {
            return;
        }
        filter();
        right_->update(*strong_, *this);
        if (left_) {
            strong_rows_->update(strong_->values());
            strong_adjoint_->update(strong_rows_->rows);
            left_->update(padded_strong_adjoint(), *this);
        }
        restriction_->update(left().rows.rows);
        product_->compute(a_.own, right_->rows.rows.values());
        galerkin_->compute(restriction_->result().own, product_->own().values(), *next);
    }

    const Executor& exec() const { return a_.own.executor(); }
    const Communicator& ranks() const { return seen_.ranks; }
    /// Of all ranks.
    size_type rows() const { return partition_.num_rows(); }
    const distributed::Partition& partition() const { return partition_; }
    Rows& matrix() { return a_; }
    /// What the level was made from; nothing of it is left.
    Matrix take_matrix() { return {std::move(partition_), {a_.own.copy(), a_.columns}}; }
    const Rows& matrix() const { return a_; }
    /// Why `coarsen` has made no next level.
    AmgEnd end() const { return end_; }
    bool has_next() const { return right_.has_value(); }
    /// The aggregates that this level's prolongator refers to.
    const distributed::Extent& numbers() const { return numbers_; }
    /// P and R, if there is a next level.
    Rows prolongator() const { return right_->view(numbers_); }
    const Rows& restriction() const { return restriction_->result(); }
    /// Of magnitudes of the own rows of A.
    const R* sums() const { return sums_.data() + a_.columns.num_lower(); }
    double bound() const { return bound_; }

    /// Collective.
    std::int64_t sum_over_ranks(std::int64_t mine) const
    {
        const auto all = seen_.ranks.all_gather(mine);
        return std::accumulate(all.begin(), all.end(), std::int64_t{0});
    }

private:
    /// A prolongator: of all rows that are seen, and the own ones, which are complete.
    struct Side {
        Transfer<V, I> all;
        distributed::RowSlice<V, I> rows;

        Side(const TransferRule& rule, const SpreadLevel& level, const Csr<V, I>& strong)
            : all(rule, strong, *level.strong_sums_, *level.aggregates_),
              rows(level.own_rows(all.prolongator()))
        {
        }
        void update(const Csr<V, I>& strong, const SpreadLevel& level)
        {
            all.compute_prolongator(strong, *level.strong_sums_, *level.aggregates_);
            rows.update(all.prolongator().values());
        }
        Rows view(const distributed::Extent& numbers) const
        {
            const auto p = rows.rows.view();
            return {csr_view_unchecked<V, I>(rows.rows.executor(), p.rows, p.cols, p.num_nonzeros, p.row_ptrs,
                                             p.col_idxs, p.values),
                    numbers};
        }
    };
    const Side& left() const { return left_ ? *left_ : *right_; }

    distributed::RowSlice<V, I> own_rows(const Csr<V, I>& all) const
    {
        return {all, a_.columns.num_lower(), a_.columns.num_own()};
    }
    Csr<V, I> padded_strong_adjoint() const
    {
        const auto f = padded_adjoint_->view(strong_adjoint_->result().own.values());
        return csr_view_unchecked<V, I>(exec(), f.rows, f.cols, f.num_nonzeros, f.row_ptrs, f.col_idxs, f.values);
    }
    void measure(I* is_mixed)
    {
        aggregation_measure<V, I>(exec(), square_.matrix().view(), largest_.data(), sums_.data(), is_mixed);
        fill_ghosts<I>(seen_.ranks, seen_.map, seen_.extent, largest_);
        fill_ghosts<I>(seen_.ranks, seen_.map, seen_.extent, sums_);
    }
    void find_bound() { bound_ = bound_of_mixed_signs<V>(SpreadOperator<V, I>(seen_, partition_, a_.own), sums()); }
    std::int64_t num_slow_rows(double damping) const
    {
        const SlowRows<V, I> slow(square_.matrix().view(), sums_, damping);
        Array<std::int64_t> count(exec(), 1);
        slow.count(
            {a_.columns.num_lower(), a_.columns.num_own()},
            [&](Array<V>& x) { fill_ghosts<I>(seen_.ranks, seen_.map, seen_.extent, x); }, count.data());
        return sum_over_ranks(count.to_host().front());
    }
    void filter()
    {
        multigrid_filter<V, I>(exec(), square_.matrix().view(), strong_->view(), strong_->values(),
                               strong_sums_->data());
        fill_ghosts<I>(seen_.ranks, seen_.map, seen_.extent, *strong_sums_);
    }

    distributed::Partition partition_;
    Rows a_;                                 ///< of the rows in square_
    SpreadExtent seen_;                      ///< the columns of A
    distributed::StackedRows<V, I> square_;  ///< A with ghosts' rows, among these columns
    Array<R> largest_, sums_;                ///< of all rows that are seen
    bool is_hermitian_;
    double bound_ = 1;
    AmgEnd end_ = AmgEnd::stalled;
    distributed::Extent numbers_;
    std::optional<Aggregates<I>> aggregates_;
    std::optional<Csr<V, I>> strong_;
    std::optional<Array<R>> strong_sums_;
    std::optional<distributed::RowSlice<V, I>> strong_rows_;
    std::optional<distributed::SpreadAdjoint<V, I>> strong_adjoint_, restriction_;
    std::optional<distributed::PaddedPattern<I>> padded_adjoint_;
    std::optional<Side> right_, left_;  ///< `left_` of nonsymmetric matrices
    std::optional<distributed::SpreadProduct<V, I>> product_, galerkin_;
};

}  // namespace linden::detail
