#pragma once

#include "core/kernels/breadth_first.hpp"
#include "gpu/device/bits.cuh"
#include "gpu/device/memory_order.cuh"
#include "gpu/device/wide_scan.cuh"

/// What a block of threads does of a level of a search: it has some successive places of the level, and its children
/// stand together behind it.
namespace linden::LINDEN_GPU_NAMESPACE {

#if defined(LINDEN_HIP_PLATFORM_HOST)
inline constexpr int search_threads = 128;
#else
inline constexpr int search_threads = 1024;
#endif
/// The sums of blocks have room in breadth_first_workspace_bytes.
inline constexpr size_type most_search_blocks = 1024;

/// Places of `order`.
template <class I>
struct Places {
    I begin, end;

    /// What this block has of them, of which all blocks have as many.
    __device__ Places of_block() const
    {
        const I each = (end - begin + static_cast<I>(num_blocks()) - 1) / static_cast<I>(num_blocks());
        const size_type first = begin + size_type{each} * block_id();
        const size_type last = first + each;
        return {static_cast<I>(first < end ? first : end), static_cast<I>(last < end ? last : end)};
    }
};

/// L lanes take the row of a vertex, the whole block one that is long.
template <int L, class I>
class LevelOfBlock {
public:
    static constexpr int num_groups = search_threads / L;

    /// has_long_rows: whether the graph may have long rows.
    __device__ LevelOfBlock(SearchView<I> search, Places<I> mine, bool has_long_rows)
        : search_(search),
          mine_(mine),
          has_long_rows_(has_long_rows),
          first_(loaded_row(mine.begin + static_cast<I>(thread_id() / L)))
    {
    }

    __device__ static bool is_long(I length) { return length > 32 * L; }

    /// The first of the level's vertices becomes the parent of each neighbour that has none before.
    __device__ void claim() const
    {
        for_each_entry([&](I place, I k, I) {
            I* const parent = search_.parents + search_.graph.col_idxs[k];
            if (load_relaxed(parent) > place) {
                atomic_min(parent, place);
            }
        });
    }
    /// How many children the block's vertices have, in the threads together.
    __device__ I count() const
    {
        I children = 0;
        for_each_entry([&](I place, I k, I row_begin) { children += is_child(place, k, row_begin) ? 1 : 0; });
        return children;
    }
    /// The children go to `first` and the places behind it.
    __device__ void place(I first) const
    {
        LINDEN_SHARED(long_rows, Row[num_groups]);
        for (I base = mine_.begin; base < mine_.end; base += num_groups) {
            const Row row = row_of_step(base);
            const I k = row.begin + static_cast<I>(Subgroup<L>::lane());
            const bool is_first_child = !row.is_long() && k < row.end && is_child(row.place, k, row.begin);
            const LaneMask first_children = Subgroup<L>::ballot(is_first_child);
            I children = static_cast<I>(popcount(first_children));
            if (!row.is_long()) {
                for_each_later_stride(
                    row, [&](bool is_here, I) { children += static_cast<I>(popcount(Subgroup<L>::ballot(is_here))); });
            }
            if (Subgroup<L>::lane() == 0) {
                long_rows[thread_id() / L] = row;
            }
            const int num_long = num_long_rows(row);
            for (int i = 0; num_long > 0 && i < num_groups; ++i) {
                if (const Row of_block = long_rows[i]; of_block.is_long()) {
                    const I found = sum_of_block(count_long(of_block));
                    children = thread_id() / L == i ? found : children;
                }
            }
            I of_all = 0;
            const I before = wide_exclusive_scan<search_threads>(Subgroup<L>::lane() == 0 ? children : I{0}, of_all);
            const I at = Subgroup<L>::shuffle(first + before, 0);
            if (is_first_child) {
                search_.order[at + rank_in(first_children)] = search_.graph.col_idxs[k];
            }
            if (!row.is_long()) {
                put_later(row, at + static_cast<I>(popcount(first_children)));
            }
            if (Subgroup<L>::lane() == 0) {
                starts()[thread_id() / L] = at;
            }
            block_barrier();
            for (int i = 0; num_long > 0 && i < num_groups; ++i) {
                if (const Row of_block = long_rows[i]; of_block.is_long()) {
                    put_long(of_block, starts()[i]);
                }
            }
            first += of_all;
            block_barrier();
        }
    }

private:
    /// Of a vertex at a place; without entries where there is no such place.
    struct Row {
        I place, begin, end;
        __device__ bool is_long() const { return LevelOfBlock::is_long(end - begin); }
    };

    /// Of this thread at `base`, where a step over the block's places begins.
    __device__ Row row_of_step(I base) const
    {
        return base == mine_.begin ? first_ : loaded_row(base + static_cast<I>(thread_id() / L));
    }
    __device__ Row loaded_row(I place) const
    {
        if (place >= mine_.end) {
            return {place, 0, 0};
        }
        const I vertex = load_cached_global(search_.order + place);
        return {place, search_.graph.row_ptrs[vertex], search_.graph.row_ptrs[vertex + 1]};
    }
    /// Entries that say the same again do not count.
    __device__ bool is_child(I place, I k, I row_begin) const
    {
        const I vertex = search_.graph.col_idxs[k];
        return load_relaxed(search_.parents + vertex) == place &&
               (k == row_begin || search_.graph.col_idxs[k - 1] != vertex);
    }
    __device__ int num_long_rows(const Row& row) const
    {
        LINDEN_SHARED(num_long, int);
        if (!has_long_rows_) {
            return 0;
        }
        block_barrier();
        if (thread_id() == 0) {
            num_long = 0;
        }
        block_barrier();
        if (Subgroup<L>::lane() == 0 && row.is_long()) {
            atomic_add(&num_long, 1);
        }
        block_barrier();
        return num_long;
    }
    __device__ static I* starts()
    {
        LINDEN_SHARED(values, I[num_groups]);
        return values;
    }
    __device__ static I sum_of_block(I value)
    {
        I total = 0;
        (void)wide_exclusive_scan<search_threads>(value, total);
        return total;
    }

    /// Calls body(place, k, row_begin) in one thread for each entry of the block's rows.
    template <class Body>
    __device__ void for_each_entry(Body body) const
    {
        LINDEN_SHARED(long_rows, Row[num_groups]);
        for (I base = mine_.begin; base < mine_.end; base += num_groups) {
            const Row row = row_of_step(base);
            for (I k = row.begin + static_cast<I>(Subgroup<L>::lane()); !row.is_long() && k < row.end; k += L) {
                body(row.place, k, row.begin);
            }
            if (Subgroup<L>::lane() == 0) {
                long_rows[thread_id() / L] = row;
            }
            if (num_long_rows(row) == 0) {
                continue;
            }
            for (const Row& of_block : long_rows) {
                for (I k = of_block.begin + static_cast<I>(thread_id()); of_block.is_long() && k < of_block.end;
                     k += search_threads) {
                    body(of_block.place, k, of_block.begin);
                }
            }
            block_barrier();
        }
    }
    /// Calls body(is_child, k) in all lanes of a row for runs of L entries but the first one.
    template <class Body>
    __device__ void for_each_later_stride(const Row& row, Body body) const
    {
        for (I base = row.begin + L; base < row.end; base += L) {
            const I k = base + static_cast<I>(Subgroup<L>::lane());
            body(k < row.end && is_child(row.place, k, row.begin), k);
        }
    }
    /// How many of these lanes come before this one.
    __device__ static I rank_in(LaneMask lanes)
    {
        return static_cast<I>(popcount(lanes & ((LaneMask{1} << Subgroup<L>::lane()) - 1)));
    }
    __device__ void put_later(const Row& row, I at) const
    {
        for_each_later_stride(row, [&](bool is_here, I k) {
            const LaneMask here = Subgroup<L>::ballot(is_here);
            if (is_here) {
                search_.order[at + rank_in(here)] = search_.graph.col_idxs[k];
            }
            at += static_cast<I>(popcount(here));
        });
    }
    __device__ I count_long(const Row& row) const
    {
        I children = 0;
        for (I k = row.begin + static_cast<I>(thread_id()); k < row.end; k += search_threads) {
            children += is_child(row.place, k, row.begin) ? 1 : 0;
        }
        return children;
    }
    __device__ void put_long(const Row& row, I at) const
    {
        for (I base = row.begin; base < row.end; base += search_threads) {
            const I k = base + static_cast<I>(thread_id());
            const bool is_here = k < row.end && is_child(row.place, k, row.begin);
            I of_all = 0;
            const I before = wide_exclusive_scan<search_threads>(is_here ? I{1} : I{0}, of_all);
            if (is_here) {
                search_.order[at + before] = search_.graph.col_idxs[k];
            }
            at += of_all;
        }
    }

    SearchView<I> search_;
    Places<I> mine_;
    bool has_long_rows_;
    Row first_;  ///< of the first step, most often the only one, which all three passes need
};

/// Of blocks: those before this one, and all of them.
template <class I>
struct BlockSums {
    I before, all;

    __device__ friend BlockSums operator+(BlockSums a, BlockSums b) { return {a.before + b.before, a.all + b.all}; }
    __device__ friend BlockSums operator-(BlockSums a, BlockSums b) { return {a.before - b.before, a.all - b.all}; }
};

/// The sums of what blocks have stored. Called by all threads.
template <class I>
__device__ inline BlockSums<I> sum_blocks(const I* sums)
{
    BlockSums<I> mine{}, total{};
    for (int i = thread_id(); i < num_blocks(); i += search_threads) {
        const I value = load_relaxed(sums + i);
        mine = mine + BlockSums<I>{i < block_id() ? value : I{0}, value};
    }
    (void)wide_exclusive_scan<search_threads>(mine, total);
    return total;
}

/// Calls `launch.operator()<L>()` with lanes L for a row of the average length.
template <class Launch>
void with_search_lanes(size_type rows, size_type num_nonzeros, Launch launch)
{
    if (num_nonzeros <= 6 * rows) {
        launch.template operator()<4>();
    } else if (num_nonzeros <= 24 * rows) {
        launch.template operator()<8>();
    } else {
        launch.template operator()<32>();
    }
}

}  // namespace linden::LINDEN_GPU_NAMESPACE
