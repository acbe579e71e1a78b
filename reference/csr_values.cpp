#include "core/kernels/csr_values.hpp"

#include "core/base/math.hpp"

namespace linden::reference {
namespace {

/// value := f(row, column, value) for every entry.
template <class V, class I, class F>
void update(PatternView<I> a, V* values, F f)
{
    for (size_type row = 0; row < a.rows; ++row) {
        for (I k = a.row_ptrs[row]; k < a.row_ptrs[row + 1]; ++k) {
            values[k] = f(row, size_type{a.col_idxs[k]}, values[k]);
        }
    }
}

template <class V, class I>
void scale_rows(const Executor&, PatternView<I> a, const V* d, V* values)
{
    update(a, values, [=](size_type row, size_type, V value) { return multiply(d[row], value); });
}

template <class V, class I>
void scale_columns(const Executor&, PatternView<I> a, const V* d, V* values)
{
    update(a, values, [=](size_type, size_type col, V value) { return multiply(value, d[col]); });
}

template <class V, class I>
void add_scaled_identity(const Executor&, PatternView<I> a, V alpha, V beta, V* values)
{
    update(a, values, [=](size_type row, size_type col, V value) {
        const V scaled = alpha == V{} ? V{} : multiply(alpha, value);
        return row == col ? scaled + beta : scaled;
    });
}

}  // namespace

void register_csr_values()
{
    for_each_value_index([]<class V, class I>() {
        csr_scale_rows<V, I>.bind(Backend::reference, scale_rows<V, I>);
        csr_scale_columns<V, I>.bind(Backend::reference, scale_columns<V, I>);
        csr_add_scaled_identity<V, I>.bind(Backend::reference, add_scaled_identity<V, I>);
    });
}

}  // namespace linden::reference
