#include <Eigen/SparseCholesky>
#include <Eigen/SparseLU>

#include <tuple>

#include "benchmark/direct/others.hpp"

namespace linden::bench {
namespace {

using EigenMatrix = Eigen::SparseMatrix<double, Eigen::ColMajor, std::int32_t>;

/// Phases of a solver of Eigen, which has none for new values but its numeric one. count: entries of its factors.
template <class Solver, class Count>
DirectTimes run_phases(const Matrix& matrix, const std::vector<double>& b, const Count& count)
{
    const auto t = by_columns(matrix);
    const auto n = static_cast<Eigen::Index>(t.size.rows);
    const EigenMatrix a = Eigen::Map<const EigenMatrix>(n, n, static_cast<Eigen::Index>(t.values.size()),
                                                        t.row_ptrs.data(), t.col_idxs.data(), t.values.data());
    const Eigen::Map<const Eigen::VectorXd> right(b.data(), n);
    Solver solver;
    DirectTimes times;
    const auto factorize = [&] { solver.factorize(a); };
    std::tie(times.analysis, times.factorization) =
        median_seconds_of_phases([&] { solver.analyzePattern(a); }, factorize);
    times.refactorization = median_seconds(factorize);
    if (solver.info() != Eigen::Success) {
        return {};
    }
    Eigen::VectorXd x;
    times.solve = median_seconds([&] { x = solver.solve(right); });
    times.x.assign(x.data(), x.data() + n);
    times.entries = count(solver);
    return times;
}

DirectTimes run_sparse_lu(const Matrix& matrix, const std::vector<double>& b)
{
    using Solver = Eigen::SparseLU<EigenMatrix, Eigen::COLAMDOrdering<std::int32_t>>;
    return run_phases<Solver>(matrix, b, [n = b.size()](const Solver& solver) {
        return static_cast<double>(solver.nnzL() + solver.nnzU()) - static_cast<double>(n);
    });
}

DirectTimes run_cholesky(const Matrix& matrix, const std::vector<double>& b)
{
    using Solver = Eigen::SimplicialLLT<EigenMatrix>;
    return run_phases<Solver>(matrix, b, [](const Solver& solver) {
        const EigenMatrix lower = solver.matrixL();
        return static_cast<double>(lower.nonZeros());
    });
}

}  // namespace

std::vector<OtherSolver> eigen_solvers()
{
    return {{"Eigen SparseLU", false, run_sparse_lu}, {"Eigen SimplicialLLT", true, run_cholesky}};
}

}  // namespace linden::bench
