// needs: double int32
#include <linden/error.hpp>
#include <linden/io/problems.hpp>
#include <linden/reorder/cuthill_mckee.hpp>
#include <linden/reorder/minimum_degree.hpp>

#include <algorithm>
#include <complex>
#include <numeric>
#include <set>

#include "core/factorization/elimination_tree.hpp"
#include "test/support/matrices.hpp"
#include "test/support/random.hpp"

/// Fill-reducing orders, and what elimination does to a pattern.
namespace linden::test {
namespace {

using I = std::int32_t;
using linden::detail::HostPattern;

/// The symmetric pattern with these edges and the diagonal.
HostPattern<I> symmetric(I n, const std::vector<std::pair<I, I>>& edges)
{
    std::vector<std::set<I>> rows(n);
    for (I i = 0; i < n; ++i) {
        rows[i].insert(i);
    }
    for (const auto& [i, j] : edges) {
        rows[i].insert(j);
        rows[j].insert(i);
    }
    HostPattern<I> a;
    for (const auto& row : rows) {
        a.col_idxs.insert(a.col_idxs.end(), row.begin(), row.end());
        a.row_ptrs.push_back(static_cast<I>(a.col_idxs.size()));
    }
    return a;
}

Csr<double, I> matrix_of(const HostPattern<I>& a)
{
    CsrData<double, I> data;
    data.size = {a.rows(), a.rows()};
    data.row_ptrs = a.row_ptrs;
    data.col_idxs = a.col_idxs;
    data.values.assign(a.col_idxs.size(), 1.0);
    return Csr<double, I>(Executor::reference(), data);
}

HostPattern<I> permuted(const HostPattern<I>& a, const std::vector<I>& order)
{
    std::vector<I> place(order.size());
    for (std::size_t k = 0; k < order.size(); ++k) {
        place[order[k]] = static_cast<I>(k);
    }
    std::vector<std::pair<I, I>> edges;
    for (I i = 0; i < a.rows(); ++i) {
        for (I k = a.row_ptrs[i]; k < a.row_ptrs[i + 1]; ++k) {
            edges.emplace_back(place[i], place[a.col_idxs[k]]);
        }
    }
    return symmetric(static_cast<I>(order.size()), edges);
}

/// L + U by elimination of sets, as the definition says.
HostPattern<I> eliminated(const HostPattern<I>& a)
{
    const I n = static_cast<I>(a.rows());
    std::vector<std::set<I>> rows(n);
    std::vector<std::pair<I, I>> edges;
    for (I i = 0; i < n; ++i) {
        rows[i].insert(a.col_idxs.begin() + a.row_ptrs[i], a.col_idxs.begin() + a.row_ptrs[i + 1]);
    }
    for (I k = 0; k < n; ++k) {
        for (const I i : rows[k]) {
            if (i > k) {
                rows[i].insert(rows[k].upper_bound(k), rows[k].end());
            }
        }
        for (const I j : rows[k]) {
            edges.emplace_back(k, j);
        }
    }
    return symmetric(n, edges);
}

HostPattern<I> pattern_of(const CsrData<double, I>& a) { return {a.row_ptrs, a.col_idxs}; }

/// Entries of the Cholesky factor in this order.
size_type fill_of(const HostPattern<I>& a, const std::vector<I>& order)
{
    auto p = permuted(a, order);
    const auto post = linden::detail::postorder(linden::detail::elimination_tree(p));
    p = permuted(p, post);
    const auto counts = linden::detail::column_counts(p, linden::detail::elimination_tree(p));
    return std::accumulate(counts.begin(), counts.end(), size_type{0});
}

void expect_permutation(std::vector<I> order, size_type n)
{
    ASSERT_EQ(static_cast<size_type>(order.size()), n);
    std::sort(order.begin(), order.end());
    for (I i = 0; i < n; ++i) {
        EXPECT_EQ(order[i], i);
    }
}

HostPattern<I> random_symmetric(I n, int edges, std::uint64_t seed)
{
    Random random(seed);
    std::vector<std::pair<I, I>> pairs;
    for (int e = 0; e < edges; ++e) {
        pairs.emplace_back(static_cast<I>(random.integer(0, n)), static_cast<I>(random.integer(0, n)));
    }
    return symmetric(n, pairs);
}

TEST(MinimumDegree, TakesTheHubOfAStarLast)
{
    std::vector<std::pair<I, I>> edges;
    for (I i = 0; i < 9; ++i) {
        if (i != 4) {
            edges.emplace_back(4, i);
        }
    }
    const auto a = symmetric(9, edges);
    const auto order = approximate_minimum_degree(matrix_of(a));
    expect_permutation(order, 9);
    EXPECT_EQ(fill_of(a, order), 17);  // no fill; with the hub first all 45
}

TEST(MinimumDegree, GivesTreesNoFill)
{
    Random random(3);
    std::vector<std::pair<I, I>> edges;
    for (I i = 1; i < 500; ++i) {
        edges.emplace_back(i, static_cast<I>(random.integer(0, i)));
    }
    const auto a = symmetric(500, edges);
    EXPECT_EQ(fill_of(a, approximate_minimum_degree(matrix_of(a))), 999);
}

TEST(MinimumDegree, GivesGridsLittleFill)
{
    const auto data = generate_problem<double, I>("lap2d:60");
    const auto a = pattern_of(data);
    const Csr<double, I> matrix(Executor::reference(), data);
    const auto order = approximate_minimum_degree(matrix);
    expect_permutation(order, 3600);
    EXPECT_LT(fill_of(a, order), size_type{70000});
    EXPECT_LT(2 * fill_of(a, order), fill_of(a, reverse_cuthill_mckee(matrix)));
}

TEST(MinimumDegree, OrdersEveryPattern)
{
    for (const I n : {0, 1, 2, 7, 40}) {
        for (const int edges : {0, 1, 5, 30, 400}) {
            if (n > 0) {
                const auto a = random_symmetric(n, edges, 10 * n + edges);
                expect_permutation(approximate_minimum_degree(matrix_of(a)), n);
            }
        }
    }
    // Vertices with very many neighbours
    std::vector<std::pair<I, I>> edges;
    for (I i = 2; i < 3000; ++i) {
        edges.emplace_back(0, i);
        edges.emplace_back(1, i);
        edges.emplace_back(i, std::min(i + 1, 2999));
    }
    const auto a = symmetric(3000, edges);
    const auto order = approximate_minimum_degree(matrix_of(a));
    expect_permutation(order, 3000);
    EXPECT_EQ(std::set<I>(order.end() - 2, order.end()), (std::set<I>{0, 1}));
    expect_permutation(approximate_minimum_degree(Csr<double, I>(Executor::reference(), Dim{0, 0})), 0);
    EXPECT_THROW(approximate_minimum_degree(Csr<double, I>(Executor::reference(), Dim{2, 3})), DimensionMismatch);
}

TEST(MinimumDegree, OrdersUnsymmetricPatterns)
{
    Random random(7);
    const Csr<double, I> a(Executor::reference(), random_csr<double, I>(random, {200, 200}, 4));
    expect_permutation(approximate_minimum_degree(a), 200);
}

TEST(EliminationTree, IsThatOfAHandCase)
{
    // 0 - 2, 0 - 3, 1 - 4, 2 - 3 (fill none), 3 - 4
    const auto a = symmetric(5, {{0, 2}, {0, 3}, {1, 4}, {3, 4}});
    EXPECT_EQ(linden::detail::elimination_tree(a), (std::vector<I>{2, 4, 3, 4, -1}));
    EXPECT_EQ(linden::detail::postorder(std::vector<I>{2, 4, 3, 4, -1}), (std::vector<I>{1, 0, 2, 3, 4}));
}

TEST(EliminationTree, PredictsTheFactors)
{
    for (const std::uint64_t seed : {1, 2, 3, 4, 5, 6}) {
        auto a = random_symmetric(40, 10 * static_cast<int>(seed), seed);
        a = permuted(a, linden::detail::postorder(linden::detail::elimination_tree(a)));
        const auto expected = eliminated(a);
        const auto parent = linden::detail::elimination_tree(a);
        const auto counts = linden::detail::column_counts(a, parent);
        for (I j = 0; j < a.rows(); ++j) {
            const auto first = expected.col_idxs.begin() + expected.row_ptrs[j];
            const auto last = expected.col_idxs.begin() + expected.row_ptrs[j + 1];
            EXPECT_EQ(counts[j], std::count_if(first, last, [&](I i) { return i >= j; }));
        }
        const auto filled = linden::detail::filled_pattern(a, parent, counts);
        EXPECT_EQ(filled.row_ptrs, expected.row_ptrs);
        EXPECT_EQ(filled.col_idxs, expected.col_idxs);
    }
}

}  // namespace
}  // namespace linden::test
