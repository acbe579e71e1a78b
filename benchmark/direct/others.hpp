#pragma once

#include <linden/matrix_data.hpp>

#include <algorithm>
#include <cstdint>
#include <ctime>
#include <string>
#include <vector>

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

/// Those that this build has found.
std::vector<OtherSolver> other_solvers();

/// Processor time of this process, in seconds: with one thread, times that do not depend on who else is at work.
inline double processor_seconds()
{
    timespec time{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/// The median of runs of f by this clock, at least three where they take less than 5 seconds, for about 0.2 seconds.
template <class F, class Now = double (*)()>
double median_seconds(const F& f, const Now& now = processor_seconds)
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

}  // namespace linden::bench
