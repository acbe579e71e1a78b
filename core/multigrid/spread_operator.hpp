#pragma once

#include "core/distributed/ghost_exchange.hpp"
#include "core/multigrid/spread_aggregates.hpp"

namespace linden::detail {

/// The rows of a level as an operator on the vectors of a rank's own rows.
template <class V, class I>
class SpreadOperator final : public LinOp<V> {
public:
    /// Collective. a: lives as long as this; its columns are those of `seen`.
    SpreadOperator(const SpreadExtent& seen, const distributed::Partition& partition, const Csr<V, I>& a)
        : LinOp<V>(a.executor(), {seen.extent.num_own(), seen.extent.num_own()}),
          ranks_(seen.ranks.with_rows({seen.extent.first(), most_rows(partition)})),
          a_(a),
          exchange_(a.executor(), seen.ranks, seen.extent, seen.map),
          own_begin_(seen.extent.num_lower()),
          seen_(Dense<V>::filled(a.executor(), {seen.extent.size(), 1}, V{}))
    {
        exchange_.make_room(1);
    }

    std::string name() const override { return "SpreadOperator"; }
    Communicator communicator() const override { return ranks_; }

private:
    static size_type most_rows(const distributed::Partition& partition)
    {
        size_type most = 0;
        for (int rank = 0; rank < partition.num_ranks(); ++rank) {
            most = std::max(most, partition.num_rows(rank));
        }
        return most;
    }
    /// Of one column.
    void apply_impl(const Dense<V>& b, Dense<V>& x) const override
    {
        distributed::copy_within(this->executor(), b.data(), seen_.data() + own_begin_, b.size().rows);
        exchange_(seen_.view());
        a_.apply(seen_, x);
    }

    Communicator ranks_;
    const Csr<V, I>& a_;
    mutable distributed::GhostExchange<V, I> exchange_;
    size_type own_begin_;
    mutable Dense<V> seen_;
};

}  // namespace linden::detail
