#include "core/kernels/level_chain.hpp"

#include "gpu/colouring/colour_rows.cuh"
#include "gpu/device/awaited.cuh"
#include "gpu/vector/elements.cuh"

/// Rows take their turns by tickets: a row waits for rows of earlier tickets alone, and those are held by blocks that
/// run. So neither a barrier nor room for all blocks is needed.
namespace linden::LINDEN_GPU_NAMESPACE {
namespace {

#if defined(LINDEN_HIP_PLATFORM_HOST)
constexpr int block_size = 64;
#else
constexpr int block_size = 128;
#endif
/// Of each multiprocessor.
constexpr size_type most_blocks = 12;
/// For which registers suffice at once. For AMD it is a number of waves of a SIMD unit, and as many would spill.
template <class V>
#if defined(LINDEN_GPU_HIP)
constexpr int min_blocks = 1;
#else
constexpr int min_blocks = sizeof(V) > 8 ? 4 : 8;
#endif
/// Rows have eight lanes, so that four share a warp and as many more are on their way: each waits for one load after
/// the other.
using Lanes = Subgroup<8>;
constexpr int rows_per_block = block_size / Lanes::size;
using Warp = Subgroup<32>;
/// Entries that one lane waits for at a time. Each has a sum to itself, so that the sum of a row is that of 32 lanes,
/// as sweeps form it.
constexpr int batch_size = Warp::size / Lanes::size;

/// The number itself, which the compiler cannot use before this place. It would else form products with it ahead of the
/// loop in which rows wait, and round them, where sweeps have one operation for a product and a difference.
template <class R>
__device__ inline R from_here(R value)
{
#if defined(__CUDA_ARCH__)
    if constexpr (sizeof(R) == 8) {
        asm volatile("" : "+d"(value));
    } else {
        asm volatile("" : "+f"(value));
    }
#elif defined(__HIP_DEVICE_COMPILE__)
    asm volatile("" : "+v"(value));
#endif
    return value;
}
template <class R>
__device__ inline Complex<R> from_here(Complex<R> value)
{
    return {from_here(value.re), from_here(value.im)};
}

template <class V>
struct ChainState {
    V* values;               ///< of the chain's rows; missing at the start
    std::uint64_t* tickets;  ///< 0 at the start
};

/// Of both ways.
template <class V>
struct StartChains : NothingToPrepare {
    ChainState<V> forward, backward;

    __device__ void operator()(Place<1> at, Nothing) const
    {
        forward.values[at.row] = missing<V>();
        backward.values[at.row] = missing<V>();
        if (at.row == 0) {
            *forward.tickets = 0;
            *backward.tickets = 0;
        }
    }
};

template <class V, class S, class I>
struct Chain {
    SellView<S, I> entries;
    size_type first;  ///< position of the first row
    const V* w;       ///< of rows before or behind the chain
    ChainState<V> state;

    __device__ size_type num_rows() const { return entries.layout.rows; }
};

/// w := scale b(sources) - sum; from position `first_last` on also to `last`.
template <class V, class I>
struct ForwardRows {
    static constexpr bool reversed = false;
    const V* scale;
    const V* b;
    const I* sources;
    V* w;
    V* last;
    size_type first_last;

    struct Loaded {
        V scale, value;
    };
    __device__ Loaded load(size_type p) const { return {scale[p], b[sources[p]]}; }
    __device__ V finish(const Loaded& loaded, size_type p, const V& sum) const
    {
        const V result = from_here(loaded.scale) * from_here(loaded.value) - sum;
        w[p] = result;
        if (p >= first_last) {
            last[p - first_last] = result;
        }
        return result;
    }
};

/// x(targets) := w := w - sum
template <class V, class I>
struct BackwardRows {
    static constexpr bool reversed = true;
    V* w;
    V* x;
    const I* targets;

    struct Loaded {
        V value;
        I target;
    };
    __device__ Loaded load(size_type p) const { return {w[p], targets[p]}; }
    __device__ V finish(const Loaded& loaded, size_type p, const V& sum) const
    {
        const V result = loaded.value - sum;
        w[p] = result;
        x[loaded.target] = result;
        return result;
    }
};

/// A lane's part of a row: entries number lane, lane + 8, ..., in this order, a batch waited for at a time.
template <class V, class S, class I>
class ChainRow {
public:
    __device__ ChainRow(const Chain<V, S, I>& chain, size_type row, bool exists) : chain_(chain)
    {
        if (exists) {
            const I begin = chain.entries.layout.slice_ptrs[row];
            end_ = chain.entries.layout.slice_ptrs[row + 1];
            next_ = end_ - begin > Lanes::lane() ? begin + Lanes::lane() : end_;
        }
        load_batch();
    }

    /// Adds what has come; whether all has.
    __device__ bool advance()
    {
        if (awaited_ == 0) {
            return true;
        }
        LINDEN_UNROLL
        for (int j = 0; j < batch_size; ++j) {
            if ((awaited_ >> j & 1u) != 0) {
                load_awaited(chain_.state.values + place_[j], gathered_[j]);
            }
        }
        // All of them were on their way before the first is looked at.
        LINDEN_UNROLL
        for (int j = 0; j < batch_size; ++j) {
            if ((awaited_ >> j & 1u) != 0 && !is_missing(gathered_[j])) {
                awaited_ &= ~(1u << j);
            }
        }
        if (awaited_ != 0) {
            return false;
        }
        add_batch();
        load_batch();
        note_progress();
        return awaited_ == 0;
    }

    /// The row's, in all lanes: added up as by Warp::sum.
    __device__ V sum() const
    {
        static_assert(batch_size == 4);
        return Lanes::sum((sums_[0] + sums_[2]) + (sums_[1] + sums_[3]));
    }

private:
    /// Batches without anything to wait for are added at once.
    __device__ void load_batch()
    {
        while (next_ < end_) {
            existing_ = 0;
            I col[batch_size];
            LINDEN_UNROLL
            for (int j = 0; j < batch_size; ++j) {
                const bool exists = j * Lanes::size < end_ - next_;
                col[j] = exists ? load_streaming(chain_.entries.col_idxs + next_ + j * Lanes::size) : no_column<I>;
                value_[j] =
                    exists ? to_arithmetic<V>(load_streaming(chain_.entries.values + next_ + j * Lanes::size)) : V{};
            }
            next_ = end_ - next_ > batch_size * Lanes::size ? static_cast<I>(next_ + batch_size * Lanes::size) : end_;
            LINDEN_UNROLL
            for (int j = 0; j < batch_size; ++j) {
                if (col[j] == no_column<I>) {
                    continue;
                }
                existing_ |= 1u << j;
                place_[j] = static_cast<I>(col[j] - chain_.first);
                if (place_[j] >= 0 && place_[j] < chain_.num_rows()) {
                    awaited_ |= 1u << j;
                } else {
                    gathered_[j] = chain_.w[col[j]];
                }
            }
            if (awaited_ != 0) {
                return;
            }
            add_batch();
        }
    }

    __device__ void add_batch()
    {
        LINDEN_UNROLL
        for (int j = 0; j < batch_size; ++j) {
            if ((existing_ >> j & 1u) != 0) {
                add_product(sums_[j], value_[j], gathered_[j]);
            }
        }
    }

    const Chain<V, S, I>& chain_;
    I next_ = 0, end_ = 0;
    unsigned awaited_ = 0, existing_ = 0;
    I place_[batch_size];
    V value_[batch_size], gathered_[batch_size];
    V sums_[batch_size] = {};
};

/// The row that has this turn, by its lanes. Called by all lanes of a warp, for four rows.
template <class V, class S, class I, class Rows>
__device__ inline void find_row(const Chain<V, S, I>& chain, const Rows& rows, size_type turn)
{
    const bool exists = turn < chain.num_rows();
    const size_type row = !exists ? 0 : Rows::reversed ? chain.num_rows() - 1 - turn : turn;
    const auto loaded = rows.load(chain.first + row);
    ChainRow<V, S, I> entries(chain, row, exists);
    bool done = !exists;
    do {
        if (!done && Lanes::all(entries.advance())) {
            const V sum = entries.sum();
            if (Lanes::lane() == 0) {
                store_awaited(chain.state.values + row, rows.finish(loaded, chain.first + row, sum));
            }
            done = true;
        }
        pause();
    } while (Warp::any(!done));
}

template <class V, class S, class I, class Rows>
__global__ void __launch_bounds__(block_size, min_blocks<V>)
    chain_kernel(Chain<V, S, I> chain, Rows rows, size_type num_parts)
{
    LINDEN_SHARED(drawn, std::uint64_t);
    wait_for_previous_kernel();
    for (;;) {
        block_barrier();
        if (thread_id() == 0) {
            drawn = atomic_add(chain.state.tickets, 1);
        }
        block_barrier();
        const auto part = static_cast<size_type>(drawn);
        if (part >= num_parts) {
            break;
        }
        find_row(chain, rows, part * rows_per_block + thread_id() / Lanes::size);
    }
    let_next_kernel_begin();
}

/// That of the way forward, or of the way backward, in the workspace for `num_rows` rows.
template <class V>
ChainState<device_type<V>> state_in(WorkspaceView workspace, size_type num_rows, bool is_backward)
{
    std::byte* const part = workspace.data + (is_backward ? level_chain_part_bytes<V>(num_rows) : 0);
    return {reinterpret_cast<device_type<V>*>(part + 16), reinterpret_cast<std::uint64_t*>(part)};
}

template <class V, class S, class I, class Rows>
void run_chain(const Executor& exec, const ColourView<S, I>& rows, const V* w, const Rows& body,
               const ChainState<device_type<V>>& state)
{
    using D = device_type<V>;
    const size_type num_rows = rows.num_rows();
    const Chain<D, device_type<S>, I> chain{
        {rows.entries.layout, rows.entries.col_idxs, as_device(rows.entries.values), nullptr},
        rows.first,
        as_device(w),
        state};
    const size_type num_parts = blocks_for(num_rows, rows_per_block);
    const size_type most = static_cast<size_type>(gpu(exec).num_multiprocessors()) * most_blocks;
    launch_overlapped_on(exec, chain_kernel<D, device_type<S>, I, Rows>, std::min(num_parts, most), block_size, 0,
                         chain, body, num_parts);
}

template <class V, class S, class I>
void forward(const Executor& exec, ColourView<S, I> rows, const V* scale, DenseView<const V> b, const I* sources,
             DenseView<V> w, DenseView<V> last, WorkspaceView workspace)
{
    using D = device_type<V>;
    const size_type num_rows = rows.num_rows();
    if (num_rows == 0) {
        return;
    }
    const auto state = state_in<V>(workspace, num_rows, false);
    map_elements(exec, num_rows, 1, StartChains<D>{{}, state, state_in<V>(workspace, num_rows, true)});
    const ForwardRows<D, I> body{as_device(scale),    as_device(b.values),    sources,
                                 as_device(w.values), as_device(last.values), rows.first + num_rows - last.rows};
    run_chain<V>(exec, rows, w.values, body, state);
}

template <class V, class S, class I>
void backward(const Executor& exec, ColourView<S, I> rows, DenseView<V> w, DenseView<V> x, const I* targets,
              WorkspaceView workspace)
{
    if (rows.num_rows() == 0) {
        return;
    }
    const BackwardRows<device_type<V>, I> body{as_device(w.values), as_device(x.values), targets};
    run_chain<V>(exec, rows, w.values, body, state_in<V>(workspace, rows.num_rows(), true));
}

}  // namespace

void register_level_chain()
{
    for_each_chain_type([]<class V, class S, class I>() {
        level_chain_forward<V, S, I>.bind(this_backend, forward<V, S, I>);
        level_chain_backward<V, S, I>.bind(this_backend, backward<V, S, I>);
    });
}

}  // namespace linden::LINDEN_GPU_NAMESPACE
