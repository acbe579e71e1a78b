#pragma once

#include <linden/array.hpp>
#include <linden/matrix/dense.hpp>
#include <linden/parameters.hpp>

#include <cstdint>
#include <memory>
#include <variant>
#include <vector>

namespace linden {

/// How rows are assigned to the domains of piecewise constant deflation vectors.
enum class DeflationKind {
    stripes,  ///< consecutive rows; the numbers of rows differ by one at most
    boxes,    ///< boxes of a grid whose points are numbered with x fastest
    metis     ///< a partition of the matrix's graph with a small edge cut, by METIS, on the host
};

/// How systems with the Galerkin matrix E = Z^H A Z, k x k for k vectors, are solved in each iteration.
enum class CoarseSolve {
    nested_dissection,  ///< a product with E^-1; if E is large and sparse, with two sparser factors of E^-1 from nested
                        ///< dissection
    inverse,            ///< a product with E^-1, which has k^2 entries
    cholesky            ///< substitution with factors of E
};

/// Indices on an executor; none by default.
using DomainArray =
    std::variant<std::shared_ptr<const Array<std::int32_t>>, std::shared_ptr<const Array<std::int64_t>>>;

/// The deflation vectors, the columns of Z (n x k). By default they are the indicators of domains, which are never
/// stored: Z(i, d) is 1 if row i is in domain d, else 0.
///
/// Of a distributed::Matrix, n and k count all ranks together. Stripes and boxes are the same on any number of ranks.
/// With `metis` each rank cuts its own rows into its share of the domains, at least one. `domains` and `domain_array`
/// describe the own rows; their domains are numbered for all ranks together. There are the fewest sums if no two ranks
/// share a domain, and a `reproducible` communicator requires that. `basis` and `sparse_basis` are not available.
template <class V>
struct LINDEN_EXPORT Deflation {
    DeflationKind kind = DeflationKind::stripes;
    size_type vectors = 1;  ///< stripes, metis: number of domains, at most the number of rows
    size_type nx = 1;       ///< boxes: grid points in each direction, nx * ny * nz rows
    size_type ny = 1;
    size_type nz = 1;
    size_type boxes_x = 1;  ///< boxes: number of boxes in each direction, at most the number of grid points
    size_type boxes_y = 1;
    size_type boxes_z = 1;
    /// User-defined domains instead: the domain of each row, 0 to the largest value. Domains may be empty.
    std::vector<size_type> domains{};
    /// User-defined domains on an executor instead, 0 to vectors - 1, with the index type of the matrix.
    DomainArray domain_array{};
    /// Z itself instead, n x k, dense.
    std::shared_ptr<const Dense<V>> basis{};
    /// Z itself instead, n x k, a Csr with the index type of the matrix.
    std::shared_ptr<const LinOp<V>> sparse_basis{};

    CoarseSolve coarse = CoarseSolve::nested_dissection;

    void describe(ParameterVisitor& v);
};

}  // namespace linden
