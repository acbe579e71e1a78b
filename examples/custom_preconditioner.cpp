// needs: double int32
// A preconditioner of your own, symmetric Gauss-Seidel, and its factory as a parameter of conjugate gradients.
#include <linden/io/problems.hpp>
#include <linden/matrix/csr.hpp>
#include <linden/matrix/dense.hpp>
#include <linden/solver/cg.hpp>

#include <iostream>

using namespace linden;
using Matrix = Csr<double, int>;

/// x := M^-1 b with M = (D + L) D^-1 (D + U), where A = L + D + U. On host executors. [Saad03, 4.1]
class SymmetricGaussSeidel : public LinOp<double> {
public:
    explicit SymmetricGaussSeidel(LinOpPtr<double> a) : LinOp(a->executor(), a->size()), a_(a) {}
    std::string name() const override { return "SymmetricGaussSeidel"; }

protected:
    void apply_impl(const Dense<double>& b, Dense<double>& x) const override
    {
        x.fill(0);
        const auto a = dynamic_cast<const Matrix&>(*a_).view();
        for (size_type row = 0; row < a.rows; ++row) {
            relax(a, row, b, x);
        }
        for (size_type row = a.rows; row-- > 0;) {
            relax(a, row, b, x);
        }
    }

private:
    /// Makes x(row) solve equation `row`.
    static void relax(CsrView<double, int> a, size_type row, const Dense<double>& b, Dense<double>& x)
    {
        double sum = b.at(row, 0), diagonal = 1;
        for (int k = a.row_ptrs[row]; k < a.row_ptrs[row + 1]; ++k) {
            if (a.col_idxs[k] == row) {
                diagonal = a.values[k];
            } else {
                sum -= a.values[k] * x.at(a.col_idxs[k], 0);
            }
        }
        x.at(row, 0) = sum / diagonal;
    }

    LinOpPtr<double> a_;
};

int main(int argc, char** argv)
{
    const auto exec = Executor::create(argc > 1 ? argv[1] : "reference");
    const auto a = share(Matrix(exec, generate_problem<double, int>("lap2d:60")));
    const auto cg = Cg<double>::factory({.preconditioner = make_factory<SymmetricGaussSeidel>()}).generate(a);
    auto x = Dense<double>::filled(exec, {3600, 1}, 0);
    const auto result = cg->solve(Dense<double>::filled(exec, x.size(), 1), x);
    std::cout << name(result.status()) << " after " << result.iterations() << " iterations\n";
    return result.converged() && result.iterations() < 50 ? 0 : 1;  // 95 without
}
