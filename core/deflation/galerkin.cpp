#include "core/deflation/galerkin.hpp"

#include <linden/matrix/multiply.hpp>
#include <linden/matrix/operations.hpp>

#include <optional>

#include "core/kernels/array.hpp"
#include "core/kernels/deflation_setup.hpp"
#include "core/kernels/dense.hpp"
#include "core/kernels/reduction.hpp"
#include "core/matrix/row_pointers.hpp"

// instantiate: detail::SparseGalerkin<V, I> detail::galerkin<V, I>(const Csr<V, I>&, const Csr<V, I>&, detail::Symmetry)
// instantiate: detail::DenseGalerkin<V> detail::galerkin<V, I>(const Csr<V, I>&, const Dense<V>&, detail::Symmetry)
// instantiate: Array<real_t<V>> detail::real_diagonal<V, I>(const Csr<V, I>&)
// instantiate: Dense<V> detail::adjoint<V>(const Dense<V>&)

namespace linden {
namespace {

using detail::Symmetry;

/// A product, and the product of magnitudes on the same pattern.
template <class V, class I>
struct Sums {
    Csr<V, I> values;
    Csr<V, I> magnitudes;
};

template <class V, class I>
Sums<V, I> sums_of(const Csr<V, I>& a, const Csr<V, I>& a_magnitudes, const Csr<V, I>& b)
{
    MultiplyPlan<V, I> plan(a, b);
    Sums<V, I> sums{plan.result(), plan.result()};
    plan.compute(a, b, sums.values);
    plan.compute(a_magnitudes, absolute(b), sums.magnitudes);
    return sums;
}

/// `sums`, products with `factor` from the left, without entries that cancel.
template <class V, class I>
Sums<V, I> uncancelled(const Sums<V, I>& sums, const Csr<V, I>& factor)
{
    const auto& exec = factor.executor();
    const auto size = sums.values.size();
    const CancellingProduct<V, I> product{.pattern = sums.values.view(),
                                          .factor_ptrs = factor.row_ptrs(),
                                          .sums = sums.values.values(),
                                          .magnitudes = sums.magnitudes.values()};
    Array<I> row_ptrs(exec, size.rows + 1);
    deflation_count_kept<V, I>(exec, product, row_ptrs.data());
    const auto nnz = detail::make_row_ptrs(row_ptrs, "A Z");
    Array<I> col_idxs(exec, nnz);
    Array<V> kept(exec, nnz), kept_magnitudes(exec, nnz);
    deflation_take_kept<V, I>(exec, product, row_ptrs.data(), col_idxs.data(), kept.data(), kept_magnitudes.data());
    auto same_ptrs = row_ptrs.clone();
    auto same_cols = col_idxs.clone();
    return {Csr<V, I>(exec, size, std::move(row_ptrs), std::move(col_idxs), std::move(kept)),
            Csr<V, I>(exec, size, std::move(same_ptrs), std::move(same_cols), std::move(kept_magnitudes))};
}

/// A^H unless it is A.
template <class V, class I>
std::optional<Csr<V, I>> adjoint_unless_same(const Csr<V, I>& a, Symmetry symmetry)
{
    return symmetry == Symmetry::hermitian ? std::nullopt : std::optional<Csr<V, I>>(conjugate_transpose(a));
}

/// Y from its columns that do not cancel: Y^H = A^H Z, whose rows are as short as those of A^H.
template <class V, class I>
Sums<V, I> restricted(const Csr<V, I>& a, const Csr<V, I>& z, Symmetry symmetry)
{
    const auto transposed = adjoint_unless_same(a, symmetry);
    const auto& factor = transposed ? *transposed : a;
    const auto kept = uncancelled(sums_of(factor, absolute(factor), z), factor);
    auto turned = updatable_conjugate_transpose(kept.values);
    auto values = turned.result.copy();
    turned.update(kept.magnitudes);
    return {std::move(values), std::move(turned.result)};
}

/// The real parts.
template <class V>
Array<real_t<V>> real_parts(const Executor& exec, const V* values, size_type count)
{
    using R = real_t<V>;
    Array<R> result(exec, count);
    array_copy_strided<R>(exec, count, is_complex<V> ? 2 : 1, reinterpret_cast<const R*>(values), result.data());
    return result;
}

template <class V>
Dense<V> magnitudes_of(const Dense<V>& a)
{
    auto result = a.copy();
    array_absolute<V>(a.executor(), a.size().rows * a.size().cols, result.data(), result.data());
    return result;
}

}  // namespace

template <class V, class I>
detail::SparseGalerkin<V, I> detail::galerkin(const Csr<V, I>& a, const Csr<V, I>& z, Symmetry symmetry)
{
    auto y = restricted(a, z, symmetry);
    auto sums = sums_of(y.values, y.magnitudes, z);
    return {std::move(y.values), std::move(sums.values), std::move(sums.magnitudes)};
}

template <class V, class I>
detail::DenseGalerkin<V> detail::galerkin(const Csr<V, I>& a, const Dense<V>& z, Symmetry symmetry)
{
    const auto& exec = a.executor();
    const auto k = z.size().cols;
    Dense<V> az(exec, z.size());
    a.apply(z, az);
    Dense<V> e(exec, {k, k});
    adjoint(z).apply(az, e);

    // the diagonal of |Z|^T |A| |Z|
    const auto magnitudes = magnitudes_of(z);
    Dense<V> products(exec, z.size());
    absolute(a).apply(magnitudes, products);
    Array<V> scales(exec, k);
    auto workspace = ReductionWorkspace::for_values<V>(exec, k);
    dense_dot<V>(exec, magnitudes.view(), std::as_const(products).view(), scales.data(), workspace.view());

    if (const auto transposed = adjoint_unless_same(a, symmetry)) {
        transposed->apply(z, az);
    }
    return {std::move(az), std::move(e), real_parts<V>(exec, scales.data(), k)};
}

template <class V, class I>
Array<real_t<V>> detail::real_diagonal(const Csr<V, I>& a)
{
    const auto diagonal = extract_diagonal(a);
    return real_parts<V>(a.executor(), diagonal.values(), a.size().rows);
}

template <class V>
Dense<V> detail::adjoint(const Dense<V>& a)
{
    const auto& exec = a.executor();
    Dense<V> result(exec, {a.size().cols, a.size().rows});
    if (a.stride() == a.size().cols) {
        deflation_adjoint<V>(exec, a.size().rows, a.size().cols, a.data(), result.data());
    } else {
        deflation_adjoint<V>(exec, a.size().rows, a.size().cols, a.copy().data(), result.data());
    }
    return result;
}

}  // namespace linden
