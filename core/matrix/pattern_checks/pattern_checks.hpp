#pragma once

#include <linden/lin_op.hpp>
#include <linden/matrix_data.hpp>
#include <linden/views.hpp>

#include <string_view>

/// Checks of what users give, in builds that ask for them.
namespace linden::detail {

/// Whether this build of the library checks the patterns of matrices from host data, and that new values are on the old
/// pattern: the option LINDEN_CHECK_PATTERNS, by default ON for Debug builds. To compare patterns takes 6 % of what
/// Ilu0 takes to follow new values of lap2d:1000, on one core.
bool checks_patterns();

/// The pattern of host data, whose arrays have the lengths that they should.
template <class V, class I>
PatternView<I> pattern_of(const CsrData<V, I>& a)
{
    return {a.size.rows, a.size.cols, a.num_nonzeros(), a.row_ptrs.data(), a.col_idxs.data()};
}

/// Of a pattern on the host: row pointers rise from 0 to the number of entries, and columns are inside of the matrix.
/// @throws InvalidParameter naming the first row pointer or column index that is not so
template <class I>
void require_well_formed(PatternView<I> a);

/// Of a well-formed pattern on the host. @throws InvalidParameter naming the first row whose columns do not increase
/// strictly
template <class I>
void require_sorted_rows(PatternView<I> a);

/// Compares two matrices of one size, copied to the host, where both are, or are made of, a Csr with one index type.
/// @throws DimensionMismatch if the numbers of nonzeros differ, InvalidParameter naming the first row that differs; for
/// `who`, which was made from the old one
template <class V>
void require_same_pattern(std::string_view who, const LinOp<V>& old, const LinOp<V>& fresh);

}  // namespace linden::detail
