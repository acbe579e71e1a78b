#include "core/portable/parilut.hpp"

#include "gpu/factorization/parilut_rows.cuh"
#include "gpu/factorization/pivots.cuh"
#include "gpu/portable.cuh"

namespace linden::LINDEN_GPU_NAMESPACE {
namespace {

/// What parilut_count and parilut_form are called with.
template <class V, class I>
struct FixedPointProblem {
    static constexpr int held = parilut::rows_per_lane<V, I>;
    CsrView<V, I> a;
    FixedPointView<V, I> f;
    RowSelection<I> selection;
    const device_real<V>* threshold;

    __device__ size_type row_of(size_type i) const { return selection.rows == nullptr ? i : selection.rows[i]; }
    /// Of the row of L.
    __device__ size_type length(size_type i) const { return f.diagonal[row_of(i)] - f.s.row_ptrs[row_of(i)]; }
    /// Calls use(col, value) for the entries of the i-th row of W that are kept, by columns, in all lanes.
    template <class Group, class Use>
    __device__ void form_row(Group group, size_type i, Use use) const
    {
        const size_type row = row_of(i);
        const device_real<V> scale = f.scales[row], limit = *threshold;
        parilut::for_each_entry(group, a, f, row, [&](I col, V value) {
            if (col == static_cast<I>(row) || relative_magnitude(value, scale, f.scales[col]) > limit) {
                use(col, value);
            }
        });
    }
};

struct NoOutput {
    __device__ void store() const {}
};

template <class V, class I>
struct CountRows : FixedPointProblem<V, I> {
    static constexpr int shared_bytes_of_wave = 1;  // none
    I* counts;

    __device__ NoOutput begin(size_type, size_type, void*) const { return {}; }
    template <class Group>
    __device__ void operator()(Group group, size_type i, NoOutput) const
    {
        I count = 0;
        this->form_row(group, i, [&](I, V) { ++count; });
        if (Group::lane() == 0) {
            counts[i] = count;
        }
    }
};

template <class V, class I>
struct FormRows : FixedPointProblem<V, I> {
    /// For rows of 24 entries of doubles.
    static constexpr int shared_bytes_of_wave = 32 * 24 * 12;
    FormedRows<V, I> formed;

    struct Output {
        parilut::WaveEntries<V, I> values;
        parilut::WaveEntries<I, I> cols;

        __device__ void store() const
        {
            values.store();
            cols.store();
        }
    };

    __device__ Output begin(size_type first, size_type last, void* shared) const
    {
        constexpr size_type room = shared_bytes_of_wave / static_cast<int>(sizeof(V) + sizeof(I));
        auto* const values = static_cast<V*>(shared);
        const I begin = formed.row_ptrs[first], end = formed.row_ptrs[last];
        return {{values, room, formed.values, begin, end},
                {reinterpret_cast<I*>(values + room), room, formed.col_idxs, begin, end}};
    }
    template <class Group>
    __device__ void operator()(Group group, size_type i, const Output& output) const
    {
        I to = formed.row_ptrs[i];
        this->form_row(group, i, [&](I col, V value) {
            if (Group::lane() == 0) {
                output.cols[to] = col;
                output.values[to] = value;
            }
            ++to;
        });
    }
};

template <class V, class I>
void count(const Executor& exec, CsrView<V, I> a, FixedPointView<V, I> f, RowSelection<I> selection,
           const real_t<V>* threshold, I* counts, WorkspaceView)
{
    using D = device_type<V>;
    parilut::map_rows(exec, selection.count,
                      CountRows<D, I>{{device_argument(a), device_argument(f), selection, threshold}, counts});
}

template <class V, class I>
void form(const Executor& exec, CsrView<V, I> a, FixedPointView<V, I> f, RowSelection<I> selection,
          const real_t<V>* threshold, FormedRows<V, I> formed, WorkspaceView)
{
    using D = device_type<V>;
    parilut::map_rows(
        exec, selection.count,
        FormRows<D, I>{{device_argument(a), device_argument(f), selection, threshold}, device_argument(formed)});
}

/// A row of W on the pattern of S.
template <class V, class I>
struct SweepRow {
    static constexpr int held = parilut::rows_per_lane<V, I>;
    /// For rows of 16 doubles.
    static constexpr int shared_bytes_of_wave = 32 * 16 * 8;
    FixedPointView<V, I> f;
    const V* a;
    V* values;

    __device__ size_type length(size_type row) const { return f.diagonal[row] - f.s.row_ptrs[row]; }
    __device__ parilut::WaveEntries<V, I> begin(size_type first, size_type last, void* shared) const
    {
        const parilut::WaveEntries<V, I> w(static_cast<V*>(shared), shared_bytes_of_wave / sizeof(V), values,
                                           f.s.row_ptrs[first], f.s.row_ptrs[last]);
        for (I k = w.first + Subgroup<32>::lane(); k < w.first + w.count; k += 32) {
            w[k] = a[k];
        }
        Subgroup<32>::sync();
        return w;
    }
    /// Few lanes merge rows of U, more take entries of their own, each of which has its products in the order of k.
    template <class Group>
    __device__ void operator()(Group, size_type row, const parilut::WaveEntries<V, I>& w) const
    {
        const I begin = f.s.row_ptrs[row], end = f.s.row_ptrs[row + 1];
        if constexpr (Group::size > 2) {
            for (I at = begin + Group::lane(); at < end; at += Group::size) {
                w[at] = swept(row, f.s.col_idxs[at], w[at]);
            }
            return;
        }
        parilut::MultipliedRows<Group, V, I> products(f, row);
        for (I at = begin; at < end; ++at) {
            V value = Group::lane() == 0 ? w[at] : V{};
            products.template subtract_products<false>(f.s.col_idxs[at], value);
            if (Group::lane() == 0) {
                w[at] = value;
            }
        }
    }

private:
    /// value - sum over k < min(i, j) of s_ik s_kj / s_kk, each s_kj by bisection.
    __device__ V swept(size_type row, I col, V value) const
    {
        for (I l = f.s.row_ptrs[row]; l < f.diagonal[row]; ++l) {
            const I k = f.s.col_idxs[l];
            if (k >= col) {
                break;
            }
            const I end = f.s.row_ptrs[k + 1];
            const I u = lower_bound(f.s.col_idxs, f.diagonal[k] + 1, end, col);
            if (u < end && f.s.col_idxs[u] == col) {
                value = value - triple_product(f.s.values[l], f.s.values[u], f.inverses[k]);
            }
        }
        return value;
    }
};

template <class V, class I>
void sweep(const Executor& exec, FixedPointView<V, I> f, const V* a, V* values)
{
    using D = device_type<V>;
    parilut::map_rows(exec, f.s.rows, SweepRow<D, I>{device_argument(f), as_device(a), as_device(values)});
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
        if (is_bad || is_complex<V>) {  // real ones are not changed
            pivot = judged;
        }
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
        parilut_sweep<V, I>.bind(this_backend, sweep<V, I>);
    });
}

}  // namespace linden::LINDEN_GPU_NAMESPACE
