#pragma once

#include <linden/solver/solver.hpp>
#include <linden/storage_precision.hpp>

namespace linden {

/// How GMRES makes a new vector of its basis orthogonal to the others. [GiraudLangouRozloznik05; BielichEtAl22]
/// - immediate: by classical Gram-Schmidt, a second time in the same step where it is needed: two sums over the rows.
/// - delayed: the second time in the next step, with whose sums it shares one: one sum for a step. The residual of a
///   step may be known one step later where little of a product is new, and iterations differ by at most that one.
/// - automatic: delayed on devices and over several ranks, else immediate.
enum class Orthogonalization { automatic, immediate, delayed };

template <class V>
struct LINDEN_EXPORT GmresParameters {
    Stop stop{};
    FactoryPtr<V> preconditioner{};
    /// Steps per restart cycle, at most n and the iteration limit. The basis takes (krylov_dim + 1) n words per
    /// right-hand side, twice as many for FGMRES; (krylov_dim s + 2) n with `basis_storage`, s = 1/2 for single, 1/4
    /// for half precision instead of double, and krylov_dim n more for FGMRES.
    size_type krylov_dim = 30;
    Orthogonalization orthogonalization = Orthogonalization::automatic;
    /// What the vectors of the basis are kept in, but for the last one; all arithmetic stays as it is. [AliagaEtAl23]
    /// A basis in lower precision is read in less time, and takes a cycle as far as its rounding allows: each restart
    /// goes on from the true residual. Delays second passes; half: real values only.
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
