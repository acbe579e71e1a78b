#include "core/portable/pivoting.hpp"

#include "gpu/device/scan.cuh"
#include "gpu/vector/row_groups.cuh"

/// Subgroups take rows. A round is three launches, and the host reads nothing between rounds.
namespace linden::LINDEN_GPU_NAMESPACE {
namespace {

// ---- candidates -----------------------------------------------------------------------------------------------------

/// The preferred one of two entries.
struct Preferred {
    template <class Entry>
    __device__ Entry operator()(const Entry& a, const Entry& b) const
    {
        return b.is_before(a) ? b : a;
    }
};

template <class V, class I>
struct FindCandidates {
    using R = device_real<V>;
    using Entry = CandidateEntry<R, I>;

    CsrView<V, I> a;
    CandidateRule rule;
    PivotSearch<I> search;

    template <class Group>
    __device__ void operator()(Group, size_type row) const
    {
        if (Group::lane() == 0) {
            search.least_touching[row] = search.least_candidate[row] = no_pivot_key;
        }
        if (search.candidates[row] < 0) {
            return;
        }
        const Entry found = best_entry<Group>(row);
        if (Group::lane() != 0) {
            return;
        }
        search.candidates[row] = found.col;
        if (found.exists()) {
            search.row_keys[row] = search.keys(row, a.row_ptrs[row + 1] - a.row_ptrs[row], found.col_count);
        }
    }

private:
    __device__ R size_of(size_type k) const
    {
        const V value = a.values[k];
        return pivot_size<R>(real(value), imag(value));
    }

    template <class Group>
    __device__ Entry best_entry(size_type row) const
    {
        const size_type begin = a.row_ptrs[row] + Group::lane();
        const size_type end = a.row_ptrs[row + 1];
        R largest{};
        bool is_blocked = false;
        for (size_type k = begin; k < end; k += Group::size) {
            const R size = size_of(k);
            largest = size > largest ? size : largest;
            is_blocked |= search.uses[a.col_idxs[k]] == ColumnUse::of_pivot;
        }
        if (Group::any(is_blocked)) {
            return {};
        }
        const R least = static_cast<R>(rule.delta) * Group::reduce(largest, Max{});
        Entry best;
        for (size_type k = begin; k < end; k += Group::size) {
            const I col = a.col_idxs[k];
            const R size = size_of(k);
            const bool is_allowed = size > R{} && size >= least && (!rule.diagonal_only || col == row);
            if (is_allowed && search.uses[col] == ColumnUse::free) {
                const Entry entry{size, col, search.column_counts[col]};
                best = entry.is_before(best) ? entry : best;
            }
        }
        return Group::reduce(best, Preferred{});
    }
};

template <class V, class I>
void find_candidates(const Executor& exec, CsrView<V, I> a, CandidateRule rule, PivotSearch<I> search)
{
    map_rows(exec, a.rows, a.num_nonzeros, FindCandidates<device_type<V>, I>{as_device(a), rule, search});
}

// ---- the limit ------------------------------------------------------------------------------------------------------

/// Blocks count in shared memory first, since most candidates are of a few classes.
template <class I>
__global__ void __launch_bounds__(column_block_threads) count_classes(size_type n, PivotSearch<I> search)
{
    LINDEN_SHARED(counts, std::uint32_t[num_product_classes]);
    for (int i = thread_id(); i < num_product_classes; i += block_threads()) {
        counts[i] = 0;
    }
    block_barrier();
    for (size_type row = global_id(); row < n; row += grid_threads()) {
        if (search.candidates[row] >= 0) {
            atomic_add(counts + class_of_product(search.keys.product(search.row_keys[row])), 1);
        }
    }
    block_barrier();
    for (int i = thread_id(); i < num_product_classes; i += block_threads()) {
        if (counts[i] != 0) {
            atomic_add(search.class_counts + i, counts[i]);
        }
    }
}

inline constexpr int limit_threads = 256;
static_assert(limit_threads >= num_product_classes);

/// One block, a thread for each class.
template <class I>
__global__ void __launch_bounds__(limit_threads) find_limit(ProductLimit limit, PivotSearch<I> search)
{
    const std::uint64_t own = thread_id() < num_product_classes ? search.class_counts[thread_id()] : 0;
    std::uint64_t num_candidates{};
    const std::uint64_t before = block_exclusive_scan<limit_threads>(own, num_candidates);
    const bool is_enough_before = thread_id() != 0 && is_enough(limit, before, num_candidates);
    if (is_enough(limit, before + own, num_candidates) && !is_enough_before) {
        const std::uint64_t largest = largest_of_class(thread_id());
        *search.max_product = largest < limit.lowest ? limit.lowest : largest;
    }
}

template <class I>
void limit_products(const Executor& exec, size_type n, ProductLimit limit, PivotSearch<I> search)
{
    launch_on(exec, count_classes<I>, busy_blocks(exec, n), column_block_threads, 0, n, search);
    launch_on(exec, find_limit<I>, 1, limit_threads, 0, limit, search);
}

// ---- the choice -----------------------------------------------------------------------------------------------------

template <class I>
struct PostCandidates {
    PatternView<I> a;
    PivotSearch<I> search;

    template <class Group>
    __device__ void operator()(Group, size_type row) const
    {
        const I candidate = search.candidates[row];
        if (candidate < 0) {
            return;
        }
        const PivotKey key = search.row_keys[row];
        const bool waits = search.keys.product(key) > *search.max_product;
        Group::sync();  // all lanes have read what the first may write
        if (Group::lane() == 0) {
            if (waits) {
                search.candidates[row] = -1;
            } else {
                atomic_min(search.least_candidate + candidate, key);
            }
        }
        const size_type end = waits ? I{} : a.row_ptrs[row + 1];
        for (size_type k = a.row_ptrs[row] + Group::lane(); k < end; k += Group::size) {
            atomic_min(search.least_touching + a.col_idxs[k], key);
        }
    }
};

template <class I>
void post_candidates(const Executor& exec, PatternView<I> a, PivotSearch<I> search)
{
    map_rows(exec, a.rows, a.num_nonzeros, PostCandidates<I>{a, search});
}

template <class I>
struct Choose {
    PatternView<I> a;
    PivotSearch<I> search;
    I* columns;

    template <class Group>
    __device__ void operator()(Group, size_type row) const
    {
        const I candidate = search.candidates[row];
        if (candidate < 0) {
            return;
        }
        const PivotKey key = search.row_keys[row];
        const size_type begin = a.row_ptrs[row] + Group::lane();
        const size_type end = a.row_ptrs[row + 1];
        bool is_excluded = search.least_touching[candidate] < key;
        for (size_type k = begin; k < end && !is_excluded; k += Group::size) {
            is_excluded = search.least_candidate[a.col_idxs[k]] < key;
        }
        if (Group::any(is_excluded)) {
            return;
        }
        if (Group::lane() == 0) {
            columns[row] = candidate;
            search.candidates[row] = -1;
        }
        for (size_type k = begin; k < end; k += Group::size) {
            const I col = a.col_idxs[k];
            store_relaxed(search.uses + col, col == candidate ? ColumnUse::of_pivot : ColumnUse::touched);
        }
    }
};

template <class I>
void choose(const Executor& exec, PatternView<I> a, PivotSearch<I> search, I* columns)
{
    map_rows(exec, a.rows, a.num_nonzeros, Choose<I>{a, search, columns});
}

}  // namespace

void register_pivoting()
{
    for_each_value_index(
        []<class V, class I>() { pivoting_find_candidates<V, I>.bind(this_backend, find_candidates<V, I>); });
    for_each_index([]<class I>() {
        pivoting_limit_products<I>.bind(this_backend, limit_products<I>);
        pivoting_post_candidates<I>.bind(this_backend, post_candidates<I>);
        pivoting_choose<I>.bind(this_backend, choose<I>);
    });
}

}  // namespace linden::LINDEN_GPU_NAMESPACE
