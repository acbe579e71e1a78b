#pragma once

#include <linden/factory.hpp>
#include <linden/matrix/diagonal.hpp>
#include <linden/solver/solver.hpp>

#include <memory>
#include <string>

namespace linden {

namespace detail {
template <class V>
class BlockCache;
}  // namespace detail

/// Symmetric diagonal scaling: x := D^-1/2 M~^-1 D^-1/2 b with D = |diag(A)|. The inner operator M~^-1, a
/// preconditioner or a solver, is generated from the scaled matrix A~ = D^-1/2 A D^-1/2, which has ones on the diagonal
/// where A's diagonal is positive. Zero or missing diagonal entries count as 1; `num_zero_diagonals()` counts them.
///
/// As a preconditioner of Cg this gives the iterates of Cg with the preconditioner M~ for the scaled system A~ x~ = b~,
/// x~ = D^1/2 x, b~ = D^-1/2 b; residuals remain those of A x = b. With a solver as the inner operator, `solve` solves
/// the scaled system with it. A movable value.
template <class V>
class LINDEN_EXPORT SymmetricScaling : public LinOp<V> {
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
    ~SymmetricScaling() override;
    SymmetricScaling(SymmetricScaling&&) noexcept;
    SymmetricScaling& operator=(SymmetricScaling&&) noexcept;

    std::string name() const override { return "SymmetricScaling"; }
    bool is_capturable() const override;
    std::unique_ptr<LinOp<V>> clone(const Executor& exec) const override;
    /// @throws NotSupported, DimensionMismatch
    void update_values(LinOpPtr<V> matrix) override;

    /// Improves x by the inner solver; x is unscaled on entry and on return. In the result, the initial and final
    /// residuals and the norm of b are those of A x = b. The inner solver decides when to stop, so status, tolerance
    /// and history refer to ||D^-1/2 (b - A x)||.
    /// @throws NotSupported if the inner operator is not a solver, and what Solver::solve throws
    SolveResult solve(const Dense<V>& b, Dense<V>& x, const SolveOptions& options = {}) const;

    /// Null for the identity.
    std::shared_ptr<const LinOp<V>> inner() const { return inner_; }
    /// D^-1/2
    const Diagonal<V>& scaling() const { return scaling_; }
    /// Number of zero or missing diagonal entries, which count as 1. Waits for the executor.
    size_type num_zero_diagonals() const;

protected:
    void apply_impl(const Dense<V>& b, Dense<V>& x) const override;

private:
    LinOpPtr<V> scale(const LinOp<V>& matrix);
    SolveResult solve_here(const Solver<V>& solver, const Dense<V>& b, Dense<V>& x, const SolveOptions& options) const;

    Parameters parameters_;
    LinOpPtr<V> matrix_;
    Diagonal<V> scaling_;
    Array<size_type> num_zeros_;
    std::shared_ptr<LinOp<V>> inner_;
    std::unique_ptr<detail::BlockCache<V>> between_;
};

}  // namespace linden
