#include "core/kernels/ilu.hpp"

#include <algorithm>

#include "core/base/math.hpp"
#include "core/portable/pivots.hpp"
#include "reference/lu_rows.hpp"

namespace linden::reference {
namespace {

template <class I>
void find_diagonal(const Executor&, PatternView<I> a, I* diagonal)
{
    for (size_type row = 0; row < a.rows; ++row) {
        const I* const end = a.col_idxs + a.row_ptrs[row + 1];
        const I* const found = std::find(a.col_idxs + a.row_ptrs[row], end, static_cast<I>(row));
        diagonal[row] = found == end ? I{-1} : static_cast<I>(found - a.col_idxs);
    }
}

template <class V, class I>
void factorize_lu(const Executor&, FactorPatternView<I> f, PivotLimits<real_t<V>> limits, V* values,
                  PivotReport* report, WorkspaceView)
{
    factorize_lu_rows(f.pattern, f.diagonal, limits, values, report);
}

template <class V, class I>
void factorize_cholesky(const Executor&, FactorPatternView<I> f, PivotLimits<real_t<V>> limits, V* values,
                        PivotReport* report, WorkspaceView)
{
    const auto& a = f.pattern;
    *report = {};
    for (size_type i = 0; i < a.rows; ++i) {
        for (I ik = a.row_ptrs[i]; ik < f.diagonal[i]; ++ik) {
            const size_type k = a.col_idxs[ik];
            I kj = a.row_ptrs[k];
            for (I ij = a.row_ptrs[i]; ij < ik; ++ij) {
                while (a.col_idxs[kj] < a.col_idxs[ij]) {
                    ++kj;  // as far as the diagonal of row k, at most: j < k
                }
                if (a.col_idxs[kj] == a.col_idxs[ij]) {
                    values[ik] -= values[ij] * conj(values[kj]);  // a_ik := a_ik - l_ij conj(l_kj)
                }
            }
            values[ik] /= values[f.diagonal[k]];  // l_ik := a_ik / l_kk
        }
        auto radicand = real(values[f.diagonal[i]]);
        for (I ij = a.row_ptrs[i]; ij < f.diagonal[i]; ++ij) {
            radicand -= abs2(values[ij]);
        }
        if (is_bad_pivot(radicand, limits, i)) {
            radicand = limits.stand_in * pivot_for_norm(limits.norms[i]);
            add_bad_pivot(*report, i);
        }
        values[f.diagonal[i]] = std::sqrt(radicand);
    }
}

}  // namespace

void register_ilu()
{
    for_each_index([]<class I>() { pattern_find_diagonal<I>.bind(Backend::reference, find_diagonal<I>); });
    for_each_value_index([]<class V, class I>() {
        ilu_factorize<V, I>.bind(Backend::reference, factorize_lu<V, I>);
        ic_factorize<V, I>.bind(Backend::reference, factorize_cholesky<V, I>);
    });
}

}  // namespace linden::reference
