// needs: double int32
#include "core/kernels/multigrid.hpp"
#include "core/matrix/sell_pattern.hpp"
#include "test/support/kernel_cases.hpp"

/// Columns of slices as offsets of 16 bits.
namespace linden::test {
namespace {

using I = std::int32_t;

struct Offsets {
    std::vector<I> bases;
    std::vector<std::uint16_t> offsets;
    std::vector<I> has_rest, has_gaps;
    bool operator==(const Offsets&) const = default;
};

Offsets offsets_in(const Csr<double, I>& a, const linden::detail::SellPattern<I>& slices)
{
    const auto& exec = a.executor();
    const auto layout = slices.layout(a.size());
    Array<I> bases(exec, std::vector<I>(static_cast<std::size_t>(slices.num_columns), -7));
    Array<std::uint16_t> offsets(exec, std::vector<std::uint16_t>(static_cast<std::size_t>(slices.num_entries()), 7));
    const std::vector<I> before(static_cast<std::size_t>(layout.num_slices()), -7);
    Array<I> has_rest(exec, before), has_gaps(exec, before);
    multigrid_slice_offsets(exec, layout, a.view(), bases.data(), offsets.data(), has_rest.data(), has_gaps.data());
    return {bases.to_host(), offsets.to_host(), has_rest.to_host(), has_gaps.to_host()};
}
Offsets offsets_of(const Executor& exec, const CsrData<double, I>& host)
{
    const Csr<double, I> a(exec, host);
    return offsets_in(a, linden::detail::make_slices<I>(exec, a.view(), level_slice_rows, 1));
}

/// Slices that are long enough.
linden::detail::SellPattern<I> slices_with_gaps(const Csr<double, I>& a)
{
    auto slices = linden::detail::make_slices<I>(a.executor(), a.view(), level_slice_rows, 1);
    multigrid_count_narrow(a.executor(), a.view(), slices.slice_ptrs.data());
    slices.num_columns = linden::detail::make_row_ptrs(slices.slice_ptrs, "the slices");
    return slices;
}

TEST(MultigridOffsets, ByHand)
{
    // Two slices, of which the second has one row.
    CsrData<double, I> a{{33, 100000}, {0, 2, 3}, {5, 40, 7}, {}};
    a.row_ptrs.resize(33, 3);
    a.row_ptrs.push_back(5);
    a.col_idxs.insert(a.col_idxs.end(), {9, 65543});
    a.values.assign(5, 1.0);
    constexpr auto none = no_column<std::uint16_t>;
    on_each_executor([&](const Executor& exec) {
        const auto found = offsets_of(exec, a);
        EXPECT_EQ(found.bases, (std::vector<I>{5, 40, 9, 65543}));
        std::vector<std::uint16_t> expected(128, none);
        expected[0] = 0;
        expected[1] = 2;
        expected[32] = 0;
        expected[64] = 0;
        expected[96] = 0;
        EXPECT_EQ(found.offsets, expected);
        EXPECT_EQ(found.has_rest, (std::vector<I>{0, 0}));
        EXPECT_EQ(found.has_gaps, (std::vector<I>{0, 0}));
    });
}

TEST(MultigridOffsets, SixteenBitsSufficeUpTo65534)
{
    for (const auto& [last, has_rest] : {std::pair<I, I>{65535, 0}, {65536, 1}}) {
        const CsrData<double, I> a{{2, 100000}, {0, 1, 2}, {1, last}, {1.0, 1.0}};
        on_each_executor(
            [&](const Executor& exec) { EXPECT_EQ(offsets_of(exec, a).has_rest, std::vector<I>{has_rest}); });
    }
}

TEST(MultigridOffsets, LeadToTheColumns)
{
    Random random(2151);
    for (const auto kind : all_patterns) {
        for (const size_type n : {0, 1, 31, 32, 33, 597, 5000}) {
            const auto a = random_csr<double, I>(random, {n, n + 7}, 5, kind);
            const auto expected = offsets_of(reference_executor(), a);
            on_each_executor([&](const Executor& exec) { EXPECT_EQ(offsets_of(exec, a), expected); });
            std::size_t place = 0;
            for (size_type slice = 0; slice * level_slice_rows < n; ++slice) {
                size_type longest = 0;
                for (size_type row = slice * level_slice_rows; row < std::min(n, (slice + 1) * level_slice_rows);
                     ++row) {
                    longest = std::max<size_type>(longest, a.row_ptrs[row + 1] - a.row_ptrs[row]);
                }
                for (size_type k = 0; k < longest; ++k) {
                    for (size_type i = 0; i < level_slice_rows; ++i, ++place) {
                        const auto row = slice * level_slice_rows + i;
                        const bool exists = row < n && a.row_ptrs[row] + k < a.row_ptrs[row + 1];
                        const auto offset = expected.offsets[place];
                        ASSERT_EQ(offset != no_column<std::uint16_t>, exists);
                        if (exists) {
                            ASSERT_EQ(expected.bases[place / level_slice_rows] + offset,
                                      a.col_idxs[a.row_ptrs[row] + k]);
                        }
                    }
                }
            }
        }
    }
}

TEST(MultigridOffsets, WhatIsFarLeavesGaps)
{
    // Row 0 has all of the first column, row 1 begins in the second one; row 2 needs a third.
    const CsrData<double, I> a{{3, 200000}, {0, 2, 3, 4}, {0, 70000, 70001, 140000}, {1, 2, 3, 4}};
    constexpr auto none = no_column<std::uint16_t>;
    on_each_executor([&](const Executor& exec) {
        const Csr<double, I> on_exec(exec, a);
        const auto slices = slices_with_gaps(on_exec);
        EXPECT_EQ(slices.slice_ptrs.to_host(), (std::vector<I>{0, 3}));
        const auto found = offsets_in(on_exec, slices);
        EXPECT_EQ(found.bases, (std::vector<I>{0, 70000, 140000}));
        EXPECT_EQ(found.has_rest, std::vector<I>{0});
        EXPECT_EQ(found.has_gaps, std::vector<I>{1});
        std::vector<std::uint16_t> expected(96, none);
        expected[0] = expected[32] = expected[66] = 0;
        expected[33] = 1;
        EXPECT_EQ(found.offsets, expected);
    });
}

TEST(MultigridOffsets, GapsHoldAllEntries)
{
    Random random(2152);
    for (const auto kind : all_patterns) {
        for (const size_type n : {0, 1, 33, 597}) {
            const auto a = random_csr<double, I>(random, {n, 400000}, 7, kind);
            const std::vector<double> ones(static_cast<std::size_t>(std::max<size_type>(n, 400000)), 1.0);
            on_each_executor([&](const Executor& exec) {
                const Csr<double, I> on_exec(exec, a);
                const auto slices = slices_with_gaps(on_exec);
                const auto found = offsets_in(on_exec, slices);
                EXPECT_EQ(found.has_rest, std::vector<I>(found.has_rest.size(), 0));
                const Array<std::uint16_t> offsets(exec, found.offsets);
                const Array<double> scales(exec, ones);
                Array<double> stored(exec, std::vector<double>(found.offsets.size(), -7.0));
                multigrid_store<double, double, I>(exec, slices.layout(a.size), offsets.data(),
                                                   {on_exec.view(), scales.data(), scales.data()}, stored.data(),
                                                   nullptr);
                const auto values = stored.to_host();
                std::vector<I> next = a.row_ptrs;
                const auto ptrs = slices.slice_ptrs.to_host();
                for (std::size_t place = 0; place < values.size(); ++place) {
                    const auto column = static_cast<I>(place / level_slice_rows);
                    const auto slice = std::upper_bound(ptrs.begin(), ptrs.end(), column) - ptrs.begin() - 1;
                    const auto row = static_cast<std::size_t>(slice) * level_slice_rows + place % level_slice_rows;
                    if (found.offsets[place] == no_column<std::uint16_t>) {
                        ASSERT_EQ(values[place], 0.0);
                        continue;
                    }
                    const auto k = static_cast<std::size_t>(next[row]++);
                    ASSERT_EQ(found.bases[static_cast<std::size_t>(column)] + found.offsets[place], a.col_idxs[k]);
                    ASSERT_EQ(values[place], a.values[k]);
                }
                for (std::size_t row = 0; row < static_cast<std::size_t>(n); ++row) {
                    ASSERT_EQ(next[row], a.row_ptrs[row + 1]) << "row " << row;
                }
            });
        }
    }
}

}  // namespace
}  // namespace linden::test
