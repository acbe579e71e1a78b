#include <linden/error.hpp>
#include <linden/matrix/operations.hpp>

#include "core/kernels/array.hpp"
#include "core/kernels/csr.hpp"
#include "core/kernels/csr_values.hpp"
#include "core/kernels/permutation.hpp"
#include "core/matrix/pattern_operations.hpp"

// instantiate: struct Rearrangement<V, I>
// instantiate: Csr<V, I> transpose(const Csr<V, I>&)
// instantiate: Csr<V, I> conjugate_transpose(const Csr<V, I>&)
// instantiate: Rearrangement<V, I> updatable_transpose(const Csr<V, I>&)
// instantiate: Rearrangement<V, I> updatable_conjugate_transpose(const Csr<V, I>&)
// instantiate: Csr<V, I> sort_rows(const Csr<V, I>&)
// instantiate: Csr<V, I> permute_rows(const Csr<V, I>&, const Permutation<V, I>&)
// instantiate: Csr<V, I> permute_columns(const Csr<V, I>&, const Permutation<V, I>&)
// instantiate: Csr<V, I> permute_symmetric(const Csr<V, I>&, const Permutation<V, I>&)
// instantiate: Csr<V, I> lower_triangle(const Csr<V, I>&, Triangle)
// instantiate: Csr<V, I> upper_triangle(const Csr<V, I>&, Triangle)
// instantiate: Csr<V, I> submatrix(const Csr<V, I>&, Range, Range)
// instantiate: Diagonal<V> extract_diagonal(const Csr<V, I>&)
// instantiate: Csr<V, I> absolute(const Csr<V, I>&)
// instantiate: void scale_rows(const Diagonal<V>&, Csr<V, I>&)
// instantiate: void scale_columns(Csr<V, I>&, const Diagonal<V>&)
// instantiate: Csr<V, I> add_scaled_identity<V, I>( V , const Csr<V, I>&, V )

namespace linden {
namespace {

using detail::Pattern;

template <class V, class I>
PatternView<I> pattern_of(const Csr<V, I>& a)
{
    return a.view();
}

void check_executor(std::string_view what, const Executor& actual, const Executor& expected)
{
    if (!(actual == expected)) {
        throw InvalidParameter(what, "on " + actual.name(), "on the matrix's executor, " + expected.name());
    }
}

/// The new pattern with gathered values.
template <class V, class I>
Rearrangement<V, I> rearranged(const Csr<V, I>& a, Pattern<I> pattern, Conjugate conjugate)
{
    const auto& exec = a.executor();
    const auto num_nonzeros = pattern.source.size();
    Array<V> values(exec, num_nonzeros);
    array_gather<V, V, I>(exec, num_nonzeros, pattern.source.data(), a.values(), values.data(), conjugate);
    return {Csr<V, I>(exec, pattern.size, std::move(pattern.row_ptrs), std::move(pattern.col_idxs), std::move(values)),
            std::move(pattern.source), a.size(), conjugate == Conjugate::yes};
}

/// The inverse of p, which was checked at construction; does not wait.
template <class V, class I>
Array<I> inverse_of(const Permutation<V, I>& p)
{
    const auto& exec = p.executor();
    const auto length = p.size().rows;
    Array<I> inverse(exec, length);
    Array<size_type> num_invalid(exec, 1);
    permutation_invert<I>(exec, length, p.rows(), inverse.data(), num_invalid.data());
    return inverse;
}

/// A with permuted rows p and columns q; null for the identity.
template <class V, class I>
Csr<V, I> permuted(std::string_view op, const Csr<V, I>& a, const Permutation<V, I>* p, const Permutation<V, I>* q)
{
    const auto& exec = a.executor();
    for (const auto* permutation : {p, q}) {
        if (permutation != nullptr) {
            check_executor("p", permutation->executor(), exec);
        }
    }
    if (p != nullptr && p->size().cols != a.size().rows) {
        throw DimensionMismatch(op, "P", p->size(), "A", a.size());
    }
    if (q != nullptr && q->size().rows != a.size().cols) {
        throw DimensionMismatch(op, "A", a.size(), "P^T", q->size());
    }
    const I* const rows = p == nullptr ? nullptr : p->rows();
    const auto labels = q == nullptr ? Array<I>(exec) : inverse_of(*q);
    const I* const label = q == nullptr ? nullptr : labels.data();
    auto pattern = detail::permuted_pattern(exec, pattern_of(a), rows, label);
    return rearranged(a, std::move(pattern), Conjugate::no).result;
}

/// Entries with low <= col - row <= high.
template <class V, class I>
Csr<V, I> band(const Csr<V, I>& a, size_type low, size_type high)
{
    const PatternSelection which{0, a.size().rows, 0, a.size().cols, low, high};
    return rearranged(a, detail::selected_pattern(a.executor(), pattern_of(a), which), Conjugate::no).result;
}

void check_range(std::string_view what, Range range, size_type size)
{
    if (range.begin < 0 || range.begin > range.end || range.end > size) {
        throw InvalidParameter(what, std::to_string(range.begin) + " to " + std::to_string(range.end),
                               "0 <= begin <= end <= " + std::to_string(size));
    }
}

}  // namespace

template <class V, class I>
void Rearrangement<V, I>::update(const Csr<V, I>& matrix)
{
    check_executor("matrix", matrix.executor(), result.executor());
    if (matrix.size() != original_size) {
        throw DimensionMismatch("Rearrangement::update", "the original", original_size, "the new one", matrix.size());
    }
    if (matrix.num_nonzeros() != source.size()) {
        throw InvalidParameter("matrix", std::to_string(matrix.num_nonzeros()) + " nonzeros",
                               "the original's pattern, of " + std::to_string(source.size()));
    }
    array_gather<V, V, I>(result.executor(), source.size(), source.data(), matrix.values(), result.values(),
                          is_conjugated ? Conjugate::yes : Conjugate::no);
}

template <class V, class I>
Rearrangement<V, I> updatable_transpose(const Csr<V, I>& a)
{
    return rearranged(a, detail::transposed_pattern(a.executor(), pattern_of(a)), Conjugate::no);
}

template <class V, class I>
Rearrangement<V, I> updatable_conjugate_transpose(const Csr<V, I>& a)
{
    return rearranged(a, detail::transposed_pattern(a.executor(), pattern_of(a)), Conjugate::yes);
}

template <class V, class I>
Csr<V, I> transpose(const Csr<V, I>& a)
{
    return updatable_transpose(a).result;
}

template <class V, class I>
Csr<V, I> conjugate_transpose(const Csr<V, I>& a)
{
    return updatable_conjugate_transpose(a).result;
}

template <class V, class I>
Csr<V, I> sort_rows(const Csr<V, I>& a)
{
    const auto& exec = a.executor();
    const auto view = a.view();
    Pattern<I> sorted{a.size(), Array<I>(exec, view.rows + 1), Array<I>(exec, view.num_nonzeros),
                      Array<I>(exec, view.num_nonzeros)};
    copy_bytes(exec, view.row_ptrs, exec, sorted.row_ptrs.data(), sorted.row_ptrs.bytes());
    copy_bytes(exec, view.col_idxs, exec, sorted.col_idxs.data(), sorted.col_idxs.bytes());
    Array<std::byte> workspace(exec, pattern_workspace_bytes<I>(view.rows, view.num_nonzeros));
    pattern_sort_rows<I>(exec, view.rows, view.num_nonzeros, sorted.row_ptrs.data(), sorted.col_idxs.data(),
                         sorted.source.data(), {workspace.data(), workspace.size()});
    return rearranged(a, std::move(sorted), Conjugate::no).result;
}

template <class V, class I>
Csr<V, I> permute_rows(const Csr<V, I>& a, const Permutation<V, I>& p)
{
    return permuted<V, I>("permute_rows", a, &p, nullptr);
}

template <class V, class I>
Csr<V, I> permute_columns(const Csr<V, I>& a, const Permutation<V, I>& p)
{
    return permuted<V, I>("permute_columns", a, nullptr, &p);
}

template <class V, class I>
Csr<V, I> permute_symmetric(const Csr<V, I>& a, const Permutation<V, I>& p)
{
    return permuted<V, I>("permute_symmetric", a, &p, &p);
}

template <class V, class I>
Csr<V, I> lower_triangle(const Csr<V, I>& a, Triangle which)
{
    return band(a, INT64_MIN, which == Triangle::with_diagonal ? 0 : -1);
}

template <class V, class I>
Csr<V, I> upper_triangle(const Csr<V, I>& a, Triangle which)
{
    return band(a, which == Triangle::with_diagonal ? 0 : 1, INT64_MAX);
}

template <class V, class I>
Csr<V, I> submatrix(const Csr<V, I>& a, Range rows, Range cols)
{
    check_range("rows", rows, a.size().rows);
    check_range("cols", cols, a.size().cols);
    const PatternSelection which{rows.begin, rows.end, cols.begin, cols.end};
    return rearranged(a, detail::selected_pattern(a.executor(), pattern_of(a), which), Conjugate::no).result;
}

template <class V, class I>
Diagonal<V> extract_diagonal(const Csr<V, I>& a)
{
    const auto length = std::min(a.size().rows, a.size().cols);
    Array<V> diagonal(a.executor(), length);
    csr_extract_diagonal<V, I>(a.executor(), a.view(), {length, 1, 1, diagonal.data()});
    return Diagonal<V>(a.executor(), std::move(diagonal));
}

template <class V, class I>
Csr<V, I> absolute(const Csr<V, I>& a)
{
    auto result = a.copy();
    array_absolute<V>(a.executor(), a.num_nonzeros(), result.values(), result.values());
    return result;
}

template <class V, class I>
void scale_rows(const Diagonal<V>& d, Csr<V, I>& a)
{
    check_executor("d", d.executor(), a.executor());
    if (d.size().cols != a.size().rows) {
        throw DimensionMismatch("scale_rows", "D", d.size(), "A", a.size());
    }
    csr_scale_rows<V, I>(a.executor(), pattern_of(a), d.values(), a.values());
}

template <class V, class I>
void scale_columns(Csr<V, I>& a, const Diagonal<V>& d)
{
    check_executor("d", d.executor(), a.executor());
    if (d.size().rows != a.size().cols) {
        throw DimensionMismatch("scale_columns", "A", a.size(), "D", d.size());
    }
    csr_scale_columns<V, I>(a.executor(), pattern_of(a), d.values(), a.values());
}

template <class V, class I>
Csr<V, I> add_scaled_identity(std::type_identity_t<V> alpha, const Csr<V, I>& a, std::type_identity_t<V> beta)
{
    const auto& exec = a.executor();
    const auto view = pattern_of(a);
    if (view.rows != view.cols) {
        throw DimensionMismatch("add_scaled_identity", "A", a.size(), "I", {view.rows, view.rows});
    }
    auto pattern = detail::pattern_with_diagonal(exec, view);
    auto result = rearranged(a, std::move(pattern), Conjugate::no).result;
    csr_add_scaled_identity<V, I>(exec, pattern_of(result), alpha, beta, result.values());
    return result;
}

}  // namespace linden
