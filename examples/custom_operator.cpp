// needs: double int32
// An operator of your own: the 5-point Laplacian without a matrix, solved with conjugate gradients.
#include <linden/io/problems.hpp>
#include <linden/matrix/csr.hpp>
#include <linden/matrix/dense.hpp>
#include <linden/solver/cg.hpp>

#include <iostream>

using namespace linden;

/// 4 u(i, j) - u(i-1, j) - u(i+1, j) - u(i, j-1) - u(i, j+1) on n x n points, u = 0 around them. On host executors.
class Laplacian : public LinOp<double> {
public:
    Laplacian(const Executor& exec, size_type n) : LinOp(exec, {n * n, n * n}), n_(n) {}
    std::string name() const override { return "Laplacian"; }

protected:
    void apply_impl(const Dense<double>& b, Dense<double>& x) const override
    {
        for (size_type col = 0; col < b.size().cols; ++col) {
            const auto u = [&](size_type i, size_type j) {
                return 0 <= i && i < n_ && 0 <= j && j < n_ ? b.at(i + n_ * j, col) : 0;
            };
            for (size_type j = 0; j < n_; ++j) {
                for (size_type i = 0; i < n_; ++i) {
                    x.at(i + n_ * j, col) = 4 * u(i, j) - u(i - 1, j) - u(i + 1, j) - u(i, j - 1) - u(i, j + 1);
                }
            }
        }
    }

private:
    size_type n_;
};

int main(int argc, char** argv)
{
    const auto exec = Executor::create(argc > 1 ? argv[1] : "reference");
    const auto b = Dense<double>::filled(exec, {50 * 50, 1}, 1);
    auto x = Dense<double>::filled(exec, b.size(), 0);
    const auto solver = Cg<double>::factory({.stop = {.relative_residual = 1e-8}}).generate(share(Laplacian(exec, 50)));
    const auto result = solver->solve(b, x);
    std::cout << name(result.status()) << " after " << result.iterations() << " iterations\n";

    auto residual = b.copy();
    Csr<double, int>(exec, generate_problem<double, int>("lap2d:50")).apply(-1, x, 1, residual);  // r := b - A x
    return result.converged() && residual.norm2()[0] <= 1.01e-8 * b.norm2()[0] ? 0 : 1;
}
