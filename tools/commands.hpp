#pragma once

#include <linden/distributed/communicator.hpp>
#include <linden/error.hpp>
#include <linden/types.hpp>

#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

/// The commands of the program, apart from the command line that fills their options.
/// Each returns the exit code, and throws where the input is wrong.
namespace linden::tool {

/// Converged, or nothing to converge; not converged; bad input or usage; ended by a signal, as shells say it.
enum ExitCode : int { success = 0, not_converged = 1, failure = 2, interrupted = 130 };

/// Wrong use of the program; the text is a whole message.
class UsageError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// What `f` returns; the option stands before the message of a refused parameter.
template <class F>
auto of_option(const std::string& option, F&& f)
{
    try {
        return f();
    } catch (const InvalidParameter& error) {
        throw UsageError(option + ": " + error.what());
    }
}

struct SolveCommand {
    std::string file;     ///< a Matrix Market file, or
    std::string problem;  ///< a problem to generate
    std::string rhs = "ones";
    std::string x0 = "zero";
    std::string solver;  ///< empty: the default
    std::string preconditioner;
    std::string config;
    std::string format = "csr";
    std::string executor;  ///< empty: the default
    int device = -1;       ///< negative: on several processes one after the other in turn, else the first
    int threads = 0;
    std::string value_type;  ///< empty: the default
    std::optional<double> rtol;
    std::optional<size_type> max_iterations;
    std::optional<double> max_seconds;  ///< of set-up and solve
    int repeat = 1;
    std::string json, history, plot, levels, solution;
    bool quiet = false;
    bool view = false;                  ///< show the solver as it was built
    bool reproducible = false;          ///< the same bits for any number of ranks
    std::string transport = "auto";     ///< between the devices of several ranks: auto, peer, nccl or staged
    std::string partition = "stripes";  ///< of the rows over several ranks: stripes, metis, ptscotch or a file
    Communicator ranks = Communicator::self();
};
int solve(const SolveCommand& command);

struct CompareCommand {
    SolveCommand solve;                ///< the system, and where and in what types; no methods, one right-hand side
    std::vector<std::string> methods;  ///< `solver` or `solver+preconditioner`; empty: some that suit the matrix
    double seconds = 60;               ///< for all methods together, without the matrix
};
int compare(const CompareCommand& command);

struct InfoCommand {
    std::string file;  ///< a Matrix Market file to describe, or empty
    bool kernels = false;
    bool orderings = false;         ///< what orders make of that matrix and of its factors
    std::string matching = "true";  ///< of the diagonal that these orders find, or approximate
    bool condition = false;         ///< estimate its condition number
    bool mpi = false;               ///< describe the processes instead
    std::string executor;           ///< and how devices of this kind reach each other, if not empty
    std::string transport = "auto";
    std::string json;
    Communicator ranks = Communicator::self();
};
int info(const InfoCommand& command);

struct GenerateCommand {
    std::string problem;
    std::string file;
};
int generate(const GenerateCommand& command);

struct PartitionCommand {
    std::string file;     ///< a Matrix Market file, or
    std::string problem;  ///< a problem to generate
    int parts = 0;
    std::string by;      ///< metis, stripes or ptscotch; empty: metis, on several processes ptscotch
    std::string output;  ///< the file of parts to write, or empty
    Communicator ranks = Communicator::self();
};
int partition(const PartitionCommand& command);

struct SpyCommand {
    std::string file;
    std::string image;
};
int spy(const SpyCommand& command);

}  // namespace linden::tool
