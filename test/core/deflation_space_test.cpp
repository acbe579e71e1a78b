// needs: double int32
#include <linden/error.hpp>
#include <linden/matrix/operations.hpp>
#include <linden/preconditioner/jacobi.hpp>
#include <linden/preconditioner/multicoloured.hpp>
#include <linden/solver/deflated_cg.hpp>

#include <numeric>

#include "core/base/math.hpp"
#include "core/deflation/domains.hpp"
#include "core/deflation/galerkin.hpp"
#include "test/support/solvers.hpp"

/// What deflation sets up on executors: domains in pieces, and the products with the vectors.
namespace linden::test {
namespace {

using linden::detail::DomainPieces;
using linden::detail::Domains;
using linden::detail::galerkin;
using linden::detail::Symmetry;

using I = std::int32_t;

std::vector<I> host_copy(const Executor& exec, const I* values, size_type count)
{
    std::vector<I> result(static_cast<std::size_t>(count));
    copy_bytes(exec, values, reference_executor(), result.data(), result.size() * sizeof(I));
    return result;
}

void expect_pieces(const Executor& exec, const std::vector<I>& of_row, size_type num_domains)
{
    const DomainPieces<I> pieces(Domains<I>{num_domains, Array<I>(exec, of_row)});
    const auto view = pieces.view();
    const auto n = static_cast<size_type>(of_row.size());
    ASSERT_EQ(view.rows, n);
    ASSERT_EQ(view.num_domains, num_domains);
    EXPECT_EQ(host_copy(exec, view.domains, n), of_row);

    std::vector<I> order(of_row.size());
    std::iota(order.begin(), order.end(), I{0});
    const auto domain_of = [&](I row) { return of_row[static_cast<std::size_t>(row)]; };
    std::stable_sort(order.begin(), order.end(), [&](I a, I b) { return domain_of(a) < domain_of(b); });
    ASSERT_EQ(view.order == nullptr, std::is_sorted(of_row.begin(), of_row.end()));
    if (view.order != nullptr) {
        EXPECT_EQ(host_copy(exec, view.order, n), order);
    }
    std::vector<I> piece_ptrs{0}, domain_pieces{0};
    for (size_type domain = 0; domain < num_domains; ++domain) {
        const size_type end = piece_ptrs.back() + std::count(of_row.begin(), of_row.end(), domain);
        while (piece_ptrs.back() < end) {
            piece_ptrs.push_back(static_cast<I>(std::min<size_type>(piece_ptrs.back() + deflation_piece_rows, end)));
        }
        domain_pieces.push_back(static_cast<I>(piece_ptrs.size() - 1));
    }
    EXPECT_EQ(host_copy(exec, view.piece_ptrs, view.num_pieces + 1), piece_ptrs);
    EXPECT_EQ(host_copy(exec, view.domain_pieces, num_domains + 1), domain_pieces);
}

TEST(DeflationSpace, SortsRowsByDomainsAndCutsThem)
{
    Random random(971);
    std::vector<I> scattered(5000), even(5000);
    for (auto& domain : scattered) {
        domain = static_cast<I>(random.integer(0, 37));
    }
    std::transform(scattered.begin(), scattered.end(), even.begin(), [](I domain) { return 2 * domain; });
    std::vector<I> sorted = even;
    std::sort(sorted.begin(), sorted.end());
    on_each_executor([&](const Executor& exec) {
        expect_pieces(exec, {}, 1);
        expect_pieces(exec, {0}, 1);
        expect_pieces(exec, std::vector<I>(3000, 0), 1);
        expect_pieces(exec, {1, 0, 1, 4}, 5);
        expect_pieces(exec, scattered, 37);
        expect_pieces(exec, even, 80);
        expect_pieces(exec, sorted, 80);
    });
}

/// X^H Y of dense host blocks of n rows, row by row.
template <class V>
std::vector<V> adjoint_product(const std::vector<V>& x, const std::vector<V>& y, std::size_t n)
{
    const auto rows = x.size() / n, cols = y.size() / n;
    std::vector<V> product(rows * cols);
    for (std::size_t row = 0; row < n; ++row) {
        for (std::size_t i = 0; i < rows; ++i) {
            for (std::size_t j = 0; j < cols; ++j) {
                product[i * cols + j] += conj(x[row * rows + i]) * y[row * cols + j];
            }
        }
    }
    return product;
}

template <class V>
std::vector<V> dense_values(const CsrData<V, I>& a)
{
    std::vector<V> values(static_cast<std::size_t>(a.size.rows * a.size.cols));
    for (size_type row = 0; row < a.size.rows; ++row) {
        for (I k = a.row_ptrs[row]; k < a.row_ptrs[row + 1]; ++k) {
            values[static_cast<std::size_t>(row * a.size.cols + a.col_idxs[k])] = a.values[k];
        }
    }
    return values;
}

template <class V>
std::vector<real_t<V>> magnitudes(const std::vector<V>& values)
{
    std::vector<real_t<V>> result;
    for (const V value : values) {
        result.push_back(std::abs(value));
    }
    return result;
}

/// Y and E of sparse and of dense vectors, of matrices that are Hermitian and that are not.
TEST(DeflationSpace, FormsProducts)
{
    for_each_value([]<class V>() {
        constexpr size_type n = 90, k = 11;
        for (const auto symmetry : {Symmetry::none, Symmetry::hermitian}) {
            Random random(972);
            const auto a =
                symmetry == Symmetry::none ? random_csr<V, I>(random, {n, n}, 6) : random_hpd_csr<V, I>(random, n, 4);
            const auto z = random_csr<V, I>(random, {n, k}, 2);
            const auto dense_a = dense_values(a), dense_z = dense_values(z);
            const auto y = adjoint_product(dense_z, dense_a, n);
            std::vector<V> y_adjoint(y.size());
            for (std::size_t i = 0; i < y.size(); ++i) {
                y_adjoint[i % n * k + i / n] = conj(y[i]);
            }
            const auto e = adjoint_product(y_adjoint, dense_z, n);
            const auto m = magnitudes(dense_z);
            const auto scales = adjoint_product(adjoint_product(magnitudes(dense_a), m, n), m, n);
            on_each_executor([&](const Executor& exec) {
                const Csr<V, I> matrix(exec, a), sparse(exec, z);
                linden::detail::KeptMemory memory(exec), memory_of_y(exec);
                const auto by_sparse = galerkin<V, I>(matrix, sparse, symmetry, nullptr, {memory, memory_of_y});
                expect_near(dense_values(by_sparse.y.to_host()), y, 64);
                expect_near(dense_values(by_sparse.e.to_host()), e, 256);
                const auto block = block_on<V>(exec, {n, k}, dense_z);
                const auto by_dense = galerkin(matrix, block, symmetry, memory);
                expect_near(by_dense.y_adjoint.to_host(), y_adjoint, 64);
                expect_near(by_dense.e.to_host(), e, 256);
                const auto from_sparse = linden::detail::real_diagonal(by_sparse.e_magnitudes, memory).to_host(),
                           from_dense = by_dense.scales.to_host();
                for (std::size_t j = 0; j < k; ++j) {
                    EXPECT_NEAR(from_dense[j], scales[j * k + j], 1e-4 * scales[j * k + j]);
                    EXPECT_NEAR(from_sparse[j], scales[j * k + j], 1e-4 * scales[j * k + j]);
                }
            });
        }
    });
}

/// -u'' with Neumann conditions and coefficients from 1 to 1e9: entries of Y stand next to interfaces alone.
TEST(DeflationSpace, DropsWhatCancelsWhateverTheContrast)
{
    constexpr size_type n = 60;
    CsrData<double, I> a{{n, n}, {0}, {}, {}};
    const auto coefficient = [](size_type between) {
        return between < 0 || between >= n - 1 ? 0. : between % 7 == 0 ? 1e9 / 3 : between % 3 == 0 ? 0.1 : 1 + 1. / 7;
    };
    for (size_type row = 0; row < n; ++row) {
        const double left = coefficient(row - 1), right = coefficient(row);
        for (size_type col = std::max<size_type>(row - 1, 0); col < std::min(row + 2, n); ++col) {
            a.col_idxs.push_back(static_cast<I>(col));
            a.values.push_back(col < row ? -left : col > row ? -right : left + right);
        }
        a.row_ptrs.push_back(static_cast<I>(a.col_idxs.size()));
    }
    CsrData<double, I> z{{n, 3}, {0}, {}, std::vector<double>(n, 1)};
    for (size_type row = 0; row < n; ++row) {
        z.col_idxs.push_back(static_cast<I>(row / 20));
        z.row_ptrs.push_back(static_cast<I>(row + 1));
    }
    on_each_executor([&](const Executor& exec) {
        const Csr<double, I> matrix(exec, a), vectors(exec, z);
        linden::detail::KeptMemory memory(exec), memory_of_y(exec);
        const auto y =
            galerkin<double, I>(matrix, vectors, Symmetry::hermitian, nullptr, {memory, memory_of_y}).y.to_host();
        EXPECT_EQ(std::vector<I>(y.col_idxs.begin(), y.col_idxs.end()),
                  (std::vector<I>{19, 20, 19, 20, 39, 40, 39, 40}));
    });
}

/// The same vectors as domains, as a sparse and as a dense matrix; random ones as a sparse and as a dense matrix; with
/// the ordering of a preconditioner and without.
TEST(DeflationSpace, IsTheSameForAllFormsOfTheVectors)
{
    constexpr size_type n = 144, k = 12;
    Random random(973);
    CsrData<double, I> indicators{{n, k}, {0}, {}, std::vector<double>(n, 1)};
    for (size_type row = 0; row < n; ++row) {
        indicators.col_idxs.push_back(static_cast<I>(row / 12));
        indicators.row_ptrs.push_back(static_cast<I>(row + 1));
    }
    const auto others = random_csr<double, I>(random, {n, k}, 3);
    on_each_executor([&](const Executor& exec) {
        const auto a = matrix_on(exec, laplace_2d<double>(12));
        const auto b = random_dense<double>(random, exec, {n, 2});
        for (const auto& m :
             {FactoryPtr<double>(Jacobi<double>::factory()), FactoryPtr<double>(McSsor<double>::factory())}) {
            const auto solution = [&](const Deflation<double>& deflation) {
                const auto solver =
                    DeflatedCg<double>::factory({{.max_iterations = 5, .relative_residual = 0}, m, deflation})
                        .generate(a);
                EXPECT_EQ(solver->num_vectors(), k);
                EXPECT_EQ(solver->num_dropped_vectors(), 0);
                auto x = Dense<double>::filled(exec, {n, 2}, 0);
                EXPECT_EQ(solver->solve(b, x).iterations(), 5);
                return x.to_host();
            };
            const auto sparse = [&](const CsrData<double, I>& z) {
                return solution({.sparse_basis = std::make_shared<const Csr<double, I>>(exec, z)});
            };
            const auto dense = [&](const CsrData<double, I>& z) {
                return solution(
                    {.basis = std::make_shared<const Dense<double>>(block_on<double>(exec, {n, k}, dense_values(z)))});
            };
            const auto expected = solution({.vectors = k});
            expect_near(sparse(indicators), expected, 1e5);
            expect_near(dense(indicators), expected, 1e5);
            expect_near(sparse(others), dense(others), 1e5);
        }
    });
}

/// New values on the same pattern, of which others cancel: as if the solver were made of them.
TEST(DeflationSpace, TakesNewValuesThatCancelElsewhere)
{
    constexpr size_type n = 144, k = 12;
    const auto before = laplace_2d<double>(12);
    auto after = before;
    for (std::size_t i = 0; i < after.values.size(); ++i) {
        after.values[i] = before.values[i] < 0 ? -1 : 5;
    }
    Random random(976);
    const auto others = random_csr<double, I>(random, {n, k}, 3);
    on_each_executor([&](const Executor& exec) {
        const auto a = matrix_on(exec, before), b = matrix_on(exec, after);
        const auto rhs = random_dense<double>(random, exec, {n, 1});
        const auto sparse = std::make_shared<const Csr<double, I>>(exec, others);
        const auto dense = std::make_shared<const Dense<double>>(block_on<double>(exec, {n, k}, dense_values(others)));
        for (const auto& deflation : {Deflation<double>{.vectors = k}, Deflation<double>{.basis = dense},
                                      Deflation<double>{.sparse_basis = sparse}}) {
            for (const auto& m :
                 {FactoryPtr<double>(Jacobi<double>::factory()), FactoryPtr<double>(McSsor<double>::factory())}) {
                const auto factory =
                    DeflatedCg<double>::factory({{.max_iterations = 5, .relative_residual = 0}, m, deflation});
                const auto solution = [&](const Solver<double>& solver) {
                    auto x = Dense<double>::filled(exec, {n, 1}, 0);
                    solver.solve(rhs, x);
                    return x.to_host();
                };
                const auto updated = factory.generate(a);
                const auto old = solution(*updated);
                updated->update_values(b);
                const auto found = solution(*updated);
                EXPECT_EQ(found, solution(*factory.generate(b)));
                EXPECT_NE(found, old);
                updated->update_values(a);
                const auto allocations = exec.counters().allocations;
                updated->update_values(b);
                EXPECT_EQ(exec.counters().allocations, allocations) << "in memory of the first updates";
                EXPECT_EQ(solution(*updated), found);
            }
        }
    });
}

TEST(DeflationSpace, RefusesSparseVectorsThatDoNotFit)
{
    on_each_executor([](const Executor& exec) {
        const auto a = matrix_on(exec, laplace_2d<double>(4));
        const auto made = [&](LinOpPtr<double> z) {
            return DeflatedCg<double>::factory({.deflation = {.sparse_basis = std::move(z)}}).generate(a);
        };
        EXPECT_THROW(made(std::make_shared<const Csr<double, I>>(exec, Dim{15, 2})), DimensionMismatch);
        EXPECT_THROW(made(std::make_shared<const Csr<double, I>>(exec, Dim{16, 17})), InvalidParameter);
        EXPECT_THROW(made(std::make_shared<const Dense<double>>(exec, Dim{16, 2})), NotSupported);
        EXPECT_EQ(made(std::make_shared<const Csr<double, I>>(exec, Dim{16, 2}))->num_dropped_vectors(), 2);
    });
}

/// Domains in the memory of the executor, and of the host's.
TEST(DeflationSpace, TakesDomainsOnExecutors)
{
    constexpr size_type n = 100;
    Random random(974);
    std::vector<size_type> domains;
    std::vector<I> numbers;
    for (size_type row = 0; row < n; ++row) {
        domains.push_back(row < 9 ? row : random.integer(0, 9));
        numbers.push_back(static_cast<I>(domains.back()));
    }
    on_each_executor([&](const Executor& exec) {
        const auto a = matrix_on(exec, laplace_2d<double>(10));
        const auto b = random_dense<double>(random, exec, {n, 1});
        const auto solver = [&](const Deflation<double>& deflation) {
            return DeflatedCg<double>::factory(
                       {.stop = {.max_iterations = 5, .relative_residual = 0}, .deflation = deflation})
                .generate(a);
        };
        const auto solution = [&](const Deflation<double>& deflation) {
            auto x = Dense<double>::filled(exec, {n, 1}, 0);
            solver(deflation)->solve(b, x);
            return x.to_host();
        };
        const auto array = [&](const Executor& where, const std::vector<I>& values) {
            return std::make_shared<const Array<I>>(where, values);
        };
        const auto expected = solution({.domains = domains});
        EXPECT_EQ(solution({.vectors = 9, .domain_array = array(exec, numbers)}), expected);
        EXPECT_EQ(solution({.vectors = 9, .domain_array = array(reference_executor(), numbers)}), expected);
        EXPECT_EQ(solver({.vectors = 12, .domain_array = array(exec, numbers)})->num_dropped_vectors(), 3);

        EXPECT_THROW(solver({.vectors = 8, .domain_array = array(exec, numbers)}), InvalidParameter);
        EXPECT_THROW(solver({.vectors = 101, .domain_array = array(exec, numbers)}), InvalidParameter);
        EXPECT_THROW(solver({.vectors = 9, .domain_array = array(exec, {0, 1})}), InvalidParameter);
        EXPECT_THROW(solver({.vectors = 9, .domain_array = array(exec, std::vector<I>(n, -1))}), InvalidParameter);
        const auto wide = std::make_shared<const Array<std::int64_t>>(exec, std::vector<std::int64_t>(n));
        EXPECT_THROW(solver({.domain_array = wide}), InvalidParameter);
    });
}

/// How many entries lead from one domain to another.
size_type num_cut(const CsrData<double, I>& a, const std::vector<I>& domains)
{
    size_type count = 0;
    for (size_type row = 0; row < a.size.rows; ++row) {
        for (I k = a.row_ptrs[static_cast<std::size_t>(row)]; k < a.row_ptrs[static_cast<std::size_t>(row) + 1]; ++k) {
            const auto col = static_cast<std::size_t>(a.col_idxs[static_cast<std::size_t>(k)]);
            count += domains[static_cast<std::size_t>(row)] != domains[col] ? 1 : 0;
        }
    }
    return count;
}

/// Parts of a square of points, numbered at random, that are as balanced and as compact as boxes, nearly. One triangle
/// of the matrix has the same graph.
TEST(DeflationSpace, HasPartsOfGraphsByMetis)
{
    constexpr size_type n = 30 * 30, k = 9;
    Random random(975);
    std::vector<I> p(n);
    std::iota(p.begin(), p.end(), I{0});
    for (size_type i = n - 1; i > 0; --i) {
        std::swap(p[static_cast<std::size_t>(i)], p[static_cast<std::size_t>(random.integer(0, i + 1))]);
    }
    on_each_executor([&](const Executor& exec) {
        const Csr<double, I> grid(exec, laplace_2d<double>(30));
        const auto a = permute_symmetric(grid, Permutation<double, I>(exec, p));
        const Deflation<double> parts{.kind = DeflationKind::metis, .vectors = k};
        Domains<I> domains{0, Array<I>(exec)};
        try {
            domains = linden::detail::make_domains(parts, a, Symmetry::hermitian);
        } catch (const NotSupported& missing) {
            GTEST_SKIP() << missing.what();
        }
        EXPECT_EQ(domains.num_domains, k);
        const auto of_row = domains.of_row.to_host();
        for (I part = 0; part < k; ++part) {
            const auto count = std::count(of_row.begin(), of_row.end(), part);
            EXPECT_GE(count, 80);
            EXPECT_LE(count, 120);
        }
        EXPECT_LT(num_cut(a.to_host(), of_row), 2 * (4 * 30) * 3 / 2);  // 3 x 3 boxes cut 4 lines of 30
        const auto triangle = lower_triangle(a);
        EXPECT_EQ(linden::detail::make_domains(parts, triangle, Symmetry::none).of_row.to_host(), of_row);
        const Deflation<double> one{.kind = DeflationKind::metis};
        EXPECT_EQ(linden::detail::make_domains(one, a, Symmetry::none).of_row.to_host(), std::vector<I>(n));
        EXPECT_THROW(linden::detail::make_domains(Deflation<double>{.kind = DeflationKind::metis, .vectors = n + 1}, a,
                                                  Symmetry::none),
                     InvalidParameter);
    });
}

}  // namespace
}  // namespace linden::test
