// needs: double int32
#include "core/multigrid/stored_matrix.hpp"

#include "core/kernels/sell.hpp"
#include "test/support/kernel_cases.hpp"

/// Matrices of levels in slices, whose columns are narrow where that is possible.
namespace linden::test {
namespace {

using I = std::int32_t;
using linden::detail::Layout;
using Stored = linden::detail::StoredMatrix<double, I>;

CsrData<double, I> rows_with(const std::vector<std::vector<I>>& rows)
{
    CsrData<double, I> a{{static_cast<size_type>(rows.size()), 400000}, {0}, {}, {}};
    for (const auto& cols : rows) {
        for (const I col : cols) {
            a.col_idxs.push_back(col);
            a.values.push_back(1 + static_cast<double>(a.values.size()));
        }
        a.row_ptrs.push_back(static_cast<I>(a.col_idxs.size()));
    }
    return a;
}

void expect_products(const Executor& exec, const CsrData<double, I>& host, int bits)
{
    const Csr<double, I> a(exec, host);
    const std::vector<double> ones(static_cast<std::size_t>(host.size.cols), 1.0);
    const Array<double> scales(exec, ones);
    Stored stored(exec, a.view(), Layout::slices, StoragePrecision::same);
    Stored::find_columns({&stored});
    EXPECT_EQ(stored.index_bits(), bits);
    stored.fill({a.view(), scales.data(), scales.data()});
    std::vector<double> numbers(ones.size());
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        numbers[i] = static_cast<double>(i % 1009);
    }
    const Array<double> b(exec, numbers);
    Array<double> x(exec, std::vector<double>(static_cast<std::size_t>(host.size.rows), -7.0));
    Stored::with_slices(
        [&]<class S, class J>(const SellView<S, J>& view) {
            if constexpr (std::is_same_v<S, double>) {
                sell_spmv<double, S, J>(exec, view, Scalar<double>(1.0), {host.size.cols, 1, 1, b.data()},
                                        Scalar<double>(0.0), {host.size.rows, 1, 1, x.data()});
            }
        },
        stored);
    const auto actual = x.to_host();
    for (std::size_t row = 0; row < actual.size(); ++row) {
        double expected = 0;
        for (I k = host.row_ptrs[row]; k < host.row_ptrs[row + 1]; ++k) {
            expected += host.values[k] * numbers[host.col_idxs[k]];
        }
        EXPECT_EQ(actual[row], expected) << "row " << row;
    }
}

TEST(StoredMatrix, ColumnsAreNarrowWhereGapsMakeItPossible)
{
    std::vector<std::vector<I>> plain(40, {3, 8, 60000}), waiting(40, {0, 2, 160001}),
        longer(64, {0, 1, 2, 3, 4, 5, 6, 7});
    waiting[0] = {0, 160000};       // a gap, in slices that are no longer
    longer[33] = {0, 1, 2, 70000};  // behind 7
    longer[34] = {70001, 140000};
    std::vector<std::vector<I>> apart;
    for (I row = 0; row < 5; ++row) {
        apart.push_back({70000 * row});
    }
    on_each_executor([&](const Executor& exec) {
        expect_products(exec, rows_with(plain), 16);
        expect_products(exec, rows_with(waiting), 16);
        expect_products(exec, rows_with(longer), 16);
        expect_products(exec, rows_with(apart), 32);
    });
}

}  // namespace
}  // namespace linden::test
