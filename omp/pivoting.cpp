#include "core/portable/pivoting.hpp"

#include <array>
#include <atomic>

#include "omp/parallel.hpp"

namespace linden::omp {
namespace {

/// shared := value if that is less.
void lower(std::uint64_t& shared, std::uint64_t value)
{
    const std::atomic_ref least(shared);
    auto seen = least.load(std::memory_order_relaxed);
    while (value < seen && !least.compare_exchange_weak(seen, value, std::memory_order_relaxed)) {
    }
}

template <class V, class I>
void find_candidates(const Executor& exec, CsrView<V, I> a, CandidateRule rule, PivotSearch<I> search)
{
    parallel_parts(exec, by_nonzeros(a), [&](size_type begin, size_type end) {
        for (size_type row = begin; row < end; ++row) {
            enter_candidate(a, row, rule, search);
        }
    });
}

template <class I>
void limit_products(const Executor& exec, size_type n, ProductLimit limit, PivotSearch<I> search)
{
    parallel_rows(exec, n, [&](size_type begin, size_type end) {
        std::array<std::uint64_t, num_product_classes> counts{};
        for (size_type row = begin; row < end; ++row) {
            if (search.candidates[row] >= 0) {
                ++counts[class_of_product(search.keys.product(search.row_keys[row]))];
            }
        }
        for (size_type i = 0; i < num_product_classes; ++i) {
            std::atomic_ref(search.class_counts[i]).fetch_add(counts[i], std::memory_order_relaxed);
        }
    });
    *search.max_product = largest_product(limit, search.class_counts);
}

template <class I>
void post_candidates(const Executor& exec, PatternView<I> a, PivotSearch<I> search)
{
    parallel_parts(exec, NonzeroPartition<I>{a.row_ptrs, a.rows}, [&](size_type begin, size_type end) {
        for (size_type row = begin; row < end; ++row) {
            const I candidate = search.candidates[row];
            if (candidate < 0) {
                continue;
            }
            const PivotKey key = search.row_keys[row];
            if (search.keys.product(key) > *search.max_product) {
                search.candidates[row] = -1;
                continue;
            }
            lower(search.least_candidate[candidate], key);
            for (I k = a.row_ptrs[row]; k < a.row_ptrs[row + 1]; ++k) {
                lower(search.least_touching[a.col_idxs[k]], key);
            }
        }
    });
}

template <class I>
void choose(const Executor& exec, PatternView<I> a, PivotSearch<I> search, I* columns)
{
    const auto set = [&](size_type col, ColumnUse use) {  // others may say that they touch it, too
        std::atomic_ref(search.uses[col]).store(use, std::memory_order_relaxed);
    };
    parallel_parts(exec, NonzeroPartition<I>{a.row_ptrs, a.rows}, [&](size_type begin, size_type end) {
        for (size_type row = begin; row < end; ++row) {
            const I candidate = search.candidates[row];
            if (candidate < 0 || !is_least_of_excluded(a, row, search)) {
                continue;
            }
            columns[row] = candidate;
            search.candidates[row] = -1;
            for (I k = a.row_ptrs[row]; k < a.row_ptrs[row + 1]; ++k) {
                const I col = a.col_idxs[k];
                set(col, col == candidate ? ColumnUse::of_pivot : ColumnUse::touched);
            }
        }
    });
}

}  // namespace

void register_pivoting()
{
    for_each_value_index(
        []<class V, class I>() { pivoting_find_candidates<V, I>.bind(Backend::omp, find_candidates<V, I>); });
    for_each_index([]<class I>() {
        pivoting_limit_products<I>.bind(Backend::omp, limit_products<I>);
        pivoting_post_candidates<I>.bind(Backend::omp, post_candidates<I>);
        pivoting_choose<I>.bind(Backend::omp, choose<I>);
    });
}

}  // namespace linden::omp
