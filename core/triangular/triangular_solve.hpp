#pragma once

#include <linden/matrix/csr.hpp>
#include <linden/solver/triangular.hpp>

#include <memory>

namespace linden::detail {

template <class I>
struct RowLevels;

/// An analysed triangular system.
template <class V>
class TriangularSolve {
public:
    virtual ~TriangularSolve() = default;

    /// x := T^-1 b on the executor of the matrix. b and x do not overlap.
    virtual void solve(const Dense<V>& b, Dense<V>& x) const = 0;
    /// New values on the same pattern and executor. @throws NotSupported if the matrix is not a Csr, or a Formatted
    /// one, with the same index type; DimensionMismatch if it has another number of nonzeros
    virtual void update(const LinOp<V>& matrix) = 0;

    /// Whether a solve only launches kernels.
    virtual bool is_capturable() const = 0;
    virtual TriangularAlgorithm algorithm() const = 0;
    virtual size_type num_levels() const = 0;
    virtual size_type num_zero_diagonals() const = 0;
};

/// Which triangular system of a matrix is solved.
struct TriangleChoice {
    Side side = Side::lower;
    bool unit_diagonal = false;
    MatrixOperation operation = MatrixOperation::none;
};

/// The solve with a triangle of a Csr. `known`: the levels of the triangle without transposition, if already known.
/// @throws NotSupported, InvalidParameter
template <class V, class I>
std::unique_ptr<TriangularSolve<V>> make_triangular_solve(const Csr<V, I>& matrix, const TriangleChoice& choice,
                                                          const TriangularOptions& options, const RowLevels<I>* known);

}  // namespace linden::detail
