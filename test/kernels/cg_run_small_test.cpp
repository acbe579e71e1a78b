#include <linden/matrix/csr.hpp>

#include "core/kernels/cg.hpp"
#include "test/support/kernel_cases.hpp"
#include "test/support/stop_state.hpp"

namespace linden::test {
namespace {

template <class V>
class CgRunSmall : public testing::Test {
};
TYPED_TEST_SUITE(CgRunSmall, TestedValues, TypeNames);

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

/// The partition over the executor's cluster; one block where it has none, as on the reference executor.
template <class V, class I>
CgPartition partition_for(const Executor& exec, const CsrData<V, I>& a)
{
    const size_type blocks = std::max(1, exec.state().cluster_memory().num_blocks);
    CgPartition partition{(a.size.rows + blocks - 1) / blocks, 0};
    for (size_type first = 0; first < a.size.rows; first += partition.max_rows) {
        const auto last = std::min(a.size.rows, first + partition.max_rows);
        partition.max_nonzeros =
            std::max<size_type>(partition.max_nonzeros, a.row_ptrs[static_cast<std::size_t>(last)] -
                                                            a.row_ptrs[static_cast<std::size_t>(first)]);
    }
    return partition;
}

template <class V, class I>
Outcome<V> run(const Executor& exec, const CsrData<V, I>& data, const std::vector<V>& r,
               const StopValues<real_t<V>>& before)
{
    const Csr<V, I> a(exec, data);
    const Dim size{data.size.rows, 1};
    auto residual = Dense<V>::vector(exec, r);
    auto x = Dense<V>::filled(exec, size, V{1});
    Dense<V> p(exec, size);
    Dense<V> q(exec, size);
    auto stop = stop_state(exec, before);
    cg_run_small<V, I>(exec, a.view(), residual.view(), x.view(), p.view(), q.view(), partition_for(exec, data),
                       stop.view());
    return {x.to_host(), values_of(stop)};
}

/// Calls f(exec) for the executors on which the kernel may be called.
template <class V, class F>
void on_each_cluster(F&& f)
{
    on_each_executor([&](const Executor& exec) {
        const bool is_reference = exec.backend() == Backend::reference;
        if (is_reference || exec.state().cluster_memory().num_blocks > 0) {
            f(exec);
        }
    });
}

TYPED_TEST(CgRunSmall, ByHand)
{
    using V = TypeParam;
    using R = real_t<V>;
    // A = 2 I, r = (2, 4): one step of length 1 / 2 solves it
    const CsrData<V, std::int32_t> a{{2, 2}, {0, 1, 2}, {0, 1}, {V{2}, V{2}}};
    on_each_cluster<V>([&](const Executor& exec) {
        const auto done = run(exec, a, {V{2}, V{4}}, StopValues<R>::running(1, R(1e-3)));
        EXPECT_EQ(done.x, (std::vector<V>{V{2}, V{3}}));
        EXPECT_EQ(done.stop.status[0], SolveStatus::converged);
        EXPECT_EQ(done.stop.counts[0], 1);
        EXPECT_EQ(done.stop.header.running, 0);
        EXPECT_EQ(done.stop.residual(0), R{0});
    });
}

TYPED_TEST(CgRunSmall, StandsStillWhereNothingRuns)
{
    using V = TypeParam;
    using R = real_t<V>;
    auto stopped = StopValues<R>::running(1);
    stopped.stop(0, SolveStatus::stagnated);
    on_each_cluster<V>([&](const Executor& exec) {
        const auto done = run(exec, banded<V, std::int32_t>(40, 7), std::vector<V>(40, V{1}), stopped);
        EXPECT_EQ(done.x, std::vector<V>(40, V{1}));
        expect_same_state(done.stop, stopped, 0);
    });
}

TYPED_TEST(CgRunSmall, BreaksDownWithoutCurvature)
{
    using V = TypeParam;
    using R = real_t<V>;
    // A = diag(1, -1), r = (1, 1): p^H A p = 0
    const CsrData<V, std::int32_t> a{{2, 2}, {0, 1, 2}, {0, 1}, {V{1}, V{-1}}};
    on_each_cluster<V>([&](const Executor& exec) {
        const auto done = run(exec, a, {V{1}, V{1}}, StopValues<R>::running(1));
        EXPECT_EQ(done.x, std::vector<V>(2, V{1}));
        EXPECT_EQ(done.stop.status[0], SolveStatus::breakdown);
    });
}

template <class V, class I>
void compare_with_reference()
{
    using R = real_t<V>;
    for (const size_type n : {1, 2, 15, 16, 17, 31, 33, 597, 5000}) {
        const auto a = banded<V, I>(n, std::max<size_type>(2, n / 7));
        Random random(static_cast<std::uint64_t>(n));
        std::vector<V> r(static_cast<std::size_t>(n));
        for (auto& value : r) {
            value = number<V>(random.real(-1, 1), random.real(-1, 1));
        }
        auto before = StopValues<R>::running(1, R(1e-3));
        before.header.max_iterations = 60;
        before.header.history_capacity = 8;
        before.history.assign(8, R{});
        before.history[0] = R{1};  // the scale of what is compared
        const auto expected = run(reference_executor(), a, r, before);
        EXPECT_EQ(expected.stop.status[0], SolveStatus::converged);
        on_each_cluster<V>([&](const Executor& exec) {
            const auto done = run(exec, a, r, before);
            EXPECT_EQ(done.stop.status, expected.stop.status) << "n = " << n;
            EXPECT_EQ(done.stop.counts, expected.stop.counts) << "n = " << n;
            expect_near(done.x, expected.x, 1000);
            expect_near(done.stop.history, expected.stop.history, 1000);
            const auto again = run(exec, a, r, before);
            EXPECT_EQ(again.x, done.x);
        });
    }
}

TYPED_TEST(CgRunSmall, LikeReference)
{
    compare_with_reference<TypeParam, std::int32_t>();
    compare_with_reference<TypeParam, std::int64_t>();
}

}  // namespace
}  // namespace linden::test
