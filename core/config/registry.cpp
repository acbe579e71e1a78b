#include "core/config/registry.hpp"

#include <linden/distributed/gathered.hpp>
#include <linden/distributed/schwarz.hpp>
#include <linden/error.hpp>
#include <linden/matrix/identity.hpp>
#include <linden/multigrid/amg.hpp>
#include <linden/preconditioner/adapted_deflation.hpp>
#include <linden/preconditioner/block_jacobi.hpp>
#include <linden/preconditioner/chebyshev.hpp>
#include <linden/preconditioner/ic.hpp>
#include <linden/preconditioner/ilu.hpp>
#include <linden/preconditioner/incomplete_poisson.hpp>
#include <linden/preconditioner/jacobi.hpp>
#include <linden/preconditioner/multi_elimination.hpp>
#include <linden/preconditioner/multicoloured.hpp>
#include <linden/preconditioner/neumann.hpp>
#include <linden/preconditioner/reordered.hpp>
#include <linden/preconditioner/scaled.hpp>
#include <linden/preconditioner/ssor.hpp>
#include <linden/preconditioner/symmetric_scaling.hpp>
#include <linden/solver/automatic.hpp>
#include <linden/solver/bicgstab.hpp>
#include <linden/solver/bicgstab_l.hpp>
#include <linden/solver/cg.hpp>
#include <linden/solver/deflated_cg.hpp>
#include <linden/solver/direct.hpp>
#include <linden/solver/fgmres.hpp>
#include <linden/solver/flexible_cg.hpp>
#include <linden/solver/gcr.hpp>
#include <linden/solver/idr.hpp>
#include <linden/solver/lsmr.hpp>
#include <linden/solver/lsqr.hpp>
#include <linden/solver/minres.hpp>
#include <linden/solver/richardson.hpp>
#include <linden/solver/ssor_cg.hpp>
#include <linden/solver/triangular.hpp>

#include <vector>

#include "core/base/nearest_name.hpp"
#include "core/base/type_lists.hpp"
#include "core/config/short_form.hpp"

// instantiate: std::span<const config::Entry<V>> config::registry<V>()
// instantiate: const config::Entry<V>& config::find_entry<V>(std::string_view)
// instantiate: void ParameterVisitor::factory<V>(std::string_view, FactoryPtr<V>&, std::string_view)

namespace linden {
namespace config {
namespace {

template <class Op>
Entry<typename Op::value_type> entry(Kind kind, std::string_view meaning)
{
    using V = typename Op::value_type;
    return {Op::type_name, kind, meaning,
            []() -> std::shared_ptr<LinOpFactory<V>> { return std::make_shared<Factory<Op>>(); }};
}

}  // namespace

template <class V>
std::span<const Entry<V>> registry()
{
    static const std::vector<Entry<V>> entries{
        entry<Cg<V>>(Kind::solver, "conjugate gradients, for Hermitian positive definite matrices"),
        entry<SsorCg<V>>(Kind::solver, "CG with multi-coloured SSOR by Eisenstat's trick, one matrix pass per step"),
        entry<DeflatedCg<V>>(Kind::solver, "CG with slow modes projected out, by default by domains of rows"),
        entry<BiCgStab<V>>(Kind::solver, "stabilised biconjugate gradients, for any nonsingular matrix"),
        entry<BiCgStabL<V>>(Kind::solver, "BiCGStab(l), also where eigenvalues are far from the real axis"),
        entry<Idr<V>>(Kind::solver, "IDR(s), for any nonsingular matrix, in short recurrences"),
        entry<Gmres<V>>(Kind::solver, "restarted GMRES, for any nonsingular matrix"),
        entry<Fgmres<V>>(Kind::solver, "flexible GMRES, for preconditioners that vary, such as inner solvers"),
        entry<Gcr<V>>(Kind::solver, "conjugate residuals, for preconditioners that vary; x is always up to date"),
        entry<FlexibleCg<V>>(Kind::solver, "CG for preconditioners that vary, such as inner solvers"),
        entry<Minres<V>>(Kind::solver, "minimal residuals by short recurrences, for Hermitian indefinite matrices"),
        entry<Lsqr<V>>(Kind::solver, "least squares for matrices of any shape and rank"),
        entry<Lsmr<V>>(Kind::solver, "least squares that reduces ||A^H r|| in each step, to be stopped early"),
        entry<Richardson<V>>(Kind::solver,
                             "Richardson iteration; its preconditioner makes it Jacobi, Gauss-Seidel, SSOR"),
        entry<Lu<V>>(Kind::solver, "LU factors with little fill and refinement, for any nonsingular matrix"),
        entry<Cholesky<V>>(Kind::solver, "Cholesky factors and refinement, for Hermitian positive definite matrices"),
        entry<Ldlt<V>>(Kind::solver, "factors L D L^H and refinement, for Hermitian matrices, also indefinite ones"),
        entry<Automatic<V>>(Kind::solver, "chooses a method for the matrix, and another one where that fails"),
        entry<Identity<V>>(Kind::preconditioner, "no preconditioning, M = I"),
        entry<Jacobi<V>>(Kind::preconditioner, "the inverse of the diagonal"),
        entry<BlockJacobi<V>>(Kind::preconditioner, "inverses of small diagonal blocks found in the pattern"),
        entry<SymmetricScaling<V>>(Kind::preconditioner,
                                   "a preconditioner or solver for the matrix scaled to a unit diagonal"),
        entry<Scaled<V>>(Kind::preconditioner,
                         "a preconditioner or solver for the matrix with rows and columns scaled to norm 1"),
        entry<Reordered<V>>(Kind::preconditioner,
                            "a preconditioner or solver for the matrix with rows and columns in another order"),
        entry<Triangular<V>>(Kind::preconditioner, "solves with the lower or the upper triangle"),
        entry<Ssor<V>>(Kind::preconditioner, "SSOR, SOR and (symmetric) Gauss-Seidel, of the matrix or of its blocks"),
        entry<Neumann<V>>(Kind::preconditioner,
                          "symmetric Gauss-Seidel with truncated Neumann series instead of triangular solves"),
        entry<IncompletePoisson<V>>(Kind::preconditioner, "an explicit approximate inverse on the matrix's pattern"),
        entry<Chebyshev<V>>(Kind::preconditioner, "Chebyshev polynomial, for Hermitian positive definite matrices"),
        entry<Ilu0<V>>(Kind::preconditioner, "incomplete LU without fill-in"),
        entry<Iluk<V>>(Kind::preconditioner, "incomplete LU with k levels of fill"),
        entry<Ilut<V>>(Kind::preconditioner, "incomplete LU with a drop tolerance and a limit of entries per row"),
        entry<ParIlu<V>>(Kind::preconditioner, "incomplete LU with k levels of fill, approximated by parallel sweeps"),
        entry<ParIlut<V>>(Kind::preconditioner,
                          "incomplete LU with a limit of entries, pattern and values found by parallel sweeps"),
        entry<Ic0<V>>(Kind::preconditioner, "incomplete Cholesky without fill-in"),
        entry<Ick<V>>(Kind::preconditioner, "incomplete Cholesky with k levels of fill"),
        entry<Ict<V>>(Kind::preconditioner, "incomplete Cholesky with a drop tolerance and a limit of entries per row"),
        entry<ParIc<V>>(Kind::preconditioner,
                        "incomplete Cholesky with k levels of fill, approximated by parallel sweeps"),
        entry<ParIct<V>>(Kind::preconditioner,
                         "incomplete Cholesky with a limit of entries, pattern and values found by parallel sweeps"),
        entry<AdaptedDeflation<V>>(Kind::preconditioner,
                                   "any preconditioner followed by a coarse correction by domains of rows"),
        entry<McSsor<V>>(Kind::preconditioner, "multi-coloured SSOR and (symmetric) Gauss-Seidel"),
        entry<McIlu<V>>(Kind::preconditioner, "multi-coloured incomplete LU on the pattern of |A|^(p + 1)"),
        entry<McIc<V>>(Kind::preconditioner, "multi-coloured incomplete Cholesky on the pattern of |A|^(p + 1)"),
        entry<distributed::Schwarz<V>>(Kind::preconditioner, "any method, made by each rank from its own rows"),
        entry<distributed::Gathered<V>>(Kind::preconditioner, "a solver of the whole matrix, on rank 0 for all"),
        entry<Amg<V>>(Kind::preconditioner, "algebraic multigrid by smoothed aggregation, for problems of diffusion"),
        entry<MultiElimination<V>>(Kind::preconditioner,
                                   "incomplete LU by levels of independent pivots, with a dense inverse at the bottom"),
    };
    return entries;
}

template <class V>
const Entry<V>& find_entry(std::string_view type)
{
    // Parameters that follow a name as they do not.
    const auto end = type.find_first_of(":=,");
    std::vector<std::string> names;
    for (const auto& e : registry<V>()) {
        if (normalized(e.type) == normalized(type)) {
            return e;
        }
        const auto name = short_name(e.type);
        if (end != std::string_view::npos && normalized(e.type) == normalized(type.substr(0, end))) {
            throw InvalidParameter(
                "type", type,
                type[end] == ':' ? "parameters of a nested type have paths, as in inner=" + name + ",inner.KEY=VALUE"
                                 : "parameters follow a colon, as in " + name + ":KEY=VALUE");
        }
        names.push_back(name);
    }
    throw InvalidParameter("type", type, expected_one_of(type, names));
}

namespace {

/// A FactorySlot over a typed factory pointer.
template <class V>
class TypedSlot final : public FactorySlot {
public:
    explicit TypedSlot(FactoryPtr<V>& held) : held_(held) {}

    ValueType value_type() const override { return value_type_of<V>; }
    std::string type() const override { return held_ == nullptr ? std::string() : held_->type(); }
    void emplace(std::string_view type, ParameterVisitor& v) override
    {
        auto factory = find_entry<V>(type).create();
        factory->describe(v);
        held_ = std::move(factory);
    }
    void clear() override { held_ = nullptr; }
    void describe(ParameterVisitor& v) const override
    {
        // Factories under shared ownership are never changed, and a visitor that shows does not write.
        std::const_pointer_cast<LinOpFactory<V>>(held_)->describe(v);
    }

private:
    FactoryPtr<V>& held_;
};

}  // namespace
}  // namespace config

template <class V>
void ParameterVisitor::factory(std::string_view name, FactoryPtr<V>& value, std::string_view meaning)
{
    config::TypedSlot<V> typed(value);
    slot(name, typed, meaning);
}

}  // namespace linden
