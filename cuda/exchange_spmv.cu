#include "core/kernels/exchange_spmv.hpp"

#include "core/portable/search.hpp"
#include "gpu/matrix/rim_rows.cuh"
#include "gpu/vector/columns.cuh"

/// One kernel where gpu/matrix/exchange.cu has three: its beginning and its end are paid for once, and what is sent
/// needs no branch of its own. Blocks send before they wait, and all of them are on the device at the same time, so
/// that no rank waits for a block that has not begun.
namespace linden::cuda {
namespace {

template <class V, class I>
struct SpreadProduct {
    const I* send_rows;
    Matrix<V, I> inner;
    int lanes;  ///< to a row
    Tiles tiles;
    RimView<V, I> rim;
    GhostView<V> ghosts;
    DenseView<const V> b;

    /// Whether `row`, whose product with the inner rows is 0, has its entries at the rim.
    __device__ bool is_at_rim(size_type row) const
    {
        if (inner.row_ptrs[row] != inner.row_ptrs[row + 1]) {
            return false;
        }
        const size_type at = first_from(rim.rows, 0, rim.num_rows, row);
        return at < rim.num_rows && rim.rows[at] == row;
    }

    /// consume(row, (A b)(row), prefetch(row)) once for every row. The first blocks send and have the rim, beside the
    /// others.
    template <class Prefetch, class Consume>
    __device__ void for_each_row(Prefetch prefetch, Consume consume) const
    {
        if (block_id() < tiles.first_block) {
            const size_type num_threads = tiles.first_block * block_threads();
            send_values(send_rows, b, ghosts.halo, num_threads);
            const Ghosts<V> received(ghosts);
            for_each_rim_row(rim, received, b, 0, num_threads, prefetch, consume);
            return;
        }
        for_each_row_product(inner, lanes, tiles, b.values, prefetch, [&](size_type row, V product, auto early) {
            if (!(product == V{}) || !is_at_rim(row)) {
                consume(row, product, early);
            }
        });
    }
};

template <class V, class I>
__global__ void __launch_bounds__(tile_threads, tile_blocks<V>)
    spmv_kernel(const __grid_constant__ SpreadProduct<V, I> product, V* x)
{
    wait_for_previous_kernel();
    product.for_each_row([](size_type) { return 0; }, [&](size_type row, V value, int) { x[row] = value; });
    let_next_kernel_begin();
    leave_ghosts(product.ghosts.halo);
}

template <class V, class I>
__global__ void __launch_bounds__(tile_threads, tile_blocks<V>)
    spmv_dot_kernel(const __grid_constant__ SpreadProduct<V, I> product, V* x, const V* w, StoreDots<V> store,
                    detail::Partials<V, 2> partials, const __grid_constant__ RankParts parts)
{
    wait_for_previous_kernel();
    V sums[2]{};
    product.for_each_row([&](size_type row) { return w[row]; },
                         [&](size_type row, V value, V other) {
                             x[row] = value;
                             sums[0] += conj(other) * value;
                             sums[1] += V{abs2(value)};
                         });
    let_next_kernel_begin();
    block_reduce<tile_threads>(sums);
    if (thread_id() == 0) {
        partials.of(0, 0, num_blocks())[block_id()] = sums[0];
        partials.of(0, 1, num_blocks())[block_id()] = sums[1];
    }
    const auto ready = store.ready(0);
    if (detail::is_last_block(partials.counter)) {
        acknowledge_ghosts(product.ghosts.halo);
        detail::sum_columns<tile_threads, Sum>(1, partials, store, ready);  // which leaves them
        detail::finish_column<tile_threads, Sum, V, 2>(parts, store, ready);
    }
}

/// Blocks that send and have the rim, of `num_rows` rows, where the other blocks, at most `blocks`, have `rounds` tiles
/// each: so many that the rim, whose threads wait for one gather after the other, takes less long.
int rim_blocks(size_type num_rows, size_type rounds, size_type blocks)
{
    constexpr size_type rows_at_once = tile_threads / rim_lanes;
    // Rows at the rim take such a block about as long as three tiles, since others keep the memory busy.
    const size_type wanted = (3 * num_rows + rounds * rows_at_once - 1) / (rounds * rows_at_once);
    return static_cast<int>(std::clamp<size_type>(wanted, 1, std::max<size_type>(1, blocks / 4)));
}

template <class V, class I, class... Arguments>
void launch(const Executor& exec, void (*kernel)(SpreadProduct<device_type<V>, I>, Arguments...),
            const RankRows<V, I>& a, DenseView<const V> b, std::type_identity_t<Arguments>... arguments)
{
    using D = device_type<V>;
    const auto inner = device_matrix(a.inner);
    const auto shape = tile_shape(exec, inner, a.rim.in_order ? 1 : 32);
    const auto& halo = a.ghosts.halo;
    const size_type num_tiles = blocks_for(inner.rows, shape.tile_rows);
    const size_type most =
        std::min(size_type{gpu(exec).num_multiprocessors()} * tile_blocks<D>, max_reduction_partials);
    const int at_rim = rim_blocks(std::max(a.rim.num_rows, halo.send_first[halo.num_sends]),
                                  blocks_for(num_tiles, static_cast<int>(most)), most);
    launch_overlapped_on(exec, kernel, at_rim + std::min(shape.grid.x, most - at_rim), tile_threads,
                         StageShape<D, I>::shared_bytes,
                         SpreadProduct<D, I>{a.send_rows, inner, shape.lanes, Tiles(shape.tile_rows, at_rim),
                                             device_rim(a.rim), device_ghosts(a.ghosts), as_device(b)},
                         arguments...);
}

template <class V, class I>
void spmv(const Executor& exec, RankRows<V, I> a, DenseView<const V> b, DenseView<V> x)
{
    launch<V, I>(exec, spmv_kernel<device_type<V>, I>, a, b, as_device(x.values));
}

template <class V, class I>
void spmv_dot(const Executor& exec, RankRows<V, I> a, DenseView<const V> b, DenseView<V> x, DenseView<const V> w, V* wx,
              V* xx, WorkspaceView workspace)
{
    using D = device_type<V>;
    launch<V, I>(exec, spmv_dot_kernel<D, I>, a, b, as_device(x.values), as_device(w.values),
                 StoreDots<D>{{}, as_device(wx), as_device(xx)}, detail::partials_in<D, 2>(workspace),
                 workspace.ranks->exchange(2 * static_cast<size_type>(sizeof(D))));
}

}  // namespace

void register_exchange_spmv()
{
    for_each_value_index([]<class V, class I>() {
        exchange_spmv<V, I>.bind(Backend::cuda, spmv<V, I>);
        exchange_spmv_dot<V, I>.bind(Backend::cuda, spmv_dot<V, I>);
    });
}

}  // namespace linden::cuda
