#pragma once

#include <linden/matrix_data.hpp>

#include <memory>
#include <span>
#include <vector>

/// Triplets to compressed rows in two parallel steps. Between them the caller can drop its triplets, so that at most
/// two copies of the entries are alive at a time.
namespace linden {

/// A view of triplets; all three arrays have the same length.
template <class V, class I>
struct TripletView {
    std::span<const I> rows;
    std::span<const I> cols;
    std::span<const V> values;
};

/// Triplets grouped by ranges of 2^shift rows, each group in the order of the input.
template <class V, class I>
struct BucketedTriplets {
    Dim size;
    int shift = 0;
    std::vector<size_type> bucket_ptrs;
    std::unique_ptr<I[]> rows;
    std::unique_ptr<I[]> cols;
    std::unique_ptr<V[]> values;

    size_type num_buckets() const { return static_cast<size_type>(bucket_ptrs.size()) - 1; }
};

/// Groups the triplets of `pieces`, in their order. Pieces are the unit of parallel work, so there should be many. All
/// indices must be inside of `size`.
template <class V, class I>
BucketedTriplets<V, I> group_by_rows(Dim size, std::span<const TripletView<V, I>> pieces);

/// Sorts each group by row and column and sums the entries of equal position in their order. The number of triplets
/// must fit I.
template <class V, class I>
CsrData<V, I> compress(BucketedTriplets<V, I> triplets);

}  // namespace linden
