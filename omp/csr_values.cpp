#include "core/kernels/csr_values.hpp"

#include <cmath>

#include "core/base/math.hpp"
#include "omp/parallel.hpp"

namespace linden::omp {
namespace {

template <class V, class I>
void gather(const Executor& exec, size_type n, const I* source, const V* values, V* out, Conjugate conjugated)
{
    const bool conjugates = conjugated == Conjugate::yes;
    parallel_rows(exec, n, [=](size_type begin, size_type end) {
        for (size_type k = begin; k < end; ++k) {
            const V value = source[k] < 0 ? V{} : values[source[k]];
            out[k] = conjugates ? conjugate(value) : value;
        }
    });
}

template <class V, class I>
void sum_runs(const Executor& exec, size_type num_runs, const I* run_begins, size_type count, const I* source,
              const V* values, V* out)
{
    parallel_rows(exec, num_runs, [=](size_type begin, size_type end) {
        for (size_type run = begin; run < end; ++run) {
            const size_type last = run + 1 < num_runs ? size_type{run_begins[run + 1]} : count;
            V sum = values[source[run_begins[run]]];
            for (size_type k = run_begins[run] + 1; k < last; ++k) {
                sum += values[source[k]];
            }
            out[run] = sum;
        }
    });
}

template <class V>
void absolute(const Executor& exec, size_type n, const V* values, V* out)
{
    parallel_rows(exec, n, [=](size_type begin, size_type end) {
        for (size_type k = begin; k < end; ++k) {
            out[k] = std::abs(values[k]);
        }
    });
}

/// value := f(row, column, value) for every entry.
template <class V, class I, class F>
void update(const Executor& exec, PatternView<I> a, V* values, F f)
{
    parallel_parts(exec, NonzeroPartition<I>{a.row_ptrs, a.rows}, [=](size_type begin, size_type end) {
        for (size_type row = begin; row < end; ++row) {
            for (I k = a.row_ptrs[row]; k < a.row_ptrs[row + 1]; ++k) {
                values[k] = f(row, size_type{a.col_idxs[k]}, values[k]);
            }
        }
    });
}

template <class V, class I>
void scale_rows(const Executor& exec, PatternView<I> a, const V* d, V* values)
{
    update(exec, a, values, [=](size_type row, size_type, V value) { return multiply(d[row], value); });
}

template <class V, class I>
void scale_columns(const Executor& exec, PatternView<I> a, const V* d, V* values)
{
    update(exec, a, values, [=](size_type, size_type col, V value) { return multiply(value, d[col]); });
}

template <class V, class I>
void add_scaled_identity(const Executor& exec, PatternView<I> a, V alpha, V beta, V* values)
{
    update(exec, a, values, [=](size_type row, size_type col, V value) {
        const V scaled = alpha == V{} ? V{} : multiply(alpha, value);
        return row == col ? scaled + beta : scaled;
    });
}

}  // namespace

void register_csr_values()
{
    for_each_value([]<class V>() { array_absolute<V>.bind(Backend::omp, absolute<V>); });
    for_each_value_index([]<class V, class I>() {
        array_gather<V, I>.bind(Backend::omp, gather<V, I>);
        array_sum_runs<V, I>.bind(Backend::omp, sum_runs<V, I>);
        csr_scale_rows<V, I>.bind(Backend::omp, scale_rows<V, I>);
        csr_scale_columns<V, I>.bind(Backend::omp, scale_columns<V, I>);
        csr_add_scaled_identity<V, I>.bind(Backend::omp, add_scaled_identity<V, I>);
    });
}

}  // namespace linden::omp
