#include <algorithm>
#include <cmath>
#include <limits>

#include "core/factorization/row_panels.hpp"
#include "test/support/factorizations.hpp"

/// Exact factorizations of hosts by panels, and solves with them.
namespace linden::test {
namespace {

template <class Types>
class PanelsFactorize : public testing::Test {
};
TYPED_TEST_SUITE(PanelsFactorize, TestedValueIndices, TypeNames);

/// Full blocks of 1, 2, ... rows, and a border that joins them: like rows, subtrees, and rows that panels do not suit.
template <class V, class I>
CsrData<V, I> bordered_blocks(Random& random, I num_blocks, I border)
{
    std::vector<I> block_of;
    for (I b = 0; b < num_blocks; ++b) {
        block_of.insert(block_of.end(), static_cast<std::size_t>(b % 16 + 1), b);
    }
    const I inner = static_cast<I>(block_of.size()), n = inner + border;
    CsrData<V, I> a{{n, n}, {0}, {}, {}};
    for (I i = 0; i < n; ++i) {
        for (I j = 0; j < n; ++j) {
            const bool is_border = i >= inner || j >= inner;
            if (is_border ? std::min(i, j) >= inner || (i + j) % 3 == 0 || std::min(i, j) % 2 == 0
                          : block_of[i] == block_of[j]) {
                a.col_idxs.push_back(j);
                a.values.push_back(i == j ? V{real_t<V>(n)} : random.value<V>());
            }
        }
        a.row_ptrs.push_back(static_cast<I>(a.col_idxs.size()));
    }
    return a;
}

/// Of an unsymmetric pattern.
template <class V, class I>
CsrData<V, I> dominant_random(Random& random, I n)
{
    CsrData<V, I> a{{n, n}, {0}, {}, {}};
    for (I i = 0; i < n; ++i) {
        for (I j = 0; j < n; ++j) {
            if (i == j || random.integer(0, n) < 2) {
                a.col_idxs.push_back(j);
                a.values.push_back(i == j ? V{real_t<V>(n)} : random.value<V>());
            }
        }
        a.row_ptrs.push_back(static_cast<I>(a.col_idxs.size()));
    }
    return a;
}

/// Adds the fill that is missing, as zeros.
template <class V, class I>
CsrData<V, I> closed(const CsrData<V, I>& a)
{
    Full<V> full(a);
    for (size_type k = 0; k < full.n; ++k) {
        for (size_type i = k + 1; i < full.n; ++i) {
            for (size_type j = k + 1; j < full.n && full.has(i, k); ++j) {
                full.is_there[i * full.n + j] = full.has(i, j) || full.has(k, j);
            }
        }
    }
    CsrData<V, I> c{a.size, {0}, {}, full.on_pattern()};
    for (size_type i = 0; i < full.n; ++i) {
        for (size_type j = 0; j < full.n; ++j) {
            if (full.has(i, j)) {
                c.col_idxs.push_back(static_cast<I>(j));
            }
        }
        c.row_ptrs.push_back(static_cast<I>(c.col_idxs.size()));
    }
    return c;
}

/// Updates per entry, or the next number below.
template <class I>
double most_updates(const linden::detail::HostPattern<I>& f)
{
    std::vector<size_type> beyond(f.row_ptrs.size() - 1, 0);
    size_type sum = 0;
    for (size_type i = 0; i < f.rows(); ++i) {
        for (I e = f.row_ptrs[i]; e < f.row_ptrs[i + 1]; ++e) {
            beyond[i] += f.col_idxs[e] > i ? 1 : 0;
            sum += f.col_idxs[e] < i ? beyond[f.col_idxs[e]] : 0;
        }
    }
    return std::nextafter(static_cast<double>(sum) / static_cast<double>(f.num_nonzeros()), 0.0);
}

enum class Way { panels, updates, short_rows_by_updates };
constexpr auto all_ways = {Way::panels, Way::updates, Way::short_rows_by_updates};

/// A + A^H, on a symmetric pattern.
template <class V, class I>
CsrData<V, I> plus_adjoint(CsrData<V, I> a)
{
    const Full<V> full(a);
    for (size_type i = 0; i < full.n; ++i) {
        for (I k = a.row_ptrs[i]; k < a.row_ptrs[i + 1]; ++k) {
            a.values[k] += conj(full.values[a.col_idxs[k] * full.n + i]);
        }
    }
    return a;
}

template <class V, class I>
Factors<V> factors_of(const Executor& exec, const CsrData<V, I>& a, Way way, bool is_symmetric,
                      std::vector<V>* x = nullptr, bool is_hermitian = false, PivotLimits<real_t<V>> limits = {})
{
    const HostPattern<I> host{a.size, a.row_ptrs, a.col_idxs};
    const PatternOn<I> pattern(exec, host);
    const linden::detail::HostPattern<I> f{a.row_ptrs, a.col_idxs};
    const auto panels =
        linden::detail::make_row_panels<I>(f, is_symmetric ? linden::detail::elimination_tree(f) : std::vector<I>{});
    // All updates; or those of short rows, where there are long ones.
    const auto most = way == Way::updates ? std::numeric_limits<double>::infinity() : most_updates(f);
    linden::detail::PanelSchedule<I> schedule(exec, pattern.view(), panels,
                                              linden::detail::count_updates(panels.view(pattern.view()), most));
    const Array<real_t<V>> norms(exec, row_norms(a));
    limits.norms = norms.data();
    const auto threads = std::max<size_type>(exec.info().num_units, 1);
    Array<std::byte> workspace(exec, std::max(panels_workspace_bytes<V>(a.size.rows, threads),
                                              linden::detail::UpdateList<I>::workspace_bytes(a.size.rows)));
    if (way != Way::panels) {
        schedule.write_updates({workspace.data(), workspace.size()});
    }
    Array<V> values(exec, a.values);
    Array<PivotReport> report(exec, 1);
    auto view = schedule.view();
    view.updates.is_hermitian = is_hermitian && view.updates.is_there;
    panels_factorize<V, I>(exec, view, limits, values.data(), report.data(),
                           WorkspaceView{workspace.data(), workspace.size()});
    if (x != nullptr) {
        auto block = Dense<V>::vector(exec, *x);
        panels_solve<V, I>(exec, schedule.view(), values.data(), block.view());
        *x = block.to_host();
    }
    return {values.to_host(), report.to_host().front()};
}

template <class F>
void on_each_host_and_way(const F& f)
{
    on_each_executor([&](const Executor& exec) {
        for (const Way way : all_ways) {
            if (exec.is_host()) {
                f(exec, way);
            }
        }
    });
}

TYPED_TEST(PanelsFactorize, ByHand)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    const CsrData<V, I> a{
        {3, 3}, {0, 3, 6, 9}, {0, 1, 2, 0, 1, 2, 0, 1, 2}, {V{2}, V{1}, V{1}, V{4}, V{5}, V{3}, V{2}, V{7}, V{9}}};
    on_each_host_and_way([&](const Executor& exec, Way way) {
        std::vector<V> x{V{4}, V{12}, V{18}};
        const auto f = factors_of(exec, a, way, true, &x);
        EXPECT_EQ(f.values, (std::vector<V>{V{2}, V{1}, V{1}, V{2}, V{3}, V{1}, V{1}, V{2}, V{6}}));
        expect_same_report(f.report, PivotReport{});
        expect_near(x, {V{1}, V{1}, V{1}}, 4);
        const CsrData<V, I> singular{{2, 2}, {0, 2, 4}, {0, 1, 0, 1}, {V{1}, V{3}, V{4}, V{12}}};
        const auto bad = factors_of(exec, singular, way, true);
        expect_same_report(bad.report, {1, 1});
        const CsrData<V, I> empty{{0, 0}, {0}, {}, {}};
        expect_same_report(factors_of(exec, empty, way, true).report, PivotReport{});
        const CsrData<V, I> diagonal{{2, 2}, {0, 1, 2}, {0, 1}, {V{5}, V{-1}}};
        EXPECT_EQ(factors_of(exec, diagonal, way, true).values, diagonal.values);
    });
}

TYPED_TEST(PanelsFactorize, SmallPivotsByHand)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    std::vector<V>* const no_solve = nullptr;
    on_each_host_and_way([&](const Executor& exec, Way way) {
        for (const bool is_hermitian : {false, way != Way::panels}) {
            expect_replaces_small_pivots<V, I>([&](const CsrData<V, I>& a) {
                return factors_of(exec, a, way, true, no_solve, is_hermitian, limits_of_small_pivots<real_t<V>>());
            });
        }
    });
}

TYPED_TEST(PanelsFactorize, LikeDefinition)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    Random random(71);
    const auto symmetric = closed(bordered_blocks<V, I>(random, 12, 6));
    const auto other = closed(dominant_random<V, I>(random, 40));
    for (const auto* a : {&symmetric, &other}) {
        const auto expected = naive_lu(*a);
        const bool is_symmetric = a == &symmetric;
        on_each_host_and_way([&](const Executor& exec, Way way) {
            const auto f = factors_of(exec, *a, way, is_symmetric);
            expect_near(f.values, expected.values, 100);
            EXPECT_TRUE(same_bits(f.values, factors_of(exec, *a, way, is_symmetric).values)) << "two runs differ";
        });
    }
}

/// Blocks of 1, 2, ... 5 rows and a few entries right of them: x from its image, two columns of which the second one is
/// twice the first.
TYPED_TEST(PanelsFactorize, SolvesBlockByBlock)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    Random random(76);
    std::vector<I> block_ptrs{0};
    for (I size = 1; size <= 5; ++size) {
        block_ptrs.push_back(block_ptrs.back() + size);
    }
    const I n = block_ptrs.back();
    CsrData<V, I> blocks{{n, n}, {0}, {}, {}}, right{{n, n}, {0}, {}, {}};
    std::vector<V> x, image(static_cast<std::size_t>(n), V{});
    for (I i = 0; i < n; ++i) {
        x.push_back(random.value<V>());
    }
    for (std::size_t b = 0; b + 1 < block_ptrs.size(); ++b) {
        for (I i = block_ptrs[b]; i < block_ptrs[b + 1]; ++i) {
            for (I j = n; j-- > block_ptrs[b];) {
                const bool is_inside = j < block_ptrs[b + 1];
                if (is_inside || (i + j) % 3 == 0) {
                    const V value = i == j ? V{real_t<V>(8)} : random.value<V>();
                    (is_inside ? blocks : right).col_idxs.push_back(j);
                    (is_inside ? blocks : right).values.push_back(value);
                    image[i] += value * x[j];
                }
            }
            std::reverse(blocks.col_idxs.begin() + blocks.row_ptrs.back(), blocks.col_idxs.end());
            std::reverse(blocks.values.begin() + blocks.row_ptrs.back(), blocks.values.end());
            blocks.row_ptrs.push_back(static_cast<I>(blocks.col_idxs.size()));
            right.row_ptrs.push_back(static_cast<I>(right.col_idxs.size()));
        }
    }
    auto values = naive_lu(blocks).values;
    values.insert(values.end(), right.values.begin(), right.values.end());
    const auto panels = linden::detail::make_row_panels<I>({blocks.row_ptrs, blocks.col_idxs}, {});
    on_each_executor([&](const Executor& exec) {
        if (!exec.is_host()) {
            return;
        }
        const PatternOn<I> pattern(exec, {blocks.size, blocks.row_ptrs, blocks.col_idxs});
        const PatternOn<I> outside(exec, {right.size, right.row_ptrs, right.col_idxs});
        auto view = panels.view(pattern.view());
        view.outside = {outside.view(), block_ptrs.data(), static_cast<size_type>(block_ptrs.size()) - 1};
        auto one = Dense<V>::vector(exec, image);
        panels_solve<V, I>(exec, view, values.data(), one.view());
        expect_near(one.to_host(), x, 100);
        Dense<V> two(exec, {n, 2});
        for (I i = 0; i < n; ++i) {
            two.view().values[i * two.view().stride] = image[i];
            two.view().values[i * two.view().stride + 1] = V{real_t<V>(2)} * image[i];
        }
        panels_solve<V, I>(exec, view, values.data(), two.view());
        for (I i = 0; i < n; ++i) {
            expect_near(std::vector<V>{two.view().values[i * two.view().stride]}, {x[i]}, 100);
            expect_near(std::vector<V>{two.view().values[i * two.view().stride + 1]}, {V{real_t<V>(2)} * x[i]}, 100);
        }
    });
}

/// The same bits with any number of threads, and with one task.
TYPED_TEST(PanelsFactorize, OnAnyNumberOfThreads)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    Random random(72);
    const auto a = closed(bordered_blocks<V, I>(random, 30, 5));
    const auto b = std::vector<V>(static_cast<std::size_t>(a.size.rows), V{3});
    for (const Way way : all_ways) {
        auto x = b, y = b;
        const auto one = factors_of(Executor::omp({.threads = 1}), a, way, true, &x);
        const auto two = factors_of(Executor::omp({.threads = 2}), a, way, true, &y);
        EXPECT_TRUE(same_bits(one.values, two.values));
        EXPECT_TRUE(same_bits(x, y));
        const auto one_task = factors_of(Executor::omp({.threads = 2}), a, way, false);
        EXPECT_TRUE(same_bits(one.values, one_task.values));
        auto z = b;
        const auto reference = factors_of(Executor::reference(), a, way, true, &z);
        expect_near(one.values, reference.values, 100);
        expect_near(x, z, 100);
    }
}

/// With half of the updates, of any number of tasks.
TYPED_TEST(PanelsFactorize, HermitianOnes)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    Random random(75);
    const auto a = plus_adjoint(closed(bordered_blocks<V, I>(random, 30, 5)));
    const auto expected = naive_lu(a);
    std::vector<V>* const no_solve = nullptr;
    for (const Way way : {Way::updates, Way::short_rows_by_updates}) {
        const auto one = factors_of(Executor::omp({.threads = 1}), a, way, true, no_solve, true);
        expect_near(one.values, expected.values, 100);
        expect_same_report(one.report, PivotReport{});
        EXPECT_TRUE(
            same_bits(one.values, factors_of(Executor::omp({.threads = 2}), a, way, true, no_solve, true).values));
        EXPECT_TRUE(
            same_bits(one.values, factors_of(Executor::omp({.threads = 1}), a, way, false, no_solve, true).values));
        EXPECT_FALSE(same_bits(one.values, factors_of(Executor::omp({.threads = 1}), a, way, true).values))
            << "the other half was not left out";
    }
}

/// Updates are written out where rows are short.
TEST(UpdateList, IsOfShortRows)
{
    using I = std::int32_t;
    const auto exec = Executor::reference();
    for (const I bandwidth : {1, 30}) {
        constexpr I n = 100;
        linden::detail::HostPattern<I> f;
        for (I i = 0; i < n; ++i) {
            for (I j = std::max(0, i - bandwidth); j < std::min(n, i + bandwidth + 1); ++j) {
                f.col_idxs.push_back(j);
            }
            f.row_ptrs.push_back(static_cast<I>(f.col_idxs.size()));
        }
        const PatternOn<I> pattern(exec, HostPattern<I>{{n, n}, f.row_ptrs, f.col_idxs});
        const auto panels = linden::detail::make_row_panels<I>(f, {});
        const auto most = linden::detail::most_updates_per_entry;
        linden::detail::PanelSchedule<I> schedule(exec, pattern.view(), panels,
                                                  linden::detail::count_updates(panels.view(pattern.view()), most));
        Array<std::byte> workspace(exec, linden::detail::UpdateList<I>::workspace_bytes(n));
        EXPECT_FALSE(schedule.view().updates.is_there);
        schedule.write_updates({workspace.data(), workspace.size()});
        const auto list = schedule.view().updates;
        EXPECT_EQ(list.is_there, bandwidth == 1);
        if (list.is_there) {  // each row is taken from the next one
            EXPECT_EQ(list.task_ptrs[1], n);
            EXPECT_EQ(list.run_ptrs[1], 2 * (n - 1));
        }
    }
}

/// Where only some rows are short, the others are panels as before, with steps through each other.
TEST(UpdateList, LeavesLongRows)
{
    using I = std::int32_t;
    Random random(73);
    const auto a = closed(bordered_blocks<float, I>(random, 30, 5));
    const linden::detail::HostPattern<I> f{a.row_ptrs, a.col_idxs};
    const auto exec = Executor::reference();
    const PatternOn<I> pattern(exec, HostPattern<I>{a.size, f.row_ptrs, f.col_idxs});
    const auto panels = linden::detail::make_row_panels<I>(f, linden::detail::elimination_tree(f));
    linden::detail::PanelSchedule<I> schedule(
        exec, pattern.view(), panels, linden::detail::count_updates(panels.view(pattern.view()), most_updates(f)));
    Array<std::byte> workspace(exec, linden::detail::UpdateList<I>::workspace_bytes(f.rows()));
    schedule.write_updates({workspace.data(), workspace.size()});
    const auto list = schedule.view().updates;
    ASSERT_TRUE(list.is_there);
    ASSERT_GT(list.num_panels_left, 0);
    const auto num_panels = static_cast<I>(panels.order.size()),
               num_tasks = static_cast<I>(panels.task_ptrs.size() - 1);
    EXPECT_EQ(list.order_task_ptrs[num_tasks], list.num_panels_left);
    std::vector<char> is_left(a.row_ptrs.size() - 1, 0);
    for (size_type p = 0; p < list.num_panels_left; ++p) {
        const I panel = list.order[p];
        std::fill(is_left.begin() + panels.panel_ptrs[panel], is_left.begin() + panels.panel_ptrs[panel + 1], char{1});
    }
    I num_own = 0;
    for (I p = 0; p < list.task_ptrs[num_tasks]; ++p) {
        const I row = list.pivots[4 * p];
        num_own += row >= 0 ? 1 : 0;
        EXPECT_EQ(is_left[row >= 0 ? row : -1 - row], 0);
    }
    EXPECT_EQ(num_own, std::count(is_left.begin(), is_left.end(), 0));
    for (I s = 0; s < list.step_ptrs[num_panels]; ++s) {
        EXPECT_TRUE(std::all_of(is_left.begin() + list.steps[2 * s], is_left.begin() + list.steps[2 * s + 1],
                                [](char left) { return left != 0; }));
    }
}

/// Tasks are disjoint, and rows of one need no rows of another but the last.
TEST(RowPanels, TasksAreIndependent)
{
    using I = std::int32_t;
    Random random(73);
    const auto a = closed(bordered_blocks<float, I>(random, 30, 5));
    const linden::detail::HostPattern<I> f{a.row_ptrs, a.col_idxs};
    const auto panels = linden::detail::make_row_panels<I>(f, linden::detail::elimination_tree(f));
    const auto num_tasks = panels.task_ptrs.size() - 1;
    EXPECT_GT(num_tasks, 4);
    std::vector<std::size_t> task_of(static_cast<std::size_t>(a.size.rows), num_tasks);
    for (std::size_t task = 0; task < num_tasks; ++task) {
        for (I p = panels.task_ptrs[task]; p < panels.task_ptrs[task + 1]; ++p) {
            for (I i = panels.panel_ptrs[panels.order[p]]; i < panels.panel_ptrs[panels.order[p] + 1]; ++i) {
                EXPECT_EQ(task_of[i], num_tasks);
                task_of[i] = task;
            }
        }
    }
    for (I i = 0; i < a.size.rows; ++i) {
        for (I k = a.row_ptrs[i]; k < panels.diagonal[i]; ++k) {
            EXPECT_TRUE(task_of[i] == task_of[a.col_idxs[k]] || task_of[i] == num_tasks - 1);
        }
    }
    EXPECT_LT(panels.panel_ptrs.size(), static_cast<std::size_t>(a.size.rows));
}

}  // namespace
}  // namespace linden::test
