#pragma once

#include <linden/storage_precision.hpp>

#include <initializer_list>
#include <vector>

#include "core/kernels/multigrid.hpp"
#include "core/matrix/sell_pattern.hpp"

namespace linden::detail {

/// A matrix in slices, with rounded values and, where they suffice, 16-bit column indices, that takes its values from a
/// Csr matrix with scaled rows and columns. New values neither allocate nor wait.
template <class V, class I>
class StoredSlices {
public:
    static constexpr size_type slice_rows = 32;

    /// The pattern with 32-bit columns. Waits.
    StoredSlices(const Executor& exec, PatternView<I> a, StoragePrecision storage)
        : exec_(exec),
          size_(a.size()),
          num_nonzeros_(a.num_nonzeros),
          pattern_(make_slices<I>(exec, a, slice_rows, 1)),
          values_(exec)
    {
        set_storage(storage);
        pattern_.col_idxs = Array<I>(exec_, pattern_.num_entries());
        multigrid_slice_columns<I>(exec_, pattern_.layout(size_), a, pattern_.col_idxs.data());
    }

    /// Values are lost.
    void set_storage(StoragePrecision storage)
    {
        storage_ = storage;
        with_stored_type<V, I>(
            storage_, [&]<class S>() { values_.resize(pattern_.num_entries() * static_cast<size_type>(sizeof(S))); });
    }

    /// Stores 16-bit columns in all of these matrices if they suffice for each. Waits.
    static void narrow(std::initializer_list<StoredSlices*> all)
    {
        if constexpr (sizeof(I) == 4) {
            std::vector<ColumnOffsets> found;
            for (const auto* const slices : all) {
                found.push_back(find_offsets(slices->pattern_));
                if (found.back().num_wide > 0) {
                    return;
                }
            }
            auto next = found.begin();
            for (auto* const slices : all) {
                take_offsets(slices->pattern_, std::move(*next++));
            }
        }
    }

    void fill(const ScaledView<V, I>& scaled) { store(scaled, nullptr); }
    /// The same. Returns whether half precision would lose what matters. Waits.
    bool fill_and_look(const ScaledView<V, I>& scaled)
    {
        Array<I> marks(exec_, size_.rows + 1);
        store(scaled, marks.data());
        return make_row_ptrs(marks, "rows beyond half precision") > 0;
    }

    /// Calls f.operator()<S, J>(views...) with views of these matrices in the types that all of them are stored in.
    template <class F, class... Slices>
    static void with_views(const F& f, const StoredSlices& first, const Slices&... others)
    {
        with_stored_type<V, I>(first.storage_, [&]<class S>() {
            if constexpr (sizeof(I) == 4) {
                if (first.pattern_.has_offsets) {
                    f.template operator()<S, std::uint16_t>(first.template narrow_view<S>(),
                                                            others.template narrow_view<S>()...);
                    return;
                }
            }
            f.template operator()<S, I>(first.template wide_view<S>(), others.template wide_view<S>()...);
        });
    }

    StoragePrecision storage() const { return storage_; }
    int index_bits() const { return pattern_.has_offsets ? 16 : static_cast<int>(8 * sizeof(I)); }
    size_type num_nonzeros() const { return num_nonzeros_; }
    size_type bytes() const
    {
        return static_cast<size_type>(values_.bytes() + pattern_.col_idxs.bytes() + pattern_.offsets.bytes() +
                                      pattern_.bases.bytes() + pattern_.slice_ptrs.bytes());
    }

private:
    void store(const ScaledView<V, I>& scaled, I* marks)
    {
        with_stored_type<V, I>(storage_, [&]<class S>() {
            multigrid_store<V, S, I>(exec_, pattern_.layout(size_), scaled, reinterpret_cast<S*>(values_.data()),
                                     marks);
        });
    }
    template <class S>
    SellView<S, I> wide_view() const
    {
        return {pattern_.layout(size_), pattern_.col_idxs.data(), values<S>()};
    }
    template <class S>
    SellView<S, std::uint16_t> narrow_view() const
    {
        return {pattern_.layout(size_), pattern_.offsets.data(), values<S>(), pattern_.bases.data()};
    }
    template <class S>
    const S* values() const
    {
        return reinterpret_cast<const S*>(values_.data());
    }

    Executor exec_;
    Dim size_;
    size_type num_nonzeros_;
    StoragePrecision storage_ = StoragePrecision::same;
    SellPattern<I> pattern_;
    Array<std::byte> values_;  ///< of the storage type
};

}  // namespace linden::detail
