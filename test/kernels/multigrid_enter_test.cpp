#include "core/kernels/multigrid.hpp"
#include "test/support/apply_dot_cases.hpp"
#include "test/support/sell_matrix.hpp"

/// The first and the last sweep of a cycle.
namespace linden::test {
namespace {

using I = std::int32_t;

/// Calls f.operator()<V, W, S, J>() for all types with 32-bit indices.
template <class F>
void for_each_tested_type(const F& f)
{
    for_each_finest_type([&]<class V, class W, class S, class J>() {
        if constexpr (has_types<V> && has_types<W> && sizeof(J) <= 4) {
            f.template operator()<V, W, S, J>();
        }
    });
}

template <class V>
Array<real_t<V>> scales_on(const Executor& exec, size_type rows)
{
    std::vector<real_t<V>> scales;
    for (size_type row = 0; row < rows; ++row) {
        scales.push_back(static_cast<real_t<V>>(row % 3 == 0 ? 0.5 : 0.75 + 0.125 * static_cast<double>(row % 5)));
    }
    return Array<real_t<V>>(exec, scales);
}

TEST(MultigridEnter, ByHand)
{
    for_each_tested_type([]<class V, class W, class S, class J>() {
        // A = [2 . 1; . . .; -1 4 2]
        const CsrData<W, I> a{{3, 3}, {0, 2, 2, 5}, {0, 2, 0, 1, 2}, {W{2}, W{1}, W{-1}, W{4}, W{2}}};
        on_each_executor([&](const Executor& exec) {
            const SellMatrix<S, J> matrix(exec, a, level_slice_rows, false);
            const Array<real_t<W>> scales(exec, std::vector<real_t<W>>{2, 1, real_t<W>(0.5)});
            const auto b = Dense<V>::from_rows(exec, {{V{1}, V{}}, {V{4}, V{1}}, {V{12}, V{-4}}});
            auto r = Dense<W>::filled(exec, {3, 2}, not_a_number<W>());
            auto t = r.copy(exec);
            multigrid_enter<V, W, S, J>(exec, matrix.view(), scales.data(), 0.5, b.view(), r.view(), t.view());
            EXPECT_EQ(r.to_host(), (std::vector<W>{W{2}, W{}, W{4}, W{1}, W{6}, W{-2}}));
            // A r = (10, -2; 0, 0; 26, 0)
            EXPECT_EQ(t.to_host(), (std::vector<W>{W{-3}, W{1}, W{4}, W{1}, W{-7}, W{-2}}));

            // z = r:  r' - A z = (-9, 4; 3, 0; -26, -2), halved and added to z (-2.5, 2; 5.5, 1; -7, -3)
            const auto right = Dense<W>::from_rows(exec, {{W{1}, W{2}}, {W{3}, W{}}, {W{}, W{-2}}});
            auto x = Dense<V>::filled(exec, {3, 2}, not_a_number<V>());
            Array<V> sums(exec, std::vector<V>(4, V{77}));
            auto workspace = ReductionWorkspace::for_values<V>(exec, 4);
            const LeaveRule<W> rule{scales.data(), -4, 0.5};
            const auto leave = [&](V* wx, V* xx) {
                multigrid_leave<V, W, S, J>(exec, matrix.view(), rule, right.view(), std::as_const(r).view(), x.view(),
                                            {b.view(), wx, xx, workspace.view()});
            };
            const std::vector<V> expected{V{20}, V{-16}, V{-22}, V{-4}, V{14}, V{6}};
            leave(nullptr, nullptr);
            EXPECT_EQ(x.to_host(), expected);
            EXPECT_EQ(sums.to_host(), std::vector<V>(4, V{77}));
            leave(sums.data(), nullptr);
            EXPECT_EQ(sums.to_host(), (std::vector<V>{V{100}, V{-28}, V{77}, V{77}}));
            leave(sums.data(), sums.data() + 2);
            EXPECT_EQ(x.to_host(), expected);
            EXPECT_EQ(sums.to_host(), (std::vector<V>{V{100}, V{-28}, V{1080}, V{308}}));
        });
    });
}

/// The kernels that these do the work of at once, on the reference.
template <class V, class W, class S, class J>
void expect_ends(Random& random, Dim size, size_type padding, Pattern pattern)
{
    const auto [rows, cols] = size;
    SCOPED_TRACE(std::to_string(rows) + " rows, " + std::to_string(cols) + " columns");
    const auto a = random_csr<W, I>(random, {rows, rows}, 4, pattern);
    const auto& host = reference_executor();
    const auto b = random_dense<V>(random, host, size, padding);
    const SellMatrix<S, J> here(host, a, level_slice_rows, false);
    const auto scales = scales_on<W>(host, rows);
    auto r = random_dense<W>(random, host, size, padding);
    auto t = random_dense<W>(random, host, size, 2 * padding);
    multigrid_convert<V, W>(host, scales.data(), 1, b.view(), r.view());
    multigrid_sweep<W, S, J>(host, here.view(), 0.9, {}, std::as_const(r).view(), t.view());
    const double k = 4 * summation_factor(rows);
    on_each_executor([&](const Executor& exec) {
        const SellMatrix<S, J> matrix(exec, a, level_slice_rows, false);
        const auto scales_there = scales_on<W>(exec, rows);
        const auto b_there = b.copy(exec);
        auto r_there = random_dense<W>(random, exec, size, padding);
        auto t_there = random_dense<W>(random, exec, size, 2 * padding);
        multigrid_enter<V, W, S, J>(exec, matrix.view(), scales_there.data(), 0.9, b_there.view(), r_there.view(),
                                    t_there.view());
        EXPECT_TRUE(same_bits(r_there.to_host(), r.to_host()));
        expect_near(t_there.to_host(), t.to_host(), k, std::max(1.0, scale_of(t.to_host())));
    });

    auto swept = Dense<W>(host, size);
    multigrid_sweep<W, S, J>(host, here.view(), 0.9, std::as_const(t).view(), std::as_const(r).view(), swept.view());
    Blocks<V> operands;
    operands.push_back(b.copy(host));
    operands.push_back(random_dense<V>(random, host, size, padding));
    operands.push_back(random_dense<V>(random, host, size, 2 * padding));
    multigrid_convert<W, V>(host, scales.data(), -0.5, std::as_const(swept).view(), operands[1].view());
    const auto expected = operands[1].to_host();
    const auto launch = [&](const Executor& exec, auto, DenseView<V> x, DenseView<const V> w, V* wx, V* xx,
                            WorkspaceView workspace) {
        const SellMatrix<S, J> matrix(exec, a, level_slice_rows, false);
        const auto scales_there = scales_on<W>(exec, rows);
        const auto r_there = r.copy(exec), t_there = t.copy(exec);
        multigrid_leave<V, W, S, J>(exec, matrix.view(), {scales_there.data(), -0.5, 0.9}, t_there.view(),
                                    r_there.view(), x, {w, wx, xx, workspace});
    };
    constexpr double lower = std::numeric_limits<real_t<W>>::epsilon() / std::numeric_limits<real_t<V>>::epsilon();
    EXPECT_TRUE(same_bits(run_apply_dot(host, operands, true, true, launch).x, expected));
    expect_apply_dot_like_reference(operands, k * lower * std::max(1.0, scale_of(expected)), launch);
}

TEST(MultigridEnter, IsAConversionAndASweep)
{
    Random random(2311);
    for_each_tested_type([&]<class V, class W, class S, class J>() {
        for (const size_type rows : {0, 1, 31, 33, 597}) {
            for (const auto pattern : all_patterns) {
                expect_ends<V, W, S, J>(random, {rows, 1}, 0, pattern);
            }
            expect_ends<V, W, S, J>(random, {rows, 3}, 2, Pattern::uniform);
        }
        expect_ends<V, W, S, J>(random, {9000, 1}, 0, Pattern::uniform);
    });
}

}  // namespace
}  // namespace linden::test
