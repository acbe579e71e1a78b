// needs: double int32
#include "core/kernels/colour_rows.hpp"

#include "test/support/kernel_cases.hpp"
#include "test/support/problems.hpp"
#include "test/support/sweeps.hpp"

namespace linden::test {
namespace {

using I = std::int32_t;

struct Measured {
    std::vector<I> lower, upper, is_long, windows;

    bool operator==(const Measured&) const = default;
};

/// Colours of rows with these pointers to positions and windows.
struct Rows {
    std::vector<I> order, colour_ptrs, window_ptrs;
    size_type window_rows;
};

Measured measured(const Executor& exec, const Csr<double, I>& a, const Rows& rows, size_type long_row)
{
    const size_type n = a.size().rows;
    std::vector<I> inverse(rows.order.size());
    for (std::size_t p = 0; p < inverse.size(); ++p) {
        inverse[static_cast<std::size_t>(rows.order[p])] = static_cast<I>(p);
    }
    const Array<I> order(exec, rows.order), position(exec, inverse), colours(exec, rows.colour_ptrs),
        windows(exec, rows.window_ptrs);
    Array<I> lower(exec, n), upper(exec, n), is_long(exec, n), window_of(exec, n);
    const ColourWindows<I> view{order.data(),   position.data(), colours.data(),
                                windows.data(), colours.size(),  rows.window_rows};
    colour_rows_measure<I>(exec, a.view(), view, long_row, lower.data(), upper.data(), is_long.data(),
                           window_of.data());
    return {lower.to_host(), upper.to_host(), is_long.to_host(), window_of.to_host()};
}

/// A path of five rows; the first colour has rows 0, 2, 4 in two windows, the second rows 1 and 3.
TEST(ColourRowsMeasure, ByHand)
{
    on_each_executor([](const Executor& exec) {
        const Csr<double, I> a(
            exec, csr_from_rows<double>(
                      {{1, 1, 0, 0, 0}, {1, 1, 1, 0, 0}, {0, 1, 1, 1, 0}, {0, 0, 1, 1, 1}, {0, 0, 0, 1, 1}}));
        const Rows rows{{0, 2, 4, 1, 3}, {0, 3}, {0, 3}, 2};
        EXPECT_EQ(measured(exec, a, rows, 2),
                  (Measured{{0, 0, 0, 2, 2}, {1, 2, 1, 0, 0}, {0, 0, 0, 0, 0}, {1, 1, 2, 4, 4}}));
        EXPECT_EQ(measured(exec, a, rows, 1),
                  (Measured{{0, 0, 0, 0, 0}, {1, 0, 1, 0, 0}, {0, 1, 0, 1, 1}, {1, 0, 2, 3, 3}}));
    });
}

TEST(ColourRowsMeasure, LikeReference)
{
    Random random(614);
    for (const auto pattern : {Pattern::uniform, Pattern::dense_row}) {
        const auto data = random_csr<double, I>(random, {700, 700}, 6, pattern);
        const Rows rows{random_order(random, 700), {0, 0, 300, 333, 333}, {0, 1, 6, 8, 9}, 77};
        const auto expected = measured(reference_executor(), Csr<double, I>(reference_executor(), data), rows, 5);
        EXPECT_NE(expected.is_long, std::vector<I>(700, 0));
        on_each_executor(
            [&](const Executor& exec) { EXPECT_EQ(measured(exec, Csr<double, I>(exec, data), rows, 5), expected); });
    }
}

}  // namespace
}  // namespace linden::test
