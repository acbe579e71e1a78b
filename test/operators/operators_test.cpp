#include <linden/composition.hpp>
#include <linden/matrix/diagonal.hpp>
#include <linden/matrix/identity.hpp>
#include <linden/matrix/permutation.hpp>
#include <linden/preconditioner/block_jacobi.hpp>
#include <linden/preconditioner/jacobi.hpp>
#include <linden/solver/bicgstab.hpp>
#include <linden/solver/cg.hpp>
#include <linden/solver/fgmres.hpp>
#include <linden/solver/gmres.hpp>
#include <linden/sum.hpp>

#include <numeric>

#include "test/support/conformance.hpp"

/// The operators that pass the conformance suite; sparse formats: formats_test.cpp.
namespace linden::test {
namespace {

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
    return Composition<V>({share(csr<V, std::int32_t>(exec, {n, n + 3}, 5)), share(dense<V>(exec, {n + 3, n + 1}, 6)),
                           share(diagonal<V>(exec, n + 1))});
}

template <class V>
Sum<V> sum(const Executor& exec, size_type n)
{
    return Sum<V>({{V{-2}, share(csr<V, std::int32_t>(exec, {n, n + 2}, 7))},
                   {V{1}, share(dense<V>(exec, {n, n + 2}, 8))},
                   {V{0.5}, share(csr<V, std::int64_t>(exec, {n, n + 2}, 9))}});
}

template <class V>
void add_tests()
{
    using I = std::int32_t;
    using J = std::int64_t;
    const double eps = std::numeric_limits<real_t<V>>::epsilon();
    const auto on = [](auto make) { return [=](const Executor& exec, size_type n) { return make(exec, n); }; };
    conforms<V>("Dense", [](const Executor& exec, size_type n) { return dense<V>(exec, {n, n + 2}, 1); });
    conforms<V>("CsrInt32", [](const Executor& exec, size_type n) { return csr<V, I>(exec, {n, n + 3}, 2); });
    conforms<V>("CsrInt64", [](const Executor& exec, size_type n) { return csr<V, J>(exec, {n, n}, 2); });
    conforms<V>("Identity", [](const Executor& exec, size_type n) { return Identity<V>(exec, n); });
    conforms<V>("Diagonal", on(diagonal<V>));
    conforms<V>("PermutationInt32", on(permutation<V, I>));
    conforms<V>("PermutationInt64", on(permutation<V, J>));
    conforms<V>("Composition", on(composition<V>), 256);
    conforms<V>("Sum", on(sum<V>), 256);
    generates("GeneratedIdentity", Identity<V>::factory());
    generates("Jacobi", Jacobi<V>::factory());
    generates("BlockJacobi", BlockJacobi<V>::factory({.block_size = 5}), 256);
    generates("BlockJacobiInSingle", BlockJacobi<V>::factory({.storage = StoragePrecision::single}), 256);
    const Stop accurate{.relative_residual = 50 * eps};
    generates("Cg", Cg<V>::factory({.stop = accurate}), 1e4, false);
    generates("PreconditionedCg", Cg<V>::factory({.stop = accurate, .preconditioner = Jacobi<V>::factory()}), 1e4,
              false);
    generates("BiCgStab", BiCgStab<V>::factory({.stop = accurate}), 1e4, false);
    generates("Gmres", Gmres<V>::factory({.stop = accurate}), 1e4, false);
    generates("Fgmres", Fgmres<V>::factory({.stop = accurate}), 1e4, false);
}

const bool added = [] {
    for_each_value([]<class V>() { add_tests<V>(); });
    return true;
}();

}  // namespace
}  // namespace linden::test
