#include "core/deflation/galerkin_solver.hpp"

#include <algorithm>
#include <limits>

#include "core/deflation/galerkin.hpp"
#include "core/deflation/nested_dissection.hpp"
#include "core/kernels/deflation_setup.hpp"
#include "core/kernels/dense.hpp"
#include "core/matrix/pattern_copy.hpp"

// instantiate: class detail::GalerkinSolver<V>
// instantiate: void detail::GalerkinSolver<V>::factorize<I>(const Csr<V, I>&, const Csr<V, I>&, detail::KeptMemory&)

namespace linden::detail {
namespace {

template <class V, class I>
GalerkinPattern galerkin_pattern(const Csr<V, I>& a)
{
    const PatternCopy<I> on_host(a.executor(), a.view());
    return {{on_host.row_ptrs.begin(), on_host.row_ptrs.end()}, {on_host.col_idxs.begin(), on_host.col_idxs.end()}};
}

template <class V, class I>
Dense<V> as_dense(const Csr<V, I>& a, KeptMemory& memory)
{
    auto block = memory.dense<V>(a.size());
    a.executor().state().fill_zero(block.data(), static_cast<std::size_t>(a.size().rows * a.size().cols) * sizeof(V));
    deflation_spread<V, I>(a.executor(), a.view(), a.values(), block.data());
    return block;
}

}  // namespace

template <class V>
GalerkinSolver<V>::GalerkinSolver(const Executor& exec, size_type num_vectors, CoarseSolve how)
    : how_(how),
      matrix_(exec, {num_vectors, num_vectors}),
      separators_(num_vectors),
      order_(exec),
      ranges_(exec)
{
}

template <class V>
void GalerkinSolver<V>::factorize(const Dense<V>& e, const Array<real_t<V>>& scales, KeptMemory& memory)
{
    eliminate(e, scales, galerkin_part(0, size()), memory);
}

template <class V>
template <class I>
void GalerkinSolver<V>::factorize(const Csr<V, I>& e, const Csr<V, I>& magnitudes, KeptMemory& memory)
{
    if (how_ == CoarseSolve::nested_dissection && nested_dissection_may_pay(size(), e.num_nonzeros())) {
        const auto dissection = dissect(galerkin_pattern(e));
        if (dissection.num_parts() > 1) {
            factorize_dissected(e, magnitudes, dissection, memory);
            return;
        }
    }
    factorize(as_dense(e, memory), real_diagonal(magnitudes, memory), memory);
}

template <class V>
template <class I>
void GalerkinSolver<V>::factorize_dissected(const Csr<V, I>& e, const Csr<V, I>& magnitudes,
                                            const NestedDissection& dissection, KeptMemory& memory)
{
    std::vector<I> rows(dissection.order.begin(), dissection.order.end()), labels(rows.size());
    for (std::size_t position = 0; position < rows.size(); ++position) {
        labels[static_cast<std::size_t>(rows[position])] = static_cast<I>(position);
    }
    auto p = memory.array<I>(size()), label = memory.array<I>(size());
    p.copy_from_host(rows.data());
    label.copy_from_host(labels.data());
    auto part_ptrs = memory.array<std::int32_t>(dissection.num_parts() + 1);
    part_ptrs.copy_from_host(dissection.part_ptrs.data());
    order_.resize(size());
    ranges_.resize(size());
    eliminate(as_dense(rearranged<V, I>(e, p.data(), label.data(), memory), memory),
              real_diagonal(rearranged<V, I>(magnitudes, p.data(), label.data(), memory), memory),
              {dissection.num_parts(), part_ptrs.data(), 0, dissection.separators(), dissection.longest_part()},
              memory);
    order_.copy_from_host(dissection.order.data());
    ranges_.copy_from_host(dissection.ranges.data());
}

template <class V>
void GalerkinSolver<V>::eliminate(const Dense<V>& e, const Array<real_t<V>>& scales, const GalerkinPartition& parts,
                                  KeptMemory& memory)
{
    const auto& exec = matrix_.executor();
    const size_type k = size();
    const auto separators = galerkin_part(parts.separators, k);
    auto values = memory.array<wide_t<V>>(k * k);
    auto is_kept = memory.array<std::int32_t>(k);
    auto workspace = memory.array<std::byte>(
        std::max(galerkin_workspace_bytes<V>(k, parts), galerkin_workspace_bytes<V>(k, separators)));
    const double eps = std::numeric_limits<real_t<V>>::epsilon();
    const GalerkinView<V> view{k, values.data(), scales.data(), is_kept.data(), 8 * eps * static_cast<double>(k)};

    const auto run = [&](const GalerkinPartition& rows, Elimination how) {
        for (size_type first = 0; first < rows.longest; first += galerkin_block_rows) {
            galerkin_gauss_jordan<V>(exec, view, rows, first, how, {workspace.data(), workspace.size()});
        }
    };
    galerkin_widen<V>(exec, k * k, e.data(), values.data());
    run(parts, how_ == CoarseSolve::cholesky ? Elimination::factors : Elimination::inverse);
    run(separators, Elimination::trailing);
    galerkin_round<V>(exec, k * k, k, values.data(), is_kept.data(), matrix_.data());
    separators_ = parts.separators;
    const auto kept = is_kept.to_host();
    num_dropped_ = std::count(kept.begin(), kept.end(), 0);
}

template <class V>
void GalerkinSolver<V>::apply(const Dense<V>& b, V* t, Dense<V>& x) const
{
    const auto& exec = matrix_.executor();
    if (how_ == CoarseSolve::cholesky) {
        galerkin_substitute<V>(exec, matrix_.data(), b.view(), x.view());
    } else if (separators_ == size()) {
        matrix_.apply(b, x);
    } else {
        const NestedDissectionView<V> view{size(), separators_, matrix_.data(), order_.data(), ranges_.data()};
        const DenseView<V> sums{num_separators(), b.size().cols, b.size().cols, t};
        nested_dissection_gather<V>(exec, view, b.view(), sums);
        nested_dissection_expand<V>(exec, view, b.view(), {sums.rows, sums.cols, sums.stride, t}, x.view());
    }
}

}  // namespace linden::detail
