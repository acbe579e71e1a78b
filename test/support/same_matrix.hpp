#pragma once

#include <linden/matrix/csr.hpp>

#include "test/support/compare.hpp"

namespace linden::test {

/// The same pattern, and values within k * eps of the largest.
template <class V, class I>
void expect_same_matrix(const CsrData<V, I>& actual, const CsrData<V, I>& expected, double k = 0)
{
    EXPECT_EQ(actual.row_ptrs, expected.row_ptrs);
    EXPECT_EQ(actual.col_idxs, expected.col_idxs);
    expect_near(actual.values, expected.values, k);
}

}  // namespace linden::test
