#include "core/kernels/ilu.hpp"

#include <omp.h>

#include <algorithm>
#include <mutex>

#include "core/base/math.hpp"
#include "core/portable/pivots.hpp"
#include "core/portable/search.hpp"
#include "core/portable/uneven_rows.hpp"
#include "omp/levels.hpp"

namespace linden::omp {
namespace {

template <class I>
void find_diagonal(const Executor& exec, PatternView<I> a, I* diagonal)
{
    parallel_parts(exec, NonzeroPartition<I>{a.row_ptrs, a.rows}, [&](size_type begin, size_type end) {
        for (size_type row = begin; row < end; ++row) {
            const I* const last = a.col_idxs + a.row_ptrs[row + 1];
            const I* const at = std::find(a.col_idxs + a.row_ptrs[row], last, row);
            diagonal[row] = at == last ? I{-1} : static_cast<I>(at - a.col_idxs);
        }
    });
}

/// As for_each_shared, calls use(k, i): each of the entries k is looked up.
template <class I, class Use>
void look_up(const I* cols, I k, I k_end, I i, I i_end, const Use& use)
{
    for (; k < k_end; ++k) {
        i = static_cast<I>(first_from(cols, i, i_end, cols[k]));
        if (i < i_end && cols[i] == cols[k]) {
            use(k, i);
        }
    }
}

/// Calls use(i, k) for the entries i in [i, i_end) and k in [k, k_end) of two sorted rows that share a column, by
/// columns. Those of a row that is far shorter are looked up in the other: a full row would be walked for each of its
/// entries.
template <class I, class Use>
void for_each_shared(const I* cols, I i, I i_end, I k, I k_end, const Use& use)
{
    if (is_far_longer(i_end - i, k_end - k)) {
        return look_up(cols, k, k_end, i, i_end, [&](I of_k, I of_i) { use(of_i, of_k); });
    }
    if (is_far_longer(k_end - k, i_end - i)) {
        return look_up(cols, i, i_end, k, k_end, use);
    }
    while (i < i_end && k < k_end) {
        const I col_i = cols[i];
        const I col_k = cols[k];
        if (col_i == col_k) {
            use(i, k);
        }
        i += col_i <= col_k ? 1 : 0;
        k += col_k <= col_i ? 1 : 0;
    }
}

/// Row i of the factors of A.
template <class V, class I>
void eliminate_row(const FactorPatternView<I>& f, size_type i, V* values)
{
    const auto& a = f.pattern;
    for (I ik = a.row_ptrs[i]; ik < f.diagonal[i]; ++ik) {
        const size_type k = a.col_idxs[ik];
        const V l = values[ik] / values[f.diagonal[k]];
        values[ik] = l;
        for_each_shared(a.col_idxs, I(ik + 1), a.row_ptrs[i + 1], I(f.diagonal[k] + 1), a.row_ptrs[k + 1],
                        [&](I ij, I kj) { values[ij] -= multiply(l, values[kj]); });
    }
}

/// Row i of the factor of a Hermitian A but for its diagonal; returns the radicand of that.
template <class V, class I>
real_t<V> eliminate_hermitian_row(const FactorPatternView<I>& f, size_type i, V* values)
{
    const auto& a = f.pattern;
    auto radicand = real(values[f.diagonal[i]]);
    for (I ik = a.row_ptrs[i]; ik < f.diagonal[i]; ++ik) {
        const size_type k = a.col_idxs[ik];
        V l = values[ik];
        for_each_shared(a.col_idxs, a.row_ptrs[i], ik, a.row_ptrs[k], f.diagonal[k],
                        [&](I ij, I kj) { l -= multiply(values[ij], conj(values[kj])); });
        values[ik] = l / values[f.diagonal[k]];
        radicand -= abs2(values[ik]);
    }
    return radicand;
}

/// Room for a row in each thread, where the pattern is closed and the workspace has it; else without any.
template <class V, class I>
class ThreadRows {
public:
    ThreadRows(const Executor& exec, const FactorPatternView<I>& f, WorkspaceView workspace)
        : n_(f.pattern.rows),
          rows_(reinterpret_cast<V*>(workspace.data))
    {
        has_room_ = f.is_closed && num_threads(exec) * n_ * static_cast<size_type>(sizeof(V)) <= workspace.bytes;
    }
    explicit operator bool() const { return has_room_; }
    V* row() const { return rows_ + omp_get_thread_num() * n_; }
    void clear(const Executor& exec) const { std::fill_n(rows_, num_threads(exec) * n_, V{}); }

private:
    size_type n_;
    V* rows_;
    bool has_room_ = false;
};

/// As eliminate_hermitian_row, of a closed pattern. w: n zeros, also after it.
template <class V, class I>
real_t<V> eliminate_closed_hermitian_row(const FactorPatternView<I>& f, size_type i, V* values, V* w)
{
    const I *const ptrs = f.pattern.row_ptrs, *const cols = f.pattern.col_idxs;
    auto radicand = real(values[f.diagonal[i]]);
    for (I ik = ptrs[i]; ik < f.diagonal[i]; ++ik) {
        const I k = cols[ik];
        V l = values[ik];
        for (I kj = ptrs[k]; kj < f.diagonal[k]; ++kj) {
            l -= multiply(w[cols[kj]], conj(values[kj]));
        }
        l /= values[f.diagonal[k]];
        values[ik] = w[k] = l;
        radicand -= abs2(l);
    }
    for (I ik = ptrs[i]; ik < f.diagonal[i]; ++ik) {
        w[cols[ik]] = V{};
    }
    return radicand;
}

/// Calls finish_row(i, report) for all rows by levels; reports what was found together.
template <class I, class FinishRow>
void factorize_by_levels(const Executor& exec, const FactorPatternView<I>& f, PivotReport* report,
                         const FinishRow& finish_row)
{
    const auto& a = f.pattern;
    const size_type mean = a.num_nonzeros / std::max<size_type>(a.rows, 1) + 1;
    *report = {};
    std::mutex joining;
    const LevelSchedule<I> levels{f.level_ptrs, {0, f.num_levels, 0, a.rows}, 2 * mean};
    const auto follows = [&](size_type p) {
        const I row = f.order[p];
        const I at = f.diagonal[row];
        return f.order[p - 1] == row - 1 && at > a.row_ptrs[row] && a.col_idxs[at - 1] == row - 1;
    };
    run_levels(exec, levels, follows, [&](size_type begin, size_type end) {
        PivotReport found;
        for (size_type p = begin; p < end; ++p) {
            finish_row(size_type{f.order[p]}, found);
        }
        if (found.num_bad > 0) {
            const std::lock_guard lock(joining);
            report->num_bad += found.num_bad;
            report->first_row = std::min(report->first_row, found.first_row);
        }
    });
}

template <class V, class I>
void factorize_lu(const Executor& exec, FactorPatternView<I> f, PivotLimits<real_t<V>> limits, V* values,
                  PivotReport* report, WorkspaceView)
{
    factorize_by_levels(exec, f, report, [&](size_type i, PivotReport& found) {
        eliminate_row(f, i, values);
        const I at = f.diagonal[i];
        replace_bad_pivot(values + at, f.pattern.row_ptrs[i + 1] - at - 1, limits, i, found);
    });
}

template <class V, class I>
void factorize_cholesky(const Executor& exec, FactorPatternView<I> f, PivotLimits<real_t<V>> limits, V* values,
                        PivotReport* report, WorkspaceView workspace)
{
    const ThreadRows<V, I> rows(exec, f, workspace);
    if (rows) {
        rows.clear(exec);
    }
    factorize_by_levels(exec, f, report, [&](size_type i, PivotReport& found) {
        auto radicand =
            rows ? eliminate_closed_hermitian_row(f, i, values, rows.row()) : eliminate_hermitian_row(f, i, values);
        if (is_bad_pivot(radicand, limits, i)) {
            radicand = limits.stand_in * pivot_for_norm(limits.norms[i]);
            add_bad_pivot(found, i);
        }
        values[f.diagonal[i]] = std::sqrt(radicand);
    });
}

}  // namespace

void register_ilu()
{
    for_each_index([]<class I>() { pattern_find_diagonal<I>.bind(Backend::omp, find_diagonal<I>); });
    for_each_value_index([]<class V, class I>() {
        ilu_factorize<V, I>.bind(Backend::omp, factorize_lu<V, I>);
        ic_factorize<V, I>.bind(Backend::omp, factorize_cholesky<V, I>);
    });
}

}  // namespace linden::omp
