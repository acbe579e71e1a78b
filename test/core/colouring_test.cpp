// needs: double int32
#include <linden/error.hpp>
#include <linden/io/problems.hpp>
#include <linden/reorder/colouring.hpp>

#include <algorithm>
#include <numeric>

#include "core/colouring/colouring.hpp"
#include "test/support/backends.hpp"
#include "test/support/matrices.hpp"
#include "test/support/problems.hpp"

namespace linden::test {
namespace {

using I = std::int32_t;
using A = Csr<double, I>;
using Algorithm = ColouringAlgorithm;

constexpr Algorithm both_algorithms[] = {Algorithm::greedy, Algorithm::jones_plassmann};

/// Some need two colours only; most are not symmetric.
std::vector<CsrData<double, I>> varied_matrices()
{
    Random random(911);
    std::vector<CsrData<double, I>> matrices;
    for (const auto* const two_colours : {"lap2d:13", "lap3d:5", "random:40:1:3"}) {
        matrices.push_back(generate_problem<double, I>(two_colours));
    }
    // forests, one of rows with an edge for every third, and one without edges
    matrices.push_back({{7, 7}, {0, 0, 0, 1, 1, 2, 2, 4}, {1, 0, 3, 5}, {1, 1, 1, 1}});
    matrices.push_back({{3, 3}, {0, 1, 1, 2}, {0, 2}, {1, 1}});
    for (const size_type n : {0, 1, 2, 31, 33, 597}) {
        for (const auto kind : {Pattern::uniform, Pattern::empty_rows, Pattern::dense_row}) {
            matrices.push_back(random_csr<double, I>(random, {n, n}, 3, kind));
        }
    }
    return matrices;
}

/// Neighbours are rows at a distance of 1, 2, 4, 8, ...: three colours are enough.
CsrData<double, I> powers_of_two(size_type n)
{
    CsrData<double, I> a{{n, n}, {0}, {}, {}};
    for (size_type row = 0; row < n; ++row) {
        for (size_type distance = 1; distance <= row; distance *= 2) {
            a.col_idxs.insert(a.col_idxs.begin() + a.row_ptrs.back(), static_cast<I>(row - distance));
        }
        a.row_ptrs.push_back(static_cast<I>(a.col_idxs.size()));
    }
    a.values.resize(a.col_idxs.size(), 1);
    return a;
}

size_type num_colours_of(const Executor& exec, const CsrData<double, I>& data, Algorithm algorithm)
{
    const A a(exec, data);
    const auto colouring = find_colouring(a, {.algorithm = algorithm});
    EXPECT_TRUE(is_valid(colouring, a));
    EXPECT_EQ(std::accumulate(colouring.sizes.begin(), colouring.sizes.end(), size_type{0}), a.size().rows);
    return colouring.num_colours;
}

size_type num_colours_of(const Executor& exec, std::string_view problem, Algorithm algorithm)
{
    return num_colours_of(exec, generate_problem<double, I>(problem), algorithm);
}

TEST(Colouring, ByHand)
{
    on_each_executor([](const Executor& exec) {
        // [x x . . .; . x . . .; . x . . x; x . . x .; . . . x x], coloured as its sum with the transpose
        const A a(exec, csr_from_rows<double>(
                            {{1, 1, 0, 0, 0}, {0, 1, 0, 0, 0}, {0, 1, 0, 0, 1}, {1, 0, 0, 1, 0}, {0, 0, 0, 1, 1}}));
        const auto colouring = find_colouring(a);
        EXPECT_EQ(colouring.colours.to_host(), (std::vector<I>{0, 1, 0, 1, 2}));
        EXPECT_EQ(colouring.num_colours, 3);
        EXPECT_EQ(colouring.sizes, (std::vector<size_type>{2, 2, 1}));
        EXPECT_EQ(colouring.num_rows, 5);
        EXPECT_TRUE(is_valid(colouring, a));

        // blocks 0 1, 2 3 and 4: the one in the middle is a neighbour of both
        const auto blocks = find_colouring(a, {.block_rows = 2});
        EXPECT_EQ(blocks.colours.to_host(), (std::vector<I>{0, 1, 0}));
        EXPECT_EQ(blocks.sizes, (std::vector<size_type>{2, 1}));
        EXPECT_TRUE(is_valid(blocks, a));

        const Colouring<I> wrong{Array<I>(exec, {0, 1, 0, 0, 3}), 5, 1, 3, {}};
        EXPECT_EQ(num_conflicts(wrong, a), 2);  // (3, 0), and the colour 3 is none
        EXPECT_FALSE(is_valid(wrong, a));
    });
}

TEST(Colouring, NeedsAsManyColoursOnGridsAsTheyHaveCorners)
{
    on_each_executor([](const Executor& exec) {
        EXPECT_EQ(num_colours_of(exec, "lap2d:40", Algorithm::greedy), 2);
        EXPECT_EQ(num_colours_of(exec, "lap3d:16", Algorithm::greedy), 2);
        EXPECT_EQ(num_colours_of(exec, "st27:12", Algorithm::greedy), 8);
    });
}

TEST(Colouring, InShortChainsNeedsHalfAsManyMoreAtMost)
{
    for (const auto* const problem :
         {"lap2d:100", "lap2d:37", "lap3d:30", "st27:20", "st27:13", "random:2000:5:1", "powerlaw:2000:6:2"}) {
        SCOPED_TRACE(problem);
        const auto fewest = num_colours_of(reference_executor(), problem, Algorithm::greedy);
        const auto found = num_colours_of(reference_executor(), problem, Algorithm::jones_plassmann);
        EXPECT_LE(2 * found, 3 * fewest);
    }
    EXPECT_EQ(num_colours_of(reference_executor(), powers_of_two(2000), Algorithm::greedy), 3);
    EXPECT_LE(num_colours_of(reference_executor(), powers_of_two(2000), Algorithm::jones_plassmann), 4);
    on_each_executor([](const Executor& exec) {
        EXPECT_EQ(num_colours_of(exec, "lap2d:40", Algorithm::jones_plassmann), 2);
        EXPECT_EQ(num_colours_of(exec, "st27:12", Algorithm::jones_plassmann), 8);
    });
}

TEST(Colouring, IsTheSameEverywhere)
{
    for (const auto& data : varied_matrices()) {
        for (const auto algorithm : both_algorithms) {
            for (const bool balance : {false, true}) {
                for (const size_type block_rows : {1, 2, 7}) {
                    const ColouringOptions options{algorithm, balance, block_rows};
                    const auto expected = find_colouring(A(reference_executor(), data), options);
                    on_each_executor([&](const Executor& exec) {
                        const A a(exec, data);
                        const auto colouring = find_colouring(a, options);
                        EXPECT_EQ(colouring.colours.to_host(), expected.colours.to_host());
                        EXPECT_EQ(colouring.sizes, expected.sizes);
                        EXPECT_EQ(colouring.num_colours, expected.num_colours);
                        EXPECT_TRUE(is_valid(colouring, a));
                    });
                }
            }
        }
    }
}

TEST(Colouring, CountsItsSizes)
{
    for (const auto& data : varied_matrices()) {
        for (const bool balance : {false, true}) {
            const auto colouring = find_colouring(A(reference_executor(), data), {.balance = balance});
            std::vector<size_type> sizes(static_cast<std::size_t>(colouring.num_colours));
            for (const auto colour : colouring.colours.to_host()) {
                ++sizes[static_cast<std::size_t>(colour)];
            }
            EXPECT_EQ(colouring.sizes, sizes);
        }
    }
}

TEST(Colouring, BalancesItsSizes)
{
    const auto spread = [](const Colouring<I>& colouring) {
        const auto [least, most] = std::minmax_element(colouring.sizes.begin(), colouring.sizes.end());
        return *most - *least;
    };
    for (const auto* const problem : {"random:3000:6:3", "powerlaw:2000:6:2"}) {
        SCOPED_TRACE(problem);
        const auto data = generate_problem<double, I>(problem);
        on_each_executor([&](const Executor& exec) {
            const A a(exec, data);
            const auto before = find_colouring(a);
            const auto after = find_colouring(a, {.balance = true});
            EXPECT_TRUE(is_valid(after, a));
            EXPECT_EQ(after.num_colours, before.num_colours);
            EXPECT_LT(2 * spread(after), spread(before));
        });
    }
    on_each_executor([&](const Executor& exec) {
        // row 0 needs 1 alone: 2, ..., 5 have nobody, and two of them go to the second colour
        const A a(exec, csr_from_rows<double>({{1, 1, 0, 0, 0, 0},
                                               {1, 1, 0, 0, 0, 0},
                                               {0, 0, 1, 0, 0, 0},
                                               {0, 0, 0, 1, 0, 0},
                                               {0, 0, 0, 0, 1, 0},
                                               {0, 0, 0, 0, 0, 1}}));
        const auto colouring = find_colouring(a, {.balance = true});
        EXPECT_EQ(colouring.colours.to_host(), (std::vector<I>{0, 1, 1, 1, 0, 0}));
        EXPECT_EQ(colouring.sizes, (std::vector<size_type>{3, 3}));
    });
}

/// Rows by colours, in a colour by their place in the block and then by blocks.
std::vector<I> sorted_rows(const Colouring<I>& colouring)
{
    const auto colours = colouring.colours.to_host();
    std::vector<I> rows(static_cast<std::size_t>(colouring.num_rows));
    std::iota(rows.begin(), rows.end(), I{0});
    const auto block = static_cast<I>(colouring.block_rows);
    std::sort(rows.begin(), rows.end(), [&](I a, I b) {
        return std::tuple(colours[a / block], a % block, a) < std::tuple(colours[b / block], b % block, b);
    });
    return rows;
}

TEST(Colouring, GivesTheOrderOfRows)
{
    for (const auto& data : varied_matrices()) {
        for (const size_type block_rows : {1, 2, 3, 7, 600}) {
            on_each_executor([&](const Executor& exec) {
                const A a(exec, data);
                const auto colouring = find_colouring(a, {.block_rows = block_rows});
                const ::linden::detail::ColourOrder<I> by_colours(exec, colouring);
                const auto order = by_colours.order.to_host();
                EXPECT_EQ(order, sorted_rows(colouring));
                const auto position = by_colours.position.to_host();
                for (std::size_t p = 0; p < order.size(); ++p) {
                    ASSERT_EQ(position[static_cast<std::size_t>(order[p])], static_cast<I>(p));
                }
                const auto colours = colouring.colours.to_host();
                ASSERT_EQ(by_colours.colour_ptrs.size(), static_cast<std::size_t>(colouring.num_colours + 1));
                EXPECT_EQ(by_colours.colour_ptrs.back(), colouring.num_rows);
                for (std::size_t c = 0; c + 1 < by_colours.colour_ptrs.size(); ++c) {
                    for (auto p = by_colours.colour_ptrs[c]; p < by_colours.colour_ptrs[c + 1]; ++p) {
                        ASSERT_EQ(colours[order[p] / block_rows], static_cast<I>(c));
                    }
                }
            });
        }
    }
}

/// Whether each row can be reached from each other one by `distance` steps at most.
std::vector<std::vector<bool>> reach(const CsrData<double, I>& a, int distance)
{
    const auto n = static_cast<std::size_t>(a.size.rows);
    std::vector<std::vector<bool>> step(n, std::vector<bool>(n));
    for (std::size_t row = 0; row < n; ++row) {
        step[row][row] = true;
        for (auto k = a.row_ptrs[row]; k < a.row_ptrs[row + 1]; ++k) {
            step[row][a.col_idxs[k]] = step[a.col_idxs[k]][row] = true;
        }
    }
    auto reached = step;
    for (std::size_t row = 0; distance == 2 && row < n; ++row) {
        for (std::size_t middle = 0; middle < n; ++middle) {
            for (std::size_t col = 0; step[row][middle] && col < n; ++col) {
                reached[row][col] = reached[row][col] || step[middle][col];
            }
        }
    }
    return reached;
}

TEST(MaximalIndependentSet, HasNoNeighboursAndLacksNoRow)
{
    for (const auto& data : varied_matrices()) {
        for (const int distance : {1, 2}) {
            const auto reached = reach(data, distance);
            const auto expected = maximal_independent_set(A(reference_executor(), data), distance, 3).to_host();
            for (std::size_t row = 0; row < expected.size(); ++row) {
                size_type members = 0;
                for (std::size_t col = 0; col < expected.size(); ++col) {
                    members += reached[row][col] && expected[col] == 1;
                }
                ASSERT_TRUE(expected[row] == 1 ? members == 1 : members > 0) << "row " << row;
            }
            on_each_executor([&](const Executor& exec) {
                EXPECT_EQ(maximal_independent_set(A(exec, data), distance, 3).to_host(), expected);
            });
        }
    }
}

TEST(MaximalIndependentSet, IsAnotherForAnotherSeed)
{
    const A a(reference_executor(), generate_problem<double, I>("lap2d:20"));
    EXPECT_NE(maximal_independent_set(a, 1, 1).to_host(), maximal_independent_set(a, 1, 2).to_host());
}

TEST(Colouring, RefusesWhatItCannotColour)
{
    on_each_executor([](const Executor& exec) {
        const A wide(exec, CsrData<double, I>{{2, 3}, {0, 1, 2}, {0, 2}, {1, 1}});
        const A a(exec, diagonal_csr<double>({1, 2, 3}));
        EXPECT_THROW(find_colouring(wide), DimensionMismatch);
        EXPECT_THROW(find_colouring(a, {.block_rows = 0}), InvalidParameter);
        EXPECT_THROW(maximal_independent_set(wide), DimensionMismatch);
        EXPECT_THROW(maximal_independent_set(a, 3), InvalidParameter);
        const auto colouring = find_colouring(a);
        EXPECT_THROW(num_conflicts(colouring, wide), DimensionMismatch);
        const auto elsewhere = Executor::reference();
        EXPECT_THROW(num_conflicts(colouring, A(elsewhere, diagonal_csr<double>({1, 2, 3}))), InvalidParameter);
    });
}

}  // namespace
}  // namespace linden::test
