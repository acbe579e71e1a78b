#include "core/portable/galerkin_elimination.hpp"

namespace linden::reference {
namespace {

template <class V>
void eliminate(const Executor&, GalerkinView<V> e, GalerkinPartition parts, size_type first, Elimination how,
               WorkspaceView workspace)
{
    wide_t<V> d[galerkin_block_rows * galerkin_block_rows];
    auto* const panel = reinterpret_cast<wide_t<V>*>(workspace.data);
    for (size_type part = 0; part < parts.num_parts; ++part) {
        const EliminationStep<V> step(e, parts, part, first, how);
        if (step.rows <= 0) {
            continue;
        }
        step.invert_block(d);
        for (size_type i = 0; i < step.rows; ++i) {
            step.form_panel_row(d, i, panel);
        }
        for (size_type i = 0; i < step.num_rows(); ++i) {
            step.update_row(step.row_at(i), panel);
        }
    }
}

template <class V>
void substitute(const Executor&, const V* factors, DenseView<const V> b, DenseView<V> x)
{
    for (size_type col = 0; col < b.cols; ++col) {
        substitute_column(factors, b, x, col);
    }
}

}  // namespace

void register_galerkin()
{
    for_each_value([]<class V>() {
        galerkin_gauss_jordan<V>.bind(Backend::reference, eliminate<V>);
        galerkin_substitute<V>.bind(Backend::reference, substitute<V>);
    });
}

}  // namespace linden::reference
