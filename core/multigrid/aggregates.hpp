#pragma once

#include <linden/matrix/csr.hpp>

#include <optional>
#include <utility>

#include "core/base/executor_state.hpp"
#include "core/kernels/aggregation.hpp"
#include "core/kernels/multigrid.hpp"
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
        [&](I* counts) { aggregation_count_strong<V, I>(exec, a.view(), rule, nullptr, counts); },
        [&](Pattern<I>& strong) {
            aggregation_take_strong<V, I>(exec, a.view(), rule, strong.row_ptrs.data(), strong.col_idxs.data());
        });
}

/// The strong entries of a level's matrix, A_F, as `multigrid_filter` makes them, and the sums of magnitudes of its
/// rows. Where all entries are strong A itself is A_F, and its sums are those of `aggregation_measure`, to the bit.
template <class V, class I>
class StrongPart {
public:
    using Sums = Array<real_t<V>>;

    /// Marks the strong entries; how many there are is left in *count, on the executor.
    void mark(const Csr<V, I>& a, const StrengthRule<real_t<V>>& rule, std::int64_t* count)
    {
        const auto& exec = a.executor();
        marked_.emplace(Marked{Array<std::uint8_t>(exec, a.num_nonzeros()), Array<I>(exec, a.size().rows + 1)});
        aggregation_count_strong<V, I>(exec, a.view(), rule, marked_->marks.data(), marked_->row_ptrs.data());
        scan_counts(marked_->row_ptrs, count);
    }
    /// A_F, of which so many entries were marked.
    void take(const Csr<V, I>& a, size_type num_strong)
    {
        const auto& exec = a.executor();
        auto marked = *std::exchange(marked_, std::nullopt);
        if (num_strong == a.num_nonzeros()) {
            return;
        }
        require_fits<I>(num_strong, "the strong entries");
        Array<I> col_idxs(exec, num_strong);
        Array<V> values(exec, num_strong);
        Sums sums(exec, a.size().rows);
        aggregation_take_marked<V, I>(exec, a.view(), marked.marks.data(), marked.row_ptrs.data(), col_idxs.data(),
                                      values.data(), sums.data());
        part_.emplace(
            Part{Csr<V, I>(exec, a.size(), std::move(marked.row_ptrs), std::move(col_idxs), std::move(values)),
                 std::move(sums)});
    }
    /// For new values of A.
    void update(const Csr<V, I>& a)
    {
        if (part_) {
            multigrid_filter<V, I>(a.executor(), a.view(), part_->matrix.view(), part_->matrix.values(),
                                   part_->sums.data());
        }
    }
    void drop() { part_.reset(); }

    const Csr<V, I>& matrix(const Csr<V, I>& a) const { return part_ ? part_->matrix : a; }
    const Sums& sums(const Sums& of_all) const { return part_ ? part_->sums : of_all; }

private:
    struct Marked {
        Array<std::uint8_t> marks;
        Array<I> row_ptrs;
    };
    struct Part {
        Csr<V, I> matrix;
        Sums sums;
    };
    std::optional<Marked> marked_;  ///< from `mark` to `take`
    std::optional<Part> part_;      ///< where not all of A is strong
};

/// Rounds of a search. They leave few rows undecided, if any, and these are no roots: a graph of 10^7 rows takes some
/// 10 rounds, and so does the second phase, in which rows wait for those of a lower class. Where rounding has left the
/// graph unsymmetric, a search until all are decided would not end. To look whether any row is undecided costs a device
/// as much as two rounds.
inline constexpr int independent_set_rounds = 12;

/// Finds independent sets at distance 2 (MIS-2) in the graph of strong entries.
template <class I>
class IndependentRoots {
public:
    IndependentRoots(const Executor& exec, PatternView<I> graph)
        : exec_(exec),
          graph_(graph),
          states_(exec, graph.rows),
          least_(exec, graph.rows),
          searches_in_one_(aggregation_search<I>.available(exec.state().backend())),
          workspace_(exec, searches_in_one_ ? aggregation_search_bytes<I>(graph.rows) : 0)
    {
    }

    /// The states after the last round. The search is among the rows that have no root yet; all rows if `roots` is
    /// null.
    const std::uint64_t* find(const I* roots)
    {
        aggregation_begin<I>(exec_, graph_, 0, roots, states_.data());
        if (searches_in_one_) {
            aggregation_search<I>(exec_, graph_, roots, independent_set_rounds, least_.data(), states_.data(),
                                  {workspace_.data(), workspace_.size()});
            return states_.data();
        }
        for (int round = 0; round < independent_set_rounds; ++round) {
            aggregation_spread<I>(exec_, graph_, roots, round == 0, states_.data(), least_.data());
            aggregation_decide<I>(exec_, graph_, 0, roots, round + 1, least_.data(), states_.data());
        }
        return states_.data();
    }

private:
    Executor exec_;
    PatternView<I> graph_;
    Array<std::uint64_t> states_, least_;
    bool searches_in_one_;
    Array<std::byte> workspace_;
};

/// The root of each row's aggregate, -1 for rows without neighbours. In three phases: members of a MIS-2 become roots
/// and take their neighbours; of the rows that are left, those with many neighbours left become roots in the same way;
/// the others join the aggregate that they are coupled to most.
template <class V, class I>
Array<I> find_roots(const Csr<V, I>& a, PatternView<I> graph)
{
    const auto& exec = a.executor();
    Array<I> before(exec, graph.rows);
    IndependentRoots<I> independent(exec, graph);
    aggregation_join_members<I>(exec, graph, independent.find(nullptr), true, before.data());
    aggregation_join_members<I>(exec, graph, independent.find(before.data()), false, before.data());
    auto roots = before.clone();
    aggregation_join_rest<V, I>(exec, a.view(), graph, before.data(), roots.data());
    return roots;
}

/// The aggregate of each row, -1 for none.
template <class I>
struct Aggregates {
    size_type count = 0;
    Array<I> of_rows;
};

/// Numbers the aggregates in the order of their roots; how many there are is left in `count`, on the executor.
template <class I>
Array<I> number_aggregates(Array<I> roots, std::int64_t* count)
{
    const auto& exec = roots.executor();
    const auto n = roots.size();
    Array<I> numbers(exec, n + 1);
    aggregation_mark_roots<I>(exec, n, roots.data(), numbers.data());
    scan_counts(numbers, count);
    aggregation_number<I>(exec, n, roots.data(), numbers.data(), roots.data());
    return roots;
}

/// The same. Waits.
template <class I>
Aggregates<I> number_aggregates(Array<I> roots)
{
    Array<std::int64_t> count(roots.executor(), 1);
    auto of_rows = number_aggregates(std::move(roots), count.data());
    return {count.to_host().front(), std::move(of_rows)};
}

}  // namespace linden::detail
