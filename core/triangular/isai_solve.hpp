#pragma once

#include "core/triangular/triangular_solve.hpp"

namespace linden::detail {

/// Approximate triangular solves by incomplete sparse approximate inverses. @throws InvalidParameter
template <class V, class I>
std::unique_ptr<TriangularSolve<V>> make_isai_solve(const Csr<V, I>& matrix, const TriangleChoice& choice,
                                                    const TriangularOptions& options);

}  // namespace linden::detail
