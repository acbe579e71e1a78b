#pragma once

#include "gpu/matrix/nnz_split_rows.cuh"
#include "gpu/vector/store_row.cuh"

/// Products that share a matrix's nonzeros out in equal splits, one to a block, so that rows may be of any length.
///
/// The first nonzero of each row is marked; a thread adds neighbouring nonzeros up row by row, and a segmented prefix
/// sum over the block's threads tells it what the threads before it have of the row that it begins with. Rows that go
/// on over the end of a split leave their parts in the workspace, and a second kernel adds these in order.
/// [BellGarland09, 4.4; deterministic here, without atomics]
namespace linden::LINDEN_GPU_NAMESPACE {

/// The parts of rows that go on over the ends of splits: of the row that a split begins with and of that which it ends
/// with.
template <class V>
struct SplitParts {
    V* values;
    size_type num_splits;

    __device__ V& first(size_type split, size_type col) const { return values[2 * col * num_splits + split]; }
    __device__ V& last(size_type split, size_type col) const { return values[(2 * col + 1) * num_splits + split]; }
};

namespace detail {

/// What threads have of the row that is open at the end of their items, and which that is; row < 0 if it was open
/// before them.
template <class V, class I>
struct OpenRow {
    V sum;
    I row;

    friend __device__ OpenRow operator+(OpenRow a, OpenRow b)
    {
        return {b.row >= 0 ? b.sum : a.sum + b.sum, b.row >= 0 ? b.row : a.row};
    }
};

/// What all threads before this one in the block have. Contains two barriers.
template <class V, class I>
__device__ inline OpenRow<V, I> open_before(OpenRow<V, I> mine)
{
    using Group = Subgroup<32>;
    LINDEN_SHARED(groups, OpenRow<V, I>[split_threads / 32]);
    OpenRow<V, I> inclusive = mine;
    LINDEN_UNROLL
    for (int distance = 1; distance < 32; distance *= 2) {
        const OpenRow<V, I> other = Group::shuffle_up(inclusive, distance);
        inclusive = Group::lane() >= distance ? other + inclusive : inclusive;
    }
    const OpenRow<V, I> neighbour = Group::shuffle_up(inclusive, 1);
    block_barrier();
    if (Group::lane() == 31) {
        groups[thread_id() / 32] = inclusive;
    }
    block_barrier();
    // Every group adds up the groups for itself.
    OpenRow<V, I> before = Group::lane() < split_threads / 32 ? groups[Group::lane()] : OpenRow<V, I>{V{}, I{-1}};
    LINDEN_UNROLL
    for (int distance = 1; distance < split_threads / 32; distance *= 2) {
        const OpenRow<V, I> other = Group::shuffle_up(before, distance);
        before = Group::lane() >= distance ? other + before : before;
    }
    const int group = thread_id() / 32;
    before = Group::shuffle(before, group > 0 ? group - 1 : 0);
    before = group > 0 ? before : OpenRow<V, I>{V{}, I{-1}};
    return Group::lane() == 0 ? before : before + neighbour;
}

/// A thread's items of one column: their products, where rows begin, and whom to tell of a row's sum.
template <class V, class I>
struct SplitItems {
    const V* products;
    const I* marks;
    int count;

    __device__ int begin() const { return thread_id() * split_items < count ? thread_id() * split_items : count; }
    __device__ int end() const { return begin() + split_items < count ? begin() + split_items : count; }
    __device__ bool ends_row(int i) const { return i + 1 == count || marks[padded(i + 1)] >= 0; }

    __device__ OpenRow<V, I> open_row() const
    {
        OpenRow<V, I> open{V{}, I{-1}};
        for (int i = begin(); i < end(); ++i) {
            open = open + OpenRow<V, I>{products[padded(i)], marks[padded(i)]};
        }
        return open;
    }
    /// Calls consume(row, sum, whether it is the last of the split) for each row that ends among the items.
    template <class Consume>
    __device__ void for_each_row(OpenRow<V, I> open, Consume consume) const
    {
        for (int i = begin(); i < end(); ++i) {
            open = open + OpenRow<V, I>{products[padded(i)], marks[padded(i)]};
            if (ends_row(i)) {
                consume(open.row, open.sum, i + 1 == count);
            }
        }
    }
};

}  // namespace detail

/// x := alpha A b + beta x but for rows that go on over the ends of splits, whose parts go to `parts`.
template <class V, class I, class Rows>
__global__ void __launch_bounds__(split_threads, (split_blocks<V, I>))
    multiply_splits(Rows rows, size_type num_nonzeros, const I* col_idxs, const V* values, DenseView<const V> b,
                    StoreRow<V> store, SplitParts<V> parts)
{
    wait_for_previous_kernel();
    V* const products = dynamic_shared<V>();
    I* const marks = reinterpret_cast<I*>(products + padded_split);
    const size_type split = block_id();
    const size_type begin = split * split_nonzeros;
    const int count = static_cast<int>(num_nonzeros - begin < split_nonzeros ? num_nonzeros - begin : split_nonzeros);
    V mine[split_items];
    I cols[split_items];
    LINDEN_UNROLL
    for (int i = 0; i < split_items; ++i) {
        const int at = thread_id() + i * split_threads;
        mine[i] = at < count ? load_streaming(values + begin + at) : V{};
        cols[i] = at < count ? load_streaming(col_idxs + begin + at) : I{};
        marks[padded(at)] = I{-1};
    }
    const I first_row = rows.first_row(split);
    V gathered[split_items];
    const auto gather = [&](size_type col) {
        LINDEN_UNROLL
        for (int i = 0; i < split_items; ++i) {
            gathered[i] = thread_id() + i * split_threads < count ? b(cols[i], col) : V{};
        }
    };
    gather(0);  // on its way while the rows are marked
    block_barrier();
    rows.mark(split, begin, count, marks, [&](I row) {
        for (size_type col = 0; col < store.x.cols; ++col) {
            store(row, col, V{});
        }
    });
    const bool begins_before = rows.begins_before(first_row, begin);
    for (size_type col = 0; col < store.x.cols; ++col) {
        LINDEN_UNROLL
        for (int i = 0; i < split_items; ++i) {
            products[padded(thread_id() + i * split_threads)] = mine[i] * gathered[i];
        }
        block_barrier();
        if (col + 1 < store.x.cols) {
            gather(col + 1);
        }
        const detail::SplitItems<V, I> items{products, marks, count};
        const auto before = detail::open_before(items.open_row());
        items.for_each_row(before, [&](I row, V sum, bool is_last) {
            if (begins_before && row == first_row) {
                parts.first(split, col) = sum;
            } else if (is_last && rows.ends_after(row, begin + count)) {
                parts.last(split, col) = sum;
            } else {
                store(row, col, sum);
            }
        });
        block_barrier();
    }
    let_next_kernel_begin();
}

/// x := alpha (sum of the parts) + beta x for rows that go on over the ends of splits: 32 lanes to the split that such
/// a row begins in.
template <class V, class Rows>
__global__ void __launch_bounds__(split_threads) add_split_parts(Rows rows, StoreRow<V> store, SplitParts<V> parts)
{
    using Group = Subgroup<32>;
    constexpr int in_flight = 8;
    const size_type split = Group::index();
    if (split + 1 >= parts.num_splits) {
        return;
    }
    const auto row = rows.first_row(split + 1);
    const bool begins_here = rows.begins_before(row, (split + 1) * split_nonzeros) &&
                             !(rows.first_row(split) == row && rows.begins_before(row, split * split_nonzeros));
    const size_type last = begins_here ? rows.last_split(row, split, parts.num_splits) : split;
    wait_for_previous_kernel();
    if (!begins_here) {
        return;
    }
    for (size_type col = 0; col < store.x.cols; ++col) {
        V sum = Group::lane() == 0 ? parts.last(split, col) : V{};
        for (size_type base = split + 1; base <= last; base += in_flight * Group::size) {
            V loaded[in_flight];
            LINDEN_UNROLL
            for (int i = 0; i < in_flight; ++i) {
                const size_type at = base + i * Group::size + Group::lane();
                loaded[i] = at <= last ? parts.first(at, col) : V{};
            }
            LINDEN_UNROLL
            for (int i = 0; i < in_flight; ++i) {
                sum += loaded[i];
            }
        }
        sum = Group::sum(sum);
        if (Group::lane() == 0) {
            store(row, col, sum);
        }
    }
}

/// Adds the parts of rows that go on over the ends of splits, which the kernel before it left.
template <class V, class Rows>
void add_parts_of_splits(const Executor& exec, Rows rows, StoreRow<V> store, SplitParts<V> parts)
{
    if (parts.num_splits > 1) {
        launch_overlapped_on(exec, add_split_parts<V, Rows>, blocks_for(parts.num_splits, split_threads / 32),
                             split_threads, 0, rows, store, parts);
    }
}

/// x := alpha A b + beta x but for empty rows that `rows` does not know.
template <class V, class I, class Rows>
void multiply_nnz_split(const Executor& exec, Rows rows, size_type num_nonzeros, const I* col_idxs, const V* values,
                        DenseView<const V> b, StoreRow<V> store, WorkspaceView workspace)
{
    const size_type splits = num_splits(num_nonzeros);
    if (splits == 0 || store.x.cols == 0) {
        return;
    }
    const SplitParts<V> parts{reinterpret_cast<V*>(workspace.data), splits};
    constexpr size_type shared_bytes = padded_split * static_cast<size_type>(sizeof(V) + sizeof(I));
    launch_overlapped_on(exec, multiply_splits<V, I, Rows>, splits, split_threads, shared_bytes, rows, num_nonzeros,
                         col_idxs, values, b, store, parts);
    add_parts_of_splits(exec, rows, store, parts);
}

}  // namespace linden::LINDEN_GPU_NAMESPACE
