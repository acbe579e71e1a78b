#pragma once

#include <linden/matrix_data.hpp>

#include <cstdint>
#include <initializer_list>
#include <utility>
#include <vector>

#include "core/base/type_lists.hpp"
#include "test/support/random.hpp"

/// Model problems and small special matrices.
namespace linden::test {

template <class V>
using TestCsr = CsrData<V, DefaultIndex>;

/// The nonzero entries of a small dense matrix.
template <class V>
TestCsr<V> csr_from_rows(const std::vector<std::vector<V>>& rows)
{
    const auto n = static_cast<size_type>(rows.size());
    TestCsr<V> a{{n, n == 0 ? 0 : static_cast<size_type>(rows[0].size())}, {0}, {}, {}};
    for (const auto& row : rows) {
        for (std::size_t col = 0; col < row.size(); ++col) {
            if (row[col] != V{}) {
                a.col_idxs.push_back(static_cast<DefaultIndex>(col));
                a.values.push_back(row[col]);
            }
        }
        a.row_ptrs.push_back(static_cast<DefaultIndex>(a.values.size()));
    }
    return a;
}

template <class V>
TestCsr<V> diagonal_csr(const std::vector<V>& d)
{
    std::vector<std::vector<V>> rows(d.size(), std::vector<V>(d.size()));
    for (std::size_t i = 0; i < d.size(); ++i) {
        rows[i][i] = d[i];
    }
    return csr_from_rows(rows);
}

/// -Laplace u + convection u_x on n x n points, upwind, Dirichlet: the stencil -1, -1 - convection, 4 + convection, -1,
/// -1, numbered x fastest. Symmetric positive definite without convection.
template <class V>
TestCsr<V> laplace_2d(size_type n, double convection = 0)
{
    TestCsr<V> a{{n * n, n * n}, {0}, {}, {}};
    const auto add = [&](size_type x, size_type y, double value) {
        if (x >= 0 && y >= 0 && x < n && y < n) {
            a.col_idxs.push_back(static_cast<DefaultIndex>(y * n + x));
            a.values.push_back(V{static_cast<real_t<V>>(value)});
        }
    };
    for (size_type y = 0; y < n; ++y) {
        for (size_type x = 0; x < n; ++x) {
            add(x, y - 1, -1);
            add(x - 1, y, -1 - convection);
            add(x, y, 4 + convection);
            add(x + 1, y, -1);
            add(x, y + 1, -1);
            a.row_ptrs.push_back(static_cast<DefaultIndex>(a.values.size()));
        }
    }
    return a;
}

/// The Laplacian of n points in a row with Neumann ends: symmetric, singular, the null space is the constants.
template <class V>
TestCsr<V> neumann_1d(size_type n)
{
    std::vector<std::vector<V>> rows(static_cast<std::size_t>(n), std::vector<V>(static_cast<std::size_t>(n)));
    for (std::size_t i = 0; i + 1 < rows.size(); ++i) {
        rows[i][i] += V{1};
        rows[i + 1][i + 1] += V{1};
        rows[i][i + 1] = rows[i + 1][i] = V{-1};
    }
    return csr_from_rows(rows);
}

/// (A x)_i = x_{i-1}, cyclically: GMRES makes no progress before step n.
template <class V>
TestCsr<V> cyclic_shift(size_type n)
{
    TestCsr<V> a{{n, n}, {0}, {}, {}};
    for (size_type row = 0; row < n; ++row) {
        a.col_idxs.push_back(static_cast<DefaultIndex>((row + n - 1) % n));
        a.values.push_back(V{1});
        a.row_ptrs.push_back(static_cast<DefaultIndex>(row + 1));
    }
    return a;
}

/// A dense random matrix with a dominant diagonal: nonsymmetric, well conditioned.
template <class V>
TestCsr<V> random_dominant(Random& random, size_type n)
{
    std::vector<std::vector<V>> rows(static_cast<std::size_t>(n), std::vector<V>(static_cast<std::size_t>(n)));
    for (std::size_t i = 0; i < rows.size(); ++i) {
        for (auto& value : rows[i]) {
            value = random.value<V>();
        }
        rows[i][i] += V{static_cast<real_t<V>>(2 * n)};
    }
    return csr_from_rows(rows);
}

/// y := A x in double precision on the host, one column.
template <class V, class I, class W>
std::vector<W> host_product(const CsrData<V, I>& a, const std::vector<W>& x)
{
    std::vector<W> y(static_cast<std::size_t>(a.size.rows));
    for (std::size_t row = 0; row < y.size(); ++row) {
        for (auto k = a.row_ptrs[row]; k < a.row_ptrs[row + 1]; ++k) {
            y[row] += W(a.values[static_cast<std::size_t>(k)]) *
                      x[static_cast<std::size_t>(a.col_idxs[static_cast<std::size_t>(k)])];
        }
    }
    return y;
}

}  // namespace linden::test
