// needs: double int32
#include <linden/matrix/csr.hpp>
#include <linden/matrix/dense.hpp>
#include <linden/solver/automatic.hpp>

#include <gtest/gtest.h>

#include "test/support/backends.hpp"

/// Singular matrices with a b outside of their range: no method is asked for what none can do.
namespace linden::test {
namespace {

constexpr int n = 900;

class Entries {
public:
    void add(int row, int col, double value)
    {
        data_.rows.push_back(row);
        data_.cols.push_back(col);
        data_.values.push_back(value);
    }
    CsrData<double, int> csr() const { return to_csr(data_); }

private:
    MatrixData<double, int> data_{{n, n}, {}, {}, {}};
};

/// Automatic ends after its first method for b = 1, with an x that is no worse than 0, and solves with `in_range`.
void expect_one_attempt(const Entries& entries, const std::vector<double>& in_range)
{
    on_each_executor([&](const Executor& exec) {
        const auto a = share(Csr<double, int>(exec, entries.csr()));
        const auto solver = Automatic<double>::factory({.patience = 1e-9}).generate(a);
        const auto b = Dense<double>::filled(exec, {n, 1}, 1);
        auto x = Dense<double>::filled(exec, {n, 1}, 0);
        const auto result = solver->solve(b, x);
        EXPECT_EQ(result.status(), SolveStatus::stagnated);
        EXPECT_LE(result.relative_residual(), 1 + 1e-12);
        EXPECT_EQ(solver->report().attempts.size(), 1);
        // Whatever the clock says, which decides on x, too.
        const auto patient = Automatic<double>::factory({.patience = 3600}).generate(a);
        x.fill(0);
        EXPECT_TRUE(patient->solve(Dense<double>::vector(exec, in_range), x).converged());
    });
}

/// 1 and -1 at the ends, whose sum is 0.
std::vector<double> ends()
{
    std::vector<double> b(n, 0);
    b.front() = 1;
    b.back() = -1;
    return b;
}

/// Paths of `length` nodes, the first with free ends, the next ones grounded at the ends, and so on in turn.
Entries paths(int length)
{
    Entries entries;
    for (int i = 0; i < n; ++i) {
        const bool is_free = i / length % 2 == 0, is_end = i % length == 0 || i % length == length - 1;
        for (const int j : {i - 1, i, i + 1}) {
            if (j >= 0 && j < n && j / length == i / length) {
                entries.add(i, j, i != j ? -1 : is_end && is_free ? 1 : 2);
            }
        }
    }
    return entries;
}

/// Free boundaries: A 1 = 0.
TEST(AutomaticReach, FreeBoundaries) { expect_one_attempt(paths(n), ends()); }

/// A 1 is 0 in every other connected component.
TEST(AutomaticReach, Islands)
{
    std::vector<double> on_grounded(n, 0);
    on_grounded[110] = 1;
    expect_one_attempt(paths(100), on_grounded);
}

/// The flow through a chain of Markov: I - P^T has columns that sum to 0 and rows that do not.
TEST(AutomaticReach, ChainOfMarkov)
{
    Entries entries;
    for (int state = 0; state < n; ++state) {
        entries.add(state, state, 1);
        entries.add((state + 1) % n, state, -0.5);
        entries.add((state * 7 + 3) % n, state, -0.5);
    }
    expect_one_attempt(entries, ends());
}

/// Fluxes and pressures on a ring without outlet, (I G; G^T 0) with G 1 = 0: the pressures' equations sum to 0.
TEST(AutomaticReach, ClosedFlow)
{
    constexpr int cells = n / 2;
    Entries entries;
    std::vector<double> in_range(n, 1);
    for (int face = 0; face < cells; ++face) {
        entries.add(face, face, 1);
        for (const int side : {0, 1}) {
            const int cell = cells + (face + side) % cells;
            entries.add(face, cell, 2 * side - 1);
            entries.add(cell, face, 2 * side - 1);
        }
        in_range[cells + face] = face % 2 == 0 ? 1 : -1;
    }
    expect_one_attempt(entries, in_range);
}

}  // namespace
}  // namespace linden::test
