#pragma once

#include "core/triangular/triangular_solve.hpp"

namespace linden::detail {

/// Triangular solves by the library of the device's vendor. @throws NotSupported if the build has none for the backend,
/// InvalidParameter if a lower storage precision is requested
template <class V, class I>
std::unique_ptr<TriangularSolve<V>> make_vendor_solve(const Csr<V, I>& matrix, const TriangleChoice& choice,
                                                      const TriangularOptions& options);

}  // namespace linden::detail
