#include "core/kernels/coo.hpp"

#include "gpu/device/bits.cuh"
#include "gpu/device/load_order.cuh"
#include "gpu/matrix/nnz_split.cuh"

/// Splits of nonzeros as in splits.cuh. A split's rows are numbered by a prefix sum over where rows begin; then few
/// threads add up the products of each, so many as there are for a row.
namespace linden::LINDEN_GPU_NAMESPACE {
namespace {

inline constexpr int mask_nonzeros = 32;
inline constexpr int num_masks = static_cast<int>(split_nonzeros) / mask_nonzeros;
static_assert(num_masks == 32, "a group of 32 lanes adds up the masks");

/// The rows of a split: row number r is rows[r] and has the nonzeros [starts[r], starts[r + 1]) of the split.
template <class I>
struct SplitRowList {
    I rows[split_nonzeros];
    int starts[split_nonzeros + 1];
    int counts[num_masks];
};

/// Fills the list; thread t knows whether nonzero t + i * split_threads begins a row, and which. Contains two barriers.
template <class I>
__device__ inline int list_rows(SplitRowList<I>& list, const bool (&begins_row)[split_items],
                                const I (&rows)[split_items], int count)
{
    using Group = Subgroup<mask_nonzeros>;
    constexpr int groups = split_threads / mask_nonzeros;
    const int group = thread_id() / mask_nonzeros;
    std::uint32_t masks[split_items];
    LINDEN_UNROLL
    for (int i = 0; i < split_items; ++i) {
        masks[i] = static_cast<std::uint32_t>(Group::ballot(begins_row[i]));
        if (Group::lane() == 0) {
            list.counts[i * groups + group] = popcount(masks[i]);
        }
    }
    block_barrier();
    int up_to = list.counts[Group::lane()];
    LINDEN_UNROLL
    for (int distance = 1; distance < num_masks; distance *= 2) {
        const int other = Group::shuffle_up(up_to, distance);
        up_to += Group::lane() >= distance ? other : 0;
    }
    const int num_rows = Group::shuffle(up_to, num_masks - 1);
    LINDEN_UNROLL
    for (int i = 0; i < split_items; ++i) {
        const int mask = i * groups + group;
        const int before = Group::shuffle(up_to, mask > 0 ? mask - 1 : 0);
        if (begins_row[i]) {
            const std::uint32_t lower = masks[i] & ((std::uint32_t{1} << Group::lane()) - 1);
            const int number = (mask > 0 ? before : 0) + popcount(lower);
            list.rows[number] = rows[i];
            list.starts[number] = thread_id() + i * split_threads;
        }
    }
    if (thread_id() == 0) {
        list.starts[num_rows] = count;
    }
    block_barrier();
    return num_rows;
}

/// Calls consume(number, sum) for each row of a split, in one of the threads that add it up.
template <class V, class I, class Consume>
__device__ inline void add_rows(const SplitRowList<I>& list, int num_rows, const V* products, Consume consume)
{
    int lanes = 1;
    while (lanes < 32 && 2 * lanes * num_rows <= split_threads) {
        lanes *= 2;
    }
    const int lane = thread_id() % lanes;
    for (int first = 0; first < num_rows; first += split_threads / lanes) {
        const int number = first + thread_id() / lanes;
        V sum{};
        if (number < num_rows) {
            const int end = list.starts[number + 1];
            for (int at = list.starts[number] + lane; at < end; at += lanes) {
                sum += products[at];
            }
        }
        for (int distance = lanes / 2; distance > 0; distance /= 2) {
            sum += Subgroup<32>::shuffle_xor(sum, distance);
        }
        if (number < num_rows && lane == 0) {
            consume(number, sum);
        }
    }
}

/// Blocks beside each other: three fill the shared memory of AMD's multiprocessors.
template <class V, class I>
#if defined(LINDEN_HIP_PLATFORM_AMD)
inline constexpr int add_blocks = std::min(split_blocks<V, I>, 3);
#else
inline constexpr int add_blocks = split_blocks<V, I>;
#endif

/// x := alpha A b + x but for rows that go on over the ends of splits, whose parts go to `parts`.
template <class V, class I>
__global__ void __launch_bounds__(split_threads, (add_blocks<V, I>))
    add_splits(CooRows<I> rows, const I* col_idxs, const V* values, DenseView<const V> b, StoreRow<V> store,
               SplitParts<V> parts)
{
    LINDEN_SHARED(products, V[split_nonzeros]);
    LINDEN_SHARED(list, SplitRowList<I>);
    wait_for_previous_kernel();
    const size_type split = block_id();
    const size_type begin = split * split_nonzeros;
    const size_type left = rows.num_nonzeros - begin;
    const int count = static_cast<int>(left < split_nonzeros ? left : split_nonzeros);
    V mine[split_items];
    I cols[split_items];
    I here[split_items];
    bool begins_row[split_items];
    LINDEN_UNROLL
    for (int i = 0; i < split_items; ++i) {
        const int at = thread_id() + i * split_threads;
        const size_type k = begin + (at < count ? at : count - 1);
        mine[i] = load_streaming(values + k);
        cols[i] = load_streaming(col_idxs + k);
        here[i] = rows.row_idxs[k];
        begins_row[i] = at < count && (at == 0 || rows.row_idxs[k - 1] != here[i]);
    }
    const I first_row = rows.row_idxs[begin];
    const I last_row = rows.row_idxs[begin + count - 1];
    const bool begins_before = rows.begins_before(first_row, begin);
    const bool ends_after = rows.ends_after(last_row, begin + count);
    begin_loads();
    V gathered[split_items];
    const auto gather = [&](size_type col) {
        LINDEN_UNROLL
        for (int i = 0; i < split_items; ++i) {
            gathered[i] = b(cols[i], col);
        }
    };
    gather(0);  // on its way while the rows are numbered
    const int num_rows = list_rows(list, begins_row, here, count);
    for (size_type col = 0; col < store.x.cols; ++col) {
        LINDEN_UNROLL
        for (int i = 0; i < split_items; ++i) {
            products[thread_id() + i * split_threads] = mine[i] * gathered[i];
        }
        block_barrier();
        if (col + 1 < store.x.cols) {
            gather(col + 1);
        }
        add_rows(list, num_rows, products, [&](int number, V sum) {
            if (number == 0 && begins_before) {
                parts.first(split, col) = sum;
            } else if (number == num_rows - 1 && ends_after) {
                parts.last(split, col) = sum;
            } else {
                store(list.rows[number], col, sum);
            }
        });
        block_barrier();
    }
    let_next_kernel_begin();
}

template <class V, class I>
void spmv_add(const Executor& exec, CooView<V, I> a, Scalar<V> alpha, DenseView<const V> b, DenseView<V> x,
              WorkspaceView workspace)
{
    using D = device_type<V>;
    const size_type splits = num_splits(a.num_nonzeros);
    if (splits == 0 || x.cols == 0) {
        return;
    }
    const CooRows<I> rows{a.num_nonzeros, a.row_idxs};
    const StoreRow<D> store{as_device(alpha), Scalar<D>(D{1}), as_device(x)};
    const SplitParts<D> parts{reinterpret_cast<D*>(workspace.data), splits};
    launch_overlapped_on(exec, add_splits<D, I>, splits, split_threads, 0, rows, a.col_idxs, as_device(a.values),
                         as_device(b), store, parts);
    add_parts_of_splits(exec, rows, store, parts);
}

}  // namespace

void register_coo()
{
    for_each_value_index([]<class V, class I>() { coo_spmv_add<V, I>.bind(this_backend, spmv_add<V, I>); });
}

}  // namespace linden::LINDEN_GPU_NAMESPACE
