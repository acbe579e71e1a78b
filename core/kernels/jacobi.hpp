#pragma once

#include <linden/views.hpp>

#include <complex>
#include <type_traits>

#include "core/base/kernel.hpp"
#include "core/base/type_lists.hpp"

/// Kernels of Jacobi and block-Jacobi preconditioners.
namespace linden {

/// d := 1 / d, where an entry 0 turns into 1;  *num_zeros := the number of zeros.  d: n x 1 with any stride.
/// Deterministic. 2 n words.
template <class V>
inline constinit kernel<void(DenseView<V> d, size_type* num_zeros)> jacobi_invert_diagonal{"jacobi::invert_diagonal",
                                                                                           types_of<V>};

/// Diagonals that a matrix is scaled by for one that is better behaved than its own: the sums of magnitudes of rows,
/// for which no eigenvalue of D^-1 A is above 1 if A is Hermitian positive definite [BakerEtAl11], or sum_j |a_ij|^2 /
/// conj(a_ii), for which D^-1 is the nearest diagonal to A^-1 [BrokerGrote02].
enum class RowScale { sum, nearest };

/// d := D^-1 for the diagonal D that `which` says, with the sign or phase of a_ii; 1 where a_ii or the sum is zero, or
/// the result is not finite.  a: n x n, sorted rows; d: n values.
template <class V, class I>
inline constinit kernel<void(CsrView<V, I> a, RowScale which, V* d)> jacobi_row_scales{
    "jacobi::row_scales", types_of<V, I>, {.eps = 32}};

/// d := 1 / sqrt(|d|), where an entry 0 turns into 1;  *num_zeros := the number of zeros.  d: n x 1 with any stride.
/// Deterministic. 2 n words.
template <class V>
inline constinit kernel<void(DenseView<V> d, size_type* num_zeros)> jacobi_inverse_root{"jacobi::inverse_root",
                                                                                        types_of<V>};

/// x := D b, D = diag(d);  wx[col] := w(:, col)^H x(:, col);  xx[col] := x(:, col)^H x(:, col) unless xx is null.
/// d: n x 1; b, x, w: n x k; w may be b.  (3 k + 1) n words, 2 k + 1 where w is b.
/// Deterministic. Workspace: reduction_workspace_bytes<V>(2 k).
template <class V>
inline constinit kernel<void(DenseView<const V> d, DenseView<const V> b, DenseView<V> x, DenseView<const V> w, V* wx,
                             V* xx, WorkspaceView workspace)>
    jacobi_apply_dot{"jacobi::apply_dot", types_of<V>};

/// The most rows of a diagonal block: a block and its right-hand side fit into a subgroup's registers.
inline constexpr size_type max_jacobi_block_size = 32;
/// So many values behind the last block may be read (not used), so that short columns need no special loops.
inline constexpr size_type jacobi_block_padding = 16;

/// Diagonal blocks of a matrix, or their inverses. Block b has the s rows from block_ptrs[b] to block_ptrs[b + 1]; its
/// s^2 values are contiguous, column after column, from value_ptrs[b] = sum of s^2 over the blocks before. So a
/// subgroup with one row per lane reads a column at once, and an application reads the values as one stream.
template <class S>
struct DiagonalBlocksView {
    size_type num_blocks = 0;
    size_type max_size = 0;                 ///< no block has more rows; at most max_jacobi_block_size
    const size_type* block_ptrs = nullptr;  ///< num_blocks + 1
    const size_type* value_ptrs = nullptr;  ///< num_blocks + 1
    S* values = nullptr;                    ///< value_ptrs[num_blocks] + jacobi_block_padding

    constexpr operator DiagonalBlocksView<const S>() const requires(!std::is_const_v<S>)
    {
        return {num_blocks, max_size, block_ptrs, value_ptrs, values};
    }
};

/// What the host has to know about diagonal blocks.
struct DiagonalBlockCounts {
    size_type num_blocks = 0;
    size_type num_values = 0;  ///< sum of s^2
    size_type max_size = 0;    ///< of a block
};

/// A byte for each row, to a multiple of what a device reads at a time.
constexpr size_type find_blocks_workspace_bytes(size_type rows) { return (rows + 15) / 16 * 16; }

/// Finds diagonal blocks of at most max_size rows in the pattern of a matrix. Natural blocks are the longest runs of
/// successive rows with the same columns (supervariables), cut after each max_size rows. From the first on, a block
/// takes in natural blocks while it has at most max_size rows. block_ptrs and value_ptrs, as in DiagonalBlocksView,
/// have room for rows + 1; *counts says how much is used. Workspace: find_blocks_workspace_bytes(rows). Deterministic.
/// `agglomerate_blocks` is the sequential part. [AnztEtAl19]
template <class I>
inline constinit kernel<void(PatternView<I> a, size_type max_size, size_type* block_ptrs, size_type* value_ptrs,
                             DiagonalBlockCounts* counts, WorkspaceView workspace)>
    block_jacobi_find_blocks{"block_jacobi::find_blocks", types_of<I>};

/// blocks := the inverses of A's diagonal blocks, in the storage type S.  A: n x n, columns sorted; absent entries are
/// 0. By Gauss-Jordan elimination with partial pivoting in V, as in `invert_block`. A block that this finds singular,
/// or whose inverse is not finite in S, turns into the inverse of its diagonal, with 1 where an entry's is not finite;
/// *num_singular := the number of those blocks.  Deterministic.
template <class V, class S, class I>
inline constinit kernel<void(CsrView<V, I> a, DiagonalBlocksView<S> blocks, size_type* num_singular)>
    block_jacobi_generate{"block_jacobi::generate", types_of<V, S, I>};

/// x := alpha B b + beta x, B block diagonal with these blocks, arithmetic in V.  b, x: n x k.  With beta = 0 the old x
/// is not read.  Bytes: sum of s^2 S + 2 n k V + 16 per block.
template <class V, class S>
inline constinit kernel<void(DiagonalBlocksView<const S> blocks, Scalar<V> alpha, DenseView<const V> b, Scalar<V> beta,
                             DenseView<V> x)>
    block_jacobi_apply{"block_jacobi::apply", types_of<V, S>};

/// x := B b;  wx[col] := w(:, col)^H x(:, col);  xx[col] := x(:, col)^H x(:, col) unless xx is null.
/// b, x, w: n x k; w may be b.  Deterministic. Workspace: reduction_workspace_bytes<V>(2 k).
template <class V, class S>
inline constinit kernel<void(DiagonalBlocksView<const S> blocks, DenseView<const V> b, DenseView<V> x,
                             DenseView<const V> w, V* wx, V* xx, WorkspaceView workspace)>
    block_jacobi_apply_dot{"block_jacobi::apply_dot", types_of<V, S>};

/// V with float in place of double: the other storage type of blocks.
template <class V>
struct SinglePrecision {
    using type = float;
};
template <class R>
struct SinglePrecision<std::complex<R>> {
    using type = std::complex<float>;
};
template <class V>
using single_precision_t = typename SinglePrecision<V>::type;

/// Calls `f.operator()<V, S>()` for every value type V and its storage types S.
template <class F>
void for_each_value_storage(F&& f)
{
    for_each_value([&]<class V>() {
        f.template operator()<V, V>();
        if constexpr (!std::is_same_v<V, single_precision_t<V>>) {
            f.template operator()<V, single_precision_t<V>>();
        }
    });
}

}  // namespace linden
