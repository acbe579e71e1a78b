#include "core/portable/parilut_rows.hpp"

namespace linden::reference {
namespace {

template <class Body, class... Args>
void run_body(const Executor&, Args... args)
{
    const Body body{args...};
    for (size_type i = 0; i < body.size(); ++i) {
        do_item(body, i);
    }
}

template <class V, class I>
void check(const Executor&, size_type n, const I* diagonal, const real_t<V>* norms, bool is_hermitian, V* values,
           PivotInverses<V> pivots)
{
    *pivots.report = check_pivots<V, I>(0, n, diagonal, norms, is_hermitian, values, pivots);
}

template <class V, class I>
void count(const Executor&, CsrView<V, I> a, FixedPointView<V, I> f, RowSelection<I> selection,
           const real_t<V>* threshold, I* counts, WorkspaceView workspace)
{
    WorkingRow<V, I> row(workspace.data, a.rows);
    FixedPointProblem<V, I>{a, f, selection, threshold}.count(0, selection.count, row, counts);
}

template <class V, class I>
void form(const Executor&, CsrView<V, I> a, FixedPointView<V, I> f, RowSelection<I> selection,
          const real_t<V>* threshold, FormedRows<V, I> formed, WorkspaceView workspace)
{
    WorkingRow<V, I> row(workspace.data, a.rows);
    FixedPointProblem<V, I>{a, f, selection, threshold}.form(0, selection.count, row, formed);
}

}  // namespace

void register_parilut()
{
    for_each_portable_parilut([]<class Kernel, class Body>(Kernel& kernel, BodyOf<Body>) {
        kernel.bind(Backend::reference, run_body<Body>);
    });
    for_each_value_index([]<class V, class I>() {
        parilut_check_pivots<V, I>.bind(Backend::reference, check<V, I>);
        parilut_count<V, I>.bind(Backend::reference, count<V, I>);
        parilut_form<V, I>.bind(Backend::reference, form<V, I>);
        parilut_sweep<V, I>.bind(Backend::reference, run_body<SweepRows<V, I>, FixedPointView<V, I>, const V*, V*>);
    });
}

}  // namespace linden::reference
