// needs: double int32
#include <linden/config.hpp>
#include <linden/matrix/csr.hpp>
#include <linden/matrix/dense.hpp>
#include <linden/solver/cg.hpp>

#include <cstdio>
#include <memory>

/// Solves a system of ten unknowns on every host backend that the library has; fails where one does not converge.
int main()
{
    const int n = 10;
    linden::CsrData<double, std::int32_t> laplacian{{n, n}, {0}, {}, {}};
    for (int i = 0; i < n; ++i) {
        for (int j = i == 0 ? 0 : i - 1; j <= i + 1 && j < n; ++j) {
            laplacian.col_idxs.push_back(j);
            laplacian.values.push_back(i == j ? 2.0 : -1.0);
        }
        laplacian.row_ptrs.push_back(static_cast<std::int32_t>(laplacian.values.size()));
    }
    int num_solved = 0;
    for (const auto backend : {linden::Backend::reference, linden::Backend::omp}) {
        if (!linden::backend_info(backend).built) {
            continue;
        }
        const auto exec = linden::Executor::create(backend);
        const auto matrix = std::make_shared<const linden::Csr<double, std::int32_t>>(exec, laplacian);
        const auto solver = linden::Cg<double>::factory({.stop = {.relative_residual = 1e-12}}).generate(matrix);
        const auto b = linden::Dense<double>::filled(exec, {n, 1}, 1.0);
        auto x = linden::Dense<double>::filled(exec, {n, 1}, 0.0);
        const auto result = solver->solve(b, x);
        std::printf("Linden %s on %s: %s\n", LINDEN_VERSION, exec.name().c_str(), result.reason().c_str());
        if (!result.converged()) {
            return 1;
        }
        ++num_solved;
    }
    return num_solved > 0 ? 0 : 1;
}
