#pragma once

#include "core/kernels/chunks.hpp"
#include "gpu/columns.cuh"

/// Products that share a matrix's nonzeros out in equal chunks, one to a block, so that rows may be of any length.
///
/// A thread adds neighbouring nonzeros up row by row; a segmented prefix sum over the block's threads tells it what the
/// threads before it have of the row that it begins with. Rows that go on over the end of a chunk leave their parts in
/// the workspace, and a second kernel adds these in order. [BellGarland09, 4.4; deterministic here, without atomics]
///
/// `Rows` says in which row a nonzero is:
///     I first_row(c)                  of chunk c
///     void find(c, begin, count, ids) ids[padded(i)] := row of nonzero begin + i, i < count; all threads of the block
///     bool begins_before(row, k)      whether `row` has nonzeros before k
///     bool ends_after(row, k)         whether it has nonzeros from k on
namespace linden::LINDEN_GPU_NAMESPACE {

#if defined(LINDEN_HIP_PLATFORM_HOST)  // where every work-item takes its time from the others
inline constexpr int chunk_threads = 64;
#else
inline constexpr int chunk_threads = 256;
#endif
/// Neighbouring nonzeros of a thread.
inline constexpr int chunk_items = static_cast<int>(chunk_nonzeros) / chunk_threads;

/// A place in shared memory for item i, such that neighbouring threads' items lie in different banks.
__device__ inline int padded(int i) { return i + i / chunk_items; }
inline constexpr int padded_chunk = static_cast<int>(chunk_nonzeros) + chunk_threads;

template <class I>
struct CooRows {
    size_type num_nonzeros;
    const I* row_idxs;

    __device__ I first_row(size_type chunk) const { return row_idxs[chunk * chunk_nonzeros]; }
    __device__ void find(size_type, size_type begin, int count, I* ids) const
    {
        for (int i = thread_id(); i < count; i += chunk_threads) {
            ids[padded(i)] = load_streaming(row_idxs + begin + i);
        }
    }
    __device__ bool begins_before(I row, size_type k) const { return k > 0 && row_idxs[k - 1] == row; }
    __device__ bool ends_after(I row, size_type k) const { return k < num_nonzeros && row_idxs[k] == row; }
};

/// The row of nonzero k, which lies in [low, high].
template <class I>
__device__ inline I row_of(const I* row_ptrs, size_type k, I low, I high)
{
    while (low < high) {
        const I middle = high - (high - low) / 2;
        if (row_ptrs[middle] <= k) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    return low;
}

template <class I>
struct CsrRows {
    size_type rows;
    size_type num_nonzeros;
    const I* row_ptrs;
    const I* chunk_rows;

    __device__ I first_row(size_type chunk) const { return chunk_rows[chunk]; }
    __device__ void find(size_type chunk, size_type begin, int count, I* ids) const
    {
        const int first = thread_id() * chunk_items;
        if (first >= count) {
            return;
        }
        const I last_row = begin + count < num_nonzeros ? chunk_rows[chunk + 1] : static_cast<I>(rows - 1);
        I row = row_of(row_ptrs, begin + first, chunk_rows[chunk], last_row);
        for (int i = first; i < first + chunk_items && i < count; ++i) {
            if (row_ptrs[row + 1] <= begin + i) {
                // Mostly the next row, unless that is empty.
                ++row;
                row = row_ptrs[row + 1] <= begin + i ? row_of(row_ptrs, begin + i, row, last_row) : row;
            }
            ids[padded(i)] = row;
        }
    }
    __device__ bool begins_before(I row, size_type k) const { return row_ptrs[row] < k; }
    __device__ bool ends_after(I row, size_type k) const { return row_ptrs[row + 1] > k; }
};

/// The parts of rows that go on over the ends of chunks: of the row that a chunk begins with and of that which it ends
/// with.
template <class V>
struct ChunkParts {
    V* values;
    size_type num_chunks;

    __device__ V& first(size_type chunk, size_type col) const { return values[2 * col * num_chunks + chunk]; }
    __device__ V& last(size_type chunk, size_type col) const { return values[(2 * col + 1) * num_chunks + chunk]; }
};

namespace detail {

/// What threads have of the row that is open at the end of their items. `closed`: another row was open at their begin.
template <class V>
struct OpenRow {
    V sum;
    bool closed;

    friend __device__ OpenRow operator+(OpenRow a, OpenRow b)
    {
        return {b.closed ? b.sum : a.sum + b.sum, a.closed || b.closed};
    }
};

/// The sum of all threads before this one in the block. Contains two barriers.
template <class V>
__device__ inline V open_before(OpenRow<V> mine)
{
    using Group = Subgroup<32>;
    LINDEN_SHARED(groups, OpenRow<V>[chunk_threads / 32]);
    OpenRow<V> inclusive = mine;
    LINDEN_UNROLL
    for (int distance = 1; distance < 32; distance *= 2) {
        const OpenRow<V> other = Group::shuffle_up(inclusive, distance);
        inclusive = Group::lane() >= distance ? other + inclusive : inclusive;
    }
    const OpenRow<V> neighbour = Group::shuffle_up(inclusive, 1);
    block_barrier();
    if (Group::lane() == 31) {
        groups[thread_id() / 32] = inclusive;
    }
    block_barrier();
    OpenRow<V> before{};
    for (int i = 0; i < thread_id() / 32; ++i) {
        before = before + groups[i];
    }
    return Group::lane() == 0 ? before.sum : (before + neighbour).sum;
}

/// A thread's items of one column: their products and rows, and whom to tell of a row's sum.
template <class V, class I>
struct ChunkItems {
    const V* products;
    const I* ids;
    int count;

    __device__ int begin() const { return thread_id() * chunk_items < count ? thread_id() * chunk_items : count; }
    __device__ int end() const { return begin() + chunk_items < count ? begin() + chunk_items : count; }
    __device__ bool begins_row(int i) const { return i == 0 || ids[padded(i)] != ids[padded(i - 1)]; }
    __device__ bool ends_row(int i) const { return i + 1 == count || ids[padded(i)] != ids[padded(i + 1)]; }

    __device__ OpenRow<V> open_row() const
    {
        OpenRow<V> open{};
        for (int i = begin(); i < end(); ++i) {
            open = open + OpenRow<V>{products[padded(i)], begins_row(i)};
        }
        return open;
    }
    /// Calls consume(row, sum) for each row that ends among the items.
    template <class Consume>
    __device__ void for_each_row(V sum, Consume consume) const
    {
        for (int i = begin(); i < end(); ++i) {
            sum = begins_row(i) ? products[padded(i)] : sum + products[padded(i)];
            if (ends_row(i)) {
                consume(ids[padded(i)], sum);
            }
        }
    }
};

}  // namespace detail

/// x := x + alpha A b but for rows that go on over the ends of chunks, whose parts go to `parts`.
template <class V, class I, class Rows>
__global__ void __launch_bounds__(chunk_threads, 2)
    multiply_chunks(Rows rows, size_type num_nonzeros, const I* col_idxs, const V* values, Scalar<V> alpha,
                    DenseView<const V> b, DenseView<V> x, ChunkParts<V> parts)
{
    V* const products = dynamic_shared<V>();
    I* const ids = reinterpret_cast<I*>(products + padded_chunk);
    const size_type chunk = block_id();
    const size_type begin = chunk * chunk_nonzeros;
    const int count = static_cast<int>(num_nonzeros - begin < chunk_nonzeros ? num_nonzeros - begin : chunk_nonzeros);
    V mine[chunk_items];
    I cols[chunk_items];
    LINDEN_UNROLL
    for (int i = 0; i < chunk_items; ++i) {
        const int at = thread_id() + i * chunk_threads;
        mine[i] = at < count ? load_streaming(values + begin + at) : V{};
        cols[i] = at < count ? load_streaming(col_idxs + begin + at) : I{};
    }
    rows.find(chunk, begin, count, ids);
    block_barrier();
    const I first_row = ids[0];
    const I last_row = ids[padded(count - 1)];
    const bool begins_before = rows.begins_before(first_row, begin);
    const bool ends_after = rows.ends_after(last_row, begin + count);
    for (size_type col = 0; col < x.cols; ++col) {
        LINDEN_UNROLL
        for (int i = 0; i < chunk_items; ++i) {
            const int at = thread_id() + i * chunk_threads;
            if (at < count) {
                products[padded(at)] = mine[i] * b(cols[i], col);
            }
        }
        block_barrier();
        const detail::ChunkItems<V, I> items{products, ids, count};
        const V before = detail::open_before(items.open_row());
        items.for_each_row(before, [&](I row, V sum) {
            if (begins_before && row == first_row) {
                parts.first(chunk, col) = sum;
            } else if (ends_after && row == last_row) {
                parts.last(chunk, col) = sum;
            } else {
                x(row, col) += alpha[col] * sum;
            }
        });
        block_barrier();
    }
}

/// x := x + alpha (sum of the parts) for rows that go on over the ends of chunks: 32 lanes to the chunk that such a row
/// begins in.
template <class V, class Rows>
__global__ void __launch_bounds__(chunk_threads)
    add_chunk_parts(Rows rows, Scalar<V> alpha, DenseView<V> x, ChunkParts<V> parts)
{
    using Group = Subgroup<32>;
    const size_type chunk = Group::index();
    if (chunk + 1 >= parts.num_chunks) {
        return;
    }
    const auto row = rows.first_row(chunk + 1);
    const size_type end = (chunk + 1) * chunk_nonzeros;
    const bool begins_here = rows.begins_before(row, end) &&
                             !(rows.first_row(chunk) == row && rows.begins_before(row, chunk * chunk_nonzeros));
    if (!begins_here) {
        return;
    }
    for (size_type col = 0; col < x.cols; ++col) {
        V sum = Group::lane() == 0 ? parts.last(chunk, col) : V{};
        for (size_type base = chunk + 1;; base += Group::size) {
            const size_type next = base + Group::lane();
            const bool goes_on = next < parts.num_chunks && rows.first_row(next) == row;
            sum += goes_on ? parts.first(next, col) : V{};
            if (!Group::all(goes_on)) {
                break;
            }
        }
        sum = Group::sum(sum);
        if (Group::lane() == 0) {
            x(row, col) += alpha[col] * sum;
        }
    }
}

/// x := x + alpha A b
template <class V, class I, class Rows>
void multiply_by_chunks(const Executor& exec, Rows rows, size_type num_nonzeros, const I* col_idxs, const V* values,
                        Scalar<V> alpha, DenseView<const V> b, DenseView<V> x, WorkspaceView workspace)
{
    const size_type chunks = num_chunks(num_nonzeros);
    if (chunks == 0 || x.cols == 0) {
        return;
    }
    const ChunkParts<V> parts{reinterpret_cast<V*>(workspace.data), chunks};
    constexpr size_type shared_bytes = padded_chunk * static_cast<size_type>(sizeof(V) + sizeof(I));
    launch_on(exec, multiply_chunks<V, I, Rows>, chunks, chunk_threads, shared_bytes, rows, num_nonzeros, col_idxs,
              values, alpha, b, x, parts);
    if (chunks > 1) {
        launch_on(exec, add_chunk_parts<V, Rows>, blocks_for(chunks, chunk_threads / 32), chunk_threads, 0, rows, alpha,
                  x, parts);
    }
}

}  // namespace linden::LINDEN_GPU_NAMESPACE
