// needs: double int32
#include <linden/error.hpp>
#include <linden/io/problems.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/type_lists.hpp"

#include "test/support/built_types.hpp"

namespace linden {
namespace {

using Csr = CsrData<double, std::int32_t>;

Csr problem(std::string_view spec) { return generate_problem<double, std::int32_t>(spec); }

double entry(const Csr& a, size_type row, size_type col)
{
    for (auto k = a.row_ptrs[row]; k < a.row_ptrs[row + 1]; ++k) {
        if (a.col_idxs[k] == col) {
            return a.values[k];
        }
    }
    return 0;
}

double row_sum(const Csr& a, size_type row)
{
    double sum = 0;
    for (auto k = a.row_ptrs[row]; k < a.row_ptrs[row + 1]; ++k) {
        sum += a.values[k];
    }
    return sum;
}

std::vector<double> dense(const Csr& a)
{
    std::vector<double> out;
    for (size_type row = 0; row < a.size.rows; ++row) {
        for (size_type col = 0; col < a.size.cols; ++col) {
            out.push_back(entry(a, row, col));
        }
    }
    return out;
}

bool is_symmetric(const Csr& a)
{
    for (size_type row = 0; row < a.size.rows; ++row) {
        for (auto k = a.row_ptrs[row]; k < a.row_ptrs[row + 1]; ++k) {
            if (entry(a, a.col_idxs[k], row) != a.values[k]) {
                return false;
            }
        }
    }
    return true;
}

/// Lengths agree, columns increase strictly, the diagonal is there.
void expect_canonical(const Csr& a)
{
    require_well_formed(a);
    for (size_type row = 0; row < a.size.rows; ++row) {
        const auto begin = a.col_idxs.begin() + a.row_ptrs[row];
        const auto end = a.col_idxs.begin() + a.row_ptrs[row + 1];
        ASSERT_TRUE(std::is_sorted(begin, end, std::less_equal<>())) << "row " << row;
        ASSERT_TRUE(std::binary_search(begin, end, row)) << "row " << row;
    }
}

TEST(Problems, Lap2dByHand)
{
    const std::vector<double> expected = {
        4,  -1, -1, 0,   //
        -1, 4,  0,  -1,  //
        -1, 0,  4,  -1,  //
        0,  -1, -1, 4,
    };
    const auto a = problem("lap2d:2");
    EXPECT_EQ(dense(a), expected);
    EXPECT_EQ(a.num_nonzeros(), 12);
}

TEST(Problems, Aniso2dWeakensY)
{
    const std::vector<double> expected = {
        2.5,   -1,    -0.25, 0,      //
        -1,    2.5,   0,     -0.25,  //
        -0.25, 0,     2.5,   -1,     //
        0,     -0.25, -1,    2.5,
    };
    EXPECT_EQ(dense(problem("aniso2d:2:0.25")), expected);
}

TEST(Problems, Lap3dCouplesSixNeighbours)
{
    const auto a = problem("lap3d:3");
    EXPECT_EQ(a.num_nonzeros(), 7 * 27 - 6 * 9);
    constexpr size_type centre = 13;
    EXPECT_EQ(a.row_ptrs[centre + 1] - a.row_ptrs[centre], 7);
    EXPECT_EQ(entry(a, centre, centre), 6);
    for (int offset : {1, 3, 9}) {
        EXPECT_EQ(entry(a, centre, centre - offset), -1);
        EXPECT_EQ(entry(a, centre, centre + offset), -1);
    }
    EXPECT_EQ(entry(a, 2, 3), 0) << "the end of a grid line is not a neighbour of the next line";
    EXPECT_EQ(row_sum(a, centre), 0);
    EXPECT_EQ(row_sum(a, 0), 3);
}

TEST(Problems, St27CouplesTheBox)
{
    const auto a = problem("st27:3");
    EXPECT_EQ(a.num_nonzeros(), 7 * 7 * 7);
    constexpr size_type centre = 13;
    for (size_type col = 0; col < 27; ++col) {
        EXPECT_EQ(entry(a, centre, col), col == centre ? 26 : -1);
    }
    EXPECT_EQ(row_sum(a, 0), 26 - 7);
}

TEST(Problems, Aniso3dWeakensZ)
{
    const auto a = problem("aniso3d:3:0.5");
    constexpr size_type centre = 13;
    EXPECT_EQ(entry(a, centre, centre), 5);
    EXPECT_EQ(entry(a, centre, centre + 1), -1);
    EXPECT_EQ(entry(a, centre, centre + 3), -1);
    EXPECT_EQ(entry(a, centre, centre + 9), -0.5);
    EXPECT_EQ(entry(a, centre, centre - 9), -0.5);
    EXPECT_TRUE(is_symmetric(a));
}

TEST(Problems, Convdiff3dIsUpwindInX)
{
    const auto a = problem("convdiff3d:3:2");
    constexpr size_type centre = 13;
    EXPECT_EQ(entry(a, centre, centre), 8);
    EXPECT_EQ(entry(a, centre, centre - 1), -3);
    for (int offset : {1, 3, 9, -3, -9}) {
        EXPECT_EQ(entry(a, centre, centre + offset), -1);
    }
    EXPECT_EQ(row_sum(a, centre), 0);
    EXPECT_FALSE(is_symmetric(a));
    EXPECT_EQ(dense(problem("convdiff3d:3:0")), dense(problem("lap3d:3")));
}

TEST(Problems, TwophaseByHand)
{
    // k = 1 below, 1/3 above; the face between has 2 (1)(1/3) / (1 + 1/3) = 1/2.
    const auto a = problem("twophase:2:3");
    EXPECT_DOUBLE_EQ(entry(a, 0, 0), 1 + 1 + 1 + 0.5);
    EXPECT_DOUBLE_EQ(entry(a, 0, 1), -1);
    EXPECT_DOUBLE_EQ(entry(a, 0, 2), -0.5);
    EXPECT_DOUBLE_EQ(entry(a, 2, 0), -0.5);
    EXPECT_DOUBLE_EQ(entry(a, 2, 3), -1.0 / 3);
    EXPECT_DOUBLE_EQ(entry(a, 2, 2), 3 * (1.0 / 3) + 0.5);
    EXPECT_TRUE(is_symmetric(problem("twophase:7:1000")));
    EXPECT_EQ(dense(problem("twophase:4:1")), dense(problem("lap2d:4")));
    // Of an odd number of rows the middle one belongs to the lower half.
    EXPECT_EQ(entry(problem("twophase:3:100"), 3, 4), -1);
    EXPECT_EQ(entry(problem("twophase:3:100"), 6, 7), -0.01);
}

TEST(Problems, TwophaseTakesSides)
{
    EXPECT_EQ(problem("twophase:5:7:lrbt").values, problem("twophase:5:7").values);
    EXPECT_EQ(problem("twophase:5:7:tbrl").values, problem("twophase:5:7").values);
    // k = 1 below, 1/3 above, 1/2 between: the face on the left, the neighbour in x, the neighbour in y
    const auto left = problem("twophase:2:3:l");
    EXPECT_DOUBLE_EQ(entry(left, 0, 0), 1 + 1 + 0.5);
    EXPECT_DOUBLE_EQ(entry(left, 1, 1), 1 + 0.5);
    EXPECT_DOUBLE_EQ(entry(left, 2, 2), 1.0 / 3 + 1.0 / 3 + 0.5);
    EXPECT_DOUBLE_EQ(entry(left, 3, 3), 1.0 / 3 + 0.5);
    EXPECT_DOUBLE_EQ(entry(left, 0, 2), -0.5);
    const double side[] = {1.0 / 3, 1, 1, 1.0 / 3};
    const char* const specs[] = {"twophase:9:3:t", "twophase:9:3:b", "twophase:9:3:r", "twophase:9:3:l"};
    for (int i = 0; i < 4; ++i) {
        const auto a = problem(specs[i]);
        EXPECT_TRUE(is_symmetric(a));
        double total = 0;
        for (size_type row = 0; row < 81; ++row) {
            total += row_sum(a, row);
        }
        // The faces of the sides alone are left in the sum: nine, or five below and four above.
        EXPECT_NEAR(total, i < 2 ? 9 * side[i] : 5 + 4 / 3., 1e-12) << specs[i];
    }
}

/// A bubbles problem's cells: '#' where the coefficient is 1, by the entries to the neighbours in x.
std::string cells(const Csr& a, size_type n)
{
    std::string out;
    for (size_type row = 0; row < a.size.rows; ++row) {
        const bool at_end = (row + 1) % n == 0;
        const auto to_next = at_end ? entry(a, row, row - 1) : entry(a, row, row + 1);
        const auto to_previous = row % n == 0 ? to_next : entry(a, row, row - 1);
        out += to_next == -1 || to_previous == -1 ? '#' : '.';
    }
    return out;
}

/// SplitMix64, in the integers that the problem is defined with: a circle of a radius r of [819, 1638] / 4096.
std::vector<bool> one_circle(std::uint64_t seed, size_type n)
{
    const auto next = [&] {
        auto z = seed += 0x9e3779b97f4a7c15u;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        return z ^ (z >> 31);
    };
    const auto radius = static_cast<size_type>(819 + next() % 820);
    const auto x = radius + static_cast<size_type>(next() % (4097 - 2 * radius));
    const auto y = radius + static_cast<size_type>(next() % (4097 - 2 * radius));
    std::vector<bool> inside;
    for (size_type row = 0; row < n * n; ++row) {
        const double dx = (row % n + 0.5) / static_cast<double>(n) - x / 4096.;
        const double dy = (row / n + 0.5) / static_cast<double>(n) - y / 4096.;
        inside.push_back(std::hypot(dx, dy) <= radius / 4096.);
    }
    return inside;
}

TEST(Problems, BubblesHaveTheirCoefficients)
{
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        SCOPED_TRACE(seed);
        constexpr size_type n = 12;
        const auto a = problem("bubbles:12:1:3:" + std::to_string(seed));
        const auto inside = one_circle(seed, n);
        const auto k = [&](size_type cell) { return inside[static_cast<std::size_t>(cell)] ? 1 : 1. / 3; };
        EXPECT_GT(std::count(inside.begin(), inside.end(), true), 144 * 0.11);
        EXPECT_LT(std::count(inside.begin(), inside.end(), true), 144 * 0.52);
        for (size_type cell = 0; cell < n * n; ++cell) {
            double sum = 0;
            for (const auto& [neighbour, is_outside] : {std::pair{cell - 1, cell % n == 0},
                                                        {cell + 1, cell % n == n - 1},
                                                        {cell - n, cell < n},
                                                        {cell + n, cell >= n * (n - 1)}}) {
                const auto face = is_outside ? k(cell) : 2 / (1 / k(cell) + 1 / k(neighbour));
                sum += face;
                if (!is_outside) {
                    EXPECT_DOUBLE_EQ(entry(a, cell, neighbour), -face);
                }
            }
            EXPECT_DOUBLE_EQ(entry(a, cell, cell), sum);
        }
    }
}

TEST(Problems, BubblesAreSymmetricAndReproducible)
{
    for (const std::string name : {"bubbles:40:8:1000:", "bubbles3d:12:8:1000:"}) {
        const auto a = problem(name + "7");
        expect_canonical(a);
        EXPECT_TRUE(is_symmetric(a));
        const size_type n = name.starts_with("bubbles3d") ? 12 : 40;
        for (size_type row = 0; row < a.size.rows; ++row) {
            EXPECT_GT(entry(a, row, row), 0);
            EXPECT_GE(row_sum(a, row), -1e-14);
        }
        EXPECT_EQ(problem(name + "7").values, a.values);
        EXPECT_NE(problem(name + "8").values, a.values);
        const auto inside = cells(a, n);
        const auto share = static_cast<double>(std::count(inside.begin(), inside.end(), '#')) / inside.size();
        EXPECT_GT(share, 0.1);  // 0.29 and 0.25 on average of discs and balls that do not overlap
        EXPECT_LT(share, 0.4);
    }
    EXPECT_EQ(dense(problem("bubbles:4:2:1:9")), dense(problem("lap2d:4")));
    EXPECT_EQ(dense(problem("bubbles3d:3:2:1:9")), dense(problem("lap3d:3")));
}

TEST(Problems, BubblesAreTheSameOnEveryPlatform)
{
    const std::string expected =
        "................"  //
        "................"  //
        "................"  //
        "................"  //
        "................"  //
        "................"  //
        "...........###.."  //
        "..........#####."  //
        "....##....#####."  //
        "...####....###.."  //
        "...#######......"  //
        "...#######......"  //
        ".....######....."  //
        "......####......"  //
        "......####......"  //
        "................";
    EXPECT_EQ(cells(problem("bubbles:16:3:1000:1"), 16), expected);
}

TEST(Problems, RandomIsDominantAndReproducible)
{
    const auto a = problem("random:500:7:42");
    expect_canonical(a);
    EXPECT_EQ(a.num_nonzeros(), 3500);
    for (size_type row = 0; row < 500; ++row) {
        double others = 0;
        for (auto k = a.row_ptrs[row]; k < a.row_ptrs[row + 1]; ++k) {
            others += a.col_idxs[k] == row ? 0 : std::abs(a.values[k]);
        }
        EXPECT_GT(entry(a, row, row), others);
    }
    EXPECT_FALSE(is_symmetric(a));
    EXPECT_EQ(problem("random:500:7:42").values, a.values);
    EXPECT_NE(problem("random:500:7:43").values, a.values);
    EXPECT_NE(problem("random:500:7:43").col_idxs, a.col_idxs);
}

TEST(Problems, RandomIsTheSameOnEveryPlatform)
{
    const auto a = problem("random:4:3:1");
    EXPECT_EQ(a.col_idxs, (std::vector<std::int32_t>{0, 1, 3, 0, 1, 3, 0, 1, 2, 0, 1, 3}));
    EXPECT_EQ(a.values[0], 0x1.07f44d09fc5c6p+1);
    EXPECT_EQ(a.values[4], 0x1.0a131a3dd0932p+1);
}

TEST(Problems, PowerLawHasRowsOfAllLengths)
{
    const auto a = problem("powerlaw:20000:8:5");
    expect_canonical(a);
    size_type shorter = 0;
    size_type longer = 0;
    for (size_type row = 0; row < 20000; ++row) {
        const auto length = a.row_ptrs[row + 1] - a.row_ptrs[row];
        shorter += length < 8;
        longer += length > 80;
        if (row == 10000) {
            EXPECT_EQ(length, 20000);
        }
    }
    // Of Pareto's distribution P(length >= l) = (8 / 3 / l)^(3/2): 81 % are below 8, 0.6 % above 80.
    EXPECT_NEAR(static_cast<double>(shorter) / 20000, 0.81, 0.02);
    EXPECT_NEAR(static_cast<double>(longer) / 20000, 0.006, 0.002);
    EXPECT_NEAR(static_cast<double>(a.num_nonzeros() - 20000) / 20000, 7.5, 1);
    EXPECT_NE(problem("powerlaw:20000:8:6").row_ptrs, a.row_ptrs);
    EXPECT_EQ(dense(problem("powerlaw:1:5:0")), std::vector<double>{1});
}

TEST(Problems, RandomTakesExtremeDensities)
{
    const auto full = problem("random:40:40:3");
    expect_canonical(full);
    EXPECT_EQ(full.num_nonzeros(), 1600);
    const auto diagonal = problem("random:40:1:3");
    expect_canonical(diagonal);
    EXPECT_EQ(diagonal.values, std::vector<double>(40, 1.0));
    EXPECT_EQ(dense(problem("random:1:1:0")), std::vector<double>{1});
}

TEST(Problems, AreCanonicalForSmallGrids)
{
    for (std::string name : {"lap2d:N", "lap3d:N", "st27:N", "aniso2d:N:0.1", "aniso3d:N:0.1", "convdiff3d:N:3",
                             "twophase:N:10", "twophase:N:10:r", "bubbles:N:1:10:4", "bubbles3d:N:1:10:4"}) {
        for (int n = 1; n <= 5; ++n) {
            auto spec = name;
            spec.replace(spec.find('N'), 1, std::to_string(n));
            const auto a = problem(spec);
            SCOPED_TRACE(spec);
            expect_canonical(a);
            EXPECT_EQ(is_symmetric(a), !name.starts_with("convdiff") || n == 1);
            for (size_type row = 0; row < a.size.rows; ++row) {
                EXPECT_GE(row_sum(a, row), -1e-14);
            }
        }
    }
}

TEST(Problems, LargeCountsAreRight)
{
    const auto a = problem("lap2d:1000");
    EXPECT_EQ(a.size, (Dim{1'000'000, 1'000'000}));
    EXPECT_EQ(a.num_nonzeros(), 4'996'000);
    EXPECT_EQ(a.row_ptrs.back(), 4'996'000);
    expect_canonical(a);
    EXPECT_EQ(problem("lap3d:60").num_nonzeros(), 7 * 216'000 - 6 * 3'600);
    EXPECT_EQ(problem("st27:40").num_nonzeros(), 118 * 118 * 118);
}

TEST(Problems, ExistForAllTypes)
{
    const auto reference = problem("aniso3d:5:0.25");
    const auto check = [&](const auto& a) {
        EXPECT_TRUE(std::equal(a.row_ptrs.begin(), a.row_ptrs.end(), reference.row_ptrs.begin()));
        EXPECT_TRUE(std::equal(a.col_idxs.begin(), a.col_idxs.end(), reference.col_idxs.begin()));
        for (std::size_t k = 0; k < a.values.size(); ++k) {
            EXPECT_EQ(std::real(a.values[k]), reference.values[k]);
            EXPECT_EQ(std::imag(a.values[k]), 0);
        }
    };
    for_each_value_index([&]<class V, class I>() { check(generate_problem<V, I>("aniso3d:5:0.25")); });
}

template <class V, class I>
std::string complaint(std::string_view spec)
{
    try {
        generate_problem<V, I>(spec);
    } catch (const InvalidParameter& error) {
        EXPECT_EQ(error.name, "problem");
        EXPECT_EQ(error.value, spec);
        return error.allowed;
    }
    return "accepted";
}

struct BadSpec {
    const char* spec;
    const char* message;
};

TEST(Problems, RefuseBadSpecs)
{
    constexpr BadSpec cases[] = {
        {"", "no such problem"},
        {"lap2", "no such problem; did you mean 'lap2d'?"},
        {"Lap2D:10", "did you mean 'lap2d'?"},
        {"twofase:10:2", "did you mean 'twophase'? expected one of lap2d, lap3d"},
        {"lap2d", "expected lap2d:N"},
        {"lap2d:10:2", "expected lap2d:N"},
        {"aniso2d:10", "expected aniso2d:N:EPS"},
        {"random:10:2", "expected random:N:NNZ_PER_ROW:SEED"},
        {"lap2d:", "N in lap2d:N must be an integer"},
        {"lap2d:x", "N in lap2d:N must be an integer"},
        {"lap2d:1e3", "N in lap2d:N must be an integer"},
        {"lap2d: 3", "N in lap2d:N must be an integer"},
        {"lap2d:0", "N in lap2d:N must be a positive integer, not '0'"},
        {"lap2d:-4", "N in lap2d:N must be a positive integer"},
        {"lap2d:99999999999999999999", "N in lap2d:N must be an integer of at most 64 bits"},
        {"aniso2d:4:0", "EPS in aniso2d:N:EPS must be a positive number"},
        {"aniso3d:4:nan", "EPS in aniso3d:N:EPS must be a positive number"},
        {"aniso3d:4:inf", "EPS in aniso3d:N:EPS must be a positive number"},
        {"aniso3d:4:0.1x", "EPS in aniso3d:N:EPS must be a number"},
        {"convdiff3d:4:-1", "C in convdiff3d:N:C must be a number that is not negative"},
        {"twophase:4:0", "CONTRAST in twophase:N:CONTRAST[:SIDES] must be a positive number"},
        {"twophase:4:1e-320", "too large for double"},
        {"twophase:4", "expected twophase:N:CONTRAST[:SIDES]"},
        {"twophase:4:2:l:1", "expected twophase:N:CONTRAST[:SIDES]"},
        {"twophase:4:2:", "SIDES in twophase:N:CONTRAST[:SIDES] must be some of l, r, b and t, not ''"},
        {"twophase:4:2:x", "must be some of l, r, b and t, not 'x'"},
        {"twophase:4:2:lbl", "must be some of l, r, b and t, not 'lbl'"},
        {"bubbles:4:2:10", "expected bubbles:N:COUNT:CONTRAST:SEED"},
        {"bubbles:4:2:10:1:1", "expected bubbles:N:COUNT:CONTRAST:SEED"},
        {"bubbles:0:2:10:1", "N in bubbles:N:COUNT:CONTRAST:SEED must be a positive integer"},
        {"bubbles:4:0:10:1", "COUNT in bubbles:N:COUNT:CONTRAST:SEED must be a positive integer"},
        {"bubbles:4:17:10:1", "COUNT in bubbles:N:COUNT:CONTRAST:SEED must be at most the number of cells"},
        {"bubbles:4:2:0:1", "CONTRAST in bubbles:N:COUNT:CONTRAST:SEED must be a positive number"},
        {"bubbles:4:2:1e-320:1", "too large for double"},
        {"bubbles:4:2:10:x", "SEED in bubbles:N:COUNT:CONTRAST:SEED must be an integer"},
        {"bubbles:131073:2:10:1", "N in bubbles:N:COUNT:CONTRAST:SEED must be at most 131072"},
        {"bubbles:50000:2:10:1", "2500000000 rows"},
        {"bubbles3d:2000:2:10:1", "8000000000 rows"},
        {"bubble:4:2:10:1", "did you mean 'bubbles'?"},
        {"random:4:0:1", "NNZ_PER_ROW in random:N:NNZ_PER_ROW:SEED must be a positive integer"},
        {"random:4:5:1", "NNZ_PER_ROW must not be larger than N"},
        {"random:4:2:-1", "SEED in random:N:NNZ_PER_ROW:SEED must be an integer"},
        {"lap3d:2000", "8000000000 rows"},
        {"lap3d:700", "343000000 rows and 2401000000 entries, too many for int32 indices"},
        {"lap2d:4000000000", "more than 2^63 rows"},
        {"random:100000:100000:1", "10000000000 entries"},
    };
    for (const auto& [spec, message] : cases) {
        const auto text = complaint<double, std::int32_t>(spec);
        EXPECT_NE(text.find(message), std::string::npos) << spec << ": " << text;
    }
}

TEST(Problems, RefuseWhatOverflowsTheTypes)
{
    test::where_built<std::int64_t>([]<class I>() {
        EXPECT_NE((complaint<double, I>("lap3d:3000000").find("more than 2^63 rows")), std::string::npos);
        EXPECT_NE((complaint<double, I>("st27:1500000").find("more than 2^63 entries")), std::string::npos);
    });
    test::where_built<float>([]<class V>() {
        EXPECT_NE((complaint<V, std::int32_t>("convdiff3d:4:1e39").find("too large for float")), std::string::npos);
    });
    EXPECT_EQ((complaint<double, std::int32_t>("convdiff3d:4:1e39")), "accepted");
}

TEST(Problems, HelpHasALinePerProblem)
{
    const auto help = problem_help();
    EXPECT_EQ(std::count(help.begin(), help.end(), '\n'), 11);
    for (const char* form :
         {"lap2d:N ", "lap3d:N ", "st27:N ", "aniso2d:N:EPS ", "aniso3d:N:EPS ", "convdiff3d:N:C ",
          "twophase:N:CONTRAST[:SIDES] ", "bubbles:N:COUNT:CONTRAST:SEED ", "bubbles3d:N:COUNT:CONTRAST:SEED ",
          "random:N:NNZ_PER_ROW:SEED ", "powerlaw:N:NNZ_PER_ROW:SEED "}) {
        EXPECT_NE(help.find(form), std::string::npos) << form;
    }
}

}  // namespace
}  // namespace linden
