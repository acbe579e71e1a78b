#pragma once

#include <linden/error.hpp>
#include <linden/matrix/csr.hpp>
#include <linden/matrix/sell_storage.hpp>
#include <linden/side.hpp>
#include <linden/storage_precision.hpp>

#include <complex>
#include <string>
#include <vector>

#include "core/colouring/colouring.hpp"
#include "core/kernels/level_chain.hpp"
#include "core/kernels/sweep.hpp"
#include "core/matrix/formats.hpp"
#include "core/matrix/sell_pattern.hpp"

/// A strict triangle of a matrix in colour ordering, as multicolour solves read it.
namespace linden::detail {

/// A matrix with factors that scale its rows and, unless null, its columns.
template <class V, class I>
struct ScaledRows {
    CsrView<V, I> matrix;
    const V* row_factors;
    const V* col_factors;
};

/// How column indices are stored: in 16 bits where all of a colour's fit, or as they are, where few would.
enum class ColumnStorage { fitting, wide };

/// The triangle's long rows, or its rows in slices, of one colour in sliced ELLPACK with the storage type S.
template <class I>
class StoredColour {
public:
    /// row_ptrs: of the rows of `part`. The number of columns of its slices goes to *total, and is to be set.
    StoredColour(const Executor& exec, const ColourSegment& part, size_type block_rows, ColumnStorage columns,
                 const I* row_ptrs, std::int64_t* total)
        : pattern_(exec),
          values_(exec),
          first_(part.first),
          rows_(part.rows),
          block_rows_(block_rows),
          columns_(columns)
    {
        const auto slice_rows = part.has_slices ? colour_slice_rows : 1;
        const bool one_slice = rows_ <= slice_rows;
        pattern_.slice_rows = one_slice ? std::max<size_type>(rows_, 1) : slice_rows;
        const auto num_slices = (rows_ + pattern_.slice_rows - 1) / pattern_.slice_rows;
        Array<I> ptrs(exec, num_slices + 1);
        sell_count_slices<I>(exec, rows_, row_ptrs, pattern_.slice_rows, nullptr, ptrs.data());
        Array<std::byte> workspace(exec, prefix_sum_workspace_bytes);
        prefix_sum<I>(exec, num_slices, ptrs.data(), total, {workspace.data(), workspace.size()});
        if (!one_slice) {
            pattern_.slice_ptrs = std::move(ptrs);
        }
    }

    void set_num_columns(std::int64_t count)
    {
        require_fits<I>(count, "the slices");
        pattern_.num_columns = count;
    }

    /// Stores the entries strictly on `side`.
    template <class V, class S>
    void fill(const ScaledRows<V, I>& a, Side side)
    {
        const auto& exec = values_.executor();
        Array<I> col_idxs(exec, is_filled_ ? 0 : pattern_.num_entries());
        values_.resize(pattern_.num_entries() * static_cast<size_type>(sizeof(S)));
        sweep_fill_triangle<V, S, I>(
            exec, {.a = a.matrix, .side = side, .row_factors = a.row_factors, .col_factors = a.col_factors}, first_,
            layout(a.matrix.cols), col_idxs.data(), stored_as<S>());
        if (!is_filled_) {
            pattern_.col_idxs = std::move(col_idxs);
            compress();
            is_filled_ = true;
        }
    }

    /// Calls f(ColourView) for `rows` of the rows, from position `first` on, with the type of the stored column
    /// indices. All rows, unless they have slices to themselves.
    template <class S, class F>
    void with_view(size_type cols, size_type first, size_type rows, F&& f) const
    {
        const auto* const values = reinterpret_cast<const S*>(values_.data());
        if constexpr (sizeof(I) == 4) {
            if (pattern_.has_offsets) {
                f(ColourView<S, std::uint16_t>{
                    {layout(cols), pattern_.offsets.data(), values, pattern_.bases.data()}, first_, block_rows_});
                return;
            }
        }
        auto part = layout(cols);
        if (rows != rows_) {
            part.rows = rows;
            part.width = part.width * rows / rows_;
            part.slice_ptrs += first - first_;
        }
        f(ColourView<S, I>{{part, pattern_.col_idxs.data(), values}, first, block_rows_});
    }

    bool is_empty() const { return pattern_.num_columns == 0; }
    /// Whether many threads share a row, but not as many as long rows have.
    bool has_shared_rows() const
    {
        return pattern_.slice_rows == 1 && rows_ > 1 && pattern_.num_columns < chain_row_length * rows_;
    }
    size_type bytes() const
    {
        const auto of = [](const auto& array) { return static_cast<size_type>(array.bytes()); };
        return of(pattern_.slice_ptrs) + of(pattern_.col_idxs) + of(pattern_.bases) + of(pattern_.offsets) +
               of(values_);
    }

private:
    SellLayout<I> layout(size_type cols) const
    {
        return {rows_, cols, pattern_.slice_rows, pattern_.num_columns, pattern_.slice_ptrs.data()};
    }
    template <class S>
    S* stored_as()
    {
        return reinterpret_cast<S*>(values_.data());
    }

    /// Compresses column indices to 16 bits if all fit and the executor benefits; each column of a slice then also has
    /// a 32-bit base.
    void compress()
    {
        if constexpr (sizeof(I) == 4) {
            if (values_.executor().is_host() || columns_ == ColumnStorage::wide || pattern_.num_columns == 0 ||
                pattern_.slice_rows == 1) {
                return;
            }
            if (auto found = find_offsets(pattern_); found.num_wide == 0) {
                take_offsets(pattern_, std::move(found));
            }
        }
    }

    SellPattern<I> pattern_;
    Array<std::byte> values_;
    size_type first_, rows_, block_rows_;
    ColumnStorage columns_;
    bool is_filled_ = false;
};

/// All colours of a strict triangle; long rows and slices of a colour apart.
template <class V, class I>
class StoredTriangle {
public:
    /// The entries of `a`, in colour ordering, strictly on `side`; none if not wanted. Waits for the executor.
    StoredTriangle(const Executor& exec, PatternView<I> a, Side side, bool is_wanted,
                   const std::vector<ColourSegment>& parts, size_type block_rows, StoragePrecision storage,
                   ColumnStorage columns = ColumnStorage::fitting)
        : exec_(exec),
          side_(side),
          storage_(storage),
          size_(a.rows)
    {
        Array<I> row_ptrs(exec, a.rows + 1);
        if (is_wanted) {
            sweep_count_triangle<I>(exec, a, side, row_ptrs.data());
        } else {
            exec.state().fill_zero(row_ptrs.data(), row_ptrs.bytes());
        }
        num_nonzeros_ = make_row_ptrs(row_ptrs, "the triangle");
        std::vector<ColourSegment> groups;
        for (const auto& part : parts) {
            const bool joins = !groups.empty() && !groups.back().has_slices && !part.has_slices && block_rows == 1 &&
                               groups.back().first + groups.back().rows == part.first;
            if (joins) {
                groups.back().rows += part.rows;
            } else {
                groups.push_back(part);
            }
            parts_.push_back({static_cast<size_type>(groups.size()) - 1, part.first, part.rows});
        }
        Array<std::int64_t> totals(exec, static_cast<size_type>(groups.size()));
        for (const auto& group : groups) {
            stored_.emplace_back(exec, group, block_rows, columns, row_ptrs.data() + group.first,
                                 totals.data() + stored_.size());
        }
        const auto counts = totals.to_host();
        for (std::size_t i = 0; i < counts.size(); ++i) {
            stored_[i].set_num_columns(counts[i]);
        }
    }

    /// New values of `a`, on the pattern of the construction.
    void fill(const ScaledRows<V, I>& a)
    {
        if (num_nonzeros_ == 0) {
            return;
        }
        with_storage([&]<class S>() {
            for (auto& stored : stored_) {
                stored.template fill<V, S>(a, side_);
            }
        });
    }

    size_type num_parts() const { return static_cast<size_type>(parts_.size()); }
    /// Calls f(ColourView) for a part of a colour.
    template <class F>
    void with_part(size_type number, F&& f) const
    {
        const auto& part = parts_[static_cast<std::size_t>(number)];
        with_storage([&]<class S>() { stored(number).template with_view<S>(size_, part.first, part.rows, f); });
    }

    /// The first of the last parts that have at most `most_rows` rows each and can be swept together (level_chain.hpp).
    size_type first_of_chain(size_type most_rows) const
    {
        size_type first = num_parts();
        while (first > 0 && parts_[static_cast<std::size_t>(first - 1)].rows <= most_rows &&
               stored(first - 1).has_shared_rows() &&
               (first == num_parts() || &stored(first - 1) == &stored(num_parts() - 1))) {
            --first;
        }
        return first;
    }
    /// Rows of the parts from number `first` on.
    size_type rows_from(size_type first) const { return size_ - parts_[static_cast<std::size_t>(first)].first; }
    /// Calls f(ColourView) for the parts from number `first` on, which are stored together.
    template <class F>
    void with_parts_from(size_type first, F&& f) const
    {
        const size_type position = parts_[static_cast<std::size_t>(first)].first;
        with_storage([&]<class S>() { stored(first).template with_view<S>(size_, position, size_ - position, f); });
    }

    /// Whether a part, and what is stored with it, has no entries.
    bool is_empty(size_type number) const { return stored(number).is_empty(); }
    size_type num_nonzeros() const { return num_nonzeros_; }
    size_type bytes() const
    {
        size_type sum = 0;
        for (const auto& stored : stored_) {
            sum += stored.bytes();
        }
        return sum;
    }

private:
    /// A part of a colour: rows from position `first` on, of what is stored together.
    struct Part {
        size_type stored;
        size_type first;
        size_type rows;
    };

    const StoredColour<I>& stored(size_type number) const
    {
        return stored_[static_cast<std::size_t>(parts_[static_cast<std::size_t>(number)].stored)];
    }

    template <class F>
    void with_storage(F&& f) const
    {
        with_stored_type<V, I>(storage_, std::forward<F>(f));
    }

    Executor exec_;
    Side side_;
    StoragePrecision storage_;
    size_type size_;
    size_type num_nonzeros_ = 0;
    std::vector<Part> parts_;
    std::vector<StoredColour<I>> stored_;  ///< successive parts without slices together
};

}  // namespace linden::detail
