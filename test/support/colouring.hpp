#pragma once

#include <algorithm>
#include <string>

#include "core/kernels/colouring.hpp"
#include "test/support/patterns.hpp"

/// What tests of colourings share.
namespace linden::test {

/// The pattern of a and its transpose.  a: n x n.
template <class I>
HostPattern<I> symmetrised(const HostPattern<I>& a)
{
    std::vector<std::pair<I, I>> entries;
    for (std::size_t row = 0; row + 1 < a.row_ptrs.size(); ++row) {
        for (auto k = a.row_ptrs[row]; k < a.row_ptrs[row + 1]; ++k) {
            entries.emplace_back(static_cast<I>(row), a.col_idxs[k]);
            entries.emplace_back(a.col_idxs[k], static_cast<I>(row));
        }
    }
    std::sort(entries.begin(), entries.end());
    entries.erase(std::unique(entries.begin(), entries.end()), entries.end());
    HostPattern<I> s{a.size, std::vector<I>(a.row_ptrs.size()), {}};
    for (const auto& [row, col] : entries) {
        ++s.row_ptrs[static_cast<std::size_t>(row) + 1];
        s.col_idxs.push_back(col);
    }
    std::partial_sum(s.row_ptrs.begin(), s.row_ptrs.end(), s.row_ptrs.begin());
    return s;
}

/// Rows 0, ..., n - 1, each of which has those `distances` before and after it as neighbours, and itself.
template <class I>
HostPattern<I> pattern_of_distances(size_type n, const std::vector<size_type>& distances)
{
    HostPattern<I> a{{n, n}, {0}, {}};
    for (size_type row = 0; row < n; ++row) {
        a.col_idxs.push_back(static_cast<I>(row));
        for (const auto distance : distances) {
            if (row >= distance) {
                a.col_idxs.push_back(static_cast<I>(row - distance));
            }
        }
        a.row_ptrs.push_back(static_cast<I>(a.col_idxs.size()));
    }
    return symmetrised(a);
}

/// Dense blocks of so many rows each on the diagonal.
template <class I>
HostPattern<I> dense_blocks(const std::vector<size_type>& sizes)
{
    HostPattern<I> a{{0, 0}, {0}, {}};
    for (const auto size : sizes) {
        for (size_type row = 0; row < size; ++row) {
            for (size_type col = 0; col < size; ++col) {
                a.col_idxs.push_back(static_cast<I>(a.size.cols + col));
            }
            a.row_ptrs.push_back(static_cast<I>(a.col_idxs.size()));
        }
        a.size = {a.size.rows + size, a.size.cols + size};
    }
    return a;
}

/// A path, in which each of the rows `dense` is a neighbour of all.
template <class I>
HostPattern<I> path_with_dense_rows(size_type n, const std::vector<size_type>& dense)
{
    HostPattern<I> a{{n, n}, {0}, {}};
    for (size_type row = 0; row < n; ++row) {
        const bool is_dense = std::find(dense.begin(), dense.end(), row) != dense.end();
        for (size_type col = is_dense ? 0 : row; col < (is_dense ? n : std::min(row + 2, n)); ++col) {
            a.col_idxs.push_back(static_cast<I>(col));
        }
        a.row_ptrs.push_back(static_cast<I>(a.col_idxs.size()));
    }
    return symmetrised(a);
}

/// Calls f(pattern) for symmetric patterns: random ones of all kinds, paths, dense rows, and such as need more than 64
/// and 128 colours.
template <class I, class F>
void for_each_symmetric_pattern(std::uint64_t seed, const F& f)
{
    Random random(seed);
    const auto check = [&](const std::string& name, const HostPattern<I>& a) {
        SCOPED_TRACE(name);
        f(a);
    };
    for (const size_type n : {0, 1, 31, 32, 33, 597, 20000}) {
        for (const auto kind : all_patterns) {
            check(std::to_string(n) + " rows", symmetrised(random_pattern<I>(random, {n, n}, n < 100 ? 6 : 3, kind)));
        }
    }
    check("path", pattern_of_distances<I>(3000, {1}));
    check("band", pattern_of_distances<I>(597, {1, 2, 5, 17}));
    check("dense row first", path_with_dense_rows<I>(20000, {0}));
    check("dense row last", path_with_dense_rows<I>(20000, {19999}));
    check("dense rows amid others", path_with_dense_rows<I>(1500, {8, 9, 11, 15, 700, 1499}));
    check("dense blocks", dense_blocks<I>({1, 63, 64, 65, 3, 200, 128, 129, 2}));
}

/// The order of a visit on the host.
template <class I>
struct HostVisit {
    std::vector<I> order, rank;

    HostVisit() = default;
    explicit HostVisit(std::vector<I> rows) : order(std::move(rows)), rank(order.size())
    {
        for (std::size_t t = 0; t < order.size(); ++t) {
            rank[static_cast<std::size_t>(order[t])] = static_cast<I>(t);
        }
    }
};

template <class I>
HostVisit<I> reversed_visit(size_type n)
{
    std::vector<I> order(static_cast<std::size_t>(n));
    std::iota(order.rbegin(), order.rend(), I{0});
    return HostVisit<I>(std::move(order));
}

template <class I>
HostVisit<I> hashed_visit(size_type n, std::uint64_t seed)
{
    std::vector<I> order;
    for (size_type t = 0; t < n; ++t) {
        order.push_back(static_cast<I>(HashedOrder(n, seed)(t)));
    }
    return HostVisit<I>(std::move(order));
}

/// Calls run(pattern, view of the visit, workspace) on the executor. An empty visit is that of the rows in their order.
template <class I, class Run>
void run_visit(const Executor& exec, const HostPattern<I>& host, const HostVisit<I>& host_visit, const Run& run)
{
    const PatternOn<I> a(exec, host);
    const Array<I> order(exec, host_visit.order), rank(exec, host_visit.rank);
    const bool is_natural = host_visit.order.empty();
    Array<std::byte> workspace(exec, colouring_workspace_bytes(host.size.rows));
    run(a.view(), is_natural ? VisitView<I>{} : VisitView<I>{order.data(), rank.data()},
        WorkspaceView{workspace.data(), workspace.size()});
}

/// Calls f(visit) for the rows in their order, backwards, and in a hashed order.
template <class I, class F>
void for_each_visit(size_type n, const F& f)
{
    f(HostVisit<I>{});
    f(reversed_visit<I>(n));
    f(hashed_visit<I>(n, 7));
}

}  // namespace linden::test
