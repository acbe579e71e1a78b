#pragma once

#include <algorithm>
#include <complex>
#include <string>
#include <utility>
#include <vector>

#include "core/kernels/aggregation.hpp"
#include "test/support/multi_elimination.hpp"
#include "test/support/patterns.hpp"

/// What the tests of the kernels of aggregation and multigrid share.
namespace linden::test {

/// A symmetric pattern with a full diagonal: that of R + R^T + I for a random R. `empty_rows`: two rows of three have
/// their diagonal alone.
template <class I>
HostPattern<I> random_graph(Random& random, size_type n, size_type mean, Pattern kind)
{
    const auto r = random_csr<double, I>(random, {n, n}, mean, kind);
    std::vector<std::vector<I>> cols(static_cast<std::size_t>(n));
    for (I row = 0; row < n; ++row) {
        cols[row].push_back(row);
        for (I k = r.row_ptrs[row]; k < r.row_ptrs[row + 1]; ++k) {
            if (kind != Pattern::empty_rows || r.col_idxs[k] % 3 == 1) {
                cols[row].push_back(r.col_idxs[k]);
                cols[r.col_idxs[k]].push_back(row);
            }
        }
    }
    HostPattern<I> graph{{n, n}, {0}, {}};
    for (auto& of_row : cols) {
        std::sort(of_row.begin(), of_row.end());
        graph.col_idxs.insert(graph.col_idxs.end(), of_row.begin(), std::unique(of_row.begin(), of_row.end()));
        graph.row_ptrs.push_back(static_cast<I>(graph.col_idxs.size()));
    }
    return graph;
}

/// Calls f(graph) for graphs with rows of few neighbours and of many, for every number of threads to a row.
template <class I, class F>
void for_each_graph(Random& random, const F& f)
{
    const std::pair<size_type, size_type> shapes[] = {{0, 3}, {1, 3}, {31, 3}, {33, 3}, {97, 15}, {300, 40}, {597, 2}};
    for (const auto& [n, mean] : shapes) {
        for (const auto kind : all_patterns) {
            SCOPED_TRACE(std::to_string(n) + " rows, pattern " + std::to_string(static_cast<int>(kind)));
            f(random_graph<I>(random, n, mean, kind));
        }
    }
}

/// Where column `col` stands in row `row`; -1 if there is no such entry.
template <class V, class I>
I entry_at(const CsrData<V, I>& a, I row, I col)
{
    for (I k = a.row_ptrs[row]; k < a.row_ptrs[row + 1]; ++k) {
        if (a.col_idxs[k] == col) {
            return k;
        }
    }
    return -1;
}

template <class V>
V conjugate(V value)
{
    if constexpr (is_complex<V>) {
        return std::conj(value);
    } else {
        return value;
    }
}

/// Random values on the graph, one of ten of them zero.
template <class V, class I>
CsrData<V, I> random_values(Random& random, const HostPattern<I>& graph)
{
    CsrData<V, I> a{graph.size, graph.row_ptrs, graph.col_idxs, {}};
    for (size_type k = 0; k < graph.num_nonzeros(); ++k) {
        const V value = random.value<V>();
        a.values.push_back(random.integer(0, 10) == 0 ? V{} : value);
    }
    return a;
}

/// The Hermitian matrix whose lower triangle is that of a.
template <class V, class I>
CsrData<V, I> hermitian(CsrData<V, I> a)
{
    for (I row = 0; row < a.size.rows; ++row) {
        for (I k = a.row_ptrs[row]; k < a.row_ptrs[row + 1]; ++k) {
            const I col = a.col_idxs[k];
            if (col == row) {
                a.values[k] = V{std::real(a.values[k])};
            } else if (col > row) {
                a.values[k] = conjugate(a.values[entry_at(a, col, row)]);
            }
        }
    }
    return a;
}

}  // namespace linden::test
