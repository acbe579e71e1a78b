#include "core/factorization/supernode_turns.hpp"

#include <algorithm>
#include <array>
#include <numeric>

// instantiate: detail::TurnsOfSupernodes<I> detail::make_turns<I>(const detail::Supernodes<I>&, int)
// instantiate: size_type detail::bytes_of_turns<I>(const detail::Supernodes<I>&, int)

namespace linden::detail {
namespace {

/// Microseconds of a block of threads of an H200, from which the order of tasks follows: to begin and end a task, to
/// multiply by a column of a source, for a column of a block on the diagonal, and for one of a tile that is solved.
constexpr float of_task = 10, of_source_column = 0.2F, of_pivot = 0.4F, of_solved_column = 0.3F;

/// Columns of the sources of a part: of the last, which may wait for the supernode right before, and of others.
constexpr size_type least_of_part = 64, most_of_part = 512;

template <class I>
class TurnsBuilder {
public:
    TurnsBuilder(const Supernodes<I>& s, int num_sides) : s_(s), num_sides_(num_sides), solved_(s.parents.size()) {}

    TurnsOfSupernodes<I> build()
    {
        turns_.sources.reserve(s_.sources.size());
        for (size_type k = 0; k < s_.count(); ++k) {
            turns_.tile_ptrs.push_back(turns_.tile_ptrs.back() + static_cast<I>(supernode_tiles(s_.rows_below(k))));
            add_sources(k);
            add_tasks(k);
        }
        turns_.parts.push_back(static_cast<I>(turns_.sources.size() / 3));
        sort_tasks();
        add_solves();
        add_children();
        return std::move(turns_);
    }

private:
    struct Task {
        I supernode, number;
        float time;  ///< at which it could begin
    };

    size_type width(size_type k) const { return s_.first[k + 1] - s_.first[k]; }

    /// Those that are solved early first, in parts of which the last ones are small.
    void add_sources(size_type k)
    {
        sources_.clear();
        for (I q = s_.source_ptrs[k]; q < s_.source_ptrs[k + 1]; ++q) {
            const I* const source = s_.sources.data() + 3 * std::ptrdiff_t{q};
            sources_.push_back({source[0], source[1], source[2]});
        }
        std::stable_sort(sources_.begin(), sources_.end(),
                         [&](const auto& x, const auto& y) { return solved_[x[0]] < solved_[y[0]]; });
        const auto first = static_cast<I>(turns_.sources.size() / 3);
        const auto own = static_cast<std::ptrdiff_t>(turns_.parts.size());
        size_type most = least_of_part, columns = 0;
        for (std::size_t q = sources_.size(); q-- > 0;) {
            columns += width(sources_[q][0]);
            if (columns >= most || q == 0) {
                turns_.parts.push_back(first + static_cast<I>(q));
                columns = 0;
                most = std::min(2 * most, most_of_part);
            }
        }
        std::reverse(turns_.parts.begin() + own, turns_.parts.end());
        turns_.part_ptrs.push_back(static_cast<I>(turns_.parts.size()));
        for (const auto& source : sources_) {
            turns_.sources.insert(turns_.sources.end(), source.begin(), source.end());
        }
    }

    /// See SupernodeTurns.
    void add_tasks(size_type k)
    {
        const auto num_tiles = static_cast<I>(num_sides_ * supernode_tiles(s_.rows_below(k)));
        const I num_parts = turns_.part_ptrs[k + 1] - turns_.part_ptrs[k];
        const auto first = static_cast<I>(turns_.sources.size() / 3 - sources_.size());
        float time = 0;
        I number = 0;
        const auto add = [&](I count) {
            for (I t = 0; t < count; ++t) {
                tasks_.push_back({static_cast<I>(k), number++, time});
            }
        };
        for (I part = 0; part < num_parts; ++part) {
            const I at = turns_.part_ptrs[k] + part;
            const I begin = turns_.parts[at] - first;
            const I end = part + 1 < num_parts ? turns_.parts[at + 1] - first : static_cast<I>(sources_.size());
            size_type columns = 0;
            for (I q = begin; q < end; ++q) {
                columns += width(sources_[q][0]);
            }
            time = std::max(time, solved_[sources_[end - 1][0]]);
            add(part + 1 < num_parts ? num_tiles + 1 : num_tiles);
            time += of_task + of_source_column * static_cast<float>(columns);
        }
        add(1);
        time += of_task + of_pivot * static_cast<float>(width(k));
        add(num_tiles);
        solved_[k] = time + of_task + of_solved_column * static_cast<float>(width(k));
    }

    /// By time, as exactly as there are tasks; those of the same time as they were made, each behind those that it
    /// needs.
    void sort_tasks()
    {
        float most = 1;
        for (const auto& task : tasks_) {
            most = std::max(most, task.time);
        }
        const auto place_of = [count = tasks_.size(), most](const Task& task) {
            return std::min(static_cast<std::size_t>(double{task.time} / double{most} * static_cast<double>(count)),
                            count);
        };
        std::vector<std::size_t> next(tasks_.size() + 2, 0);
        for (const auto& task : tasks_) {
            ++next[place_of(task) + 1];
        }
        std::partial_sum(next.begin(), next.end(), next.begin());
        turns_.tasks.resize(2 * tasks_.size());
        for (const auto& task : tasks_) {
            const auto at = 2 * next[place_of(task)]++;
            turns_.tasks[at] = task.supernode;
            turns_.tasks[at + 1] = task.number;
        }
    }

    /// Of the supernodes far from their roots first.
    void add_solves()
    {
        std::vector<I> depth(s_.parents.size(), 0);
        I most = 0;
        for (std::size_t k = depth.size(); k-- > 0;) {
            depth[k] = s_.parents[k] < 0 ? I{0} : depth[s_.parents[k]] + 1;
            most = std::max(most, depth[k]);
        }
        const auto count_of = [&](std::size_t k) {
            return std::max(turns_.tile_ptrs[k + 1] - turns_.tile_ptrs[k], I{1});
        };
        std::vector<std::size_t> next(static_cast<std::size_t>(most) + 2, 0);
        for (std::size_t k = 0; k < depth.size(); ++k) {
            next[most - depth[k] + 1] += 2 * static_cast<std::size_t>(count_of(k));
        }
        std::partial_sum(next.begin(), next.end(), next.begin());
        turns_.solves.resize(next.back());
        for (std::size_t k = 0; k < depth.size(); ++k) {
            for (I t = 0; t < count_of(k); ++t) {
                turns_.solves[next[most - depth[k]]++] = static_cast<I>(k);
                turns_.solves[next[most - depth[k]]++] = t;
            }
        }
    }

    /// And where their rows are in their parents' panels.
    void add_children()
    {
        auto& ptrs = turns_.child_ptrs;
        ptrs.assign(s_.parents.size() + 1, 0);
        for (const I up : s_.parents) {
            ptrs[up + 1] += up >= 0 ? 1 : 0;
        }
        std::partial_sum(ptrs.begin(), ptrs.end(), ptrs.begin());
        turns_.children.resize(static_cast<std::size_t>(ptrs.back()));
        turns_.places.reserve(s_.rows.size() - static_cast<std::size_t>(s_.first.back()));
        std::vector<I> next(ptrs.begin(), ptrs.end() - 1);
        for (size_type k = 0; k < s_.count(); ++k) {
            const I up = s_.parents[k];
            if (up < 0) {
                continue;  // no row is below
            }
            turns_.children[next[up]++] = static_cast<I>(k);
            I place = 0;
            for (I r = s_.row_ptrs[k] + s_.first[k + 1] - s_.first[k]; r < s_.row_ptrs[k + 1]; ++r) {
                while (s_.rows[s_.row_ptrs[up] + place] < s_.rows[r]) {
                    ++place;
                }
                turns_.places.push_back(place);
            }
        }
    }

    const Supernodes<I>& s_;
    int num_sides_;
    std::vector<float> solved_;              ///< when supernodes should be
    std::vector<std::array<I, 3>> sources_;  ///< of one supernode
    std::vector<Task> tasks_;
    TurnsOfSupernodes<I> turns_;
};

}  // namespace

template <class I>
TurnsOfSupernodes<I> make_turns(const Supernodes<I>& s, int num_sides)
{
    return TurnsBuilder<I>(s, num_sides).build();
}

template <class I>
size_type bytes_of_turns(const Supernodes<I>& s, int num_sides)
{
    size_type indices = 4;  // ends of arrays; sources are those of s in another order
    for (size_type k = 0; k < s.count(); ++k) {
        size_type columns = 0;
        for (I q = s.source_ptrs[k]; q < s.source_ptrs[k + 1]; ++q) {
            const I source = s.sources[3 * std::size_t(q)];
            columns += s.first[source + 1] - s.first[source];
        }
        const size_type below = s.rows_below(k), tiles = supernode_tiles(below);
        const size_type parts =
            std::min<size_type>(s.source_ptrs[k + 1] - s.source_ptrs[k], 4 + columns / most_of_part);
        indices += 2 * (parts * (num_sides * tiles + 1) + 1 + num_sides * tiles) + parts;
        indices += 2 * std::max(tiles, size_type{1}) + 4 + below;
    }
    return indices * static_cast<size_type>(sizeof(I));
}

}  // namespace linden::detail
