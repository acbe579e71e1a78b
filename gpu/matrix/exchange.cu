#include "core/kernels/exchange.hpp"

#include "gpu/matrix/rim_rows.cuh"
#include "gpu/vector/part_sums.cuh"
#include "gpu/vector/peer_columns.cuh"

namespace linden::LINDEN_GPU_NAMESPACE {
namespace {

constexpr int rim_blocks_per_multiprocessor = 4;
/// All blocks of a product with sums are beside each other: later ones would wait for earlier ones to end.
template <class V>
constexpr int rim_dot_blocks = std::max(column_blocks_per_multiprocessor,
                                        blocks_on_cuda(sizeof(V) > 8 ? 1 : rim_blocks_per_multiprocessor));

template <class V, class I>
__global__ void __launch_bounds__(column_block_threads, column_blocks_per_multiprocessor)
    send_kernel(const I* rows, DenseView<const V> b, PeerHalo halo)
{
    let_next_kernel_begin();
    wait_for_previous_kernel();
    send_values(rows, b, halo);
}

constexpr int meet_threads = 32;

__global__ void __launch_bounds__(meet_threads, 1) meet_kernel(PeerGroup group)
{
    LINDEN_SHARED(received, std::uint32_t[max_peers][peer_message_words]);
    wait_for_previous_kernel();
    const std::uint32_t number = *group.number + 1;
    system_fence();  // what this device has written comes before its words
    exchange_messages<meet_threads>(
        group, number, 1, [](int) { return 0u; }, received);
    system_fence();
    block_barrier();
    if (thread_id() == 0) {
        *group.number = number;
    }
}

template <class V>
__global__ void __launch_bounds__(column_block_threads, column_blocks_per_multiprocessor)
    receive_kernel(GhostView<V> ghost_view, size_type num_lower, size_type num_own, DenseView<V> x)
{
    wait_for_previous_kernel();
    const Ghosts<V> ghosts(ghost_view);
    for (size_type i = global_id(); i < ghost_view.values.rows * x.cols; i += grid_threads()) {
        const size_type row = i / x.cols;
        x(row < num_lower ? row : row + num_own, i % x.cols) = ghosts[i];
    }
    let_next_kernel_begin();
    leave_ghosts(ghost_view.halo, ghosts);
}

template <class V, class I>
__global__ void __launch_bounds__(column_block_threads, column_blocks_per_multiprocessor)
    rim_spmv_kernel(RimView<V, I> rim, GhostView<V> ghost_view, Scalar<V> alpha, DenseView<const V> b, DenseView<V> x)
{
    wait_for_previous_kernel();
    const Ghosts<V> ghosts(ghost_view);
    for (size_type col = 0; col < b.cols; ++col) {
        for_each_rim_row(
            rim, ghosts, b, col, [&](size_type row) { return x(row, col); },
            [&](size_type row, V product, V old) { x(row, col) = old + alpha[col] * product; });
    }
    leave_ghosts(ghost_view.halo, ghosts);
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
__global__ void __launch_bounds__(column_block_threads, rim_dot_blocks<V>)
    rim_spmv_dot_kernel(RimView<V, I> rim, GhostView<V> ghost_view, DenseView<const V> b, DenseView<V> x,
                        DenseView<const V> w, AddInner<V> finish, detail::Partials<V, 2> partials, RankParts parts)
{
    wait_for_previous_kernel();
    const Ghosts<V> ghosts(ghost_view);
    for (size_type col = 0; col < b.cols; ++col) {
        V sums[2]{};
        for_each_rim_row(
            rim, ghosts, b, col, [&](size_type row) { return w(row, col); },
            [&](size_type row, V product, V other) {
                x(row, col) = product;
                sums[0] += conj(other) * product;
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
    acknowledge_ghosts(ghost_view.halo, ghosts.number);
    partials.left = nullptr;  // `finish` leaves them
    detail::sum_columns<column_block_threads, Sum>(b.cols, partials, finish, finish.ready(0));
    if (parts.peers.size != 0) {
        detail::finish_block<column_block_threads, Sum, V, 2>(b.cols, parts, finish.store, finish.ready(0));
    }
}

/// Partial sums of a product of one column by the blocks of two kernels.
template <class V>
struct DotPartials {
    detail::Partials<V, 2> all;
    int num_inner, num_rim;  ///< blocks

    __host__ __device__ int count() const { return num_inner + num_rim; }
    /// By all threads of a block of B, each of which brings its sums.
    template <int B>
    __device__ void leave(V (&sums)[2], int block) const
    {
        block_reduce<B>(sums);
        if (thread_id() == 0) {
            all.of(0, 0, count())[block] = sums[0];
            all.of(0, 1, count())[block] = sums[1];
        }
    }
};

/// The first of two kernels of a product between peers: sends, x := A b in the inner rows and 0 at the rim, and partial
/// sums of blocks, which come in front of the second's. The second begins where blocks of this one have ended.
template <class V, class I>
__global__ void __launch_bounds__(tile_threads, tile_blocks<V>)
    inner_dot_kernel(Matrix<V, I> a, TileShape shape, const V* b, V* x, const V* w, const I* send_rows, PeerHalo halo,
                     DotPartials<V> partials)
{
    wait_for_previous_kernel();
    let_next_kernel_begin();
    V sums[2]{};
    for_each_row_product(
        a, shape.lanes, shape.tile_rows, b, [&](size_type row) { return w[row]; },
        [&](size_type row, V product, V other) {
            x[row] = product;
            sums[0] += conj(other) * product;
            sums[1] += V{abs2(product)};
        },
        NothingBehindTile{},
        [&] {
            if (halo.group.size != 0) {
                send_values(send_rows, DenseView<const V>{a.rows, 1, 1, b}, halo);
            }
        });
    partials.template leave<tile_threads>(sums, block_id());
}

/// Rows that a group of lanes multiplies before the inner rows are done.
constexpr int early_rim_rows = 8;

/// Rows at the rim that a block has multiplied before the first kernel has ended.
template <class V, class I>
class EarlyRows {
public:
    __device__ EarlyRows()
    {
        LINDEN_SHARED(products, V[early_rim_rows * groups]);
        LINDEN_SHARED(rows, I[early_rim_rows * groups]);
        products_ = products;
        rows_ = rows;
    }
    /// By the first lane of a group, for one row after the other.
    __device__ void keep(size_type row, V product)
    {
        const int at = count_++ * groups + thread_id() / rim_lanes;
        products_[at] = product;
        rows_[at] = static_cast<I>(row);
    }
    /// x := what all blocks have kept, of which there are so many. Behind a barrier.
    __device__ void store(size_type count, V* x) const
    {
        for (int at = thread_id();; at += column_block_threads) {
            const size_type round = at / groups;
            const size_type i = (round * num_blocks() + block_id()) * groups + at % groups;
            if (round >= early_rim_rows || i >= count) {
                return;
            }
            x[rows_[at]] = products_[at];
        }
    }

private:
    static constexpr int groups = column_block_threads / rim_lanes;
    V* products_;
    I* rows_;
    int count_ = 0;
};

/// The second: rows at the rim, whose products need nothing of the first kernel and are formed while its last blocks
/// work; and both kernels' sums.
template <class V, class I>
__global__ void __launch_bounds__(column_block_threads, rim_dot_blocks<V>)
    rim_dot_kernel(RimView<V, I> rim, GhostView<V> ghost_view, const V* b, V* x, const V* w, StoreDots<V> store,
                   DotPartials<V> partials, RankParts parts)
{
    if (ghost_view.halo.group.size == 0) {
        wait_for_previous_kernel();
    }
    // What the kernel before the first one wrote is read past the first cache, which may have what was there before.
    EarlyRows<V, I> early;
    const Ghosts<V> ghosts(ghost_view);
    const DenseView<const V> b_view{0, 1, 1, b};
    const auto other_of = [&](size_type row) { return load_cached_global(w + row); };
    const size_type room = early_rim_rows * (grid_threads() / rim_lanes);
    const size_type num_early = rim.num_rows < room ? rim.num_rows : room;
    V sums[2]{};
    const auto add = [&](V product, V other) {
        sums[0] += conj(other) * product;
        sums[1] += V{abs2(product)};
    };
    for_rim_rows(0, num_early, rim, ghosts, b_view, 0, other_of, [&](size_type row, V product, V other) {
        early.keep(row, product);
        add(product, other);
    });
    if (num_early < rim.num_rows) {
        wait_for_previous_kernel();
        for_rim_rows(num_early, rim.num_rows, rim, ghosts, b_view, 0, other_of, [&](size_type row, V product, V other) {
            x[row] = product;
            add(product, other);
        });
    }
    let_next_kernel_begin();
    partials.template leave<column_block_threads>(sums, partials.num_inner + block_id());
    const bool has_peers = parts.peers.size != 0;
    const std::uint32_t number = has_peers ? load_relaxed(parts.peers.number) : 0;
    const bool is_last = detail::is_last_block(partials.all.counter);
    wait_for_previous_kernel();
    early.store(num_early, x);
    if (is_last && has_peers) {
        detail::finish_at_peers<column_block_threads, Sum>(partials.all, partials.count(), parts, number, store,
                                                           store.ready(0));
    } else if (is_last) {
        detail::sum_columns<column_block_threads, Sum>(1, partials.all, store, store.ready(0), partials.count());
    }
    if (is_last) {
        acknowledge_ghosts(ghost_view.halo, ghosts.number);  // the first kernel has read the number, too
    }
}

template <class V, class I>
__global__ void __launch_bounds__(tile_threads, tile_blocks<V>)
    spmv_parts_kernel(Matrix<V, I> a, int tile_rows, const V* b, V* x, const V* w, V* parts)
{
    wait_for_previous_kernel();
    V terms[2]{};
    for_each_row_product(
        a, 1, tile_rows, b, [&](size_type row) { return w[row]; },
        [&](size_type row, V product, V other) {
            x[row] = product;
            detail::set_terms(terms, other, product);
        },
        [&](size_type first) {
            const size_type row = first + thread_id() / sum_part_rows * sum_part_rows;
            if (thread_id() < tile_rows && row < a.rows) {
                detail::store_part(terms, parts, row / sum_part_rows);
            }
            terms[0] = terms[1] = V{};
        });
    let_next_kernel_begin();
}

template <class V, class I>
__global__ void __launch_bounds__(column_block_threads, column_blocks_per_multiprocessor)
    form_parts_kernel(size_type count, const I* which, DenseView<const V> x, DenseView<const V> w, V* parts)
{
    let_next_kernel_begin();
    wait_for_previous_kernel();
    for (size_type i = global_id() / sum_part_rows; i < count; i += grid_threads() / sum_part_rows) {
        const size_type part = which[i];
        const size_type row = part * sum_part_rows + thread_id() % sum_part_rows;
        V terms[2]{};
        if (row < x.rows) {
            detail::set_terms(terms, w.values[row], x.values[row]);
        }
        detail::store_part(terms, parts, part);
    }
}

void meet(const Executor& exec, PeerGroup group) { launch_overlapped_on(exec, meet_kernel, 1, meet_threads, 0, group); }

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

template <class V>
void receive(const Executor& exec, GhostView<V> ghosts, size_type num_lower, size_type num_own, DenseView<V> x)
{
    launch_overlapped_on(exec, receive_kernel<device_type<V>>, exchange_blocks(exec, ghosts.values.rows * x.cols),
                         column_block_threads, 0, device_ghosts(ghosts), num_lower, num_own, as_device(x));
}

template <class V, class I>
void rim_spmv(const Executor& exec, RimView<V, I> rim, GhostView<V> ghosts, Scalar<V> alpha, DenseView<const V> b,
              DenseView<V> x)
{
    launch_overlapped_on(exec, rim_spmv_kernel<device_type<V>, I>, exchange_blocks(exec, rim.num_rows * rim_lanes),
                         column_block_threads, 0, device_rim(rim), device_ghosts(ghosts), as_device(alpha),
                         as_device(b), as_device(x));
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
    const size_type room =
        (workspace.bytes - reduction_header_bytes) / (2 * x.cols * static_cast<size_type>(sizeof(D)));
    const size_type blocks = std::max<size_type>(1, std::min(exchange_blocks(exec, rim.num_rows * rim_lanes), room));
    // Peers go on in the same kernel.
    const bool has_peers = workspace.ranks != nullptr && workspace.ranks->is_peer();
    const auto parts =
        has_peers ? workspace.ranks->exchange(2 * x.cols * static_cast<size_type>(sizeof(D))) : RankParts{};
    launch_overlapped_on(exec, rim_spmv_dot_kernel<D, I>, blocks, column_block_threads, 0, device_rim(rim),
                         device_ghosts(ghosts), as_device(b), as_device(x), as_device(w), finish, partials, parts);
    if (!has_peers) {
        detail::finish_over_ranks<Sum, D, 2>(exec, workspace, x.cols, store);
    }
}

/// The kernels of a product with its sums.
template <class V, class I>
struct DotShape {
    TileShape inner;
    size_type rim_blocks;
    DotPartials<device_type<V>> partials;

    /// All groups of lanes at the rim have as many rows.
    DotShape(const Executor& exec, const RankRows<V, I>& a, WorkspaceView workspace)
        : inner(tile_shape(exec, device_matrix(a.inner)))
    {
        using D = device_type<V>;
        const auto room = detail::fitted_blocks<D, 2>(max_reduction_partials, 1, workspace);
        inner.grid.x = std::min(inner.grid.x, std::max<size_type>(1, room / 2));
        const size_type threads = a.rim.num_rows * rim_lanes;
        const size_type most = std::min(exchange_blocks(exec, threads), room - inner.grid.x);
        const size_type rounds = blocks_for(threads, column_block_threads, static_cast<int>(most));
        rim_blocks = std::max<size_type>(
            1, blocks_for(threads, column_block_threads, static_cast<int>(std::max<size_type>(1, rounds))));
        partials = {detail::partials_in<D, 2>(workspace), static_cast<int>(inner.grid.x), static_cast<int>(rim_blocks)};
    }
};

template <class V, class I>
void inner_dot(const Executor& exec, RankRows<V, I> a, DenseView<const V> b, DenseView<V> x, DenseView<const V> w,
               WorkspaceView workspace)
{
    using D = device_type<V>;
    const DotShape<V, I> shape(exec, a, workspace);
    launch_overlapped_on(exec, inner_dot_kernel<D, I>, shape.inner.grid, tile_threads, StageShape<D, I>::shared_bytes,
                         device_matrix(a.inner), shape.inner, as_device(b.values), as_device(x.values),
                         as_device(w.values), a.send_rows, a.ghosts.halo, shape.partials);
}

template <class V, class I>
void rim_dot(const Executor& exec, RankRows<V, I> a, DenseView<const V> b, DenseView<V> x, DenseView<const V> w, V* wx,
             V* xx, WorkspaceView workspace)
{
    using D = device_type<V>;
    const DotShape<V, I> shape(exec, a, workspace);
    const StoreDots<D> store{{}, as_device(wx), as_device(xx)};
    // Peers go on in the same kernel.
    const bool has_peers = workspace.ranks != nullptr && workspace.ranks->is_peer();
    const auto parts = has_peers ? workspace.ranks->exchange(2 * static_cast<size_type>(sizeof(D))) : RankParts{};
    launch_overlapped_on(exec, rim_dot_kernel<D, I>, shape.rim_blocks, column_block_threads, 0, device_rim(a.rim),
                         device_ghosts(a.ghosts), as_device(b.values), as_device(x.values), as_device(w.values), store,
                         shape.partials, parts);
    if (!has_peers) {
        detail::finish_over_ranks<Sum, D, 2>(exec, workspace, 1, store);
    }
}

/// Tiles are whole parts.
template <class V, class I>
void spmv_parts(const Executor& exec, CsrView<V, I> a, DenseView<const V> b, DenseView<V> x, DenseView<const V> w,
                V* parts)
{
    using D = device_type<V>;
    const auto matrix = device_matrix(a);
    const int wanted = tile_shape(exec, matrix, 1).tile_rows;
    const int tile_rows = static_cast<int>(num_sum_parts(wanted) * sum_part_rows);
    const size_type most =
        std::min(size_type{gpu(exec).num_multiprocessors()} * tile_blocks<D>, max_reduction_partials);
    launch_overlapped_on(exec, spmv_parts_kernel<D, I>, std::min(blocks_for(a.rows, tile_rows), most), tile_threads,
                         StageShape<D, I>::shared_bytes, matrix, tile_rows, as_device(b.values), as_device(x.values),
                         as_device(w.values), as_device(parts));
}

template <class V, class I>
void form_parts(const Executor& exec, size_type count, const I* which, DenseView<const V> x, DenseView<const V> w,
                V* parts)
{
    launch_overlapped_on(exec, form_parts_kernel<device_type<V>, I>,
                         std::min(blocks_for(count * sum_part_rows, column_block_threads), max_reduction_partials),
                         column_block_threads, 0, count, which, as_device(x), as_device(w), as_device(parts));
}

template <class V>
void sum_parts(const Executor& exec, size_type rows, const V* parts, V* wx, V* xx, WorkspaceView workspace)
{
    detail::reduce_parts(exec, workspace, rows, as_device(parts),
                         StoreDots<device_type<V>>{{}, as_device(wx), as_device(xx)});
}

}  // namespace

void register_exchange()
{
    exchange_meet.bind(this_backend, meet);
    for_each_value([]<class V>() {
        exchange_receive<V>.bind(this_backend, receive<V>);
        exchange_sum_parts<V>.bind(this_backend, sum_parts<V>);
    });
    for_each_value_index([]<class V, class I>() {
        exchange_send<V, I>.bind(this_backend, send<V, I>);
        exchange_rim_spmv<V, I>.bind(this_backend, rim_spmv<V, I>);
        exchange_rim_spmv_dot<V, I>.bind(this_backend, rim_spmv_dot<V, I>);
        exchange_inner_dot<V, I>.bind(this_backend, inner_dot<V, I>);
        exchange_rim_dot<V, I>.bind(this_backend, rim_dot<V, I>);
        exchange_spmv_parts<V, I>.bind(this_backend, spmv_parts<V, I>);
        exchange_form_parts<V, I>.bind(this_backend, form_parts<V, I>);
    });
}

}  // namespace linden::LINDEN_GPU_NAMESPACE
