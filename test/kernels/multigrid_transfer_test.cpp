#include <cstring>
#include <map>

#include "core/kernels/aggregation.hpp"
#include "core/kernels/multigrid.hpp"
#include "test/support/aggregation.hpp"

/// Filtered matrices, and the smoothing and truncation of prolongators.
namespace linden::test {
namespace {

template <class Types>
class MultigridTransfer : public testing::Test {
};
TYPED_TEST_SUITE(MultigridTransfer, TestedValueIndices, TypeNames);

template <class V>
std::vector<V> numbers(const std::vector<double>& values)
{
    std::vector<V> result;
    for (const double value : values) {
        result.push_back(number<V>(value, 0));
    }
    return result;
}

/// The pattern of the entries that `is_taken(row, k)` chooses.
template <class V, class I, class F>
HostPattern<I> part_of(const CsrData<V, I>& a, const F& is_taken)
{
    HostPattern<I> part{a.size, {0}, {}};
    for (I row = 0; row < a.size.rows; ++row) {
        for (I k = a.row_ptrs[row]; k < a.row_ptrs[row + 1]; ++k) {
            if (is_taken(row, k)) {
                part.col_idxs.push_back(a.col_idxs[k]);
            }
        }
        part.row_ptrs.push_back(static_cast<I>(part.col_idxs.size()));
    }
    return part;
}

template <class V, class I>
std::vector<V> row_sums(const CsrData<V, I>& a)
{
    std::vector<V> sums(static_cast<std::size_t>(a.size.rows));
    for (I row = 0; row < a.size.rows; ++row) {
        for (I k = a.row_ptrs[row]; k < a.row_ptrs[row + 1]; ++k) {
            sums[row] += a.values[k];
        }
    }
    return sums;
}

template <class V>
struct Filtered {
    std::vector<V> values;
    std::vector<real_t<V>> sums;
};

template <class T>
bool are_same_bits(const std::vector<T>& a, const std::vector<T>& b)
{
    return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

/// What aggregation_take_marked makes of marks for the entries of `strong` is what multigrid_filter makes of them.
template <class V, class I>
void expect_taken(const Executor& exec, const CsrData<V, I>& host, const HostPattern<I>& strong,
                  const Filtered<V>& expected)
{
    std::vector<std::uint8_t> marked;
    for (I row = 0; row < host.size.rows; ++row) {
        const auto begin = strong.col_idxs.begin() + strong.row_ptrs[row];
        const auto end = strong.col_idxs.begin() + strong.row_ptrs[row + 1];
        for (I k = host.row_ptrs[row]; k < host.row_ptrs[row + 1]; ++k) {
            marked.push_back(std::find(begin, end, host.col_idxs[k]) != end ? 1 : 0);
        }
    }
    const Csr<V, I> a(exec, host);
    const Array<std::uint8_t> marks(exec, marked);
    const Array<I> row_ptrs(exec, strong.row_ptrs);
    Array<I> col_idxs(exec, std::vector<I>(strong.col_idxs.size(), -7));
    Array<V> values(exec, std::vector<V>(strong.col_idxs.size(), V{-7}));
    Array<real_t<V>> sums(exec, std::vector<real_t<V>>(expected.sums.size(), -7));
    aggregation_take_marked<V, I>(exec, a.view(), marks.data(), row_ptrs.data(), col_idxs.data(), values.data(),
                                  sums.data());
    EXPECT_EQ(col_idxs.to_host(), strong.col_idxs) << exec.name();
    EXPECT_TRUE(are_same_bits(values.to_host(), expected.values)) << exec.name();
    EXPECT_TRUE(are_same_bits(sums.to_host(), expected.sums)) << exec.name();
}

template <class V, class I>
Filtered<V> filtered(const Executor& exec, const CsrData<V, I>& host, const HostPattern<I>& strong)
{
    const Csr<V, I> a(exec, host);
    const PatternOn<I> f(exec, strong);
    Array<V> values(exec, std::vector<V>(strong.col_idxs.size(), V{-7}));
    Array<real_t<V>> sums(exec, std::vector<real_t<V>>(static_cast<std::size_t>(host.size.rows), -7));
    multigrid_filter<V, I>(exec, a.view(), f.view(), values.data(), sums.data());
    const Filtered<V> result{values.to_host(), sums.to_host()};
    expect_taken(exec, host, strong, result);
    return result;
}

TYPED_TEST(MultigridTransfer, FilterByHand)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    using R = real_t<V>;
    // [8 -1 -2 .; -7.5 8 . .; 1 -7 8 -1; . . . 5]
    const CsrData<V, I> a{
        {4, 4}, {0, 3, 5, 9, 10}, {0, 1, 2, 0, 1, 0, 1, 2, 3, 3}, numbers<V>({8, -1, -2, -7.5, 8, 1, -7, 8, -1, 5})};
    const V nan = not_a_number<V>();
    on_each_executor([&](const Executor& exec) {
        const auto all = filtered(exec, a, {a.size, a.row_ptrs, a.col_idxs});
        EXPECT_EQ(all.values, a.values);
        EXPECT_EQ(all.sums, (std::vector<R>{11, 15.5, 17, 5}));
        // A tenth of row 1's diagonal would not be left.
        const HostPattern<I> f{a.size, {0, 2, 3, 5, 6}, {0, 2, 1, 0, 2, 3}};
        const auto few = filtered(exec, a, f);
        EXPECT_EQ(few.values, numbers<V>({7, -2, 8, 1, 8, 5}));
        EXPECT_EQ(few.sums, (std::vector<R>{9, 8, 9, 5}));
        auto b = a;
        b.values[3] = number<V>(-7, 0);  // more than a tenth
        b.values[5] = nan;               // a strong entry of row 2
        b.values[6] = number<V>(-9, 0);  // more than the diagonal, of another sign: 8 - 9 - 1
        auto odd = filtered(exec, b, f);
        EXPECT_EQ(odd.values[2], V{1});
        EXPECT_TRUE(is_nan(odd.values[3]));
        EXPECT_EQ(odd.values[4], number<V>(-2, 0)) << "a tenth in size, whatever the sign";
        EXPECT_TRUE(is_nan(odd.sums[2]));
        EXPECT_EQ(odd.sums[1], R{1});
        b.values[1] = nan;  // a weak entry of row 0
        odd = filtered(exec, b, f);
        EXPECT_TRUE(is_nan(odd.values[0]));
        EXPECT_EQ(odd.values[1], number<V>(-2, 0));
        EXPECT_EQ(filtered<V>(exec, {{1, 1}, {0, 1}, {0}, {V{}}}, HostPattern<I>{{1, 1}, {0, 1}, {0}}).sums,
                  std::vector<R>{0});
        EXPECT_EQ(filtered<V>(exec, {{0, 0}, {0}, {}, {}}, HostPattern<I>{{0, 0}, {0}, {}}).values, std::vector<V>{});
    });
}

/// Sums of rows stay but where hardly any of the diagonal would be left.
TYPED_TEST(MultigridTransfer, FilterByDefinition)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    using R = real_t<V>;
    Random random(2120);
    size_type num_kept = 0, num_lumped = 0;
    for_each_graph<I>(random, [&](const HostPattern<I>& graph) {
        auto a = random_values<V>(random, graph);
        for (I row = 0; row < a.size.rows; row += 2) {
            a.values[entry_at(a, row, row)] += V{9};
        }
        const auto f = part_of(a, [&](I row, I k) { return a.col_idxs[k] == row || random.unit() < 0.5; });
        Filtered<V> expected;
        std::vector<V> expected_sums;
        for (I row = 0; row < a.size.rows; ++row) {
            V& own = a.values[entry_at(a, row, row)];
            V weak{}, all{};
            for (I k = a.row_ptrs[row]; k < a.row_ptrs[row + 1]; ++k) {
                const auto begin = f.col_idxs.begin() + f.row_ptrs[row], end = f.col_idxs.begin() + f.row_ptrs[row + 1];
                weak += std::find(begin, end, a.col_idxs[k]) == end ? a.values[k] : V{};
            }
            own = row % 8 == 1 ? R(-1.04) * weak : own;
            for (I k = a.row_ptrs[row]; k < a.row_ptrs[row + 1]; ++k) {
                all += a.values[k];
            }
            const bool is_small = std::abs(own + weak) < R(0.1) * std::abs(own);
            expected_sums.push_back(is_small ? all - weak : all);
            (is_small ? num_kept : num_lumped) += weak != V{} ? 1 : 0;
            R sum{};
            for (I k = f.row_ptrs[row]; k < f.row_ptrs[row + 1]; ++k) {
                const I col = f.col_idxs[k];
                const V value = a.values[entry_at(a, row, col)];
                expected.values.push_back(col != row ? value : is_small ? own : own + weak);
                sum += std::abs(expected.values.back());
            }
            expected.sums.push_back(sum);
        }
        on_each_executor([&](const Executor& exec) {
            const auto actual = filtered(exec, a, f);
            const double k = summation_factor(a.size.rows);
            expect_near(actual.values, expected.values, k);
            expect_near(actual.sums, expected.sums, k);
            expect_near(row_sums(CsrData<V, I>{a.size, f.row_ptrs, f.col_idxs, actual.values}), expected_sums, 4 * k,
                        std::max(1.0, scale_of(actual.sums)));
        });
    });
    EXPECT_GT(num_kept, 10);
    EXPECT_GT(num_lumped, 500);
}

/// Hosts take a matrix whose entries are all strong for what would be made of it, and its sums for those of A_F.
TYPED_TEST(MultigridTransfer, FilterOfAllEntriesOnHosts)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    Random random(2121);
    for_each_graph<I>(random, [&](const HostPattern<I>& graph) {
        const auto a = random_values<V>(random, graph);
        on_each_executor([&](const Executor& exec) {
            if (!exec.state().is_host()) {
                return;
            }
            const auto n = static_cast<size_type>(graph.size.rows);
            Array<real_t<V>> largest(exec, n), sums(exec, n);
            aggregation_measure<V, I>(exec, Csr<V, I>(exec, a).view(), largest.data(), sums.data(), nullptr);
            const auto all = filtered(exec, a, graph);
            EXPECT_TRUE(same_bits(all.values, a.values));
            EXPECT_TRUE(same_bits(all.sums, sums.to_host()));
        });
    });
}

/// P from its count and its columns and values; the values again without columns.
template <class V, class I>
CsrData<V, I> prolongator(const Executor& exec, const CsrData<V, I>& host_f, const std::vector<I>& host_aggregates,
                          I num_aggregates, double damping, const std::vector<real_t<V>>& host_sums)
{
    const Csr<V, I> f(exec, host_f);
    const Array<I> aggregates(exec, host_aggregates);
    const Array<real_t<V>> sums(exec, host_sums);
    Array<I> counts(exec, std::vector<I>(host_aggregates.size(), -7));
    multigrid_count_prolongator<I>(exec, f.view(), aggregates.data(), counts.data());
    const auto host_ptrs = prefix_sums(counts.to_host());
    const auto n = static_cast<std::size_t>(host_ptrs.back());
    const Array<I> row_ptrs(exec, host_ptrs);
    Array<I> col_idxs(exec, std::vector<I>(n, -7));
    Array<V> values(exec, std::vector<V>(n, V{-7})), again(exec, std::vector<V>(n, V{-7}));
    const SmoothedAggregates<V, I> rule{aggregates.data(), sums.data(), damping};
    multigrid_prolongator<V, I>(exec, f.view(), rule, row_ptrs.data(), col_idxs.data(), values.data());
    multigrid_prolongator<V, I>(exec, f.view(), rule, row_ptrs.data(), nullptr, again.data());
    EXPECT_TRUE(same_bits(again.to_host(), values.to_host()));
    return {{f.size().rows, num_aggregates}, host_ptrs, col_idxs.to_host(), values.to_host()};
}

TYPED_TEST(MultigridTransfer, ProlongatorByHand)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    using R = real_t<V>;
    // [4 -2 . -1; -2 4 -1 .; . -1 4 .; -1 . . 4; no entries], aggregates {0, 2}, {1}, none for row 3, {4}
    const CsrData<V, I> f{
        {5, 5}, {0, 3, 6, 8, 10, 10}, {0, 1, 3, 0, 1, 2, 1, 2, 0, 3}, numbers<V>({4, -2, -1, -2, 4, -1, -1, 4, -1, 4})};
    const std::vector<I> aggregates{1, 0, 1, -1, 2};
    on_each_executor([&](const Executor& exec) {
        // Row 4 has no entry to find its aggregate by; the sums of row 3 are 0.
        expect_same_matrix(
            prolongator<V, I>(exec, f, aggregates, 3, 0.5, {R{4}, R{2}, R{8}, R{0}, R{1}}),
            {{5, 3}, {0, 2, 4, 6, 7, 7}, {0, 1, 0, 1, 0, 1, 1}, numbers<V>({0.25, 0.5, 0, 0.75, 0.0625, 0.75, 0})});
        expect_same_matrix(prolongator<V, I>(exec, {{0, 0}, {0}, {}, {}}, {}, 0, 0.5, {}), {{0, 0}, {0}, {}, {}});
        expect_same_matrix(prolongator<V, I>(exec, {{1, 1}, {0, 1}, {0}, {V{2}}}, {-1}, 0, 0.5, {R{2}}),
                           {{1, 0}, {0, 0}, {}, {}});
    });
}

/// Also rows that are longer than what is smoothed, and aggregates in no order.
TYPED_TEST(MultigridTransfer, ProlongatorByDefinition)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    using R = real_t<V>;
    Random random(2123);
    const auto expect_prolongator = [&](const HostPattern<I>& graph) {
        const auto f = random_values<V>(random, graph);
        const I num_aggregates = static_cast<I>(1 + f.size.rows / 4);
        std::vector<I> aggregates;
        std::vector<R> sums;
        for (I row = 0; row < f.size.rows; ++row) {
            aggregates.push_back(static_cast<I>(random.integer(-1, num_aggregates)));
            sums.push_back(static_cast<R>(random.real(0.5, 4)));
        }
        CsrData<V, I> expected{{f.size.rows, num_aggregates}, {0}, {}, {}};
        for (I row = 0; row < f.size.rows; ++row) {
            std::map<I, V> entries;
            const I begin = f.row_ptrs[row], end = f.row_ptrs[row + 1];
            if (end - begin > most_smoothed_entries) {
                entries[aggregates[row]] = V{1};
            } else {
                for (I k = begin; k < end; ++k) {
                    entries[aggregates[f.col_idxs[k]]] -= R(0.8) * f.values[k] / sums[row];
                }
                entries[aggregates[row]] += V{1};
            }
            entries.erase(-1);
            for (const auto& [col, value] : entries) {
                expected.col_idxs.push_back(col);
                expected.values.push_back(end - begin > most_smoothed_entries ? value - R(0) : value);
            }
            expected.row_ptrs.push_back(static_cast<I>(expected.col_idxs.size()));
        }
        on_each_executor([&](const Executor& exec) {
            const auto actual = prolongator<V, I>(exec, f, aggregates, num_aggregates, 0.8, sums);
            EXPECT_EQ(actual.row_ptrs, expected.row_ptrs);
            EXPECT_EQ(actual.col_idxs, expected.col_idxs);
            expect_near(actual.values, expected.values, 2 * summation_factor(f.size.rows),
                        std::max(1.0, scale_of(expected.values)));
        });
    };
    for_each_graph<I>(random, expect_prolongator);
    expect_prolongator(random_graph<I>(random, 6000, 2, Pattern::uniform));  // in parts, on several threads
    HostPattern<I> long_rows{{1100, 1100}, {0}, {}};
    for (I row = 0; row < 1100; ++row) {
        for (I col = row < 2 ? 0 : row; col < (row == 0 ? 1024 : row == 1 ? 1025 : row + 1); ++col) {
            long_rows.col_idxs.push_back(col);
        }
        long_rows.row_ptrs.push_back(static_cast<I>(long_rows.col_idxs.size()));
    }
    expect_prolongator(long_rows);
}

template <class V, class I>
std::vector<V> subtracted(const Executor& exec, const CsrData<V, I>& host_p, const CsrData<V, I>& host_c, double factor,
                          const std::vector<real_t<V>>& host_sums, bool is_in_place)
{
    const Csr<V, I> p(exec, host_p);
    const Array<I> row_ptrs(exec, host_c.row_ptrs), col_idxs(exec, host_c.col_idxs);
    const Array<real_t<V>> sums(exec, host_sums);
    Array<V> c(exec, host_c.values), values(exec, std::vector<V>(host_c.values.size(), V{-7}));
    multigrid_subtract<V, I>(exec, p.view(),
                             {host_c.size.rows, host_c.size.cols, c.size(), row_ptrs.data(), col_idxs.data(), c.data()},
                             factor, sums.data(), is_in_place ? c.data() : values.data());
    if (!is_in_place) {
        EXPECT_TRUE(same_bits(c.to_host(), host_c.values));
    }
    return (is_in_place ? c : values).to_host();
}

TYPED_TEST(MultigridTransfer, SubtractByHand)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    using R = real_t<V>;
    const CsrData<V, I> p{{5, 3}, {0, 1, 1, 2, 3, 4}, {1, 0, 2, 0}, numbers<V>({1, 1, 2, 1})};
    const CsrData<V, I> c{{5, 3}, {0, 3, 4, 5, 6, 7}, {0, 1, 2, 1, 0, 2, 0}, numbers<V>({2, 4, -8, 1, 3, 5, 6})};
    const CsrData<V, I> none{{0, 3}, {0}, {}, {}};
    const std::vector<R> sums{4, 2, 0, -1, std::numeric_limits<R>::quiet_NaN()};
    on_each_executor([&](const Executor& exec) {
        for (const bool is_in_place : {false, true}) {
            // Rows 2, 3 and 4 have sums that nothing is divided by.
            EXPECT_EQ(subtracted(exec, p, c, 2, sums, is_in_place), numbers<V>({-1, -1, 4, -1, 1, 2, 1}));
            EXPECT_EQ(subtracted(exec, p, c, 0, sums, is_in_place), numbers<V>({0, 1, 0, 0, 1, 2, 1}));
            EXPECT_EQ(subtracted(exec, none, none, 2, {}, is_in_place), std::vector<V>{});
        }
    });
}

TYPED_TEST(MultigridTransfer, SubtractByDefinition)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    using R = real_t<V>;
    Random random(2121);
    for_each_elimination_matrix<V, I>(random, [&](const CsrData<V, I>& c) {
        auto part = part_of(c, [&](I, I) { return random.unit() < 0.4; });
        CsrData<V, I> p{c.size, part.row_ptrs, part.col_idxs, {}};
        for (std::size_t k = 0; k < part.col_idxs.size(); ++k) {
            p.values.push_back(random.value<V>());
        }
        std::vector<R> sums;
        for (I row = 0; row < c.size.rows; ++row) {
            sums.push_back(random.integer(0, 5) == 0 ? R{0} : static_cast<R>(random.real(0.5, 2)));
        }
        std::vector<V> expected;
        for (I row = 0; row < c.size.rows; ++row) {
            for (I k = c.row_ptrs[row]; k < c.row_ptrs[row + 1]; ++k) {
                const I at = entry_at(p, row, c.col_idxs[k]);
                expected.push_back((at < 0 ? V{} : p.values[at]) -
                                   (sums[row] == 0 ? V{} : R(0.7) * c.values[k] / sums[row]));
            }
        }
        on_each_executor([&](const Executor& exec) {
            expect_near(subtracted(exec, p, c, 0.7, sums, false), expected, 8);
            expect_near(subtracted(exec, p, c, 0.7, sums, true), expected, 8);
        });
    });
}

template <class V, class I>
HostPattern<I> large(const Executor& exec, const CsrData<V, I>& host, double threshold)
{
    const Csr<V, I> a(exec, host);
    Array<I> counts(exec, std::vector<I>(static_cast<std::size_t>(host.size.rows), -7));
    multigrid_count_large<V, I>(exec, a.view(), threshold, counts.data());
    const auto host_ptrs = prefix_sums(counts.to_host());
    const Array<I> row_ptrs(exec, host_ptrs);
    Array<I> col_idxs(exec, std::vector<I>(static_cast<std::size_t>(host_ptrs.back()), -7));
    multigrid_take_large<V, I>(exec, a.view(), threshold, row_ptrs.data(), col_idxs.data());
    return {host.size, host_ptrs, col_idxs.to_host()};
}

template <class I>
void expect_same_pattern(const HostPattern<I>& actual, const HostPattern<I>& expected)
{
    EXPECT_EQ(actual.row_ptrs, expected.row_ptrs);
    EXPECT_EQ(actual.col_idxs, expected.col_idxs);
}

TYPED_TEST(MultigridTransfer, LargeByHand)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    const V nan = not_a_number<V>(), inf = infinite<V>(), zero{}, one{1}, four = number<V>(-4, 0);
    const CsrData<V, I> a{{6, 3},
                          {0, 3, 3, 5, 8, 11, 12},
                          {0, 1, 2, 0, 2, 0, 1, 2, 0, 1, 2, 1},
                          {one, four, V{2}, zero, zero, nan, zero, one, one, -inf, four, nan}};
    on_each_executor([&](const Executor& exec) {
        expect_same_pattern<I>(large(exec, a, 0), {a.size, {0, 3, 3, 3, 5, 8, 9}, {0, 1, 2, 0, 2, 0, 1, 2, 1}});
        // What is as large as the limit is not above it.
        expect_same_pattern<I>(large(exec, a, 0.25), {a.size, {0, 2, 2, 2, 4, 6, 7}, {1, 2, 0, 2, 1, 2, 1}});
        expect_same_pattern<I>(large(exec, a, 0.5), {a.size, {0, 1, 1, 1, 3, 5, 6}, {1, 0, 2, 1, 2, 1}});
        expect_same_pattern<I>(large(exec, a, 1), {a.size, {0, 0, 0, 0, 1, 2, 3}, {0, 1, 1}});
        expect_same_pattern<I>(large<V, I>(exec, {{0, 2}, {0}, {}, {}}, 0.5), {{0, 2}, {0}, {}});
    });
}

TYPED_TEST(MultigridTransfer, LargeByDefinition)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    Random random(2122);
    for_each_elimination_matrix<V, I>(random, [&](const CsrData<V, I>& finite) {
        for (const auto& a : {finite, with_odd_values(random, finite)}) {
            for (const double threshold : {0.0, 0.2, 0.9}) {
                const auto expected = part_of(a, [&](I row, I k) {
                    double most = 0;
                    for (I other = a.row_ptrs[row]; other < a.row_ptrs[row + 1]; ++other) {
                        const double size = std::abs(a.values[other]);
                        most = std::isfinite(size) ? std::max(most, size) : most;
                    }
                    const double size = std::abs(a.values[k]);
                    return !std::isfinite(size) || size > threshold * most;
                });
                on_each_executor(
                    [&](const Executor& exec) { expect_same_pattern(large(exec, a, threshold), expected); });
            }
        }
    });
}

template <class V, class I>
std::vector<V> truncated(const Executor& exec, const CsrData<V, I>& host, const HostPattern<I>& host_kept)
{
    const Csr<V, I> a(exec, host);
    const PatternOn<I> kept(exec, host_kept);
    Array<V> values(exec, std::vector<V>(host_kept.col_idxs.size(), V{-7}));
    multigrid_truncate<V, I>(exec, a.view(), kept.view(), values.data());
    return values.to_host();
}

TYPED_TEST(MultigridTransfer, TruncateByHand)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    // The first of the largest takes the rest: in row 1 the second entry, in row 2 none that is kept.
    CsrData<V, I> a{{5, 4},
                    {0, 4, 8, 10, 10, 12},
                    {0, 1, 2, 3, 0, 1, 2, 3, 1, 2, 0, 3},
                    numbers<V>({1, -4, 0.5, 2, 8, 3, -3, 0.25, 5, 6, 0, 0})};
    const HostPattern<I> kept{a.size, {0, 2, 4, 4, 4, 5}, {1, 3, 1, 2, 3}};
    on_each_executor([&](const Executor& exec) {
        EXPECT_EQ(truncated(exec, a, {a.size, a.row_ptrs, a.col_idxs}), a.values);
        EXPECT_EQ(truncated(exec, a, kept), numbers<V>({-2.5, 2, 11.25, -3, 0}));
        // What is not a number is not the largest. Alone it stays.
        auto odd = a;
        odd.values[1] = not_a_number<V>();
        odd.values[11] = not_a_number<V>();
        odd.values[10] = V{1};
        const auto values = truncated(exec, odd, kept);
        EXPECT_TRUE(is_nan(values[0]));
        EXPECT_EQ(values[1], number<V>(3.5, 0));
        EXPECT_TRUE(is_nan(values[4]));
        odd = a;
        odd.values[3] = not_a_number<V>();
        EXPECT_EQ(truncated(exec, odd, kept)[0], number<V>(-2.5, 0));
        EXPECT_TRUE(is_nan(truncated(exec, odd, kept)[1]));
        odd = a;
        odd.values[4] = not_a_number<V>();  // dropped
        EXPECT_TRUE(is_nan(truncated(exec, odd, kept)[2]));
        EXPECT_EQ(truncated(exec, odd, kept)[3], number<V>(-3, 0));
        EXPECT_EQ(truncated<V>(exec, {{0, 2}, {0}, {}, {}}, HostPattern<I>{{0, 2}, {0}, {}}), std::vector<V>{});
        EXPECT_EQ(truncated<V>(exec, {{1, 1}, {0, 1}, {0}, {V{2}}}, HostPattern<I>{{1, 1}, {0, 0}, {}}),
                  std::vector<V>{});
    });
}

/// Values are whole numbers, so that sums are exact and many are equal in size: sums of rows stay, bit for bit.
TYPED_TEST(MultigridTransfer, TruncateByDefinition)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    Random random(2123);
    for_each_elimination_matrix<V, I>(random, [&](CsrData<V, I> a) {
        for (auto& value : a.values) {
            const auto whole = static_cast<double>(random.integer(-3, 4));
            value = is_complex<V> && random.unit() < 0.5 ? number<V>(0, whole) : number<V>(whole, 0);
        }
        const auto kept = part_of(a, [&](I, I) { return random.unit() < 0.6; });
        std::vector<V> expected;
        for (I row = 0; row < a.size.rows; ++row) {
            V rest{};
            std::vector<V> of_row;
            for (I k = a.row_ptrs[row], at = kept.row_ptrs[row]; k < a.row_ptrs[row + 1]; ++k) {
                if (at < kept.row_ptrs[row + 1] && kept.col_idxs[at] == a.col_idxs[k]) {
                    of_row.push_back(a.values[k]);
                    ++at;
                } else {
                    rest += a.values[k];
                }
            }
            const auto largest =
                std::max_element(of_row.begin(), of_row.end(), [](V x, V y) { return std::abs(x) < std::abs(y); });
            if (largest != of_row.end()) {
                *largest += rest;
            }
            expected.insert(expected.end(), of_row.begin(), of_row.end());
        }
        auto expected_sums = row_sums(a);
        for (I row = 0; row < a.size.rows; ++row) {
            expected_sums[row] = kept.row_ptrs[row] == kept.row_ptrs[row + 1] ? V{} : expected_sums[row];
        }
        on_each_executor([&](const Executor& exec) {
            const auto actual = truncated(exec, a, kept);
            EXPECT_EQ(actual, expected);
            EXPECT_EQ(row_sums(CsrData<V, I>{a.size, kept.row_ptrs, kept.col_idxs, actual}), expected_sums);
        });
    });
}

}  // namespace
}  // namespace linden::test
