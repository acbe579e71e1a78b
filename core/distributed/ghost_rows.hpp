#pragma once

#include <limits>

#include "core/distributed/ghost_values.hpp"
#include "core/distributed/spread_rows.hpp"
#include "core/kernels/pattern.hpp"
#include "core/matrix/product.hpp"

/// Rows and columns of spread matrices that other ranks own: for products and adjoints. What is found once, with the
/// pattern, serves for new values, too: those are one message to each neighbour.
namespace linden::distributed {

/// The rows of the ghosts of a map, from their owners.
template <class V, class I>
class GhostRows {
public:
    /// Collective. a: the own rows of the matrix whose rows the map is of.
    GhostRows(const Communicator& ranks, const GhostMap& map, const SpreadRows<V, I>& a)
        : ranks_(ranks),
          sent_entries_(a.own.executor()),
          row_ptrs_(a.own.executor()),
          columns_(a.own.executor())
    {
        const auto& exec = a.own.executor();
        const Array<I> rows(exec, std::vector<I>(map.send_rows.begin(), map.send_rows.end()));
        Array<I> sent_ptrs(exec, rows.size() + 1);
        exchange_row_lengths<I>(exec, rows.size(), rows.data(), a.own.row_ptrs(), sent_ptrs.data());
        const auto lengths = sent_ptrs.to_host();
        auto receives = receive_lengths(map, lengths);
        exchange_.emplace(exec, ranks_, entry_ranges(map.sends, lengths), std::move(receives));

        sent_entries_ = Array<I>(exec, detail::make_row_ptrs(sent_ptrs, "rows for other ranks"));
        Array<std::int64_t> numbers(exec, sent_entries_.size());
        const ExtentOnExecutor seen(exec, a.columns);
        exchange_pack_rows<I>(exec, seen.view(), PatternView<I>(a.own.view()), rows.size(), rows.data(),
                              sent_ptrs.data(), numbers.data(), sent_entries_.data());
        columns_ = Array<std::int64_t>(exec, num_entries_);
        (*exchange_)(std::as_const(numbers).data(), columns_.data());
        const auto seen_by_all = ranks_.all_gather(
            a.columns.size() == 0 ? Span{} : Span{a.columns.number(0), a.columns.number(a.columns.size() - 1)});
        for (const auto& range : map.receives) {
            const auto& theirs = seen_by_all[static_cast<std::size_t>(range.rank)];
            span_ = {std::min(span_.least, theirs.least), std::max(span_.most, theirs.most)};
        }
    }

    /// On the executor: those of ghost g begin with row_ptrs()[g].
    const Array<I>& row_ptrs() const { return row_ptrs_; }
    const Array<std::int64_t>& columns() const { return columns_; }
    /// The columns that are not own ones of an extent, each once, in ascending order.
    std::vector<std::int64_t> others(const Extent& extent) const
    {
        const auto end = extent.first() + extent.num_own();
        const auto width =
            std::max<std::int64_t>(0, extent.first() - span_.least) + std::max<std::int64_t>(0, span_.most + 1 - end);
        if (width > widest_marks * std::max<std::int64_t>(extent.size(), columns_.size())) {
            return extent.others(columns_.to_host());
        }
        std::vector<std::int64_t> result;
        append_marked<I>(columns_, span_.least, extent.first(), result);
        append_marked<I>(columns_, end, span_.most + 1, result);
        return result;
    }
    /// Collective. The values, from those of the own rows.
    Array<V> values(const V* own)
    {
        const auto& exec = sent_entries_.executor();
        Array<V> picked(exec, sent_entries_.size());
        array_gather<V, V, I>(exec, picked.size(), sent_entries_.data(), own, picked.data(), Conjugate::no);
        Array<V> received(exec, num_entries_);
        (*exchange_)(std::as_const(picked).data(), received.data());
        return received;
    }

private:
    /// Marks for so many times as many numbers as there are rows or entries are cheaper than a sort.
    static constexpr std::int64_t widest_marks = 64;

    /// Ranges of entries, from ranges of rows with so many each.
    static std::vector<GhostMap::Range> entry_ranges(const std::vector<GhostMap::Range>& ranges,
                                                     const std::vector<I>& lengths)
    {
        std::vector<GhostMap::Range> result;
        size_type begin = 0;
        for (const auto& range : ranges) {
            const auto first = lengths.begin() + range.first;
            const auto count = std::accumulate(first, first + range.count, size_type{0});
            result.push_back({range.rank, begin, count});
            begin += count;
        }
        return result;
    }
    /// Sets the row pointers; returns where the entries of each rank are.
    std::vector<GhostMap::Range> receive_lengths(const GhostMap& map, const std::vector<I>& lengths)
    {
        std::vector<I> received(map.ghosts.size() + 1);
        exchange_ranges(ranks_, lengths.data(), map.sends, received.data(), map.receives);
        row_ptrs_ = Array<I>(sent_entries_.executor(), received);
        num_entries_ = detail::make_row_ptrs(row_ptrs_, "rows of other ranks");
        return entry_ranges(map.receives, received);
    }

    /// The least and the largest number that a rank sees.
    struct Span {
        std::int64_t least = std::numeric_limits<std::int64_t>::max(), most = -1;
    };

    Communicator ranks_;
    Array<I> sent_entries_;
    std::optional<RangeExchange> exchange_;  // of entries
    Array<I> row_ptrs_;
    size_type num_entries_ = 0;
    Array<std::int64_t> columns_;
    Span span_;  // of who has sent columns
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
        auto received = ghosts_.values(own);
        const auto& exec = matrix_->executor();
        if (taken_) {
            Array<V> taken(exec, taken_->size());
            array_gather<V, V, I>(exec, taken.size(), taken_->data(), received.data(), taken.data(), Conjugate::no);
            received = std::move(taken);
        }
        place(received, matrix_->values());
        if (own != matrix_->values() + num_lower_entries_) {
            copy_within(exec, own, matrix_->values() + num_lower_entries_, num_own_entries_);
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
          columns_(square != nullptr ? *square : a.columns.with(ghosts_.others(a.columns))),
          num_own_entries_(a.own.num_nonzeros())
    {
        const auto& exec = a.own.executor();
        const auto num_ghosts = static_cast<size_type>(map.ghosts.size());
        const size_type num_lower =
            std::lower_bound(map.ghosts.begin(), map.ghosts.end(), map.first_own) - map.ghosts.begin();
        Array<I> cols(exec, ghosts_.columns().size());
        const ExtentOnExecutor seen(exec, columns_);
        exchange_find<I>(exec, seen.view(), cols.size(), ghosts_.columns().data(), cols.data());
        Array<I> row_ptrs = square != nullptr ? take_seen(num_ghosts, cols) : ghosts_.row_ptrs().clone();
        num_lower_entries_ = Array<I>::view(exec, 1, row_ptrs.data() + num_lower).to_host().front();

        const auto total = num_own_entries_ + cols.size();
        detail::require_fits<I>(total, "the rows that a rank sees");
        Array<I> col_idxs(exec, total);
        auto own_cols = Array<I>::view(exec, num_own_entries_, col_idxs.data() + num_lower_entries_);
        copy_within(exec, a.own.col_idxs(), own_cols.data(), num_own_entries_);
        renumber(own_cols, a.columns, columns_);
        place(cols, col_idxs.data());
        const auto num_rows = a.own.size().rows;
        matrix_.emplace(exec, Dim{num_rows + num_ghosts, columns_.size()},
                        stacked_pointers(row_ptrs, num_lower, a.own.row_ptrs(), num_rows), std::move(col_idxs),
                        Array<V>(exec, total));
        update(a.own.values());
    }

    /// Leaves the entries whose columns are seen in `cols`; returns where rows of ghosts begin among them.
    Array<I> take_seen(size_type num_ghosts, Array<I>& cols)
    {
        const auto& exec = cols.executor();
        const PatternView<I> all{num_ghosts, columns_.size(), cols.size(), ghosts_.row_ptrs().data(), cols.data()};
        const PatternSelection seen{0, num_ghosts, 0, columns_.size()};
        Array<I> row_ptrs(exec, num_ghosts + 1);
        pattern_select_count<I>(exec, all, seen, row_ptrs.data());
        taken_.emplace(exec, detail::make_row_ptrs(row_ptrs, "rows of other ranks"));
        Array<I> found(exec, taken_->size());
        pattern_select_fill<I>(exec, all, seen, row_ptrs.data(), found.data(), taken_->data());
        cols = std::move(found);
        return row_ptrs;
    }
    /// Row pointers of all, from those of the ghosts' rows and the own ones.
    Array<I> stacked_pointers(const Array<I>& ghosts, size_type num_lower, const I* own, size_type num_own) const
    {
        const auto& exec = ghosts.executor();
        const auto num_upper = ghosts.size() - 1 - num_lower;
        Array<I> result(exec, num_own + ghosts.size());
        I* const target = result.data() + num_lower;
        copy_within(exec, ghosts.data(), result.data(), num_lower);
        array_shift<I>(exec, num_own + 1, static_cast<I>(num_lower_entries_), own, target);
        array_shift<I>(exec, num_upper, static_cast<I>(num_own_entries_), ghosts.data() + num_lower + 1,
                       target + num_own + 1);
        return result;
    }
    /// What ghosts' entries have, to both sides of the own ones.
    template <class T>
    void place(const Array<T>& of_ghosts, T* all) const
    {
        const auto& exec = of_ghosts.executor();
        copy_within(exec, of_ghosts.data(), all, num_lower_entries_);
        copy_within(exec, of_ghosts.data() + num_lower_entries_, all + num_lower_entries_ + num_own_entries_,
                    of_ghosts.size() - num_lower_entries_);
    }

    GhostRows<V, I> ghosts_;
    Extent columns_;
    size_type num_own_entries_ = 0, num_lower_entries_ = 0;
    std::optional<Array<I>> taken_;  // entries of ghosts, in the order of the whole, where not all are
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
