#include "core/kernels/exchange.hpp"
#include "test/support/kernel_cases.hpp"

namespace linden::test {
namespace {

template <class Types>
class ExchangeRimSpmv : public testing::Test {
};
TYPED_TEST_SUITE(ExchangeRimSpmv, TestedValueIndices, TypeNames);

/// Executors with the kernels: all but omp, as doc/kernel-gaps.md says.
template <class F>
void on_each_with_a_rim(const F& f)
{
    on_each_executor([&](const Executor& exec) {
        if (exec.backend() != Backend::omp) {
            f(exec);
        }
    });
}

/// Rows 2 and 0 of a block of three, with two ghosts of which the first comes first in a row and the second last.
template <class V, class I>
struct Rim {
    explicit Rim(const Executor& exec)
        : rows(exec, std::vector<I>{2, 0}),
          row_ptrs(exec, std::vector<I>{0, 3, 5}),
          cols(exec, std::vector<I>{-1, 1, -2, 0, -2}),
          values(exec, std::vector<V>{V{2}, V{3}, V{4}, V{5}, V{6}}),
          ghosts(Dense<V>::from_rows(exec, {{V{10}}, {V{20}}}))
    {
    }
    RimView<V, I> view() const { return {2, rows.data(), row_ptrs.data(), cols.data(), values.data()}; }
    GhostView<V> ghost_view() const { return {ghosts.view(), {}}; }

    Array<I> rows, row_ptrs, cols;
    Array<V> values;
    Dense<V> ghosts;
};

TYPED_TEST(ExchangeRimSpmv, ByHand)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    on_each_with_a_rim([](const Executor& exec) {
        const Rim<V, I> rim(exec);
        const auto b = Dense<V>::from_rows(exec, {{V{1}}, {V{7}}, {V{9}}});
        auto x = Dense<V>::from_rows(exec, {{V{1000}}, {V{2000}}, {V{3000}}});
        exchange_rim_spmv<V, I>(exec, rim.view(), rim.ghost_view(), Scalar<V>(V{2}), b.view(), x.view());
        // row 0: 5 1 + 6 20 = 125; row 2: 2 10 + 3 7 + 4 20 = 121
        EXPECT_EQ(x.to_host(), (std::vector<V>{V{1250}, V{2000}, V{3242}}));
    });
}

TYPED_TEST(ExchangeRimSpmv, GhostsAroundTheOwnRows)
{
    using V = typename TypeParam::value_type;
    on_each_with_a_rim([](const Executor& exec) {
        const auto ghosts = Dense<V>::from_rows(exec, {{V{1}, V{2}}, {V{3}, V{4}}, {V{5}, V{6}}});
        Dense<V> x(exec, {5, 2}, 3);
        x.fill(V{9});
        exchange_receive<V>(exec, {ghosts.view(), {}}, 1, 2, x.view());
        EXPECT_EQ(x.to_host(), (std::vector<V>{V{1}, V{2}, V{9}, V{9}, V{9}, V{9}, V{3}, V{4}, V{5}, V{6}}));
        exchange_receive<V>(exec, {{0, 2, 2, nullptr}, {}}, 0, 5, x.view());
        exchange_receive<V>(exec, {ghosts.view(), {}}, 3, 2, x.view());
        EXPECT_EQ(x.to_host(), (std::vector<V>{V{1}, V{2}, V{3}, V{4}, V{5}, V{6}, V{3}, V{4}, V{5}, V{6}}));
    });
}

/// Row 1 inside, rows 0 and 2 at the rim, between a ghost below and one above.
TYPED_TEST(ExchangeRimSpmv, RowsInOnePieceByHand)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    on_each_executor([](const Executor& exec) {
        const Csr<V, I> inner(exec, CsrData<V, I>{{3, 3}, {0, 0, 2, 2}, {0, 1}, {V{1}, V{2}}});
        const Array<I> rows(exec, std::vector<I>{0, 2}), cols(exec, std::vector<I>{-1, 0, 1, -2});
        const Csr<V, I> rim(exec, CsrData<V, I>{{2, 4}, {0, 2, 4}, {0, 1, 2, 3}, {V{3}, V{4}, V{5}, V{6}}});
        auto view = rim.view();
        view.col_idxs = cols.data();
        Array<I> row_ptrs(exec, 4), joined(exec, 6);
        Array<V> values(exec, 6);
        exchange_join_pointers<V, I>(exec, inner.view(), view, rows.data(), row_ptrs.data());
        EXPECT_EQ(row_ptrs.to_host(), (std::vector<I>{0, 2, 4, 6}));
        exchange_join_rows<V, I>(exec, inner.view(), view, rows.data(), 1, row_ptrs.data(), joined.data(),
                                 values.data());
        EXPECT_EQ(joined.to_host(), (std::vector<I>{0, 1, 1, 2, 2, 4}));
        EXPECT_EQ(values.to_host(), (std::vector<V>{V{3}, V{4}, V{1}, V{2}, V{5}, V{6}}));
    });
}

TYPED_TEST(ExchangeRimSpmv, WithSumsByHand)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    on_each_with_a_rim([](const Executor& exec) {
        const Rim<V, I> rim(exec);
        const auto b = Dense<V>::from_rows(exec, {{V{1}}, {V{7}}, {V{9}}});
        const auto w = Dense<V>::from_rows(exec, {{V{2}}, {V{77}}, {number<V>(0, 1)}});
        auto x = Dense<V>::from_rows(exec, {{V{0}}, {V{2000}}, {V{0}}});
        auto workspace = ReductionWorkspace::for_values<V>(exec, 2);
        const Array<V> inner(exec, std::vector<V>{V{3}, V{4}});
        Array<V> sums(exec, 2);
        exchange_rim_spmv_dot<V, I>(exec, rim.view(), rim.ghost_view(), b.view(), x.view(), w.view(),
                                    {inner.data(), sums.data(), sums.data() + 1}, workspace.view());
        EXPECT_EQ(x.to_host(), (std::vector<V>{V{125}, V{2000}, V{121}}));
        EXPECT_EQ(sums.to_host(), (std::vector<V>{number<V>(253, -121), V{4 + 125 * 125 + 121 * 121}}));
        expect_clean_header(exec, workspace.view());
    });
}

/// Many rows of several lengths, also empty ones, with ghosts and own columns by turns.
TYPED_TEST(ExchangeRimSpmv, LikeReference)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    Random random(31);
    for (const size_type n : {1, 33, 3000}) {
        for (const size_type cols : {1, 3}) {
            std::vector<I> rows, row_ptrs{0}, columns;
            std::vector<V> values;
            for (size_type row = 0; row < n; row += 2) {
                rows.push_back(static_cast<I>(row));
                for (size_type k = 0; k < row % 11; ++k) {
                    const auto place = static_cast<I>((row * 7 + k * 13) % n);
                    columns.push_back(k % 2 == 0 ? place : static_cast<I>(-1 - place));
                    values.push_back(random.value<V>());
                }
                row_ptrs.push_back(static_cast<I>(columns.size()));
            }
            const auto blocks = random_blocks<V>(random, 4, {n, cols}, 0);
            const auto run = [&](const Executor& exec) {
                const Array<I> r(exec, rows), p(exec, row_ptrs), c(exec, columns);
                const Array<V> v(exec, values);
                const RimView<V, I> rim{r.size(), r.data(), p.data(), c.data(), v.data()};
                auto here = copies(blocks, exec);
                const GhostView<V> ghosts{std::as_const(here[1]).view(), {}};
                auto workspace = ReductionWorkspace::for_values<V>(exec, 2 * cols);
                const Array<V> inner(exec, std::vector<V>(static_cast<std::size_t>(2 * cols), V{1}));
                Array<V> sums(exec, 2 * cols);
                exchange_rim_spmv<V, I>(exec, rim, ghosts, Scalar<V>(V{3}), std::as_const(here[0]).view(),
                                        here[2].view());
                const auto x = here[2].to_host();
                exchange_rim_spmv_dot<V, I>(exec, rim, ghosts, std::as_const(here[0]).view(), here[2].view(),
                                            std::as_const(here[3]).view(),
                                            {inner.data(), sums.data(), sums.data() + cols}, workspace.view());
                return std::vector<std::vector<V>>{x, here[2].to_host(), sums.to_host()};
            };
            const auto expected = run(reference_executor());
            on_each_with_a_rim([&](const Executor& exec) {
                const auto actual = run(exec);
                const double k = 4 * summation_factor(11);
                expect_near(actual[0], expected[0], k);
                expect_near(actual[1], expected[1], k);
                expect_near(actual[2], expected[2], k + summation_factor(n), 100.0 * static_cast<double>(n));
            });
        }
    }
}

}  // namespace
}  // namespace linden::test
