#include <linden/distributed/repartition.hpp>
#include <linden/error.hpp>

#include <algorithm>
#include <string>

#include "core/distributed/part_counts.hpp"
#include "core/distributed/spread_graph.hpp"
#include "core/distributed/transport.hpp"

// instantiate: distributed::Repartition distributed::Repartition::ptscotch<V>(const Communicator&, const distributed::OwnRows<V>&)
// instantiate: distributed::Parts distributed::ptscotch_parts<V>(const Communicator&, const distributed::OwnRows<V>&, int)
// instantiate: distributed::PartitionReport distributed::report<V>(const Communicator&, const distributed::OwnRows<V>&, const distributed::Parts&)
// instantiate: distributed::OwnRows<V> distributed::Repartition::rows<V>(const distributed::OwnRows<V>&) const
// instantiate: DenseData<V> distributed::Repartition::block<V>(const DenseData<V>&) const
// instantiate: DenseData<V> distributed::Repartition::block_back<V>(const DenseData<V>&) const

namespace linden::distributed {
namespace {

template <class T>
using Lists = std::vector<std::vector<T>>;

std::size_t index(std::int64_t i) { return static_cast<std::size_t>(i); }

template <class T>
Lists<T> lists_of(const Communicator& ranks)
{
    return Lists<T>(index(ranks.size()));
}

void check_parts(const Communicator& ranks, const Partition& rows, const std::vector<std::int32_t>& parts,
                 int num_parts)
{
    const auto own = rows.num_ranks() == ranks.size() ? rows.num_rows(ranks.rank()) : -1;
    if (static_cast<std::int64_t>(parts.size()) != own) {
        throw InvalidParameter("parts", std::to_string(parts.size()) + " parts",
                               "one for each own row, " + std::to_string(own));
    }
    for (const auto part : parts) {
        if (part < 0 || part >= num_parts) {
            throw InvalidParameter("part", std::to_string(part), "from 0 to " + std::to_string(num_parts - 1));
        }
    }
}

/// Collective. How many own rows of each rank go to which: [from][to].
Lists<std::int64_t> all_counts(const Communicator& ranks, const std::vector<std::int32_t>& parts)
{
    std::vector<std::int64_t> counts(index(ranks.size()));
    for (const auto part : parts) {
        ++counts[index(part)];
    }
    return detail::gather_lists(ranks, counts);
}

/// Where parts begin, from the rows that go to them.
Partition partition_of(const Lists<std::int64_t>& counts)
{
    std::vector<std::int64_t> firsts(counts.size() + 1);
    for (const auto& of_rank : counts) {
        for (std::size_t part = 0; part < counts.size(); ++part) {
            firsts[part + 1] += of_rank[part];
        }
    }
    for (std::size_t part = 0; part < counts.size(); ++part) {
        firsts[part + 1] += firsts[part];
    }
    return Partition(std::move(firsts));
}

/// Columns of other ranks, by owner, ascending.
Lists<std::int64_t> foreign_columns(const Communicator& ranks, const Partition& partition,
                                    const std::vector<std::int64_t>& columns)
{
    auto result = lists_of<std::int64_t>(ranks);
    for (const auto col : columns) {
        if (const int owner = partition.owner(col); owner != ranks.rank()) {
            result[index(owner)].push_back(col);
        }
    }
    for (auto& list : result) {
        std::sort(list.begin(), list.end());
        list.erase(std::unique(list.begin(), list.end()), list.end());
    }
    return result;
}

/// Of any column that occurs in own rows, what its owner has for that row.
template <class T>
class OfColumns {
public:
    /// Collective. of_own: for each own row. It is kept by reference.
    OfColumns(const Communicator& ranks, const Partition& partition, const std::vector<std::int64_t>& columns,
              const std::vector<T>& of_own)
        : partition_(partition),
          rank_(ranks.rank()),
          of_own_(of_own),
          asked_(ranks.agree_after([&] { return foreign_columns(ranks, partition, columns); }))
    {
        const auto first = partition.first(rank_);
        const auto rows = ranks.guard([&] { return detail::exchange_lists(ranks, asked_); });
        const auto answers = ranks.agree_after([&] {
            auto lists = lists_of<T>(ranks);
            for (std::size_t rank = 0; rank < rows.size(); ++rank) {
                for (const auto row : rows[rank]) {
                    lists[rank].push_back(of_own[index(row - first)]);
                }
            }
            return lists;
        });
        found_ = ranks.guard([&] { return detail::exchange_lists(ranks, answers); });
    }
    T operator()(std::int64_t col) const
    {
        const int owner = partition_.owner(col);
        if (owner == rank_) {
            return of_own_[index(col - partition_.first(rank_))];
        }
        const auto& list = asked_[index(owner)];
        return found_[index(owner)][index(std::lower_bound(list.begin(), list.end(), col) - list.begin())];
    }

private:
    const Partition& partition_;
    int rank_;
    const std::vector<T>& of_own_;
    Lists<std::int64_t> asked_;
    Lists<T> found_;
};

/// Collective. The graph of A + A^T: an entry in a column of another rank is told to that rank.
template <class V>
SpreadGraph graph_of(const Communicator& ranks, const OwnRows<V>& own)
{
    struct Edge {
        std::int64_t from, to;
    };
    const auto& a = own.rows;
    SpreadGraph graph;
    graph.first = own.partition.first(ranks.rank());
    graph.num_vertices = own.partition.num_rows();
    auto far = lists_of<Edge>(ranks);
    auto neighbours = ranks.agree_after([&] {
        Lists<std::int64_t> lists(index(a.size.rows));
        for (std::size_t row = 0; row < lists.size(); ++row) {
            const auto number = graph.first + static_cast<std::int64_t>(row);
            for (auto k = index(a.row_ptrs[row]); k < index(a.row_ptrs[row + 1]); ++k) {
                const auto col = a.col_idxs[k];
                const int owner = own.partition.owner(col);
                if (col == number) {
                    continue;
                }
                lists[row].push_back(col);
                if (owner == ranks.rank()) {
                    lists[index(col - graph.first)].push_back(number);
                } else {
                    far[index(owner)].push_back({col, number});
                }
            }
        }
        return lists;
    });
    const auto received = ranks.guard([&] { return detail::exchange_lists(ranks, far); });
    ranks.agree_after([&] {
        for (const auto& edges : received) {
            for (const auto& edge : edges) {
                neighbours[index(edge.from - graph.first)].push_back(edge.to);
            }
        }
        for (auto& list : neighbours) {
            std::sort(list.begin(), list.end());
            list.erase(std::unique(list.begin(), list.end()), list.end());
            graph.neighbours.insert(graph.neighbours.end(), list.begin(), list.end());
            graph.ptrs.push_back(static_cast<std::int64_t>(graph.neighbours.size()));
        }
    });
    return graph;
}

/// Collective. Row i of `own` goes to rank to[i]; row i of the result is the next one from rank from[i].
template <class V>
DenseData<V> pass_on(const Communicator& ranks, const DenseData<V>& own, const std::vector<std::int32_t>& to,
                     const std::vector<std::int32_t>& from)
{
    const auto num_sent = static_cast<size_type>(to.size()), num_received = static_cast<size_type>(from.size());
    const auto cols = own.size.cols;
    const auto sent = ranks.agree_after([&] {
        if (own.size.rows != num_sent) {
            throw DimensionMismatch("distributed::Repartition", "the own rows", own.size, "what the partition says",
                                    {num_sent, cols});
        }
        auto lists = lists_of<V>(ranks);
        auto row = own.values.begin();
        for (const auto rank : to) {
            lists[index(rank)].insert(lists[index(rank)].end(), row, row + cols);
            row += cols;
        }
        return lists;
    });
    const auto received = ranks.guard([&] { return detail::exchange_lists(ranks, sent); });
    return ranks.agree_after([&] {
        DenseData<V> result{{num_received, cols}, {}};
        result.values.reserve(index(num_received * cols));
        std::vector<std::int64_t> next(received.size());
        for (const auto rank : from) {
            const auto row = received[index(rank)].begin() + next[index(rank)];
            result.values.insert(result.values.end(), row, row + cols);
            next[index(rank)] += cols;
        }
        return result;
    });
}

}  // namespace

Repartition::Repartition(Communicator communicator, Partition old, std::vector<std::int32_t> parts)
    : communicator_(std::move(communicator)),
      old_(std::move(old)),
      new_({0, 0}),
      parts_(std::move(parts))
{
    const auto& ranks = communicator_;
    ranks.agree_after([&] { check_parts(ranks, old_, parts_, ranks.size()); });
    const auto counts = ranks.guard([&] { return all_counts(ranks, parts_); });
    ranks.agree_after([&] {
        new_ = partition_of(counts);
        std::vector<std::int64_t> next;
        for (int part = 0; part < ranks.size(); ++part) {
            next.push_back(new_.first(part));
            for (int rank = 0; rank < ranks.rank(); ++rank) {
                next.back() += counts[index(rank)][index(part)];
            }
        }
        for (const auto part : parts_) {
            numbers_.push_back(next[index(part)]++);
        }
        for (std::size_t rank = 0; rank < counts.size(); ++rank) {
            senders_.insert(senders_.end(), index(counts[rank][index(ranks.rank())]), static_cast<std::int32_t>(rank));
        }
    });
}

template <class V>
Parts ptscotch_parts(const Communicator& communicator, const OwnRows<V>& own, int num_parts)
{
    const auto wanted = communicator.all_gather(num_parts);
    communicator.agree_after([&] {
        if (num_parts < 1 || std::count(wanted.begin(), wanted.end(), num_parts) != communicator.size()) {
            throw InvalidParameter("num_parts", std::to_string(num_parts), "at least 1, the same on all ranks");
        }
    });
    if (num_parts == 1) {
        return {std::vector<std::int32_t>(index(own.rows.size.rows)), 1};
    }
    const auto graph = graph_of(communicator, own);
    return {communicator.transport().parts_of(graph, num_parts, communicator), num_parts};
}

template <class V>
PartitionReport report(const Communicator& communicator, const OwnRows<V>& own, const Parts& parts)
{
    const auto& ranks = communicator;
    ranks.agree_after([&] { check_parts(ranks, own.partition, parts.of_row, parts.num_parts); });
    const OfColumns part_of(ranks, own.partition, own.rows.col_idxs, parts.of_row);
    PartitionReport mine;
    const auto sent = ranks.agree_after([&] {
        mine.parts.resize(index(parts.num_parts));
        auto lists = lists_of<NeededRow>(ranks);  // to the rank that counts those of a part
        for (const auto& row : count_rows(own.rows, parts.of_row, part_of, mine)) {
            lists[index(row.part % ranks.size())].push_back(row);
        }
        return lists;
    });
    const auto received = ranks.guard([&] { return detail::exchange_lists(ranks, sent); });
    ranks.agree_after([&] {
        std::vector<NeededRow> needed;
        for (const auto& list : received) {
            needed.insert(needed.end(), list.begin(), list.end());
        }
        std::sort(needed.begin(), needed.end());
        needed.erase(std::unique(needed.begin(), needed.end()), needed.end());
        count_ghosts(needed, mine);
    });
    const auto all = ranks.guard([&] { return detail::gather_lists(ranks, mine.parts); });
    PartitionReport result;
    for (const auto cut : ranks.all_gather(mine.edge_cut)) {
        result.edge_cut += cut;
    }
    return ranks.agree_after([&] {
        result.parts.resize(index(parts.num_parts));
        for (const auto& list : all) {
            for (std::size_t part = 0; part < list.size(); ++part) {
                result.parts[part].rows += list[part].rows;
                result.parts[part].nonzeros += list[part].nonzeros;
                result.parts[part].ghosts += list[part].ghosts;
                result.parts[part].neighbours += list[part].neighbours;
            }
        }
        return result;
    });
}

template <class V>
Repartition Repartition::ptscotch(const Communicator& communicator, const OwnRows<V>& own)
{
    return Repartition(communicator, own.partition, ptscotch_parts(communicator, own, communicator.size()).of_row);
}

template <class V>
OwnRows<V> Repartition::rows(const OwnRows<V>& own) const
{
    const auto& ranks = communicator_;
    const auto& a = own.rows;
    const OfColumns new_number(ranks, old_, a.col_idxs, numbers_);
    auto lengths = lists_of<std::int64_t>(ranks), cols = lists_of<std::int64_t>(ranks);
    auto values = lists_of<V>(ranks);
    ranks.agree_after([&] {
        for (std::size_t row = 0; row < parts_.size(); ++row) {
            const auto to = index(parts_[row]);
            lengths[to].push_back(a.row_ptrs[row + 1] - a.row_ptrs[row]);
            for (auto k = index(a.row_ptrs[row]); k < index(a.row_ptrs[row + 1]); ++k) {
                cols[to].push_back(new_number(a.col_idxs[k]));
                values[to].push_back(a.values[k]);
            }
        }
    });
    const auto their_lengths = ranks.guard([&] { return detail::exchange_lists(ranks, lengths); });
    const auto their_cols = ranks.guard([&] { return detail::exchange_lists(ranks, cols); });
    const auto their_values = ranks.guard([&] { return detail::exchange_lists(ranks, values); });
    return ranks.agree_after([&] {
        // Ranks send their rows in their order, which is that of the new numbers, one rank after the other.
        OwnRows<V> result{new_, {{new_.num_rows(ranks.rank()), new_.num_rows()}, {0}, {}, {}}};
        auto& rows = result.rows;
        for (std::size_t rank = 0; rank < their_lengths.size(); ++rank) {
            for (const auto length : their_lengths[rank]) {
                rows.row_ptrs.push_back(rows.row_ptrs.back() + length);
            }
            rows.col_idxs.insert(rows.col_idxs.end(), their_cols[rank].begin(), their_cols[rank].end());
            rows.values.insert(rows.values.end(), their_values[rank].begin(), their_values[rank].end());
        }
        return result;
    });
}

template <class V>
DenseData<V> Repartition::block(const DenseData<V>& own) const
{
    return pass_on(communicator_, own, parts_, senders_);
}

template <class V>
DenseData<V> Repartition::block_back(const DenseData<V>& own) const
{
    return pass_on(communicator_, own, senders_, parts_);
}

}  // namespace linden::distributed
