#include "core/kernels/exchange.hpp"

#include "gpu/vector/columns.cuh"

namespace linden::LINDEN_GPU_NAMESPACE {
namespace {

/// Threads that share a row at the rim.
constexpr int rim_lanes = 4;
constexpr int rim_blocks_per_multiprocessor = 4;

/// The number of this product. It is the last one's until the rim has been done.
__device__ inline std::uint32_t product_number(const PeerHalo& halo) { return *halo.number + 1; }

template <class V, class I>
__global__ void __launch_bounds__(column_block_threads, column_blocks_per_multiprocessor)
    send_kernel(const I* rows, DenseView<const V> b, PeerHalo halo)
{
    let_next_kernel_begin();
    wait_for_previous_kernel();
    const std::uint32_t number = product_number(halo);
    if (thread_id() < halo.num_sends) {  // has the receiver read what lies there?
        const int n = thread_id();
        wait_for_rank(halo.group, halo.send_ranks[n],
                      [&] { return has_reached(load_system_acquire(halo.acknowledged[n]), number - 2); });
    }
    block_barrier();
    const size_type num_values = halo.send_first[halo.num_sends] * b.cols;
    for (size_type i = global_id(); i < num_values; i += grid_threads()) {
        const size_type row = i / b.cols;
        int n = 0;
        while (row >= halo.send_first[n + 1]) {
            ++n;
        }
        V* const target = reinterpret_cast<V*>(halo.targets[n] + (number % 2) * halo.target_strides[n]);
        target[i - halo.send_first[n] * b.cols] = b(rows[row], i % b.cols);
    }
    system_fence();
    block_barrier();
    if (detail::is_last_block(halo.num_blocks)) {
        system_fence();
        if (thread_id() < halo.num_sends) {
            store_system_release(halo.arrived_there[thread_id()], number);
        }
        if (thread_id() == 0) {
            halo.group.counts[2] += static_cast<std::uint64_t>(num_values) * sizeof(V);
        }
    }
}

/// Waits for the ghosts of this product. All threads of the block; returns where they are.
template <class V>
__device__ inline const V* await_ghosts(const GhostView<V>& ghosts)
{
    const PeerHalo& halo = ghosts.halo;
    if (halo.group.size == 0) {
        return ghosts.values.values;
    }
    const std::uint32_t number = product_number(halo);
    if (thread_id() < halo.num_receives) {
        const int n = thread_id();
        wait_for_rank(halo.group, halo.receive_ranks[n],
                      [&] { return has_reached(load_system_acquire(halo.arrived[n]), number); });
    }
    block_barrier();
    const auto* const even = reinterpret_cast<const std::byte*>(ghosts.values.values);
    return reinterpret_cast<const V*>(even + (number % 2) * halo.ghost_stride);
}

/// By the last block, when no other reads ghosts any more: their owners may send the next but one.
__device__ inline void acknowledge_ghosts(const PeerHalo& halo)
{
    if (halo.group.size == 0) {
        return;
    }
    const std::uint32_t number = product_number(halo);
    if (thread_id() < halo.num_receives) {
        store_system_release(halo.acknowledged_there[thread_id()], number);
    }
    block_barrier();
    if (thread_id() == 0) {
        *halo.number = number;
        ++halo.group.counts[1];
    }
}

/// (A b)(row, col), in all lanes that share the row.
template <class V, class I>
__device__ inline V row_product(const RimView<V, I>& rim, const V* ghosts, DenseView<const V> b, size_type row,
                                size_type col)
{
    V sum{};
    const I end = rim.row_ptrs[row + 1];
    for (I k = rim.row_ptrs[row] + thread_id() % rim_lanes; k < end; k += rim_lanes) {
        const I c = rim.cols[k];
        sum += rim.values[k] * (c >= 0 ? b(c, col) : ghosts[static_cast<size_type>(-1 - c) * b.cols + col]);
    }
    return Subgroup<rim_lanes>::reduce(sum, Sum{});
}

/// use(row, product) by the first lane of each row at the rim. All lanes of a group go through the same rows.
template <class V, class I, class Use>
__device__ inline void for_each_rim_row(const RimView<V, I>& rim, const V* ghosts, DenseView<const V> b, size_type col,
                                        const Use& use)
{
    for (size_type row = global_id() / rim_lanes; row < rim.num_rows; row += grid_threads() / rim_lanes) {
        const V product = row_product(rim, ghosts, b, row, col);
        if (thread_id() % rim_lanes == 0) {
            use(rim.rows[row], product);
        }
    }
}

template <class V, class I>
__global__ void __launch_bounds__(column_block_threads, column_blocks_per_multiprocessor)
    rim_spmv_kernel(RimView<V, I> rim, GhostView<V> ghosts, Scalar<V> alpha, DenseView<const V> b, DenseView<V> x)
{
    wait_for_previous_kernel();
    const V* const values = await_ghosts(ghosts);
    for (size_type col = 0; col < b.cols; ++col) {
        for_each_rim_row(rim, values, b, col,
                         [&](size_type row, V product) { x(row, col) = x(row, col) + alpha[col] * product; });
    }
    if (ghosts.halo.group.size != 0) {
        block_barrier();
        if (detail::is_last_block(ghosts.halo.num_blocks)) {
            acknowledge_ghosts(ghosts.halo);
        }
    }
}

/// The sums of all rows of this rank; stores them, or leaves them for the sum over ranks.
template <class V>
struct AddInner : FinishNothing {
    const V* inner;
    size_type cols;
    StoreDots<V> store;
    V* left;

    __device__ std::int32_t column(size_type col, const V (&sums)[2], NothingRead) const
    {
        const V both[2] = {inner[col] + sums[0], inner[cols + col] + sums[1]};
        if (left == nullptr) {
            return store.column(col, both, {});
        }
        left[2 * col] = both[0];
        left[2 * col + 1] = both[1];
        return 0;
    }
};

template <class V, class I>
__global__ void __launch_bounds__(column_block_threads, column_blocks_per_multiprocessor)
    rim_spmv_dot_kernel(RimView<V, I> rim, GhostView<V> ghosts, DenseView<const V> b, DenseView<V> x,
                        DenseView<const V> w, AddInner<V> finish, detail::Partials<V, 2> partials)
{
    wait_for_previous_kernel();
    const V* const values = await_ghosts(ghosts);
    for (size_type col = 0; col < b.cols; ++col) {
        V sums[2]{};
        for_each_rim_row(rim, values, b, col, [&](size_type row, V product) {
            x(row, col) = product;
            sums[0] += conj(w(row, col)) * product;
            sums[1] += V{abs2(product)};
        });
        block_reduce<column_block_threads>(sums);
        if (thread_id() == 0) {
            partials.of(col, 0, num_blocks())[block_id()] = sums[0];
            partials.of(col, 1, num_blocks())[block_id()] = sums[1];
        }
        block_barrier();
    }
    let_next_kernel_begin();
    if (!detail::is_last_block(partials.counter)) {
        return;
    }
    acknowledge_ghosts(ghosts.halo);
    partials.left = nullptr;  // `finish` leaves them
    detail::sum_columns<column_block_threads, Sum>(b.cols, partials, finish, finish.ready(0));
}

template <class V, class I>
RimView<device_type<V>, I> device_rim(const RimView<V, I>& rim)
{
    return {rim.num_rows, rim.rows, rim.row_ptrs, rim.cols, as_device(rim.values)};
}
template <class V>
GhostView<device_type<V>> device_ghosts(const GhostView<V>& ghosts)
{
    return {as_device(ghosts.values), ghosts.halo};
}

/// Blocks for so many threads; one at least, for the messages.
size_type exchange_blocks(const Executor& exec, size_type num_threads)
{
    const size_type most = std::min<size_type>(
        size_type{gpu(exec).num_multiprocessors()} * rim_blocks_per_multiprocessor, max_reduction_partials);
    return std::clamp<size_type>(blocks_for(num_threads, column_block_threads), 1, most);
}

template <class V, class I>
void send(const Executor& exec, const I* rows, DenseView<const V> b, PeerHalo halo)
{
    launch_overlapped_on(exec, send_kernel<device_type<V>, I>,
                         exchange_blocks(exec, halo.send_first[halo.num_sends] * b.cols), column_block_threads, 0, rows,
                         as_device(b), halo);
}

template <class V, class I>
void rim_spmv(const Executor& exec, RimView<V, I> rim, GhostView<V> ghosts, Scalar<V> alpha, DenseView<const V> b,
              DenseView<V> x)
{
    launch_overlapped_on(exec, rim_spmv_kernel<device_type<V>, I>, exchange_blocks(exec, rim.num_rows * rim_lanes),
                         column_block_threads, 0, device_rim(rim), device_ghosts(ghosts), as_device(alpha), as_device(b),
                         as_device(x));
}

template <class V, class I>
void rim_spmv_dot(const Executor& exec, RimView<V, I> rim, GhostView<V> ghosts, DenseView<const V> b, DenseView<V> x,
                  DenseView<const V> w, RimSums<V> sums, WorkspaceView workspace)
{
    using D = device_type<V>;
    if (x.cols == 0) {
        return;
    }
    const StoreDots<D> store{{}, as_device(sums.wx), as_device(sums.xx)};
    auto partials = detail::partials_in<D, 2>(workspace);
    const AddInner<D> finish{{}, as_device(sums.inner), x.cols, store, partials.left};
    const size_type room = (workspace.bytes - reduction_header_bytes) / (2 * x.cols * static_cast<size_type>(sizeof(D)));
    const size_type blocks = std::max<size_type>(1, std::min(exchange_blocks(exec, rim.num_rows * rim_lanes), room));
    launch_overlapped_on(exec, rim_spmv_dot_kernel<D, I>, blocks, column_block_threads, 0, device_rim(rim),
                         device_ghosts(ghosts), as_device(b), as_device(x), as_device(w), finish, partials);
    detail::finish_over_ranks<Sum, D, 2>(exec, workspace, x.cols, store);
}

}  // namespace

void register_exchange()
{
    for_each_value_index([]<class V, class I>() {
        exchange_send<V, I>.bind(this_backend, send<V, I>);
        exchange_rim_spmv<V, I>.bind(this_backend, rim_spmv<V, I>);
        exchange_rim_spmv_dot<V, I>.bind(this_backend, rim_spmv_dot<V, I>);
    });
}

}  // namespace linden::LINDEN_GPU_NAMESPACE
