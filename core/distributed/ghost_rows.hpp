#pragma once

#include "core/distributed/halo.hpp"
#include "core/distributed/spread_rows.hpp"
#include "core/matrix/product.hpp"

/// Rows and columns of spread matrices that other ranks own: for products and adjoints. What is found once, with the
/// pattern, serves for new values, too: those are one message to each neighbour.
namespace linden::distributed {

/// Collective. Sends the ranges of `sent` and waits for those of `received`.
template <class T>
void exchange_ranges(const Communicator& ranks, const T* sent, const std::vector<GhostMap::Range>& sends, T* received,
                     const std::vector<GhostMap::Range>& receives)
{
    if (sends.empty() && receives.empty()) {
        return;
    }
    const auto pending = start_ranges(ranks, const_cast<T*>(sent), sends, received, receives, 1);
    const AddSeconds timer(ranks.transport().exchange_seconds);
    pending->wait();
}

/// Values of all positions of an extent, of which the ghosts' come from their owners.
template <class T>
void fill_ghosts(const Communicator& ranks, const GhostMap& map, const Extent& extent, T* values)
{
    std::vector<T> sent, received(map.ghosts.size());
    for (const auto row : map.send_rows) {
        sent.push_back(values[extent.num_lower() + row]);
    }
    exchange_ranges(ranks, sent.data(), map.sends, received.data(), map.receives);
    const auto upper = received.begin() + extent.num_lower();
    std::copy(received.begin(), upper, values);
    std::copy(upper, received.end(), values + extent.num_lower() + extent.num_own());
}
/// The same for an array on an executor. I: an index type.
template <class I, class T>
void fill_ghosts(const Communicator& ranks, const GhostMap& map, const Extent& extent, Array<T>& values)
{
    if (values.executor().state().is_host()) {
        fill_ghosts(ranks, map, extent, values.data());
        return;
    }
    const auto sent = picked<I>(values.executor(), values.data() + extent.num_lower(), map.send_rows);
    std::vector<T> received(map.ghosts.size());
    exchange_ranges(ranks, sent.data(), map.sends, received.data(), map.receives);
    place_ghosts(extent, received, values);
}

/// The rows of the ghosts of a map, from their owners.
template <class V, class I>
class GhostRows {
public:
    /// Collective. a: the own rows of the matrix whose rows the map is of.
    GhostRows(const Communicator& ranks, const GhostMap& map, const SpreadRows<V, I>& a) : ranks_(ranks)
    {
        const auto& exec = a.own.executor();
        const auto begins = picked<I>(exec, a.own.row_ptrs(), map.send_rows);
        const auto ends = picked<I>(exec, a.own.row_ptrs() + 1, map.send_rows);
        std::vector<I> lengths, entries;
        for (const auto& range : map.sends) {
            const auto begin = static_cast<size_type>(entries.size());
            for (auto i = static_cast<std::size_t>(range.first);
                 i < static_cast<std::size_t>(range.first + range.count); ++i) {
                lengths.push_back(ends[i] - begins[i]);
                for (auto k = begins[i]; k < ends[i]; ++k) {
                    entries.push_back(k);
                }
            }
            sends_.push_back({range.rank, begin, static_cast<size_type>(entries.size()) - begin});
        }
        sent_entries_.emplace(exec, entries);
        receive_lengths(map, lengths);

        Array<I> picked(exec, entries);
        array_renumber<I>(exec, picked.size(), a.own.col_idxs(), picked.data());
        std::vector<std::int64_t> sent;
        for (const auto position : picked.to_host()) {
            sent.push_back(a.columns.number(position));
        }
        columns_.resize(static_cast<std::size_t>(row_ptrs_.back()));
        exchange_ranges(ranks_, sent.data(), sends_, columns_.data(), receives_);
    }

    /// On the host: those of ghost g begin with row_ptrs()[g].
    const std::vector<std::int64_t>& row_ptrs() const { return row_ptrs_; }
    const std::vector<std::int64_t>& columns() const { return columns_; }
    /// Collective. The values, from those of the own rows.
    std::vector<V> values(const V* own) const
    {
        const auto& exec = sent_entries_->executor();
        Array<V> picked(exec, sent_entries_->size());
        array_gather<V, V, I>(exec, picked.size(), sent_entries_->data(), own, picked.data(), Conjugate::no);
        const auto sent = picked.to_host();
        std::vector<V> received(columns_.size());
        exchange_ranges(ranks_, sent.data(), sends_, received.data(), receives_);
        return received;
    }

private:
    void receive_lengths(const GhostMap& map, const std::vector<I>& lengths)
    {
        std::vector<I> received(map.ghosts.size());
        exchange_ranges(ranks_, lengths.data(), map.sends, received.data(), map.receives);
        row_ptrs_.push_back(0);
        for (const auto length : received) {
            row_ptrs_.push_back(row_ptrs_.back() + length);
        }
        for (const auto& range : map.receives) {
            const auto begin = row_ptrs_[static_cast<std::size_t>(range.first)];
            receives_.push_back(
                {range.rank, begin, row_ptrs_[static_cast<std::size_t>(range.first + range.count)] - begin});
        }
    }

    Communicator ranks_;
    std::optional<Array<I>> sent_entries_;
    std::vector<GhostMap::Range> sends_, receives_;
    std::vector<std::int64_t> row_ptrs_, columns_;
};

/// The own rows and those of the ghosts of a map, one after the other in the order of the whole.
template <class V, class I>
class StackedRows {
public:
    /// Collective. With the columns that any of these rows has.
    StackedRows(const Communicator& ranks, const GhostMap& map, const SpreadRows<V, I>& a)
        : StackedRows(a, map, GhostRows<V, I>(ranks, map, a), nullptr)
    {
    }
    /// Collective. The square matrix whose rows and columns are those of a.columns, ghosts' entries elsewhere left out.
    static StackedRows square(const Communicator& ranks, const GhostMap& map, const SpreadRows<V, I>& a)
    {
        return StackedRows(a, map, GhostRows<V, I>(ranks, map, a), &a.columns);
    }

    const Csr<V, I>& matrix() const { return *matrix_; }
    const Extent& columns() const { return columns_; }
    /// Collective. All values, from new ones of the own rows.
    void update(const V* own)
    {
        const auto received = ghosts_.values(own);
        std::vector<V> taken;
        taken.reserve(taken_.size());
        for (const auto k : taken_) {
            taken.push_back(received[static_cast<std::size_t>(k)]);
        }
        V* const values = matrix_->values();
        const auto& exec = matrix_->executor();
        if (!taken.empty()) {
            copy_bytes(linden::detail::host(), taken.data(), exec, values,
                       static_cast<std::size_t>(num_lower_entries_) * sizeof(V));
            copy_bytes(linden::detail::host(), taken.data() + num_lower_entries_, exec,
                       values + num_lower_entries_ + num_own_entries_,
                       (taken.size() - static_cast<std::size_t>(num_lower_entries_)) * sizeof(V));
        }
        if (own != values + num_lower_entries_) {
            copy_within(exec, own, values + num_lower_entries_, num_own_entries_);
        }
    }
    /// The own rows in here, with the pointers of the rows that this was made from.
    Csr<V, I> own(Array<I> row_ptrs)
    {
        const auto& exec = matrix_->executor();
        const auto num_rows = row_ptrs.size() - 1;
        auto* const cols = const_cast<I*>(matrix_->col_idxs()) + num_lower_entries_;
        return Csr<V, I>(exec, {num_rows, columns_.size()}, std::move(row_ptrs),
                         Array<I>::view(exec, num_own_entries_, cols),
                         Array<V>::view(exec, num_own_entries_, matrix_->values() + num_lower_entries_));
    }

private:
    StackedRows(const SpreadRows<V, I>& a, const GhostMap& map, GhostRows<V, I> ghosts, const Extent* square)
        : ghosts_(std::move(ghosts)),
          columns_(square != nullptr ? *square : with_columns(a.columns, ghosts_)),
          num_own_entries_(a.own.num_nonzeros())
    {
        const auto& exec = a.own.executor();
        const auto num_lower =
            std::lower_bound(map.ghosts.begin(), map.ghosts.end(), map.first_own) - map.ghosts.begin();
        std::vector<I> lower, upper, cols;  // where rows of ghosts begin, and where they end
        take(0, static_cast<std::size_t>(num_lower), cols, [&](I begin, I) { lower.push_back(begin); });
        const auto rest = cols.size();
        num_lower_entries_ = static_cast<size_type>(rest);
        take(static_cast<std::size_t>(num_lower), map.ghosts.size(), cols,
             [&](I, I end) { upper.push_back(static_cast<I>(num_own_entries_) + end); });

        const auto total = num_own_entries_ + static_cast<size_type>(cols.size());
        detail::require_fits<I>(total, "the rows that a rank sees");
        Array<I> col_idxs(exec, total);
        auto own_cols = Array<I>::view(exec, num_own_entries_, col_idxs.data() + num_lower_entries_);
        copy_within(exec, a.own.col_idxs(), own_cols.data(), num_own_entries_);
        renumber(own_cols, a.columns, columns_);
        const auto upload = [&](std::size_t first, std::size_t last, I* target) {
            if (last > first) {
                copy_bytes(linden::detail::host(), cols.data() + first, exec, target, (last - first) * sizeof(I));
            }
        };
        upload(0, rest, col_idxs.data());
        upload(rest, cols.size(), col_idxs.data() + num_lower_entries_ + num_own_entries_);
        const auto num_rows = a.own.size().rows;
        matrix_.emplace(exec, Dim{num_rows + static_cast<size_type>(map.ghosts.size()), columns_.size()},
                        joined_pointers(exec, lower, a.own.row_ptrs(), num_rows, static_cast<I>(rest), upper),
                        std::move(col_idxs), Array<V>(exec, total));
        update(a.own.values());
    }

    static Extent with_columns(const Extent& columns, const GhostRows<V, I>& ghosts)
    {
        return columns.with(columns.others(ghosts.columns()));
    }
    /// Appends ghosts' rows to `cols`, and tells of each where it begins and ends there.
    template <class Tell>
    void take(std::size_t first, std::size_t last, std::vector<I>& cols, const Tell& tell)
    {
        for (auto row = first; row < last; ++row) {
            const auto begin = static_cast<I>(cols.size());
            for (auto k = ghosts_.row_ptrs()[row]; k < ghosts_.row_ptrs()[row + 1]; ++k) {
                const auto position = columns_.position(ghosts_.columns()[static_cast<std::size_t>(k)]);
                if (position >= 0) {
                    cols.push_back(static_cast<I>(position));
                    taken_.push_back(k);
                }
            }
            tell(begin, static_cast<I>(cols.size()));
        }
    }

    GhostRows<V, I> ghosts_;
    Extent columns_;
    size_type num_own_entries_ = 0, num_lower_entries_ = 0;
    std::vector<std::int64_t> taken_;  // entries of ghosts, in the order of the whole
    std::optional<Csr<V, I>> matrix_;
};

/// C = A B, whose rows are spread as those of A.
template <class V, class I>
class SpreadProduct {
public:
    /// Collective. map: of the ghosts in a.columns.
    SpreadProduct(const Communicator& ranks, const GhostMap& map, const SpreadRows<V, I>& a, const SpreadRows<V, I>& b)
        : b_(ranks, map, b),
          product_(a.own, b_.matrix())
    {
    }

    const Csr<V, I>& own() const { return product_.result(); }
    /// The result, which may be moved away.
    SpreadRows<V, I> take() { return {std::move(product_.result()), b_.columns()}; }
    SpreadRows<V, I> view() const
    {
        const auto a = own().view();
        return {csr_view_unchecked<V, I>(own().executor(), a.rows, a.cols, a.num_nonzeros, a.row_ptrs, a.col_idxs,
                                         a.values),
                b_.columns()};
    }
    /// Collective. The values for new ones of A and B, to `c`, which has the pattern.
    void compute(const Csr<V, I>& a, const V* b, Csr<V, I>& c)
    {
        b_.update(b);
        product_.compute(a, b_.matrix(), c);
    }
    void compute(const Csr<V, I>& a, const V* b) { compute(a, b, product_.result()); }

private:
    StackedRows<V, I> b_;
    detail::Product<V, I> product_;
};

}  // namespace linden::distributed
