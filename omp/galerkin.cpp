#include "core/portable/galerkin_elimination.hpp"

#include "omp/few_rows.hpp"

namespace linden::omp {
namespace {

/// Parts one after the other, since all change the separators; the rows of each side by side.
template <class V>
void eliminate(const Executor& exec, GalerkinView<V> e, GalerkinPartition parts, size_type first, Elimination how,
               WorkspaceView workspace)
{
    wide_t<V> d[galerkin_block_rows * galerkin_block_rows];
    auto* const panel = reinterpret_cast<wide_t<V>*>(workspace.data);
    const auto rows = [](size_type count, size_type work) { return FewRows{count, work}; };
    for (size_type part = 0; part < parts.num_parts; ++part) {
        const EliminationStep<V> step(e, parts, part, first, how);
        if (step.rows <= 0) {
            continue;
        }
        const size_type columns = step.num_columns();
        step.invert_block(d);
        parallel_parts(exec, rows(step.rows, step.rows * columns * step.rows), [&](size_type begin, size_type end) {
            for (size_type i = begin; i < end; ++i) {
                step.form_panel_row(d, i, panel);
            }
        });
        const auto count = step.num_rows();
        parallel_parts(exec, rows(count, count * columns * step.rows), [&](size_type begin, size_type end) {
            for (size_type i = begin; i < end; ++i) {
                step.update_row(step.row_at(i), panel);
            }
        });
    }
}

/// Columns side by side; the steps of one follow each other.
template <class V>
void substitute(const Executor& exec, const V* factors, DenseView<const V> b, DenseView<V> x)
{
    parallel_parts(exec, FewRows{b.cols, b.cols * b.rows * b.rows}, [&](size_type begin, size_type end) {
        for (size_type col = begin; col < end; ++col) {
            substitute_column(factors, b, x, col);
        }
    });
}

}  // namespace

void register_galerkin()
{
    for_each_value([]<class V>() {
        galerkin_gauss_jordan<V>.bind(Backend::omp, eliminate<V>);
        galerkin_substitute<V>.bind(Backend::omp, substitute<V>);
    });
}

}  // namespace linden::omp
