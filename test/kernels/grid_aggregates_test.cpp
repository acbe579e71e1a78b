#include "core/kernels/grid.hpp"
#include "core/kernels/prefix_sum.hpp"
#include "test/support/grids.hpp"
#include "test/support/patterns.hpp"

/// What is asked of rows that may be the points of a grid, and their blocks.
namespace linden::test {
namespace {

template <class I>
class GridKernels : public ::testing::Test {
};
TYPED_TEST_SUITE(GridKernels, TestedIndices, TypeNames);

template <class I>
std::vector<I> aggregates_on(const Executor& exec, const GridBlocks& blocks)
{
    Array<I> aggregates(exec, blocks.fine.size());
    grid_aggregates<I>(exec, blocks, aggregates.data());
    return aggregates.to_host();
}

TYPED_TEST(GridKernels, BlocksByHand)
{
    using I = TypeParam;
    on_each_executor([](const Executor& exec) {
        // 7 points in blocks of 3, the last one of 4; 3 points in blocks of 2, the last one of 1
        const std::vector<I> plane{0, 0, 0, 1, 1, 1, 1, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 3, 3, 3, 3};
        EXPECT_EQ(aggregates_on<I>(exec, {{{7, 3, 1}}, {{2, 2, 1}}, {3, 2, 1}}), plane);
        // two planes that stay apart
        auto both = plane;
        for (const auto a : plane) {
            both.push_back(a + 4);
        }
        EXPECT_EQ(aggregates_on<I>(exec, {{{7, 3, 2}}, {{2, 2, 2}}, {3, 2, 1}}), both);
        EXPECT_EQ(aggregates_on<I>(exec, {{{5, 1, 1}}, {{1, 1, 1}}, {3, 1, 1}}), (std::vector<I>(5, 0)));
    });
}

TYPED_TEST(GridKernels, SamplesAreSpreadOverAllRows)
{
    using I = TypeParam;
    // row i of 640 has entries in columns i - 1, i and i + 3, those of every fourth one 3 more than fit
    HostPattern<I> a{{640, 700}, {0}, {}};
    for (I row = 0; row < 640; ++row) {
        for (const I offset : {-1, 0, 3}) {
            if (row + offset >= 0) {
                a.col_idxs.push_back(row + offset);
            }
        }
        for (I k = 0; row % 4 == 1 && k < 3; ++k) {
            a.col_idxs.push_back(row + 10 + k);
        }
        a.row_ptrs.push_back(static_cast<I>(a.col_idxs.size()));
    }
    on_each_executor([&](const Executor& exec) {
        const PatternOn<I> pattern(exec, a);
        Array<std::int64_t> offsets(exec, 64 * 4);
        grid_sample<I>(exec, pattern.view(), 64, 4, offsets.data());
        const auto found = offsets.to_host();
        for (size_type s = 0; s < 64; ++s) {
            const size_type row = sampled_row(s, 64, 640);
            EXPECT_GE(row, 10 * s);
            EXPECT_LT(row, 10 * s + 10);
            const std::vector<std::int64_t> of_row(found.begin() + 4 * s, found.begin() + 4 * s + 4);
            const std::vector<std::int64_t> expected = row % 4 == 1 ? std::vector<std::int64_t>(4, 640)
                                                       : row == 0   ? std::vector<std::int64_t>{0, 3, 0, 0}
                                                                    : std::vector<std::int64_t>{-1, 0, 3, 0};
            EXPECT_EQ(of_row, expected) << "row " << row;
        }
    });
}

/// How many of 32 samples have each flag.
template <class V, class I>
std::vector<std::int64_t> flags_on(const Executor& exec, const GridShape& grid, const CsrData<V, I>& data,
                                   double threshold)
{
    const Csr<V, I> a(exec, data);
    const Array<real_t<V>> largest(exec, std::vector<real_t<V>>(static_cast<std::size_t>(grid.size()), 1));
    Array<I> flags(exec, std::vector<I>(32 * num_grid_flags, I{9}));
    grid_flags<V, I>(exec, a.view(), largest.data(), threshold, grid, 32, flags.data());
    Array<std::int64_t> counts(exec, num_grid_flags);
    array_totals<I>(exec, 32, num_grid_flags, flags.data(), counts.data());
    return counts.to_host();
}

TEST(GridFlags, StrongAndWeakAxes)
{
    for_each_value_index([]<class V, class I>() {
        const GridShape grid{{8, 6, 4}};
        const auto along = [](size_type x, size_type y, size_type z) { return GridStep{{x, y, z}}; };
        std::vector<Neighbour> seven{{along(-1, 0, 0), -1},   {along(1, 0, 0), -1}, {along(0, -1, 0), -0.25},
                                     {along(0, 1, 0), -0.25}, {along(0, 0, -1), 1}, {along(0, 0, 1), -0.5}};
        const auto signs = on_grid<V, I>(grid, seven, 5);
        // strong to one side of z only: the other entry has the diagonal's sign
        using Counts = std::vector<std::int64_t>;
        auto negated = signs;
        for (auto& value : negated.values) {
            value = -value;
        }
        seven.push_back({along(1, 1, 0), -0.5});
        const auto aslant = on_grid<V, I>(grid, seven, 5);
        seven.push_back({along(1, -1, 0), -0.5});
        const auto crossed = on_grid<V, I>(grid, seven, 5);
        on_each_executor([&](const Executor& exec) {
            EXPECT_EQ(flags_on(exec, grid, signs, 0.4), (Counts{32, 0, 32, 0, 32, 32, 0, 0}));
            EXPECT_EQ(flags_on(exec, grid, negated, 0.4), (Counts{32, 0, 32, 0, 32, 32, 0, 0}));
            EXPECT_EQ(flags_on(exec, grid, signs, 0.25), (Counts{32, 32, 32, 0, 0, 32, 0, 0}));
            EXPECT_EQ(flags_on(exec, grid, aslant, 0.4), (Counts{32, 32, 32, 0, 32, 32, 32, 32}));
            EXPECT_EQ(flags_on(exec, grid, crossed, 0.4), (Counts{32, 32, 32, 0, 32, 32, 0, 32}));
        });
    });
}

TEST(GridSteps, AreTheNearest)
{
    const GridShape grid{{10, 8, 5}};
    for (size_type z = -1; z <= 1; ++z) {
        for (size_type y = -1; y <= 1; ++y) {
            for (size_type x = -1; x <= 1; ++x) {
                const auto step = step_of(grid, x + 10 * (y + 8 * z));
                EXPECT_EQ(step.along, (std::array<size_type, 3>{x, y, z}));
            }
        }
    }
    for (size_type s = 0; s < 100; ++s) {
        const size_type point = sampled_point(grid, s, 100);
        EXPECT_TRUE(point % 10 > 0 && point % 10 < 9 && point / 10 % 8 > 0 && point / 10 % 8 < 7) << point;
    }
}

}  // namespace
}  // namespace linden::test
