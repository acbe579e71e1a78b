#include "core/kernels/galerkin_rows.hpp"

namespace linden::reference {
namespace {

template <class V>
void eliminate(const Executor&, GalerkinView<V> e, size_type first, Elimination how, WorkspaceView workspace)
{
    const EliminationStep<V> step(e, first, how);
    wide_t<V> d[galerkin_block_rows * galerkin_block_rows];
    auto* const panel = reinterpret_cast<wide_t<V>*>(workspace.data);
    step.invert_block(d);
    for (size_type i = 0; i < step.rows; ++i) {
        step.form_panel_row(d, i, panel);
    }
    for (size_type i = step.begin; i < e.size; ++i) {
        step.update_row(i, panel);
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
        galerkin_eliminate<V>.bind(Backend::reference, eliminate<V>);
        galerkin_substitute<V>.bind(Backend::reference, substitute<V>);
    });
}

}  // namespace linden::reference
