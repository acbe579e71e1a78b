// needs: double int32
#include <linden/distributed/matrix.hpp>
#include <linden/distributed/schwarz.hpp>
#include <linden/distributed/session.hpp>
#include <linden/matrix/dense.hpp>
#include <linden/preconditioner/ic.hpp>
#include <linden/solver/cg.hpp>

#include <iostream>

using namespace linden;

/// The own rows of -u'' on n points: 2 on the diagonal, -1 beside it, columns numbered over all processes.
CsrData<double, std::int64_t> my_rows(size_type first, size_type last, size_type n)
{
    CsrData<double, std::int64_t> rows{{last - first, n}, {0}, {}, {}};
    for (auto row = first; row < last; ++row) {
        for (auto col = row - 1; col <= row + 1; ++col) {
            if (col >= 0 && col < n) {
                rows.col_idxs.push_back(col);
                rows.values.push_back(col == row ? 2 : -1);
            }
        }
        rows.row_ptrs.push_back(static_cast<std::int64_t>(rows.values.size()));
    }
    return rows;
}

/// Solves a system whose rows are spread over processes: mpirun -np 4 linden_example_distributed_solve omp
int main(int argc, char** argv)
{
    const distributed::Session session;
    const auto& ranks = session.world();
    try {
        const size_type n = 1000;
        const auto exec = Executor::create(std::string_view(argc > 1 ? argv[1] : "reference"));
        const auto partition = distributed::Partition::stripes(n, ranks.size());
        const auto rows = my_rows(partition.first(ranks.rank()), partition.first(ranks.rank() + 1), n);
        const auto A = share(distributed::Matrix<double, std::int32_t>(exec, ranks, partition, rows));

        // Each process factorizes its own rows; everything else is as on one.
        const auto schwarz = distributed::Schwarz<double>::factory({.local = Ic0<double>::factory()});
        const auto cg = Cg<double>::factory({.stop = {.relative_residual = 1e-8}, .preconditioner = schwarz});
        const auto solver = cg.generate(A);
        const auto b = Dense<double>::filled(exec, {A->size().rows, 1}, 1.0);
        auto x = Dense<double>::filled(exec, {A->size().rows, 1}, 0.0);
        const auto result = solver->solve(b, x);
        if (ranks.rank() == 0) {
            std::cout << name(result.status()) << " after " << result.iterations() << " iterations on " << ranks.size()
                      << " processes\n";
        }
        return result.converged() ? 0 : 1;
    } catch (const std::exception& error) {
        ranks.fail(std::current_exception());  // the others do not wait for this process
        std::cerr << "rank " << ranks.rank() << ": " << error.what() << "\n";
        return 2;
    }
}
