#pragma once

#include <linden/matrix/csr.hpp>

#include <algorithm>

#include "core/kernels/cg.hpp"
#include "core/solver/persistent.hpp"
#include "test/support/kernel_cases.hpp"
#include "test/support/stop_state.hpp"

/// Cases for the kernels that run CG to its end. A `Kernel` says
///     static int num_blocks(const Executor&)        blocks that share the rows; 0 where it may not be called
///     static constexpr size_type slice              rows that stay together
///     template <class V, class I> static void run(exec, a, d, r, x, p, q, partition, stop)
namespace linden::test {

/// Calls run(r, x, workspace, stop) for copies of r and x, then for these, in one workspace: the second run counts on
/// from where the first ended.
template <class V, class Run>
void run_twice(const Executor& exec, size_type workspace_bytes, Dense<V>& r, Dense<V>& x, StopView<real_t<V>> stop,
               const Run& run)
{
    Array<std::byte> workspace(exec, workspace_bytes);
    exec.state().fill_zero(workspace.data(), persistent_header_bytes);
    auto other_r = r.copy();
    auto other_x = x.copy();
    auto other_stop = stop_state(exec, StopValues<real_t<V>>::running(1, real_t<V>(1e-3)));
    const WorkspaceView view{workspace.data(), workspace.size()};
    run(other_r.view(), other_x.view(), view, other_stop.view());
    run(r.view(), x.view(), view, stop);
}

/// Hermitian, diagonally dominant, with entries beside the diagonal and `reach` away from it.
template <class V, class I>
CsrData<V, I> banded(size_type n, size_type reach)
{
    CsrData<V, I> a{{n, n}, {0}, {}, {}};
    const auto put = [&](size_type col, V value) {
        if (col >= 0 && col < n) {
            a.col_idxs.push_back(static_cast<I>(col));
            a.values.push_back(value);
        }
    };
    for (size_type row = 0; row < n; ++row) {
        put(row - reach, number<V>(-1, 0.5));
        put(row - 1, V{-1});
        put(row, V{5});
        put(row + 1, V{-1});
        put(row + reach, number<V>(-1, -0.5));
        a.row_ptrs.push_back(static_cast<I>(a.values.size()));
    }
    return a;
}

template <class V>
struct Outcome {
    std::vector<V> x;
    StopValues<real_t<V>> stop;
};

/// The rows dealt to the blocks that the kernel has on `exec`; to one on the reference executor.
template <class Kernel, class V, class I>
PersistentPartition partition_for(const Executor& exec, const CsrData<V, I>& a)
{
    const size_type blocks = std::max(1, Kernel::num_blocks(exec));
    return linden::detail::partition_rows<V>(Csr<V, I>(exec, a), blocks, Kernel::slice).value_or(PersistentPartition{});
}

/// From x = 1, with M^-1 = diag(d), or without preconditioner where d is empty.
template <class Kernel, class V, class I>
Outcome<V> run_whole(Kernel, const Executor& exec, const CsrData<V, I>& data, const std::vector<V>& d,
                     const std::vector<V>& r, const StopValues<real_t<V>>& before)
{
    const Csr<V, I> a(exec, data);
    const Array<V> diagonal(exec, d);
    const Dim size{data.size.rows, 1};
    auto residual = Dense<V>::vector(exec, r);
    auto x = Dense<V>::filled(exec, size, V{1});
    Dense<V> p(exec, size);
    Dense<V> q(exec, size);
    auto stop = stop_state(exec, before);
    Kernel::run(exec, a, diagonal.data(), residual, x, p, q, partition_for<Kernel>(exec, data), stop.view());
    return {x.to_host(), values_of(stop)};
}

/// Calls f(exec) for the executors on which the kernel may be called.
template <class V, class Kernel, class F>
void on_each_offering(Kernel, F&& f)
{
    on_each_executor([&](const Executor& exec) {
        if (exec.backend() == Backend::reference || Kernel::num_blocks(exec) > 0) {
            f(exec);
        }
    });
}

template <class V, class Kernel>
void by_hand(Kernel kernel)
{
    using R = real_t<V>;
    // A = 2 I, r = (2, 4): one step of length 1 / 2 solves it
    const CsrData<V, DefaultIndex> a{{2, 2}, {0, 1, 2}, {0, 1}, {V{2}, V{2}}};
    on_each_offering<V>(kernel, [&](const Executor& exec) {
        const auto done = run_whole(kernel, exec, a, {}, {V{2}, V{4}}, StopValues<R>::running(1, R(1e-3)));
        EXPECT_EQ(done.x, (std::vector<V>{V{2}, V{3}}));
        EXPECT_EQ(done.stop.status[0], SolveStatus::converged);
        EXPECT_EQ(done.stop.counts[0], 1);
        EXPECT_EQ(done.stop.header.running, 0);
        EXPECT_EQ(done.stop.residual(0), R{0});
    });
}

template <class V, class Kernel>
void preconditioned_by_hand(Kernel kernel)
{
    using R = real_t<V>;
    // A = [2 1; 1 4], M = diag(2, 4), r = (2, 4): z = p = (1, 1), A p = (3, 5), alpha = 6 / 8, r = (-1, 1) / 4
    const CsrData<V, DefaultIndex> a{{2, 2}, {0, 2, 4}, {0, 1, 0, 1}, {V{2}, V{1}, V{1}, V{4}}};
    const std::vector<V> d{V(R(0.5)), V(R(0.25))};
    on_each_offering<V>(kernel, [&](const Executor& exec) {
        auto before = StopValues<R>::running(1, R(1e-3));
        before.header.max_iterations = 1;
        const auto step = run_whole(kernel, exec, a, d, {V{2}, V{4}}, before);
        EXPECT_EQ(step.x, (std::vector<V>{V(R(1.75)), V(R(1.75))}));
        EXPECT_EQ(step.stop.status[0], SolveStatus::max_iterations);
        expect_near(std::vector<R>{step.stop.residual(0)}, {R(std::sqrt(0.125))}, 4);
        // and of two unknowns the second step finds x = 1 + A^-1 r = (11, 13) / 7
        const auto done = run_whole(kernel, exec, a, d, {V{2}, V{4}}, StopValues<R>::running(1, R(1e-3)));
        expect_near(done.x, {V(R(11) / 7), V(R(13) / 7)}, 10);
        EXPECT_EQ(done.stop.status[0], SolveStatus::converged);
        EXPECT_EQ(done.stop.counts[0], 2);
    });
}

/// d = 0: r^H z = 0
template <class V, class Kernel>
void breaks_down_where_the_preconditioner_vanishes(Kernel kernel)
{
    using R = real_t<V>;
    on_each_offering<V>(kernel, [&](const Executor& exec) {
        const auto done = run_whole(kernel, exec, banded<V, DefaultIndex>(40, 7), std::vector<V>(40, V{}),
                                    std::vector<V>(40, V{1}), StopValues<R>::running(1));
        EXPECT_EQ(done.x, std::vector<V>(40, V{1}));
        EXPECT_EQ(done.stop.status[0], SolveStatus::breakdown);
        EXPECT_EQ(done.stop.counts[0], 0);
    });
}

template <class V, class Kernel>
void stands_still_where_nothing_runs(Kernel kernel)
{
    using R = real_t<V>;
    auto stopped = StopValues<R>::running(1);
    stopped.stop(0, SolveStatus::stagnated);
    on_each_offering<V>(kernel, [&](const Executor& exec) {
        const auto done =
            run_whole(kernel, exec, banded<V, DefaultIndex>(40, 7), {}, std::vector<V>(40, V{1}), stopped);
        EXPECT_EQ(done.x, std::vector<V>(40, V{1}));
        expect_same_state(done.stop, stopped, 0);
    });
}

template <class V, class Kernel>
void breaks_down_without_curvature(Kernel kernel)
{
    using R = real_t<V>;
    // A = diag(1, -1), r = (1, 1): p^H A p = 0
    const CsrData<V, DefaultIndex> a{{2, 2}, {0, 1, 2}, {0, 1}, {V{1}, V{-1}}};
    on_each_offering<V>(kernel, [&](const Executor& exec) {
        const auto done = run_whole(kernel, exec, a, {}, {V{1}, V{1}}, StopValues<R>::running(1));
        EXPECT_EQ(done.x, std::vector<V>(2, V{1}));
        EXPECT_EQ(done.stop.status[0], SolveStatus::breakdown);
    });
}

/// From residual 1, which is the scale of the history.
template <class V, class I, class Kernel>
void expect_like_reference(Kernel kernel, const CsrData<V, I>& a, const std::vector<V>& d, const std::vector<V>& r)
{
    using R = real_t<V>;
    auto before = StopValues<R>::running(1, R(1e-3));
    before.header.max_iterations = 60;
    before.header.history_capacity = 8;
    before.history.assign(8, R{});
    before.history[0] = R{1};
    const auto expected = run_whole(kernel, reference_executor(), a, d, r, before);
    EXPECT_EQ(expected.stop.status[0], SolveStatus::converged);
    on_each_offering<V>(kernel, [&](const Executor& exec) {
        const auto done = run_whole(kernel, exec, a, d, r, before);
        EXPECT_EQ(done.stop.status, expected.stop.status);
        EXPECT_EQ(done.stop.counts, expected.stop.counts);
        expect_near(done.x, expected.x, 1000);
        expect_near(done.stop.history, expected.stop.history, 1000);
        const auto again = run_whole(kernel, exec, a, d, r, before);
        EXPECT_EQ(again.x, done.x);
    });
}

template <class V, class I, class Kernel>
void like_reference(Kernel kernel)
{
    for (const size_type n : {1, 2, 15, 16, 17, 31, 33, 597, 5000}) {
        SCOPED_TRACE(n);
        const auto a = banded<V, I>(n, std::max<size_type>(2, n / 7));
        Random random(static_cast<std::uint64_t>(n));
        std::vector<V> r, d;
        for (size_type row = 0; row < n; ++row) {
            r.push_back(number<V>(random.real(-1, 1), random.real(-1, 1)));
            d.push_back(number<V>(random.real(0.15, 0.3), 0));
        }
        expect_like_reference(kernel, a, {}, r);
        expect_like_reference(kernel, a, d, r);
    }
}

}  // namespace linden::test
