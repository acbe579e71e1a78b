#pragma once

#include <linden/preconditioner/scaled_operator.hpp>

#include <string>

namespace linden {

/// Symmetric diagonal scaling: x := D^-1/2 M~^-1 D^-1/2 b with D = |diag(A)|. The inner operator M~^-1, a
/// preconditioner or a solver, is generated from the scaled matrix A~ = D^-1/2 A D^-1/2, which has ones on the diagonal
/// where A's diagonal is positive. Zero or missing diagonal entries count as 1; `num_zero_diagonals()` counts them.
///
/// As a preconditioner of Cg this gives the iterates of Cg with the preconditioner M~ for the scaled system A~ x~ = b~,
/// x~ = D^1/2 x, b~ = D^-1/2 b; residuals remain those of A x = b. With a solver as the inner operator, `solve` solves
/// the scaled system with it. A movable value.
template <class V>
class LINDEN_EXPORT SymmetricScaling : public ScaledOperator<V> {
public:
    static constexpr std::string_view type_name = "SymmetricScaling";

    struct Parameters {
        FactoryPtr<V> inner;  ///< none: the identity; this is then Jacobi for positive diagonals
        void describe(ParameterVisitor& v);
    };

    static Factory<SymmetricScaling> factory(Parameters parameters = {})
    {
        return Factory<SymmetricScaling>(std::move(parameters));
    }

    /// @throws NotSupported if the matrix is not a Csr, DimensionMismatch if it is not square, and what the inner
    /// factory throws
    SymmetricScaling(Executor exec, Parameters parameters, LinOpPtr<V> matrix);

    std::string name() const override { return "SymmetricScaling"; }
    std::unique_ptr<LinOp<V>> clone(const Executor& exec) const override;

    /// D^-1/2
    const Diagonal<V>& scaling() const { return this->row_scaling(); }
    /// Number of zero or missing diagonal entries, which count as 1. Waits for the executor.
    size_type num_zero_diagonals() const;

protected:
    void find_scaling(const LinOp<V>& matrix, V* rows, V* columns) override;

private:
    Parameters parameters_;
    Array<size_type> num_zeros_;
};

}  // namespace linden
