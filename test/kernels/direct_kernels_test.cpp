#include "core/kernels/direct.hpp"

#include <limits>

#include "core/kernels/ilu.hpp"
#include "test/support/factorizations.hpp"
#include "test/support/kernel_cases.hpp"
#include "test/support/stop_state.hpp"

/// Kernels of direct solvers: values and vectors into the order of factors, refinement.
namespace linden::test {
namespace {

template <class Types>
class DirectKernels : public testing::Test {
};
TYPED_TEST_SUITE(DirectKernels, TestedValueIndices, TypeNames);

TYPED_TEST(DirectKernels, LoadsRows)
{
    using V = typename TypeParam::value_type;
    using R = real_t<V>;
    using I = typename TypeParam::index_type;
    // [3 4; . 2], rows in the order 1, 0, column 0 of the last entry left out
    const CsrData<V, I> a{{2, 2}, {0, 2, 3}, {0, 1, 1}, {V{3}, V{4}, V{2}}};
    on_each_executor([&](const Executor& exec) {
        const Array<I> row_ptrs(exec, a.row_ptrs), cols(exec, a.col_idxs);
        const Array<I> rows(exec, std::vector<I>{1, 0}), places(exec, std::vector<I>{3, -1, 1});
        const Array<V> from(exec, a.values);
        const Array<R> scaling(exec, std::vector<R>{1, 1, 10});
        Array<V> values(exec, std::vector<V>(5, V{-7}));
        Array<R> norms(exec, std::vector<R>(2, R{-7}));
        const CsrView<V, I> view{2, 2, 3, row_ptrs.data(), cols.data(), from.data()};
        direct_load_rows<V, I>(exec, view, {rows.data(), places.data()}, scaling.data(), values.data(), norms.data());
        EXPECT_EQ(values.to_host(), (std::vector<V>{V{-7}, V{20}, V{-7}, V{3}, V{-7}}));
        EXPECT_EQ(norms.to_host(), (std::vector<R>{20, 5}));
    });
}

TYPED_TEST(DirectKernels, PermutesAndCorrects)
{
    using V = typename TypeParam::value_type;
    using R = real_t<V>;
    using I = typename TypeParam::index_type;
    on_each_executor([&](const Executor& exec) {
        const auto b = Dense<V>::from_rows(exec, {{V{1}, V{2}}, {V{3}, V{4}}, {V{5}, V{6}}});
        const Array<I> rows(exec, std::vector<I>{2, 0, 1});
        const Array<R> factors(exec, std::vector<R>{1, 10, 2});
        Dense<V> x(exec, {3, 2});
        direct_permute<V, I>(exec, rows.data(), factors.data(), b.view(), x.view());
        EXPECT_EQ(x.to_host(), (std::vector<V>{V{5}, V{6}, V{10}, V{20}, V{6}, V{8}}));
        StopState<R> stop(exec, 2);
        stop.status().copy_from_host(std::vector{SolveStatus::converged, SolveStatus::running}.data());
        direct_correct<V>(exec, b.view(), x.view(), stop.view());
        EXPECT_EQ(x.to_host(), (std::vector<V>{V{5}, V{8}, V{10}, V{24}, V{6}, V{14}}));
    });
}

TYPED_TEST(DirectKernels, FindsBackwardErrors)
{
    using V = typename TypeParam::value_type;
    using R = real_t<V>;
    using I = typename TypeParam::index_type;
    // |A| |x| + |b| = [1 2; . 3] [1; 2] + [3; 0] = [8; 6], and 0 in a row without entries
    const CsrData<V, I> a{{3, 3}, {0, 2, 3, 3}, {0, 1, 1}, {V{-1}, V{2}, V{3}}};
    on_each_executor([&](const Executor& exec) {
        const Csr<V, I> matrix(exec, a);
        const auto x = Dense<V>::vector(exec, {V{1}, V{-2}, V{0}}), b = Dense<V>::vector(exec, {V{-3}, V{0}, V{0}});
        auto r = Dense<V>::vector(exec, {V{-4}, V{1.5}, V{0}});
        Array<R> ratios(exec, 3);
        direct_error_ratios<V, I>(exec, matrix.view(), b.view(), x.view(), r.view(), true, ratios.data());
        EXPECT_EQ(ratios.to_host(), (std::vector<R>{0.5, 0.25, 0}));
        // With the residual, of one column, and of two: of the same x, and of x = 0.
        direct_error_ratios<V, I>(exec, matrix.view(), b.view(), x.view(), r.view(), false, ratios.data());
        EXPECT_EQ(r.to_host(), (std::vector<V>{V{2}, V{6}, V{0}}));
        EXPECT_EQ(ratios.to_host(), (std::vector<R>{0.25, 1, 0}));
        Dense<V> xs(exec, {3, 2}), bs(exec, {3, 2}), rs(exec, {3, 2});
        xs.columns(0, 1).copy_from(x);
        xs.columns(1, 1).fill(V{});
        bs.columns(0, 1).copy_from(b);
        bs.columns(1, 1).copy_from(b);
        Array<R> both(exec, 6);
        direct_error_ratios<V, I>(exec, matrix.view(), std::as_const(bs).view(), std::as_const(xs).view(), rs.view(),
                                  false, both.data());
        EXPECT_EQ(rs.to_host(), (std::vector<V>{V{2}, V{-3}, V{6}, V{0}, V{0}, V{0}}));
        EXPECT_EQ(both.to_host(), (std::vector<R>{0.25, 1, 1, 0, 0, 0}));
    });
}

TYPED_TEST(DirectKernels, FindsMaxima)
{
    using R = real_t<typename TypeParam::value_type>;
    constexpr size_type rows = 1300;
    std::vector<R> ratios(2 * rows, R{1});
    ratios[2 * 1200] = R{5};
    ratios[2 * 700 + 1] = std::numeric_limits<R>::quiet_NaN();
    on_each_executor([&](const Executor& exec) {
        Array<R> maxima(exec, 2 * num_error_parts);
        const Array<R> values(exec, ratios);
        direct_error_maxima<R>(exec, rows, 2, values.data(), maxima.data());
        const auto found = maxima.to_host();
        R first{};
        bool second_is_nan = false;
        for (std::size_t k = 0; k < found.size(); k += 2) {
            first = std::max(first, found[k]);
            second_is_nan |= std::isnan(found[k + 1]);
        }
        EXPECT_EQ(first, R{5});
        EXPECT_TRUE(second_is_nan);
    });
}

/// One column after `iteration` iterations, whose errors were `best` and are `error`.
template <class R>
std::pair<SolveStatus, R> judged(const Executor& exec, std::int64_t iteration, R best, R error)
{
    StopState<R> stop(exec, 1);
    const Array<R> norms(exec, std::vector<R>{3});
    StopRule rule{};
    rule.max_iterations = 20;
    rule.divergence = 1e9;
    stop_initialize<R>(exec, rule, norms.data(), norms.data(), stop.view());
    std::vector<std::int64_t> counts{iteration, 0};
    copy_bytes(Executor::reference(), counts.data(), exec, stop.view().iterations, sizeof counts[0]);
    Array<R> maxima(exec, std::vector<R>(num_error_parts, error)), errors(exec, 1),
        best_errors(exec, std::vector{best});
    direct_judge<R>(exec, {maxima.data(), errors.data(), best_errors.data(), 1e-3, 1e-1}, norms.data(), stop.view());
    EXPECT_EQ(errors.to_host().front(), error);
    EXPECT_EQ(best_errors.to_host().front(), iteration == 0 ? error : std::min(best, error));
    stop_check<R>(exec, norms.data(), stop.view());
    return {stop.status().to_host().front(), stop.norms().to_host()[1]};
}

TYPED_TEST(DirectKernels, Judges)
{
    using R = real_t<typename TypeParam::value_type>;
    on_each_executor([&](const Executor& exec) {
        using Outcome = std::pair<SolveStatus, R>;
        EXPECT_EQ(judged<R>(exec, 0, 9, R(1e-4)), (Outcome{SolveStatus::converged, 3}));  // the goal
        EXPECT_EQ(judged<R>(exec, 0, 9, R(1e-2)), (Outcome{SolveStatus::running, 0}));    // accepted, maybe better
        EXPECT_EQ(judged<R>(exec, 1, R(1e-2), R(1e-2)), (Outcome{SolveStatus::converged, 3}));  // no better
        EXPECT_EQ(judged<R>(exec, 2, R(1), R(0.9)), (Outcome{SolveStatus::running, 0}));
        EXPECT_EQ(judged<R>(exec, 5, R(1), R(0.9)), (Outcome{SolveStatus::stagnated, 0}));
        EXPECT_EQ(judged<R>(exec, 5, R(1), R(0.4)), (Outcome{SolveStatus::running, 0}));
        EXPECT_EQ(judged<R>(exec, 19, R(1), R(0.05)), (Outcome{SolveStatus::converged, 3}));  // the last one
        EXPECT_EQ(judged<R>(exec, 19, R(1), R(0.4)), (Outcome{SolveStatus::max_iterations, 0}));
    });
}

/// Closed patterns, in which hosts take rows together and devices rows of several waves, have the factors of other
/// kernels; limits hold.
TYPED_TEST(DirectKernels, FactorsOfClosedPatterns)
{
    using V = typename TypeParam::value_type;
    using R = real_t<V>;
    using I = typename TypeParam::index_type;
    constexpr I n = 150;
    Random random(4);
    CsrData<V, I> a{{n, n}, {0}, {}, {}};
    for (I i = 0; i < n; ++i) {  // two full blocks of 75 rows, and a border
        for (I j = 0; j < n; ++j) {
            if (i / 75 == j / 75 || i >= 146 || j >= 146) {
                a.col_idxs.push_back(j);
                a.values.push_back(i == j ? V{n} : random.value<V>());
            }
        }
        a.row_ptrs.push_back(static_cast<I>(a.col_idxs.size()));
    }
    const auto expected = naive_lu(a).values;
    on_each_executor([&](const Executor& exec) {
        const HostPattern<I> host{a.size, a.row_ptrs, a.col_idxs};
        const PatternOn<I> pattern(exec, host);
        Array<I> diagonal(exec, n);
        pattern_find_diagonal<I>(exec, pattern.view(), diagonal.data());
        const auto levels = levels_on(exec, host, Side::lower, 0);
        const Array<I> order(exec, levels.order), level_ptrs(exec, levels.level_ptrs);
        Array<std::byte> workspace(exec, closed_ilu_workspace_bytes<V>(n, std::max(exec.info().num_units, 1)));
        const auto factorize = [&](const std::vector<V>& from, R limit, PivotReport& found) {
            Array<V> values(exec, from);
            Array<PivotReport> report(exec, 1);
            const Array<R> norms(exec, std::vector<R>(n, R{2}));
            ilu_factorize<V, I>(
                exec, {pattern.view(), diagonal.data(), order.data(), levels.num_levels, level_ptrs.data(), true},
                {.norms = norms.data(), .least = limit, .stand_in = limit, .keeps_sign = true}, values.data(),
                report.data(), {workspace.data(), workspace.size()});
            found = report.to_host().front();
            return values.to_host();
        };
        PivotReport report;
        expect_near(factorize(a.values, R(1e-3), report), expected, 100);
        EXPECT_EQ(report.num_bad, 0);
        auto small = a.values;
        small[0] = V{R(-1e-3)};
        EXPECT_EQ(factorize(small, R(0.25), report)[0], V{R(-0.5)});  // the limit times the norm, with the sign
        EXPECT_EQ(report.first_row, 0);
    });
}

}  // namespace
}  // namespace linden::test
