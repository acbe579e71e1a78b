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

/// States of ghosts from their owners.
template <class I>
class StateExchange {
public:
    StateExchange(const Executor& exec, const SpreadExtent& seen)
        : seen_(seen),
          sent_rows_(exec, sent_rows(seen)),
          ghost_rows_(exec, ghost_rows(seen)),
          sent_(exec, sent_rows_.size()),
          received_(exec, ghost_rows_.size())
    {
    }

    void operator()(Array<std::uint64_t>& states)
    {
        const auto& exec = states.executor();
        aggregation_pick<I>(exec, sent_.size(), sent_rows_.data(), states.data(), sent_.data());
        const auto sent = sent_.to_host();
        std::vector<std::uint64_t> received(static_cast<std::size_t>(received_.size()));
        exchange_ranges(seen_.ranks, sent.data(), seen_.map.sends, received.data(), seen_.map.receives);
        received_.copy_from_host(received.data());
        aggregation_place<I>(exec, received_.size(), ghost_rows_.data(), received_.data(), states.data());
    }

private:
    static std::vector<I> sent_rows(const SpreadExtent& seen)
    {
        std::vector<I> rows;
        for (const auto row : seen.map.send_rows) {
            rows.push_back(static_cast<I>(seen.extent.num_lower() + row));
        }
        return rows;
    }
    static std::vector<I> ghost_rows(const SpreadExtent& seen)
    {
        std::vector<I> rows;
        for (const auto number : seen.map.ghosts) {
            rows.push_back(static_cast<I>(seen.extent.position(number)));
        }
        return rows;
    }

    const SpreadExtent& seen_;
    Array<I> sent_rows_, ghost_rows_;
    Array<std::uint64_t> sent_, received_;
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
          exchange_(exec, seen),
          states_(exec, graph.rows),
          least_(exec, graph.rows)
    {
    }

    /// Collective. roots: as there, with those of ghosts, of which it counts only whether they have one.
    const std::uint64_t* find(const I* roots)
    {
        aggregation_begin<I>(exec_, graph_, first_, roots, states_.data());
        exchange_(states_);
        for (int round = 0; round < independent_set_rounds; ++round) {
            aggregation_spread<I>(exec_, graph_, roots, round == 0, states_.data(), least_.data());
            exchange_(least_);
            aggregation_decide<I>(exec_, graph_, first_, roots, round + 1, least_.data(), states_.data());
            exchange_(states_);
        }
        return states_.data();
    }

private:
    Executor exec_;
    size_type first_;  ///< the number of the lowest row that is seen, had the ghosts below no gaps
    PatternView<I> graph_;
    StateExchange<I> exchange_;
    Array<std::uint64_t> states_, least_;
};

/// Collective. The numbers of the roots of rows that are seen, -1 for none; see find_roots. a, graph: square, of all
/// rows that are seen.
template <class V, class I>
std::vector<std::int64_t> find_spread_roots(const SpreadExtent& seen, const Csr<V, I>& a, PatternView<I> graph)
{
    const auto& exec = a.executor();
    Array<I> before(exec, graph.rows);
    SpreadIndependentRoots<I> independent(exec, seen, graph);
    aggregation_join_members<I>(exec, graph, independent.find(nullptr), true, before.data());
    fill_ghosts(seen.ranks, seen.map, seen.extent, before);
    aggregation_join_members<I>(exec, graph, independent.find(before.data()), false, before.data());

    // Roots of ghosts may be out of sight: let all have the positions of their numbers among those of all roots.
    auto positions = before.to_host();
    std::vector<std::int64_t> roots(positions.size(), -1);
    for (auto i = seen.extent.num_lower(); i < seen.extent.num_lower() + seen.extent.num_own(); ++i) {
        const auto root = positions[static_cast<std::size_t>(i)];
        roots[static_cast<std::size_t>(i)] = root < 0 ? -1 : seen.extent.number(root);
    }
    fill_ghosts(seen.ranks, seen.map, seen.extent, roots.data());
    const auto all = distributed::Extent(seen.extent.first(), seen.extent.num_own(), seen.extent.others(roots));
    for (std::size_t i = 0; i < roots.size(); ++i) {
        positions[i] = roots[i] < 0 ? I{-1} : static_cast<I>(all.position(roots[i]));
    }
    before.copy_from_host(positions.data());
    auto after = before.clone();
    aggregation_join_rest<V, I>(exec, a.view(), graph, before.data(), after.data());
    positions = after.to_host();
    for (std::size_t i = 0; i < roots.size(); ++i) {
        roots[i] = positions[i] < 0 ? -1 : all.number(positions[i]);
    }
    return roots;
}

/// Collective. The answers of owners to `wanted`, ascending numbers of rows: values[row - first], of their own rows.
inline std::vector<std::int64_t> ask_owners(const Communicator& ranks, const distributed::Partition& partition,
                                            const std::vector<std::int64_t>& wanted,
                                            const std::vector<std::int64_t>& values)
{
    std::vector<std::vector<std::int64_t>> questions(static_cast<std::size_t>(ranks.size()));
    for (const auto row : wanted) {
        questions[static_cast<std::size_t>(partition.owner(row))].push_back(row);
    }
    auto asked = exchange_lists(ranks, questions);
    for (auto& list : asked) {
        for (auto& row : list) {
            row = values[static_cast<std::size_t>(row - partition.first(ranks.rank()))];
        }
    }
    std::vector<std::int64_t> answers;
    for (const auto& list : exchange_lists(ranks, asked)) {
        answers.insert(answers.end(), list.begin(), list.end());
    }
    return answers;
}

/// Collective. Numbers the aggregates of roots in their order over all ranks. rows: who owns which row.
template <class I>
SpreadAggregates<I> number_spread_aggregates(const Executor& exec, const SpreadExtent& seen,
                                             const distributed::Partition& rows, std::vector<std::int64_t> roots)
{
    const auto& extent = seen.extent;
    const auto own = [&](std::size_t i) { return static_cast<std::size_t>(extent.num_lower()) + i; };
    const auto num_own = static_cast<std::size_t>(extent.num_own());
    std::vector<std::int64_t> of_roots(num_own, -1), foreign;
    std::int64_t count = 0;
    for (std::size_t i = 0; i < num_own; ++i) {
        const auto root = roots[own(i)];
        if (root == extent.first() + static_cast<std::int64_t>(i)) {
            of_roots[i] = count++;
        } else if (root >= 0 && !extent.is_own(root)) {
            foreign.push_back(root);
        }
    }
    auto partition = distributed::Partition::by_rows(seen.ranks, count);
    for (auto& number : of_roots) {
        number += number < 0 ? 0 : partition.first(seen.ranks.rank());
    }
    std::sort(foreign.begin(), foreign.end());
    foreign.erase(std::unique(foreign.begin(), foreign.end()), foreign.end());
    const auto of_foreign = ask_owners(seen.ranks, rows, foreign, of_roots);

    std::vector<std::int64_t> aggregates(roots.size(), -1);
    for (std::size_t i = 0; i < num_own; ++i) {
        const auto root = roots[own(i)];
        if (root >= 0) {
            aggregates[own(i)] = extent.is_own(root)
                                     ? of_roots[static_cast<std::size_t>(root - extent.first())]
                                     : of_foreign[static_cast<std::size_t>(
                                           std::lower_bound(foreign.begin(), foreign.end(), root) - foreign.begin())];
        }
    }
    fill_ghosts(seen.ranks, seen.map, extent, aggregates.data());
    auto seen_aggregates = distributed::Extent::around(partition, seen.ranks.rank(), aggregates);
    std::vector<I> positions;
    positions.reserve(aggregates.size());
    for (const auto aggregate : aggregates) {
        positions.push_back(aggregate < 0 ? I{-1} : static_cast<I>(seen_aggregates.position(aggregate)));
    }
    return {std::move(partition), std::move(seen_aggregates), Array<I>(exec, positions)};
}

}  // namespace linden::detail
