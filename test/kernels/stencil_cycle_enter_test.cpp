#include <linden/matrix/csr.hpp>

#include "core/kernels/stencil_cycle.hpp"
#include "core/matrix/stencil_search.hpp"
#include "test/support/apply_dot_cases.hpp"
#include "test/support/stencils.hpp"

/// The first and the last sweep of a cycle on a matrix of a few stencils.
namespace linden::test {
namespace {

/// Calls f.operator()<V, W, I>() for all types of the build.
template <class F>
void for_each_tested_type(const F& f)
{
    for_each_stencil_cycle([&]<class V, class W, class I>() {
        if constexpr (has_types<V>) {
            f.template operator()<V, W, I>();
        }
    });
}

/// A matrix with scalings of its rows and columns, its stencils, and whether they are said to be valid.
template <class W, class I>
struct Case {
    Csr<W, I> a;
    Array<real_t<W>> scales;
    Array<std::int64_t> validity;
    linden::detail::StencilSearch<W, I> search;

    Case(const Executor& exec, const CsrData<W, I>& data, const std::vector<real_t<W>>& host_scales, bool are_valid)
        : a(exec, data),
          scales(exec, host_scales),
          validity(exec, std::vector<std::int64_t>{are_valid ? 1 : 0}),
          search(exec, source(), 512)
    {
        search.search(source());
        EXPECT_TRUE(search.has_stencils());
    }
    ScaledView<W, I> source() const { return {a.view(), scales.data(), scales.data()}; }
    ScaledStencils<W, I> view() const
    {
        auto by_stencils = search.view();
        if (validity.to_host().front() == 0) {
            by_stencils.values = nullptr;
        }
        return {by_stencils, search.left(), search.entering(), validity.data(), source()};
    }
};

TEST(StencilCycleEnter, ByHand)
{
    for_each_tested_type([]<class V, class W, class I>() {
        // A = [2 . 1; . . .; -1 4 2], S = diag(2, 1, 1/2)
        // S A S = [8 . 1; . . .; -1 2 1/2], S A S S = [16 . 1/2; . . .; -2 2 1/4]
        const CsrData<W, I> data{{3, 3}, {0, 2, 2, 5}, {0, 2, 0, 1, 2}, {W{2}, W{1}, W{-1}, W{4}, W{2}}};
        for (const bool are_valid : {true, false}) {
            on_each_executor([&](const Executor& exec) {
                const Case<W, I> c(exec, data, {2, 1, real_t<W>(0.5)}, are_valid);
                const auto b = Dense<V>::from_rows(exec, {{V{1}, V{}}, {V{4}, V{1}}, {V{12}, V{-4}}});
                auto r = Dense<W>::filled(exec, {3, 2}, not_a_number<W>());
                auto t = r.copy(exec);
                stencil_cycle_enter<V, W, I>(exec, c.view(), 0.5, b.view(), r.view(), t.view());
                EXPECT_EQ(r.to_host(), (std::vector<W>{W{2}, W{}, W{4}, W{1}, W{6}, W{-2}}));
                // S A S S b = (22, -2; 0, 0; 9, 1)
                EXPECT_EQ(t.to_host(), (std::vector<W>{W{-9}, W{1}, W{4}, W{1}, W{1.5}, W{-2.5}}));

                // S A S r = (22, -2; 0, 0; 9, 1):  r' - S A S r = (-21, 4; 3, 0; -9, -3)
                // halved, and added to r: (-8.5, 2; 5.5, 1; 1.5, -3.5)
                const auto right = Dense<W>::from_rows(exec, {{W{1}, W{2}}, {W{3}, W{}}, {W{}, W{-2}}});
                auto x = Dense<V>::filled(exec, {3, 2}, not_a_number<V>());
                Array<V> sums(exec, std::vector<V>(4, V{77}));
                auto workspace = ReductionWorkspace::for_values<V>(exec, 4);
                const auto leave = [&](V* wx, V* xx) {
                    stencil_cycle_leave<V, W, I>(exec, c.view(), -4, 0.5, right.view(), std::as_const(r).view(),
                                                 x.view(), {b.view(), wx, xx, workspace.view()});
                };
                const std::vector<V> expected{V{68}, V{-16}, V{-22}, V{-4}, V{-3}, V{7}};
                leave(nullptr, nullptr);
                EXPECT_EQ(x.to_host(), expected);
                EXPECT_EQ(sums.to_host(), std::vector<V>(4, V{77}));
                leave(sums.data(), nullptr);
                EXPECT_EQ(sums.to_host(), (std::vector<V>{V{-56}, V{-32}, V{77}, V{77}}));
                leave(sums.data(), sums.data() + 2);
                EXPECT_EQ(x.to_host(), expected);
                EXPECT_EQ(sums.to_host(), (std::vector<V>{V{-56}, V{-32}, V{5117}, V{321}}));
            });
        }
    });
}

/// The kernels that these do the work of at once, on the reference.
template <class V, class W, class I>
void expect_ends(Random& random, Dim size, size_type padding, std::vector<size_type> offsets, bool are_valid)
{
    const auto [rows, cols] = size;
    SCOPED_TRACE(std::to_string(rows) + " rows, " + std::to_string(cols) + " columns" + (are_valid ? "" : ", invalid"));
    auto data = rows_of_kinds<W, I>({rows, rows}, offsets, 3);
    for (auto& value : data.values) {
        value /= real_t<W>{64};
    }
    std::vector<real_t<W>> scales;
    for (size_type row = 0; row < rows; ++row) {
        scales.push_back(row % 40 == 7 ? real_t<W>(0.5) : real_t<W>(0.75));
    }
    const auto& host = reference_executor();
    const Case<W, I> here(host, data, scales, true);
    auto scaled = data;
    for (size_type row = 0; row < rows; ++row) {
        for (auto k = data.row_ptrs[row]; k < data.row_ptrs[row + 1]; ++k) {
            scaled.values[k] *= scales[row] * scales[static_cast<std::size_t>(data.col_idxs[k])];
        }
    }
    const Csr<W, I> a(host, scaled);
    const auto b = random_dense<V>(random, host, size, padding);
    auto r = random_dense<W>(random, host, size, padding);
    multigrid_convert<V, W>(host, here.scales.data(), 1, b.view(), r.view());
    auto t = r.copy(host);
    a.apply(W{real_t<W>(-0.875)}, r, W{1}, t);
    on_each_executor([&](const Executor& exec) {
        const Case<W, I> c(exec, data, scales, are_valid);
        const auto b_there = b.copy(exec);
        auto r_there = random_dense<W>(random, exec, size, padding);
        auto t_there = random_dense<W>(random, exec, size, 2 * padding);
        stencil_cycle_enter<V, W, I>(exec, c.view(), 0.875, b_there.view(), r_there.view(), t_there.view());
        EXPECT_TRUE(same_bits(r_there.to_host(), r.to_host()));
        expect_near(t_there.to_host(), t.to_host(), 64, 1);
    });

    auto swept = t.copy(host);
    a.apply(W{real_t<W>(-0.875)}, r, W{real_t<W>(0.875)}, swept);
    swept.add_scaled(W{1}, r);
    Blocks<V> operands;
    operands.push_back(b.copy(host));
    operands.push_back(random_dense<V>(random, host, size, padding));
    operands.push_back(random_dense<V>(random, host, size, 2 * padding));
    multigrid_convert<W, V>(host, here.scales.data(), -0.5, std::as_const(swept).view(), operands[1].view());
    const auto expected = operands[1].to_host();
    const auto launch = [&](const Executor& exec, auto, DenseView<V> x, DenseView<const V> w, V* wx, V* xx,
                            WorkspaceView workspace) {
        const Case<W, I> c(exec, data, scales, are_valid);
        const auto r_there = r.copy(exec), t_there = t.copy(exec);
        stencil_cycle_leave<V, W, I>(exec, c.view(), -0.5, 0.875, t_there.view(), r_there.view(), x,
                                     {w, wx, xx, workspace});
    };
    constexpr double lower = std::numeric_limits<real_t<W>>::epsilon() / std::numeric_limits<real_t<V>>::epsilon();
    expect_near(run_apply_dot(host, operands, true, true, launch).x, expected, 64 * lower, 1);
    expect_apply_dot_like_reference(operands, 64 * lower, launch);
}

TEST(StencilCycleEnter, IsAConversionAndASweep)
{
    Random random(2312);
    for_each_tested_type([&]<class V, class W, class I>() {
        for (const bool are_valid : {true, false}) {
            for (const auto& offsets : {std::vector<size_type>{-1, 0, 1}, std::vector<size_type>{-30, -1, 0, 1, 30, 31},
                                        std::vector<size_type>{-60, -30, -2, -1, 0, 1, 2, 30, 60},
                                        std::vector<size_type>{-60, -30, -3, -2, -1, 0, 1, 2, 3, 30, 60}}) {
                for (const size_type rows : {0, 1, 33, 597}) {
                    expect_ends<V, W, I>(random, {rows, 1}, 0, offsets, are_valid);
                }
                expect_ends<V, W, I>(random, {331, 3}, 2, offsets, are_valid);
            }
            expect_ends<V, W, I>(random, {9000, 1}, 0, {-30, -1, 0, 1, 30}, are_valid);
        }
    });
}

}  // namespace
}  // namespace linden::test
