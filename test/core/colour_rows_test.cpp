// needs: double int32
#include <linden/io/problems.hpp>
#include <linden/matrix/csr.hpp>
#include <linden/preconditioner/multicoloured.hpp>

#include <algorithm>
#include <numeric>

#include "core/colouring/colouring.hpp"
#include "test/support/compare.hpp"
#include "test/support/matrices.hpp"

/// The order of rows within their colours.
namespace linden::test {
namespace {

using I = std::int32_t;
using A = Csr<double, I>;
using Data = CsrData<double, I>;
using Order = ::linden::detail::ColourOrder<I>;

Order ordered(const A& a, bool sorts)
{
    Order order(a.executor(), find_colouring(a));
    if (sorts) {
        ::linden::detail::sort_rows<I>(a.executor(), a.view(), order);
    }
    return order;
}

/// Entries of both triangles with the padding of their slices.
size_type num_slots(const Data& data, const Order& order)
{
    const auto rows = order.order.to_host();
    const auto places = order.position.to_host();
    size_type slots = 0;
    for (const auto& part : order.parts()) {
        const size_type height = part.has_slices ? std::min<size_type>(part.rows, 32) : 1;
        for (size_type first = part.first; first < part.first + part.rows; first += height) {
            size_type widest[2] = {0, 0};
            for (size_type p = first; p < std::min(first + height, part.first + part.rows); ++p) {
                size_type lengths[2] = {0, 0};
                const auto row = static_cast<std::size_t>(rows[static_cast<std::size_t>(p)]);
                for (I k = data.row_ptrs[row]; k < data.row_ptrs[row + 1]; ++k) {
                    const auto other = places[static_cast<std::size_t>(data.col_idxs[static_cast<std::size_t>(k)])];
                    lengths[0] += other < p;
                    lengths[1] += other > p;
                }
                widest[0] = std::max(widest[0], lengths[0]);
                widest[1] = std::max(widest[1], lengths[1]);
            }
            slots += height * (widest[0] + widest[1]);
        }
    }
    return slots;
}

TEST(ColourRows, KeepTheirOrderOnGrids)
{
    for (const auto* const problem : {"lap2d:60", "lap3d:20", "st27:16"}) {
        SCOPED_TRACE(problem);
        const auto data = generate_problem<double, I>(problem);
        on_each_executor([&](const Executor& exec) {
            const A a(exec, data);
            const auto order = ordered(a, true);
            EXPECT_EQ(order.order.to_host(), ordered(a, false).order.to_host());
            EXPECT_EQ(order.num_long, std::vector<size_type>(order.colour_ptrs.size() - 1, 0));
        });
    }
}

TEST(ColourRows, AreSortedWhereTheirLengthsDiffer)
{
    const auto data = generate_problem<double, I>("powerlaw:20000:7:1");
    const auto entries = static_cast<size_type>(data.col_idxs.size()) - data.size.rows;
    const A on_reference(reference_executor(), data);
    const auto natural = ordered(on_reference, false);
    const auto expected = ordered(on_reference, true);
    EXPECT_GT(2 * num_slots(data, natural), 5 * entries);
    EXPECT_LT(2 * num_slots(data, expected), 3 * entries);
    on_each_executor([&](const Executor& exec) {
        const auto order = ordered(A(exec, data), true);
        const auto rows = order.order.to_host();
        EXPECT_EQ(rows, expected.order.to_host());
        EXPECT_EQ(order.num_long, expected.num_long);
        EXPECT_EQ(order.colour_ptrs, natural.colour_ptrs);
        const auto places = order.position.to_host();
        for (std::size_t p = 0; p < rows.size(); ++p) {
            ASSERT_EQ(places[static_cast<std::size_t>(rows[p])], static_cast<I>(p));
        }
    });
    auto before = natural.order.to_host();
    auto after = expected.order.to_host();
    for (std::size_t c = 0; c + 1 < natural.colour_ptrs.size(); ++c) {
        const auto first = natural.colour_ptrs[c];
        const auto last = natural.colour_ptrs[c + 1];
        std::sort(after.begin() + first, after.begin() + last);
        EXPECT_TRUE(std::equal(after.begin() + first, after.begin() + last, before.begin() + first));
    }
}

/// Row 1500 has the neighbours 0, ..., 999, each row i = 1000, ..., 1999 has i + 1000.
Data with_long_row()
{
    const I n = 3000;
    std::vector<std::vector<I>> cols(n);
    const auto connect = [&](I i, I j) {
        cols[static_cast<std::size_t>(i)].push_back(j);
        cols[static_cast<std::size_t>(j)].push_back(i);
    };
    for (I i = 0; i < 1000; ++i) {
        connect(i, 1500);
        connect(1000 + i, 2000 + i);
    }
    Data data{{n, n}, {0}, {}, {}};
    for (I row = 0; row < n; ++row) {
        auto& others = cols[static_cast<std::size_t>(row)];
        others.push_back(row);
        std::sort(others.begin(), others.end());
        for (const auto col : others) {
            data.col_idxs.push_back(col);
            data.values.push_back(col == row ? 2000 : 1 + col % 7);
        }
        data.row_ptrs.push_back(static_cast<I>(data.col_idxs.size()));
    }
    return data;
}

/// Long rows are before the others of their colour, which keep their order, and widen no slice.
TEST(ColourRows, LongOnesComeFirst)
{
    const auto data = with_long_row();
    on_each_executor([&](const Executor& exec) {
        const auto order = ordered(A(exec, data), true);
        EXPECT_EQ(order.num_long, (std::vector<size_type>{0, 1}));
        EXPECT_EQ(order.colour_ptrs, (std::vector<size_type>{0, 2000, 3000}));
        const auto rows = order.order.to_host();
        EXPECT_EQ(rows[2000], 1500);
        EXPECT_TRUE(std::is_sorted(rows.begin(), rows.begin() + 2000));
        EXPECT_TRUE(std::is_sorted(rows.begin() + 2001, rows.end()));
        EXPECT_EQ(num_slots(data, order), 63 * 32 + 1001 + 32 * 32);
    });
}

TEST(ColourRows, SavePaddingInPreconditioners)
{
    const auto data = generate_problem<double, I>("powerlaw:20000:7:1");
    const auto entries = static_cast<size_type>(data.col_idxs.size()) - data.size.rows;
    on_each_executor([&](const Executor& exec) {
        const auto op = McSsor<double>::factory().generate(share(A(exec, data)));
        EXPECT_EQ(op->num_nonzeros(), entries);
        EXPECT_LT(2 * op->storage_bytes(), 3 * (12 * entries + 8 * data.size.rows));
    });
}

}  // namespace
}  // namespace linden::test
