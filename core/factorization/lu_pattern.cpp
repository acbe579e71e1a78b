#include "core/factorization/lu_pattern.hpp"

#include <algorithm>
#include <utility>

#include "core/factorization/closed_pattern.hpp"
#include "core/factorization/ordered_graph.hpp"
#include "core/matrix/row_pointers.hpp"

// instantiate: detail::HostPattern<I> detail::lu_pattern<I>(PatternView<I>, const DirectAnalysis<I>&)

namespace linden::detail {
namespace {

/// Where A + A^T has so many times the entries of A and its diagonal, the factors may have much less than its fill;
/// they get a pattern of their own if it has less than this part of that.
constexpr double unsymmetric = 1.1, worth_a_pattern = 0.9;

template <class I>
class PatternAfterSingletons {
public:
    PatternAfterSingletons(PatternView<I> a, const DirectAnalysis<I>& analysis)
        : a_(a),
          analysis_(analysis),
          first_(static_cast<I>(analysis.num_singletons)),
          place_(inverse_of(analysis.columns))
    {
    }

    /// Entries of A in rows and columns of no singletons.
    size_type num_others() const
    {
        size_type count = 0;
        for (std::size_t i = static_cast<std::size_t>(first_); i < place_.size(); ++i) {
            const I* const cols = a_.col_idxs;
            const I row = analysis_.rows[i];
            count += std::count_if(cols + a_.row_ptrs[row], cols + a_.row_ptrs[row + 1],
                                   [this](I column) { return place_[column] >= first_; });
        }
        return count;
    }

    /// The entries of the singletons' rows and columns, and `rest` for the others.
    HostPattern<I> join(const HostPattern<I>& rest)
    {
        f_.row_ptrs.reserve(place_.size() + 1);
        f_.col_idxs.reserve(static_cast<std::size_t>(a_.num_nonzeros) + place_.size() + rest.col_idxs.size());
        for (I i = 0; i < first_; ++i) {
            f_.col_idxs.push_back(i);
            append(i, [i](I column) { return column != i; });
        }
        for (I i = first_; i < static_cast<I>(place_.size()); ++i) {
            append(i, [this](I column) { return column < first_; });
            const auto cols = rest.col_idxs.begin();
            std::for_each(cols + rest.row_ptrs[i - first_], cols + rest.row_ptrs[i - first_ + 1],
                          [this](I column) { f_.col_idxs.push_back(column + first_); });
            f_.row_ptrs.back() = static_cast<I>(f_.col_idxs.size());
        }
        return std::move(f_);
    }

private:
    /// Row i, which is begun, gets those entries of A that are taken, and is sorted.
    template <class IsTaken>
    void append(I i, const IsTaken& is_taken)
    {
        const I row = analysis_.rows[i];
        for (I k = a_.row_ptrs[row]; k < a_.row_ptrs[row + 1]; ++k) {
            if (const I column = place_[a_.col_idxs[k]]; is_taken(column)) {
                f_.col_idxs.push_back(column);
            }
        }
        std::sort(f_.col_idxs.begin() + f_.row_ptrs.back(), f_.col_idxs.end());
        f_.row_ptrs.push_back(static_cast<I>(f_.col_idxs.size()));
    }

    PatternView<I> a_;
    const DirectAnalysis<I>& analysis_;
    I first_;
    std::vector<I> place_;
    HostPattern<I> f_;
};

}  // namespace

template <class I>
HostPattern<I> lu_pattern(PatternView<I> a, const DirectAnalysis<I>& analysis)
{
    const auto first = analysis.num_singletons;
    PatternAfterSingletons<I> joined(a, analysis);
    const auto others = first > 0 ? joined.num_others() : a.num_nonzeros;
    const auto lower = analysis.num_lower() - first;
    const auto filled = a.num_nonzeros - others + 2 * lower - (a.rows - first);
    if (static_cast<double>(analysis.graph.num_nonzeros()) > unsymmetric * static_cast<double>(others)) {
        auto own = closed_pattern<I>(a, analysis.rows, analysis.columns);
        if (static_cast<double>(own.num_nonzeros()) < worth_a_pattern * static_cast<double>(filled)) {
            return own;
        }
    }
    require_fits<I>(filled, "the factors");
    if (first == 0) {
        return filled_pattern(analysis.graph, analysis.parent, analysis.counts);
    }
    return joined.join(filled_pattern(analysis.graph, analysis.parent,
                                      std::vector<size_type>(analysis.counts.begin() + first, analysis.counts.end())));
}

}  // namespace linden::detail
