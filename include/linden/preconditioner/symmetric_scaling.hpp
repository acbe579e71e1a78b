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

/// x := D^-1/2 M~^-1 D^-1/2 b with D = |diag(A)| and an operator M~^-1 that is generated from the scaled matrix
/// A~ = D^-1/2 A D^-1/2, whose diagonal is one where A's is positive: a preconditioner or a solver. Where the diagonal
/// of A has a zero, or nothing, D has 1; `num_zero_diagonals()` tells.
///
/// As the preconditioner of Cg it gives the iterates of Cg for the scaled system A~ x~ = b~, x~ = D^1/2 x and
/// b~ = D^-1/2 b, with the preconditioner M~, but residuals are those of A x = b. Around a solver, `solve` is the
/// solution of the scaled system itself. A movable value.
template <class V>
class LINDEN_EXPORT SymmetricScaling : public LinOp<V> {
public:
    static constexpr std::string_view type_name = "SymmetricScaling";

    struct Parameters {
        FactoryPtr<V> inner;  ///< none: the identity, which makes this Jacobi for positive diagonals
        void describe(ParameterVisitor& v);
    };

    static Factory<SymmetricScaling> factory(Parameters parameters = {})
    {
        return Factory<SymmetricScaling>(std::move(parameters));
    }

    /// @throws NotSupported if the matrix is no Csr, DimensionMismatch if it is not square, and as the inner factory
    SymmetricScaling(Executor exec, Parameters parameters, LinOpPtr<V> matrix);
    ~SymmetricScaling() override;
    SymmetricScaling(SymmetricScaling&&) noexcept;
    SymmetricScaling& operator=(SymmetricScaling&&) noexcept;

    std::string name() const override { return "SymmetricScaling"; }
    bool is_capturable() const override;
    std::unique_ptr<LinOp<V>> clone(const Executor& exec) const override;
    /// @throws NotSupported, DimensionMismatch
    void update_values(LinOpPtr<V> matrix) override;

    /// Improves x, which is given and handed back unscaled, by the inner solver. The initial and the final residual and
    /// the norm of b in the result are those of A x = b; the inner solver decides when to stop: status, tolerance and
    /// history are about ||D^-1/2 (b - A x)||.
    /// @throws NotSupported if the inner operator is no solver, and as Solver::solve
    SolveResult solve(const Dense<V>& b, Dense<V>& x, const SolveOptions& options = {}) const;

    /// Null for the identity.
    std::shared_ptr<const LinOp<V>> inner() const { return inner_; }
    /// D^-1/2
    const Diagonal<V>& scaling() const { return scaling_; }
    /// Diagonal entries that were taken for 1; waits for the executor.
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
