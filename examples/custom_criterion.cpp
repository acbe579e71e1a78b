// needs: double int32
// A stopping criterion of your own: give up early when the tolerance is out of reach within a budget of iterations.
#include <linden/io/problems.hpp>
#include <linden/matrix/csr.hpp>
#include <linden/matrix/dense.hpp>
#include <linden/solver/cg.hpp>

#include <cmath>
#include <iostream>

using namespace linden;

/// Extrapolates the mean rate of convergence, after a few iterations that tell nothing yet.
class Forecast : public StoppingCriterion {
public:
    explicit Forecast(double budget) : budget_(budget) {}

    SolveStatus check(const IterationInfo& info) override
    {
        const double residual = info.residual_norms[0];
        first_ = info.iteration == 1 ? residual : first_;
        const double reached = std::log(first_ / residual), wanted = std::log(first_ / info.tolerances[0]);
        const bool hopeless = reached * budget_ < wanted * static_cast<double>(info.iteration);
        return info.iteration > 40 && hopeless ? SolveStatus::stagnated : SolveStatus::running;
    }

private:
    double budget_, first_ = 0;
};

int main(int argc, char** argv)
{
    const auto exec = Executor::create(argc > 1 ? argv[1] : "reference");
    const auto a = share(Csr<double, int>(exec, generate_problem<double, int>("lap2d:60")));
    const auto result_within = [&](double budget) {
        const auto criterion = std::make_shared<Forecast>(budget);
        const Stop stop{.relative_residual = 1e-10, .custom = {criterion}};
        auto x = Dense<double>::filled(exec, {3600, 1}, 0);
        const auto b = Dense<double>::filled(exec, x.size(), 1);
        const auto result = Cg<double>::factory({.stop = stop}).generate(a)->solve(b, x);
        std::cout << name(result.status()) << " after " << result.iterations() << " iterations\n";
        return result;
    };
    const bool enough = result_within(1000).converged();
    const auto gave_up = result_within(100);
    return enough && gave_up.status() == SolveStatus::stagnated && gave_up.iterations() < 100 ? 0 : 1;
}
