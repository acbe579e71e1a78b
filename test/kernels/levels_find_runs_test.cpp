#include <linden/io/problems.hpp>

#include "test/support/triangular.hpp"

namespace linden::test {
namespace {

template <class I>
class LevelsFindRuns : public testing::Test {
};
TYPED_TEST_SUITE(LevelsFindRuns, TestedIndices);

/// Devices have levels of rows only.
template <class F>
void on_each_host(const F& f)
{
    on_each_executor([&](const Executor& exec) {
        if (exec.is_host()) {
            f(exec);
        }
    });
}

template <class I>
std::pair<std::vector<I>, size_type> found(const Executor& exec, const HostPattern<I>& a, Side side, size_type max_run)
{
    auto levels = levels_on(exec, a, side, max_run);
    return {std::move(levels.levels), levels.num_levels};
}

TYPED_TEST(LevelsFindRuns, ByHand)
{
    using I = TypeParam;
    // [. x . . x; x . . . .; . . . x .; . x x . .; . . . x .], rows in disorder, one entry twice
    const HostPattern<I> a{{5, 5}, {0, 2, 4, 5, 7, 8}, {4, 1, 0, 0, 3, 2, 1, 3}};
    using Found = std::pair<std::vector<I>, size_type>;
    on_each_host([&](const Executor& exec) {
        EXPECT_EQ(found(exec, a, Side::lower, 1), (Found{{0, 1, 0, 2, 3}, 4}));
        EXPECT_EQ(found(exec, a, Side::lower, 2), (Found{{0, 0, 1, 1, 2}, 3}));  // {0, 1}, {2, 3}, {4}
        EXPECT_EQ(found(exec, a, Side::lower, 3), (Found{{0, 0, 1, 1, 1}, 2}));  // {0, 1}, {2, 3, 4}
        EXPECT_EQ(found(exec, a, Side::upper, 1), (Found{{1, 0, 1, 0, 0}, 2}));
        EXPECT_EQ(found(exec, a, Side::upper, 9), (Found{{1, 1, 0, 0, 0}, 2}));  // {4}, {3, 2}, {1, 0}
        EXPECT_EQ(found(exec, HostPattern<I>{{0, 0}, {0}, {}}, Side::lower, 4), (Found{{}, 0}));
    });
}

/// The runs by the definition, and then every run one level above the highest that it needs.
template <class I>
std::pair<std::vector<I>, size_type> expected_of(const HostPattern<I>& a, Side side, size_type max_run)
{
    const size_type n = a.size.rows;
    const auto at = [&](size_type place) { return side == Side::lower ? place : n - 1 - place; };
    std::vector<std::vector<size_type>> needs(static_cast<std::size_t>(n));  // by places
    for (size_type row = 0; row < n; ++row) {
        for (I k = a.row_ptrs[row]; k < a.row_ptrs[row + 1]; ++k) {
            if (at(a.col_idxs[k]) < at(row)) {
                needs[at(row)].push_back(at(a.col_idxs[k]));
            }
        }
    }
    std::vector<I> levels(needs.size());
    size_type num_levels = 0;
    for (size_type first = 0, last = 0; first < n; first = last) {
        last = first + 1;
        while (last < n && last - first < max_run &&
               std::find(needs[last].begin(), needs[last].end(), last - 1) != needs[last].end()) {
            ++last;
        }
        I level = 0;
        for (size_type place = first; place < last; ++place) {
            for (const auto needed : needs[place]) {
                level = needed < first ? std::max(level, static_cast<I>(levels[at(needed)] + 1)) : level;
            }
        }
        for (size_type place = first; place < last; ++place) {
            levels[at(place)] = level;
        }
        num_levels = std::max(num_levels, size_type{level} + 1);
    }
    return {levels, num_levels};
}

template <class I>
void expect_runs(const HostPattern<I>& a)
{
    for (const size_type max_run : {1, 2, 7, 128}) {
        for (const auto side : {Side::lower, Side::upper}) {
            const auto expected = expected_of(a, side, max_run);
            on_each_host([&](const Executor& exec) {
                EXPECT_EQ(found(exec, a, side, max_run), expected);
                if (max_run == 1) {
                    EXPECT_EQ(found(exec, a, side, 0), expected) << "levels_find differs";
                }
            });
        }
    }
}

TYPED_TEST(LevelsFindRuns, LikeDefinition)
{
    using I = TypeParam;
    Random random(805);
    for (const size_type n : {1, 31, 597}) {
        for (const auto kind : all_patterns) {
            expect_runs(random_disorder<I>(random, {n, n}, n < 100 ? 3 : 2, kind));
        }
    }
    for_each_small_triangle<I>(random, [](const HostPattern<I>& a) {
        expect_runs(a);
        expect_runs(mirrored(a));
    });
    expect_runs(pattern_of_runs<I>(300, 9, 40));
    expect_runs(mirrored(pattern_of_runs<I>(300, 9, 40)));
}

/// Runs of a chain are cut at max_run, each needs the one before; those of a grid are its lines.
TYPED_TEST(LevelsFindRuns, OfAChainAndAGrid)
{
    using I = TypeParam;
    Random random(806);
    const auto chain = layered_pattern<I>(random, std::vector<size_type>(1000, 1), 0);
    const auto grid = generate_problem<DefaultValue, I>("lap2d:20");
    on_each_host([&](const Executor& exec) {
        const auto of_chain = levels_on(exec, chain, Side::lower, 128);
        EXPECT_EQ(of_chain.level_ptrs, (std::vector<I>{0, 128, 256, 384, 512, 640, 768, 896, 1000}));
        for (const auto side : {Side::lower, Side::upper}) {
            const auto lines = levels_on(exec, HostPattern<I>{grid.size, grid.row_ptrs, grid.col_idxs}, side, 20);
            EXPECT_EQ(lines.num_levels, 20);
            for (I p = 0; p < 400; ++p) {
                EXPECT_EQ(lines.order[p], side == Side::lower ? p : 399 - p);
            }
        }
    });
}

}  // namespace
}  // namespace linden::test
