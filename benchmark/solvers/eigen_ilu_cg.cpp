// needs: double int32
#include "benchmark/support/eigen.hpp"

#include <Eigen/IterativeLinearSolvers>

#include "benchmark/support/solve.hpp"

/// The same as ilu_cg.cpp, as far as Eigen has it: IC in the order of the rows, ILUT in an order of its own, and the
/// two triangles of A in place of the factors of ILU(0). Triangular solves and factorizations are on one thread there.
namespace linden::benchmarks {
namespace {

/// Stores the matrix by columns, as these do.
using ColumnMatrix = Eigen::SparseMatrix<double, Eigen::ColMajor, std::int32_t>;
using IncompleteCholesky = Eigen::IncompleteCholesky<double, Eigen::Lower, Eigen::NaturalOrdering<std::int32_t>>;

/// As many entries as A has, about.
class IncompleteLu : public Eigen::IncompleteLUT<double, std::int32_t> {
public:
    IncompleteLu()
    {
        setDroptol(1e-3);
        setFillfactor(1);
    }
};

template <class Preconditioner, class Matrix>
void add_preconditioner(const std::string& name, const Executor& exec, const std::string& spec)
{
    add(name + "_setup", eigen_name(exec), "double_int32", spec, [=](benchmark::State& state) {
        const Matrix a = eigen_matrix(spec);
        measure_time(state, exec, [&] {
            Preconditioner m;
            m.compute(a);
        });
    });
    add(name + "_apply", eigen_name(exec), "double_int32", spec, [=](benchmark::State& state) {
        const Matrix a = eigen_matrix(spec);
        Preconditioner m;
        m.compute(a);
        const Eigen::VectorXd b = Eigen::VectorXd::Ones(a.cols());
        Eigen::VectorXd x = b;
        measure_time(state, exec, [&] { x = m.solve(b); });
    });
}

void add_triangles(const Executor& exec, const std::string& spec)
{
    add("ilu0_apply", eigen_name(exec), "double_int32", spec, [=](benchmark::State& state) {
        const auto a = eigen_matrix(spec);
        const EigenMatrix lower = a.triangularView<Eigen::StrictlyLower>();
        const EigenMatrix upper = a.triangularView<Eigen::Upper>();
        const Eigen::VectorXd b = Eigen::VectorXd::Ones(a.cols());
        Eigen::VectorXd x = b;
        measure_time(state, exec, [&] {
            x = lower.triangularView<Eigen::UnitLower>().solve(b);
            upper.triangularView<Eigen::Upper>().solveInPlace(x);
        });
    });
}

template <class Solver>
void add_solve(const std::string& name, const Executor& exec, const std::string& spec)
{
    add(name, eigen_name(exec), "double_int32", spec, [=](benchmark::State& state) {
        Eigen::setNbThreads(exec.info().num_units);
        const auto a = eigen_matrix(spec);
        Solver solver(a);
        solver.setMaxIterations(5000);
        solver.setTolerance(asked_residual);
        const Eigen::VectorXd b = Eigen::VectorXd::Ones(a.cols());
        Eigen::VectorXd x = b;
        measure_time(state, exec, [&] { x = solver.solve(b); });
        state.counters["iterations"] = static_cast<double>(solver.iterations());
    });
}

const Suite suite{[](const Executor& exec) {
    if (!exec.is_host()) {
        return;
    }
    for (const char* spec : {"lap2d:300", "lap3d:60", "lap2d:1000", "lap3d:100"}) {
        add_triangles(exec, spec);
        add_preconditioner<IncompleteCholesky, ColumnMatrix>("ic0", exec, spec);
        add_preconditioner<IncompleteLu, EigenMatrix>("ilut", exec, spec);
        add_solve<Eigen::ConjugateGradient<EigenMatrix, Eigen::Lower | Eigen::Upper, IncompleteCholesky>>("cg_ic0",
                                                                                                          exec, spec);
        add_solve<Eigen::BiCGSTAB<EigenMatrix, IncompleteLu>>("bicgstab_ilut", exec, spec);
    }
}};

}  // namespace
}  // namespace linden::benchmarks
