// needs: double int32
#include <linden/distributed/repartition.hpp>
#include <linden/io/problems.hpp>

#include <gtest/gtest.h>

#include <numeric>

#include "test/support/ranks.hpp"

namespace linden::test {
namespace {

using distributed::OwnRows;
using distributed::Partition;
using distributed::Repartition;

/// A part for each row of all, by a rule that mixes them; `empty` gets none.
std::vector<std::int32_t> mixed_parts(std::int64_t rows, int num_parts, int empty)
{
    std::vector<std::int32_t> parts;
    for (std::int64_t row = 0; row < rows; ++row) {
        const auto part = static_cast<std::int32_t>((row * row + 3 * row) % num_parts);
        parts.push_back(part == empty && num_parts > 1 ? (empty + 1) % num_parts : part);
    }
    return parts;
}

template <class T>
std::vector<T> own_of(const std::vector<T>& whole, const Partition& partition, int rank, std::int64_t width = 1)
{
    return {whole.begin() + width * partition.first(rank), whole.begin() + width * partition.first(rank + 1)};
}

/// Rows and columns of the whole matrix in numbers of the parts.
CsrData<double, std::int64_t> renumbered(const CsrData<double, std::int64_t>& a,
                                         const std::vector<std::int64_t>& numbers)
{
    CsrData<double, std::int64_t> result{a.size, {0}, {}, {}};
    std::vector<std::size_t> old(numbers.size());
    for (std::size_t row = 0; row < old.size(); ++row) {
        old[static_cast<std::size_t>(numbers[row])] = row;
    }
    for (const auto row : old) {
        for (auto k = a.row_ptrs[row]; k < a.row_ptrs[row + 1]; ++k) {
            result.col_idxs.push_back(numbers[static_cast<std::size_t>(a.col_idxs[static_cast<std::size_t>(k)])]);
            result.values.push_back(a.values[static_cast<std::size_t>(k)]);
        }
        result.row_ptrs.push_back(static_cast<std::int64_t>(result.col_idxs.size()));
    }
    return result;
}

/// The rows [first, last) of a matrix.
CsrData<double, std::int64_t> some_rows(const CsrData<double, std::int64_t>& a, std::int64_t first, std::int64_t last)
{
    CsrData<double, std::int64_t> rows{{last - first, a.size.cols}, {0}, {}, {}};
    const auto begin = a.row_ptrs[static_cast<std::size_t>(first)], end = a.row_ptrs[static_cast<std::size_t>(last)];
    for (auto row = first; row < last; ++row) {
        rows.row_ptrs.push_back(a.row_ptrs[static_cast<std::size_t>(row) + 1] - begin);
    }
    rows.col_idxs.assign(a.col_idxs.begin() + begin, a.col_idxs.begin() + end);
    rows.values.assign(a.values.begin() + begin, a.values.begin() + end);
    return rows;
}

CsrData<double, std::int64_t> test_matrix()
{
    return distributed::generate_rows<double>(Communicator::self(), "convdiff3d:5:3").rows;
}

/// Rows, columns and values are those that one process finds by Parts, and vectors come back as they were.
TEST(RepartitionTest, MovesRowsAsPartsNumberThem)
{
    const auto a = test_matrix();
    const auto n = a.size.rows;
    std::vector<double> block(static_cast<std::size_t>(2 * n));
    std::iota(block.begin(), block.end(), 1);
    for (const int num_ranks : {1, 2, 3, 5}) {
        for (const bool has_empty_ranks : {false, true}) {
            const distributed::Parts parts{mixed_parts(n, num_ranks, has_empty_ranks ? num_ranks - 1 : -1), num_ranks};
            const auto numbers = parts.new_numbers();
            const auto expected = renumbered(a, numbers);
            std::vector<std::int64_t> firsts{0};
            for (int rank = 1; rank <= num_ranks; ++rank) {
                firsts.push_back(has_empty_ranks && rank == 1 && num_ranks > 1 ? 0 : n * rank / num_ranks);
            }
            const Partition old(firsts);
            on_ranks(num_ranks, [&](const Communicator& ranks) {
                const int me = ranks.rank();
                const Repartition moved(ranks, old, own_of(parts.of_row, old, me));
                EXPECT_EQ(moved.partition(), parts.partition());
                EXPECT_EQ(moved.new_numbers(), own_of(numbers, old, me));
                const auto own = moved.rows(OwnRows<double>{old, some_rows(a, old.first(me), old.first(me + 1))});
                const auto& now = moved.partition();
                const auto rows = some_rows(expected, now.first(me), now.first(me + 1));
                EXPECT_EQ(own.partition, now);
                EXPECT_EQ(own.rows.size, rows.size);
                EXPECT_EQ(own.rows.row_ptrs, rows.row_ptrs);
                EXPECT_EQ(own.rows.col_idxs, rows.col_idxs);
                EXPECT_EQ(own.rows.values, rows.values);
                const DenseData<double> before{{old.num_rows(me), 2}, own_of(block, old, me, 2)};
                const auto there = moved.block(before);
                ASSERT_EQ(there.size, (Dim{now.num_rows(me), 2}));
                for (std::int64_t row = 0; row < n; ++row) {
                    const auto place = numbers[static_cast<std::size_t>(row)] - now.first(me);
                    if (place >= 0 && place < now.num_rows(me)) {
                        EXPECT_EQ(there.values[static_cast<std::size_t>(2 * place + 1)],
                                  2.0 * static_cast<double>(row) + 2);
                    }
                }
                const auto back = moved.block_back(there);
                EXPECT_EQ(back.size, before.size);
                EXPECT_EQ(back.values, before.values);
            });
        }
    }
}

/// Ranks that have some rows each count what one process counts that has all.
TEST(RepartitionTest, ReportsAreThoseOfOneProcess)
{
    const auto a = test_matrix();
    const CsrData<double, std::int32_t> whole{
        a.size, {a.row_ptrs.begin(), a.row_ptrs.end()}, {a.col_idxs.begin(), a.col_idxs.end()}, a.values};
    for (const int num_ranks : {1, 3, 4}) {
        for (const int num_parts : {1, 2, 7}) {
            const distributed::Parts parts{mixed_parts(a.size.rows, num_parts, 1), num_parts};
            const auto expected = distributed::report(whole, parts);
            EXPECT_EQ(expected.edge_cut > 0, num_parts > 2);  // of two parts one is empty
            for (const auto& old : partitions(a.size.rows, num_ranks)) {
                on_ranks(num_ranks, [&](const Communicator& ranks) {
                    const int me = ranks.rank();
                    const OwnRows<double> own{old, some_rows(a, old.first(me), old.first(me + 1))};
                    const auto found = distributed::report(ranks, own, {own_of(parts.of_row, old, me), num_parts});
                    EXPECT_EQ(found.edge_cut, expected.edge_cut);
                    ASSERT_EQ(found.parts.size(), expected.parts.size());
                    for (std::size_t part = 0; part < found.parts.size(); ++part) {
                        EXPECT_EQ(found.parts[part].rows, expected.parts[part].rows);
                        EXPECT_EQ(found.parts[part].nonzeros, expected.parts[part].nonzeros);
                        EXPECT_EQ(found.parts[part].ghosts, expected.parts[part].ghosts) << part;
                        EXPECT_EQ(found.parts[part].neighbours, expected.parts[part].neighbours) << part;
                    }
                });
            }
        }
    }
}

TEST(RepartitionTest, RanksThatWantDifferentPartsAreTold)
{
    const auto failures = failures_on_ranks(2, [&](const Communicator& ranks) {
        const OwnRows<double> none{Partition::stripes(0, 2), {{0, 0}, {0}, {}, {}}};
        distributed::ptscotch_parts(ranks, none, 2 + ranks.rank());
    });
    for (const auto& failure : failures) {
        EXPECT_THROW(std::rethrow_exception(failure), InvalidParameter);
    }
}

TEST(RepartitionTest, WrongPartsAreToldToAllRanks)
{
    const auto old = Partition::stripes(10, 2);
    for (const auto& wrong : {std::vector<std::int32_t>{0, 1, 2, 0, 0}, std::vector<std::int32_t>{0, 1}}) {
        const auto failures = failures_on_ranks(2, [&](const Communicator& ranks) {
            const std::vector<std::int32_t> right(5, 1);
            Repartition(ranks, old, ranks.rank() == 1 ? wrong : right);
        });
        EXPECT_THROW(std::rethrow_exception(failures[0]), RemoteError);
        EXPECT_THROW(std::rethrow_exception(failures[1]), InvalidParameter);
    }
}

TEST(RepartitionTest, PtScotchNeedsProcessesOfMpi)
{
    const auto a = test_matrix();
    const auto failures = failures_on_ranks(2, [&](const Communicator& ranks) {
        const auto old = Partition::stripes(a.size.rows, 2);
        Repartition::ptscotch(ranks,
                              OwnRows<double>{old, some_rows(a, old.first(ranks.rank()), old.first(ranks.rank() + 1))});
    });
    for (const auto& failure : failures) {
        EXPECT_THROW(std::rethrow_exception(failure), NotSupported);
    }
    const auto alone =
        Repartition::ptscotch(Communicator::self(), OwnRows<double>{Partition::stripes(a.size.rows, 1), a});
    EXPECT_EQ(alone.partition(), Partition::stripes(a.size.rows, 1));
}

}  // namespace
}  // namespace linden::test
