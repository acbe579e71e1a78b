#pragma once

#include <linden/storage_precision.hpp>

#include <initializer_list>
#include <vector>

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

    /// The pattern with 32-bit columns; rows keep the view of it. Waits for slices.
    StoredMatrix(const Executor& exec, PatternView<I> a, Layout layout, StoragePrecision storage)
        : exec_(exec),
          rows_(a),
          layout_(layout),
          slices_(layout == Layout::slices ? make_slices<I>(exec, a, slice_rows, 1) : SellPattern<I>(exec)),
          values_(exec)
    {
        set_storage(storage);
        if (layout_ == Layout::slices) {
            slices_.col_idxs = Array<I>(exec_, slices_.num_entries());
            multigrid_slice_columns<I>(exec_, slices_.layout(rows_.size()), a, slices_.col_idxs.data());
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

    /// Stores 16-bit columns in all of these matrices if they are slices and it suffices for each. Waits.
    static void narrow(std::initializer_list<StoredMatrix*> all)
    {
        if constexpr (sizeof(I) == 4) {
            std::vector<ColumnOffsets> found;
            for (const auto* const matrix : all) {
                if (matrix->layout_ != Layout::slices) {
                    return;
                }
                found.push_back(find_offsets(matrix->slices_));
                if (found.back().num_wide > 0) {
                    return;
                }
            }
            auto next = found.begin();
            for (auto* const matrix : all) {
                take_offsets(matrix->slices_, std::move(*next++));
            }
        }
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
                multigrid_store<V, S, I>(exec_, slices_.layout(rows_.size()), scaled, stored, marks);
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
    Array<std::byte> values_;  ///< of the storage type
};

}  // namespace linden::detail
