#include <mkl_pardiso.h>

#include <array>
#include <tuple>

#include "benchmark/direct/others.hpp"

namespace linden::bench {
namespace {

enum class Kind : MKL_INT { definite = 2, unsymmetric = 11 };

/// PARDISO's handle, its parameters, and the rows that it reads, from 0 on.
class Pardiso {
public:
    Pardiso(const Matrix& a, Kind kind)
        : a_(a),
          kind_(static_cast<MKL_INT>(kind)),
          n_(static_cast<MKL_INT>(a.size.rows))
    {
        // As its defaults, but for rows from 0 on and a count of the factors' entries.
        parameters_[0] = 1;
        parameters_[1] = 2;                                                     // nested dissection
        parameters_[9] = 13;                                                    // pivots below 1e-13 are replaced
        parameters_[10] = parameters_[12] = kind == Kind::unsymmetric ? 1 : 0;  // scaling, matching
        parameters_[17] = -1;                                                   // count
        parameters_[34] = 1;                                                    // from 0 on
    }
    Pardiso(const Pardiso&) = delete;
    Pardiso& operator=(const Pardiso&) = delete;
    ~Pardiso() { call(-1); }

    /// 11: analysis, 22: the numeric phase, 33: solve, -1: release. False where it failed.
    bool call(MKL_INT phase, double* b = nullptr, double* x = nullptr)
    {
        const MKL_INT one = 1, silent = 0;
        MKL_INT error = 0;
        pardiso(handle_.data(), &one, &one, &kind_, &phase, &n_, a_.values.data(), a_.row_ptrs.data(),
                a_.col_idxs.data(), nullptr, &one, parameters_.data(), &silent, b, x, &error);
        return error == 0;
    }
    double num_entries() const { return static_cast<double>(parameters_[17]); }

private:
    const Matrix& a_;
    MKL_INT kind_, n_;
    std::array<void*, 64> handle_{};
    std::array<MKL_INT, 64> parameters_{};
};

DirectTimes run_pardiso(const Matrix& matrix, const std::vector<double>& b, Kind kind)
{
    Pardiso solver(matrix, kind);
    DirectTimes times;
    bool works = true;
    const auto factorize = [&] { works = works && solver.call(22); };
    std::tie(times.analysis, times.factorization) = median_seconds_of_phases(
        [&] {
            solver.call(-1);
            works = solver.call(11);
        },
        factorize);
    times.refactorization = median_seconds(factorize);
    auto right = b;
    times.x.resize(b.size());
    times.solve = median_seconds([&] { works = works && solver.call(33, right.data(), times.x.data()); });
    times.entries = solver.num_entries();
    return works ? times : DirectTimes{};
}

DirectTimes run_unsymmetric(const Matrix& matrix, const std::vector<double>& b)
{
    return run_pardiso(matrix, b, Kind::unsymmetric);
}

/// Which reads the upper triangle.
DirectTimes run_definite(const Matrix& matrix, const std::vector<double>& b)
{
    Matrix upper{matrix.size, {0}, {}, {}};
    for (size_type row = 0; row < matrix.size.rows; ++row) {
        for (auto k = matrix.row_ptrs[row]; k < matrix.row_ptrs[row + 1]; ++k) {
            if (matrix.col_idxs[k] >= row) {
                upper.col_idxs.push_back(matrix.col_idxs[k]);
                upper.values.push_back(matrix.values[k]);
            }
        }
        upper.row_ptrs.push_back(static_cast<std::int32_t>(upper.values.size()));
    }
    return run_pardiso(upper, b, Kind::definite);
}

}  // namespace

std::vector<OtherSolver> pardiso_solvers()
{
    return {{"MKL PARDISO", false, run_unsymmetric}, {"MKL PARDISO, definite", true, run_definite}};
}

}  // namespace linden::bench
