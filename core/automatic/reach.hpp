#pragma once

#include <linden/lin_op.hpp>
#include <linden/matrix/dense.hpp>
#include <linden/matrix/operations.hpp>
#include <linden/solver/solver.hpp>

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/base/math.hpp"
#include "core/matrix/visit_csr.hpp"

namespace linden::detail {

/// Whether A^H 1 = 0 up to rounding: the rows of A sum to the zero row.
/// a: n x n on one process. Two products with A^H, which is A where that is Hermitian, else made for them.
template <class V>
bool has_constant_left_null_vector(const LinOp<V>& a, bool is_hermitian)
{
    const auto n = a.size().rows;
    const auto& exec = a.executor();
    const auto is_null = [&](const LinOp<V>& adjoint) {
        const auto norm_of_image = [&](const Dense<V>& x) {
            Dense<V> image(exec, x.size());
            adjoint.apply(x, image);
            return static_cast<double>(image.norm2().front());
        };
        std::vector<V> signs(static_cast<std::size_t>(n));
        for (std::size_t i = 0; i < signs.size(); ++i) {
            const auto hash = static_cast<std::uint32_t>(i) * 2654435761u;  // [Knuth98], 6.4
            signs[i] = V{hash >> 31 != 0 ? real_t<V>{1} : real_t<V>{-1}};
        }
        const double rounding = 100 * static_cast<double>(std::numeric_limits<real_t<V>>::epsilon());
        return norm_of_image(Dense<V>::filled(exec, {n, 1}, V{1})) <=
               rounding * norm_of_image(Dense<V>::vector(exec, signs));
    };
    if (is_hermitian) {
        return is_null(a);
    }
    bool result = false;
    visit_csr("Automatic", a, [&](const auto& csr) { result = is_null(conjugate_transpose(csr)); });
    return result;
}

/// Whether no x has the residual that was asked for, since A^H 1 = 0 up to rounding, as with free boundaries or in
/// chains of Markov: then 1^H r = 1^H b for any x that is not huge, and ||r|| >= |1^H b| / sqrt(n).
/// a: n x n on one process; b: n x k; result: of a solve that has not converged. Host reads; products where the sums of
/// b are too large.
template <class V>
bool is_out_of_reach(const LinOp<V>& a, bool is_hermitian, const Dense<V>& b, const SolveResult& result)
{
    const double rounding = 100 * static_cast<double>(std::numeric_limits<real_t<V>>::epsilon());
    const auto sums = Dense<V>::filled(b.executor(), b.size(), V{1}).dot(b);
    bool may_be = false;
    for (std::size_t col = 0; col < sums.size(); ++col) {
        const auto& of_column = result.columns[col];
        const double least = static_cast<double>(magnitude(sums[col])) / std::sqrt(static_cast<double>(b.size().rows));
        const bool is_rounding = least <= rounding * of_column.rhs_norm;
        may_be =
            may_be || (of_column.status != SolveStatus::converged && !is_rounding && least > 2 * of_column.tolerance);
    }
    return may_be && has_constant_left_null_vector(a, is_hermitian);
}

}  // namespace linden::detail
