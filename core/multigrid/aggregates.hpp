#pragma once

#include <linden/matrix/csr.hpp>

#include "core/kernels/aggregation.hpp"
#include "core/matrix/make_pattern.hpp"

/// Strong entries, and the aggregates of rows that they connect. [VanekMandelBrezina96], [KelleyRajamanickam22]
namespace linden::detail {

/// The strong entries of a, with the diagonal. Waits for the executor.
template <class V, class I>
Pattern<I> strong_pattern(const Csr<V, I>& a, double threshold, bool is_hermitian, const Array<real_t<V>>& largest,
                          const Array<real_t<V>>& sums)
{
    const auto& exec = a.executor();
    const StrengthRule<real_t<V>> rule{threshold, largest.data(), is_hermitian, sums.data()};
    return make_plain_pattern<I>(
        exec, a.size(), "the strong entries",
        [&](I* counts) { aggregation_count_strong<V, I>(exec, a.view(), rule, counts); },
        [&](Pattern<I>& strong) {
            aggregation_take_strong<V, I>(exec, a.view(), rule, strong.row_ptrs.data(), strong.col_idxs.data());
        });
}

/// Finds independent sets at distance 2 in the graph of strong entries.
template <class I>
class IndependentRoots {
public:
    IndependentRoots(const Executor& exec, PatternView<I> graph)
        : exec_(exec),
          graph_(graph),
          states_(exec, graph.rows),
          least_(exec, graph.rows),
          marks_(exec, graph.rows + 1)
    {
    }

    /// The states after the last round. Without `roots` all rows are searched, with them those that have none. Waits.
    /// Some rows stay undecided where rounding has left the graph unsymmetric, and rounds would not end.
    const std::uint64_t* find(const I* roots)
    {
        aggregation_begin<I>(exec_, graph_, roots, states_.data());
        int round = 0;
        const int first_look = roots == nullptr ? 8 : 4;
        for (int next_look = first_look; round < most_rounds; next_look += look_every) {
            for (; round < next_look; ++round) {
                aggregation_spread<I>(exec_, graph_, roots, round == 0, states_.data(), least_.data());
                aggregation_decide<I>(exec_, graph_, roots, round + 1, least_.data(), states_.data());
            }
            aggregation_mark_undecided<I>(exec_, graph_.rows, states_.data(), marks_.data());
            if (make_row_ptrs(marks_, "undecided rows") == 0) {
                return states_.data();
            }
        }
        return states_.data();
    }

private:
    /// Most graphs take 8 to 10 rounds, those of the second phase fewer; each look costs a wait.
    static constexpr int look_every = 4;
    static constexpr int most_rounds = 100;

    Executor exec_;
    PatternView<I> graph_;
    Array<std::uint64_t> states_, least_;
    Array<I> marks_;
};

/// The root of each row's aggregate, -1 for rows without neighbours. Roots are two neighbours apart, and take their
/// neighbours; of what is left, rows with many neighbours left become roots in the same way; the others join the
/// aggregate that they are coupled to most. Waits.
template <class V, class I>
Array<I> find_roots(const Csr<V, I>& a, PatternView<I> graph)
{
    const auto& exec = a.executor();
    Array<I> before(exec, graph.rows), roots(exec, graph.rows);
    IndependentRoots<I> independent(exec, graph);
    aggregation_join_members<I>(exec, graph, independent.find(nullptr), true, before.data());
    aggregation_join_members<I>(exec, graph, independent.find(before.data()), false, before.data());
    aggregation_join_rest<V, I>(exec, a.view(), graph, before.data(), roots.data());
    return roots;
}

/// The tentative prolongator: rows x aggregates, which are numbered in the order of their roots. Waits.
template <class V, class I>
Csr<V, I> tentative_prolongator(const Executor& exec, const Array<I>& roots)
{
    const auto n = roots.size();
    Array<I> numbers(exec, n + 1), row_ptrs(exec, n + 1);
    aggregation_mark<I>(exec, n, roots.data(), numbers.data(), row_ptrs.data());
    const auto num_aggregates = make_row_ptrs(numbers, "the aggregates");
    const auto num_members = make_row_ptrs(row_ptrs, "the aggregates' rows");
    Array<I> col_idxs(exec, num_members);
    Array<V> values(exec, num_members);
    aggregation_number<V, I>(exec, n, roots.data(), numbers.data(), row_ptrs.data(), col_idxs.data(), values.data());
    return Csr<V, I>(exec, {n, num_aggregates}, std::move(row_ptrs), std::move(col_idxs), std::move(values));
}

}  // namespace linden::detail
