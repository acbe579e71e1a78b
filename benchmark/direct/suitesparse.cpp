#include <cholmod.h>
#include <klu.h>
#include <umfpack.h>

#include <tuple>

#include "benchmark/direct/others.hpp"

namespace linden::bench {
namespace {

DirectTimes run_klu(const Matrix& matrix, const std::vector<double>& b)
{
    auto a = by_columns(matrix);
    const auto n = static_cast<int>(a.size.rows);
    DirectTimes times;
    klu_common common;
    klu_defaults(&common);
    klu_symbolic* symbolic = nullptr;
    klu_numeric* numeric = nullptr;
    std::tie(times.analysis, times.factorization) = median_seconds_of_phases(
        [&] {
            klu_free_numeric(&numeric, &common);
            klu_free_symbolic(&symbolic, &common);
            symbolic = klu_analyze(n, a.row_ptrs.data(), a.col_idxs.data(), &common);
        },
        [&] {
            if (symbolic != nullptr) {
                numeric = klu_factor(a.row_ptrs.data(), a.col_idxs.data(), a.values.data(), symbolic, &common);
            }
        });
    if (symbolic == nullptr) {
        return {};
    }
    if (numeric != nullptr) {
        times.refactorization = median_seconds(
            [&] { klu_refactor(a.row_ptrs.data(), a.col_idxs.data(), a.values.data(), symbolic, numeric, &common); });
        times.solve = median_seconds([&] {
            times.x = b;
            klu_solve(symbolic, numeric, n, 1, times.x.data(), &common);
        });
        times.entries = numeric->lnz + numeric->unz - n + numeric->nzoff;
    }
    klu_free_numeric(&numeric, &common);
    klu_free_symbolic(&symbolic, &common);
    return times;
}

DirectTimes run_umfpack(const Matrix& matrix, const std::vector<double>& b)
{
    const auto a = by_columns(matrix);
    const auto n = static_cast<int>(a.size.rows);
    const auto *const ptrs = a.row_ptrs.data(), *const rows = a.col_idxs.data();
    DirectTimes times;
    void *symbolic = nullptr, *numeric = nullptr;
    int status = 0;
    std::tie(times.analysis, times.factorization) = median_seconds_of_phases(
        [&] {
            umfpack_di_free_numeric(&numeric);
            umfpack_di_free_symbolic(&symbolic);
            status = umfpack_di_symbolic(n, n, ptrs, rows, a.values.data(), &symbolic, nullptr, nullptr);
        },
        [&] {
            if (status >= 0) {
                status = umfpack_di_numeric(ptrs, rows, a.values.data(), symbolic, &numeric, nullptr, nullptr);
            }
        });
    if (status >= 0) {
        times.x.resize(b.size());
        times.solve = median_seconds([&] {
            umfpack_di_solve(UMFPACK_A, ptrs, rows, a.values.data(), times.x.data(), b.data(), numeric, nullptr,
                             nullptr);
        });
        int lower = 0, upper = 0, num_rows = 0, num_cols = 0, diagonal = 0;
        umfpack_di_get_lunz(&lower, &upper, &num_rows, &num_cols, &diagonal, numeric);
        times.entries = static_cast<double>(lower) + upper - n;
    }
    umfpack_di_free_numeric(&numeric);
    umfpack_di_free_symbolic(&symbolic);
    return times;
}

DirectTimes run_cholmod(const Matrix& matrix, const std::vector<double>& b)
{
    auto a = matrix;  // symmetric: its rows are its columns
    const auto n = static_cast<std::size_t>(a.size.rows);
    cholmod_common common;
    cholmod_start(&common);
    common.print = 0;
    common.quick_return_if_not_posdef = 1;
    cholmod_sparse view{};
    view.nrow = view.ncol = n;
    view.nzmax = a.values.size();
    view.p = a.row_ptrs.data();
    view.i = a.col_idxs.data();
    view.x = a.values.data();
    view.stype = 1;
    view.itype = CHOLMOD_INT;
    view.xtype = CHOLMOD_REAL;
    view.dtype = CHOLMOD_DOUBLE;
    view.sorted = view.packed = 1;
    auto right = b;
    cholmod_dense rhs{};
    rhs.nrow = rhs.nzmax = rhs.d = n;
    rhs.ncol = 1;
    rhs.x = right.data();
    rhs.xtype = CHOLMOD_REAL;
    rhs.dtype = CHOLMOD_DOUBLE;
    DirectTimes times;
    cholmod_factor* factor = nullptr;
    const auto factorize = [&] { cholmod_factorize(&view, factor, &common); };
    std::tie(times.analysis, times.factorization) = median_seconds_of_phases(
        [&] {
            cholmod_free_factor(&factor, &common);
            factor = cholmod_analyze(&view, &common);
        },
        factorize);
    times.refactorization = median_seconds(factorize);
    if (common.status == CHOLMOD_OK) {
        cholmod_dense* x = nullptr;
        times.solve = median_seconds([&] {
            cholmod_free_dense(&x, &common);
            x = cholmod_solve(CHOLMOD_A, factor, &rhs, &common);
        });
        const auto* const values = static_cast<const double*>(x->x);
        times.x.assign(values, values + n);
        cholmod_free_dense(&x, &common);
        times.entries = common.lnz;
    }
    cholmod_free_factor(&factor, &common);
    cholmod_finish(&common);
    return times;
}

}  // namespace

std::vector<OtherSolver> suitesparse_solvers()
{
    return {{"KLU", false, run_klu}, {"UMFPACK", false, run_umfpack}, {"CHOLMOD", true, run_cholmod}};
}

}  // namespace linden::bench
