// needs: double int32
#include "benchmark/support/eigen.hpp"

namespace linden::benchmarks {
namespace {

/// x := A b
void add_case(const Executor& exec, const std::string& spec)
{
    add("csr_spmv", eigen_name(exec), "double_int32", spec, [=](benchmark::State& state) {
        Eigen::setNbThreads(exec.info().num_units);
        const auto a = eigen_matrix(spec);
        const Eigen::VectorXd b = Eigen::VectorXd::Ones(a.cols());
        Eigen::VectorXd x = Eigen::VectorXd::Zero(a.rows());
        measure(state, exec, bytes_of(a, 2), [&] { x.noalias() = a * b; });
    });
}

const Suite suite{[](const Executor& exec) {
    if (exec.is_host()) {
        for (const char* spec : {"lap2d:1000", "lap3d:100", "random:200000:20:1", "powerlaw:1000000:7:1"}) {
            add_case(exec, spec);
        }
    }
}};

}  // namespace
}  // namespace linden::benchmarks
