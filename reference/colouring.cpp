#include "core/kernels/colouring.hpp"

#include <algorithm>

namespace linden::reference {
namespace {

template <class I>
void hashed_order(const Executor&, size_type n, std::uint64_t seed, I* order, I* rank)
{
    const HashedOrder hashed(n, seed);
    for (size_type t = 0; t < n; ++t) {
        order[t] = static_cast<I>(hashed(t));
        rank[order[t]] = static_cast<I>(t);
    }
}

template <class I>
void scattered_order(const Executor&, size_type n, I* order, I* rank)
{
    const ScatteredOrder scattered{n};
    for (size_type i = 0; i < n; ++i) {
        rank[i] = static_cast<I>(scattered.rank(i));
        order[rank[i]] = static_cast<I>(i);
    }
}

template <class I>
void count_unsymmetric(const Executor&, PatternView<I> a, size_type* count)
{
    *count = 0;
    for (size_type row = 0; row < a.rows; ++row) {
        for (I k = a.row_ptrs[row]; k < a.row_ptrs[row + 1]; ++k) {
            const size_type col = a.col_idxs[k];
            *count += !std::binary_search(a.col_idxs + a.row_ptrs[col], a.col_idxs + a.row_ptrs[col + 1], row);
        }
    }
}

template <class I>
void sides(const Executor&, PatternView<I> a, I* sides, WorkspaceView)
{
    for (size_type row = 0; row < a.rows; ++row) {
        I parent = -1;
        for (I k = a.row_ptrs[row]; k < a.row_ptrs[row + 1]; ++k) {
            parent = a.col_idxs[k] < row ? std::max(parent, a.col_idxs[k]) : parent;
        }
        sides[row] = parent < 0 ? I{0} : I{1} - sides[parent];
    }
}

template <class I>
void first_fit(const Executor&, PatternView<I> a, VisitView<I> visit, I* colours, size_type* num_colours,
               WorkspaceView workspace)
{
    auto* const last_user = reinterpret_cast<size_type*>(workspace.data);  // of each colour, among the rows
    std::fill_n(last_user, a.rows + 1, size_type{-1});
    std::fill_n(colours, a.rows, I{-1});
    *num_colours = 0;
    for (size_type t = 0; t < a.rows; ++t) {
        const size_type row = visit.row(t);
        for (I k = a.row_ptrs[row]; k < a.row_ptrs[row + 1]; ++k) {
            const I colour = colours[a.col_idxs[k]];
            if (colour >= 0) {
                last_user[colour] = row;
            }
        }
        I free = 0;
        while (last_user[free] == row) {
            ++free;
        }
        colours[row] = free;
        *num_colours = std::max(*num_colours, size_type{free} + 1);
    }
}

template <class I>
void independent_set(const Executor&, PatternView<I> a, VisitView<I> visit, I* is_member, WorkspaceView)
{
    std::fill_n(is_member, a.rows, I{0});
    for (size_type t = 0; t < a.rows; ++t) {
        const size_type row = visit.row(t);
        const auto is_chosen = [&](I col) { return col != row && is_member[col] == 1; };
        is_member[row] =
            std::none_of(a.col_idxs + a.row_ptrs[row], a.col_idxs + a.row_ptrs[row + 1], is_chosen) ? I{1} : I{0};
    }
}

template <class I>
void validate(const Executor&, PatternView<I> a, size_type num_colours, const I* colours, size_type* num_conflicts)
{
    *num_conflicts = 0;
    for (size_type row = 0; row < a.rows; ++row) {
        *num_conflicts += colours[row] < 0 || colours[row] >= num_colours;
        for (I k = a.row_ptrs[row]; k < a.row_ptrs[row + 1]; ++k) {
            *num_conflicts += a.col_idxs[k] != row && colours[a.col_idxs[k]] == colours[row];
        }
    }
}

template <class I>
void find_movable(const Executor&, PatternView<I> a, size_type count, const I* rows, I from, I to, const I* colours,
                  I* fits)
{
    for (size_type k = 0; k < count; ++k) {
        const auto has_target = [&](I col) { return colours[col] == to; };
        const I row = rows[k];
        fits[k] = colours[row] == from &&
                  std::none_of(a.col_idxs + a.row_ptrs[row], a.col_idxs + a.row_ptrs[row + 1], has_target);
    }
}

template <class I>
void move_rows(const Executor&, size_type count, const I* rows, const I* before, size_type limit, I to, I* colours)
{
    for (size_type k = 0; k < count; ++k) {
        if (before[k] < before[k + 1] && before[k] < limit) {
            colours[rows[k]] = to;
        }
    }
}

template <class I>
void quotient(const Executor&, PatternView<I> a, size_type block_rows, I* row_ptrs, I* col_idxs)
{
    const size_type num_blocks = (a.rows + block_rows - 1) / block_rows;
    for (size_type block = 0; block <= num_blocks; ++block) {
        row_ptrs[block] = a.row_ptrs[std::min(block * block_rows, a.rows)];
    }
    for (size_type k = 0; k < a.num_nonzeros; ++k) {
        col_idxs[k] = static_cast<I>(a.col_idxs[k] / block_rows);
    }
}

template <class I>
void order_rows(const Executor&, ColouredBlocks<I> blocks, I* order, I* position)
{
    for (size_type row = 0; row < blocks.num_rows; ++row) {
        position[row] = static_cast<I>(blocks.position_of(row));
        order[position[row]] = static_cast<I>(row);
    }
}

}  // namespace

void register_colouring()
{
    for_each_index([]<class I>() {
        colouring_hashed_order<I>.bind(Backend::reference, hashed_order<I>);
        colouring_scattered_order<I>.bind(Backend::reference, scattered_order<I>);
        colouring_two_colouring<I>.bind(Backend::reference, sides<I>);
        colouring_count_unsymmetric<I>.bind(Backend::reference, count_unsymmetric<I>);
        colouring_first_fit<I>.bind(Backend::reference, first_fit<I>);
        colouring_independent_set<I>.bind(Backend::reference, independent_set<I>);
        colouring_validate<I>.bind(Backend::reference, validate<I>);
        colouring_find_movable<I>.bind(Backend::reference, find_movable<I>);
        colouring_move<I>.bind(Backend::reference, move_rows<I>);
        colouring_quotient<I>.bind(Backend::reference, quotient<I>);
        colouring_order_rows<I>.bind(Backend::reference, order_rows<I>);
    });
}

}  // namespace linden::reference
