#pragma once

#include <linden/error.hpp>
#include <linden/matrix/csr.hpp>
#include <linden/matrix/dense.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/math.hpp"
#include "core/factorization/direct_factors.hpp"
#include "core/factorization/factor_solve.hpp"
#include "core/factorization/ordered_graph.hpp"
#include "core/kernels/dense.hpp"
#include "core/kernels/reduction.hpp"
#include "core/matrix/visit_csr.hpp"

namespace linden::detail {

/// What stands in for bad pivots, in multiples of their row's norm.
template <class R>
R pivot_stand_in(Pivoting pivoting)
{
    constexpr R eps = std::numeric_limits<R>::epsilon();
    return pivoting == Pivoting::partial ? eps : std::sqrt(eps);
}

/// Pivots of n rows are rounding errors up to here, in multiples of their row's norm, even where no entry grows.
template <class R>
R rounding_of_pivots(Pivoting pivoting, size_type n)
{
    constexpr R eps = std::numeric_limits<R>::epsilon();
    return pivoting == Pivoting::partial ? eps : std::min(static_cast<R>(n) * eps, std::sqrt(eps));
}

/// Of a host, whose kernels have memory for each.
inline size_type num_threads_of(const Executor& exec) { return std::max<size_type>(exec.info().num_units, 1); }

/// The vectors of a solve with one right-hand side, or of the refinement that tries factors, whichever are more.
template <class V>
constexpr size_type bytes_of_trial(size_type n)
{
    constexpr size_type value = sizeof(V), real = sizeof(real_t<V>), of_stop = 1024;
    const size_type of_both = (n + num_error_parts) * real + 3 * n * value;
    return of_both + std::max(2 * n * value, reduction_workspace_bytes<V>(2) + of_stop);
}

/// Factors of a Csr in an order of its rows and columns and with a scaling, in whatever form they are.
template <class V, class I>
class OrderedFactors : public DirectFactors<V> {
public:
    using R = real_t<V>;

    /// Devices have faster products than kernels that go through rows one after the other.
    void find_residual(const LinOp<V>& matrix, const Dense<V>& b, const Dense<V>& x, Dense<V>& r, R* ratios) const final
    {
        const auto& a = csr_of<V, I>(this->plan_.name, matrix);
        const bool has_residual = !exec_.is_host();
        if (has_residual) {
            matrix.apply(x, r);
            dense_axpby<V>(exec_, V{1}, b.view(), V{-1}, r.view());
        }
        direct_error_ratios<V, I>(exec_, a.view(), b.view(), x.view(), r.view(), has_residual, ratios);
    }

    std::optional<PivotPlace> first_replaced() const final
    {
        const auto found = this->report();
        return found.num_bad == 0
                   ? std::nullopt
                   : std::optional(PivotPlace{size_type{rows_[found.first_row]}, size_type{columns_[found.first_row]}});
    }

    LogDeterminant<V> log_determinant() const final
    {
        LogDeterminant<V> result{0, V{R(is_odd(rows_) != is_odd(columns_) ? -1 : 1)}};
        for (std::size_t i = 0; i < rows_.size(); ++i) {
            result.log_magnitude -= std::log(row_scaling_[i]) + std::log(column_scaling_[i]);
        }
        for (const V pivot : pivots()) {
            const R size = magnitude(pivot);
            result.log_magnitude += std::log(static_cast<double>(size));
            result.argument *= pivot / size;
        }
        return result;
    }

    Inertia inertia() const final
    {
        Inertia result;
        for (const int sign : pivot_signs()) {
            ++(sign > 0 ? result.positive : sign < 0 ? result.negative : result.zero);
        }
        return result;
    }

    double norm1(const LinOp<V>& matrix) const final
    {
        const auto a = csr_of<V, I>(this->plan_.name, matrix).to_host();
        std::vector<double> sums(static_cast<std::size_t>(a.size.cols), 0);
        for (std::size_t k = 0; k < a.values.size(); ++k) {
            sums[a.col_idxs[k]] += magnitude(a.values[k]);
        }
        return sums.empty() ? 0 : *std::max_element(sums.begin(), sums.end());
    }

protected:
    OrderedFactors(const Csr<V, I>& a, const DirectPlan& plan, std::vector<I> rows, std::vector<I> columns,
                   std::vector<double> row_scaling, std::vector<double> column_scaling)
        : DirectFactors<V>(a.executor(), a.size(), plan),
          exec_(a.executor()),
          rows_(std::move(rows)),
          columns_(std::move(columns)),
          row_scaling_(std::move(row_scaling)),
          column_scaling_(std::move(column_scaling)),
          places_(exec_),
          new_rows_(exec_),
          scaling_(exec_),
          norms_(exec_),
          workspace_(exec_)
    {
    }

    void apply_impl(const Dense<V>& b, Dense<V>& x) const final { solve_->apply(b, x); }

    /// Those of L D L^H, also of Cholesky factors.
    virtual std::vector<V> pivots() const = 0;
    /// Of the two rows of a 2 x 2 pivot that begins with this one: u_12 and l_21.
    virtual std::vector<std::pair<V, V>> couplings_of_pairs() const = 0;

    template <class Make>
    void naming_what_lacks(const Make& make) const
    {
        try {
            make();
        } catch (const OutOfMemory& e) {
            throw OutOfMemory(static_cast<std::uint64_t>(this->factor_size_.bytes),
                              e.executor + " for the factors of " + std::string(this->plan_.name) + ", of " +
                                  std::to_string(this->factor_size_.entries) + " entries");
        }
    }

    R stand_in() const { return pivot_stand_in<R>(this->plan_.pivoting); }

    /// Small pivots of definite matrices are right; what is not positive gets one that lets no entry grow. Of others
    /// fixed pivots are right if no entry grows by more than 1 / sqrt(eps): where |a_ik| is at most about 1, as here,
    /// l_ik u_kj is at most |u_kj / u_kk|. Definite matrices, with |u_kj|^2 <= u_kk a_jj, and matrices with dominant
    /// rows have no others.
    PivotLimits<R> limits() const
    {
        const auto pivoting = this->plan_.pivoting;
        const bool is_definite = this->plan_.is_cholesky || this->plan_.judges_by_sign;
        return is_definite ? PivotLimits<R>{.norms = norms_.data(), .is_definite = true}
                           : PivotLimits<R>{.norms = norms_.data(),
                                            .least = rounding_of_pivots<R>(pivoting, this->size().rows),
                                            .stand_in = stand_in(),
                                            .small = pivoting == Pivoting::partial ? R{} : stand_in(),
                                            .keeps_sign = true};
    }

    /// x(i) := scaling[order[i]] b(order[i]).
    ScaledOrder<V, I> order_of(const std::vector<I>& order, const std::vector<double>& scaling) const
    {
        std::vector<R> factors;
        factors.reserve(order.size());
        for (const I i : order) {
            factors.push_back(static_cast<R>(scaling[i]));
        }
        return {Array<I>(exec_, order), Array<R>(exec_, factors)};
    }
    /// x(order[i]) := scaling[order[i]] b(i).
    ScaledOrder<V, I> places_of(const std::vector<I>& order, const std::vector<double>& scaling) const
    {
        return {Array<I>(exec_, inverse_of(order)), Array<R>(exec_, std::vector<R>(scaling.begin(), scaling.end()))};
    }
    std::unique_ptr<FactorSolve<V, I>> make_solve() const
    {
        return std::make_unique<FactorSolve<V, I>>(exec_, this->size().rows, order_of(rows_, row_scaling_),
                                                   places_of(columns_, column_scaling_));
    }
    /// As FactorSolve, of M^-H.
    std::unique_ptr<FactorSolve<V, I>> make_adjoint_solve() const
    {
        return std::make_unique<FactorSolve<V, I>>(exec_, this->size().rows, order_of(columns_, column_scaling_),
                                                   places_of(rows_, row_scaling_));
    }

    /// Of the eigenvalues of each pivot, 0 for replaced ones. Those of a 2 x 2 pivot S = [s11 s12; s21 s22] are found
    /// in the factors of [s21 s22; s11 s12]: det S = -u11 u22, s11 = l21 u11, s22 = u12.
    std::vector<int> pivot_signs() const
    {
        const auto pivot = pivots();
        const auto norms = norms_.to_host();
        const bool has_replaced = this->report().num_bad > 0;
        const auto is_replaced = [&](std::size_t i) {
            const R instead = stand_in() * (norms[i] > 0 ? norms[i] : R{1});
            return has_replaced &&
                   !(magnitude(magnitude(pivot[i]) - instead) > 4 * std::numeric_limits<R>::epsilon() * instead);
        };
        const auto sign_of = [](R x) { return x > 0 ? 1 : -1; };
        std::vector<int> signs(pivot.size());
        for (std::size_t i = 0; i < signs.size(); ++i) {
            signs[i] = is_replaced(i) ? 0 : sign_of(std::real(pivot[i]));
        }
        const auto couplings = couplings_of_pairs();
        for (std::size_t p = 0; p < pairs_.size(); ++p) {
            const auto i = static_cast<std::size_t>(pairs_[p]);
            const auto [u12, l21] = couplings[p];
            const int of_trace = sign_of(std::real(l21 * pivot[i]) + std::real(u12));
            const bool differ = std::real(pivot[i] * pivot[i + 1]) > 0;
            const int other = is_replaced(i) || is_replaced(i + 1) ? 0 : differ ? -of_trace : of_trace;
            signs[i] = is_replaced(i) && is_replaced(i + 1) ? 0 : of_trace;
            signs[i + 1] = other;
        }
        return signs;
    }

    Executor exec_;
    std::vector<I> pairs_;                              ///< rows of the factors that begin a 2 x 2 pivot
    std::vector<I> rows_, columns_;                     ///< row i and column j of the factors are those of A
    std::vector<double> row_scaling_, column_scaling_;  ///< of A's rows and columns
    Array<I> places_, new_rows_;                        ///< of A's entries; of the factors
    Array<R> scaling_, norms_;                          ///< of A's entries; of its rows
    Array<std::byte> workspace_;
    std::unique_ptr<FactorSolve<V, I>> solve_;
};

}  // namespace linden::detail
