#include <linden/matrix/dense.hpp>
#include <linden/matrix/stencil.hpp>

#include "core/matrix/formats.hpp"
#include "core/matrix/stencil_search.hpp"

// instantiate: class Stencil<V, I>

namespace linden {
namespace {

constexpr size_type most_stencils = size_type{1} << 16;

template <class V, class I>
detail::StencilSearch<V, I> search_in(const Csr<V, I>& matrix, size_type max_stencils)
{
    if (max_stencils < 1 || max_stencils > most_stencils) {
        throw InvalidParameter("max_stencils", std::to_string(max_stencils), "1 to " + std::to_string(most_stencils));
    }
    detail::StencilSearch<V, I> search(matrix.executor(), {matrix.view()}, max_stencils);
    search.search({matrix.view()});
    return search;
}

/// The first values of an array.
template <class T>
Array<T> first_of(const Array<T>& all, size_type count)
{
    Array<T> first(all.executor(), count);
    copy_bytes(all.executor(), all.data(), all.executor(), first.data(), first.bytes());
    return first;
}

}  // namespace

template <class V, class I>
void Stencil<V, I>::Parameters::describe(ParameterVisitor& v)
{
    v("max_stencils", max_stencils, "at most so many different rows, 1 to 65536");
}

template <class V, class I>
Stencil<V, I>::Stencil(Executor exec, Dim size, Facts facts, Array<std::uint16_t> stencils, Array<I> ptrs,
                       Array<I> offsets, Array<V> values)
    : detail::SparseMatrix<V, I>(exec, size),
      facts_(facts),
      stencils_(std::move(stencils)),
      ptrs_(std::move(ptrs)),
      offsets_(std::move(offsets)),
      values_(std::move(values))
{
    detail::check_array("stencils", stencils_, exec, size.rows);
    detail::check_array("ptrs", ptrs_, exec, std::max<size_type>(ptrs_.size(), 1));
    detail::check_array("offsets", offsets_, exec, offsets_.size());
    detail::check_array("values", values_, exec, offsets_.size());
}

template <class V, class I>
Stencil<V, I>::Stencil(Executor exec, Dim size, Array<std::uint16_t> stencils, Array<I> ptrs, Array<I> offsets,
                       Array<V> values)
    : Stencil(exec, size, {std::clamp<size_type>(ptrs.size() - 1, 1, most_stencils)}, std::move(stencils),
              std::move(ptrs), std::move(offsets), std::move(values))
{
    const auto bounds = ptrs_.to_host();
    for (std::size_t s = 0; s + 1 < bounds.size(); ++s) {
        facts_.longest = std::max<size_type>(facts_.longest, bounds[s + 1] - bounds[s]);
    }
    auto counts = row_counts();
    facts_.num_nonzeros = detail::make_row_ptrs(counts, "the matrix");
}

template <class V, class I>
Stencil<V, I> Stencil<V, I>::from_csr(const Csr<V, I>& matrix, Parameters parameters)
{
    auto search = search_in(matrix, parameters.max_stencils);
    if (!search.has_stencils()) {
        throw InvalidParameter("max_stencils", std::to_string(parameters.max_stencils),
                               search.explain() + "; or another format");
    }
    return Stencil(matrix.executor(), matrix.size(), {parameters.max_stencils, matrix.num_nonzeros(), search.longest()},
                   search.take_stencils(), first_of(search.ptrs(), search.num_stencils() + 1),
                   first_of(search.offsets(), search.num_entries()), first_of(search.values(), search.num_entries()));
}

template <class V, class I>
size_type Stencil<V, I>::bytes_of_stencils(const Csr<V, I>& matrix, Parameters parameters)
{
    auto search = search_in(matrix, parameters.max_stencils);
    const auto bytes_each = static_cast<size_type>(sizeof(I) + sizeof(V));
    return search.has_stencils() ? search.num_entries() * bytes_each : -1;
}

template <class V, class I>
Array<I> Stencil<V, I>::row_counts() const
{
    Array<I> counts(this->executor(), this->size().rows + 1);
    stencil_count_rows<I>(this->executor(), this->size().rows, stencils_.data(), ptrs_.data(), counts.data());
    return counts;
}

template <class V, class I>
Csr<V, I> Stencil<V, I>::to_csr() const
{
    const auto& exec = this->executor();
    auto row_ptrs = row_counts();
    const auto nnz = detail::make_row_ptrs(row_ptrs, "the matrix");
    Array<I> col_idxs(exec, nnz);
    Array<V> values(exec, nnz);
    stencil_expand<V, I>(exec, view(), row_ptrs.data(), col_idxs.data(), values.data());
    return Csr<V, I>(exec, this->size(), std::move(row_ptrs), std::move(col_idxs), std::move(values));
}

template <class V, class I>
Stencil<V, I> Stencil<V, I>::copy(const Executor& exec) const
{
    return Stencil(exec, this->size(), facts_, stencils_.clone(exec), ptrs_.clone(exec), offsets_.clone(exec),
                   values_.clone(exec));
}

template <class V, class I>
void Stencil<V, I>::apply_impl(Scalar<V> alpha, const Dense<V>& b, Scalar<V> beta, Dense<V>& x) const
{
    stencil_spmv<V, I>(this->executor(), view(), alpha, b.view(), beta, x.view());
}

template <class V, class I>
void Stencil<V, I>::apply_dot_impl(const Dense<V>& b, Dense<V>& x, const DotRequest<V>& dots) const
{
    stencil_spmv_dot<V, I>(this->executor(), view(), b.view(), x.view(), dots.w.view(), dots.wx, dots.xx,
                           dots.workspace);
}

}  // namespace linden
