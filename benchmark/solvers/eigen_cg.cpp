// needs: double int32
#include "benchmark/support/eigen.hpp"

#include <Eigen/IterativeLinearSolvers>

namespace linden::benchmarks {
namespace {

constexpr int num_iterations = 100;

/// The time of one iteration, as for Linden's.
void add_case(const Executor& exec, const std::string& spec)
{
    add("cg", eigen_name(exec), "double_int32", spec, [=](benchmark::State& state) {
        Eigen::setNbThreads(exec.info().num_units);
        const auto a = eigen_matrix(spec);
        Eigen::ConjugateGradient<EigenMatrix, Eigen::Lower | Eigen::Upper, Eigen::IdentityPreconditioner> cg(a);
        cg.setMaxIterations(num_iterations);
        cg.setTolerance(0);
        const Eigen::VectorXd b = Eigen::VectorXd::Ones(a.cols());
        Eigen::VectorXd x = cg.solve(b);
        Stopwatch watch(exec);
        for (auto _ : state) {
            watch.start();
            x = cg.solve(b);
            state.SetIterationTime(watch.stop() / num_iterations);
        }
        if (cg.iterations() != num_iterations) {
            state.SkipWithError("a solve ended early");
        }
        count_bytes(state, exec, bytes_of(a, 10));
    });
}

const Suite suite{[](const Executor& exec) {
    if (exec.is_host()) {
        add_case(exec, "lap2d:1000");
        add_case(exec, "lap3d:100");
    }
}};

}  // namespace
}  // namespace linden::benchmarks
