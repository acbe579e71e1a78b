#pragma once

#include <linden/stop/stop.hpp>

#include <string>
#include <vector>

#include "tools/facts.hpp"

/// What may help, by what the matrix is like.
namespace linden::tool {

/// `solver` or `solver` and `preconditioner`, as the command line spells them.
struct Method {
    std::string solver;
    std::string preconditioner;  ///< `none` or empty: none
};

/// Methods that suit the matrix, the most promising first; least squares if it is not square.
std::vector<Method> suitable_methods(const MatrixFacts& facts);

/// A sentence for each thing that a user should know, the last one with a command to try.
std::vector<std::string> advice(const MatrixFacts& facts);

/// A solve that did not converge, or whose residual is large beside b, and yet that of rounding errors.
struct FailedSolve {
    SolveStatus status = SolveStatus::running;
    Method method;
    double relative_residual = 0;
    double epsilon = 0;                ///< of the value type
    double solution_size = 0;          ///< ||x||_2 / ||b||_2, the largest of the columns
    size_type num_bad_pivots = 0;      ///< of the preconditioner, or of a direct solver
    size_type num_bad_rhs_values = 0;  ///< of b, NaN or infinite
    double constant_part = 0;          ///< |1^T b| / (||1||_2 ||b||_2), the largest of the columns
    double rest_part = 0;              ///< the same of the rows whose diagonal is not positive
    double islands_part = 0;           ///< the same of connected components of A whose columns sum to 0
    bool has_tried_lu = false;         ///< without success, before `method`
    bool is_over_ranks = false;        ///< several processes solve, which not all methods can
};

/// One line that says what is wrong and what to try.
std::string cure(const FailedSolve& solve, const MatrixFacts& facts);

}  // namespace linden::tool
