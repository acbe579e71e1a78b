#include "core/deflation/galerkin.hpp"

#include <linden/matrix/operations.hpp>

#include "core/kernels/array.hpp"
#include "core/kernels/csr.hpp"
#include "core/kernels/deflation_setup.hpp"
#include "core/kernels/dense.hpp"
#include "core/kernels/pattern.hpp"
#include "core/kernels/reduction.hpp"
#include "core/kernels/spgemm.hpp"
#include "core/matrix/row_pointers.hpp"

// instantiate: detail::SparseGalerkin<V, I> detail::galerkin<V, I>(const Csr<V, I>&, const Csr<V, I>&, detail::Symmetry, const I *, detail::GalerkinMemory)
// instantiate: detail::SparseGalerkin<V, I> detail::galerkin_of_rows<V, I>(const Csr<V, I>&, const Csr<V, I>&, const Csr<V, I>&, detail::GalerkinMemory)
// instantiate: detail::DenseGalerkin<V> detail::galerkin<V, I>(const Csr<V, I>&, const Dense<V>&, detail::Symmetry, detail::KeptMemory&)
// instantiate: Array<real_t<V>> detail::real_diagonal<V, I>(const Csr<V, I>&, detail::KeptMemory&)
// instantiate: void detail::take_adjoint<V>(const Dense<V>&, Dense<V>&)
// instantiate: Csr<V, I> detail::rearranged<V, I>(const Csr<V, I>&, const I *, const I *, detail::KeptMemory&)

namespace linden {
namespace {

using detail::KeptMemory;
using detail::Symmetry;

/// A product, and the product of magnitudes on the same pattern.
template <class V, class I>
struct Sums {
    Csr<V, I> values;
    Csr<V, I> magnitudes;
};

WorkspaceView workspace_in(KeptMemory& memory, size_type bytes)
{
    auto block = memory.array<std::byte>(bytes);
    return {block.data(), block.size()};
}

/// Turns counts, with one place more, into row pointers; returns their sum. Waits for the executor.
template <class I>
size_type scanned(Array<I>& counts, KeptMemory& memory)
{
    auto total = memory.array<std::int64_t>(1);
    prefix_sum<I>(counts.executor(), counts.size() - 1, counts.data(), total.data(),
                  workspace_in(memory, prefix_sum_workspace_bytes));
    const auto sum = total.to_host().front();
    detail::require_fits<I>(sum, "A Z");
    return sum;
}

/// A matrix over values of its own, with the pattern of another.
template <class V, class I>
Csr<V, I> over(const Executor& exec, PatternView<I> p, const Array<V>& values)
{
    return csr_view_unchecked<V, I>(exec, p.rows, p.cols, p.num_nonzeros, p.row_ptrs, p.col_idxs, values.data());
}

template <class V, class I>
Csr<V, I> magnitudes_of(const Csr<V, I>& a, KeptMemory& memory)
{
    auto values = memory.array<V>(a.num_nonzeros());
    array_absolute<V>(a.executor(), a.num_nonzeros(), a.values(), values.data());
    return over<V, I>(a.executor(), a.view(), values);
}

/// A B, and |A| |B| for the given |A| on the pattern of A.
template <class V, class I>
Sums<V, I> sums_of(const Csr<V, I>& a, const Csr<V, I>& a_magnitudes, const Csr<V, I>& b, KeptMemory& memory)
{
    const auto& exec = a.executor();
    size_type bytes = 0;
    spgemm_workspace<I>(exec, a.view(), b.view(), 0, &bytes);
    const auto symbolic = workspace_in(memory, bytes);
    auto row_ptrs = memory.array<I>(a.size().rows + 1);
    spgemm_count<I>(exec, a.view(), b.view(), row_ptrs.data(), symbolic);
    const auto nnz = scanned(row_ptrs, memory);
    auto col_idxs = memory.array<I>(nnz);
    spgemm_fill<I>(exec, a.view(), b.view(), row_ptrs.data(), col_idxs.data(), symbolic);

    spgemm_workspace<I>(exec, a.view(), b.view(), nnz, &bytes);
    const auto numeric = workspace_in(memory, bytes);
    const PatternView<I> c{a.size().rows, b.size().cols, nnz, row_ptrs.data(), col_idxs.data()};
    auto values = memory.array<V>(nnz), magnitudes = memory.array<V>(nnz);
    const auto b_magnitudes = magnitudes_of(b, memory);
    spgemm_multiply<V, I>(exec, a.view(), b.view(), c, values.data(), numeric);
    spgemm_multiply<V, I>(exec, a_magnitudes.view(), b_magnitudes.view(), c, magnitudes.data(), numeric);
    return {over<V, I>(exec, c, values), over<V, I>(exec, c, magnitudes)};
}

/// `sums`, products with `factor` from the left, without entries that cancel.
template <class V, class I>
Sums<V, I> uncancelled(const Sums<V, I>& sums, const Csr<V, I>& factor, KeptMemory& memory)
{
    const auto& exec = factor.executor();
    const auto size = sums.values.size();
    const CancellingProduct<V, I> product{.pattern = sums.values.view(),
                                          .factor_ptrs = factor.row_ptrs(),
                                          .sums = sums.values.values(),
                                          .magnitudes = sums.magnitudes.values()};
    auto row_ptrs = memory.array<I>(size.rows + 1);
    deflation_count_kept<V, I>(exec, product, row_ptrs.data());
    const auto nnz = scanned(row_ptrs, memory);
    auto col_idxs = memory.array<I>(nnz);
    auto kept = memory.array<V>(nnz), kept_magnitudes = memory.array<V>(nnz);
    deflation_take_kept<V, I>(exec, product, row_ptrs.data(), col_idxs.data(), kept.data(), kept_magnitudes.data());
    const PatternView<I> pattern{size.rows, size.cols, nnz, row_ptrs.data(), col_idxs.data()};
    return {over<V, I>(exec, pattern, kept), over<V, I>(exec, pattern, kept_magnitudes)};
}

/// The pattern of a^T, and the entries that its entries come from.
template <class I>
struct Turned {
    PatternView<I> pattern;
    Array<I> source;
};

template <class I>
Turned<I> turned(const Executor& exec, PatternView<I> a, KeptMemory& memory)
{
    auto row_ptrs = memory.array<I>(a.cols + 1);
    pattern_count_columns<I>(exec, a, row_ptrs.data());
    scanned(row_ptrs, memory);
    auto col_idxs = memory.array<I>(a.num_nonzeros), source = memory.array<I>(a.num_nonzeros);
    pattern_transpose<I>(exec, a, row_ptrs.data(), col_idxs.data(), source.data(),
                         workspace_in(memory, pattern_workspace_bytes<I>(a.cols, a.num_nonzeros)));
    return {{a.cols, a.rows, a.num_nonzeros, row_ptrs.data(), col_idxs.data()}, std::move(source)};
}

/// a^H, of which `t` is the pattern.
template <class V, class I>
Csr<V, I> adjoint_on(const Turned<I>& t, const Csr<V, I>& a, KeptMemory& memory)
{
    auto values = memory.array<V>(a.num_nonzeros());
    array_gather<V, V, I>(a.executor(), a.num_nonzeros(), t.source.data(), a.values(), values.data(), Conjugate::yes);
    return over<V, I>(a.executor(), t.pattern, values);
}

/// A^H, which is a view of A if they are the same.
template <class V, class I>
Csr<V, I> adjoint(const Csr<V, I>& a, Symmetry symmetry, KeptMemory& memory)
{
    if (symmetry == Symmetry::hermitian) {
        const auto p = a.view();
        return csr_view_unchecked<V, I>(a.executor(), p.rows, p.cols, p.num_nonzeros, p.row_ptrs, p.col_idxs, p.values);
    }
    return adjoint_on(turned<I>(a.executor(), a.view(), memory), a, memory);
}

/// Y from its columns that do not cancel: Y^H = A^H Z, whose rows are as short as those of A^H.
template <class V, class I>
Sums<V, I> restricted(const Csr<V, I>& a, const Csr<V, I>& z, Symmetry symmetry, KeptMemory& memory)
{
    const auto factor = adjoint(a, symmetry, memory);
    const auto kept = uncancelled(sums_of(factor, magnitudes_of(factor, memory), z, memory), factor, memory);
    const auto t = turned<I>(a.executor(), kept.values.view(), memory);
    return {adjoint_on(t, kept.values, memory), adjoint_on(t, kept.magnitudes, memory)};
}

template <class V, class I>
Csr<V, I> copied(const Csr<V, I>& a, KeptMemory& memory)
{
    const auto& exec = a.executor();
    auto row_ptrs = memory.array<I>(a.size().rows + 1), col_idxs = memory.array<I>(a.num_nonzeros());
    auto values = memory.array<V>(a.num_nonzeros());
    copy_bytes(exec, a.row_ptrs(), exec, row_ptrs.data(), row_ptrs.bytes());
    copy_bytes(exec, a.col_idxs(), exec, col_idxs.data(), col_idxs.bytes());
    copy_bytes(exec, a.values(), exec, values.data(), values.bytes());
    return over<V, I>(exec, {a.size().rows, a.size().cols, a.num_nonzeros(), row_ptrs.data(), col_idxs.data()}, values);
}

/// The real parts.
template <class V>
Array<real_t<V>> real_parts(const V* values, size_type count, KeptMemory& memory)
{
    using R = real_t<V>;
    auto result = memory.array<R>(count);
    array_copy_strided<R>(memory.executor(), count, is_complex<V> ? 2 : 1, reinterpret_cast<const R*>(values),
                          result.data());
    return result;
}

}  // namespace

template <class V, class I>
Csr<V, I> detail::rearranged(const Csr<V, I>& a, const I* p, const I* label, KeptMemory& memory)
{
    const auto& exec = a.executor();
    const auto nnz = a.num_nonzeros();
    auto row_ptrs = memory.array<I>(a.size().rows + 1);
    pattern_permute_count<I>(exec, a.view(), p, row_ptrs.data());
    scanned(row_ptrs, memory);
    auto col_idxs = memory.array<I>(nnz), source = memory.array<I>(nnz);
    pattern_permute_fill<I>(exec, a.view(), p, label, row_ptrs.data(), col_idxs.data(), source.data(),
                            workspace_in(memory, pattern_workspace_bytes<I>(a.size().rows, nnz)));
    auto values = memory.array<V>(nnz);
    array_gather<V, V, I>(exec, nnz, source.data(), a.values(), values.data(), Conjugate::no);
    return over<V, I>(exec, {a.size().rows, a.size().cols, nnz, row_ptrs.data(), col_idxs.data()}, values);
}

template <class V, class I>
detail::SparseGalerkin<V, I> detail::galerkin(const Csr<V, I>& a, const Csr<V, I>& z, Symmetry symmetry, const I* label,
                                              GalerkinMemory memory)
{
    const auto y = restricted(a, z, symmetry, memory.between);
    auto sums = sums_of(y.values, y.magnitudes, z, memory.between);
    return {label == nullptr ? copied(y.values, memory.y) : rearranged<V, I>(y.values, nullptr, label, memory.y),
            std::move(sums.values), std::move(sums.magnitudes)};
}

template <class V, class I>
detail::SparseGalerkin<V, I> detail::galerkin_of_rows(const Csr<V, I>& a, const Csr<V, I>& z, const Csr<V, I>& w,
                                                      GalerkinMemory memory)
{
    const auto y = restricted(a, z, Symmetry::none, memory.between);
    auto sums = sums_of(y.values, y.magnitudes, w, memory.between);
    return {copied(y.values, memory.y), std::move(sums.values), std::move(sums.magnitudes)};
}

template <class V, class I>
detail::DenseGalerkin<V> detail::galerkin(const Csr<V, I>& a, const Dense<V>& z, Symmetry symmetry, KeptMemory& memory)
{
    const auto& exec = a.executor();
    const auto k = z.size().cols;
    auto az = memory.dense<V>(z.size());
    a.apply(z, az);
    auto e = memory.dense<V>({k, k}), z_adjoint = memory.dense<V>({k, z.size().rows});
    take_adjoint(z, z_adjoint);
    z_adjoint.apply(az, e);

    // the diagonal of |Z|^T |A| |Z|
    auto magnitudes = memory.dense<V>(z.size()), products = memory.dense<V>(z.size());
    array_absolute<V>(exec, z.size().rows * k, z.data(), magnitudes.data());
    magnitudes_of(a, memory).apply(magnitudes, products);
    auto scales = memory.array<V>(k);
    auto sums = memory.array<std::byte>(reduction_workspace_bytes<V>(k));
    exec.state().fill_zero(sums.data(), reduction_header_bytes);
    dense_dot<V>(exec, std::as_const(magnitudes).view(), std::as_const(products).view(), scales.data(),
                 {sums.data(), sums.size()});

    if (symmetry == Symmetry::none) {
        adjoint(a, symmetry, memory).apply(z, az);
    }
    return {std::move(az), std::move(e), real_parts(scales.data(), k, memory)};
}

template <class V, class I>
Array<real_t<V>> detail::real_diagonal(const Csr<V, I>& a, KeptMemory& memory)
{
    const auto length = a.size().rows;
    auto diagonal = memory.array<V>(length);
    csr_extract_diagonal<V, I>(a.executor(), a.view(), {length, 1, 1, diagonal.data()});
    return real_parts(diagonal.data(), length, memory);
}

template <class V>
void detail::take_adjoint(const Dense<V>& a, Dense<V>& result)
{
    deflation_adjoint<V>(a.executor(), a.size().rows, a.size().cols, a.data(), result.data());
}

}  // namespace linden
