#include <slu_ddefs.h>

#include <tuple>

#include "benchmark/direct/others.hpp"

namespace linden::bench {
namespace {

/// What SuperLU allocates for one factorization.
struct SuperLuFactors {
    SuperMatrix l{}, u{};
    bool exist = false;

    ~SuperLuFactors() { release(); }
    void release()
    {
        if (exist) {
            Destroy_SuperNode_Matrix(&l);
            Destroy_CompCol_Matrix(&u);
            exist = false;
        }
    }
};

/// By columns ordered by COLAMD, with the threshold of partial pivoting that is its default. The analysis is the order
/// and the elimination tree of the columns.
DirectTimes run_superlu(const Matrix& matrix, const std::vector<double>& b)
{
    auto t = by_columns(matrix);
    const auto n = static_cast<int>(t.size.rows);
    superlu_options_t options;
    set_default_options(&options);
    SuperLUStat_t statistics;
    StatInit(&statistics);
    SuperMatrix a, permuted{};
    dCreate_CompCol_Matrix(&a, n, n, static_cast<int>(t.values.size()), t.values.data(), t.col_idxs.data(),
                           t.row_ptrs.data(), SLU_NC, SLU_D, SLU_GE);
    std::vector<int> column_order(n), row_order(n), tree(n);
    DirectTimes times;
    SuperLuFactors factors;
    int info = 0;
    std::tie(times.analysis, times.factorization) = median_seconds_of_phases(
        [&] {
            if (permuted.Store != nullptr) {
                Destroy_CompCol_Permuted(&permuted);
            }
            get_perm_c(COLAMD, &a, column_order.data());
            sp_preorder(&options, &a, column_order.data(), tree.data(), &permuted);
        },
        [&] {
            factors.release();
            GlobalLU_t memory{};
            dgstrf(&options, &permuted, sp_ienv(2), sp_ienv(1), tree.data(), nullptr, 0, column_order.data(),
                   row_order.data(), &factors.l, &factors.u, &memory, &statistics, &info);
            factors.exist = info >= 0 && info <= n;
        });
    if (info == 0) {
        times.solve = median_seconds([&] {
            times.x = b;
            SuperMatrix x;
            dCreate_Dense_Matrix(&x, n, 1, times.x.data(), n, SLU_DN, SLU_D, SLU_GE);
            dgstrs(NOTRANS, &factors.l, &factors.u, column_order.data(), row_order.data(), &x, &statistics, &info);
            Destroy_SuperMatrix_Store(&x);
        });
        const auto* const l = static_cast<const SCformat*>(factors.l.Store);
        const auto* const u = static_cast<const NCformat*>(factors.u.Store);
        times.entries = static_cast<double>(l->nnz) + u->nnz - n;
    }
    Destroy_CompCol_Permuted(&permuted);
    Destroy_SuperMatrix_Store(&a);
    StatFree(&statistics);
    return times;
}

}  // namespace

std::vector<OtherSolver> superlu_solvers() { return {{"SuperLU", false, run_superlu}}; }

}  // namespace linden::bench
