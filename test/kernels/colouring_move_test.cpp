#include "core/matrix/row_pointers.hpp"
#include "test/support/colouring.hpp"

namespace linden::test {
namespace {

template <class I>
class ColouringMove : public testing::Test {
};
TYPED_TEST_SUITE(ColouringMove, TestedIndices);

/// Which rows fit, and the colours when the first `limit` of those have moved.
template <class I>
std::pair<std::vector<I>, std::vector<I>> moved(const Executor& exec, const HostPattern<I>& host,
                                                const std::vector<I>& host_rows, I from, I to, size_type limit,
                                                const std::vector<I>& of)
{
    const PatternOn<I> a(exec, host);
    const Array<I> rows(exec, host_rows);
    Array<I> colours(exec, of), fits(exec, rows.size() + 1);
    colouring_find_movable<I>(exec, a.view(), rows.size(), rows.data(), from, to, colours.data(), fits.data());
    auto which = fits.to_host();
    which.pop_back();
    ::linden::detail::make_row_ptrs(fits, "rows that fit");
    colouring_move<I>(exec, rows.size(), rows.data(), fits.data(), limit, to, colours.data());
    return {which, colours.to_host()};
}

TYPED_TEST(ColouringMove, ByHand)
{
    using I = TypeParam;
    using Moved = std::pair<std::vector<I>, std::vector<I>>;
    // the path 0 - 1 - 2 - 3, and 4 alone
    const HostPattern<I> a{{5, 5}, {0, 1, 3, 5, 6, 6}, {1, 0, 2, 1, 3, 2}};
    on_each_executor([&](const Executor& exec) {
        EXPECT_EQ((moved<I>(exec, a, {0, 2, 4}, 0, 2, 2, {0, 1, 0, 2, 0})), (Moved{{1, 0, 1}, {2, 1, 0, 2, 2}}));
        EXPECT_EQ((moved<I>(exec, a, {4, 2, 0}, 0, 2, 1, {0, 1, 0, 2, 0})), (Moved{{1, 0, 1}, {0, 1, 0, 2, 2}}));
        EXPECT_EQ((moved<I>(exec, a, {0, 2, 4}, 0, 2, 9, {1, 0, 1, 0, 0})), (Moved{{0, 0, 1}, {1, 0, 1, 0, 2}}));
        EXPECT_EQ((moved<I>(exec, a, {}, 0, 2, 9, {1, 0, 1, 0, 0})), (Moved{{}, {1, 0, 1, 0, 0}}));
    });
}

TYPED_TEST(ColouringMove, OfRandomPatterns)
{
    using I = TypeParam;
    Random random(908);
    for (const size_type n : {1, 31, 32, 33, 597, 20000}) {
        for (const auto kind : all_patterns) {
            const auto a = symmetrised(random_pattern<I>(random, {n, n}, n < 100 ? 4 : 2, kind));
            std::vector<I> colours(static_cast<std::size_t>(n)), rows;
            std::generate(colours.begin(), colours.end(), [&] { return static_cast<I>(random.integer(0, 6)); });
            for (I row = 0; row < n; ++row) {
                if (random.integer(0, 3) != 0) {
                    rows.push_back(row);
                }
            }
            expect_equal_to_reference(
                [&](const Executor& exec) { return moved<I>(exec, a, rows, 1, 4, n / 10 + 1, colours); });
        }
    }
}

}  // namespace
}  // namespace linden::test
