#pragma once

#include "core/distributed/ghost_rows.hpp"
#include "core/multigrid/aggregates.hpp"

/// Aggregates of rows that are spread over ranks. They are those of one rank: keys are of the whole matrix's numbers,
/// and each round of the search exchanges the states of ghosts. [KelleyRajamanickam22]
namespace linden::detail {

/// Which rows are seen, and from whom their values come.
struct SpreadExtent {
    Communicator ranks;
    distributed::Extent extent;
    distributed::GhostMap map;  ///< of the extent's ghosts
};

template <class I>
struct SpreadAggregates {
    distributed::Partition partition;  ///< of the aggregates, which are numbered in the order of their roots
    distributed::Extent numbers;       ///< the aggregates of rows that are seen
    Array<I> of_rows;                  ///< of each row that is seen its aggregate's position there, -1 for none
};

/// The roots of rows that are seen: those of ghosts may be out of sight.
template <class I>
struct SpreadRoots {
    distributed::Extent all;  ///< the rows that are seen, and their roots
    Array<I> of_rows;         ///< of each row that is seen its root's position there, -1 for none; of own rows only
};

/// IndependentRoots for a graph whose rows are spread; those of ghosts are incomplete, and what is found for them is
/// replaced by what their owners find.
template <class I>
class SpreadIndependentRoots {
public:
    SpreadIndependentRoots(const Executor& exec, const SpreadExtent& seen, PatternView<I> graph)
        : exec_(exec),
          first_(seen.extent.first() - seen.extent.num_lower()),
          graph_(graph),
          fill_(exec, seen.ranks, seen.map, seen.extent),
          states_(exec, graph.rows),
          least_(exec, graph.rows)
    {
    }

    /// Collective. roots: as there, with those of ghosts, of which it counts only whether they have one.
    const std::uint64_t* find(const I* roots)
    {
        // States are compared, and none is a place: the host need not know of failures before the next message.
        constexpr auto later = distributed::Failures::thrown_later;
        aggregation_begin<I>(exec_, graph_, first_, roots, states_.data());
        fill_(states_, later);
        for (int round = 0; round < independent_set_rounds; ++round) {
            aggregation_spread<I>(exec_, graph_, roots, round == 0, states_.data(), least_.data());
            fill_(least_, later);
            aggregation_decide<I>(exec_, graph_, first_, roots, round + 1, least_.data(), states_.data());
            fill_(states_, later);
        }
        return states_.data();
    }

private:
    Executor exec_;
    size_type first_;  ///< the number of the lowest row that is seen, had the ghosts below no gaps
    PatternView<I> graph_;
    distributed::GhostFiller<I> fill_;
    Array<std::uint64_t> states_, least_;
};

/// Collective. See find_roots. a, graph: square, of all rows that are seen.
template <class V, class I>
SpreadRoots<I> find_spread_roots(const SpreadExtent& seen, const Csr<V, I>& a, PatternView<I> graph)
{
    const auto& exec = a.executor();
    const auto& extent = seen.extent;
    Array<I> before(exec, graph.rows);
    SpreadIndependentRoots<I> independent(exec, seen, graph);
    aggregation_join_members<I>(exec, graph, independent.find(nullptr), true, before.data());
    fill_ghosts<I>(seen.ranks, seen.map, extent, before);
    aggregation_join_members<I>(exec, graph, independent.find(before.data()), false, before.data());

    // Roots of ghosts may be out of sight: let all have the positions of their numbers among those of all roots.
    std::vector<std::int64_t> sent, received(seen.map.ghosts.size());
    for (const auto position : distributed::picked<I>(exec, before.data() + extent.num_lower(), seen.map.send_rows)) {
        sent.push_back(position < 0 ? -1 : extent.number(position));
    }
    exchange_ranges(seen.ranks, sent.data(), seen.map.sends, received.data(), seen.map.receives);
    auto all = extent.with(extent.others(received));
    // Those of ghosts are positions that their owners see.
    distributed::renumber(exec, before.data() + extent.num_lower(), extent.num_own(), extent, all);
    place_positions(extent, received, all, before);
    auto after = before.clone();
    aggregation_join_rest<V, I>(exec, a.view(), graph, before.data(), after.data());
    return {std::move(all), std::move(after)};
}

/// Collective. The owners' answers about `wanted`, ascending numbers of rows. answer(list): a list as long, by the
/// owner of these rows.
template <class Answer>
std::vector<std::int64_t> ask_owners(const Communicator& ranks, const distributed::Partition& partition,
                                     const std::vector<std::int64_t>& wanted, const Answer& answer)
{
    std::vector<std::vector<std::int64_t>> questions(static_cast<std::size_t>(ranks.size()));
    for (const auto row : wanted) {
        questions[static_cast<std::size_t>(partition.owner(row))].push_back(row);
    }
    auto asked = exchange_lists(ranks, questions);
    for (auto& list : asked) {
        list = answer(list);
    }
    std::vector<std::int64_t> answers;
    for (const auto& list : exchange_lists(ranks, asked)) {
        answers.insert(answers.end(), list.begin(), list.end());
    }
    return answers;
}

/// The numbers of aggregates over all ranks, from the roots that a rank has found.
template <class I>
class SpreadNumbers {
public:
    /// Collective. rows: who owns which row.
    SpreadNumbers(const SpreadExtent& seen, const distributed::Partition& rows, const SpreadRoots<I>& roots)
        : seen_(seen),
          roots_(roots),
          own_(roots.of_rows.data() + seen.extent.num_lower()),
          numbers_(exec(), num_own() + 1),
          partition_(distributed::Partition::by_rows(seen.ranks, number_own_roots()))
    {
        ask_for_foreign(rows);
    }

    /// Collective.
    SpreadAggregates<I> take()
    {
        const auto& extent = seen_.extent;
        const auto& all = roots_.all;
        const auto sent = of_own_rows(seen_.map.send_rows);
        std::vector<std::int64_t> received(seen_.map.ghosts.size());
        exchange_ranges(seen_.ranks, sent.data(), seen_.map.sends, received.data(), seen_.map.receives);
        auto numbers = received;
        numbers.insert(numbers.end(), of_ghosts_.begin(), of_ghosts_.end());
        auto aggregates = distributed::Extent::around(partition_, seen_.ranks.rank(), numbers);

        Array<I> map(exec(), all.size());
        array_shift<I>(exec(), num_own(), static_cast<I>(aggregates.num_lower()), numbers_.data(),
                       map.data() + all.num_lower());
        place_positions(all, of_ghosts_, aggregates, map);
        Array<I> of_rows(exec(), extent.size());
        I* const own = of_rows.data() + extent.num_lower();
        distributed::copy_within(exec(), own_, own, num_own());
        array_renumber<I>(exec(), num_own(), map.data(), own);
        place_positions(extent, received, aggregates, of_rows);
        return {std::move(partition_), std::move(aggregates), std::move(of_rows)};
    }

private:
    const Executor& exec() const { return roots_.of_rows.executor(); }
    size_type num_own() const { return seen_.extent.num_own(); }
    std::int64_t first() const { return partition_.first(seen_.ranks.rank()); }

    size_type number_own_roots()
    {
        Array<I> counted(exec(), num_own());
        array_shift<I>(exec(), num_own(), static_cast<I>(-roots_.all.num_lower()), own_, counted.data());
        aggregation_mark_roots<I>(exec(), num_own(), counted.data(), numbers_.data());
        return make_row_ptrs(numbers_, "the aggregates of a rank");
    }
    /// Collective. The aggregates of the ghosts that own rows have as roots.
    void ask_for_foreign(const distributed::Partition& rows)
    {
        const auto& all = roots_.all;
        Array<I> marks(exec(), all.size());
        exec().state().fill_zero(marks.data(), marks.bytes());
        array_mark_named<I>(exec(), num_own(), own_, marks.data());
        const auto is_root = ghosts_of(all, marks);
        std::vector<std::int64_t> foreign;
        for (std::size_t g = 0; g < is_root.size(); ++g) {
            if (is_root[g] != 0) {
                foreign.push_back(all.ghosts()[g]);
            }
        }
        const auto answers = ask_owners(seen_.ranks, rows, foreign, [&](const std::vector<std::int64_t>& asked) {
            std::vector<std::int64_t> own_rows, result;
            for (const auto row : asked) {
                own_rows.push_back(row - seen_.extent.first());
            }
            for (const auto number : distributed::picked<I>(exec(), numbers_.data(), own_rows)) {
                result.push_back(first() + number);
            }
            return result;
        });
        auto next = answers.begin();
        for (const auto mark : is_root) {
            of_ghosts_.push_back(mark != 0 ? *next++ : -1);
        }
    }
    /// The aggregates of own rows, -1 for none.
    std::vector<std::int64_t> of_own_rows(const std::vector<std::int64_t>& rows) const
    {
        const auto& all = roots_.all;
        const auto positions = distributed::picked<I>(exec(), own_, rows);
        std::vector<std::int64_t> own_roots, result;
        for (const auto position : positions) {
            const auto own = position - all.num_lower();
            own_roots.push_back(position >= 0 && own >= 0 && own < num_own() ? own : 0);
        }
        const auto numbers = distributed::picked<I>(exec(), numbers_.data(), own_roots);
        for (std::size_t i = 0; i < positions.size(); ++i) {
            const auto own = positions[i] - all.num_lower();
            result.push_back(positions[i] < 0   ? -1
                             : own < 0          ? of_ghosts_[static_cast<std::size_t>(positions[i])]
                             : own >= num_own() ? of_ghosts_[static_cast<std::size_t>(positions[i] - num_own())]
                                                : first() + numbers[i]);
        }
        return result;
    }

    const SpreadExtent& seen_;
    const SpreadRoots<I>& roots_;
    const I* own_;      ///< roots of own rows
    Array<I> numbers_;  ///< of own rows that are roots, from 0 on
    distributed::Partition partition_;
    std::vector<std::int64_t> of_ghosts_;  ///< aggregates of all.ghosts(), -1 where none was asked for
};

}  // namespace linden::detail
