#pragma once

#include <linden/matrix/csr.hpp>
#include <linden/matrix/permutation.hpp>
#include <linden/reordered.hpp>

#include <memory>
#include <utility>
#include <vector>

#include "core/colouring/colouring.hpp"
#include "core/kernels/array.hpp"
#include "core/kernels/csr.hpp"
#include "core/kernels/dense.hpp"
#include "core/matrix/inverse_diagonal.hpp"
#include "core/matrix/pattern_operations.hpp"

/// Matrices in colour ordering.
namespace linden::detail {

/// The colour ordering of a matrix, and the permuted matrix.
template <class V, class I>
struct ColouredMatrix {
    /// Uses a colouring of the pattern `coloured`.
    ColouredMatrix(const Csr<V, I>& a, PatternView<I> coloured, const ColouringOptions& options)
        : order(a.executor(), colour_pattern(a.executor(), coloured, options)),
          source(a.executor())
    {
        const auto& exec = a.executor();
        if (options.block_rows == 1) {
            sort_rows(exec, coloured, order);
        }
        auto pattern = permuted_pattern<I>(exec, a.view(), order.order.data(), order.position.data());
        source = std::move(pattern.source);
        matrix = std::make_shared<Csr<V, I>>(exec, a.size(), std::move(pattern.row_ptrs), std::move(pattern.col_idxs),
                                             Array<V>(exec, source.size()));
        update(a);
    }
    void update(const Csr<V, I>& a)
    {
        array_gather<V, V, I>(a.executor(), source.size(), source.data(), a.values(), matrix->values(), Conjugate::no);
    }

    size_type num_colours() const { return static_cast<size_type>(order.colour_ptrs.size()) - 1; }
    std::vector<size_type> colour_sizes() const
    {
        std::vector<size_type> sizes;
        for (std::size_t c = 0; c + 1 < order.colour_ptrs.size(); ++c) {
            sizes.push_back(order.colour_ptrs[c + 1] - order.colour_ptrs[c]);
        }
        return sizes;
    }
    /// The permuted system without a preconditioner.
    ReorderedSystem<V> system() const
    {
        const auto to = std::make_shared<Permutation<V, I>>(matrix->executor(), order.order.clone());
        return {to, std::make_shared<Permutation<V, I>>(to->inverse()), matrix, nullptr};
    }

    ColourOrder<I> order;
    Array<I> source;
    std::shared_ptr<Csr<V, I>> matrix;
};

/// The diagonal of a matrix, and its inverse with 1 in place of 1 / 0.
template <class V, class I>
struct InvertedDiagonal {
    InvertedDiagonal(const Executor& exec, size_type rows)
        : diagonal(exec, rows),
          inverse(exec, rows),
          num_zeros(exec, 1)
    {
    }
    void update(const Csr<V, I>& a)
    {
        csr_extract_diagonal<V, I>(a.executor(), a.view(), {diagonal.size(), 1, 1, diagonal.data()});
        invert_diagonal(a, inverse.data(), num_zeros.data());
    }

    Array<V> diagonal, inverse;
    Array<size_type> num_zeros;
};

/// result := alpha values, of as many.
template <class V>
void scale(V alpha, const Array<V>& values, Array<V>& result)
{
    const DenseView<const V> source{values.size(), 1, 1, values.data()};
    dense_axpby<V>(values.executor(), alpha, source, V{}, {values.size(), 1, 1, result.data()});
}

}  // namespace linden::detail
