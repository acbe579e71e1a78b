#include "core/portable/pivoting.hpp"

#include <algorithm>

namespace linden::reference {
namespace {

template <class V, class I>
void find_candidates(const Executor&, CsrView<V, I> a, CandidateRule rule, PivotSearch<I> search)
{
    for (size_type row = 0; row < a.rows; ++row) {
        enter_candidate(a, row, rule, search);
    }
}

template <class I>
void limit_products(const Executor&, size_type n, ProductLimit limit, PivotSearch<I> search)
{
    for (size_type row = 0; row < n; ++row) {
        if (search.candidates[row] >= 0) {
            ++search.class_counts[class_of_product(search.keys.product(search.row_keys[row]))];
        }
    }
    *search.max_product = largest_product(limit, search.class_counts);
}

template <class I>
void post_candidates(const Executor&, PatternView<I> a, PivotSearch<I> search)
{
    for (size_type row = 0; row < a.rows; ++row) {
        const I candidate = search.candidates[row];
        if (candidate < 0) {
            continue;
        }
        const PivotKey key = search.row_keys[row];
        if (search.keys.product(key) > *search.max_product) {
            search.candidates[row] = -1;
            continue;
        }
        search.least_candidate[candidate] = std::min(search.least_candidate[candidate], key);
        for (I k = a.row_ptrs[row]; k < a.row_ptrs[row + 1]; ++k) {
            PivotKey& least = search.least_touching[a.col_idxs[k]];
            least = std::min(least, key);
        }
    }
}

template <class I>
void choose(const Executor&, PatternView<I> a, PivotSearch<I> search, I* columns)
{
    for (size_type row = 0; row < a.rows; ++row) {
        const I candidate = search.candidates[row];
        if (candidate < 0 || !is_least_of_excluded(a, row, search)) {
            continue;
        }
        columns[row] = candidate;
        search.candidates[row] = -1;
        for (I k = a.row_ptrs[row]; k < a.row_ptrs[row + 1]; ++k) {
            search.uses[a.col_idxs[k]] = ColumnUse::touched;
        }
        search.uses[candidate] = ColumnUse::of_pivot;
    }
}

}  // namespace

void register_pivoting()
{
    for_each_value_index(
        []<class V, class I>() { pivoting_find_candidates<V, I>.bind(Backend::reference, find_candidates<V, I>); });
    for_each_index([]<class I>() {
        pivoting_limit_products<I>.bind(Backend::reference, limit_products<I>);
        pivoting_post_candidates<I>.bind(Backend::reference, post_candidates<I>);
        pivoting_choose<I>.bind(Backend::reference, choose<I>);
    });
}

}  // namespace linden::reference
