// needs: double int32
// Poisson's equation on a grid by CG with algebraic multigrid: about as many iterations for any grid. Shows the levels.
#include <linden/io/problems.hpp>
#include <linden/matrix/csr.hpp>
#include <linden/matrix/dense.hpp>
#include <linden/multigrid/amg.hpp>
#include <linden/solver/cg.hpp>

#include <iostream>

int main(int argc, char** argv)
{
    const auto exec = linden::Executor::create(argc > 1 ? argv[1] : "reference");
    const auto a = linden::share(linden::Csr<double, int>(exec, linden::generate_problem<double, int>("lap2d:200")));

    const auto solver = linden::Cg<double>::factory({.preconditioner = linden::Amg<double>::factory()}).generate(a);
    const auto b = linden::Dense<double>::filled(exec, {40000, 1}, 1);
    auto x = linden::Dense<double>::filled(exec, {40000, 1}, 0);
    const auto result = solver->solve(b, x);

    std::cout << result.reason() << " after " << result.iterations() << " iterations\n\n"
              << dynamic_cast<const linden::Amg<double>&>(*solver->preconditioner()).report().text();
    return result.converged() && result.iterations() < 25 ? 0 : 1;
}
