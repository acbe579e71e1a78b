// needs: double float int32
#include "core/multigrid/grid.hpp"

#include <linden/io/problems.hpp>
#include <linden/multigrid/amg.hpp>
#include <linden/solver/bicgstab.hpp>
#include <linden/solver/cg.hpp>

#include <cmath>

#include "test/support/compare.hpp"
#include "test/support/matrices.hpp"

/// Matrices whose rows are the points of regular grids, and multigrid for them.
namespace linden::test {
namespace {

using I = std::int32_t;
using linden::detail::choose_blocks;
using linden::detail::find_grid;
using Points = std::array<size_type, num_axes>;

Points points_of(size_type rows, const std::vector<std::int64_t>& offsets)
{
    const auto grid = find_grid(rows, offsets);
    return grid ? grid->points : Points{};
}

TEST(Grid, IsFoundFromOffsets)
{
    EXPECT_EQ(points_of(5000, {-1, 0, 1}), (Points{5000, 1, 1}));
    EXPECT_EQ(points_of(1000000, {-1000, -1, 0, 1, 1000}), (Points{1000, 1000, 1}));
    EXPECT_EQ(points_of(60, {0, 10, -1}), (Points{10, 6, 1}));
    EXPECT_EQ(points_of(24 * 17 * 9, {1, -24, 24 * 17}), (Points{24, 17, 9}));
    std::vector<std::int64_t> all;
    for (std::int64_t z = -1; z <= 1; ++z) {
        for (std::int64_t y = -1; y <= 1; ++y) {
            for (std::int64_t x = -1; x <= 1; ++x) {
                all.push_back(x + 20 * (y + 30 * z));
            }
        }
    }
    EXPECT_EQ(points_of(20 * 30 * 40, all), (Points{20, 30, 40}));
}

TEST(Grid, IsNotFoundWhereThereIsNone)
{
    EXPECT_EQ(points_of(100, {}), Points{});
    EXPECT_EQ(points_of(100, {0}), Points{});
    EXPECT_EQ(points_of(1000, {1, 2}), Points{});          // two points away
    EXPECT_EQ(points_of(1001, {1, 10}), Points{});         // lines do not fill the box
    EXPECT_EQ(points_of(1000, {1, 5}), Points{});          // lines of five points
    EXPECT_EQ(points_of(1000, {1, 1000}), Points{});       // a row that is too long
    EXPECT_EQ(points_of(10000, {1, 100, 317}), Points{});  // no step
    EXPECT_EQ(points_of(100, {1, 10, 90}), Points{});      // the first line beside the last one
}

TEST(Grid, BlocksAlongStrongAxes)
{
    using Counts = std::array<std::int64_t, num_grid_flags>;
    const GridShape grid{{100, 50, 20}};
    const auto widths = [&](const Counts& counts, bool is_first = true) {
        const auto blocks = choose_blocks(grid, counts.data(), 512, is_first);
        return blocks ? blocks->widths : Points{};
    };
    EXPECT_EQ(widths({512, 512, 512, 0, 0, 0, 0, 0}), (Points{2, 2, 2}));
    EXPECT_EQ(widths({512, 512, 512, 0, 0, 0, 0, 512}), (Points{3, 3, 3}));
    EXPECT_EQ(widths({512, 512, 0, 0, 0, 512, 0, 0}), (Points{3, 3, 1}));
    EXPECT_EQ(widths({0, 0, 512, 512, 512, 512, 0, 0}), (Points{1, 1, 3}));
    EXPECT_EQ(widths({0, 0, 0, 512, 512, 512, 0, 0}), Points{});
    EXPECT_EQ(widths({512, 512, 512, 0, 0, 0, 512, 512}), Points{});
    // few rows are unlike the others, then more, which coarser levels may have
    EXPECT_EQ(widths({512, 512, 512, 4, 0, 0, 0, 0}), (Points{2, 2, 2}));
    EXPECT_EQ(widths({512, 512, 512, 5, 0, 0, 0, 0}), Points{});
    EXPECT_EQ(widths({512, 512, 512, 5, 0, 0, 0, 0}, false), (Points{2, 2, 2}));
    EXPECT_EQ(widths({512, 512, 512, 65, 0, 0, 0, 0}, false), Points{});
    const auto blocks = choose_blocks({{7, 3, 1}}, Counts{9, 9, 0, 0, 0, 0, 0, 0}.data(), 9, true);
    ASSERT_TRUE(blocks.has_value());
    EXPECT_EQ(blocks->coarse.points, (Points{2, 1, 1}));
}

LinOpPtr<double> csr(const Executor& exec, const CsrData<double, I>& a) { return share(Csr<double, I>(exec, a)); }

template <class Solver>
size_type iterations(const LinOpPtr<double>& a, const Amg<double>::Parameters& p)
{
    const auto& exec = a->executor();
    const auto solver = Solver::factory({.stop = {.max_iterations = 100, .relative_residual = 1e-6},
                                         .preconditioner = Amg<double>::factory(p)})
                            .generate(a);
    auto x = Dense<double>::filled(exec, {a->size().rows, 1}, 0);
    const auto result = solver->solve(Dense<double>::filled(exec, {a->size().rows, 1}, 1), x);
    EXPECT_TRUE(result.converged()) << result.reason();
    return result.iterations();
}

std::vector<Points> blocks_of(const Amg<double>& m)
{
    std::vector<Points> blocks;
    for (const auto& level : m.report().levels) {
        blocks.push_back(level.block_points);
    }
    return blocks;
}

/// Blocks on all levels, iterations as for aggregates that are searched for or fewer, with and without copies.
TEST(Grid, MultigridTakesBlocks)
{
    struct Case {
        const char* problem;
        std::vector<Points> blocks;
        size_type most_iterations;
    };
    const Case cases[] = {{"lap2d:150", {{3, 3, 1}, {3, 3, 1}, {}}, 13},
                          {"lap3d:30", {{2, 2, 2}, {3, 3, 3}, {}}, 11},
                          {"aniso3d:30:0.001", {{3, 3, 1}, {3, 3, 1}, {}}, 12},
                          {"twophase:150:100", {{3, 3, 1}, {3, 3, 1}, {}}, 14}};
    on_each_executor([&](const Executor& exec) {
        for (const auto& c : cases) {
            SCOPED_TRACE(c.problem);
            const auto a = csr(exec, generate_problem<double, I>(c.problem));
            for (const size_type additive_rows : {0, 262144}) {
                const auto m = Amg<double>::factory({.additive_rows = additive_rows}).generate(a);
                EXPECT_EQ(blocks_of(*m), c.blocks);
                EXPECT_LE(iterations<Cg<double>>(a, {.additive_rows = additive_rows}), c.most_iterations);
            }
            const auto searched = Amg<double>::factory({.grid_blocks = false}).generate(a);
            EXPECT_EQ(blocks_of(*searched).front(), Points{});
        }
        const auto flow = csr(exec, generate_problem<double, I>("convdiff3d:30:20"));
        EXPECT_EQ(blocks_of(*Amg<double>::factory({.additive_rows = 0}).generate(flow)).front(), (Points{3, 1, 1}));
        EXPECT_LE(iterations<BiCgStab<double>>(flow, {.additive_rows = 0}), 9);
    });
}

/// Rows that differ much, small matrices, and grids that nobody asked for.
TEST(Grid, OthersAreSearchedForAggregates)
{
    on_each_executor([](const Executor& exec) {
        for (const auto* const spec : {"lap2d:100", "bubbles:150:60:1000:1", "random:20000:7:1"}) {
            SCOPED_TRACE(spec);
            const auto m = Amg<double>::factory().generate(csr(exec, generate_problem<double, I>(spec)));
            EXPECT_EQ(blocks_of(*m).front(), Points{});
        }
    });
}

/// New values give what a new hierarchy gives, if rows are copies then or not; without allocations.
TEST(Grid, MultigridTakesNewValues)
{
    on_each_executor([](const Executor& exec) {
        const std::pair<const char*, const char*> pairs[] = {{"lap2d:150", nullptr},
                                                             {"twophase:150:100", "twophase:150:30"},
                                                             {"lap3d:28", nullptr},
                                                             {"convdiff3d:28:20", "convdiff3d:28:19"}};
        for (const auto& [spec, other] : pairs) {
            SCOPED_TRACE(spec);
            const auto old = generate_problem<double, I>(spec);
            auto data = other != nullptr ? generate_problem<double, I>(other) : old;
            if (other == nullptr) {
                for (size_type row = 0; row < data.size.rows; ++row) {
                    for (auto k = data.row_ptrs[row]; k < data.row_ptrs[row + 1]; ++k) {
                        data.values[k] *= 1 + 0.01 * std::cos(static_cast<double>(row + data.col_idxs[k]));
                    }
                }
            }
            const auto factory = Amg<double>::factory({.additive_rows = 0});
            auto m = factory.generate(csr(exec, old));
            const auto apply = [&](const LinOp<double>& op) {
                Dense<double> x(exec, {data.size.rows, 1});
                op.apply(Dense<double>::filled(exec, {data.size.rows, 1}, 1), x);
                return x.to_host();
            };
            const auto first = apply(*m);
            const auto a = csr(exec, data);
            const auto before = exec.counters();
            m->update_values(a);
            EXPECT_EQ(exec.counters().allocations, before.allocations);
            EXPECT_EQ(exec.counters().host_synchronizations, before.host_synchronizations);
            const auto fresh = factory.generate(a);
            ASSERT_EQ(blocks_of(*fresh), blocks_of(*m));
            expect_near(apply(*m), apply(*fresh), 1e-3 / std::numeric_limits<double>::epsilon());
            m->update_values(csr(exec, old));
            EXPECT_EQ(apply(*m), first);
        }
    });
}

}  // namespace
}  // namespace linden::test
