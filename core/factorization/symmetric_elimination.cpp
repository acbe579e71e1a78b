#include "core/factorization/symmetric_elimination.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/math.hpp"
#include "core/factorization/ordered_graph.hpp"

// instantiate: std::optional<detail::EliminatedRows<V, I>> detail::eliminate_symmetric<V, I>(CsrView<V, I>, const detail::SymmetricOrder<I>&, real_t<V>)

namespace linden::detail {
namespace {

template <class V, class I>
class SymmetricEliminator {
    using R = real_t<V>;

public:
    SymmetricEliminator(CsrView<V, I> a, const SymmetricOrder<I>& order, R least_pivot)
        : a_(a),
          order_(order),
          least_pivot_(least_pivot),
          n_(static_cast<I>(a.rows)),
          place_(inverse_of(order.rows)),
          begin_(place_.size() + 1, 0),
          seen_(place_.size(), -1),
          lower_counts_(place_.size(), 0),
          path_(place_.size()),
          x_(place_.size(), V{}),
          pivots_(place_.size())
    {
        for (std::size_t i = 0; i < place_.size(); ++i) {
            begin_[i + 1] = begin_[i] + order.counts[i] - 1;
        }
        end_.assign(begin_.begin(), begin_.end() - 1);
        const auto num_upper = static_cast<std::size_t>(begin_.back());
        columns_.resize(num_upper);
        upper_.resize(num_upper);
        lower_.resize(num_upper);
        result_.tree.assign(place_.size(), -1);
        result_.norms.resize(place_.size());
        result_.is_hermitian = result_.is_definite = true;
    }

    std::optional<EliminatedRows<V, I>> run()
    {
        for (I i = 0; i < n_; ++i) {
            const R diagonal = load(i);
            const R pivot = solve(i, diagonal);
            if (!(magnitude(pivot) > least_pivot_ * result_.norms[i]) || !std::isfinite(pivot)) {
                return std::nullopt;
            }
            pivots_[i] = pivot;
            result_.is_definite &= pivot > 0;
        }
        if (!result_.is_definite && !are_pivots_large()) {
            return std::nullopt;
        }
        join_factors();
        return std::move(result_);
    }

private:
    /// x := row i of A left of the diagonal, whose entry is returned. path_, from first_ on: the columns of row i of L,
    /// each behind those that it needs. Those of an entry are its ancestors; a root has found its parent in i.
    R load(I i)
    {
        const I row = order_.rows[i];
        const double of_row = order_.scaling[row];
        I *const seen = seen_.data(), *const parent = result_.tree.data(), *const path = path_.data();
        const I *const places = place_.data(), *const columns = a_.col_idxs;
        const double* const scaling = order_.scaling.data();
        V* const x = x_.data();
        R sum{}, diagonal{};
        I first = n_;
        seen[i] = i;
        for (I k = a_.row_ptrs[row], end = a_.row_ptrs[row + 1]; k < end; ++k) {
            const I column = columns[k], place = places[column];
            const V value = static_cast<R>(of_row * scaling[column]) * a_.values[k];
            sum += abs2(value);
            if (place >= i) {
                diagonal = place == i ? real(value) : diagonal;
                continue;
            }
            x[place] = value;
            I length = 0;
            for (I j = place; seen[j] != i; j = parent[j]) {
                seen[j] = i;
                path[length++] = j;
                parent[j] = parent[j] < 0 ? i : parent[j];
            }
            while (length > 0) {
                path[--first] = path[--length];
            }
        }
        result_.norms[i] = std::sqrt(sum);
        first_ = first;
        return diagonal;
    }

    /// Row i of L, which is appended to its columns, and the pivot that is left of the diagonal entry.
    R solve(I i, R diagonal)
    {
        I *const ends = end_.data(), *const columns = columns_.data();
        V *const x = x_.data(), *const upper = upper_.data();
        for (I t = first_; t < n_; ++t) {
            const I k = path_[t], end = ends[k];
            const V value = std::exchange(x[k], V{});
            const V l = value / pivots_[k];
            for (I e = begin_[k]; e < end; ++e) {  // a_ij := a_ij - l_ik u_kj
                x[columns[e]] -= multiply(l, upper[e]);
            }
            diagonal -= real(multiply(l, conj(value)));
            columns[end] = i;
            upper[end] = conj(value);
            lower_[end] = l;
            ends[k] = end + 1;
        }
        lower_counts_[i] = n_ - first_;
        return diagonal;
    }

    bool are_pivots_large() const
    {
        for (I k = 0; k < n_; ++k) {
            const R most = magnitude(pivots_[k]) / R(diagonal_preference);
            if (!std::all_of(upper_.begin() + begin_[k], upper_.begin() + begin_[k + 1],
                             [most](V u) { return magnitude(u) <= most; })) {
                return false;
            }
        }
        return true;
    }

    /// Rows of U are sorted, since they have grown with i; those of L are, taken column by column.
    void join_factors()
    {
        auto& ptrs = result_.pattern.row_ptrs;
        ptrs.resize(place_.size() + 1);
        for (I i = 0; i < n_; ++i) {
            ptrs[i + 1] = ptrs[i] + lower_counts_[i] + order_.counts[i];
        }
        const auto count = static_cast<std::size_t>(ptrs.back());
        result_.pattern.col_idxs.resize(count);
        result_.values.resize(count);
        std::vector<I> next(ptrs.begin(), ptrs.end() - 1);
        I* const cols = result_.pattern.col_idxs.data();
        V* const values = result_.values.data();
        for (I k = 0; k < n_; ++k) {
            I at = next[k];
            cols[at] = k;
            values[at++] = V{pivots_[k]};
            for (I e = begin_[k]; e < begin_[k + 1]; ++e, ++at) {
                const I column = columns_[e], below = next[column]++;
                cols[at] = column;
                values[at] = upper_[e];
                cols[below] = k;
                values[below] = lower_[e];
            }
            const auto length = size_type{order_.counts[k]} - 1;
            result_.num_updates += length * length;
        }
        result_.columns = order_.rows;
    }

    CsrView<V, I> a_;
    const SymmetricOrder<I>& order_;
    R least_pivot_;
    I n_;
    std::vector<I> place_;        ///< of A's rows in the order
    std::vector<I> begin_, end_;  ///< of the entries of each row of U behind the diagonal, as far as they are known
    std::vector<I> seen_, lower_counts_, path_;
    std::vector<I> columns_;
    std::vector<V> upper_, lower_;  ///< u_kj, and l_jk in its place
    std::vector<V> x_;              ///< the row that is worked on; zeros elsewhere
    std::vector<R> pivots_;
    I first_ = 0;
    EliminatedRows<V, I> result_;
};

}  // namespace

template <class V, class I>
std::optional<EliminatedRows<V, I>> eliminate_symmetric(CsrView<V, I> a, const SymmetricOrder<I>& order,
                                                        real_t<V> least_pivot)
{
    return SymmetricEliminator<V, I>(a, order, least_pivot).run();
}

}  // namespace linden::detail
