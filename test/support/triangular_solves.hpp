#pragma once

#include "core/triangular/level_pattern.hpp"
#include "test/support/triangular.hpp"

/// What the tests of both kinds of triangular solves share. A `Solve` is made by Solve(exec, factor, k) and solves with
/// k right-hand sides by solve(b, x).
namespace linden::test {

/// Solves by ranges of levels, as devices take them; on hosts also all at once.
template <class V, class S, class I>
class SolveByLevels {
public:
    SolveByLevels(const Executor& exec, const LevelFactor<V, S, I>& factor, size_type k)
        : factor_(&factor),
          w_(exec, factor.view().rows * k)
    {
        const auto& ptrs = factor.levels().level_ptrs;
        ranges_ = linden::detail::device_level_ranges({ptrs.begin(), ptrs.end()});
    }

    void solve(DenseView<const V> b, DenseView<V> x)
    {
        for (const auto range : ranges_) {
            triangular_solve_levels<V, S, I>(w_.executor(), factor_->view(), range, b, x, w_.data());
        }
    }
    void solve_at_once(DenseView<const V> b, DenseView<V> x)
    {
        const auto f = factor_->view();
        triangular_solve_levels<V, S, I>(w_.executor(), f, {0, f.num_levels, 0, f.rows}, b, x, w_.data());
    }
    const Executor& executor() const { return w_.executor(); }

private:
    const LevelFactor<V, S, I>* factor_;
    Array<V> w_;
    std::vector<LevelRange> ranges_;
};

/// Solves by levels of runs of a few rows, or on devices, which have none, of rows.
template <class V, class S, class I>
class SolveByRuns {
public:
    SolveByRuns(const Executor& exec, const LevelFactor<V, S, I>& factor, size_type k)
        : factor_(
              exec, factor.triangle(), factor.ends(),
              exec.is_host() ? levels_on(exec, factor.triangle().pattern, factor.triangle().side, 5) : factor.levels()),
          by_levels_(exec, factor_, k)
    {
    }

    void solve(DenseView<const V> b, DenseView<V> x) { by_levels_.solve(b, x); }
    void solve_at_once(DenseView<const V> b, DenseView<V> x) { by_levels_.solve_at_once(b, x); }
    const Executor& executor() const { return by_levels_.executor(); }

private:
    LevelFactor<V, S, I> factor_;
    SolveByLevels<V, S, I> by_levels_;
};

/// Solves without barriers, with the same state every time.
template <class V, class S, class I>
class SolveSyncFree {
public:
    SolveSyncFree(const Executor& exec, const LevelFactor<V, S, I>& factor, size_type k)
        : factor_(&factor),
          blocks_(exec, 2 * factor.view().rows * k),
          tickets_(exec, std::vector<std::uint64_t>{99})
    {
        triangular_start_state<V>(exec, blocks_.size(), state());
    }

    void solve(DenseView<const V> b, DenseView<V> x)
    {
        triangular_solve_syncfree<V, S, I>(blocks_.executor(), factor_->view(), b, x, state());
    }
    const Executor& executor() const { return blocks_.executor(); }

private:
    SyncFreeState<V> state() { return {blocks_.data(), tickets_.data()}; }

    const LevelFactor<V, S, I>* factor_;
    Array<V> blocks_;
    Array<std::uint64_t> tickets_;
};

/// b and x of a solve in host memory, and what x should become.
template <class V>
struct SolveCase {
    Dense<V> b, x;
    std::vector<V> expected;
};

template <class S, class V, class I>
SolveCase<V> random_solve_case(Random& random, const Triangle<V, I>& t, const Ends<I>& ends, size_type k,
                               size_type padding)
{
    auto b = random_dense<V>(random, reference_executor(), {t.rows(), k}, padding);
    auto x = random_dense<V>(random, reference_executor(), {t.rows(), k}, padding + k % 2);
    auto expected = substitute<S>(t, ends, b.to_host(), k, x.to_host());
    return {std::move(b), std::move(x), std::move(expected)};
}

/// Solutions that neither grow nor vanish, from sums in another order: with a wide margin.
inline constexpr double solve_tolerance = 200;

/// run(b, x) finds the expected solution and leaves the paddings of x alone; returns x with its padding.
template <class V, class Run>
std::vector<V> expect_solves(const Executor& exec, const SolveCase<V>& c, const Run& run)
{
    const auto b = with_padding(c.b, exec);
    auto x = with_padding(c.x, exec);
    run(b.view(), x.view());
    expect_near(x.to_host(), c.expected, solve_tolerance, std::max(1.0, scale_of(c.expected)));
    expect_same_padding(x, c.x);
    return memory_of(x);
}

/// Solves of one factor, several in a row with other right-hand sides: each twice with the same bits.
template <template <class, class, class> class Solve, class S, class V, class I>
void expect_solves_in_a_row(Random& random, const Triangle<V, I>& t, const Ends<I>& ends, size_type k,
                            size_type padding, int count)
{
    std::vector<SolveCase<V>> cases;
    for (int i = 0; i < count; ++i) {
        cases.push_back(random_solve_case<S>(random, t, ends, k, padding));
    }
    on_each_executor([&](const Executor& exec) {
        const LevelFactor<V, S, I> factor(exec, t, ends);
        Solve<V, S, I> solver(exec, factor, k);
        const auto run = [&](DenseView<const V> b, DenseView<V> x) { solver.solve(b, x); };
        for (const auto& c : cases) {
            const auto first = expect_solves(exec, c, run);
            EXPECT_TRUE(same_bits(first, expect_solves(exec, c, run))) << "two runs differ";
            if constexpr (requires { solver.solve_at_once(c.b.view(), DenseView<V>{}); }) {
                if (exec.is_host()) {
                    expect_solves(exec, c, [&](auto b, auto x) { solver.solve_at_once(b, x); });
                }
            }
        }
    });
}

/// f.operator()<S>() for all storage types of V.
template <class V, class F>
void for_each_storage(F&& f)
{
    f.template operator()<V>();
    for_each_lower_storage<V>(f);
}

/// [2 . . .; . 4 . .; 1 3 1 .; . . -1 0.5] in every storage type, with two right-hand sides: with ones on the diagonal,
/// as it is, and with permuted b and x.
template <template <class, class, class> class Solve, class V, class I>
void solves_by_hand()
{
    Triangle<V, I> t{Side::lower, {{4, 4}, {0, 0, 0, 2, 3}, {0, 1, 2}}, {V{1}, V{3}, V{-1}}, {}};
    const std::vector<V> host_b{V{2}, V{4}, V{8}, V{-4}, V{5}, V{1}, V{1}, V{6}};
    on_each_executor([&](const Executor& exec) {
        for_each_storage<V>([&]<class S>() {
            const auto solved = [&](const Ends<I>& ends) {
                const LevelFactor<V, S, I> factor(exec, t, ends);
                Solve<V, S, I> solver(exec, factor, 2);
                const auto b =
                    Dense<V>::adopt(reference_executor(), {4, 2}, 2, const_cast<V*>(host_b.data())).copy(exec);
                Dense<V> x(exec, {4, 2});
                solver.solve(b.view(), x.view());
                return x.to_host();
            };
            // w = (b0, b1, b2 - w0 - 3 w1, b3 + w2)
            t.diagonal.clear();
            EXPECT_EQ(solved(Ends<I>::natural(4)),
                      (std::vector<V>{V{2}, V{4}, V{8}, V{-4}, V{-21}, V{9}, V{-20}, V{15}}));
            t.diagonal = {V{2}, V{4}, V{1}, V{0.5}};
            // w = (b0 / 2, b1 / 4, b2 - w0 - 3 w1, 2 (b3 + w2))
            EXPECT_EQ(solved(Ends<I>::natural(4)),
                      (std::vector<V>{V{1}, V{2}, V{2}, V{-1}, V{-2}, V{2}, V{-2}, V{16}}));
            // the same with b from the last row to the first; x = (w1, w2, w3, w0)
            EXPECT_EQ(solved({{3, 2, 1, 0}, {3, 0, 1, 2}}),
                      (std::vector<V>{V{1.25}, V{0.25}, V{3.75}, V{-7.75}, V{11.5}, V{-7.5}, V{0.5}, V{3}}));
        });
    });
}

/// Every kind of triangle, every storage type, both sides, unit and not, with one and more right-hand sides.
template <template <class, class, class> class Solve, class V, class I>
void solves_small_triangles(std::uint64_t seed)
{
    Random random(seed);
    for_each_small_triangle<I>(random, [&](const HostPattern<I>& a) {
        const size_type n = a.size.rows;
        for_each_storage<V>([&]<class S>() {
            const auto lower = random_triangle<V, I>(random, a, Side::lower, false);
            expect_solves_in_a_row<Solve, S>(random, lower, Ends<I>::natural(n), 1, 0, 3);
            const auto upper = random_triangle<V, I>(random, a, Side::upper, true);
            expect_solves_in_a_row<Solve, S>(random, upper, Ends<I>::mixed(n), 3, 2, 1);
        });
    });
    const auto a = random_strict_pattern<I>(random, 597, Pattern::uniform, false);
    for (const size_type k : {0, 2, 4, 7, 15, 40}) {
        const auto t = random_triangle<V, I>(random, a, Side::lower, k % 2 == 0);
        expect_solves_in_a_row<Solve, V>(random, t, Ends<I>::mixed(597), k, k % 2, 3);
    }
}

template <template <class, class, class> class Solve, class V, class I>
void solves_large_triangles(std::uint64_t seed)
{
    Random random(seed);
    for_each_large_triangle<I>(random, [&](const HostPattern<I>& a) {
        const auto lower = random_triangle<V, I>(random, a, Side::lower, false);
        expect_solves_in_a_row<Solve, V>(random, lower, Ends<I>::natural(a.size.rows), 1, 0, 2);
        const auto upper = random_triangle<V, I>(random, a, Side::upper, true);
        expect_solves_in_a_row<Solve, V>(random, upper, Ends<I>::mixed(a.size.rows), 3, 1, 1);
    });
    const auto runs = pattern_of_runs<I>(3000, 9, 700);
    expect_solves_in_a_row<Solve, V>(random, random_triangle<V, I>(random, runs, Side::lower, false),
                                     Ends<I>::natural(runs.size.rows), 1, 0, 3);
    expect_solves_in_a_row<Solve, V>(random, random_triangle<V, I>(random, runs, Side::upper, false),
                                     Ends<I>::mixed(runs.size.rows), 3, 1, 2);
    // Enough columns that all threads come in time to wait for each other, and levels just wide enough.
    const auto a = layered_pattern<I>(random, std::vector<size_type>(30, 220), 1);
    expect_solves_in_a_row<Solve, V>(random, random_triangle<V, I>(random, a, Side::lower, false),
                                     Ends<I>::natural(a.size.rows), 15, 0, 3);
}

/// x may be b where both take the same rows.
template <template <class, class, class> class Solve, class V, class I>
void solves_in_place(std::uint64_t seed)
{
    Random random(seed);
    for (const size_type k : {1, 3}) {
        const auto t =
            random_triangle<V, I>(random, layered_pattern<I>(random, {40, 1, 2000, 7, 7, 900}, 5), Side::lower, false);
        auto ends = Ends<I>::mixed(t.rows());
        ends.targets = ends.sources;
        auto c = random_solve_case<V>(random, t, ends, k, 1);
        on_each_executor([&](const Executor& exec) {
            const LevelFactor<V, V, I> factor(exec, t, ends);
            Solve<V, V, I> solver(exec, factor, k);
            auto x = with_padding(c.b, exec);
            solver.solve(x.view(), x.view());
            expect_near(x.to_host(), c.expected, solve_tolerance, std::max(1.0, scale_of(c.expected)));
            expect_same_padding(x, c.b);
        });
    }
}

/// Numbers that are none go where they belong, all bits set or not; solves end, and the next one knows nothing of them.
template <template <class, class, class> class Solve, class V, class I>
void solves_with_not_a_number(std::uint64_t seed)
{
    Random random(seed);
    V all_bits;
    std::memset(static_cast<void*>(&all_bits), 0xFF, sizeof all_bits);
    for (const V nan : {not_a_number<V>(), all_bits}) {
        for (const bool unit : {false, true}) {
            const auto t = random_triangle<V, I>(random, layered_pattern<I>(random, {50, 9, 3000, 1, 1, 400}, 2),
                                                 Side::lower, unit);
            const auto ends = Ends<I>::natural(t.rows());
            auto spoiled = random_solve_case<V>(random, t, ends, 2, 0);
            for (const size_type row : {3, 55, 2000}) {
                spoiled.b.at(row, row % 2) = nan;
            }
            spoiled.expected = substitute<V>(t, ends, spoiled.b.to_host(), 2, spoiled.x.to_host());
            const auto clean = random_solve_case<V>(random, t, ends, 2, 0);
            on_each_executor([&](const Executor& exec) {
                const LevelFactor<V, V, I> factor(exec, t, ends);
                Solve<V, V, I> solver(exec, factor, 2);
                const auto run = [&](DenseView<const V> b, DenseView<V> x) { solver.solve(b, x); };
                for (const bool is_spoiled : {true, false, true, true, false, false}) {
                    expect_solves(exec, is_spoiled ? spoiled : clean, run);
                }
            });
        }
    }
}

}  // namespace linden::test
