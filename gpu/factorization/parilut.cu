#include "core/portable/parilut.hpp"

#include "gpu/factorization/parilut_rows.cuh"
#include "gpu/factorization/pivots.cuh"
#include "gpu/portable.cuh"

namespace linden::LINDEN_GPU_NAMESPACE {
namespace {

/// What parilut_count and parilut_form are called with.
template <class V, class I>
struct FixedPointProblem {
    CsrView<V, I> a;
    FixedPointView<V, I> f;
    RowSelection<I> selection;
    const device_real<V>* threshold;

    __device__ size_type row_of(size_type i) const { return selection.rows == nullptr ? i : selection.rows[i]; }
    /// Calls use(col, value) for the entries of row `row` of W that are kept, by columns, in all lanes.
    template <class Group, class Use>
    __device__ void form_row(Group, size_type row, Use use) const
    {
        const KeptEntries<V> keeps{f.scales, threshold};
        parilut::RowOfW<Group, V, I>(a, f, row).for_each_entry([&](I col, V value) {
            if (keeps(row, col, value)) {
                use(col, value);
            }
        });
    }
};

template <class V, class I>
struct CountRows {
    FixedPointProblem<V, I> problem;
    I* counts;

    template <class Group>
    __device__ void operator()(Group group, size_type i) const
    {
        I count = 0;
        problem.form_row(group, problem.row_of(i), [&](I, V) { ++count; });
        if (Group::lane() == 0) {
            counts[i] = count;
        }
    }
};

template <class V, class I>
struct FormRows {
    FixedPointProblem<V, I> problem;
    FormedRows<V, I> formed;

    template <class Group>
    __device__ void operator()(Group group, size_type i) const
    {
        I to = formed.row_ptrs[i];
        problem.form_row(group, problem.row_of(i), [&](I col, V value) {
            if (Group::lane() == 0) {
                formed.col_idxs[to] = col;
                formed.values[to] = value;
            }
            ++to;
        });
    }
};

/// A subgroup of 8 lanes holds up to 32 rows of U in registers, one of 32 lanes 128.
template <class V, class I, class Body>
void map_selected_rows(const Executor& exec, const FixedPointProblem<V, I>& problem, Body body)
{
    if (problem.f.s.num_nonzeros <= 32 * problem.a.rows) {
        map_rows_by<8>(exec, problem.selection.count, body);
    } else {
        map_rows_by<32>(exec, problem.selection.count, body);
    }
}

template <class V, class I>
void count(const Executor& exec, CsrView<V, I> a, FixedPointView<V, I> f, RowSelection<I> selection,
           const real_t<V>* threshold, I* counts, WorkspaceView)
{
    using D = device_type<V>;
    const FixedPointProblem<D, I> problem{device_argument(a), device_argument(f), selection, threshold};
    map_selected_rows(exec, problem, CountRows<D, I>{problem, counts});
}

template <class V, class I>
void form(const Executor& exec, CsrView<V, I> a, FixedPointView<V, I> f, RowSelection<I> selection,
          const real_t<V>* threshold, FormedRows<V, I> formed, WorkspaceView)
{
    using D = device_type<V>;
    const FixedPointProblem<D, I> problem{device_argument(a), device_argument(f), selection, threshold};
    map_selected_rows(exec, problem, FormRows<D, I>{problem, device_argument(formed)});
}

template <class V, class I>
struct CheckPivots : NothingToPrepare {
    const I* diagonal;
    const device_real<V>* norms;
    bool is_hermitian;
    V* values;
    PivotInverses<V> pivots;

    __device__ void operator()(Place<1> at, Nothing) const
    {
        bool is_bad = false;
        V& pivot = values[diagonal[at.row]];
        const V judged = judged_pivot(V{} + pivot, norms[at.row], is_hermitian, is_bad);
        pivot = judged;
        invert_pivot(judged, pivots.inverses[at.row], pivots.scales[at.row]);
        if (is_bad) {
            add_bad_pivot(pivots.report, at.row);
        }
    }
};

template <class V, class I>
void check_pivots(const Executor& exec, size_type n, const I* diagonal, const real_t<V>* norms, bool is_hermitian,
                  V* values, PivotInverses<V> pivots)
{
    clear_report(exec, pivots.report);
    using D = device_type<V>;
    const CheckPivots<D, I> body{{}, diagonal, norms, is_hermitian, as_device(values), device_argument(pivots)};
    map_elements(exec, n, 1, body);
}

}  // namespace

void register_parilut()
{
    for_each_portable_parilut(
        []<class Kernel, class Body>(Kernel& kernel, BodyOf<Body>) { kernel.bind(this_backend, run_body<Body>); });
    for_each_value_index([]<class V, class I>() {
        parilut_check_pivots<V, I>.bind(this_backend, check_pivots<V, I>);
        parilut_count<V, I>.bind(this_backend, count<V, I>);
        parilut_form<V, I>.bind(this_backend, form<V, I>);
    });
}

}  // namespace linden::LINDEN_GPU_NAMESPACE
