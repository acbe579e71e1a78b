#pragma once

#include <linden/deflation.hpp>
#include <linden/solver/solver.hpp>

#include <memory>

namespace linden {

namespace detail {
template <class V>
class DeflationSpace;
}  // namespace detail

/// CG with the span of Z projected out of every search direction, for Hermitian positive definite A and M. If the
/// deflation vectors Z span the eigenvectors of the smallest eigenvalues, or are indicators of domains on which these
/// vary little, CG converges as if A had only the other eigenvalues. A may be semidefinite if b is in its range.
///
/// Let E = Z^H A Z, Q = Z E^-1 Z^H, P = I - A Q. Up to rounding, the iterates are x = Q b + P^H x^ of
/// [GuptaEtAl11, algorithm 1], which solves P A x^ = P b. They are computed in the form of [SaadEtAl00]: start from
/// x0 := x0 + Q (b - A x0) and use the directions p := P^H (z + beta p). Then r = b - A x is the residual of x itself
/// and Z^H r = 0: the stopping rule applies unchanged, and no final correction is needed. With domains, Z^H A is sparse
/// and P^H reads z at interfaces only.
///
/// No such direction reduces what rounding leaves in Z^H r, and near the attainable accuracy the iteration would
/// diverge. So Q r / alpha, with the last step length alpha, is added to the direction, which removes this remainder in
/// the next step (alpha = 1 is "A-DEF2" of [TangEtAl09]):
///     p := z + beta p - Z E^-1 ((A Z)^H (z + beta p) - Z^H r / alpha).
/// The projection is applied to all of z + beta p, not to z alone, so that components in span(Z) do not accumulate.
/// With domains p need not be read for it, since (A Z)^H p = (Z^H r_old - Z^H r) / alpha. The step length is r^H p /
/// p^H A p with r^H p = r^H z - (Z^H r)^H c for p := z + beta p - Z c. Up to rounding this is r^H z, but it stays
/// correct when rounding is all that is left of r.
///
/// Over ranks an iteration has as many sums as one of Cg, because the sums over domains travel with those of the
/// residual. It has one more exchange with neighbours, of z.
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

    /// Collective if the matrix is a distributed::Matrix. @throws NotSupported if it is neither that nor a Csr,
    /// DimensionMismatch, InvalidParameter, RemoteError if another rank fails, and what the preconditioner's factory
    /// throws
    DeflatedCg(Executor exec, Parameters parameters, LinOpPtr<V> matrix);
    ~DeflatedCg() override;

    std::string name() const override { return "DeflatedCg"; }
    /// Keeps the deflation vectors. @throws NotSupported, DimensionMismatch
    void update_values(LinOpPtr<V> matrix) override;

    size_type num_vectors() const;
    /// Number of vectors that were dropped: they are zero, linearly dependent, or in the null space of A.
    size_type num_dropped_vectors() const;
    /// Number of vectors in separators if E^-1 is applied by nested dissection, else 0.
    size_type num_separators() const;

protected:
    std::unique_ptr<SolverWorkspace<V>> make_workspace(const Executor& exec, size_type num_rhs) const override;
    void start(Dense<V>& x, SolverWorkspace<V>& w) const override;
    void step(Dense<V>& x, SolverWorkspace<V>& w) const override;

private:
    std::unique_ptr<detail::DeflationSpace<V>> space_;
};

}  // namespace linden
