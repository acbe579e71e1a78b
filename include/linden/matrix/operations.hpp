#pragma once

#include <linden/matrix/csr.hpp>
#include <linden/matrix/diagonal.hpp>
#include <linden/matrix/permutation.hpp>

/// Rearrangements of a Csr matrix (transpose, permute, select, sort), scaling and assembly.
///
/// All work runs on the matrix's executor. Results are deterministic and have sorted columns. Functions that make a new
/// pattern wait for the executor, to learn its number of entries, but for transposes. Functions with a second operand
/// throw InvalidParameter if it is on another executor.
namespace linden {

/// A matrix whose entry k is entry source[k] of another matrix, or its conjugate. `update` gathers new values.
///
/// A movable value.
template <class V, class I>
struct LINDEN_EXPORT Rearrangement {
    Csr<V, I> result;
    Array<I> source;
    Dim original_size;
    bool is_conjugated = false;

    /// Takes the values from `matrix`, which has the pattern of the original matrix. One pass over the entries;
    /// allocates nothing.
    /// @throws DimensionMismatch if the size or number of nonzeros differs, InvalidParameter if the executor differs
    void update(const Csr<V, I>& matrix);
};

/// A^T. O(nnz + rows + cols) work. On devices one block of threads sorts the entries of a column, so columns with
/// millions of entries take longer.
template <class V, class I>
LINDEN_EXPORT Csr<V, I> transpose(const Csr<V, I>& a);
/// A^H
template <class V, class I>
LINDEN_EXPORT Csr<V, I> conjugate_transpose(const Csr<V, I>& a);
/// A^T or A^H with the map for new values of A.
template <class V, class I>
LINDEN_EXPORT Rearrangement<V, I> updatable_transpose(const Csr<V, I>& a);
template <class V, class I>
LINDEN_EXPORT Rearrangement<V, I> updatable_conjugate_transpose(const Csr<V, I>& a);

/// A with the columns of each row sorted. The sort is stable; duplicate entries are not summed.
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

/// The strict lower triangle, or the lower triangle with the diagonal; the size of A is kept.
template <class V, class I>
LINDEN_EXPORT Csr<V, I> lower_triangle(const Csr<V, I>& a, Triangle which = Triangle::with_diagonal);
/// The strict upper triangle, or the upper triangle with the diagonal; the size of A is kept.
template <class V, class I>
LINDEN_EXPORT Csr<V, I> upper_triangle(const Csr<V, I>& a, Triangle which = Triangle::with_diagonal);

/// The half-open range [begin, end).
struct Range {
    size_type begin = 0;
    size_type end = 0;
};

/// A(rows, cols). @throws InvalidParameter unless 0 <= begin <= end <= the size of A
template <class V, class I>
LINDEN_EXPORT Csr<V, I> submatrix(const Csr<V, I>& a, Range rows, Range cols);

/// diag(A) with min(rows, cols) entries; 0 where A has no entry. Rows must be sorted.
template <class V, class I>
LINDEN_EXPORT Diagonal<V> extract_diagonal(const Csr<V, I>& a);

/// |a_ij|, in the value type of A.
template <class V, class I>
LINDEN_EXPORT Csr<V, I> absolute(const Csr<V, I>& a);

/// A := D A. @throws DimensionMismatch
template <class V, class I>
LINDEN_EXPORT void scale_rows(const Diagonal<V>& d, Csr<V, I>& a);
/// A := A D. @throws DimensionMismatch
template <class V, class I>
LINDEN_EXPORT void scale_columns(Csr<V, I>& a, const Diagonal<V>& d);

/// alpha A + beta I for square A with sorted rows; the result has the full diagonal in its pattern.
/// @throws DimensionMismatch if A is not square
template <class V, class I>
LINDEN_EXPORT Csr<V, I> add_scaled_identity(std::type_identity_t<V> alpha, const Csr<V, I>& a,
                                            std::type_identity_t<V> beta);

/// Assembles a matrix from triplets in any order. Duplicates are summed in the order of the input; zeros are kept.
/// Temporary memory: about four index arrays with one index per triplet.
/// @throws InvalidParameter if the arrays differ in length or are on another executor, the size is negative, I cannot
/// hold it, or an index is outside of the matrix (names the first)
template <class V, class I>
LINDEN_EXPORT Csr<V, I> assemble(const Executor& exec, Dim size, const Array<I>& rows, const Array<I>& cols,
                                 const Array<V>& values);

}  // namespace linden
