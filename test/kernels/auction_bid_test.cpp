#include "core/kernels/auction.hpp"

#include <cmath>

#include "core/portable/fixed_log.hpp"
#include "test/support/kernel_cases.hpp"

/// Auctions of columns among rows.
namespace linden::test {
namespace {

constexpr std::int64_t octave = auction_octave;
constexpr std::int64_t no_price = std::numeric_limits<std::int64_t>::max();

template <class Types>
class AuctionBid : public testing::Test {
};
TYPED_TEST_SUITE(AuctionBid, TestedValueIndices, TypeNames);

/// An auction on an executor, and what it has come to.
template <class V, class I>
class AuctionOn {
public:
    AuctionOn(const Executor& exec, const CsrData<V, I>& data)
        : a_(exec, data),
          costs_(exec, a_.num_nonzeros()),
          largest_(exec, data.size.rows),
          prices_(exec, data.size.rows),
          bids_(exec, data.size.rows),
          offers_(exec, data.size.rows),
          column_of_row_(exec, data.size.rows),
          row_of_column_(exec, data.size.rows)
    {
        state_.row_bits = 20;
        state_.costs = costs_.data();
        state_.prices = prices_.data();
        state_.bids = bids_.data();
        state_.offers = offers_.data();
        state_.column_of_row = column_of_row_.data();
        state_.row_of_column = row_of_column_.data();
        auction_find_costs<V, I>(exec, a_.view(), costs_.data(), largest_.data());
        auction_start<I>(exec, data.size.rows, state_);
        auction_open<I>(exec, a_.view(), state_);
    }
    void bid() { auction_bid<I>(a_.executor(), a_.view(), state_); }
    void settle() { auction_settle<I>(a_.executor(), a_.size().rows, state_); }
    std::uint64_t num_left() const
    {
        Array<std::uint64_t> count(a_.executor(), std::vector<std::uint64_t>{0});
        auction_count_left<I>(a_.executor(), a_.size().rows, column_of_row_.data(), count.data());
        return count.to_host().front();
    }
    std::vector<std::int64_t> conclude()
    {
        Array<std::int64_t> least(a_.executor(), a_.size().rows);
        auction_conclude<I>(a_.executor(), a_.view(), state_, least.data());
        return least.to_host();
    }

    std::vector<std::int32_t> costs() const { return costs_.to_host(); }
    std::vector<std::int32_t> largest() const { return largest_.to_host(); }
    std::vector<std::int64_t> prices() const { return prices_.to_host(); }
    std::vector<std::int64_t> bids() const { return bids_.to_host(); }
    std::vector<I> columns() const { return column_of_row_.to_host(); }
    std::vector<I> rows() const { return row_of_column_.to_host(); }

private:
    Csr<V, I> a_;
    Array<std::int32_t> costs_, largest_;
    Array<std::int64_t> prices_, bids_;
    Array<std::uint64_t> offers_;
    Array<I> column_of_row_, row_of_column_;
    AuctionState<I> state_;
};

TYPED_TEST(AuctionBid, ByHand)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    // [8 2 . .; 8 1 0 .; . 8 4 .; . . . .]: rows 0 and 1 both want column 0, row 1 would lose more.
    const CsrData<V, I> data{
        {4, 4}, {0, 2, 5, 7, 7}, {0, 1, 0, 1, 2, 1, 2}, {V{8}, V{-2}, V{8}, V{1}, V{0}, V{8}, V{4}}};
    on_each_executor([&](const Executor& exec) {
        AuctionOn<V, I> auction(exec, data);
        EXPECT_EQ(auction.largest(), (std::vector<std::int32_t>{3 * octave, 3 * octave, 3 * octave, 0}));
        EXPECT_EQ(auction.costs(),
                  (std::vector<std::int32_t>{0, 2 * octave, 0, 3 * octave, no_auction_cost, 0, octave}));
        EXPECT_EQ(auction.prices(), (std::vector<std::int64_t>{0, 0, octave, no_price}));
        const auto hold_round = [&] {
            auction.bid();
            auction.settle();
        };
        hold_round();
        EXPECT_EQ(auction.columns(), (std::vector<I>{-1, 0, 1, -1})) << "gaps are 2, 3 and 0 octaves";
        EXPECT_EQ(auction.rows(), (std::vector<I>{1, 2, -1, -1}));
        EXPECT_EQ(auction.prices(), (std::vector<std::int64_t>{0, 0, octave, no_price})) << "nobody had them";
        EXPECT_EQ(auction.num_left(), 2u);
        hold_round();
        EXPECT_EQ(auction.columns(), (std::vector<I>{0, -1, 1, -1}));
        EXPECT_EQ(auction.prices()[0], 4 - 3 * octave) << "the least step and the gap";
        hold_round();
        EXPECT_EQ(auction.prices()[0], 4 - 4 * octave);
        hold_round();
        EXPECT_EQ(auction.columns(), (std::vector<I>{1, 0, -1, -1})) << "column 1 costs row 0 less now";
        hold_round();
        EXPECT_EQ(auction.columns(), (std::vector<I>{1, 0, 2, -1}));
        EXPECT_EQ(auction.prices(), (std::vector<std::int64_t>{4 - 4 * octave, 8 - 3 * octave, octave, no_price}));
        EXPECT_EQ(auction.num_left(), 1u);
        EXPECT_EQ(auction.conclude(), (std::vector<std::int64_t>{4 * octave - 4, 4 * octave - 4, 0, 0}));
        EXPECT_EQ(auction.bids(), (std::vector<std::int64_t>{2 * octave, 0, octave, 0})) << "costs of pairs";
    });
}

TYPED_TEST(AuctionBid, LikeReference)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    Random random(1988);
    for (const auto pattern : all_patterns) {
        for (const size_type n : {1, 31, 32, 33, 597}) {
            auto data = random_csr<V, I>(random, {n, n}, std::min<size_type>(n, 6), pattern);
            for (auto& value : data.values) {
                value *= std::ldexp(real_t<V>{1}, static_cast<int>(random.integer(0, 60)) - 30);
            }
            AuctionOn<V, I> expected(reference_executor(), data);
            for (int round = 0; round < 40; ++round) {
                expected.bid();
                expected.settle();
            }
            on_each_other_executor([&](const Executor& exec) {
                AuctionOn<V, I> auction(exec, data);
                EXPECT_EQ(auction.costs(), expected.costs());
                EXPECT_EQ(auction.largest(), expected.largest());
                for (int round = 0; round < 40; ++round) {
                    auction.bid();
                    auction.settle();
                }
                EXPECT_EQ(auction.columns(), expected.columns());
                EXPECT_EQ(auction.rows(), expected.rows());
                EXPECT_EQ(auction.prices(), expected.prices());
                EXPECT_EQ(auction.num_left(), expected.num_left());
                AuctionOn<V, I> once(reference_executor(), data);
                AuctionOn<V, I> there(exec, data);
                EXPECT_EQ(there.conclude(), once.conclude());
            });
        }
    }
}

/// L <= 2^16 log2 |x| < L + 1.01, over the whole range.
TEST(FixedLog, IsBelowTheLogarithmByLessThanAUnit)
{
    Random random(1989);
    const auto check = [](double re, double im) {
        const double exact = 65536 * std::log2(std::hypot(re, im));
        const auto found = static_cast<double>(fixed_log2(re, im));
        EXPECT_LE(found, exact + 1e-6 * std::abs(exact)) << re << " " << im;
        EXPECT_GT(found + 1.01, exact - 1e-6 * std::abs(exact)) << re << " " << im;
    };
    EXPECT_EQ(fixed_log2(1, 0), 0);
    EXPECT_EQ(fixed_log2(-8, 0), 3 * 65536);
    EXPECT_EQ(fixed_log2(0, 0.5), -65536);
    for (const double x : {5e-324, 1e-310, 2.2250738585072014e-308, 1.7976931348623157e308, 0.1, 3.0}) {
        check(x, 0);
    }
    for (int i = 0; i < 1000; ++i) {
        const double re = std::ldexp(random.value<double>(), static_cast<int>(random.integer(0, 1800)) - 900);
        check(re, 0);
        check(re, re * random.value<double>());
    }
}

}  // namespace
}  // namespace linden::test
