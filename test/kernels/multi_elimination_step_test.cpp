#include "test/support/multi_elimination.hpp"

/// From a matrix and its pivots to the two factors of the Schur complement.
namespace linden::test {
namespace {

template <class Types>
class MultiEliminationStep : public testing::Test {
};
TYPED_TEST_SUITE(MultiEliminationStep, TestedValueIndices, TypeNames);

/// What EliminationCounts shows, on the host.
template <class I>
struct HostCounts {
    std::vector<I> kept, interpolation, factors;

    bool operator==(const HostCounts&) const = default;
};

template <class V, class I>
HostCounts<I> counted(const Executor& exec, const CsrData<V, I>& host, const HostLevel<I>& level,
                      const std::vector<I>& names, const std::vector<I>& factors_before)
{
    const Csr<V, I> a(exec, host);
    const LevelOn<I> there(exec, level);
    const Array<I> row_names(exec, names);
    Array<I> kept(exec, std::vector<I>(level.kept_rows.size(), I{-7}));
    Array<I> interpolation(exec, std::vector<I>(level.rows.size(), I{-7})), factors(exec, factors_before);
    multi_elimination_count<I>(exec, a.view(), there.view(), row_names.data(),
                               {kept.data(), interpolation.data(), factors.data()});
    return {kept.to_host(), interpolation.to_host(), factors.to_host()};
}

/// D, D^-1, (E C) and (-D^-1 F; I).
template <class V, class I>
struct Split {
    std::vector<V> d, inverses;
    CsrData<V, I> kept, interpolation;
};

template <class V, class I>
Split<V, I> split(const Executor& exec, const CsrData<V, I>& host, const HostLevel<I>& level, double omega)
{
    const Csr<V, I> a(exec, host);
    const LevelOn<I> there(exec, level);
    std::vector<I> names(level.rows.size());
    std::iota(names.begin(), names.end(), I{0});
    const auto counts = counted(exec, host, level, names, names);
    const auto num_kept = static_cast<size_type>(level.kept_rows.size());
    RowsOn<V, I> kept(exec, {num_kept, host.size.cols}, counts.kept);
    RowsOn<V, I> interpolation(exec, {host.size.cols, num_kept}, counts.interpolation);
    const std::vector<V> unwritten(level.pivot_rows.size(), V{-7});
    Array<V> d(exec, unwritten), inverses(exec, unwritten);
    multi_elimination_split<V, I>(exec, a.view(), there.view(), omega, {d.data(), inverses.data()}, kept.written(),
                                  interpolation.written(), {});
    return {d.to_host(), inverses.to_host(), kept.to_host(), interpolation.to_host()};
}

TYPED_TEST(MultiEliminationStep, CountsByHand)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    const HostCounts<I> expected{{3, 3}, {1, 1, 1, 2, 0}, {12, 21, 30, 42, 50, 60, 71}};
    on_each_executor([&](const Executor& exec) {
        EXPECT_TRUE(counted(exec, elimination_example<V, I>(), example_level<I>(), {6, 0, 3, 1, 5},
                            {10, 20, 30, 40, 50, 60, 70}) == expected);
    });
}

TYPED_TEST(MultiEliminationStep, CountsByDefinition)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    Random random(1707);
    for_each_level<V, I>(random, [&](const CsrData<V, I>& a, const HostLevel<I>& level) {
        const auto names = random_order<I>(random, a.size.rows + 5);
        const std::vector<I> before(names.size(), I{3});
        const auto all = counts_where(a, [](I, I) { return true; });
        const auto of_factors = counts_where(
            a, [&](I row, I k) { return level.is_pivot_row(row) != level.is_pivot_column(a.col_idxs[k]); });
        HostCounts<I> expected{{}, std::vector<I>(level.rows.size(), I{1}), before};
        for (const I row : level.kept_rows) {
            expected.kept.push_back(all[row]);
        }
        for (const I row : level.pivot_rows) {
            expected.interpolation[level.pivots[row]] = of_factors[row];
        }
        for (std::size_t row = 0; row < of_factors.size(); ++row) {
            expected.factors[names[row]] += of_factors[row];
        }
        on_each_executor(
            [&](const Executor& exec) { EXPECT_TRUE(counted(exec, a, level, names, before) == expected); });
    });
}

TYPED_TEST(MultiEliminationStep, ByHand)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    const auto v = [](double value) { return number<V>(value, 0); };
    const auto a = elimination_example<V, I>();
    const CsrData<V, I> kept{{2, 5}, {0, 3, 6}, {1, 2, 4, 0, 2, 3}, {v(1), v(2), v(3), v(1), v(3), v(4)}};
    CsrData<V, I> interpolation{{5, 2}, {0, 1, 2, 3, 5, 5}, {0, 0, 1, 0, 1}, {v(-1.5), v(1), v(1), v(-2.5), v(-4.5)}};
    on_each_executor([&](const Executor& exec) {
        const auto plain = split(exec, a, example_level<I>(), 0);
        EXPECT_EQ(plain.d, (std::vector<V>{v(2), v(4), v(8)}));
        EXPECT_EQ(plain.inverses, (std::vector<V>{v(0.5), v(0.25), v(0.125)}));
        expect_same_matrix(plain.kept, kept);
        interpolation.values[0] = v(-1.5);
        expect_same_matrix(plain.interpolation, interpolation);
        const auto lumped = split(exec, a, example_level<I>(), -2);
        EXPECT_EQ(lumped.d, (std::vector<V>{v(2), v(2), v(8)}));
        EXPECT_EQ(lumped.inverses, (std::vector<V>{v(0.5), v(0.5), v(0.125)}));
        expect_same_matrix(lumped.kept, kept);
        interpolation.values[0] = v(-3);
        expect_same_matrix(lumped.interpolation, interpolation);
    });
}

/// Row 3 of the example, whose pivot 4 takes the entry of column 3 if it stays as large as a tenth.
TYPED_TEST(MultiEliminationStep, PivotsStayLarge)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    using R = real_t<V>;
    const auto v = [](double value) { return number<V>(value, 0); };
    auto a = elimination_example<V, I>();
    on_each_executor([&](const Executor& exec) {
        const auto pivot_with = [&](V own, V other, double omega) {
            a.values[9] = own;
            a.values[11] = other;
            return split(exec, a, example_level<I>(), omega).d[1];
        };
        EXPECT_EQ(pivot_with(v(4), v(-3.5), 1), v(0.5));
        EXPECT_EQ(pivot_with(v(4), v(-3.75), 1), v(4));
        EXPECT_EQ(pivot_with(v(4), v(-3.75), 0.5), v(2.125));
        EXPECT_EQ(pivot_with(v(4), v(-6), 1), v(4));
        EXPECT_EQ(pivot_with(v(-4), v(3), 1), v(-1));
        EXPECT_EQ(pivot_with(v(-4), v(6), 1), v(-4));
        EXPECT_EQ(pivot_with(v(4), not_a_number<V>(), 1), v(4));
        EXPECT_EQ(pivot_with(v(4), not_a_number<V>(), 0), v(4));
        for (const R scale : {tiny<R>, huge<R>}) {
            EXPECT_EQ(pivot_with(V{4 * scale}, V{-3 * scale}, 1), V{scale});
            EXPECT_EQ(pivot_with(V{4 * scale}, V{R(-3.75) * scale}, 1), V{4 * scale});
            EXPECT_EQ(pivot_with(V{-4 * scale}, V{-2 * scale}, 1), V{-6 * scale});
        }
        if constexpr (is_complex<V>) {
            EXPECT_EQ(pivot_with(v(4), number<V>(0, 9), 1), number<V>(4, 9));
            EXPECT_EQ(pivot_with(v(4), number<V>(-3.75, 9), 1), v(4));
            EXPECT_EQ(pivot_with(number<V>(0, 4), number<V>(1, -3), 1), number<V>(1, 1));
            EXPECT_EQ(pivot_with(number<V>(0, 4), number<V>(1, -5), 1), number<V>(0, 4));
            EXPECT_EQ(pivot_with(V(0, 4 * huge<R>), V(huge<R>, -3 * huge<R>), 1), V(huge<R>, huge<R>));
            EXPECT_EQ(pivot_with(V(0, 4 * tiny<R>), V(tiny<R>, -5 * tiny<R>), 1), V(0, 4 * tiny<R>));
        }
    });
}

/// Without its pivot's entry a row counts as divided by one.
TYPED_TEST(MultiEliminationStep, ZeroPivots)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    const auto v = [](double value) { return number<V>(value, 0); };
    const CsrData<V, I> a{{3, 3}, {0, 2, 3, 5}, {0, 2, 2, 1, 2}, {V{}, v(5), v(6), v(1), v(2)}};
    const HostLevel<I> level{{0, 1, -1}, {-1, -2, 0}, {-1, -2, 0}, {2}, {2}, {0, 1}};
    on_each_executor([&](const Executor& exec) {
        const auto parts = split(exec, a, level, 0);
        EXPECT_EQ(parts.d, (std::vector<V>{V{}, V{}}));
        EXPECT_EQ(parts.inverses, (std::vector<V>{V{1}, V{1}}));
        expect_same_matrix(parts.interpolation, {{3, 1}, {0, 1, 2, 3}, {0, 0, 0}, {v(-5), v(-6), v(1)}});
    });
}

/// A pivot among the entries of each row, in a column that no other has, where there is one.
template <class V, class I>
std::vector<I> pivots_among_entries(Random& random, const CsrData<V, I>& a)
{
    std::vector<I> pivots(static_cast<std::size_t>(a.size.rows), I{-1});
    std::vector<bool> is_used(pivots.size());
    for (const I row : random_order<I>(random, a.size.rows)) {
        for (I k = a.row_ptrs[row]; pivots[row] < 0 && k < a.row_ptrs[row + 1]; ++k) {
            if (!is_used[a.col_idxs[k]] && random.unit() < 0.5) {
                pivots[row] = a.col_idxs[k];
                is_used[a.col_idxs[k]] = true;
            }
        }
    }
    return pivots;
}

TYPED_TEST(MultiEliminationStep, PivotValuesByDefinition)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    Random random(1705);
    for_each_elimination_matrix<V, I>(random, [&](const CsrData<V, I>& a) {
        const auto level = numbered(pivots_among_entries(random, a));
        for (const double omega : {0.0, 0.5, 1.0}) {
            std::vector<V> expected;
            for (const I row : level.pivot_rows) {
                V own{}, others{};
                for (I k = a.row_ptrs[row]; k < a.row_ptrs[row + 1]; ++k) {
                    const I col = a.col_idxs[k];
                    (col == level.pivots[row] ? own : others) += level.is_pivot_column(col) ? a.values[k] : V{};
                }
                expected.push_back(lumped_by_definition(own, omega, others));
            }
            on_each_executor([&](const Executor& exec) {
                const auto parts = split(exec, a, level, omega);
                expect_near(parts.d, expected, 64, 1.0);
                auto products = parts.inverses;
                for (std::size_t k = 0; k < products.size(); ++k) {
                    products[k] *= parts.d[k];
                }
                expect_near(products, std::vector<V>(products.size(), V{1}), 16);
            });
        }
    });
}

/// Values that are NaN or infinite come along.
TYPED_TEST(MultiEliminationStep, KeptRowsByDefinition)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    Random random(1706);
    for_each_level<V, I>(random, [&](const CsrData<V, I>& finite, const HostLevel<I>& level) {
        const auto a = with_odd_values(random, finite);
        CsrData<V, I> expected{{static_cast<size_type>(level.kept_rows.size()), a.size.cols}, {0}, {}, {}};
        for (const I row : level.kept_rows) {
            for (I k = a.row_ptrs[row]; k < a.row_ptrs[row + 1]; ++k) {
                expected.col_idxs.push_back(a.col_idxs[k]);
                expected.values.push_back(a.values[k]);
            }
            expected.row_ptrs.push_back(static_cast<I>(expected.values.size()));
        }
        on_each_executor([&](const Executor& exec) { expect_same_matrix(split(exec, a, level, 1).kept, expected); });
    });
}

/// -D^-1 F, and ones.
template <class V, class I>
CsrData<V, I> interpolation_by_definition(const CsrData<V, I>& a, const HostLevel<I>& level,
                                          const std::vector<V>& inverses)
{
    CsrData<V, I> result{{a.size.cols, static_cast<size_type>(level.kept_rows.size())}, {0}, {}, {}};
    for (const I number : level.columns) {
        if (number >= 0) {
            result.col_idxs.push_back(number);
            result.values.push_back(V{1});
        }
        const I row = number < 0 ? level.pivot_rows[-1 - number] : I{};
        for (I k = a.row_ptrs[row]; number < 0 && k < a.row_ptrs[row + 1]; ++k) {
            if (!level.is_pivot_column(a.col_idxs[k])) {
                result.col_idxs.push_back(level.columns[a.col_idxs[k]]);
                result.values.push_back(-(a.values[k] * inverses[-1 - number]));
            }
        }
        result.row_ptrs.push_back(static_cast<I>(result.values.size()));
    }
    return result;
}

/// Most pivots of random levels are zeros.
TYPED_TEST(MultiEliminationStep, InterpolationByDefinition)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    Random random(1716);
    const auto check = [](const CsrData<V, I>& a, const HostLevel<I>& level) {
        on_each_executor([&](const Executor& exec) {
            const auto parts = split(exec, a, level, 0);
            expect_same_matrix(parts.interpolation, interpolation_by_definition(a, level, parts.inverses), 8);
        });
    };
    for_each_level<V, I>(random, check);
    for_each_elimination_matrix<V, I>(random, [&](const CsrData<V, I>& a) {
        auto pivots = pivots_among_entries(random, a);
        for (auto& col : pivots) {
            col = random.unit() < 0.5 ? col : -1;
        }
        check(a, numbered(pivots));
    });
}

/// Pivots of magnitude 1/4 at least, in any columns, whose rows and columns share no entry but the pivots: D is
/// diagonal. Rows offer theirs in a random order.
template <class V, class I>
std::vector<I> independent_pivots(Random& random, const CsrData<V, I>& a)
{
    const auto n = static_cast<std::size_t>(a.size.rows);
    std::vector<I> pivots(n, I{-1});
    std::vector<bool> is_used(n), is_touched(n);  // columns: of a pivot, with an entry in a pivot's row
    std::vector<std::vector<I>> rows_of(n);       // the rows with an entry in each column
    for (std::size_t row = 0; row < n; ++row) {
        for (I k = a.row_ptrs[row]; k < a.row_ptrs[row + 1]; ++k) {
            rows_of[a.col_idxs[k]].push_back(static_cast<I>(row));
        }
    }
    for (const I row : random_order<I>(random, a.size.rows)) {
        bool is_free = true;
        for (I k = a.row_ptrs[row]; k < a.row_ptrs[row + 1]; ++k) {
            is_free = is_free && !is_used[a.col_idxs[k]];
        }
        for (I k = a.row_ptrs[row]; is_free && pivots[row] < 0 && k < a.row_ptrs[row + 1]; ++k) {
            pivots[row] = !is_touched[a.col_idxs[k]] && std::abs(a.values[k]) > 0.25 ? a.col_idxs[k] : I{-1};
        }
        for (I k = a.row_ptrs[row]; pivots[row] >= 0 && k < a.row_ptrs[row + 1]; ++k) {
            is_used[a.col_idxs[k]] = is_used[a.col_idxs[k]] || a.col_idxs[k] == pivots[row];
            is_touched[a.col_idxs[k]] = true;
        }
    }
    return pivots;
}

/// Dense, row after row.
template <class V, class I>
std::vector<V> product(const CsrData<V, I>& a, const CsrData<V, I>& b)
{
    std::vector<V> c(static_cast<std::size_t>(a.size.rows * b.size.cols));
    for (size_type row = 0; row < a.size.rows; ++row) {
        for (I k = a.row_ptrs[row]; k < a.row_ptrs[row + 1]; ++k) {
            for (I l = b.row_ptrs[a.col_idxs[k]]; l < b.row_ptrs[a.col_idxs[k] + 1]; ++l) {
                c[row * b.size.cols + b.col_idxs[l]] += a.values[k] * b.values[l];
            }
        }
    }
    return c;
}

/// C - E D^-1 F by Gaussian elimination of the dense matrix.
template <class V, class I>
std::vector<V> schur_complement(const CsrData<V, I>& a, const HostLevel<I>& level)
{
    const auto n = static_cast<std::size_t>(a.size.rows);
    std::vector<V> dense(n * n);
    for (std::size_t row = 0; row < n; ++row) {
        for (I k = a.row_ptrs[row]; k < a.row_ptrs[row + 1]; ++k) {
            dense[row * n + a.col_idxs[k]] = a.values[k];
        }
    }
    for (const I pivot_row : level.pivot_rows) {
        const I pivot_col = level.pivots[pivot_row];
        for (const I row : level.kept_rows) {
            const V factor = dense[row * n + pivot_col] / dense[pivot_row * n + pivot_col];
            for (std::size_t col = 0; factor != V{} && col < n; ++col) {
                dense[row * n + col] -= factor * dense[pivot_row * n + col];
            }
        }
    }
    std::vector<V> s;
    for (const I row : level.kept_rows) {
        for (const I col : level.kept_columns) {
            s.push_back(dense[row * n + col]);
        }
    }
    return s;
}

TYPED_TEST(MultiEliminationStep, MakesTheSchurComplement)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    Random random(1708);
    for_each_elimination_matrix<V, I>(random, [&](const CsrData<V, I>& a) {
        const auto level = numbered(independent_pivots(random, a));
        EXPECT_TRUE(a.size.rows < 31 || level.pivot_rows.size() > 1);
        const auto expected = schur_complement(a, level);
        on_each_executor([&](const Executor& exec) {
            const auto parts = split(exec, a, level, 1);
            expect_near(product(parts.kept, parts.interpolation), expected, 64, std::max(1.0, scale_of(expected)));
        });
    });
}

}  // namespace
}  // namespace linden::test
