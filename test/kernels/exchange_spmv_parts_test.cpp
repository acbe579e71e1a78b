#include "core/base/math.hpp"
#include "core/kernels/csr.hpp"
#include "core/kernels/exchange.hpp"
#include "test/support/host_kernels.hpp"
#include "test/support/kernel_cases.hpp"

namespace linden::test {
namespace {

template <class Types>
class ExchangeSpmvParts : public testing::Test {
};
TYPED_TEST_SUITE(ExchangeSpmvParts, TestedValueIndices, TypeNames);

/// Sums over one rank, whose first row has the number `first`.
template <class V>
ReductionWorkspace reproducible_workspace(const Executor& exec, size_type rows, std::int64_t first = 0)
{
    auto workspace = ReductionWorkspace::for_values<V>(exec, 2);
    workspace.sum_over(Communicator::self().reproducible().with_rows({first, rows}));
    return workspace;
}

/// The header of a host's workspace names what sums over ranks.
void expect_header_as_it_was(const Executor& exec, WorkspaceView workspace)
{
    if (!exec.is_host()) {
        expect_clean_header(exec, workspace);
    }
}

/// 34 rows, of which the last two are a part of their own: x := 2 b there, and b_i = 1 but for the last row.
TYPED_TEST(ExchangeSpmvParts, ByHand)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    on_each_executor([](const Executor& exec) {
        constexpr size_type n = 34;
        CsrData<V, I> data{{n, n}, {0}, {}, {}};
        for (I row = 0; row < n; ++row) {
            data.col_idxs.push_back(row);
            data.values.push_back(V{2});
            data.row_ptrs.push_back(row + 1);
        }
        const Csr<V, I> a(exec, data);
        std::vector<V> values(n, V{1});
        values.back() = number<V>(3, 1);
        Dense<V> b(exec, {n, 1}), w(exec, {n, 1});
        w.fill(number<V>(0, 1));
        copy_bytes(linden::detail::host(), values.data(), exec, b.data(), values.size() * sizeof(V));
        Dense<V> x(exec, {n, 1});
        Array<V> parts(exec, 4), sums(exec, 2);
        exchange_spmv_parts<V, I>(exec, a.view(), b.view(), x.view(), w.view(), parts.data());
        const V last = V{2} * values.back();
        EXPECT_EQ(x.to_host()[33], last);
        const V unit = conj(number<V>(0, 1));
        EXPECT_EQ(parts.to_host(),
                  (std::vector<V>{V{64} * unit, V{128}, V{2} * unit + unit * last, V{4} + V{linden::abs2(last)}}));
        auto workspace = reproducible_workspace<V>(exec, n);
        exchange_sum_parts<V>(exec, n, parts.data(), sums.data(), sums.data() + 1, workspace.view());
        EXPECT_EQ(sums.to_host(), (std::vector<V>{V{66} * unit + unit * last, V{132} + V{linden::abs2(last)}}));
        exchange_sum_parts<V>(exec, n, parts.data(), sums.data() + 1, nullptr, workspace.view());
        EXPECT_EQ(sums.to_host()[1], V{66} * unit + unit * last);
        expect_header_as_it_was(exec, workspace.view());
    });
}

/// Both kernels have the same bits, whatever else the rank has, and so have sums of what is spread over the tree.
TYPED_TEST(ExchangeSpmvParts, LikeReference)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    Random random(83);
    for (const size_type n : {1, 100, 128, 3000, 20011}) {
        CsrData<V, I> data{{n, n}, {0}, {}, {}};
        for (size_type row = 0; row < n; ++row) {
            const auto length = std::min<size_type>(n, row % 7);
            for (size_type k = 0; k < length; ++k) {
                data.col_idxs.push_back(static_cast<I>(n - length + k));
                data.values.push_back(random.value<V>());
            }
            data.row_ptrs.push_back(static_cast<I>(data.col_idxs.size()));
        }
        const auto blocks = random_blocks<V>(random, 2, {n, 1}, 0);
        struct Result {
            std::vector<V> x, parts, sums;
        };
        const auto run = [&](const Executor& exec, std::int64_t first) {
            const Csr<V, I> a(exec, data);
            const auto here = copies(blocks, exec);
            Dense<V> x(exec, {n, 1}), in_order(exec, {n, 1});
            Array<V> parts(exec, 2 * num_sum_parts(n)), again(exec, parts.size()), sums(exec, 2);
            exchange_spmv_parts<V, I>(exec, a.view(), here[0].view(), x.view(), here[1].view(), parts.data());
            csr_spmv_in_order<V, I>(exec, a.view(), V{1}, here[0].view(), V{}, in_order.view());
            EXPECT_TRUE(same_bits(x.to_host(), in_order.to_host()));
            std::vector<I> which;
            for (size_type part = num_sum_parts(n); part-- > 0;) {
                which.push_back(static_cast<I>(part));
            }
            const Array<I> list(exec, which);
            exchange_form_parts<V, I>(exec, list.size(), list.data(), std::as_const(x).view(), here[1].view(),
                                      again.data());
            EXPECT_TRUE(same_bits(parts.to_host(), again.to_host()));
            auto workspace = reproducible_workspace<V>(exec, n, first);
            exchange_sum_parts<V>(exec, n, parts.data(), sums.data(), sums.data() + 1, workspace.view());
            expect_header_as_it_was(exec, workspace.view());
            return Result{x.to_host(), parts.to_host(), sums.to_host()};
        };
        const auto expected = run(reference_executor(), 0);
        on_each_executor([&](const Executor& exec) {
            for (const std::int64_t first : {0, 3 * 128, 257 * 128}) {
                const auto actual = run(exec, first);
                const double k = 4 * summation_factor(7);
                expect_near(actual.x, expected.x, k);
                expect_near(actual.parts, expected.parts, k + summation_factor(sum_part_rows), 1000);
                expect_near(actual.sums, expected.sums, k + summation_factor(n), 100.0 * static_cast<double>(n));
            }
        });
    }
}

}  // namespace
}  // namespace linden::test
