#include "core/factorization/lu_pattern.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "core/factorization/closed_pattern.hpp"
#include "core/factorization/ordered_graph.hpp"
#include "core/matrix/row_pointers.hpp"

// instantiate: bool detail::has_own_pattern<I>(PatternView<I>, DirectAnalysis<I>&)
// instantiate: detail::HostPattern<I> detail::lu_pattern<I>(PatternView<I>, const DirectAnalysis<I>&)

namespace linden::detail {
namespace {

/// Where A + A^T has so many times the entries of A and its diagonal, the factors may have much less than its fill;
/// they get a pattern of their own if it has less than this part of that.
constexpr double unsymmetric = 1.1, worth_a_pattern = 0.9;

/// Of the rows and columns of singletons, with their diagonal, and of others.
struct Entries {
    size_type of_singletons = 0, of_others = 0;
};

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

    Entries count() const
    {
        Entries found;
        for (I i = 0; i < static_cast<I>(place_.size()); ++i) {
            const I row = analysis_.rows[i];
            for (I k = a_.row_ptrs[row]; k < a_.row_ptrs[row + 1]; ++k) {
                const I column = place_[a_.col_idxs[k]];
                const bool is_apart = i < first_ || column < first_;
                found.of_singletons += is_apart && column != i ? 1 : 0;
                found.of_others += is_apart ? 0 : 1;
            }
        }
        found.of_singletons += first_;
        return found;
    }

    /// The entries of the singletons' rows and columns, and `rest` for the others: num_entries in all.
    HostPattern<I> join(const HostPattern<I>& rest, size_type num_entries) const
    {
        HostPattern<I> f;
        f.row_ptrs.reserve(place_.size() + 1);
        f.col_idxs.resize(static_cast<std::size_t>(num_entries));
        I* to = f.col_idxs.data();
        for (I i = 0; i < static_cast<I>(place_.size()); ++i) {
            I* const begin = to;
            if (i < first_) {
                *to++ = i;
                to = append(
                    i, [i](I column) { return column != i; }, to);
                std::sort(begin, to);
            } else {
                to = append(
                    i, [this](I column) { return column < first_; }, to);
                std::sort(begin, to);
                const I* const cols = rest.col_idxs.data();
                to = std::transform(cols + rest.row_ptrs[i - first_], cols + rest.row_ptrs[i - first_ + 1], to,
                                    [this](I column) { return column + first_; });
            }
            f.row_ptrs.push_back(static_cast<I>(to - f.col_idxs.data()));
        }
        return f;
    }

private:
    /// The columns of row i that are taken.
    template <class IsTaken>
    I* append(I i, const IsTaken& is_taken, I* to) const
    {
        const I row = analysis_.rows[i];
        for (I k = a_.row_ptrs[row]; k < a_.row_ptrs[row + 1]; ++k) {
            if (const I column = place_[a_.col_idxs[k]]; is_taken(column)) {
                *to++ = column;
            }
        }
        return to;
    }

    PatternView<I> a_;
    const DirectAnalysis<I>& analysis_;
    I first_;
    std::vector<I> place_;
};

/// num_others: the entries of A but for singletons; num_filled: those that A + A^T leaves.
template <class I>
std::optional<HostPattern<I>> own_pattern(PatternView<I> a, const DirectAnalysis<I>& analysis, size_type num_others,
                                          size_type num_filled)
{
    if (static_cast<double>(analysis.graph.num_nonzeros()) <= unsymmetric * static_cast<double>(num_others)) {
        return std::nullopt;
    }
    return closed_pattern<I>(a, analysis.rows, analysis.columns, worth_a_pattern * static_cast<double>(num_filled));
}

}  // namespace

template <class I>
bool has_own_pattern(PatternView<I> a, DirectAnalysis<I>& analysis)
{
    if (!analysis.own) {
        analysis.own = own_pattern(a, analysis, a.num_nonzeros, 2 * analysis.num_lower() - a.rows);
    }
    return analysis.own->has_value();
}

template <class I>
HostPattern<I> lu_pattern(PatternView<I> a, const DirectAnalysis<I>& analysis)
{
    const auto first = analysis.num_singletons;
    const bool has_first = first > 0;
    const PatternAfterSingletons<I> joined(a, analysis);
    const auto entries = has_first ? joined.count() : Entries{0, a.num_nonzeros};
    const auto filled = entries.of_singletons + 2 * (analysis.num_lower() - first) - (a.rows - first);
    if (auto own = analysis.own ? *analysis.own : own_pattern(a, analysis, entries.of_others, filled)) {
        return *std::move(own);
    }
    require_fits<I>(filled, "the factors");
    if (!has_first) {
        return filled_pattern(analysis.graph, analysis.parent, analysis.counts);
    }
    const std::vector<size_type> counts(analysis.counts.begin() + first, analysis.counts.end());
    return joined.join(filled_pattern(analysis.graph, analysis.parent, counts), filled);
}

}  // namespace linden::detail
