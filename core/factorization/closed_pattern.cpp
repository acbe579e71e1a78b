#include "core/factorization/closed_pattern.hpp"

#include <algorithm>

#include "core/factorization/ordered_graph.hpp"
#include "core/matrix/row_pointers.hpp"

// instantiate: std::optional<detail::HostPattern<I>> detail::closed_pattern<I>(PatternView<I>, const std::vector<I>&, const std::vector<I>&, double)
// instantiate: double detail::operations_of<I>(PatternView<I>)

namespace linden::detail {
namespace {

template <class I>
class RowElimination {
public:
    explicit RowElimination(std::size_t n) : upper_(n), reached_end_(n), seen_(n, -1) {}

    /// Row i, next to those before it, has the entries that `add_entries(add)` adds, and their fill.
    template <class AddEntries>
    void append(I i, const AddEntries& add_entries)
    {
        in_upper_.assign(1, i);
        seen_[i] = i;
        const auto add = [&](I j) {
            if (seen_[j] != i) {
                seen_[j] = i;
                (j < i ? f_.col_idxs : in_upper_).push_back(j);
            }
        };
        add_entries(add);
        for (auto next = static_cast<std::size_t>(f_.row_ptrs[i]); next < f_.col_idxs.size(); ++next) {
            follow(f_.col_idxs[next], i, add);
        }
        upper_[i] = static_cast<I>(f_.col_idxs.size()) + 1;
        f_.col_idxs.insert(f_.col_idxs.end(), in_upper_.begin(), in_upper_.end());
        require_fits<I>(static_cast<std::int64_t>(f_.col_idxs.size()), "the factors");
        reached_end_[i] = static_cast<I>(f_.col_idxs.size());
        f_.row_ptrs.push_back(reached_end_[i]);
    }

    std::size_t num_entries() const { return f_.col_idxs.size(); }
    HostPattern<I> take() { return std::move(f_); }

private:
    /// Where (i, k) and (k, i) are entries, row i has all of row k beyond i: rows that reach k reach them through i.
    template <class Add>
    void follow(I k, I i, const Add& add)
    {
        bool meets = false;
        for (I e = upper_[k]; e < reached_end_[k]; ++e) {
            const I j = f_.col_idxs[e];
            meets |= j == i;
            add(j);
        }
        if (meets) {
            const auto first = f_.col_idxs.begin();
            const auto kept = std::partition(first + upper_[k], first + reached_end_[k], [i](I j) { return j <= i; });
            reached_end_[k] = static_cast<I>(kept - first);
        }
    }

    HostPattern<I> f_;                    ///< rows not sorted: of L, the diagonal, of U
    std::vector<I> upper_, reached_end_;  ///< of each row: entries of U that are followed
    std::vector<I> seen_, in_upper_;
};

}  // namespace

template <class I>
std::optional<HostPattern<I>> closed_pattern(PatternView<I> a, const std::vector<I>& rows,
                                             const std::vector<I>& columns, double most)
{
    const auto place = inverse_of(columns);
    RowElimination<I> elimination(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
        elimination.append(static_cast<I>(i), [&](const auto& add) {
            for (I k = a.row_ptrs[rows[i]]; k < a.row_ptrs[rows[i] + 1]; ++k) {
                add(place[a.col_idxs[k]]);
            }
        });
        if (static_cast<double>(elimination.num_entries()) > most) {
            return std::nullopt;
        }
    }
    const auto f = elimination.take();
    const auto same = [](I j) { return j; };
    return transpose_of(view_of(transpose_of(view_of(f), same)), same);
}

template <class I>
double operations_of(PatternView<I> f)
{
    std::vector<size_type> below(static_cast<std::size_t>(f.rows), 0), beyond(below);
    for (size_type i = 0; i < f.rows; ++i) {
        for (I k = f.row_ptrs[i]; k < f.row_ptrs[i + 1]; ++k) {
            below[f.col_idxs[k]] += f.col_idxs[k] < i ? 1 : 0;
            beyond[i] += f.col_idxs[k] > i ? 1 : 0;
        }
    }
    double sum = 0;
    for (std::size_t k = 0; k < below.size(); ++k) {
        sum += static_cast<double>(below[k]) * static_cast<double>(2 * beyond[k] + 1);
    }
    return sum;
}

}  // namespace linden::detail
