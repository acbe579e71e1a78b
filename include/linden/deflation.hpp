#pragma once

#include <linden/array.hpp>
#include <linden/matrix/dense.hpp>
#include <linden/parameters.hpp>

#include <cstdint>
#include <memory>
#include <variant>
#include <vector>

namespace linden {

/// How rows are dealt to the domains of piecewise constant deflation vectors.
enum class DeflationKind {
    stripes,  ///< successive rows, numbers of rows that differ by one at most
    boxes,    ///< boxes of a grid whose points are numbered with x fastest
    metis     ///< parts of the matrix's graph with few entries between them, by METIS, on the host
};

/// How systems with E = Z^H A Z, k x k for k vectors, are solved in each iteration.
enum class CoarseSolve {
    dissected,  ///< a product with E^-1; where E is sparse and large, with two matrices in its place, by nested
                ///< dissection
    inverse,    ///< a product with E^-1, which has k^2 entries
    cholesky    ///< substitution with factors of E
};

/// Numbers on an executor, none by default.
using DomainArray =
    std::variant<std::shared_ptr<const Array<std::int32_t>>, std::shared_ptr<const Array<std::int64_t>>>;

/// The deflation vectors: the columns of Z, by default indicators of domains, which are never stored.
template <class V>
struct LINDEN_EXPORT Deflation {
    DeflationKind kind = DeflationKind::stripes;
    size_type vectors = 1;  ///< number of stripes or parts, at most that of rows
    size_type nx = 1;       ///< for boxes: points of the grid, nx ny nz rows
    size_type ny = 1;
    size_type nz = 1;
    size_type boxes_x = 1;  ///< for boxes: so many in each direction, at most the points
    size_type boxes_y = 1;
    size_type boxes_z = 1;
    /// In place of these, the domain of each row: 0, 1, ..., the largest of which there is. Domains may be empty.
    std::vector<size_type> domains{};
    /// The same on an executor, 0 to vectors - 1, with indices of the matrix's type.
    DomainArray domain_array{};
    /// In place of all, Z itself: n x k.
    std::shared_ptr<const Dense<V>> basis{};
    /// In place of all, Z as a sparse matrix: a Csr of n x k with indices of the matrix's type.
    std::shared_ptr<const LinOp<V>> sparse_basis{};

    CoarseSolve coarse = CoarseSolve::dissected;

    void describe(ParameterVisitor& v);
};

}  // namespace linden
