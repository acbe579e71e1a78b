#include "core/factorization/pivot_selection.hpp"

#include <linden/error.hpp>

#include <string>

#include "core/kernels/pattern.hpp"
#include "core/kernels/pivoting.hpp"
#include "core/matrix/square.hpp"

// instantiate: detail::PivotSelection<I> detail::select_pivots<V, I>(const Executor&, CsrView<V, I>, const detail::PivotRule&)

namespace linden::detail {
namespace {

void check(const PivotRule& rule)
{
    if (!(rule.delta >= 0 && rule.delta <= 1)) {
        throw InvalidParameter("delta", std::to_string(rule.delta), "from 0 to 1");
    }
    if (!(rule.fraction >= 0 && rule.fraction <= 1)) {
        throw InvalidParameter("fraction", std::to_string(rule.fraction), "from 0 to 1");
    }
    if (rule.min_product < 0) {
        throw InvalidParameter("min_product", std::to_string(rule.min_product), "at least 0");
    }
    if (rule.rounds < 1) {
        throw InvalidParameter("rounds", std::to_string(rule.rounds), "at least 1");
    }
}

}  // namespace

template <class V, class I>
PivotSelection<I> select_pivots(const Executor& exec, CsrView<V, I> a, const PivotRule& rule)
{
    const size_type n = square("select_pivots", a.size()).rows;
    check(rule);
    PivotSelection<I> selection{Array<I>(exec, n)};
    Array<I> column_counts(exec, n), candidates(exec, n);
    Array<PivotKey> row_keys(exec, n), least_touching(exec, n), least_candidate(exec, n);
    Array<ColumnUse> uses(exec, n);
    Array<std::uint64_t> class_counts(exec, num_product_classes), max_product(exec, 1);
    const PivotSearch<I> search{PivotKeys(n, rule.hashed_ties),
                                column_counts.data(),
                                candidates.data(),
                                row_keys.data(),
                                least_touching.data(),
                                least_candidate.data(),
                                uses.data(),
                                class_counts.data(),
                                max_product.data()};
    const ProductLimit limit{rule.fraction, static_cast<std::uint64_t>(rule.min_product)};
    pattern_count_columns<I>(exec, a, column_counts.data());
    pivoting_start<I>(exec, n, search, selection.column.data());
    for (size_type round = 0; round < rule.rounds; ++round) {
        pivoting_find_candidates<V, I>(exec, a, {rule.delta, rule.diagonal_only}, search);
        if (round == 0) {
            pivoting_limit_products<I>(exec, n, limit, search);
        }
        pivoting_post_candidates<I>(exec, a, search);
        pivoting_choose<I>(exec, a, search, selection.column.data());
    }
    return selection;
}

}  // namespace linden::detail
