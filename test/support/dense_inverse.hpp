#pragma once

#include <linden/array.hpp>

#include <algorithm>
#include <numeric>
#include <vector>

#include "core/kernels/dense_inverse.hpp"
#include "test/support/galerkin.hpp"
#include "test/support/random.hpp"

/// General dense matrices, row by row, and their inverses.
namespace linden::test {

/// The place of the 1 in each row, of several blocks where there are several: 3, 4, ..., n - 1, 0, 1, 2.
inline std::vector<std::int32_t> shifted_order(size_type n)
{
    std::vector<std::int32_t> order(static_cast<std::size_t>(n));
    for (size_type i = 0; i < n; ++i) {
        order[static_cast<std::size_t>(i)] = static_cast<std::int32_t>((i + 3) % n);
    }
    return order;
}

/// Random entries, of which a third of the diagonal is 0.
template <class V>
std::vector<V> random_general(Random& random, size_type n)
{
    std::vector<V> a(static_cast<std::size_t>(n * n));
    for (size_type i = 0; i < n * n; ++i) {
        a[i] = i % (n + 1) == 0 && i % 3 == 1 ? V{} : random.value<V>();
    }
    return a;
}

template <class V>
struct Inverted {
    std::vector<wide_t<V>> values;  ///< of (P A)^-1
    std::vector<std::int32_t> order, is_kept;
};

enum class PivotStep { search, none };

/// Steps of pivots and of elimination on `a`, whose rows `order` permutes before. is_kept: as before the steps.
template <class V>
Inverted<V> inverted(const Executor& exec, const std::vector<V>& a, std::vector<std::int32_t> order,
                     std::vector<std::int32_t> is_kept, PivotStep pivots)
{
    const auto n = static_cast<size_type>(order.size());
    const Array<V> on_exec(exec, a);
    Array<std::int32_t> rows(exec, order), kept(exec, is_kept);
    Array<wide_t<V>> values(exec, n * n);
    Array<real_t<V>> scales(exec, n);
    Array<std::byte> workspace(
        exec, std::max(dense_inverse_workspace_bytes<V>(n), galerkin_workspace_bytes<V>(n, galerkin_part(0, n))));
    dense_inverse_scales<V>(exec, n, on_exec.data(), scales.data());
    dense_inverse_widen<V>(exec, n, on_exec.data(), rows.data(), values.data());
    const GalerkinView<V> view{n, values.data(), scales.data(), kept.data(),
                               8. * unit_roundoff<V> * static_cast<double>(n)};
    for (size_type first = 0; first < n; first += galerkin_block_rows) {
        if (pivots == PivotStep::search) {
            dense_inverse_pivot_rows<V>(exec, view, rows.data(), first, {workspace.data(), workspace.size()});
        }
        galerkin_gauss_jordan<V>(exec, view, galerkin_part(0, n), first, Elimination::ordered,
                                 {workspace.data(), workspace.size()});
    }
    return {values.to_host(), rows.to_host(), kept.to_host()};
}

template <class V>
Inverted<V> inverted(const Executor& exec, const std::vector<V>& a, size_type n)
{
    std::vector<std::int32_t> order(static_cast<std::size_t>(n));
    std::iota(order.begin(), order.end(), 0);
    return inverted<V>(exec, a, order, std::vector<std::int32_t>(order.size()), PivotStep::search);
}

/// The permuted rows of a, wide.
template <class V>
std::vector<wide_t<V>> with_rows(const std::vector<V>& a, const std::vector<std::int32_t>& order)
{
    const auto n = order.size();
    std::vector<wide_t<V>> result(a.size());
    for (std::size_t i = 0; i < n; ++i) {
        std::copy_n(a.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(order[i]) * n), n,
                    result.begin() + static_cast<std::ptrdiff_t>(i * n));
    }
    return result;
}

template <class W>
std::vector<W> identity(size_type n)
{
    std::vector<W> result(static_cast<std::size_t>(n * n));
    for (size_type i = 0; i < n; ++i) {
        result[i * n + i] = 1;
    }
    return result;
}

}  // namespace linden::test
