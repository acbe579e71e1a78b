#pragma once

#include <linden/matrix/operations.hpp>

#include <cmath>
#include <string>
#include <vector>

#include "benchmark/papers/experiment.hpp"

/// What the experiments of one paper share: R. Gupta, M. B. van Gijzen and C. Vuik, Efficient Two-Level Preconditioned
/// Conjugate Gradient Method on the GPU (Delft University of Technology, Report 11-15, 2011).
namespace linden::benchmarks {

/// Those with Dirichlet conditions in its problem, a `twophase` whose rows are numbered along the interface. It names
/// none; why these: deflation-spectra.cpp.
inline constexpr std::string_view dirichlet_sides = "b";

/// Of matrices.
enum class Form { given, scaled };

struct TwoLevelPreconditioner {
    std::string label;
    std::string text;        ///< as configurations have it
    double condition = NAN;  ///< of M^-1 A in Table 1
};

/// That of the scaled matrix in Table 1.
inline constexpr double condition_of_scaling = 9.68e3;

/// Those of its section 3, for a grid whose lines have `line` rows.
inline std::vector<TwoLevelPreconditioner> two_level_preconditioners(size_type line)
{
    const auto blocks = [&](size_type lines) { return "ic0:block_rows=" + std::to_string(lines * line); };
    return {{"Block-IC(2n)", blocks(2), 2.50e3},          {"Block-IC(4n)", blocks(4), 1.93e3},
            {"Block-IC(8n)", blocks(8), 1.60e3},          {"IP", "incomplete-poisson:scaling=false", 2.97e6},
            {"IP, scaled", "incomplete-poisson", 2.68e3}, {"Neu1", "neumann:order=1", 2.66e3},
            {"Neu2", "neumann:order=2", 1.74e3}};
}

/// The matrix of a problem, or D^-1/2 A D^-1/2, equation (8).
inline Csr<V, I> matrix_of(const Problem& problem, const Executor& exec, Form form)
{
    Csr<V, I> a(exec, problem.data);
    if (form == Form::scaled) {
        auto factors = extract_diagonal(a).to_host();
        for (auto& factor : factors) {
            factor = 1 / std::sqrt(factor);
        }
        const Diagonal<V> d(exec, factors);
        scale_rows(d, a);
        scale_columns(a, d);
    }
    return a;
}

/// The same on a square grid whose rows are numbered y fastest. Then lines of rows, as blocks and deflation vectors
/// have them, cross the interface of `twophase`, and half lines end at it. @throws UsageError
inline Problem turned(const Problem& problem)
{
    const auto rows = problem.data.size.rows;
    const auto n = std::llround(std::sqrt(static_cast<double>(rows)));
    if (n * n != rows) {
        throw UsageError(problem.name + " has " + std::to_string(rows) +
                         " rows, which are no square grid to be turned");
    }
    auto entries = to_coo(problem.data);
    for (auto* indices : {&entries.rows, &entries.cols}) {
        for (auto& index : *indices) {
            index = static_cast<I>(index % n * n + index / n);
        }
    }
    return {problem.name + ", turned", to_csr(entries), problem.positive};
}

}  // namespace linden::benchmarks
