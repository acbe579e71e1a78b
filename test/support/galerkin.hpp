#pragma once

#include <linden/array.hpp>
#include <linden/matrix/dense.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "core/base/math.hpp"
#include "core/kernels/galerkin.hpp"
#include "test/support/random.hpp"

/// Galerkin matrices of deflation vectors.
namespace linden::test {

template <class V>
struct Eliminated {
    std::vector<wide_t<V>> values;
    std::vector<std::int32_t> is_kept;
};

/// All steps on the matrix `e`, row by row. part_ptrs: its parts, after which the separators is eliminated; the whole
/// of it is one where they are empty.
template <class V>
Eliminated<V> eliminated(const Executor& exec, const std::vector<wide_t<V>>& e, const std::vector<real_t<V>>& scales,
                         Elimination how, const std::vector<std::int32_t>& part_ptrs = {})
{
    const auto size = static_cast<size_type>(scales.size());
    Array<wide_t<V>> values(exec, e);
    const Array<real_t<V>> on_exec(exec, scales);
    const Array<std::int32_t> ptrs(exec, part_ptrs);
    Array<std::int32_t> is_kept(exec, std::vector<std::int32_t>(scales.size(), 1));
    const GalerkinView<V> view{size, values.data(), on_exec.data(), is_kept.data(), 1e-11};
    const auto run = [&](const GalerkinPartition& parts, Elimination steps) {
        Array<std::byte> workspace(exec, galerkin_workspace_bytes<V>(size, parts));
        for (size_type first = 0; first < parts.longest; first += galerkin_block_rows) {
            galerkin_gauss_jordan<V>(exec, view, parts, first, steps, {workspace.data(), workspace.size()});
        }
    };
    if (part_ptrs.empty()) {
        run(galerkin_part(0, size), how);
    } else {
        const size_type separators = part_ptrs.back();
        GalerkinPartition parts{static_cast<size_type>(part_ptrs.size()) - 1, ptrs.data(), 0, separators, 0};
        for (std::size_t part = 0; part + 1 < part_ptrs.size(); ++part) {
            parts.longest = std::max<size_type>(parts.longest, part_ptrs[part + 1] - part_ptrs[part]);
        }
        run(parts, how);
        run(galerkin_part(separators, size), Elimination::trailing);
    }
    return {values.to_host(), is_kept.to_host()};
}

template <class V>
struct RandomGalerkin {
    std::vector<wide_t<V>> values;
    std::vector<real_t<V>> scales;
    size_type num_dependent = 0;
};

/// B^H B of vectors B, of which every `every`th is the sum of the two before; none for 0. The others are far from
/// dependent.
template <class V>
RandomGalerkin<V> random_galerkin(Random& random, size_type k, size_type every)
{
    using W = wide_t<V>;
    const size_type m = k + 5;
    std::vector<W> b(static_cast<std::size_t>(m * k));
    const auto depends = [&](size_type j) { return every != 0 && j >= 2 && j % every == 2; };
    for (size_type i = 0; i < m; ++i) {
        for (size_type j = 0; j < k; ++j) {
            b[i * k + j] = random.value<W>() + (i % k == j ? 4. : 0.);
        }
        for (size_type j = 0; j < k; ++j) {
            b[i * k + j] = depends(j) ? b[i * k + j - 1] + b[i * k + j - 2] : b[i * k + j];
        }
    }
    RandomGalerkin<V> e{std::vector<W>(static_cast<std::size_t>(k * k)), {}, 0};
    for (size_type i = 0; i < k; ++i) {
        for (size_type j = 0; j < k; ++j) {
            for (size_type row = 0; row < m; ++row) {
                e.values[i * k + j] += conj(b[row * k + i]) * b[row * k + j];
            }
        }
        e.scales.push_back(static_cast<real_t<V>>(std::abs(e.values[i * k + i])));
        e.num_dependent += depends(i);
    }
    return e;
}

/// a b, both k x k.
template <class W>
std::vector<W> product(size_type k, const std::vector<W>& a, const std::vector<W>& b)
{
    std::vector<W> c(a.size());
    for (size_type i = 0; i < k; ++i) {
        for (size_type l = 0; l < k; ++l) {
            for (size_type j = 0; j < k; ++j) {
                c[i * k + j] += a[i * k + l] * b[l * k + j];
            }
        }
    }
    return c;
}

/// Differences of at most `tolerance` times the largest value.
template <class W>
void expect_close(const std::vector<W>& values, const std::vector<W>& expected, double tolerance)
{
    ASSERT_EQ(values.size(), expected.size());
    double largest = 0;
    for (const auto& value : expected) {
        largest = std::max(largest, std::abs(value));
    }
    for (std::size_t i = 0; i < values.size(); ++i) {
        ASSERT_LE(std::abs(values[i] - expected[i]), tolerance * largest) << "entry " << i;
    }
}

template <class V>
std::vector<wide_t<V>> as_wide(const Dense<V>& x)
{
    const auto host = x.to_host();
    return {host.begin(), host.end()};
}

}  // namespace linden::test
