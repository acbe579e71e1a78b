// needs: double int32
// A sequence of systems with one pattern: the heat equation, implicit Euler with growing steps. update_values() takes
// over the new values; the analysis of the pattern, and the solver's memory, are kept.
#include <linden/io/problems.hpp>
#include <linden/matrix/csr.hpp>
#include <linden/matrix/dense.hpp>
#include <linden/solver/cg.hpp>

#include <cmath>
#include <iostream>
#include <numbers>

using namespace linden;

int main(int argc, char** argv)
{
    const auto exec = Executor::create(argc > 1 ? argv[1] : "reference");
    const int n = 40;
    const auto laplacian = generate_problem<double, int>("lap2d:40");
    /// I + step L
    const auto matrix_for = [&](double step) {
        auto a = laplacian;
        for (auto& value : a.values) {
            value = (value > 0 ? 1 : 0) + step * value;
        }
        return share(Csr<double, int>(exec, a));
    };

    // The waves sin(m pi x) sin(m pi y), m = 1 and 9, are eigenvectors of L: a step divides each by 1 + step lambda.
    const auto wave = [](int m, int i) { return std::sin(m * std::numbers::pi * i / (n + 1)); };
    std::vector<double> start;
    for (int i = 0; i < n * n; ++i) {
        start.push_back(wave(1, i % n + 1) * wave(1, i / n + 1) + wave(9, i % n + 1) * wave(9, i / n + 1));
    }
    auto u = Dense<double>::vector(exec, start);
    double exact[] = {(n + 1) / 2.0, (n + 1) / 2.0};

    double step = 1;
    const auto solver = Cg<double>::factory({.stop = {.relative_residual = 1e-12}}).generate(matrix_for(step));
    for (int k = 0; k < 10; ++k, step *= 1.5) {
        solver->update_values(matrix_for(step));
        const auto result = solver->solve(u.copy(), u);
        exact[0] /= 1 + step * (4 - 4 * std::cos(1 * std::numbers::pi / (n + 1)));
        exact[1] /= 1 + step * (4 - 4 * std::cos(9 * std::numbers::pi / (n + 1)));
        std::cout << "step " << step << ": " << result.iterations() << " iterations, ||u|| = " << u.norm2()[0] << '\n';
    }
    const double norm = std::hypot(exact[0], exact[1]);
    return std::abs(u.norm2()[0] - norm) < 1e-9 * norm ? 0 : 1;
}
