#pragma once

#include <linden/solver/solver.hpp>

#include <memory>

namespace linden {

/// LSQR: conjugate gradients for A^H A x = A^H b without forming A^H A, for m x n matrices of any shape and rank.
/// [PaigeSaunders82]
///
/// A solve ends as `converged` in one of two ways. The residual meets the stopping rule, for consistent systems. Or
/// ||A^H r|| <= normal_residual ||A|| ||r||, by the recurrences of the method: x is a least-squares solution then, and
/// `ColumnResult::least_squares` is set. Where x0 = 0 it is the one of minimal norm. The number of iterations grows
/// with the condition number of A where that of MINRES grows with it, too: for square systems that other methods solve,
/// they are faster. A, and A^H, which is stored as well, are applied once in an iteration.
template <class V>
class LINDEN_EXPORT Lsqr : public Solver<V> {
public:
    static constexpr std::string_view type_name = "Lsqr";

    struct Parameters {
        Stop stop{};
        /// The limit of ||A^H r|| / (||A||_F ||r||), at least 0. The rounding of the value type is the least that
        /// counts.
        double normal_residual = 1e-8;

        void describe(ParameterVisitor& v);
    };

    static Factory<Lsqr> factory(Parameters parameters = {}) { return Factory<Lsqr>(std::move(parameters)); }

    /// @throws NotSupported if the matrix is no Csr and not made of one, InvalidParameter if normal_residual is
    /// negative
    Lsqr(Executor exec, Parameters parameters, LinOpPtr<V> matrix);
    ~Lsqr() override;

    std::string name() const override { return "Lsqr"; }
    void update_values(LinOpPtr<V> matrix) override;

protected:
    std::unique_ptr<SolverWorkspace<V>> make_workspace(const Executor& exec, size_type num_rhs) const override;
    void start(Dense<V>& x, SolverWorkspace<V>& w) const override;
    void step(Dense<V>& x, SolverWorkspace<V>& w) const override;

private:
    struct Adjoint;

    double normal_residual_;
    std::unique_ptr<Adjoint> adjoint_;  ///< A^H
};

}  // namespace linden
