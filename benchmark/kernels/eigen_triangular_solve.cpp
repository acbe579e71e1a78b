// needs: double int32
#include "benchmark/support/eigen.hpp"

namespace linden::benchmarks {
namespace {

/// L x = b for the lower triangle L, which Eigen does on one thread. Bytes: those of L, b and x.
void add_case(const Executor& exec, const std::string& spec)
{
    add("triangular_solve", "eigen1", "double_int32", spec, [=](benchmark::State& state) {
        const EigenMatrix lower = eigen_matrix(spec).triangularView<Eigen::Lower>();
        const Eigen::VectorXd b = Eigen::VectorXd::Ones(lower.cols());
        Eigen::VectorXd x = b;
        measure(state, exec, bytes_of(lower, 2), [&] { x = lower.triangularView<Eigen::Lower>().solve(b); });
    });
}

const Suite suite{[](const Executor& exec) {
    if (exec.is_host()) {
        for (const char* spec : {"lap2d:1000", "lap3d:100"}) {
            add_case(exec, spec);
        }
    }
}};

}  // namespace
}  // namespace linden::benchmarks
