// needs: double int32
// Solves A x = b with conjugate gradients. Matrix and vectors stay in memory of your own: nothing is copied.
#include <linden/matrix/csr.hpp>
#include <linden/matrix/dense.hpp>
#include <linden/solver/cg.hpp>

#include <cmath>
#include <iostream>
#include <vector>

int main(int argc, char** argv)
{
    // -u'' = 1 on n points: tridiag(-1, 2, -1)
    const int n = 200;
    std::vector<int> row_ptrs{0}, col_idxs;
    std::vector<double> values, b(n, 1.0), x(n, 0.0);
    for (int row = 0; row < n; ++row) {
        for (int col = std::max(row - 1, 0); col <= std::min(row + 1, n - 1); ++col) {
            col_idxs.push_back(col);
            values.push_back(col == row ? 2 : -1);
        }
        row_ptrs.push_back(static_cast<int>(values.size()));
    }

    const auto exec = linden::Executor::create(argc > 1 ? argv[1] : "reference");
    const auto a = linden::share(
        linden::csr_view(exec, n, n, std::ssize(values), row_ptrs.data(), col_idxs.data(), values.data()));
    auto x_view = linden::Dense<double>::adopt(exec, x);
    const auto solver = linden::Cg<double>::factory({.stop = {.relative_residual = 1e-10}}).generate(a);
    const auto result = solver->solve(linden::Dense<double>::adopt(exec, b), x_view);

    std::cout << name(result.status()) << " after " << result.iterations()
              << " iterations, ||b - A x|| / ||b|| = " << result.relative_residual() << ": " << result.reason() << '\n';
    const double exact = (n / 2) * (n / 2 + 1) / 2.0;  // u(i) = i (n + 1 - i) / 2 at the middle
    return result.converged() && std::abs(x[n / 2 - 1] - exact) < 1e-6 * exact ? 0 : 1;
}
