#include "core/kernels/spgeam.hpp"

#include "core/base/math.hpp"
#include "omp/parallel.hpp"

namespace linden::omp {
namespace {

/// Rows in parts with equally many entries of both matrices.
template <class I>
struct PairPartition {
    const I* a_ptrs;
    const I* b_ptrs;
    size_type rows;

    size_type before(size_type row) const { return size_type{a_ptrs[row]} + b_ptrs[row] + row; }
    size_type work() const { return rows == 0 ? 0 : before(rows); }
    size_type first(int part, int parts) const
    {
        if (part == parts) {
            return rows;
        }
        const size_type target = work() / parts * part;
        size_type low = 0;
        size_type high = rows;
        while (low < high) {
            const size_type middle = (low + high) / 2;
            if (before(middle) < target) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }
};

/// Calls both(i, j), only_a(i) or only_b(j) for each column of row `row` of A or B in order.
template <class I, class Both, class OnlyA, class OnlyB>
void merge_row(PatternView<I> a, PatternView<I> b, size_type row, const Both& both, const OnlyA& only_a,
               const OnlyB& only_b)
{
    I i = a.row_ptrs[row];
    I j = b.row_ptrs[row];
    const I i_end = a.row_ptrs[row + 1];
    const I j_end = b.row_ptrs[row + 1];
    while (i < i_end && j < j_end) {
        const I in_a = a.col_idxs[i];
        const I in_b = b.col_idxs[j];
        if (in_a == in_b) {
            both(i++, j++);
        } else if (in_a < in_b) {
            only_a(i++);
        } else {
            only_b(j++);
        }
    }
    while (i < i_end) {
        only_a(i++);
    }
    while (j < j_end) {
        only_b(j++);
    }
}

template <class I, class Body>
void for_each_row(const Executor& exec, PatternView<I> a, PatternView<I> b, const Body& body)
{
    parallel_parts(exec, PairPartition<I>{a.row_ptrs, b.row_ptrs, a.rows}, [&](size_type begin, size_type end) {
        for (size_type row = begin; row < end; ++row) {
            body(row);
        }
    });
}

template <class I>
void count(const Executor& exec, PatternView<I> a, PatternView<I> b, I* counts)
{
    for_each_row(exec, a, b, [=](size_type row) {
        I n = 0;
        merge_row(
            a, b, row, [&](I, I) { ++n; }, [&](I) { ++n; }, [&](I) { ++n; });
        counts[row] = n;
    });
}

template <class I>
void fill(const Executor& exec, PatternView<I> a, PatternView<I> b, const I* row_ptrs, I* col_idxs)
{
    for_each_row(exec, a, b, [=](size_type row) {
        I* next = col_idxs + row_ptrs[row];
        merge_row(
            a, b, row, [&](I i, I) { *next++ = a.col_idxs[i]; }, [&](I i) { *next++ = a.col_idxs[i]; },
            [&](I j) { *next++ = b.col_idxs[j]; });
    });
}

template <class V, class I>
void add(const Executor& exec, V alpha, CsrView<V, I> a, V beta, CsrView<V, I> b, const I* row_ptrs, V* values)
{
    for_each_row<I>(exec, a, b, [=](size_type row) {
        V* next = values + row_ptrs[row];
        merge_row<I>(
            a, b, row, [&](I i, I j) { *next++ = multiply(alpha, a.values[i]) + multiply(beta, b.values[j]); },
            [&](I i) { *next++ = multiply(alpha, a.values[i]); }, [&](I j) { *next++ = multiply(beta, b.values[j]); });
    });
}

}  // namespace

void register_spgeam()
{
    for_each_index([]<class I>() {
        spgeam_count<I>.bind(Backend::omp, count<I>);
        spgeam_fill<I>.bind(Backend::omp, fill<I>);
    });
    for_each_value_index([]<class V, class I>() { spgeam_add<V, I>.bind(Backend::omp, add<V, I>); });
}

}  // namespace linden::omp
