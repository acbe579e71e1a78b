#pragma once

#include <linden/matrix/operations.hpp>

#include <optional>

#include "core/kernels/multigrid.hpp"
#include "core/matrix/product.hpp"
#include "core/matrix/result_plan.hpp"
#include "core/multigrid/aggregates.hpp"

namespace linden::detail {

/// How far transfers are smoothed.
struct TransferRule {
    double prolongator_damping = 0;  ///< of P
    double damping = 0;              ///< of P~
    double truncation = 0;           ///< entries of P~ below that share of their row's largest are dropped
};

/// The rows of P.
template <class I>
struct ProlongatorRows {
    Array<I> row_ptrs;
    size_type num_nonzeros = 0;
};

/// Their row pointers, for the aggregates of all rows and the graph of strong entries; how many entries they have is
/// left in *num_nonzeros, on the executor.
template <class I>
Array<I> prolongator_row_ptrs(PatternView<I> graph, const Array<I>& aggregates, std::int64_t* num_nonzeros)
{
    const auto& exec = aggregates.executor();
    Array<I> row_ptrs(exec, graph.rows + 1);
    multigrid_count_prolongator<I>(exec, graph, aggregates.data(), row_ptrs.data());
    scan_counts(row_ptrs, num_nonzeros);
    return row_ptrs;
}

/// The same. Waits.
template <class I>
ProlongatorRows<I> prolongator_rows(PatternView<I> graph, const Array<I>& aggregates)
{
    Array<std::int64_t> num_nonzeros(aggregates.executor(), 1);
    auto row_ptrs = prolongator_row_ptrs(graph, aggregates, num_nonzeros.data());
    const auto sum = num_nonzeros.to_host().front();
    require_fits<I>(sum, "the prolongator");
    return {std::move(row_ptrs), sum};
}

/// The prolongators of a level: P of the Galerkin product and of the cycle, and P~, which has a step of smoothing in it
/// for a cycle in additive form,
///     P  = T - prolongator_damping D_F^-1 A_F T,
///     P~ = P - damping D^-1 A P,   without small entries,
/// where T has the indicators of the aggregates, and D and D_F are diagonal and have the sums of magnitudes of the rows
/// of A and of A_F, its strong entries. [VanekMandelBrezina96], [VassilevskiYang14]  The restrictions of a nonsymmetric
/// matrix are the adjoints of the same for A^H.
template <class V, class I>
class Transfer {
public:
    using Sums = Array<real_t<V>>;

    /// P, for its rows.
    Transfer(const TransferRule& rule, const Csr<V, I>& strong, const Sums& strong_sums,
             const Aggregates<I>& aggregates, ProlongatorRows<I> rows)
        : rule_(rule),
          values_(strong.executor()),
          p_(make_prolongator(rule, strong, strong_sums, aggregates, std::move(rows)))
    {
    }
    /// P on the pattern of another one, for the same aggregates and strong entries in the same places. `other` lives as
    /// long as this.
    Transfer(const TransferRule& rule, const Csr<V, I>& strong, const Sums& strong_sums,
             const Aggregates<I>& aggregates, const Transfer& other)
        : rule_(rule),
          values_(strong.executor(), other.p_.num_nonzeros()),
          p_(view_on(other.p_, values_))
    {
        compute_prolongator(strong, strong_sums, aggregates);
    }
    /// The same as the first. Waits.
    Transfer(const TransferRule& rule, const Csr<V, I>& strong, const Sums& strong_sums,
             const Aggregates<I>& aggregates)
        : Transfer(rule, strong, strong_sums, aggregates, prolongator_rows<I>(strong.view(), aggregates.of_rows))
    {
    }

    /// P's values.
    void compute_prolongator(const Csr<V, I>& strong, const Sums& strong_sums, const Aggregates<I>& aggregates)
    {
        multigrid_prolongator<V, I>(p_.executor(), strong.view(), smoothing(rule_, strong_sums, aggregates),
                                    p_.view().row_ptrs, nullptr, p_.values());
    }
    /// Counts the entries of A P; how many there are is in the result, on the executor, for `make_product`.
    const Array<std::int64_t>& count_product(const Csr<V, I>& a)
    {
        started_.emplace(a, p_);
        return started_->num_nonzeros();
    }
    /// A P, of which so many entries were counted.
    void make_product(const Csr<V, I>& a, std::int64_t num_nonzeros)
    {
        product_.emplace(a, p_, *started_, num_nonzeros, "the product");
        started_.reset();
    }
    /// A P on the pattern of another one's product, where A and P have those of the other's. `other` lives as long as
    /// this.
    void make_product(const Csr<V, I>& a, const Transfer& other)
    {
        product_values_ = Array<V>(p_.executor(), other.product().num_nonzeros());
        product_.emplace(a, p_, view_on(other.product(), product_values_));
    }
    /// A P for new values.
    void compute_product(const Csr<V, I>& a) { product_->compute(a, p_); }

    /// P~ with small entries, in the place of A P; how many are not small is left in *num_nonzeros, on the executor,
    /// for `make_smoothed`.
    void count_smoothed(const Sums& sums, std::int64_t* num_nonzeros)
    {
        subtract(sums);
        smoothed_ptrs_ = Array<I>(p_.executor(), p_.size().rows + 1);
        multigrid_count_large<V, I>(p_.executor(), product().view(), rule_.truncation, smoothed_ptrs_.data());
        scan_counts(smoothed_ptrs_, num_nonzeros);
    }
    /// P~, of which so many entries were counted.
    void make_smoothed(std::int64_t num_nonzeros)
    {
        require_fits<I>(num_nonzeros, "the prolongator");
        Array<I> col_idxs(p_.executor(), num_nonzeros);
        multigrid_take_large<V, I>(p_.executor(), product().view(), rule_.truncation, smoothed_ptrs_.data(),
                                   col_idxs.data());
        smoothed_.emplace(matrix_of<V>(Pattern<I>{p_.size(), std::move(smoothed_ptrs_), std::move(col_idxs)}));
        truncate();
    }
    /// P~ for new values, in the place of A P.
    void compute_smoothed(const Sums& sums)
    {
        subtract(sums);
        truncate();
    }

    const Csr<V, I>& prolongator() const { return p_; }
    const Csr<V, I>& product() const { return product_->result(); }
    const Csr<V, I>& smoothed() const { return *smoothed_; }

private:
    static Csr<V, I> view_on(const Csr<V, I>& pattern, Array<V>& values)
    {
        const auto p = pattern.view();
        return csr_view_unchecked<V, I>(values.executor(), p.rows, p.cols, p.num_nonzeros, p.row_ptrs, p.col_idxs,
                                        values.data());
    }
    void subtract(const Sums& sums)
    {
        auto& ap = product_->result();
        multigrid_subtract<V, I>(p_.executor(), p_.view(), ap.view(), rule_.damping, sums.data(), ap.values());
    }
    void truncate()
    {
        multigrid_truncate<V, I>(p_.executor(), product().view(), smoothed_->view(), smoothed_->values());
    }
    static SmoothedAggregates<V, I> smoothing(const TransferRule& rule, const Sums& strong_sums,
                                              const Aggregates<I>& aggregates)
    {
        return {aggregates.of_rows.data(), strong_sums.data(), rule.prolongator_damping};
    }
    static Csr<V, I> make_prolongator(const TransferRule& rule, const Csr<V, I>& strong, const Sums& strong_sums,
                                      const Aggregates<I>& aggregates, ProlongatorRows<I> rows)
    {
        const auto& exec = strong.executor();
        Array<I> col_idxs(exec, rows.num_nonzeros);
        Array<V> values(exec, rows.num_nonzeros);
        multigrid_prolongator<V, I>(exec, strong.view(), smoothing(rule, strong_sums, aggregates), rows.row_ptrs.data(),
                                    col_idxs.data(), values.data());
        return Csr<V, I>(exec, {strong.size().rows, aggregates.count}, std::move(rows.row_ptrs), std::move(col_idxs),
                         std::move(values));
    }

    TransferRule rule_;
    Array<V> values_;  ///< of P on another one's pattern
    Csr<V, I> p_;
    Array<V> product_values_ = Array<V>(p_.executor());  ///< of A P on another one's pattern
    std::optional<StartedProduct<V, I>> started_;
    std::optional<Product<V, I>> product_;
    Array<I> smoothed_ptrs_ = Array<I>(p_.executor());
    std::optional<Csr<V, I>> smoothed_;
};

}  // namespace linden::detail
