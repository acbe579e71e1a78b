#include <linden/composition.hpp>
#include <linden/matrix/diagonal.hpp>
#include <linden/matrix/identity.hpp>
#include <linden/matrix/permutation.hpp>
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
#include <linden/solver/bicgstab.hpp>
#include <linden/solver/bicgstab_l.hpp>
#include <linden/solver/cg.hpp>
#include <linden/solver/deflated_cg.hpp>
#include <linden/solver/direct.hpp>
#include <linden/solver/fgmres.hpp>
#include <linden/solver/flexible_cg.hpp>
#include <linden/solver/gcr.hpp>
#include <linden/solver/gmres.hpp>
#include <linden/solver/idr.hpp>
#include <linden/solver/lsmr.hpp>
#include <linden/solver/lsqr.hpp>
#include <linden/solver/minres.hpp>
#include <linden/solver/richardson.hpp>
#include <linden/solver/ssor_cg.hpp>
#include <linden/solver/triangular.hpp>
#include <linden/sum.hpp>

#include <numeric>

#include "test/support/conformance.hpp"

/// The operators that pass the conformance suite; sparse formats: formats_test.cpp.
namespace linden::test {
namespace {

using OtherIndex = std::conditional_t<has_types<std::int64_t>, std::int64_t, DefaultIndex>;

template <class V, class I>
Csr<V, I> csr(const Executor& exec, Dim size, std::uint64_t seed)
{
    Random random(seed);
    return Csr<V, I>(exec, random_csr<V, I>(random, size, 4));
}

template <class V>
Dense<V> dense(const Executor& exec, Dim size, std::uint64_t seed)
{
    Random random(seed);
    return random_dense<V>(random, exec, size);
}

template <class V>
Diagonal<V> diagonal(const Executor& exec, size_type n)
{
    return Diagonal<V>(exec, dense<V>(exec, {n, 1}, 3).to_host());
}

/// A permutation without cycles that are easy to guess.
template <class V, class I>
Permutation<V, I> permutation(const Executor& exec, size_type n)
{
    Random random(4);
    std::vector<I> rows(static_cast<std::size_t>(n));
    std::iota(rows.begin(), rows.end(), I{0});
    for (auto i = n - 1; i > 0; --i) {
        std::swap(rows[i], rows[random.integer(0, i + 1)]);
    }
    return Permutation<V, I>(exec, rows);
}

/// (n x n+3) (n+3 x n+1) (n+1 x n+1)
template <class V>
Composition<V> composition(const Executor& exec, size_type n)
{
    return Composition<V>({share(csr<V, DefaultIndex>(exec, {n, n + 3}, 5)), share(dense<V>(exec, {n + 3, n + 1}, 6)),
                           share(diagonal<V>(exec, n + 1))});
}

template <class V>
Sum<V> sum(const Executor& exec, size_type n)
{
    return Sum<V>({{V{-2}, share(csr<V, DefaultIndex>(exec, {n, n + 2}, 7))},
                   {V{1}, share(dense<V>(exec, {n, n + 2}, 8))},
                   {V{0.5}, share(csr<V, OtherIndex>(exec, {n, n + 2}, 9))}});
}

template <class V>
void add_multigrid()
{
    const auto on = [](const auto& factory) {
        return [factory](const Executor& exec, size_type n) {
            return std::move(*factory.generate(generating_matrix<V>(exec, n)));
        };
    };
    conforms<V>("AmgAsPrecise", on(Amg<V>::factory({.coarse_rows = 4, .storage = AmgStorage::same})), 1024);
    conforms<V>("AmgVCycle", on(Amg<V>::factory({.coarse_rows = 4, .cycle = AmgCycle::v})), 4096);
    conforms<V>("AmgWCycleWithSsor",
                on(Amg<V>::factory({.coarse_rows = 4, .cycle = AmgCycle::w, .smoother = McSsor<V>::factory()})), 4096);
    conforms<V>(
        "AmgOfPrescribedVectors",
        [](const Executor& exec, size_type n) {
            const auto vectors = std::make_shared<const Dense<V>>(Dense<V>::filled(exec, {n, 1}, V{2}));
            return std::move(*Amg<V>::factory({.coarse_rows = 4, .sweeps = 2, .near_nullspace = vectors})
                                  .generate(generating_matrix<V>(exec, n)));
        },
        4096);
    constexpr double single_roundoff = std::numeric_limits<float>::epsilon();
    conforms<V>("Amg", on(Amg<V>::factory({.coarse_rows = 4})),
                1024 * single_roundoff / std::numeric_limits<real_t<V>>::epsilon());
}

template <class V>
void add_factorization_tests()
{
    using enum TriangularAlgorithm;
    generates("Triangular", Triangular<V>::factory(), 256);
    generates(
        "TriangularByLevels",
        Triangular<V>::factory(
            {.side = Side::upper, .operation = MatrixOperation::conjugate_transpose, .solve = {.algorithm = levels}}),
        256);
    generates("TriangularSweeps", Triangular<V>::factory({.solve = {.algorithm = jacobi, .block_size = 3}}), 256);
    generates("TriangularIsai",
              Triangular<V>::factory({.operation = MatrixOperation::conjugate_transpose,
                                      .solve = {.algorithm = isai, .sweeps = 2, .power = 2}}),
              256);
    generates("Ssor", Ssor<V>::factory({.omega = 1.5}), 256);
    generates("SsorInBlocks", Ssor<V>::factory({.block_rows = 10, .triangular = {.algorithm = syncfree}}), 256);
    generates("SsorForward", Ssor<V>::factory({.direction = SweepDirection::forward}), 256);
    generates("SsorBackward",
              Ssor<V>::factory({.direction = SweepDirection::backward, .triangular = {.algorithm = segments}}), 256);
    generates("Neumann", Neumann<V>::factory({.order = 2}), 1024);
    generates("IncompletePoisson", IncompletePoisson<V>::factory(), 256);
    generates("Chebyshev", Chebyshev<V>::factory(), 1024);
    generates("ChebyshevOfFourthKind", Chebyshev<V>::factory({.degree = 2, .kind = ChebyshevKind::fourth}), 1024);
    generates("Ilu0", Ilu0<V>::factory(), 1024);
    generates("Ilu0InBlocks", Ilu0<V>::factory({.block_rows = 10}), 1024);
    generates("ScaledIlu0", SymmetricScaling<V>::factory({.inner = Ilu0<V>::factory()}), 1024);
    generates("RuizScaledIlu0", Scaled<V>::factory({.inner = Ilu0<V>::factory()}), 1024);
    generates("ReorderedIlu0", Reordered<V>::factory({.inner = Ilu0<V>::factory()}), 1024);
    generates("ScaledIdentity", SymmetricScaling<V>::factory(), 256);
    generates("Ilu0InSingle", Ilu0<V>::factory({.triangular = {.storage = StoragePrecision::single}}), 1024);
    generates("Ilu0ByIsai", Ilu0<V>::factory({.triangular = {.algorithm = isai}}), 1024);
    generates("Iluk", Iluk<V>::factory({.k = 2, .shift = 0.1}), 1024);
    generates("ParIlu", ParIlu<V>::factory({.k = 1}), 1024);
    generates("ParIc", ParIc<V>::factory(), 1024);
    generates("Ic0", Ic0<V>::factory({.triangular = {.algorithm = segments}}), 1024);
    generates("Ick", Ick<V>::factory({.triangular = {.algorithm = syncfree}}), 1024);
    generates("McSsor", McSsor<V>::factory({.omega = 1.2}), 1024);
    generates("McSsorOfBlocks", McSsor<V>::factory({.colours = {.colouring = {.block_rows = 3}}}), 1024);
    generates("McIlu", McIlu<V>::factory({.p = 1, .shift = 0.1}), 1024);
    generates("McIc", McIc<V>::factory(), 1024);
    generates("ExactMultiElimination", MultiElimination<V>::factory({.rule = EliminationRule::exact, .bottom_rows = 4}),
              1024);
    // Their patterns depend on values, so that new values are no new matrix: see ilu_test.cpp,
    // multi_elimination_test.cpp and amg_test.cpp.
    const auto on = [](const auto& factory) {
        return [factory](const Executor& exec, size_type n) {
            return std::move(*factory.generate(generating_matrix<V>(exec, n)));
        };
    };
    conforms<V>("Ilut", on(Ilut<V>::factory({.k = 5, .tol = 1e-3})), 1024);
    conforms<V>("Ict", on(Ict<V>::factory({.k = 5, .tol = 1e-3})), 1024);
    conforms<V>("ParIlut", on(ParIlut<V>::factory({.steps = 2, .triangular = {.algorithm = isai}})), 1024);
    conforms<V>("ParIct", on(ParIct<V>::factory({.steps = 2, .sweep_order = SweepOrder::in_place})), 1024);
    conforms<V>("MultiElimination", on(MultiElimination<V>::factory({.bottom_rows = 4})), 1024);
    add_multigrid<V>();
}

template <class V>
void add_tests()
{
    using I = DefaultIndex;
    const double eps = std::numeric_limits<real_t<V>>::epsilon();
    const auto on = [](auto make) { return [=](const Executor& exec, size_type n) { return make(exec, n); }; };
    conforms<V>("Dense", [](const Executor& exec, size_type n) { return dense<V>(exec, {n, n + 2}, 1); });
    conforms<V>("Csr", [](const Executor& exec, size_type n) { return csr<V, I>(exec, {n, n + 3}, 2); });
    conforms<V>("Identity", [](const Executor& exec, size_type n) { return Identity<V>(exec, n); });
    conforms<V>("Diagonal", on(diagonal<V>));
    conforms<V>("Permutation", on(permutation<V, I>));
    if constexpr (!std::is_same_v<OtherIndex, I>) {
        using J = OtherIndex;
        conforms<V>("CsrInt64", [](const Executor& exec, size_type n) { return csr<V, J>(exec, {n, n}, 2); });
        conforms<V>("PermutationInt64", on(permutation<V, J>));
    }
    conforms<V>("Composition", on(composition<V>), 256);
    conforms<V>("Sum", on(sum<V>), 256);
    generates("GeneratedIdentity", Identity<V>::factory());
    generates("Jacobi", Jacobi<V>::factory());
    generates("JacobiOfSums", Jacobi<V>::factory({.kind = JacobiKind::l1}), 64);
    generates("JacobiOfNearestInverse", Jacobi<V>::factory({.kind = JacobiKind::spai0}), 64);
    generates("BlockJacobi", BlockJacobi<V>::factory({.block_size = 5}), 256);
    generates("BlockJacobiInSingle", BlockJacobi<V>::factory({.storage = StoragePrecision::single}), 256);
    generates("AdaptedDeflation", AdaptedDeflation<V>::factory({.preconditioner = Jacobi<V>::factory()}), 256);
    add_factorization_tests<V>();
    const Stop accurate{.relative_residual = 50 * eps};
    generates("Cg", Cg<V>::factory({.stop = accurate}), 1e4, false);
    generates("PreconditionedCg", Cg<V>::factory({.stop = accurate, .preconditioner = Jacobi<V>::factory()}), 1e4,
              false);
    generates("DeflatedCg", DeflatedCg<V>::factory({.stop = accurate}), 1e4, false);
    generates("SsorCg", SsorCg<V>::factory({.stop = accurate}), 1e4, false);
    generates("ScaledCg", SymmetricScaling<V>::factory({.inner = Cg<V>::factory({.stop = accurate})}), 1e4);
    generates("BiCgStab", BiCgStab<V>::factory({.stop = accurate}), 1e4, false);
    generates("BiCgStabL", BiCgStabL<V>::factory({.stop = accurate}), 1e4, false);
    generates("Idr", Idr<V>::factory({.stop = accurate}), 1e4, false);
    generates("Gmres", Gmres<V>::factory({.stop = accurate}), 1e4, false);
    generates("Fgmres", Fgmres<V>::factory({.stop = accurate}), 1e4, false);
    generates("FlexibleCg", FlexibleCg<V>::factory({.stop = accurate, .preconditioner = Jacobi<V>::factory()}), 1e4,
              false);
    generates("Minres", Minres<V>::factory({.stop = accurate}), 1e4, false);
    generates("PreconditionedMinres", Minres<V>::factory({.stop = accurate, .preconditioner = Jacobi<V>::factory()}),
              1e4, false);
    generates("Gcr", Gcr<V>::factory({.stop = accurate, .directions = 4, .truncated = true}), 1e4, false);
    generates("Lsmr", Lsmr<V>::factory({.stop = accurate, .normal_residual = 0}), 1e4, false);
    generates("LsqrWithColumnScaling",
              Lsqr<V>::factory({.stop = accurate, .normal_residual = 0, .column_scaling = true}), 1e4, false);
    generates("PreconditionedLsmr",
              Lsmr<V>::factory({.stop = accurate, .normal_residual = 0, .preconditioner = Ic0<V>::factory()}), 1e4,
              false);
    generates("Lsqr", Lsqr<V>::factory({.stop = accurate, .normal_residual = 0}), 1e4, false);
    generates("Lu", Lu<V>::factory(), 1024);
    generates("LuWithPartialPivoting", Lu<V>::factory({{}, Pivoting::partial}), 1024);
    generates("Cholesky", Cholesky<V>::factory(), 1024);
    generates("Ldlt", Ldlt<V>::factory(), 1024);
    generates("Richardson", Richardson<V>::factory({.stop = accurate, .preconditioner = Ssor<V>::factory()}), 1e4,
              false);
    generates("Smoother",
              Richardson<V>::factory({.stop = {.max_iterations = 3, .relative_residual = 0},
                                      .preconditioner = Jacobi<V>::factory(),
                                      .relaxation = 0.5}),
              256, false);
}

const bool added = [] {
    for_each_value([]<class V>() { add_tests<V>(); });
    return true;
}();

}  // namespace
}  // namespace linden::test
