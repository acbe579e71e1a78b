#pragma once

#include <linden/types.hpp>

#include <vector>

/// Plain host containers, into which files are read and problems are generated, and from which operators are built.
///
/// V is float, double, std::complex<float> or std::complex<double>; I is std::int32_t or std::int64_t.
namespace linden {

/// Coordinate triplets in any order; duplicate entries are summed.
template <class V, class I>
struct MatrixData {
    Dim size;
    std::vector<I> rows;
    std::vector<I> cols;
    std::vector<V> values;

    size_type num_entries() const { return static_cast<size_type>(values.size()); }
};

/// Compressed sparse rows: row r has the entries [row_ptrs[r], row_ptrs[r + 1]). Matrices made by this library have
/// strictly increasing columns in each row.
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

/// `data` in compressed sparse rows: columns sorted, duplicates summed in the order of the input, so that the result
/// does not depend on the number of threads. Zeros are kept.
/// O(nnz + rows) work on all cores, and memory for a second copy of the triplets.
/// @throws InvalidParameter if arrays differ in length, an index is outside of the matrix or I overflows
template <class V, class I>
LINDEN_EXPORT CsrData<V, I> to_csr(const MatrixData<V, I>& data);

/// The triplets of `csr`, row by row.
/// @throws InvalidParameter if `csr` is not well formed, see `require_well_formed`
template <class V, class I>
LINDEN_EXPORT MatrixData<V, I> to_coo(const CsrData<V, I>& csr);

/// Checks lengths, row pointers and column bounds; columns need not be sorted.
/// @throws InvalidParameter naming the first defect
template <class V, class I>
LINDEN_EXPORT void require_well_formed(const CsrData<V, I>& csr);

}  // namespace linden
