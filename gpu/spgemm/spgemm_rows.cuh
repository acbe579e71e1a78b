#pragma once

#include "gpu/device/bisection.cuh"
#include "gpu/device/bits.cuh"
#include "gpu/device/scan.cuh"
#include "gpu/vector/elements.cuh"

/// Rows of the product of sparse matrices, sorted by size on the device, and their products spread over lanes.
///
/// Lists of rows stay on the device: kernels that loop over them read their lengths there. Their order depends on the
/// run, the results do not, since each row is worked on by itself.
namespace linden::LINDEN_GPU_NAMESPACE::spgemm {

/// Lanes that work on a long row together. Lanes of short rows are dealt out within such a group, too, so that a warp
/// of CUDA stays together.
using Warp = Subgroup<32>;

/// The bits that any lane has. Called by all lanes of a warp.
__device__ inline std::uint32_t bits_of_warp(std::uint32_t mine)
{
#if defined(LINDEN_GPU_HIP)
    return Warp::reduce(mine, [](std::uint32_t a, std::uint32_t b) { return a | b; });
#else
    return __reduce_or_sync(~0u, mine);
#endif
}

/// In place of a column, behind all columns.
template <class I>
inline constexpr I no_column = std::numeric_limits<I>::max();

/// Rows in a workspace: a list that grows forwards from `first`, or backwards with step -1.
template <class I>
struct RowList {
    const I* first;
    int step;
    const I* size;

    __device__ I operator[](size_type i) const { return first[step * i]; }
};

/// The workspace: counters, which begin as zero, and room for the lists.
template <class I>
struct Lists {
    static constexpr size_type header_bytes = 64;
    I* counters;
    I* room;

    explicit Lists(WorkspaceView workspace)
        : counters(reinterpret_cast<I*>(workspace.data)),
          room(reinterpret_cast<I*>(workspace.data + header_bytes))
    {
    }
    Lists(I* at_counters, I* at_room) : counters(at_counters), room(at_room) {}
};

/// Blocks of a kernel that loops over a list of at most `items`, `per_block` at a time.
inline Grid list_grid(const Executor& exec, size_type items, int per_block, int blocks_per_multiprocessor)
{
    const size_type most = static_cast<size_type>(gpu(exec).num_multiprocessors()) * blocks_per_multiprocessor;
    return std::max<size_type>(1, std::min(blocks_for(items, per_block), most));
}

/// What a row adds to up to two lists: 20 bits for each, as a block has fewer rows.
using Tally = std::int64_t;
inline constexpr int tally_bits = 20;
__device__ inline Tally one_in(int list) { return Tally{1} << (tally_bits * list); }
__device__ inline int part_of(Tally tally, int list)
{
    return static_cast<int>(tally >> (tally_bits * list)) & ((1 << tally_bits) - 1);
}

/// Where this thread's items go in each list: `counters[list]` is raised by what the block's threads bring. Called by
/// all threads of a block of B.
template <int B, class I>
struct Places {
    I at[2];

    __device__ Places(I* counters, Tally mine)
    {
        Tally total = 0;
        const Tally before = block_exclusive_scan<B>(mine, total);
        LINDEN_SHARED(starts, I[2]);
        if (thread_id() < 2) {
            starts[thread_id()] = atomic_add(counters + thread_id(), static_cast<I>(part_of(total, thread_id())));
        }
        block_barrier();
        for (int list = 0; list < 2; ++list) {
            at[list] = starts[list] + static_cast<I>(part_of(before, list));
        }
        block_barrier();
    }
};

/// Columns low, ..., high of C.
template <class I>
struct Window {
    I low, high;
    bool has_all;  ///< nothing lies outside

    /// Leaves those of the entries [begin, end) of B that are in the window.
    __device__ void clip(const I* cols, I& begin, I& end) const
    {
        if (!has_all) {
            begin = lower_bound(cols, begin, end, low);
            end = high == no_column<I> ? end : lower_bound(cols, begin, end, static_cast<I>(high + 1));
        }
    }
};

/// The products of up to 32 entries of A, from `first` on, with those of B in the window, in order. Members are called
/// by all lanes of a warp.
template <class I>
class ProductsOfEntries {
public:
    using U = std::make_unsigned_t<I>;  // they are at most all entries of B
    struct Found {
        int owner;  ///< which of the entries of A
        I j;        ///< the entry of B
    };

    __device__ ProductsOfEntries(PatternView<I> a, PatternView<I> b, I first, I end_of_a, Window<I> window)
    {
        const int lane = Warp::lane();
        I begin = 0;
        I end = 0;
        if (lane < end_of_a - first) {
            const I k = a.col_idxs[first + lane];
            begin = b.row_ptrs[k];
            end = b.row_ptrs[k + 1];
            window.clip(b.col_idxs, begin, end);
        }
        const U length = static_cast<U>(end - begin);
        has_products_ = length > 0;
        const auto with_products = static_cast<std::uint32_t>(Warp::ballot(has_products_));
        are_first_ = (with_products & (with_products + 1)) == 0;
        U inclusive = length;
        LINDEN_UNROLL
        for (int distance = 1; distance < 32; distance *= 2) {
            const U other = Warp::shuffle_up(inclusive, distance);
            inclusive += lane >= distance ? other : 0;
        }
        before_ = inclusive - length;
        total_ = Warp::shuffle(inclusive, 31);
        origin_ = begin - static_cast<I>(before_);
    }

    __device__ U total() const { return total_; }
    /// Product number first + lane, if there are so many.
    __device__ Found find(U first) const
    {
        const U product = first + static_cast<U>(Warp::lane());
        int owner = 0;  // the last with before <= product
        if (are_first_) {
            const U after_first = before_ - first;
            const bool begins_here = has_products_ && after_first < 32;  // at one of the 32
            const auto begins = bits_of_warp(begins_here ? std::uint32_t{1} << after_first : 0);
            const auto before = static_cast<std::uint32_t>(Warp::ballot(has_products_ && before_ < first));
            owner = popcount(before) + popcount(begins & (~std::uint32_t{0} >> (31 - Warp::lane()))) - 1;
        } else {
            LINDEN_UNROLL
            for (int step = 16; step > 0; step /= 2) {
                owner += Warp::shuffle(before_, owner + step) <= product ? step : 0;
            }
        }
        return {owner, static_cast<I>(Warp::shuffle(origin_, owner) + static_cast<I>(product))};
    }

private:
    U before_, total_;
    I origin_;
    bool has_products_;
    bool are_first_;  ///< no entry without products comes before one with
};

/// Calls body(first, products) for the entries [a_begin, a_end) of a row of A, 32 at a time from `first` on. Called by
/// all lanes of a warp.
template <class I, class Body>
__device__ inline void for_each_32_entries(PatternView<I> a, PatternView<I> b, I a_begin, I a_end, Window<I> window,
                                           Body body)
{
    for (I first = a_begin; first < a_end; first += 32) {
        body(first, ProductsOfEntries<I>(a, b, first, a_end, window));
        if (a_end - first <= 32) {
            break;  // first + 32 may be no I
        }
    }
}

/// Calls body(exists, owner, i, j) for the products of the entries [a_begin, a_end) of a row of A in order, 32 at a
/// time: entries i of A and j of B. Products of one entry of A have the same `owner`, products of other entries among
/// the 32 another. Called by all lanes of a warp; of every `parts` times 32 products of 32 entries, it gets those of
/// `part`.
template <class I, class Body>
__device__ inline void for_each_product(PatternView<I> a, PatternView<I> b, I a_begin, I a_end, Window<I> window,
                                        int part, int parts, Body body)
{
    using U = typename ProductsOfEntries<I>::U;
    for_each_32_entries(a, b, a_begin, a_end, window, [&](I first, const ProductsOfEntries<I>& products) {
        for (U done = static_cast<U>(32 * part); done < products.total(); done += static_cast<U>(32 * parts)) {
            const U product = done + static_cast<U>(Warp::lane());
            const auto found = products.find(done);
            body(product < products.total(), found.owner, static_cast<I>(first + found.owner), found.j);
        }
    });
}

}  // namespace linden::LINDEN_GPU_NAMESPACE::spgemm
