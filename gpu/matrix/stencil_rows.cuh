#pragma once

#include <linden/views_formats.hpp>

#include <algorithm>

#include "gpu/vector/columns.cuh"

/// Rows of matrices of a few stencils, a thread for each. A thread holds the stencil of its last row: neighbouring
/// rows, and those that are as far apart as a grid's threads, mostly have the same one. Then a row reads its stencil's
/// number and b, and what bounds it is memory.
///
/// A body of this file's kernels has
///     Stored, Index                               S and I
///     StencilView<S, I> a;  const S* values       the entries' values
///     S gather(col)                               b at a column
///     operator()(row, stencil, product)           what becomes of a product; gives a value, where sums are formed
///
/// One whose stencils may not be valid, too:
///     bool are_valid();  S source_product(row)    of the matrix itself; its rows have the number `no_stencil`
namespace linden::LINDEN_GPU_NAMESPACE {

inline constexpr int no_stencil = -1;

template <class Body>
inline constexpr bool has_source = requires(const Body& body)
{
    body.are_valid();
};

/// The product of a row with stencil `stencil`, of any length: entries from left to right.
template <class Body>
__device__ typename Body::Stored long_stencil_product(const Body& body, size_type row, int stencil)
{
    const auto& a = body.a;
    using I = typename Body::Index;
    using S = typename Body::Stored;
    constexpr int N = sizeof(S) > 8 || sizeof(I) > 4 ? 4 : 8;
    const I last = a.ptrs[stencil + 1];
    S sum{};
    for (I first = a.ptrs[stencil]; first < last; first += N) {
        S values[N], gathered[N];
        LINDEN_UNROLL
        for (int i = 0; i < N; ++i) {
            const I k = first + i < last ? first + i : first;
            values[i] = body.values[k];
            gathered[i] = body.gather(static_cast<I>(row) + a.offsets[k]);
        }
        LINDEN_UNROLL
        for (int i = 0; i < N; ++i) {
            if (first + i < last) {
                sum += values[i] * gathered[i];
            }
        }
    }
    return sum;
}

/// A thread's stencil of at most N entries; without N, of any length, and none is held.
template <int N, class S, class I>
struct HeldStencil {
    int number = -1;
    I count = 0;
    I offsets[N];
    S values[N];

    template <class Body>
    __device__ S product(const Body& body, size_type row, int stencil)
    {
        if (stencil != number) {
            load(body, stencil);
        }
        S gathered[N];
        LINDEN_UNROLL
        for (int i = 0; i < N; ++i) {
            gathered[i] = count > 0 ? body.gather(static_cast<I>(row) + offsets[i]) : S{};
        }
        S sum{};
        LINDEN_UNROLL
        for (int i = 0; i < N; ++i) {
            if (i < count) {
                sum += values[i] * gathered[i];
            }
        }
        return sum;
    }

private:
    /// Entries that do not exist repeat the first.
    template <class Body>
    __device__ void load(const Body& body, int stencil)
    {
        number = stencil;
        const I first = body.a.ptrs[stencil];
        count = body.a.ptrs[stencil + 1] - first;
        LINDEN_UNROLL
        for (int i = 0; i < N; ++i) {
            const I k = i < count ? first + i : first;
            offsets[i] = count > 0 ? body.a.offsets[k] : I{};
            values[i] = count > 0 ? body.values[k] : S{};
        }
    }
};
template <class S, class I>
struct HeldStencil<0, S, I> {
    template <class Body>
    __device__ S product(const Body& body, size_type row, int stencil)
    {
        return long_stencil_product(body, row, stencil);
    }
};

/// Calls use(row, stencil, product) for the rows of a thread. The stencil of the next row is on its way meanwhile.
template <int N, class Body, class Use>
__device__ void for_each_stencil_row(const Body& body, const Use& use)
{
    using I = typename Body::Index;
    using S = typename Body::Stored;
    const size_type rows = body.a.rows;
    const auto stencil_of = [&](size_type row) { return row < rows ? int{body.a.stencils[row]} : 0; };
    if constexpr (has_source<Body>) {
        if (!body.are_valid()) {
            for (size_type row = global_id(); row < rows; row += grid_threads()) {
                use(row, no_stencil, body.source_product(row));
            }
            return;
        }
    }
    HeldStencil<N, S, I> held;
    int next = stencil_of(global_id());
    for (size_type row = global_id(); row < rows; row += grid_threads()) {
        const int stencil = next;
        next = stencil_of(row + grid_threads());
        use(row, stencil, held.product(body, row, stencil));
    }
}

template <int min_blocks, int N, class Body>
__global__ void __launch_bounds__(column_block_threads, min_blocks) run_stencils(Body body)
{
    wait_for_previous_kernel();
    let_next_kernel_begin();
    for_each_stencil_row<N>(body, [&](size_type row, int stencil, auto product) { body(row, stencil, product); });
}

/// The same with w^H x and x^H x for the values x that the body gives.
template <int min_blocks, int N, class V, class Body>
__global__ void __launch_bounds__(column_block_threads, min_blocks)
    run_stencils_with_sums(Body body, const V* w, StoreDots<V> finish, detail::Partials<V, 2> partials)
{
    wait_for_previous_kernel();
    V sums[2] = {};
    for_each_stencil_row<N>(body, [&](size_type row, int stencil, auto product) {
        const V other = conj(w[row]);
        const V x = body(row, stencil, product);
        sums[0] += other * x;
        sums[1] += V{abs2(x)};
    });
    let_next_kernel_begin();
    detail::finish_reduction<column_block_threads, Sum>(sums, partials, finish);
}

/// So many blocks fit beside each other, at most `most`: a thread has its stencil and what it gathers in registers.
template <int most, int N, class Body>
constexpr int fitted_stencil_blocks()
{
    using S = typename Body::Stored;
    using I = typename Body::Index;
    constexpr auto words = static_cast<int>((N == 0 ? 7 : N) * (2 * sizeof(S) + sizeof(I)) / 4);
    return std::min(most, sizeof(S) > 8 ? 2 : words < 36 ? 4 : 3);
}

/// Calls f.operator()<N>() with what holds stencils of so many entries, 0 for more than a thread holds.
template <class F>
void with_held_entries(size_type longest, const F& f)
{
    if (longest <= 5) {
        f.template operator()<5>();
    } else if (longest <= 7) {
        f.template operator()<7>();
    } else if (longest <= 9) {
        f.template operator()<9>();
    } else {
        f.template operator()<0>();
    }
}

/// At most so many blocks, which share the rows evenly.
inline size_type stencil_blocks(size_type rows, size_type most)
{
    const size_type blocks = blocks_for(rows, column_block_threads);
    const size_type rounds = std::max<size_type>(1, (blocks + most - 1) / most);
    return std::max<size_type>(1, (blocks + rounds - 1) / rounds);
}

/// For one contiguous column of vectors, in at most `most_blocks` blocks for each multiprocessor.
template <int most_blocks, class Body>
void run_stencil_rows(const Executor& exec, const Body& body)
{
    with_held_entries(body.a.longest, [&]<int N>() {
        constexpr int min_blocks = fitted_stencil_blocks<most_blocks, N, Body>();
        const size_type most = static_cast<size_type>(gpu(exec).num_multiprocessors()) * min_blocks;
        launch_overlapped_on(exec, run_stencils<min_blocks, N, Body>, stencil_blocks(body.a.rows, most),
                             column_block_threads, 0, body);
    });
}

/// The same with inner products of what the body gives.
template <int most_blocks, class V, class Body>
void run_stencil_rows_with_sums(const Executor& exec, const Body& body, const V* w, const StoreDots<V>& finish,
                                WorkspaceView workspace)
{
    with_held_entries(body.a.longest, [&]<int N>() {
        constexpr int min_blocks = fitted_stencil_blocks<most_blocks, N, Body>();
        const size_type multiprocessors = gpu(exec).num_multiprocessors();
        const auto most = detail::fitted<V, 2>({1, multiprocessors * min_blocks}, 1, workspace).grid.x;
        launch_overlapped_on(exec, run_stencils_with_sums<min_blocks, N, V, Body>, stencil_blocks(body.a.rows, most),
                             column_block_threads, 0, body, w, finish, detail::partials_in<V, 2>(workspace));
    });
    detail::finish_over_ranks<Sum, V, 2>(exec, workspace, 1, finish);
}

template <class V, class I>
StencilView<device_type<V>, I> as_device(const StencilView<V, I>& a)
{
    return {a.rows,     a.cols, a.num_nonzeros, a.num_stencils,     a.longest,
            a.stencils, a.ptrs, a.offsets,      as_device(a.values)};
}

}  // namespace linden::LINDEN_GPU_NAMESPACE
