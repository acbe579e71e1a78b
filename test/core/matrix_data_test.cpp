// needs: double float complex128 complex64 int32 int64
#include <linden/error.hpp>
#include <linden/matrix_data.hpp>

#include <gtest/gtest.h>

#include <complex>
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace linden {
namespace {

template <class V, class I>
void expect_equal(const CsrData<V, I>& a, const CsrData<V, I>& b)
{
    EXPECT_EQ(a.size, b.size);
    EXPECT_EQ(a.row_ptrs, b.row_ptrs);
    EXPECT_EQ(a.col_idxs, b.col_idxs);
    EXPECT_EQ(a.values, b.values);
}

TEST(ToCsr, SortsAndSumsByHand)
{
    //  [ .  5  . ]
    //  [ .  .  . ]
    //  [ 3  0  7 ]  with 7 = 1 + 6 and a stored zero
    const MatrixData<double, std::int32_t> data{{3, 3}, {2, 2, 0, 2, 2}, {2, 0, 1, 2, 1}, {1, 3, 5, 6, 0}};
    const CsrData<double, std::int32_t> expected{{3, 3}, {0, 1, 1, 4}, {1, 0, 1, 2}, {5, 3, 0, 7}};
    expect_equal(to_csr(data), expected);
}

TEST(ToCsr, SumsInTheOrderOfTheInput)
{
    // 1 + 1e16 loses the 1, so only the order of the input gives 2.
    const MatrixData<double, std::int64_t> data{{1, 2}, {0, 0, 0, 0}, {1, 1, 1, 1}, {1e16, -1e16, 1, 1}};
    EXPECT_EQ(to_csr(data).values, std::vector<double>{2});
    const MatrixData<double, std::int64_t> reversed{{1, 2}, {0, 0, 0, 0}, {1, 1, 1, 1}, {1, 1e16, -1e16, 1}};
    EXPECT_EQ(to_csr(reversed).values, std::vector<double>{1});
}

TEST(ToCsr, TakesEmptyMatrices)
{
    for (Dim size : {Dim{0, 0}, Dim{0, 4}, Dim{4, 0}, Dim{3, 3}}) {
        const auto csr = to_csr(MatrixData<float, std::int32_t>{size, {}, {}, {}});
        EXPECT_EQ(csr.size, size);
        EXPECT_EQ(csr.row_ptrs, std::vector<std::int32_t>(size.rows + 1, 0));
        EXPECT_TRUE(csr.col_idxs.empty());
    }
}

/// Random triplets with many duplicates, enough of them for many groups and threads.
template <class V, class I>
MatrixData<V, I> random_triplets(Dim size, size_type count, unsigned seed)
{
    std::mt19937_64 random(seed);
    MatrixData<V, I> data;
    data.size = size;
    for (size_type k = 0; k < count; ++k) {
        data.rows.push_back(static_cast<I>(random() % size.rows));
        data.cols.push_back(static_cast<I>(random() % size.cols));
        data.values.push_back(static_cast<real_t<V>>(static_cast<double>(random() >> 11) * 0x1p-53));
    }
    return data;
}

template <class V, class I>
CsrData<V, I> naive_csr(const MatrixData<V, I>& data)
{
    std::map<std::pair<I, I>, V> entries;
    for (size_type k = 0; k < data.num_entries(); ++k) {
        const auto [at, is_new] = entries.try_emplace({data.rows[k], data.cols[k]}, data.values[k]);
        if (!is_new) {
            at->second += data.values[k];
        }
    }
    CsrData<V, I> csr{data.size, std::vector<I>(data.size.rows + 1), {}, {}};
    for (const auto& [position, value] : entries) {
        ++csr.row_ptrs[position.first + 1];
        csr.col_idxs.push_back(position.second);
        csr.values.push_back(value);
    }
    for (size_type r = 0; r < data.size.rows; ++r) {
        csr.row_ptrs[r + 1] += csr.row_ptrs[r];
    }
    return csr;
}

TEST(ToCsr, AgreesWithASortedMapOnLargeInput)
{
    // About 2 entries per position in the first; long rows in the second; almost empty rows in the third.
    const auto square = random_triplets<double, std::int32_t>({400, 500}, 400'000, 1);
    expect_equal(to_csr(square), naive_csr(square));
    const auto wide = random_triplets<std::complex<float>, std::int64_t>({3, 100'000}, 200'000, 2);
    expect_equal(to_csr(wide), naive_csr(wide));
    const auto tall = random_triplets<float, std::int32_t>({1'000'003, 7}, 200'000, 3);
    expect_equal(to_csr(tall), naive_csr(tall));
}

TEST(ToCsr, RefusesBadTriplets)
{
    using Data = MatrixData<double, std::int32_t>;
    const auto offender = [](const Data& data) {
        try {
            to_csr(data);
        } catch (const InvalidParameter& error) {
            return error.name + "=" + error.value;
        }
        return std::string("accepted");
    };
    EXPECT_EQ(offender({{2, 2}, {0, 2}, {0, 0}, {1, 1}}), "rows[1]=2");
    EXPECT_EQ(offender({{2, 2}, {-1, 0}, {0, 0}, {1, 1}}), "rows[0]=-1");
    EXPECT_EQ(offender({{2, 3}, {0, 1}, {2, 3}, {1, 1}}), "cols[1]=3");
    EXPECT_EQ(offender({{2, 2}, {0}, {0, 0}, {1, 1}}), "length of rows=1");
    EXPECT_EQ(offender({{2, 2}, {0, 1}, {0, 0, 1}, {1, 1}}), "length of cols=3");
    EXPECT_EQ(offender({{-1, 2}, {}, {}, {}}), "size=-1 x 2");
    EXPECT_EQ(offender({{2, 2}, {0, 1}, {0, 1}, {1, 1}}), "accepted");
}

TEST(ToCsr, NamesTheFirstBadIndexOfMany)
{
    auto data = random_triplets<double, std::int32_t>({100, 100}, 300'000, 4);
    for (int k = 123'456; k < 300'000; k += 1000) {
        data.cols[k] = 100;
    }
    try {
        to_csr(data);
        FAIL() << "accepted";
    } catch (const InvalidParameter& error) {
        EXPECT_EQ(error.name, "cols[123456]");
    }
}

TEST(ToCoo, ListsRowByRowAndInvertsToCsr)
{
    const CsrData<double, std::int32_t> csr{{3, 3}, {0, 1, 1, 3}, {1, 0, 2}, {5, 3, 7}};
    const auto coo = to_coo(csr);
    EXPECT_EQ(coo.size, csr.size);
    EXPECT_EQ(coo.rows, (std::vector<std::int32_t>{0, 2, 2}));
    EXPECT_EQ(coo.cols, csr.col_idxs);
    EXPECT_EQ(coo.values, csr.values);

    const auto large = to_csr(random_triplets<std::complex<double>, std::int64_t>({200'000, 50}, 300'000, 5));
    expect_equal(to_csr(to_coo(large)), large);
}

TEST(RequireWellFormed, NamesTheOffence)
{
    using Csr = CsrData<double, std::int32_t>;
    const auto offender = [](const Csr& csr) {
        try {
            require_well_formed(csr);
        } catch (const InvalidParameter& error) {
            return error.name;
        }
        return std::string("accepted");
    };
    EXPECT_EQ(offender({{2, 2}, {0, 1, 2}, {1, 0}, {1, 2}}), "accepted");
    EXPECT_EQ(offender({{0, 0}, {0}, {}, {}}), "accepted");
    EXPECT_EQ(offender({{0, 0}, {}, {}, {}}), "length of row_ptrs");
    EXPECT_EQ(offender({{2, 2}, {0, 1}, {1, 0}, {1, 2}}), "length of row_ptrs");
    EXPECT_EQ(offender({{2, 2}, {0, 1, 2}, {1}, {1, 2}}), "length of col_idxs");
    EXPECT_EQ(offender({{2, 2}, {1, 1, 2}, {1, 0}, {1, 2}}), "row_ptrs[0]");
    EXPECT_EQ(offender({{2, 2}, {0, 3, 2}, {1, 0}, {1, 2}}), "row_ptrs[2]");
    EXPECT_EQ(offender({{2, 2}, {0, 1, 1}, {1, 0}, {1, 2}}), "row_ptrs[2]");
    EXPECT_EQ(offender({{2, 2}, {0, 1, 2}, {1, 2}, {1, 2}}), "col_idxs[1]");
    EXPECT_EQ(offender({{2, 2}, {0, 1, 2}, {-1, 0}, {1, 2}}), "col_idxs[0]");
    EXPECT_EQ(offender({{-2, 2}, {0}, {}, {}}), "size");
}

TEST(DenseData, IsRowMajor)
{
    DenseData<float> block{{2, 3}, {1, 2, 3, 4, 5, 6}};
    EXPECT_EQ(block.at(1, 0), 4);
    block.at(0, 2) = 9;
    EXPECT_EQ(block.values[2], 9);
}

}  // namespace
}  // namespace linden
