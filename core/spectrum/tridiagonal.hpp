#pragma once

#include <cstddef>
#include <vector>

namespace linden::detail {

/// A real symmetric tridiagonal matrix T.
struct Tridiagonal {
    std::vector<double> diagonal;
    std::vector<double> beside;  ///< beside[i] couples i and i + 1

    std::size_t size() const { return diagonal.size(); }
    /// The largest eigenvalue, by bisection between the largest diagonal entry and Gershgorin's bound; 0 if T is empty.
    double largest_eigenvalue() const;

private:
    double beside_of(std::size_t i) const;
    bool is_below(double x) const;
};

/// T = Q diag(values) Q^T, values in ascending order.
struct EigenPairs {
    std::vector<double> values;
    std::vector<double> vectors;  ///< Q, row by row
};

/// By implicit QR steps with Wilkinson's shift. [GolubVanLoan13, algorithm 8.3.3] 6 m^3 operations.
EigenPairs eigen_pairs(Tridiagonal t);

}  // namespace linden::detail
