#pragma once

#include <linden/matrix/csr.hpp>
#include <linden/matrix/diagonal.hpp>
#include <linden/matrix/permutation.hpp>

/// Rearrangements of Csr matrices and other operations whose result has its entries from one matrix.
///
/// All work runs on the matrix's executor, and every result has its columns sorted and is the same in every run.
/// Functions that make a new pattern wait for the executor, to learn how many entries it has. Those that take a
/// second operand throw InvalidParameter if it is on another executor.
namespace linden {

/// A matrix whose entry k is entry source[k] of another one, or its conjugate: to be updated when that gets new values.
///
/// A movable value.
template <class V, class I>
struct LINDEN_EXPORT Rearrangement {
    Csr<V, I> result;
    Array<I> source;
    Dim original_size;
    bool is_conjugated = false;

    /// Takes the values from `matrix`, whose pattern is that of the matrix this was made from. One pass over the
    /// entries; nothing is allocated.
    /// @throws DimensionMismatch if its size or number of nonzeros is another, InvalidParameter if its executor is
    void update(const Csr<V, I>& matrix);
};

/// A^T; O(nnz + rows + cols) work, but the entries of a column are sorted by one block on devices, so that columns with
/// millions of entries take longer.
template <class V, class I>
LINDEN_EXPORT Csr<V, I> transpose(const Csr<V, I>& a);
/// A^H
template <class V, class I>
LINDEN_EXPORT Csr<V, I> conjugate_transpose(const Csr<V, I>& a);
/// A^T or A^H, to be updated when A's values change.
template <class V, class I>
LINDEN_EXPORT Rearrangement<V, I> updatable_transpose(const Csr<V, I>& a);
template <class V, class I>
LINDEN_EXPORT Rearrangement<V, I> updatable_conjugate_transpose(const Csr<V, I>& a);

/// The same matrix with the columns of each row sorted; `a` may be unsorted, and entries of the same position stay
/// apart, in their old order.
template <class V, class I>
LINDEN_EXPORT Csr<V, I> sort_rows(const Csr<V, I>& a);

/// P A: row i is row p[i] of A. @throws DimensionMismatch
template <class V, class I>
LINDEN_EXPORT Csr<V, I> permute_rows(const Csr<V, I>& a, const Permutation<V, I>& p);
/// A P^T: column j is column p[j] of A. @throws DimensionMismatch
template <class V, class I>
LINDEN_EXPORT Csr<V, I> permute_columns(const Csr<V, I>& a, const Permutation<V, I>& p);
/// P A P^T, A square. @throws DimensionMismatch
template <class V, class I>
LINDEN_EXPORT Csr<V, I> permute_symmetric(const Csr<V, I>& a, const Permutation<V, I>& p);

enum class Triangle : bool { without_diagonal, with_diagonal };

/// The entries below the diagonal, and on it if wanted; the size stays.
template <class V, class I>
LINDEN_EXPORT Csr<V, I> lower_triangle(const Csr<V, I>& a, Triangle which = Triangle::with_diagonal);
/// The entries above the diagonal, and on it if wanted; the size stays.
template <class V, class I>
LINDEN_EXPORT Csr<V, I> upper_triangle(const Csr<V, I>& a, Triangle which = Triangle::with_diagonal);

/// Numbers begin, ..., end - 1.
struct Range {
    size_type begin = 0;
    size_type end = 0;
};

/// A(rows, cols). @throws InvalidParameter unless 0 <= begin <= end <= the size of A
template <class V, class I>
LINDEN_EXPORT Csr<V, I> submatrix(const Csr<V, I>& a, Range rows, Range cols);

/// diag(A), of min(rows, cols) entries; 0 where A has none. Sorted rows.
template <class V, class I>
LINDEN_EXPORT Diagonal<V> extract_diagonal(const Csr<V, I>& a);

/// |a_ij|, in A's own type.
template <class V, class I>
LINDEN_EXPORT Csr<V, I> absolute(const Csr<V, I>& a);

/// A := D A. @throws DimensionMismatch
template <class V, class I>
LINDEN_EXPORT void scale_rows(const Diagonal<V>& d, Csr<V, I>& a);
/// A := A D. @throws DimensionMismatch
template <class V, class I>
LINDEN_EXPORT void scale_columns(Csr<V, I>& a, const Diagonal<V>& d);

/// alpha A + beta I, A square with sorted rows; the result has the whole diagonal in its pattern.
/// @throws DimensionMismatch if A is not square
template <class V, class I>
LINDEN_EXPORT Csr<V, I> add_scaled_identity(std::type_identity_t<V> alpha, const Csr<V, I>& a,
                                            std::type_identity_t<V> beta);

/// The matrix of these triplets, in any order; values of the same position are summed from left to right in the order
/// of the input, and zeros are kept. Needs room for about four index arrays of the number of triplets.
/// @throws InvalidParameter if an array has another length than the others or is on another executor, the size is
/// negative, I cannot hold it, or an index lies outside of the matrix: the first one is named
template <class V, class I>
LINDEN_EXPORT Csr<V, I> assemble(const Executor& exec, Dim size, const Array<I>& rows, const Array<I>& cols,
                                 const Array<V>& values);

}  // namespace linden
