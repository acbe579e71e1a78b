#pragma once

#include <linden/deflation.hpp>
#include <linden/solver/solver.hpp>

#include <memory>

namespace linden {

namespace detail {
template <class V>
class DeflationSpace;
}  // namespace detail

/// Conjugate gradients, for Hermitian positive definite A and M, from whose spectrum the space of the deflation vectors
/// Z is taken: with the vectors of the smallest eigenvalues, or with domains across which these vary little, it
/// converges as if A had the others only. Semidefinite A will do where b is in its range.
///
/// With E = Z^H A Z, Q = Z E^-1 Z^H, P = I - A Q this has, but for rounding, the iterates x = Q b + P^H x^ of
/// [GuptaEtAl11, algorithm 1], which solves P A x^ = P b, in the form of [SaadEtAl00]: x0 := x0 + Q (b - A x0) at the
/// start, and directions p := P^H (z + beta p). Then x is the solution all along and r = b - A x its residual, with
/// Z^H r = 0, so that the stopping rule applies as it is and nothing is left to do at the end. P^H reads z beside
/// interfaces alone, and p^H A p comes with the product. What rounding leaves in Z^H r no direction would reduce, and
/// near the limit of accuracy the iteration would diverge: so directions have Q r / alpha, too, with the
/// last step length alpha, which takes it out in the next step (alpha = 1 is "A-DEF2" of [TangEtAl09]):
///     p := z + beta p - Z E^-1 ((A Z)^H (z + beta p) - Z^H r / alpha).
/// Since all of p is projected and not z alone, no direction keeps what those before it have taken out. With domains
/// (A Z)^H p is what Z^H r fell by in the last step, over alpha, so that p is not read for it. Step lengths are r^H p over
/// p^H A p, with r^H p = r^H z - (Z^H r)^H c for p := z + beta p - Z c, which is r^H z but for rounding, and goes down
/// where that is all that is left.
template <class V>
class LINDEN_EXPORT DeflatedCg : public Solver<V> {
public:
    static constexpr std::string_view type_name = "DeflatedCg";

    struct Parameters {
        Stop stop{};
        FactoryPtr<V> preconditioner{};
        Deflation<V> deflation{};

        void describe(ParameterVisitor& v);
    };

    static Factory<DeflatedCg> factory(Parameters parameters = {})
    {
        return Factory<DeflatedCg>(std::move(parameters));
    }

    /// @throws NotSupported if the matrix is no Csr, DimensionMismatch, InvalidParameter, and what the preconditioner's
    /// factory throws
    DeflatedCg(Executor exec, Parameters parameters, LinOpPtr<V> matrix);
    ~DeflatedCg() override;

    std::string name() const override { return "DeflatedCg"; }
    /// Keeps the deflation vectors. @throws NotSupported, DimensionMismatch
    void update_values(LinOpPtr<V> matrix) override;

    size_type num_vectors() const;
    /// Vectors that were left out, since they are zero, depend on others, or are in the kernel of A.
    size_type num_dropped_vectors() const;
    /// Vectors that separate parts of the others where E^-1 is dissected, else 0.
    size_type num_separators() const;

protected:
    std::unique_ptr<SolverWorkspace<V>> make_workspace(const Executor& exec, size_type num_rhs) const override;
    void start(Dense<V>& x, SolverWorkspace<V>& w) const override;
    void step(Dense<V>& x, SolverWorkspace<V>& w) const override;

private:
    std::unique_ptr<detail::DeflationSpace<V>> space_;
};

}  // namespace linden
