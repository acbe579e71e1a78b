#include "core/kernels/exchange.hpp"
#include "test/support/kernel_cases.hpp"

namespace linden::test {
namespace {

template <class I>
class ExchangePackRows : public testing::Test {
};
TYPED_TEST_SUITE(ExchangePackRows, decltype(detail::as_types(IndexTypes{})));

using Numbers = std::vector<std::int64_t>;

/// Own rows 10, 11, 12 between the ghosts 3, 7 and 20.
struct Seen {
    explicit Seen(const Executor& exec) : ghosts(exec, Numbers{3, 7, 20}), view{10, 3, 2, 3, ghosts.data()} {}
    Array<std::int64_t> ghosts;
    SeenRows view;
};

TYPED_TEST(ExchangePackRows, ByHand)
{
    using I = TypeParam;
    on_each_executor([](const Executor& exec) {
        const Seen seen(exec);
        const Array<I> row_ptrs(exec, std::vector<I>{0, 2, 2, 5}), cols(exec, std::vector<I>{0, 5, 1, 2, 4});
        const Array<I> rows(exec, std::vector<I>{2, 1, 0, 2});
        Array<I> lengths(exec, 4);
        exchange_row_lengths<I>(exec, 4, rows.data(), row_ptrs.data(), lengths.data());
        EXPECT_EQ(lengths.to_host(), (std::vector<I>{3, 0, 2, 3}));
        const Array<I> sent_ptrs(exec, std::vector<I>{0, 3, 3, 5, 8});
        Array<std::int64_t> numbers(exec, 8);
        Array<I> entries(exec, 8);
        const PatternView<I> a{3, 6, 5, row_ptrs.data(), cols.data()};
        exchange_pack_rows<I>(exec, seen.view, a, 4, rows.data(), sent_ptrs.data(), numbers.data(), entries.data());
        EXPECT_EQ(numbers.to_host(), (Numbers{7, 10, 12, 3, 20, 7, 10, 12}));
        EXPECT_EQ(entries.to_host(), (std::vector<I>{2, 3, 4, 0, 1, 2, 3, 4}));
        exchange_pack_rows<I>(exec, seen.view, a, 0, nullptr, sent_ptrs.data(), nullptr, nullptr);
    });
}

TYPED_TEST(ExchangePackRows, PositionsOfNumbers)
{
    using I = TypeParam;
    on_each_executor([](const Executor& exec) {
        const Seen seen(exec);
        const Array<std::int64_t> numbers(exec, Numbers{20, 3, 12, 13, 9, 10, -1, 7, 21, 0});
        Array<I> positions(exec, numbers.size());
        exchange_find<I>(exec, seen.view, numbers.size(), numbers.data(), positions.data());
        EXPECT_EQ(positions.to_host(), (std::vector<I>{5, 0, 4, -1, -1, 2, -1, 1, -1, -1}));
        exchange_find<I>(exec, {}, numbers.size(), numbers.data(), positions.data());
        EXPECT_EQ(positions.to_host(), std::vector<I>(10, I{-1}));
    });
}

TYPED_TEST(ExchangePackRows, MarkedNumbersInAscendingOrder)
{
    using I = TypeParam;
    on_each_executor([](const Executor& exec) {
        const Array<std::int64_t> numbers(exec, Numbers{8, 5, 4, 8, 9, 3, 5});
        Array<I> marks(exec, std::vector<I>{0, 0, 0, 0, 0});
        exchange_mark<I>(exec, numbers.size(), numbers.data(), 4, 5, marks.data());
        EXPECT_EQ(marks.to_host(), (std::vector<I>{1, 1, 0, 0, 1}));
        const Array<I> ends(exec, std::vector<I>{0, 1, 2, 2, 2, 3});
        Array<std::int64_t> list(exec, 3);
        exchange_list<I>(exec, 5, 4, ends.data(), list.data());
        EXPECT_EQ(list.to_host(), (Numbers{4, 5, 8}));
    });
}

/// Rows 0, 1, 2 of the own pieces, then of another rank's pieces of rows 2 and 0.
TYPED_TEST(ExchangePackRows, PiecesAreAppendedToTheirRows)
{
    using I = TypeParam;
    on_each_executor([](const Executor& exec) {
        const Array<I> own_ptrs(exec, std::vector<I>{1, 2, 2, 4}), own_cols(exec, std::vector<I>{99, 5, 6, 7});
        const Array<I> rows(exec, std::vector<I>{2, 0}), ptrs(exec, std::vector<I>{0, 1, 3});
        const Array<I> cols(exec, std::vector<I>{1, 0, 2}), map(exec, std::vector<I>{40, 50, 60});
        const RowPieces<I> own{3, nullptr, own_ptrs.data(), own_cols.data()};
        const RowPieces<I> others{2, rows.data(), ptrs.data(), cols.data()};
        Array<I> lengths(exec, std::vector<I>{0, 0, 0});
        exchange_add_lengths<I>(exec, own, lengths.data());
        exchange_add_lengths<I>(exec, others, lengths.data());
        EXPECT_EQ(lengths.to_host(), (std::vector<I>{3, 0, 3}));
        Array<I> ends(exec, std::vector<I>{0, 3, 3}), result(exec, 6), sources(exec, 6);
        exchange_append<I>(exec, own, nullptr, I{10}, I{-1}, ends.data(), result.data(), sources.data());
        exchange_append<I>(exec, others, map.data(), I{0}, I{3}, ends.data(), result.data(), sources.data());
        EXPECT_EQ(result.to_host(), (std::vector<I>{15, 40, 60, 16, 17, 50}));
        EXPECT_EQ(sources.to_host(), (std::vector<I>{0, 4, 5, 1, 2, 3}));
        EXPECT_EQ(ends.to_host(), (std::vector<I>{3, 3, 6}));
    });
}

TYPED_TEST(ExchangePackRows, ManyNumbersAsOneAfterTheOther)
{
    using I = TypeParam;
    Random random(7);
    Numbers ghosts, numbers(70001);
    for (std::int64_t number = 0; number < 9000; ++number) {
        if ((number < 3000 || number >= 6000) && random.integer(0, 3) == 0) {
            ghosts.push_back(number);
        }
    }
    const auto num_lower = std::lower_bound(ghosts.begin(), ghosts.end(), 3000) - ghosts.begin();
    for (auto& number : numbers) {
        number = random.integer(-5, 9100);
    }
    std::vector<std::vector<I>> results;
    on_each_executor([&](const Executor& exec) {
        const Array<std::int64_t> here(exec, ghosts), wanted(exec, numbers);
        const SeenRows seen{3000, 3000, num_lower, here.size(), here.data()};
        Array<I> positions(exec, wanted.size());
        exchange_find<I>(exec, seen, wanted.size(), wanted.data(), positions.data());
        results.push_back(positions.to_host());
    });
    for (std::size_t k = 0; k < numbers.size(); ++k) {
        const auto position = results.front()[k];
        const auto at = static_cast<std::size_t>(position);
        const auto lower = static_cast<std::size_t>(num_lower);
        EXPECT_EQ(position < 0, (numbers[k] < 3000 || numbers[k] >= 6000) &&
                                    !std::binary_search(ghosts.begin(), ghosts.end(), numbers[k]));
        if (position >= 0) {
            const auto number = at < lower          ? ghosts[at]
                                : at < lower + 3000 ? static_cast<std::int64_t>(3000 + at - lower)
                                                    : ghosts[at - 3000];
            EXPECT_EQ(number, numbers[k]);
        }
    }
    for (const auto& result : results) {
        EXPECT_EQ(result, results.front());
    }
}

}  // namespace
}  // namespace linden::test
