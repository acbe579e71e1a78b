// needs: double int32
#include <Eigen/IterativeLinearSolvers>

#include "benchmark/support/eigen.hpp"

namespace linden::benchmarks {
namespace {

/// Eigen's ILUT of the rows in the order given: by itself it permutes them by approximate minimum degree.
class Ilut : public Eigen::IncompleteLUT<double, std::int32_t> {
public:
    /// Keeps so many entries of a row at most, half of them in L; Eigen counts by multiples of the mean row of A.
    Ilut(const EigenMatrix& a, double row_limit)
    {
        const double mean = static_cast<double>(a.nonZeros()) / static_cast<double>(a.rows());
        setDroptol(1e-5);
        setFillfactor(static_cast<int>(row_limit / mean));
        m_P.setIdentity(a.rows());
        m_Pinv.setIdentity(a.rows());
        m_analysisIsOk = true;
        m_isInitialized = true;
    }

    double num_entries() const { return static_cast<double>(m_lu.nonZeros()); }
};

/// On one thread, since it knows no more.
void add_case(const std::string& spec)
{
    add("ilut_factorize", "eigen1", "double_int32", spec, [=](benchmark::State& state) {
        const auto a = eigen_matrix(spec);
        const auto rows = static_cast<double>(a.rows());
        Ilut ilut(a, static_cast<double>(a.nonZeros()) / rows + 10);
        Stopwatch watch(Executor::reference());
        for (auto _ : state) {
            watch.start();
            ilut.factorize(a);
            state.SetIterationTime(watch.stop());
        }
        state.counters["entries_per_row"] = ilut.num_entries() / rows;
    });
}

const Suite suite{[](const Executor& exec) {
    if (exec.backend() == Backend::reference) {
        for (const char* spec : {"lap3d:100", "convdiff3d:100:1", "lap2d:1000", "random:200000:8:1"}) {
            add_case(spec);
        }
    }
}};

}  // namespace
}  // namespace linden::benchmarks
