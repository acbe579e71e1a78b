#pragma once

#include <linden/matrix_data.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <time.h>

/// Direct solvers of others, by one interface.
namespace linden::bench {

using Matrix = CsrData<double, std::int32_t>;

/// Medians in seconds; negative: there is none, or it failed.
struct DirectTimes {
    double analysis = -1, factorization = -1, refactorization = -1, solve = -1;
    double entries = 0;     ///< of the factors
    std::vector<double> x;  ///< the solution; empty where it failed
};

struct OtherSolver {
    std::string name;
    bool needs_definite = false;
    DirectTimes (*run)(const Matrix& a, const std::vector<double>& b) = nullptr;
};

/// The transpose, whose compressed columns are the rows of the matrix.
inline Matrix by_columns(const Matrix& a)
{
    Matrix t{{a.size.cols, a.size.rows}, {}, {}, {}};
    t.row_ptrs.assign(static_cast<std::size_t>(a.size.cols) + 1, 0);
    for (const auto col : a.col_idxs) {
        ++t.row_ptrs[col + 1];
    }
    for (std::size_t j = 1; j < t.row_ptrs.size(); ++j) {
        t.row_ptrs[j] += t.row_ptrs[j - 1];
    }
    t.col_idxs.resize(a.col_idxs.size());
    t.values.resize(a.values.size());
    auto next = t.row_ptrs;
    for (size_type row = 0; row < a.size.rows; ++row) {
        for (auto k = a.row_ptrs[row]; k < a.row_ptrs[row + 1]; ++k) {
            const auto at = next[a.col_idxs[k]]++;
            t.col_idxs[at] = static_cast<std::int32_t>(row);
            t.values[at] = a.values[k];
        }
    }
    return t;
}

/// Those that this build has found.
std::vector<OtherSolver> suitesparse_solvers();
std::vector<OtherSolver> superlu_solvers();
std::vector<OtherSolver> eigen_solvers();
std::vector<OtherSolver> pardiso_solvers();

/// That of processor time: with one thread, times that do not depend on who else is at work.
inline clockid_t host_clock = CLOCK_PROCESS_CPUTIME_ID;

inline double host_seconds()
{
    timespec time{};
    clock_gettime(host_clock, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/// The median of runs of f by this clock, at least three where they take less than 5 seconds, for about 0.2 seconds.
template <class F, class Now = double (*)()>
double median_seconds(const F& f, const Now& now = host_seconds)
{
    std::vector<double> times;
    double sum = 0;
    while (times.size() < 3 || (sum < 0.2 && times.size() < 101)) {
        const double start = now();
        f();
        times.push_back(now() - start);
        sum += times.back();
        if (sum > 5) {
            break;
        }
    }
    std::sort(times.begin(), times.end());
    return times[times.size() / 2];
}

/// The same of a first factorization's two phases, which are run in turn, as they follow each other in it: one that is
/// repeated alone finds its branches predicted and its data near (KLU for 685 rows: half the time).
template <class Analyse, class Factorize>
std::pair<double, double> median_seconds_of_phases(const Analyse& analyse, const Factorize& factorize)
{
    std::vector<double> analysis, factorization;
    double sum = 0;
    while (analysis.size() < 3 || (sum < 0.4 && analysis.size() < 101)) {
        const double start = host_seconds();
        analyse();
        const double between = host_seconds();
        factorize();
        const double end = host_seconds();
        analysis.push_back(between - start);
        factorization.push_back(end - between);
        sum += end - start;
        if (sum > 5) {
            break;
        }
    }
    std::sort(analysis.begin(), analysis.end());
    std::sort(factorization.begin(), factorization.end());
    return {analysis[analysis.size() / 2], factorization[factorization.size() / 2]};
}

}  // namespace linden::bench
