// needs: double int32
// A clamped bar under its own weight: linear elasticity by CG with multigrid that knows the rigid-body modes. They come
// from the coordinates of the nodes, three unknowns each; without them the same solve takes several times as many
// iterations.
#include <linden/linden.hpp>

#include <iostream>

#include "hexahedra.hpp"

using Amg = linden::Amg<double>;

namespace {

linden::SolveResult solve(const linden::LinOpPtr<double>& a, const Amg::Parameters& parameters)
{
    const auto solver = linden::Cg<double>::factory({.stop = {.max_iterations = 500, .relative_residual = 1e-6},
                                                     .preconditioner = Amg::factory(parameters)})
                            .generate(a);
    const auto& exec = a->executor();
    const auto rows = a->size().rows;
    std::vector<double> weight(static_cast<std::size_t>(rows));
    for (std::size_t i = 2; i < weight.size(); i += 3) {
        weight[i] = -1;  // along z
    }
    auto x = linden::Dense<double>::filled(exec, {rows, 1}, 0);
    return solver->solve(linden::Dense<double>::vector(exec, weight), x);
}

}  // namespace

int main(int argc, char** argv)
{
    const auto exec = linden::Executor::create(argc > 1 ? argv[1] : "reference");
    const auto bar = hexahedra::bar(24, 4, 4);
    const auto a = linden::share(linden::Csr<double, int>(exec, linden::to_csr(bar.matrix)));

    const auto modes =
        solve(a, {.coarse_rows = 100, .coordinates = linden::share(linden::DenseData<double>(bar.coordinates))});
    const auto constants = solve(a, {.coarse_rows = 100, .block_rows = 3});
    std::cout << "with rigid-body modes: " << modes.iterations() << " iterations, " << modes.reason() << '\n'
              << "with constants:        " << constants.iterations() << " iterations, " << constants.reason() << '\n';
    return modes.converged() && modes.iterations() < 20 && modes.iterations() < constants.iterations() ? 0 : 1;
}
