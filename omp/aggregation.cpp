#include "core/portable/aggregation.hpp"

#include <cstring>
#include <limits>
#include <numeric>
#include <vector>

#include "omp/parallel.hpp"
#include "omp/row_tiles.hpp"
#include "omp/rows_left.hpp"
#include "omp/short_strong_rows.hpp"

/// Kernels of core/portable/aggregation.hpp without branches that hang on the data: a row has few entries, and what a
/// processor foretells wrongly costs as much as all of them.
namespace linden::omp {
namespace {

constexpr std::uint64_t member = IndependentState::member;
constexpr std::uint64_t excluded = IndependentState::excluded;
static_assert(member == 0 && excluded == ~std::uint64_t{0});

template <class V, class I>
void measure(const Executor& exec, CsrView<V, I> a, real_t<V>* largest, real_t<V>* sums, I* is_mixed)
{
    const auto measure_row = [&](size_type row) {
        const I begin = a.row_ptrs[row];
        const I end = a.row_ptrs[row + 1];
        V diagonal{};
        for (I k = begin; k < end; ++k) {
            diagonal = a.col_idxs[k] == row ? conj(a.values[k]) : diagonal;
        }
        real_t<V> most{}, others{}, opposed{};
        for (I k = begin; k < end; ++k) {
            const bool is_other = a.col_idxs[k] != row;
            const real_t<V> size = is_other ? magnitude(a.values[k]) : real_t<V>{};
            others += size;
            most = size > most ? size : most;
            opposed += real(a.values[k] * diagonal) > 0 ? size : real_t<V>{};
        }
        largest[row] = most;
        sums[row] = others + magnitude(diagonal);
        if (is_mixed != nullptr) {
            is_mixed[row] = 10 * opposed > others ? 1 : 0;
        }
    };
    parallel_parts(exec, by_nonzeros(a), [&](size_type first, size_type last) {
        size_type row = first;
        while (row < last) {
            if constexpr (has_row_tiles<V, I>) {
                if (row + 8 <= last && EightMeasures::fit(a.row_ptrs, row)) {
                    EightMeasures(a, row).store(largest + row, sums + row,
                                                is_mixed == nullptr ? nullptr : is_mixed + row);
                    row += 8;
                    continue;
                }
            }
            measure_row(row++);
        }
    });
}

/// Which entries of a row are strong, where mirror images need not be looked at. [StrengthRule]
template <class V, class I>
class PlainStrength {
public:
    using R = real_t<V>;

    PlainStrength(const CsrView<V, I>& a, const StrengthRule<R>& rule, size_type row)
        : a_(a),
          rule_(rule),
          row_(row),
          factor_(static_cast<R>(0.9999 * rule.threshold)),
          here_(rule.largest[row])
    {
        for (I k = a.row_ptrs[row]; k < a.row_ptrs[row + 1]; ++k) {
            diagonal_ = a.col_idxs[k] == row ? conj(a.values[k]) : diagonal_;
        }
    }

    bool operator()(I k) const
    {
        const R size = magnitude(a_.values[k]);
        const bool is_above = size >= limit(k);
        const bool is_opposed = real(a_.values[k] * diagonal_) > 0;
        const bool is_strong = (size > 0) & is_above & !is_opposed;
        return is_strong | (a_.col_idxs[k] == row_);
    }
    /// Whether the mirror image of an entry that is not strong by itself decides.
    bool is_doubtful(I k) const
    {
        const bool is_weak = rule_.is_hermitian && R(1.001) * magnitude(a_.values[k]) < limit(k) && is_exact(row_) &&
                             is_exact(a_.col_idxs[k]);
        return !(is_weak || (*this)(k));
    }
    bool has_doubtful() const
    {
        for (I k = a_.row_ptrs[row_]; k < a_.row_ptrs[row_ + 1]; ++k) {
            if (is_doubtful(k)) {
                return true;
            }
        }
        return false;
    }

private:
    R limit(I k) const
    {
        const R there = rule_.largest[a_.col_idxs[k]];
        return factor_ * (here_ < there ? here_ : there);
    }
    bool is_exact(size_type i) const { return rule_.sums == nullptr || rule_.sums[i] < 1000 * rule_.largest[i]; }

    const CsrView<V, I>& a_;
    const StrengthRule<R>& rule_;
    size_type row_;
    R factor_;
    R here_;
    V diagonal_{};
};

template <class V, class I>
void count_strong(const Executor& exec, CsrView<V, I> a, StrengthRule<real_t<V>> rule, std::uint8_t* marks, I* counts)
{
    const CountStrong<V, I> count_with_mirrors{a, rule, marks, counts};
    const auto mark_all = [marks](I begin, I end, [[maybe_unused]] I end_of_part) {
        constexpr I word = 8;  // as many as these rows have at most; what is too much is overwritten
        if (marks != nullptr && begin + word <= end_of_part) {
            std::memset(marks + begin, 1, word);
        } else if (marks != nullptr) {
            std::fill(marks + begin, marks + end, std::uint8_t{1});
        }
    };
    const auto count_rows = [&](size_type first, size_type last, const auto& mark) {
        for (size_type row = first; row < last; ++row) {
            const I begin = a.row_ptrs[row];
            const I end = a.row_ptrs[row + 1];
            if constexpr (has_short_strong_rows<V, I>) {
                if (end - begin <= most_short_entries && is_all_strong(a, rule, row)) {
                    mark_all(begin, end, a.row_ptrs[last]);
                    counts[row] = end - begin;
                    continue;
                }
                const auto strong = find_strong(a, rule, row, marks);
                counts[row] = strong.count;
                if (strong.has_doubtful) {
                    count_with_mirrors(OneLane(), row);
                }
                continue;
            }
            const PlainStrength<V, I> is_strong(a, rule, row);
            I count = 0;
            for (I k = begin; k < end; ++k) {
                const bool is_marked = is_strong(k);
                mark(k, is_marked);
                count += is_marked ? 1 : 0;
            }
            counts[row] = count;
            if (count < end - begin && is_strong.has_doubtful()) {
                count_with_mirrors(OneLane(), row);
            }
        }
    };
    parallel_parts(exec, by_nonzeros(a), [&](size_type first, size_type last) {
        if (marks == nullptr) {
            count_rows(first, last, [](I, bool) {});
        } else {
            count_rows(first, last, [&](I k, bool is_marked) { marks[k] = is_marked ? 1 : 0; });
        }
    });
}

/// The marked entries of a row to their places from `at` to `end`. An entry is written where the next strong one comes
/// before it is known whether it is one, without a branch, and stays when it is.
template <class V, class I>
MarkedRow<V, I> take_entries_of_row(const CsrView<V, I>& a, const std::uint8_t* marks, size_type row, I at, I end,
                                    I* col_idxs, V* values)
{
    MarkedRow<V, I> result{at};
    const I last = a.row_ptrs[row + 1];
    I k = a.row_ptrs[row];
    for (; k < last && at < end; ++k) {
        const V value = a.values[k];
        const bool is_strong = marks[k] != 0;
        const bool is_diagonal = a.col_idxs[k] == row;
        col_idxs[at] = a.col_idxs[k];
        values[at] = value;
        result.diagonal_at = is_diagonal ? at : result.diagonal_at;
        result.diagonal = is_diagonal ? value : result.diagonal;
        result.sum += is_strong & !is_diagonal ? magnitude(value) : real_t<V>{};
        result.weak += is_strong ? V{} : value;
        at += is_strong ? 1 : 0;
    }
    for (; k < last; ++k) {
        result.weak += a.values[k];
    }
    return result;
}

template <class V, class I>
void take_marked(const Executor& exec, CsrView<V, I> a, const std::uint8_t* marks, const I* row_ptrs, I* col_idxs,
                 V* values, real_t<V>* sums)
{
    const auto take_row = [&](size_type row) {
        if constexpr (has_short_strong_rows<V, I>) {
            return take_marked_row(a, marks, row, row_ptrs[row], col_idxs, values);
        } else {
            return take_entries_of_row(a, marks, row, row_ptrs[row], row_ptrs[row + 1], col_idxs, values);
        }
    };
    parallel_parts(exec, by_nonzeros(a), [&](size_type first, size_type last) {
        for (size_type row = first; row < last; ++row) {
            const MarkedRow<V, I> taken = take_row(row);
            const V kept = lumped_diagonal(taken.diagonal, taken.weak);
            values[taken.diagonal_at] = kept;
            sums[row] = taken.sum + magnitude(kept);
        }
    });
}

template <class V, class I>
void take_strong(const Executor& exec, CsrView<V, I> a, StrengthRule<real_t<V>> rule, const I* row_ptrs, I* col_idxs)
{
    const TakeStrong<V, I> take_with_mirrors{a, rule, row_ptrs, col_idxs};
    parallel_parts(exec, by_nonzeros(a), [&](size_type first, size_type last) {
        for (size_type row = first; row < last; ++row) {
            const I begin = a.row_ptrs[row];
            const I end = a.row_ptrs[row + 1];
            const I end_of_kept = row_ptrs[row + 1];
            I at = row_ptrs[row];
            if (end_of_kept - at == end - begin) {
                std::copy(a.col_idxs + begin, a.col_idxs + end, col_idxs + at);
                continue;
            }
            const PlainStrength<V, I> is_strong(a, rule, row);
            // What follows the last kept one belongs to another row.
            for (I k = begin; k < end && at < end_of_kept; ++k) {
                col_idxs[at] = a.col_idxs[k];
                at += is_strong(k) ? 1 : 0;
            }
            if (at < end_of_kept) {
                take_with_mirrors(OneLane(), row);
            }
        }
    });
}

template <class I>
void spread(const Executor& exec, PatternView<I> graph, const I* roots, bool is_first, const std::uint64_t* states,
            std::uint64_t* least)
{
    const auto find_least = [&](size_type row) {
        std::uint64_t found = excluded;
        for (I k = graph.row_ptrs[row]; k < graph.row_ptrs[row + 1]; ++k) {
            const std::uint64_t other = states[graph.col_idxs[k]];
            found = other < found ? other : found;
        }
        least[row] = found == member ? excluded : found;
    };
    parallel_parts(exec, NonzeroPartition<I>{graph.row_ptrs, graph.rows}, [&](size_type begin, size_type end) {
        if (roots == nullptr && is_first) {
            for (size_type row = begin; row < end; ++row) {
                find_least(row);
            }
        } else if (roots == nullptr) {
            for_each_row_left(
                begin, end, [&](size_type row) { return least[row] != excluded; }, find_least);
        } else if (is_first) {
            for_each_row_left(
                begin, end, [&](size_type row) { return roots[row] < 0; }, find_least);
        } else {
            for_each_row_left(
                begin, end, [&](size_type row) { return (least[row] != excluded) & (roots[row] < 0); }, find_least);
        }
    });
}

template <class I>
void decide(const Executor& exec, PatternView<I> graph, size_type first, const I* roots, int round,
            const std::uint64_t* least, std::uint64_t* states)
{
    const auto decide_row = [&](size_type row, const auto& is_in_graph) {
        const std::uint64_t key = states[row];
        bool is_excluded = false, is_beaten = false;
        for (I k = graph.row_ptrs[row]; k < graph.row_ptrs[row + 1]; ++k) {
            const I col = graph.col_idxs[k];
            const bool counts = is_in_graph(col);
            is_excluded |= counts & (least[col] == excluded);
            is_beaten |= counts & (least[col] != key);
        }
        const std::uint64_t next = IndependentState::key(first + row, round, IndependentState::class_of(key));
        const std::uint64_t of_others = is_beaten ? next : member;
        states[row] = of_others | (std::uint64_t{0} - static_cast<std::uint64_t>(is_excluded));
    };
    const auto is_undecided = [&](size_type row) { return (states[row] != member) & (states[row] != excluded); };
    parallel_parts(exec, NonzeroPartition<I>{graph.row_ptrs, graph.rows}, [&](size_type begin, size_type end) {
        for_each_row_left(begin, end, is_undecided, [&](size_type row) {
            if (roots == nullptr) {
                decide_row(row, [](I) { return true; });
            } else {
                decide_row(row, [&](I col) { return roots[col] < 0; });
            }
        });
    });
}

/// Rows of each part that are still at work, in a list of its own. Lists are written in loops of their own: a place in
/// one hangs on what became of all rows before, and the work of a row would wait for that.
template <class I>
class RowLists {
public:
    RowLists(I* memory, int parts) : memory_(memory), counts_(static_cast<std::size_t>(parts)) {}

    size_type count() const { return std::accumulate(counts_.begin(), counts_.end(), size_type{0}); }
    /// Lists those rows of [begin, end) that `stays(row)` holds for.
    template <class Stays>
    void start(int part, size_type begin, size_type end, const Stays& stays)
    {
        I* const list = memory_ + begin;
        size_type count = 0;
        for (size_type row = begin; row < end; ++row) {
            list[count] = static_cast<I>(row);
            count += stays(row) ? 1 : 0;
        }
        counts_[static_cast<std::size_t>(part)] = count;
    }
    /// Calls body(row) for listed rows, and announce(row) some rows ahead, then leaves those that `stays(row)` holds
    /// for.
    template <class Announce, class Body, class Stays>
    void go_on(int part, size_type begin, const Announce& announce, const Body& body, const Stays& stays)
    {
        constexpr size_type ahead = 16;
        const I* const list = memory_ + begin;
        const size_type count = counts_[static_cast<std::size_t>(part)];
        for (size_type i = 0; i < count; ++i) {
            announce(list[std::min(i + ahead, count - 1)]);
            body(list[i]);
        }
        keep(part, begin, stays);
    }
    /// Leaves those listed rows that `stays(row)` holds for.
    template <class Stays>
    void keep(int part, size_type begin, const Stays& stays)
    {
        I* const list = memory_ + begin;
        const size_type before = counts_[static_cast<std::size_t>(part)];
        size_type count = 0;
        for (size_type i = 0; i < before; ++i) {
            const I row = list[i];
            list[count] = row;
            count += stays(row) ? 1 : 0;
        }
        counts_[static_cast<std::size_t>(part)] = count;
    }

private:
    I* memory_;
    std::vector<size_type> counts_;
};

/// The rounds of a search, with half the bits of a state: without the row, which decides between neighbours of equal
/// keys by their order; and with the row that has the least state in place of that.
template <class I>
class CompactSearch {
public:
    /// memory: room for a state and a row of each row.
    CompactSearch(PatternView<I> graph, const I* roots, std::uint64_t* memory)
        : graph_(graph),
          roots_(roots),
          states_(reinterpret_cast<std::uint32_t*>(memory)),
          least_(reinterpret_cast<std::uint32_t*>(memory) + graph.rows)
    {
    }

    bool is_in_graph(size_type row) const { return roots_ == nullptr || roots_[row] < 0; }
    bool may_spread(size_type row) const { return least_[row] != no_row; }
    bool is_undecided(size_type row) const { return (states_[row] != 0) & (states_[row] != no_row); }

    void take(size_type row, std::uint64_t state) const { states_[row] = compact(state); }
    std::uint64_t give(size_type row) const
    {
        const std::uint64_t state = states_[row];
        const std::uint64_t key = state << row_bits | static_cast<std::uint64_t>(row);
        return state == 0 ? member : state == no_row ? excluded : key;
    }
    void spread(size_type row) const
    {
        std::uint32_t found = no_row, where = no_row;
        for (I k = graph_.row_ptrs[row]; k < graph_.row_ptrs[row + 1]; ++k) {
            const auto col = static_cast<std::uint32_t>(graph_.col_idxs[k]);
            const std::uint32_t other = states_[col];
            const bool is_less = other < found;
            found = is_less ? other : found;
            where = is_less ? col : where;
        }
        least_[row] = found == 0 ? no_row : where;
    }
    /// Fetches the entries of a row that comes next.
    void announce(size_type row) const { __builtin_prefetch(graph_.col_idxs + graph_.row_ptrs[row]); }
    /// Excludes a row beside a member, without a look at others; whether it has.
    bool exclude(size_type row) const
    {
        const bool is_excluded = least_[row] == no_row;
        states_[row] |= std::uint32_t{0} - static_cast<std::uint32_t>(is_excluded);
        return is_excluded;
    }
    /// Whether it is the least among its neighbours.
    bool is_least(size_type row) const { return least_[row] == static_cast<std::uint32_t>(row); }
    /// Gives an undecided row that is not the least the key of the next round, where none is excluded.
    void lose(size_type row, int round) const
    {
        const std::uint32_t next = next_key(row, round);
        states_[row] = is_undecided(row) & !is_least(row) ? next : states_[row];
    }
    void decide(size_type row, int round) const
    {
        if (roots_ == nullptr) {
            decide(row, round, [](I) { return true; });
        } else {
            decide(row, round, [this](I col) { return roots_[col] < 0; });
        }
    }

private:
    static constexpr int row_bits = 40;
    static constexpr std::uint32_t no_row = ~std::uint32_t{0};

    static std::uint32_t compact(std::uint64_t state)
    {
        return state == excluded ? no_row : static_cast<std::uint32_t>(state >> row_bits);
    }
    std::uint32_t next_key(size_type row, int round) const
    {
        const int own_class = static_cast<int>(states_[row] >> (58 - row_bits)) - 1;
        return compact(IndependentState::key(row, round, own_class));
    }
    template <class IsInGraph>
    void decide(size_type row, int round, const IsInGraph& counts) const
    {
        bool is_excluded = false, is_beaten = false;
        for (I k = graph_.row_ptrs[row]; k < graph_.row_ptrs[row + 1]; ++k) {
            const I col = graph_.col_idxs[k];
            is_excluded |= counts(col) & (least_[col] == no_row);
            is_beaten |= counts(col) & (least_[col] != static_cast<std::uint32_t>(row));
        }
        const std::uint32_t of_others = is_beaten ? next_key(row, round) : 0;
        states_[row] = of_others | (std::uint32_t{0} - static_cast<std::uint32_t>(is_excluded));
    }

    PatternView<I> graph_;
    const I* roots_;
    std::uint32_t* states_;
    std::uint32_t* least_;
};

/// Rounds go over lists of what is left, since most rows are decided in the first ones. Rows have 32 bits.
template <class I>
void search(const Executor& exec, PatternView<I> graph, const I* roots, int rounds, std::uint64_t* least,
            std::uint64_t* states, WorkspaceView workspace)
{
    const CompactSearch<I> rows(graph, roots, least);
    const NonzeroPartition<I> partition{graph.row_ptrs, graph.rows};
    const int parts = num_parts(exec, partition);
    I* const memory = reinterpret_cast<I*>(workspace.data + search_header_bytes);
    RowLists<I> spreading(memory, parts), undecided(memory + search_list_rows(graph.rows), parts);
    const auto for_each_part = [&](const auto& body) {
        run_parts(partition, parts, [&](int part, size_type begin, size_type end) { body(part, begin, end); });
    };
    const auto spread_row = [&](size_type row) { rows.spread(row); };
    const auto may_spread = [&](size_type row) { return rows.may_spread(row); };
    const auto is_undecided = [&](size_type row) { return rows.is_undecided(row); };
    const auto announce = [&](size_type row) { rows.announce(row); };
    parallel_rows(exec, graph.rows, [&](size_type begin, size_type end) {
        for (size_type row = begin; row < end; ++row) {
            rows.take(row, states[row]);
        }
    });
    for (int round = 0; round < rounds && (round == 0 || undecided.count() > 0); ++round) {
        const auto decide_row = [&](size_type row) { rows.decide(row, round + 1); };
        if (round == 0) {
            const auto is_in_graph = [&](size_type row) { return rows.is_in_graph(row); };
            for_each_part([&](int part, size_type begin, size_type end) {
                for_each_row_left(begin, end, is_in_graph, spread_row);
                spreading.start(part, begin, end, [&](size_type row) { return is_in_graph(row) & may_spread(row); });
            });
            const bool is_any_excluded = spreading.count() < graph.rows;
            for_each_part([&](int part, size_type begin, size_type end) {
                if (is_any_excluded) {
                    for_each_row_left(begin, end, is_undecided, decide_row);
                } else {
                    for_each_row_left(
                        begin, end, [&](size_type row) { return rows.is_least(row); }, decide_row);
                    for (size_type row = begin; row < end; ++row) {
                        rows.lose(row, round + 1);
                    }
                }
                undecided.start(part, begin, end, is_undecided);
            });
        } else {
            for_each_part([&](int part, size_type begin, size_type) {
                spreading.go_on(part, begin, announce, spread_row, may_spread);
            });
            for_each_part([&](int part, size_type begin, size_type) {
                undecided.keep(part, begin, [&](size_type row) { return !rows.exclude(row); });
                undecided.go_on(part, begin, announce, decide_row, is_undecided);
            });
        }
    }
    parallel_rows(exec, graph.rows, [&](size_type begin, size_type end) {
        for (size_type row = begin; row < end; ++row) {
            states[row] = rows.give(row);
        }
    });
}

/// Where rows have more bits than a state has left for them.
template <class I>
void search_any(const Executor& exec, PatternView<I> graph, const I* roots, int rounds, std::uint64_t* least,
                std::uint64_t* states, WorkspaceView workspace)
{
    if (graph.rows <= std::numeric_limits<std::int32_t>::max()) {
        search(exec, graph, roots, rounds, least, states, workspace);
        return;
    }
    for (int round = 0; round < rounds; ++round) {
        spread<I>(exec, graph, roots, round == 0, states, least);
        decide<I>(exec, graph, 0, roots, round + 1, least, states);
    }
}

template <class I>
void join_members(const Executor& exec, PatternView<I> graph, const std::uint64_t* states, bool is_first, I* roots)
{
    const auto join = [&](size_type row) {
        I root = -1;
        for (I k = graph.row_ptrs[row]; k < graph.row_ptrs[row + 1]; ++k) {
            const I col = graph.col_idxs[k];
            const bool is_root = (states[col] == member) & (col > root);
            root = is_root ? col : root;
        }
        roots[row] = root;
    };
    parallel_parts(exec, NonzeroPartition<I>{graph.row_ptrs, graph.rows}, [&](size_type begin, size_type end) {
        for (size_type row = begin; is_first && row < end; ++row) {
            join(row);
        }
        if (!is_first) {
            for_each_row_left(
                begin, end, [&](size_type row) { return roots[row] < 0; }, join);
        }
    });
}

template <class V, class I>
void join_rest(const Executor& exec, CsrView<V, I> a, PatternView<I> graph, const I* before, I* after)
{
    const JoinRest<V, I> join_any{a, graph, before, after};
    const auto join = [&](size_type row) {
        if constexpr (has_short_strong_rows<V, I>) {
            if (row_length(a, row) <= most_short_entries && row_length(graph, row) == row_length(a, row)) {
                after[row] = best_root_of_short_row(a, row, before);
                return;
            }
        }
        join_any(OneLane(), row);
    };
    parallel_rows(exec, a.rows, [&](size_type begin, size_type end) {
        for_each_row_left(
            begin, end, [&](size_type row) { return before[row] < 0; }, join);
    });
}

}  // namespace

void register_aggregation()
{
    for_each_index([]<class I>() {
        aggregation_spread<I>.bind(Backend::omp, spread<I>);
        aggregation_decide<I>.bind(Backend::omp, decide<I>);
        aggregation_search<I>.bind(Backend::omp, search_any<I>);
        aggregation_join_members<I>.bind(Backend::omp, join_members<I>);
    });
    for_each_value_index([]<class V, class I>() {
        aggregation_measure<V, I>.bind(Backend::omp, measure<V, I>);
        aggregation_count_strong<V, I>.bind(Backend::omp, count_strong<V, I>);
        aggregation_take_marked<V, I>.bind(Backend::omp, take_marked<V, I>);
        aggregation_take_strong<V, I>.bind(Backend::omp, take_strong<V, I>);
        aggregation_join_rest<V, I>.bind(Backend::omp, join_rest<V, I>);
    });
}

}  // namespace linden::omp
