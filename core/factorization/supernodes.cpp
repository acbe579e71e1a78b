#include "core/factorization/supernodes.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "core/factorization/subtree_tasks.hpp"

// instantiate: detail::Supernodes<I> detail::make_supernodes<I>(const HostPattern<I>&, const std::vector<I>&, const std::vector<size_type>&, size_type)
// instantiate: size_type detail::Supernodes<I>::num_lower() const
// instantiate: size_type detail::Supernodes<I>::bytes() const

namespace linden::detail {

template <class I>
size_type Supernodes<I>::num_lower() const
{
    size_type sum = 0;
    for (size_type s = 0; s < count(); ++s) {
        const size_type width = first[s + 1] - first[s];
        sum += value_ptrs[s + 1] - value_ptrs[s] - width * (width - 1) / 2;
    }
    return sum;
}

template <class I>
size_type Supernodes<I>::bytes() const
{
    std::size_t indices = 0;
    for (const auto* array :
         {&first, &row_ptrs, &rows, &source_ptrs, &sources, &order, &task_ptrs, &task_row_ptrs, &task_rows}) {
        indices += array->size();
    }
    return static_cast<size_type>(indices * sizeof(I) + value_ptrs.size() * sizeof(size_type));
}

namespace {

/// Successive columns, and their entries in L; `below`: rows below the last one.
struct Group {
    size_type begin = 0, end = 0, below = 0, entries = 0;

    size_type width() const { return end - begin; }
};

/// Of a supernode of two groups, that of the child before that of its parent.
Group joined(const Group& child, const Group& parent)
{
    return {child.begin, parent.end, parent.below, child.entries + parent.entries};
}

/// Whether a supernode holds few zeros for its width, by the limits of CHOLMOD.
bool is_dense(const Group& g)
{
    const size_type w = g.width(), room = w * g.below + w * (w + 1) / 2;
    const double zeros = static_cast<double>(room - g.entries) / static_cast<double>(room);
    return w <= 4 || (w <= 16 && zeros < 0.8) || (w <= 48 && zeros < 0.1) || zeros < 0.05;
}

template <class I>
class SupernodeBuilder {
public:
    SupernodeBuilder(const HostPattern<I>& graph, const std::vector<I>& parent, const std::vector<size_type>& counts,
                     size_type most_columns)
        : graph_(graph),
          parent_(parent),
          counts_(counts),
          most_columns_(most_columns),
          n_(static_cast<I>(parent.size())),
          supernode_of_(parent.size())
    {
    }

    Supernodes<I> build()
    {
        for (const auto& group : groups()) {
            const auto parts = (group.width() + most_columns_ - 1) / most_columns_;
            for (size_type part = 1; part <= parts; ++part) {
                result_.first.push_back(static_cast<I>(group.begin + group.width() * part / parts));
            }
        }
        for (I s = 0; s < num_supernodes(); ++s) {
            std::fill(supernode_of_.begin() + first(s), supernode_of_.begin() + first(s + 1), s);
        }
        find_parents();
        find_rows();
        find_sources();
        find_tasks();
        return std::move(result_);
    }

private:
    I num_supernodes() const { return static_cast<I>(result_.first.size() - 1); }
    I first(I s) const { return result_.first[s]; }

    /// Columns with the same rows below them; then children that end where their parents begin are joined with them.
    std::vector<Group> groups() const
    {
        std::vector<Group> all;
        for (I begin = 0; begin < n_;) {
            I end = begin + 1;
            size_type entries = counts_[begin];
            while (end < n_ && parent_[end - 1] == end && counts_[end - 1] == counts_[end] + 1) {
                entries += counts_[end++];
            }
            Group group{begin, end, counts_[end - 1] - 1, entries};
            while (!all.empty()) {
                const auto above = parent_[all.back().end - 1];
                const auto both = joined(all.back(), group);
                if (above < 0 || above >= group.end || !is_dense(both)) {
                    break;
                }
                group = both;
                all.pop_back();
            }
            all.push_back(group);
            begin = end;
        }
        return all;
    }

    void find_parents()
    {
        result_.parents.assign(result_.first.size() - 1, -1);
        for (I s = 0; s < num_supernodes(); ++s) {
            const I up = parent_[first(s + 1) - 1];
            result_.parents[s] = up < 0 ? I{-1} : supernode_of_[up];
        }
    }

    /// Those below a supernode: of its columns in A, and of its children.
    void find_rows()
    {
        std::vector<I> child(result_.parents.size(), -1), sibling(result_.parents.size(), -1), seen(parent_.size(), -1);
        auto& rows = result_.rows;
        for (I s = 0; s < num_supernodes(); ++s) {
            const I begin = first(s), end = first(s + 1);
            const auto add = [&](I row) {
                if (row >= end && seen[row] != s) {
                    seen[row] = s;
                    rows.push_back(row);
                }
            };
            const auto own = static_cast<std::ptrdiff_t>(rows.size());
            for (I j = begin; j < end; ++j) {
                rows.push_back(j);
            }
            for (I k = graph_.row_ptrs[begin]; k < graph_.row_ptrs[end]; ++k) {
                add(graph_.col_idxs[k]);
            }
            for (I c = child[s]; c >= 0; c = sibling[c]) {
                for (I k = result_.row_ptrs[c] + first(c + 1) - first(c); k < result_.row_ptrs[c + 1]; ++k) {
                    add(rows[k]);
                }
            }
            std::sort(rows.begin() + own + (end - begin), rows.end());
            result_.row_ptrs.push_back(static_cast<I>(rows.size()));
            result_.value_ptrs.push_back(result_.value_ptrs.back() +
                                         (static_cast<size_type>(rows.size()) - own) * (end - begin));
            if (result_.parents[s] >= 0) {
                sibling[s] = std::exchange(child[result_.parents[s]], s);
            }
        }
    }

    /// Calls each(s, k, begin, end) for the supernodes s whose columns are rows begin to end of supernode k below it.
    template <class Each>
    void for_each_update(const Each& each) const
    {
        const I* const rows = result_.rows.data();
        for (I k = 0; k < num_supernodes(); ++k) {
            const I height = result_.row_ptrs[k + 1] - result_.row_ptrs[k];
            const I* const of_k = rows + result_.row_ptrs[k];
            for (I p = first(k + 1) - first(k); p < height;) {
                const I begin = p, s = supernode_of_[of_k[p]];
                while (p < height && of_k[p] < first(s + 1)) {
                    ++p;
                }
                each(s, k, begin, p);
            }
        }
    }

    void find_sources()
    {
        auto& ptrs = result_.source_ptrs;
        ptrs.assign(result_.first.size(), 0);
        for_each_update([&](I s, I, I, I) { ++ptrs[s + 1]; });
        std::partial_sum(ptrs.begin(), ptrs.end(), ptrs.begin());
        result_.sources.resize(3 * static_cast<std::size_t>(ptrs.back()));
        std::vector<I> next(ptrs.begin(), ptrs.end() - 1);
        for_each_update([&](I s, I k, I begin, I end) {
            const std::array<I, 3> source{k, begin, end};
            std::copy(source.begin(), source.end(), result_.sources.begin() + 3 * std::ptrdiff_t{next[s]++});
        });
    }

    void find_tasks()
    {
        std::vector<double> work(result_.parents.size());
        for (I s = 0; s < num_supernodes(); ++s) {
            const auto height = static_cast<double>(result_.row_ptrs[s + 1] - result_.row_ptrs[s]);
            work[s] = 100 + height * height * static_cast<double>(first(s + 1) - first(s));
        }
        auto tasks = cut_into_tasks(work, result_.parents);
        result_.order = std::move(tasks.order);
        result_.task_ptrs = std::move(tasks.task_ptrs);
        find_rows_of_tasks();
    }

    /// Those of a root of a task's subtrees hold those of the others.
    void find_rows_of_tasks()
    {
        const auto& ptrs = result_.task_ptrs;
        const std::size_t last = ptrs.size() - 2;
        std::vector<char> is_last(result_.parents.size(), 0);
        for (I p = ptrs[last]; p < ptrs[last + 1]; ++p) {
            is_last[result_.order[p]] = 1;
        }
        auto& rows = result_.task_rows;
        for (std::size_t task = 0; task < last; ++task) {
            const auto own = static_cast<std::ptrdiff_t>(rows.size());
            for (I p = ptrs[task]; p < ptrs[task + 1]; ++p) {
                const I s = result_.order[p];
                if (result_.parents[s] >= 0 && is_last[result_.parents[s]] != 0) {
                    rows.insert(rows.end(), result_.rows.begin() + result_.row_ptrs[s] + first(s + 1) - first(s),
                                result_.rows.begin() + result_.row_ptrs[s + 1]);
                }
            }
            std::sort(rows.begin() + own, rows.end());
            rows.erase(std::unique(rows.begin() + own, rows.end()), rows.end());
            result_.task_row_ptrs.push_back(static_cast<I>(rows.size()));
        }
        result_.task_row_ptrs.push_back(static_cast<I>(rows.size()));
    }

    const HostPattern<I>& graph_;
    const std::vector<I>& parent_;
    const std::vector<size_type>& counts_;
    size_type most_columns_;
    I n_;
    std::vector<I> supernode_of_;  ///< of each column
    Supernodes<I> result_;
};

}  // namespace

template <class I>
Supernodes<I> make_supernodes(const HostPattern<I>& graph, const std::vector<I>& parent,
                              const std::vector<size_type>& counts, size_type most_columns)
{
    return SupernodeBuilder<I>(graph, parent, counts, most_columns).build();
}

}  // namespace linden::detail
