#include "core/portable/parilut.hpp"

#include "gpu/factorization/parilut_long_rows.cuh"
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
    __device__ size_type length(size_type i) const { return parilut::length_of_row(f, row_of(i)); }
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

using Wave = parilut::Wave;

/// Long rows among those that are selected.
template <class V, class I>
struct LongRowsOfW : FixedPointProblem<V, I> {
    size_type waves;

    /// The number of the r-th long row among those that are selected; negative if it is not.
    __device__ size_type place(size_type r) const
    {
        const I row = this->f.long_rows.rows[r];
        if (this->selection.rows == nullptr) {
            return row;
        }
        const I* const rows = this->selection.rows;
        const size_type i = lower_bound(rows, size_type{}, this->selection.count, row);
        return i < this->selection.count && rows[i] == row ? i : -1;
    }
    __device__ I& offset(size_type r, size_type wave) const { return this->f.long_rows.offsets[r * waves + wave]; }

    /// Calls use(is_kept, col, value) in all lanes, for the columns of a wave.
    template <class Use>
    __device__ void form_part(size_type r, size_type wave, Use use) const
    {
        const FixedPointView<V, I>& iterate = this->f;
        const CsrView<V, I>& matrix = this->a;
        const I row = iterate.long_rows.rows[r];
        const parilut::LongRow<V, I> products(iterate, row);
        const KeptEntries<V> keeps{iterate.scales, this->threshold};
        const size_type first = wave * columns_of_wave;
        const size_type last = iterate.s.rows - first < columns_of_wave ? iterate.s.rows : first + columns_of_wave;
        for (size_type base = first; base < last; base += Wave::size) {
            const size_type mine = base + Wave::lane();
            const I col = mine < last ? static_cast<I>(mine) : I{-1};
            V value{};
            bool is_there = col == row;
            if (col >= 0) {
                const I at = lower_bound(matrix.col_idxs, matrix.row_ptrs[row], matrix.row_ptrs[row + 1], col);
                if (at < matrix.row_ptrs[row + 1] && matrix.col_idxs[at] == col) {
                    value = matrix.values[at];
                    is_there = true;
                }
            }
            products.subtract_products(col, value, is_there);
            use(is_there && keeps(row, col, value), col, value);
        }
    }
};

template <class V, class I>
struct CountLongRows : LongRowsOfW<V, I> {
    __device__ void operator()(size_type r, size_type wave) const
    {
        if (this->place(r) < 0) {
            return;
        }
        I count = 0;
        this->form_part(r, wave, [&](bool is_kept, I, V) { count += popcount(Wave::ballot(is_kept)); });
        if (Wave::lane() == 0) {
            this->offset(r, wave) = count;
        }
    }
};

/// Counts of waves become offsets.
template <class V, class I>
struct SumLongRows : LongRowsOfW<V, I> {
    I* counts;

    __device__ void operator()(size_type r, size_type) const
    {
        const size_type i = this->place(r);
        if (i < 0) {
            return;
        }
        I before = 0;
        for (size_type base = 0; base < this->waves; base += Wave::size) {
            const size_type wave = base + Wave::lane();
            const I count = wave < this->waves ? this->offset(r, wave) : I{};
            I sum = count;
            for (int distance = 1; distance < Wave::size; distance *= 2) {
                const I other = Wave::shuffle_up(sum, distance);
                sum += Wave::lane() >= distance ? other : I{};
            }
            if (wave < this->waves) {
                this->offset(r, wave) = before + sum - count;
            }
            before += Wave::shuffle(sum, Wave::size - 1);
        }
        if (Wave::lane() == 0) {
            counts[i] = before;
        }
    }
};

template <class V, class I>
struct FormLongRows : LongRowsOfW<V, I> {
    FormedRows<V, I> formed;

    __device__ void operator()(size_type r, size_type wave) const
    {
        const size_type i = this->place(r);
        if (i < 0) {
            return;
        }
        I to = formed.row_ptrs[i] + this->offset(r, wave);
        this->form_part(r, wave, [&](bool is_kept, I col, V value) {
            const LaneMask kept = Wave::ballot(is_kept);
            if (is_kept) {
                const I mine = to + popcount(kept & ((LaneMask{1} << Wave::lane()) - 1));
                formed.col_idxs[mine] = col;
                formed.values[mine] = value;
            }
            to += popcount(kept);
        });
    }
};

template <class V, class I>
void count(const Executor& exec, CsrView<V, I> a, FixedPointView<V, I> f, RowSelection<I> selection,
           const real_t<V>* threshold, I* counts, WorkspaceView)
{
    using D = device_type<V>;
    const FixedPointProblem<D, I> problem{device_argument(a), device_argument(f), selection, threshold};
    parilut::map_rows(exec, selection.count, CountRows<D, I>{problem, counts});
    const size_type waves = waves_of_row(f.s.rows);
    const LongRowsOfW<D, I> long_rows{problem, waves};
    parilut::map_long_rows(exec, f.long_rows.count, waves, CountLongRows<D, I>{long_rows});
    parilut::map_long_rows(exec, f.long_rows.count, 1, SumLongRows<D, I>{long_rows, counts});
}

template <class V, class I>
void form(const Executor& exec, CsrView<V, I> a, FixedPointView<V, I> f, RowSelection<I> selection,
          const real_t<V>* threshold, FormedRows<V, I> formed, WorkspaceView)
{
    using D = device_type<V>;
    const FixedPointProblem<D, I> problem{device_argument(a), device_argument(f), selection, threshold};
    parilut::map_rows(exec, selection.count, FormRows<D, I>{problem, device_argument(formed)});
    const size_type waves = waves_of_row(f.s.rows);
    parilut::map_long_rows(exec, f.long_rows.count, waves,
                           FormLongRows<D, I>{{problem, waves}, device_argument(formed)});
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

    __device__ size_type length(size_type row) const { return parilut::length_of_row(f, row); }
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

/// The same for a long row, whose entries go to waves as columns do above.
template <class V, class I>
struct SweepLongRow {
    FixedPointView<V, I> f;
    const V* a;
    V* values;

    __device__ void operator()(size_type r, size_type wave) const
    {
        const I row = f.long_rows.rows[r];
        const parilut::LongRow<V, I> products(f, row);
        const size_type first = f.s.row_ptrs[row] + wave * columns_of_wave, end = f.s.row_ptrs[row + 1];
        const size_type last = end - first < columns_of_wave ? end : first + columns_of_wave;
        for (size_type base = first; base < last; base += Wave::size) {
            const size_type at = base + Wave::lane();
            V value = at < last ? a[at] : V{};
            bool has_product = false;
            products.subtract_products(at < last ? f.s.col_idxs[at] : I{-1}, value, has_product);
            if (at < last) {
                values[at] = value;
            }
        }
    }
};

template <class V, class I>
void sweep(const Executor& exec, FixedPointView<V, I> f, const V* a, V* values)
{
    using D = device_type<V>;
    parilut::map_rows(exec, f.s.rows, SweepRow<D, I>{device_argument(f), as_device(a), as_device(values)});
    parilut::map_long_rows(exec, f.long_rows.count, waves_of_row(f.s.rows),
                           SweepLongRow<D, I>{device_argument(f), as_device(a), as_device(values)});
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
