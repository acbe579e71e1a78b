#include "core/matrix/quotient_graph.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>

// instantiate: class detail::QuotientGraph<I>

namespace linden::detail {

namespace {

/// Vertices with more neighbours are dense. [AmestoyEtAl96]
double dense_degree(std::size_t count) { return std::max<double>(16, 10 * std::sqrt(static_cast<double>(count))); }

}  // namespace

template <class I>
QuotientGraph<I>::QuotientGraph(PatternView<I> lists, std::size_t num_elements)
    : n_(static_cast<I>(lists.rows)),
      hash_mask_(std::bit_ceil(static_cast<std::size_t>(n_) + 1) - 1),
      lists_(lists.col_idxs, lists.col_idxs + lists.num_nonzeros),
      begin_(lists.row_ptrs, lists.row_ptrs + n_ + 1),
      num_elements_(n_, 0),
      length_(n_, 0),
      weight_(n_, 1),
      degree_(n_, 0),
      first_member_(num_elements, 0),
      num_members_(num_elements, 0),
      element_weight_(num_elements, 0),
      outside_(num_elements, none),
      bucket_(n_ + 1, none),
      next_(n_, none),
      before_(n_, none),
      hash_head_(hash_mask_ + 1, none),
      hash_next_(n_, none),
      hash_(n_, 0),
      first_joined_(n_, none),
      last_joined_(n_, none),
      sibling_(n_, none),
      mark_(num_elements, 0)
{
}

template <class I>
void QuotientGraph<I>::set_dense(I i)
{
    weight_[i] = 0;
    dense_.push_back(i);
}

template <class I>
QuotientGraph<I>::QuotientGraph(PatternView<I> graph) : QuotientGraph(graph, static_cast<std::size_t>(graph.rows))
{
    const I *const row_ptrs = graph.row_ptrs, *const col_idxs = graph.col_idxs;
    const double dense = dense_degree(static_cast<std::size_t>(n_));
    for (I i = 0; i < n_; ++i) {
        if (row_ptrs[i + 1] - row_ptrs[i] > dense) {
            set_dense(i);
        }
    }
    for (I i = 0; i < n_; ++i) {
        if (!is_live(i)) {
            continue;
        }
        I at = begin_[i];
        for (I k = row_ptrs[i]; k < row_ptrs[i + 1]; ++k) {
            if (col_idxs[k] != i && is_live(col_idxs[k])) {
                lists_[at++] = col_idxs[k];
            }
        }
        length_[i] = at - begin_[i];
        add_to_bucket(i, length_[i]);
    }
}

template <class I>
QuotientGraph<I> QuotientGraph<I>::of_columns(const std::vector<I>& col_ptrs, const std::vector<I>& row_idxs,
                                              I num_rows)
{
    const auto num_columns = col_ptrs.size() - 1;
    QuotientGraph g({static_cast<size_type>(num_columns), num_rows, static_cast<size_type>(row_idxs.size()),
                     col_ptrs.data(), row_idxs.data()},
                    num_columns + static_cast<std::size_t>(num_rows));
    std::vector<I> row_counts(static_cast<std::size_t>(num_rows), 0);
    for (const I row : row_idxs) {
        ++row_counts[row];
    }
    g.members_.resize(row_idxs.size());
    for (I row = 0; row < num_rows; ++row) {
        g.elements_.push_back(g.n_ + row);
        g.first_member_[g.n_ + row] = g.end_of_members_;
        g.end_of_members_ += static_cast<std::size_t>(row_counts[row]);
    }
    const double dense_row = dense_degree(num_columns);
    const double dense_column = dense_degree(std::min(num_columns, row_counts.size()));
    for (I j = 0; j < g.n_; ++j) {
        if (col_ptrs[j + 1] - col_ptrs[j] > dense_column) {
            g.set_dense(j);
        }
    }
    for (I j = 0; j < g.n_; ++j) {
        I at = g.begin_[j];
        for (I k = col_ptrs[j]; g.is_live(j) && k < col_ptrs[j + 1]; ++k) {
            if (row_counts[row_idxs[k]] <= dense_row) {
                const I element = g.n_ + row_idxs[k];
                g.lists_[at++] = element;
                g.members_[g.first_member_[element] + static_cast<std::size_t>(g.num_members_[element]++)] = j;
                ++g.element_weight_[element];
            }
        }
        g.num_elements_[j] = g.length_[j] = at - g.begin_[j];
    }
    for (I j = 0; j < g.n_; ++j) {
        if (!g.is_live(j)) {
            continue;
        }
        size_type degree = 0;
        for (I k = g.begin_[j]; k < g.list_end(j); ++k) {
            degree += g.element_weight_[g.lists_[k]] - 1;
        }
        g.add_to_bucket(j, static_cast<I>(std::min<size_type>(degree, g.n_ - 1)));
    }
    return g;
}

template <class I>
std::vector<I> QuotientGraph<I>::eliminate()
{
    std::vector<I> order, stack;
    order.reserve(static_cast<std::size_t>(n_));
    counts_.reserve(static_cast<std::size_t>(n_));
    const I count = n_ - static_cast<I>(dense_.size());
    while (num_eliminated_ < count) {
        const I pivot = take_least_degree();
        const size_type num_before = num_eliminated_;
        form_element(pivot);
        measure_elements(pivot);
        for (I m = 0; m < num_members_[pivot]; ++m) {
            update_vertex(pivot, member(pivot, m));
        }
        merge_equal(pivot);
        const size_type rows = num_eliminated_ - num_before;
        fill_ += rows * (rows + 1) / 2 + rows * size_type{element_weight_[pivot]};
        for (I left = static_cast<I>(rows); left > 0; --left) {
            counts_.push_back(left + element_weight_[pivot]);
        }
        finish_element(pivot);
        stack.push_back(pivot);
        while (!stack.empty()) {
            const I i = stack.back();
            stack.pop_back();
            order.push_back(i);
            for (I j = first_joined_[i]; j != none; j = sibling_[j]) {
                stack.push_back(j);
            }
        }
    }
    order.insert(order.end(), dense_.begin(), dense_.end());
    return order;
}

template <class I>
void QuotientGraph<I>::add_to_bucket(I i, I degree)
{
    degree_[i] = degree;
    next_[i] = bucket_[degree];
    before_[i] = none;
    if (next_[i] != none) {
        before_[next_[i]] = i;
    }
    bucket_[degree] = i;
    least_ = std::min(least_, degree);
}

template <class I>
void QuotientGraph<I>::remove_from_bucket(I i)
{
    (before_[i] == none ? bucket_[degree_[i]] : next_[before_[i]]) = next_[i];
    if (next_[i] != none) {
        before_[next_[i]] = before_[i];
    }
}

/// j goes with i.
template <class I>
void QuotientGraph<I>::join(I i, I j)
{
    (first_joined_[i] == none ? first_joined_[i] : sibling_[last_joined_[i]]) = j;
    last_joined_[i] = j;
}

template <class I>
I QuotientGraph<I>::take_least_degree()
{
    while (bucket_[least_] == none) {
        ++least_;
    }
    const I pivot = bucket_[least_];
    remove_from_bucket(pivot);
    return pivot;
}

template <class I>
void QuotientGraph<I>::reserve_members(std::size_t count)
{
    if (end_of_members_ + count <= members_.size()) {
        return;
    }
    elements_.erase(std::remove_if(elements_.begin(), elements_.end(), [&](I e) { return element_weight_[e] == 0; }),
                    elements_.end());
    auto end = members_.begin();
    for (const I e : elements_) {
        const auto first = members_.begin() + static_cast<std::ptrdiff_t>(first_member_[e]);
        first_member_[e] = static_cast<std::size_t>(end - members_.begin());
        end = std::copy(first, first + num_members_[e], end);
    }
    end_of_members_ = static_cast<std::size_t>(end - members_.begin());
    if (2 * (end_of_members_ + count) > members_.size()) {
        members_.resize(2 * (end_of_members_ + count));
    }
}

/// The neighbours of the pivot, also those through its elements, which the new one absorbs.
template <class I>
void QuotientGraph<I>::form_element(I pivot)
{
    const I weight = weight_[pivot];
    weight_[pivot] = 0;
    const I middle = begin_[pivot] + num_elements_[pivot];
    auto most = static_cast<std::size_t>(list_end(pivot) - middle);
    for (I k = begin_[pivot]; k < middle; ++k) {
        most += static_cast<std::size_t>(element_weight_[lists_[k]] > 0 ? num_members_[lists_[k]] : 0);
    }
    reserve_members(most);
    I* const first = members_.data() + end_of_members_;
    I* to = first;
    const auto add = [&](I i) {
        if (weight_[i] > 0) {
            element_weight_[pivot] += weight_[i];
            weight_[i] = -weight_[i];
            *to++ = i;
            remove_from_bucket(i);
        }
    };
    for (I k = begin_[pivot]; k < middle; ++k) {
        const I other = lists_[k];
        if (element_weight_[other] > 0) {
            const I* const members = members_.data() + first_member_[other];
            std::for_each(members, members + num_members_[other], add);
            element_weight_[other] = 0;
        }
    }
    std::for_each(lists_.begin() + middle, lists_.begin() + list_end(pivot), add);
    elements_.push_back(pivot);
    first_member_[pivot] = end_of_members_;
    num_members_[pivot] = static_cast<I>(to - first);
    num_eliminated_ += weight;
}

/// outside := the weight of each element that the pivot's one meets, without what both have.
template <class I>
void QuotientGraph<I>::measure_elements(I pivot)
{
    touched_.clear();
    for (I m = 0; m < num_members_[pivot]; ++m) {
        const I i = member(pivot, m);
        for (I k = begin_[i]; k < begin_[i] + num_elements_[i]; ++k) {
            const I e = lists_[k];
            if (element_weight_[e] == 0) {
                continue;
            }
            if (outside_[e] == none) {
                outside_[e] = element_weight_[e];
                touched_.push_back(e);
            }
            outside_[e] += weight_[i];
        }
    }
    for (const I e : touched_) {
        if (outside_[e] == 0) {  // absorbed, since the pivot's element contains it
            element_weight_[e] = 0;
        }
    }
}

template <class I>
void QuotientGraph<I>::update_vertex(I pivot, I i)
{
    const I begin = begin_[i], middle = begin + num_elements_[i], end = list_end(i);
    std::uint64_t hash = static_cast<std::uint64_t>(pivot);
    I degree = 0, at = begin, end_of_kept = middle;
    I* const lists = lists_.data();
    const I *const weights = weight_.data(), *const element_weights = element_weight_.data();
    for (I k = middle; k < end; ++k) {  // Vertices of the element are left out. Without branches.
        const I j = lists[k];
        const bool is_kept = weights[j] > 0;
        lists[end_of_kept] = j;
        end_of_kept += is_kept ? 1 : 0;
        degree += is_kept ? weights[j] : 0;
        hash += is_kept ? static_cast<std::uint64_t>(j) : 0;
    }
    for (I k = begin; k < middle; ++k) {
        const I e = lists[k];
        if (element_weights[e] > 0) {
            lists[at++] = e;
            degree += outside_[e];
            hash += static_cast<std::uint64_t>(e);
        }
    }
    if (at == begin && end_of_kept == middle) {  // eliminated with the pivot
        num_eliminated_ -= weight_[i];
        element_weight_[pivot] += weight_[i];
        weight_[i] = 0;
        join(pivot, i);
        return;
    }
    // The pivot was one of the neighbours, or an element that has been absorbed: there is room for it.
    if (at + 1 != middle) {
        std::memmove(lists + at + 1, lists + middle, static_cast<std::size_t>(end_of_kept - middle) * sizeof(I));
    }
    lists[at] = pivot;
    num_elements_[i] = at + 1 - begin;
    length_[i] = num_elements_[i] + end_of_kept - middle;
    degree_[i] = std::min(degree_[i], degree);
    hash_[i] = static_cast<I>(hash & hash_mask_);
    hash_next_[i] = hash_head_[hash_[i]];
    hash_head_[hash_[i]] = i;
}

/// Whether two vertices of the pivot's element have the same other elements and neighbours; those of i are marked.
template <class I>
bool QuotientGraph<I>::are_equal(I i, I j)
{
    if (num_elements_[i] != num_elements_[j] || length_[i] != length_[j]) {
        return false;
    }
    return std::all_of(lists_.begin() + begin_[j], lists_.begin() + list_end(j),
                       [&](I k) { return mark_[k] == round_; });
}

/// Joins vertices that cannot be told apart.
template <class I>
void QuotientGraph<I>::merge_equal(I pivot)
{
    for (I m = 0; m < num_members_[pivot]; ++m) {
        const I first = member(pivot, m);
        if (!is_live(first)) {
            continue;
        }
        I i = hash_head_[hash_[first]];
        hash_head_[hash_[first]] = none;
        for (; i != none && hash_next_[i] != none; i = hash_next_[i]) {
            ++round_;
            std::for_each(lists_.begin() + begin_[i], lists_.begin() + list_end(i), [&](I k) { mark_[k] = round_; });
            for (I last = i, j = hash_next_[i]; j != none; j = hash_next_[j]) {
                if (!are_equal(i, j)) {
                    last = j;
                    continue;
                }
                weight_[i] += weight_[j];
                weight_[j] = 0;
                join(i, j);
                hash_next_[last] = hash_next_[j];
            }
        }
    }
}

/// Puts the vertices of the element back into buckets.
template <class I>
void QuotientGraph<I>::finish_element(I pivot)
{
    const I left = n_ - static_cast<I>(dense_.size()) - num_eliminated_;
    I* const first = members_.data() + first_member_[pivot];
    I* const last = std::remove_if(first, first + num_members_[pivot], [&](I i) { return !is_live(i); });
    num_members_[pivot] = static_cast<I>(last - first);
    end_of_members_ += static_cast<std::size_t>(last - first);
    std::for_each(first, last, [&](I i) {
        weight_[i] = -weight_[i];
        add_to_bucket(i, std::min(degree_[i] + element_weight_[pivot] - weight_[i], left - weight_[i]));
    });
    for (const I e : touched_) {
        outside_[e] = none;
    }
    if (first == last) {
        element_weight_[pivot] = 0;
    }
}

}  // namespace linden::detail
