#pragma once

#include <linden/executor.hpp>
#include <linden/matrix/statistics.hpp>
#include <linden/multigrid/amg.hpp>
#include <linden/solver/automatic.hpp>
#include <linden/stop/stop.hpp>

#include <optional>
#include <string>
#include <vector>

#include "tools/facts.hpp"
#include "tools/orderings.hpp"

/// What the program says in the end, as JSON and for people.
namespace linden::tool {

/// What several processes share and exchange.
struct RanksReport {
    int ranks = 1;
    std::string transport;
    std::string partition;     ///< as --partition names it
    size_type ghosts = 0;      ///< of the rank with the most
    size_type neighbours = 0;  ///< of the rank with the most
    double imbalance = 1;      ///< the most rows of a rank over the mean
    double reductions_per_iteration = 0;
    double halo_bytes_per_iteration = 0;  ///< sent by all ranks together
    double all_reduce_seconds = 0;        ///< per iteration in reductions, of the rank with the most
    double halo_seconds = 0;              ///< per iteration in messages to neighbours, of the rank with the most
};

/// How processes reach each other, and where they are.
struct MpiReport {
    int ranks = 1;
    std::string transport;
    std::string why;                                 ///< it was chosen
    std::string library;                             ///< of MPI
    std::vector<std::pair<std::string, int>> hosts;  ///< and their ranks, in the order of ranks
};
std::string json(const MpiReport& report);
std::string table(const MpiReport& report);

struct SolveReport {
    std::string problem;
    Dim size;
    size_type num_nonzeros = 0;
    size_type num_rhs = 1;
    std::string executor;
    std::string device;
    std::string value_type;
    std::string solver;
    std::string preconditioner;
    SolveStatus status = SolveStatus::running;
    std::string reason;
    size_type iterations = 0;
    double relative_residual = 0;    ///< ||b - A x|| / ||b|| of the returned x, the largest of the columns
    double tolerance = 0;            ///< what it had to come down to
    bool by_backward_error = false;  ///< whether a column converged because rounding errors let it come no further
    std::string cure;                ///< what may help; empty if it converged as it was asked to
    double read_seconds = 0;         ///< for the matrix, b and x0, by the clock on the wall
    double setup_seconds = 0;
    double solve_seconds = 0;
    double launches_per_iteration = 0;
    double synchronizations_per_iteration = 0;
    double allocations_per_iteration = 0;
    std::uint64_t peak_bytes = 0;
    std::optional<AmgReport> multigrid;        ///< where the preconditioner is one
    std::optional<AutomaticReport> automatic;  ///< where the solver is one
    std::string view;                          ///< the solver as it was built; empty unless asked for
    std::optional<RanksReport> ranks;          ///< where there are several; times and memory are those of the first

    double seconds_per_iteration() const
    {
        return iterations == 0 ? 0 : solve_seconds / static_cast<double>(iterations);
    }
};

/// One JSON object; numbers that are infinite or undefined are `null`.
std::string json(const SolveReport& report);
std::string table(const SolveReport& report);

/// One kernel for one combination of types.
struct KernelReport {
    std::string name;
    std::vector<std::string> types;
    std::vector<Backend> backends;
};

struct InfoReport {
    std::string compiler;
    std::vector<std::string> value_types;
    std::vector<std::string> index_types;
    std::vector<BackendInfo> backends;
    std::vector<KernelReport> kernels;
    std::string matrix_file;
    std::optional<MatrixStatistics> matrix;  ///< of that file
    MatrixFacts facts;                       ///< of it
    std::vector<std::string> advice;         ///< on it
    /// Rows of each colour of a greedy colouring of it; empty unless it is square.
    std::vector<size_type> colour_sizes;
    std::optional<OrderingsReport> orderings;  ///< if asked for
    /// ||A||_1 ||A^-1||_1 from below, if asked for; infinite where A is singular up to rounding.
    std::optional<double> condition;
};

std::string json(const InfoReport& report);
/// The matrix alone if there is one.
std::string table(const InfoReport& report, bool with_kernels);

/// What `linden compare` found.
struct ComparisonReport {
    struct Row {
        std::string method;
        std::string failure;  ///< why the method could not run; else empty
        SolveReport solve;
        std::string remark;  ///< on a method that could run; may be empty
    };
    std::string problem;
    Dim size;
    size_type num_nonzeros = 0;
    std::string executor;
    std::vector<Row> rows;
};
std::string json(const ComparisonReport& report);
std::string table(const ComparisonReport& report);

/// `1 level`, `2 levels`.
std::string count(size_type n, std::string_view what);
/// `12.5 MiB`
std::string bytes(std::uint64_t count);
/// `12.5 ms`
std::string seconds(double value);

/// `value` with the fewest digits that read back as the same.
std::string exact(double value);

}  // namespace linden::tool
