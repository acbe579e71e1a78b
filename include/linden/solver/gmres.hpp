#pragma once

#include <linden/solver/solver.hpp>
#include <linden/storage_precision.hpp>

namespace linden {

/// How GMRES makes a new vector of its basis orthogonal to the others. [GiraudLangouRozloznik05; BielichEtAl22]
/// - immediate: by classical Gram-Schmidt, repeated in the same step where needed. A step takes two sums over the rows.
/// - delayed: the repetition takes place in the next step and shares a sum with it. A step takes one sum. Where little
///   of a product is new, the residual of a step may be known one step later; iterations differ by at most one.
/// - automatic: delayed on devices and over several ranks, else immediate.
enum class Orthogonalization { automatic, immediate, delayed };

template <class V>
struct LINDEN_EXPORT GmresParameters {
    Stop stop{};
    FactoryPtr<V> preconditioner{};
    /// Steps per restart cycle; at most n and the iteration limit are used. Memory per right-hand side, in words:
    /// (krylov_dim + 1) n for the basis, twice as much for FGMRES. With `basis_storage` it is (krylov_dim s + 2) n,
    /// with s = 1/2 for single and 1/4 for half precision instead of double, and krylov_dim n more for FGMRES.
    size_type krylov_dim = 30;
    Orthogonalization orthogonalization = Orthogonalization::automatic;
    /// The precision in which all vectors of the basis but the last one are kept; arithmetic stays as it is.
    /// [AliagaEtAl23] A basis in lower precision is read in less time. A cycle then gets as far as this rounding
    /// allows, and each restart goes on from the true residual. Not with immediate orthogonalization; half for real
    /// values only.
    StoragePrecision basis_storage = StoragePrecision::same;

    void describe(ParameterVisitor& v);
};

/// The common base of GMRES and FGMRES: the restarted Arnoldi process, preconditioned from the right.
template <class V>
class LINDEN_EXPORT GmresBase : public Solver<V> {
public:
    using Parameters = GmresParameters<V>;

    /// Steps per restart cycle.
    size_type krylov_dim() const { return krylov_dim_; }
    /// Not automatic: what was chosen.
    Orthogonalization orthogonalization() const
    {
        return delayed_ ? Orthogonalization::delayed : Orthogonalization::immediate;
    }

protected:
    /// @throws DimensionMismatch if A is not square, InvalidParameter if krylov_dim < 1 or this basis_storage does not
    /// go with the value type or with immediate orthogonalization, and what the preconditioner's factory throws
    GmresBase(Executor exec, Parameters parameters, LinOpPtr<V> matrix, bool flexible);

    std::unique_ptr<SolverWorkspace<V>> make_workspace(const Executor& exec, size_type num_rhs) const override;
    void start(Dense<V>& x, SolverWorkspace<V>& w) const override;
    void step(Dense<V>& x, SolverWorkspace<V>& w) const override;

private:
    size_type krylov_dim_;
    bool flexible_;
    bool delayed_;
    StoragePrecision basis_storage_;
};

/// The generalised minimal residual method with restarts for nonsingular A, preconditioned from the right by a fixed M.
/// [SaadSchultz86; Saad03, algorithm 9.5]
///
/// After each cycle the residual is recomputed as b - A x, so that rounding errors do not accumulate over restarts.
/// With right preconditioning the residuals are those of the system itself.
template <class V>
class LINDEN_EXPORT Gmres : public GmresBase<V> {
public:
    static constexpr std::string_view type_name = "Gmres";

    static Factory<Gmres> factory(GmresParameters<V> parameters = {}) { return Factory<Gmres>(std::move(parameters)); }

    /// @throws DimensionMismatch if A is not square, InvalidParameter if krylov_dim < 1, and what the preconditioner's
    /// factory throws
    Gmres(Executor exec, GmresParameters<V> parameters, LinOpPtr<V> matrix)
        : GmresBase<V>(std::move(exec), std::move(parameters), std::move(matrix), false)
    {
    }

    std::string name() const override { return "Gmres"; }
};

}  // namespace linden
