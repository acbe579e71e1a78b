#pragma once

#include <string>
#include <vector>

#include "core/kernels/pivoting.hpp"
#include "test/support/host_kernels.hpp"
#include "test/support/kernel_cases.hpp"

/// What the tests of kernels that find pivots share.
namespace linden::test {

struct PivotSettings {
    CandidateRule rule;
    ProductLimit limit;
    bool hashed = false;
};

/// Everything that the kernels write, on the host.
template <class I>
struct PivotState {
    std::vector<I> candidates;
    std::vector<PivotKey> row_keys, least_touching, least_candidate;
    std::vector<ColumnUse> uses;
    std::vector<std::uint64_t> class_counts, max_product;
    std::vector<I> columns;

    bool operator==(const PivotState&) const = default;
};

/// A state with something else in every place.
template <class I>
PivotState<I> unwritten_state(size_type n)
{
    const auto size = static_cast<std::size_t>(n);
    const std::vector<PivotKey> keys(size, 77);
    return {std::vector<I>(size, 77),
            keys,
            keys,
            keys,
            std::vector<ColumnUse>(size, ColumnUse::of_pivot),
            std::vector<std::uint64_t>(num_product_classes, 77),
            {77},
            std::vector<I>(size, 77)};
}

enum class PivotStep { start, find_candidates, limit_products, post_candidates, choose };

template <class I>
std::vector<I> column_counts(const std::vector<I>& col_idxs, size_type cols)
{
    std::vector<I> counts(static_cast<std::size_t>(cols));
    for (const I col : col_idxs) {
        ++counts[col];
    }
    return counts;
}

/// The state that a kernel on `exec` makes of another.
template <class V, class I>
PivotState<I> after(const Executor& exec, const CsrData<V, I>& host, const PivotSettings& settings, PivotStep step,
                    const PivotState<I>& before)
{
    const size_type n = host.size.rows;
    const Csr<V, I> a(exec, host);
    Array<I> counts(exec, column_counts(host.col_idxs, n));
    Array<I> candidates(exec, before.candidates), columns(exec, before.columns);
    Array<PivotKey> row_keys(exec, before.row_keys), least_touching(exec, before.least_touching);
    Array<PivotKey> least_candidate(exec, before.least_candidate);
    Array<ColumnUse> uses(exec, before.uses);
    Array<std::uint64_t> class_counts(exec, before.class_counts), max_product(exec, before.max_product);
    const PivotSearch<I> search{
        PivotKeys(n, settings.hashed), counts.data(), candidates.data(),   row_keys.data(),   least_touching.data(),
        least_candidate.data(),        uses.data(),   class_counts.data(), max_product.data()};
    switch (step) {
    case PivotStep::start:
        pivoting_start<I>(exec, n, search, columns.data());
        break;
    case PivotStep::find_candidates:
        pivoting_find_candidates<V, I>(exec, a.view(), settings.rule, search);
        break;
    case PivotStep::limit_products:
        pivoting_limit_products<I>(exec, n, settings.limit, search);
        break;
    case PivotStep::post_candidates:
        pivoting_post_candidates<I>(exec, a.view(), search);
        break;
    case PivotStep::choose:
        pivoting_choose<I>(exec, a.view(), search, columns.data());
        break;
    }
    return {candidates.to_host(), row_keys.to_host(),     least_touching.to_host(), least_candidate.to_host(),
            uses.to_host(),       class_counts.to_host(), max_product.to_host(),    columns.to_host()};
}

/// The kernel for `step` makes the same of all states of a search as the reference, on every executor and with any
/// number of threads.
template <class V, class I>
void expect_step_like_reference(const KernelEntry& kernel, PivotStep step, const CsrData<V, I>& a,
                                const PivotSettings& settings)
{
    using enum PivotStep;
    auto state = unwritten_state<I>(a.size.rows);
    for (const auto next : {start, find_candidates, limit_products, post_candidates, choose, find_candidates,
                            post_candidates, choose, find_candidates}) {
        if (next == step) {
            expect_like_reference_on(
                kernel, [&](const Executor& exec) { return after(exec, a, settings, next, state); },
                [](const auto& x, const auto& y) { return x == y; });
        }
        state = after(reference_executor(), a, settings, next, state);
    }
}

/// Calls f(a, settings) for random matrices with zeros, infinite numbers and numbers that are none.
template <class V, class I, class F>
void for_each_pivot_problem(std::uint64_t seed, const F& f)
{
    Random random(seed);
    for (const size_type rows : {0, 1, 31, 33, 597, 2000}) {
        for (const auto kind : all_patterns) {
            SCOPED_TRACE(std::to_string(rows) + " rows");
            auto a = random_csr<V, I>(random, {rows, rows}, rows < 100 ? 12 : 5, kind);
            for (auto& value : a.values) {
                const auto odd = random.integer(0, 60);
                value = odd == 0 ? V{} : odd == 1 ? not_a_number<V>() : odd == 2 ? V{1} / V{} : value;
            }
            f(a, PivotSettings{{0.1, false}, {0.25, 8}, true});
            f(a, PivotSettings{{0.5, false}, {1, 0}, false});
            f(a, PivotSettings{{0.01, true}, {0.5, 0}, true});
        }
    }
}

/// [4 1 . . .; 1 . 2 . .; . 3 5 . 1; . . . . 2; . . 1 2 9]
template <class V, class I>
CsrData<V, I> pivot_example()
{
    return {{5, 5},
            {0, 2, 4, 7, 8, 11},
            {0, 1, 0, 2, 1, 2, 4, 4, 2, 3, 4},
            {V{4}, V{1}, V{1}, V{2}, V{3}, V{5}, V{1}, V{2}, V{1}, V{2}, V{9}}};
}

/// The example's settings: all products, ties by rows.
inline PivotSettings pivot_example_settings() { return {{0.5, false}, {1, 0}, false}; }

/// The state of the example before the limit is found. Keys are 8 times the product, and the row.
template <class I>
PivotState<I> pivot_example_candidates()
{
    const std::vector<PivotKey> no_keys(5, no_pivot_key);
    return {{0, 0, 1, 4, 4},
            {8 * 1 + 0, 8 * 1 + 1, 8 * 2 + 2, 8 * 0 + 3, 8 * 4 + 4},
            no_keys,
            no_keys,
            std::vector<ColumnUse>(5, ColumnUse::free),
            std::vector<std::uint64_t>(num_product_classes),
            {0},
            std::vector<I>(5, -1)};
}

}  // namespace linden::test
