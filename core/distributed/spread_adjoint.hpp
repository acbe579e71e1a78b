#pragma once

#include <linden/matrix/operations.hpp>

#include "core/distributed/ghost_rows.hpp"

namespace linden::distributed {

/// A^H of a spread matrix. Each rank transposes what it has and sends the rows of other ranks to them; a row is made of
/// the pieces of all ranks in their order, so its columns ascend.
template <class V, class I>
class SpreadAdjoint {
public:
    /// Collective. rows: who owns which row of A; a.columns are of the partition of its columns.
    SpreadAdjoint(const Communicator& ranks, const Partition& rows, const Partition& columns, const SpreadRows<V, I>& a)
        : ranks_(ranks),
          local_(updatable_conjugate_transpose(a.own)),
          pieces_(a.own.executor()),
          sources_(a.own.executor()),
          result_{Csr<V, I>(a.own.executor(), Dim{}), {}}
    {
        const auto received = exchange(send_pieces(columns, a.columns), a.columns);
        assemble(rows, a.columns, received);
        take_values();
    }

    const SpreadRows<V, I>& result() const { return result_; }
    /// Collective. The values for new ones of A.
    void update(const Csr<V, I>& own)
    {
        local_.update(own);
        take_values();
    }

private:
    using Lists = std::vector<std::vector<std::int64_t>>;

    /// Pieces of rows for each rank: the row's number, and how many entries.
    struct Pieces {
        Lists rows, lengths;
    };
    /// Pieces of the own rows, one after the other by rank.
    struct Received {
        Array<I> rows, row_ptrs, cols;   // columns are counted from the first one of the rank
        std::vector<size_type> begins;   // of each rank's pieces
        std::vector<size_type> entries;  // of each rank
    };

    const Executor& exec() const { return local_.result.executor(); }
    size_type num_ranks() const { return ranks_.size(); }

    /// Row pointers of the transposed rows from `first` on.
    std::vector<I> local_pointers(size_type first, size_type count) const
    {
        return Array<I>::view(exec(), count + 1, const_cast<I*>(local_.result.row_ptrs()) + first).to_host();
    }

    /// Where the entries of each rank are among the local ones goes to sends_.
    Pieces send_pieces(const Partition& columns, const Extent& extent)
    {
        Pieces sent{Lists(static_cast<std::size_t>(num_ranks())), Lists(static_cast<std::size_t>(num_ranks()))};
        const auto lower = local_pointers(0, extent.num_lower());
        const auto upper = local_pointers(extent.num_lower() + extent.num_own(), extent.num_upper());
        num_before_ = lower.back();
        num_own_ = upper.front() - lower.back();
        std::int64_t begin = 0;
        const auto add = [&](std::int64_t number, size_type length) {
            const auto rank = columns.owner(number);
            sent.rows[static_cast<std::size_t>(rank)].push_back(number);
            sent.lengths[static_cast<std::size_t>(rank)].push_back(length);
            if (sends_.empty() || sends_.back().rank != rank) {
                sends_.push_back({rank, begin, 0});
            }
            sends_.back().count += length;
            begin += length;
        };
        const auto add_all = [&](const std::vector<I>& row_ptrs, size_type first_ghost) {
            for (std::size_t i = 0; i + 1 < row_ptrs.size(); ++i) {
                add(extent.ghosts()[static_cast<std::size_t>(first_ghost) + i], row_ptrs[i + 1] - row_ptrs[i]);
            }
        };
        add_all(lower, 0);
        begin = upper.front();
        add_all(upper, extent.num_lower());
        std::erase_if(sends_, [](const auto& range) { return range.count == 0; });
        return sent;
    }

    Received exchange(const Pieces& sent, const Extent& extent)
    {
        const auto numbers = detail::exchange_lists(ranks_, sent.rows);
        const auto lengths = detail::exchange_lists(ranks_, sent.lengths);
        Received received{Array<I>(exec()), Array<I>(exec()), Array<I>(exec()), {0}, {}};
        std::vector<I> rows, row_ptrs{0};
        std::vector<GhostMap::Range> receives;
        std::int64_t end = 0;
        for (std::size_t rank = 0; rank < numbers.size(); ++rank) {
            if (static_cast<int>(rank) == ranks_.rank()) {
                first_received_behind_ = end;
            }
            const auto begin = end;
            for (std::size_t i = 0; i < numbers[rank].size(); ++i) {
                end += lengths[rank][i];
                linden::detail::require_fits<I>(end, "pieces of rows of other ranks");
                rows.push_back(static_cast<I>(numbers[rank][i] - extent.first()));
                row_ptrs.push_back(static_cast<I>(end));
            }
            if (end > begin) {
                receives.push_back({static_cast<int>(rank), begin, end - begin});
            }
            received.begins.push_back(static_cast<size_type>(rows.size()));
            received.entries.push_back(end - begin);
        }
        num_received_ = end;
        received.rows = Array<I>(exec(), rows);
        received.row_ptrs = Array<I>(exec(), row_ptrs);
        received.cols = Array<I>(exec(), end);
        exchange_.emplace(exec(), ranks_, std::move(sends_), std::move(receives));
        (*exchange_)(std::as_const(local_.result).col_idxs(), received.cols.data());
        return received;
    }

    /// The columns that come from other ranks, and for each rank their positions.
    struct Columns {
        Extent extent;
        std::vector<Array<I>> positions;
    };
    Columns find_columns(const Partition& rows, const Received& received) const
    {
        Columns result;
        std::vector<std::int64_t> ghosts;
        I num_before = 0;  // positions of lower ranks
        size_type first = 0;
        for (int rank = 0; rank < ranks_.size(); ++rank) {
            const auto count = received.entries[static_cast<std::size_t>(rank)];
            auto& ends = result.positions.emplace_back(exec(), count == 0 ? 0 : rows.num_rows(rank) + 1);
            if (count > 0) {
                exec().state().fill_zero(ends.data(), ends.bytes());
                array_mark_named<I>(exec(), count, received.cols.data() + first, ends.data());
                Array<std::int64_t> marked(exec(), linden::detail::make_row_ptrs(ends, "the columns of the adjoint"));
                exchange_list<I>(exec(), rows.num_rows(rank), rows.first(rank), ends.data(), marked.data());
                const auto found = marked.to_host();
                ghosts.insert(ghosts.end(), found.begin(), found.end());
                array_shift<I>(exec(), ends.size(), num_before, ends.data(), ends.data());
                num_before += static_cast<I>(found.size());
            }
            num_before += rank == ranks_.rank() ? static_cast<I>(rows.num_rows(rank)) : I{0};
            first += count;
        }
        result.extent = Extent(rows.first(ranks_.rank()), rows.num_rows(ranks_.rank()), std::move(ghosts));
        return result;
    }

    /// The pieces in their order: of lower ranks, own ones, of higher ranks.
    void assemble(const Partition& rows, const Extent& extent, const Received& received)
    {
        const RowPieces<I> own{extent.num_own(), nullptr, local_.result.row_ptrs() + extent.num_lower(),
                               local_.result.col_idxs()};
        const auto pieces_of = [&](std::size_t rank) {
            const auto begin = received.begins[rank];
            return RowPieces<I>{received.begins[rank + 1] - begin, received.rows.data() + begin,
                                received.row_ptrs.data() + begin, received.cols.data()};
        };
        Array<I> row_ptrs(exec(), extent.num_own() + 1);
        exec().state().fill_zero(row_ptrs.data(), row_ptrs.bytes());
        exchange_add_lengths<I>(exec(), own, row_ptrs.data());
        for (std::size_t rank = 0; rank < received.entries.size(); ++rank) {
            exchange_add_lengths<I>(exec(), pieces_of(rank), row_ptrs.data());
        }
        const auto total = linden::detail::make_row_ptrs(row_ptrs, "the adjoint");
        const auto columns = find_columns(rows, received);
        linden::detail::require_fits<I>(columns.extent.size(), "the columns of the adjoint");
        Array<I> ends = row_ptrs.clone(), cols(exec(), total);
        sources_ = Array<I>(exec(), total);
        for (std::size_t rank = 0; rank < received.entries.size(); ++rank) {
            if (static_cast<int>(rank) == ranks_.rank()) {
                exchange_append<I>(exec(), own, nullptr, static_cast<I>(columns.extent.num_lower()),
                                   static_cast<I>(first_received_behind_ - num_before_), ends.data(), cols.data(),
                                   sources_.data());
                continue;
            }
            const bool is_behind = static_cast<int>(rank) > ranks_.rank();
            exchange_append<I>(exec(), pieces_of(rank), columns.positions[rank].data(), I{0},
                               is_behind ? static_cast<I>(num_own_) : I{0}, ends.data(), cols.data(), sources_.data());
        }
        result_ = {Csr<V, I>(exec(), {extent.num_own(), columns.extent.size()}, std::move(row_ptrs), std::move(cols),
                             Array<V>(exec(), total)),
                   columns.extent};
        pieces_ = Array<V>(exec(), total);
    }

    /// Collective. The values of the pieces, put into the order of the rows.
    void take_values()
    {
        const auto& all = std::as_const(local_.result);
        Array<V> received(exec(), num_received_);
        (*exchange_)(all.values(), received.data());
        copy_within(exec(), received.data(), pieces_.data(), first_received_behind_);
        copy_within(exec(), all.values() + num_before_, pieces_.data() + first_received_behind_, num_own_);
        copy_within(exec(), received.data() + first_received_behind_,
                    pieces_.data() + first_received_behind_ + num_own_, num_received_ - first_received_behind_);
        array_gather<V, V, I>(exec(), sources_.size(), sources_.data(), pieces_.data(), result_.own.values(),
                              Conjugate::no);
    }

    Communicator ranks_;
    Rearrangement<V, I> local_;
    std::vector<GhostMap::Range> sends_;  // until exchange_ has them
    std::optional<RangeExchange> exchange_;
    size_type num_before_ = 0, num_own_ = 0;  // entries of local_ for lower ranks, own ones
    std::int64_t first_received_behind_ = 0, num_received_ = 0;
    Array<V> pieces_;
    Array<I> sources_;  // which of the pieces' entries an entry of the result is
    SpreadRows<V, I> result_;
};

}  // namespace linden::distributed
