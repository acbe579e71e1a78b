#pragma once

#include <linden/matrix/dense.hpp>
#include <linden/parameters.hpp>

#include <memory>
#include <vector>

namespace linden {

/// How rows are dealt to the domains of piecewise constant deflation vectors.
enum class DeflationKind {
    stripes,  ///< successive rows, numbers of rows that differ by one at most
    boxes     ///< boxes of a grid whose points are numbered with x fastest
};

/// The deflation vectors: the columns of Z, by default indicators of domains, which are never stored.
template <class V>
struct Deflation {
    DeflationKind kind = DeflationKind::stripes;
    size_type vectors = 1;  ///< number of stripes, at most that of rows
    size_type nx = 1;       ///< for boxes: points of the grid, nx ny nz rows
    size_type ny = 1;
    size_type nz = 1;
    size_type boxes_x = 1;  ///< for boxes: so many in each direction, at most the points
    size_type boxes_y = 1;
    size_type boxes_z = 1;
    /// In place of both, the domain of each row: 0, 1, ..., the largest of which there is. Domains may be empty.
    std::vector<size_type> domains{};
    /// In place of all, Z itself: n x k.
    std::shared_ptr<const Dense<V>> basis{};
    /// In place of all, Z as a sparse matrix: a Csr of n x k with indices of the matrix's type.
    std::shared_ptr<const LinOp<V>> sparse_basis{};

    void describe(ParameterVisitor& v);
};

}  // namespace linden
