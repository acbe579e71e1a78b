#include "core/factorization/column_pivoting.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <queue>
#include <utility>

#include "core/base/math.hpp"

// instantiate: std::vector<I> detail::columns_by_pivots<V, I>(const Csr<V, I>&, ThresholdRule, double)

namespace linden::detail {
namespace {

template <class V, class I>
class PivotSearch {
    using R = real_t<V>;

public:
    PivotSearch(const CsrData<V, I>& a, ThresholdRule rule, double pivoting)
        : a_(a),
          rule_(rule),
          pivoting_(pivoting),
          order_(static_cast<std::size_t>(a.size.rows)),
          place_(order_.size()),
          values_(order_.size()),
          seen_(order_.size(), -1),
          pivots_(order_.size()),
          u_(order_.size())
    {
        std::iota(order_.begin(), order_.end(), I{0});
        place_ = order_;
    }

    std::vector<I> run()
    {
        for (I row = 0; row < static_cast<I>(order_.size()); ++row) {
            eliminate(row);
            choose_pivot(row);
            keep(row);
        }
        return std::move(order_);
    }

private:
    /// w := a_row - l_row U, for columns that have no pivot yet.
    void eliminate(I row)
    {
        columns_.clear();
        R squares{};
        for (I k = a_.row_ptrs[row]; k < a_.row_ptrs[row + 1]; ++k) {
            add(row, a_.col_idxs[k], a_.values[k]);
            squares += std::norm(a_.values[k]);
        }
        norm_ = std::sqrt(squares);
        while (!waiting_.empty()) {
            const I k = waiting_.top();
            waiting_.pop();
            const V l = values_[order_[k]] / pivots_[k];
            if (magnitude(l) < rule_.tolerance * static_cast<double>(norm_)) {
                continue;
            }
            for (const auto& [column, value] : u_[k]) {
                add(row, column, -l * value);
            }
        }
    }
    void add(I row, I column, V value)
    {
        if (seen_[column] == row) {
            values_[column] += value;
            return;
        }
        seen_[column] = row;
        values_[column] = value;
        if (place_[column] < row) {
            waiting_.push(place_[column]);
        } else {
            columns_.push_back(column);
        }
    }

    void choose_pivot(I row)
    {
        const I diagonal = order_[row];
        const auto on_diagonal = seen_[diagonal] == row ? magnitude(values_[diagonal]) : R{};
        I best = diagonal;
        R largest = on_diagonal;
        for (const I column : columns_) {
            const R size = magnitude(values_[column]);
            if (std::isfinite(size) && (size > largest || (size == largest && place_[column] < place_[best]))) {
                best = column;
                largest = size;
            }
        }
        if (static_cast<double>(largest) * pivoting_ > static_cast<double>(on_diagonal)) {
            std::swap(order_[row], order_[place_[best]]);
            std::swap(place_[diagonal], place_[best]);
        }
        const I chosen = order_[row];
        const V pivot = seen_[chosen] == row ? values_[chosen] : V{};
        const bool is_good = magnitude(pivot) > std::numeric_limits<R>::epsilon() * norm_;
        pivots_[row] = is_good ? pivot : V(norm_ > R{} ? norm_ : R{1});
    }

    /// The largest entries besides the pivot are the row of U.
    void keep(I row)
    {
        auto& kept = u_[row];
        for (const I column : columns_) {
            const double size = magnitude(values_[column]);
            if (place_[column] > row && size >= rule_.tolerance * static_cast<double>(norm_) && size > 0) {
                kept.emplace_back(column, values_[column]);
            }
        }
        const auto limit = static_cast<std::ptrdiff_t>(rule_.row_limit);
        if (static_cast<std::ptrdiff_t>(kept.size()) > limit) {
            std::nth_element(kept.begin(), kept.begin() + limit, kept.end(), [&](const auto& x, const auto& y) {
                const auto a = magnitude(x.second), b = magnitude(y.second);
                return a != b ? a > b : place_[x.first] < place_[y.first];
            });
            kept.resize(static_cast<std::size_t>(limit));
        }
        kept.shrink_to_fit();
    }

    const CsrData<V, I>& a_;
    ThresholdRule rule_;
    double pivoting_;
    std::vector<I> order_, place_;                                    ///< columns by position, and back
    std::vector<V> values_;                                           ///< of the row under elimination
    std::vector<I> seen_;                                             ///< the last row that had a column
    std::vector<I> columns_;                                          ///< of the row, without pivots
    std::priority_queue<I, std::vector<I>, std::greater<>> waiting_;  ///< positions to eliminate
    std::vector<V> pivots_;
    std::vector<std::vector<std::pair<I, V>>> u_;  ///< without pivots
    R norm_{};
};

}  // namespace

template <class V, class I>
std::vector<I> columns_by_pivots(const Csr<V, I>& a, ThresholdRule rule, double pivoting)
{
    const auto data = a.to_host();
    return PivotSearch<V, I>(data, rule, pivoting).run();
}

}  // namespace linden::detail
