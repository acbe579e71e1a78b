#include "core/kernels/breadth_first_search.hpp"

#include <algorithm>
#include <vector>

#include "omp/parallel.hpp"
#include "omp/wait.hpp"

/// Vertices lie anywhere in memory: what the rows after the next ones need is asked for ahead. Levels with few vertices
/// are one thread's, since to meet takes as long.
namespace linden::omp {
namespace {

constexpr size_type min_shared_level = 2048;

template <class I>
class Search {
public:
    Search(SearchView<I> search, SearchLimits limits, SearchCounts& counts, int threads)
        : search_(search),
          limits_(limits),
          counts_(counts),
          children_(static_cast<std::size_t>(threads)),
          starts_(children_.size() + 1)
    {
        counts_ = {0, search.level_ptrs[1], 0};
    }

    void run(int thread, int threads)
    {
        for (;;) {
            barrier_.wait(threads, [&] { do_narrow_levels(threads); });
            if (is_done_) {
                return;
            }
            const Range mine = range(thread, threads);
            claim(mine);
            barrier_.wait(threads, [] {});
            auto& children = children_[thread];
            collect(mine, children);
            barrier_.wait(threads, [&] { end_level(threads); });
            std::copy(children.begin(), children.end(), search_.order + starts_[thread]);
        }
    }

private:
    struct Range {
        I begin, end;
    };

    I level_begin() const { return search_.level_ptrs[counts_.num_levels]; }
    I level_end() const { return search_.level_ptrs[counts_.num_levels + 1]; }
    Range range(int thread, int threads) const
    {
        const size_type count = level_end() - level_begin();
        return {static_cast<I>(level_begin() + count * thread / threads),
                static_cast<I>(level_begin() + count * (thread + 1) / threads)};
    }

    /// Levels that one thread takes, up to one that all take.
    void do_narrow_levels(int threads)
    {
        for (;;) {
            const size_type count = level_end() - level_begin();
            if (count > 0 && limits_.is_beyond(counts_.num_levels, level_end())) {
                counts_.was_ended = 1;
            }
            is_done_ = count == 0 || counts_.was_ended != 0;
            if (is_done_ || (threads > 1 && count >= min_shared_level)) {
                return;
            }
            do_level();
        }
    }
    void do_level()
    {
        const Range all{level_begin(), level_end()};
        I next = all.end;
        for_each_entry(all, [&](I place, I neighbour) {
            if (search_.parents[neighbour] == search_not_found<I>) {
                search_.parents[neighbour] = place;
                search_.order[next++] = neighbour;
            }
        });
        add_level(next);
    }
    void add_level(I end)
    {
        search_.level_ptrs[counts_.num_levels + 2] = end;
        ++counts_.num_levels;
        counts_.num_found = end;
    }

    /// The first of a level's vertices becomes the parent of a neighbour, in whatever order threads come to it.
    void claim(Range mine) const
    {
        for_each_entry(mine, [&](I place, I neighbour) {
            I* const parent = search_.parents + neighbour;
            I seen = __atomic_load_n(parent, __ATOMIC_RELAXED);
            while (seen > place &&
                   !__atomic_compare_exchange_n(parent, &seen, place, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
            }
        });
    }
    void collect(Range mine, std::vector<I>& children) const
    {
        children.clear();
        I of_place = -1, last = -1;
        for_each_entry(mine, [&](I place, I neighbour) {
            const bool is_again = place == of_place && neighbour == last;
            of_place = place;
            last = neighbour;
            if (search_.parents[neighbour] == place && !is_again) {
                children.push_back(neighbour);
            }
        });
    }
    void end_level(int threads)
    {
        starts_[0] = level_end();
        for (int thread = 0; thread < threads; ++thread) {
            starts_[thread + 1] = starts_[thread] + static_cast<I>(children_[thread].size());
        }
        add_level(starts_[threads]);
    }

    /// Calls body(place, neighbour) for the entries of rows at these places.
    template <class Body>
    void for_each_entry(Range places, const Body& body) const
    {
        constexpr I ahead = 8;
        const auto& graph = search_.graph;
        const auto vertex = [&](I place) { return search_.order[std::min(place, places.end - 1)]; };
        for (I place = places.begin; place < places.end; ++place) {
            __builtin_prefetch(graph.row_ptrs + vertex(place + 3 * ahead));
            __builtin_prefetch(graph.col_idxs + graph.row_ptrs[vertex(place + 2 * ahead)]);
            const I soon = vertex(place + ahead);
            for (I k = graph.row_ptrs[soon]; k < std::min(graph.row_ptrs[soon] + 2 * ahead, graph.row_ptrs[soon + 1]);
                 ++k) {
                __builtin_prefetch(search_.parents + graph.col_idxs[k]);
            }
            const I here = search_.order[place];
            for (I k = graph.row_ptrs[here]; k < graph.row_ptrs[here + 1]; ++k) {
                body(place, graph.col_idxs[k]);
            }
        }
    }

    SearchView<I> search_;
    SearchLimits limits_;
    SearchCounts& counts_;
    std::vector<std::vector<I>> children_;
    std::vector<I> starts_;
    SpinBarrier barrier_;
    bool is_done_ = false;
};

template <class I>
void search(const Executor& exec, SearchView<I> view, SearchLimits limits, SearchCounts* counts, WorkspaceView)
{
    if (view.graph.rows == 0) {
        *counts = {};
        return;
    }
    const int wanted = num_parts(exec, NonzeroPartition<I>{view.graph.row_ptrs, view.graph.rows});
    Search<I> search(view, limits, *counts, wanted);
    run_team(wanted, [&](int thread, int threads) { search.run(thread, threads); });
}

}  // namespace

void register_breadth_first_search()
{
    for_each_index([]<class I>() { breadth_first_search<I>.bind(Backend::omp, search<I>); });
}

}  // namespace linden::omp
