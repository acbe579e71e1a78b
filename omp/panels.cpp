#include "core/kernels/panels.hpp"

#include <algorithm>
#include <array>
#include <mutex>

#include "core/base/math.hpp"
#include "core/portable/pivots.hpp"
#include "omp/in_turn.hpp"
#include "omp/parallel.hpp"
#include "omp/vector_columns.hpp"

/// Rows are found in place, by columns: w has n values, or n times panel_rows for the rows of a panel, whose values of
/// a column stand together and are the lanes of a vector. What a row is made of, and in which order, is a matter of the
/// pattern alone, so that any number of threads finds the same bits.
namespace linden::omp {
namespace {

constexpr int lanes = panel_rows;

/// Values of a column in the rows of a panel. Loops, since GCC sees vectors in them whatever the instruction set, which
/// it does not in std::copy_n (with AVX2 factorizations took up to nine times as long).
template <class V>
struct Lanes {
    std::array<V, lanes> at;

    static Lanes load(const V* from)
    {
        Lanes x;
        for (int s = 0; s < lanes; ++s) {
            x.at[s] = from[s];
        }
        return x;
    }
    void store(V* to) const
    {
        for (int s = 0; s < lanes; ++s) {
            to[s] = at[s];
        }
    }
    void subtract(const Lanes& l, V u)
    {
        for (int s = 0; s < lanes; ++s) {
            at[s] -= multiply(l.at[s], u);
        }
    }
    void divide(V pivot)
    {
        for (int s = 0; s < lanes; ++s) {
            at[s] /= pivot;
        }
    }
};

/// As Lanes, of a panel of one row.
template <class V>
struct OneLane {
    V at;

    static OneLane load(const V* from) { return {*from}; }
    void store(V* to) const { *to = at; }
    void subtract(const OneLane& l, V u) { at -= multiply(l.at, u); }
    void divide(V pivot) { at /= pivot; }
};

/// w(cols[q]) -= l_0 u_0(q) + l_1 u_1(q) + ..., for `count` columns.
template <int num_rows, int width, class V, class I, class Row>
void subtract_rows(const std::array<Row, lanes>& of_step, const std::array<const V*, lanes>& u, const I* cols,
                   size_type count, V* w)
{
    const auto l = of_step;
    for (size_type q = 0; q < count; ++q) {
        V* const to = w + size_type{cols[q]} * width;
        auto x = Row::load(to);
        for (int t = 0; t < num_rows; ++t) {
            x.subtract(l[t], u[t][q]);
        }
        x.store(to);
    }
}

/// w := w - l_k u_k - ... beyond column k_end, for like rows k, ... of the factors; l_r := w_r / u_rr is left in w.
template <class Row, int width, class V, class I>
void eliminate_by_like_rows(const PanelFactorView<I>& f, I k, I k_end, const V* values, V* w)
{
    std::array<Row, lanes> l{};
    std::array<const V*, lanes> u{};
    const int num_rows = static_cast<int>(k_end - k);
    for (int r = 0; r < num_rows; ++r) {
        V* const here = w + size_type{k + r} * width;
        l[r] = Row::load(here);
        for (int t = 0; t < r; ++t) {
            l[r].subtract(l[t], values[f.diagonal[k + t] + r - t]);
        }
        l[r].divide(values[f.diagonal[k + r]]);
        l[r].store(here);
        u[r] = values + f.diagonal[k + r] + num_rows - r;
    }
    const I first = f.diagonal[k_end - 1] + 1;
    const I* const cols = f.pattern.col_idxs + first;
    const size_type count = f.pattern.row_ptrs[k_end] - first;
    switch (num_rows) {
    case 1:
        return subtract_rows<1, width>(l, u, cols, count, w);
    case 2:
        return subtract_rows<2, width>(l, u, cols, count, w);
    case 3:
        return subtract_rows<3, width>(l, u, cols, count, w);
    default:
        return subtract_rows<4, width>(l, u, cols, count, w);
    }
}

template <class Row, int width, class V, class I>
void take_steps(const PanelFactorView<I>& f, size_type panel, const V* values, V* w)
{
    for (I s = f.step_ptrs[panel]; s < f.step_ptrs[panel + 1]; ++s) {
        eliminate_by_like_rows<Row, width>(f, f.steps[2 * s], f.steps[2 * s + 1], values, w);
    }
}

/// A panel of row i alone. w: any n values.
template <class V, class I>
void factorize_row(const PanelFactorView<I>& f, size_type panel, const PivotLimits<real_t<V>>& limits, V* values, V* w,
                   PivotReport& found)
{
    const I *const ptrs = f.pattern.row_ptrs, *const cols = f.pattern.col_idxs;
    const I i = f.panel_ptrs[panel];
    for (I k = ptrs[i]; k < ptrs[i + 1]; ++k) {
        w[cols[k]] = values[k];
    }
    take_steps<OneLane<V>, 1>(f, panel, values, w);
    for (I k = ptrs[i]; k < ptrs[i + 1]; ++k) {
        values[k] = w[cols[k]];
    }
    replace_bad_pivot(values + f.diagonal[i], ptrs[i + 1] - f.diagonal[i] - 1, limits, i, found);
}

/// Row k of the panel is done: l_ik u_k is subtracted from the rows i of the panel that follow.
template <class V, class I>
void eliminate_within(const PanelFactorView<I>& f, I begin, I k, I end, const V* values, V* w)
{
    Lanes<V> l{};
    V* const column = w + size_type{k} * lanes;
    for (I i = k + 1; i < end; ++i) {
        column[i - begin] /= values[f.diagonal[k]];
        l.at[i - begin] = column[i - begin];
    }
    for (I e = f.diagonal[k] + 1; e < f.pattern.row_ptrs[k + 1]; ++e) {
        V* const to = w + size_type{f.pattern.col_idxs[e]} * lanes;
        auto x = Lanes<V>::load(to);
        x.subtract(l, values[e]);
        x.store(to);
    }
}

/// A panel of several rows. w: n times `lanes` zeros, also after it.
template <class V, class I>
void factorize_panel(const PanelFactorView<I>& f, size_type panel, const PivotLimits<real_t<V>>& limits, V* values,
                     V* w, PivotReport& found)
{
    const I *const ptrs = f.pattern.row_ptrs, *const cols = f.pattern.col_idxs;
    const I begin = f.panel_ptrs[panel], end = f.panel_ptrs[panel + 1];
    for (I i = begin; i < end; ++i) {
        for (I k = ptrs[i]; k < ptrs[i + 1]; ++k) {
            w[size_type{cols[k]} * lanes + i - begin] = values[k];
        }
    }
    take_steps<Lanes<V>, lanes>(f, panel, values, w);
    for (I i = begin; i < end; ++i) {
        for (I k = ptrs[i]; k < ptrs[i + 1]; ++k) {
            values[k] = w[size_type{cols[k]} * lanes + i - begin];
        }
        replace_bad_pivot(values + f.diagonal[i], ptrs[i + 1] - f.diagonal[i] - 1, limits, i, found);
        eliminate_within(f, begin, i, end, values, w);
    }
    for (I i = begin; i < end; ++i) {
        for (I k = ptrs[i]; k < ptrs[i + 1]; ++k) {
            Lanes<V>{}.store(w + size_type{cols[k]} * lanes);
        }
    }
}

/// The pivots of a task, one after the other, each with all rows that it is subtracted from.
template <bool is_hermitian, class V, class I>
void follow_updates(const PanelFactorView<I>& f, size_type task, const PivotLimits<real_t<V>>& limits, V* values,
                    PivotReport& found)
{
    const auto list = f.updates;
    const I *const diagonal = f.diagonal, *const ptrs = f.pattern.row_ptrs,
                   *const end = list.pivots + 4 * list.task_ptrs[task + 1];
    const I* run = list.runs + list.run_ptrs[task];
    for (const I* p = list.pivots + 4 * list.task_ptrs[task]; p < end; p += 4) {
        const I k = p[0] < 0 ? -1 - p[0] : p[0], num_runs = p[1], first = p[2], num_short = p[3];
        const V* const u = values + diagonal[k] + 1;
        const I length = ptrs[k + 1] - diagonal[k] - 1;
        if (p[0] >= 0) {
            replace_bad_pivot(values + diagonal[k], length, limits, k, found);
        }
        const V pivot = values[diagonal[k]];
        for (I r = 0; r < num_runs; ++r, run += length + 1) {
            const V l = (is_hermitian ? conj(u[first + r]) : values[run[0]]) / pivot;
            values[run[0]] = l;
            const I begin = is_hermitian ? std::min(static_cast<I>(first + r), num_short) : I{0};
            for (I j = begin; j < length; ++j) {
                values[run[1 + j]] -= multiply(l, u[j]);
            }
        }
    }
}

template <class V, class I>
void factorize_panels(const PanelFactorView<I>& f, size_type task, const PivotLimits<real_t<V>>& limits, V* values,
                      V* row, PivotReport& found)
{
    V* const rows = row + f.pattern.rows;
    for (I p = f.task_ptrs[task]; p < f.task_ptrs[task + 1]; ++p) {
        const I panel = f.order[p];
        if (f.panel_ptrs[panel + 1] - f.panel_ptrs[panel] == 1) {
            factorize_row(f, panel, limits, values, row, found);
        } else {
            factorize_panel(f, panel, limits, values, rows, found);
        }
    }
}

/// The panels that are not written out.
template <class I>
PanelFactorView<I> panels_left(PanelFactorView<I> f)
{
    if (f.updates.is_there) {
        f.order = f.updates.order;
        f.task_ptrs = f.updates.order_task_ptrs;
        f.step_ptrs = f.updates.step_ptrs;
        f.steps = f.updates.steps;
    }
    return f;
}

template <class I>
int num_threads_for(const Executor& exec, const PanelFactorView<I>& f, size_type least_entries)
{
    return f.num_tasks == 1 || f.pattern.num_nonzeros < least_entries ? 1 : num_threads(exec);
}

template <class V, class I>
void factorize(const Executor& exec, PanelFactorView<I> f, PivotLimits<real_t<V>> limits, V* values,
               PivotReport* report, WorkspaceView workspace)
{
    *report = {};
    const size_type n = f.pattern.rows;
    V* const room = reinterpret_cast<V*>(workspace.data);
    const int threads = num_threads_for(exec, f, min_parallel_work);
    const bool has_panels = !f.updates.is_there || f.updates.num_panels_left > 0;
    const bool has_large_panels = has_panels && f.task_ptrs[f.num_tasks] < n;
    const auto left = panels_left(f);
    for (int thread = 0; thread < threads && has_large_panels; ++thread) {
        std::fill_n(room + thread * n * (lanes + 1) + n, n * lanes, V{});
    }
    std::mutex joining;
    const auto run = [&](int thread, size_type task) {
        PivotReport found;
        if (f.updates.is_there) {
            f.updates.is_hermitian ? follow_updates<true>(f, task, limits, values, found)
                                   : follow_updates<false>(f, task, limits, values, found);
        }
        if (has_panels) {
            factorize_panels(left, task, limits, values, room + thread * n * (lanes + 1), found);
        }
        if (found.num_bad > 0) {
            const std::lock_guard lock(joining);
            report->num_bad += found.num_bad;
            report->first_row = std::min(report->first_row, found.first_row);
        }
    };
    run_in_turn(0, f.num_tasks - 1, threads, run);
    run(0, f.num_tasks - 1);
}

/// The sum of values[k] x(cols[k], j), begin <= k < end, in four parts.
template <class V, class I, class Columns>
inline V row_times(const I* cols, const V* values, I begin, I end, const Columns& x, size_type j)
{
    std::array<V, 4> sums{};
    if (end - begin < 4) {
        for (; begin < end; ++begin) {
            sums[0] += multiply(values[begin], x(cols[begin], j));
        }
        return sums[0];
    }
    for (; begin + 4 <= end; begin += 4) {
        for (int t = 0; t < 4; ++t) {
            sums[t] += multiply(values[begin + t], x(cols[begin + t], j));
        }
    }
    for (; begin < end; ++begin) {
        sums[0] += multiply(values[begin], x(cols[begin], j));
    }
    return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

/// As for_each_row, last to first.
template <class I, class Each>
void for_each_row_backwards(const PanelFactorView<I>& f, size_type task, const Each& each)
{
    if (f.num_tasks == 1) {
        for (I i = static_cast<I>(f.pattern.rows); i-- > 0;) {
            each(i);
        }
        return;
    }
    for (I p = f.task_ptrs[task + 1]; p-- > f.task_ptrs[task];) {
        const I panel = f.order[p];
        for (I i = f.panel_ptrs[panel + 1]; i-- > f.panel_ptrs[panel];) {
            each(i);
        }
    }
}

template <class V, class I, class Columns>
inline void solve_lower_row(const PanelFactorView<I>& f, const V* values, const Columns& x, I i)
{
    for (size_type j = 0; j < x.count(); ++j) {
        x(i, j) -= row_times(f.pattern.col_idxs, values, f.pattern.row_ptrs[i], f.diagonal[i], x, j);
    }
}

template <class V, class I, class Columns>
inline void solve_upper_row(const PanelFactorView<I>& f, const V* values, const Columns& x, I i)
{
    const I at = f.diagonal[i];
    for (size_type j = 0; j < x.count(); ++j) {
        const V sum = row_times(f.pattern.col_idxs, values, I(at + 1), f.pattern.row_ptrs[i + 1], x, j);
        x(i, j) = (x(i, j) - sum) / values[at];
    }
}

template <class V, class I, class Columns>
void solve_lower(const PanelFactorView<I>& f, size_type task, const V* values, const Columns& x)
{
    for_each_row(f, task, [=](I i) { solve_lower_row(f, values, x, i); });
}

template <class V, class I, class Columns>
void solve_upper(const PanelFactorView<I>& f, size_type task, const V* values, const Columns& x)
{
    for_each_row_backwards(f, task, [=](I i) { solve_upper_row(f, values, x, i); });
}

/// The blocks of a block triangular form, last to first. Many are of one row.
template <class V, class I, class Columns>
void solve_blocks(const PanelFactorView<I>& factors, const V* of_factors, const Columns& columns)
{
    const auto f = factors;
    const Columns x = columns;
    const V *const values = of_factors, *const outside_values = values + f.pattern.num_nonzeros;
    const I *const ptrs = f.outside.pattern.row_ptrs, *const cols = f.outside.pattern.col_idxs;
    const auto subtract_outside = [=](I i) {
        for (size_type j = 0; j < x.count(); ++j) {
            x(i, j) -= row_times(cols, outside_values, ptrs[i], ptrs[i + 1], x, j);
        }
    };
    for (size_type b = f.outside.num_blocks; b-- > 0;) {
        const I begin = f.outside.block_ptrs[b], end = f.outside.block_ptrs[b + 1];
        if (end - begin == 1) {
            subtract_outside(begin);
            for (size_type j = 0; j < x.count(); ++j) {
                x(begin, j) /= values[f.diagonal[begin]];
            }
            continue;
        }
        for (I i = begin; i < end; ++i) {
            subtract_outside(i);
            solve_lower_row(f, values, x, i);
        }
        for (I i = end; i-- > begin;) {
            solve_upper_row(f, values, x, i);
        }
    }
}

template <class V, class I, class Columns>
void solve_both(const PanelFactorView<I>& f, int threads, const V* values, const Columns& x)
{
    if (f.outside.num_blocks > 0) {
        return solve_blocks(f, values, x);
    }
    run_in_turn(0, f.num_tasks - 1, threads, [&](int, size_type task) { solve_lower(f, task, values, x); });
    solve_lower(f, f.num_tasks - 1, values, x);
    solve_upper(f, f.num_tasks - 1, values, x);
    run_in_turn(0, f.num_tasks - 1, threads, [&](int, size_type task) { solve_upper(f, task, values, x); });
}

template <class V, class I>
void solve(const Executor& exec, PanelFactorView<I> f, const V* values, DenseView<V> x)
{
    const int threads = num_threads_for(exec, f, 4 * min_parallel_work);
    if (x.cols == 1 && x.stride == 1) {
        solve_both(f, threads, values, OneColumn<V>{x.values});
    } else {
        solve_both(f, threads, values, ManyColumns<V>{x});
    }
}

}  // namespace

void register_panels()
{
    for_each_value_index([]<class V, class I>() {
        panels_factorize<V, I>.bind(Backend::omp, factorize<V, I>);
        panels_solve<V, I>.bind(Backend::omp, solve<V, I>);
    });
}

}  // namespace linden::omp
