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
          order_(a.own.executor()),
          result_{Csr<V, I>(a.own.executor(), Dim{}), {}}
    {
        const auto pattern = row_ptrs_on_host(local_.result);
        const OnHost<I> cols(exec(), local_.result.col_idxs(), local_.result.num_nonzeros());
        const auto sent = pieces_to_send(columns, a.columns, pattern, cols, rows.first(ranks.rank()));
        num_before_ = pattern[static_cast<std::size_t>(a.columns.num_lower())];
        const auto end = pattern[static_cast<std::size_t>(a.columns.num_lower() + a.columns.num_own())];
        num_own_ = end - num_before_;
        num_behind_ = pattern.back() - end;
        const auto received = exchange(sent);
        assemble(rows, a.columns, pattern, cols, received);
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
    /// Pieces of rows for each rank: the row's number, how many entries, and their columns.
    struct Pieces {
        std::vector<std::vector<std::int64_t>> rows, lengths, columns;
    };

    const Executor& exec() const { return local_.result.executor(); }

    Pieces pieces_to_send(const Partition& columns, const Extent& extent, const OnHost<I>& row_ptrs,
                          const OnHost<I>& cols, std::int64_t first_row)
    {
        const auto num_ranks = static_cast<std::size_t>(ranks_.size());
        Pieces sent{std::vector<std::vector<std::int64_t>>(num_ranks),
                    std::vector<std::vector<std::int64_t>>(num_ranks),
                    std::vector<std::vector<std::int64_t>>(num_ranks)};
        std::int64_t begin = 0;  // of the entries that are sent, one after the other
        for (size_type position = 0; position < extent.size(); ++position) {
            const auto number = extent.number(position);
            if (extent.is_own(number)) {
                continue;
            }
            const auto rank = columns.owner(number);
            const auto first = static_cast<std::size_t>(row_ptrs[static_cast<std::size_t>(position)]);
            const auto last = static_cast<std::size_t>(row_ptrs[static_cast<std::size_t>(position) + 1]);
            auto& list = sent.columns[static_cast<std::size_t>(rank)];
            for (auto k = first; k < last; ++k) {
                list.push_back(first_row + cols[k]);
            }
            sent.rows[static_cast<std::size_t>(rank)].push_back(number);
            sent.lengths[static_cast<std::size_t>(rank)].push_back(static_cast<std::int64_t>(last - first));
            if (sends_.empty() || sends_.back().rank != rank) {
                sends_.push_back({rank, begin, 0});
            }
            sends_.back().count += static_cast<size_type>(last - first);
            begin += static_cast<std::int64_t>(last - first);
        }
        std::erase_if(sends_, [](const auto& range) { return range.count == 0; });
        return sent;
    }

    Pieces exchange(const Pieces& sent)
    {
        Pieces received{detail::exchange_lists(ranks_, sent.rows), detail::exchange_lists(ranks_, sent.lengths),
                        detail::exchange_lists(ranks_, sent.columns)};
        std::int64_t begin = 0;
        for (std::size_t rank = 0; rank < received.columns.size(); ++rank) {
            const auto count = static_cast<size_type>(received.columns[rank].size());
            if (static_cast<int>(rank) == ranks_.rank()) {
                first_received_behind_ = begin;
            }
            if (count > 0) {
                receives_.push_back({static_cast<int>(rank), begin, count});
            }
            begin += count;
        }
        num_received_ = begin;
        return received;
    }

    /// The pieces in their order: of lower ranks, own ones, of higher ranks.
    void assemble(const Partition& rows, const Extent& extent, const OnHost<I>& row_ptrs, const OnHost<I>& local_cols,
                  const Pieces& received)
    {
        const auto me = static_cast<std::size_t>(ranks_.rank());
        const auto num_rows = static_cast<std::size_t>(extent.num_own());
        const auto first_row = rows.first(ranks_.rank());
        std::vector<std::int64_t> ends(num_rows + 1, 0);
        const auto own_row = [&](std::size_t row) { return static_cast<std::size_t>(extent.num_lower()) + row; };
        for (std::size_t row = 0; row < num_rows; ++row) {
            ends[row + 1] = row_ptrs[own_row(row) + 1] - row_ptrs[own_row(row)];
        }
        std::vector<std::int64_t> numbers;
        for (std::size_t rank = 0; rank < received.rows.size(); ++rank) {
            for (std::size_t i = 0; i < received.rows[rank].size(); ++i) {
                ends[static_cast<std::size_t>(received.rows[rank][i] - extent.first()) + 1] +=
                    received.lengths[rank][i];
            }
            numbers.insert(numbers.end(), received.columns[rank].begin(), received.columns[rank].end());
        }
        for (std::size_t row = 0; row < num_rows; ++row) {
            ends[row + 1] += ends[row];
        }
        linden::detail::require_fits<I>(ends.back(), "the adjoint");
        const auto columns = Extent::around(rows, ranks_.rank(), numbers);
        std::vector<I> cols(static_cast<std::size_t>(ends.back())), order(cols.size());
        auto next = ends;  // where the next entry of a row goes
        std::int64_t source = 0;
        const auto put = [&](std::size_t row, std::int64_t number) {
            const auto at = static_cast<std::size_t>(next[row]++);
            cols[at] = static_cast<I>(columns.position(number));
            order[at] = static_cast<I>(source++);
        };
        for (std::size_t rank = 0; rank < received.rows.size(); ++rank) {
            if (rank == me) {
                for (std::size_t row = 0; row < num_rows; ++row) {
                    for (auto k = row_ptrs[own_row(row)]; k < row_ptrs[own_row(row) + 1]; ++k) {
                        put(row, first_row + local_cols[static_cast<std::size_t>(k)]);
                    }
                }
            }
            std::size_t k = 0;
            for (std::size_t i = 0; i < received.rows[rank].size(); ++i) {
                for (std::int64_t count = 0; count < received.lengths[rank][i]; ++count) {
                    put(static_cast<std::size_t>(received.rows[rank][i] - extent.first()), received.columns[rank][k++]);
                }
            }
        }
        std::vector<I> pointers(ends.begin(), ends.end());
        result_ = {Csr<V, I>(exec(), {extent.num_own(), columns.size()}, Array<I>(exec(), pointers),
                             Array<I>(exec(), cols), Array<V>(exec(), ends.back())),
                   columns};
        order_ = Array<I>(exec(), order);
        pieces_ = Array<V>(exec(), ends.back());
    }

    /// Collective. The values of the pieces, put into the order of the rows.
    void take_values()
    {
        const auto& all = local_.result;
        std::vector<V> sent(static_cast<std::size_t>(num_before_ + num_behind_));
        const auto download = [&](size_type first, size_type count, V* target) {
            if (count > 0) {
                copy_bytes(exec(), all.values() + first, linden::detail::host(), target,
                           static_cast<std::size_t>(count) * sizeof(V));
            }
        };
        download(0, num_before_, sent.data());
        download(num_before_ + num_own_, num_behind_, sent.data() + num_before_);
        std::vector<V> received(static_cast<std::size_t>(num_received_));
        exchange_ranges(ranks_, sent.data(), sends_, received.data(), receives_);
        const auto upload = [&](std::int64_t first, std::int64_t last, V* target) {
            if (last > first) {
                copy_bytes(linden::detail::host(), received.data() + first, exec(), target,
                           static_cast<std::size_t>(last - first) * sizeof(V));
            }
        };
        upload(0, first_received_behind_, pieces_.data());
        copy_within(exec(), all.values() + num_before_, pieces_.data() + first_received_behind_, num_own_);
        upload(first_received_behind_, num_received_, pieces_.data() + first_received_behind_ + num_own_);
        array_gather<V, V, I>(exec(), order_.size(), order_.data(), pieces_.data(), result_.own.values(),
                              Conjugate::no);
    }

    Communicator ranks_;
    Rearrangement<V, I> local_;
    std::vector<GhostMap::Range> sends_, receives_;
    // Entries of local_ for lower ranks, own ones, for higher ranks.
    size_type num_before_ = 0, num_own_ = 0, num_behind_ = 0;
    std::int64_t first_received_behind_ = 0, num_received_ = 0;
    Array<V> pieces_;
    Array<I> order_;  // which of the pieces' entries an entry of the result is
    SpreadRows<V, I> result_;
};

}  // namespace linden::distributed
