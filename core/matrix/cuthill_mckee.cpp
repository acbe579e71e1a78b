#include <linden/reorder/cuthill_mckee.hpp>

#include <linden/error.hpp>

#include <algorithm>
#include <optional>

#include "core/kernels/aggregation.hpp"
#include "core/kernels/colouring.hpp"
#include "core/kernels/components.hpp"
#include "core/kernels/csr.hpp"
#include "core/matrix/cuthill_mckee.hpp"
#include "core/matrix/key_order.hpp"
#include "core/matrix/pattern_arithmetic.hpp"
#include "core/matrix/pattern_copy.hpp"
#include "core/matrix/row_pointers.hpp"
#include "core/matrix/square.hpp"

// instantiate: std::vector<I> reverse_cuthill_mckee<V, I>(const Csr<V, I>&)
// instantiate: Array<I> detail::cuthill_mckee_rows<I>(const Executor&, PatternView<I>, SearchLimits)
// instantiate: std::vector<I> detail::cuthill_mckee_order<I>(const Executor&, PatternView<I>)

namespace linden {
namespace detail {
namespace {

/// Rows by their lengths, those of the same length in their order.
template <class I>
KeyOrder<I> order_by_length(const Executor& exec, PatternView<I> a)
{
    Array<RowLengths> found(exec, 1);
    csr_row_lengths<I>(exec, a, found.data());
    Array<I> lengths(exec, a.rows);
    pattern_permute_count<I>(exec, a, nullptr, lengths.data());
    return KeyOrder<I>(exec, lengths, found.to_host().front().longest + 1);
}

/// The graph of A + A^T, whose vertices are the rows by degree: neighbours in the order of Cuthill and McKee are those
/// in the order of their numbers.
template <class I>
struct DegreeGraph {
    DegreeGraph(const Executor& exec, PatternView<I> a) : DegreeGraph(exec, a, sum_with_transposed(exec, a)) {}

    KeyOrder<I> rows;  ///< order: the row of each vertex; position: the vertex of each row
    Pattern<I> graph;

private:
    DegreeGraph(const Executor& exec, PatternView<I> a, const std::optional<Pattern<I>>& sum)
        : rows(order_by_length(exec, sum ? sum->view() : a)),
          graph(permuted_pattern<I>(exec, sum ? sum->view() : a, rows.order.data(), rows.position.data()))
    {
    }
    /// Nothing if that is A.
    static std::optional<Pattern<I>> sum_with_transposed(const Executor& exec, PatternView<I> a)
    {
        Array<size_type> num_unsymmetric(exec, 1);
        colouring_count_unsymmetric<I>(exec, a, num_unsymmetric.data());
        if (num_unsymmetric.to_host().front() == 0) {
            return std::nullopt;
        }
        const auto transposed = transposed_pattern<I>(exec, a);
        return sum_of_patterns<I>(exec, a, transposed.view(), "the graph");
    }
};

/// Searches of a graph that begin in every connected part at once.
template <class I>
class SearchOfParts {
public:
    SearchOfParts(const Executor& exec, PatternView<I> a, SearchLimits limits)
        : exec_(exec),
          limits_(exec.is_host() ? SearchLimits{} : limits),
          a_(a),
          vertices_(exec, a),
          order_(exec, a.rows),
          level_ptrs_(exec, a.rows + 2),
          parents_(exec, a.rows),
          counts_on_exec_(exec, 1),
          workspace_(exec, breadth_first_workspace_bytes),
          part_of_vertex_(exec),
          part_ptrs_(exec, std::vector<I>{0, static_cast<I>(a.rows)})
    {
    }

    /// Searches until each part's begins at a vertex that is far from another: it moves to the end of a search as long
    /// as that has more levels than the one before. [GeorgeLiu81, 4.3]  Whether that has been reached.
    bool find_peripheral()
    {
        std::vector<I> roots(1);
        copy_bytes(exec_, vertices_.rows.position.data(), detail::host(), roots.data(), sizeof(I));
        bool goes_on = search(roots);
        if (goes_on && counts_.num_found < a_.rows) {
            roots = find_parts();
            goes_on = search(roots);
        }
        std::vector<I> depths(roots.size(), 0);
        while (goes_on && move_farther(roots, depths)) {
            goes_on = search(roots);
        }
        return goes_on;
    }

    /// Of the last search, part by part, from its end on.
    Array<I> rows_backwards() const
    {
        const auto* const order = places_ ? &places_->order : nullptr;
        Array<I> result(exec_, a_.rows);
        const auto by_parts = order == nullptr ? Array<I>(exec_) : gathered(exec_, *order, order_);
        breadth_first_reverse<I>(exec_, a_.rows, order == nullptr ? order_.data() : by_parts.data(),
                                 vertices_.rows.order.data(), result.data());
        return result;
    }

private:
    SearchView<I> view() { return {vertices_.graph.view(), order_.data(), level_ptrs_.data(), parents_.data()}; }

    /// Whether it was not ended.
    bool search(const std::vector<I>& roots)
    {
        const Array<I> on_exec(exec_, roots);
        const bool has_parts = part_of_vertex_.size() > 0;
        breadth_first_start<I>(exec_, on_exec.size(), on_exec.data(), has_parts ? part_of_vertex_.data() : nullptr,
                               view());
        const WorkspaceView workspace{workspace_.data(), workspace_.size()};
        if (breadth_first_search<I>.available(exec_.state().backend())) {
            breadth_first_search<I>(exec_, view(), limits_, counts_on_exec_.data(), workspace);
            counts_ = counts_on_exec_.to_host().front();
        } else {
            counts_ = search_by_levels(workspace);
        }
        if (has_parts && counts_.was_ended == 0) {
            places_.emplace(exec_, gathered(exec_, order_, part_of_vertex_), part_ptrs_.size() - 1);
        }
        return counts_.was_ended == 0;
    }
    /// Looks after some levels whether one of them was empty.
    SearchCounts search_by_levels(WorkspaceView workspace)
    {
        constexpr size_type at_once = 32;
        std::vector<I> ends(at_once + 1);
        for (size_type level = 0;; level += at_once) {
            const size_type count = std::min(at_once, a_.rows - level);  // each level but the last has a vertex
            for (size_type next = level; next < level + count; ++next) {
                breadth_first_level<I>(exec_, view(), next, workspace);
            }
            copy_bytes(exec_, level_ptrs_.data() + level + 1, detail::host(), ends.data(),
                       static_cast<std::size_t>(count + 1) * sizeof(I));
            const auto end = std::adjacent_find(ends.begin(), ends.begin() + count + 1);
            const size_type num_levels = level + 1 + (end - ends.begin());
            if (end < ends.begin() + count + 1) {
                return {num_levels, *end, 0};
            }
            if (limits_.is_beyond(level + count, ends[count])) {
                return {level + count, ends[count], 1};
            }
        }
    }

    /// Numbers parts by their first rows. Returns the vertices of these.
    std::vector<I> find_parts()
    {
        const size_type n = a_.rows;
        Array<I> labels(exec_, n), numbers(exec_, n + 1), part_of_row(exec_, n);
        components_find<I>(exec_, a_, labels.data());
        aggregation_mark_roots<I>(exec_, n, labels.data(), numbers.data());
        const size_type num_parts = make_row_ptrs(numbers, "the parts");
        aggregation_number<I>(exec_, n, labels.data(), numbers.data(), part_of_row.data());
        part_of_vertex_ = gathered(exec_, vertices_.rows.order, part_of_row);
        part_ptrs_ = Array<I>(exec_, num_parts + 1);
        Array<I> roots(exec_, num_parts);
        breadth_first_roots<I>(exec_, n, labels.data(), numbers.data(), vertices_.rows.position.data(), roots.data());
        return roots.to_host();
    }

    /// Whether some part's search has more levels than the one before. roots: where its next one begins.
    bool move_farther(std::vector<I>& roots, std::vector<I>& depths)
    {
        const auto num_parts = static_cast<size_type>(roots.size());
        Array<I> found(exec_, 2 * num_parts);
        breadth_first_farthest<I>(exec_,
                                  {.num_parts = num_parts,
                                   .part_ptrs = places_ ? places_->key_ptrs.data() : part_ptrs_.data(),
                                   .places = places_ ? places_->order.data() : nullptr},
                                  view(), counts_.num_levels, found.data(), found.data() + num_parts);
        const auto on_host = found.to_host();
        bool has_moved = false;
        for (std::size_t part = 0; part < roots.size(); ++part) {
            if (on_host[part] > depths[part]) {
                depths[part] = on_host[part];
                roots[part] = on_host[roots.size() + part];
                has_moved = true;
            }
        }
        return has_moved;
    }

    Executor exec_;
    SearchLimits limits_;
    PatternView<I> a_;
    DegreeGraph<I> vertices_;
    Array<I> order_, level_ptrs_, parents_;
    Array<SearchCounts> counts_on_exec_;
    SearchCounts counts_;
    Array<std::byte> workspace_;
    Array<I> part_of_vertex_;            ///< empty if all are found from one root
    Array<I> part_ptrs_;                 ///< of a single part; otherwise only its size counts
    std::optional<KeyOrder<I>> places_;  ///< by parts, if there are several
};

}  // namespace

template <class I>
Array<I> cuthill_mckee_rows(const Executor& exec, PatternView<I> a, SearchLimits limits)
{
    if (a.rows == 0) {
        return Array<I>(exec);
    }
    SearchOfParts<I> search(exec, a, limits);
    if (search.find_peripheral()) {
        return search.rows_backwards();
    }
    const PatternCopy<I> copy(exec, a);
    return cuthill_mckee_rows<I>(detail::host(), copy.view()).clone(exec);
}

template <class I>
std::vector<I> cuthill_mckee_order(const Executor& exec, PatternView<I> a)
{
    return cuthill_mckee_rows<I>(exec, a).to_host();
}

}  // namespace detail

template <class V, class I>
std::vector<I> reverse_cuthill_mckee(const Csr<V, I>& a)
{
    detail::square("reverse_cuthill_mckee", a.size());
    return detail::cuthill_mckee_order<I>(a.executor(), a.view());
}

}  // namespace linden
