#include "core/factorization/diagonal_scaling.hpp"

#include <cmath>

#include "core/base/math.hpp"

// instantiate: std::vector<double> detail::inverse_diagonal_roots<V, I>(CsrView<V, I>)

namespace linden::detail {

template <class V, class I>
std::vector<double> inverse_diagonal_roots(CsrView<V, I> a)
{
    constexpr double one = 1 + 1e-12;
    std::vector<double> roots(static_cast<std::size_t>(a.rows), 0);
    for (I i = 0; i < static_cast<I>(a.rows); ++i) {
        double diagonal = 0;
        for (I k = a.row_ptrs[i]; k < a.row_ptrs[i + 1]; ++k) {
            diagonal = a.col_idxs[k] == i ? static_cast<double>(magnitude(a.values[k])) : diagonal;
        }
        if (!is_normal(diagonal)) {
            return {};
        }
        roots[i] = 1 / std::sqrt(diagonal);
    }
    for (I i = 0; i < static_cast<I>(a.rows); ++i) {
        for (I k = a.row_ptrs[i]; k < a.row_ptrs[i + 1]; ++k) {
            if (!(static_cast<double>(magnitude(a.values[k])) * roots[i] * roots[a.col_idxs[k]] <= one)) {
                return {};
            }
        }
    }
    return roots;
}

}  // namespace linden::detail
