#pragma once

#include <linden/matrix/csr.hpp>
#include <linden/matrix_data.hpp>

#include <limits>

/// Tiny matrices, each with one thing wrong or odd. Those that are not well formed are for checks only: operators may
/// read outside of their arrays.
namespace linden::test::pathological {

/// A copy of host data that no build checks.
template <class V, class I>
Csr<V, I> unchecked(const Executor& exec, const CsrData<V, I>& data)
{
    return Csr<V, I>(exec, data.size, Array<I>(exec, data.row_ptrs), Array<I>(exec, data.col_idxs),
                     Array<V>(exec, data.values));
}

/// [2 1 0; 1 2 1; 0 1 2], with nothing odd.
template <class V, class I>
CsrData<V, I> healthy()
{
    return {{3, 3}, {0, 2, 5, 7}, {0, 1, 0, 1, 2, 1, 2}, {V{2}, V{1}, V{1}, V{2}, V{1}, V{1}, V{2}}};
}

template <class V, class I>
CsrData<V, I> without_rows()
{
    return {{0, 0}, {0}, {}, {}};
}

template <class V, class I>
CsrData<V, I> without_entries(size_type rows)
{
    return {{rows, rows}, std::vector<I>(static_cast<std::size_t>(rows + 1)), {}, {}};
}

/// Row 1 has no diagonal entry.
template <class V, class I>
CsrData<V, I> missing_diagonal()
{
    return {{3, 3}, {0, 2, 4, 6}, {0, 1, 0, 2, 1, 2}, {V{2}, V{1}, V{1}, V{1}, V{1}, V{2}}};
}

/// Rows 1 and 2 have a zero on the diagonal.
template <class V, class I>
CsrData<V, I> zero_diagonal()
{
    auto a = healthy<V, I>();
    a.values[3] = V{};
    a.values[6] = V{};
    return a;
}

/// Row 1 is [2 1 0] by columns.
template <class V, class I>
CsrData<V, I> unsorted()
{
    auto a = healthy<V, I>();
    a.col_idxs[2] = 2;
    a.col_idxs[4] = 0;
    return a;
}

/// Row 2 has column 2 twice.
template <class V, class I>
CsrData<V, I> duplicate()
{
    auto a = healthy<V, I>();
    a.col_idxs[5] = 2;
    return a;
}

/// Row 0 has the column `col`, which is none, in place of column 1.
template <class V, class I>
CsrData<V, I> out_of_bounds(I col)
{
    auto a = healthy<V, I>();
    a.col_idxs[col < 0 ? 0 : 1] = col;
    return a;
}

/// `value` in row 1, off the diagonal.
template <class V, class I>
CsrData<V, I> with_value(V value)
{
    auto a = healthy<V, I>();
    a.values[4] = value;
    return a;
}

template <class V, class I>
CsrData<V, I> with_row_ptrs(std::vector<I> row_ptrs)
{
    auto a = healthy<V, I>();
    a.row_ptrs = std::move(row_ptrs);
    return a;
}

/// u u^T, of rank 1.
template <class V, class I>
CsrData<V, I> rank_one()
{
    return {{3, 3}, {0, 3, 6, 9}, {0, 1, 2, 0, 1, 2, 0, 1, 2}, {V{1}, V{2}, V{3}, V{2}, V{4}, V{6}, V{3}, V{6}, V{9}}};
}

}  // namespace linden::test::pathological
