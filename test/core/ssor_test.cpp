// needs: double int32
#include <linden/config/config.hpp>
#include <linden/error.hpp>
#include <linden/io/problems.hpp>
#include <linden/matrix/dense.hpp>
#include <linden/matrix/identity.hpp>
#include <linden/preconditioner/jacobi.hpp>
#include <linden/preconditioner/ssor.hpp>
#include <linden/solver/cg.hpp>

#include <array>
#include <cmath>
#include <limits>

#include "core/kernels/vendor_triangular.hpp"
#include "test/support/applied.hpp"
#include "test/support/compare.hpp"
#include "test/support/kernel_cases.hpp"
#include "test/support/matrices.hpp"
#include "test/support/pathological.hpp"
#include "test/support/problems.hpp"

namespace linden::test {
namespace {

using I = std::int32_t;
using enum SweepDirection;
using enum TriangularAlgorithm;
using Parameters = Ssor<double>::Parameters;
namespace p = pathological;

/// The block of each row, by the definition of the parameters.
template <class Parameters>
std::vector<size_type> blocks_of(const Parameters& parameters, size_type rows)
{
    std::vector<size_type> blocks;
    for (size_type block = 0; static_cast<size_type>(blocks.size()) < rows; ++block) {
        const size_type longer = block < rows % parameters.blocks ? 1 : 0;
        const size_type count = parameters.block_rows > 0 ? parameters.block_rows : rows / parameters.blocks + longer;
        blocks.insert(blocks.end(), static_cast<std::size_t>(count), block);
    }
    return blocks;
}

/// x := M^-1 b by substitution with the dense matrix, as M is defined, one column.
template <class V, class J>
std::vector<V> expected_result(const CsrData<V, J>& a, const typename Ssor<V>::Parameters& parameters, std::vector<V> x)
{
    const auto n = a.size.rows;
    const auto blocks = blocks_of(parameters, n);
    std::vector<std::vector<V>> dense(static_cast<std::size_t>(n), std::vector<V>(static_cast<std::size_t>(n)));
    for (size_type row = 0; row < n; ++row) {
        for (auto k = a.row_ptrs[row]; k < a.row_ptrs[row + 1]; ++k) {
            dense[row][a.col_idxs[k]] = blocks[row] == blocks[a.col_idxs[k]] ? a.values[k] : V{};
        }
        dense[row][row] = dense[row][row] == V{} ? V{1} : dense[row][row];
    }
    const auto omega = static_cast<real_t<V>>(parameters.omega);
    if (parameters.direction != backward) {  // (D + omega L)^-1
        for (size_type row = 0; row < n; ++row) {
            for (size_type col = 0; col < row; ++col) {
                x[row] -= omega * dense[row][col] * x[col];
            }
            x[row] /= dense[row][row];
        }
    }
    for (size_type row = 0; row < n; ++row) {
        x[row] *= parameters.direction == symmetric ? omega * (2 - omega) * dense[row][row] : V{omega};
    }
    if (parameters.direction != forward) {  // (D + omega U)^-1
        for (size_type row = n; row-- > 0;) {
            for (size_type col = row + 1; col < n; ++col) {
                x[row] -= omega * dense[row][col] * x[col];
            }
            x[row] /= dense[row][row];
        }
    }
    return x;
}

/// A = [2 1 .; 4 . 3; -1 2 4], where (1, 1) is absent and counts as 1.
CsrData<double, I> small_matrix() { return {{3, 3}, {0, 2, 4, 7}, {0, 1, 0, 2, 0, 1, 2}, {2, 1, 4, 3, -1, 2, 4}}; }

TEST(Ssor, ByHand)
{
    const auto solved = [](const Executor& exec, const Parameters& parameters, const std::vector<double>& b) {
        const auto ssor = Ssor<double>::factory(parameters).generate(csr(exec, small_matrix()));
        EXPECT_EQ(ssor->num_zero_diagonals(), 1);
        return applied(*ssor, b);
    };
    using Values = std::vector<double>;
    on_each_executor([&](const Executor& exec) {
        // (D + L) y = b: y = (1, 2, 0.5); D y = (2, 2, 2); (D + U) z = D y
        EXPECT_EQ(solved(exec, {}, {2, 6, 5}), (Values{0.75, 0.5, 0.5}));
        EXPECT_EQ(solved(exec, {.direction = forward}, {2, 6, 5}), (Values{1, 2, 0.5}));
        EXPECT_EQ(solved(exec, {.direction = backward}, {2, 2, 2}), (Values{0.75, 0.5, 0.5}));
        // omega = 1/2: [4 . .; 4 2 .; -1 2 8] y = b: y = (1, 2, 3)
        EXPECT_EQ(solved(exec, {.omega = 0.5, .direction = forward}, {4, 8, 27}), (Values{1, 2, 3}));
        // [2 . .; 2 1 .; -1/2 1 4] y = b: y = (4, 8, 12); 3/4 D y = (6, 6, 36); [2 1/2 .; . 1 3/2; . . 4] z is that
        EXPECT_EQ(solved(exec, {.omega = 0.5}, {8, 16, 54}), (Values{4.875, -7.5, 9}));
        // Blocks {0, 1} and {2}: [2 . .; 4 1 .; . . 4] y = b, [2 1 .; . 1 .; . . 4] z = D y
        EXPECT_EQ(solved(exec, {.blocks = 2}, {2, 6, 8}), (Values{0, 2, 2}));
        EXPECT_EQ(solved(exec, {.block_rows = 2}, {2, 6, 8}), (Values{0, 2, 2}));
    });
}

/// The factory's operator on one and three columns, before and after new values.
template <class V, class J>
void expect_as_defined(const CsrData<V, J>& data, const typename Ssor<V>::Parameters& parameters, double k)
{
    Random random(411);
    auto other = data;
    for (auto& value : other.values) {
        value *= static_cast<real_t<V>>(0.75 + 0.25 * random.unit());
    }
    const auto n = data.size.rows;
    const auto b = random_dense<V>(random, reference_executor(), {n, 3}, 1);
    const auto b_host = b.to_host();
    on_each_executor([&](const Executor& exec) {
        const auto ssor = Ssor<V>::factory(parameters).generate(csr(exec, data));
        for (const bool is_updated : {false, true}) {
            const auto& a = is_updated ? other : data;
            if (is_updated) {
                ssor->update_values(csr(exec, other));
            }
            Dense<V> x(exec, {n, 3}, 5);
            ssor->apply(b.copy(exec), x);
            const auto x_host = x.to_host();
            for (std::size_t col = 0; col < 3; ++col) {
                std::vector<V> b_column, x_column;
                for (std::size_t at = col; at < b_host.size(); at += 3) {
                    b_column.push_back(b_host[at]);
                    x_column.push_back(x_host[at]);
                }
                expect_near(x_column, expected_result(a, parameters, b_column), k);
                if (col == 0) {
                    expect_near(applied(*ssor, b_column), x_column, k);
                }
            }
        }
    });
}

TEST(Ssor, IsWhatItIsDefinedAs)
{
    for_each_value_index([]<class V, class J>() {
        SCOPED_TRACE((types_of<V, J>));
        using P = typename Ssor<V>::Parameters;
        Random random(412);
        const auto hermitian = random_hpd_csr<V, J>(random, 203, 4);
        auto skew = hermitian;  // another sign above the diagonal
        for (size_type row = 0; row < skew.size.rows; ++row) {
            for (auto k = skew.row_ptrs[row]; k < skew.row_ptrs[row + 1]; ++k) {
                skew.values[k] *= skew.col_idxs[k] > row ? real_t<V>(-0.5) : real_t<V>(1);
            }
        }
        for (const auto& a : {hermitian, skew}) {
            for (const auto direction : {symmetric, forward, backward}) {
                SCOPED_TRACE(static_cast<int>(direction));
                expect_as_defined<V, J>(a, P{.direction = direction}, 256);
                expect_as_defined<V, J>(a, P{.omega = 1.6, .direction = direction}, 1024);
                expect_as_defined<V, J>(a, P{.omega = 0.3, .blocks = 10, .direction = direction}, 256);
                expect_as_defined<V, J>(a, P{.block_rows = 32, .direction = direction}, 256);
            }
        }
    });
}

TEST(Ssor, TakesEveryTriangularSolve)
{
    Random random(413);
    const auto a = random_hpd_csr<double, I>(random, 300, 4);
    for (const auto algorithm : {levels, syncfree, segments}) {
        expect_as_defined<double, I>(a, {.omega = 1.2, .triangular = {.algorithm = algorithm}}, 256);
    }
    // After as many sweeps as there are levels they are exact.
    expect_as_defined<double, I>(a, {.triangular = {.algorithm = jacobi, .sweeps = 300}}, 256);
    const double single = std::numeric_limits<float>::epsilon() / std::numeric_limits<double>::epsilon();
    expect_as_defined<double, I>(a, {.triangular = {.storage = StoragePrecision::single}}, 16 * single);
    on_each_executor([&](const Executor& exec) {
        if (vendor_triangular_solve<double, I>.available(exec.backend())) {
            const auto by_vendor = Ssor<double>::factory({.triangular = {.algorithm = vendor}}).generate(csr(exec, a));
            const std::vector<double> b(300, 1);
            expect_near(applied(*by_vendor, b), expected_result(a, Parameters{}, b), 256);
        }
    });
}

/// A row and a column without gaps: as many levels as rows with the row in the middle.
TEST(Ssor, DenseRow)
{
    Random random(414);
    for (const auto pattern : {Pattern::dense_row, Pattern::empty_rows}) {
        auto a = random_csr<double, I>(random, {150, 150}, 2, pattern);
        for (auto& value : a.values) {
            value *= 0.01;
        }
        for (size_type row = 0; row < 150; ++row) {
            for (auto k = a.row_ptrs[row]; k < a.row_ptrs[row + 1]; ++k) {
                a.values[k] = a.col_idxs[k] == row ? 1 + std::abs(a.values[k]) : a.values[k];
            }
        }
        expect_as_defined<double, I>(a, {.omega = 1.5}, 256);
        expect_as_defined<double, I>(a, {.blocks = 4}, 256);
    }
}

TEST(Ssor, BlocksOfOneRowAreJacobi)
{
    Random random(415);
    const auto data = random_hpd_csr<double, I>(random, 97, 5);
    const std::vector<double> b(97, 1);
    on_each_executor([&](const Executor& exec) {
        const auto a = csr(exec, data);
        const auto jacobi = applied(*Jacobi<double>::factory().generate(a), b);
        expect_near(applied(*Ssor<double>::factory({.blocks = 97}).generate(a), b), jacobi, 4);
        expect_near(applied(*Ssor<double>::factory({.block_rows = 1}).generate(a), b), jacobi, 4);
        const auto whole = applied(*Ssor<double>::factory().generate(a), b);
        EXPECT_EQ(applied(*Ssor<double>::factory({.block_rows = 97}).generate(a), b), whole);
        EXPECT_EQ(applied(*Ssor<double>::factory({.block_rows = 1000}).generate(a), b), whole);
        EXPECT_NE(applied(*Ssor<double>::factory({.blocks = 2}).generate(a), b), whole);
    });
}

TEST(Ssor, CountsZeroDiagonals)
{
    on_each_executor([](const Executor& exec) {
        auto data = p::zero_diagonal<double, I>();
        for (const double omega : {1.0, 0.5}) {
            const auto ssor = Ssor<double>::factory({.omega = omega}).generate(csr(exec, data));
            EXPECT_EQ(ssor->num_zero_diagonals(), 2);
            const std::vector<double> b{1, -2, 3};
            expect_near(applied(*ssor, b), expected_result(data, Parameters{.omega = omega}, b), 16);
        }
        const auto ssor = Ssor<double>::factory().generate(csr(exec, data));
        data.values[3] = 8;
        ssor->update_values(csr(exec, data));
        EXPECT_EQ(ssor->num_zero_diagonals(), 1);
        EXPECT_EQ(dynamic_cast<const Ssor<double>&>(*ssor->clone(exec)).num_zero_diagonals(), 1);
    });
}

TEST(Ssor, EmptyAndOneByOne)
{
    on_each_executor([](const Executor& exec) {
        const auto none = Ssor<double>::factory().generate(csr(exec, p::without_rows<double, I>()));
        EXPECT_EQ(applied(*none, {}), std::vector<double>());
        EXPECT_EQ(none->num_zero_diagonals(), 0);
        const CsrData<double, I> four{{1, 1}, {0, 1}, {0}, {4}};
        EXPECT_EQ(applied(*Ssor<double>::factory().generate(csr(exec, four)), {2}), (std::vector<double>{0.5}));
        EXPECT_EQ(applied(*Ssor<double>::factory({.omega = 0.5, .direction = backward}).generate(csr(exec, four)), {8}),
                  (std::vector<double>{1}));
        const auto bare = Ssor<double>::factory({.blocks = 3}).generate(csr(exec, p::without_entries<double, I>(3)));
        EXPECT_EQ(applied(*bare, {1, 2, 3}), (std::vector<double>{1, 2, 3}));
        EXPECT_EQ(bare->num_zero_diagonals(), 3);
    });
}

TEST(Ssor, ComesFromText)
{
    const auto factory =
        config::parse_short<double>("ssor:omega=1.5,block_rows=4,direction=backward,trisolve=syncfree");
    const auto& p = dynamic_cast<const Factory<Ssor<double>>&>(*factory).parameters();
    EXPECT_EQ(p.omega, 1.5);
    EXPECT_EQ(p.blocks, 1);
    EXPECT_EQ(p.block_rows, 4);
    EXPECT_EQ(p.direction, backward);
    EXPECT_EQ(p.triangular.algorithm, syncfree);
    const auto text = config::to_json<double>(factory);
    EXPECT_EQ(config::to_json<double>(config::parse_factory<double>(text, "ssor.json")), text);
    EXPECT_EQ(config::to_short<double>(*factory).text,
              "ssor:omega=1.5,block_rows=4,direction=backward,trisolve=syncfree");
}

TEST(Ssor, RefusesWhatItCannotDo)
{
    const auto& exec = reference_executor();
    const auto a = csr(exec, p::healthy<double, I>());
    const auto refused = [&](const Parameters& parameters) -> std::string {
        try {
            (void)Ssor<double>::factory(parameters).generate(a);
        } catch (const InvalidParameter& e) {
            return e.what();
        }
        return "accepted";
    };
    for (const double omega : {0.0, 2.0, -1.0, std::numeric_limits<double>::quiet_NaN()}) {
        EXPECT_NE(refused({.omega = omega}).find("0 < omega < 2"), std::string::npos) << omega;
    }
    EXPECT_NE(refused({.blocks = 0}).find("1 to the number of rows"), std::string::npos);
    EXPECT_NE(refused({.blocks = 4}).find("1 to the number of rows"), std::string::npos);
    EXPECT_NE(refused({.block_rows = -1}).find("at least 0"), std::string::npos);
    EXPECT_NE(refused({.blocks = 2, .block_rows = 2}).find("0 where blocks is given"), std::string::npos);
    EXPECT_EQ(refused({.blocks = 3}), "accepted");
    EXPECT_THROW((void)Ssor<double>::factory().generate(share(Identity<double>(exec, 3))), NotSupported);
    EXPECT_THROW((void)Ssor<double>::factory().generate(csr(exec, CsrData<double, I>{{1, 2}, {0, 0}, {}, {}})),
                 DimensionMismatch);
    const auto ssor = Ssor<double>::factory().generate(a);
    for_each_index([&]<class J>() {
        if constexpr (!std::is_same_v<I, J>) {
            EXPECT_THROW(ssor->update_values(csr(exec, p::healthy<double, J>())), NotSupported);
        }
    });
    EXPECT_THROW(ssor->update_values(share(Identity<double>(exec, 3))), NotSupported);
}

/// As the paper has it: SGS halves the iterations and more, blocks give some of that away, and the best omega gains
/// again. [HeuvelineEtAl10, figure 1]
TEST(Ssor, PreconditionsCgAlikeEverywhere)
{
    const auto data = generate_problem<double, I>("lap2d:60");
    const auto iterations = [&](const Executor& exec, FactoryPtr<double> preconditioner) {
        const auto solver =
            Cg<double>::factory({.stop = {.relative_residual = 1e-6}, .preconditioner = std::move(preconditioner)})
                .generate(csr(exec, data));
        auto x = Dense<double>::filled(exec, {3600, 1}, 0);
        const auto result = solver->solve(Dense<double>::filled(exec, {3600, 1}, 1), x);
        EXPECT_TRUE(result.converged()) << result.reason();
        return result.iterations();
    };
    on_each_executor([&](const Executor& exec) {
        const std::array counts{iterations(exec, Ssor<double>::factory({.omega = 1.9})),
                                iterations(exec, Ssor<double>::factory()),
                                iterations(exec, Ssor<double>::factory({.blocks = 8})),
                                iterations(exec, Ssor<double>::factory({.block_rows = 16})), iterations(exec, nullptr)};
        EXPECT_TRUE(std::is_sorted(counts.begin(), counts.end(), std::less_equal<>()))
            << counts[0] << ' ' << counts[1] << ' ' << counts[2] << ' ' << counts[3] << ' ' << counts[4];
        EXPECT_LT(2 * counts[1], counts[4]);
        EXPECT_EQ(counts[1], iterations(reference_executor(), Ssor<double>::factory()));
    });
}

TEST(Ssor, AllocatesNothingAfterTheFirstApplication)
{
    on_each_executor([](const Executor& exec) {
        const auto ssor = Ssor<double>::factory({.blocks = 3}).generate(csr(exec, laplace_2d<double>(20)));
        const auto b = Dense<double>::filled(exec, {400, 2}, 1);
        Dense<double> x(exec, {400, 2});
        ssor->apply(b, x);
        const auto allocations = exec.counters().allocations;
        ssor->apply(b, x);
        EXPECT_EQ(exec.counters().allocations, allocations);
        EXPECT_TRUE(ssor->is_capturable());
    });
}

/// New values repeat none of the analysis, whose kernels work on patterns.
TEST(Ssor, NewValuesTakeAFewKernels)
{
    on_each_executor([](const Executor& exec) {
        const auto a = csr(exec, laplace_2d<double>(20));
        for (const size_type blocks : {1, 4}) {
            const auto ssor = Ssor<double>::factory({.blocks = blocks}).generate(a);
            const auto launches = exec.counters().kernel_launches;
            ssor->update_values(a);
            // the diagonal, its inverse, times omega, [the values in blocks], their scaling, the values of both solves
            EXPECT_EQ(exec.counters().kernel_launches - launches, blocks == 1 ? 6u : 7u);
        }
    });
}

}  // namespace
}  // namespace linden::test
