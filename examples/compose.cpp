// needs: double int32
// Factories are values: a solver may be the preconditioner of another, and one recipe serves many matrices.
#include <linden/io/problems.hpp>
#include <linden/matrix/csr.hpp>
#include <linden/matrix/dense.hpp>
#include <linden/preconditioner/block_jacobi.hpp>
#include <linden/solver/cg.hpp>
#include <linden/solver/fgmres.hpp>

#include <iostream>

using namespace linden;

int main(int argc, char** argv)
{
    const auto exec = Executor::create(argc > 1 ? argv[1] : "reference");
    const auto inner = Cg<double>::factory({
        .stop = {.max_iterations = 30, .relative_residual = 1e-2},
        .preconditioner = BlockJacobi<double>::factory({.block_size = 4, .storage = StoragePrecision::single}),
    });
    const auto recipe = Fgmres<double>::factory({
        .stop = {.max_iterations = 50, .relative_residual = 1e-10},
        .preconditioner = inner,
    });

    bool all_converged = true;
    for (const char* problem : {"lap2d:50", "lap3d:15", "twophase:40:100"}) {
        // The matrix may be anywhere: generate() copies it to the executor of the recipe.
        const auto a = share(Csr<double, int>(Executor::reference(), generate_problem<double, int>(problem)));
        const auto solver = recipe.on(exec).generate(a);
        const auto b = Dense<double>::filled(exec, {a->size().rows, 2}, 1);  // two right-hand sides
        auto x = Dense<double>::filled(exec, b.size(), 0);
        const auto result = solver->solve(b, x);
        std::cout << problem << ": " << name(result.status()) << " after " << result.iterations()
                  << " outer iterations, residual " << result.relative_residual() << '\n';
        all_converged &= result.converged();
    }
    return all_converged ? 0 : 1;
}
