#pragma once

#include <linden/solver/solver.hpp>

#include <memory>

namespace linden {

template <class V>
struct LINDEN_EXPORT GolubKahanParameters {
    Stop stop{};
    /// The limit of ||A^H r|| / (||A||_F ||r||), at least 0. Smaller limits than the rounding unit of the value type
    /// have no effect.
    double normal_residual = 1e-8;
    /// Scales the columns to the 2-norm 1: M is then the diagonal of A^H A. Not together with a preconditioner.
    bool column_scaling = false;
    /// M, Hermitian positive definite. The factory gets A^H A, which is formed for it.
    FactoryPtr<V> preconditioner{};

    void describe(ParameterVisitor& v);
};

/// The common base of LSQR and LSMR: the bidiagonalization of Golub and Kahan, for m x n matrices of any shape and
/// rank. A, and A^H, which is stored as well, are applied once in an iteration.
///
/// A solve ends as `converged` in one of two ways. The residual meets the stopping rule, for consistent systems. Or
/// ||A^H r|| <= normal_residual ||A||_F ||r||, by the recurrences of the method: x is a least-squares solution then,
/// and `ColumnResult::least_squares` is set. Where x0 = 0 it is the one of minimal norm.
///
/// If squares of A's values would underflow or overflow, the process runs for A times a power of two, which is chosen
/// from the first values.
///
/// With column scaling or a preconditioner M, the process is that of A M^-1/2, whose condition number then counts;
/// M^-1/2 itself is not needed [ArridgeEtAl14]. Norms of A^H r are then those in M^-1, the norm of A is the Frobenius
/// norm of A M^-1/2, and the minimal solution is the one with the least x^H M x.
template <class V>
class LINDEN_EXPORT GolubKahanSolver : public Solver<V> {
public:
    using Parameters = GolubKahanParameters<V>;

    ~GolubKahanSolver() override;

    /// A preconditioner is updated with the values of the new A^H A, of which there are two copies from then on.
    void update_values(LinOpPtr<V> matrix) override;

protected:
    /// @throws NotSupported if the matrix is no Csr and not made of one, InvalidParameter if normal_residual is
    /// negative, and what the preconditioner's factory throws
    GolubKahanSolver(Executor exec, Parameters parameters, LinOpPtr<V> matrix, const char* name);

    /// ||A^H r|| / (||A||_F ||r||) of a least-squares solution.
    double normal_residual() const { return normal_residual_; }
    /// A power of two: the bidiagonalization is that of scale A.
    real_t<V> scale() const;

    void start(Dense<V>& x, SolverWorkspace<V>& w) const override;
    void step(Dense<V>& x, SolverWorkspace<V>& w) const override;

    /// Called when the first vectors of the bidiagonalization are known.
    virtual void begin(Dense<V>& x, SolverWorkspace<V>& w) const = 0;
    /// Called when the next vectors are known: updates x and its residual norm, and ends columns.
    virtual void advance(Dense<V>& x, SolverWorkspace<V>& w) const = 0;

private:
    struct Adjoint;

    GolubKahanSolver(Executor exec, Parameters parameters, LinOpPtr<V> matrix, const char* name,
                     const std::shared_ptr<Adjoint>& adjoint);
    static std::shared_ptr<Adjoint> adjoint_of(const LinOp<V>& matrix, const char* name);
    void find_next(SolverWorkspace<V>& w, const real_t<V>* before) const;

    double normal_residual_;
    std::shared_ptr<Adjoint> adjoint_;  ///< A^H
};

}  // namespace linden
