#include "core/factorization/elimination_tree.hpp"

#include <algorithm>
#include <numeric>

// instantiate: std::vector<I> detail::elimination_tree<I>(const HostPattern<I>&)
// instantiate: std::vector<I> detail::elimination_tree<I>(const HostPattern<I>&, const std::vector<I>&, const std::vector<I>&)
// instantiate: std::vector<I> detail::postorder<I>(const std::vector<I>&)
// instantiate: std::vector<size_type> detail::column_counts<I>(const HostPattern<I>&, const std::vector<I>&)
// instantiate: detail::HostPattern<I> detail::filled_pattern<I>(const HostPattern<I>&, const std::vector<I>&, const std::vector<size_type>&)

namespace linden::detail {

namespace {

/// row_of(i): the row of `a` that is row i; name_of(j): what its column j is called.
template <class I, class RowOf, class NameOf>
std::vector<I> tree_of(const HostPattern<I>& a, const RowOf& row_of, const NameOf& name_of)
{
    const I n = static_cast<I>(a.rows());
    std::vector<I> parent(n, -1), ancestor(n, -1);
    for (I i = 0; i < n; ++i) {
        const I row = row_of(i);
        for (I k = a.row_ptrs[row]; k < a.row_ptrs[row + 1]; ++k) {
            for (I j = name_of(a.col_idxs[k]); j >= 0 && j < i;) {
                const I up = ancestor[j];
                ancestor[j] = i;
                if (up < 0) {
                    parent[j] = i;
                }
                j = up;
            }
        }
    }
    return parent;
}

}  // namespace

template <class I>
std::vector<I> elimination_tree(const HostPattern<I>& a)
{
    const auto same = [](I i) { return i; };
    return tree_of(a, same, same);
}

template <class I>
std::vector<I> elimination_tree(const HostPattern<I>& a, const std::vector<I>& order, const std::vector<I>& place)
{
    return tree_of(
        a, [&](I i) { return order[i]; }, [&](I j) { return place[j]; });
}

template <class I>
std::vector<I> postorder(const std::vector<I>& parent)
{
    const I n = static_cast<I>(parent.size());
    std::vector<I> first_child(n, -1), sibling(n, -1), order, stack;
    for (I j = n; j-- > 0;) {
        if (parent[j] >= 0) {
            sibling[j] = first_child[parent[j]];
            first_child[parent[j]] = j;
        }
    }
    order.reserve(parent.size());
    for (I root = 0; root < n; ++root) {
        if (parent[root] >= 0) {
            continue;
        }
        stack.push_back(root);
        while (!stack.empty()) {
            const I child = first_child[stack.back()];
            if (child >= 0) {
                first_child[stack.back()] = sibling[child];
                stack.push_back(child);
            } else {
                order.push_back(stack.back());
                stack.pop_back();
            }
        }
    }
    return order;
}

namespace {

/// Leaves of the row subtrees. The subtree of row i has the columns of row i of L; its leaves are entries of A.
template <class I>
struct RowSubtrees {
    explicit RowSubtrees(const std::vector<I>& tree)
        : parent(tree),
          first(tree.size(), -1),
          most_recent_first(tree.size(), -1),
          last_leaf(tree.size(), -1),
          ancestor(tree.size())
    {
        std::iota(ancestor.begin(), ancestor.end(), I{0});
        for (I k = 0; k < static_cast<I>(tree.size()); ++k) {
            for (I j = k; j >= 0 && first[j] < 0; j = tree[j]) {
                first[j] = k;
            }
        }
    }

    bool is_leaf_of_tree(I j) const { return first[j] == j; }
    /// Whether entry (i, j), i > j, is a leaf of the subtree of row i.
    bool is_leaf(I i, I j)
    {
        if (first[j] <= most_recent_first[i]) {
            return false;
        }
        most_recent_first[i] = first[j];
        return true;
    }
    /// The least common ancestor of leaf j and the leaf of row i before it, -1 for the first.
    I meets_last_leaf(I i, I j)
    {
        const I last = last_leaf[i];
        last_leaf[i] = j;
        if (last < 0) {
            return -1;
        }
        I q = last;
        while (q != ancestor[q]) {
            q = ancestor[q];
        }
        for (I s = last; s != q;) {
            const I up = ancestor[s];
            ancestor[s] = q;
            s = up;
        }
        return q;
    }

    const std::vector<I>& parent;
    std::vector<I> first;  ///< the first vertex of each vertex's subtree
    std::vector<I> most_recent_first, last_leaf, ancestor;
};

}  // namespace

template <class I>
std::vector<size_type> column_counts(const HostPattern<I>& a, const std::vector<I>& parent)
{
    const I n = static_cast<I>(a.rows());
    RowSubtrees<I> subtrees(parent);
    std::vector<size_type> count(parent.size());
    for (I j = 0; j < n; ++j) {
        count[j] = subtrees.is_leaf_of_tree(j) ? 1 : 0;
    }
    for (I j = 0; j < n; ++j) {
        if (parent[j] >= 0) {
            --count[parent[j]];
        }
        for (I k = a.row_ptrs[j]; k < a.row_ptrs[j + 1]; ++k) {
            const I i = a.col_idxs[k];
            if (i <= j || !subtrees.is_leaf(i, j)) {
                continue;
            }
            ++count[j];
            const I meeting = subtrees.meets_last_leaf(i, j);
            if (meeting >= 0) {
                --count[meeting];
            }
        }
        if (parent[j] >= 0) {
            subtrees.ancestor[j] = parent[j];
        }
    }
    for (I j = 0; j < n; ++j) {
        if (parent[j] >= 0) {
            count[parent[j]] += count[j];
        }
    }
    return count;
}

template <class I>
HostPattern<I> filled_pattern(const HostPattern<I>& a, const std::vector<I>& parent,
                              const std::vector<size_type>& counts)
{
    const I n = static_cast<I>(a.rows());
    // Row i of L: the vertices on the ways up the tree from the entries of row i of A. Columns fill in order.
    std::vector<I> column_ptrs{0}, rows, next;
    for (const auto count : counts) {
        column_ptrs.push_back(column_ptrs.back() + static_cast<I>(count));
    }
    rows.resize(static_cast<std::size_t>(column_ptrs.back()));
    next.assign(column_ptrs.begin(), column_ptrs.end() - 1);
    std::vector<I> seen(parent.size(), -1), lower_counts(parent.size(), 0);
    for (I i = 0; i < n; ++i) {
        seen[i] = i;
        rows[next[i]++] = i;
        for (I k = a.row_ptrs[i]; k < a.row_ptrs[i + 1]; ++k) {
            for (I j = a.col_idxs[k]; j < i && seen[j] != i; j = parent[j]) {
                seen[j] = i;
                rows[next[j]++] = i;
                ++lower_counts[i];
            }
        }
    }
    HostPattern<I> f;
    f.row_ptrs.reserve(parent.size() + 1);
    for (I i = 0; i < n; ++i) {
        f.row_ptrs.push_back(f.row_ptrs.back() + lower_counts[i] + static_cast<I>(counts[i]));
    }
    f.col_idxs.resize(static_cast<std::size_t>(f.row_ptrs.back()));
    next.assign(f.row_ptrs.begin(), f.row_ptrs.end() - 1);
    for (I j = 0; j < n; ++j) {
        for (I k = column_ptrs[j] + 1; k < column_ptrs[j + 1]; ++k) {
            f.col_idxs[next[rows[k]]++] = j;
        }
        std::copy(rows.begin() + column_ptrs[j], rows.begin() + column_ptrs[j + 1], f.col_idxs.begin() + next[j]);
    }
    return f;
}

}  // namespace linden::detail
