#include "core/kernels/bicgstab.hpp"
#include "core/kernels/bicgstab_persistent.hpp"

#include "test/support/whole_cg.hpp"

namespace linden::test {
namespace {

template <class V>
class BiCgStabRunPersistent : public testing::Test {
};
TYPED_TEST_SUITE(BiCgStabRunPersistent, TestedValues, TypeNames);

struct Kernel {
    static constexpr size_type slice = persistent_slice;
    static int num_blocks(const Executor& exec) { return exec.state().grid_memory().num_blocks; }
};

template <class V>
struct WholeOutcome : Outcome<V> {
    std::vector<V> r;
    std::int32_t halfway;
};

/// Twice in one workspace: the second run counts on from where the first ended. M^-1 = diag(d), or no preconditioner
/// where d is empty.
template <class V, class I>
WholeOutcome<V> run(const Executor& exec, const CsrData<V, I>& data, const std::vector<V>& d,
                    const std::vector<V>& residual, const StopValues<real_t<V>>& before)
{
    const Csr<V, I> a(exec, data);
    const Array<V> diagonal(exec, d);
    const Dim size{data.size.rows, 1};
    const auto partition = partition_for<Kernel>(exec, data);
    Array<std::byte> workspace(exec, persistent_workspace_bytes<V>(size.rows, partition));
    exec.state().fill_zero(workspace.data(), persistent_header_bytes);
    WholeOutcome<V> result;
    for (int repetition = 0; repetition < 2; ++repetition) {
        auto r = Dense<V>::vector(exec, residual);
        auto x = Dense<V>::filled(exec, size, V{1});
        Dense<V> shadow(exec, size), p(exec, size), s_hat(exec, size);
        Dense<V> p_hat(exec, d.empty() ? Dim{} : size);
        Array<std::int32_t> halfway(exec, std::vector<std::int32_t>{7});
        auto stop = stop_state(exec, before);
        bicgstab_run_persistent<V, I>(
            exec, {.a = a.view(), .d = diagonal.data(), .partition = partition, .r = r.view(), .x = x.view()},
            {.shadow = shadow.view(), .p = p.view(), .p_hat = p_hat.view(), .s_hat = s_hat.view()}, halfway.data(),
            {workspace.data(), workspace.size()}, stop.view());
        WholeOutcome<V> now{{x.to_host(), values_of(stop)}, r.to_host(), halfway.to_host()[0]};
        if (repetition == 1) {
            EXPECT_EQ(now.x, result.x);
            EXPECT_EQ(now.stop.counts, result.stop.counts);
        }
        result = std::move(now);
    }
    return result;
}

/// Diagonally dominant, with other values above the diagonal than below.
template <class V, class I>
CsrData<V, I> convection(size_type n, size_type reach)
{
    auto a = banded<V, I>(n, reach);
    for (size_type row = 0; row < n; ++row) {
        for (auto k = static_cast<std::size_t>(a.row_ptrs[static_cast<std::size_t>(row)]);
             k < static_cast<std::size_t>(a.row_ptrs[static_cast<std::size_t>(row) + 1]); ++k) {
            a.values[k] *= a.col_idxs[k] > row ? V(real_t<V>(0.5)) : V{1};
        }
    }
    return a;
}

TYPED_TEST(BiCgStabRunPersistent, ByHandEndsHalfway)
{
    using V = TypeParam;
    using R = real_t<V>;
    // A = 2 I, r = (2, 4): the first half-step solves it
    const CsrData<V, DefaultIndex> a{{2, 2}, {0, 1, 2}, {0, 1}, {V{2}, V{2}}};
    on_each_offering<V>(Kernel{}, [&](const Executor& exec) {
        auto before = StopValues<R>::running(1, R(1e-3));
        before.norms[0] = static_cast<R>(std::sqrt(20.0));
        const auto done = run(exec, a, {}, {V{2}, V{4}}, before);
        expect_near(done.x, {V{2}, V{3}}, 10);
        EXPECT_EQ(done.stop.status[0], SolveStatus::converged);
        EXPECT_EQ(done.stop.counts[0], 1);
        EXPECT_EQ(done.stop.header.running, 0);
        EXPECT_EQ(done.halfway, 1);
    });
}

TYPED_TEST(BiCgStabRunPersistent, PreconditionedByHand)
{
    using V = TypeParam;
    using R = real_t<V>;
    // A = [4 1; 0 2], M = diag(2, 1), r = (1, 1): phat = (1/2, 1), v = (3, 2), alpha = 2 / 5, s = (-1, 1) / 5,
    // shat = (-1, 2) / 10, t = (-1, 2) / 5, omega = 3 / 5, x = 1 + (1/5, 2/5) + (-3, 6) / 50, r = (-2, -1) / 25
    const CsrData<V, DefaultIndex> a{{2, 2}, {0, 2, 3}, {0, 1, 1}, {V{4}, V{1}, V{2}}};
    on_each_offering<V>(Kernel{}, [&](const Executor& exec) {
        auto before = StopValues<R>::running(1, R(1e-3));
        before.norms[0] = std::sqrt(R{2});
        before.header.max_iterations = 1;
        const auto done = run(exec, a, {V(R(0.5)), V{1}}, {V{1}, V{1}}, before);
        expect_near(done.x, {V(R(1.14)), V(R(1.52))}, 10);
        expect_near(done.r, {V(R(-0.08)), V(R(-0.04))}, 100);
        EXPECT_EQ(done.stop.status[0], SolveStatus::max_iterations);
        EXPECT_EQ(done.halfway, 0);
        // A = diag(4, 2) = 2 M: the first half-step solves it
        const CsrData<V, DefaultIndex> twice{{2, 2}, {0, 1, 2}, {0, 1}, {V{4}, V{2}}};
        const auto half = run(exec, twice, {V(R(0.5)), V{1}}, {V{1}, V{1}}, before);
        expect_near(half.x, {V(R(1.25)), V(R(1.5))}, 10);
        EXPECT_EQ(half.stop.status[0], SolveStatus::converged);
        EXPECT_EQ(half.halfway, 1);
    });
}

TYPED_TEST(BiCgStabRunPersistent, StandsStillWhereNothingRuns)
{
    using V = TypeParam;
    using R = real_t<V>;
    auto stopped = StopValues<R>::running(1);
    stopped.stop(0, SolveStatus::stagnated);
    on_each_offering<V>(Kernel{}, [&](const Executor& exec) {
        const auto done = run(exec, convection<V, DefaultIndex>(40, 7), {}, std::vector<V>(40, V{1}), stopped);
        EXPECT_EQ(done.x, std::vector<V>(40, V{1}));
        EXPECT_EQ(done.halfway, 7);
        expect_same_state(done.stop, stopped, 0);
    });
}

TYPED_TEST(BiCgStabRunPersistent, BreaksDownWhereThePathEnds)
{
    using V = TypeParam;
    using R = real_t<V>;
    // A turns by a right angle, r = (1, 0): rhat^H A p = 0
    const CsrData<V, DefaultIndex> a{{2, 2}, {0, 1, 2}, {1, 0}, {V{1}, V{-1}}};
    on_each_offering<V>(Kernel{}, [&](const Executor& exec) {
        auto before = StopValues<R>::running(1);
        before.norms[0] = 1;
        const auto done = run(exec, a, {}, {V{1}, V{0}}, before);
        EXPECT_EQ(done.x, std::vector<V>(2, V{1}));
        EXPECT_EQ(done.stop.status[0], SolveStatus::breakdown);
        EXPECT_EQ(done.stop.header.running, 0);
    });
}

template <class V, class I>
void expect_like_reference(const CsrData<V, I>& a, const std::vector<V>& d, const std::vector<V>& r)
{
    using R = real_t<V>;
    double sum = 0;
    for (const auto& value : r) {
        sum += static_cast<double>(std::norm(value));
    }
    auto before = StopValues<R>::running(1, R(1e-3));
    before.norms[0] = static_cast<R>(std::sqrt(sum));
    before.header.max_iterations = 60;
    before.header.history_capacity = 8;
    before.history.assign(8, R{});
    before.history[0] = R{1};  // the scale of what is compared
    const auto expected = run(reference_executor(), a, d, r, before);
    EXPECT_EQ(expected.stop.status[0], SolveStatus::converged);
    on_each_offering<V>(Kernel{}, [&](const Executor& exec) {
        const auto done = run(exec, a, d, r, before);
        EXPECT_EQ(done.stop.status, expected.stop.status);
        EXPECT_EQ(done.stop.counts, expected.stop.counts);
        EXPECT_EQ(done.halfway, expected.halfway);
        expect_near(done.x, expected.x, 10000);
        expect_near(done.stop.history, expected.stop.history, 10000);
    });
}

template <class V, class I>
void compare_with_reference()
{
    for (const size_type n : {1, 2, 31, 33, 597, 5000}) {
        SCOPED_TRACE(n);
        const auto a = convection<V, I>(n, std::max<size_type>(2, n / 7));
        Random random(static_cast<std::uint64_t>(n));
        std::vector<V> r, d;
        for (size_type row = 0; row < n; ++row) {
            r.push_back(number<V>(random.real(-1, 1), random.real(-1, 1)));
            d.push_back(number<V>(random.real(0.15, 0.3), random.real(-0.05, 0.05)));
        }
        expect_like_reference(a, {}, r);
        expect_like_reference(a, d, r);
    }
}

TYPED_TEST(BiCgStabRunPersistent, LikeReference)
{
    for_each_index([]<class I>() { compare_with_reference<TypeParam, I>(); });
}

}  // namespace
}  // namespace linden::test
