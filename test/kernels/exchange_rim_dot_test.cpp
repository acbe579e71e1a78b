#include "core/kernels/csr.hpp"
#include "core/kernels/exchange.hpp"
#include "test/support/kernel_cases.hpp"

namespace linden::test {
namespace {

template <class Types>
class ExchangeRimDot : public testing::Test {
};
TYPED_TEST_SUITE(ExchangeRimDot, TestedValueIndices, TypeNames);

/// Every `period`-th row is at the rim, with ghosts and own columns by turns; the others have columns of this rank.
template <class V, class I>
struct SplitCase {
    SplitCase(size_type n, size_type period, Random& random)
    {
        inner.size = {n, n};
        inner.row_ptrs = {0};
        rim.size = {(n + period - 1) / period, n};
        rim.row_ptrs = {0};
        for (size_type row = 0; row < n; ++row) {
            const bool is_at_rim = row % period == 0;
            auto& part = is_at_rim ? rim : inner;
            for (size_type k = 0; k < row % 9; ++k) {
                const auto place = static_cast<I>((row * 7 + k * 13) % n);
                part.col_idxs.push_back(is_at_rim && k % 2 == 1 ? static_cast<I>(-1 - place) : place);
                part.values.push_back(random.value<V>());
            }
            inner.row_ptrs.push_back(static_cast<I>(inner.col_idxs.size()));
            if (is_at_rim) {
                rows.push_back(static_cast<I>(row));
                rim.row_ptrs.push_back(static_cast<I>(rim.col_idxs.size()));
            }
        }
        vectors = random_blocks<V>(random, 4, {n, 1}, 0);
    }

    CsrData<V, I> inner, rim;
    std::vector<I> rows;
    Blocks<V> vectors;  // b, x, w, ghosts
};

/// x, w^H x and x^H x. `all`: by the kernels for all rows, in a workspace for so many partial sums.
template <class V, class I>
std::vector<std::vector<V>> multiply(const Executor& exec, const SplitCase<V, I>& c, bool all, size_type partials = 0)
{
    const auto n = c.inner.size.rows;
    const Array<I> inner_ptrs(exec, c.inner.row_ptrs), inner_cols(exec, c.inner.col_idxs);
    const Array<I> rows(exec, c.rows), ptrs(exec, c.rim.row_ptrs), cols(exec, c.rim.col_idxs);
    const Array<V> inner_values(exec, c.inner.values), values(exec, c.rim.values);
    const CsrView<V, I> inner{n, n, inner_cols.size(), inner_ptrs.data(), inner_cols.data(), inner_values.data()};
    const RimView<V, I> rim{rows.size(), rows.data(), ptrs.data(), cols.data(), values.data()};
    auto v = copies(c.vectors, exec);
    const auto b = std::as_const(v[0]).view(), w = std::as_const(v[2]).view();
    const GhostView<V> ghosts{std::as_const(v[3]).view(), {}};
    auto workspace = ReductionWorkspace::for_values<V>(exec, 2);
    auto room = workspace.view();
    Array<V> sums(exec, 2), of_inner(exec, 2);
    if (all) {
        if (partials > 0) {
            room.bytes = reduction_header_bytes + 2 * partials * static_cast<size_type>(sizeof(V));
        }
        const RankRows<V, I> split{inner, rim, nullptr, ghosts};
        exchange_inner_dot<V, I>(exec, split, b, v[1].view(), w, room);
        exchange_rim_dot<V, I>(exec, split, b, v[1].view(), w, sums.data(), sums.data() + 1, room);
    } else {
        csr_spmv_dot<V, I>(exec, inner, b, v[1].view(), w, of_inner.data(), of_inner.data() + 1, room);
        exchange_rim_spmv_dot<V, I>(exec, rim, ghosts, b, v[1].view(), w,
                                    {of_inner.data(), sums.data(), sums.data() + 1}, room);
    }
    expect_clean_header(exec, room);
    return {v[1].to_host(), sums.to_host()};
}

/// Few and many rows at the rim, and in a workspace for a block of each kernel more than these form early.
TYPED_TEST(ExchangeRimDot, LikeReference)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    Random random(12);
    for (const size_type n : {1, 40, 5000}) {
        for (const size_type period : {1, 2, 700}) {
            const SplitCase<V, I> c(n, period, random);
            const auto expected = multiply(reference_executor(), c, false);
            on_each_executor([&](const Executor& exec) {
                if (exec.is_host()) {
                    return;  // doc/kernel-gaps.md
                }
                for (const size_type partials : {0, 2, 5}) {
                    const auto actual = multiply(exec, c, true, partials);
                    const double k = 4 * summation_factor(9);
                    expect_near(actual[0], expected[0], k);
                    expect_near(actual[1], expected[1], k + summation_factor(n), 100.0 * static_cast<double>(n));
                }
            });
        }
    }
}

}  // namespace
}  // namespace linden::test
