#include "core/kernels/spgeam.hpp"

namespace linden::reference {
namespace {

/// Calls use(col, i, j) for each column of row `row` of A or B in order: i and j are the entries there, -1 where the
/// matrix has none.
template <class I, class Use>
void merge_row(PatternView<I> a, PatternView<I> b, size_type row, const Use& use)
{
    I i = a.row_ptrs[row];
    I j = b.row_ptrs[row];
    const I i_end = a.row_ptrs[row + 1];
    const I j_end = b.row_ptrs[row + 1];
    while (i < i_end || j < j_end) {
        const bool in_a = i < i_end && (j == j_end || a.col_idxs[i] <= b.col_idxs[j]);
        const bool in_b = j < j_end && (i == i_end || b.col_idxs[j] <= a.col_idxs[i]);
        use(in_a ? a.col_idxs[i] : b.col_idxs[j], in_a ? i : I{-1}, in_b ? j : I{-1});
        i += in_a;
        j += in_b;
    }
}

template <class I>
void count(const Executor&, PatternView<I> a, PatternView<I> b, I* counts)
{
    for (size_type row = 0; row < a.rows; ++row) {
        counts[row] = 0;
        merge_row(a, b, row, [&](I, I, I) { ++counts[row]; });
    }
}

template <class I>
void fill(const Executor&, PatternView<I> a, PatternView<I> b, const I* row_ptrs, I* col_idxs)
{
    for (size_type row = 0; row < a.rows; ++row) {
        I* next = col_idxs + row_ptrs[row];
        merge_row(a, b, row, [&](I col, I, I) { *next++ = col; });
    }
}

template <class V, class I>
void add(const Executor&, V alpha, CsrView<V, I> a, V beta, CsrView<V, I> b, const I* row_ptrs, V* values)
{
    for (size_type row = 0; row < a.rows; ++row) {
        V* next = values + row_ptrs[row];
        merge_row<I>(a, b, row, [&](I, I i, I j) {
            *next++ = (i < 0 ? V{} : alpha * a.values[i]) + (j < 0 ? V{} : beta * b.values[j]);
        });
    }
}

}  // namespace

void register_spgeam()
{
    for_each_index([]<class I>() {
        spgeam_count<I>.bind(Backend::reference, count<I>);
        spgeam_fill<I>.bind(Backend::reference, fill<I>);
    });
    for_each_value_index([]<class V, class I>() { spgeam_add<V, I>.bind(Backend::reference, add<V, I>); });
}

}  // namespace linden::reference
