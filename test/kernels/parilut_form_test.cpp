#include "test/support/parilut.hpp"

#include "test/support/host_kernels.hpp"
#include "test/support/threshold_cases.hpp"

/// Which entries of W are formed and kept.
namespace linden::test {
namespace {

template <class Types>
class ParilutForm : public testing::Test {
};
TYPED_TEST_SUITE(ParilutForm, TestedValueIndices, TypeNames);

/// The kept entries of the selected rows, all rows for an empty selection.
template <class V, class I>
CsrData<V, I> formed(const Executor& exec, const CsrData<V, I>& a_host, const CsrData<V, I>& s_host,
                     real_t<V> threshold, const std::vector<I>& selected = {})
{
    const Csr<V, I> a(exec, a_host);
    const IterateOn<V, I> s(exec, s_host);
    const Array<real_t<V>> limit(exec, std::vector<real_t<V>>{threshold});
    const Array<I> rows(exec, selected);
    const RowSelection<I> selection =
        selected.empty() ? RowSelection<I>{a_host.size.rows} : RowSelection<I>{rows.size(), rows.data()};
    auto workspace =
        dirty_workspace(exec, parilut_workspace_bytes<V, I>(a_host.size.rows, std::max(exec.info().num_units, 1)));
    const WorkspaceView room{workspace.data(), workspace.size()};
    Array<I> counts(exec, std::vector<I>(static_cast<std::size_t>(selection.count), I{-7}));
    parilut_count<V, I>(exec, a.view(), s.view(), selection, limit.data(), counts.data(), room);

    CsrData<V, I> result{{selection.count, a_host.size.cols}, {0}, {}, {}};
    for (const I count : counts.to_host()) {
        result.row_ptrs.push_back(result.row_ptrs.back() + count);
    }
    const Array<I> row_ptrs(exec, result.row_ptrs);
    Array<I> cols(exec, result.row_ptrs.back());
    Array<V> values(exec, result.row_ptrs.back());
    parilut_form<V, I>(exec, a.view(), s.view(), selection, limit.data(), {row_ptrs.data(), cols.data(), values.data()},
                       room);
    result.col_idxs = cols.to_host();
    result.values = values.to_host();
    return result;
}

template <class V, class I>
bool same_csr(const CsrData<V, I>& x, const CsrData<V, I>& y)
{
    return x.row_ptrs == y.row_ptrs && x.col_idxs == y.col_idxs &&
           std::equal(x.values.begin(), x.values.end(), y.values.begin(), y.values.end(), same_value<V>);
}

TYPED_TEST(ParilutForm, ByHand)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    // A = [4 1 .; 2 . 1; . 8 16], S = [4 2 .; 2 1 1; . 4 16]: w_11 = 0 - 2 2 / 4, w_22 = 16 - 4 1 / 1.
    const CsrData<V, I> a{{3, 3}, {0, 2, 4, 6}, {0, 1, 0, 2, 1, 2}, {V{4}, V{1}, V{2}, V{1}, V{8}, V{16}}};
    const CsrData<V, I> s{{3, 3}, {0, 2, 5, 7}, {0, 1, 0, 1, 2, 1, 2}, {V{4}, V{2}, V{2}, V{1}, V{1}, V{4}, V{16}}};
    on_each_executor([&](const Executor& exec) {
        const CsrData<V, I> w{
            {3, 3}, {0, 2, 5, 7}, {0, 1, 0, 1, 2, 1, 2}, {V{4}, V{1}, V{2}, V{-1}, V{1}, V{8}, V{12}}};
        expect_same_matrix(formed(exec, a, s, real_t<V>{-1}), w);
        // Relative magnitudes 1/2, 1, 1/4, 2: an equal one is dropped.
        const CsrData<V, I> large{{3, 3}, {0, 1, 3, 5}, {0, 0, 1, 1, 2}, {V{4}, V{2}, V{-1}, V{8}, V{12}}};
        expect_same_matrix(formed(exec, a, s, real_t<V>(0.5)), large);
        const CsrData<V, I> two{{2, 3}, {0, 2, 3}, {1, 2, 0}, {V{8}, V{12}, V{4}}};
        expect_same_matrix(formed(exec, a, s, real_t<V>(0.5), {2, 0}), two);
    });
}

TYPED_TEST(ParilutForm, ByDefinition)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    Random random(1801);
    for_each_iterate<V, I>(random, [&](const CsrData<V, I>& a, const CsrData<V, I>& s) {
        const auto expected = csr_of_rows<V, I>(iterated(mapped(a), mapped(s)), a.size.cols);
        on_each_executor([&](const Executor& exec) {
            const auto actual = formed(exec, a, s, real_t<V>{-1});
            EXPECT_EQ(actual.row_ptrs, expected.row_ptrs);
            EXPECT_EQ(actual.col_idxs, expected.col_idxs);
            expect_near(actual.values, expected.values, summation_factor(64));
        });
    });
}

/// Also parts of it, and what is not a number.
TYPED_TEST(ParilutForm, HasTheSameBitsEverywhere)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    Random random(1811);
    for_each_iterate<V, I>(random, [&](CsrData<V, I> a, const CsrData<V, I>& s) {
        if (a.values.size() > 3) {
            a.values[2] = not_a_number<V>();
        }
        std::vector<I> selected;
        for (size_type i = a.size.rows; i > 0; i -= 3) {
            selected.push_back(static_cast<I>(i - 1));
        }
        for (const auto threshold : {real_t<V>{-1}, real_t<V>(0.05), real_t<V>(0.2)}) {
            const auto all = formed(reference_executor(), a, s, threshold);
            const auto some = formed(reference_executor(), a, s, threshold, selected);
            on_each_other_executor([&](const Executor& exec) {
                EXPECT_TRUE(same_csr(formed(exec, a, s, threshold), all)) << exec.name();
                EXPECT_TRUE(same_csr(formed(exec, a, s, threshold, selected), some)) << exec.name();
            });
        }
    });
}

/// More rows of U meet in a row of W than a subgroup of a device holds in registers.
TYPED_TEST(ParilutForm, MergesManyRows)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    Random random(1817);
    const auto a = random_csr<V, I>(random, {540, 540}, 1);
    const auto s = random_iterate<V, I>(random, 540, 17, Pattern::dense_row);
    const std::vector<I> selected{1, 270};
    const auto expected = formed(reference_executor(), a, s, real_t<V>{-1}, selected);
    on_each_other_executor([&](const Executor& exec) {
        EXPECT_TRUE(same_csr(formed(exec, a, s, real_t<V>{-1}, selected), expected)) << exec.name();
    });
}

/// The large entries of a stored W are those that are kept as it is formed, as their magnitudes say.
TYPED_TEST(ParilutForm, TakesTheSameFromStoredRows)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    using R = real_t<V>;
    Random random(1823);
    for_each_iterate<V, I>(random, [&](const CsrData<V, I>& a, const CsrData<V, I>& s) {
        const auto threshold = static_cast<R>(0.1);
        on_each_executor([&](const Executor& exec) {
            const auto all = formed(exec, a, s, R{-1});
            const auto expected = formed(exec, a, s, threshold);
            const Csr<V, I> w(exec, all);
            const IterateOn<V, I> iterate(exec, s);
            const Array<R> limit(exec, std::vector<R>{threshold});
            Array<R> magnitudes(exec, w.num_nonzeros());
            parilut_measure<V, I>(exec, w.view(), {a.size.rows}, iterate.scales(), magnitudes.data());
            const auto sizes = magnitudes.to_host();
            EXPECT_EQ(std::count_if(sizes.begin(), sizes.end(), [&](R size) { return size > threshold; }),
                      static_cast<std::ptrdiff_t>(expected.values.size()));
            Array<I> counts(exec, a.size.rows);
            parilut_count_large<V, I>(exec, w.view(), iterate.scales(), limit.data(), counts.data());
            for (size_type row = 0; row < a.size.rows; ++row) {
                ASSERT_EQ(counts.to_host()[row], expected.row_ptrs[row + 1] - expected.row_ptrs[row]);
            }
            const Array<I> row_ptrs(exec, expected.row_ptrs);
            Array<I> cols(exec, row_ptrs.to_host().back());
            Array<V> values(exec, cols.size());
            parilut_take_large<V, I>(exec, w.view(), iterate.scales(), limit.data(),
                                     {row_ptrs.data(), cols.data(), values.data()});
            EXPECT_TRUE(same_csr({a.size, expected.row_ptrs, cols.to_host(), values.to_host()}, expected));
        });
    });
}

}  // namespace
}  // namespace linden::test
