// needs: double int32
#include <linden/distributed/matrix.hpp>
#include <linden/distributed/vector.hpp>
#include <linden/preconditioner/ilu.hpp>

#include <complex>
#include <filesystem>
#include <fstream>

#include "core/kernels/reduction.hpp"
#include "test/support/ranks.hpp"

namespace linden::test {
namespace {

using distributed::Partition;
using Data = CsrData<double, std::int32_t>;

/// Long and short rows, rows without entries, a dense one.
template <class V>
CsrData<V, std::int32_t> uneven(size_type n)
{
    Random random(3);
    return random_csr<V, std::int32_t>(random, {n, n}, 6, Pattern::dense_row);
}

/// x := alpha A b + beta x on so many ranks, gathered.
template <class V>
std::vector<V> product(Backend backend, const CsrData<V, std::int32_t>& a, const Partition& partition, V alpha, V beta,
                       size_type cols, size_type padding)
{
    std::vector<V> result;
    on_ranks(partition.num_ranks(), [&](const Communicator& ranks) {
        const auto exec = rank_executor(backend);
        const auto matrix = distributed::Matrix<V, std::int32_t>::from_whole(exec, ranks, partition, a);
        const auto n = a.size.rows;
        const auto mine = rows_of(exec, random_block<V>({n, cols}, 5), partition, ranks.rank());
        Dense<V> b(exec, mine.size(), cols + padding);
        b.copy_from(mine);
        auto x = rows_of(exec, random_block<V>({n, cols}, 6), partition, ranks.rank());
        if (alpha == V{1} && beta == V{}) {
            matrix.apply(b, x);
        } else {
            matrix.apply(alpha, b, beta, x);
        }
        const auto whole = distributed::Vector<V>(ranks, partition, std::move(x)).gather();
        if (ranks.rank() == 0) {
            result = whole.values;
        }
    });
    return result;
}

template <class V>
void expect_same_bits_on_any_number_of_ranks()
{
    const auto a = uneven<V>(101);
    for (const auto backend : rank_backends()) {
        for (const size_type cols : {1, 3}) {
            for (const size_type padding : {0, 2}) {
                for (const bool plain : {true, false}) {
                    const V alpha = plain ? V{1} : V{static_cast<real_t<V>>(0.75)};
                    const V beta = plain ? V{} : V{static_cast<real_t<V>>(-1.25)};
                    const auto one = product<V>(backend, a, Partition::stripes(101, 1), alpha, beta, cols, padding);
                    for (const int ranks : {2, 3, 4, 17}) {
                        for (const auto& partition : partitions(101, ranks)) {
                            EXPECT_EQ(product<V>(backend, a, partition, alpha, beta, cols, padding), one)
                                << name(backend) << ", " << ranks << " ranks, " << cols << " columns";
                        }
                    }
                }
            }
        }
    }
}

TEST(DistributedMatrixTest, ProductsHaveTheSameBitsOnAnyNumberOfRanks)
{
    expect_same_bits_on_any_number_of_ranks<double>();
}

TEST(DistributedMatrixTest, ComplexProductsHaveTheSameBits)
{
    if constexpr (has_types<std::complex<float>>) {
        expect_same_bits_on_any_number_of_ranks<std::complex<float>>();
    }
}

/// On one rank it computes what the Csr does.
TEST(DistributedMatrixTest, OneRankIsACsr)
{
    const auto a = uneven<double>(50);
    for (const auto backend : rank_backends()) {
        const auto exec = rank_executor(backend);
        const auto b = random_block<double>({50, 1}, 5);
        const auto partition = Partition::stripes(50, 1);
        auto x = Dense<double>::filled(exec, {50, 1}, 0);
        Csr<double, std::int32_t>(exec, a).apply(rows_of(exec, b, partition, 0), x);
        EXPECT_EQ(product<double>(backend, a, partition, 1, 0, 1, 0), x.to_host());
    }
}

TEST(DistributedMatrixTest, FewerRowsThanRanks)
{
    for (const size_type n : {0, 1, 2}) {
        const auto a = uneven<double>(n);
        const auto one = product<double>(Backend::reference, a, Partition::stripes(n, 1), 1, 0, 1, 0);
        EXPECT_EQ(product<double>(Backend::reference, a, Partition::stripes(n, 4), 1, 0, 1, 0), one);
    }
}

/// By hand: [2 -1 0; -1 2 -1; 0 -1 2] on 3 ranks.
TEST(DistributedMatrixTest, RowsAndNeighboursByHand)
{
    const Data a{{3, 3}, {0, 2, 5, 7}, {0, 1, 0, 1, 2, 1, 2}, {2, -1, -1, 2, -1, -1, 2}};
    on_ranks(3, [&](const Communicator& ranks) {
        const auto exec = rank_executor(Backend::reference);
        const auto matrix =
            distributed::Matrix<double, std::int32_t>::from_whole(exec, ranks, Partition::stripes(3, 3), a);
        const bool middle = ranks.rank() == 1;
        EXPECT_EQ(matrix.size(), (Dim{1, 1}));
        EXPECT_EQ(matrix.num_ghosts(), middle ? 2 : 1);
        EXPECT_EQ(matrix.num_neighbours(), middle ? 2 : 1);
        EXPECT_EQ(matrix.num_nonzeros(), middle ? 3 : 2);
        EXPECT_EQ(matrix.halo_bytes(), (middle ? 2 : 1) * 8);
        EXPECT_EQ(matrix.local().to_host().values, std::vector<double>{2});
        const auto rows = matrix.rows();
        EXPECT_EQ(rows.size, (Dim{1, 3}));
        EXPECT_EQ(rows.values, middle              ? (std::vector<double>{-1, 2, -1})
                               : ranks.rank() == 0 ? (std::vector<double>{2, -1})
                                                   : (std::vector<double>{-1, 2}));
        EXPECT_TRUE(matrix.communicator() == ranks);
    });
}

/// Columns in any order give the matrix of sorted ones.
TEST(DistributedMatrixTest, ColumnsNeedNotBeSorted)
{
    on_ranks(2, [](const Communicator& ranks) {
        const auto exec = rank_executor(Backend::reference);
        const CsrData<double, std::int64_t> rows{{1, 2}, {0, 2}, {1, 0}, {5, 7}};
        const distributed::Matrix<double, std::int32_t> matrix(exec, ranks, Partition::stripes(2, 2), rows);
        EXPECT_EQ(matrix.rows().col_idxs, (std::vector<std::int64_t>{0, 1}));
        EXPECT_EQ(matrix.rows().values, (std::vector<double>{7, 5}));
    });
}

/// A product is one exchange, and with its inner products one sum more.
TEST(DistributedMatrixTest, FusedSumsAreThoseOfAllRowsInOneMessage)
{
    const auto a = uneven<double>(60);
    const auto w = random_block<double>({60, 3}, 8);
    const auto b = random_block<double>({60, 3}, 9);
    for (const auto backend : rank_backends()) {
        std::vector<double> expected;
        for (const int n : {1, 2, 4}) {
            for (const auto& partition : partitions(60, n)) {
                on_ranks(n, [&](const Communicator& ranks) {
                    const auto exec = rank_executor(backend);
                    const auto matrix =
                        distributed::Matrix<double, std::int32_t>::from_whole(exec, ranks, partition, a);
                    const auto w_here = rows_of(exec, w, partition, ranks.rank());
                    auto x = rows_of(exec, b, partition, ranks.rank());
                    auto workspace = ReductionWorkspace::for_values<double>(exec, 6);
                    workspace.sum_over(ranks);
                    std::vector<double> sums(6);
                    const auto before = ranks.counters();
                    matrix.apply_dot(rows_of(exec, b, partition, ranks.rank()), x,
                                     {w_here, sums.data(), sums.data() + 3, workspace.view()});
                    const auto after = ranks.counters();
                    if (n == 1) {
                        expected = sums;
                        return;
                    }
                    EXPECT_LE(after.exchanges - before.exchanges, 1u);
                    EXPECT_EQ(after.gathers - before.gathers, 1u);
                    for (std::size_t i = 0; i < 6; ++i) {
                        EXPECT_NEAR(sums[i], expected[i], 1e-12 * 60);
                    }
                });
            }
        }
    }
}

TEST(DistributedMatrixTest, NewValuesOnTheSamePattern)
{
    auto a = uneven<double>(40);
    auto other = a;
    for (auto& value : other.values) {
        value *= 3;
    }
    const auto partition = Partition::stripes(40, 3);
    on_ranks(3, [&](const Communicator& ranks) {
        using Matrix = distributed::Matrix<double, std::int32_t>;
        const auto exec = rank_executor(Backend::reference);
        auto matrix = Matrix::from_whole(exec, ranks, partition, a);
        matrix.update_values(share(Matrix::from_whole(exec, ranks, partition, other)));
        const auto expected = Matrix::from_whole(exec, ranks, partition, other);
        EXPECT_EQ(matrix.rows().values, expected.rows().values);
        EXPECT_EQ(matrix.local().to_host().values, expected.local().to_host().values);
        EXPECT_THROW(matrix.update_values(share(expected.local())), NotSupported);
        const auto copy = matrix.clone(exec);
        auto x = Dense<double>::filled(exec, {matrix.size().rows, 1}, 1);
        auto y = x.copy();
        auto z = x.copy();
        matrix.apply(x, y);
        copy->apply(x, z);
        EXPECT_EQ(y.to_host(), z.to_host());
    });
}

/// What one rank gets wrong ends the construction on all, and the communicator stays usable.
TEST(DistributedMatrixTest, BadRowsOfOneRankEndAll)
{
    using Rows = CsrData<double, std::int64_t>;
    const Rows good{{1, 3}, {0, 1}, {0}, {1}};
    const Rows bad[] = {{{1, 3}, {0, 1}, {3}, {1}},
                        {{1, 3}, {0, 1}, {-1}, {1}},
                        {{1, 3}, {0, 2}, {0}, {1}},
                        {{1, 3}, {0, 2}, {1, 1}, {1, 1}},
                        {{2, 3}, {0, 1, 1}, {0}, {1}}};
    on_ranks(3, [&](const Communicator& ranks) {
        const auto exec = rank_executor(Backend::reference);
        const auto make = [&](const Rows& rows) {
            return distributed::Matrix<double, std::int32_t>(exec, ranks, Partition::stripes(3, 3), rows);
        };
        for (const auto& rows : bad) {
            if (ranks.rank() == 1) {
                EXPECT_ANY_THROW(make(rows));
            } else {
                EXPECT_THROW(make(good), RemoteError);
            }
        }
        EXPECT_EQ(make(good).num_nonzeros(), 1);
        EXPECT_THROW((distributed::Matrix<double, std::int32_t>(exec, ranks, Partition::stripes(3, 2), good)),
                     InvalidParameter);
    });
}

/// So does a source of rows that gives what was not asked for, or throws.
TEST(DistributedMatrixTest, ABadSourceOfOneRankEndsAll)
{
    using Rows = CsrData<double, std::int64_t>;
    const auto identity = [](const Communicator& ranks, size_type begin, size_type end) {
        Rows rows{{end - begin, 6}, {0}, {}, {}};
        for (auto row = begin; row < end; ++row) {
            rows.col_idxs.push_back(2 * ranks.rank() + row);
            rows.values.push_back(1);
            rows.row_ptrs.push_back(row - begin + 1);
        }
        return rows;
    };
    on_ranks(3, [&](const Communicator& ranks) {
        const auto make = [&](const distributed::RowSource<double>& rows) {
            return distributed::Matrix<double, std::int32_t>(rank_executor(Backend::reference), ranks,
                                                             Partition::stripes(6, 3), rows);
        };
        const auto good = [&](size_type begin, size_type end) { return identity(ranks, begin, end); };
        const auto short_by_one = [&](size_type begin, size_type end) { return identity(ranks, begin, end - 1); };
        const auto broken = [](size_type, size_type) -> Rows { throw FileError("rows.mtx", 3, "no such row"); };
        if (ranks.rank() == 1) {
            EXPECT_THROW(make(short_by_one), DimensionMismatch);
            EXPECT_THROW(make(broken), FileError);
        } else {
            EXPECT_THROW(make(good), RemoteError);
            EXPECT_THROW(make(good), RemoteError);
        }
        EXPECT_EQ(make(good).num_nonzeros(), 2);
    });
}

/// A vector of the wrong length on one rank: no rank waits for the others' values for ever.
TEST(DistributedMatrixTest, AWrongOperandOnOneRankEndsAll)
{
    const auto failures = failures_on_ranks(3, [](const Communicator& ranks) {
        const auto exec = rank_executor(Backend::reference);
        const auto matrix = distributed::Matrix<double, std::int32_t>::from_whole(exec, ranks, Partition::stripes(9, 3),
                                                                                  laplace_2d<double>(3));
        const auto b = Dense<double>::filled(exec, {ranks.rank() == 2 ? 4 : 3, 1}, 1);
        auto x = Dense<double>::filled(exec, {3, 1}, 0);
        for (int i = 0; i < 100; ++i) {
            matrix.apply(b, x);
        }
    });
    EXPECT_THROW(std::rethrow_exception(failures[0]), RemoteError);
    EXPECT_THROW(std::rethrow_exception(failures[1]), RemoteError);
    EXPECT_THROW(std::rethrow_exception(failures[2]), DimensionMismatch);
}

TEST(DistributedMatrixTest, FactoriesThatNeedACsrNameTheWayOut)
{
    on_ranks(2, [](const Communicator& ranks) {
        const auto exec = rank_executor(Backend::reference);
        const auto matrix = share(distributed::Matrix<double, std::int32_t>::from_whole(
            exec, ranks, Partition::stripes(9, 2), laplace_2d<double>(3)));
        try {
            Ilu0<double>::factory().generate(matrix);
            ADD_FAILURE() << "an Ilu0 was made";
        } catch (const NotSupported& e) {
            EXPECT_NE(std::string(e.what()).find("Schwarz"), std::string::npos) << e.what();
        }
    });
}

TEST(DistributedVectorTest, NormsAndDotsAreOfAllRows)
{
    const auto whole = random_block<double>({30, 2}, 4);
    for (const int n : {1, 3}) {
        for (const auto& partition : partitions(30, n)) {
            on_ranks(n, [&](const Communicator& ranks) {
                const auto exec = rank_executor(Backend::reference);
                const distributed::Vector<double> v(ranks, partition, rows_of(exec, whole, partition, ranks.rank()));
                double squares[2] = {};
                for (std::size_t i = 0; i < whole.values.size(); ++i) {
                    squares[i % 2] += whole.values[i] * whole.values[i];
                }
                for (std::size_t col = 0; col < 2; ++col) {
                    EXPECT_NEAR(v.norm2()[col], std::sqrt(squares[col]), 1e-14);
                    EXPECT_NEAR(v.dot(v)[col], squares[col], 1e-14);
                }
                EXPECT_EQ(v.gather().values, whole.values);
            });
        }
    }
}

TEST(PartitionTest, Stripes)
{
    const auto p = Partition::stripes(7, 3);
    EXPECT_EQ(p.num_rows(0), 3);
    EXPECT_EQ(p.num_rows(1), 2);
    EXPECT_EQ(p.first(2), 5);
    EXPECT_EQ(p.owner(0), 0);
    EXPECT_EQ(p.owner(3), 1);
    EXPECT_EQ(p.owner(6), 2);
    EXPECT_NEAR(p.imbalance(), 9.0 / 7, 1e-15);
    EXPECT_EQ(Partition({0, 0, 4, 4}).owner(2), 1);
    EXPECT_THROW(Partition::stripes(7, 0), InvalidParameter);
    EXPECT_THROW(Partition::stripes(-1, 2), InvalidParameter);
    EXPECT_THROW(Partition({0, 3, 2}), InvalidParameter);
    EXPECT_THROW(Partition({1, 3}), InvalidParameter);
    on_ranks(3, [](const Communicator& ranks) {
        EXPECT_EQ(Partition::by_rows(ranks, 2 * ranks.rank()), Partition({0, 0, 2, 6}));
    });
}

TEST(PartitionTest, PartsOfAFile)
{
    const auto path = (std::filesystem::temp_directory_path() / "linden_partition_test.txt").string();
    const auto write = [&](const std::string& text) { std::ofstream(path) << text; };
    write("1\n0\n 1 \r\n0\n");
    const auto parts = distributed::Parts::read(path, 4, 3);
    EXPECT_EQ(parts.of_row, (std::vector<std::int32_t>{1, 0, 1, 0}));
    EXPECT_EQ(parts.partition(), Partition({0, 2, 4, 4}));
    EXPECT_EQ(parts.new_numbers(), (std::vector<std::int64_t>{2, 0, 3, 1}));
    parts.write(path);
    EXPECT_EQ(distributed::Parts::read(path, 4, 3).of_row, parts.of_row);
    for (const auto* const text : {"0\n3\n0\n0\n", "0\n-1\n0\n0\n", "0\nx\n0\n0\n", "0\n1 1\n0\n0\n"}) {
        write(text);
        try {
            distributed::Parts::read(path, 4, 3);
            ADD_FAILURE() << text;
        } catch (const FileError& e) {
            EXPECT_EQ(e.line, 2);
        }
    }
    write("0\n1\n");
    EXPECT_THROW(distributed::Parts::read(path, 4, 3), FileError);
    std::filesystem::remove(path);
    EXPECT_THROW(distributed::Parts::read(path, 4, 3), FileError);
}

/// By hand: a chain of 4 rows in two parts has one edge between them, an entry for each end.
TEST(PartitionTest, Report)
{
    const auto a = csr_from_rows<double>({{2, -1, 0, 0}, {-1, 2, -1, 0}, {0, -1, 2, -1}, {0, 0, -1, 2}});
    const auto r = distributed::report(a, {{0, 0, 1, 1}, 3});
    EXPECT_EQ(r.edge_cut, 2);
    EXPECT_EQ(r.max_ghosts(), 1);
    EXPECT_EQ(r.max_neighbours(), 1);
    EXPECT_EQ(r.parts[0].nonzeros, 5);
    EXPECT_EQ(r.parts[2].rows, 0);
    EXPECT_NEAR(r.row_imbalance(), 1.5, 1e-15);
    EXPECT_THROW(distributed::report(a, {{0, 0, 1}, 2}), InvalidParameter);
}

}  // namespace
}  // namespace linden::test
