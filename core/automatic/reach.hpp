#pragma once

#include <linden/lin_op.hpp>
#include <linden/matrix/dense.hpp>
#include <linden/matrix/operations.hpp>
#include <linden/solver/solver.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "core/base/math.hpp"
#include "core/kernels/components.hpp"
#include "core/kernels/csr.hpp"
#include "core/matrix/visit_csr.hpp"

namespace linden::detail {

/// 1 in the rows whose diagonal is not positive, else 0. Host reads.
template <class V, class I>
std::vector<V> rows_without_positive_diagonal(const Csr<V, I>& a)
{
    Dense<V> diagonal(a.executor(), {a.size().rows, 1});
    csr_extract_diagonal<V, I>(a.executor(), a.view(), diagonal.view());
    auto rows = diagonal.to_host();
    std::transform(rows.begin(), rows.end(), rows.begin(), [](V d) { return real(d) > 0 ? V{} : V{1}; });
    return rows;
}

/// The largest part of z, by connected components of A, that A^H takes to 0 up to rounding, beside A^H z with signs
/// that are as good as random. z: of zeros and ones. Host reads, and a search for the components.
template <class V, class I>
std::vector<V> null_part(const Csr<V, I>& a, const LinOp<V>& adjoint, std::vector<V> z)
{
    const auto& exec = a.executor();
    const auto image_of = [&](const std::vector<V>& x) {
        Dense<V> image(exec, {adjoint.size().rows, 1});
        adjoint.apply(Dense<V>::vector(exec, x), image);
        return image.to_host();
    };
    auto signs = z;
    for (std::size_t i = 0; i < signs.size(); ++i) {
        const auto hash = static_cast<std::uint32_t>(i) * 2654435761u;  // [Knuth98], 6.4
        signs[i] = hash >> 31 != 0 ? signs[i] : -signs[i];
    }
    const auto image = image_of(z), signed_image = image_of(signs);
    Array<I> labels(exec, a.size().rows);
    components_find<I>(exec, a.view(), labels.data());
    const auto label_of = labels.to_host();
    std::vector<double> sums(z.size()), signed_sums(z.size());
    for (std::size_t i = 0; i < z.size(); ++i) {
        sums[label_of[i]] += static_cast<double>(magnitude(image[i]));
        signed_sums[label_of[i]] += static_cast<double>(magnitude(signed_image[i]));
    }
    const double rounding = 100 * static_cast<double>(std::numeric_limits<real_t<V>>::epsilon());
    for (std::size_t i = 0; i < z.size(); ++i) {
        const auto part = label_of[i];
        z[i] = sums[part] <= rounding * signed_sums[part] ? z[i] : V{};
    }
    return z;
}

/// Whether |z^H b| / ||z|| is beyond what a column of the result that has not converged had to come down to.
template <class V>
bool is_part_too_large(const std::vector<V>& z, const Dense<V>& b, const SolveResult& result)
{
    const double rounding = 100 * static_cast<double>(std::numeric_limits<real_t<V>>::epsilon());
    const double norm = std::sqrt(static_cast<double>(std::count(z.begin(), z.end(), V{1})));
    const auto cols = static_cast<std::size_t>(b.size().cols);
    std::vector<V> repeated;
    for (const V value : z) {
        repeated.insert(repeated.end(), cols, value);
    }
    const auto sums = Dense<V>::adopt(host(), b.size(), b.size().cols, repeated.data()).copy(b.executor()).dot(b);
    for (std::size_t col = 0; col < sums.size(); ++col) {
        const auto& of_column = result.columns[col];
        const double least = norm > 0 ? static_cast<double>(magnitude(sums[col])) / norm : 0;
        const bool is_rounding = least <= rounding * of_column.rhs_norm;
        if (of_column.status != SolveStatus::converged && !is_rounding && least > 2 * of_column.tolerance) {
            return true;
        }
    }
    return false;
}

/// Whether no x has the residual that was asked for, since A^H z = 0 up to rounding: then z^H r = z^H b for any x that
/// is not huge, and ||r|| >= |z^H b| / ||z||. z is constant on connected components of A, as with free boundaries or in
/// chains of Markov, or on their rows whose diagonal is not positive, as the pressures of a flow without outlet,
/// (K G; G^H -C) with G 1 = 0 and C 1 = 0.
/// a: n x n on one process; b: n x k; result: of a solve that has not converged. Host reads; products with A^H, which
/// is A where that is Hermitian, else made for them.
template <class V>
bool is_out_of_reach(const LinOp<V>& a, bool is_hermitian, const Dense<V>& b, const SolveResult& result)
{
    bool is_out = false;
    visit_csr("Automatic", a, [&](const auto& csr) {
        const auto null_part_of = [&](const std::vector<V>& z) {
            return is_hermitian ? null_part(csr, csr, z) : null_part(csr, conjugate_transpose(csr), z);
        };
        const std::vector<V> ones(static_cast<std::size_t>(a.size().rows), V{1});
        for (const auto& z : {ones, rows_without_positive_diagonal(csr)}) {
            is_out = is_out || (is_part_too_large(z, b, result) && is_part_too_large(null_part_of(z), b, result));
        }
    });
    return is_out;
}

}  // namespace linden::detail
