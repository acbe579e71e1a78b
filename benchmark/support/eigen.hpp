#pragma once

#include <Eigen/SparseCore>

#include <string>

#include "benchmark/support/suite.hpp"

/// Eigen as a measure of what others reach, on the same problems and with as many threads as the executor.
namespace linden::benchmarks {

using EigenMatrix = Eigen::SparseMatrix<double, Eigen::RowMajor, std::int32_t>;

inline EigenMatrix eigen_matrix(const std::string& spec)
{
    auto a = generate_problem<double, std::int32_t>(spec);
    return Eigen::Map<EigenMatrix>(a.size.rows, a.size.cols, a.num_nonzeros(), a.row_ptrs.data(), a.col_idxs.data(),
                                   a.values.data());
}

/// In place of the backend in names: `eigen2` on two threads.
inline std::string eigen_name(const Executor& exec) { return "eigen" + std::to_string(exec.info().num_units); }

/// What Linden's kernel is said to move for the same operation.
inline size_type bytes_of(const EigenMatrix& a, size_type vectors)
{
    return a.nonZeros() * 12 + (a.rows() + 1) * 4 + vectors * a.rows() * 8;
}

}  // namespace linden::benchmarks
