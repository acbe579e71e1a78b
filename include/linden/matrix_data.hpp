#pragma once

#include <linden/types.hpp>

#include <vector>

/// Plain host containers: what files are read into, what problems are generated as, what operators are built from.
///
/// V is float, double, std::complex<float> or std::complex<double>; I is std::int32_t or std::int64_t.
namespace linden {

/// Coordinate triplets in any order; entries of the same position mean their sum.
template <class V, class I>
struct MatrixData {
    Dim size;
    std::vector<I> rows;
    std::vector<I> cols;
    std::vector<V> values;

    size_type num_entries() const { return static_cast<size_type>(values.size()); }
};

/// Compressed rows: row r holds the entries row_ptrs[r] to row_ptrs[r + 1]. Whatever this library makes has strictly
/// increasing columns in each row.
template <class V, class I>
struct CsrData {
    Dim size;
    std::vector<I> row_ptrs;
    std::vector<I> col_idxs;
    std::vector<V> values;

    size_type num_nonzeros() const { return static_cast<size_type>(values.size()); }
};

/// A dense block, row-major without padding.
template <class V>
struct DenseData {
    Dim size;
    std::vector<V> values;

    V& at(size_type row, size_type col) { return values[row * size.cols + col]; }
    const V& at(size_type row, size_type col) const { return values[row * size.cols + col]; }
};

/// The compressed form of `data`: columns sorted, entries of the same position summed from left to right in the order
/// of the input, so that the result does not depend on the number of threads. Zeros are kept.
/// Takes O(nnz + rows) time, on all cores, and room for a second copy of the triplets.
/// @throws InvalidParameter where arrays differ in length, an index lies outside of the matrix or I overflows.
template <class V, class I>
LINDEN_EXPORT CsrData<V, I> to_csr(const MatrixData<V, I>& data);

/// The triplets of `csr`, row by row.
/// @throws InvalidParameter where `csr` is not well formed, see `require_well_formed`.
template <class V, class I>
LINDEN_EXPORT MatrixData<V, I> to_coo(const CsrData<V, I>& csr);

/// Checks lengths, row pointers and column bounds; columns need not be sorted.
/// @throws InvalidParameter naming the first offence.
template <class V, class I>
LINDEN_EXPORT void require_well_formed(const CsrData<V, I>& csr);

}  // namespace linden
