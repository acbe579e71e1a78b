#pragma once

#include <linden/storage_precision.hpp>

#include <initializer_list>

#include "core/kernels/multigrid.hpp"
#include "core/matrix/sell_pattern.hpp"

namespace linden::detail {

/// How a matrix is laid out: slices for a thread to a row, or row after row for several lanes to one, which share the
/// pattern that the matrix has anyway.
enum class Layout { slices, rows };

/// A matrix with rounded values that takes them from a Csr matrix with scaled rows and columns. In slices it has 16-bit
/// column indices where they suffice. New values neither allocate nor wait.
template <class V, class I>
class StoredMatrix {
public:
    static constexpr size_type slice_rows = level_slice_rows;

    /// Slices have columns after `find_columns`; rows keep the view of the pattern. Waits for slices.
    StoredMatrix(const Executor& exec, PatternView<I> a, Layout layout, StoragePrecision storage)
        : exec_(exec),
          rows_(a),
          layout_(layout),
          slices_(layout == Layout::slices ? make_slices<I>(exec, a, slice_rows, 1) : SellPattern<I>(exec)),
          values_(exec)
    {
        set_storage(storage);
    }
    /// The same without waiting: *num_columns becomes, on the executor, what `look_for_offsets` asks for.
    StoredMatrix(const Executor& exec, PatternView<I> a, Layout layout, StoragePrecision storage,
                 std::int64_t* num_columns)
        : exec_(exec),
          rows_(a),
          layout_(layout),
          storage_(storage),
          slices_(exec),
          values_(exec)
    {
        if (layout_ == Layout::slices) {
            slices_.slice_rows = slice_rows;
            slices_.slice_ptrs = Array<I>(exec, (a.rows + slice_rows - 1) / slice_rows + 1);
            sell_count_slices<I>(exec, a.rows, a.row_ptrs, slice_rows, nullptr, slices_.slice_ptrs.data());
            scan_counts(slices_.slice_ptrs, num_columns);
        } else {
            set_storage(storage);
        }
    }
    /// num_columns: of all slices together. counts: two numbers, on the executor, for `accept_offsets`.
    void look_for_offsets(size_type num_columns, std::int64_t* counts)
    {
        if (layout_ == Layout::slices) {
            require_fits<I>(num_columns, "the slices");
            slices_.num_columns = num_columns;
            set_storage(storage_);
            count_what_offsets_leave(counts);
        }
    }
    /// The columns of those of these matrices that are slices, as `find_columns`, from their counts. Waits where there
    /// are gaps.
    static void accept_offsets(std::initializer_list<StoredMatrix*> all, const std::int64_t* counts)
    {
        if constexpr (sizeof(I) == 4) {
            bool is_narrow = true;
            for (auto* const matrix : all) {
                is_narrow = is_narrow && (matrix->accept_offsets(counts) || matrix->find_offsets_with_gaps());
                counts += 2;
            }
            if (is_narrow) {
                return;
            }
        }
        for (auto* const matrix : all) {
            matrix->fill_columns();
        }
    }

    /// Values are lost.
    void set_storage(StoragePrecision storage)
    {
        storage_ = storage;
        const size_type places = layout_ == Layout::slices ? slices_.num_entries() : rows_.num_nonzeros;
        with_stored_type<V, I>(storage_,
                               [&]<class S>() { values_.resize(places * static_cast<size_type>(sizeof(S))); });
    }

    /// The columns of those of these matrices that are slices: 16 bits each where that suffices for all. Waits.
    static void find_columns(std::initializer_list<StoredMatrix*> all)
    {
        if constexpr (sizeof(I) == 4) {
            bool is_narrow = true;
            for (auto* const matrix : all) {
                is_narrow = is_narrow && (matrix->find_offsets() || matrix->find_offsets_with_gaps());
            }
            if (is_narrow) {
                return;
            }
        }
        for (auto* const matrix : all) {
            matrix->fill_columns();
        }
    }

    /// Columns as they are.
    void fill_columns()
    {
        if (layout_ == Layout::slices) {
            has_gaps_ = false;
            slices_.has_offsets = false;
            slices_.bases = Array<I>(exec_);
            slices_.offsets = Array<std::uint16_t>(exec_);
            slices_.col_idxs = Array<I>(exec_, slices_.num_entries());
            multigrid_slice_columns<I>(exec_, slices_.layout(rows_.size()), rows_, slices_.col_idxs.data());
        }
    }

    /// Columns of 16 bits in slices that become longer, if that is less to read than columns of 32 bits: at the rim of
    /// a grid a row lacks other neighbours than those beside it. Values are lost; false if nothing is done. Waits.
    bool find_offsets_with_gaps()
    {
        Array<std::int32_t> ptrs(exec_, slices_.slice_ptrs.size());
        multigrid_count_narrow(exec_, rows_, ptrs.data());
        const auto num_columns = make_row_ptrs(ptrs, "the slices");
        if (4 * num_columns > 5 * slices_.num_columns) {
            return false;
        }
        slices_.slice_ptrs = std::move(ptrs);
        slices_.num_columns = num_columns;
        set_storage(storage_);
        return find_offsets();
    }

    /// marks, unless null: 1 for each row that half precision cannot hold, else 0.
    void fill(const ScaledView<V, I>& scaled, I* marks = nullptr)
    {
        rows_ = scaled.a;  // an update may have put the same pattern elsewhere
        with_stored_type<V, I>(storage_, [&]<class S>() {
            S* const stored = reinterpret_cast<S*>(values_.data());
            if (layout_ == Layout::rows) {
                multigrid_store_rows<V, S, I>(exec_, scaled, stored, marks);
            } else {
                const auto* const offsets = has_gaps_ ? slices_.offsets.data() : nullptr;
                multigrid_store<V, S, I>(exec_, slices_.layout(rows_.size()), offsets, scaled, stored, marks);
            }
        });
    }

    /// Calls f(views...) with views of these matrices, which have the same layout, in the types that all of them are
    /// stored in: CsrView<S, I> or SellView<S, J>.
    template <class F, class... Others>
    static void with_views(const F& f, const StoredMatrix& first, const Others&... others)
    {
        if (first.layout_ == Layout::slices) {
            with_slices(f, first, others...);
            return;
        }
        with_stored_type<V, I>(first.storage_,
                               [&]<class S>() { f(first.template rows_view<S>(), others.template rows_view<S>()...); });
    }
    /// The same for matrices in slices.
    template <class F, class... Others>
    static void with_slices(const F& f, const StoredMatrix& first, const Others&... others)
    {
        with_stored_type<V, I>(first.storage_, [&]<class S>() {
            if constexpr (sizeof(I) == 4) {
                if (first.slices_.has_offsets) {
                    f(first.template narrow_view<S>(), others.template narrow_view<S>()...);
                    return;
                }
            }
            f(first.template wide_view<S>(), others.template wide_view<S>()...);
        });
    }

    StoragePrecision storage() const { return storage_; }
    int index_bits() const { return slices_.has_offsets ? 16 : static_cast<int>(8 * sizeof(I)); }
    size_type num_nonzeros() const { return rows_.num_nonzeros; }
    /// What the cycle reads.
    size_type bytes() const
    {
        if (layout_ == Layout::rows) {
            return static_cast<size_type>(values_.bytes()) +
                   (rows_.num_nonzeros + rows_.rows + 1) * static_cast<size_type>(sizeof(I));
        }
        return static_cast<size_type>(values_.bytes() + slices_.col_idxs.bytes() + slices_.offsets.bytes() +
                                      slices_.bases.bytes() + slices_.slice_ptrs.bytes());
    }

private:
    /// Whether 16 bits suffice. Waits for slices.
    bool find_offsets()
    {
        if (layout_ == Layout::rows) {
            return true;
        }
        Array<std::int64_t> counts(exec_, 2);
        count_what_offsets_leave(counts.data());
        return accept_offsets(counts.to_host().data());
    }
    /// Columns of 16 bits; *counts: how many slices have entries left without one, and how many have gaps.
    void count_what_offsets_leave(std::int64_t* counts)
    {
        if constexpr (sizeof(I) == 4) {
            slices_.has_offsets = true;
            slices_.col_idxs = Array<I>(exec_);
            slices_.bases = Array<std::int32_t>(exec_, slices_.num_columns);
            slices_.offsets = Array<std::uint16_t>(exec_, slices_.num_entries());
            const auto layout = slices_.layout(rows_.size());
            const auto n = layout.num_slices();
            Array<std::int32_t> marks(exec_, 2 * n);  // has_rest, has_gaps
            multigrid_slice_offsets(exec_, layout, rows_, slices_.bases.data(), slices_.offsets.data(), marks.data(),
                                    marks.data() + n);
            array_totals<std::int32_t>(exec_, n, 2, marks.data(), counts);
        }
    }
    bool accept_offsets(const std::int64_t* counts)
    {
        if (layout_ == Layout::rows) {
            return true;
        }
        has_gaps_ = counts[1] > 0;
        return counts[0] == 0;
    }
    template <class S>
    CsrView<S, I> rows_view() const
    {
        return {rows_.rows, rows_.cols, rows_.num_nonzeros, rows_.row_ptrs, rows_.col_idxs, values<S>()};
    }
    template <class S>
    SellView<S, I> wide_view() const
    {
        return {slices_.layout(rows_.size()), slices_.col_idxs.data(), values<S>()};
    }
    template <class S>
    SellView<S, std::uint16_t> narrow_view() const
    {
        return {slices_.layout(rows_.size()), slices_.offsets.data(), values<S>(), slices_.bases.data()};
    }
    template <class S>
    const S* values() const
    {
        return reinterpret_cast<const S*>(values_.data());
    }

    Executor exec_;
    PatternView<I> rows_;
    Layout layout_;
    StoragePrecision storage_ = StoragePrecision::same;
    SellPattern<I> slices_;
    bool has_gaps_ = false;    ///< padding may come before entries
    Array<std::byte> values_;  ///< of the storage type
};

}  // namespace linden::detail
